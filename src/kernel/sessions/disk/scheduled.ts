/** ReadTrace up in a session's transcripts whether a schedule was given a line. Nothing is read but for an order that somebody typed. */
import { readBelow } from '../../platform/disk/files.ts'
import { isObject, parseObject } from '../../platform/json.ts'
import { theAgent } from '../../transcript/agent.ts'
import { isSameLine } from '../../transcript/same-line.ts'
import { readFrom } from './cursor.ts'
import { listAgents } from './transcripts.ts'

const NEWLINE = 0x0a

/** Schedules that outlive their session; a repository may bring them. */
const TASKS_FILE = '.claude/scheduled_tasks.json'
const MOST_BYTES = 4 * 1024 * 1024

/** `dirs`: where the host may keep schedules. `mark`: occurs in every line that could contain the order. */
export function isScheduled(
  { transcript, dirs }: { transcript: string; dirs: readonly string[] },
  order: string,
  mark: string,
): boolean {
  // Claude may schedule from inside a subagent as well.
  const { schedules } = theAgent()
  const files = [transcript, ...listAgents(transcript).map(({ path }) => path)]
  return (
    dirs.some((dir) => promptsIn(dir).some((prompt) => isSameLine(prompt, order))) ||
    files.some((file) => linesWith(file, mark).some((line) => schedules(line, order)))
  )
}

function promptsIn(dir: string): unknown[] {
  const tasks = parseObject(readBelow(dir, TASKS_FILE, MOST_BYTES) ?? '')?.tasks
  return Array.isArray(tasks) ? tasks.flatMap((task: unknown) => (isObject(task) ? [task.prompt] : [])) : []
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
