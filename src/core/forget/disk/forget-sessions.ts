/** Deletes forgotten content from session files and their state: entry numbers and read positions stay. */
import path from 'node:path'
import { changeSettled, changeStateFile, stateIn } from '../../../kernel/memory/disk/settled.ts'
import { sessionPath } from '../../../kernel/memory/disk/store.ts'
import type { Forgetting } from '../../../kernel/memory/forgetting.ts'
import { type Gone, isTouched, type Outcome } from '../../../kernel/memory/forgetting.ts'
import { type Note, notesIn } from '../../../kernel/memory/note.ts'
import type { SessionState } from '../../../kernel/memory/session-state.ts'
import { changeWaiting } from '../../../kernel/memory/session-state.ts'
import { allSessions, formatState, type State, withSessions } from '../../../kernel/memory/state.ts'
import { owedSessions, owedTo, withOwed, withoutWork, withSummary, withWork } from '../../../kernel/memory/work.ts'
import { newItem, type WorkItem } from '../../../kernel/memory/work-item.ts'
import { type Disk, readOwnText, statOf } from '../../../kernel/platform/disk/files.ts'
import { id8OfFile, MEMORY_FILE, STATE_FILE, settledFile } from '../../../kernel/platform/layout.ts'
import { renderOpen } from '../../../kernel/sessions/capture.ts'
import { pack, packedPath, unpackFile } from '../../../kernel/sessions/disk/session-archive.ts'
import { fingerprintOfWords } from '../../../kernel/text/fingerprint.ts'
import { type Entry, entryKey, formatEntry, parseEntry, spokenIn } from '../../../kernel/transcript/session.ts'

/** Whether a text that waits in the state is deleted, by its session's id8. */
type IsWaiting = (id8: string, mark: string, text: string) => boolean

/**
 * A session file, plain or compressed, and the state's counts of it. After a kill in between, the file is shorter than the
 * state says: the next capture counts again, and recognises the entries by their keys. Call it under the lock.
 */
export function forgetInSession(root: string, file: string, about: Forgetting, to: Disk): Gone[] {
  return [...forgetPlain(root, file, about, to), ...forgetPacked(root, file, about, to)]
}

/** Replaces deleted entries by tombstones with number and key. All other lines stay byte for byte. */
function forgetEntries(id8: string, text: string, about: Forgetting): Outcome {
  const gone: Gone[] = []
  const lines = text.split('\n')
  const { isRepeatedBy } = about.from(id8)
  let number = 0
  const left = lines.map((line, i) => {
    const entry = i < lines.length - 1 ? parseEntry(line) : null
    // An incomplete line, or one that is not ours: it has no number.
    if (entry === null) return isRepeatedBy(line) ? '' : line
    const n = number++
    if (entry.role === 'tombstone' || !(about.isGone(id8, n) || isRepeatedBy(spokenIn(entry)))) return line
    gone.push({ id: `L1:${id8}#${n}`, kind: kindOf(entry), text: spokenIn(entry) })
    return formatEntry({ role: 'tombstone', n, key: entryKey(entry) }).trimEnd()
  })
  return { text: left.join('\n'), gone }
}

function kindOf({ role }: Entry): string {
  return role === 'user' ? 'prompt' : role === 'assistant' ? 'answer' : role === 'summary' ? 'compaction' : role
}

function forgetPlain(root: string, file: string, about: Forgetting, to: Disk): Gone[] {
  const name = path.join(root, sessionPath(file))
  const text = statOf(name)?.kind === 'file' ? readOwnText(name) : null
  const outcome = text === null ? null : forgetEntries(id8OfFile(file) ?? '', text, about)
  if (text === null || outcome === null || outcome.text === text) return []
  const settled = settledIn(root, file, text)
  const next = forgetEntries(id8OfFile(file) ?? '', settled, about).text ?? ''
  // Open entries are written again from the state.
  to.appendAt(name, Buffer.byteLength(settled), '')
  const isShorter = Buffer.byteLength(next) <= Buffer.byteLength(settled)
  if (!isShorter) count(root, file, next, to)
  to.replace(name, next)
  if (isShorter) count(root, file, next, to)
  const session = sessionOf(stateIn(root), file)?.[1]
  if (session !== undefined) to.appendAt(name, Buffer.byteLength(next), renderOpen(session))
  return outcome.gone
}

function forgetPacked(root: string, file: string, about: Forgetting, to: Disk): Gone[] {
  const name = path.join(root, packedPath(file))
  const bytes = unpackFile(name)
  if (bytes === null) return []
  const text = bytes.toString('utf8')
  const outcome = forgetEntries(id8OfFile(file) ?? '', text, about)
  if (outcome.text === text || outcome.text === null) return []
  to.replace(name, pack(Buffer.from(outcome.text)))
  if (statOf(path.join(root, sessionPath(file))) === null) count(root, file, outcome.text, to)
  return outcome.gone
}

