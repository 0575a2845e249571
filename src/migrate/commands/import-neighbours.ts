/** `import --from`: what other memories know about the project, on the user's word only. */
import path from 'node:path'
import { type Context, underLock } from '../../memory/commands/context.ts'
import { bold, count, dim } from '../../memory/commands/output.ts'
import { COMMAND_WAIT_MS } from '../../memory/disk/store.ts'
import {
  findNeighbours,
  NEIGHBOURS,
  type NeighbourMemory,
  type PlannedImport,
  performImport,
  planNeighbour,
} from '../../outgoing/disk/neighbours.ts'
import { KeeperError } from '../../platform/error.ts'

/** Names in a line; --json has them all. */
const MAX_NAMES = 20

export interface NeighbourOptions {
  from?: string
  path?: string
  neighbours?: boolean
}

export function runImportNeighbours(context: Context, options: NeighbourOptions): number {
  const { store, out, world, isDryRun } = context
  const now = world.now()
  const done = chosen(context, options).map(({ from, source }) => {
    const plan = planNeighbour(store, from, source, now)
    if (isDryRun || plan.effects.length === 0) return { ...plan, backup: null }
    return underLock(store, COMMAND_WAIT_MS, () => {
      const again = planNeighbour(store, from, source, now)
      return { ...again, backup: performImport(store, again, now) }
    })
  })
  out.json({ dryRun: isDryRun, imports: done.map(asJson) })
  if (done.length === 0) out.say(nothingFound())
  for (const one of done) out.say(...render(one, isDryRun))
  return done.some(({ others }) => others.length > 0) ? 1 : 0
}

function chosen(
  { store, world }: Context,
  { from, path: given, neighbours }: NeighbourOptions,
): { from: NeighbourMemory; source: string }[] {
  const found = findNeighbours(store, world.around.home)
  if (neighbours === true && from === undefined && given === undefined) return found
  const named = NEIGHBOURS.find((one) => one === from)
  if (named === undefined)
    throw new KeeperError(
      'usage',
      `--from takes ${NEIGHBOURS.join(', ')}. memory-keeper import --neighbours takes whatever is there.`,
    )
  if (given !== undefined) return [{ from: named, source: path.resolve(world.cwd, given) }]
  const own = found.filter((one) => one.from === named)
  if (own.length > 0) return own
  throw new KeeperError(
    'no-neighbour',
    `There is no ${named} for this project where it usually lies. Say where with --path.`,
  )
}

function asJson({ from, source, counts, effects, others }: PlannedImport): object {
  return { from, source, counts, others, writes: effects.map((effect) => ({ do: effect.do, path: effect.path })) }
}

function render(
  { from, source, counts, effects, others, backup }: PlannedImport & { backup: string | null },
  isDryRun: boolean,
): string[] {
  const title = `${bold(from)} in ${source}:`
  if (others.length > 0) return [title, `  nothing about this project. It knows: ${namesOf(others)}`]
  if (effects.length === 0) return [title, '  nothing new: it was imported before.']
  const parts = [
    [counts.pages, 'page'],
    [counts.notes, 'note'],
    [counts.facts, 'fact'],
  ] as const
  const told = parts.filter(([n]) => n > 0).map(([n, word]) => count(n, word))
  return [
    title,
    `  ${isDryRun ? 'would bring' : 'brought'} ${told.join(', ')}: ${namesOf(effects.map((effect) => effect.path))}`,
    dim('  It is told as data, marked with where it comes from; none of it counts as your own words.'),
    ...(backup === null ? [] : [`  Backup: ${backup}`]),
  ]
}

function namesOf(names: readonly string[]): string {
  const more = names.length - MAX_NAMES
  return names.slice(0, MAX_NAMES).join(', ') + (more > 0 ? ` and ${more} more` : '')
}

function nothingFound(): string {
  return 'No other memory was found: no auto memory of the host, no claude-mem, no memory bank. Say where one is: memory-keeper import --from memory-bank --path DIR'
}
