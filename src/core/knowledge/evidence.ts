/** Determines whose words a quote is, and where they are: only text that a person typed counts as theirs, never pasted text or a tool's text. */

import { findFolded, fold, mayHold } from '../../kernel/text/quote-fold.ts'
import { type Entry, isHostLine, isPlan, type Numbered, type Tombstone } from '../../kernel/transcript/session.ts'
import type { Fact, Speaker } from './item.ts'

/** A quote exactly as in its entry. */
export interface FoundQuote {
  entry: number
  quote: string
  by: Speaker
}

const MIN_WORDS = 2
const MIN_LETTERS = 8
/** For scripts in which a character is a syllable or a word. */
const MIN_CJK = 4
const RANK: Readonly<Record<Speaker, number>> = { user: 0, assistant: 1, tool: 2 }

/**
 * `quote` must be exactly as in the entry. Words count as the user's only if the entry's `by` names the user and the user typed
 * rather than quoted them. A prompt sent by a program counts like Claude's words: nobody typed it.
 */
export function speakerOf(entry: Entry | Tombstone, quote: string): Speaker {
  if (entry.role === 'assistant') return 'assistant'
  if (entry.role !== 'user' || entry.by !== 'user' || !isSaid(entry, quote)) return 'tool'
  return entry.sent === true ? 'assistant' : 'user'
}

