/** The host as a person sees it: the real terminal interface, in a tmux server of its own. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Launch } from './headless.ts'
import { isRunning, killProcess } from './processes.ts'
import { openPane, type Pane } from './tmux.ts'
import { until } from './until.ts'

export interface Terminal {
  /** Process id of the host. */
  pid: number
  /** What is on the screen now; once closed, what was. */
  screen(): string
  type(text: string): Promise<void>
  enter(): Promise<void>
  /** A key by its tmux name: Escape, Up, C-c, BTab … */
  key(name: string): Promise<void>
  /** Types a prompt and presses Enter, no more: what follows is not awaited. */
  send(prompt: string): Promise<void>
  /** Sends a prompt and waits until the host is idle again. */
  say(prompt: string): Promise<void>
  /** Pastes a prompt as one block, presses Enter and waits until the host is idle again. */
  paste(prompt: string): Promise<void>
  waitFor(pattern: RegExp, timeoutMs?: number): Promise<void>
  waitUntilIdle(timeoutMs?: number): Promise<void>
  /** Leaves with /exit; gives the exit code. */
  exit(): Promise<number>
  /** kill -9: the host gets no chance to tidy up. */
  kill(): Promise<void>
  /** Closes the window; the host gets SIGHUP. */
  close(): Promise<void>
}

/** How long the screen stays as it is: once the host itself says that it is idle, and where it says nothing. */
const DRAWN_MS = 200
const QUIET_MS = 1_500
const KEY_MS = 100

/** What no screen shows. */
export interface Backstage {
  /** Whether the host waits for an answer. */
  isModelBusy(): boolean
  /** Our server and start hook: until the host knows its tools and has the hook's answer, a start is not over. */
  serverOf(hostPid: number): 'absent' | 'starting' | 'ready'
}

export async function openTerminal(launch: Launch, socket: string, backstage: Backstage): Promise<Terminal> {
  const variables = Object.entries(launch.env).map(([name, value]) => `${name}=${value}`)
  const pane = openPane(socket, launch.cwd, ['env', '-i', ...variables, launch.command, ...launch.args])
  const { screen } = pane
  const statusFile = join(launch.env.HOME ?? '', '.claude', 'sessions', `${pane.pid}.json`)
  let pressedAt = 0
  const wait = (what: string, look: () => boolean, timeoutMs = launch.timeoutMs) =>
    until(what, look, { timeoutMs, show: () => `The screen:\n${screen()}` })
  const waitFor = async (pattern: RegExp, timeoutMs?: number) => {
    await wait(`${pattern} on the screen`, () => pattern.test(screen()), timeoutMs)
  }
  const waitUntilIdle = async (timeoutMs?: number) => {
    // Nothing was typed yet: the host has just been started.
    const server = () => (pressedAt === 0 ? backstage.serverOf(pane.pid) : 'ready')
    const saysIdle = () => isIdleSince(pressedAt, readStatus(statusFile)) && server() === 'ready'
    const isBusy = () => backstage.isModelBusy() || server() === 'starting'
    await wait('the host to be idle', idleWatch(pane, isBusy, saysIdle), timeoutMs)
  }
  const press = (name: string) => {
    pressedAt = Date.now()
    pane.press(name)
  }
  const key = async (name: string) => {
    press(name)
    await sleep(KEY_MS)
  }
  const type = async (typed: string) => {
    pane.write(typed)
    // Enter right behind a burst of keys would count as part of a paste: wait until the text is on the screen.
    const tail = squeeze(typed).slice(-20)
    await wait(`"${typed}" in the input`, () => squeeze(screen()).includes(tail))
    await sleep(KEY_MS)
  }
  const send = async (prompt: string) => {
    await type(prompt)
    const before = screen()
    press('Enter')
    await wait('the prompt to be taken', () => screen() !== before)
  }

  await waitFor(/❯|Pane is dead/)
  await waitUntilIdle()
  if (pane.isDead()) throw new Error(`The host did not start:\n${screen()}`)
  return {
    ...{ pid: pane.pid, screen, type, key, send, waitFor, waitUntilIdle },
    enter: () => key('Enter'),
    say: async (prompt) => {
      await send(prompt)
      await waitUntilIdle()
    },
    paste: async (prompt) => {
      const empty = screen()
      pane.paste(prompt)
      await wait('the pasted text in the input', () => screen() !== empty)
      await sleep(KEY_MS)
      const before = screen()
      press('Enter')
      await wait('the prompt to be taken', () => screen() !== before)
      await waitUntilIdle()
    },
    exit: async () => {
      await send('/exit')
      // Asking tmux starts a process: not before the host is gone.
      await wait('the host to exit', () => !isRunning(pane.pid) && pane.isDead())
      return pane.exitCode()
    },
    kill: async () => {
      killProcess(pane.pid)
      await wait('the host to die', pane.isDead)
    },
    close: async () => {
      pane.close()
      await wait('the host to leave', () => !isRunning(pane.pid))
    },
  }
}

/** What the host tells other programs of itself: it writes this file whenever it begins and ends to work. */
interface HostStatus {
  status?: string
  statusUpdatedAt?: number
}

function readStatus(path: string): HostStatus {
  if (!existsSync(path)) return {}
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as HostStatus
  } catch {
    // Read while the host writes or removes it: the next look tells.
    return {}
  }
}

/** Idle again after a key, not idle still because the host has not begun. A command that starts no turn changes nothing. */
function isIdleSince(pressedAt: number, { status, statusUpdatedAt = 0 }: HostStatus): boolean {
  return status === 'idle' && statusUpdatedAt > pressedAt
}

/** Idle: nothing under way behind the screen, no offer to interrupt, and the same screen for a while. */
function idleWatch(pane: Pane, isBusy: () => boolean, saysIdle: () => boolean): () => boolean {
  let [last, since] = ['', Date.now()]
  return () => {
    // Looking at the screen starts a process: not while the answer is clear without it.
    const now = isBusy() ? null : pane.screen()
    if (now === null || now !== last || /esc to interrupt/i.test(now)) [last, since] = [now ?? '', Date.now()]
    return Date.now() - since >= (saysIdle() ? DRAWN_MS : QUIET_MS) || !isRunning(pane.pid)
  }
}

/** The screen breaks long lines and pads them: compare without any space. */
function squeeze(shown: string): string {
  return shown.replace(/\s+/g, '')
}
