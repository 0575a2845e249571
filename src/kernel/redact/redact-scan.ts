/** Scans a text once for the beginnings of many words, and replaces each secret by a marker. */

export interface Span {
  start: number
  end: number
  kind: string
}

const MARKER_HINT = /\[redacted:|\[private\]/
const MARKER = /\[redacted:[\w-]{1,40}\]|\[private\]/g

interface Ranked extends Span {
  rank: number
}

/** Merges overlapping spans. The first of them in the array determines the kind. */
export function replaceSpans(text: string, spans: readonly Span[]): { text: string; count: number } {
  if (spans.length === 0) return { text, count: 0 }
  const sorted = spans.map((span, rank) => ({ ...span, rank })).sort((a, b) => a.start - b.start)
  const merged = mergeSpans(withoutMarkers(text, sorted))
  let kept = ''
  let from = 0
  for (const { start, end, kind } of merged) {
    kept += `${text.slice(from, start)}[redacted:${kind}]`
    from = end
  }
  return { text: kept + text.slice(from), count: merged.length }
}

function mergeSpans(sorted: readonly Ranked[]): Ranked[] {
  const merged: Ranked[] = []
  for (const span of sorted) {
    const last = merged.at(-1)
    if (last === undefined || span.start >= last.end) {
      merged.push({ ...span })
      continue
    }
    last.end = Math.max(last.end, span.end)
    if (span.rank > last.rank) continue
    last.kind = span.kind
    last.rank = span.rank
  }
  return merged
}

/** Drops spans that touch a marker of an earlier pass; otherwise a second pass would change the text. Private keys are replaced whole. */
function withoutMarkers(text: string, sorted: readonly Ranked[]): readonly Ranked[] {
  if (!MARKER_HINT.test(text)) return sorted
  const markers = [...text.matchAll(MARKER)].map((marker) => ({
    from: marker.index,
    to: marker.index + marker[0].length,
  }))
  let first = 0
  return sorted.filter((span) => {
    while (first < markers.length && (markers[first]?.to ?? 0) <= span.start) first++
    for (let index = first; index < markers.length; index++) {
      const { from, to } = markers[index] ?? { from: span.end, to: span.end }
      if (from >= span.end) return true
      if (span.kind !== 'private-key' || from < span.start || to >= span.end) return false
    }
    return true
  })
}

/** The state of a search in one text. */
export interface Search {
  text: string
  spans: Span[]
  /** Spans found by neighbouring words. If a span of `spans` overlaps one of these, its kind is used. */
  beside: Span[]
  tokenEnd: number
  nameEnd: number
  /** For each rule, the position up to which it has read the text. */
  ends?: Map<string, number>
}

/** Called at the beginning of each indexed word. */
export type Visit = (search: Search, start: number) => void

export interface WordIndex {
  /** The bucket number for the first three characters, six bits each; `pairs` does the same for the first two if the second is wide. */
  starts: Uint16Array
  pairs: Uint16Array
  /** One bit for each bucket number in `starts`, so small that it stays in the processor's cache. */
  some: Int32Array
  buckets: { word: string; visit: Visit }[][]
  /** For each bucket, the fourth characters of its words, as a bit set in two numbers. */
  fourths: Int32Array
}

const TRIGRAM_BITS = 0x3ffff
const TABLE_BITS = 0x7fff
const MOST_BUCKETS = 2048
/** From this code on, two characters are enough to find a word: Chinese, Japanese, Korean. */
export const WIDE = 0x2e80

/** Words are in lower case. `_` matches a blank, a hyphen or an underscore, but not among the first three characters. */
export function indexWords(words: Iterable<readonly [word: string, visit: Visit]>): WordIndex {
  const index: WordIndex = {
    starts: new Uint16Array(TABLE_BITS + 1),
    pairs: new Uint16Array(TABLE_BITS + 1),
    some: new Int32Array((TABLE_BITS + 1) >> 5),
    buckets: [[]],
    fourths: new Int32Array(2 * MOST_BUCKETS),
  }
  for (const [word, visit] of words) {
    const isPair = word.length < 3 || word.charCodeAt(0) >= WIDE
    const trigram = [0, 1, 2].reduce((bits, at) => (bits << 6) | sixBits(word.charCodeAt(at)), 0)
    const table = isPair ? index.pairs : index.starts
    const place = isPair ? pairPlace(word.charCodeAt(0), word.charCodeAt(1)) : trigramPlace(trigram)
    const bucket = table[place] || index.buckets.push([]) - 1
    table[place] = bucket
    if (!isPair) index.some[place >> 5] = (index.some[place >> 5] ?? 0) | (1 << (place & 31))
    index.buckets[bucket]?.push({ word, visit })
    addFourth(index.fourths, bucket, isPair ? '' : word.charAt(3))
  }
  for (const bucket of index.buckets) bucket.sort((a, b) => b.word.length - a.word.length)
  return index
}

/** Equal for a capital and its small letter. */
function sixBits(code: number): number {
  return (code & 31) | ((code & 64) >> 1)
}

function trigramPlace(trigram: number): number {
  return (trigram ^ (trigram >> 5)) & TABLE_BITS
}

function pairPlace(first: number, second: number): number {
  return ((first << 5) ^ second) & TABLE_BITS
}

/** A word of three characters has no fourth: any character may follow. */
function addFourth(fourths: Int32Array, bucket: number, fourth: string): void {
  if (fourth === '') fourths.fill(-1, 2 * bucket, 2 * bucket + 2)
  for (const character of fourth === '_' ? '_- ' : fourth) {
    const bits = sixBits(character.charCodeAt(0))
    const place = 2 * bucket + (bits >> 5)
    fourths[place] = (fourths[place] ?? 0) | (1 << (bits & 31))
  }
}

/** Visits each word in any case. If several begin at one position, the longest comes first. */
export function scanWords(search: Search, index: WordIndex): void {
  const { length } = search.text
  const units = unitsOf(search.text)
  const { starts, some, pairs, fourths, buckets } = index
  let before = units[0] as number
  let trigram = sixBits(before)
  for (let i = 1; i < length; i++) {
    const code = units[i] as number
    trigram = ((trigram << 6) | (code & 31) | ((code & 64) >> 1)) & TRIGRAM_BITS
    const place = (trigram ^ (trigram >> 5)) & TABLE_BITS
    if ((((some[place >> 5] as number) >> (place & 31)) & 1) === 1 && i > 1) {
      const bucket = starts[place] as number
      const next = units[i + 1] as number
      const isFourth = (((fourths[2 * bucket + ((next >> 6) & 1)] as number) >> (next & 31)) & 1) === 1
      if (isFourth || i + 1 === length) visitAll(search, units, i - 2, buckets[bucket])
    }
    if (code >= WIDE) {
      const pair = pairs[((before << 5) ^ code) & TABLE_BITS] as number
      if (pair !== 0) visitAll(search, units, i - 1, buckets[pair])
    }
    before = code
  }
}

const KEPT_UNITS = 32_768
const kept = new Uint16Array(KEPT_UNITS)
const keptBytes = Buffer.from(kept.buffer)

/**
 * The characters of a text: the scan reads an array several times faster than a string. The array is longer than the text.
 * The next scan uses the same one: a visit must not scan another text.
 */
function unitsOf(text: string): Uint16Array {
  const isShort = text.length < KEPT_UNITS
  const units = isShort ? kept : new Uint16Array(text.length + 1)
  ;(isShort ? keptBytes : Buffer.from(units.buffer)).write(text, 'utf16le')
  return units
}

function visitAll(search: Search, units: Uint16Array, start: number, bucket: WordIndex['buckets'][number] = []): void {
  for (const { word, visit } of bucket) if (isAt(units, start, search.text.length, word)) visit(search, start)
}

function isAt(units: Uint16Array, start: number, end: number, word: string): boolean {
  if (start + word.length > end) return false
  for (let i = 0; i < word.length; i++) {
    let code = units[start + i] as number
    if (code >= 65 && code <= 90) code |= 32
    const wanted = word.charCodeAt(i)
    if (code !== wanted && !(wanted === 95 && (code === 32 || code === 45))) return false
  }
  return true
}

/** Runs a rule only behind the text it has already read. `read` returns the position up to which it read. */
export function onceBehind(search: Search, rule: string, start: number, read: () => number): void {
  search.ends ??= new Map()
  if (start >= (search.ends.get(rule) ?? 0)) search.ends.set(rule, read())
}
