/** The host without a screen: one-shot prompts, and a conversation over stream-json. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { until } from './until.ts'

export interface Launch {
  command: string
  args: string[]
  cwd: string
  env: Record<string, string>
  timeoutMs: number
}

export interface Finished {
  /** Null when a signal ended it. */
  exitCode: number | null
  stdout: string
  stderr: string
}

/** One line of stream-json output. */
export type OutputLine = Record<string, unknown> & { type: string }

export interface Reply {
  sessionId: string
  /** What the host says the answer is; null when it ended without one. */
  result: string | null
  isError: boolean
  lines: OutputLine[]
}

export interface PrintRun extends Reply {
  exitCode: number | null
  stderr: string
}

/** A prompt in one piece, or in the blocks of a client that adds some of its own, such as an editor. */
export type Prompt = string | readonly { type: 'text'; text: string }[]

export interface Talk {
  pid: number
  /** Sends a prompt and waits for its result. */
  say(prompt: Prompt): Promise<Reply>
  /** Waits for a result nobody asked for: the turn after a background agent has finished. */
  nextReply(): Promise<Reply>
  /** Closes stdin, as a client does that has nothing more to say, and waits for the host to leave. */
  end(): Promise<PrintRun>
  kill(): Promise<void>
}

export async function runToEnd(launch: Launch): Promise<Finished> {
  const { child, isOver } = start(launch)
  child.stdin.end()
  const [stdout, stderr] = [gather(child.stdout), gather(child.stderr)]
  // A process that outlives the host and holds on to its output keeps this waiting, as it would a user's pipe.
  const what = `claude ${launch.args.join(' ')} to end`
  await until(what, isOver, { timeoutMs: launch.timeoutMs, show: () => stdout() + stderr() })
  return { exitCode: child.exitCode, stdout: stdout(), stderr: stderr() }
}

export async function runPrint(launch: Launch): Promise<PrintRun> {
  const { exitCode, stdout, stderr } = await runToEnd(launch)
  const lines = stdout.split('\n').flatMap(parseLine)
  return { ...toReply(lines), exitCode, stderr }
}

export function startTalk(launch: Launch): Talk {
  const { child, isOver } = start(launch)
  const stderr = gather(child.stderr)
  const lines: OutputLine[] = []
  let replied = 0
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(...parseLine(line)))
  const wait = { timeoutMs: launch.timeoutMs, show: stderr }
  const over = () => until('the host to leave', isOver, wait)

  const nextReply = async (): Promise<Reply> => {
    const isNew = (line: OutputLine, index: number) => index >= replied && isResult(line)
    await until('a result', () => isOver() || lines.some(isNew), wait)
    const last = lines.findIndex(isNew)
    const told = lines.slice(replied, last < 0 ? undefined : last + 1)
    replied += told.length
    return toReply(told)
  }
  return {
    pid: child.pid ?? 0,
    nextReply,
    say: (prompt) => {
      child.stdin.write(`${JSON.stringify({ type: 'user', message: { role: 'user', content: prompt } })}\n`)
      return nextReply()
    },
    end: async () => {
      child.stdin.end()
      await over()
      return { ...toReply(lines), exitCode: child.exitCode, stderr: stderr() }
    },
    kill: async () => {
      child.kill('SIGKILL')
      await over()
    },
  }
}

interface Started {
  child: ChildProcessWithoutNullStreams
  isOver: () => boolean
}

function start({ command, args, cwd, env }: Launch): Started {
  const child = spawn(command, args, { cwd, env })
  let state: 'running' | 'over' | Error = 'running'
  child.on('close', () => {
    state = 'over'
  })
  child.on('error', (error) => {
    state = error
  })
  // Writing to a host that was just killed is part of some stories; the missing result tells.
  child.stdin.on('error', (error) => child.stderr.emit('data', String(error)))
  const isOver = () => {
    if (state instanceof Error) throw state
    return state === 'over'
  }
  return { child, isOver }
}

/** What came out of a stream so far. */
function gather(stream: Readable): () => string {
  let gathered = ''
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    gathered += chunk
  })
  return () => gathered
}

function toReply(lines: OutputLine[]): Reply {
  const last = lines.findLast(isResult)
  const named = lines.find((line) => typeof line.session_id === 'string')
  return {
    sessionId: typeof named?.session_id === 'string' ? named.session_id : '',
    result: typeof last?.result === 'string' ? last.result : null,
    isError: last === undefined || last.is_error === true,
    lines,
  }
}

function isResult(line: OutputLine): boolean {
  return line.type === 'result'
}

/** The host's stdout is JSON lines only; anything else is kept as it is, so that a test can see it. */
function parseLine(line: string): OutputLine[] {
  if (line === '') return []
  if (!line.startsWith('{')) return [{ type: 'text', text: line }]
  return [JSON.parse(line) as OutputLine]
}
