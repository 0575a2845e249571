/** Standard input and output of a program, and pipes between two of them, by their file descriptors. */
import fs from 'node:fs'
import path from 'node:path'
import { KeeperError } from '../error.ts'
import { codeOf, isOursAlone, isOwnDir, NO_LINK, NO_WAIT, pause, tooLarge, unlessFails } from './files.ts'

const MOST_STDIN_BYTES = 64 * 1024 * 1024

export function readStdin(): string {
  return readInput({ isEnough: () => false, mayPoll: true })
}

/** The lines that were sent so far: at least one, or none if the input has ended. Fails where it would have to poll for the first one. */
export function readStdinLines(): string {
  return readInput({ isEnough: (part) => part.at(-1) === LINE_END, mayPoll: false })
}

const LINE_END = 0x0a

function readInput({ isEnough, mayPoll }: { isEnough: (part: Buffer) => boolean; mayPoll: boolean }): string {
  const parts: Buffer[] = []
  const buffer = Buffer.allocUnsafe(65_536)
  for (let bytes = 0; ; ) {
    try {
      const count = fs.readSync(0, buffer, 0, buffer.length, null)
      if (count === 0) break
      bytes += count
      if (bytes > MOST_STDIN_BYTES) throw tooLarge('standard input', MOST_STDIN_BYTES)
      const part = Buffer.from(buffer.subarray(0, count))
      parts.push(part)
      if (isEnough(part)) break
    } catch (error) {
      const code = codeOf(error)
      if (code === 'EOF') break
      // A terminal or a slow pipe has no input yet.
      if (code !== 'EAGAIN' || (bytes === 0 && !mayPoll)) throw error
      pause(2)
    }
  }
  return Buffer.concat(parts).toString('utf8')
}

/** A line that is typed at a terminal, of which nothing is shown. Throws where the person leaves instead. */
export function askSecret(
  question: string,
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
): Promise<string> {
  const { createInterface } = process.getBuiltinModule('node:readline')
  const { Writable } = process.getBuiltinModule('node:stream')
  const nowhere = new Writable({ write: (_, __, done) => done() })
  output.write(question)
  const lines = createInterface({ input, output: nowhere, terminal: true, historySize: 0 })
  return new Promise((resolve, reject) => {
    lines.once('line', (line) => {
      resolve(line)
      lines.close()
    })
    lines.once('close', () => {
      output.write('\n')
      reject(new KeeperError('no-password', 'No password was given: nothing was done.'))
    })
  })
}

/** Writes to the file descriptor: creating the stream of `process.stdout` takes milliseconds. */
export function writeStdout(text: string): void {
  if (text !== '') fs.writeSync(1, text)
}

/** True if the descriptor is a socket to the program that started us, not a file, pipe or terminal. */
export function isSocket(fd: number): boolean {
  return unlessFails(() => fs.fstatSync(fd).isSocket(), false)
}

/** A named pipe for this user alone. False: this system has none. */
export function makePipe(file: string): boolean {
  if (process.platform === 'win32') return false
  const { spawnSync } = process.getBuiltinModule('node:child_process')
  const options = { stdio: 'ignore', timeout: MAKE_PIPE_MS } as const
  return MKFIFO.some((program) => spawnSync(program, ['-m', '600', file], options).status === 0)
}

/** Node has no function for it. Not by PATH, in which a directory of the project may stand. */
const MKFIFO = ['/usr/bin/mkfifo', '/bin/mkfifo']
const MAKE_PIPE_MS = 1_000

/** A named pipe that is ours, opened without waiting. Null: it is something else, or nobody reads what would be written. */
export function openPipe(file: string, way: 'read' | 'write'): number | null {
  const { O_RDWR, O_WRONLY } = fs.constants
  // A reader that could not write as well would see an end whenever a writer leaves.
  const flags = (way === 'read' ? O_RDWR : O_WRONLY) | NO_LINK | NO_WAIT
  const fd = unlessFails<number | null>(() => fs.openSync(file, flags), null)
  if (fd === null || isOwnPipe(fd, file)) return fd
  fs.closeSync(fd)
  return null
}

function isOwnPipe(fd: number, file: string): boolean {
  const stats = fs.fstatSync(fd)
  return stats.isFIFO() && isOursAlone(stats) && isOwnDir(path.dirname(file))
}

/** Whole or not at all, up to 512 bytes. False: the pipe is full. */
export function writePipe(fd: number, bytes: Buffer): boolean {
  try {
    fs.writeSync(fd, bytes)
    return true
  } catch (error) {
    if (codeOf(error) === 'EAGAIN') return false
    throw error
  }
}

export function closePipe(fd: number): void {
  fs.closeSync(fd)
}
