/** The end of a transcript as entries: what the last turns of a session said, without its beginning. */

import { newCursor } from '../memory/session-state.ts'
import { openEntries } from '../transcript/open-entries.ts'
import type { RefineOptions } from '../transcript/refine.ts'
import { EMPTY_REFINE_STATE } from '../transcript/refine-state.ts'
import { type Entry, entryKey, isBareCommand, type Numbered, type Tombstone } from '../transcript/session.ts'
import { readPiece } from './capture.ts'

export interface Tail {
  entries: Entry[]
  /** The git branch of the last entry; empty: none is named. */
  branch: string
  /** The given launch directory, else the one that the first line names; empty: none does. */
  launchDir: string
}

/** The last bytes of a file. */
export interface FileEnd {
  bytes: Buffer
  /** They are all of it. */
  isWhole: boolean
}

/** The first line is left out unless the file begins with it: a secret that the window cuts could not be recognised. */
export function parseTail({ bytes, isWhole }: FileEnd, launchDir: string, options: RefineOptions): Tail {
  const from = isWhole ? 0 : bytes.indexOf(0x0a) + 1
  if (!isWhole && from === 0) return { entries: [], branch: '', launchDir }
  // Zero is the beginning of a file, which may have a byte order mark.
  const cursor = { ...newCursor(''), offset: isWhole ? 0 : 1, refine: { ...EMPTY_REFINE_STATE, base: launchDir } }
  const read = readPiece(cursor, { bytes: bytes.subarray(from), isLast: true }, options)
  const { branch, base } = read.cursor.refine
  return { entries: [...read.entries, ...openEntries(read.cursor.refine)], branch, launchDir: base }
}

/** Leaves out the results of tools whose calls came before the window: nothing tells which tools they were. */
export function withoutOrphans(entries: readonly (Entry | Tombstone)[]): (Entry | Tombstone)[] {
  const kept: (Entry | Tombstone)[] = []
  let branch: string | undefined
  for (const entry of entries) {
    // The first entry on a branch names it: the next one does, then.
    if (entry.role === 'tombstone') kept.push(entry)
    else if (isOrphan(entry)) branch = entry.branch ?? branch
    else {
      kept.push(branch === undefined ? entry : { ...entry, branch: entry.branch ?? branch })
      branch = undefined
    }
  }
  return kept
}

function isOrphan(entry: Entry): boolean {
  return 'name' in entry && entry.name === 'tool' && entry.cmd === ''
}

/** Whether a person typed in it. A bare command such as `/clear` counts if something was answered. */
export function isTyped(entries: readonly Entry[]): boolean {
  const isAnswered = entries.some(({ role, by }) => role === 'assistant' && by === 'assistant')
  return entries.some((entry) => isPersons(entry) && (isAnswered || !isBareCommand(entry.text)))
}

/** Whether it contains a request: neither a bare command nor words inside a tool's result. */
export function hasPrompt(entries: readonly Entry[]): boolean {
  return entries.some((entry) => isPersons(entry) && entry.via === undefined && !isBareCommand(entry.text))
}

/** Whether it contains a prompt of a program. */
export function isSentLine(entries: readonly Entry[]): boolean {
  return entries.some((entry) => entry.role === 'user' && entry.sent === true)
}

function isPersons(entry: Entry): entry is Extract<Entry, { role: 'user' }> {
  return entry.role === 'user' && entry.by === 'user' && entry.sent !== true
}

/** Whether the session goes on in another one, which then contains its end: older hosts copy a resumed session into a new file. */
export function goesOnIn(entries: readonly Numbered[], later: readonly Numbered[]): boolean {
  const last = entries.findLast(({ entry }) => 'ts' in entry && entry.open !== true)?.entry
  return last !== undefined && 'ts' in last && later.some(({ entry }) => isSameEntry(entry, last))
}

function isSameEntry(one: Numbered['entry'], other: Entry): boolean {
  return 'ts' in one && one.ts === other.ts && entryKey(one) === entryKey(other)
}
