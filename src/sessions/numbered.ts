/** An entry with its number in the session. */
import type { Entry, Tombstone } from '../transcript/session.ts'

export interface Numbered {
  n: number
  entry: Entry | Tombstone
}
