/** What happened in the shared consecutive sessions, read from the transcripts by code of its own: nothing here is the product's. */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'

export const SHARED = path.resolve('../shared/longitudinal')

/** In the result of what the user refused. */
export const NO = "doesn't want to proceed"

export interface Call {
  kind: 'call'
  name: string
  input: Record<string, string>
  /** Null: the session ended before it. */
  result: { text: string; isError: boolean } | null
}

/** `prompt`: typed by a person; `host`: written by the program in the user's place; `text`: Claude's; `lost`: a result without its call. */
export type Entry = Call | { kind: 'prompt' | 'host' | 'text' | 'lost'; text: string }

export interface Session {
  project: string
  id: string
  cwd: string
  isHeadless: boolean
  /** The heading of the plan it carries out. */
  plan: string | null
  entries: readonly Entry[]
}

const HOST =
  /^(?:<(?:local-command|task-notification|command-|bash-)|\[Request inter|Caveat:|Operation stopped by hook|This session is being)/
const PLAN_TAIL = /(?=If you need specific details from before exiting plan mode)/

/** In order of time; empty if they are not on this machine. */
export function readSessions(): Session[] {
  const list = path.join(SHARED, 'sessions.tsv')
  if (!existsSync(list)) return []
  return readFileSync(list, 'utf8').trim().split('\n').slice(1).map(readSession)
}

function readSession(row: string): Session {
  const [project = '', , , , , sid = '', , , , , , cwd = ''] = row.split('\t')
  const raw = gunzipSync(readFileSync(path.join(SHARED, 'sessions', `${sid}.jsonl.gz`))).toString('utf8')
  // Paths as the project's own: that is how they are told.
  const text = raw.replaceAll(`${cwd}/`, '')
  const plan =
    /"planContent":"(?:[^"\\]|\\n)*?#+ ((?:[^"\\]|\\"){4,160})/.exec(text)?.[1]?.replaceAll('\\"', '"') ?? null
  const calls = new Map<string, Call>()
  const entries = text.split('\n').flatMap((line) => entriesIn(line, calls))
  return { project, id: sid.slice(0, 8), cwd, isHeadless: /"entrypoint":"sdk/.test(text), plan, entries }
}

function entriesIn(line: string, calls: Map<string, Call>): Entry[] {
  if (!/"type":"(?:user|assistant)"/.test(line)) return []
  const { type, isMeta, isSidechain, isCompactSummary, message } = JSON.parse(line)
  if ((type !== 'user' && type !== 'assistant') || isSidechain) return []
  const blocks = typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content
  const entries: Entry[] = []
  for (const block of blocks) {
    const text = textOf(block.text ?? block.content ?? '')
    if (block.type === 'tool_use') {
      const call: Call = { kind: 'call', name: block.name, input: block.input, result: null }
      calls.set(block.id, call)
      entries.push(call)
    } else if (block.type === 'tool_result') {
      const call = calls.get(block.tool_use_id)
      if (call) call.result = { text, isError: block.is_error === true }
      else entries.push({ kind: 'lost', text })
    } else if (block.type !== 'text' || text === '') continue
    else if (type === 'assistant') entries.push({ kind: 'text', text })
    // Of a compaction only the beginning is the host's; the summary is a model's.
    else if (isCompactSummary) entries.push({ kind: 'host', text: text.slice(0, text.indexOf('\n')) })
    else if (isMeta || HOST.test(text)) entries.push({ kind: 'host', text })
    else
      for (const [i, part] of text.split(PLAN_TAIL).entries())
        entries.push({ kind: i ? 'host' : 'prompt', text: part.trim() })
  }
  return entries
}

function textOf(content: string | { text?: string }[]): string {
  return typeof content === 'string' ? content.trim() : content.map(({ text }) => text ?? '').join('\n')
}

/** From one prompt to the next; what stands before the first prompt is no turn. */
export function turnsOf({ entries }: Session): Entry[][] {
  const starts = entries.flatMap(({ kind }, i) => (kind === 'prompt' ? [i] : []))
  return starts.map((at, i) => entries.slice(at, starts[i + 1]))
}

export function callsOf({ entries }: Session): Call[] {
  return entries.filter((one) => one.kind === 'call')
}

/** Sentences, list items and lines. */
export function sentencesOf(text: string): string[] {
  const parts = text
    .split('\n')
    .flatMap((line) => line.split(/(?<=[.!?…:]["'`)*]*)\s+(?=["'`*([]*[\p{Lu}\p{N}/])|(?<=[!?]|\p{L}{4}\.)\s+/u))
  return parts.map((one) => one.replace(/^\s*(?:[-*>#]+|\d+\.)\s+/, '').trim()).filter((one) => one !== '')
}

/** Letters and digits only: marks, quotes and the paths of a replay do not count. */
export function plain(text: string): string {
  const own = text.replace(/\/\S*?\/(?:victor|paul)\/cli\//g, '').toLowerCase()
  return own.replace(/[^\p{L}\p{N}]+/gu, ' ').trim()
}

/** Whole words of one text inside another, both `plain`; of a long part its opening is enough: it may have been cut. */
export function holds(text: string, part: string, enough = 400): boolean {
  const opening = part.length <= enough ? part : part.slice(0, part.lastIndexOf(' ', enough))
  return part !== '' && ` ${text} `.includes(` ${opening} `)
}
