/** Decides when entries become pending for a note, which work items Claude is asked for, and renders the requests. */
import type { SessionState } from '../../kernel/memory/session-state.ts'
import { findSession, type State, sessionIn, withSessions } from '../../kernel/memory/state.ts'
import {
  findWork,
  handedOut,
  type OwedSession,
  owedSessions,
  owedTo,
  withCounts,
  withCovered,
  withOwed,
  withoutWork,
  withWork,
  workOf,
} from '../../kernel/memory/work.ts'
import { newItem, type WorkItem, workName } from '../../kernel/memory/work-item.ts'
import type { Config } from '../../kernel/platform/config.ts'
import { DELTA_FILE, id8OfFile } from '../../kernel/platform/layout.ts'
import type { Way } from '../model/headless.ts'

/** A session without an event for this long is over, whatever became of its host. */
const QUIET_MS = 30 * 60_000
/** The same for a session that no hook has reported: it may just have begun. */
const FOUND_QUIET_MS = 5 * 60_000

/** Sessions with entries that no note covers. Runs at every event: only these are parsed. */
export function uncoveredSessions(state: State): OwedSession[] {
  const found: OwedSession[] = []
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

/** At the interval: makes all entries due that hooks saw and no note covers. A pending delta grows. */
export function cutLive(state: State): State {
  const live = uncoveredSessions(state).filter(([, session]) => session.isLive)
  return { ...cut(state, live), counter: 0 }
}

/** A pending delta that is not handed out takes in newer entries: at the end of a turn the transcript lags behind. */
export function growWaiting(state: State): State {
  const waiting = owedSessions(state).filter(([, session]) => handedOut(state, session) === undefined)
  return dueWhole(state, waiting) ?? state
}

/** Null: all their entries are due. */
function dueWhole(state: State, sessions: readonly OwedSession[]): State | null {
  const grown = sessions.filter(([, session]) => session.entries > owedTo(state, session))
  const isDueToo = (next: State, [, session]: OwedSession): State =>
    withOwed(next, session, session.entries, handedOut(state, session))
  return grown.length === 0 ? null : grown.reduce(isDueToo, state)
}

/** Called before a compaction and at a session's end. */
export function cutSession(state: State, id: string): State {
  const session = sessionIn(state, id)
  return session === undefined ? state : cut(state, [[id, session]])
}

/** At a session start: makes the entries of all ended sessions due. `isAlive` checks a host process. */
export function cutOver(state: State, now: string, isAlive: (pid: number) => boolean): State {
  const sessions = uncoveredSessions(state).filter(
    ([, session]) =>
      // Before this memory began, it is not decided which part of the history gets notes.
      (session.isLive || state.beganAt !== null) && isOver(session, now, isAlive),
  )
  return cut(state, sessions)
}

/** Its end was announced, its host process has ended, or it has been quiet for long. */
export function isOver(session: SessionState, now: string, isAlive: (pid: number) => boolean): boolean {
  if (session.isEnded || (session.isLive && session.pid > 0 && !isAlive(session.pid))) return true
  const quietMs = Date.parse(now) - (Date.parse(session.refine.ts) || 0)
  return quietMs > (session.isLive ? QUIET_MS : FOUND_QUIET_MS)
}

function cut(state: State, sessions: readonly OwedSession[]): State {
  return dueWhole({ ...state, counter: 0, cuts: state.cuts + 1 }, sessions) ?? state
}

/**
 * Imported history is searchable, but gets no notes except for its last entries, also if more of it is imported later. Sessions that
 * were imported later but happened after this memory began get notes like any other.
 */
export function settleHistory(state: State, now: string, firstRunMaxEntries: number): State {
  // Recent entries may belong to a session that no hook has reported yet: not history.
  const uncovered = uncoveredSessions(state).filter(
    ([, session]) => !session.isLive && isOver(session, now, () => true),
  )
  const since = state.beganAt
  // Pending notes stay pending, and so do sessions that may have been active when this memory began.
  const isHistory = (session: SessionState): boolean =>
    since === null ||
    (owedTo(state, session) === session.watermark &&
      (Date.parse(session.refine.ts) || 0) < Date.parse(since) - FOUND_QUIET_MS)
  const old = uncovered.filter(([, session]) => isHistory(session))
  if (old.length === 0 && since !== null) return state
  let room = firstRunMaxEntries
  const settled = old
    .toSorted(([, a], [, b]) => (a.file < b.file ? 1 : -1))
    .map(([id, session]) => {
      const taken = Math.min(room, session.entries - session.watermark)
      room -= taken
      return [id, { ...session, watermark: session.entries - taken }] as const
    })
  // Code extracts the facts of what gets no note.
  const facts = settled.flatMap(([, { file, watermark: to }]) =>
    to === 0 ? [] : [newItem({ kind: 'facts', about: id8OfFile(file) ?? '', to, by: 'code' })],
  )
  return withWork(withSessions({ ...state, beganAt: since ?? now }, settled), facts)
}

/** After a note about [from, to) is safely in memory.md. */
export function cover(state: State, owed: OwedSession, to: number, now: string): State {
  return { ...withCovered(state, owed, to), lastMemoryUpdateTs: now }
}

/**
 * Facts of sessions that are over are no longer requested: their notes are written, and code has stored the user's answers. Nor is
 * anything of sessions that the state does not contain any more.
 */
export function giveUpWork(state: State, isOver: (session: SessionState) => boolean): State {
  return withoutWork(state, ({ kind, by, about, to }) => {
    if (kind !== 'note' && kind !== 'facts') return false
    // Settled sessions have neither.
    const [, session] = findSession({ sessions: state.sessions }, about) ?? []
    if (session === undefined) return true
    return kind === 'facts' && by !== 'code' && to <= session.watermark && isOver(session)
  })
}

/** Claude gets one item of each kind, in this order: the delta file contains only one delta. */
const KINDS = ['facts', 'rules', 'note', 'summary'] as const

/** The items for Claude itself. With the summarizer `extractive`, which asks only if turns are blocked, code does everything but the note. */
export function workForClaude(state: State, way: Way, summarizer: Config['summarizer']): Request[] {
  if (way !== 'agent') return []
  // The facts of a piece are saved with its note; those that were saved once are not asked for again.
  const isOpen = ({ kind, tries, about, from }: WorkItem): boolean =>
    kind !== 'facts' || (tries === 0 && !notes.some((note) => note.about === about && note.from <= from))
  const notes = workOf(state, 'note')
  const kinds = summarizer === 'extractive' ? KINDS.filter((kind) => kind === 'note') : KINDS
  return kinds.flatMap((kind) => {
    const next = nextOf(workOf(state, kind).filter((item) => (item.by === 'agent' || isOfMemory(item)) && isOpen(item)))
    if (next === undefined) return []
    const hasFacts = kind === 'note' && findWork(state, 'facts', workName(next)) !== undefined
    return { ...next, kind, ...(hasFacts ? { hasFacts } : {}) }
  })
}

/** About no session. */
function isOfMemory({ to }: WorkItem): boolean {
  return to === 0
}

/** Whom Claude was not asked for longest, so that nothing waits behind what is left undone. Then the newest archive, of the others the oldest. */
function nextOf(items: readonly WorkItem[]): WorkItem | undefined {
  // The delta file contains the oldest one.
  if (items[0]?.kind === 'note') return items[0]
  const inOrder = items[0]?.kind === 'summary' ? items.toReversed() : items
  return inOrder.toSorted((a, b) => a.asked - b.asked)[0]
}

/** The items to ask for now: of each kind one since the last cut, unless that one is done. */
export function toAskFor(state: State, items: readonly Request[]): Request[] {
  const asked = new Set(state.work.flatMap((item) => (item.asked >= lastCut(state) ? [item.kind] : [])))
  return items.filter(({ kind }) => !asked.has(kind))
}

/** As it is recorded with an item that was asked for. */
function lastCut({ cuts }: State): number {
  return Math.max(1, cuts)
}

export function markAsked(state: State, items: readonly WorkItem[]): State {
  const asked = lastCut(state)
  return items.reduce((next, item) => withCounts(next, item, { asked }), state)
}

/** The maximum number of turns in a row that are blocked for the same work. */
const MAX_TURNS = 2

/** Whether this turn may be blocked for these items: returns the state that records it; null: not blocked. */
export function holdBack(state: State, items: readonly WorkItem[]): State | null {
  if (items.length === 0) return null
  const key = items.map((item) => `${item.kind} ${workName(item)}`).join(', ')
  const turns = state.enforced.owed === key ? state.enforced.turns : 0
  return turns >= MAX_TURNS ? null : { ...state, enforced: { owed: key, turns: turns + 1 } }
}

const SKILL = 'memory-keeper:pending'

type AskedKind = (typeof KINDS)[number]

/** For each kind the mark of a request, why it is made, and what it is for in plain words. */
const REQUESTS: Readonly<Record<AskedKind, { mark: string; why: string; what: string }>> = {
  note: {
    mark: `[MEMORY_KEEPER_DELTA] file=${DELTA_FILE}`,
    why: 'recent work waits for its note',
    what: 'a note about recent work',
  },
  summary: {
    mark: '[MEMORY_KEEPER_ROTATE]',
    why: 'an archive waits for its summary',
    what: 'a summary of older notes',
  },
  facts: {
    mark: '[MEMORY_KEEPER_FACTS]',
    why: 'recent work waits for its facts',
    what: 'decisions and issues of recent work',
  },
  rules: {
    mark: '[MEMORY_KEEPER_REFLECT]',
    why: 'what recurs waits to be judged',
    what: 'whether what the user said several times is a rule',
  },
}

export type Request = WorkItem & {
  kind: AskedKind
  /** The facts of the same piece are saved with the note. */
  hasFacts?: true
}

/** `argOf`: the file or piece of the work item. */
function callOf(items: readonly Request[], argOf: (item: WorkItem) => string): string {
  return `skill "${SKILL}" and args "${items.map((each) => `${each.kind} ${argOf(each)}`).join(', then ')}"`
}

/**
 * With a person's prompt: one call of the skill for all items, since each call is one more request of the main conversation, which costs
 * more than the small agent. It says what it is for, so that Claude can tell the user who asks.
 */
export function renderRequest(items: readonly Request[], argOf: (item: WorkItem) => string): string {
  return [
    ...items.map(markOf),
    `Memory Keeper keeps what happens in this project for later sessions. Now due: ${items.map(({ kind }) => REQUESTS[kind].what).join('; ')}. Before you answer the user's prompt, call the Skill tool once with ${callOf(items, argOf)}: a small agent writes it. Then answer the prompt as usual.`,
  ].join('\n')
}

/** At the end of a turn, as numbered steps. */
export function renderSteps(items: readonly Request[], argOf: (item: WorkItem) => string): string {
  const steps = items.map(
    (each, i) => `STEP ${i + 1}: ${REQUESTS[each.kind].why}. Call the Skill tool with ${callOf([each], argOf)}.`,
  )
  return [
    `Memory Keeper: before this turn ends (${checklist(items)}),`,
    ...steps,
    'A small agent writes it: what happens in this project is kept for later sessions. Then end the turn.',
  ].join('\n')
}

/** Done and pending kinds of work, in the order of the layers. */
function checklist(items: readonly Request[]): string {
  const mark = (isPending: (item: Request) => boolean): string => (items.some(isPending) ? '✗' : '✓')
  const facts = mark(({ kind, hasFacts }) => kind === 'facts' || hasFacts === true)
  return `facts ${facts}, reflection ${mark(({ kind }) => kind === 'rules')}, memory ${mark(({ kind }) => kind === 'note')}`
}

function markOf(item: Request): string {
  const { mark } = REQUESTS[item.kind]
  if (item.kind === 'note') return mark
  return `${mark} ${item.kind === 'summary' ? 'file' : 'piece'}=${workName(item)}`
}

/** Shown once to the user, before the first background call. `isAgent`: Claude itself writes the notes, and another line says what that costs. */
export function renderModelNotice(saveInterval: number, callsPerDay: number, isAgent = false): string {
  const whole = `After every ${saveInterval} tool uses and at the end of a session the new part goes to Claude Haiku in the background: 5,000 to 20,000 tokens a call, often a cent or less, counted against the limits of a subscription. After ${callsPerDay} calls a day code writes the notes.`
  const checked = `What it wrote is checked in the background by Claude Haiku: up to 20,000 tokens a call, ${callsPerDay} calls a day at most. What a session leaves unwritten code writes.`
  return [
    'Memory Keeper records your sessions as plain files in .claude/memory, which git ignores, and injects what matters into the next session.',
    isAgent ? checked : whole,
    'Look: /memory-keeper:memory-status · no model: /memory-keeper:run config set summarizer extractive · no built-in rules: /memory-keeper:run config set builtinRules off · stop all of it: /memory-keeper:pause project',
  ].join('\n')
}
