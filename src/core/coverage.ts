/** Coverage: which entries carry weight and no fact tells, as questions to whoever extracts the facts. */
import { type Kind, turnsOf, type Weighty, weightyIn } from './coverage-weight.ts'
import { shorten } from './digest-text.ts'
import type { Numbered } from './digest-types.ts'
import type { NewFact } from './fact.ts'
import type { Question } from './fact-draft.ts'
import { tokenise } from './query/words.ts'
import type { Entry, Tombstone } from './session.ts'

interface Limits {
  /** Share of a sentence's words, by rarity, that facts must hold. */
  covered: number
  /** What weighs less is not asked about. */
  minWeight: number
}

/** Measured in bench/coverage.ts. */
export const LIMITS: Limits = { covered: 0.5, minWeight: 2 }
const MAX_QUESTIONS = 8
const MAX_EXCERPT = 200

const ASK: Readonly<Record<Kind, string>> = {
  standing: 'Is this how the user wants it from now on? Say it as a decision with its quote',
  decision: 'Was something decided here? Say it as a decision with its reason and its quote',
  correction: 'The user corrected something. Say what is right as a decision or a pattern with its quote',
  issue: 'Is this still open? Say it as an issue with its quote',
  solved: 'Was a problem solved here? Say it as a resolved issue with its resolution and its quote',
  outcome: 'Did this teach something about the project? Say it as a pattern or a resolved issue with its quote',
  cause: 'Is this a cause worth knowing? Say it as a resolved issue or a pattern with its quote',
  information: 'Will a later session need this? Say it as a decision or a pattern with its quote',
}

type Covering = Pick<NewFact, 'text' | 'reason' | 'resolution' | 'evidence'>

/** The weightiest first. `nothingIn`: entries that somebody looked at and found nothing in. */
export function uncovered(
  entries: readonly Numbered[],
  facts: readonly Covering[],
  nothingIn: ReadonlySet<number>,
  { covered, minWeight }: Limits = LIMITS,
): Question[] {
  const { rarity } = raritiesIn(entries)
  const isCovered = coverageBy(entries, facts, rarity, covered)
  const open = weightyIn(entries)
    .filter((one) => one.weight >= minWeight && !nothingIn.has(one.n) && !isCovered(one))
    .sort((a, b) => b.weight - a.weight || a.n - b.n)
  const asked: Weighty[] = []
  for (const one of open) {
    if (asked.length >= MAX_QUESTIONS) break
    if (!asked.some((other) => other.n === one.n || tells(other.text, one.text, rarity, covered))) asked.push(one)
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
function raritiesIn(entries: readonly Numbered[]): { rarity: Rarity } {
  const counts = new Map<number, number>()
  for (const { entry } of entries)
    for (const token of new Set(tokenise(wordsIn(entry)))) counts.set(token, (counts.get(token) ?? 0) + 1)
  const all = entries.length
  return { rarity: (token) => Math.log(1 + all / (0.5 + (counts.get(token) ?? 0))) }
}

function coverageBy(
  entries: readonly Numbered[],
  facts: readonly Covering[],
  rarity: Rarity,
  covered: number,
): (one: Weighty) => boolean {
  const turnOf = new Map(turnsOf(entries).flatMap((turn, i) => turn.map(({ n }) => [n, i] as const)))
  const told = facts.map((fact) => ({ fact, tokens: tokensOf(fact), turn: turnOf.get(fact.evidence.entry) }))
  return (one) => {
    const words = new Set(tokenise(one.text))
    const turn = turnOf.get(one.n) ?? -9
    if (told.some(({ fact, tokens }) => proves(fact, one) || share(words, tokens, rarity) >= covered)) return true
    // Several facts of the turn may tell it together.
    const near = told.filter((other) => other.turn !== undefined && Math.abs(other.turn - turn) <= 1)
    return share(words, new Set(near.flatMap(({ tokens }) => [...tokens])), rarity) >= covered
  }
}

/** The fact's quote is from this sentence, or it was said after a failure what came of it. */
function proves({ evidence }: Covering, { n, text, until }: Weighty): boolean {
  if (until !== undefined) return evidence.entry >= n && evidence.entry <= until
  const [quote, sentence] = [bare(evidence.quote), bare(text)]
  return evidence.entry === n && quote !== '' && (sentence.includes(quote) || quote.includes(sentence))
}

function bare(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}

function tells(one: string, other: string, rarity: Rarity, covered: number): boolean {
  return share(new Set(tokenise(other)), new Set(tokenise(one)), rarity) >= covered
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

function tokensOf({ text, reason, resolution, evidence }: Covering): ReadonlySet<number> {
  return new Set(tokenise([text, reason ?? '', resolution ?? '', evidence.quote].join('\n')))
}

function wordsIn(entry: Entry | Tombstone): string {
  if (entry.role === 'tombstone' || entry.role === 'summary') return ''
  return 'text' in entry ? entry.text : entry.cmd
}
