/** Capture: reads what transcripts have gained and appends it to their sessions, in bounded pieces, none of which is lost or told twice. */
import path from 'node:path'
import {
  type KnownEntries,
  knownEntries,
  type Piece,
  readPiece,
  renderOpen,
  settle,
  withoutKnown,
} from '../core/capture.ts'
import type { Effect } from '../core/effect.ts'
import { fingerprint } from '../core/fingerprint.ts'
import { id8OfFile, SESSIONS_DIR, sessionFile } from '../core/layout.ts'
import { createRedactor } from '../core/redact.ts'
import { EMPTY_REFINE_STATE, expectAnswer, openEntries, type RefineOptions } from '../core/refine.ts'
import { type Entry, entryKey, parseSession, type Tombstone } from '../core/session.ts'
import { type Cursor, newCursor, newSession, type SessionState, type State } from '../core/state.ts'
import { list, readPart, readText, sizeOf } from './files.ts'
import { type Store, sessionPath, stateEffect } from './store.ts'
import { listAgents } from './transcripts.ts'

/** One piece: what is read, decided and written before the lock is let go. */
const PIECE_BYTES = 4 * 1024 * 1024
/** A line longer than this is no line of a transcript. */
const LONGEST_LINE_BYTES = 256 * 1024 * 1024
const ANCHOR_BYTES = 256

export interface Source {
  session: string
  transcript: string
}

export interface CaptureOptions {
  waitMs: number
  now: () => string
  /** Milliseconds; asked between pieces. */
  isLate?: () => boolean
  /** The last answer as the Stop hook names it: the transcript may lag behind. */
  answer?: string
  /** History that nobody waits to be noted: its tool uses do not make a note due. */
  isHistory?: boolean
}

export interface Captured {
  entries: number
  bytesIn: number
  badLines: number
  redactions: number
  tools: number
  /** Nothing is left to read. */
  complete: boolean
  /** Subagents whose transcripts have grown. */
  agentsBehind: string[]
}

/** Captures a session's transcript and those of its subagents as far as time allows. */
export function captureSession(store: Store, source: Source, options: CaptureOptions): Captured {
  const total: Captured = {
    entries: 0,
    bytesIn: 0,
    badLines: 0,
    redactions: 0,
    tools: 0,
    complete: true,
    agentsBehind: [],
  }
  const waiting: (string | null)[] = [null]
  for (let part = waiting.shift(); part !== undefined; part = waiting.shift()) {
    for (;;) {
      const agent = part
      const done = store.whileLocked(options.waitMs, () => captureOnce(store, source, agent, options))
      if (done === null) return { ...total, complete: false }
      add(total, done.value)
      if (done.value.complete) {
        waiting.push(...done.value.agentsBehind)
        break
      }
      if (options.isLate?.()) return { ...total, complete: false }
    }
    if (waiting.length > 0 && options.isLate?.()) return { ...total, complete: false }
  }
  return total
}

function add(total: Captured, part: Captured): void {
  total.entries += part.entries
  total.bytesIn += part.bytesIn
  total.badLines += part.badLines
  total.redactions += part.redactions
  total.tools += part.tools
}

const NOTHING: Captured = {
  entries: 0,
  bytesIn: 0,
  badLines: 0,
  redactions: 0,
  tools: 0,
  complete: true,
  agentsBehind: [],
}

/** One piece of one file, under the lock: read, decide, write. */
function captureOnce(store: Store, source: Source, agent: string | null, options: CaptureOptions): Captured {
  const file = agent === null ? source.transcript : agentPath(source.transcript, agent)
  const size = sizeOf(file)
  const state = store.readState()
  if (size === null && !(agent === null && options.answer)) return NOTHING

  const seen = soundSession(store, state.sessions[source.session] ?? adoptSession(store, source), size ?? 0)
  const cursor = recognise(agent === null ? seen : (seen.agents[agent] ?? newCursor(file)), file, size ?? 0)
  const piece = readFrom(file, cursor.offset)
  let redactions = 0
  const { redact } = createRedactor({
    enabled: store.config.redaction === true,
    extraPatterns: store.config.redactPatterns as readonly string[],
  })
  const refining: RefineOptions = {
    outputChars: store.config.toolOutputChars as number,
    redact: (text) => {
      const { text: clean, count } = redact(text)
      redactions += count
      return clean
    },
    ...(agent === null ? {} : { agent }),
  }
  const read = readPiece(cursor, piece, refining)
  if (agent === null && options.answer && piece.isLast) {
    read.cursor.refine = expectAnswer(read.cursor.refine, options.answer, options.now(), refining.redact)
  }
  const bytesIn = read.cursor.offset - cursor.offset
  if (bytesIn > 0) read.cursor.anchor = anchorAt(file, read.cursor.offset)

  const next = decideSession(store, state, source, seen, agent, read, size ?? 0)
  const { session, fresh, text, tools } = next
  const counted: SessionState = {
    ...session,
    badLines: session.badLines + read.badLines,
    redactions: session.redactions + redactions,
  }
  const effects = effectsOf(store, state, source, seen, counted, text, options.isHistory ? 0 : tools, options)
  if (effects.length > 0) store.perform(effects)
  const agentsBehind = agent === null ? listBehind(source.transcript, seen) : []
  return { entries: fresh, bytesIn, badLines: read.badLines, redactions, tools, complete: piece.isLast, agentsBehind }
}

