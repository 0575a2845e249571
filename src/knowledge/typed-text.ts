/**
 * Which parts of a prompt its author says, and which are only quoted there. Shape decides, not wording: fenced and indented
 * blocks, lines that begin with `>`, `+` or `-`, blocks of `Key: value` lines, and everything behind a line that ends with
 * a colon are quoted. Of a prompt of three paragraphs or more only the first and the last are said.
 */

import { isMachineLine, wordCount } from '../outgoing/digest-words.ts'
import type { Numbered } from '../sessions/digest-types.ts'
import { textOnOneLine } from '../text/memory-words.ts'
import { sentencesOf } from '../text/sentences.ts'

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

/** The same text with blanks where the person did not type, so that positions stay. */
export function typedOnly(text: string): string {
  let typed = ''
  for (const { from, to } of typedParts(text)) typed += clear(text.slice(typed.length, from)) + text.slice(from, to)
  return typed + clear(text.slice(typed.length))
}

/** So long that a part of it may be somebody else's, whatever it looks like. */
export function mayBePasted(text: string): boolean {
  return isLong(linesOf(text).filter((line) => line.text.trim() !== ''))
}

function clear(text: string): string {
  return text.replace(/[^\n]/g, ' ')
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

export interface TypedSentence {
  text: string
  /** The one before it in the same prompt; empty: none. */
  before: string
  at: string
  /** Number of the entry. */
  entry: number
}

/** A longer sentence is no instruction any more, but a text. */
const MAX_SENTENCE = 320

/** In the order they were typed. A tool's text may imitate everything but this. */
export function typedSentences(entries: readonly Numbered[]): TypedSentence[] {
  return entries.flatMap(({ n, entry }) => {
    if (entry.role !== 'user' || entry.by !== 'user' || entry.via !== undefined || entry.sent === true) return []
    if (/^\s*[/!]/.test(entry.text)) return []
    const texts = sentencesIn(entry.text)
    return texts.flatMap((text, i) =>
      isSentence(text) ? [{ text, before: texts[i - 1] ?? '', at: entry.ts, entry: n }] : [],
    )
  })
}

function sentencesIn(text: string): string[] {
  // `# …` is how the host takes a memory: one line of it is no heading.
  const typed = typedOnly(text).replace(/^#+ (?=[^\n]*$)/, '')
  return sentencesOf(typed).map((sentence) => textOnOneLine(sentence.text))
}

function isSentence(text: string): boolean {
  if (text.length > MAX_SENTENCE || wordCount(text) < 2 || isMachineLine(text)) return false
  return !/^["“'‘«「『]/.test(text) && !text.endsWith(':')
}

/** Blanks of the same length: words that are only talked about give no order. */
export function withoutQuotes(text: string): string {
  return text.replace(
    /"[^"]{1,200}"|“[^”]{1,200}”|`[^`]{1,200}`|「[^」]{1,200}」|『[^』]{1,200}』|„[^“]{1,200}“|«[^»]{1,200}»/g,
    (quoted) => '_'.repeat(quoted.length),
  )
}
