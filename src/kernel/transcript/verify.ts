/** Compares a transcript with its session: how many of its prompts, answers, tool uses and messages are stored. An agent counts them without the refiner (`tallyLine`). */

import { fingerprintOfWords } from '../text/fingerprint.ts'
import { type Entry, isTool, type Tombstone } from './session.ts'

export interface Count {
  present: number
  captured: number
}

/** Messages are those of teammates, other sessions and channels. */
export const VERIFY_KINDS = ['prompts', 'answers', 'tools', 'messages'] as const
export type VerifyKind = (typeof VERIFY_KINDS)[number]

export interface Verified extends Record<VerifyKind, Count> {
  badLines: number
  /** The first few missing items, so that a person can look them up. */
  missing: string[]
}

/** A queued text, as stored; empty for text of a machine, which takes a place in the same queue. */
interface Queued {
  kind: 'prompts' | 'messages'
  words: string
  name: string
  taken: boolean
}

/** `mark`: the fingerprint of kind and words; `words`: that of the words alone. `name`: a description for people. */
interface Expected {
  kind: VerifyKind
  mark: string
  words: string
  name: string
}

export function expected(kind: VerifyKind, words: string, name: string): Expected {
  return { kind, mark: markOfWords(`${kind}${words}`), words: fingerprintOfWords(words), name }
}

/** Without the escapes in answers of a dialog, which versions before 0.7 did not write. */
const markOfWords = (text: string): string => fingerprintOfWords(text.replaceAll('\\', ''))

/** The contents of a transcript, collected line by line. */
export interface Tally {
  expected: Expected[]
  queued: Queued[]
  tools: Map<string, { name: string; isQuoted: boolean }>
  base: string
  badLines: number
}

const MISSING_SHOWN = 5

export function newTally(): Tally {
  return { expected: [], queued: [], tools: new Map(), base: '', badLines: 0 }
}

/** `forgotten`: the marks of entries that were deleted before they were settled, and so have no tombstone. */
export function compare(
  tally: Tally,
  kept: readonly (Entry | Tombstone)[],
  forgotten: ReadonlyMap<string, unknown> = new Map(),
): Verified {
  const have = new Map<string, number>()
  let removed = 0
  for (const entry of kept) {
    if (entry.role === 'tombstone') removed++
    else add(have, markOf(entry))
  }
  const zero = (): Count => ({ present: 0, captured: 0 })
  const counts = { prompts: zero(), answers: zero(), tools: zero(), messages: zero() }
  const result: Verified = { ...counts, badLines: tally.badLines, missing: [] }
  const queued = tally.queued
    .filter(({ words }) => words !== '')
    .map(({ kind, words, name }) => expected(kind, words, name))
  for (const { kind, mark, words, name } of [...tally.expected, ...queued]) {
    result[kind].present++
    const isThere = take(have, mark)
    // Entries that a person deleted count as stored.
    if (isThere || forgotten.has(words) || removed-- > 0) result[kind].captured++
    else if (result.missing.length < MISSING_SHOWN) result.missing.push(name)
  }
  return result
}

export function isComplete(count: Verified): boolean {
  return VERIFY_KINDS.every((kind) => count[kind].present === count[kind].captured)
}

function markOf(entry: Entry): string {
  if (isTool(entry) && 'cmd' in entry) return markOfWords(`tools${entry.name} ${entry.cmd}`)
  const kind: VerifyKind = entry.role === 'user' ? 'prompts' : entry.role === 'teammate' ? 'messages' : 'answers'
  return markOfWords(`${kind}${'text' in entry ? entry.text : ''}`)
}

function add(marks: Map<string, number>, mark: string): void {
  marks.set(mark, (marks.get(mark) ?? 0) + 1)
}

function take(marks: Map<string, number>, mark: string): boolean {
  const left = marks.get(mark) ?? 0
  if (left > 0) marks.set(mark, left - 1)
  return left > 0
}
