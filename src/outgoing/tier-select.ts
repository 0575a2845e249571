/** What a session is remembered by when it is older: the lines that tell most within a budget, whole, and one at least. */

import { type TierLine, tierLabel } from '../notes/tier.ts'
import { shareOf, memoryWords as wordsIn } from '../text/memory-words.ts'
import { remembered } from '../text/once.ts'
import { estimateTokens } from '../text/tokens.ts'
import { isIdle } from './digest-words.ts'

/** What was settled, left open or brought about tells more than how. Prose was written by a model or a person. */
const WEIGHTS: Readonly<Record<string, number>> = {
  Decided: 3,
  Open: 2.7,
  Fixed: 2.5,
  Result: 2.1,
  Asked: 2,
  'Went on': 1.6,
  Committed: 1.8,
  Changed: 1.5,
  Then: 1.2,
  Ran: 1,
  // Only where there is nothing else.
  'Looked at': 0,
}
const PROSE_WEIGHT = 2.3
const GOALS: ReadonlySet<string | null> = new Set(['Asked', 'Went on'])
/** So much of a line stands in another one already: it is told. */
const TOLD_SHARE = 0.95
/** Fewer words say little by themselves. */
const FEW_WORDS = 4
/** A decision or a cause, whoever tells it and wherever. */
const SETTLED =
  /\b(?:decided|decision|agreed|chose|because|instead of|root cause|turned out|the reason)\b|결정|하기로|때문|決定|因为|所以/i
const SETTLED_WEIGHT = 2.8
const BOILERPLATE =
  /^(?:Result: )?(?:nothing worth naming happened|let me know|(?:ok(?:ay)?|sure|done|great|perfect|thanks?(?: you)?|you['’]re welcome|hi|hello|good (?:morning|evening)|is there anything else)\b.{0,30}$|좋습니다|알겠습니다|감사합니다)/i

/** Each line of a tier is compared with all others, and again with each piece that comes to it. */
const wordsOf = remembered((text): ReadonlySet<string> => wordsIn(text))

export interface Choice {
  /** Lines of one session, in their order. */
  lines: readonly TierLine[]
  /** The words that prove facts of this session. */
  quotes?: readonly string[]
}

/**
 * The lines that stay of each session, in their order. `around`: what else stands in the same tier; rare is a word that
 * few of all these sessions have. The line that says what a session was about stays whatever it costs, so that every
 * session can be found; it depends on nothing but the session. What a fact rests on comes first, and one such line stays if it
 * is no longer than all the room there is.
 */
export function selectLines(sessions: readonly Choice[], around: readonly Choice[], maxTokens: number): TierLine[][] {
  const rarity = rarityIn([...sessions, ...around])
  const told = createTold(around.flatMap(({ lines }) => lines))
  const chosen = sessions.map(({ lines }) => new Set(leadOf(lines)))
  const room = chosen.map((set) => maxTokens - [...set].reduce((sum, line) => sum + costOf(line), 0))
  for (const set of chosen) for (const line of set) told.add(line)
  const rest = sessions
    .flatMap((choice, session) =>
      choice.lines.map((line) => ({ line, session, worth: worthOf(line, rarity), isProof: isProof(line, choice) })),
    )
    .filter(({ line, session }) => chosen[session]?.has(line) === false)
    .sort((a, b) => Number(b.isProof) - Number(a.isProof) || b.worth - a.worth)
  const isProven = sessions.map((choice, i) =>
    choice.lines.some((line) => chosen[i]?.has(line) && isProof(line, choice)),
  )
  for (const { line, session, worth, isProof } of rest) {
    const cost = costOf(line)
    const space = isProof && !isProven[session] ? maxTokens : (room[session] ?? 0)
    if (worth <= 0 || cost > space || told.has(line)) continue
    if (isProof) isProven[session] = true
    room[session] = (room[session] ?? 0) - cost
    chosen[session]?.add(line)
    told.add(line)
  }
  return sessions.map(({ lines }, session) => lines.filter((line) => chosen[session]?.has(line)))
}

/** A line and a quote of it may each hold a little more than the other one. */
function isProof({ text }: TierLine, { quotes = [] }: Choice): boolean {
  if (quotes.length === 0) return false
  const words = wordsOf(withoutLabel(text))
  return words.size > 1 && quotes.some((quote) => isQuoted(words, wordsOf(quote)))
}

function isQuoted(line: ReadonlySet<string>, quote: ReadonlySet<string>): boolean {
  return quote.size > 1 && (shareOf(quote, line) >= PROVING || (line.size > 3 && shareOf(line, quote) >= PROVING))
}

/** So much of a quote in a line: it is the same sentence. */
const PROVING = 0.8

function withoutLabel(text: string): string {
  const label = tierLabel(text)
  return label === null ? text : text.slice(label.length + 2)
}

/** What it was about, else what weighs most; empty only where there is nothing. */
function leadOf(lines: readonly TierLine[]): TierLine[] {
  const goal = lines.find(({ text }) => GOALS.has(tierLabel(text)) && !isBoilerplate(text))
  const heaviest = lines.reduce<TierLine | undefined>(
    (best, line) => (best === undefined || weightOf(line.text) > weightOf(best.text) ? line : best),
    undefined,
  )
  const lead = goal ?? heaviest
  return lead === undefined ? [] : [lead]
}

function weightOf(text: string): number {
  if (isBoilerplate(text)) return 0
  const label = tierLabel(text)
  const weight = label === null ? PROSE_WEIGHT : (WEIGHTS[label] ?? PROSE_WEIGHT)
  return SETTLED.test(text) ? Math.max(weight, SETTLED_WEIGHT) : weight
}

function isBoilerplate(text: string): boolean {
  return BOILERPLATE.test(text) || isIdle(withoutLabel(text))
}

type Rarity = (word: string) => number

/** By how many sessions have the word. */
function rarityIn(sessions: readonly Choice[]): Rarity {
  const counts = new Map<string, number>()
  for (const { lines } of sessions) {
    const words = new Set(lines.flatMap(({ text }) => [...wordsOf(text)]))
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  return (word) => Math.log(1 + sessions.length / (counts.get(word) ?? 1))
}

/** Long lines say more, but not as much more as they are longer. */
function worthOf({ text }: TierLine, rarity: Rarity): number {
  const words = [...wordsOf(text)]
  if (words.length === 0) return 0
  const mean = words.reduce((sum, word) => sum + rarity(word), 0) / words.length
  return weightOf(text) * mean * Math.min(1, words.length / FEW_WORDS) * Math.log2(2 + words.length)
}

/** Its words only: day and link cost the same for whatever is chosen. */
function costOf({ text }: TierLine): number {
  return estimateTokens(text)
}

interface Told {
  has: (line: TierLine) => boolean
  add: (line: TierLine) => void
}

/** Looked up by word: a month has thousands of lines. */
function createTold(lines: readonly TierLine[]): Told {
  const byWord = new Map<string, number[]>()
  let count = 0
  const add = ({ text }: TierLine): void => {
    for (const word of wordsOf(text)) {
      const known = byWord.get(word)
      if (known === undefined) byWord.set(word, [count])
      else known.push(count)
    }
    count++
  }
  const has = ({ text }: TierLine): boolean => {
    const words = wordsOf(text)
    const shared = new Map<number, number>()
    for (const word of words) for (const line of byWord.get(word) ?? []) shared.set(line, (shared.get(line) ?? 0) + 1)
    return [...shared.values()].some((common) => common >= words.size * TOLD_SHARE)
  }
  for (const line of lines) add(line)
  return { has, add }
}
