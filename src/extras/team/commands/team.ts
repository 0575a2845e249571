/** `team`: the administrator's set-up, joining, what is shared, what was sent and received, leaving. */
import path from 'node:path'
import { type Command, type ExitCode, inProject, type Option } from '../../../kernel/memory/commands/command.ts'
import type { Context } from '../../../kernel/memory/commands/context.ts'
import { bold, count, dim, good, harmless, oneLine, warning } from '../../../kernel/memory/commands/output.ts'
import type { Places } from '../../../kernel/platform/disk/locate.ts'
import { KeeperError } from '../../../kernel/platform/error.ts'
import { originOf } from '../../../kernel/trust/disk/git-head.ts'
import { keyOfAddress } from '../../../kernel/trust/project-key.ts'
import { isWho } from '../../../kernel/trust/share-files.ts'
import { parseAddress, shownAddress } from '../address.ts'
import { joinedTeam, keepTeam, NO_TEAM, readStatus, readTeam, teamLine } from '../disk/home.ts'
import { dropPerson, purgeMirror } from '../disk/mirror.ts'
import { forgetOutbox, waitingIn } from '../disk/outbox.ts'
import { teamWork, withServer } from '../disk/work.ts'
import { receivedRow } from '../row.ts'
import { type InitOptions, NAMES, randomText, runInit } from './team-init.ts'
import { teamWorldOf, withPassword } from './team-world.ts'

const LIMIT_MS = 60_000

const helloOf = ({ world }: Context, url: string) =>
  withServer(url, teamWorldOf(world), LIMIT_MS, (server) => server.hello())

function runJoin(context: Context, given: string): ExitCode {
  const { out, isDryRun, store } = context
  const server = shownAddress(given)
  const before = readTeam(store.places)
  const isSame = before !== null && shownAddress(before.url) === server
  const keptPassword = isSame ? parseAddress(before.url).password : null
  return withPassword(context.world, given, keptPassword).then(async (url) => {
    const { who, projects } = await helloOf(context, url)
    if (!isWho(who))
      throw new KeeperError('usage', `The role ${harmless(who)} cannot be shown to others: its name needs ${NAMES}.`)
    const kept = isSame ? before : { muted: [], projects: {} }
    if (!isDryRun) keepTeam(store.places, { ...kept, url, machine: before?.machine ?? randomText(9), who })
    out.json({ server, who, projects, dryRun: isDryRun })
    out.say(
      `${isDryRun ? 'Would join' : 'Joined'} ${bold(server)} as ${bold(who)}. Nothing is sent yet.`,
      `Projects there: ${projects.map(harmless).join(', ') || 'you are a member of none, ask the administrator'}`,
      'To share one, in its directory: memory-keeper team share <project>',
    )
    return 0
  })
}

function runShare(context: Context, named: string | undefined): ExitCode {
  const { out, store, isDryRun } = context
  const { places } = store
  const team = joinedTeam(places)
  const shared = team.projects[places.project.key]
  if (store.ownership === 'foreign')
    throw new KeeperError('foreign', `${places.inProject} is not trusted. Look at it first: memory-keeper trust`)
  return helloOf(context, team.url).then(({ projects }) => {
    const project = named ?? shared ?? keyOfAddress(originOf(places.project.root))
    if (project === null || !projects.includes(project)) throw new KeeperError('no-member', notAMember(projects))
    const next = { ...team, projects: { ...team.projects, [places.project.key]: project } }
    const waiting = waitingIn(store, next, project).length
    if (!isDryRun) {
      // Those of another project on the server, if this directory was shared under that name before.
      if (shared !== undefined && shared !== project) unshare(places)
      keepTeam(places, next)
    }
    out.json({ project, shared: true, waiting, dryRun: isDryRun })
    out.say(
      `${isDryRun ? 'Would share' : 'Sharing'} ${places.project.root} as ${bold(project)}: ${count(waiting, 'row')} to be sent, at the end of each session or with memory-keeper team publish`,
      'To see them first: memory-keeper team publish --dry-run',
    )
    return 0
  })
}

