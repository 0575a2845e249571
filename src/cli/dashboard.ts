/** `dashboard`: a page to look at what is remembered, served on this machine only until it is ended. */

import type { Dashboard, DashboardOptions } from '../dashboard/server.ts'
import { type Command, inProject } from '../memory/commands/command.ts'
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
}

const MOST_PORT = 65_535
const IDLE_MINUTES = 30

export async function runDashboard(context: Context, options: Options): Promise<number> {
  const given = options.port ?? '0'
  if (!/^\d{1,5}$/.test(given) || Number(given) > MOST_PORT)
    throw new KeeperError('usage', `--port takes a whole number up to ${MOST_PORT}.`)
  const { world, out, store } = context
  const door = doorOf(context)
  const { root } = store.places.project
  const { now, version, around } = world
  const isInside = isStartedInside(world)
  const opened = await door.open({
    port: Number(given),
    idleMs: IDLE_MINUTES * 60_000,
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
    ],
    needsTerminal: true,
    example: 'memory-keeper dashboard --open',
    run: inProject(runDashboard),
  },
]
