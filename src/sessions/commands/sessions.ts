/** `sessions`: the list of what was captured. */
import { type Command, inProject } from '../../memory/commands/command.ts'
import { type Context, limitOf } from '../../memory/commands/context.ts'
import { bold, count, oneLine, table, width } from '../../memory/commands/output.ts'
import { listSessions, type SessionRow } from '../disk/sessions.ts'

/** Below so many columns, the counts are left out. */
const NARROW = 72
const LEAST_GOAL = 10

function runSessions(context: Context, options: { limit?: string }): number {
  const rows = listSessions(context.store)
  const shown = rows.slice(0, limitOf(options.limit))
  context.out.json({ sessions: shown })
  if (rows.length === 0)
    context.out.say(
      'No sessions yet. They are captured as you work; memory-keeper import takes in earlier ones, memory-keeper restore those of a memory that was deleted.',
    )
  context.out.say(...renderRows(shown, context.world.columns))
  return 0
}

/** One line each; a narrow terminal gets less of it. */
function renderRows(rows: readonly SessionRow[], columns: number): string[] {
  const counts = (row: SessionRow): string[] => [count(row.prompts, 'prompt'), count(row.tools, 'tool use')]
  const heads = table(
    rows.map((row) => [
      bold(row.id),
      row.startedAt.slice(0, 16).replace('T', ' ') || '–',
      ...(columns < NARROW ? [] : counts(row)),
    ]),
  )
  const taken = Math.max(0, ...heads.map(width)) + 2
  return table(rows.map((row, i) => [heads[i] ?? '', oneLine(row.goal, Math.max(LEAST_GOAL, columns - taken))]))
}

export const SESSIONS_COMMANDS: readonly Command[] = [
  {
    usage: 'sessions',
    about: 'list the sessions, newest first',
    options: [{ flags: '--limit <n>', about: 'at most so many' }],
    example: 'memory-keeper sessions --limit 10',
    run: inProject(runSessions),
  },
]
