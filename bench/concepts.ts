/** Which names mean the same topic, and how many concepts does code make of months of facts? How long does it take? */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { type Concepts, NO_CONCEPTS } from '../src/knowledge/concept.ts'
import { addConcept, assignConcepts, findConcept } from '../src/knowledge/concept-assign.ts'
import { refreshConcepts } from '../src/knowledge/concept-refresh.ts'
import { allFacts, type Facts, NO_FACTS } from '../src/knowledge/fact.ts'
import { factWords, shareOfWords } from '../src/knowledge/fact-similar.ts'
import { fitsOf, fittingOf } from '../src/outgoing/concept-fit.ts'
import { nameSimilarity } from '../src/outgoing/concept-name.ts'
import { termsOf } from '../src/outgoing/concept-terms.ts'
import { TOPICS, type Topic } from '../test/fixtures/topics.ts'
import { FRESH_TOPICS } from '../test/fixtures/topics-fresh.ts'
import { factsOf, judge, type Labelled, sessionsAbout } from '../test/support/topics.ts'

interface Pair {
  /** `held`: written when the rules were done, and looked at once. */
  split: 'dev' | 'test' | 'held'
  lang: 'en' | 'ko' | 'mixed'
  kind: 'name' | 'fact'
  same: boolean
  a: string
  b: string
}

type Likeness = (a: string, b: string) => number

