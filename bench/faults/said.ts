/**
 * What the transcripts of a host contain: prompts, answers and tool uses, each once, however many transcripts hold a copy.
 * A parser of its own, which shares no code with the product.
 */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

export type Kind = 'prompt' | 'answer' | 'tool' | 'result' | 'summary'

/** `text` identifies it: the words, or for a tool use and its result the tool's name and the token in its input. */
export interface Said {
  kind: Kind
  text: string
  /** The sessions whose transcripts contain it, their subagents' included. */
  sessions: Set<string>
}

export interface Transcripts {
  said: Said[]
  sessions: Set<string>
  /** Lines that are no JSON: the host was killed while it wrote them. */
  badLines: number
  lines: number
}

interface Block {
  type?: string
  text?: string
  id?: string
  tool_use_id?: string
  name?: string
  input?: Record<string, unknown>
}

interface Line {
  type?: string
  uuid?: string
  timestamp?: string
  isMeta?: boolean
  isSidechain?: boolean
  isCompactSummary?: boolean
  operation?: string
  content?: unknown
  message?: { content?: string | Block[] }
}

const TOKEN = /\bk\d+x\d+[ab]?\b/

/** `projects`: the host's directory of that name. */
export function readTranscripts(projects: string): Transcripts {
  const files = readdirSync(projects, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.jsonl'))
  const items = new Map<string, Said>()
  const found: Transcripts = { said: [], sessions: new Set(), badLines: 0, lines: 0 }
  const tools = new Map<string, string>()
  // A result may stand in another copy than its tool use; all tool uses are known first.
  const parsed = files.map((name) => ({ session: sessionOf(name), lines: linesOf(path.join(projects, name), found) }))
  for (const { lines } of parsed) for (const line of lines) rememberTools(line, tools)
  for (const { session, lines } of parsed) {
    found.sessions.add(session)
    const queued: Line[] = []
    const prompts: string[] = []
    for (const line of lines) {
      for (const { key, kind, text } of itemsIn(line, tools)) {
        const item = items.get(key) ?? { kind, text, sessions: new Set<string>() }
        items.set(key, item)
        item.sessions.add(session)
        if (kind === 'prompt') prompts.push(text)
      }
      if (line.type === 'queue-operation' && line.operation === 'enqueue') queued.push(line)
    }
    for (const item of neverDelivered(queued, prompts, session)) items.set(`queued ${session} ${items.size}`, item)
  }
  found.said = [...items.values()]
  return found
}

/** `<project>/<session>.jsonl`, or `<project>/<session>/subagents/agent-<id>.jsonl`. */
function sessionOf(name: string): string {
  return (name.split(path.sep)[1] ?? '').replace(/\.jsonl$/, '')
}

function linesOf(file: string, counts: Transcripts): Line[] {
  const texts = readFileSync(file, 'utf8')
    .split('\n')
    .filter((text) => text.trim() !== '')
  counts.lines += texts.length
  return texts.flatMap((text) => {
    const line = parse(text) ?? parseAfterCut(text)
    if (line === null) counts.badLines += 1
    return line === null ? [] : [line]
  })
}

function parse(text: string): Line | null {
  try {
    return JSON.parse(text) as Line
  } catch {
    return null
  }
}

/** A killed host leaves half a line; the next one writes its own line right behind it. */
function parseAfterCut(text: string): Line | null {
  const starts = [...text.matchAll(/\{"(?:parentUuid|type)"/g)].map(({ index }) => index)
  for (const at of starts) {
    const line = at > 0 ? parse(text.slice(at)) : null
    if (line !== null) return line
  }
  return null
}

function blocksOf({ message }: Line): Block[] {
  const content = message?.content ?? []
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content
}

function rememberTools(line: Line, tools: Map<string, string>): void {
  for (const { type, id, name = '', input = {} } of blocksOf(line)) {
    if (type !== 'tool_use' || id === undefined) continue
    tools.set(id, `${name} ${TOKEN.exec(JSON.stringify(input))?.[0] ?? JSON.stringify(input)}`)
  }
}

type Item = Pick<Said, 'kind' | 'text'> & { key: string }

function itemsIn(line: Line, tools: ReadonlyMap<string, string>): Item[] {
  if (line.type !== 'user' && line.type !== 'assistant') return []
  const texts = blocksOf(line).flatMap(({ type, text = '' }) => (type === 'text' ? [text.trim()] : []))
  const items: Item[] = []
  const add = (kind: Kind, text: string, mark: string | number): void => {
    if (text !== '') items.push({ kind, text, key: `${kind} ${mark}` })
  }
  if (line.type === 'user') {
    for (const { type, tool_use_id = '' } of blocksOf(line))
      if (type === 'tool_result') add('result', tools.get(tool_use_id) ?? '', tool_use_id)
    const words = texts.map(typed).filter(Boolean).join('\n')
    if (line.isCompactSummary === true) add('summary', withoutReminders(texts.join('\n')), String(line.uuid))
    else if (line.isMeta !== true && line.isSidechain !== true) add('prompt', words, String(line.uuid))
    return items
  }
  for (const [n, text] of texts.entries()) add('answer', text, `${line.uuid} ${n}`)
  for (const { type, id = '' } of blocksOf(line)) if (type === 'tool_use') add('tool', tools.get(id) ?? '', id)
  return items
}

/** What a person typed in a text of the role `user`: a command stands there in tags, and the host adds texts of its own. */
function typed(text: string): string {
  const command = /<command-name>([^<]*)<\/command-name>/.exec(text)?.[1]
  if (command !== undefined) return `${command} ${/<command-args>([^<]*)/.exec(text)?.[1] ?? ''}`.trim()
  if (/^<(?:local-command|task-notification|system-reminder)|^\[Request interrupted by user/.test(text)) return ''
  return text
}

/** The host puts a list of tools into a summary, in a reminder to itself. */
function withoutReminders(text: string): string {
  return text.replace(/<system-reminder>[\s\S]*?<\/system-reminder>\s*/g, '').trim()
}

/** Prompts that reached the host's queue and, before it was killed, nothing else. */
function neverDelivered(queued: readonly Line[], prompts: readonly string[], session: string): Said[] {
  const left = [...prompts]
  return queued.flatMap(({ content }): Said[] => {
    const text = typeof content === 'string' ? typed(content.trim()) : ''
    const at = left.indexOf(text)
    if (at >= 0) left.splice(at, 1)
    return at >= 0 || text === '' ? [] : [{ kind: 'prompt', text, sessions: new Set([session]) }]
  })
}
