/**
 * Turns documents into posting lists. The tokens of all documents are written down in order; in the end they are put in the order of
 * stems, which keeps the order of documents within a word.
 */
import { STEM } from '../../../../kernel/text/token.ts'
import { type Bytes, newBytes, putAt, putListHead, roomFor } from './postings.ts'
import { grown } from './sections.ts'

export interface Inverter {
  /** Adds the tokens of the next document. */
  add(tokens: Uint32Array): void
  /** The number of tokens so far. */
  readonly tokens: number
  /** All lists, one after the other, and pairs of stem and list position, sorted by stem. Valid until the next call. */
  lists(): { bytes: Uint8Array; terms: Uint32Array }
  /** Clears it but keeps its memory: a long build reuses it many times. */
  reset(): void
}

/** The lower bits of a token, and of each number that contains a form. */
const FORM = ~STEM
const FORM_BITS = 6

/** How much larger the log becomes when it is full. */
const ROOMIER = 1.5

interface Log {
  /** The tokens of all documents. */
  token: Uint32Array
  /** The document of each token. */
  doc: Uint32Array
  tokens: number
  /** Where each document begins. */
  begins: number[]
  /** Room for sorting and for the lists, kept with the log: new memory would come before the old is freed. */
  rooms: readonly [Places, Places]
  out: Bytes
}

/** Tokens, and their places in the log. */
interface Places {
  token: Uint32Array
  place: Uint32Array
}

export function createInverter(): Inverter {
  const room = (): Uint32Array => new Uint32Array(1024)
  const places = (): Places => ({ token: room(), place: room() })
  const log: Log = {
    token: room(),
    doc: room(),
    tokens: 0,
    begins: [],
    rooms: [places(), places()],
    out: newBytes(),
  }
  return {
    add: (tokens) => {
      const end = log.tokens + tokens.length
      if (end > log.token.length) {
        log.token = grown(log.token, Math.ceil(end * ROOMIER))
        log.doc = grown(log.doc, log.token.length)
      }
      log.token.set(tokens, log.tokens)
      log.doc.fill(log.begins.length, log.tokens, end)
      log.begins.push(log.tokens)
      log.tokens = end
    },
    get tokens() {
      return log.tokens
    },
    lists: () => writeLists(log),
    reset: () => {
      Object.assign(log, { tokens: 0, begins: [] })
    },
  }
}

function writeLists(log: Log): { bytes: Uint8Array; terms: Uint32Array } {
  const sorted = byStem(log)
  const { token } = sorted
  const to = log.out
  to.used = 0
  let terms = new Uint32Array(1024)
  let count = 0
  for (let at = 0; at < token.length; ) {
    const first = token[at] as number
    let end = at + 1
    while (end < token.length && (((token[end] as number) ^ first) & STEM) === 0) end++
    if (count === terms.length) terms = grown(terms, count * 2)
    terms[count++] = first & STEM
    terms[count++] = to.used
    writeList(log, sorted, at, end, to)
    at = end
  }
  return { bytes: to.bytes.subarray(0, to.used), terms: terms.subarray(0, count) }
}

/** A stem has two halves of so many bits. */
const HALF_BITS = 13
const HALVES = 1 << HALF_BITS

/** Those of one stem stay in their order: sorted by the lower half, then by the upper one. */
function byStem({ token, tokens, rooms }: Log): Places {
  const [half, all] = rooms
  for (const one of rooms)
    if (one.token.length < tokens)
      Object.assign(one, { token: new Uint32Array(token.length), place: new Uint32Array(token.length) })
  const first = (room: Places): Places => ({
    token: room.token.subarray(0, tokens),
    place: room.place.subarray(0, tokens),
  })
  sortByHalf({ token: token.subarray(0, tokens), place: null }, half, FORM_BITS)
  sortByHalf(first(half), all, FORM_BITS + HALF_BITS)
  return first(all)
}

/** `place` null: each token is in its place. */
function sortByHalf(
  { token, place }: Pick<Places, 'token'> & { place: Uint32Array | null },
  to: Places,
  shift: number,
): void {
  const next = new Uint32Array(HALVES)
  for (let at = 0; at < token.length; at++) {
    const half = ((token[at] as number) >>> shift) & (HALVES - 1)
    next[half] = (next[half] as number) + 1
  }
  let all = 0
  for (let half = 0; half < HALVES; half++) {
    const count = next[half] as number
    next[half] = all
    all += count
  }
  const { token: tokens, place: places } = to
  for (let at = 0; at < token.length; at++) {
    const own = token[at] as number
    const half = (own >>> shift) & (HALVES - 1)
    const slot = next[half] as number
    tokens[slot] = own
    places[slot] = place === null ? at : (place[at] as number)
    next[half] = slot + 1
  }
}

/** The bytes of one token at most: the distance of the document, the count, the distance of the position, the form. */
const MOST_BYTES = 16

/** The list of one word. Its first form is the usual one. */
function writeList({ doc, begins }: Log, { token, place }: Places, from: number, to: number, out: Bytes): void {
  const usual = (token[from] as number) & FORM
  let count = 0
  for (let at = from, before = -1; at < to; at++) {
    const own = doc[place[at] as number] as number
    if (own !== before) count++
    before = own
  }
  putListHead(out, count, usual, doc[place[to - 1] as number] as number)
  roomFor(out, (to - from) * MOST_BYTES)
  const { bytes } = out
  let { used } = out
  for (let at = from, last = 0; at < to; ) {
    const own = doc[place[at] as number] as number
    let end = at + 1
    while (end < to && doc[place[end] as number] === own) end++
    const times = end - at
    used = putAt(bytes, used, (own - last) * 2 + (times > 1 ? 1 : 0))
    if (times > 1) used = putAt(bytes, used, times)
    last = own
    for (let before = begins[own] as number; at < end; at++) {
      const form = (token[at] as number) & FORM
      used = putAt(bytes, used, ((place[at] as number) - before) * 2 + (form === usual ? 0 : 1))
      if (form !== usual) bytes[used++] = form
      before = place[at] as number
    }
  }
  out.used = used
}
