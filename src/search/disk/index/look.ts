/** The first look: the lists of the words that are asked for, put together by plain BM25; and where the words stand in a document. */
import { type Columns, type FirstLook, firstIdf, firstScore, KINDS, type VoiceWeights, voiceOf } from '../../corpus.ts'
import { type Base, columnsOf } from './base.ts'
import { eachPlace, placeIn, readLists, type WordList } from './postings.ts'
import { findList } from './segment.ts'

export interface LookQuery {
  /** Each once. */
  stems: readonly number[]
  weights: VoiceWeights
  limit: number
  isWanted: ((doc: number) => boolean) | null
}

/** Scores that differ by less are equal. */
const SCORE_STEPS = 1e9
/** Documents whose scores are summed up at once: they fit into the processor's cache. */
const BLOCK = 32_768
/** Lists that are kept in memory may have so many documents together. */
const MOST_KEPT = 500_000
const UNTOUCHED = -1

const scores = new Float64Array(BLOCK).fill(UNTOUCHED)

export function look(base: Base, { stems, weights, limit, isWanted }: LookQuery): FirstLook {
  const columns = columnsOf(base)
  forgetLists(base)
  const lists = stems.map((stem) => listOf(base, stem))
  const found = lists.map((list) => list.count)
  if (limit <= 0) return { docs: [], found }
  const idfs = found.map((holding) => firstIdf(columns.live, holding))
  const voiceWeights = Float64Array.from(KINDS, (one) => weights[voiceOf(one)] ?? 1)
  const best = createBest(limit, isWanted)
  let at = lists.map(() => 0)
  for (let begin = nextBlock(lists, at); begin < columns.count; begin = nextBlock(lists, at)) {
    const next = lists.map((list, i) => addScores(list, at[i] ?? 0, begin, columns, idfs[i] ?? 0, voiceWeights))
    lists.forEach((list, i) => {
      takeScores(list, at[i] ?? 0, next[i] ?? 0, begin, best)
    })
    at = next
  }
  return { docs: best.docs(), found }
}

/** Where the next block with a document begins; infinity behind the last one. */
function nextBlock(lists: readonly WordList[], at: readonly number[]): number {
  let least = Number.POSITIVE_INFINITY
  lists.forEach(({ docs, count }, i) => {
    const next = at[i] ?? 0
    if (next < count) least = Math.min(least, docs[next] as number)
  })
  return least - (least % BLOCK)
}

/** Adds a word's part to the documents of the block that begins there; the place behind them in the list. */
function addScores(
  { docs, times, count }: WordList,
  from: number,
  begin: number,
  { live, tokens, kind, length }: Columns,
  idf: number,
  voiceWeights: Float64Array,
): number {
  const mean = tokens / Math.max(1, live)
  let at = from
  for (; at < count; at++) {
    const doc = docs[at] as number
    const place = doc - begin
    if (place >= BLOCK) break
    const weighted = weigh(voiceWeights[kind[doc] as number] as number, times[at] as number)
    const before = scores[place] as number
    scores[place] = (before === UNTOUCHED ? 0 : before) + firstScore(idf, weighted, length[doc] as number, mean)
  }
  return at
}

/** Each document once. */
function takeScores({ docs }: WordList, from: number, to: number, begin: number, best: Best): void {
  for (let at = from; at < to; at++) {
    const place = (docs[at] as number) - begin
    const score = scores[place] as number
    if (score === UNTOUCHED) continue
    scores[place] = UNTOUCHED
    best.add(Math.trunc(score * SCORE_STEPS), place + begin)
  }
}

/** Added up one by one: a product rounds differently, and the order of hits must stay what it was. */
function weigh(weight: number, times: number): number {
  let sum = weight
  for (let i = 1; i < times; i++) sum += weight
  return sum
}

/** Those of earlier questions, where they are many. */
function forgetLists({ lists }: Base): void {
  let all = 0
  for (const { count } of lists.values()) all += count
  if (all > MOST_KEPT) lists.clear()
}

function listOf(base: Base, stem: number): WordList {
  const { dead } = columnsOf(base)
  const known = base.lists.get(stem)
  if (known !== undefined) return known
  const parts = base.segments.flatMap((segment) => {
    const bytes = findList(segment, stem)
    return bytes === null ? [] : [{ first: segment.record.first, bytes }]
  })
  const list = readLists(parts, dead)
  base.lists.set(stem, list)
  return list
}

let places = new Int32Array(256)

/** Pairs of place and token, in the order of the places; valid until the next call. */
export function placesOf(base: Base, doc: number, stems: readonly number[]): Int32Array {
  const lists = listsOf(base, stems)
  let used = 0
  for (let i = 0; i < lists.length; i++) {
    const list = lists[i] as WordList
    const at = placeIn(list, doc)
    if (at < 0) continue
    const begin = used
    const stem = stems[i] as number
    eachPlace(list, at, (place, form) => {
      if (used === places.length) {
        const roomier = new Int32Array(used * 2)
        roomier.set(places)
        places = roomier
      }
      places[used++] = place
      places[used++] = stem | form
    })
    if (begin > 0) mergeIn(begin, used)
  }
  return places.subarray(0, used)
}

let last: { columns: Columns; stems: readonly number[]; lists: readonly WordList[] } | null = null

/** Hundreds of documents are asked for the same words. */
function listsOf(base: Base, stems: readonly number[]): readonly WordList[] {
  const columns = columnsOf(base)
  if (last?.stems === stems && last.columns === columns) return last.lists
  last = { columns, stems, lists: stems.map((stem) => listOf(base, stem)) }
  return last.lists
}

/** Puts the pairs from `begin` on among those before them; both are in their order. */
function mergeIn(begin: number, end: number): void {
  const run = places.slice(begin, end)
  let before = begin - 2
  for (let own = run.length - 2, to = end - 2; own >= 0; to -= 2) {
    const isBefore = before >= 0 && (places[before] as number) > (run[own] as number)
    const [from, at] = isBefore ? [places, before] : [run, own]
    places[to] = from[at] as number
    places[to + 1] = from[at + 1] as number
    if (isBefore) before -= 2
    else own -= 2
  }
}

interface Best {
  add(key: number, doc: number): void
  /** Best first. */
  docs(): number[]
}

/** The `limit` best, later documents before equal ones. Whenever twice as many are there, the worse half goes. */
function createBest(limit: number, isWanted: ((doc: number) => boolean) | null): Best {
  let kept: { key: number; doc: number }[] = []
  let least = Number.NEGATIVE_INFINITY
  const prune = (): void => {
    kept = kept.sort((a, b) => b.key - a.key || b.doc - a.doc).slice(0, limit)
    if (kept.length === limit) least = kept.at(-1)?.key ?? least
  }
  return {
    add: (key, doc) => {
      if (key < least || isWanted?.(doc) === false) return
      kept.push({ key, doc })
      if (kept.length >= 2 * limit + 64) prune()
    },
    docs: () => {
      prune()
      return kept.map(({ doc }) => doc)
    },
  }
}
