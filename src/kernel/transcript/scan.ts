/** Walks the top level of JSON objects in bytes without parsing them, so that most bytes of a transcript are read only once. */

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
/** Measured: up to this many bytes, a loop is faster than a call of the native search. */
const NEAR_BYTES = 32

/** The keys to report, by length. Other keys are skipped without being decoded. */
export type Keys = readonly (readonly string[] | undefined)[]

export function keysOf(names: readonly string[]): Keys {
  const byLength: string[][] = []
  for (const name of names) {
    const same = byLength[name.length]
    if (same) same.push(name)
    else byLength[name.length] = [name]
  }
  return byLength
}

/** The state of a walk through one object, from wanted key to wanted key. */
interface Walk {
  /** The position of the last reported key's value; the caller moves it behind the value. At the end: behind the object. */
  at: number
  isFirst: boolean
  isBroken: boolean
}

export const BROKEN = -1

export function startWalk(at: number): Walk {
  return { at, isFirst: true, isBroken: false }
}

/** Returns the next wanted key; null: the object ended, or `isBroken`. No callbacks: this is the innermost loop of capture. */
export function nextKey(walk: Walk, bytes: Buffer, end: number, keys: Keys): string | null {
  let at = skipSpace(bytes, walk.at, end)
  for (;;) {
    const byte = bytes[at]
    if (walk.isFirst) {
      if (byte !== OPEN_BRACE) return broken(walk)
      walk.isFirst = false
      at = skipSpace(bytes, at + 1, end)
      if (bytes[at] === CLOSE_BRACE) return ended(walk, at + 1)
    } else if (byte === COMMA) at = skipSpace(bytes, at + 1, end)
    else return byte === CLOSE_BRACE && at < end ? ended(walk, at + 1) : broken(walk)

    if (at >= end || bytes[at] !== QUOTE) return broken(walk)
    const keyEnd = skipString(bytes, at, end)
    if (keyEnd < 0) return broken(walk)
    const key = matchKey(bytes, at + 1, keyEnd - 1, keys)
    at = skipSpace(bytes, keyEnd, end)
    if (bytes[at] !== COLON) return broken(walk)
    at = skipSpace(bytes, at + 1, end)
    if (key !== null) {
      walk.at = at
      return key
    }
    at = skipValue(bytes, at, end)
    if (at < 0) return broken(walk)
    at = skipSpace(bytes, at, end)
  }
}

function ended(walk: Walk, at: number): null {
  walk.at = at
  return null
}

function broken(walk: Walk): null {
  walk.isBroken = true
  return null
}

/** The position behind the object that starts here, or BROKEN. */
export function skipObject(bytes: Buffer, start: number, end: number): number {
  const walk = startWalk(start)
  nextKey(walk, bytes, end, NO_KEYS)
  return walk.isBroken ? BROKEN : walk.at
}

const NO_KEYS: Keys = []

/** Calls `onObject` for each object of the array that starts here; it must return the position behind that object. */
export function walkArray(bytes: Buffer, start: number, end: number, onObject: (at: number) => number): number {
  let at = skipSpace(bytes, start + 1, end)
  if (bytes[at] === CLOSE_BRACKET) return at + 1
  while (at < end) {
    at = bytes[at] === OPEN_BRACE ? onObject(at) : skipValue(bytes, at, end)
    if (at < 0) return BROKEN
    at = skipSpace(bytes, at, end)
    if (bytes[at] === CLOSE_BRACKET) return at + 1
    if (bytes[at] !== COMMA) return BROKEN
    at = skipSpace(bytes, at + 1, end)
  }
  return BROKEN
}

/** Returns which of these words is at this position, or null. */
export function matchKey(bytes: Buffer, from: number, to: number, keys: Keys): string | null {
  const candidates = keys[to - from]
  if (candidates === undefined) return null
  for (let n = 0; n < candidates.length; n++) {
    const name = candidates[n] as string
    let i = 0
    while (i < name.length && bytes[from + i] === name.charCodeAt(i)) i++
    if (i === name.length) return name
  }
  return null
}

export function skipSpace(bytes: Buffer, at: number, end: number): number {
  while (at < end) {
    const byte = bytes[at]
    if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d) break
    at++
  }
  return at
}

/** The position behind the value that starts here; negative if it does not end before `end`. */
export function skipValue(bytes: Buffer, at: number, end: number): number {
  const first = bytes[at]
  if (first === QUOTE) return skipString(bytes, at, end)
  if (first === OPEN_BRACE || first === OPEN_BRACKET) return skipNested(bytes, at, end)
  const from = at
  while (at < end) {
    const byte = bytes[at]
    if (byte === COMMA || byte === CLOSE_BRACE || byte === CLOSE_BRACKET) break
    // A scalar contains neither quotes nor further structure.
    if (byte === QUOTE || byte === OPEN_BRACE || byte === OPEN_BRACKET || byte === COLON) return -1
    at++
  }
  return at < end && at > from ? at : -1
}

function skipNested(bytes: Buffer, at: number, end: number): number {
  let depth = 0
  while (at < end) {
    const byte = bytes[at]
    if (byte === QUOTE) {
      at = skipString(bytes, at, end)
      if (at < 0) return -1
      continue
    }
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++
    else if ((byte === CLOSE_BRACE || byte === CLOSE_BRACKET) && --depth === 0) return at + 1
    at++
  }
  return -1
}

/**
 * `at` is the opening quote. Returns the position behind the closing one, or -1. The first bytes after each quote are checked in
 * a loop, since code is full of escaped quotes; the rest by the native search.
 */
function skipString(bytes: Buffer, at: number, end: number): number {
  let i = at + 1
  for (;;) {
    const near = Math.min(end, i + NEAR_BYTES)
    while (i < near) {
      const byte = bytes[i]
      if (byte === QUOTE) return i + 1
      i += byte === BACKSLASH ? 2 : 1
    }
    if (i >= end) return -1
    const quote = bytes.indexOf(QUOTE, i)
    if (quote < 0 || quote >= end) return -1
    let slashes = 0
    while (quote - 1 - slashes >= i && bytes[quote - 1 - slashes] === BACKSLASH) slashes++
    if (slashes % 2 === 0) return quote + 1
    i = quote + 1
  }
}
