/** Finds blocks between tags in linear time, even if many tags are never closed. */

/** The positions of the tags in a text. All methods return -1 if there is no such tag. */
export interface Tags {
  /** The first `<tag` at or behind `from`. */
  opened(tag: string, from: number): number
  /** The first `</tag>` at or behind `from`. */
  closed(tag: string, from: number): number
  /** The last `</tag>` at or behind `from` and before `to`. */
  lastClosed(tag: string, from: number, to?: number): number
}

const TAG = /<(\/?)([a-z][\w:-]*)/gi

export function tagsOf(text: string): Tags {
  const opens = new Map<string, number[]>()
  const closes = new Map<string, number[]>()
  for (const { index, 0: found, 1: slash, 2: tag = '' } of text.matchAll(TAG)) {
    if (slash === '') add(opens, tag, index)
    else if (text[index + found.length] === '>') add(closes, tag, index)
  }
  return {
    opened: (tag, from) => atOrBehind(opens.get(tag), from),
    closed: (tag, from) => atOrBehind(closes.get(tag), from),
    lastClosed: (tag, from, to = text.length) => {
      const places = closes.get(tag) ?? []
      const last = places[countBefore(places, to) - 1] ?? -1
      return last >= from ? last : -1
    },
  }
}

function add(places: Map<string, number[]>, tag: string, at: number): void {
  const known = places.get(tag)
  if (known === undefined) places.set(tag, [at])
  else known.push(at)
}

function atOrBehind(places: readonly number[] = [], from: number): number {
  return places[countBefore(places, from)] ?? -1
}

function countBefore(sorted: readonly number[], at: number): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] ?? 0) < at) low = middle + 1
    else high = middle
  }
  return low
}

/** Replaces everything from an `open` to the next `close`, both included. A block that is never closed stays. */
export function replaceBlocks(
  text: string,
  open: string,
  close: string,
  replacement: (inside: string, block: string) => string,
): string {
  let [made, done] = ['', 0]
  for (let at = text.indexOf(open); at >= 0; at = text.indexOf(open, done)) {
    const end = text.indexOf(close, at + open.length)
    if (end < 0) break
    const block = text.slice(at, end + close.length)
    made += text.slice(done, at) + replacement(block.slice(open.length, -close.length), block)
    done = at + block.length
  }
  return made + text.slice(done)
}
