/** The kinds of files of notes: memory.md, its archives and their summaries, summaries of sessions, weeks, months, the pending delta. */

import { type FileKind, nameIn } from '../../kernel/memory/file-kind.ts'
import { DELTA_FILE, isArchiveFile, MEMORY_FILE } from '../../kernel/platform/layout.ts'
import { noteUnits, readArchiveSummary, readSessionSummary, readTier, SESSION_SUMMARY } from './documents.ts'

export const NOTES_FILES: readonly FileKind[] = [
  {
    name: 'session-summary',
    title: 'the summary of a session',
    match: (path) => SESSION_SUMMARY.test(nameIn(path)),
    at: 'sessions',
    units: readSessionSummary,
    arriving: 'ours',
  },
  {
    name: 'week',
    title: 'a week',
    match: (path) => /^week-\d{4}-\d\d\.md$/.test(nameIn(path)),
    at: 'sessions',
    units: readTier,
    arriving: 'behind',
  },
  {
    name: 'earlier-week',
    title: 'a week of an earlier version',
    match: (path) => /^sessions\/week-\d{4}-W\d\d\.md$/.test(path),
    units: readTier,
  },
  {
    name: 'month',
    title: 'a month',
    match: (path) => /^\d{4}-\d\d\.md$/.test(nameIn(path)),
    at: 'sessions/archive',
    units: readTier,
    arriving: 'behind',
  },
  {
    name: 'memory',
    title: 'notes',
    match: (path) => nameIn(path) === MEMORY_FILE,
    at: '',
    units: noteUnits,
    arriving: 'content',
    isSource: true,
  },
  {
    name: 'archive',
    title: 'older notes',
    match: (path) => isArchiveFile(nameIn(path)),
    at: '',
    units: noteUnits,
    arriving: 'content',
    isSource: true,
  },
  {
    name: 'archive-summary',
    title: 'the summary of an archive',
    match: (path) => /^memory_\d{8}_\d{6}(?:_\d+)?\.summary\.json$/.test(nameIn(path)),
    at: '',
    units: readArchiveSummary,
    arriving: 'ours',
  },
  {
    name: 'delta',
    title: 'the pending delta',
    match: (path) => nameIn(path) === DELTA_FILE,
    place: DELTA_FILE,
    isKept: false,
    isOurs: true,
  },
]
