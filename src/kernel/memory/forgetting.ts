/** Removes forgotten content from the text of a file: what is forgotten, and the ways in which prose, JSON and lines lose it. */

import { isObject, parseObject } from '../platform/json.ts'
import { splitSentences } from '../text/sentences.ts'
import type { Entry } from '../transcript/session.ts'
import type { Note } from './note.ts'

export type TextTest = (text: string) => boolean

/** Whether a text tells what is forgotten. */
export interface TextTests {
  /** It repeats forgotten content. */
  repeats: TextTest
  /** For entries; false for items deleted by id. */
  isRepeatedBy: TextTest
  /** It repeats it, or contains a word that occurs nowhere else. For texts derived by code. */
  traces: TextTest
}

/** What to forget, as every row of a file kind is told it. */
export interface Forgetting extends TextTests {
  /** Whether an entry is deleted, by its session's id8 and its number. */
  isGone(id8: string, n: number): boolean
  /** The sessions (id8) with deleted entries. */
  sessions: ReadonlySet<string>
  /** Items that are deleted by id: d001, n-…, page:…; in lower case. */
  ids: ReadonlySet<string>
  /** Sessions (id8) that are deleted completely. */
  whole: ReadonlySet<string>
  /** `traces`, or an exact copy of a forgotten line, whoever else said it: receipts lose nothing that cannot be missed. */
  tracesOrCopies: TextTest
  /** For texts that come from this session (id8; null: from none): what its user typed in the same words is its own. */
  from(id8: string | null): TextTests
  /** Whether the entries of a session (id8) are in the memory: what is made from them is made again. */
  isHere(id8: string): boolean
  /** Null: it is not here, or deleted. */
  entryAt(id8: string, n: number): Entry | null
  /** A note about a range with deleted entries, rewritten by code from the others; null: nothing is left. */
  remade(note: Note): string | null
}

/** An item that is deleted or rewritten. */
export interface Gone {
  id: string
  kind: string
  /** A part of its text, for a preview. */
  text: string
  /** When another machine or a teammate wrote it. */
  at?: string
}

/** Null: the file is deleted. The same text: nothing changes. */
export interface Outcome {
  text: string | null
  gone: Gone[]
}

export function unchanged(text: string): Outcome {
  return { text, gone: [] }
}

const LIST_MARK = /^\s*(?:(?:[-*+•]|\d+[.)]|#{1,6}|>)\s+)*/
/** Fields that contain one of our own words, an id or a time. */
const OURS = /^(?:id|type|status|state|author|role|kind|by|ts|at|session|concept|event|version|verdict|source)$/

/** Deletes the sentences that `isHit` names. A line without any stays byte for byte. */
export function cutProse(text: string, isHit: TextTest): { left: string; gone: string[] } {
  const gone: string[] = []
  if (!isHit(text)) return { left: text, gone }
  const lines = text.split('\n').flatMap((line) => {
    if (!isHit(line)) return [line]
    const mark = LIST_MARK.exec(line)?.[0] ?? ''
    const kept = withoutHits(splitSentences(line.slice(mark.length)), ' ', isHit, gone)
    return kept.length === 0 ? [] : [mark + kept.join(' ')]
  })
  return { left: withoutHits(lines, '\n', isHit, gone).join('\n'), gone }
}

/** Deletes the parts that are hits, and the shortest runs of parts that are a hit together. */
function withoutHits(parts: readonly string[], glue: string, isHit: TextTest, gone: string[]): string[] {
  const left = [...parts]
  for (let size = 1; size <= left.length && isHit(left.join(glue)); size++) {
    for (let i = 0; i + size <= left.length; i++) {
      if (!isHit(left.slice(i, i + size).join(glue))) continue
      gone.push(...left.splice(i, size).map((one) => one.trim()))
      // The parts before and behind it are neighbours now.
      i = Math.max(-1, i - size)
    }
  }
  return left
}

/** Every text in a value, except ids, times and our own words. */
export function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap(stringsIn)
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([name, field]) =>
    OURS.test(name) ? [] : [...(/^\w{1,24}$/.test(name) ? [] : [name]), ...stringsIn(field)],
  )
}

