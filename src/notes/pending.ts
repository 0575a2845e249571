/** When entries become work for a note, which work items Claude is asked for, and the sentences that ask. */
import type { SessionState } from '../memory/session-state.ts'
import { type State, sessionIn, withSessions } from '../memory/state.ts'
import type { Way } from '../model/way.ts'
import type { Config } from '../platform/config.ts'
import { DELTA_FILE } from '../platform/layout.ts'
import { type WorkItem, type WorkKind, withCounts, workItems, workKey, workOf } from '../sessions/work.ts'

/** A session that said nothing for so long is over, whatever became of its host. */
const QUIET_MS = 30 * 60_000
/** One that no hook has told of: it may just have begun. */
const FOUND_QUIET_MS = 5 * 60_000

function isOwed(session: SessionState): boolean {
  return session.due > session.watermark
}

type Named = [id: string, session: SessionState]

/** Sessions whose entries wait for a note, oldest first. */
export function owedSessions(state: State): Named[] {
  return workOf(state, 'note').flatMap(({ session: id }): Named[] => {
    const session = sessionIn(state, id)
    return session === undefined ? [] : [[id, session]]
  })
}

/** Sessions with entries that no note tells. Called at every event: only those are parsed. */
export function untoldSessions(state: State): Named[] {
  const found: Named[] = []
  for (const id in state.sessions) {
    const { entries = 0, watermark = 0 } = state.sessions[id] as Partial<SessionState>
    const session = entries > watermark ? sessionIn(state, id) : undefined
    if (session !== undefined) found.push([id, session])
  }
  return found
}

/** `running`: tools whose result the host has not written yet. */
export function isDue(state: State, saveInterval: number, running = 0): boolean {
  return state.counter + running >= saveInterval
}

/** At the interval: everything that hooks saw and no note tells. A waiting delta grows. */
export function cutLive(state: State): State {
  const live = untoldSessions(state).filter(([, session]) => session.isLive)
  return { ...cut(state, live), counter: 0 }
}

/** A delta that waits and is in nobody's hands takes in what came since: at the end of a turn the transcript lags behind. */
export function growWaiting(state: State): State {
  const waiting = owedSessions(state).filter(([, session]) => session.handout === undefined)
  const grown = waiting.filter(([, session]) => session.entries > session.due)
  return grown.length === 0
    ? state
    : withSessions(
        state,
        grown.map(([id, session]) => [id, { ...session, due: session.entries }] as const),
      )
}

/** Before a compaction, and at a session's end. */
export function cutSession(state: State, id: string): State {
  const session = sessionIn(state, id)
  return session === undefined ? state : cut(state, [[id, session]])
}

/** When a session begins: all that are over. `isAlive` tells of a host process. */
export function cutOver(state: State, now: string, isAlive: (pid: number) => boolean): State {
  const sessions = untoldSessions(state).filter(
    ([, session]) =>
      // What of the history is noted is not settled before notes begin.
      (session.isLive || state.beganAt !== null) && isOver(session, now, isAlive),
  )
  return cut(state, sessions)
}

/** Its end was announced, its host is gone, or it has been quiet for long. */
export function isOver(session: SessionState, now: string, isAlive: (pid: number) => boolean): boolean {
  if (session.isEnded || (session.isLive && session.pid > 0 && !isAlive(session.pid))) return true
  const quietMs = Date.parse(now) - (Date.parse(session.refine.ts) || 0)
  return quietMs > (session.isLive ? QUIET_MS : FOUND_QUIET_MS)
}

function cut(state: State, sessions: readonly Named[]): State {
  const changed = sessions.filter(([, { entries, due, watermark }]) => entries > watermark && entries > due)
  if (changed.length === 0) return state
  return withSessions(
    { ...state, counter: 0, cuts: state.cuts + 1 },
    changed.map(([id, session]) => [id, { ...session, due: session.entries }] as const),
  )
}

/**
 * History found on the machine is searchable, but not noted: only its last entries are, also when more of it is found later. Whatever
 * was found later and happened since is noted like anything else.
 */
export function settleHistory(state: State, now: string, firstRunMaxEntries: number): State {
  // What was said just now may belong to a session that no hook has told of yet: no history.
  const untold = untoldSessions(state).filter(([, session]) => !session.isLive && isOver(session, now, () => true))
  const since = state.beganAt
  // What owes a note keeps owing it, and so does what may have been going on when notes began.
  const isHistory = (session: SessionState): boolean =>
    since === null || (!isOwed(session) && (Date.parse(session.refine.ts) || 0) < Date.parse(since) - FOUND_QUIET_MS)
  const old = untold.filter(([, session]) => isHistory(session))
  if (old.length === 0 && since !== null) return state
  let room = firstRunMaxEntries
  const settled = old
    .toSorted(([, a], [, b]) => (a.file < b.file ? 1 : -1))
    .map(([id, session]) => {
      const taken = Math.min(room, session.entries - session.watermark)
      room -= taken
      return [id, { ...session, watermark: session.entries - taken }] as const
    })
  return withSessions({ ...state, beganAt: since ?? now }, settled)
}

