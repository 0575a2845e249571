/**
 * Does search find what a developer asks about earlier sessions? Our own questions, English and Korean, about the shared
 * transcripts as one project; by the shipped search beside the baselines, by language, kind of question and layer.
 */
import type { Layer } from '../src/core/search/corpus.ts'
import { openSearcher, type Searcher } from '../src/core/search/disk/search.ts'
import { parseQuestion } from '../src/core/search/question.ts'
import { rank } from '../src/core/search/rank.ts'
import { now } from './support/corpus.ts'
import { openFtsBaseline } from './support/fts-baseline.ts'
import { type CodingQuestion, holdsAnswer, readCodingQuestions } from './support/questions.ts'
import { mean, percent, table } from './support/score.ts'
import { listTranscripts, rememberWork, type Work } from './support/transcripts.ts'

const SHOWN = 10
/** So many fit into a recall, and are read before somebody asks again. */
const READ = 6
/** A note about so few entries is about one event. */
const ONE_EVENT = 3
const EQUAL = [1, 1, 1, 1] as const

/** One line of an answer. */
interface Listed {
  /** Its own, and those of the same event that are folded into it. */
  ids: readonly string[]
  about: string
  text: string
  snippet: string
}

type Find = (query: string) => Listed[]

interface Score {
  hit1: number
  hit5: number
  hit10: number
  mrr: number
  /** The words of the answer stand in the first texts, in their snippets. */
  inTexts: number
  inSnippets: number
  /** One of the first five is a note, fact or summary about the entries that answer, however many it is about. */
  toldOf: number
}

const HEADINGS = ['n', 'hit@1', 'hit@5', 'hit@10', 'MRR', `answer in ${READ} texts`, `in ${READ} snippets`]
const questions = readCodingQuestions()

const transcripts = listTranscripts()
if (transcripts.length > 0) {
  console.log(`node ${process.version}, ${questions.length} questions`)
  withWork('sessions', tellSessions)
  withWork('everything', tellLayers)
}

function tellSessions(work: Work, searcher: Searcher): void {
  const found = shipped(searcher)
  const ways: (readonly [string, Find | null])[] = [
    ['FTS5, default (AND)', ftsFind(searcher, 'and')],
    ['FTS5 porter, OR, stop list', ftsFind(searcher, 'or-without-stop-words')],
    ['BM25 over our words (first look)', firstLook(searcher)],
    ['ranking alone', ranking(searcher)],
    ['search', found],
  ]
  const rows = ways.map(([name, find]) => row(name, find === null ? null : evaluate(work, find, questions)))
  console.log(`\n${table(['entries of sessions', ...HEADINGS], rows)}`)
  const groups = [...groupsBy(({ lang }) => lang), ...groupsBy(({ kind }) => kind)]
  const parts = groups.map(([name, own]) => row(name, evaluate(work, found, own)))
  console.log(`\n${table(['search, by language and kind', ...HEADINGS], parts)}`)
  const plain = groups.map(([name, own]) => row(name, evaluate(work, firstLook(searcher), own)))
  console.log(`\n${table(['first look, by language and kind', ...HEADINGS], plain)}`)
}

function tellLayers(work: Work, searcher: Searcher): void {
  const layers: (readonly [string, readonly Layer[]])[] = [
    ['all layers', ['L1', 'L2', 'L3']],
    ['L1, entries', ['L1']],
    ['L2, notes', ['L2']],
    ['L3, facts and summaries', ['L3']],
    ['L2 and L3, the quick look', ['L2', 'L3']],
  ]
  const rows = layers.map(([name, of]) => {
    const scores = evaluate(work, shipped(searcher, of), questions)
    return `${row(name, scores)} ${percent(mean(scores.map(({ toldOf }) => toldOf)))} |`
  })
  const { live } = searcher.index.columns
  console.log(`\n${table([`by layer (${live} documents)`, ...HEADINGS, 'told of @5'], rows)}`)
}

function withWork(what: 'sessions' | 'everything', measure: (work: Work, searcher: Searcher) => void): void {
  const work = rememberWork(transcripts, what)
  const { store, cacheDir, remove } = work.place
  const searcher = openSearcher(store, { cacheDir, now })
  try {
    if (!searcher.index.refresh()) throw new Error('the index is not complete')
    measure(work, searcher)
  } finally {
    searcher.close()
    remove()
  }
}

