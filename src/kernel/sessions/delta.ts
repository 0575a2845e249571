/** The text of a session's entries for the author of a note or facts, and Claude's list of tasks. */
import { deltaId } from '../memory/work-item.ts'
import { reportExcerpt } from '../text/ends.ts'
import { once } from '../text/once.ts'
import { estimateTokens } from '../text/tokens.ts'
import { isAgentUse } from '../transcript/agent-report.ts'
import {
  type Entry,
  isBareCommand,
  isHostLine,
  isOurCall,
  isOurs,
  type Numbered,
  outcomeOf,
  type TaskItem,
  type TaskState,
  type Tombstone,
  whyNotUsers,
} from '../transcript/session.ts'
import { withoutHostText } from '../transcript/words.ts'

/** The size of one handed-out piece, in estimated tokens: an agent's Read tool stops at 25,000, numbers and what is known included. */
export const PIECE_TOKENS = { headless: 60_000, agent: 18_000 } as const

export interface Delta {
  /** Contains session and range: `1a2b3c4d-12-57`. */
  id: string
  /** The session's id8. */
  session: string
  /** The range of entries; `to` is exclusive. */
  from: number
  to: number
  text: string
}

/** How much one entry contributes: a pasted log must not fill a delta. The stored entry stays whole. */
interface EntryRoom {
  words: number
  /** For a report of an agent: what it begins and ends with, and the headings between. */
  report: number
}

const HANDED_OUT: EntryRoom = { words: 16_000, report: 2_400 }
export const WHOLE_ENTRIES: EntryRoom = { words: Number.MAX_SAFE_INTEGER, report: Number.MAX_SAFE_INTEGER }

/**
 * Takes the oldest entries first; the rest waits for the next delta. Null: there are no entries. An empty text: nothing is worth
 * a note.
 */
export function takeDelta(session: string, entries: readonly Numbered[], maxTokens: number): Delta | null {
  const texts: string[] = []
  const worthy = new Set(toTell(entries))
  let tokens = 0
  let taken = 0
  for (const each of entries) {
    const text = worthy.has(each) ? renderEntry(each.entry, HANDED_OUT) : ''
    tokens += estimateTokens(text)
    // The first entry is always included, however large, or it would block its session permanently.
    if (taken > 0 && tokens > maxTokens) break
    if (text !== '') texts.push(text)
    taken++
  }
  const from = entries[0]?.n
  if (from === undefined) return null
  return { id: deltaId(session, from, from + taken), session, from, to: from + taken, text: texts.join('\n\n') }
}

/** Leaves out deleted entries, commands that only the host answered, and our own saving: the memory must not store its own output. */
export function toTell(entries: readonly Numbered[]): Numbered[] {
  const savers = new Set(
    entries.flatMap(({ entry }) => (entry.role === 'subagent' && isOurs(entry) ? [entry.agent] : [])),
  )
  let isOurTurn = false
  return entries.filter(({ entry }, i) => {
    if (entry.role === 'user' && !isHostLine(entry)) {
      isOurTurn = isOurCall(entry.text)
      const isLast = (entries[i + 1]?.entry.role ?? 'user') === 'user'
      if (isLast && isBareCommand(entry.text)) return false
    }
    if (entry.role === 'tombstone' || isOurs(entry) || isOurTurn) return false
    return !(entry.role === 'subagent' && savers.has(entry.agent))
  })
}

/** All text of some entries: a note about them may name nothing else. */
export function sourceOf(entries: readonly Numbered[]): string {
  return entries.map(({ entry }) => renderEntry(entry, WHOLE_ENTRIES, UNFENCED)).join('\n\n')
}

/** One text per entry, with its number, so that evidence can name it. */
export function renderNumbered(entries: readonly Numbered[], room = HANDED_OUT): string[] {
  return toTell(entries).flatMap(({ n, entry }) => {
    const text = renderEntry(entry, room)
    return text === '' ? [] : [`#${n} ${text}`]
  })
}