/** How a text names the person; the requests ask for these words. */
const THE_USER =
  /\bthe user\b|사용자|ユーザー|用户|使用者|\b(?:l['’]utilisateur|el usuario|o usuário|(?:der|die) (?:Be)?Nutzer)/i

export function namesUser(text: string): boolean {
  return THE_USER.test(text)
}

/** What a model says about the user needs an entry in which the user speaks; whatever else it cites, somebody else says it. */
export function isAboutUserByOthers(text: string, entry: Entry | Tombstone | undefined): boolean {
  return namesUser(text) && (entry === undefined || !isOfUser(entry))
}

/** The user typed, chose, approved or refused something in it, or had a program send it: such a session is told in no briefing. */
function isOfUser(entry: Entry | Tombstone): boolean {
  if (entry.role === 'user') return entry.by === 'user'
  // A dialog that nobody answered holds Claude's words only.
  return entry.role === 'tool' && (entry.refused === true || (DIALOGS.has(entry.name) && entry.ok === true))
}

/** The host's own dialogs: their tool use is a question, and the person's answer is not a tool's output. */
export const DIALOGS: ReadonlySet<string> = new Set(['AskUserQuestion', 'ExitPlanMode'])
/** Claude's own acts: what these tools say is what Claude wrote. */
const OWN_ACTS: ReadonlySet<string> = new Set([
  'Edit',
  'Write',
  'MultiEdit',
  'NotebookEdit',
  'TodoWrite',
  'TaskCreate',
  'TaskUpdate',
])

/** What these print is about this machine and this project. A page, a message and another server's answer are about anything. */
const LOCAL_TOOLS: ReadonlySet<string> = new Set(['Bash', 'PowerShell', 'Read', 'Grep', 'Glob'])

/** What a tool printed proves it: it is told as learned, with the tool's name. */
export function isOfTool({ kind, evidence }: Pick<Fact, 'kind' | 'evidence'>): boolean {
  return kind === 'pattern' && evidence.by === 'tool' && LOCAL_TOOLS.has(evidence.from ?? '')
}

/** The words stand in the output of a tool that ran here; its command is Claude's own text. */
export function isFromEnvironment(entry: Entry | Tombstone, quote: string): boolean {
  if (entry.role !== 'tool' || entry.refused === true || !LOCAL_TOOLS.has(entry.name)) return false
  return entry.output?.includes(quote) === true
}

/** Whose text a tool's entry repeats: `WebFetch`; null: the user's, Claude's or nobody's. */
export function sourceOfEntry(entry: Entry | Tombstone | undefined): string | null {
  if (entry === undefined || entry.role === 'tombstone') return null
  if (entry.role === 'subagent') return 'an agent'
  if (entry.role === 'teammate') return 'a message'
  if (entry.role === 'user' && DIALOGS.has(entry.via ?? '')) return 'a dialog with the user'
  if (entry.role !== 'tool' || DIALOGS.has(entry.name) || OWN_ACTS.has(entry.name)) return null
  return entry.name
}

/** The user typed it behind a colon of the same line: it may be an instruction or somebody's words, and only the user can tell. */
export function isBehindColon(entry: Entry | Tombstone, quote: string): boolean {
  if (entry.role !== 'user' || entry.by !== 'user' || entry.sent === true || entry.via !== undefined) return false
  return !isPlan(entry) && !isHostLine(entry) && isWithin(typedParts(entry.text), entry.text, quote)
}

/** The text of a dialog repeats Claude's own questions. A comment on a refused tool use is wholly the user's, unless it is long. */
function isSaid(entry: Extract<Entry, { role: 'user' }>, quote: string): boolean {
  const { text, via } = entry
  // Versions before 0.7 stored a plan of Claude and a text of the host as the user's.
  if (via === 'AskUserQuestion' || isPlan(entry) || isHostLine(entry)) return false
  return isWithin(saidParts(text), text, quote) || (via !== undefined && via !== 'queue' && !mayBePasted(text))
}

/**
 * Finds the words in the entries, ignoring spaces, typographic characters and markdown marks, but never words. If several
 * entries contain them: the hinted one, else one that a person typed, then one of Claude, then the earliest. Null: no entry
 * contains them, or the quote is too short to prove anything.
 */
export function findQuote(entries: readonly Numbered[], quote: string, hint?: number): FoundQuote | null {
  if (!isProof(quote)) return null
  const hinted = entries.find(({ n }) => n === hint)
  const there = hinted === undefined ? null : quoteIn(hinted, quote)
  if (there !== null) return there
  let best: FoundQuote | null = null
  for (const each of entries) {
    const found = quoteIn(each, quote)
    if (found === null) continue
    if (found.by === 'user') return found
    if (best === null || RANK[found.by] < RANK[best.by]) best = found
  }
  return best
}

/** Long enough that it does not occur by chance. */
function isProof(quote: string): boolean {
  const cjk = quote.match(/[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/g)?.length ?? 0
  if (cjk >= MIN_CJK) return true
  const letters = quote.match(/[\p{L}\p{N}]/gu)?.length ?? 0
  const words = quote.match(/[\p{L}\p{N}_]+/gu)?.length ?? 0
  return letters + cjk >= MIN_LETTERS && words >= MIN_WORDS
}

function quoteIn({ n, entry }: Numbered, quote: string): FoundQuote | null {
  for (const text of textsOf(entry)) {
    const found = mayHold(text, quote) ? findFolded(fold(text), quote) : null
    if (found === null) continue
    const words = text.slice(found.from, found.to)
    return { entry: n, quote: words, by: speakerOf(entry, words) }
  }
  return null
}

/** A compaction's summary repeats earlier text: it proves nothing. */
function textsOf(entry: Entry | Tombstone): string[] {
  if (entry.role === 'tombstone' || entry.role === 'summary') return []
  if ('text' in entry) return [entry.text]
  return entry.output === undefined ? [entry.cmd] : [entry.cmd, entry.output]
}

/** Checks every occurrence: pasted words may also be typed elsewhere. */
function isWithin(parts: readonly Part[], text: string, quote: string): boolean {
  if (quote.trim() === '') return false
  return parts.some(({ from, to }) => {
    const at = text.indexOf(quote, from)
    return at >= 0 && at + quote.length <= to
  })
}

export interface Part {
  from: number
  to: number
}

/** A longer prompt contains pasted text, fenced or not. */
const MAX_CHARS = 2_000
const MAX_LINES = 10
/** Typed text around a paste is short. */
const EDGE_CHARS = 500
const EDGE_LINES = 4
/** A pasted text may contain any of these. */
const LINE_BREAK = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/g
/** Also as the first line of a list item. */
const FENCE = /^[\t\p{Zs}]*(?:(?:[-+*]|\d{1,3}[.)])[\t\p{Zs}]+)?(`{3,}|~{3,})(.*)$/u
/** A quote, a line of a diff or a list, an indented block. */
const QUOTED = /^(?:[\t\p{Zs}]*[>＞+-]|\t|\p{Zs}{4})/u
/** One such line is a sentence of its author; two in a row are the head of a mail, a form or a settings file. */
const KEYED = /^[ \t]*[\p{L}\p{N}_./-]+(?: [\p{L}\p{N}_./-]+){0,3}[ \t]*[:：=][ \t]*\S/u
const ANNOUNCES = /[:：][*_~`"'\t\p{Zs}]*$/u
/** What stands behind a colon in the same line is what the line announces. Not in a time, an address or a path. */
const ANNOUNCED = /[:：](?=[\t\p{Zs}]+\S)|：/u
const SAID_PARAGRAPHS = 3

interface Line extends Part {
  text: string
  /** The position of the next line. */
  next: number
}

/** In order, without overlap; each is a run of whole lines, except for the beginning of a very long line. */
export function typedParts(text: string): readonly Part[] {
  if (last.text !== text) last = { text, parts: partsOf(text) }
  return last.parts
}

/** Cached: the sentences of one prompt are checked one after the other. */
let last: { text: string; parts: readonly Part[] } = { text: '', parts: [] }

/** Long enough that a part may be someone else's text. */
export function mayBePasted(text: string): boolean {
  return isLong(linesOf(text).filter((line) => line.text.trim() !== ''))
}

function partsOf(text: string): Part[] {
  const lines = linesOf(text)
  const own = new Set(ownLines(lines))
  const paragraphs = paragraphsOf(lines)
  const said = paragraphs.map((lines) => lines.filter((line) => own.has(line)))
  if (paragraphs.length < SAID_PARAGRAPHS && !isLong(said.flat())) return joined([...own])
  const [head = []] = said
  const tail = said.length > 1 ? (said.at(-1) ?? []) : []
  return joined([...(isEdge(head) ? head : firstWords(head)), ...(isEdge(tail) ? tail : [])])
}

function linesOf(text: string): Line[] {
  const lines: Line[] = []
  let from = 0
  for (const { index, 0: end } of text.matchAll(LINE_BREAK)) {
    lines.push({ from, to: index, next: index + end.length, text: text.slice(from, index) })
    from = index + end.length
  }
  return [...lines, { from, to: text.length, next: text.length, text: text.slice(from) }]
}

/** A fence ends with the same mark, repeated at least as often; a fence that never ends contains the rest. */
function ownLines(lines: readonly Line[]): Line[] {
  let fence = ''
  let isAnnounced = false
  return lines.filter(({ text }, i) => {
    const [, marks = '', rest = ''] = FENCE.exec(text) ?? []
    if (fence !== '') {
      if (marks.startsWith(fence) && rest.trim() === '') fence = ''
      return false
    }
    // Backquotes after backquotes are inline code.
    if (marks !== '' && !(marks.startsWith('`') && rest.includes('`'))) fence = marks
    if (fence !== '' || isAnnounced || QUOTED.test(text) || isKeyed(lines, i)) return false
    isAnnounced = ANNOUNCES.test(text)
    return true
  })
}

/** Of the typed parts what the user says himself: each line up to the colon behind which it quotes something. */
function saidParts(text: string): readonly Part[] {
  return typedParts(text).flatMap((part) =>
    joined(
      linesOf(text.slice(part.from, part.to)).map(({ from, to, next, text: line }): Line => {
        const at = line.search(ANNOUNCED)
        const end = at < 0 ? to : from + at + 1
        return { from: part.from + from, to: part.from + end, next: part.from + (at < 0 ? next : end), text: line }
      }),
    ),
  )
}

function isKeyed(lines: readonly Line[], i: number): boolean {
  const is = (at: number): boolean => KEYED.test(lines[at]?.text ?? '')
  return is(i) && (is(i - 1) || is(i + 1))
}

/** Groups the lines between blank lines. */
function paragraphsOf(lines: readonly Line[]): Line[][] {
  const paragraphs: Line[][] = [[]]
  for (const line of lines) {
    if (line.text.trim() !== '') paragraphs.at(-1)?.push(line)
    else if (paragraphs.at(-1)?.length !== 0) paragraphs.push([])
  }
  return paragraphs.filter((some) => some.length > 0)
}

function isLong(lines: readonly Line[]): boolean {
  return lines.length > MAX_LINES || charsOf(lines) > MAX_CHARS
}

function isEdge(lines: readonly Line[]): boolean {
  return lines.length <= EDGE_LINES && charsOf(lines) <= EDGE_CHARS
}

function charsOf(lines: readonly Line[]): number {
  return lines.reduce((sum, { from, to }) => sum + to - from, 0)
}

/** The first line of a paragraph that may be partly pasted. Never half a sentence, which could mean something else. */
function firstWords([line]: readonly Line[]): Line[] {
  if (line === undefined || line.text.length <= EDGE_CHARS) return line === undefined ? [] : [line]
  const head = line.text.slice(0, EDGE_CHARS)
  const end = Math.max(head.lastIndexOf('. ') + 1, head.lastIndexOf('。') + 1)
  return end === 0 ? [] : [{ ...line, to: line.from + end, next: line.from + end, text: head.slice(0, end) }]
}

function joined(lines: readonly Line[]): Part[] {
  const parts: Part[] = []
  let next = -1
  for (const line of lines) {
    const before = parts.at(-1)
    if (before !== undefined && next === line.from) before.to = line.to
    else parts.push({ from: line.from, to: line.to })
    next = line.next
  }
  return parts
}