function notAMember(projects: readonly string[]): string {
  return `Which project of the server is this? You are a member of: ${projects.map(harmless).join(', ') || 'none'}. The administrator adds others: memory-keeper team init --add --of`
}

function runUnshare({ out, store: { places }, isDryRun }: Context): number {
  const team = joinedTeam(places)
  const { [places.project.key]: project, ...projects } = team.projects
  if (project === undefined) throw new KeeperError('not-shared', 'This project is not shared with a team.')
  if (!isDryRun) {
    keepTeam(places, { ...team, projects })
    unshare(places)
  }
  out.json({ project, shared: false, dryRun: isDryRun })
  out.say(
    `${isDryRun ? 'Would stop' : 'Stopped'} sharing ${bold(project)}. What was sent stays there: memory-keeper team leave --erase deletes it.`,
  )
  return 0
}

/** Deletes here everything that teammates sent. */
function unshare(places: Places): void {
  purgeMirror(places)
  forgetOutbox(places)
}

function runPublish({ world, out, store, isDryRun }: Context): ExitCode {
  const { places } = store
  const team = joinedTeam(places)
  const project = team.projects[places.project.key]
  if (project === undefined)
    throw new KeeperError('not-shared', 'This project is not shared. To share it: memory-keeper team share <project>')
  if (!isDryRun)
    return teamWork(store, teamWorldOf(world)).then((done) => {
      if (done === null)
        throw new KeeperError(
          'team',
          readStatus(places).fault?.text ?? 'Another process is exchanging with the server. Try again in a moment.',
        )
      out.json({ project, ...done })
      out.say(`${good('done')} ${count(done.sent, 'row')} sent, ${count(done.received, 'row')} received.`)
      return 0
    })
  const waiting = waitingIn(store, team, project)
  const rows = waiting.map(({ key, body }) => ({
    key,
    row: body === null ? null : receivedRow(team.who, body, world.now()),
  }))
  out.json({ project, waiting: rows, dryRun: true })
  out.say(
    `${count(rows.length, 'row')} would be sent to ${bold(project)}.`,
    ...rows.map(({ key, row }) =>
      row === null
        ? `  ${key}  ${dim('is deleted on the server')}`
        : `  ${oneLine(`${key}  ${row.type}  ${row.text}`, world.columns - 2)}`,
    ),
  )
  return 0
}

function runStatus({ out, store }: Context): number {
  const { places } = store
  const team = readTeam(places)
  const project = team?.projects[places.project.key] ?? null
  const status = readStatus(places)
  const waiting = team === null || project === null ? 0 : waitingIn(store, team, project).length
  const server = team === null ? null : shownAddress(team.url)
  out.json({ server, who: team?.who ?? null, project, muted: team?.muted ?? [], ...status, waiting })
  out.say(teamLine(places, store.config.timezone, waiting)?.text ?? NO_TEAM)
  if (team === null) return 0
  const named = (all: readonly string[]): string => all.map(harmless).join(', ') || 'none'
  out.say(
    `Shared projects: ${named(Object.values(team.projects))}. Muted people: ${named(team.muted)}.`,
    ...(status.fault === null ? [] : [warning(`Since ${status.fault.at}: ${harmless(status.fault.text)}`)]),
  )
  return 0
}

function runMute({ out, store: { places }, isDryRun }: Context, who: string, isOff: boolean): number {
  const team = joinedTeam(places)
  if (!isWho(who)) throw new KeeperError('usage', `"${harmless(who)}" cannot be a name: ${NAMES}.`)
  const muted = isOff ? team.muted.filter((one) => one !== who) : [...new Set([...team.muted, who])]
  if (!isDryRun) {
    keepTeam(places, { ...team, muted })
    for (const key of Object.keys(team.projects)) {
      // The mirror is deleted, so that all rows of this person are read again.
      if (isOff) purgeMirror(placesOf(places, key))
      else dropPerson(placesOf(places, key), who)
    }
  }
  out.json({ muted, dryRun: isDryRun })
  out.say(
    isOff
      ? `Rows of ${who} are read again, with the next session.`
      : `Nothing of ${who} is kept or injected here any more.`,
  )
  return 0
}