function shipped({ find, index }: Searcher, layers?: readonly Layer[]): Find {
  return (query) =>
    find({ query, limit: SHOWN, ...(layers === undefined ? {} : { layers }) }).hits.map((hit) => {
      const { about = '', text = '' } = index.unitOf(hit.doc) ?? {}
      return { ids: [hit.id, ...hit.also], about, text, snippet: hit.snippet }
    })
}

function firstLook(searcher: Searcher): Find {
  return (query) => {
    const stems = parseQuestion(query).terms.map(({ stem }) => stem)
    return listed(searcher, searcher.index.engine.look(stems, EQUAL, SHOWN, null).docs)
  }
}

function ranking(searcher: Searcher): Find {
  const { columns, engine } = searcher.index
  return (query) => {
    const { rows } = rank(parseQuestion(query), columns, engine, { limit: 2 * SHOWN })
    return listed(
      searcher,
      rows.slice(0, SHOWN).map(({ doc }) => doc),
    )
  }
}

function ftsFind(searcher: Searcher, way: 'and' | 'or-without-stop-words'): Find | null {
  const docs = Array.from({ length: searcher.index.columns.count }, (_, doc) => doc)
  const fts = openFtsBaseline(
    docs.map((doc) => searcher.index.unitOf(doc)?.text ?? ''),
    way,
  )
  return fts === null ? null : (query) => listed(searcher, fts.find(query, SHOWN))
}

/** Without snippets: only search makes them. */
function listed({ index }: Searcher, docs: readonly number[]): Listed[] {
  return docs.flatMap((doc) => {
    const unit = index.unitOf(doc)
    return unit === null ? [] : [{ ids: [unit.id], about: unit.about, text: unit.text, snippet: '' }]
  })
}

function evaluate({ idsOf }: Work, find: Find, asked: readonly CodingQuestion[]): Score[] {
  return asked.map((question) => {
    const gold = idsOf(question.gold)
    if (gold.size === 0) throw new Error(`${question.id}: its entries are not there`)
    const found = find(question.query)
    const at = found.findIndex(({ ids, about }) => ids.some((id) => gold.has(id)) || tellsOf(about, gold, ONE_EVENT))
    const read = found.slice(0, READ)
    const holds = (texts: readonly string[]): number => (holdsAnswer(question, texts.join('\n')) ? 1 : 0)
    return {
      hit1: at === 0 ? 1 : 0,
      hit5: at >= 0 && at < 5 ? 1 : 0,
      hit10: at >= 0 ? 1 : 0,
      mrr: at >= 0 ? 1 / (at + 1) : 0,
      inTexts: holds(read.map(({ text }) => text)),
      inSnippets: holds(read.map(({ snippet }) => snippet)),
      toldOf: found.slice(0, 5).some(({ about }) => tellsOf(about, gold, Number.POSITIVE_INFINITY)) ? 1 : 0,
    }
  })
}

/** `<id8>#<from>-<to>`, no wider than `most` entries. */
function tellsOf(about: string, gold: ReadonlySet<string>, most: number): boolean {
  const [, id8, from, to] = /^(\w{8})#(\d+)-(\d+)$/.exec(about) ?? []
  if (Number(to) - Number(from) >= most) return false
  return [...gold].some((id) => {
    const [, session, n] = /^L1:(\w{8})#(\d+)$/.exec(id) ?? []
    return session === id8 && Number(n) >= Number(from) && Number(n) <= Number(to)
  })
}

function groupsBy(name: (question: CodingQuestion) => string): [string, CodingQuestion[]][] {
  const names = [...new Set(questions.map(name))].sort()
  return names.map((one) => [one, questions.filter((question) => name(question) === one)])
}

function row(name: string, scores: readonly Score[] | null): string {
  if (scores === null) return `| ${name} | no FTS5 in this Node |`
  const share = (of: (score: Score) => number): string => percent(mean(scores.map(of)))
  const mrr = mean(scores.map((score) => score.mrr)).toFixed(3)
  const hits = [share((s) => s.hit1), share((s) => s.hit5), share((s) => s.hit10), mrr]
  const inSnippets = scores.some((score) => score.inSnippets > 0) ? share((s) => s.inSnippets) : '–'
  return `| ${name} | ${[scores.length, ...hits, share((s) => s.inTexts), inSnippets].join(' | ')} |`
}
