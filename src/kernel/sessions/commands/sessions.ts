/** `sessions`: lists the captured sessions. `capture`: whether sessions of this project are recorded. */
import path from 'node:path'
import { type Command, EVERYWHERE, type ExitCode, inProject } from '../../memory/commands/command.ts'
import { type Context, limitOf, typed } from '../../memory/commands/context.ts'
import { bold, count, dim, oneLine, table, width } from '../../memory/commands/output.ts'
import { KeeperError } from '../../platform/error.ts'
import { compareText } from '../../text/memory-words.ts'
import { pause, pausedSince, resume } from '../disk/pause.ts'
import { listSessions, type SessionRow } from '../disk/sessions.ts'
import { pausedText, resumedText } from '../pause.ts'

/** With fewer columns, the counts are left out. */
const NARROW = 72
const LEAST_GOAL = 10
const MAX_PROJECT = 24

function runSessions(context: Context, options: { limit?: string }): number {
  const rows = listSessions(context.store)
  const shown = rows.slice(0, limitOf(options.limit))
  context.out.json({ sessions: shown })
  if (rows.length === 0)
    context.out.say(
      'No sessions yet. They are captured as you work; memory-keeper import imports earlier ones, memory-keeper restore restores those of a deleted memory.',
    )
  context.out.say(...renderRows(context, shown))
  return 0
}

/** Newest first over all of them, each with its project. */
function runSessionsEverywhere(contexts: readonly Context[], options: { limit?: string }): number {
  const [{ out, world, clock }] = contexts as [Context]
  const all = contexts
    .flatMap(({ store }) => listSessions(store).map((row) => ({ ...row, project: store.places.project.root })))
    .toSorted((a, b) => compareText(b.startedAt, a.startedAt))
  const shown = all.slice(0, limitOf(options.limit))
  out.json({ sessions: shown, projects: contexts.length })
  const heads = table(
    shown.map(({ id, startedAt, project }) => [
      bold(id),
      clock.minute(startedAt) || '–',
      oneLine(path.basename(project), MAX_PROJECT),
    ]),
  )
  const room = world.columns - Math.max(0, ...heads.map(width)) - 2
  out.say(
    ...table(shown.map(({ goal }, i) => [heads[i] ?? '', oneLine(goal, Math.max(LEAST_GOAL, room))])),
    dim(`${count(all.length, 'session')} in ${count(contexts.length, 'project')}.`),
  )
  return 0
}

/** One line per session; a narrow terminal gets less. */
function renderRows({ clock, world: { columns } }: Context, rows: readonly SessionRow[]): string[] {
  const counts = (row: SessionRow): string[] => [count(row.prompts, 'prompt'), count(row.tools, 'tool use')]
  const heads = table(
    rows.map((row) => [bold(row.id), clock.minute(row.startedAt) || '–', ...(columns < NARROW ? [] : counts(row))]),
  )
  const taken = Math.max(0, ...heads.map(width)) + 2
  return table(rows.map((row, i) => [heads[i] ?? '', oneLine(row.goal, Math.max(LEAST_GOAL, columns - taken))]))
}

export const SESSIONS_COMMANDS: readonly Command[] = [
  {
    usage: 'sessions',
    about: 'the sessions, newest first',
    options: [{ flags: '--limit <n>', about: 'at most so many' }, EVERYWHERE],
    example: 'memory-keeper sessions --limit 10',
    run: inProject(runSessions),
    runEverywhere: runSessionsEverywhere,
  },
]

/** `capture off` is the pause of the whole project. */
function runCapture({ store, out, world, clock, isDryRun }: Context, given: string): ExitCode {
  const { places } = store
  const since = pausedSince(places, null)
  if (given === '') {
    out.json({ capture: since === null ? 'on' : 'off', since })
    out.say(
      since === null
        ? 'Capture is on in this project.'
        : `Capture is off in this project since ${clock.minute(since)}.`,
    )
    return 0
  }
  if (given !== 'on' && given !== 'off')
    throw new KeeperError('usage', 'capture takes on or off: memory-keeper capture off')
  const isNew = (given === 'off') === (since === null)
  if (!isDryRun && given === 'off') pause(places, null, world.now())
  if (!isDryRun && given === 'on') resume(places, null, world.now())
  out.json({ capture: given, changed: isNew })
  out.say(
    given === 'off'
      ? pausedText('this project', isNew, typed(world, 'capture on'))
      : resumedText(isNew, typed(world, 'import --paused')),
  )
  return 0
}

export const CAPTURE_COMMANDS: readonly Command[] = [
  {
    usage: 'capture [on-or-off]',
    about: 'whether this project is recorded: on, or off; off also injects nothing and sends nothing to a model',
    more: ['What happens meanwhile is not taken in later, unless you ask for it: memory-keeper import --paused'],
    writes: true,
    example: 'memory-keeper capture off',
    run: inProject((context, _, [given = '']) => runCapture(context, given)),
  },
]
