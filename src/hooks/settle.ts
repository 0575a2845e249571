/** When a session begins: no delta of one that is over is left without its note, and what people said for good is known. */

import { HOOK_WAIT_MS, stateEffect } from '../memory/disk/store.ts'
import type { SessionState } from '../memory/session-state.ts'
import { noteByCode } from '../notes/disk/notes.ts'
import { isOver } from '../notes/pending.ts'
import { factsAhead } from '../outgoing/disk/code-facts.ts'
import { collectStanding } from '../outgoing/disk/standing-collect.ts'
import { syncClaudeMd } from '../pages/disk/claude-md.ts'
import { readRules } from '../pages/disk/rules.ts'
import { type Moment, stateAtStart } from './world.ts'

/** What is not noted within this time is left to the finisher. */
const NOTES_MS = 400
/** Of that, what is looked at ahead of the notes. */
const AHEAD_MS = 250

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
    const isAheadLate = (): boolean => world.elapsedMs() - began > AHEAD_MS
    tryTo('facts', () => factsAhead(store, isWanted, isAheadLate, now), undefined)
    tryTo('notes', () => noteByCode(store, now, { isLate, isWanted }), [])
    tryTo('CLAUDE.md', () => syncClaudeMd(store, readRules(store)), 'same')
    tryTo('standing', () => collectStanding(store, isLate, 'unsettled'), true)
  })
}