const THRESHOLD = 0.7
/** No name is so much like another: only the same words are the same name. */
const NEVER = 2
const pairs = readFileSync(path.join(import.meta.dirname, 'labels/concept-pairs.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Pair)

console.log('| names: similarity | set | AUC | at 0.7: same found | other joined |\n|---|---|--:|--:|--:|')
const MEASURES: Record<string, Likeness> = {
  'words in common (Dice)': (a, b) => shareOfWords(factWords(a), factWords(b)),
  'character trigrams (Dice)': trigramLikeness,
  ours: nameSimilarity,
}
for (const [name, likeness] of Object.entries(MEASURES))
  for (const split of ['dev', 'test', 'held'] as const)
    console.log(renderRow(name, split, likeness, namesOf({ split })))
for (const lang of ['en', 'ko', 'mixed'] as const)
  console.log(renderRow('ours', `all, ${lang}`, nameSimilarity, namesOf({ lang })))

console.log('\n| threshold | same found | other joined | (all names, ours) |\n|--:|--:|--:|---|')
for (const threshold of [0.5, 0.6, 0.65, 0.7, 0.75, 0.8, 0.9]) {
  const { found, of, joined, ofOther } = countAt(namesOf({}), nameSimilarity, threshold)
  console.log(`| ${threshold} | ${found} of ${of} | ${joined} of ${ofOther} | |`)
}
for (const { a, b, same, split } of namesOf({}))
  if (nameSimilarity(a, b) >= THRESHOLD !== same)
    console.log(`${split} ${same ? 'missed' : 'joined'}: ${a} | ${b} ${nameSimilarity(a, b).toFixed(2)}`)

console.log('\n| a fact and a name alone | set | AUC | fits: same | fits: other |\n|---|---|--:|--:|--:|')
for (const split of ['dev', 'test'] as const) {
  const chosen = pairs.filter((one) => one.kind === 'fact' && one.split === split)
  const { found, of, joined, ofOther } = countAt(chosen, factFits, 0.2)
  console.log(`| ours | ${split} | ${auc(chosen, factFits).toFixed(3)} | ${found} of ${of} | ${joined} of ${ofOther} |`)
}

console.log(
  '\n| 100 sessions × 8 facts | seed | how | concepts | topics | duplicates | purity | without | ms |\n|---|--:|---|--:|--:|--:|--:|--:|--:|',
)
for (const [name, topics] of [
  ['12 topics', TOPICS],
  ['6 topics of other projects', FRESH_TOPICS],
] as const)
  for (const seed of [1, 2, 3, 4, 5])
    for (const how of ['each session', 'at once', 'named', 'named, without the rule']) simulate(name, topics, seed, how)

console.log(renderSpeed())

function namesOf({ split, lang }: { split?: Pair['split']; lang?: Pair['lang'] }): Pair[] {
  return pairs.filter(
    (one) =>
      one.kind === 'name' && (split === undefined || one.split === split) && (lang === undefined || one.lang === lang),
  )
}

function renderRow(name: string, set: string, likeness: Likeness, chosen: readonly Pair[]): string {
  const { found, of, joined, ofOther } = countAt(chosen, likeness, THRESHOLD)
  return `| ${name} | ${set} | ${auc(chosen, likeness).toFixed(3)} | ${found} of ${of} | ${joined} of ${ofOther} |`
}

function countAt(chosen: readonly Pair[], likeness: Likeness, threshold: number) {
  const same = chosen.filter((one) => one.same)
  const other = chosen.filter((one) => !one.same)
  const above = ({ a, b }: Pair): boolean => likeness(a, b) >= threshold
  return {
    found: same.filter(above).length,
    of: same.length,
    joined: other.filter(above).length,
    ofOther: other.length,
  }
}

/** How often a pair that belongs together is more alike than one that does not. */
function auc(chosen: readonly Pair[], likeness: Likeness): number {
  const values = chosen.map(({ a, b, same }) => ({ same, value: likeness(a, b) }))
  let sum = 0
  let all = 0
  for (const one of values.filter(({ same }) => same)) {
    for (const other of values.filter(({ same }) => !same)) {
      all++
      sum += one.value > other.value ? 1 : one.value === other.value ? 0.5 : 0
    }
  }
  return sum / all
}

function trigramLikeness(a: string, b: string): number {
  const grams = (text: string): Set<string> => {
    const padded = ` ${text.toLowerCase()} `
    return new Set(Array.from({ length: padded.length - 2 }, (_, i) => padded.slice(i, i + 3)))
  }
  return shareOfWords(grams(a), grams(b))
}

/** As if the concept had no facts yet. */
function factFits(fact: string, name: string): number {
  const terms = termsOf({ text: fact, files: [] })
  return fitsOf(fittingOf(addConcept(NO_CONCEPTS, name).concepts.concepts, [terms]), terms)[0]?.score ?? 0
}

function simulate(name: string, topics: readonly Topic[], seed: number, how: string): void {
  const sessions = sessionsAbout(topics, 100, 8, seed)
  const began = performance.now()
  const { concepts, facts } = how.startsWith('named')
    ? named(sessions, topics, how === 'named' ? THRESHOLD : NEVER)
    : grown(sessions, how === 'at once' ? 100 : 1)
  const ms = performance.now() - began
  const { used, duplicates, purity, without, covered } = judge(facts, sessions.flat())
  console.log(
    `| ${name} | ${seed} | ${how} | ${used} of ${concepts.concepts.length} | ${covered} | ${duplicates} | ${purity.toFixed(3)} | ${without} | ${ms.toFixed(0)} |`,
  )
}

function grown(sessions: readonly Labelled[][], step: number): { concepts: Concepts; facts: Facts } {
  let known: { concepts: Concepts; facts: Facts } = { concepts: NO_CONCEPTS, facts: NO_FACTS }
  for (let i = 0; i < sessions.length; i += step) {
    const fresh = factsOf(sessions.slice(i, i + step).flat()).decisions
    const facts = { ...known.facts, decisions: [...known.facts.decisions, ...fresh] }
    known = assignConcepts(known.concepts, facts, THRESHOLD)
  }
  return known
}

/** A model names the concept of each fact, in other words each time. */
function named(
  sessions: readonly Labelled[][],
  topics: readonly Topic[],
  threshold: number,
): { concepts: Concepts; facts: Facts } {
  let concepts = NO_CONCEPTS
  const decisions = sessions.flat().map(({ fact, topic }, i) => {
    const names = topics[topic]?.names ?? []
    const found = findConcept(concepts, { name: names[i % names.length] ?? '' }, threshold)
    if (found.is === 'known' || found.is === 'similar') return { ...fact, concept: found.id }
    const added = addConcept(concepts, found.is === 'new' ? found.name : '')
    concepts = added.concepts
    return { ...fact, concept: added.id }
  })
  return { concepts, facts: { ...NO_FACTS, decisions } }
}

function renderSpeed(): string {
  const sessions = sessionsAbout([...TOPICS, ...FRESH_TOPICS], 1000, 10, 1)
  const time = <T>(work: () => T): [T, number] => {
    const began = performance.now()
    return [work(), performance.now() - began]
  }
  // No text twice: what was read once is remembered.
  for (const [i, { fact }] of sessions.flat().entries()) fact.text += ` (#${i})`
  const before = sessions.slice(0, -1).flat()
  const [, words] = time(() => before.map(({ fact }) => termsOf(fact)))
  const [first, atOnce] = time(() => assignConcepts(NO_CONCEPTS, factsOf(before), THRESHOLD))
  const fresh = (sessions.at(-1) ?? []).map(({ fact }) => fact)
  const more = { ...first.facts, decisions: [...first.facts.decisions, ...fresh] }
  const [last, one] = time(() => assignConcepts(first.concepts, more, THRESHOLD))
  const [, refresh] = time(() => refreshConcepts(last.concepts, last.facts))
  return `\n1,000 sessions × 10 facts (${allFacts(last.facts).length}, ${last.concepts.concepts.length} concepts): reading their words ${words.toFixed(0)} ms; assigning all at once ${atOnce.toFixed(0)} ms; one more session ${one.toFixed(0)} ms; refresh ${refresh.toFixed(0)} ms`
}
