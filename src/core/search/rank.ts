/**
 * The ranking: plain BM25 selects the candidates, then words, neighbours, session, date and kind decide.
 * This file has more than 300 lines because its weights were measured together.
 */

import { STEM } from '../../kernel/text/token.ts'

import { type Closeness, closenessOf } from './date-mention.ts'
import { type Columns, type Engine, hasNeighbours, KIND_NUMBER, type VoiceWeights } from './engine.ts'
import type { Question } from './question.ts'
import { FLAG } from './traits.ts'

/** Found on public dialogues by cross-validation and checked on coding sessions: bench/README.md lists what each adds. */
export const WEIGHTS = {
  /** The number of candidates of the first pass, and of neighbours on each side that are added. */
  first: 150,
  reach: 2,
  /** BM25 of the document itself. */
  k1: 1.2,
  b: 0.4,
  /** A word in exactly the form of the question. */
  exact: 0.3,
  /** BM25 of the document with 1, 2 and 4 neighbours on each side; a long neighbour counts as one of mean length. */
  around: [0.5, 0.4, 0, 0.5],
  aroundB: 0.6,
  /** The previous turn: the question of an answer. */
  before: 0.3,
  /** The best documents of the session, each further one with less weight. */
  session: 0.5,
  sessionDecay: 0.3,
  /** Two words that follow each other in both the question and the document; two that are close. */
  pair: 0.3,
  near: 0.4,
  nearWords: 8,
  /** Factors. For people's words: in the first person, by the person asked about, of the wanted kind; a question is not an answer. */
  firstPerson: 1.35,
  speaker: 1.35,
  wanted: 1.2,
  question: 0.8,
  /** Long answers in a conversation without tools repeat the person's words. */
  chatter: 0.6,
  /** A decision, if the question asks why or what was decided. */
  decided: 1.3,
  /** Compaction summaries and subagents repeat other entries. */
  repeated: 0.7,
  date: { day: 7, week: 4.9, month: 4, monthOfDay: 3.4, shortlyAfter: 2.5, year: 1.9, apart: 1 } as Record<
    Closeness,
    number
  >,
  /** A month's name in more than this share of the documents is a common word ("may"). */
  commonMonth: 0.02,
}

export type Weights = typeof WEIGHTS

export interface Ranked {
  doc: number
  score: number
}

export interface RankOptions {
  limit: number
  isWanted?: (doc: number) => boolean
  weights?: Weights
}

/** The first pass finds only documents that contain a word; tools and answers contain the answer as often as prompts. */
const VOICES: VoiceWeights = [1, 0.5, 0.5, 1]
const {
  prompt: PROMPT,
  answer: ANSWER,
  tool: TOOL,
  subagent: SUBAGENT,
  compaction: COMPACTION,
  decision: DECISION,
} = KIND_NUMBER
const MAX_AROUND = 4
/** How far a tool use marks its neighbours as work. */
const TOOL_REACH = 8

/** Best first; and the number of documents with each word of the question. */
export function rank(
  question: Question,
  columns: Columns,
  engine: Engine,
  options: RankOptions,
): { rows: Ranked[]; found: readonly number[] } {
  const { terms } = question
  if (terms.length === 0 || columns.live === 0) return { rows: [], found: terms.map(() => 0) }
  const weights = options.weights ?? WEIGHTS
  const isWanted = options.isWanted ?? null
  const first = engine.look(
    terms.map((term) => term.stem),
    VOICES,
    Math.min(columns.count, Math.max(weights.first, options.limit)),
    isWanted,
  )
  const { found } = first
  if (first.docs.length === 0) return { rows: [], found }
  const ranking = new Ranking(question, columns, engine, weights, found)
  const rows = withNeighbours(first.docs, columns, weights.reach, isWanted).map((doc) => ranking.scoreOf(doc))
  ranking.addSessions(rows)
  ranking.multiply(rows)
  rows.sort((one, other) => other.score - one.score || laterFirst(columns, one.doc, other.doc))
  return { rows: rows.slice(0, options.limit).map(({ doc, score }) => ({ doc, score })), found }
}

/** Recency decides only between equals. */
function laterFirst({ seconds }: Columns, one: number, other: number): number {
  return (seconds[other] ?? 0) - (seconds[one] ?? 0) || other - one
}

/** An answer need not contain a word of the question before it. */
function withNeighbours(
  docs: readonly number[],
  columns: Columns,
  reach: number,
  isWanted: ((doc: number) => boolean) | null,
): number[] {
  const all = new Set(docs)
  for (const doc of docs) {
    if (!hasNeighbours(columns, doc)) continue
    for (const beside of [columns.prev, columns.next]) {
      let at = beside(doc)
      for (let step = 0; step < reach && at >= 0; step++) {
        if (isWanted === null || isWanted(at)) all.add(at)
        at = beside(at)
      }
    }
  }
  return [...all]
}

