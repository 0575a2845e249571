/** The host as a person sees it: the real terminal interface, in a tmux server of its own. */
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
  waitFor(pattern: RegExp, timeoutMs?: number): Promise<void>
  waitUntilIdle(timeoutMs?: number): Promise<void>
  /** Leaves with /exit; gives the exit code. */
  exit(): Promise<number>
  /** kill -9: the host gets no chance to tidy up. */
  kill(): Promise<void>
  /** Closes the window; the host gets SIGHUP. */
  close(): Promise<void>
}

const QUIET_MS = 1_500
const KEY_MS = 100

/** `isModelBusy` tells what no screen shows: whether the host still waits for an answer. */
export async function openTerminal(launch: Launch, socket: string, isModelBusy: () => boolean): Promise<Terminal> {
  const variables = Object.entries(launch.env).map(([name, value]) => `${name}=${value}`)
  const pane = openPane(socket, launch.cwd, ['env', '-i', ...variables, launch.command, ...launch.args])
  const { screen } = pane
  const wait = (what: string, look: () => boolean, timeoutMs = launch.timeoutMs) =>
    until(what, look, { timeoutMs, show: () => `The screen:\n${screen()}` })
  const waitFor = async (pattern: RegExp, timeoutMs?: number) => {
    await wait(`${pattern} on the screen`, () => pattern.test(screen()), timeoutMs)
  }
  const waitUntilIdle = async (timeoutMs?: number) => {
    await wait('the host to be idle', idleWatch(pane, isModelBusy), timeoutMs)
  }
  const key = async (name: string) => {
    pane.press(name)
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
    await key('Enter')
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
    exit: async () => {
      await send('/exit')
      await wait('the host to exit', pane.isDead)
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

/** Idle: the same screen for a while, no offer to interrupt, no request under way. */
function idleWatch(pane: Pane, isModelBusy: () => boolean): () => boolean {
  let [last, since] = ['', Date.now()]
  return () => {
    const now = pane.screen()
    const isWorking = isModelBusy() || /esc to interrupt/i.test(now)
    if (now !== last || isWorking) [last, since] = [now, Date.now()]
    return pane.isDead() || Date.now() - since >= QUIET_MS
  }
}

/** The screen breaks long lines and pads them: compare without any space. */
function squeeze(shown: string): string {
  return shown.replace(/\s+/g, '')
}