function listBehind(transcript: string, session: SessionState): string[] {
  return listAgents(transcript)
    .filter((agent) => sizeOf(agent.path) !== session.agents[agent.id]?.offset)
    .map((agent) => agent.id)
}

/** Whether there is anything to capture, as far as sizes tell. */
export function isBehind(session: SessionState | undefined, transcript: string, size: number): boolean {
  return session === undefined || session.offset !== size || listBehind(transcript, session).length > 0
}

interface Decided {
  session: SessionState
  fresh: number
  text: string
  tools: number
}

function decideSession(
  store: Store,
  state: State,
  source: Source,
  seen: SessionState,
  agent: string | null,
  read: ReturnType<typeof readPiece>,
  size: number,
): Decided {
  const before: SessionState =
    agent === null ? { ...seen, ...read.cursor } : { ...seen, agents: { ...seen.agents, [agent]: read.cursor } }
  const first = agent === null && seen.head === '' ? (read.entries[0] ?? openEntries(read.cursor.refine)[0]) : undefined
  if (first !== undefined) {
    before.head = entryKey(first)
    const parent = seen.entries === 0 ? findParent(state, source.session, before.head) : null
    if (parent !== null) {
      before.forkOf = { session: parent }
      before.knownUpTo = size
    }
  }
  const from = (agent === null ? seen : seen.agents[agent])?.offset ?? 0
  const knownUpTo = agent === null ? before.knownUpTo : read.cursor.knownUpTo
  const isReread = knownUpTo !== undefined && from <= knownUpTo
  const entries = isReread ? withoutKnown(read.entries, knownOf(store, state, before)) : read.entries
  if (isReread && read.cursor.offset >= (knownUpTo ?? 0)) delete (agent === null ? before : read.cursor).knownUpTo
  const settled = settle(before, entries)
  return { session: settled.session, fresh: entries.length, text: settled.text, tools: settled.tools }
}

function effectsOf(
  store: Store,
  state: State,
  source: Source,
  seen: SessionState,
  session: SessionState,
  text: string,
  tools: number,
  options: CaptureOptions,
): Effect[] {
  const open = renderOpen(session)
  const named =
    session.file === '' && (text !== '' || open !== '')
      ? { ...session, file: newFile(store, source, state, text || open, options) }
      : session
  const effects: Effect[] = []
  const onDisk = named.file === '' ? 0 : (sizeOf(path.join(store.dir, sessionPath(named.file))) ?? 0)
  const isStale = onDisk !== named.bytes + Buffer.byteLength(open)
  const changed = JSON.stringify(named) !== JSON.stringify(seen)
  if (named.file !== '' && (text !== '' || isStale || changed)) {
    effects.push({ do: 'appendAt', path: sessionPath(named.file), at: seen.bytes, text: text + open })
  }
  if (changed || tools > 0) {
    const sessions = { ...state.sessions, [source.session]: named }
    effects.push(stateEffect({ ...state, counter: state.counter + tools, sessions }))
  }
  return effects
}

/** `YYYYMMDD_HHMMSS_<id8>`, after the first entry's time. Two sessions never share an id8. */
function newFile(store: Store, source: Source, state: State, text: string, options: CaptureOptions): string {
  const first = JSON.parse(text.slice(0, text.indexOf('\n'))) as Entry
  return sessionFile(first.ts || options.now(), id8For(source.session, state, store))
}

function id8For(session: string, state: State, store: Store): string {
  const taken = new Set([
    ...Object.entries(state.sessions).flatMap(([id, other]) => (id === session ? [] : [id8OfFile(other.file)])),
    ...list(path.join(store.dir, SESSIONS_DIR)).map(id8OfFile),
  ])
  let id8 = plainId8(session)
  for (let salt = 0; taken.has(id8); salt++) id8 = fingerprint(`${session}${salt}`).slice(0, 8)
  return id8
}

function plainId8(session: string): string {
  const plain = session
    .toLowerCase()
    .replace(/[^0-9a-z]/g, '')
    .slice(0, 8)
  return plain.length === 8 ? plain : fingerprint(session).slice(0, 8)
}

