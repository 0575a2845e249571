/** Looks up in a session's transcripts whether a schedule was given a line. Nothing is read but for an order that somebody typed. */
import { schedules } from '../../transcript/scheduled.ts'
import { readFrom } from './cursor.ts'
import { listAgents } from './transcripts.ts'

const NEWLINE = 0x0a

/** Claude may schedule from inside a subagent as well. `mark`: occurs in every line that could contain the order. */
export function isScheduled(transcript: string, order: string, mark: string): boolean {
  const files = [transcript, ...listAgents(transcript).map(({ path }) => path)]
  return files.some((file) => linesWith(file, mark).some((line) => schedules(line, order)))
}

function linesWith(file: string, mark: string): string[] {
  const lines: string[] = []
  for (let offset = 0, isLast = false; !isLast; ) {
    const piece = readFrom(file, offset)
    const end = piece.isLast ? piece.bytes.length : piece.bytes.lastIndexOf(NEWLINE) + 1
    for (let at = piece.bytes.indexOf(mark); at >= 0 && at < end; ) {
      const from = piece.bytes.lastIndexOf(NEWLINE, at) + 1
      const close = piece.bytes.indexOf(NEWLINE, at)
      const to = close < 0 ? end : close
      lines.push(piece.bytes.toString('utf8', from, to))
      at = piece.bytes.indexOf(mark, to)
    }
    offset += end
    isLast = piece.isLast
  }
  return lines
}