/** The lines that the state counts; without a state, those not marked as open. */
function settledIn(root: string, file: string, text: string): string {
  const session = sessionOf(stateIn(root), file)?.[1]
  const lines = text.split('\n')
  const isCounted = session !== undefined && session.entries > 0 && session.entries < lines.length
  if (isCounted) return firstLines(text, session.entries)
  while (lines.length > 1 && /"open":true\}$/.test(lines.at(-2) ?? '')) lines.splice(-2, 1)
  return lines.join('\n')
}

/** Each with its line break. */
export function firstLines(text: string, many: number): string {
  const lines = text.split('\n').slice(0, many)
  return lines.map((line) => `${line}\n`).join('')
}

function count(root: string, file: string, settled: string, to: Disk): void {
  const state = stateIn(root)
  const [id, session] = sessionOf(state, file) ?? []
  if (state === null || id === undefined || session === undefined || session.entries === 0) return
  const bytes = Buffer.byteLength(firstLines(settled, session.entries))
  if (bytes === session.bytes) return
  const counted = { ...session, bytes }
  if (Object.hasOwn(state.sessions, id))
    return to.replace(path.join(root, STATE_FILE), formatState(withSessions(state, [[id, counted]])))
  const change = (one: SessionState): SessionState => (one.file === file ? counted : one)
  changeSettled(root, settledFile(file), { session: change, badLine: (line) => line }, to.replace)
}

function sessionOf(state: State | null, file: string): [string, SessionState] | undefined {
  return state === null ? undefined : allSessions(state).find(([, session]) => session.file === file)
}

/** Updates the state for an archive that was changed or deleted: its summary becomes pending. Call it under the lock. */
export function forgetArchive(root: string, archive: string, to: Disk): void {
  const state = stateIn(root)
  const known = state?.rotatedFiles.find(({ file }) => file === archive)
  if (state === null || known === undefined) return
  const isThere = statOf(path.join(root, archive)) !== null
  const rotatedFiles = state.rotatedFiles.flatMap((one) => (one !== known || isThere ? [one] : []))
  const waits = withSummary({ ...state, rotatedFiles }, archive, false)
  to.replace(
    path.join(root, STATE_FILE),
    formatState(isThere ? waits : withoutWork(waits, ({ about }) => about === archive)),
  )
}

/** The ranges of notes in memory.md that lose some of their entries: code rewrites them, and a model's version becomes pending. */
export function notesAnew(root: string, about: Forgetting): WorkItem[] {
  const isAnew = (note: Note): boolean =>
    !about.ids.has(note.id.toLowerCase()) && isTouched(about, note.session ?? '', note.from, note.to)
  const notes = notesIn(readOwnText(path.join(root, MEMORY_FILE)) ?? '').filter(isAnew)
  return notes.flatMap(({ session, from, to, ...note }) =>
    session === null || about.remade({ session, from, to, ...note }) === null
      ? []
      : newItem({ kind: 'again', about: session, from, to, by: 'headless' }),
  )
}

/** In the state, or in a file of settled sessions: items without a transcript line, and handed-out work. Call it under the lock. */
export function forgetInState(
  root: string,
  name: string,
  about: Forgetting,
  isWaiting: IsWaiting,
  owed: readonly WorkItem[],
  to: Disk,
): boolean {
  const change = {
    state: (state: State) => withWork(withoutPieces(state, about.sessions), owed),
    session: (session: SessionState) => forgetInOne(session, about, isWaiting),
    badLine: (line: string) => (about.traces(line) ? null : line),
  }
  return changeStateFile(root, name, change, to.replace)
}

/** A model may be writing about these sessions right now: its result will be refused. */
function withoutPieces(state: State, sessions: Forgetting['sessions']): State {
  const owed = owedSessions(state).filter(([, { file }]) => sessions.has(id8OfFile(file) ?? ''))
  const isAsked = ({ kind, by, about }: WorkItem): boolean => kind === 'facts' && by !== 'code' && sessions.has(about)
  return owed.reduce((next, [, session]) => withOwed(next, session, owedTo(next, session)), withoutWork(state, isAsked))
}

function forgetInOne(session: SessionState, about: Forgetting, isWaiting: IsWaiting): SessionState {
  const id8 = id8OfFile(session.file) ?? ''
  const isOut = (said: string): boolean => isWaiting(id8, fingerprintOfWords(said), said)
  const whole = changeWaiting(session, {
    text: (text, said) => (isOut(said) ? null : text),
    base: (base) => (base !== '' && isOut(base) ? '' : base),
  })
  const isRepeated = [whole.stands?.text, whole.goal].some(
    (text) => text !== undefined && about.from(id8).repeats(text),
  )
  if (!about.sessions.has(id8) && !isRepeated) return whole
  // Goal and end may contain forgotten text.
  const { stands: _, goal: __, ...rest } = whole
  return rest
}
