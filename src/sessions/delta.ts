/** What happened in a session: the text for whoever writes the note about it, and Claude's list of tasks. */
import { estimateTokens } from '../text/tokens.ts'
import {
  type Entry,
  isOurCall,
  isOurs,
  type Numbered,
  outcomeOf,
  type TaskItem,
  type TaskState,
  type Tombstone,
  whyNotUsers,
} from '../transcript/session.ts'

/** What is handed out at once, in estimated tokens: an agent's Read tool stops at 25,000. */
export const PIECE_TOKENS = { headless: 60_000, agent: 18_000 } as const

export interface Delta {
  /** Names session and range: `1a2b3c4d-12-57`. */
  id: string
  /** The session's id8. */
  session: string
  /** Entries: from, up to and not including. */
  from: number
  to: number
  text: string
}

/** A single entry takes at most so much of a delta: a pasted log must not fill it. The entry itself stays whole. */
const MAX_ENTRY_CHARS = 16_000

export function deltaId(session: string, from: number, to: number): string {
  return `${session}-${from}-${to}`
}

export function parseDeltaId(text: string): { session: string; from: number; to: number } | null {
  const match = /^(?:n-)?([0-9a-z]{8})-(\d+)-(\d+)$/.exec(text.trim())
  if (!match?.[1]) return null
  const [from, to] = [Number(match[2]), Number(match[3])]
  return from < to ? { session: match[1], from, to } : null
}

/**
 * Oldest first: what does not fit stays behind and comes with the next. Null: nothing is there; an empty text: nothing
 * worth telling.
 */
export function takeDelta(session: string, entries: readonly Numbered[], maxTokens: number): Delta | null {
  const texts: string[] = []
  const told = new Set(toTell(entries))
  let tokens = 0
  let taken = 0
  for (const each of entries) {
    const text = told.has(each) ? renderEntry(each.entry, MAX_ENTRY_CHARS) : ''
    tokens += estimateTokens(text)
    // The first entry always goes, however large, or it would block its session for good.
    if (taken > 0 && tokens > maxTokens) break
    if (text !== '') texts.push(text)
    taken++
  }
  const from = entries[0]?.n
  if (from === undefined) return null
  return { id: deltaId(session, from, from + taken), session, from, to: from + taken, text: texts.join('\n\n') }
}

/** Without what is removed, and without our own saving: memory must not feed on itself. */
export function toTell(entries: readonly Numbered[]): Numbered[] {
  const savers = new Set(
    entries.flatMap(({ entry }) => (entry.role === 'subagent' && isOurs(entry) ? [entry.agent] : [])),
  )
  let isOurTurn = false
  return entries.filter(({ entry }) => {
    if (entry.role === 'user') isOurTurn = isOurCall(entry.text)
    if (entry.role === 'tombstone' || isOurs(entry) || isOurTurn) return false
    return !(entry.role === 'subagent' && savers.has(entry.agent))
  })
}

/** All the words of some entries: what a note about them may name. */
export function sourceOf(entries: readonly Numbered[]): string {
  return entries.map(({ entry }) => renderEntry(entry, Number.MAX_SAFE_INTEGER, UNFENCED)).join('\n\n')
}

/** One entry each, with its number: what a fact is proved by can be named. */
export function renderNumbered(entries: readonly Numbered[], maxChars = MAX_ENTRY_CHARS): string[] {
  return toTell(entries).flatMap(({ n, entry }) => {
    const text = renderEntry(entry, maxChars)
    return text === '' ? [] : [`#${n} ${text}`]
  })
}

