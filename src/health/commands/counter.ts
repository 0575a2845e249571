/** `check`, `final` and `reset`: the seeds' counter commands, for those who hook them by hand. */

import { fillVault } from '../../copies/disk/vault-restore.ts'
import { reflectNow } from '../../edit/commands/rules.ts'
import { updateConceptsQuietly } from '../../knowledge/disk/fact-care.ts'
import { type Command, inProject } from '../../memory/commands/command.ts'
import { type Context, underLock } from '../../memory/commands/context.ts'
import { count } from '../../memory/commands/output.ts'
import { COMMAND_WAIT_MS, type Store, stateEffect } from '../../memory/disk/store.ts'
import { sessionIn, withSessions } from '../../memory/state.ts'
import { wayIn } from '../../model/disk/way.ts'
import type { Way } from '../../model/way.ts'
import { handOut } from '../../notes/disk/handout.ts'
import { noteByCode } from '../../notes/disk/notes.ts'
import { factsOfHistory } from '../../notes/disk/structure-facts.ts'
import { cutLive, cutOver, cutSession, isDue, settleHistory } from '../../notes/pending.ts'
import { statOf } from '../../platform/disk/files.ts'
import { isAlive } from '../../platform/disk/lock.ts'
import { KeeperError } from '../../platform/error.ts'
import { parseObject } from '../../platform/json.ts'
import { DELTA_FILE } from '../../platform/layout.ts'
import { PIECE_TOKENS } from '../../sessions/delta.ts'
import { type Captured, captureSession, NOTHING_CAPTURED } from '../../sessions/disk/capture.ts'
import { catchUp } from '../../sessions/disk/catch-up.ts'
import { workOf } from '../../sessions/work.ts'
import { missingSummaries, summarise } from './compress.ts'

interface Hooked {
  session: string
  transcript: string
}

/** What became of a note that was due. */
type Due =
  /** Nothing was captured since the last note. */
  | { is: 'nothing' }
  | { is: 'handed-out'; delta: string }
  | { is: 'noted'; notes: string[] }
  /** A background call writes it, which no command starts. */
  | { is: 'waiting' }

/** With a hook's JSON on stdin: captures that session, whose tool uses count by themselves. Without: counts one. */
function runCheck(context: Context): number {
  const { store, out, isDryRun } = context
  const stdin = readInput(context)
  const hooked = parseHooked(stdin)
  if (hooked === null && stdin.trim() !== '') {
    throw new KeeperError(
      'no-hook-json',
      'What came on stdin is not the JSON of a hook with session_id and transcript_path: nothing was counted. To count one tool use, give no input: memory-keeper check < /dev/null',
    )
  }
  if (!isDryRun) {
    if (hooked) capture(context, hooked)
    else countOne(store)
  }
  const { counter } = store.readState()
  const saveInterval = store.config.saveInterval
  const due = counter >= saveInterval
  const done = due && !isDryRun ? underLock(store, COMMAND_WAIT_MS, () => cut(store, context.world.now())) : null
  const delta = done?.is === 'handed-out' ? done.delta : null
  const notes = done?.is === 'noted' ? done.notes : []
  out.json({ counter, saveInterval, due, delta, notes })
  out.say(
    `${count(counter, 'tool use')} since the last note${due ? ': a note is due' : ''}`,
    ...(done === null ? [] : renderDue(done)),
  )
  return 0
}

function cut(store: Store, now: string): Due {
  const before = store.readState()
  if (isDue(before, store.config.saveInterval)) store.perform([stateEffect(cutLive(before))])
  if (workOf(store.readState(), 'note').length === 0) return { is: 'nothing' }
  const way: Way = wayIn(store, now)
  if (way === 'headless') return { is: 'waiting' }
  if (way === 'extractive') return { is: 'noted', notes: noteByCode(store, now).map(({ id }) => id) }
  const handed = handOut(store, 'agent', PIECE_TOKENS.agent, now)
  return handed === null ? { is: 'nothing' } : { is: 'handed-out', delta: handed.id }
}

function renderDue(due: Due): string[] {
  switch (due.is) {
    case 'nothing':
      return ['Nothing was captured since, so there is nothing to note; counting begins anew.']
    case 'handed-out':
      return [
        `[MEMORY_KEEPER_DELTA] file=${DELTA_FILE}`,
        `To save its note: memory-keeper note --delta ${due.delta} --text "…"`,
      ]
    case 'noted':
      return due.notes.map((id) => `Noted by code: ${id}`)
    case 'waiting':
      return ['Its note is written in the background, when the next hook of a session runs.']
  }
}