interface Row extends Ranked {
  own: number
}

/** How often each word of the question occurs in a document, and where. */
interface Profile {
  times: Float64Array
  /** Pairs of position and term. */
  places: number[]
  /** One of them is the first word. */
  isFirst: boolean
}

class Ranking {
  private readonly profiles = new Map<number, Profile>()
  private readonly idf: Float64Array
  /** By signed stem. */
  private readonly termOf: Map<number, number>
  private readonly forms: Int32Array
  private readonly mean: number
  private readonly isDated: boolean
  private readonly sum: Float64Array
  private readonly stems: readonly number[]
  private readonly empty: Profile

  constructor(
    private readonly question: Question,
    private readonly columns: Columns,
    private readonly engine: Engine,
    private readonly weights: Weights,
    found: readonly number[],
  ) {
    const { terms, date, monthStem } = question
    const { live, tokens } = columns
    this.idf = Float64Array.from(terms, ({ weight }, i) => {
      const holding = found[i] ?? 0
      return weight * Math.log(1 + Math.max(0, live - holding + 0.5) / (holding + 0.5))
    })
    this.termOf = new Map(terms.map(({ stem }, i) => [stem | 0, i]))
    this.forms = Int32Array.from(terms, ({ token }) => token | 0)
    this.stems = terms.map(({ stem }) => stem)
    this.empty = { times: new Float64Array(terms.length), places: [], isFirst: false }
    this.mean = tokens / live
    this.sum = new Float64Array(terms.length)
    const month = monthStem === null ? undefined : this.termOf.get(monthStem | 0)
    this.isDated = date !== null && (month === undefined || (found[month] ?? 0) <= weights.commonMonth * live)
  }

  scoreOf(doc: number): Row {
    const { weights, mean } = this
    const profile = this.profileOf(doc)
    const own = this.bm25(profile.times, this.lengthOf(doc), mean, weights.b)
    const score = own + this.scoreAround(doc, profile) + this.scoreCloseness(profile)
    return { doc, own, score }
  }

  addSessions(rows: readonly Row[]): void {
    const { columns, weights } = this
    const best = new Map<number, number[]>()
    for (const row of rows) {
      if (!hasNeighbours(columns, row.doc)) continue
      const group = columns.group[row.doc] ?? 0
      const owns = best.get(group)
      if (owns === undefined) best.set(group, [row.own])
      else owns.push(row.own)
    }
    const scores = new Map([...best].map(([group, owns]) => [group, decayed(owns, weights.sessionDecay)]))
    for (const row of rows) {
      const group = hasNeighbours(columns, row.doc) ? scores.get(columns.group[row.doc] ?? 0) : undefined
      row.score += weights.session * (group ?? row.own)
    }
  }

  multiply(rows: readonly Row[]): void {
    const talks = new Set(rows.filter(({ doc }) => this.isTalk(doc)).map(({ doc }) => doc))
    const chatter = this.chatterOf(rows, talks)
    for (const row of rows) {
      const kind = this.columns.kind[row.doc] ?? 0
      const isTalk = talks.has(row.doc)
      if (isTalk) row.score *= 1 - (1 - this.weights.chatter) * chatter
      else if (kind === SUBAGENT || kind === COMPACTION) row.score *= this.weights.repeated
      else if (kind === DECISION && this.question.asksDecision) row.score *= this.weights.decided
      // If answers are as short as prompts, the speakers are two people.
      const share = kind === PROMPT ? 1 : isTalk ? 1 - chatter : 0
      row.score *= this.factorOf(row.doc, share)
    }
  }

  private factorOf(doc: number, share: number): number {
    const { weights, columns, question } = this
    const flags = columns.flags[doc] ?? 0
    let factor = 1
    if (share > 0) {
      if (flags & FLAG.firstPerson) factor *= weights.firstPerson
      if (flags & question.wants) factor *= weights.wanted
      if (flags & FLAG.question) factor *= weights.question
      factor **= share
    }
    if (flags & FLAG.speaker && this.profileOf(doc).isFirst) factor *= weights.speaker
    if (this.isDated && question.date !== null) {
      factor *= weights.date[closenessOf(question.date, columns.seconds[doc] ?? 0)]
    }
    return factor
  }

