/** Cuts a text into units that are told whole or not at all: sentences, list items, table rows, short code. */

import { headingOn } from '../../kernel/text/headings.ts'
import { plain, splitSentences } from '../../kernel/text/sentences.ts'
import type { Numbered } from '../../kernel/transcript/session.ts'
import { documentIn, isQuestionMarked, proseOf } from './structure-text.ts'
import { promptHead } from './structure-turns.ts'

export interface TextUnit {
  /** On one line, without markdown marks. */
  text: string
  kind: 'sentence' | 'item' | 'row' | 'code' | 'heading'
  /** A heading or a lead-in: told only together with what follows. */
  opens: boolean
}

const ITEM = /^\s*(?:>\s*)*(?:[-*+•▪◦‣]|\d{1,3}[.)])\s+(\S.*)$/
const ROW = /^\s*\|(.*)\|?\s*$/
const RULE = /^[-*_=─━═|:\s]{3,}$/
const FENCE = /^\s*(?:```|~~~)/
const ENDED = /[.!?:;…。！？：]["'”’)\]*_`」』）]*$/u
/** A longer line without an end mark was wrapped at a fixed width. */
const WRAPPED_CHARS = 60
const MOST_CODE = { lines: 6, chars: 200 }

/** The units of a text in order. Code of more than six lines is left out. */
export function unitsOf(text: string): readonly TextUnit[] {
  const units: TextUnit[] = []
  let [open, kind]: [string, TextUnit['kind']] = ['', 'sentence']
  const close = (): void => {
    if (open !== '') units.push(...sentencesIn(open, kind))
    open = ''
  }
  let code: string[] | null = null
  for (const line of text.trim().split('\n')) {
    if (FENCE.test(line)) {
      close()
      if (code !== null) addCode(units, code)
      code = code === null ? [] : null
    } else if (code !== null) code.push(line)
    else if (line.trim() === '' || RULE.test(line)) close()
    else {
      const heading = headingOn(line)
      const [item, row] = [ITEM.exec(line)?.[1], ROW.exec(line)?.[1]]
      if (heading !== undefined) {
        close()
        units.push({ text: plain(heading), kind: 'heading', opens: true })
      } else if (row !== undefined) {
        close()
        units.push({ text: plain(row.replace(/\s*\|\s*/g, ' | ').replace(/[|\s]+$/, '')), kind: 'row', opens: false })
      } else if (item !== undefined) {
        close()
        ;[open, kind] = [item, 'item']
      } else if (open !== '' && isWrapped(open)) open += ` ${line.trim()}`
      else {
        close()
        ;[open, kind] = [line.trim(), 'sentence']
      }
    }
  }
  close()
  if (code !== null) addCode(units, code)
  return units.filter((unit) => /[\p{L}\p{N}]/u.test(unit.text))
}

function isWrapped(open: string): boolean {
  const line = open.slice(open.lastIndexOf('\n') + 1)
  return line.length > WRAPPED_CHARS && !ENDED.test(line)
}

/** A list item is one unit; a paragraph is its sentences. */
function sentencesIn(text: string, kind: TextUnit['kind']): TextUnit[] {
  const parts = kind === 'item' ? [text] : splitSentences(text)
  return parts.map((part) => {
    const words = plain(part)
    return { text: words, kind, opens: /[:：]$/.test(words) }
  })
}

