/** An MCP server of somebody else. Its tool `mcp__foreign__ask` fails with a text that the story chooses. */
import { join } from 'node:path'
import type { World } from './world.ts'

const PROGRAM = `import { createInterface } from 'node:readline'
const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'foreign', version: '1' },
  }),
  'tools/list': () => ({ tools: [{ name: 'ask', description: 'Asks', inputSchema: { type: 'object' } }] }),
  'tools/call': () => ({ content: [{ type: 'text', text: process.argv[2] }], isError: true }),
}
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) continue
  const answer = answers[method]
  const said = answer ? { result: answer(params) } : { error: { code: -32601, message: 'unknown method' } }
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...said }) + '\\n')
}
`

/** Gives the arguments that make the host start it. */
export function foreignServer(world: World, text: string): string[] {
  const program = join(world.dir, 'foreign.mjs')
  world.write(program, PROGRAM)
  const foreign = { command: process.execPath, args: [program, text] }
  return ['--mcp-config', JSON.stringify({ mcpServers: { foreign } })]
}
