/** Coverage: which entries carry weight and no fact tells, as questions to whoever extracts the facts. */

import type { NewFact } from '../knowledge/fact.ts'
import type { DraftQuestion } from '../knowledge/fact-draft.ts'
import type { Numbered } from '../sessions/digest-types.ts'
import { shorten } from '../text/shorten.ts'
import { tellingWords } from '../text/words.ts'
import type { Entry, Tombstone } from '../transcript/session.ts'
import { turnsOf, type WeightKind, type Weighty, weightyIn } from './coverage-weight.ts'

interface Limits {
  /** Share of a sentence's words, by rarity, that facts must hold. */
  covered: number
  /** What weighs less is not asked about. */
  minWeight: number
}

/** Measured in bench/coverage.ts. */
export const LIMITS: Limits = { covered: 0.4, minWeight: 2 }
/** So much of a sentence stands in another one that is asked about: it is asked about once. */
const SAME = 0.6
const MAX_QUESTIONS = 8
const MAX_EXCERPT = 200

const ASK: Readonly<Record<WeightKind, string>> = {
  standing: 'Is this how the user wants it from now on? Say it as a decision with its quote',
  decision: 'Was something decided here? Say it as a decision with its reason and its quote',
  correction: 'The user corrected something. Say what is right as a decision or a pattern with its quote',
  issue: 'Is this still open? Say it as an issue with its quote',
  solved: 'Was a problem solved here? Say it as a resolved issue with its resolution and its quote',
  outcome: 'Did this teach something about the project? Say it as a pattern or a resolved issue with its quote',
  cause: 'Is this a cause worth knowing? Say it as a resolved issue or a pattern with its quote',
  information: 'Will a later session need this? Say it as a decision or a pattern with its quote',
}

const BESIDE: ReadonlySet<WeightKind> = new Set(['information', 'cause', 'solved'])

type Covering = Pick<NewFact, 'text' | 'reason' | 'resolution' | 'evidence'>

/** The weightiest first. `nothingIn`: entries that somebody looked at and found nothing in. */
export function uncovered(
  entries: readonly Numbered[],
  facts: readonly Covering[],
  nothingIn: ReadonlySet<number>,
  { covered, minWeight }: Limits = LIMITS,
): DraftQuestion[] {
  const rarity = raritiesIn(entries)
  const isCovered = coverageBy(entries, facts, rarity, covered)
  const open = weightyIn(entries)
    .filter((one) => one.weight >= minWeight && !nothingIn.has(one.n) && !isCovered(one))
    .sort((a, b) => b.weight - a.weight || a.n - b.n)
  const asked: Weighty[] = []
  for (const one of open) {
    if (asked.length >= MAX_QUESTIONS) break
    if (!asked.some((other) => other.n === one.n || tells(other.text, one.text, rarity))) asked.push(one)
  }
  return asked.map(({ n, kind, text, weight }) => ({
    entry: n,
    weight: Math.round(weight * 100) / 100,
    excerpt: shorten(text, MAX_EXCERPT),
    ask: `${ASK[kind]}, or put ${n} into nothingIn.`,
  }))
}

type Rarity = (token: number) => number

/** A word that stands in every other entry tells little. */
function raritiesIn(entries: readonly Numbered[]): Rarity {
  const counts = new Map<number, number>()
  for (const { entry } of entries)
    for (const token of tellingWords(wordsIn(entry))) counts.set(token, (counts.get(token) ?? 0) + 1)
  const all = entries.length
  return (token) => Math.log(1 + all / (0.5 + (counts.get(token) ?? 0)))
}

interface Told {
  fact: Covering
  words: ReadonlySet<number>
  /** The turn its quote is from; null: of another piece. */
  turn: number | null
}

function coverageBy(
  entries: readonly Numbered[],
  facts: readonly Covering[],
  rarity: Rarity,
  covered: number,
): (one: Weighty) => boolean {
  const turns = new Map(turnsOf(entries).flatMap((turn, i) => turn.map(({ n }) => [n, i] as const)))
  const told = facts.map((fact): Told => {
    const words = tellingWords([fact.text, fact.reason ?? '', fact.resolution ?? '', fact.evidence.quote].join('\n'))
    return { fact, words, turn: turns.get(fact.evidence.entry) ?? null }
  })
  return (one) => {
    const words = tellingWords(one.printed ?? one.text)
    const turn = turns.get(one.n) ?? 0
    const isTold = (other: Told): boolean =>
      proves(other.fact, one) || share(words, other.words, rarity) >= covered * easeOf(one, turn, other)
    if (told.some(isTold)) return true
    // Several facts of the turn may tell it together.
    const near = told.filter((other) => isNear(turn, other)).flatMap((other) => [...other.words])
    return share(words, new Set(near), rarity) >= covered
  }
}

function isNear(turn: number, other: Told): boolean {
  return other.turn !== null && Math.abs(other.turn - turn) <= 1
}

/** The fact's quote is from this sentence. */
function proves({ evidence }: Covering, { n, text, printed }: Weighty): boolean {
  if (evidence.entry !== n) return false
  const [quote, sentence] = [bare(evidence.quote), bare(text)]
  return printed !== undefined || (quote !== '' && (sentence.includes(quote) || quote.includes(sentence)))
}

/**
 * Somebody took a fact from this entry and chose its words: what is said around them counts as seen. What came of a
 * failure is told around it, in other words than those that were printed.
 */
function easeOf({ n, kind, printed }: Weighty, turn: number, other: Told): number {
  const { entry } = other.fact.evidence
  if (printed === undefined) return entry === n && BESIDE.has(kind) ? 0.5 : 1
  if (other.turn === turn && entry > n) return 0
  return isNear(turn, other) ? 0.25 : 1
}

function bare(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}

function tells(one: string, other: string, rarity: Rarity): boolean {
  return share(tellingWords(other), tellingWords(one), rarity) >= SAME
}

function share(words: ReadonlySet<number>, told: ReadonlySet<number>, rarity: Rarity): number {
  let [all, common] = [0, 0]
  for (const word of words) {
    const value = rarity(word)
    all += value
    if (told.has(word)) common += value
  }
  return all === 0 ? 1 : common / all
}

function wordsIn(entry: Entry | Tombstone): string {
  if (entry.role === 'tombstone' || entry.role === 'summary') return ''
  return 'text' in entry ? entry.text : entry.cmd
}
