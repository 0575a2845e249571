/** `search --team`: the local hits, then hits that only the team's server has. */
import { readOthers } from '../../../core/others/disk/others.ts'
import { isForgottenRow } from '../../../core/others/others.ts'
import { isForRuns } from '../../../core/search/commands/search-runs.ts'
import { hitJson, renderHit } from '../../../core/search/commands/search-text.ts'
import type { SearchRequest } from '../../../core/search/disk/search.ts'
import { type Command, inProject } from '../../../kernel/memory/commands/command.ts'
import { type Context, limitOf } from '../../../kernel/memory/commands/context.ts'
import { bold, dim, harmless } from '../../../kernel/memory/commands/output.ts'
import { readForgotten } from '../../../kernel/sessions/disk/tombstones.ts'
import { askTeam, type ServerRow } from '../disk/ask.ts'
import { joinedTeam } from '../disk/home.ts'
import { withServer } from '../disk/work.ts'
import { teamWorldOf } from './team-world.ts'

const LIMIT_MS = 20_000

interface TeamSearchOptions {
  team?: boolean
  type?: string
  since?: string
  until?: string
  limit?: string
}

/** The search command with the option `--team`; without the option nothing changes. */
export function withTeamSearch(command: Command): Command {
  const ask = inProject((context, options, words) => runTeamSearch(context, options as TeamSearchOptions, words))
  const bothSearches: Command['run'] = async (world, options, words) => {
    if (options.json !== true) await command.run(world, options, words)
    return ask(world, options, words)
  }
  return {
    ...command,
    options: [...(command.options ?? []), { flags: '--team', about: "also ask the team's server" }],
    run: (world, options, words) =>
      (options as TeamSearchOptions).team === true && !isForRuns(options)
        ? bothSearches(world, options, words)
        : command.run(world, options, words),
  }
}

async function runTeamSearch(context: Context, options: TeamSearchOptions, words: readonly string[]): Promise<number> {
  const { store, world, out } = context
  const { places } = store
  const team = joinedTeam(places)
  const own = team.projects[places.project.key]
  const held = new Set(readOthers(places, 'team').map(({ who, id }) => `${who}:${id}`))
  const forgotten = readForgotten(store)
  const isHeld = (row: ServerRow): boolean =>
    row.project === own && (row.who === team.who || held.has(`${row.who}:${row.id}`) || isForgottenRow(row, forgotten))
  const { type: kinds, since, until, limit } = options
  const most = limit === undefined ? undefined : limitOf(limit)
  const request: SearchRequest = { query: words.join(' ').trim(), kinds, since, until, limit: most }
  const { hits, projects } = await withServer(team.url, teamWorldOf(world), LIMIT_MS, (server) =>
    askTeam(server, request, { now: Date.parse(world.now()), timezone: store.config.timezone }, isHeld),
  )
  out.json({ hits: hits.map((hit, i) => ({ ...hitJson(hit), project: projects[i] })) })
  if (out.isJson) return 0
  out.say(bold(hits.length === 0 ? "Nothing more on the team's server." : "On the team's server:"))
  hits.forEach((hit, i) => {
    out.say(...renderHit(hit, context), dim(`  ${harmless(projects[i] ?? '')}`), '')
  })
  return 0
}
