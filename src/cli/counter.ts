/** `check`, `final` and `reset`: the seeds' counter commands, for those who hook them by hand. */
import { captureSession } from '../store/capture.ts'
import { catchUp } from '../store/catch-up.ts'
import { COMMAND_WAIT_MS, type Store, stateEffect } from '../store/store.ts'
import { fillVault } from '../store/vault.ts'
import { type Context, underLock } from './context.ts'
import { count } from './output.ts'

interface Hooked {
  session: string
  transcript: string
}

/** With a hook's JSON on stdin: captures that session, whose tool uses count by themselves. Without: counts one. */
export function runCheck(context: Context): number {
  const { store, out } = context
  const hooked = readHooked(context)
  if (!context.isDryRun) {
    if (hooked) captureSession(store, hooked, { waitMs: COMMAND_WAIT_MS, now: context.world.now })
    else countOne(store)
  }
  const { counter } = store.readState()
  const due = counter >= (store.config.saveInterval as number)
  out.json({ counter, saveInterval: store.config.saveInterval, due })
  out.say(`${count(counter, 'tool use')} since the last reset${due ? ': a note is due' : ''}`)
  return 0
}

function countOne(store: Store): void {
  underLock(store, COMMAND_WAIT_MS, () => {
    const state = store.readState()
    store.perform([stateEffect({ ...state, counter: state.counter + 1 })])
  })
}

export function runFinal(context: Context): number {
  const { store, out } = context
  if (context.isDryRun) {
    out.json({ dryRun: true })
    out.say('Would capture all sessions of this project and fill the vault.')
    return 0
  }
  const hooked = readHooked(context)
  if (hooked) captureSession(store, hooked, { waitMs: COMMAND_WAIT_MS, now: context.world.now })
  const done = catchUp(store, { waitMs: COMMAND_WAIT_MS, now: context.world.now, look: 'all' })
  const copied = underLock(store, COMMAND_WAIT_MS, () => fillVault(store))
  out.json({ sessions: done.sessions, entries: done.entries, vaultFiles: copied, complete: done.complete })
  out.say(`Captured ${count(done.entries, 'new entry', 'new entries')}; ${count(copied, 'file')} copied to the vault.`)
  return done.complete ? 0 : 1
}

export function runReset(context: Context): number {
  const { store, out } = context
  const before = store.readState().counter
  if (!context.isDryRun && before > 0) {
    underLock(store, COMMAND_WAIT_MS, () => store.perform([stateEffect({ ...store.readState(), counter: 0 })]))
  }
  out.json({ before, counter: context.isDryRun ? before : 0, dryRun: context.isDryRun })
  out.say(context.isDryRun ? `Would set the counter from ${before} to 0.` : `The counter is 0 (was ${before}).`)
  return 0
}

function readHooked(context: Context): Hooked | null {
  if (context.world.isStdinTerminal) return null
  try {
    const raw = JSON.parse(context.world.readStdin()) as Record<string, unknown>
    const { session_id: session, transcript_path: transcript } = raw
    return typeof session === 'string' && typeof transcript === 'string' ? { session, transcript } : null
  } catch {
    return null
  }
}