/** After a note about [from, to) is safely in memory.md. */
export function tell(state: State, id: string, session: SessionState, to: number, now: string): State {
  const { handout: _, ...rest } = session
  const told = { ...rest, watermark: Math.max(session.watermark, to) }
  return withSessions({ ...state, lastMemoryUpdateTs: now }, [[id, { ...told, due: isOwed(told) ? told.due : 0 }]])
}

/** In this order Claude is given one item of each kind: a file holds one delta. */
const KINDS: readonly WorkKind[] = ['facts', 'rules', 'note', 'summary']

/** What Claude itself is to do. With the summarizer `extractive`, which asks only where a turn is blocked, code does all but the note. */
export function workForClaude(state: State, way: Way, summarizer: Config['summarizer']): WorkItem[] {
  if (way !== 'agent') return []
  const items = workItems(state).filter(({ by, session }) => by === 'agent' || (by === null && session === ''))
  const kinds = summarizer === 'extractive' ? KINDS.filter((kind) => kind === 'note') : KINDS
  return kinds.flatMap((kind) => {
    const found = items.filter((item) => item.kind === kind)
    // The newest archive first.
    return kind === 'summary' ? found.slice(-1) : found.slice(0, 1)
  })
}

/** Of these, what Claude was not asked for yet, or not since more came due. */
export function toAskFor(state: State, items: readonly WorkItem[]): WorkItem[] {
  return items.filter(({ asked }) => asked === 0 || asked < state.cuts)
}

export function markAsked(state: State, items: readonly WorkItem[]): State {
  const asked = Math.max(1, state.cuts)
  return items.reduce((next, item) => withCounts(next, item, { asked }), state)
}

/** In how many turns in a row Claude is held back for the same work before it is let go. */
const MAX_TURNS = 2

/** Whether this turn may be held back for these items, and the state that remembers it; null: let go. */
export function holdBack(state: State, items: readonly WorkItem[]): State | null {
  if (items.length === 0) return null
  const key = items.map(workKey).join(', ')
  const turns = state.enforced.owed === key ? state.enforced.turns : 0
  return turns >= MAX_TURNS ? null : { ...state, enforced: { owed: key, turns: turns + 1 } }
}

const SKILL = 'memory-keeper:pending'
const MARKS: Readonly<Record<WorkKind, string>> = {
  note: `[MEMORY_KEEPER_DELTA] file=${DELTA_FILE}`,
  summary: '[MEMORY_KEEPER_ROTATE]',
  facts: '[MEMORY_KEEPER_FACTS]',
  rules: '[MEMORY_KEEPER_REFLECT]',
}
const WHAT: Readonly<Record<WorkKind, string>> = {
  note: 'recent work waits for its note',
  summary: 'an archive waits for its summary',
  facts: 'recent work waits for its facts',
  rules: 'what recurs waits to be judged',
}

/** `argOf`: the file or the piece that the work is about. */
function callOf(item: WorkItem, argOf: (item: WorkItem) => string): string {
  return `skill "${SKILL}" and args "${item.kind} ${argOf(item)}"`
}

/** With a person's prompt. */
export function renderRequest(items: readonly WorkItem[], argOf: (item: WorkItem) => string): string {
  return items
    .map(
      (each) =>
        `${markOf(each)}\nMemory Keeper: ${WHAT[each.kind]}. First call the Skill tool once with ${callOf(each, argOf)}; then answer the user's prompt as usual, without a word about this.`,
    )
    .join('\n\n')
}

/** At the end of a turn, numbered as steps. */
export function renderSteps(items: readonly WorkItem[], argOf: (item: WorkItem) => string): string {
  const steps = items.map(
    (each, i) => `STEP ${i + 1}: ${WHAT[each.kind]}. Call the Skill tool with ${callOf(each, argOf)}.`,
  )
  return [
    `Memory Keeper: before this turn ends (${checklist(items)}),`,
    ...steps,
    'Then stop; the user needs no word about it.',
  ].join('\n')
}

const LISTED: readonly (readonly [string, WorkKind])[] = [
  ['facts', 'facts'],
  ['reflection', 'rules'],
  ['memory', 'note'],
]

/** What is done and what is not, in the order of the layers. */
function checklist(items: readonly WorkItem[]): string {
  return LISTED.map(([name, kind]) => `${name} ${items.some((each) => each.kind === kind) ? '✗' : '✓'}`).join(', ')
}

function markOf({ kind, name }: WorkItem): string {
  if (kind === 'note') return MARKS.note
  return kind === 'summary' ? `${MARKS.summary} file=${name}` : `${MARKS[kind]} piece=${name}`
}

/** Said once, to the user, before the first background call. */
export function renderModelNotice(saveInterval: number, callsPerDay: number): string {
  return [
    `Memory Keeper writes a note about your work, and the facts in it, after every ${saveInterval} tool uses and at the end of a session.`,
    `For that it runs short background calls of claude (Haiku, no tools): about 5,000 to 20,000 tokens each, often a cent or less, at most ${callsPerDay} a day.`,
    'It also reminds Claude of a few rules with your prompts; /memory-keeper:run config set builtinRules off stops that.',
    'To write notes without a model, type: /memory-keeper:run config set summarizer extractive',
  ].join(' ')
}
