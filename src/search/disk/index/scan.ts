/** The first look without an index of words: every token of every document, walked through. */

import { STEM, signed } from '../../../text/token.ts'
import { type FirstLook, firstIdf, firstScore, KINDS, type VoiceWeights, voiceOf } from '../../corpus.ts'
import { type Base, eachChunk } from './base.ts'
import { checkOf } from './manifest.ts'

/** Upper bits of a token that say at once that it is none of those looked for. */
const FILTER_BITS = 13
/** Words in one find: document, number of the stem, how often. */
const FIND = 3
/** Scores that differ by less are equal: two engines may round differently. */
export const SCORE_STEPS = 1e9

interface Finds {
  words: Uint32Array
  used: number
}

export interface ScanQuery {
  /** Each once. */
  stems: readonly number[]
  weights: VoiceWeights
  limit: number
  isWanted: ((doc: number) => boolean) | null
}

export function scan(base: Base, { stems, weights, limit, isWanted }: ScanQuery): FirstLook {
  const found = stems.map(() => 0)
  const finds = findAll(base, stems, found)
  const { live, tokens, length, kind } = base.table.columns
  const idfs = found.map((holding) => firstIdf(live, holding))
  const voiceWeights = KINDS.map((one) => weights[voiceOf(one)] ?? 1)
  const meanLength = tokens / Math.max(1, live)
  const best = createBest(limit, isWanted)
  for (let at = 0; at < finds.used; ) {
    const doc = finds.words[at] ?? 0
    let score = 0
    for (; at < finds.used && finds.words[at] === doc; at += FIND) {
      const times = weigh(voiceWeights[kind[doc] ?? 0] ?? 1, finds.words[at + 2] ?? 0)
      score += firstScore(idfs[finds.words[at + 1] ?? 0] ?? 0, times, length[doc] ?? 0, meanLength)
    }
    best.add(Math.trunc(score * SCORE_STEPS), doc)
  }
  return { docs: best.docs(), found }
}

/** Added up one by one, as FTS5 does: a product rounds differently. */
function weigh(weight: number, times: number): number {
  let sum = 0
  for (let i = 0; i < times; i++) sum += weight
  return sum
}

/** In how many living documents each stem stands goes into `found`. A damaged document holds nothing. */
function findAll(base: Base, stems: readonly number[], found: number[]): Finds {
  const filter = new Uint8Array(1 << FILTER_BITS)
  for (const stem of stems) filter[stem >>> (32 - FILTER_BITS)] = 1
  const wanted = Int32Array.from(stems)
  const finds: Finds = { words: new Uint32Array(4096), used: 0 }
  const { documents, tokensCheck } = base.saved
  let likely = new Int32Array(0)
  let check = 0
  eachChunk(base, 0, base.table.columns.count, (tokens, first) => {
    const words = signed(tokens)
    if (first < documents) check = checkOf(new Uint8Array(words.buffer, words.byteOffset, words.byteLength), check)
    if (likely.length < words.length) likely = new Int32Array(words.length)
    const count = sift(words, filter, likely)
    takeLikely(base, words, likely.subarray(0, count), first, { wanted, finds, found })
  })
  // What was damaged is not found now, and read again from its source soon.
  if (check !== tokensCheck) base.isDamaged = true
  return finds
}

/** Alone in a function, and nothing else in the loop: a process that lives for milliseconds must compile it early, and once. */
function sift(words: Int32Array, filter: Uint8Array, likely: Int32Array): number {
  let count = 0
  for (let at = 0; at < words.length; at++) {
    if (filter[(words[at] as number) >>> (32 - FILTER_BITS)] === 0) continue
    likely[count++] = at
  }
  return count
}

interface Finding {
  wanted: Int32Array
  finds: Finds
  found: number[]
}

/** Those that passed the sieve, document by document. */
function takeLikely(base: Base, words: Int32Array, likely: Int32Array, first: number, into: Finding): void {
  const { length, dead } = base.table.columns
  const counts = new Uint32Array(into.wanted.length)
  let doc = first
  let begin = 0
  let stop = length[doc] ?? 0
  for (let i = 0; i < likely.length; ) {
    while ((likely[i] as number) >= stop) {
      begin = stop
      stop += length[++doc] ?? 0
    }
    let isHit = false
    for (; i < likely.length && (likely[i] as number) < stop; i++) {
      const which = into.wanted.indexOf((words[likely[i] as number] as number) & STEM)
      if (which < 0) continue
      counts[which] = (counts[which] ?? 0) + 1
      isHit = true
    }
    if (!isHit) continue
    if (dead[doc] === 0) {
      if (sumOf(words, begin, stop) !== base.table.sum(doc)) base.isDamaged = true
      else keep(into.finds, doc, counts, into.found)
    }
    counts.fill(0)
  }
}

function sumOf(words: Int32Array, from: number, to: number): number {
  let sum = 0
  for (let at = from; at < to; at++) sum = (sum + (words[at] as number)) | 0
  return sum >>> 0
}

function keep(finds: Finds, doc: number, counts: Uint32Array, found: number[]): void {
  if (finds.used + counts.length * FIND > finds.words.length) {
    const roomier = new Uint32Array(finds.words.length * 2 + counts.length * FIND)
    roomier.set(finds.words)
    finds.words = roomier
  }
  for (let which = 0; which < counts.length; which++) {
    const times = counts[which] ?? 0
    if (times === 0) continue
    found[which] = (found[which] ?? 0) + 1
    finds.words[finds.used++] = doc
    finds.words[finds.used++] = which
    finds.words[finds.used++] = times
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