function runLeave(context: Context, isErase: boolean): ExitCode {
  const { out, isDryRun } = context
  const { places } = context.store
  const team = joinedTeam(places)
  const leave = (erased: number): number => {
    if (!isDryRun) {
      for (const key of Object.keys(team.projects)) unshare(placesOf(places, key))
      keepTeam(places, null)
    }
    out.json({ server: shownAddress(team.url), erased, dryRun: isDryRun })
    out.say(
      `${isDryRun ? 'Would leave' : 'Left'} ${bold(shownAddress(team.url))}. What teammates sent is deleted here.`,
      isErase
        ? `${count(erased, 'row')} of yours deleted on the server; mirrors delete them with their next exchange.`
        : 'What you sent stays on the server.',
    )
    return 0
  }
  if (!isErase || isDryRun) return leave(0)
  return withServer(team.url, teamWorldOf(context.world), LIMIT_MS, (server) => server.erase()).then(leave)
}

/** The places of another project of this machine. */
function placesOf(places: Places, key: string): Places {
  return { ...places, project: { ...places.project, key }, others: path.join(path.dirname(places.others), key) }
}

type Options = InitOptions & { off?: boolean; erase?: boolean }
type Run = (context: Context, options: Options, args: string[]) => ExitCode

const row = (usage: string, about: string, example: string, run: Run, options: readonly Option[] = []): Command => ({
  usage: `team ${usage}`,
  about,
  options,
  example: `memory-keeper team ${example}`,
  writes: true,
  run: inProject((context, given, args) => run(context, given as Options, args)),
})

export const TEAM_COMMANDS: readonly Command[] = [
  row(
    'init <url>',
    'for the administrator: create or update the tables on a PostgreSQL server, add and remove people',
    'init postgres://admin@db.example.com/team --add alice --of github.com/acme/shop',
    (context, options, [url = '']) => runInit(context, url, options),
    [
      { flags: '--of <project>', about: 'the project that people are added to or removed from', isRepeatable: true },
      { flags: '--add <who>', about: 'a member; a role is created, with a password shown once', isRepeatable: true },
      { flags: '--remove <who>', about: 'end a membership, of all projects without --of', isRepeatable: true },
    ],
  ),
  row(
    'join <url>',
    'name the server of your team, which asks for your password; nothing is sent before a project is shared',
    'join postgres://alice@db.example.com/team',
    (context, _, [url = '']) => runJoin(context, url),
  ),
  row(
    'share [project]',
    'share this project with the team, under its name on the server',
    'share github.com/acme/shop',
    (context, { off }, [project]) => (off === true ? runUnshare(context) : runShare(context, project)),
    [{ flags: '--off', about: 'stop sharing it, and delete here what teammates sent' }],
  ),
  row('publish', 'send waiting rows and receive new ones, now', 'publish --dry-run', runPublish),
  {
    usage: 'team status',
    about: 'which server, what is shared, what waits, and what went wrong',
    example: 'memory-keeper team status',
    run: inProject(runStatus),
  },
  row(
    'mute <who>',
    'keep and inject nothing of one teammate on this machine',
    'mute bob',
    (context, { off }, [who = '']) => runMute(context, who, off === true),
    [{ flags: '--off', about: 'read their rows again' }],
  ),
  row(
    'leave',
    'leave the team and delete here what teammates sent',
    'leave --erase',
    (context, { erase }) => runLeave(context, erase === true),
    [{ flags: '--erase', about: 'also delete what you sent to the server' }],
  ),
]
