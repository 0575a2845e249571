/**
 * Documents on their way into lists. Each word has a row of numbers in one table and a chain of small slices in one arena, which it fills
 * as documents come: nothing is sorted but the words themselves.
 */
import { STEM } from '../../../text/token.ts'
import { type Bytes, putListHead, roomFor } from './postings.ts'

export interface Inverter {
  /** The tokens of the next document. */
  add(tokens: Uint32Array): void
  /** How many there were. */
  readonly tokens: number
  /** Puts all lists behind `to`; stem and where its list begins, by stem. */
  writeInto(to: Bytes): Uint32Array
  /** It is as new, but for the memory it takes: a long build fills the same again and again. */
  reset(): void
}

/**
 * Numbers of a word: its stem, in how many documents it stands, in which form first, the last document and the last place there, how
 * often it stands in the document that is being added, the first slice, and where to write on (0: no word).
 */
const [WORD, DOCS, USUAL, DOC, PLACE, TIMES, FIRST, AT] = [0, 1, 2, 3, 4, 5, 6, 7] as const
const WIDTH = 8
/** The last four bytes of a slice say where the next one is. */
const SLICE = 16
const LINK = 12

interface Tables {
  rows: Uint32Array
  arena: Uint8Array
  /** The arena as numbers. */
  links: Uint32Array
  /** The row of each token of the document that is being added. */
  found: Uint32Array
  words: number
  /** Bytes of the arena. */
  used: number
  docs: number
  tokens: number
}

export function createInverter(): Inverter {
  const tables = newTables()
  return {
    add: (tokens) => {
      makeRoom(tables, tokens.length)
      const { rows, found } = tables
      // Counted first: in a list it stands how often before it stands where.
      for (let place = 0; place < tokens.length; place++) {
        const row = rowOf(tables, rows, tokens[place] as number)
        rows[row + TIMES] = (rows[row + TIMES] as number) + 1
        found[place] = row
      }
      for (let place = 0; place < tokens.length; place++)
        addPlace(tables, rows, found[place] as number, (tokens[place] as number) & ~STEM, place)
      tables.docs++
      tables.tokens += tokens.length
    },
    get tokens() {
      return tables.tokens
    },
    writeInto: (to) => {
      const { rows, words } = tables
      const terms = new Uint32Array(words * 2)
      sortedRows(rows, words).forEach((row, i) => {
        terms[i * 2] = rows[row + WORD] as number
        terms[i * 2 + 1] = to.used
        writeList(tables, row, to)
      })
      return terms
    },
    reset: () => {
      tables.rows.fill(0)
      Object.assign(tables, EMPTY)
    },
  }
}

const EMPTY = { words: 0, used: SLICE, docs: 0, tokens: 0 }

function newTables(): Tables {
  const arena = new Uint8Array(64 * 1024)
  const links = new Uint32Array(arena.buffer)
  return { rows: new Uint32Array(1024 * WIDTH), arena, links, found: new Uint32Array(1024), ...EMPTY }
}

/** For a document with so many tokens: the rows stay half empty, and each token may take three slices. */
function makeRoom(tables: Tables, more: number): void {
  const { found, arena, used } = tables
  if (found.length < more) tables.found = new Uint32Array(more * 2)
  if (used + more * 3 * SLICE > arena.length) {
    tables.arena = new Uint8Array((arena.length + more * 3 * SLICE) * 2)
    tables.arena.set(arena)
    tables.links = new Uint32Array(tables.arena.buffer)
  }
  while ((tables.words + more) * WIDTH * 2 > tables.rows.length) {
    const old = tables.rows
    const rows = new Uint32Array(old.length * 2)
    for (let row = 0; row < old.length; row += WIDTH)
      if (old[row + AT] !== 0) rows.set(old.subarray(row, row + WIDTH), placeFor(rows, old[row + WORD] as number))
    tables.rows = rows
  }
}

function placeFor(rows: Uint32Array, stem: number): number {
  const mask = rows.length - 1
  let row = (Math.imul(stem, 0x9e3779b1) >>> 4) & mask & -WIDTH
  while (rows[row + AT] !== 0 && rows[row + WORD] !== stem) row = (row + WIDTH) & mask
  return row
}

function rowOf(tables: Tables, rows: Uint32Array, token: number): number {
  const stem = (token & STEM) >>> 0
  const row = placeFor(rows, stem)
  if (rows[row + AT] !== 0) return row
  rows[row + WORD] = stem
  rows[row + USUAL] = token & ~STEM
  rows[row + FIRST] = rows[row + AT] = tables.used
  tables.used += SLICE
  tables.words++
  return row
}

function addPlace(tables: Tables, rows: Uint32Array, row: number, form: number, place: number): void {
  const times = rows[row + TIMES] as number
  let at = rows[row + AT] as number
  if (times > 0) {
    at = put(tables, at, (tables.docs - (rows[row + DOC] as number)) * 2 + (times > 1 ? 1 : 0))
    if (times > 1) at = put(tables, at, times)
    rows[row + DOC] = tables.docs
    rows[row + DOCS] = (rows[row + DOCS] as number) + 1
    rows[row + PLACE] = rows[row + TIMES] = 0
  }
  const isUsual = form === rows[row + USUAL]
  at = put(tables, at, (place - (rows[row + PLACE] as number)) * 2 + (isUsual ? 0 : 1))
  rows[row + AT] = isUsual ? at : put(tables, at, form)
  rows[row + PLACE] = place
}

/** Where to write on. */
function put(tables: Tables, from: number, value: number): number {
  const { arena } = tables
  let at = from
  let rest = value
  for (;;) {
    if (at % SLICE === LINK) {
      tables.links[at >>> 2] = tables.used
      at = tables.used
      tables.used += SLICE
    }
    if (rest <= 0x7f) break
    arena[at++] = (rest & 0x7f) | 0x80
    rest >>>= 7
  }
  arena[at] = rest
  return at + 1
}

function writeList({ rows, arena, links }: Tables, row: number, to: Bytes): void {
  putListHead(to, rows[row + DOCS] as number, rows[row + USUAL] as number, rows[row + DOC] as number)
  const end = rows[row + AT] as number
  for (let at = rows[row + FIRST] as number; ; at = links[(at + LINK) >>> 2] as number) {
    const isLast = end > at && end <= at + LINK
    const length = isLast ? end - at : LINK
    roomFor(to, LINK)
    for (let i = 0; i < length; i++) to.bytes[to.used + i] = arena[at + i] as number
    to.used += length
    if (isLast) return
  }
}

/** The rows with a word, by stem: numbers that are sorted without a function of ours. */
function sortedRows(rows: Uint32Array, words: number): Uint32Array {
  const keys = new Float64Array(words)
  const scale = rows.length
  let n = 0
  for (let row = 0; row < rows.length; row += WIDTH)
    if (rows[row + AT] !== 0) keys[n++] = ((rows[row + WORD] as number) >>> 6) * scale + row
  return Uint32Array.from(keys.sort(), (key) => key % scale)
}
