/** How files of sessions change when they are scrubbed: field by field, so that an entry stays one line. */

import type { KindChanges } from '../memory/file-kind.ts'
import { scrubEntries } from './scrub.ts'

export const SESSION_CHANGES: readonly KindChanges[] = [
  { name: 'session', scrub: scrubEntries },
  { name: 'packed', scrub: scrubEntries },
]
