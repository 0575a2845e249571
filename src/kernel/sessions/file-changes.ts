/** How files of sessions change: scrubbed field by field, so that an entry stays one line. */

import type { KindChanges } from '../memory/file-kind.ts'
import { scrubEntries, scrubRecords } from './scrub.ts'

export const SESSION_CHANGES: readonly KindChanges[] = [
  {
    name: 'session',
    title: 'a session',
    scrub: scrubEntries,
    arriving: 'longer',
    forgets: 'entries',
    isVerbatim: true,
  },
  { name: 'packed', scrub: scrubEntries },
  { name: 'forgotten', scrub: scrubRecords },
]
