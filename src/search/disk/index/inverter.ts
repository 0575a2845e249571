/**
 * Turns documents into posting lists. The tokens of all documents are written down in order, as the number of their word; in the end
 * they are put in the order of words in one pass, since the number of tokens of each word is known by then.
 */
import { STEM } from '../../../text/token.ts'
import { type Bytes, putAt, putListHead, roomFor } from './postings.ts'
import { grown } from './sections.ts'

export interface Inverter {
  /** Adds the tokens of the next document. */
  add(tokens: Uint32Array): void
  /** The number of tokens so far. */
  readonly tokens: number
  /** Appends all lists to `to`; returns pairs of stem and list position, sorted by stem. */
  writeInto(to: Bytes): Uint32Array
  /** Clears it but keeps its memory: a long build reuses it many times. */
  reset(): void
}

/** The lower bits of a token, and of each number that contains a form. */
const FORM = ~STEM
const FORM_BITS = 6

interface Tables {
  /** Pairs of a stem and the number of its word plus one (0: no word), found by the hash of the stem. */
  slots: Uint32Array
  /** By word, in the order of their first occurrence: the first token, and the number of tokens. */
  first: Uint32Array
  often: Uint32Array
  words: number
  /** The word and the form of each token of all documents. */
  log: Uint32Array
  tokens: number
  /** Where each document ends in the log. */
  ends: Uint32Array
  docs: number
}

export function createInverter(): Inverter {
  const tables = newTables()
  return {
    add: (tokens) => {
      makeRoom(tables, tokens.length)
      const { log, often } = tables
      let at = tables.tokens
      for (let place = 0; place < tokens.length; place++) {
        const token = tokens[place] as number
        const word = wordOf(tables, token)
        often[word] = (often[word] as number) + 1
        log[at++] = (word << FORM_BITS) | (token & FORM)
      }
      tables.tokens = at
      tables.ends[tables.docs++] = at
    },
    get tokens() {
      return tables.tokens
    },
    writeInto: (to) => writeLists(tables, to),
    reset: () => {
      tables.slots.fill(0)
      tables.often.fill(0)
      Object.assign(tables, EMPTY)
    },
  }
}

const EMPTY = { words: 0, docs: 0, tokens: 0 }

function newTables(): Tables {
  const numbers = (): Uint32Array => new Uint32Array(1024)
  return { slots: numbers(), first: numbers(), often: numbers(), log: numbers(), ends: numbers(), ...EMPTY }
}

/** Makes room for a document with this many tokens, each of which may be a new word; the slots stay half empty. */
function makeRoom(tables: Tables, more: number): void {
  const { slots, first, often, log, ends, words, docs } = tables
  if (tables.tokens + more > log.length) tables.log = grown(log, (log.length + more) * 2)
  if (docs === ends.length) tables.ends = grown(ends, docs * 2)
  if (words + more > first.length) {
    tables.first = grown(first, (first.length + more) * 2)
    tables.often = grown(often, tables.first.length)
  }
  let room = slots.length
  while ((words + more) * 4 > room) room *= 2
  if (room === slots.length) return
  tables.slots = new Uint32Array(room)
  for (let word = 0; word < words; word++) setSlot(tables.slots, (tables.first[word] as number) & STEM, word)
}

/** The slot of this stem, or the free one where it belongs. */
function slotOf(slots: Uint32Array, stem: number): number {
  const mask = slots.length - 1
  let at = (Math.imul(stem, 0x9e3779b1) >>> 4) & mask & -2
  while (slots[at + 1] !== 0 && slots[at] !== stem >>> 0) at = (at + 2) & mask
  return at
}

function setSlot(slots: Uint32Array, stem: number, word: number): void {
  const at = slotOf(slots, stem)
  slots[at] = stem
  slots[at + 1] = word + 1
}

function wordOf(tables: Tables, token: number): number {
  const { slots } = tables
  const stem = token & STEM
  const known = slots[slotOf(slots, stem) + 1] as number
  if (known > 0) return known - 1
  const word = tables.words++
  tables.first[word] = token
  setSlot(slots, stem, word)
  return word
}

function writeLists(tables: Tables, to: Bytes): Uint32Array {
  const { first, often, words } = tables
  const order = sortedWords(first, words)
  const pairs = inOrder(tables, order)
  const terms = new Uint32Array(words * 2)
  let at = 0
  for (let i = 0; i < words; i++) {
    const word = order[i] as number
    const token = first[word] as number
    const end = at + 2 * (often[word] as number)
    terms[i * 2] = token & STEM
    terms[i * 2 + 1] = to.used
    writeList(pairs, at, end, token & FORM, to)
    at = end
  }
  return terms
}

/** The words by stem: numbers are sorted without a comparison function. */
function sortedWords(first: Uint32Array, words: number): Uint32Array {
  const keys = new Float64Array(words)
  for (let word = 0; word < words; word++) keys[word] = ((first[word] as number) >>> FORM_BITS) * words + word
  return Uint32Array.from(keys.sort(), (key) => key % words)
}

/** For each token, word by word: its document, and its position there with its form. */
function inOrder({ log, often, words, ends, docs, tokens }: Tables, order: Uint32Array): Uint32Array {
  const pairs = new Uint32Array(tokens * 2)
  const next = new Uint32Array(words)
  let all = 0
  for (let i = 0; i < words; i++) {
    const word = order[i] as number
    next[word] = all
    all += 2 * (often[word] as number)
  }
  let at = 0
  for (let doc = 0; doc < docs; doc++) {
    const begin = at
    for (const end = ends[doc] as number; at < end; at++) {
      const token = log[at] as number
      const word = token >>> FORM_BITS
      const to = next[word] as number
      pairs[to] = doc
      pairs[to + 1] = ((at - begin) << FORM_BITS) | (token & FORM)
      next[word] = to + 2
    }
  }
  return pairs
}

/** The bytes of one token at most: the distance of the document, the count, the distance of the position, the form. */
const MOST_BYTES = 16

function writeList(pairs: Uint32Array, from: number, to: number, usual: number, out: Bytes): void {
  let count = 1
  for (let at = from + 2; at < to; at += 2) if (pairs[at] !== pairs[at - 2]) count++
  putListHead(out, count, usual, pairs[to - 2] as number)
  roomFor(out, ((to - from) / 2) * MOST_BYTES)
  const { bytes } = out
  let { used } = out
  let last = 0
  for (let at = from; at < to; ) {
    const doc = pairs[at] as number
    let end = at + 2
    while (end < to && pairs[end] === doc) end += 2
    const times = (end - at) / 2
    used = putAt(bytes, used, (doc - last) * 2 + (times > 1 ? 1 : 0))
    if (times > 1) used = putAt(bytes, used, times)
    last = doc
    for (let before = 0; at < end; at += 2) {
      const place = (pairs[at + 1] as number) >>> FORM_BITS
      const form = (pairs[at + 1] as number) & FORM
      used = putAt(bytes, used, (place - before) * 2 + (form === usual ? 0 : 1))
      if (form !== usual) bytes[used++] = form
      before = place
    }
  }
  out.used = used
}
