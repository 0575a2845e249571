/** A session starts: pending notes are written, and the briefing is injected. */

import path from 'node:path'
import { briefSession, renderStart } from '../briefing/disk/briefing.ts'
import type { PreparedStart } from '../briefing/disk/briefing-kept.ts'
import { hasOthers } from '../copies/disk/others.ts'
import { rulesAtStart } from '../knowledge/disk/knowledge.ts'
import type { Store } from '../memory/disk/store.ts'
import { type State, type StoredSessions, sessionIn } from '../memory/state.ts'
import { modelNoticedAt, noteModelNoticed, wayIn } from '../model/disk/model-call.ts'
import { endPauseAtStart } from '../model/disk/model-calls.ts'
import { listArchives } from '../notes/disk/memory.ts'
import { isOver, owedSessions, renderModelNotice, untoldSessions } from '../notes/pending.ts'
import { mayTouchClaudeMd } from '../pages/disk/claude-md.ts'
import { renderRules } from '../pages/rule.ts'
import { list, readOwnText, statOf } from '../platform/disk/files.ts'
import { ARCHIVE_DIR, FACTS_FILE, id8OfFile, SESSIONS_DIR, STANDING_FILE } from '../platform/layout.ts'
import { parseStamp } from '../platform/time.ts'
import { keepStart } from '../receipts/disk/journal.ts'
import { isCaughtUp } from '../sessions/disk/catch-up.ts'
import { readPauses } from '../sessions/disk/pause.ts'
import { count } from '../text/figures.ts'
import { textOnOneLine } from '../text/memory-words.ts'
import { shorten } from '../text/shorten.ts'
import { type HookEvent, NOTHING, type Reply } from './host.ts'
import { askForYes, hasNotices, isFresh, type Notice, takeNotices, takeOnce } from './notices.ts'
import { type Moment, stateAtStart } from './world.ts'

type SessionStart = Extract<HookEvent, { name: 'SessionStart' }>

