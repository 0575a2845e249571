/** The index itself: documents and their tokens, on disk as far as they are committed, behind that in memory. */

import path from 'node:path'
import { type OpenFile, openToRead } from '../../../platform/disk/files.ts'
import { tokenise, wordsOf } from '../../../text/words.ts'
import { KINDS, type Unit } from '../../corpus.ts'
import { traitsOf } from '../../traits.ts'
import { unitHash } from '../../units.ts'
import { type KnownSource, UNREAD } from './manifest.ts'
import { createTable, type Table } from './table.ts'

export interface Base {
  /** Null: in memory only. */
  readonly dir: string | null
  readonly generation: number
  readonly table: Table
  readonly sources: KnownSource[]
  /** Numbers of the sources, by path: a document's group. */
  readonly groups: Map<string, number>
  readonly sessions: string[]
  /** Where each of them stands there. */
  readonly sessionNumbers: Map<string, number>
  /** All dead documents, in the order of their deaths. */
  readonly dead: number[]
  /** How much of it is on disk, and what tells whether the rows and the tokens there are still the same. */
  readonly saved: {
    documents: number
    tokens: number
    dead: number
    words: number
    check: number
    tokensCheck: number
  }
  /** Tokens behind those on disk. */
  pending: Uint32Array
  pendingCount: number
  /** Words behind those on disk. */
  readonly words: string[]
  /** Those of this run, and their tokens; what an earlier one wrote is written again. */
  readonly knownWords: Set<string>
  readonly knownTokens: Set<number>
  /** Something is not on disk yet. */
  isChanged: boolean
  /** Some document is not what it was: all of it is made again. */
  isDamaged: boolean
  /** Tokens on disk. */
  file: OpenFile | null
}

export function newBase(dir: string | null, generation: number): Base {
  return {
    dir,
    generation,
    table: createTable(),
    sources: [],
    groups: new Map(),
    sessions: [],
    sessionNumbers: new Map(),
    dead: [],
    saved: { documents: 0, tokens: 0, dead: 0, words: 0, check: 0, tokensCheck: 0 },
    pending: new Uint32Array(0),
    pendingCount: 0,
    words: [],
    knownWords: new Set(),
    knownTokens: new Set(),
    isChanged: false,
    isDamaged: false,
    file: null,
  }
}

/** More of them are not worth their memory: some words are then written twice. */
const MOST_KNOWN_WORDS = 200_000
const MANY_WORDS = 20_000
const CHUNK_TOKENS = 64 * 1024

/** The number of a source; a new one is not read yet. */
export function groupOf(base: Base, source: string): number {
  const known = base.groups.get(source)
  if (known !== undefined) return known
  const group = base.sources.length
  base.sources.push({ path: source, ...UNREAD })
  base.groups.set(source, group)
  base.isChanged = true
  return group
}

/** Where a unit stands: in which source, behind which document, in which bytes. */
export interface BasePlace {
  group: number
  prev: number
  at: number
  size: number
}

export function addUnit(base: Base, unit: Unit, place: BasePlace): number {
  const tokens = tokenise(unit.text)
  let sum = 0
  const before = base.knownTokens.size
  for (const token of tokens) {
    sum = (sum + token) | 0
    base.knownTokens.add(token)
  }
  // Mostly all its words are known already: numbers tell that faster than texts.
  if (base.knownTokens.size > before) for (const word of wordsOf(unit.text)) addWord(base, word)
  addTokens(base, tokens)
  return base.table.add({
    ...place,
    length: tokens.length,
    sum: sum >>> 0,
    kind: KINDS.indexOf(unit.kind),
    flags: traitsOf(unit.text),
    seconds: secondsOf(unit.at),
    n: unit.n,
    session: sessionNumber(base, unit.about),
    hash: unitHash(unit),
  })
}

/** Behind those that are there; the row of their document comes next. */
export function addTokens(base: Base, tokens: Uint32Array): void {
  const count = base.pendingCount + tokens.length
  if (count > base.pending.length) {
    const roomier = new Uint32Array(Math.max(4096, count * 2))
    roomier.set(base.pending.subarray(0, base.pendingCount))
    base.pending = roomier
  }
  base.pending.set(tokens, base.pendingCount)
  base.pendingCount = count
  base.isChanged = true
}

export function killDocument(base: Base, doc: number): void {
  base.table.kill(doc)
  base.dead.push(doc)
  base.isChanged = true
}

