/** `compress`: makes a memory smaller now, without a model; `check`, `final` and `reset`: commands for users who hook the counter by hand. */

import { type Command, inProject } from '../../../kernel/memory/commands/command.ts'
import { type Context, underLock } from '../../../kernel/memory/commands/context.ts'
import { count } from '../../../kernel/memory/commands/output.ts'
import { COMMAND_WAIT_MS, type Store, sessionPath, stateEffect } from '../../../kernel/memory/disk/store.ts'
import { sessionIn, withSessions } from '../../../kernel/memory/state.ts'
import { workOf } from '../../../kernel/memory/work.ts'
import { statOf } from '../../../kernel/platform/disk/files.ts'
import { isAlive } from '../../../kernel/platform/disk/lock.ts'
import { KeeperError } from '../../../kernel/platform/error.ts'
import { parseObject } from '../../../kernel/platform/json.ts'
import { DELTA_FILE, MEMORY_FILE } from '../../../kernel/platform/layout.ts'
import { PIECE_TOKENS } from '../../../kernel/sessions/delta.ts'
import { type Captured, captureSession, NOTHING_CAPTURED } from '../../../kernel/sessions/disk/capture.ts'
import { catchUp } from '../../../kernel/sessions/disk/catch-up.ts'
import { upcomingConcepts, updateConcepts } from '../../knowledge/disk/fact-care.ts'
import { type Reflected, reflectAll, upcomingReflection } from '../../knowledge/disk/reflection.ts'
import { wayIn } from '../../model/disk/model-call.ts'
import { handOut } from '../../notes/disk/handout.ts'
import { readMemory, repairMemory, rotateIfFull } from '../../notes/disk/memory.ts'
import { noteByCode } from '../../notes/disk/notes.ts'
import { factsOfHistory } from '../../notes/disk/structure-facts.ts'
import { summariseAll } from '../../notes/disk/summaries.ts'
import { type Aged, ageTiers, planTiers, unsummarised } from '../../notes/disk/tiers.ts'
import { cutLive, cutOver, cutSession, isDue, settleHistory } from '../../notes/pending.ts'
import { planRotation, rotationLimits } from '../../notes/rotation.ts'
import { beginPages } from '../../pages/disk/pages.ts'
import { fillVault } from '../../vault/disk/vault-restore.ts'

interface Compressed {
  archive: string | null
  sessions: string[]
  tiers: Aged
  concepts: string[]
  reflected: Pick<Reflected, 'promoted' | 'proposed' | 'superseded'>
}

export function runCompress({ store, out, isDryRun, world }: Context): number {
  // Where nothing is stored yet, nothing is created either.
  const isPlan = isDryRun || statOf(store.dir) === null
  const done = isPlan ? planned(store, world.now()) : compress(store, world.now)
  const { archive, sessions, tiers, concepts } = done
  const { promoted, proposed, superseded } = done.reflected
  const reflection = { promoted, proposed, superseded }
  out.json({ archive, sessions: sessions.length, ...tiers, concepts, reflection })
  const { weeks, months, compressed } = tiers
  out.say(
    archive === null
      ? `${MEMORY_FILE} has room: no rotation.`
      : `The older notes of ${MEMORY_FILE} moved to ${archive}.`,
    sessions.length === 0
      ? 'Every session that is over has its summary.'
      : `${count(sessions.length, 'session summary', 'session summaries')} written.`,
    weeks.length + months.length + compressed.length === 0
      ? 'No session is old enough to be combined or compressed.'
      : `Old summaries combined in ${[...weeks, ...months].map(sessionPath).join(', ') || 'no file'}; ${count(compressed.length, 'session')} compressed in ${sessionPath('archive')}.`,
    ...(concepts.length === 0 ? [] : [`${count(concepts.length, 'concept')} refreshed.`]),
    ...REFLECTED.flatMap(([part, what]) =>
      reflection[part].length === 0 ? [] : [`${what}: ${reflection[part].join(', ')} (memory-keeper rules)`],
    ),
  )
  return 0
}

const REFLECTED = [
  ['promoted', 'Active from now on, since it recurs in your own words'],
  ['proposed', 'Proposed for your approval, since it recurs'],
  ['superseded', 'Superseded, since its facts are no longer current'],
] as const

