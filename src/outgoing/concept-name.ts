/** How much two names of topics mean the same: units weighed by what they tell, the last one most, short forms understood. */
import { unitsOf, type WordUnit } from './concept-words.ts'

/** The last telling word says what it is, the others which one: "test runner" is a runner. */
const HEAD = 1.3
const ABBREVIATED = 0.95
/** A slip of the pen or an ending no rule knows. */
const MISSPELT = 0.8
const MIN_SPELT = 5
/** How many words another writer may have written as one. */
const MAX_COMPOUND = 3

/** 0..1. */
export function nameSimilarity(a: string, b: string): number {
  const [one, other] = [unitsOf(a), unitsOf(b)]
  if (one.length === 0 || other.length === 0) return nameKey(a) === nameKey(b) ? 1 : 0
  if (isInitials(one, b) || isInitials(other, a)) return ABBREVIATED
  return likenessOf(weighed(joined(one, other)), weighed(joined(other, one)))
}

/** Case, plural, separators and order of writing do not make another name. */
export function nameKey(name: string): string {
  const keys = unitsOf(name).map(({ key }) => key)
  return keys.length > 0 ? keys.join(' ') : name.trim().toLowerCase()
}

function likenessOf(left: readonly WordUnit[], right: readonly WordUnit[]): number {
  const taken = new Set<number>()
  let shared = 0
  for (const unit of left) {
    const { at, likeness } = closest(unit, right, taken)
    const other = right[at]
    if (other === undefined) continue
    taken.add(at)
    shared += likeness * (unit.weight + other.weight)
  }
  return shared / (total(left) + total(right))
}

/** "time zone" as one word where the other name writes "timezone". */
function joined(units: readonly WordUnit[], other: readonly WordUnit[]): WordUnit[] {
  const whole: WordUnit[] = []
  for (let i = 0; i < units.length; ) {
    const [length, unit] = compoundAt(units, i, other)
    whole.push(unit)
    i += length
  }
  return whole
}

function compoundAt(units: readonly WordUnit[], at: number, other: readonly WordUnit[]): [number, WordUnit] {
  for (let length = MAX_COMPOUND; length > 1; length--) {
    if (at + length > units.length) continue
    const run = plain(
      units
        .slice(at, at + length)
        .map(({ written }) => written)
        .join(''),
    )
    const same = other.find(({ written }) => plain(written) === run)
    if (same !== undefined) return [length, same]
  }
  return [1, units[at] as WordUnit]
}

function plain(word: string): string {
  return word.replace(/(?<=[a-z]{3})s$/, '')
}

function weighed(all: readonly WordUnit[]): WordUnit[] {
  const units = dedupe(all)
  const telling = units.findLastIndex(({ weight }) => weight >= 0.5)
  const head = telling < 0 ? units.length - 1 : telling
  return units.map((unit, i) => (i === head ? { ...unit, weight: unit.weight * HEAD } : unit))
}

function dedupe(units: readonly WordUnit[]): WordUnit[] {
  return units.filter(({ key }, i) => units.findIndex((one) => one.key === key) === i)
}

function closest(
  unit: WordUnit,
  among: readonly WordUnit[],
  taken: ReadonlySet<number>,
): { at: number; likeness: number } {
  let best = { at: -1, likeness: 0 }
  among.forEach((other, at) => {
    const likeness = taken.has(at) ? 0 : wordLikeness(unit, other)
    if (likeness > best.likeness) best = { at, likeness }
  })
  return best
}

function wordLikeness(a: WordUnit, b: WordUnit): number {
  if (a.key === b.key) return 1
  const [short, long] = a.word.length <= b.word.length ? [a.word, b.word] : [b.word, a.word]
  if (isNumeronym(short, long) || isPrefix(short, long)) return ABBREVIATED
  if (short.length < MIN_SPELT || long.length > short.length + 2 || short[0] !== long[0]) return 0
  const alike = pairLikeness(short, long)
  return alike >= MISSPELT ? alike : 0
}

/** "i18n": the first letter, how many follow, the last one. */
function isNumeronym(short: string, long: string): boolean {
  const match = /^([a-z])(\d{1,2})([a-z])$/.exec(short)
  return match !== null && long.length === Number(match[2]) + 2 && long[0] === match[1] && long.endsWith(match[3] ?? '')
}

/** "param", "spec", "env": cut before a vowel, with much of the word to follow; "form" is not short for "format". */
function isPrefix(short: string, long: string): boolean {
  if (short.length < 3 || short.length > 6 || !long.startsWith(short)) return false
  return /[^aeiou]$/.test(short) && /^[aeiou][a-z]{3,}$/.test(long.slice(short.length))
}

/** "CI" and "continuous integration", "SSO" and "single sign-on". */
function isInitials(short: readonly WordUnit[], long: string): boolean {
  const [one] = short
  if (short.length !== 1 || one === undefined || !/^[a-z]{2,5}$/.test(one.written)) return false
  const words = long.toLowerCase().match(/[a-z]+/g) ?? []
  return words.length === one.written.length && words.every((word, i) => word[0] === one.written[i])
}

function pairLikeness(a: string, b: string): number {
  const pairs = pairsOf(a)
  const others = pairsOf(b)
  let common = 0
  for (const [pair, times] of pairs) common += Math.min(times, others.get(pair) ?? 0)
  return (2 * common) / (a.length + b.length - 2)
}

function pairsOf(word: string): Map<string, number> {
  const pairs = new Map<string, number>()
  for (let i = 0; i + 1 < word.length; i++) {
    const pair = word.slice(i, i + 2)
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1)
  }
  return pairs
}

function total(units: readonly WordUnit[]): number {
  return units.reduce((sum, { weight }) => sum + weight, 0)
}
