/** The end of a turn: a note may become due, and the turn may be blocked for pending work. */

import type { Way } from '../../core/model/headless.ts'
import { cutLive, holdBack, isDue, type Request, renderSteps, workForClaude } from '../../core/notes/pending.ts'
import { HOOK_WAIT_MS, type Store, stateEffect } from '../../kernel/memory/disk/store.ts'
import type { SessionState } from '../../kernel/memory/session-state.ts'
import { sessionIn, withSessions } from '../../kernel/memory/state.ts'
import type { WorkItem } from '../../kernel/memory/work-item.ts'
import type { StartedTool } from '../../kernel/transcript/refine-state.ts'
import { type HookEvent, NOTHING, type Reply } from './host.ts'
import { argOf } from './prompt.ts'
import type { Moment } from './world.ts'

/** Makes the delta due when enough tools were used; true: its note should be written. */
export function cutIfDue(store: Store, session: string): boolean {
  const interval = store.config.saveInterval
  const seen = store.readState()
  if (!isDue(seen, interval)) {
    const running = runningTools(sessionIn(seen, session)).length
    return running > 0 && isDue(seen, interval, running) && noteWaited(store, session)
  }
  const cut = store.whileLocked(HOOK_WAIT_MS, () => {
    const state = store.readState()
    if (!isDue(state, interval)) return false
    store.perform([stateEffect(cutLive(state))])
    return true
  })
  return cut?.value ?? false
}

/**
 * The results of these tool uses are about to be written: the finisher waits for them, and then makes the note due. It is started
 * once for each of them, since a killed tool never has a result.
 */
export function runningTools(session: SessionState | undefined): [id: string, tool: StartedTool][] {
  return Object.entries(session?.refine.tools ?? {}).filter(([, tool]) => !tool.agent && !tool.waited)
}

function noteWaited(store: Store, id: string): boolean {
  const noted = store.whileLocked(HOOK_WAIT_MS, () => {
    const state = store.readState()
    const session = sessionIn(state, id)
    const running = runningTools(session).map(
      ([tool, started]) => [tool, { ...started, waited: true as const }] as const,
    )
    if (session === undefined || running.length === 0) return false
    const tools = { ...session.refine.tools, ...Object.fromEntries(running) }
    store.perform([stateEffect(withSessions(state, [[id, { ...session, refine: { ...session.refine, tools } }]]))])
    return true
  })
  return noted?.value ?? false
}

/** Only if a person attends the session, once per turn, and never for a turn that a machine started. */
export function enforce(store: Store, event: Extract<HookEvent, { name: 'Stop' }>, way: () => Way): Reply {
  const mode = store.config.enforcement
  if (mode !== 'stop' && mode !== 'block') return NOTHING
  const state = store.readState()
  if (event.alreadyBlocked || event.mode === 'plan' || state.machineTurn === event.session) return NOTHING
  const wanted = (): Request[] => workForClaude(store.readState(), way(), store.config.summarizer)
  const items = wanted()
  const held = items.length === 0 ? null : store.whileLocked(HOOK_WAIT_MS, () => hold(store, wanted()))
  if (!held?.value) return NOTHING
  const text = renderSteps(items, (each) => argOf(store, each))
  return mode === 'block' ? { say: 'block', text } : { say: 'context', text, notice: null }
}

function hold(store: Store, items: readonly WorkItem[]): boolean {
  const next = holdBack(store.readState(), items)
  if (next !== null) store.perform([stateEffect(next)])
  return next !== null
}

/** Recorded only if it matters: a turn started by a machine is not blocked. */
export function noteTurn(store: Store, event: Extract<HookEvent, { name: 'UserPromptSubmit' }>): void {
  const { enforcement } = store.config
  if (enforcement !== 'stop' && enforcement !== 'block') return
  const machineTurn = event.isMachine ? event.session : null
  if (store.readState().machineTurn === machineTurn) return
  store.whileLocked(HOOK_WAIT_MS, () => store.perform([stateEffect({ ...store.readState(), machineTurn })]))
}

/** Its reply is known before anything is captured. Where nobody sits, the host may end its server with the turn. */
export function isSilentStop({ event, store, world }: Moment): boolean {
  const { enforcement, quietStop } = store.config
  const mayHold = enforcement === 'stop' || enforcement === 'block'
  return event.name === 'Stop' && world.isAttended && quietStop === true && !mayHold
}

/** A turn that may be blocked waits for its results. */
export function mayBlock({ event, store, world }: Moment): boolean {
  return event.name === 'Stop' && store.config.enforcement === 'block' && world.isAttended
}
