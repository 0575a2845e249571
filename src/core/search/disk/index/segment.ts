/**
 * An immutable part of the index: some documents, their words, how far each source was read, and which documents died
 * meanwhile. The index is a list of segments; documents are numbered across all of them.
 */
import { type OpenFile, openToRead } from '../../../../kernel/platform/disk/files.ts'
import type { Row } from './documents.ts'
import { createInverter, type Inverter } from './inverter.ts'
import type { SegmentBody, SegmentRecord } from './manifest.ts'
import { joined } from './postings.ts'
import { bytesOf, openSections, type Sections, sizeOfSections, writeSections } from './sections.ts'

/** The section numbers. */
export const LENGTH = 0
export const GROUP = 1
export const KIND = 2
export const FLAGS = 3
export const SECONDS = 4
/** Four numbers per document, as in `Row`. */
export const ROWS = 5
/** The lists of all words, one after the other. */
export const POSTINGS = 6
/** Pairs of stem and list position, sorted by stem. */
export const TERMS = 7
/** Words as written, for typos: one per line, sorted by `wordHash`. */
const WORDS = 8
/** Documents that died when this segment was added. */
export const KILLED = 9
const SOURCES = 10

export interface Segment {
  readonly record: SegmentRecord
  readonly sections: Sections
  /** Null: they are in a file. */
  readonly bytes: Uint8Array | null
}

export type WriteSegment = (append: (bytes: Uint8Array) => void) => SegmentBody

/** Null: the file is missing, or shorter than recorded. */
export function openSegment(file: string, record: SegmentRecord): Segment | null {
  const opened = openToRead(file)
  if (opened === null) return null
  if (opened.size() >= sizeOfSections(record)) return { record, sections: openSections(opened, record), bytes: null }
  opened.close()
  return null
}

export function segmentInMemory(write: WriteSegment): Segment {
  const parts: Uint8Array[] = []
  const record = { name: 0, ...write((bytes) => parts.push(bytes.slice())) }
  const bytes = joined(parts)
  return { record, sections: openSections(fileOver(bytes), record), bytes }
}

function fileOver(bytes: Uint8Array): OpenFile {
  return {
    size: () => bytes.length,
    read: (into, at) => {
      const part = bytes.subarray(at, at + into.length)
      into.set(part)
      return part.length
    },
    close: () => undefined,
  }
}

/** The content of a future segment. */
export interface SegmentDraft {
  length: number[]
  group: number[]
  kind: number[]
  flags: number[]
  seconds: number[]
  rows: number[]
  /** The words of the documents. */
  inverter: Inverter
  killed: number[]
  /** The groups of sources that were read further. */
  sources: Set<number>
}

export function newDraft(inverter = createInverter()): SegmentDraft {
  return {
    length: [],
    group: [],
    kind: [],
    flags: [],
    seconds: [],
    rows: [],
    inverter,
    killed: [],
    sources: new Set(),
  }
}

/** `first`: the number of its first document. `words`: those that no earlier segment contains, as far as known. */
export function writeDraft(
  draft: SegmentDraft,
  first: number,
  words: ReadonlySet<string>,
  sources: readonly SourceRow[],
  append: (bytes: Uint8Array) => void,
): SegmentBody {
  const to = writeSections(append)
  const lists = draft.inverter.lists()
  const sections = [
    Uint32Array.from(draft.length),
    Uint32Array.from(draft.group),
    Uint8Array.from(draft.kind),
    Uint16Array.from(draft.flags),
    Uint32Array.from(draft.seconds),
    Uint32Array.from(draft.rows),
    lists.bytes,
    lists.terms,
    Buffer.from(wordLines(words)),
    Uint32Array.from(draft.killed),
    Buffer.from(JSON.stringify(sources)),
  ]
  for (const section of sections) {
    to.add(section)
    to.endSection()
  }
  return { first, docs: draft.length.length, ...to.end() }
}

/** Numbers are sorted much faster than words. */
function wordLines(words: ReadonlySet<string>): string {
  const all = [...words]
  const keys = Float64Array.from(all, (word, i) => wordHash(word) * all.length + i).sort()
  let lines = ''
  for (const key of keys) lines += `${all[key % all.length]}\n`
  return lines
}