function compress(store: Store, now: () => string): Compressed {
  const archive = underLock(store, COMMAND_WAIT_MS, () => {
    const before = repairMemory(store, now()).rotatedFiles.length
    const { rotatedFiles } = rotateIfFull(store, now())
    return rotatedFiles.length === before ? null : (rotatedFiles.at(-1)?.file ?? null)
  })
  const sessions = unsummarised(store, { now: now(), isAlive })
  summarise(store, sessions)
  const tiers = ageTiers(store, { now: now(), isLate: () => false })
  return { archive, sessions, tiers, ...learn(store, now) }
}

function planned(store: Store, now: string): Compressed {
  const sessions = unsummarised(store, { now, isAlive })
  const upcoming = new Set(sessions.map((id) => sessionIn(store.readState(), id)?.file ?? ''))
  const { tiers, compressed } = planTiers(store, { now, isAlive, upcoming })
  const due = (kind: 'week' | 'month'): string[] =>
    tiers.flatMap(({ period }) => (period.is === kind ? [period.file] : []))
  const isFull = planRotation(readMemory(store), rotationLimits(store.config)) !== null
  return {
    archive: isFull ? 'a new archive' : null,
    sessions,
    tiers: { weeks: due('week'), months: due('month'), compressed },
    concepts: upcomingConcepts(store).changed,
    reflected: upcomingReflection(store, now).changed,
  }
}

/** Refreshes concepts and judges recurring items. */
function learn(store: Store, now: () => string): Pick<Compressed, 'concepts' | 'reflected'> {
  const { changed } = underLock(store, COMMAND_WAIT_MS, () => updateConcepts(store, now()))
  const reflected = reflectAll(store, { now, isLate: () => false, waitMs: COMMAND_WAIT_MS })
  if (reflected.isComplete) return { concepts: changed, reflected }
  throw new KeeperError('busy', `${store.dir} is in use by another process. Try again in a moment.`)
}

/** One session at a time, so that a hook never waits for all of them. */
function summarise(store: Store, sessions: readonly string[]): void {
  const locked = <T>(work: () => T): { value: T } => ({ value: underLock(store, COMMAND_WAIT_MS, work) })
  summariseAll(store, sessions, locked, () => false)
}

interface Hooked {
  session: string
  transcript: string
}

/** With a hook's JSON on stdin: captures that session, which counts its tool uses. Without: counts one tool use. */
function runCheck(context: Context): number {
  const { store, out, isDryRun, world } = context
  const stdin = readInput(context)
  const hooked = parseHooked(stdin)
  if (hooked === null && stdin.trim() !== '') {
    throw new KeeperError(
      'no-hook-json',
      'The input on stdin is not the JSON of a hook with session_id and transcript_path: nothing was counted. To count one tool use, give no input: memory-keeper check < /dev/null',
    )
  }
  if (!isDryRun && hooked !== null) capture(context, hooked)
  else if (!isDryRun) setCounter(store, (counter) => counter + 1)
  const { counter } = store.readState()
  const saveInterval = store.config.saveInterval
  const due = counter >= saveInterval
  const done = due && !isDryRun ? underLock(store, COMMAND_WAIT_MS, () => cut(store, world.now())) : NOT_CUT
  out.json({ counter, saveInterval, due, delta: done.delta, notes: done.notes })
  out.say(`${count(counter, 'tool use')} since the last note${due ? ': a note is due' : ''}`, ...done.said)
  return 0
}

/** The result of a note that was due. */
interface Cut {
  delta: string | null
  notes: string[]
  said: string[]
}

const NOT_CUT: Cut = { delta: null, notes: [], said: [] }

function cut(store: Store, now: string): Cut {
  const before = store.readState()
  if (isDue(before, store.config.saveInterval)) store.perform([stateEffect(cutLive(before))])
  const nothing = 'Nothing was captured since, so there is nothing to note; the counter starts again.'
  if (workOf(store.readState(), 'note').length === 0) return { ...NOT_CUT, said: [nothing] }
  const way = wayIn(store, now)
  // Commands never start a background call.
  if (way === 'headless')
    return { ...NOT_CUT, said: ['Its note is written in the background, when the next hook of a session runs.'] }
  if (way === 'extractive') {
    const notes = noteByCode(store, now).map(({ id }) => id)
    return { delta: null, notes, said: notes.map((id) => `Noted by code: ${id}`) }
  }
  const handed = handOut(store, 'agent', PIECE_TOKENS.agent, now)
  if (handed === null) return { ...NOT_CUT, said: [nothing] }
  const save = `To save its note: memory-keeper note --delta ${handed.id} --text "…"`
  return { delta: handed.id, notes: [], said: [`[MEMORY_KEEPER_DELTA] file=${DELTA_FILE}`, save] }
}

