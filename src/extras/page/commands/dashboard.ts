/** `dashboard`: a page for looking at the memory, served on this machine only until it is stopped. */

import { knownProjects } from '../../../core/health/disk/projects.ts'
import { type Command, inProject } from '../../../kernel/memory/commands/command.ts'
import { type Context, isInside as isStartedInside, programIn } from '../../../kernel/memory/commands/context.ts'
import { bold, dim, warning } from '../../../kernel/memory/commands/output.ts'
import { KeeperError } from '../../../kernel/platform/error.ts'
import { fingerprint } from '../../../kernel/text/fingerprint.ts'
import type { Door } from '../door.ts'
import { doorIn } from '../program.ts'
import { lookAtHealth } from '../server/views/overview.ts'

interface Options {
  port?: string
  open?: boolean
  all?: boolean
}

const MOST_PORT = 65_535
const IDLE_MINUTES = 30
/** A range of ports that no system gives to programs asking for any port, and that no browser blocks. */
const OWN_PORTS = { first: 20_000, count: 10_000 }

/** The same for this user at every start, so that a bookmark works. */
function ownPort(homeDir: string): number {
  return OWN_PORTS.first + (Number.parseInt(fingerprint(homeDir).slice(0, 8), 16) % OWN_PORTS.count)
}

export async function runDashboard(context: Context, options: Options, door = doorOf(context)): Promise<number> {
  const { world, out, store } = context
  const given = options.port ?? String(ownPort(store.places.homeDir))
  if (!/^\d{1,5}$/.test(given) || Number(given) > MOST_PORT)
    throw new KeeperError('usage', `--port takes a whole number up to ${MOST_PORT}.`)
  const { root } = store.places.project
  const { now, version, around } = world
  const isInside = isStartedInside(world)
  if (options.all === true && isInside)
    throw new KeeperError(
      'usage',
      'Inside Claude Code one project is shown. Run dashboard --all in a terminal of your own.',
    )
  const opened = await door.open({
    port: Number(given),
    orAny: options.port === undefined,
    idleMs: IDLE_MINUTES * 60_000,
    now,
    version,
    root,
    around,
    isInside,
    ...(options.all === true ? { others: () => knownProjects(store) } : {}),
  })
  door.onInterrupt(opened.close)
  const { url, port, takenPort } = opened
  const taken = takenPort === undefined ? {} : { takenPort }
  out.json({ url, port, ...taken, ...(isInside ? { lookingOnly: true } : {}) })
  out.say(
    `${bold('Memory Keeper')} of ${options.all === true ? 'all projects' : root} is at`,
    `  ${url}`,
    dim(
      takenPort === undefined
        ? `You can bookmark http://127.0.0.1:${port}/ in the browser that opens it: the bookmark works whenever this runs.`
        : `Port ${takenPort} is in use, perhaps by another dashboard, so this one took another: a bookmark does not open it.`,
    ),
    dim(`Only this machine can open it. It ends with Ctrl+C, or ${IDLE_MINUTES} minutes after the last request.`),
  )
  if (isInside)
    out.warn(warning('Started inside Claude Code: looking only. Run it in a terminal of your own to change things.'))
  if (options.open === true && !(await opened.openPage()))
    out.warn(warning('No browser could be started: open the address yourself.'))
  const why = await opened.ended
  out.say(why === 'idle' ? `No request for ${IDLE_MINUTES} minutes: ended.` : 'Ended.')
  return 0
}

/** For a skill: the page outlives the command, and ends by itself. There is one for each project. */
export async function startDashboard(context: Context, door = doorOf(context)): Promise<number> {
  const { root } = context.store.places.project
  const url = await door.start(root, context.world.around)
  if (url === null)
    throw new KeeperError(
      'no-page',
      `The page could not be started. Run it in a terminal of your own: ${programIn(context.world)} dashboard`,
    )
  context.out.json({ url })
  context.out.say(
    `Memory Keeper: the page of ${root} is at`,
    `  ${url}`,
    `Only this machine can open it. It ends by itself ${IDLE_MINUTES} minutes after the last request.`,
  )
  return 0
}

function doorOf({ world }: Context): Door {
  const { programs } = world
  if (programs === undefined)
    throw new KeeperError(
      'no-page',
      'The page belongs to the built program: npm run build, then plugin/bin/memory-keeper.',
    )
  return doorIn(programs, world)
}

/** The health check, which the page runs in a process of its own. */
function printHealth({ store, world }: Context): number {
  world.streams.out(JSON.stringify(lookAtHealth(store, { now: world.now(), nodeVersion: world.nodeVersion })))
  return 0
}

export const DASHBOARD_COMMANDS: readonly Command[] = [
  {
    usage: 'dashboard',
    about: 'a page to view and correct the memory: on this machine only, until Ctrl+C',
    options: [
      { flags: '--port <n>', about: 'this port; without it always the same one of yours, or any if that is taken' },
      { flags: '--open', about: 'open it in the browser' },
      { flags: '--all', about: 'all projects of this machine that you trust' },
    ],
    needsTerminal: true,
    example: 'memory-keeper dashboard --open',
    run: inProject((context, options) => runDashboard(context, options)),
  },
  {
    usage: 'page-health',
    about: 'the findings of the doctor, for the page',
    isHidden: true,
    isVerbatim: true,
    example: 'memory-keeper page-health',
    run: inProject(printHealth),
  },
]
