/** A session begins: no delta is left without its note, and Claude is told what is remembered. */

import path from 'node:path'
import { briefSession } from '../briefing/disk/briefing.ts'
import { rulesAtStart } from '../knowledge/disk/learned.ts'
import { sessionIn } from '../memory/state.ts'
import { endPauseAtStart } from '../model/disk/model-calls.ts'
import { modelNoticedAt, noteModelNoticed, wayIn } from '../model/disk/way.ts'
import { listArchives } from '../notes/disk/memory.ts'
import { isOver, owedSessions, renderModelNotice } from '../notes/pending.ts'
import { mayTouchClaudeMd } from '../pages/disk/claude-md.ts'
import { renderRules } from '../pages/rule.ts'
import { list, readOwnText, statOf } from '../platform/disk/files.ts'
import { ARCHIVE_DIR, FACTS_FILE, id8OfFile, SESSIONS_DIR, STANDING_FILE } from '../platform/layout.ts'
import { parseStamp } from '../platform/time.ts'
import { keepStart } from '../receipts/disk/journal.ts'
import { count } from '../text/figures.ts'
import { textOnOneLine } from '../text/memory-words.ts'
import { shorten } from '../text/shorten.ts'
import { type HookEvent, NOTHING, type Reply } from './host.ts'
import { askForYes, takeNotices, takeOnce } from './notices.ts'
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
  // Nothing is remembered, and nothing was said yet: the project gets no directory.
  if (!store.isPrepared())
    return withNotices(
      tryTo('rules', () => renderRules(rulesAtStart(store)), ''),
      notices,
    )
  if (event.source !== 'compact') tryTo('notes', () => settleIfNeeded(moment), undefined)
  const isCompaction = event.source === 'compact'
  const compacted = isCompaction
    ? tryTo('digest', () => world.loadKeeper().compacted(store, event.session), null)
    : null
  const start = { session: event.session, source: event.source, compacted }
  const untold = { text: null, keep: () => undefined }
  const { text, keep } = tryTo('briefing', () => briefSession(store, start), untold)
  tryTo('receipt', keep, undefined)
  const { session, source } = event
  const begun = { at: world.now(), session, source, host: world.hostPid }
  tryTo('receipt', () => keepStart(store, begun), undefined)
  if (text !== null) told.briefing = text.length
  return withNotices(text ?? '', notices)
}

function withNotices(text: string, notices: string): Reply {
  if (text !== '') return { say: 'context', text, notice: notices === '' ? null : notices }
  return notices === '' ? NOTHING : { say: 'notice', text: notices }
}

/** Whether standing.json of 0.5.x is there: nothing writes it today. */
function hasEarlierRules({ dir, ownership }: Moment['store']): boolean {
  return ownership !== 'foreign' && statOf(path.join(dir, STANDING_FILE))?.kind === 'file'
}

/** What is remembered is told all the same; the reason at every start, since what was told cannot be kept. */
function startReadOnly({ store, world, tryTo }: Moment, { session, source }: SessionStart, why: string): Reply {
  const notice = world.isAttended ? `Memory Keeper: ${why}` : null
  const text = tryTo('briefing', () => briefSession(store, { session, source }).text, null)
  if (text !== null) return { say: 'context', text, notice }
  return notice === null ? NOTHING : { say: 'notice', text: notice }
}

/** Nearly always there is nothing to settle, and what could do it is not even loaded. */
function settleIfNeeded(moment: Moment): void {
  const { store, world } = moment
  const before = store.readState()
  const state = stateAtStart(moment)
  const known = new Set(before.rotatedFiles.map(({ file }) => file))
  const isNeeded =
    state !== before ||
    owedSessions(state).some(([, session]) => isOver(session, world.now(), world.isAlive)) ||
    listArchives(store).some((file) => !known.has(file)) ||
    mayTouchClaudeMd(store)
  if (isNeeded) world.loadKeeper().settle(moment)
}

