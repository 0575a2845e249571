/** Cutting what is forgotten out of texts: sentence by sentence, line by line, value by value. */

import { isObject } from '../platform/json.ts'
import { splitSentences } from '../text/sentences.ts'
import { isOurLine } from './forget-ours.ts'

export type SaidTest = (text: string) => boolean

export interface Cut<T> {
  left: T
  /** What was taken out, for a preview. */
  gone: string[]
}

/** Fields that hold one of our own words, an id or a time: nobody said that. */
const OURS: ReadonlySet<string> = new Set([
  'id',
  'type',
  'status',
  'state',
  'author',
  'role',
  'kind',
  'by',
  'ts',
  'at',
  'lastAt',
  'session',
  'concept',
  'event',
  'version',
  'other',
  'also',
  'closedBy',
  'contradictedBy',
  'exchanges',
  'merged',
  'founded',
  'mark',
  'usedAt',
  'askedAt',
  'generatedAt',
  'sourceFile',
  'source',
  'verdict',
  'section',
])

const LIST_MARK = /^\s*(?:(?:[-*+•]|\d+[.)]|#{1,6}|>)\s+)*/

/** Prose loses the sentences that say it; a line without them stays byte for byte, and so does one of ours. */
export function cutProse(text: string, isSaid: SaidTest): Cut<string> {
  if (!isSaid(text)) return { left: text, gone: [] }
  const gone: string[] = []
  const lines = text.split('\n').flatMap((line) => {
    if (!isSaid(line) || isOurLine(line)) return [line]
    const mark = LIST_MARK.exec(line)?.[0] ?? ''
    const sentences = splitSentences(line.slice(mark.length))
    const kept = sentences.filter((one) => !isSaid(one)).join(' ')
    // It may stand across two sentences.
    const rest = kept === '' || isSaid(kept) ? null : mark + kept
    gone.push(...(rest === null ? [line.trim()] : sentences.filter(isSaid)))
    return rest === null ? [] : [rest]
  })
  return { left: withoutBroken(lines, isSaid, gone).join('\n'), gone }
}

/** A line break, or several, may stand in the middle of it; what goes may also bring others together that say it. */
function withoutBroken(lines: readonly string[], isSaid: SaidTest, gone: string[]): string[] {
  let left = [...lines]
  const isTheirs = (line: string): boolean => line.trim() !== '' && !isOurLine(line)
  while (isSaid(left.filter(isTheirs).join('\n'))) {
    const told = left.flatMap((line, i) => (isTheirs(line) ? [i] : []))
    const out = new Set(shortestSaying(left, told, isSaid))
    for (const at of out) gone.push((left[at] ?? '').trim())
    left = left.filter((_, i) => !out.has(i))
  }
  return left
}

/** Of the lines with words, the fewest in a row that say it together. */
function shortestSaying(lines: readonly string[], told: readonly number[], isSaid: SaidTest): readonly number[] {
  for (let size = 2; size < told.length; size++) {
    for (let i = 0; i + size <= told.length; i++) {
      const some = told.slice(i, i + size)
      if (isSaid(some.map((at) => lines[at]).join('\n'))) return some
    }
  }
  return told
}

/** Whole lines that say it, and lines that say it together (`isAcross`); those of ours stay. */
export function cutWholeLines(text: string, isSaid: SaidTest, isAcross: SaidTest): Cut<string> {
  const gone: string[] = []
  const lines = text.split('\n').filter((line) => {
    const isGone = !isOurLine(line) && isSaid(line)
    if (isGone) gone.push(line.trim())
    return !isGone
  })
  const left = withoutBroken(lines, isAcross, gone)
  return { left: gone.length === 0 ? text : left.join('\n'), gone }
}

/** Whole lines go: what is no prose loses its sense with a part of it. Words are looked for as JSON spells them, too. */
export function cutLines(text: string, isSaid: SaidTest): Cut<string> {
  const gone: string[] = []
  const lines = text.split('\n').filter((line) => {
    const isGone = isSaid(line) || isSaid(unescaped(line))
    if (isGone) gone.push(line.trim())
    return !isGone
  })
  return { left: gone.length === 0 ? text : lines.join('\n'), gone }
}

/** JSON loses the texts that say it: an item of a list as a whole, a field of an object. */
export function cutJson(value: unknown, isSaid: SaidTest): Cut<unknown> {
  const gone: string[] = []
  const cut = (one: unknown): unknown => {
    if (Array.isArray(one)) {
      const kept = one.filter((item) => !isSaidIn(item, isSaid))
      if (kept.length === one.length) return one
      gone.push(...one.filter((item) => isSaidIn(item, isSaid)).map((item) => textsIn(item).find(isSaid) ?? ''))
      return kept
    }
    if (!isObject(one)) return one
    return Object.fromEntries(
      Object.entries(one).flatMap(([name, field]) => {
        if (OURS.has(name)) return [[name, field]]
        const isGone = isSaid(wordsOfName(name)) || (typeof field === 'string' && isSaid(field))
        if (!isGone) return [[name, cut(field)]]
        gone.push(typeof field === 'string' ? field : name)
        return []
      }),
    )
  }
  return { left: isSaidIn(value, isSaid) ? cut(value) : value, gone }
}

/** Any text in it, names of fields included. */
export function isSaidIn(value: unknown, isSaid: SaidTest): boolean {
  return textsIn(value).some(isSaid)
}

export function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap(textsIn)
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([name, field]) =>
    OURS.has(name) ? [] : [wordsOfName(name), ...textsIn(field)],
  )
}

/** Fields of ours have names of one word; a path or a sentence as a name is what somebody wrote. */
function wordsOfName(name: string): string {
  return /^\w{1,24}$/.test(name) ? '' : name
}

function unescaped(line: string): string {
  return line.replace(/"(?:[^"\\]|\\.)*"/g, (quoted) => {
    try {
      return JSON.parse(quoted) as string
    } catch {
      return quoted
    }
  })
}
