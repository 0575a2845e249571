/**
 * The state of one memory (`memory-index.json`): counters, rotations, and for each session how far its transcript is captured.
 * Sessions without pending work are stored in files of their own (`disk/settled.ts`).
 */

import { countOr, fieldsLike, isObject, numberOr, parseObject, textOr } from '../platform/json.ts'
import { id8OfFile, isArchiveFile, summaryFileOf } from '../platform/layout.ts'
import { mapRecord, parseSessionState, type SessionState } from './session-state.ts'
import { from06 } from './work-06.ts'
import { formatWork, parseWork, type WorkItem } from './work-item.ts'

export interface RotatedFile {
  file: string
  rotatedAt: string
  tokenCount: number
  summary: string
  /** By a model; otherwise by code. */
  summaryGenerated: boolean
}

export interface Unpushed {
  /** Redacted. */
  branch: string
  /** The commit that was checked out. */
  head: string
  /** A mark of the remote-tracking refs that a push would change; empty: there were none. */
  remoteRef: string
  count: number
  at: string
}

/** A session without its empty fields. */
export type StoredSession = Partial<Record<keyof SessionState, unknown>>

/** Sessions as they are stored, by id. */
export type StoredSessions = Readonly<Record<string, StoredSession>>

/** The settled sessions. Their files are read only on demand: a hook hardly ever needs one. */
export interface Settled {
  /** Whether a session of this id may be settled, judged by file names. */
  mayHold(id: string): boolean
  one(id: string): StoredSession | undefined
  /** The sessions whose files begin at this stamp (`YYYYMMDD_HHMMSS`) or later. */
  since(stamp: string): StoredSessions
  all(): StoredSessions
}

/** `new`: the state is newer than 0.6; `drop` and `switch` are decided and not done yet: its copies of built-in rules go, or `builtinRules` is switched off. */
export type EarlierRules = (typeof EARLIER_RULES)[number]

const EARLIER_RULES = ['new', 'kept', 'drop', 'dropped', 'switch', 'switched'] as const

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
  /** What became of the rules.md of 0.6 (`migrate/disk/rules-06.ts`); null: it was not read yet. */
  earlierRules: EarlierRules | null
  /** When this memory began; earlier sessions are history. */
  beganAt: string | null
  /** How often a note became due. */
  cuts: number
  /** The pending work for which a turn was last blocked, and in how many turns in a row. */
  enforced: { owed: string; turns: number }
  /** What waits for a model or for code (`work.ts`). */
  work: WorkItem[]
  /** Ids of facts and notes that were saved by a command which no session contains: no audit can judge them. */
  unplaced: string[]
  /** The session whose running turn was started by a machine, not by a person. */
  machineTurn: string | null
  /** The sessions with possible work left, as stored. Read one with `sessionIn`, which also finds settled ones. */
  sessions: Record<string, StoredSession>
  /** The host's directories with transcripts of settled sessions. */
  settledDirs: string[]
  /** Id prefixes of sessions whose transcripts are in this project's host directories but belong to another project. */
  elsewhere: string[]
  /** A mark of the state in the project's other place (`storage`) at the last check of all transcripts; empty: there was none. */
  otherPlace: string
  /** Commits of the project's branch that no remote had when git was last asked. Absent: none. */
  unpushed?: Unpushed
  /** Not stored in the file. Absent: no session is settled. */
  settled?: Settled
}

/** Since version 3 settled sessions are not in this file. */
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
  earlierRules: 'new',
  beganAt: null,
  cuts: 0,
  enforced: { owed: '', turns: 0 },
  work: [],
  unplaced: [],
  machineTurn: null,
  sessions: {},
  settledDirs: [],
  elsewhere: [],
  otherPlace: '',
}

/** Null: not JSON. A missing or wrong field gets its default; every readable field is kept. */
export function parseState(text: string): State | null {
  const parsed = parseObject(text)
  if (parsed === null) return null
  // Only versions before 0.7 write `knowledge`, and they always do.
  const raw = parsed.work === undefined || parsed.knowledge !== undefined ? from06(parsed) : parsed
  const stats = isObject(raw.stats) ? raw.stats : {}
  const { settled: _, unpushed, ...others } = raw
  return {
    // Keeps fields of other versions, and the number of a newer version, so that the file is not taken for ours.
    ...others,
    ...fieldsLike(raw, EMPTY_STATE),
    version: Math.max(STATE_VERSION, countOr(raw.version)),
    rotatedFiles: Array.isArray(raw.rotatedFiles) ? raw.rotatedFiles.flatMap(parseRotated) : [],
    stats: { totalRotations: countOr(stats.totalRotations), lastRotation: textIn(stats.lastRotation) },
    lastMemoryUpdateTs: textIn(raw.lastMemoryUpdateTs),
    deltaCreatedAtMemoryMtime: numberOr(raw.deltaCreatedAtMemoryMtime, null),
    earlierRules: EARLIER_RULES.find((one) => one === raw.earlierRules) ?? null,
    beganAt: textIn(raw.beganAt),
    enforced: isObject(raw.enforced) ? fieldsLike(raw.enforced, EMPTY_STATE.enforced) : EMPTY_STATE.enforced,
    work: parseWork(raw.work),
    machineTurn: textIn(raw.machineTurn),
    sessions: readSessions(raw.sessions),
    ...parseUnpushed(unpushed),
  }
}