  private scoreAround(doc: number, profile: Profile): number {
    const { weights, columns, mean, sum } = this
    const isAlone = !hasNeighbours(columns, doc)
    sum.set(profile.times)
    let length = this.lengthOf(doc)
    let [before, after] = [doc, doc]
    let score = 0
    for (let step = 1; step <= MAX_AROUND; step++) {
      if (!isAlone) {
        before = before < 0 ? -1 : columns.prev(before)
        after = after < 0 ? -1 : columns.next(after)
        length += this.addTo(sum, before) + this.addTo(sum, after)
      }
      if (step === 1 && before >= 0 && !isAlone) {
        score += weights.before * this.bm25(this.profileOf(before).times, this.lengthOf(before), mean, weights.b)
      }
      const weight = weights.around[step - 1] ?? 0
      if (weight > 0) score += weight * this.bm25(sum, length, mean * (2 * step + 1), weights.aroundB)
    }
    return score
  }

  /** Adds a neighbour's words; returns its weighted length. */
  private addTo(sum: Float64Array, doc: number): number {
    if (doc < 0) return 0
    const length = this.lengthOf(doc)
    const share = Math.min(1, this.mean / (length + 1))
    const { times, places } = this.profileOf(doc)
    if (places.length > 0) for (let i = 0; i < sum.length; i++) sum[i] = (sum[i] ?? 0) + share * (times[i] ?? 0)
    return share * length
  }

  private bm25(times: Float64Array, length: number, mean: number, b: number): number {
    const { k1 } = this.weights
    const norm = k1 * (1 - b + (b * length) / mean)
    let score = 0
    for (let i = 0; i < times.length; i++) {
      const count = times[i] ?? 0
      if (count > 0) score += ((this.idf[i] ?? 0) * count * (k1 + 1)) / (count + norm)
    }
    return score
  }

  private scoreCloseness({ places }: Profile): number {
    if (places.length <= 2) return 0
    const { weights, idf } = this
    const seen = new Set<number>()
    let score = 0
    for (let i = 0; i < places.length; i += 2) {
      for (let j = i + 2; j < places.length && j < i + 16; j += 2) {
        const gap = (places[j] ?? 0) - (places[i] ?? 0)
        if (gap > weights.nearWords) break
        const [one, other] = [places[i + 1] ?? 0, places[j + 1] ?? 0]
        const key = Math.min(one, other) * 64 + Math.max(one, other)
        if (one === other || seen.has(key)) continue
        seen.add(key)
        const [a, b] = [idf[one] ?? 0, idf[other] ?? 0]
        score += (weights.near * Math.min(a, b)) / gap
        if (Math.abs(one - other) === 1 && gap <= 2) score += (weights.pair * (a + b)) / 2
      }
    }
    return score
  }

  /** An answer without a tool use near it. */
  private isTalk(doc: number): boolean {
    const { kind, prev, next } = this.columns
    if (kind[doc] !== ANSWER) return false
    for (const beside of [prev, next]) {
      let at = beside(doc)
      for (let step = 0; step < TOOL_REACH && at >= 0; step++) {
        if (kind[at] === TOOL) return false
        at = beside(at)
      }
    }
    return true
  }

  /** 0: answers are as short as prompts; 1: at least four times as long. */
  private chatterOf(rows: readonly Row[], talks: ReadonlySet<number>): number {
    const lengths = (docs: readonly Row[]): number =>
      docs.reduce((all, { doc }) => all + this.lengthOf(doc), 0) / docs.length
    const prompts = rows.filter(({ doc }) => this.columns.kind[doc] === PROMPT)
    const answers = rows.filter(({ doc }) => talks.has(doc))
    if (prompts.length === 0 || answers.length === 0) return 0
    const asked = Math.max(1, lengths(prompts))
    return Math.min(1, Math.max(0, (lengths(answers) / asked - 1.5) / 2.5))
  }

  private lengthOf(doc: number): number {
    return this.columns.length[doc] ?? 0
  }

  private profileOf(doc: number): Profile {
    const known = this.profiles.get(doc)
    if (known !== undefined) return known
    const { terms } = this.question
    const places = this.engine.placesOf(doc, this.stems)
    // Most neighbours contain no word of the question.
    if (places.length === 0) {
      this.profiles.set(doc, this.empty)
      return this.empty
    }
    const profile: Profile = { times: new Float64Array(terms.length), places: [], isFirst: places[0] === 0 }
    for (let i = 0; i < places.length; i += 2) {
      const token = places[i + 1] as number
      const term = this.termOf.get(token & STEM) ?? 0
      profile.times[term] = (profile.times[term] ?? 0) + (token === this.forms[term] ? 1 + this.weights.exact : 1)
      profile.places.push(places[i] as number, term)
    }
    this.profiles.set(doc, profile)
    return profile
  }
}

function decayed(owns: number[], decay: number): number {
  let share = 1
  let score = 0
  for (const own of owns.sort((a, b) => b - a).slice(0, 6)) {
    score += share * own
    share *= decay
  }
  return score
}