/** A session that the state does not know may have its file already (lost state, restored files): it is gone through again, not told again. */
function adoptSession(store: Store, source: Source): SessionState {
  const fresh = newSession(source.transcript)
  const id8 = plainId8(source.session)
  const file = list(path.join(store.dir, SESSIONS_DIR)).find((name) => id8OfFile(name) === id8)
  return file === undefined ? fresh : recount(store, { ...fresh, file })
}

/** The session file must hold what the state says; if it was cut, everything is gone through again. */
function soundSession(store: Store, session: SessionState, size: number): SessionState {
  if (session.file === '') return session
  const onDisk = sizeOf(path.join(store.dir, sessionPath(session.file))) ?? 0
  const isWhole = onDisk >= session.bytes && (session.bytes === 0 || session.entries > 0)
  return isWhole ? session : { ...recount(store, session), ...reread(session.transcript, size) }
}

/** Counts what the session file really holds. */
function recount(store: Store, session: SessionState): SessionState {
  const text = readText(path.join(store.dir, sessionPath(session.file))) ?? ''
  const lines = text.split('\n').slice(0, -1)
  while (lines.length > 0 && /"open":true\}$/.test(lines.at(-1) ?? '')) lines.pop()
  const bytes = Buffer.byteLength(lines.map((line) => `${line}\n`).join(''))
  const watermark = Math.min(session.watermark, lines.length)
  const known = sizeOf(session.transcript) ?? 0
  return { ...session, entries: lines.length, bytes, watermark, knownUpTo: known }
}

function reread(transcript: string, size: number): Cursor {
  return { transcript, offset: 0, anchor: '', refine: EMPTY_REFINE_STATE, knownUpTo: size }
}

/** Same file, grown or moved: go on. Shrunk or replaced: from the beginning, without telling again what is known. */
function recognise<T extends Cursor>(cursor: T, file: string, size: number): T {
  const isSame = cursor.offset === 0 || (size >= cursor.offset && anchorAt(file, cursor.offset) === cursor.anchor)
  return isSame ? { ...cursor, transcript: file } : { ...cursor, ...reread(file, size) }
}

function anchorAt(file: string, offset: number): string {
  const from = Math.max(0, offset - ANCHOR_BYTES)
  const bytes = readPart(file, from, offset - from)
  return bytes === null ? '' : fingerprint(bytes.toString('latin1'))
}

/** At least one whole line, however long. */
function readFrom(file: string, offset: number): Piece {
  for (let length = PIECE_BYTES; ; length *= 4) {
    const bytes = readPart(file, offset, length)
    if (bytes === null) return { bytes: Buffer.alloc(0), isLast: true }
    if (bytes.length < length) return { bytes, isLast: true }
    if (bytes.includes(0x0a)) return { bytes, isLast: false }
    if (length >= LONGEST_LINE_BYTES) return { bytes: Buffer.concat([bytes, Buffer.from('\n')]), isLast: false }
  }
}

function agentPath(transcript: string, agent: string): string {
  return path.join(transcript.replace(/\.jsonl$/, ''), 'subagents', `agent-${agent}.jsonl`)
}

function findParent(state: State, session: string, head: string): string | null {
  for (const [id, other] of Object.entries(state.sessions)) if (id !== session && other.head === head) return id
  return null
}

/** What this session and those it was forked from hold. */
function knownOf(store: Store, state: State, session: SessionState): KnownEntries {
  return knownEntries(withParents(state, session).flatMap((part) => settledEntries(store, part)))
}

/** A session and those it continues. */
function withParents(state: State, session: SessionState): SessionState[] {
  const chain: SessionState[] = []
  for (let at: SessionState | undefined = session; at !== undefined && !chain.includes(at); ) {
    chain.push(at)
    at = at.forkOf ? state.sessions[at.forkOf.session] : undefined
  }
  return chain
}

function settledEntries(store: Store, session: SessionState): (Entry | Tombstone)[] {
  if (session.file === '') return []
  const bytes = readPart(path.join(store.dir, sessionPath(session.file)), 0, session.bytes)
  return bytes === null ? [] : parseSession(bytes.toString('utf8')).entries
}

/** Settled and open entries of a session and of those it was forked from. */
export function allEntries(store: Store, state: State, session: SessionState): (Entry | Tombstone)[] {
  return withParents(state, session).flatMap((part) => readSession(store, part.file))
}

/** All entries of a session file, open ones at its end included. */
export function readSession(store: Store, file: string): (Entry | Tombstone)[] {
  const text = file === '' ? null : readText(path.join(store.dir, sessionPath(file)))
  return text === null ? [] : parseSession(text).entries
}
