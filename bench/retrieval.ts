/**
 * How well does search find what answers a question? LoCoMo's conversations as sessions of a project, searched by the
 * shipped search; in the same run the baselines, what each ingredient adds, and weights chosen without the conversation they are
 * measured on.
 */

import { WEIGHTS, type Weights } from '../src/core/search/rank.ts'
import { withChatter } from './support/chatter.ts'
import { type FtsWay, openFtsBaseline } from './support/fts-baseline.ts'
import { type Conversation, pool, readLocomo, withAssistant } from './support/locomo.ts'
import { type Find, firstLook, forget, type Memory, rankedBy, remember, shipped } from './support/memory.ts'
import { COLUMNS, HEADINGS, mean, meanScore, percent, percents, type Score, scoreOf, table } from './support/score.ts'
import { CHOSEN, WITHOUT } from './support/weights.ts'

/** What a person sees, and what ten sessions need. */
const SHOWN = 10
const DEEP = 100
const TURNS = ['r5', 'r10'] as const

interface Kept {
  name: string
  memories: readonly Memory[]
  /** What the shipped search brings: a list of scores for each memory. */
  scores: readonly Score[][]
}

const conversations = readLocomo()
if (conversations !== null) measure(conversations)

function measure(all: readonly Conversation[]): void {
  const people = keep('every turn a person’s', all)
  const mixed = keep('second speaker as Claude', all.map(withAssistant))
  const pooled = keep('all in one memory', [pool(all)])
  const chatty = keep('Claude answers every turn at length', withChatter(all))
  const sets = [people, mixed, pooled, chatty]
  try {
    console.log(`node ${process.version}, ${people.scores.flat().length} questions about ${all.length} conversations\n`)
    console.log(
      table(
        ['search', ...HEADINGS],
        sets.map(({ name, scores }) => `| ${name} | ${percents(meanScore(scores.flat()))} |`),
      ),
    )
    for (const kept of [people, pooled, chatty]) tellBaselines(kept)
    tellConversations(people)
    tellIngredients([people, pooled, chatty])
    tellHeldOut(people)
  } finally {
    for (const memory of sets.flatMap(({ memories }) => memories)) forget(memory)
  }
}

function keep(name: string, all: readonly Conversation[]): Kept {
  const memories = all.map(remember)
  return { name, memories, scores: evaluate(memories, shipped) }
}

function tellBaselines({ name, memories, scores }: Kept): void {
  const found: (readonly [string, Find | null])[] = [
    ['FTS5, default (AND)', ftsFind(memories, 'and')],
    ['FTS5 porter, OR', ftsFind(memories, 'or')],
    ['FTS5 porter, OR, stop list', ftsFind(memories, 'or-without-stop-words')],
    ['BM25 over our words (first look)', firstLook],
    ['ranking alone', rankedBy(WEIGHTS)],
  ]
  const rows = found.map(([way, find]) => {
    const cells = find === null ? 'no FTS5 in this Node' : percents(meanScore(evaluate(memories, find).flat()))
    return `| ${way} | ${cells} |`
  })
  const last = `| search | ${percents(meanScore(scores.flat()))} |`
  console.log(`\n${table([name, ...HEADINGS], [...rows, last])}`)
}

function tellConversations({ memories, scores }: Kept): void {
  const means = scores.map(meanScore)
  const rows = means.map((score, n) => {
    const { said = [], questions = [] } = memories[n] ?? {}
    return `| ${n + 1} | ${said.length} | ${questions.length} | ${percents(score)} |`
  })
  const spread = COLUMNS.map((column) => percent(deviation(means.map((score) => score[column]))))
  const last = `| standard deviation | | | ${spread.join(' | ')} |`
  console.log(`\n${table(['conversation', 'turns', 'questions', ...HEADINGS], [...rows, last])}`)
}

