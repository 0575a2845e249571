/** The MCP server: our tools over the SDK, both protocol generations the host speaks. */
import { McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import * as z from 'zod'
import type { Store } from '../store/store.ts'
import { type Answer, getMemory, memoryStatus } from './tools.ts'

const READING = { readOnlyHint: true, idempotentHint: true, openWorldHint: false }

export function serve(version: string, openStore: () => Store): void {
  serveStdio(() => {
    const server = new McpServer({ name: 'memory', version })
    server.registerTool(
      'memory_status',
      {
        title: 'Memory status',
        description:
          'What Memory Keeper remembers of this project: number of sessions, and the newest ones with id, date and what was asked for.',
        inputSchema: z.object({}),
        annotations: READING,
      },
      () => reply(memoryStatus(openStore())),
    )
    server.registerTool(
      'get_memory',
      {
        title: 'Get memory',
        description:
          'Reads remembered entries word for word: a whole session by its id (1a2b3c4d), or one entry (L1:1a2b3c4d#5) with its neighbours.',
        inputSchema: z.object({
          id: z.string().describe('session id, or entry id'),
          context: z.number().int().min(0).max(50).optional().describe('entries before and after'),
        }),
        annotations: READING,
      },
      ({ id, context }) => reply(getMemory(openStore(), id, context ?? 2)),
    )
    return server
  })
}

function reply({ text, isError }: Answer): { content: { type: 'text'; text: string }[]; isError: boolean } {
  return { content: [{ type: 'text', text }], isError }
}
