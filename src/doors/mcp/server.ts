/** The MCP server: our tools over the SDK, for both protocol generations of the host. */
import { McpServer, type Transport } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import * as z from 'zod'
import { TOOL_NAMES, TOOLS, type ToolName } from '../../core/tools.ts'
import type { ToolAnswer } from '../../kernel/memory/commands/answer.ts'
import type { Tools } from './tools.ts'

/** The implementation of the tools is loaded on first use: the host waits for the greeting. */
type Load = () => Tools

const SAVING = { readOnlyHint: false, destructiveHint: false, openWorldHint: false }
const READING = { readOnlyHint: true, idempotentHint: true, openWorldHint: false }
/** The host shows Claude this tool with every request; the others are found by name when needed. */
const ALWAYS = { 'anthropic/alwaysLoad': true }

/** `transport`: the host's messages after the greeting, which `front.ts` has answered. */
export function serve(version: string, load: Load, transport: Transport): void {
  const open = (): McpServer => {
    // Our tools never change while the server runs.
    const server = new McpServer({ name: 'memory', version }, { capabilities: { tools: { listChanged: false } } })
    for (const name of TOOL_NAMES) SERVED[name](name, server, load)
    return server
  }
  serveStdio(open, { transport })
}

type Register = (name: ToolName, server: McpServer, load: Load) => void

interface Shown<Input> {
  title: string
  description: string
  inputSchema: z.ZodType<Input>
  _meta?: Record<string, unknown>
}

/** What Claude is shown of a tool, and what answers it. */
function tool<Input>(
  { inputSchema, ...shown }: Shown<Input>,
  call: (tools: Tools, request: Input) => ToolAnswer | Promise<ToolAnswer>,
): Register {
  return (name, server, load) => {
    const annotations = TOOLS[name].does === 'reads' ? READING : SAVING
    server.registerTool(
      name,
      {
        ...shown,
        inputSchema: inputSchema as z.ZodType<unknown>,
        annotations,
      },
      async (request) => reply(await call(load(), request as Input)),
    )
  }
}

const offset = z.number().int().min(0).optional().describe('where a long answer goes on, as it says at its end')

const ids = z.union([z.string(), z.array(z.string())])
const draft = z.object({
  type: z.string().describe('decision, pattern or issue'),
  text: z.string().describe('one sentence that a later session understands by itself'),
  reason: z.string().optional().describe('why, where it was said'),
  reasonQuote: z.string().optional(),
  quote: z.string().describe('copied word for word from one entry; it proves the fact'),
  entry: z.number().int().optional().describe('the number of that entry'),
  done: z
    .number()
    .int()
    .optional()
    .describe('if you report it as done: the tool use, or the words of the user, that show it'),
  files: z.array(z.string()).optional(),
  status: z.string().optional().describe('issues: open or resolved'),
  resolution: z.string().optional(),
  resolutionQuote: z.string().optional(),
  conceptId: z.string().optional().describe('a known concept, like c003'),
  conceptName: z.string().optional().describe('a new one, where none fits'),
  supersedes: ids.optional().describe('known decisions (d001) it replaces'),
  resolves: ids.optional().describe('known issues (i001) it solves'),
})

const SERVED: Readonly<Record<ToolName, Register>> = {
  search_memory: tool(
    {
      title: 'Search memory',
      description:
        'What earlier sessions of this project said, did, decided and failed at. Search before guessing or asking about the past. Plain words in any language; also "phrase", -word, file:name, type:decision, since:2w, until:2026-01-31, session:1a2b3c4d.',
      inputSchema: z.object({ query: z.string(), limit: z.number().int().min(1).max(30).optional() }),
      _meta: ALWAYS,
    },
    (tools, request) => tools.search(request),
  ),
  get_memory: tool(
    {
      title: 'Get memory',
      description:
        'Reads remembered things word for word by the ids that search_memory, timeline or the briefing name: a session (1a2b3c4d), entries (L1:1a2b3c4d#5, L1:1a2b3c4d#5-9) with their neighbours, a note (n-1a2b3c4d-0-57), a fact (d001) with its source, a summary of a session (S:1a2b3c4d), a page or a section (page:project, page:project#2).',
      inputSchema: z.object({
        id: z.union([z.string(), z.array(z.string())]).describe('one id, or several'),
        context: z.number().int().min(0).max(50).optional().describe('entries before and after; default 2'),
        offset,
      }),
    },
    (tools, request) => tools.get(request),
  ),
  timeline: tool(
    {
      title: 'Timeline',
      description:
        'What happened in this project around a remembered id, on a day or in a span of time, one line each in order: sessions, prompts, notes, decisions, issues, commits.',
      inputSchema: z.object({
        around: z
          .string()
          .optional()
          .describe('an id, or a time: 2026-01-13, 2026-01, yesterday, last week; default the latest week'),
        days: z.number().int().min(0).max(366).optional().describe('days before and after as well'),
      }),
    },
    (tools, { around, days }) => tools.timeline(around ?? '', days),
  ),
  memory_page: tool(
    {
      title: 'Memory page',
      description:
        'Lists the pages that people keep about this project (project, architecture, conventions, lessons, workflow, …), or reads one.',
      inputSchema: z.object({ name: z.string().optional().describe('without it: the list'), offset }),
    },
    (tools, { name, offset: from }) => tools.page(name, from),
  ),
  memory_status: tool(
    {
      title: 'Memory status',
      description:
        'What Memory Keeper remembers of this project: numbers of sessions, notes and facts, the state of the search index, and the newest sessions with id, date and what was asked for.',
      inputSchema: z.object({}),
    },
    (tools) => tools.status(),
  ),
  save_memory: tool(
    {
      title: 'Save memory',
      description:
        'Saves the note and the facts of a piece of recent work. Both are checked: quotes must occur in the piece, and names and numbers near them; the answer lists what does not. With delta alone: shows the piece.',
      inputSchema: z.object({
        delta: z.string().describe('the id in the first line of the delta file, like 1a2b3c4d-12-57'),
        note: z.string().optional().describe('one plain paragraph, no heading, no list'),
        facts: z.array(draft).optional(),
        offset,
      }),
    },
    (tools, request) => tools.saveMemory(request),
  ),
  save_summary: tool(
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
    },
    (tools, { archive, ...summary }) => tools.saveSummary(archive, summary),
  ),
  propose_rule: tool(
    {
      title: 'Propose rule',
      description:
        "Proposes something to hold for good in this project: a rule of the user's, a solution that keeps working, how the system works. Without arguments: lists what recurs and waits to be judged. It only proposes: without the user's own words or yes nothing becomes a rule.",
      inputSchema: z.object({
        candidate: z.string().optional().describe('the key of what recurs'),
        keep: z.boolean().optional().describe('false: it does not hold beyond the moment'),
        text: z.string().optional().describe('one sentence, in the words that were said'),
        kind: z.enum(['rules', 'solutions', 'core_logic']).optional(),
        facts: z.array(z.string()).optional().describe('the facts (d001) that prove it'),
        why: z.string().optional(),
      }),
    },
    (tools, request) => tools.proposeRule(request),
  ),
}

function reply({ text, isError }: ToolAnswer): { content: { type: 'text'; text: string }[]; isError: boolean } {
  return { content: [{ type: 'text', text }], isError }
}