function tellIngredients(sets: readonly Kept[]): void {
  const scores = (weights: Weights): Score[] => sets.map(({ memories }) => turnScore(memories, weights))
  const all = scores(WEIGHTS)
  const rows = WITHOUT.map(([name, change]) => {
    const less = scores({ ...WEIGHTS, ...change })
    const cells = less.flatMap((score, n) => TURNS.map((k) => signed((all[n]?.[k] ?? 0) - score[k])))
    return `| ${name} | ${cells.join(' | ')} |`
  })
  const first = `| everything | ${all.map((score) => percents(score, TURNS)).join(' | ')} |`
  const headings = sets.flatMap(({ name }) => [`${name}: R@5`, 'R@10'])
  console.log(`\n${table(['what each adds', ...headings], [first, ...rows])}`)
}

/** The weights that do best on the other conversations, measured on the one left out. */
function tellHeldOut({ memories }: Kept): void {
  const known = new Map<string, Score>()
  const score = (n: number, values: readonly number[]): Score => {
    const key = `${n} ${values.join()}`
    const memory = memories[n]
    const one = known.get(key) ?? turnScore(memory === undefined ? [] : [memory], weightsOf(values))
    known.set(key, one)
    return one
  }
  const rows: string[] = []
  const held: Score[] = []
  memories.forEach(({ questions }, n) => {
    const others = memories.map((_, m) => m).filter((m) => m !== n)
    const values = choose((tried) => mean(others.map((m) => score(m, tried).r5 + score(m, tried).r10)))
    const own = score(n, values)
    held.push(...questions.map(() => own))
    rows.push(`| ${n + 1} | ${percents(own, TURNS)} | ${values.map((value) => String(value)).join(' | ')} |`)
  })
  rows.push(`| all questions | ${percents(meanScore(held), TURNS)} | ${CHOSEN.map(() => '').join(' | ')} |`)
  console.log(`\n${table(['left out', 'R@5', 'R@10', ...CHOSEN.map(([name]) => name)], rows)}`)
}

/** From everything off, one weight after the other, twice around. */
function choose(worth: (values: readonly number[]) => number): number[] {
  let best = CHOSEN.map(([, values]) => values[0] ?? 0)
  for (const at of [...CHOSEN.keys(), ...CHOSEN.keys()]) {
    const tried = (CHOSEN[at]?.[1] ?? []).map((value) => best.with(at, value))
    best = tried.reduce((one, other) => (worth(other) > worth(one) ? other : one), best)
  }
  return best
}

function weightsOf(values: readonly number[]): Weights {
  return Object.assign({}, WEIGHTS, ...CHOSEN.map(([, , change], n) => change(values[n] ?? 0)))
}

function turnScore(memories: readonly Memory[], weights: Weights): Score {
  return meanScore(evaluate(memories, rankedBy(weights), SHOWN).flat())
}

/** A score for each question of each memory; sessions are counted in a longer list. */
function evaluate(memories: readonly Memory[], find: Find, deep = DEEP): Score[][] {
  return memories.map((memory) =>
    memory.questions.map((question) => {
      const found = find(memory, question.text, SHOWN)
      return scoreOf(question, found, deep === SHOWN ? found : find(memory, question.text, deep))
    }),
  )
}

function ftsFind(memories: readonly Memory[], way: FtsWay): Find | null {
  const tables = new Map(
    memories.map((memory) => [
      memory,
      openFtsBaseline(
        memory.said.map(({ text }) => text),
        way,
      ),
    ]),
  )
  if ([...tables.values()].includes(null)) return null
  return (memory, question, limit) =>
    tables
      .get(memory)
      ?.find(question, limit)
      .flatMap((n) => memory.said[n] ?? []) ?? []
}

function deviation(values: readonly number[]): number {
  return Math.sqrt(mean(values.map((value) => (value - mean(values)) ** 2)))
}

function signed(share: number): string {
  return `${share >= 0 ? '+' : '−'}${percent(Math.abs(share))}`
}
