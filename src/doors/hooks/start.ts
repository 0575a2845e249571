/** A session starts: pending notes are written, and the briefing is injected. */

import { briefSession, renderStart } from '../../core/briefing/disk/briefing.ts'
import type { PreparedStart } from '../../core/briefing/disk/briefing-kept.ts'
import type { Standing } from '../../core/briefing/standing.ts'
import { isFirstStepDue } from '../../core/extra.ts'
import { rulesAtStart } from '../../core/knowledge/disk/knowledge.ts'
import { wayIn } from '../../core/model/disk/model-call.ts'
import { endPauseAtStart } from '../../core/model/disk/model-calls.ts'
import { listArchives } from '../../core/notes/disk/memory.ts'
import { isOver, uncoveredSessions } from '../../core/notes/pending.ts'
import { hasOthers } from '../../core/others/disk/others.ts'
import { mayTouchClaudeMd } from '../../core/pages/disk/claude-md.ts'
import { renderRules } from '../../core/pages/rule.ts'
import { keepStart } from '../../core/receipts/disk/journal.ts'
import { openStore, type Store } from '../../kernel/memory/disk/store.ts'
import type { SessionState } from '../../kernel/memory/session-state.ts'
import { allSessions, type State } from '../../kernel/memory/state.ts'
import { owedSessions } from '../../kernel/memory/work.ts'
import { isCaughtUp } from '../../kernel/sessions/disk/catch-up.ts'
import { earlierHistory } from '../../kernel/sessions/disk/history.ts'
import { readPauses } from '../../kernel/sessions/disk/pause.ts'
import { type TailSession, tailsForStart } from '../../kernel/sessions/disk/tails.ts'
import { count } from '../../kernel/text/figures.ts'
import { type HookEvent, NOTHING, type Reply } from './host.ts'
import { hasModelNotices, modelNotices } from './model-notice.ts'
import { askForYes, hasNotices, isFresh, type Notice, takeArrivedRules, takeNotices, takeOnce } from './notices.ts'
import { TAILS_MS } from './plan.ts'
import { startLineOf } from './sign.ts'
import { renderStartLine } from './start-line.ts'
import { type Moment, stateAtStart, type World } from './world.ts'

const NOTHING_STANDS: Standing = { open: 0, stands: null }

type SessionStart = Extract<HookEvent, { name: 'SessionStart' }>

/** `brief`: tests look at what it is given. */
export function startSession(given: Moment, brief: typeof briefSession = briefSession): Reply {
  const event = given.event as SessionStart
  const why = given.tryTo('state', () => given.store.whyReadOnly(), null)
  if (why !== null) return startReadOnly(given, event, why)
  const moment = afterFirstSteps(given)
  const { store, world, injected, tryTo } = moment
  tryTo('pause', () => endPauseAtStart(store.places.homeDir), undefined)
  // Nothing is remembered, and there was no prompt yet: the project gets no directory.
  const isBegun = store.isPrepared()
  const tails = tryTo('tails', () => tailsAt(moment, event), [])
  if (!isBegun && tails.length === 0 && !hasOthers(store.places))
    return withNotices(
      tryTo('rules', () => renderRules(rulesAtStart(store), store.config.briefingChars), ''),
      noticesFor(moment, () => NOTHING_STANDS),
    )
  if (isBegun && event.source !== 'compact') tryTo('notes', () => noteIfNeeded(moment), undefined)
  const isCompaction = event.source === 'compact'
  const compacted = isCompaction
    ? tryTo('digest', () => world.loadKeeper().compacted(store, event.session), null)
    : null
  const isRunning = (session: SessionState): boolean => isRunningElsewhere(session, world)
  const start = { session: event.session, source: event.source, compacted, tails, isRunning }
  const noBriefing = { text: null, keep: () => undefined, standing: () => NOTHING_STANDS }
  const { text, keep, standing } = tryTo('briefing', () => brief(store, start), noBriefing)
  const notices = noticesFor(moment, standing)
  if (isBegun) tryTo('receipt', keep, undefined)
  const { session, source } = event
  const begun = { at: world.now(), session, source, host: world.hostPid }
  if (isBegun && isEntered(store)) tryTo('receipt', () => keepStart(store, begun), undefined)
  if (text !== null) injected.briefing = text.length
  return withNotices(text ?? '', notices)
}

