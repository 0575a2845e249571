/** How files of sessions change: scrubbed field by field, so that an entry stays one line. */

import type { KindChanges } from '../memory/file-kind.ts'
import { joinSessions } from './join.ts'
import { scrubEntries, scrubRecords } from './scrub.ts'

export const SESSION_CHANGES: readonly KindChanges[] = [
  {
    name: 'session',
    title: 'a session',
    scrub: scrubEntries,
    join: joinSessions,
    arriving: 'join',
    forgets: 'entries',
    isVerbatim: true,
  },
  { name: 'packed', scrub: scrubEntries, join: joinSessions },
  { name: 'forgotten', scrub: scrubRecords },
]
