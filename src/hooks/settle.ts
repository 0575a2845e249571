/** When a session begins: no delta of one that is over is left without its note. */

import { HOOK_WAIT_MS, stateEffect } from '../memory/disk/store.ts'
import type { SessionState } from '../memory/session-state.ts'
import { takeOverRules } from '../migrate/disk/rules-05.ts'
import { noteByCode } from '../notes/disk/notes.ts'
import { fillEnds } from '../notes/disk/summaries.ts'
import { isOver } from '../notes/pending.ts'
import { syncClaudeMd } from '../pages/disk/claude-md.ts'
import { readRules } from '../pages/disk/rules.ts'
import { type Moment, stateAtStart } from './world.ts'

/** What is not noted within this time is left to the finisher. */
const NOTES_MS = 400
const ENDS_MS = 200

/** The safety net: sessions that are over and owe a note get one made by code; a later one by a model may replace it. */
export function settleNotes(moment: Moment): void {
  const { store, world, tryTo } = moment
  const began = world.elapsedMs()
  const now = world.now()
  const isLate = (): boolean => world.elapsedMs() - began > NOTES_MS
  store.whileLocked(HOOK_WAIT_MS, () => {
    const before = store.readState()
    const state = stateAtStart(moment)
    if (state !== before) store.perform([stateEffect(state)])
    const isWanted = (session: SessionState): boolean => isOver(session, now, world.isAlive)
    tryTo('notes', () => noteByCode(store, now, { isLate, isWanted }), [])
    tryTo('ends', () => fillEnds(store, () => world.elapsedMs() - began > NOTES_MS + ENDS_MS), undefined)
    tryTo('CLAUDE.md', () => syncClaudeMd(store, readRules(store)), 'same')
  })
}

export function settleRules({ store, world }: Moment): void {
  store.whileLocked(HOOK_WAIT_MS, () => takeOverRules(store, world.now()))
}
