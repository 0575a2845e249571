/**
 * The state after another program wrote its file: the plugin from which this one takes its name knows the file of earlier versions, and
 * drops every field that it does not know. Where the sessions stand is taken from the vault's copy and corrected by the notes.
 */
import path from 'node:path'
import { list, markOf, readOwnText } from '../../platform/disk/files.ts'
import { id8OfFile, isArchiveFile, MEMORY_FILE, STATE_FILE } from '../../platform/layout.ts'
import { notesIn } from '../note.ts'
import { allSessions, EMPTY_STATE, parseState, type State, withSessions } from '../state.ts'
import { withCovered } from '../work.ts'

/** Whether this program wrote the state: it always names the sessions. Every hook asks, so that it is not parsed for this. */
export function isOwnState(text: string): boolean {
  return text.includes('"sessions":')
}

/** `isFromCopy`: false if the vault has no copy; then the sessions are read again like those of a lost state. */
export function rebuildState(stripped: State, dir: string, vault: string): { state: State; isFromCopy: boolean } {
  const text = readOwnText(path.join(vault, STATE_FILE)) ?? ''
  const copy = isOwnState(text) ? parseState(text) : null
  // Only a state of ours can be of 0.6: `rules.md` itself tells whether it is.
  if (copy === null) return { state: { ...stripped, earlierRules: EMPTY_STATE.earlierRules }, isFromCopy: false }
  const noted = notedIn(dir)
  const named = new Set(stripped.rotatedFiles.map(({ file }) => file))
  const rotatedFiles = [...copy.rotatedFiles.filter(({ file }) => !named.has(file)), ...stripped.rotatedFiles]
  // The copy is older than a note: the session is read again like one of a lost state.
  const sessions = allSessions({ sessions: copy.sessions }).filter(([, { file, entries }]) => noted(file) <= entries)
  const known = withSessions({ ...copy, counter: stripped.counter, rotatedFiles, sessions: {} }, sessions)
  const behind = sessions.filter(([, { file, watermark }]) => noted(file) > watermark)
  return { state: behind.reduce((next, one) => withCovered(next, one, noted(one[1].file)), known), isFromCopy: true }
}

/** Up to which entry of a session file notes in memory.md and its archives cover it; 0: there is no note. */
export function notedIn(dir: string): (sessionFile: string) => number {
  const files = [...list(dir).filter(isArchiveFile), MEMORY_FILE].map((name) => readNoted(path.join(dir, name)))
  return (sessionFile) => {
    const id8 = id8OfFile(sessionFile) ?? ''
    return files.reduce((most, noted) => Math.max(most, noted.get(id8) ?? 0), 0)
  }
}

type Noted = ReadonlyMap<string, number>

/** With a cache: after a lost state it is asked for every session. Files are always replaced as a whole. */
function readNoted(file: string): Noted {
  const mark = markOf(file)
  const known = read.get(file)
  if (known?.mark === mark) return known.noted
  const noted = new Map<string, number>()
  for (const { session, to } of mark === '' ? [] : notesIn(readOwnText(file) ?? ''))
    if (session !== null) noted.set(session, Math.max(noted.get(session) ?? 0, to))
  read.set(file, { mark, noted })
  return noted
}

const read = new Map<string, { mark: string; noted: Noted }>()