/** Drops the items of lists and the fields of objects that are hits, and the items that come from a deleted entry. */
export function cutJson(text: string, about: Pick<Forgetting, 'isGone'>, isHit: TextTest): Outcome {
  const gone: string[] = []
  const isOut = (one: unknown): boolean => {
    const place = isObject(one) ? one : {}
    const { session, entry } = place
    if (typeof session === 'string' && typeof entry === 'number' && about.isGone(session, entry)) return true
    return stringsIn(one).some(isHit)
  }
  const cut = (one: unknown): unknown => {
    if (Array.isArray(one)) return one.filter((item) => !isOut(item) || gone.push(shown(item)) === 0)
    if (!isObject(one)) return one
    const kept = Object.entries(one).filter(([name, field]) => {
      const isHitHere = stringsIn({ [name]: typeof field === 'string' ? field : '' }).some(isHit)
      return !isHitHere || gone.push(shown(field)) === 0
    })
    return Object.fromEntries(kept.map(([name, field]) => [name, cut(field)]))
  }
  const value = parseObject(text)
  const left = value === null ? null : cut(value)
  return gone.length === 0
    ? unchanged(text)
    : { text: `${JSON.stringify(left)}\n`, gone: gone.map((one) => ({ id: '', kind: 'file', text: one })) }
}

function shown(value: unknown): string {
  return stringsIn(value)[0] ?? ''
}

/** One record per line, JSON or log: a line with a hit is dropped. */
export function cutLines(text: string, isHit: TextTest): { left: string; gone: string[] } {
  const isOut = (line: string): boolean => {
    const value = line === '' ? null : parseObject(line)
    return value === null ? isHit(line) || isHit(unescaped(line)) : stringsIn(value).some(isHit)
  }
  const gone: string[] = []
  const lines = text.split('\n').filter((line) => !isOut(line) || gone.push(line) === 0)
  return { left: gone.length === 0 ? text : lines.join('\n'), gone }
}

function unescaped(line: string): string {
  return line.replace(/\\[nrt]/g, ' ').replace(/\\(.)/g, '$1')
}

export function isTouched(about: Forgetting, id8: string, from: number, to: number): boolean {
  if (!about.sessions.has(id8)) return false
  for (let n = from; n < to; n++) if (about.isGone(id8, n)) return true
  return false
}

/** Of places such as `1a2b3c4d#12`, those that stay. */
export function leftPlaces(places: readonly string[], about: Pick<Forgetting, 'isGone'>): string[] {
  return places.filter((place) => {
    const [id8 = '', n = '-1'] = place.split('#')
    return !about.isGone(id8, Number(n))
  })
}

/** For a file of lines, records or a log: a line with a hit goes, and the file with its last line. */
export function withoutLines(file: string, text: string, isHit: TextTest): Outcome {
  const { left, gone } = cutLines(text, isHit)
  const kind = file.endsWith('.log') ? 'log' : 'record'
  const next = gone.length > 0 && left.trim() === '' ? null : left
  return { text: next, gone: gone.map(() => ({ id: file, kind, text: '' })) }
}

/** For a kind that says nothing about it: by the form of the text. */
export function withoutByForm(file: string, text: string, about: Forgetting): Outcome {
  if (file.endsWith('.jsonl') || parseObject(text) === null) return withoutLines(file, text, about.traces)
  // A single plain word may be one of ours.
  const isHit: TextTest = (value) => (/^[\w-]{1,40}$/.test(value) ? about.repeats(value) : about.traces(value))
  const outcome = cutJson(text, about, isHit)
  return { ...outcome, gone: outcome.gone.map((one) => ({ ...one, id: file })) }
}