function setCounter(store: Store, to: (counter: number) => number): void {
  underLock(store, COMMAND_WAIT_MS, () => {
    const state = store.readState()
    store.perform([stateEffect({ ...state, counter: to(state.counter) })])
  })
}

/** Does all the work of a session's end, without a model: code writes the notes, since nothing waits for a background call here. */
function runFinal(context: Context): number {
  const { store, out, world } = context
  if (context.isDryRun) {
    out.json({})
    out.say(
      'Capture all sessions of this project, write pending notes by code, summarise sessions, update facts, judge recurring items and fill the vault.',
    )
    return 0
  }
  const hooked = parseHooked(readInput(context))
  const own = hooked ? capture(context, hooked) : NOTHING_CAPTURED
  const done = catchUp(store, { waitMs: COMMAND_WAIT_MS, now: world.now, look: 'all' })
  const { notes, summaries, vaultFiles } =
    statOf(store.dir) === null ? NOTHING_ENDED : end(context, hooked, done.complete)
  const [sessions, entries] = [own.sessions + done.sessions, own.entries + done.entries]
  out.json({ sessions, entries, notes, summaries, vaultFiles, complete: done.complete })
  out.say(
    `Captured ${count(entries, 'new entry', 'new entries')}; ${count(notes.length, 'note')} by code; ${count(summaries, 'session summary', 'session summaries')}; ${count(vaultFiles, 'file')} copied to the vault.`,
  )
  return done.complete ? 0 : 1
}

const NOTHING_ENDED = { notes: [], summaries: 0, vaultFiles: 0 }

function end({ store, world }: Context, hooked: Hooked | null, isComplete: boolean) {
  const now = world.now()
  const notes = underLock(store, COMMAND_WAIT_MS, () => noteEnd(store, now, hooked, isComplete))
  const summaries = unsummarised(store, { now, isAlive })
  summarise(store, summaries)
  factsOfHistory(store, { now: world.now, isLate: () => false, waitMs: COMMAND_WAIT_MS })
  learn(store, world.now)
  return { notes, summaries: summaries.length, vaultFiles: underLock(store, COMMAND_WAIT_MS, () => fillVault(store)) }
}

function noteEnd(store: Store, now: string, hooked: Hooked | null, isComplete: boolean): string[] {
  const before = store.readState()
  let state = before
  const session = hooked === null ? undefined : sessionIn(state, hooked.session)
  if (hooked !== null && session !== undefined)
    state = cutSession(withSessions(state, [[hooked.session, { ...session, isEnded: true }]]), hooked.session)
  // An incompletely read history does not show where it ends.
  if (isComplete) state = settleHistory(state, now, store.config.firstRunMaxEntries)
  state = cutOver(state, now, isAlive)
  if (state !== before) store.perform([stateEffect(state)])
  beginPages(store, before, state)
  return noteByCode(store, now).map(({ id }) => id)
}

function runReset({ store, out, isDryRun }: Context): number {
  const before = store.readState().counter
  if (!isDryRun && before > 0) setCounter(store, () => 0)
  out.json({ before, counter: 0 })
  out.say(`The counter is 0 (was ${before}).`)
  return 0
}

/** A hooked command sees the session happen: it is live, although its process is unknown. */
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

export const UPKEEP_COMMANDS: readonly Command[] = [
  {
    usage: 'compress [file]',
    about:
      'without a model: rotate memory.md if it is full, write missing summaries, combine old ones, refresh concepts, weigh what recurs',
    more: ['No file is read: update-concepts of earlier versions named one. migrate imports their files.'],
    writes: true,
    example: 'memory-keeper compress --dry-run',
    run: inProject(runCompress),
  },
  {
    usage: 'check',
    about: "capture the session of a hook's JSON on stdin, or count one tool use; cuts the delta when a note is due",
    writes: true,
    example: 'memory-keeper check',
    run: inProject(runCheck),
  },
  {
    usage: 'final',
    about: 'as at session end: capture everything, write pending notes by code, fill the vault',
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