export function wordHash(word: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < word.length; i++) hash = Math.imul(hash ^ word.charCodeAt(i), 0x01000193)
  return hash >>> 0
}

/** The number of `TERMS` entries in one page, and the numbers per entry. */
const TERMS_AT_ONCE = 512
const TERM = 2

/** The list of a word, or null. Stems are evenly distributed, so that positions can be guessed. `take` gives the room for it. */
export function findList({ sections }: Segment, stem: number, take: (size: number) => Uint8Array): Uint8Array | null {
  const count = sections.size(TERMS) / 8
  let [low, high] = [0, count]
  let [least, most] = [0, 2 ** 32]
  while (low < high) {
    const guess = low + Math.floor(((stem - least) / (most - least)) * (high - low))
    const from = guess - (guess % TERMS_AT_ONCE)
    const terms = numbersIn(sections, TERMS, from * TERM, Math.min(TERMS_AT_ONCE, count - from) * TERM)
    const first = terms[0]
    const last = terms[terms.length - TERM]
    if (first === undefined || last === undefined) return null
    if (stem < first) {
      high = from
      most = first
    } else if (stem > last) {
      low = from + terms.length / TERM
      least = last + 1
    } else {
      const at = placeOfStem(terms, stem)
      if (at < 0) return null
      const begin = terms[at + 1] ?? 0
      const end = terms[at + 3] ?? numbersIn(sections, TERMS, from * TERM + at + 3, 1)[0] ?? sections.size(POSTINGS)
      return sections.read(POSTINGS, begin, end - begin, take)
    }
  }
  return null
}

function placeOfStem(terms: Uint32Array, stem: number): number {
  let [low, high] = [0, terms.length / TERM - 1]
  while (low <= high) {
    const middle = (low + high) >>> 1
    const found = terms[middle * TERM] as number
    if (found === stem) return middle * TERM
    if (found < stem) low = middle + 1
    else high = middle - 1
  }
  return -1
}

/** Empty if the section is too short or damaged. */
export function numbersIn(sections: Sections, section: number, from: number, count: number): Uint32Array {
  const bytes = sections.read(section, from * 4, count * 4)
  return bytes === null ? new Uint32Array(0) : new Uint32Array(bytes.buffer, bytes.byteOffset, count)
}

export function allNumbersIn(sections: Sections, section: number): Uint32Array {
  return numbersIn(sections, section, 0, sections.size(section) / 4)
}

const NO_ROW: Row = { at: 0, size: 0, n: 0, hash: 0 }
const ROW = 4

export function rowIn({ record, sections }: Segment, doc: number): Row {
  const [at, size, n, hash] = numbersIn(sections, ROWS, (doc - record.first) * ROW, ROW)
  return at === undefined || size === undefined || n === undefined || hash === undefined
    ? NO_ROW
    : { at, size, n, hash }
}

const PIECE_BYTES = 16 * 1024
const NEWLINE = 0x0a

export function* wordsIn({ sections }: Segment): Generator<string> {
  const size = sections.size(WORDS)
  for (let at = 0; at < size; ) {
    const piece = sections.read(WORDS, at, Math.min(PIECE_BYTES, size - at))
    const end = (piece?.lastIndexOf(NEWLINE) ?? -1) + 1
    if (piece === null || end === 0) return
    for (const word of Buffer.from(bytesOf(piece.subarray(0, end - 1)))
      .toString('utf8')
      .split('\n'))
      yield word
    at += end
  }
}

/** The group and the record of the source; most have no `memo`. */
export type SourceRow = [
  group: number,
  path: string,
  mark: string,
  ino: number,
  offset: number,
  n: number,
  anchor: string,
  memo?: unknown,
]

export function sourcesIn({ sections }: Segment): SourceRow[] {
  const bytes = sections.read(SOURCES, 0, sections.size(SOURCES))
  return bytes === null ? [] : (JSON.parse(Buffer.from(bytes).toString('utf8')) as SourceRow[])
}
