/** Talks with the built MCP server as the host does: lines of JSON-RPC on its standard streams. */
import { envOf, type Json, MCP, type Ran, start, until } from './process.ts'
import type { TestProject } from './project.ts'

export const OLD = '2025-11-25'
export const NEW = '2026-07-28'

export interface Call {
  method: string
  params?: object
}

export const initialize: Call = {
  method: 'initialize',
  params: { protocolVersion: OLD, capabilities: {}, clientInfo: { name: 'test', version: '1' } },
}

/** The newer protocol says with every request who is asking. */
export function modern(method: string, params: object = {}): Call {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': NEW,
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  return { method, params: { ...params, _meta } }
}

export function tool(name: string, args: object = {}): Call {
  return { method: 'tools/call', params: { name, arguments: args } }
}

export interface Conversation {
  pid: number
  ask(call: Call): Promise<Json>
  /** Closes standard input, as a host does that leaves. */
  end(): Promise<Ran>
}

export function converse(project: TestProject, env = {}): Conversation {
  const { child, ended } = start([MCP], project.root, envOf(project, env), null)
  let heard = ''
  let asked = 0
  child.stdout?.on('data', (text: string) => {
    heard += text
  })
  const answerTo = (id: number): Json =>
    heard
      .split('\n')
      .slice(0, -1)
      .map((line): Json => JSON.parse(line))
      .find((answer) => answer.id === id)
  return {
    pid: child.pid ?? 0,
    ask: async (call) => {
      const id = asked++
      child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...call })}\n`)
      await until(() => answerTo(id) !== undefined || child.exitCode !== null)
      return answerTo(id)
    },
    end: () => {
      child.stdin?.end()
      return ended
    },
  }
}

/** All of them at once, then the end. */
export async function talk(
  project: TestProject,
  calls: readonly Call[],
  env = {},
): Promise<{ answers: Json[]; ran: Ran }> {
  const { ask, end } = converse(project, env)
  const answers = await Promise.all(calls.map(ask))
  return { answers, ran: await end() }
}

export function saidIn(answer: Json): { isError: boolean; text: string } {
  return { isError: answer.result.isError === true, text: answer.result.content[0].text }
}
