/** The first pass: combines the lists of the requested words by plain BM25; also finds the positions of words in a document. */
import { type Columns, type FirstLook, firstIdf, firstScore, type VoiceWeights, voiceOf } from '../../engine.ts'
import { type Base, columnsOf } from './base.ts'
import { listsOf, makeRoom } from './lists.ts'
import { eachPlace, placeIn, type WordList } from './postings.ts'

export interface LookQuery {
  /** Each once. */
  stems: readonly number[]
  weights: VoiceWeights
  limit: number
  isWanted: ((doc: number) => boolean) | null
}

/** Scores that differ by less are equal. */
const SCORE_STEPS = 1e9
/** The number of documents whose scores are summed at once: they fit into the CPU cache. */
const BLOCK = 32_768
const UNTOUCHED = -1
/** A kind is one byte. */
const MOST_KINDS = 256

const scores = new Float64Array(BLOCK).fill(UNTOUCHED)

export function look(base: Base, { stems, weights, limit, isWanted }: LookQuery): FirstLook {
  const columns = columnsOf(base)
  makeRoom(base.lists, columns)
  const lists = listsOf(base.lists, base.segments, columns.dead, stems)
  const found = lists.map((list) => list.count)
  if (limit <= 0) return { docs: [], found }
  const idfs = found.map((holding) => firstIdf(columns.live, holding))
  const voiceWeights = Float64Array.from({ length: MOST_KINDS }, (_, kind) => weights[voiceOf(kind)] ?? 1)
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

/** The beginning of the next block with a document; infinity behind the last one. */
function nextBlock(lists: readonly WordList[], at: readonly number[]): number {
  let least = Number.POSITIVE_INFINITY
  lists.forEach(({ docs, count }, i) => {
    const next = at[i] ?? 0
    if (next < count) least = Math.min(least, docs[next] as number)
  })
  return least - (least % BLOCK)
}

/** Adds a word's contribution to the documents of the block; returns the position behind them in the list. */
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

/** Takes each document once. */
function takeScores({ docs }: WordList, from: number, to: number, begin: number, best: Best): void {
  for (let at = from; at < to; at++) {
    const place = (docs[at] as number) - begin
    const score = scores[place] as number
    if (score === UNTOUCHED) continue
    scores[place] = UNTOUCHED
    best.add(Math.trunc(score * SCORE_STEPS), place + begin)
  }
}

/** Added one by one: a product rounds differently, and the order of hits must not change. */
function weigh(weight: number, times: number): number {
  let sum = weight
  for (let i = 1; i < times; i++) sum += weight
  return sum
}

let places = new Int32Array(256)

/** Pairs of position and token, in order of position; valid until the next call. */
export function findPlaces(base: Base, doc: number, stems: readonly number[]): Int32Array {
  const { dead } = columnsOf(base)
  const lists = listsOf(base.lists, base.segments, dead, stems)
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

/** Merges the pairs from `begin` on with those before them; both parts are sorted. */
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

/** Keeps the `limit` best; later documents come before equal ones. When twice as many are collected, the worse half is dropped. */
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
