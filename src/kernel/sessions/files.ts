/** The kinds of files of sessions: their entries, plain and compressed, their transcripts' backups, and what was forgotten. */

import { type FileKind, nameIn } from '../memory/file-kind.ts'
import { FORGOTTEN_FILE, id8OfFile } from '../platform/layout.ts'

export const SESSION_FILES: readonly FileKind[] = [
  {
    // A search reads it entry by entry: documents.ts.
    name: 'session',
    match: (path) => id8OfFile(nameIn(path)) !== null,
    at: 'sessions',
  },
]

/** Not searched. */
export const SESSION_RECORDS: readonly FileKind[] = [
  {
    name: 'packed',
    title: 'a session, compressed',
    match: (path) => path.endsWith('.gz') && id8OfFile(nameIn(path).slice(0, -'.gz'.length)) !== null,
    at: 'sessions/archive',
    arriving: 'join',
    forgets: 'entries',
    isVerbatim: true,
    isPacked: true,
  },
  {
    name: 'raw-backup',
    title: "the backup of a session's transcript",
    match: (path) => /_[0-9a-z]{8}\.raw\.jsonl\.gz$/.test(path),
    forgets: 'whole',
  },
  {
    // What was forgotten elsewhere is forgotten here too. It has fingerprints only.
    name: 'forgotten',
    title: 'fingerprints of what was forgotten',
    match: (path) => nameIn(path) === FORGOTTEN_FILE,
    at: '',
    arriving: 'join',
    isUsersOnly: true,
    isVerbatim: true,
    forgets: 'never',
  },
]
