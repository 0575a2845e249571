/** Session files and the state beside them without what is forgotten: numbers stay, and so does how far was read. */
import path from 'node:path'
import { changeSettled, stateIn } from '../../memory/disk/settled.ts'
import { sessionPath } from '../../memory/disk/store.ts'
import type { Cursor, SessionState } from '../../memory/session-state.ts'
import { allSessions, formatState, type State, withSessions } from '../../memory/state.ts'
import { type Disk, readOwnText, statOf } from '../../platform/disk/files.ts'
import { id8OfFile, STATE_FILE, settledFile } from '../../platform/layout.ts'
import { renderOpen } from '../../sessions/capture.ts'
import { pack, packedPath, unpackFile } from '../../sessions/disk/session-archive.ts'
import { fingerprintOfWords } from '../../text/fingerprint.ts'
import { type Forgetting, forgetEntries, type Gone } from '../forget-context.ts'

/** Whether a text that waits in the state goes, by its session's id8. */
export type IsWaiting = (id8: string, mark: string, text: string) => boolean

/**
 * A session file, plain or compressed, and what the state counts of it. Killed in between, the file is shorter than the
 * state says: the next capture counts again, and knows the entries by their keys. Call it under the lock.
 */
export function forgetInSession(root: string, file: string, about: Forgetting, to: Disk): Gone[] {
  return [...forgetPlain(root, file, about, to), ...forgetPacked(root, file, about, to)]
}

/** The same without writing. */
export function upcomingInSession(root: string, file: string, about: Forgetting): Gone[] {
  const nothing = (): undefined => undefined
  const look: Disk = { replace: nothing, append: nothing, appendAt: nothing, remove: nothing }
  return forgetInSession(root, file, about, look)
}

function forgetPlain(root: string, file: string, about: Forgetting, to: Disk): Gone[] {
  const name = path.join(root, sessionPath(file))
  const text = statOf(name)?.kind === 'file' ? readOwnText(name) : null
  const outcome = text === null ? null : forgetEntries(id8OfFile(file) ?? '', text, about)
  if (text === null || outcome === null || outcome.text === text) return []
  const settled = settledIn(root, file, text)
  const next = forgetEntries(id8OfFile(file) ?? '', settled, about).text ?? ''
  // What is still open is told from the state again.
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

/** What the state counts; without a state, what is not marked as open. */
function settledIn(root: string, file: string, text: string): string {
  const session = sessionOf(stateIn(root), file)?.[1]
  const lines = text.split('\n')
  const isCounted = session !== undefined && session.entries > 0 && session.entries < lines.length
  if (isCounted)
    return lines
      .slice(0, session.entries)
      .map((line) => `${line}\n`)
      .join('')
  while (lines.length > 1 && /"open":true\}$/.test(lines.at(-2) ?? '')) lines.splice(-2, 1)
  return lines.join('\n')
}

function count(root: string, file: string, settled: string, to: Disk): void {
  const state = stateIn(root)
  const [id, session] = sessionOf(state, file) ?? []
  if (state === null || id === undefined || session === undefined || session.entries === 0) return
  const bytes = Buffer.byteLength(
    settled
      .split('\n')
      .slice(0, session.entries)
      .map((line) => `${line}\n`)
      .join(''),
  )
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

/** One that is gone, or whose summary code made anew, as the state knows it. Call it under the lock. */
export function forgetArchive(root: string, archive: string, to: Disk): void {
  const state = stateIn(root)
  const known = state?.rotatedFiles.find(({ file }) => file === archive)
  if (state === null || known === undefined) return
  const isThere = statOf(path.join(root, archive)) !== null
  const rest = state.rotatedFiles.filter((one) => one !== known)
  const rotatedFiles = isThere
    ? state.rotatedFiles.map((one) => (one === known ? { ...one, summaryGenerated: false } : one))
    : rest
  to.replace(path.join(root, STATE_FILE), formatState({ ...state, rotatedFiles }))
}

/** What waits in the state for its line, and what is in somebody's hands. Call it under the lock. */
export function forgetInState(root: string, about: Forgetting, isWaiting: IsWaiting, to: Disk): boolean {
  const state = stateIn(root)
  if (state === null) return false
  const before = allSessions({ sessions: state.sessions })
  const next = formatState(
    withSessions(
      state,
      before.map(([id, session]) => [id, forgetInOne(session, about, isWaiting)] as const),
    ),
  )
  if (next === formatState(withSessions(state, before))) return false
  to.replace(path.join(root, STATE_FILE), next)
  return true
}

/** The same in a file of settled sessions. Call it under the lock. */
export function forgetInSettled(
  root: string,
  name: string,
  about: Forgetting,
  isWaiting: IsWaiting,
  to: Disk,
): boolean {
  const change = {
    session: (session: SessionState) => forgetInOne(session, about, isWaiting),
    badLine: (line: string) => (about.isSaid(line) ? null : line),
  }
  return changeSettled(root, name, change, to.replace)
}

function forgetInOne(session: SessionState, about: Forgetting, isWaiting: IsWaiting): SessionState {
  const id8 = id8OfFile(session.file) ?? ''
  const clean = <T extends Cursor>(cursor: T): T => withoutWaiting(cursor, (mark, text) => isWaiting(id8, mark, text))
  const agents = Object.entries(session.agents).map(([agent, cursor]) => [agent, clean(cursor)])
  const whole = { ...clean(session), agents: Object.fromEntries(agents) }
  if (!about.sessions.has(id8)) return whole
  // Somebody may be writing about it right now: what comes of it is not taken any more.
  const { handout: _, mining: __, ...rest } = whole
  return rest
}

function withoutWaiting<T extends Cursor>(cursor: T, isOut: (mark: string, text: string) => boolean): T {
  const { tools, queue, answer, base } = cursor.refine
  const isTextOut = (text: string): boolean => isOut(fingerprintOfWords(text), text)
  const refine = {
    ...cursor.refine,
    // Where it was started: the next line says it again.
    base: base !== '' && isTextOut(base) ? '' : base,
    tools: Object.fromEntries(Object.entries(tools).filter(([, { name, cmd }]) => !isTextOut(`${name} ${cmd}`))),
    queue: queue.filter(({ text }) => !isTextOut(text)),
    answer: answer !== null && isTextOut(answer.text) ? null : answer,
  }
  return { ...cursor, refine }
}
