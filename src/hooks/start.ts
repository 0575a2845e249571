/** A session begins: no delta is left without its note, and Claude is told what is remembered. */
import { renderModelNotice } from '../core/instruction.ts'
import { cutOver, isOver, settleHistory } from '../core/pending.ts'
import type { SessionState } from '../core/state.ts'
import { briefSession } from '../store/briefing.ts'
import { syncClaudeMd } from '../store/claude-md.ts'
import { noteByCode } from '../store/notes.ts'
import { readRules } from '../store/rules.ts'
import { HOOK_WAIT_MS, stateEffect } from '../store/store.ts'
import { modelNoticedAt, noteModelNoticed } from '../store/way.ts'
import { type HookEvent, NOTHING, type Reply } from './host.ts'
import { takeNotices } from './notices.ts'
import type { Moment } from './world.ts'

/** What is not noted within this time is left to the finisher. */
const NOTES_MS = 400

export function startSession(moment: Moment): Reply {
  const { store, world, told, tryTo } = moment
  const event = moment.event as Extract<HookEvent, { name: 'SessionStart' }>
  const notices = noticesFor(moment)
  if (!store.isPrepared()) return notices === '' ? NOTHING : { say: 'notice', text: notices }
  if (event.source !== 'compact') tryTo('notes', () => catchUpNotes(moment), undefined)
  const start = { session: event.session, source: event.source }
  const { text, keep } = briefSession(store, start, world.now())
  tryTo('receipt', keep, undefined)
  if (text === null) return notices === '' ? NOTHING : { say: 'notice', text: notices }
  told.briefing = text.length
  return { say: 'context', text, notice: notices === '' ? null : notices }
}

/** The safety net: sessions that are over and owe a note get one made by code; a later one by a model may replace it. */
function catchUpNotes({ store, world, isComplete }: Moment): void {
  const began = world.elapsedMs()
  const now = world.now()
  const isLate = (): boolean => world.elapsedMs() - began > NOTES_MS
  store.whileLocked(HOOK_WAIT_MS, () => {
    const before = store.readState()
    // Half of a history says nothing about where it ends.
    const settled = isComplete ? settleHistory(before, now, Number(store.config.firstRunMaxEntries)) : before
    const state = cutOver(settled, now, world.isAlive)
    if (state !== before) store.perform([stateEffect(state)])
    const isWanted = (session: SessionState): boolean => isOver(session, now, world.isAlive)
    noteByCode(store, now, { isLate, isWanted })
    syncClaudeMd(store, readRules(store))
  })
}

function noticesFor(moment: Moment): string {
  const { store, world, restored, tryTo } = moment
  const lines = tryTo(
    'notices',
    () => takeNotices(store, restored, world.isAttended),
    restored === null ? [] : [restored],
  )
  return [...lines, ...modelNotice(moment)].join('\n')
}

/** Once per user, in the first session somebody watches: no model is called before. */
function modelNotice({ store, world, tryTo }: Moment): string[] {
  const { keeperDir } = store.places
  const wantsModel = store.config.summarizer === 'auto' || store.config.summarizer === 'headless'
  if (!world.isAttended || !wantsModel || modelNoticedAt(keeperDir) !== null) return []
  // What cannot be marked as told is not told: it would come again at every start, and no call will follow.
  tryTo('notices', () => noteModelNoticed(keeperDir, world.now()), undefined)
  if (modelNoticedAt(keeperDir) === null) return []
  return [renderModelNotice(Number(store.config.saveInterval), Number(store.config.modelCallsPerDay))]
}