/** Of long code only the line that leads to it is told, if that names something. */
function addCode(units: TextUnit[], lines: readonly string[]): void {
  const text = lines
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' / ')
  const lead = units.at(-1)
  if (text === '') return
  if (lines.length <= MOST_CODE.lines && text.length <= MOST_CODE.chars)
    units.push({ text: `\`${text.replaceAll('`', "'")}\``, kind: 'code', opens: false })
  else if (lead?.opens && isConcrete(lead.text))
    units.splice(-1, 1, { ...lead, text: `${lead.text} (code)`, opens: false })
  else if (lead?.opens) units.pop()
}

const GAP = ' … '

/** Joins units with a mark where some were left out. */
function joined(units: readonly TextUnit[], kept: ReadonlySet<number>): string {
  let [text, last] = ['', -1]
  for (const [i, unit] of units.entries()) {
    if (!kept.has(i)) continue
    text += (text === '' ? '' : i === last + 1 ? between(units[last], unit) : GAP) + unit.text
    last = i
  }
  return text
}

/** List items and rows follow each other with a semicolon, so that they do not run together. */
function between(before: TextUnit | undefined, unit: TextUnit): string {
  const isList = before !== undefined && before.kind !== 'sentence' && unit.kind !== 'sentence'
  return isList && !ENDED.test(before.text) ? '; ' : ' '
}

/** Of an answer: the first unit, then as many from the end as fit, without closing questions: an open one is told as an issue. */
export function answerWithin(text: string, room: number): string {
  const all = unitsOf(text)
  // An answer that is one document.
  if (all.length === 0) return beginningWithin(documentIn(text), room)
  const units = withoutQuestions(all)
  const whole = joined(units, new Set(units.keys()))
  if (whole.length <= room) return whole
  const kept = new Set<number>()
  const first = groupAt(units, 0)
  if (lengthOf(units, first) <= room * 0.6) for (const i of first) kept.add(i)
  for (let i = units.length - 1; i >= 0; i--) {
    if (kept.has(i)) break
    // A heading or lead-in alone is no statement.
    if (units[i]?.opens) continue
    const group = withLead(units, i)
    const next = new Set([...kept, ...group])
    if (joined(units, next).length > room) break
    for (const n of group) kept.add(n)
  }
  if (kept.size > 0) return joined(units, kept)
  return clauseOf(units.find(({ opens }) => !opens)?.text ?? '', room)
}

/** Whole units from the beginning; a lead-in only with what follows it. */
export function beginningWithin(text: string, room: number): string {
  const units = unitsOf(text)
  const kept = new Set<number>()
  for (let i = 0; i < units.length; i++) {
    if (kept.has(i)) continue
    const group = groupAt(units, i)
    if (joined(units, new Set([...kept, ...group])).length > room) break
    for (const n of group) kept.add(n)
  }
  return joined(units, kept)
}

function withoutQuestions(units: readonly TextUnit[]): readonly TextUnit[] {
  let end = units.length
  while (end > 1 && isQuestionMarked(units[end - 1]?.text ?? '')) end--
  while (end > 1 && end < units.length && units[end - 1]?.opens) end--
  return units.slice(0, end)
}

/** The unit, and the units behind it that a lead-in needs. */
function groupAt(units: readonly TextUnit[], at: number): number[] {
  const group = [at]
  for (let i = at; units[i]?.opens && i + 1 < units.length; i++) group.push(i + 1)
  return group
}

/** The unit with the lead-in directly before it. */
function withLead(units: readonly TextUnit[], at: number): number[] {
  return units[at - 1]?.opens ? [at - 1, at] : [at]
}

function lengthOf(units: readonly TextUnit[], at: readonly number[]): number {
  return at.reduce((sum, i) => sum + (units[i]?.text.length ?? 0) + 1, 0)
}

/** Pasted text has more lines than this. */
const TYPED_LINES = 12

/** The units of typed words. Of more than twelve lines, mostly pasted, what its author put around it, and the line that was taken up. */
export function typedUnits(text: string, entries: readonly Numbered[] = []): readonly TextUnit[] {
  const lines = proseOf(text)
    .split('\n')
    .map((line) => line.trim())
    // Without its fence, what was pasted would read as what the user said.
    .filter((line) => /[\p{L}\p{N}]/u.test(line) || FENCE.test(line))
  if (lines.filter((line) => !FENCE.test(line)).length <= TYPED_LINES)
    return unitsOf(withoutDirectories(lines.join('\n')))
  const head = promptHead(text, '', entries).split(GAP)
  const last = lines.findLast((line) => !FENCE.test(line)) ?? ''
  if (!head.at(-1)?.endsWith(last)) head.push(last)
  return head.flatMap((part) => unitsOf(withoutDirectories(part)))
}

/** Of typed words: all if they fit, else the last unit, the first one, and as many before the last as fit. A wish comes last. */
export function promptWithin(text: string, room: number, entries: readonly Numbered[] = []): string {
  const units = typedUnits(text, entries)
  const whole = joined(units, new Set(units.keys()))
  if (whole.length <= room) return whole
  const kept = new Set<number>()
  const take = (group: readonly number[]): boolean => {
    const fits = joined(units, new Set([...kept, ...group])).length <= room
    if (fits) for (const i of group) kept.add(i)
    return fits
  }
  const last = units.length - 1
  // The beginning of the wish says more than what leads to it.
  if (!take(withLead(units, last))) {
    const clause = clauseOf(units[last]?.text ?? '', room)
    if (clause !== '') return clause
  }
  take(groupAt(units, 0))
  for (let i = last - 1; i > 0 && !kept.has(i); i--) if (!take(withLead(units, i))) break
  return kept.size > 0 ? joined(units, kept) : clauseOf(units[0]?.text ?? '', room)
}

/** `@some/long/path/file.ts` is told as `@file.ts`. */
function withoutDirectories(text: string): string {
  return text.replace(/(^|\s)@\/?(?:[\w.-]+\/)+([\w.-]+)/g, '$1@$2')
}

const LEAST_CLAUSE = 0.4

/** The beginning up to the last mark of a clause, if that is much of the room; else nothing. */
export function clauseOf(text: string, room: number): string {
  if (text.length <= room) return text
  const head = text.slice(0, Math.max(0, room - 2))
  const marks = [...head.matchAll(/[,;:](?=\s)|\s[–—(-](?=\s|\w)|[、，；：]/g)]
  const end = marks.at(-1)?.index ?? -1
  const words = head.slice(0, Math.max(0, end)).trimEnd()
  const isOpen = (words.split('`').length - 1) % 2 === 1
  return words !== '' && words.length >= room * LEAST_CLAUSE && !isOpen ? `${words} …` : ''
}

/** By its shape: code, digits, a path, a dot or underscore inside a word, an inner capital, a quotation, or a script without capitals. */
export function isConcrete(text: string): boolean {
  return /`|\d|[\w-]\/[\w-]|\w[._]\w|\p{Ll}\p{Lu}|["“][^"”]{2,}["”]|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/u.test(
    text,
  )
}
