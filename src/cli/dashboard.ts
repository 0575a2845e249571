/** `dashboard`: a page to look at what is remembered, served on this machine only until it is ended. */

import type { Dashboard, DashboardOptions } from '../dashboard/server.ts'
import { type Command, type ExitCode, inProject } from '../memory/commands/command.ts'
import { type Context, isInside as isStartedInside } from '../memory/commands/context.ts'
import { bold, dim, warning } from '../memory/commands/output.ts'
import { openStore } from '../memory/disk/store.ts'
import { locate, type Surroundings } from '../platform/disk/locate.ts'
import { KeeperError } from '../platform/error.ts'

/** What the program adds to it: secrets, signals, the browser. */
export interface Door {
  open(
    options: Omit<DashboardOptions, 'pageFile' | 'token' | 'cookie' | 'timezone' | 'uid' | 'examine'> & {
      root: string
      around: Surroundings
    },
  ): Promise<
    Dashboard & {
      /** In the user's browser. False: there is none. */
      openPage(): Promise<boolean>
    }
  >
  onInterrupt(end: () => void): void
}

interface Options {
  port?: string
  open?: boolean
  idle?: string
}

const MOST_PORT = 65_535
const IDLE_MINUTES = 30
const MOST_IDLE_MINUTES = 24 * 60

export function runDashboard(context: Context, options: Options): ExitCode {
  const port = numberOf('--port', options.port ?? '0', MOST_PORT)
  const idle = numberOf('--idle', options.idle ?? String(IDLE_MINUTES), MOST_IDLE_MINUTES)
  if (idle === 0) throw new KeeperError('usage', '--idle takes the minutes after which it ends, like --idle 60.')
  return serve(context, { port, idleMs: idle * 60_000, isOpened: options.open === true })
}

async function serve(
  context: Context,
  { port, idleMs, isOpened }: { port: number; idleMs: number; isOpened: boolean },
): Promise<number> {
  const { world, out, store } = context
  const door = doorOf(context)
  const { root } = store.places.project
  const { now, version, around } = world
  const isInside = isStartedInside(world)
  const opened = await door.open({
    port,
    idleMs,
    now,
    version,
    root,
    around,
    isInside,
    openStore: () => openStore(locate(root, around), { now }),
  })
  door.onInterrupt(opened.close)
  out.json({ url: opened.url, port: opened.port, ...(isInside ? { lookingOnly: true } : {}) })
  out.say(
    `${bold('Memory Keeper')} of ${root} is at`,
    `  ${opened.url}`,
    dim(`Only this machine can open it. It ends with Ctrl+C, or when nobody has looked at it for ${minutes(idleMs)}.`),
  )
  if (isInside)
    out.warn(warning('Started inside Claude Code: looking only. Run it in a terminal of your own to change things.'))
  if (isOpened && !(await opened.openPage()))
    out.warn(warning('No browser could be started: open the address yourself.'))
  const why = await opened.ended
  out.say(why === 'idle' ? `Nobody has looked at it for ${minutes(idleMs)}: ended.` : 'Ended.')
  return 0
}

function minutes(ms: number): string {
  const count = ms / 60_000
  return `${count} ${count === 1 ? 'minute' : 'minutes'}`
}

function numberOf(option: string, given: string, most: number): number {
  if (/^\d{1,6}$/.test(given) && Number(given) <= most) return Number(given)
  throw new KeeperError('usage', `${option} takes a whole number up to ${most}.`)
}

function doorOf({ world }: Context): Door {
  if (world.dashboard === undefined)
    throw new KeeperError(
      'no-page',
      'The page belongs to the built program: npm run build, then plugin/bin/memory-keeper.',
    )
  return world.dashboard as Door
}

export const DASHBOARD_COMMANDS: readonly Command[] = [
  {
    usage: 'dashboard',
    about: 'a page to look at and correct what is remembered, on this machine only, until Ctrl+C',
    options: [
      { flags: '--port <n>', about: 'this port; any free one without it' },
      { flags: '--open', about: 'open it in the browser' },
      { flags: '--idle <minutes>', about: 'end when nobody has looked at it for so long, 30 by default' },
    ],
    isLive: true,
    needsTerminal: true,
    example: 'memory-keeper dashboard --open',
    run: inProject(runDashboard),
  },
]
