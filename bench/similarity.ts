/** When are two facts one? Labelled pairs of our own: how well the similarity tells them apart, at every threshold. */
import { readFileSync } from 'node:fs'
import { type Fact, type Facts, type NewFact, NO_FACTS } from '../src/knowledge/fact.ts'
import { addFacts } from '../src/knowledge/fact-add.ts'
import { areTwo, factWords, isSameFact, shareOfWords, similarity } from '../src/knowledge/fact-similar.ts'
import { termsIn } from '../src/outgoing/fact-terms.ts'

interface Pair {
  a: string
  b: string
  same: boolean
  kind: string
  lang: 'en' | 'ko' | 'mixed'
  /** `fresh`: written after the rules were. */
  split: 'dev' | 'test' | 'fresh' | 'blind' | 'last'
}

type Score = (pair: Pair) => number

const NAMES = 'ant bee cat dog elk fox gnu hen ibis jay koi lark mole newt owl pug quail'.split(' ')
const THRESHOLDS = [0.3, 0.4, 0.5, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 1]
const pairs = readFileSync('bench/labels/fact-pairs.jsonl', 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Pair)

/** What version 4 did, without its checks of numbers and refusals, and with them. */
const numbersOf = (text: string): string => [...new Set(text.match(/\d+(?:\.\d+)*/g) ?? [])].sort().join(' ')
const words: Score = ({ a, b }) => shareOfWords(factWords(a), factWords(b))
const terms: Score = ({ a, b }) => similarity(a, b)
/** The same, 0 where something makes two of them. */
const vetoed: Score = (pair) => (areTwo(termsIn(pair.a), termsIn(pair.b)) ? 0 : terms(pair))

for (const split of ['dev', 'test', 'fresh', 'blind', 'last'] as const) {
  const some = pairs.filter((pair) => pair.split === split)
  console.log(`\n${split}: ${some.length} pairs, ${some.filter(({ same }) => same).length} the same`)
  roc('words shared (Dice), as before', some, words)
  roc('words shared + numbers equal', some, (pair) => (numbersOf(pair.a) === numbersOf(pair.b) ? words(pair) : 0))
  roc('terms (similarity)', some, terms)
  roc('terms and vetoes (isSameFact at 0.7)', some, vetoed)
  for (const lang of ['en', 'ko'] as const) {
    const own = some.filter((pair) => (pair.lang === 'en') === (lang === 'en'))
    console.log(
      `  isSameFact, ${lang === 'en' ? 'English' : 'Korean and mixed'}: ${line(own, (pair) => Number(isSameFact(pair.a, pair.b)), 1)}`,
    )
  }
}
console.log(`\nall ${pairs.length} pairs`)
roc('words shared (Dice), as before', pairs, words)
roc('terms (similarity)', pairs, terms)
roc('terms and vetoes (isSameFact at 0.7)', pairs, vetoed)
byKind()
speed()
if (process.argv.includes('--wrong')) {
  for (const pair of pairs) {
    if (pair.split !== 'dev' && !process.argv.includes(`--${pair.split}`)) continue
    if (isSameFact(pair.a, pair.b) !== pair.same)
      console.log(`${pair.same ? 'MISSED' : 'MERGED'} ${pair.kind} ${terms(pair).toFixed(2)} ${pair.a} | ${pair.b}`)
  }
}

function roc(name: string, some: readonly Pair[], score: Score): void {
  console.log(`  ${name}: area under the curve ${area(some, score).toFixed(3)}`)
  for (const threshold of THRESHOLDS) console.log(`    ${threshold.toFixed(2)}  ${line(some, score, threshold)}`)
}