/** The ends of the newest transcripts, where the start had no time to read all of them. */
function tailsAt({ store, world, isComplete }: Moment, { session, source }: SessionStart): TailSession[] {
  const began = world.elapsedMs()
  const isLate = (): boolean => world.elapsedMs() - began > TAILS_MS
  return tailsForStart(store, { session, source, isComplete, isLate })
}

/** Another terminal has it open. A session before a `/clear` had the same host. */
function isRunningElsewhere(session: SessionState, { hostPid, isAlive }: Pick<World, 'hostPid' | 'isAlive'>): boolean {
  const { isLive, isEnded, pid } = session
  return isLive === true && isEnded !== true && pid > 0 && pid !== hostPid && isAlive(pid)
}

function withNotices(text: string, notices: string): Reply {
  if (text !== '') return { say: 'context', text, notice: notices === '' ? null : notices }
  return notices === '' ? NOTHING : { say: 'notice', text: notices }
}

/** Nobody asks for it where nothing is recalled. */
function isEntered({ config }: Store): boolean {
  return config.recall && config.recallMaxTokens > 0
}

/**
 * What a start of a new session will say and write, as long as nothing that is read here changes. Null: it will have something else to
 * do. Nothing in it depends on the time.
 */
export function prepareStart(store: Store, now: string, isAlive: World['isAlive']): PreparedStart | null {
  const state = store.readState()
  // Whether it still runs at the next start is not known now.
  const current = allSessions({ sessions: state.sessions })
  if (current.some(([, session]) => isRunningElsewhere(session, { hostPid: 0, isAlive }))) return null
  if (!store.isPrepared() || store.whyReadOnly() !== null || state.beganAt === null) return null
  if (readPauses(store.places).some(({ to }) => to === null)) return null
  const isBusy = uncoveredSessions(state).length > 0 || hasNewArchives(store, state) || mayTouchClaudeMd(store)
  if (isBusy || isFirstStepDue(store) || !isCaughtUp(store)) return null
  const history = historyOf(store, now, { session: '', isComplete: true })
  const isQuiet = history === null && !hasModelNotices(store) && !hasNotices(store, now)
  const { briefing, standing } = renderStart(store, state)
  if (briefing === null) return null
  const { dir, config } = store
  const line = startLineOf(store, '', () => standing)
  return { dir, lines: briefing.lines, line, timezone: config.timezone, isEntered: isEntered(store), isQuiet }
}

/** What extras do before all else, as taking over rules of earlier versions. That may have changed a setting: this start uses it. */
function afterFirstSteps(moment: Moment): Moment {
  const { store, world, tryTo } = moment
  const take = (): boolean => isFirstStepDue(store) && world.loadKeeper().takeFirstSteps(store, world.now())
  return tryTo('first steps', take, false) ? { ...moment, store: openStore(store.places, { now: world.now }) } : moment
}

/** The briefing is still injected; the reason is shown at every start, since showing it cannot be recorded. */
function startReadOnly({ store, world, tryTo }: Moment, { session, source }: SessionStart, why: string): Reply {
  const notice = world.isAttended ? `Memory Keeper: ${why}` : null
  const text = tryTo('briefing', () => briefSession(store, { session, source }).text, null)
  if (text !== null) return { say: 'context', text, notice }
  return notice === null ? NOTHING : { say: 'notice', text: notice }
}

