/** A host that starts the MCP server and calls its tools, one after the other. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

export interface McpClient {
  /** The answer's text. */
  call(tool: string, args: object): Promise<string>
  /** Resident memory in MB. */
  rss(): number
  close(): void
}

interface Reply {
  id?: number
  error?: { message: string }
  result?: { content?: { text: string }[]; isError?: boolean }
}

/** As the host starts it: with the arguments of the plugin's .mcp.json, and the programs of this directory. */
export async function startMcp(dist: string, env: Record<string, string>): Promise<McpClient> {
  const { mcpServers } = JSON.parse(readFileSync('plugin/.mcp.json', 'utf8'))
  const args = mcpServers.memory.args.map((arg: string) => arg.replace(/^.*\/dist(?=\/)/, dist))
  const child = spawn(process.execPath, args, { env, stdio: ['pipe', 'pipe', 'inherit'] })
  const waiting = new Map<number, { resolve: (reply: Reply) => void; reject: (error: Error) => void }>()
  createInterface({ input: child.stdout }).on('line', (line) => {
    const reply = JSON.parse(line) as Reply
    waiting.get(reply.id ?? -1)?.resolve(reply)
  })
  child.once('exit', (code) => {
    for (const { reject } of waiting.values()) reject(new Error(`the server ended with ${code}`))
  })
  let last = 0
  const request = async (method: string, params: object): Promise<Reply> => {
    const id = ++last
    const reply = new Promise<Reply>((resolve, reject) => waiting.set(id, { resolve, reject }))
    send(child, { id, method, params })
    const { error, ...rest } = await reply
    waiting.delete(id)
    if (error !== undefined) throw new Error(error.message)
    return rest
  }
  const clientInfo = { name: 'bench', version: '1' }
  await request('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo })
  send(child, { method: 'notifications/initialized' })
  return {
    call: async (tool, args) => {
      const { result } = await request('tools/call', { name: tool, arguments: args })
      const text = result?.content?.[0]?.text ?? ''
      if (result?.isError === true) throw new Error(text)
      return text
    },
    rss: () => Number(spawnSync('ps', ['-o', 'rss=', '-p', String(child.pid)], { encoding: 'utf8' }).stdout) / 1024,
    close: () => child.stdin.end(),
  }
}

function send({ stdin }: ChildProcess, message: object): void {
  stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
}
