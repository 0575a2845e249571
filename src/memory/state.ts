/**
 * The state of one memory (`memory-index.json`): counters, rotations, and per session how far its transcript is captured.
 * Sessions that nothing is left to do about are stored in files of their own (`core/settled.ts`).
 */

import { isObject, texts } from '../platform/json.ts'
import { isArchiveFile, summaryFileOf } from '../platform/layout.ts'
import { countOr, mapRecord, parseSessionState, type SessionState, text_, textOrNull } from './session-state.ts'

export interface RotatedFile {
  file: string
  rotatedAt: string
  tokenCount: number
  summary: string
  summaryGenerated: boolean
  /** Claude was asked for the summary at this many cuts. */
  asked?: number
  /** Summaries of the headless child that were refused. */
  tries?: number
}

export interface OwedKnowledge {
  /** What recurs and nobody has judged, as one mark; empty: nothing. */
  candidates: string
  /** Claude was asked for it at this many cuts. */
  asked: Record<string, number>
}

/** A session without what is empty in it. */
export type StoredSession = Partial<Record<keyof SessionState, unknown>>

/** Sessions as they are stored, by id. */
export type StoredSessions = Readonly<Record<string, StoredSession>>

/** The settled sessions. Their files are read when somebody asks for one of them: a hook hardly ever does. */
export interface Settled {
  /** Whether a session of this id may be one of them, as far as names of files tell. */
  mayHold(id: string): boolean
  one(id: string): StoredSession | undefined
  /** Those whose session files begin at this stamp (`YYYYMMDD_HHMMSS`) or later. */
  since(stamp: string): StoredSessions
  all(): StoredSessions
}

export interface State {
  version: number
  current: string
  rotatedFiles: RotatedFile[]
  stats: { totalRotations: number; lastRotation: string | null }
  /** Tool uses since the last note. */
  counter: number
  lastMemoryUpdateTs: string | null
  deltaCreatedAtMemoryMtime: number | null
  rulesInjectionCount: number
  /** When notes began to be kept; what happened before is history. */
  beganAt: string | null
  /** How often a note became due. */
  cuts: number
  /** What Claude was last held back for at the end of a turn, and in how many turns in a row. */
  enforced: { owed: string; turns: number }
  /** What Claude owes besides notes and facts, as it was last found. */
  knowledge: OwedKnowledge
  /** Ranges (`1a2b3c4d-12-57`) whose notes `forget` had derived anew by structure: a background call writes them again. */
  notesOwed: string[]
  /** The running turn was begun by a machine, not by a person: session id. */
  machineTurn: string | null
  /** The sessions that something may be left to do about, as stored; read one with `sessionIn`, which also finds a settled one. */
  sessions: Record<string, StoredSession>
  /** The host's directories with transcripts of settled sessions. */
  settledDirs: string[]
  /** The beginnings of the ids of sessions whose transcripts lie in this project's directories of the host but belong to another project. */
  elsewhere: string[]
  /** How the state in the project's other place (`storage`) looked when all transcripts were last looked at; empty: there was none. */
  otherPlace: string
  /** Not part of the file. Absent: no session is settled. */
  settled?: Settled
}

/** 3: settled sessions are not in this file. */
const STATE_VERSION = 3

export const EMPTY_STATE: State = {
  version: STATE_VERSION,
  current: 'memory.md',
  rotatedFiles: [],
  stats: { totalRotations: 0, lastRotation: null },
  counter: 0,
  lastMemoryUpdateTs: null,
  deltaCreatedAtMemoryMtime: null,
  rulesInjectionCount: 0,
  beganAt: null,
  cuts: 0,
  enforced: { owed: '', turns: 0 },
  knowledge: { candidates: '', asked: {} },
  notesOwed: [],
  machineTurn: null,
  sessions: {},
  settledDirs: [],
  elsewhere: [],
  otherPlace: '',
}

/** Null: not JSON at all. A field that is missing or wrong gets its default, and no field that could be read is lost. */
export function parseState(text: string): State | null {
  let raw: unknown
  try {
    raw = JSON.parse(text)
  } catch {
    return null
  }
  if (!isObject(raw)) return null
  const stats = isObject(raw.stats) ? raw.stats : {}
  const { settled: _, ...others } = raw
  return {
    // Fields of other versions stay where they are; a newer version's number, too, so that nobody takes it for ours.
    ...others,
    version: Math.max(STATE_VERSION, countOr(raw.version)),
    current: text_(raw.current, EMPTY_STATE.current),
    rotatedFiles: Array.isArray(raw.rotatedFiles) ? raw.rotatedFiles.flatMap(parseRotated) : [],
    stats: { totalRotations: countOr(stats.totalRotations), lastRotation: textOrNull(stats.lastRotation) },
    counter: countOr(raw.counter),
    lastMemoryUpdateTs: textOrNull(raw.lastMemoryUpdateTs),
    deltaCreatedAtMemoryMtime: typeof raw.deltaCreatedAtMemoryMtime === 'number' ? raw.deltaCreatedAtMemoryMtime : null,
    rulesInjectionCount: countOr(raw.rulesInjectionCount),
    beganAt: textOrNull(raw.beganAt),
    cuts: countOr(raw.cuts),
    enforced: isObject(raw.enforced)
      ? { owed: text_(raw.enforced.owed, ''), turns: countOr(raw.enforced.turns) }
      : EMPTY_STATE.enforced,
    knowledge: parseKnowledge(raw.knowledge),
    notesOwed: texts(raw.notesOwed),
    machineTurn: textOrNull(raw.machineTurn),
    sessions: readSessions(raw.sessions),
    settledDirs: texts(raw.settledDirs),
    elsewhere: texts(raw.elsewhere),
    otherPlace: text_(raw.otherPlace, ''),
  }
}