/** Empty if the entry has nothing for a note. */
function renderEntry(entry: Entry | Tombstone, room: EntryRoom, fence = FENCED): string {
  const words = (text: string): string => fence.words(shorten(text, room.words))
  switch (entry.role) {
    case 'tombstone':
      return ''
    case 'user':
      if (isHostLine(entry)) return entry.via === 'interrupt' ? '[The user interrupted Claude here]' : ''
      // Its author is unknown or not the user: the model must not take it for the user's words.
      return `${entry.by === 'machine' ? `[Prompt, ${whyNotUsers(entry)}]` : '[User]'}: ${words(withoutHostText(entry.text))}`
    case 'teammate':
      return `[Message from ${entry.from.replace(/[\][]/g, '')}]: ${words(entry.text)}`
    case 'assistant':
      return `[Assistant]: ${words(entry.text)}`
    case 'summary':
      // The summary repeats earlier entries.
      return '[The host compacted the conversation here]'
    case 'tool':
      return renderTool(`Tool: ${entry.name}`, entry, room, fence)
    case 'subagent':
      return 'text' in entry
        ? `[Subagent ${entry.agent}]: ${fence.words(reportExcerpt(entry.text, room.report))}`
        : renderTool(`Subagent tool: ${entry.name}`, entry, room, fence)
  }
}

function renderTool(
  head: string,
  tool: { name: string; cmd: string; ok: boolean | null; refused?: true; output?: string },
  room: EntryRoom,
  fence: Fence,
): string {
  const ended = outcomeOf(tool)
  const outcome = ended === 'ok' ? '' : ended === 'refused' ? ' (refused by the user)' : ` (${ended})`
  const kept = isAgentUse(tool) ? reportExcerpt(tool.output ?? '', room.report) : (tool.output ?? '')
  const output = tool.output === undefined ? '' : `\nOutput:${fence.output(kept)}`
  return `[${head}]${outcome} ${fence.words(shorten(tool.cmd, room.words))}${output}`
}

/** Separates the lines of an entry from the line at its beginning, which names the author. */
interface Fence {
  words(text: string): string
  output(text: string): string
}

const BREAK = '\\r\\n|[\\n\\r\\v\\f\\u0085\\u2028\\u2029]'
const EVERY_LINE = new RegExp(BREAK, 'g')
/** Excludes line breaks: a text of nothing else would take forever. */
const UNSEEN = '[\\0-\\x09\\x0e-\\x1f\\x7f-\\x84\\x86-\\x9f\\p{Zs}\\p{Cf}]*'
/** The beginning of an entry: `[User]:`, `#12 [Tool: Bash]`, `Output:`. */
const HEAD = `(?=${UNSEEN}(?:#\\d+${UNSEEN})?(?:[[\uff3b]|Output:))`
const LIKE_A_HEAD = once(() => new RegExp(`(${BREAK})${HEAD}`, 'gu'))

const FENCED: Fence = {
  words: (text) => text.replace(LIKE_A_HEAD(), '$1| '),
  output: (text) => `\n| ${text.replace(EVERY_LINE, '\n| ')}`,
}
/** For looking up words in the text. */
const UNFENCED: Fence = { words: (text) => text, output: (text) => ` ${text}` }

function shorten(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text
  const half = Math.floor(maxChars / 2)
  const left = text.length - 2 * half
  return `${wholeCharacters(text.slice(0, half))}\n[… ${left} characters left out …]\n${wholeCharacters(text.slice(-half))}`
}

/** Removes half a surrogate pair at either end. */
function wholeCharacters(text: string): string {
  return text.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '')
}

export interface Task {
  text: string
  state: TaskState
  /** The entry that last changed the task. */
  n: number
}

/** If the last list is empty, the last non-empty list is used. */
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

/** A task created before these entries has no text here and is left out. */
function change(made: Map<string, Task>, { id, text, state }: TaskItem, n: number): void {
  const key = id ?? `new ${made.size + 1}`
  const before = made.get(key)
  const known = text ?? before?.text
  if (known !== undefined) made.set(key, { text: known, state: state ?? before?.state ?? 'pending', n })
}
