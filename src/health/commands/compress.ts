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
  out.say(
    archive === null
      ? `${MEMORY_FILE} has room: no rotation.`
      : isDryRun
        ? `${MEMORY_FILE} is full: its older notes would move to ${archive}.`
        : `${MEMORY_FILE} was full: its older notes are now in ${archive}.`,
    sessions.length === 0
      ? 'Every session that is over has its summary.'
      : `${count(sessions.length, 'session summary', 'session summaries')} ${isDryRun ? 'would be ' : ''}written.`,
    ...tierLines(plan, tiers, isDryRun),
    ...reflectedLines(reflected, isDryRun),
  )
  return 0
}

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

function tierLines(plan: TierPlan, { weeks, months, compressed }: Aged, isDryRun: boolean): string[] {
  const would = isDryRun ? 'would be ' : ''
  const lines = [
    ...plan.combinations.map(
      ({ period, summaries }) =>
        `${count(summaries.length, 'session summary', 'session summaries')} ${would}combined in ${sessionPath(period.file)}`,
    ),
    ...plan.rolls.map(
      ({ week, months: into }) =>
        `${sessionPath(week.file)} ${would}combined in ${into.map(sessionPath).join(' and ')}`,
    ),
    ...(compressed.length === 0
      ? []
      : [`${count(compressed.length, 'session')} ${would}compressed in ${sessionPath('archive')}`]),
  ]
  if (lines.length > 0)
    return isDryRun ? [...lines, ...removedBy(plan).map((name) => dim(`  would go: ${name}`))] : lines
  return weeks.length + months.length > 0 ? [] : ['No session is old enough to be combined or compressed.']
}

function reflectedLines({ promoted, proposed, superseded }: Reflected, isDryRun: boolean): string[] {
  const told = (ids: readonly string[], does: string, would: string, more = ''): string[] =>
    ids.length === 0 ? [] : [`${isDryRun ? would : does}: ${ids.join(', ')}${more}`]
  return [
    ...told(
      promoted,
      'What recurs, in your own words, is active from now on',
      'What recurs, in your own words, would be active from now on',
      isDryRun ? SEE_DRY : '',
    ),
    ...told(
      proposed,
      'What recurs waits for your yes',
      'What recurs would wait for your yes',
      isDryRun ? SEE_DRY : ' (memory-keeper reflect)',
    ),
    ...told(
      superseded,
      'Superseded, since the facts it grew from are over',
      'Would be superseded, since the facts it grew from are over',
    ),
  ]
}

const SEE_DRY = ' (memory-keeper reflect --dry-run)'

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
