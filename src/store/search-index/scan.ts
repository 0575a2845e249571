/** The first look without an index of words: every token of every document, walked through. */
import { firstIdf, firstScore } from '../../core/query/bm25.ts'
import { type FirstLook, KINDS, type VoiceWeights, voiceOf } from '../../core/query/corpus.ts'
import { stemOf } from '../../core/query/token.ts'
import { type Base, eachChunk } from './base.ts'

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

export interface Asked {
  /** Each once. */
  stems: readonly number[]
  weights: VoiceWeights
  limit: number
  isWanted: ((doc: number) => boolean) | null
}

export function scan(base: Base, { stems, weights, limit, isWanted }: Asked): FirstLook {
  const found = stems.map(() => 0)
  const finds = findAll(base, stems, found)
  const { live, tokens, length, kind } = base.table.columns
  const idfs = found.map((holding) => firstIdf(live, holding))
  const voiceWeights = KINDS.map((one) => weights[voiceOf(one)] ?? 1)
  const meanLength = tokens / Math.max(1, live)
  const best = createBest(limit)
  for (let at = 0; at < finds.used; ) {
    const doc = finds.words[at] ?? 0
    let score = 0
    for (; at < finds.used && finds.words[at] === doc; at += FIND) {
      const times = weigh(voiceWeights[kind[doc] ?? 0] ?? 1, finds.words[at + 2] ?? 0)
      score += firstScore(idfs[finds.words[at + 1] ?? 0] ?? 0, times, length[doc] ?? 0, meanLength)
    }
    const key = Math.trunc(score * SCORE_STEPS)
    if (best.isIn(key) && (isWanted === null || isWanted(doc))) best.add(key, doc)
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
  const counts = new Uint32Array(stems.length)
  const finds: Finds = { words: new Uint32Array(4096), used: 0 }
  const { length, dead, count } = base.table.columns
  const signed = Int32Array.from(stems)
  eachChunk(base, 0, count, (tokens, first, end) => {
    // Signed numbers of 32 bits are small ones for the machine; the bits are the same.
    const words = new Int32Array(tokens.buffer, tokens.byteOffset, tokens.length)
    let at = 0
    for (let doc = first; doc < end; doc++) {
      const stop = at + (length[doc] as number)
      if (dead[doc] === 1) {
        at = stop
        continue
      }
      let sum = 0
      let isHit = false
      for (; at < stop; at++) {
        const word = words[at] as number
        sum = (sum + word) | 0
        if (filter[word >>> (32 - FILTER_BITS)] === 0) continue
        const stem = stemOf(word) | 0
        let which = 0
        while (which < signed.length && signed[which] !== stem) which++
        if (which === signed.length) continue
        counts[which] = (counts[which] as number) + 1
        isHit = true
      }
      if (sum >>> 0 !== base.table.sum(doc)) base.isDamaged = true
      else if (isHit) keep(finds, doc, counts, found)
      if (isHit) counts.fill(0)
    }
  })
  return finds
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
  /** Good enough to be among them. */
  isIn(key: number): boolean
  add(key: number, doc: number): void
  /** Best first. */
  docs(): number[]
}

/** The `limit` best of those that come, later ones before equal ones; documents come in their order. A heap, its worst on top. */
function createBest(limit: number): Best {
  const keys: number[] = []
  const docs: number[] = []
  const isWorse = (a: number, b: number): boolean =>
    (keys[a] ?? 0) < (keys[b] ?? 0) || (keys[a] === keys[b] && (docs[a] ?? 0) < (docs[b] ?? 0))
  const swap = (a: number, b: number): void => {
    ;[keys[a], keys[b]] = [keys[b] ?? 0, keys[a] ?? 0]
    ;[docs[a], docs[b]] = [docs[b] ?? 0, docs[a] ?? 0]
  }
  const up = (from: number): void => {
    for (let at = from; at > 0; ) {
      const above = (at - 1) >> 1
      if (!isWorse(at, above)) return
      swap(at, above)
      at = above
    }
  }
  const down = (): void => {
    for (let at = 0; ; ) {
      const left = 2 * at + 1
      const worse = left + 1 < keys.length && isWorse(left + 1, left) ? left + 1 : left
      if (worse >= keys.length || !isWorse(worse, at)) return
      swap(worse, at)
      at = worse
    }
  }
  return {
    isIn: (key) => limit > 0 && (keys.length < limit || key >= (keys[0] ?? 0)),
    add: (key, doc) => {
      if (keys.length < limit) {
        keys.push(key)
        docs.push(doc)
        up(keys.length - 1)
        return
      }
      keys[0] = key
      docs[0] = doc
      down()
    },
    docs: () =>
      docs
        .map((_, i) => i)
        .sort((a, b) => (isWorse(a, b) ? 1 : -1))
        .map((i) => docs[i] ?? 0),
  }
}
