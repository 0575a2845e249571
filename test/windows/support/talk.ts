/** Speaks with the MCP server as the host does: lines of JSON-RPC on its standard streams. */
import type { ChildProcess } from 'node:child_process'
import type { TestContext } from 'node:test'
import { type Place, program, start, until } from './place.ts'

interface Answer {
  id: number
  result?: { tools?: { name: string }[]; content?: { text: string }[]; isError?: boolean }
}

export interface Server {
  child: ChildProcess
  ask(method: string, params?: object): Promise<NonNullable<Answer['result']>>
  /** The text of a tool's answer. */
  tool(name: string, args: object): Promise<string>
  /** Closes its input, as a host does that leaves. Returns the exit code and what it complained of. */
  end(): Promise<{ code: number | null; err: string }>
}

/** It ends with the case, whatever becomes of that: a server that is left would keep the cases from ending. */
export async function startServer(place: Place, t: TestContext): Promise<Server> {
  const env = { CLAUDE_PROJECT_DIR: place.root, CLAUDE_PID: String(process.pid) }
  const child = start(place, process.execPath, [program('mcp')], { env })
  t.after(() => void child.kill('SIGKILL'))
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  let heard = ''
  let err = ''
  let asked = 0
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    heard += text
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    err += text
  })
  const send = (message: object): void => void child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const ask = async (method: string, params: object = {}): Promise<NonNullable<Answer['result']>> => {
    const id = ++asked
    send({ id, method, params })
    const answer = (): Answer | undefined =>
      heard
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as Answer)
        .find((one) => one.id === id)
    await until(
      () => answer() !== undefined,
      () => `no answer to ${method}: ${heard}${err}`,
    )
    const { result } = answer() ?? {}
    if (result === undefined) throw new Error(`${method} failed: ${heard}`)
    return result
  }
  const clientInfo = { name: 'cases', version: '1' }
  await ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo })
  send({ method: 'notifications/initialized' })
  return {
    child,
    ask,
    tool: async (name, args) =>
      ((await ask('tools/call', { name, arguments: args })).content ?? []).map(({ text }) => text).join('\n'),
    end: async () => {
      child.stdin?.end()
      return { code: await ended, err }
    },
  }
}
