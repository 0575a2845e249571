/**
 * The list of one word: its documents, positions and forms, as numbers of seven bits per byte. Header: the number of documents, the
 * usual form, the last document. For each document: twice the distance from the previous one, plus one if the word occurs more than
 * once; then the count. For each occurrence: twice the distance from the previous one, plus one if the form differs; then
 * the form.
 */

/** A growing byte array. */
export interface Bytes {
  bytes: Uint8Array
  used: number
}

export function newBytes(): Bytes {
  return { bytes: new Uint8Array(64 * 1024), used: 0 }
}

export function putListHead(to: Bytes, count: number, usual: number, last: number): void {
  put(to, count)
  put(to, usual)
  put(to, last)
}

/** Merges the lists of several segments into one. */
export interface ListMerger {
  /** `numbers`: the new number of each document, from `shift` on; negative: it is left out. */
  add(bytes: Uint8Array, numbers: Int32Array, shift: number): void
  /** Appends the list to `to` and starts another one; appends nothing if it is empty. */
  endInto(to: Bytes): void
}

export function createListMerger(): ListMerger {
  const body = newBytes()
  let [count, usual, last] = [0, 0, 0]
  /** Copies the list unchanged, except for the distance to the document before the first one. */
  const copy = (from: Reading, own: number, lastDoc: number, shift: number): void => {
    const head = next(from)
    put(body, ((head >>> 1) + shift - last) * 2 + (head & 1))
    putAll(body, from.bytes, from.at)
    count += own
    last = lastDoc + shift
  }
  const addDocument = (doc: number, times: number): void => {
    put(body, (doc - last) * 2 + (times > 1 ? 1 : 0))
    if (times > 1) put(body, times)
    count++
    last = doc
  }
  return {
    add: (bytes, numbers, shift) => {
      const from = { bytes, at: 0 }
      const own = next(from)
      const form = next(from)
      const lastDoc = next(from)
      if (count === 0) usual = form
      const moved = numbers[shift + lastDoc] as number
      if (form === usual && isWhole(numbers, shift, lastDoc)) return copy(from, own, lastDoc, moved - lastDoc)
      for (let left = own, doc = shift; left > 0; left--) {
        const head = next(from)
        doc += head >>> 1
        const times = (head & 1) === 1 ? next(from) : 1
        const number = numbers[doc] as number
        if (number >= 0) addDocument(number, times)
        let [place, before] = [0, 0]
        readPlaces(from, times, form, (at, own) => {
          before = place
          place = at
          if (number < 0) return
          put(body, (place - before) * 2 + (own === usual ? 0 : 1))
          if (own !== usual) put(body, own)
        })
      }
    },
    endInto: (to) => {
      if (count > 0) {
        putListHead(to, count, usual, last)
        putAll(to, body.bytes.subarray(0, body.used), 0)
      }
      body.used = count = last = 0
    },
  }
}

/** No document of the segment up to this one is left out. */
function isWhole(numbers: Int32Array, shift: number, last: number): boolean {
  const first = numbers[shift] as number
  return first >= 0 && (numbers[shift + last] as number) - first === last
}

function put(to: Bytes, value: number): void {
  roomFor(to, 8)
  to.used = putAt(to.bytes, to.used, value)
}

/** Returns the position behind the number. */
export function putAt(bytes: Uint8Array, from: number, value: number): number {
  let at = from
  let rest = value
  for (; rest > 0x7f; rest >>>= 7) bytes[at++] = (rest & 0x7f) | 0x80
  bytes[at] = rest
  return at + 1
}

function putAll(to: Bytes, from: Uint8Array, begin: number): void {
  const length = from.length - begin
  roomFor(to, length)
  // A few bytes are faster one by one.
  if (length > 48) to.bytes.set(from.subarray(begin), to.used)
  else for (let i = 0; i < length; i++) to.bytes[to.used + i] = from[begin + i] as number
  to.used += length
}

export function roomFor(to: Bytes, more: number): void {
  if (to.used + more <= to.bytes.length) return
  const roomier = new Uint8Array(Math.max(to.bytes.length * 2, to.used + more))
  roomier.set(to.bytes)
  to.bytes = roomier
}

