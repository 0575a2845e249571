/**
 * The list of one word: in which documents it stands, where, and in which form. Numbers of seven bits a byte: how many documents, the
 * usual form; then for each document how far it is from the one before, and for each time the word stands there how far from the last.
 */

/** Bytes that grow. */
export interface Bytes {
  bytes: Uint8Array
  used: number
}

export function newBytes(): Bytes {
  return { bytes: new Uint8Array(64 * 1024), used: 0 }
}

/** One word in one segment, added document by document, place by place. */
export interface ListWriter {
  /** Documents and places come in their order. */
  add(doc: number, place: number, form: number): void
  /** Puts the list behind `to` and begins another one; nothing where it is empty. */
  endInto(to: Bytes): void
}

export function createListWriter(): ListWriter {
  const body = newBytes()
  /** The places of the last document. */
  const places = newBytes()
  let [count, times, usual, lastDoc, doc, lastPlace] = [0, 0, 0, 0, 0, 0]
  const endDocument = (): void => {
    if (times === 0) return
    put(body, (doc - lastDoc) * 2 + (times > 1 ? 1 : 0))
    if (times > 1) put(body, times)
    putAll(body, places.bytes, 0, places.used)
    places.used = 0
    lastDoc = doc
    times = 0
    count++
  }
  return {
    add: (next, place, form) => {
      if (next !== doc || times === 0) {
        endDocument()
        doc = next
        lastPlace = 0
      }
      if (count === 0 && times === 0) usual = form
      put(places, (place - lastPlace) * 2 + (form === usual ? 0 : 1))
      if (form !== usual) put(places, form)
      lastPlace = place
      times++
    },
    endInto: (to) => {
      endDocument()
      if (count > 0) {
        put(to, count)
        put(to, usual)
        putAll(to, body.bytes, 0, body.used)
      }
      body.used = lastDoc = doc = count = 0
    },
  }
}

function put(to: Bytes, value: number): void {
  if (to.used + 8 > to.bytes.length) makeRoom(to, 8)
  const { bytes } = to
  let { used } = to
  let rest = value
  for (; rest > 0x7f; rest >>>= 7) bytes[used++] = (rest & 0x7f) | 0x80
  bytes[used++] = rest
  to.used = used
}

function putAll(to: Bytes, from: Uint8Array, begin: number, end: number): void {
  if (to.used + end - begin > to.bytes.length) makeRoom(to, end - begin)
  // A few bytes are faster one by one.
  if (end - begin > 32) to.bytes.set(from.subarray(begin, end), to.used)
  else for (let i = begin; i < end; i++) to.bytes[to.used + i - begin] = from[i] as number
  to.used += end - begin
}

function makeRoom(to: Bytes, more: number): void {
  const roomier = new Uint8Array(Math.max(to.bytes.length * 2, to.used + more))
  roomier.set(to.bytes)
  to.bytes = roomier
}

/** The list of one word over all segments; only living documents, in their order. */
export interface WordList {
  count: number
  docs: Uint32Array
  /** How often it stands in each. */
  times: Uint32Array
  /** Where the places of each begin in `bytes`. */
  at: Uint32Array
  /** The usual form in each segment, by where the segment's bytes end. */
  usual: { end: number; form: number }[]
  bytes: Uint8Array
}

/** Puts the lists of one word together; `first`: the number of the segment's first document. */
export function readLists(parts: readonly { first: number; bytes: Uint8Array }[], dead: Uint8Array): WordList {
  const most = parts.reduce((sum, part) => sum + next({ bytes: part.bytes, at: 0 }), 0)
  const list: WordList = {
    count: 0,
    docs: new Uint32Array(most),
    times: new Uint32Array(most),
    at: new Uint32Array(most),
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

/** One loop without calls: a common word stands in a hundred thousand documents. */
function readPart(list: WordList, begin: number, end: number, first: number, dead: Uint8Array): void {
  const { bytes, docs, times, at: places } = list
  let { count } = list
  let at = begin
  while ((bytes[at++] as number) > 0x7f);
  list.usual.push({ end, form: bytes[at++] as number })
  let doc = first
  while (at < end) {
    let byte = bytes[at++] as number
    let head = byte & 0x7f
    for (let shift = 7; byte > 0x7f; shift += 7) {
      byte = bytes[at++] as number
      head |= (byte & 0x7f) << shift
    }
    doc += head >>> 1
    let often = 1
    if ((head & 1) === 1) {
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

/** Each place and form of the n-th document of a list. */
export function eachPlace(list: WordList, n: number, visit: (place: number, form: number) => void): void {
  const begin = list.at[n] ?? 0
  const reading = { bytes: list.bytes, at: begin }
  const usual = list.usual.find(({ end }) => begin < end)?.form ?? 0
  readPlaces(reading, list.times[n] ?? 0, usual, visit)
}

/** All of the list of one segment. */
export function eachPosting(bytes: Uint8Array, visit: (doc: number, place: number, form: number) => void): void {
  const reading = { bytes, at: 0 }
  let left = next(reading)
  const usual = next(reading)
  for (let doc = 0; left > 0; left--) {
    const head = next(reading)
    doc += head >>> 1
    readPlaces(reading, (head & 1) === 1 ? next(reading) : 1, usual, (place, form) => visit(doc, place, form))
  }
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

/** The place of a document in a list, or -1. */
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
