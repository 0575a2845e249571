/** The kinds of files of notes: memory.md, its archives and their summaries, summaries of sessions, weeks, months, the pending delta. */

import { type FileKind, nameIn } from '../../kernel/memory/file-kind.ts'
import { DELTA_FILE, isArchiveFile, MEMORY_FILE } from '../../kernel/platform/layout.ts'
import { noteUnits, readArchiveSummary, readSessionSummary, readTier, WEEK } from './documents.ts'
import { SESSION_SUMMARY } from './tier-period.ts'

export const NOTES_FILES: readonly FileKind[] = [
  {
    name: 'session-summary',
    match: (path) => SESSION_SUMMARY.test(nameIn(path)),
    at: 'sessions',
    units: readSessionSummary,
  },
  {
    name: 'week',
    match: (path) => WEEK.test(nameIn(path)),
    at: 'sessions',
    units: readTier,
  },
  {
    name: 'month',
    match: (path) => /^\d{4}-\d\d\.md$/.test(nameIn(path)),
    at: 'sessions/archive',
    units: readTier,
  },
  {
    name: 'memory',
    match: (path) => nameIn(path) === MEMORY_FILE,
    at: '',
    units: noteUnits,
  },
  {
    name: 'archive',
    match: (path) => isArchiveFile(nameIn(path)),
    at: '',
    units: noteUnits,
  },
  {
    name: 'archive-summary',
    match: (path) => /^memory_[\d_]+\.summary\.json$/.test(nameIn(path)),
    at: '',
    units: readArchiveSummary,
  },
]

/** Not searched. */
export const NOTES_RECORDS: readonly FileKind[] = [
  {
    name: 'delta',
    title: 'the pending delta',
    match: (path) => nameIn(path) === DELTA_FILE,
    place: DELTA_FILE,
    isKept: false,
    isOurs: true,
  },
]