function parseUnpushed(raw: unknown): Pick<State, 'unpushed'> {
  if (!isObject(raw)) return {}
  const unpushed = fieldsLike(raw, { branch: '', head: '', remoteRef: '', count: 0, at: '' })
  return unpushed.branch === '' || unpushed.head === '' || unpushed.count === 0 ? {} : { unpushed }
}

function textIn(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

/** Ignores a record that does not name an archive of ours. */
function parseRotated(raw: unknown): RotatedFile[] {
  if (!isObject(raw) || typeof raw.file !== 'string' || !isArchiveFile(raw.file)) return []
  return [
    {
      file: raw.file,
      rotatedAt: textOr(raw.rotatedAt, ''),
      tokenCount: countOr(raw.tokenCount),
      summary: summaryFileOf(raw.file),
      summaryGenerated: raw.summaryGenerated === true,
    },
  ]
}

/** Returned without a copy if all are valid, which is nearly always the case. */
function readSessions(raw: unknown): Record<string, StoredSession> {
  if (!isObject(raw)) return {}
  for (const id in raw) if (!isObject(raw[id])) return mapRecord(raw, (session): StoredSession => session)
  return raw as Record<string, StoredSession>
}

/** Compact: every hook reads this file and many write it. */
export function formatState({ settled: _, work, ...stored }: State): string {
  return `${JSON.stringify({ ...stored, work: formatWork(work) })}\n`
}

/** A session that continues is in the state again, and its settled record is ignored. */
export function storedIn({ sessions, settled }: Sessions, id: string): StoredSession | undefined {
  return Object.hasOwn(sessions, id) ? sessions[id] : settled?.one(id)
}

type Sessions = Pick<State, 'sessions' | 'settled'>

export function sessionIn(state: Sessions, id: string): SessionState | undefined {
  const stored = storedIn(state, id)
  return isObject(stored) ? parsedSession(stored) : undefined
}

/** The session with this id8. */
export function findSession(state: Sessions, id8: string): [id: string, session: SessionState] | undefined {
  const isNamed = ({ file }: StoredSession): boolean => typeof file === 'string' && id8OfFile(file) === id8
  for (const id in state.sessions) {
    const stored = state.sessions[id] ?? {}
    if (isNamed(stored)) return [id, parsedSession(stored)]
  }
  const found = Object.entries(state.settled?.all() ?? {}).find(([, stored]) => isNamed(stored))
  return found && [found[0], parsedSession(found[1])]
}

/** Stored sessions are replaced, never changed: each is parsed once. */
const parsed = new WeakMap<StoredSession, SessionState>()

function parsedSession(stored: Record<string, unknown>): SessionState {
  const known = parsed.get(stored)
  if (known !== undefined) return known
  const session = parseSessionState(stored)
  parsed.set(stored, session)
  return session
}

/** Includes settled sessions: all their files are read. */
export function allStored({ sessions, settled }: Sessions): StoredSessions {
  return settled === undefined ? sessions : { ...settled.all(), ...sessions }
}

export function allSessions(state: Sessions): [id: string, session: SessionState][] {
  return Object.entries(allStored(state)).flatMap(([id, stored]) =>
    isObject(stored) ? [[id, parsedSession(stored)]] : [],
  )
}

/** Enough characters of an id to be unique on one machine. */
const ELSEWHERE_CHARS = 13

export function elsewhereMark(session: string): string {
  return session.slice(0, ELSEWHERE_CHARS)
}

/** Whether a transcript is known to belong to another project. */
export function elsewhereTest({ elsewhere }: Pick<State, 'elsewhere'>): (session: string) => boolean {
  // Before version 3 whole ids were stored.
  const marks = new Set(elsewhere.map(elsewhereMark))
  return (session) => marks.has(elsewhereMark(session))
}

export function withSessions(state: State, sessions: Iterable<readonly [id: string, session: SessionState]>): State {
  const stored = { ...state.sessions }
  for (const [id, session] of sessions) stored[id] = storeSession(session)
  return { ...state, sessions: stored }
}

/** Marks sessions as complete. They are changed as stored: thousands of them are not parsed for this. */
export function withDone(state: State, ids: readonly string[]): State {
  const sessions = { ...state.sessions }
  for (const id of ids) {
    const { refine: before, ...stored } = storedIn(state, id) ?? {}
    // Fields that only help while lines come in are not stored for ended sessions.
    const { base: _, said: __, ...refine } = isObject(before) ? before : {}
    sessions[id] = { ...stored, ...(isEmpty(refine) ? {} : { refine }), isDone: true }
  }
  return { ...state, sessions }
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

/** Fields that people and tools look for are stored even if they are zero. */
const ALWAYS = new Set(['transcript', 'offset', 'entries', 'watermark'])

function isEmpty(field: unknown): boolean {
  return field === '' || field === 0 || field === null || (typeof field === 'object' && Object.keys(field).length === 0)
}
