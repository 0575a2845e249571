/** Does code see where a user sets Claude right? Labelled sentences of our own, in three sets. */
import fs from 'node:fs'
import path from 'node:path'
import { correctionsIn } from '../src/outgoing/correction.ts'
import { statedIn } from '../src/outgoing/standing.ts'
import type { Numbered } from '../src/sessions/digest-types.ts'
import { readLocomo } from './support/locomo.ts'
import { percent, table } from './support/score.ts'

interface Labelled {
  /** The rules were made with the first and the second at hand; the third was written afterwards. */
  set: 'first' | 'second' | 'third'
  language: 'en' | 'ko'
  correction: boolean
  text: string
}

const FILE = path.resolve(import.meta.dirname, 'labels/corrections.jsonl')
const all = fs
  .readFileSync(FILE, 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as Labelled)

const rows = (['first', 'second', 'third'] as const).flatMap((set) =>
  (['en', 'ko'] as const).map((language) => row(set, language)),
)
console.log(table(['set', 'language', 'sentences', 'precision', 'recall'], rows))
// People who talk about their lives correct nobody: whatever is found there is a false alarm.
const turns = (readLocomo() ?? []).flatMap(({ said }) => said.map(({ text }) => text))
if (turns.length > 0)
  console.log(`\nfound in ${turns.length} turns of everyday dialogue: ${turns.filter(isSaidIn).length}`)
if (process.argv.includes('--wrong')) for (const one of all) if (isFound(one) !== one.correction) console.log(one)

function row(set: Labelled['set'], language: Labelled['language']): string {
  const some = all.filter((one) => one.set === set && one.language === language)
  const found = some.filter(isFound)
  const right = found.filter(({ correction }) => correction).length
  const wanted = some.filter(({ correction }) => correction).length
  const { length } = some
  return `| ${set} | ${language} | ${length} | ${percent(right / found.length)} | ${percent(right / wanted)} |`
}

/** One that holds for good in so many words is kept as a standing instruction: found as well. */
function isFound({ text, correction }: Labelled): boolean {
  return isSaidIn(text) || (correction && statedIn(typed(text)).length > 0)
}

function isSaidIn(text: string): boolean {
  return correctionsIn(typed(text)).length > 0
}

function typed(text: string): Numbered[] {
  return [{ n: 1, entry: { role: 'user', ts: '2026-01-01T00:00:00.000Z', text } }]
}