/** The list of one word over all segments; only live documents, in order. */
export interface WordList {
  count: number
  docs: Uint32Array
  /** The number of occurrences in each document. */
  times: Uint32Array
  /** Where the positions of each document begin in `bytes`. */
  at: Uint32Array
  /** The usual form in each segment, by the end of the segment's bytes. */
  usual: { end: number; form: number }[]
  bytes: Uint8Array
}

/** Combines the lists of one word; `first`: the number of the segment's first document. `take` gives room for the result, at multiples of four. */
export function readLists(
  parts: readonly { first: number; bytes: Uint8Array }[],
  dead: Uint8Array,
  take: (size: number) => Uint8Array,
): WordList {
  const numbers = (count: number): Uint32Array => {
    const { buffer, byteOffset } = take(count * 4)
    return new Uint32Array(buffer, byteOffset, count)
  }
  const most = parts.reduce((sum, part) => sum + next({ bytes: part.bytes, at: 0 }), 0)
  const list: WordList = {
    count: 0,
    docs: numbers(most),
    times: numbers(most),
    at: numbers(most),
    usual: [],
    bytes: parts.length === 1 && parts[0] !== undefined ? parts[0].bytes : joined(parts.map(({ bytes }) => bytes)),
  }
  let begin = 0
  for (const { first, bytes } of parts) {
    readPart(list, begin, begin + bytes.length, first, dead)
    begin += bytes.length
  }
  return list
}

export function joined(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const bytes of parts) {
    all.set(bytes, at)
    at += bytes.length
  }
  return all
}

/** One loop without calls: a common word occurs in a hundred thousand documents. */
function readPart(list: WordList, begin: number, end: number, first: number, dead: Uint8Array): void {
  const { bytes, docs, times, at: places } = list
  let { count } = list
  const head = { bytes, at: begin }
  next(head)
  list.usual.push({ end, form: next(head) })
  next(head)
  let { at } = head
  let doc = first
  while (at < end) {
    let byte = bytes[at++] as number
    let step = byte & 0x7f
    for (let shift = 7; byte > 0x7f; shift += 7) {
      byte = bytes[at++] as number
      step |= (byte & 0x7f) << shift
    }
    doc += step >>> 1
    let often = 1
    if ((step & 1) === 1) {
      byte = bytes[at++] as number
      often = byte & 0x7f
      for (let shift = 7; byte > 0x7f; shift += 7) {
        byte = bytes[at++] as number
        often |= (byte & 0x7f) << shift
      }
    }
    if (dead[doc] === 0) {
      docs[count] = doc
      times[count] = often
      places[count++] = at
    }
    for (; often > 0; often--) {
      const isUsual = ((bytes[at] as number) & 1) === 0
      while ((bytes[at++] as number) > 0x7f);
      if (!isUsual) at++
    }
  }
  list.count = count
}

/** Visits each position and form in the n-th document of a list. */
export function eachPlace(list: WordList, n: number, visit: (place: number, form: number) => void): void {
  const begin = list.at[n] ?? 0
  const reading = { bytes: list.bytes, at: begin }
  const usual = list.usual.find(({ end }) => begin < end)?.form ?? 0
  readPlaces(reading, list.times[n] ?? 0, usual, visit)
}

interface Reading {
  bytes: Uint8Array
  at: number
}

function readPlaces(from: Reading, times: number, usual: number, visit: (place: number, form: number) => void): void {
  let place = 0
  for (let left = times; left > 0; left--) {
    const head = next(from)
    place += head >>> 1
    visit(place, (head & 1) === 0 ? usual : next(from))
  }
}

function next(from: Reading): number {
  const { bytes } = from
  let byte = bytes[from.at++] ?? 0
  let value = byte & 0x7f
  for (let shift = 7; byte > 0x7f; shift += 7) {
    byte = bytes[from.at++] ?? 0
    value |= (byte & 0x7f) << shift
  }
  return value
}

/** The index of a document in a list, or -1. */
export function placeIn({ docs, count }: WordList, doc: number): number {
  let [low, high] = [0, count - 1]
  while (low <= high) {
    const middle = (low + high) >>> 1
    const found = docs[middle] as number
    if (found === doc) return middle
    if (found < doc) low = middle + 1
    else high = middle - 1
  }
  return -1
}
