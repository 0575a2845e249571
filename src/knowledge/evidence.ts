/** Whose words a quote is, and where they stand: only what a person typed counts as theirs, never what they pasted, and never a tool's text. */

import { findFolded, fold, mayHold } from '../text/quote-fold.ts'
import type { Entry, Numbered, Tombstone } from '../transcript/session.ts'
import type { Speaker } from './fact.ts'

/** A quote as it stands in its entry. */
export interface FoundQuote {
  entry: number
  quote: string
  by: Speaker
}

const MIN_WORDS = 2
const MIN_LETTERS = 8
/** Of scripts in which a character holds as much as a syllable or a word. */
const MIN_CJK = 4
const RANK: Readonly<Record<Speaker, number>> = { user: 0, assistant: 1, tool: 2 }

/**
 * `quote` as it stands in the entry. The user's are only words that the entry's `by` names as theirs and that they said
 * rather than quoted. A prompt that a program sent counts as much as what Claude says: nobody typed it.
 */
export function speakerOf(entry: Entry | Tombstone, quote: string): Speaker {
  if (entry.role === 'assistant') return 'assistant'
  if (entry.role !== 'user' || entry.by !== 'user' || !isSaid(entry, quote)) return 'tool'
  return entry.sent === true ? 'assistant' : 'user'
}

/** The text of a dialog repeats Claude's own questions. A comment on a refused tool use is the user's as a whole, unless it is long. */
function isSaid({ text, via }: Extract<Entry, { role: 'user' }>, quote: string): boolean {
  if (via === 'AskUserQuestion') return false
  return isTyped(text, quote) || (via !== undefined && via !== 'queue' && !mayBePasted(text))
}

/**
 * The words in the entries, forgiving in blanks, typographic signs and marks of markdown, never in words. Where several
 * entries hold them: the hinted one, else what a person typed, then what Claude said, then the earliest. Null: nobody said
 * so, or it is too little to prove anything.
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

/** Enough that it stands there on purpose and not by chance. */
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

/** A compaction's summary repeats what was said before it: it proves nothing. */
function textsOf(entry: Entry | Tombstone): string[] {
  if (entry.role === 'tombstone' || entry.role === 'summary') return []
  if ('text' in entry) return [entry.text]
  return entry.output === undefined ? [entry.cmd] : [entry.cmd, entry.output]
}

/** Anywhere: what was pasted may be said, too. */
function isTyped(text: string, quote: string): boolean {
  if (quote.trim() === '') return false
  return typedParts(text).some(({ from, to }) => {
    const at = text.indexOf(quote, from)
    return at >= 0 && at + quote.length <= to
  })
}

export interface Part {
  from: number
  to: number
}

/** Whoever types more than this has pasted something, fenced or not. */
const MAX_CHARS = 2_000
const MAX_LINES = 10
/** What stands around a paste is short. */
const EDGE_CHARS = 500
const EDGE_LINES = 4
/** A pasted text may have any of these. */
const LINE_BREAK = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/g
/** Also as the first line of an item of a list. */
const FENCE = /^[\t\p{Zs}]*(?:(?:[-+*]|\d{1,3}[.)])[\t\p{Zs}]+)?(`{3,}|~{3,})(.*)$/u
/** A quote, a line of a diff or a list, an indented block. */
const QUOTED = /^(?:[\t\p{Zs}]*[>＞+-]|\t|\p{Zs}{4})/u
/** One such line is a sentence of its author; two in a row are the head of a mail, a form or a settings file. */
const KEYED = /^[ \t]*[\p{L}\p{N}_./-]+(?: [\p{L}\p{N}_./-]+){0,3}[ \t]*[:：=][ \t]*\S/u
const ANNOUNCES = /[:：][*_~`"'\t\p{Zs}]*$/u
const SAID_PARAGRAPHS = 3

interface Line extends Part {
  text: string
  /** Where the following line begins. */
  next: number
}

/** In their order, without overlap; each is a run of whole lines, but for the beginning of a very long line. */
export function typedParts(text: string): readonly Part[] {
  if (last.text !== text) last = { text, parts: partsOf(text) }
  return last.parts
}

/** Sentences of one prompt are asked for one after the other. */
let last: { text: string; parts: readonly Part[] } = { text: '', parts: [] }

/** So long that a part of it may be somebody else's, whatever it looks like. */
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

/** A fence ends with the same sign, at least as often; one that never ends holds the rest. */
function ownLines(lines: readonly Line[]): Line[] {
  let fence = ''
  let isAnnounced = false
  return lines.filter(({ text }, i) => {
    const [, marks = '', rest = ''] = FENCE.exec(text) ?? []
    if (fence !== '') {
      if (marks.startsWith(fence) && rest.trim() === '') fence = ''
      return false
    }
    // Backquotes behind backquotes: a bit of code inside a line.
    if (marks !== '' && !(marks.startsWith('`') && rest.includes('`'))) fence = marks
    if (fence !== '' || isAnnounced || QUOTED.test(text) || isKeyed(lines, i)) return false
    isAnnounced = ANNOUNCES.test(text)
    return true
  })
}

function isKeyed(lines: readonly Line[], i: number): boolean {
  const is = (at: number): boolean => KEYED.test(lines[at]?.text ?? '')
  return is(i) && (is(i - 1) || is(i + 1))
}

/** Runs of lines between blank lines. */
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

/** The first line of a paragraph that is none of the person's alone; never half a sentence, which says something else. */
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
