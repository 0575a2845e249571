/** At a session start: writes the pending notes of ended sessions. */

import { noteByCode } from '../../core/notes/disk/notes.ts'
import { fillEnds } from '../../core/notes/disk/summaries.ts'
import { isOver } from '../../core/notes/pending.ts'
import { syncClaudeMd } from '../../core/pages/disk/claude-md.ts'
import { beginPages } from '../../core/pages/disk/pages.ts'
import { readRules } from '../../core/pages/disk/rules.ts'
import { HOOK_WAIT_MS, stateEffect } from '../../kernel/memory/disk/store.ts'
import type { SessionState } from '../../kernel/memory/session-state.ts'
import { type Moment, stateAtStart } from './world.ts'

/** A start speaks within 400 ms. What is not noted within this time is left to the finisher, except for one session. */
const NOTES_MS = 100
const ENDS_MS = 50

/** The safety net: code writes the pending notes of ended sessions; a model's note may replace them later. */
export function noteEndedSessions(moment: Moment): void {
  const { store, world, tryTo } = moment
  const began = world.elapsedMs()
  const now = world.now()
  let asked = 0
  const isLate = (): boolean => asked++ > 0 && world.elapsedMs() - began > NOTES_MS
  store.whileLocked(HOOK_WAIT_MS, () => {
    const before = store.readState()
    const state = stateAtStart(moment)
    if (state !== before) store.perform([stateEffect(state)])
    tryTo('templates', () => beginPages(store, before, state), undefined)
    const isWanted = (session: SessionState): boolean => isOver(session, now, world.isAlive)
    tryTo('notes', () => noteByCode(store, now, { isLate, isWanted }), [])
    tryTo('ends', () => fillEnds(store, () => world.elapsedMs() - began > NOTES_MS + ENDS_MS), undefined)
    tryTo('CLAUDE.md', () => syncClaudeMd(store, readRules(store)), 'same')
  })
}
