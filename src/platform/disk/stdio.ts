/** Standard input and output of a program, by their file descriptors. */
import fs from 'node:fs'
import { codeOf, pause, tooLarge, unlessFails } from './files.ts'

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

/** Writes to the file descriptor: creating the stream of `process.stdout` takes milliseconds. */
export function writeStdout(text: string): void {
  if (text !== '') fs.writeSync(1, text)
}

/** True if the descriptor is a socket to the program that started us, not a file, pipe or terminal. */
export function isSocket(fd: number): boolean {
  return unlessFails(() => fs.fstatSync(fd).isSocket(), false)
}
