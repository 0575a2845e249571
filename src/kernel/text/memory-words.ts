/** Prepares stored text for a model: removes dangerous characters, shortens it at the end of a sentence or word, and compares it. */

import { once, perKey } from './once.ts'
import { splitSentences } from './sentences.ts'

/** Colours and cursor moves of a terminal. */
const ESCAPES = /\u001B\[[0-9;?]*[ -/]*[@-~]/g
const LINE_BREAKS = /\r\n?|[\u2028\u2029]/g
/** Controls, lone surrogates, direction marks and other characters that a person does not see but a model does. */
const UNSEEN = once(() => /(?!\t|\n|\u200C|\u200D|\uFE0F)[\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB]/gu)
/** Emoji and some scripts need joiners. */
const JOINERS = /(?:\u200C|\u200D|\uFE0F)+/g
/** Where a tag may begin. What closes a frame nobody can guess; other tags are only kept from looking like the host's. */
const TAG = once(() => /[<＜](?=[\p{L}/!?])/gu)
/** Only Memory Keeper itself may write this trigger; stored text must not contain it. */
const TRIGGER = once(() => /[[\uFF3B](?=\s*MEMORY[\s_\p{Pd}]*KEEPER)/giu)

/** A text without what is invisible, and without our trigger. Line breaks and tabs stay, and every other character. */
function visibleText(text: string): string {
  return text
    .replace(ESCAPES, '')
    .replace(LINE_BREAKS, '\n')
    .replace(UNSEEN(), '')
    .replace(JOINERS, keptJoiners)
    .replace(TRIGGER(), '(')
}

/** As `visibleText`, on one line: for what is stored, asked and shown to a person. */
export function visibleLine(text: string): string {
  return visibleText(text).replace(/\s+/g, ' ').trim()
}

/** As `visibleText`, for a frame of remembered text: no tag begins in it. */
export function harmlessText(text: string): string {
  return visibleText(text).replace(TAG(), '‹')
}

/** Joiners beside Latin letters or brackets, at the beginning of the text or in long runs only hide something and are removed. */
function keptJoiners(run: string, at: number, text: string): string {
  const isJoining = run.length < 3 && at > 0 && !/[\w<>/[\]-]/.test(text[at - 1] + (text[at + run.length] ?? ''))
  return isJoining ? run : ''
}

/** How the marks begin that say whose words a told line has (`receipts/authored-line.ts`). */
const MARK_WORDS: ReadonlySet<string> = new Set(['user', 'claude', 'note', 'prompt', 'human', 'assistant'])
const MARK_LIKE = once(
  () => /(?<![\p{L}\p{N}])(\p{L}{4,9})(?=\)?\s?[:：]| refused| found:| \(|, asked)(\))?(\s?[:：])?/gu,
)

/**
 * As `harmlessText`, on one line, for a told line: its text contains no mark of ours. The sign behind a word that could be one is
 * replaced by one of the same length.
 */
export function textOnOneLine(text: string): string {
  return withoutMarks(harmlessText(text).replace(/\s+/g, ' ').trim())
}

function withoutMarks(line: string): string {
  return line.replace(MARK_LIKE(), (whole: string, word: string, more = '', colon = '') =>
    isMarkWord(word) && !isOwnNote(whole) ? word.toLowerCase() + more + colon.replace(/[:：]/, ';') : whole,
  )
}

/** `Note: …` is no mark: ours names an author in parentheses. */
function isOwnNote(whole: string): boolean {
  return /^note\s?:$/i.test(whole)
}

/** Letters of other scripts that look like one of ours stand for any letter. */
function isMarkWord(word: string): boolean {
  const letters = word.normalize('NFKC').toLowerCase()
  if (MARK_WORDS.has(letters)) return true
  if (!/[a-z]/.test(letters) || /^[a-z]*$/.test(letters)) return false
  return [...MARK_WORDS].some(
    (mark) =>
      mark.length === letters.length &&
      [...mark].every((sign, i) => sign === letters[i] || !/[a-z]/.test(letters[i] ?? '')),
  )
}

/** Somebody else's words inside a line: what could end the quotation is replaced. */
export function quotedWords(text: string): string {
  return `“${text.replace(/[“”]/g, '"')}”`
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

/** Splits a text of several lines into sentences that can be joined by spaces. */
export function piecesOf(text: string): string[] {
  return plainLines(text).flatMap((line, i, lines) => {
    const isOpen = i < lines.length - 1 && !/[.!?:;…。！？]["'”’)\]`」』）]*$/u.test(line)
    return splitSentences(isOpen ? `${line};` : line)
  })
}

const MORE = ' …'

/** Returns at most `max` characters: whole sentences from the beginning, else whole words. Null: not even one word fits. */
export function shortenTo(text: string, max: number): string | null {
  return text.length <= max ? text : joinWithin(splitSentences(text), max)
}

export function joinWithin(pieces: readonly string[], max: number): string | null {
  const all = fitting(pieces, max)
  if (all.next === undefined) return all.text
  const room = max - MORE.length
  const { text, next = '' } = fitting(pieces, room)
  // A long sentence that does not fit is cut, so that much of the room is not left empty.
  const part = text.length < room / 3 ? cutAtWord(next, room - glue(text, '').length) : ''
  return ended(part === '' ? text : glue(text, part))
}

/** Returns the first pieces that fit, joined, and the first piece that does not fit. */
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

/** Japanese and Chinese sentences have no space between them. */
function glue(before: string, next: string): string {
  if (before === '') return next
  return before + ('。！？」』）'.includes(before.at(-1) ?? ' ') ? '' : ' ') + next
}

/** Cuts at a comma if that keeps most of the text, else at a space. Scripts without spaces are cut at their own commas only. */
function cutAtWord(text: string, room: number): string {
  const head = text.slice(0, Math.max(0, room + 1))
  const space = head.lastIndexOf(' ')
  const comma = Math.max(...[...head.matchAll(/[,;:](?=\s)|[、，；：]/g)].map((match) => match.index), -1)
  let end = comma >= space * 0.6 ? comma : space
  // Does not cut inside a name in backticks.
  if ((head.slice(0, Math.max(0, end)).split('`').length - 1) % 2 === 1) end = head.lastIndexOf('`', end - 1)
  return head.slice(0, Math.max(0, end)).trimEnd()
}

const MAX_LIST_CHARS = 240

/** Joins names into lists of moderate length, so that a list that does not fit loses only its own names. */
export function inLists(names: readonly string[]): string[] {
  const lists: string[] = []
  for (const name of names) {
    const list = lists.at(-1)
    if (list === undefined || list.length + name.length > MAX_LIST_CHARS) lists.push(name)
    else lists[lists.length - 1] = `${list}, ${name}`
  }
  return lists
}

/** The set of words by which texts are compared. */
export function memoryWords(text: string): Set<string> {
  return new Set(wordList(text))
}

/** The words in order. Scripts without spaces and Korean are split into pairs of characters. */
function wordList(text: string): string[] {
  return [...text.toLowerCase().matchAll(/[\p{L}\p{N}_]+/gu)].flatMap(([run]) =>
    run.length === 1 || !/[\u3040-\u30FF\u3400-\u9FFF\uAC00-\uD7AF]/.test(run)
      ? [run]
      : Array.from({ length: run.length - 1 }, (_, i) => run.slice(i, i + 2)),
  )
}

/** The share of `some` that occurs in `others`, 0 to 1. */
export function shareOf(some: ReadonlySet<string>, others: ReadonlySet<string>): number {
  if (some.size === 0) return 0
  let common = 0
  for (const word of some) if (others.has(word)) common++
  return common / some.size
}

/** A line repeats a sentence nearly literally if it contains this share of the sentence's three-word runs. */
const NEARLY_LITERAL = 0.7

/** Returns a function that checks whether one of these lines already contains a text in nearly the same words and order. */
export function occursIn(lines: readonly string[]): (text: string) => boolean {
  const known = lines.map(runsOf)
  // Nearly every text is new: one check against all lines together saves the check of each line.
  const together = new Set(known.flatMap((runs) => [...runs]))
  return (text) => {
    const runs = runsOf(text)
    return shareOf(runs, together) >= NEARLY_LITERAL && known.some((line) => shareOf(runs, line) >= NEARLY_LITERAL)
  }
}

/** Runs of three words keep the word order: "A, not B" is not "B, not A". A shorter text is one run. */
const runsOf = perKey((text: string): ReadonlySet<string> => {
  const words = wordList(text)
  if (words.length === 0) return new Set()
  return new Set(
    words.length < 3 ? [words.join(' ')] : words.slice(2).map((word, i) => `${words[i]} ${words[i + 1]} ${word}`),
  )
})

/** `2026-01-13`, or an empty string if the instant has no date. */
export function dayOf(at: string): string {
  return /^\d{4}-\d\d-\d\d/.exec(at)?.[0] ?? ''
}

/** Compares code units: the order is the same on every machine, unlike a locale's order. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
