/** Remembered words on their way to a model: made harmless, shortened only where a sentence or a word ends, and compared. */

import { once } from './once.ts'
import { splitSentences } from './sentences.ts'

/** Colours and cursor moves of a terminal. */
const ESCAPES = /\u001B\[[0-9;?]*[ -/]*[@-~]/g
const LINE_BREAKS = /\r\n?|[\u2028\u2029]/g
/** Controls, lone surrogates, direction marks, and whatever else a reader does not see but a model does. */
const UNSEEN = once(() => /(?!\t|\n|\u200C|\u200D|\uFE0F)[\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB]/gu)
/** Joiners belong into emoji and some scripts. */
const JOINERS = /(?:\u200C|\u200D|\uFE0F)+/g
/** Tags as the host and prompts use them: a name in several parts, or a role. Plain markup such as `<h1>` stays. */
const TAG = once(
  () =>
    /[<\uFE64\uFF1C](?=\s{0,9}[/\uFF0F]?\s{0,9}(?:memory[\s_\p{Pd}]*keeper|system[\s_\p{Pd}]*reminder|[a-z][a-z0-9]*[_:\p{Pd}][\w:\p{Pd}]*(?:[\s/][^<>]{0,200})?[>\uFF1E]|(?:system|user|assistant|human|instructions?|important|invoke|reminder|rules)\b[^<>]{0,80}[>\uFF1E]))/giu,
)
/** Words that ask Claude for work are ours to say, not a memory's. */
const TRIGGER = once(() => /[[\uFF3B](?=\s*MEMORY[\s_\p{Pd}]*KEEPER)/giu)

/** The same words without anything that could end our fence, speak for the host, or hide. Line breaks and tabs stay. */
export function harmlessText(text: string): string {
  return text
    .replace(ESCAPES, '')
    .replace(LINE_BREAKS, '\n')
    .replace(UNSEEN(), '')
    .replace(JOINERS, keptJoiners)
    .replace(TAG(), '‹')
    .replace(TRIGGER(), '(')
}

/** Beside Latin letters and brackets, at the beginning or in long rows they only hide something. */
function keptJoiners(run: string, at: number, text: string): string {
  const isJoining = run.length < 3 && at > 0 && !/[\w<>/[\]-]/.test(text[at - 1] + (text[at + run.length] ?? ''))
  return isJoining ? run : ''
}

/** Harmless, on one line. */
export function textOnOneLine(text: string): string {
  return harmlessText(text).replace(/\s+/g, ' ').trim()
}

const LIST_MARKS = /^\s*(?:(?:[-*+•]|\d+[.)]|\\?#{1,6}|>)\s+)+/
// Whole words only: the stars of a file pattern stay.
const EMPHASIS = /(?<=^|[\s(])\*\*(?=\S)([^*\n]+)(?<=\S)\*\*(?=$|[\s).,:;!?])/g

/** The lines of a text, harmless, without list, heading and emphasis marks. */
export function plainLines(text: string): string[] {
  return harmlessText(text)
    .split('\n')
    .map((line) => line.replace(LIST_MARKS, '').replace(EMPHASIS, '$1').replace(/\s+/g, ' ').trim())
    .filter((line) => line !== '')
}

/** A text of several lines as the sentences of one: joined by spaces they read as a paragraph. */
export function piecesOf(text: string): string[] {
  return plainLines(text).flatMap((line, i, lines) => {
    const isOpen = i < lines.length - 1 && !/[.!?:;…。！？]["'”’)\]`」』）]*$/u.test(line)
    return splitSentences(isOpen ? `${line};` : line)
  })
}

const MORE = ' …'

/** At most `max` long: whole sentences from the beginning, else whole words. Null: not even one word fits. */
export function shortenTo(text: string, max: number): string | null {
  return text.length <= max ? text : joinWithin(splitSentences(text), max)
}

export function joinWithin(pieces: readonly string[], max: number): string | null {
  const all = fitting(pieces, max)
  if (all.next === undefined) return all.text
  const room = max - MORE.length
  const { text, next = '' } = fitting(pieces, room)
  // Much room and one endless sentence: a part of it says more than nothing.
  const part = text.length < room / 3 ? cutAtWord(next, room - glue(text, '').length) : ''
  return ended(part === '' ? text : glue(text, part))
}

/** The first pieces that fit, and the one that does not. */
function fitting(pieces: readonly string[], room: number): { text: string; next?: string } {
  let text = ''
  for (const next of pieces) {
    const longer = glue(text, next)
    if (longer.length > room) return { text, next }
    text = longer
  }
  return { text }
}

function ended(text: string): string | null {
  return text === '' ? null : text.replace(/;$/, '') + MORE
}

/** Sentences of Japanese and Chinese stand without a space between them. */
function glue(before: string, next: string): string {
  if (before === '') return next
  return before + ('。！？」』）'.includes(before.at(-1) ?? ' ') ? '' : ' ') + next
}

/** Ends at a comma if that keeps most of it, else at a space; scripts without spaces end at their own commas only. */
function cutAtWord(text: string, room: number): string {
  const head = text.slice(0, Math.max(0, room + 1))
  const space = head.lastIndexOf(' ')
  const comma = Math.max(...[...head.matchAll(/[,;:](?=\s)|[、，；：]/g)].map((match) => match.index), -1)
  let end = comma >= space * 0.6 ? comma : space
  // Half of a quoted name is no name.
  if ((head.slice(0, Math.max(0, end)).split('`').length - 1) % 2 === 1) end = head.lastIndexOf('`', end - 1)
  return head.slice(0, Math.max(0, end)).trimEnd()
}

const MAX_LIST_CHARS = 240

/** Names in lists of moderate length: a list that does not fit costs only its own names. */
export function inLists(names: readonly string[]): string[] {
  const lists: string[] = []
  for (const name of names) {
    const list = lists.at(-1)
    if (list === undefined || list.length + name.length > MAX_LIST_CHARS) lists.push(name)
    else lists[lists.length - 1] = `${list}, ${name}`
  }
  return lists
}

/** What a text is about, for comparing. */
export function memoryWords(text: string): Set<string> {
  return new Set(wordList(text))
}

/** Its words in order; pairs of characters where a script has no spaces or changes the ends of its words. */
function wordList(text: string): string[] {
  return [...text.toLowerCase().matchAll(/[\p{L}\p{N}_]+/gu)].flatMap(([run]) =>
    run.length === 1 || !/[\u3040-\u30FF\u3400-\u9FFF\uAC00-\uD7AF]/.test(run)
      ? [run]
      : Array.from({ length: run.length - 1 }, (_, i) => run.slice(i, i + 2)),
  )
}

/** Which part of `some` occurs in `others`, 0 to 1. */
export function shareOf(some: ReadonlySet<string>, others: ReadonlySet<string>): number {
  if (some.size === 0) return 0
  let common = 0
  for (const word of some) if (others.has(word)) common++
  return common / some.size
}

/** So many of a sentence's runs of three words in one place: it stands there nearly literally. */
const NEARLY_LITERAL = 0.7

/** Tells whether a text stands in one of these lines already, in nearly the same words and in their order. */
export function toldIn(lines: readonly string[]): (text: string) => boolean {
  const known = lines.map(runsOf)
  // Nearly every text is new: one look at all lines together spares the look at each.
  const together = new Set(known.flatMap((runs) => [...runs]))
  return (text) => {
    const runs = runsOf(text)
    return shareOf(runs, together) >= NEARLY_LITERAL && known.some((line) => shareOf(runs, line) >= NEARLY_LITERAL)
  }
}

/** Three words together keep the order: "A, not B" is not "B, not A". A shorter text is its only run. */
function runsOf(text: string): Set<string> {
  const words = wordList(text)
  if (words.length === 0) return new Set()
  return new Set(
    words.length < 3 ? [words.join(' ')] : words.slice(2).map((word, i) => `${words[i]} ${words[i + 1]} ${word}`),
  )
}

/** `2026-01-13`, or nothing when the instant is none. */
export function dayOf(at: string): string {
  return /^\d{4}-\d\d-\d\d/.exec(at)?.[0] ?? ''
}

/** By code units: the same on every machine, unlike a locale's order. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