function parseKnowledge(raw: unknown): OwedKnowledge {
  if (!isObject(raw)) return EMPTY_STATE.knowledge
  const asked = isObject(raw.asked) ? Object.entries(raw.asked).map(([key, cuts]) => [key, countOr(cuts)] as const) : []
  return {
    candidates: text_(raw.candidates, ''),
    asked: Object.fromEntries(asked),
  }
}

/** One that names no archive of ours is none. */
function parseRotated(raw: unknown): RotatedFile[] {
  if (!isObject(raw) || typeof raw.file !== 'string' || !isArchiveFile(raw.file)) return []
  return [
    {
      file: raw.file,
      rotatedAt: text_(raw.rotatedAt, ''),
      tokenCount: countOr(raw.tokenCount),
      summary: summaryFileOf(raw.file),
      summaryGenerated: raw.summaryGenerated === true,
      ...(typeof raw.asked === 'number' ? { asked: countOr(raw.asked) } : {}),
      ...(typeof raw.tries === 'number' ? { tries: countOr(raw.tries) } : {}),
    },
  ]
}

/** As they are, without a copy: nearly always all of them are sound. */
function readSessions(raw: unknown): Record<string, StoredSession> {
  if (!isObject(raw)) return {}
  for (const id in raw) if (!isObject(raw[id])) return mapRecord(raw, (session): StoredSession => session)
  return raw as Record<string, StoredSession>
}

/** Compact: every hook reads this file and many write it. */
export function formatState({ settled: _, ...stored }: State): string {
  return `${JSON.stringify(stored)}\n`
}

/** One that goes on is in the state again, and its settled record does not count any more. */
export function storedIn({ sessions, settled }: Sessions, id: string): StoredSession | undefined {
  return Object.hasOwn(sessions, id) ? sessions[id] : settled?.one(id)
}

type Sessions = Pick<State, 'sessions' | 'settled'>

export function sessionIn(state: Sessions, id: string): SessionState | undefined {
  const stored = storedIn(state, id)
  return isObject(stored) ? parsedSession(stored) : undefined
}

/** What is stored is never changed, only replaced: each session is parsed once. */
const parsed = new WeakMap<StoredSession, SessionState>()

function parsedSession(stored: Record<string, unknown>): SessionState {
  const known = parsed.get(stored)
  if (known !== undefined) return known
  const session = parseSessionState(stored)
  parsed.set(stored, session)
  return session
}

/** Settled or not: all of their files are read. */
export function allStored({ sessions, settled }: Sessions): StoredSessions {
  return settled === undefined ? sessions : { ...settled.all(), ...sessions }
}

export function allSessions(state: Sessions): [id: string, session: SessionState][] {
  return Object.entries(allStored(state)).flatMap(([id, stored]) =>
    isObject(stored) ? [[id, parsedSession(stored)]] : [],
  )
}

/** Enough of an id to tell it from any other on one machine. */
const ELSEWHERE_CHARS = 13

export function elsewhereMark(session: string): string {
  return session.slice(0, ELSEWHERE_CHARS)
}

/** Whether a transcript is known to belong to another project. */
export function elsewhereTest({ elsewhere }: Pick<State, 'elsewhere'>): (session: string) => boolean {
  // Before version 3 whole ids were kept.
  const marks = new Set(elsewhere.map(elsewhereMark))
  return (session) => marks.has(elsewhereMark(session))
}

export function withSessions(state: State, sessions: Iterable<readonly [id: string, session: SessionState]>): State {
  const stored = { ...state.sessions }
  for (const [id, session] of sessions) stored[id] = storeSession(session)
  return { ...state, sessions: stored }
}

export function storeSession(session: SessionState): StoredSession {
  const agents = Object.entries(session.agents).map(([id, cursor]) => [
    id,
    compact({ ...cursor, refine: compact(cursor.refine) }),
  ])
  return compact({ ...session, refine: compact(session.refine), agents: Object.fromEntries(agents) })
}

function compact(value: object): object {
  return Object.fromEntries(Object.entries(value).filter(([name, field]) => ALWAYS.has(name) || !isEmpty(field)))
}

/** What people and tools look for stays, even when it is zero. */
const ALWAYS = new Set(['transcript', 'offset', 'entries', 'watermark'])

function isEmpty(field: unknown): boolean {
  return field === '' || field === 0 || field === null || (typeof field === 'object' && Object.keys(field).length === 0)
}