function line(some: readonly Pair[], score: Score, threshold: number): string {
  const hits = some.filter((pair) => score(pair) >= threshold)
  const right = hits.filter(({ same }) => same).length
  const all = some.filter(({ same }) => same).length
  const [recall, precision] = [right / all, hits.length === 0 ? 1 : right / hits.length]
  const falsely = (hits.length - right) / (some.length - all)
  const f1 = (2 * precision * recall) / (precision + recall || 1)
  return `TPR ${recall.toFixed(2)}  FPR ${falsely.toFixed(2)}  precision ${precision.toFixed(3)}  recall ${recall.toFixed(3)}  F1 ${f1.toFixed(3)}`
}

/** How often a pair of the same scores higher than one of different facts. */
function area(some: readonly Pair[], score: Score): number {
  const [yes, no] = [some.filter(({ same }) => same).map(score), some.filter(({ same }) => !same).map(score)]
  const wins = yes.flatMap((high) => no.map((low) => (high > low ? 1 : high === low ? 0.5 : 0)))
  return wins.reduce((sum: number, one) => sum + one, 0) / wins.length
}

function byKind(): void {
  console.log('\nright by kind, dev, test, fresh, blind, last')
  for (const kind of new Set(pairs.map((pair) => pair.kind))) {
    const of = (split: string): string => {
      const some = pairs.filter((pair) => pair.kind === kind && pair.split === split)
      return `${some.filter((pair) => isSameFact(pair.a, pair.b) === pair.same).length} of ${some.length}`
    }
    console.log(
      `  ${kind.padEnd(11)} ${of('dev').padEnd(9)} ${of('test').padEnd(9)} ${of('fresh').padEnd(9)} ${of('blind').padEnd(9)} ${of('last')}`,
    )
  }
}

/** A thousand sessions with ten facts each are known; one more comes. */
function speed(): void {
  const fact = (text: string, i: number): NewFact => {
    const type = (['decision', 'issue', 'pattern'] as const)[i % 3] ?? 'decision'
    const status = type !== 'issue' ? null : i % 2 === 0 ? 'open' : 'resolved'
    const [session, entry] = [`s${String(Math.floor(i / 10)).padStart(7, '0')}`, i % 10]
    const at = new Date(Date.UTC(2026, 0, 1) + i * 60_000).toISOString()
    const evidence = { entry, quote: text, by: 'user' as const }
    return {
      type,
      text,
      reason: null,
      status,
      resolution: null,
      at,
      session,
      evidence,
      files: [],
      concept: null,
      state: 'fresh',
      author: 'extractive',
    }
  }
  const texts = pairs.flatMap(({ a, b }) => [a, b])
  const about = (i: number): string =>
    `${texts[i % texts.length]} in module ${NAMES[i % 17]}${NAMES[Math.floor(i / 17) % 17]}`
  const known = Array.from({ length: 10_000 }, (_, i) => ({ ...fact(about(i), i), id: `x${i}` }))
  const of = (type: NewFact['type']): Fact[] => known.filter((one) => one.type === type)
  const facts: Facts = { ...NO_FACTS, decisions: of('decision'), issues: of('issue'), patterns: of('pattern') }
  const fresh = Array.from({ length: 10 }, (_, i) => fact(about(i * 997 + 13), 10_000 + i))
  const times = Array.from({ length: 5 }, () => {
    const began = process.cpuUsage().user
    addFacts(facts, fresh)
    return (process.cpuUsage().user - began) / 1000
  })
  console.log(
    `\n10 facts added to 10,000: ${times.map((ms) => ms.toFixed(0)).join(', ')} ms of CPU (the first one reads all texts)`,
  )
  let all = NO_FACTS
  const began = process.cpuUsage().user
  for (let session = 0; session < 1000; session++)
    all = addFacts(
      all,
      Array.from({ length: 10 }, (_, i) => fact(texts[(session * 7 + i * 31) % texts.length] ?? '', session * 10 + i)),
    )
  const count = all.decisions.length + all.issues.length + all.patterns.length
  console.log(
    `1,000 sessions of 10 facts each, said again and again: ${count} facts, ${((process.cpuUsage().user - began) / 1000).toFixed(0)} ms of CPU in all`,
  )
}