function noticesFor(moment: Moment): string {
  const { store, world, restored, tryTo } = moment
  const lines = tryTo(
    'notices',
    () => takeNotices(store, restored, world.isAttended),
    restored === null ? [] : [restored],
  )
  const { source } = moment.event as SessionStart
  const asked = tryTo(
    'notices',
    () => askForYes(store, { source, isAttended: world.isAttended, way: wayIn(store, world.now()), now: world.now() }),
    [],
  )
  const own = [...tryTo('notices', () => historyNotice(moment), []), ...modelNotice(moment)]
  const sign = own.length > 0 ? [] : tryTo('notices', () => signOfLife(moment), [])
  return [...lines, ...own, ...asked, ...sign].join('\n')
}

/** Characters of the last session's goal, and of its end, in the line that a start shows. */
const MOST_GOAL = 60
const MOST_END = 100

/** One line at a start: how much is remembered, and where the last session ended. */
function signOfLife({ event, store, world }: Moment): string[] {
  const { source, session } = event as SessionStart
  if (!world.isAttended || (source !== 'startup' && source !== 'resume')) return []
  if (!store.isPrepared())
    return ['Memory Keeper records this project in .claude/memory. To stop it here, type: /memory-keeper:pause project']
  const state = store.readState()
  const own = sessionIn(state, session)?.file
  const names = [SESSIONS_DIR, path.join(SESSIONS_DIR, ARCHIVE_DIR)].flatMap((dir) => list(path.join(store.dir, dir)))
  const files = names.filter((name) => id8OfFile(name) !== null && name !== own)
  if (files.length === 0) return []
  const open = openIssues(readOwnText(path.join(store.dir, FACTS_FILE)) ?? '')
  const last = Object.values(state.sessions)
    .flatMap(({ file, goal, stands }) => (typeof file === 'string' && file !== own ? [{ file, goal, stands }] : []))
    .toSorted((a, b) => (a.file < b.file ? 1 : -1))[0] as { goal?: string; stands?: { text: string } } | undefined
  const goal = last?.goal === undefined ? '' : `; last: "${shorten(textOnOneLine(last.goal), MOST_GOAL)}"`
  const end = goal === '' || last?.stands === undefined ? '' : `, ${shorten(textOnOneLine(last.stands.text), MOST_END)}`
  const issues = open === 0 ? '' : `, ${count(open, 'open issue')}`
  return [`Memory Keeper: ${count(files.length, 'session')} remembered${issues}${goal}${end}`]
}

/** Counted without parsing: each fact is on a line of its own. */
function openIssues(text: string): number {
  return text.split('\n').filter((line) => line.includes('"status":"open"') && !/"state":"(?!fresh|stale)/.test(line))
    .length
}

const DAY_MS = 24 * 60 * 60_000

/** How much was read of what happened before the memory began. Only the first attended start that has read all of it says so. */
function historyNotice({ store, world, isComplete }: Moment): string[] {
  const { beganAt, sessions } = store.readState()
  const isYoung = beganAt === null || Date.parse(world.now()) - Date.parse(beganAt) < DAY_MS
  if (!world.isAttended || !isComplete || !isYoung || !store.isPrepared()) return []
  const live = new Set(Object.values(sessions).flatMap(({ isLive, file }) => (isLive ? [file] : [])))
  const stamps = list(path.join(store.dir, SESSIONS_DIR))
    .filter((name) => id8OfFile(name) !== null && !live.has(name))
    .map((name) => Date.parse(parseStamp(name) ?? ''))
  if (stamps.length === 0) return []
  const days = Math.ceil((Math.max(...stamps) - Math.min(...stamps)) / DAY_MS)
  const text = `Memory Keeper read ${count(stamps.length, 'earlier session')} of this project (${count(Math.max(1, days), 'day')}).`
  return takeOnce(store, { text, about: 'history' })
}

/** Once per user, in the first session somebody watches: no model is called before. */
function modelNotice({ store, world, tryTo }: Moment): string[] {
  const { keeperDir } = store.places
  // Also where Claude itself writes the notes: background calls audit them.
  const wantsModel = store.config.summarizer !== 'extractive'
  if (!world.isAttended || !wantsModel || modelNoticedAt(keeperDir) !== null) return []
  // What cannot be marked as told is not told: it would come again at every start, and no call will follow.
  tryTo('notices', () => noteModelNoticed(keeperDir, world.now()), undefined)
  if (modelNoticedAt(keeperDir) === null) return []
  return [renderModelNotice(store.config.saveInterval, store.config.modelCallsPerDay)]
}