/** Into the vocabulary, once. */
export function addWord(base: Base, word: string): void {
  if (base.knownWords.has(word)) return
  if (base.knownWords.size >= MOST_KNOWN_WORDS) {
    base.knownWords.clear()
    base.knownTokens.clear()
  }
  base.knownWords.add(word)
  base.words.push(word)
}

/** -1: about no session. */
function sessionNumber(base: Base, about: string): number {
  const id8 = about.slice(0, Math.max(0, about.indexOf('#')))
  return id8 === '' ? -1 : (base.sessionNumbers.get(id8) ?? addSession(base, id8))
}

export function addSession(base: Base, id8: string): number {
  const number = base.sessions.push(id8) - 1
  base.sessionNumbers.set(id8, number)
  return number
}

/** 0 where nothing tells. */
function secondsOf(at: string): number {
  const seconds = Math.floor(Date.parse(at) / 1000)
  return seconds > 0 && seconds < 2 ** 32 ? seconds : 0
}

/** What only building needs: whoever built it may live for hours. */
export function releaseMemory(base: Base): void {
  if (base.pendingCount === 0) base.pending = new Uint32Array(0)
  if (base.knownWords.size < MANY_WORDS) return
  base.knownWords.clear()
  base.knownTokens.clear()
}

/** The tokens of one document; valid until the next call. Empty, and the index is damaged, where they are not what they were. */
export function baseTokens(base: Base, doc: number): Uint32Array {
  const tokens = readTokens(base, base.table.start(doc), base.table.columns.length[doc] ?? 0)
  let sum = 0
  for (let i = 0; i < tokens.length; i++) sum = (sum + (tokens[i] ?? 0)) | 0
  if (sum >>> 0 === base.table.sum(doc)) return tokens
  base.isDamaged = true
  return tokens.subarray(0, 0)
}

/** Documents whose tokens are read at once, from `first` up to `end`; those of `first` are the first ones. */
export type Chunk = (tokens: Uint32Array, first: number, end: number) => void

/** All documents from `first` on, as many at once as fit: memory does not grow with the index. */
export function eachChunk(base: Base, first: number, end: number, visit: Chunk): void {
  const { start, columns } = base.table
  let from = first
  while (from < end) {
    const begin = start(from)
    // Tokens on disk and tokens in memory are never in one chunk.
    const limit = from < base.saved.documents ? Math.min(end, base.saved.documents) : end
    let to = from + 1
    let count = columns.length[from] ?? 0
    while (to < limit && count + (columns.length[to] ?? 0) <= CHUNK_TOKENS) count += columns.length[to++] ?? 0
    visit(readTokens(base, begin, count), from, to)
    from = to
  }
}

let buffer = new Uint32Array(4096)

function readTokens(base: Base, start: number, count: number): Uint32Array {
  const { tokens: saved } = base.saved
  if (start >= saved) return base.pending.subarray(start - saved, start - saved + count)
  if (count > buffer.length)
    buffer = new Uint32Array(Math.min(Math.max(count, 4096) * 2, Math.max(count, CHUNK_TOKENS)))
  const bytes = new Uint8Array(buffer.buffer, 0, count * 4)
  const read = base.file?.read(bytes, start * 4) ?? 0
  // A file that was cut meanwhile: zeros are nobody's tokens.
  bytes.fill(0, read)
  return buffer.subarray(0, count)
}

export function indexFile(dir: string, what: 'docs' | 'tokens' | 'dead' | 'words' | 'fts', generation: number): string {
  return path.join(dir, `${what}-${generation}.${what === 'words' ? 'txt' : what === 'fts' ? 'db' : 'bin'}`)
}

const PIECE_BYTES = 256 * 1024
const NEWLINE = 0x0a

/** All words of the store as they were written, some more than once: for typos, and for beginnings of words. */
export function* readVocabulary(base: Base): Iterable<string> {
  const file = base.dir === null ? null : openToRead(indexFile(base.dir, 'words', base.generation))
  try {
    const piece = Buffer.allocUnsafe(PIECE_BYTES)
    for (let at = 0; file !== null && at < base.saved.words; ) {
      const read = file.read(piece.subarray(0, Math.min(PIECE_BYTES, base.saved.words - at)), at)
      const end = piece.subarray(0, read).lastIndexOf(NEWLINE) + 1
      if (end === 0) break
      for (const word of piece.toString('utf8', 0, end).split('\n')) if (word !== '') yield word
      at += end
    }
  } finally {
    file?.close()
  }
  yield* base.words
}