export function startSession(moment: Moment): Reply {
  const { store, world, told, tryTo } = moment
  const event = moment.event as SessionStart
  const why = tryTo('state', () => store.whyReadOnly(), null)
  if (why !== null) return startReadOnly(moment, event, why)
  if (hasEarlierRules(store)) tryTo('rules', () => world.loadKeeper().takeOverRules(moment), undefined)
  tryTo('pause', () => endPauseAtStart(store.places.keeperDir), undefined)
  const notices = noticesFor(moment)
  // Nothing is remembered, and there was no prompt yet: the project gets no directory.
  const isBegun = store.isPrepared()
  if (!isBegun && !hasOthers(store.places))
    return withNotices(
      tryTo('rules', () => renderRules(rulesAtStart(store)), ''),
      notices,
    )
  if (isBegun && event.source !== 'compact') tryTo('notes', () => settleIfNeeded(moment), undefined)
  const isCompaction = event.source === 'compact'
  const compacted = isCompaction
    ? tryTo('digest', () => world.loadKeeper().compacted(store, event.session), null)
    : null
  const start = { session: event.session, source: event.source, compacted }
  const untold = { text: null, keep: () => undefined }
  const { text, keep } = tryTo('briefing', () => briefSession(store, start), untold)
  if (isBegun) tryTo('receipt', keep, undefined)
  const { session, source } = event
  const begun = { at: world.now(), session, source, host: world.hostPid }
  if (isBegun && isEntered(store)) tryTo('receipt', () => keepStart(store, begun), undefined)
  if (text !== null) told.briefing = text.length
  return withNotices(text ?? '', notices)
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
export function prepareStart(store: Store, now: string): PreparedStart | null {
  const state = store.readState()
  if (!store.isPrepared() || store.whyReadOnly() !== null || state.beganAt === null) return null
  if (readPauses(store.places).some(({ to }) => to === null)) return null
  const isBusy = untoldSessions(state).length > 0 || hasNewArchives(store, state) || mayTouchClaudeMd(store)
  if (isBusy || hasEarlierRules(store) || !isCaughtUp(store)) return null
  const history = historyOf(store, now)
  const isQuiet = (history === null || !isFresh(store, history)) && !wantsModelNotice(store) && !hasNotices(store)
  const briefing = renderStart(store, state)
  if (briefing === null) return null
  const sign = signOfLife(store, '').join('\n')
  return { dir: store.dir, lines: briefing.lines, sign, isEntered: isEntered(store), isQuiet }
}

/** Whether standing.json of 0.5.x exists: this version never writes it. */
function hasEarlierRules({ dir, ownership }: Store): boolean {
  return ownership !== 'foreign' && statOf(path.join(dir, STANDING_FILE))?.kind === 'file'
}

/** The briefing is still injected; the reason is shown at every start, since showing it cannot be recorded. */
function startReadOnly({ store, world, tryTo }: Moment, { session, source }: SessionStart, why: string): Reply {
  const notice = world.isAttended ? `Memory Keeper: ${why}` : null
  const text = tryTo('briefing', () => briefSession(store, { session, source }).text, null)
  if (text !== null) return { say: 'context', text, notice }
  return notice === null ? NOTHING : { say: 'notice', text: notice }
}

/** Nearly always there is nothing to settle, and the code for it is not even loaded. */
function settleIfNeeded(moment: Moment): void {
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

function noticesFor(moment: Moment): string {
  const { store, world, restored, tryTo } = moment
  const lines = tryTo(
    'notices',
    () => takeNotices(store, restored, world.isAttended),
    restored === null ? [] : [restored],
  )
  const { source, session } = moment.event as SessionStart
  const asked = tryTo(
    'notices',
    () => askForYes(store, { source, isAttended: world.isAttended, way: wayIn(store, world.now()), now: world.now() }),
    [],
  )
  const own = [...tryTo('notices', () => historyNotice(moment), []), ...modelNotice(moment)]
  const isShown = own.length === 0 && world.isAttended && (source === 'startup' || source === 'resume')
  const sign = isShown ? tryTo('notices', () => signOfLife(store, session), []) : []
  return [...lines, ...own, ...asked, ...sign].join('\n')
}

/** The maximum length of the last session's goal and end in the line shown at a start. */
const MOST_GOAL = 60
const MOST_END = 100

/** One line at a start: how much is remembered, and where the last session ended. */
function signOfLife(store: Store, session: string): string[] {
  if (!store.isPrepared())
    return ['Memory Keeper records this project in .claude/memory. To stop it here, type: /memory-keeper:pause project']
  const state = store.readState()
  const own = sessionIn(state, session)?.file
  const names = [SESSIONS_DIR, path.join(SESSIONS_DIR, ARCHIVE_DIR)].flatMap((dir) => list(path.join(store.dir, dir)))
  const files = names.filter((name) => id8OfFile(name) !== null && name !== own)
  if (files.length === 0) return []
  const open = openIssues(readOwnText(path.join(store.dir, FACTS_FILE)) ?? '')
  // Settled sessions are looked at only where no other one says anything, such as after a `/clear`.
  const last = newestTold(state.sessions, own) ?? newestTold(state.settled?.since(recent(files)) ?? {}, own)
  const goal = last === undefined ? '' : `; last: "${shorten(textOnOneLine(last.goal), MOST_GOAL)}"`
  const end = last?.stands === undefined ? '' : `, ${shorten(textOnOneLine(last.stands.text), MOST_END)}`
  const issues = open === 0 ? '' : `, ${count(open, 'open issue')}`
  return [`Memory Keeper: ${count(files.length, 'session')} remembered${issues}${goal}${end}`]
}

/** The newest session, without the one that starts, of which something is known. */
function newestTold(sessions: StoredSessions, own: string | undefined): Told | undefined {
  const told = Object.values(sessions).filter(({ file, goal }) => typeof goal === 'string' && file !== own) as Told[]
  return told.toSorted((a, b) => (a.file < b.file ? 1 : -1))[0]
}

interface Told {
  file: string
  goal: string
  stands?: { text: string }
}

const RECENT = 8

/** The stamp at which the newest sessions begin. */
function recent(files: readonly string[]): string {
  return files.toSorted().at(-RECENT)?.slice(0, 15) ?? ''
}

/** Counted without parsing: each fact is on a line of its own. */
function openIssues(text: string): number {
  return text.split('\n').filter((line) => line.includes('"status":"open"') && !/"state":"(?!fresh|stale)/.test(line))
    .length
}

const DAY_MS = 24 * 60 * 60_000

/** How much earlier history was read. Only the first attended start that has read all of it shows it; the session before a `/clear` is no history. */
function historyNotice({ store, world, event, isComplete }: Moment): string[] {
  const isFirst = world.isAttended && isComplete && (event as SessionStart).source !== 'clear'
  const notice = isFirst ? historyOf(store, world.now()) : null
  return notice === null ? [] : takeOnce(store, notice)
}

function historyOf(store: Store, now: string): Notice | null {
  const state = store.readState()
  const isYoung = state.beganAt === null || Date.parse(now) - Date.parse(state.beganAt) < DAY_MS
  if (!isYoung || !store.isPrepared()) return null
  const live = new Set(Object.values(state.sessions).flatMap(({ isLive, file }) => (isLive ? [file] : [])))
  const stamps = list(path.join(store.dir, SESSIONS_DIR))
    .filter((name) => id8OfFile(name) !== null && !live.has(name))
    .map((name) => Date.parse(parseStamp(name) ?? ''))
  if (stamps.length === 0) return null
  const days = Math.ceil((Math.max(...stamps) - Math.min(...stamps)) / DAY_MS)
  const text = `Memory Keeper read ${count(stamps.length, 'earlier session')} of this project (${count(Math.max(1, days), 'day')}).`
  return { text, about: 'history' }
}

/** Once per user, in the first attended session: no model is called before. */
function modelNotice({ store, world, tryTo }: Moment): string[] {
  const { keeperDir } = store.places
  if (!world.isAttended || !wantsModelNotice(store)) return []
  // If it cannot be recorded it is not shown: it would be shown at every start, and no call would follow.
  tryTo('notices', () => noteModelNoticed(keeperDir, world.now()), undefined)
  if (modelNoticedAt(keeperDir) === null) return []
  return [renderModelNotice(store.config.saveInterval, store.config.modelCallsPerDay)]
}

/** Also where Claude itself writes the notes: background calls audit them. */
function wantsModelNotice({ config, places }: Store): boolean {
  return config.summarizer !== 'extractive' && modelNoticedAt(places.keeperDir) === null
}
