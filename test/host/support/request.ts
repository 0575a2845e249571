/** One request the host sent to the model, in the words a test asks about. */
import type { IncomingHttpHeaders } from 'node:http'

/** `child` is our own headless child, `audit` the one that audits what it said; `side` are other requests without tools: titles, checks. */
export type RequestKind = 'main' | 'subagent' | 'compaction' | 'child' | 'audit' | 'side'

export interface ModelRequest {
  kind: RequestKind
  model: string
  system: string
  /** Names of the tools offered. */
  tools: string[]
  messages: Message[]
  /** Everything said so far, all roles: hook context comes as role system on the current host, as role user on the older. */
  text: string
  lastUser: string
  toolResults: string[]
  /** Null in the main thread. */
  agentId: string | null
  headers: IncomingHttpHeaders
  body: MessagesBody
  /** Milliseconds: when it came. */
  at: number
  /** When it was answered or given up by the host; null: not yet. */
  endedAt: number | null
  /** What the model answered, in short; filled once it has. */
  answered: string
}

export interface Message {
  role: string
  content: string | ContentBlock[]
}

export interface ContentBlock {
  type: string
  text?: string
  input?: unknown
  content?: string | ContentBlock[]
}

/** The part of the Messages API's body that we look at. */
export interface MessagesBody {
  model: string
  stream?: boolean
  system?: string | ContentBlock[]
  tools?: { name?: string; type?: string; input_schema?: { properties?: Record<string, { type?: string }> } }[]
  messages: Message[]
}

export function readRequest(body: MessagesBody, headers: IncomingHttpHeaders): ModelRequest {
  const system = contentText(body.system ?? '')
  const tools = (body.tools ?? []).map((tool) => tool.name ?? tool.type ?? '')
  const last = body.messages.findLast((message) => message.role === 'user')
  const lastUser = contentText(last?.content ?? '')
  const agentId = headers['x-claude-code-agent-id']
  const known = { system, tools, lastUser, agentId: typeof agentId === 'string' ? agentId : null }
  return {
    ...known,
    kind: kindOf(known),
    model: body.model,
    messages: body.messages,
    text: body.messages.map((message) => contentText(message.content)).join('\n'),
    toolResults: toolResults(last),
    headers,
    body,
    at: Date.now(),
    endedAt: null,
    answered: '(no answer yet)',
  }
}

export function describeRequest(request: ModelRequest, index: number): string {
  const { kind, model, messages, tools, lastUser, answered } = request
  const asked = lastUser.replace(/<system-reminder>[\s\S]*?<\/system-reminder>/g, '').trim()
  return `#${index + 1} ${kind} ${model}, ${messages.length} messages, ${tools.length} tools, asked "${shorten(asked)}" → ${answered}`
}

export function shorten(text: string): string {
  const line = text.replace(/\s+/g, ' ')
  return line.length > 80 ? `${line.slice(0, 79)}…` : line
}

/** How a model answers where the host was given a JSON schema. */
export const STRUCTURED = 'StructuredOutput'
const OUR_TOOL = /^mcp__plugin_memory-keeper_memory__/
/** Our child fences what it is to report on. */
const CHILD_FENCE = /<\/data-[\w.-]+>/

function kindOf({ system, tools, lastUser, agentId }: Pick<ModelRequest, 'system' | 'tools' | 'lastUser' | 'agentId'>) {
  // A compaction lists the tools and goes through the main thread: only its instruction gives it away.
  if (lastUser.includes('Your task is to create a detailed summary of the conversation')) return 'compaction'
  if (agentId !== null || system.slice(0, 300).includes('cc_is_subagent=true')) return 'subagent'
  // A forked skill that a user typed, or of the older host, says nothing of itself: our agents have no tools but ours, and Read.
  const others = tools.filter((name) => !OUR_TOOL.test(name))
  if (others.length < tools.length && others.every((name) => name === 'Read')) return 'subagent'
  // A child of ours that is asked for an object has this tool to answer with.
  if (tools.includes(STRUCTURED)) return system.includes('You audit claims') ? 'audit' : 'child'
  if (tools.length > 0) return 'main'
  return CHILD_FENCE.test(lastUser) ? 'child' : 'side'
}

function toolResults(message: Message | undefined): string[] {
  if (message === undefined || typeof message.content === 'string') return []
  return message.content
    .filter((block) => block.type === 'tool_result')
    .map((block) => contentText(block.content ?? ''))
}

function contentText(content: string | readonly ContentBlock[]): string {
  return typeof content === 'string' ? content : content.map(blockText).join('\n')
}

function blockText(block: ContentBlock): string {
  if (block.text !== undefined) return block.text
  if (block.content !== undefined) return contentText(block.content)
  return block.input === undefined ? '' : JSON.stringify(block.input)
}
