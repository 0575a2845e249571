/** Does a later decision speak against an earlier one? Labelled pairs of our own, English and Korean. */
import { readFileSync } from 'node:fs'
import { isOvertaken } from '../src/outgoing/digest-overtaken.ts'
import { contradicts } from '../src/outgoing/fact-contradict.ts'

interface Pair {
  earlier: string
  later: string
  contradicts: boolean
  lang: 'en' | 'ko'
  split: 'dev' | 'test' | 'blind'
}

const pairs = readFileSync('bench/labels/contradictions.jsonl', 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Pair)

for (const split of ['dev', 'test', 'blind'] as const) {
  for (const lang of ['en', 'ko'] as const) {
    const some = pairs.filter((pair) => pair.split === split && pair.lang === lang)
    if (some.length === 0) continue
    console.log(`${split} ${lang}: before ${line(some, isOvertaken)} | now ${line(some, contradicts)}`)
  }
}
console.log(`all: before ${line(pairs, isOvertaken)} | now ${line(pairs, contradicts)}`)
if (process.argv.includes('--wrong'))
  for (const pair of pairs)
    if (contradicts(pair.earlier, pair.later) !== pair.contradicts)
      console.log(`${pair.contradicts ? 'MISSED' : 'WRONG '} ${pair.split} ${pair.earlier} | ${pair.later}`)

function line(some: readonly Pair[], judge: (earlier: string, later: string) => boolean): string {
  const hits = some.filter(({ earlier, later }) => judge(earlier, later))
  const right = hits.filter((pair) => pair.contradicts).length
  const all = some.filter((pair) => pair.contradicts).length
  return `precision ${hits.length === 0 ? '–' : (right / hits.length).toFixed(3)} recall ${(right / all).toFixed(3)} (${some.length})`
}