/** Nearly always there is nothing to settle, and the code for it is not even loaded. */
function noteIfNeeded(moment: Moment): void {
  const { store, world } = moment
  const before = store.readState()
  const state = stateAtStart(moment)
  const isNeeded =
    state !== before ||
    owedSessions(state).some(([, session]) => isOver(session, world.now(), world.isAlive)) ||
    hasNewArchives(store, before) ||
    mayTouchClaudeMd(store)
  if (isNeeded) world.loadKeeper().settle(moment)
}

/** Those that a killed rotation left. */
function hasNewArchives(store: Store, { rotatedFiles }: State): boolean {
  const known = new Set(rotatedFiles.map(({ file }) => file))
  return listArchives(store).some((file) => !known.has(file))
}

function noticesFor(moment: Moment, standing: () => Standing): string {
  const { store, world, restored, tryTo } = moment
  const lines = tryTo(
    'notices',
    () => takeNotices(store, { restored, isAttended: world.isAttended, now: world.now() }),
    restored === null ? [] : [restored],
  )
  const { source, session } = moment.event as SessionStart
  const { isAttended } = world
  const earlier = isAttended ? tryTo('notices', () => takeArrivedRules(store), []) : []
  const asked = tryTo(
    'notices',
    () => askForYes(store, { source, isAttended, way: wayIn(store, world.now()), now: world.now() }),
    [],
  )
  const own = [...tryTo('notices', () => historyNotice(moment), []), ...modelNotices(moment)]
  const isShown = own.length === 0 && world.isAttended && (source === 'startup' || source === 'resume')
  const sign = isShown ? tryTo('notices', () => signOfLife(moment, session, standing), '') : ''
  return [...lines, ...own, ...withWaiting(sign, earlier, asked)].join('\n')
}

/** If the line ends with the number of rules to accept, what they are stands behind it and nowhere else. */
function withWaiting(sign: string, [earlier]: readonly string[], [asked]: readonly string[]): string[] {
  const isCounted = / to accept$/.test(sign)
  const where = earlier === undefined ? '' : `${isCounted ? sign : 'Memory Keeper: rules to accept'}, ${earlier}`
  const line = where !== '' && isCounted ? where : sign
  if (asked !== undefined && isCounted && where === '') return [`${sign}: ${asked}`]
  const apart = [...(isCounted ? [] : [where]), asked === undefined ? '' : `Memory Keeper: ${asked}`]
  return [...apart, line].filter((one) => one !== '')
}

/** Empty: nothing is remembered yet. */
function signOfLife({ store, world }: Moment, session: string, standing: () => Standing): string {
  if (!store.isPrepared())
    return 'Memory Keeper records this project in .claude/memory. To stop it here, type: /memory-keeper:pause project'
  const line = startLineOf(store, session, standing)
  return line === null ? '' : renderStartLine(line, world.now(), store.config.timezone)
}

const DAY_MS = 24 * 60 * 60_000

/** How much earlier history was found. Only the first attended start shows it; the session before a `/clear` is no history. */
function historyNotice({ store, world, event, isComplete }: Moment): string[] {
  const { source, session } = event as SessionStart
  const isFirst = world.isAttended && source !== 'clear' && source !== 'compact'
  const notice = isFirst ? historyOf(store, world.now(), { session, isComplete }) : null
  return notice === null ? [] : takeOnce(store, notice)
}

/** Null: there is none, or it was shown before. */
function historyOf(
  store: Store,
  now: string,
  { session, isComplete }: { session: string; isComplete: boolean },
): Notice | null {
  const { beganAt } = store.readState()
  const isYoung = beganAt === null || Date.parse(now) - Date.parse(beganAt) < DAY_MS
  const about = 'history'
  if (!isYoung || !store.isPrepared() || !isFresh(store, { text: '', about })) return null
  const found = earlierHistory(store, { except: session, isComplete })
  if (found === null) return null
  const days = count(found.days, 'day')
  // Every search first reads what was captured: the rest is found as soon as the finisher has captured it.
  const how = isComplete ? 'searchable now' : 'searchable as they are read in the background'
  return { text: `Memory Keeper found ${count(found.sessions, 'earlier session')} (${days}), ${how}`, about }
}
