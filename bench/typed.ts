/**
 * Sentences as people type them to a coding agent, half of them near misses: is what should be kept found by code (facts,
 * corrections, standing instructions), and nothing else?
 */
import fs from 'node:fs'
import path from 'node:path'
import { correctionsIn } from '../src/outgoing/correction.ts'
import { extractFacts } from '../src/outgoing/fact-extract.ts'
import { statedIn } from '../src/outgoing/standing.ts'
import type { Numbered } from '../src/sessions/digest-types.ts'
import { percent, table } from './support/score.ts'

interface Labelled {
  /** Each was written and labelled before it was run; what failed of the first four was looked at then, and rules were made. Of the fifth nothing was. */
  set: (typeof SETS)[number]
  language: 'en' | 'ko' | 'ja' | 'zh'
  /** `none`: a near miss. */
  is: string
  /** What it is as well: a standing instruction is mostly a decision, too. */
  also?: readonly string[]
  text: string
}

const SETS = ['first', 'second', 'third', 'fourth', 'fifth'] as const
const LANGUAGES = ['en', 'ko', 'ja', 'zh'] as const
/** Found and right, found, wanted. */
type Counts = readonly [number, number, number]

/** What the code of version 0.5.0 (c67828b) gave, before any rule was made for these sentences; in the order of the languages. */
const BEFORE: Readonly<Record<Labelled['set'], readonly Counts[]>> = {
  first: [
    [11, 13, 30],
    [9, 12, 15],
    [3, 3, 8],
    [3, 4, 8],
  ],
  second: [
    [2, 3, 13],
    [4, 5, 8],
    [1, 1, 5],
    [1, 2, 5],
  ],
  third: [
    [4, 4, 18],
    [7, 8, 10],
    [4, 4, 7],
    [4, 4, 7],
  ],
  fourth: [
    [2, 2, 17],
    [1, 1, 8],
    [2, 2, 4],
    [1, 1, 4],
  ],
  fifth: [
    [8, 8, 18],
    [6, 7, 8],
    [2, 2, 4],
    [1, 1, 4],
  ],
}
/** What each set gave when it was run for the first time, with the rules that its forerunners led to: what to expect of others. */
const UNSEEN: Readonly<Record<Labelled['set'], readonly Counts[]>> = {
  first: BEFORE.first,
  second: [
    [12, 15, 13],
    [8, 9, 8],
    [5, 5, 5],
    [5, 5, 5],
  ],
  third: [
    [4, 4, 18],
    [7, 8, 10],
    [6, 6, 7],
    [5, 5, 7],
  ],
  fourth: [
    [4, 6, 17],
    [1, 1, 8],
    [2, 2, 4],
    [3, 3, 4],
  ],
  fifth: [
    [13, 13, 18],
    [7, 8, 8],
    [3, 3, 4],
    [4, 4, 4],
  ],
}

const MAX_FACTS = 10
const FILE = path.resolve(import.meta.dirname, 'labels/typed-sentences.jsonl')
const all = fs
  .readFileSync(FILE, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Labelled)

const rows = SETS.flatMap((set) => LANGUAGES.map((language, i) => row(set, language, i)))
console.log('Precision and recall: before the rules were changed, at the first run of each set, and now.\n')
console.log(table(['set', 'language', 'sentences', 'before', 'first run', 'now'], rows))
if (process.argv.includes('--kinds')) console.log(`\n${table(['kind', 'found', 'of'], kindRows())}`)
if (process.argv.includes('--wrong'))
  for (const one of all) {
    const found = kindsIn(one.text)
    const isMissed = one.is !== 'none' && !found.some((kind) => fits(one, kind))
    const wrong = found.filter((kind) => !fits(one, kind))
    if (isMissed || wrong.length > 0)
      console.log(
        `${isMissed ? 'MISSED' : 'WRONG '} ${one.set} ${one.language} ${one.is}: ${one.text} [${found.join(' ')}]`,
      )
  }

function row(set: Labelled['set'], language: Labelled['language'], i: number): string {
  const some = all.filter((one) => one.set === set && one.language === language)
  const found = some.filter(({ text }) => kindsIn(text).length > 0)
  const right = found.filter((one) => kindsIn(one.text).every((kind) => fits(one, kind))).length
  const wanted = some.filter(({ is }) => is !== 'none').length
  const now: Counts = [right, found.length, wanted]
  return `| ${set} | ${language} | ${some.length} | ${[BEFORE[set][i], UNSEEN[set][i], now].map(shares).join(' | ')} |`
}

/** Something found under a wrong name is wrong, and not found. */
function shares(counts: Counts | undefined): string {
  if (counts === undefined) return '–'
  const [right, found, wanted] = counts
  return `${percent(found === 0 ? 1 : right / found)}, ${percent(right / wanted)} (${right}/${found}, ${right}/${wanted})`
}

function kindRows(): string[] {
  return [...new Set(all.map(({ is }) => is))].map((kind) => {
    const some = all.filter(({ is }) => is === kind)
    return `| ${kind} | ${some.filter(({ text }) => kindsIn(text).length > 0).length} | ${some.length} |`
  })
}

function fits({ is, also = [] }: Labelled, kind: string): boolean {
  return is === kind || also.includes(kind)
}

/** Everything that the sentence, typed as a prompt, is taken for. */
function kindsIn(text: string): string[] {
  const entries: Numbered[] = [{ n: 0, entry: { role: 'user', ts: '2026-01-01T00:00:00.000Z', text } }]
  const facts = extractFacts('00000000', entries, MAX_FACTS)
  return [
    ...facts.map(({ type, status }) => (type === 'issue' ? `issue-${status}` : type)),
    ...(statedIn(entries).length > 0 ? ['standing'] : []),
    ...(correctionsIn(entries).length > 0 ? ['correction'] : []),
  ]
}
