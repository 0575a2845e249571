/** One program in one window of a tmux server of its own. */
import { spawnSync } from 'node:child_process'
import { statSync } from 'node:fs'

export interface Pane {
  pid: number
  /** What is in the window now; once closed, what was. */
  screen(): string
  /** Whether the program has ended; its last screen stays. */
  isDead(): boolean
  exitCode(): number
  press(key: string): void
  write(text: string): void
  /** From the clipboard, as one block. */
  paste(text: string): void
  close(): void
}

const SIZE = ['-x', '160', '-y', '50']

export function openPane(socket: string, cwd: string, program: readonly string[]): Pane {
  // remain-on-exit keeps the last screen and the exit code of a program that has gone.
  const options = ['set', '-g', 'remain-on-exit', 'on', ';', 'set', '-g', 'escape-time', '0', ';']
  const session = ['new-session', '-d', ...SIZE, '-c', cwd, '--', ...program]
  // All that the program writes, so that the screen is captured only after something was written.
  const written = `${socket}.written`
  const record = [';', 'pipe-pane', '-o', `cat > ${written}`]
  tmux(socket, ['-f', '/dev/null', 'start-server', ';', ...options, ...session, ...record])
  const ask = (format: string) => tmux(socket, ['display-message', '-p', format]).trim()
  let last = { size: -1, screen: '' }
  let isOpen = true
  const screen = () => {
    const size = statSync(written, { throwIfNoEntry: false })?.size ?? 0
    if (isOpen && size !== last.size) last = { size, screen: tmux(socket, ['capture-pane', '-p']).trimEnd() }
    return last.screen
  }
  return {
    pid: Number(ask('#{pane_pid}')),
    screen,
    isDead: () => ask('#{pane_dead}') === '1',
    exitCode: () => Number(ask('#{pane_dead_status}')),
    press: (key) => {
      tmux(socket, ['send-keys', key])
    },
    write: (text) => {
      tmux(socket, ['send-keys', '-l', '--', text])
    },
    paste: (text) => {
      tmux(socket, ['set-buffer', '--', text, ';', 'paste-buffer', '-p'])
    },
    close: () => {
      screen()
      isOpen = false
      tmux(socket, ['kill-server'])
    },
  }
}

/** Also when the server is gone or never started: ending twice is fine. */
export function endTmux(socket: string): void {
  tmux(socket, ['-f', '/dev/null', 'start-server', ';', 'kill-server'])
}

function tmux(socket: string, args: readonly string[]): string {
  const env = { PATH: '/usr/bin:/bin', TERM: 'xterm-256color', LANG: 'C.UTF-8' }
  const { status, stdout, stderr } = spawnSync('tmux', ['-S', socket, ...args], { encoding: 'utf8', env })
  if (status !== 0) throw new Error(`tmux ${args.slice(0, 2).join(' ')} failed: ${stderr}`)
  return stdout
}