function countOne(store: Store): void {
  underLock(store, COMMAND_WAIT_MS, () => {
    const state = store.readState()
    store.perform([stateEffect({ ...state, counter: state.counter + 1 })])
  })
}

/** All that the end of a session does, without a model: notes by code, since nobody waits for another one here. */
function runFinal(context: Context): number {
  const { store, out, world } = context
  if (context.isDryRun) {
    out.json({ dryRun: true })
    out.say(
      'Would capture all sessions of this project, note by code what waits, sum up sessions, sort facts, weigh what recurs and fill the vault.',
    )
    return 0
  }
  const hooked = parseHooked(readInput(context))
  const own = hooked ? capture(context, hooked) : NOTHING_CAPTURED
  const done = catchUp(store, { waitMs: COMMAND_WAIT_MS, now: world.now, look: 'all' })
  const isEmpty = statOf(store.dir) === null
  const notes = isEmpty ? [] : underLock(store, COMMAND_WAIT_MS, () => noteEnd(context, hooked, done.complete))
  const summaries = isEmpty ? [] : missingSummaries(store, world.now())
  summarise(store, summaries)
  if (!isEmpty) learn(context)
  const copied = isEmpty ? 0 : underLock(store, COMMAND_WAIT_MS, () => fillVault(store))
  const entries = own.entries + done.entries
  out.json({
    sessions: own.sessions + done.sessions,
    entries,
    notes,
    summaries: summaries.length,
    vaultFiles: copied,
    complete: done.complete,
  })
  out.say(
    `Captured ${count(entries, 'new entry', 'new entries')}; ${count(notes.length, 'note')} by code; ${count(summaries.length, 'session summary', 'session summaries')}; ${count(copied, 'file')} copied to the vault.`,
  )
  return done.complete ? 0 : 1
}

/** Concepts of what the notes brought are refreshed, and what recurs is weighed. */
function learn({ store, world }: Context): void {
  factsOfHistory(store, { now: world.now, isLate: () => false, waitMs: COMMAND_WAIT_MS })
  updateConceptsQuietly(store, COMMAND_WAIT_MS, world.now())
  reflectNow(store, world.now)
}

function noteEnd({ store, world }: Context, hooked: Hooked | null, isComplete: boolean): string[] {
  const before = store.readState()
  const now = world.now()
  let state = before
  const session = hooked === null ? undefined : sessionIn(state, hooked.session)
  if (hooked !== null && session !== undefined) {
    state = cutSession(withSessions(state, [[hooked.session, { ...session, isEnded: true }]]), hooked.session)
  }
  // Half of a history says nothing about where it ends.
  if (isComplete) state = settleHistory(state, now, store.config.firstRunMaxEntries)
  state = cutOver(state, now, isAlive)
  if (state !== before) store.perform([stateEffect(state)])
  return noteByCode(store, now).map(({ id }) => id)
}

function runReset(context: Context): number {
  const { store, out } = context
  const before = store.readState().counter
  if (!context.isDryRun && before > 0) {
    underLock(store, COMMAND_WAIT_MS, () => store.perform([stateEffect({ ...store.readState(), counter: 0 })]))
  }
  out.json({ before, counter: context.isDryRun ? before : 0, dryRun: context.isDryRun })
  out.say(context.isDryRun ? `Would set the counter from ${before} to 0.` : `The counter is 0 (was ${before}).`)
  return 0
}

/** Whoever hooks a command sees the session happen: it is live, though nobody says which process runs it. */
function capture({ store, world }: Context, hooked: Hooked): Captured {
  return captureSession(store, { ...hooked, host: 0 }, { waitMs: COMMAND_WAIT_MS, now: world.now })
}

function readInput({ world }: Context): string {
  return world.isStdinTerminal ? '' : world.readStdin()
}

function parseHooked(stdin: string): Hooked | null {
  const { session_id: session, transcript_path: transcript } = parseObject(stdin) ?? {}
  return typeof session === 'string' && typeof transcript === 'string' ? { session, transcript } : null
}

export const COUNTER_COMMANDS: readonly Command[] = [
  {
    usage: 'check',
    about: "capture the session of a hook's JSON on stdin, or count one tool use; cuts the delta when a note is due",
    writes: true,
    example: 'memory-keeper check',
    run: inProject(runCheck),
  },
  {
    usage: 'final',
    about: 'as at session end: capture everything, note by code what waits, fill the vault',
    writes: true,
    example: 'memory-keeper final',
    run: inProject(runFinal),
  },
  {
    usage: 'reset',
    about: 'set the tool counter to 0',
    writes: true,
    example: 'memory-keeper reset',
    run: inProject(runReset),
  },
]