/** Empty for what there is nothing to tell about. */
function renderEntry(entry: Entry | Tombstone, maxChars: number, fence = FENCED): string {
  const words = (text: string): string => fence.words(shorten(text, maxChars))
  switch (entry.role) {
    case 'tombstone':
      return ''
    case 'user':
      // Nobody can be named as its author: the model must not take it for the user's word.
      return `${entry.by === 'machine' ? `[Prompt, ${whyNotUsers(entry)}]` : '[User]'}: ${words(entry.text)}`
    case 'teammate':
      return `[Message from ${entry.from.replace(/[\][]/g, '')}]: ${words(entry.text)}`
    case 'assistant':
      return `[Assistant]: ${words(entry.text)}`
    case 'summary':
      // It repeats what was told before it.
      return '[The host compacted the conversation here]'
    case 'tool':
      return renderTool(`Tool: ${entry.name}`, entry, words, fence)
    case 'subagent':
      return 'text' in entry
        ? `[Subagent ${entry.agent}]: ${words(entry.text)}`
        : renderTool(`Subagent tool: ${entry.name}`, entry, words, fence)
  }
}

function renderTool(
  head: string,
  tool: { cmd: string; ok: boolean | null; refused?: true; output?: string },
  words: (text: string) => string,
  fence: Fence,
): string {
  const ended = outcomeOf(tool)
  const outcome = ended === 'ok' ? '' : ended === 'refused' ? ' (refused by the user)' : ` (${ended})`
  const output = tool.output === undefined ? '' : `\nOutput:${fence.output(tool.output)}`
  return `[${head}]${outcome} ${words(tool.cmd)}${output}`
}

/** How the lines of an entry are kept apart from the line that it begins with, which tells whose words they are. */
interface Fence {
  words(text: string): string
  output(text: string): string
}

const BREAK = '\\r\\n|[\\n\\r\\v\\f\\u0085\\u2028\\u2029]'
const EVERY_LINE = new RegExp(BREAK, 'g')
/** Not a line break: a text of nothing else would take for ever. */
const UNSEEN = '[\\0-\\x09\\x0e-\\x1f\\x7f-\\x84\\x86-\\x9f\\p{Zs}\\p{Cf}]*'
/** What an entry begins with: `[User]:`, `#12 [Tool: Bash]`, `Output:`. */
const HEAD = `(?=${UNSEEN}(?:#\\d+${UNSEEN})?(?:[[\uff3b]|Output:))`
const LIKE_A_HEAD = new RegExp(`(${BREAK})${HEAD}`, 'gu')

const FENCED: Fence = {
  words: (text) => text.replace(LIKE_A_HEAD, '$1| '),
  output: (text) => `\n| ${text.replace(EVERY_LINE, '\n| ')}`,
}
/** For who looks words up in it. */
const UNFENCED: Fence = { words: (text) => text, output: (text) => ` ${text}` }

function shorten(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text
  const half = Math.floor(maxChars / 2)
  const left = text.length - 2 * half
  return `${wholeCharacters(text.slice(0, half))}\n[… ${left} characters left out …]\n${wholeCharacters(text.slice(-half))}`
}

/** Without half a character at either end. */
function wholeCharacters(text: string): string {
  return text.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '')
}

export interface Task {
  text: string
  state: TaskState
  /** The entry that last named it. */
  n: number
}

/** Of an empty list the last one before it that had tasks. */
export function tasksIn(entries: readonly Numbered[]): Task[] {
  let written: Task[] = []
  const made = new Map<string, Task>()
  for (const { n, entry } of entries) {
    if (entry.role !== 'tool' || entry.items === undefined || entry.ok === false) continue
    if (entry.name === 'TodoWrite')
      written = entry.items.length === 0 ? written : entry.items.flatMap((one) => listed(one, n))
    else for (const item of entry.items) change(made, item, n)
  }
  return made.size > 0 ? [...made.values()].filter(({ state }) => state !== 'deleted') : written
}

export function isTaskOpen({ state }: Task): boolean {
  return state === 'pending' || state === 'in_progress'
}

function listed({ text, state }: TaskItem, n: number): Task[] {
  return text === undefined || text.trim() === '' ? [] : [{ text, state: state ?? 'pending', n }]
}

/** A task that was made before these entries has no text here and is left out. */
function change(made: Map<string, Task>, { id, text, state }: TaskItem, n: number): void {
  const key = id ?? `new ${made.size + 1}`
  const before = made.get(key)
  const known = text ?? before?.text
  if (known !== undefined) made.set(key, { text: known, state: state ?? before?.state ?? 'pending', n })
}
