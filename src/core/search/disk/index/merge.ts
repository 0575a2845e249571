/** Merges consecutive segments into one, without the dead documents. */
import { createListMerger, newBytes } from './postings.ts'
import { grown, type SectionWriter, writeSections } from './sections.ts'
import {
  allNumbersIn,
  FLAGS,
  GROUP,
  KILLED,
  KIND,
  LENGTH,
  numbersIn,
  POSTINGS,
  ROWS,
  SECONDS,
  type Segment,
  type SourceRow,
  sourcesIn,
  TERMS,
  type WriteSegment,
  wordHash,
  wordsIn,
} from './segment.ts'

/** Bytes per document. */
const COLUMNS: readonly (readonly [section: number, width: number])[] = [
  [LENGTH, 4],
  [GROUP, 4],
  [KIND, 1],
  [FLAGS, 2],
  [SECONDS, 4],
  [ROWS, 16],
]
/** Documents per step. */
const MOST_COPIED = 8192
const FLUSH_BYTES = 256 * 1024
const TERMS_AT_ONCE = 4096

/** The minimum number of merged segments, unless there are too many dead documents. */
const LEAST_MERGED = 4
/** A segment is merged when the following ones together have half of its documents. */
const OUTGROWN = 2

/** The first segment to merge, by the numbers of documents; -1: none. `most`: the number of documents that there is time for. */
export function mergeFrom(sizes: readonly number[], most: number): number {
  for (let from = 0; from + LEAST_MERGED <= sizes.length; from++) {
    const behind = sizes.slice(from + 1).reduce((sum, size) => sum + size, 0)
    const own = sizes[from] ?? 0
    if (own <= OUTGROWN * behind && own + behind <= most) return from
  }
  return -1
}

/** `dead`: 1 for each dead document of the whole index. */
export function mergeSegments(
  segments: readonly Segment[],
  dead: Uint8Array,
  append: (bytes: Uint8Array) => void,
): ReturnType<WriteSegment> {
  const to = writeSections(append)
  const first = segments[0]?.record.first ?? 0
  for (const [section, width] of COLUMNS) {
    for (const segment of segments) addColumn(segment, section, width, dead, to)
    to.endSection()
  }
  const { numbers, docs } = newNumbers(segments, dead)
  const terms = mergeLists(segments, numbers, first, to)
  to.endSection()
  to.add(terms)
  to.endSection()
  mergeWords(segments, to)
  to.endSection()
  const killed = segments.flatMap(({ sections }) => [...allNumbersIn(sections, KILLED)])
  to.add(Uint32Array.from(killed.filter((doc) => doc < first)))
  to.endSection()
  const sources = new Map<number, SourceRow>(segments.flatMap(sourcesIn).map((row) => [row[0], row]))
  to.add(Buffer.from(JSON.stringify([...sources.values()])))
  to.endSection()
  return { first, docs, ...to.end() }
}

/** Copies runs of live documents. */
function addColumn(
  { record: { first, docs }, sections }: Segment,
  section: number,
  width: number,
  dead: Uint8Array,
  to: SectionWriter,
): void {
  const read = sections.readInOrder(section)
  for (let from = 0; from < docs; ) {
    const isDead = dead[first + from]
    let end = from + 1
    while (end < docs && end - from < MOST_COPIED && dead[first + end] === isDead) end++
    if (isDead === 0) to.add(read(from * width, end * width))
    from = end
  }
}

/** The new number of each document of these segments; -1 for a dead one. */
function newNumbers(segments: readonly Segment[], dead: Uint8Array): { numbers: Int32Array; docs: number } {
  const first = segments[0]?.record.first ?? 0
  const count = segments.reduce((sum, { record }) => sum + record.docs, 0)
  let docs = 0
  const numbers = new Int32Array(count)
  for (let doc = 0; doc < count; doc++) numbers[doc] = dead[first + doc] === 0 ? docs++ : -1
  return { numbers, docs }
}

/** Writes the section of lists; returns the section of terms. */
function mergeLists(segments: readonly Segment[], numbers: Int32Array, first: number, to: SectionWriter): Uint32Array {
  const streams = segments.map(termsOf)
  const list = createListMerger()
  const lists = newBytes()
  let terms = new Uint32Array(1024)
  let [count, written] = [0, 0]
  for (;;) {
    let stem = Number.POSITIVE_INFINITY
    for (const { stem: own } of streams) if (own < stem) stem = own
    if (stem === Number.POSITIVE_INFINITY) break
    const begin = written + lists.used
    streams.forEach((stream, i) => {
      if (stream.stem !== stem) return
      list.add(stream.list(), numbers, (segments[i]?.record.first ?? 0) - first)
      stream.next()
    })
    list.endInto(lists)
    if (count === terms.length) terms = grown(terms, count * 2)
    if (written + lists.used > begin) {
      terms[count++] = stem
      terms[count++] = begin
    }
    if (lists.used < FLUSH_BYTES) continue
    to.add(lists.bytes.subarray(0, lists.used))
    written += lists.used
    lists.used = 0
  }
  to.add(lists.bytes.subarray(0, lists.used))
  return terms.subarray(0, count)
}

interface TermStream {
  /** Infinity behind the last one. */
  stem: number
  list(): Uint8Array
  next(): void
}

/** The words of a segment with their lists, by stem. */
function termsOf({ sections }: Segment): TermStream {
  const count = sections.size(TERMS) / 8
  const read = sections.readInOrder(POSTINGS)
  let terms = new Uint32Array(0)
  let [from, at] = [0, 0]
  /** Loads one more term, to know where the last list ends. */
  const load = (): void => {
    terms = numbersIn(sections, TERMS, from * 2, Math.min(TERMS_AT_ONCE + 1, count - from) * 2) as typeof terms
    at = 0
  }
  load()
  const stream: TermStream = {
    stem: terms[0] ?? Number.POSITIVE_INFINITY,
    list: () => read(terms[at + 1] ?? 0, terms[at + 3] ?? sections.size(POSTINGS)),
    next: () => {
      at += 2
      if (at === TERMS_AT_ONCE * 2) {
        from += TERMS_AT_ONCE
        load()
      }
      stream.stem = terms[at] ?? Number.POSITIVE_INFINITY
    },
  }
  return stream
}

/** Each word once, unless two have the same hash. */
function mergeWords(segments: readonly Segment[], to: SectionWriter): void {
  const streams = segments.map((segment) => {
    const words = wordsIn(segment)
    const stream = { word: '', hash: 0, next: (): void => undefined }
    stream.next = () => {
      const { value, done } = words.next()
      stream.word = done === true ? '' : value
      stream.hash = done === true ? Number.POSITIVE_INFINITY : wordHash(value)
    }
    stream.next()
    return stream
  })
  let lines = ''
  for (;;) {
    let least = { word: '', hash: Number.POSITIVE_INFINITY }
    for (const stream of streams) if (stream.hash < least.hash) least = stream
    const { word } = least
    if (word !== '') lines += `${word}\n`
    if (word === '' || lines.length > FLUSH_BYTES) {
      to.add(Buffer.from(lines))
      lines = ''
    }
    if (word === '') return
    for (const stream of streams) if (stream.word === word) stream.next()
  }
}
