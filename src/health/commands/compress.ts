/** `compress`: what makes a memory smaller and can be done now, without a model; then what recurs is weighed. */

import path from 'node:path'
import { reflectNow } from '../../edit/commands/rules.ts'
import { type Reflected, upcomingReflection } from '../../knowledge/disk/reflection.ts'
import { type Command, inProject } from '../../memory/commands/command.ts'
import { type Context, underLock } from '../../memory/commands/context.ts'
import { count, dim } from '../../memory/commands/output.ts'
import { COMMAND_WAIT_MS, type Store, sessionPath } from '../../memory/disk/store.ts'
import { allSessions, type State, sessionIn } from '../../memory/state.ts'
import { readMemory, repairMemory, rotateIfFull } from '../../notes/disk/memory.ts'
import { summariseAll, unsummarised } from '../../notes/disk/summaries.ts'
import { type Aged, ageTiers, planTiers, sessionsInTiers, type TierPlan } from '../../notes/disk/tiers.ts'
import { isOver } from '../../notes/pending.ts'
import { planRotation, rotationLimits } from '../../notes/rotation.ts'
import { statOf } from '../../platform/disk/files.ts'
import { isAlive } from '../../platform/disk/lock.ts'
import { id8OfFile, MEMORY_FILE, SESSIONS_DIR, sessionSummaryFile } from '../../platform/layout.ts'

const NOTHING_REFLECTED: Reflected = { promoted: [], proposed: [], superseded: [], isComplete: true }

export function runCompress(context: Context): number {
  const { store, out, isDryRun, world } = context
  const now = world.now()
  const isEmpty = statOf(store.dir) === null
  const archive = isEmpty ? null : isDryRun ? plannedArchive(store) : rotate(store, now)
  const sessions = isEmpty ? [] : missingSummaries(store, now)
  const upcoming = new Set(sessions.map((id) => sessionIn(store.readState(), id)?.file ?? ''))
  if (!isDryRun) summarise(store, sessions)
  const plan = planTiers(store, { now, isAlive, ...(isDryRun ? { upcoming } : {}) })
  const tiers = isDryRun || isEmpty ? plannedTiers(plan) : ageTiers(store, { now, isLate: () => false })
  const reflected = isEmpty
    ? NOTHING_REFLECTED
    : isDryRun
      ? upcomingReflection(store, now).changed
      : reflectNow(store, world.now)
  const { promoted, proposed, superseded } = reflected
  const removed = removedBy(plan)
  out.json({
    archive,
    sessions: sessions.length,
    ...tiers,
    removed,
    reflection: { promoted, proposed, superseded },
    dryRun: isDryRun,
  })
  const done = (what: string): string => (isDryRun ? `would be ${what}` : what)
  const { weeks, months, compressed } = tiers
  out.say(
    archive === null
      ? `${MEMORY_FILE} has room: no rotation.`
      : `The older notes of ${MEMORY_FILE} ${done('moved')} to ${archive}.`,
    sessions.length === 0
      ? 'Every session that is over has its summary.'
      : `${count(sessions.length, 'session summary', 'session summaries')} ${done('written')}.`,
    weeks.length + months.length + compressed.length === 0
      ? 'No session is old enough to be combined or compressed.'
      : `Old summaries ${done('combined')} in ${[...weeks, ...months].map(sessionPath).join(', ') || 'no file'}; ${count(compressed.length, 'session')} ${done('compressed')} in ${sessionPath('archive')}.`,
    ...(isDryRun ? removed.map((name) => dim(`  would go: ${name}`)) : []),
    ...REFLECTED.flatMap(([part, what]) =>
      reflected[part].length === 0 ? [] : [`${done(what)}: ${reflected[part].join(', ')} (memory-keeper rules)`],
    ),
  )
  return 0
}

const REFLECTED = [
  ['promoted', 'active from now on, since it recurs in your own words'],
  ['proposed', 'proposed for your yes, since it recurs'],
  ['superseded', 'superseded, since the facts it grew from are over'],
] as const

/** One session at a time, so that a hook never waits for all of them. */
export function summarise(store: Store, sessions: readonly string[]): void {
  const locked = <T>(work: () => T): { value: T } => ({ value: underLock(store, COMMAND_WAIT_MS, work) })
  summariseAll(store, sessions, locked, () => false)
}

/** Sessions that are over and have no summary, an old one, or one that somebody deleted; weeks and months hold older ones. */
export function missingSummaries(store: Store, now: string): string[] {
  const state = store.readState()
  const owed = unsummarised(state, now, isAlive)
  const inTiers = sessionsInTiers(store)
  const deleted = allSessions(state)
    .filter(([, session]) => session.file !== '' && session.summed > 0)
    .filter(([, session]) => isOver(session, now, isAlive) && !inTiers.has(id8OfFile(session.file) ?? ''))
    .filter(([, { file }]) => statOf(path.join(store.dir, SESSIONS_DIR, sessionSummaryFile(file))) === null)
    .map(([id]) => id)
  return [...new Set([...owed, ...deleted])]
}

function rotate(store: Store, now: string): string | null {
  return underLock(store, COMMAND_WAIT_MS, () => {
    const before = repairMemory(store, now)
    const after: State = rotateIfFull(store, before, now)
    return after === before ? null : (after.rotatedFiles.at(-1)?.file ?? null)
  })
}

function plannedArchive(store: Store): string | null {
  return planRotation(readMemory(store), rotationLimits(store.config)) === null ? null : 'a new archive'
}

function plannedTiers({ rolls, combinations, compressed }: TierPlan): Aged {
  const into = (kind: 'week' | 'month'): string[] =>
    combinations.flatMap(({ period }) => (period.is === kind ? [period.file] : []))
  const months = new Set([...rolls.flatMap((roll) => roll.months), ...into('month')])
  return { weeks: into('week'), months: [...months].sort(), compressed }
}

/** What goes once the files that replace it are written, below the memory directory. */
function removedBy({ rolls, combinations, compressed }: TierPlan): string[] {
  const names = [
    ...rolls.map(({ week }) => week.file),
    ...combinations.flatMap(({ summaries }) => summaries.map(({ file }) => file)),
    ...compressed,
  ]
  return names.map(sessionPath).sort()
}

export const COMPRESS_COMMANDS: readonly Command[] = [
  {
    usage: 'compress',
    about:
      'without a model: rotate memory.md if it is full, write missing summaries, combine old ones, weigh what recurs',
    writes: true,
    example: 'memory-keeper compress --dry-run',
    run: inProject(runCompress),
  },
]
