/** The MCP server: our tools over the SDK, both protocol generations the host speaks. */
import { McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import * as z from 'zod'
import type { Store } from '../store/store.ts'
import { keepNote, keepSummary } from './saves.ts'
import { type Answer, getMemory, memoryStatus } from './tools.ts'

const SAVING = { readOnlyHint: false, destructiveHint: false, openWorldHint: false }
const READING = { readOnlyHint: true, idempotentHint: true, openWorldHint: false }

export function serve(version: string, now: () => string, openStore: () => Store): void {
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
    registerSaves(server, now, openStore)
    return server
  })
}

/** What a summariser writes goes through these: checked against what happened, refused with a reason. */
function registerSaves(server: McpServer, now: () => string, openStore: () => Store): void {
  server.registerTool(
    'save_note',
    {
      title: 'Save note',
      description:
        'Saves the note about a delta of recent work to memory.md. The note is checked: every file, command, number and name in it must occur in the delta; a refusal lists what does not.',
      inputSchema: z.object({
        delta: z.string().describe('the id in the first line of the delta file, like 1a2b3c4d-12-57'),
        note: z.string().describe('one plain paragraph, no heading, no list'),
      }),
      annotations: SAVING,
    },
    ({ delta, note }) => reply(keepNote(openStore(), delta, note, now())),
  )
  server.registerTool(
    'save_summary',
    {
      title: 'Save summary',
      description:
        "Saves the summary of an archive of this project's memory. It is checked: every file, command, number and name in it must occur in the archive; a refusal says what is wrong.",
      inputSchema: z.object({
        archive: z.string().describe('file name of the archive, like memory_20260113_120000.md'),
        themes: z.array(z.object({ name: z.string(), summary: z.string() })),
        keyDecisions: z.array(z.object({ decision: z.string(), reason: z.string() })),
        issues: z.array(z.object({ issue: z.string(), status: z.string().describe('open or resolved') })),
        overallSummary: z.string(),
      }),
      annotations: SAVING,
    },
    ({ archive, ...summary }) => reply(keepSummary(openStore(), archive, summary, now())),
  )
}

function reply({ text, isError }: Answer): { content: { type: 'text'; text: string }[]; isError: boolean } {
  return { content: [{ type: 'text', text }], isError }
}
