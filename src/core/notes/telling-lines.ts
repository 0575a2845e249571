/** Which lines of a failed command's output matter, and when two of them are the same. */

import { cut } from '../../kernel/text/shorten.ts'
import { stemsOf } from '../../kernel/text/words.ts'
import type { Numbered } from '../../kernel/transcript/session.ts'
import { onOneLine, stemsIn } from './structure-text.ts'

/** The number of following entries that show which line of an output mattered. */
const TAKEN_UP = 3
/** How programs mark the line with the error. */
const DIAGNOSTIC = /\b(?:error|fatal|failed|FAIL)\b/i
const MARKED_WORTH = 2
/** How programs name the place of a problem. Each run is tried once. */
export const PLACE = /(?<![\w./-])[\w./-]+\.\w{1,8}:\d+/
const PLACED_WORTH = 3
/** So many lines of an output that begin with the same word are a list of what was done. */
const LISTED_LINES = 3
/** In a longer output without a marked line, and without words used later, no line is known to matter. */
const SHORT_LINES = 3

/**
 * The output lines that matter, best first: those that name a place, that the program marks, or that share the most words with the next
 * entries, not counting the command's own words and lines of a list. Empty: none is known to matter.
 */
export function tellingLines(
  { at, cmd, output }: { at: number; cmd: string; output: string },
  entries: readonly Numbered[],
): string[] {
  const named = new Set(stemsOf(cmd))
  const next = new Set(entries.slice(at + 1, at + 1 + TAKEN_UP).flatMap(({ entry }) => [...stemsIn(entry)]))
  const all = [...new Set(output.split('\n').map(onOneLine))]
  const first = (line: string): string => line.split(' ', 1)[0] ?? ''
  const times = new Map<string, number>()
  for (const text of all) times.set(first(text), (times.get(first(text)) ?? 0) + 1)
  const isListed = (text: string): boolean => (times.get(first(text)) ?? 0) >= LISTED_LINES
  const lines = all.flatMap((text) => {
    const stems = new Set(stemsOf(text))
    if (stems.size === 0) return []
    // In quotation marks stands what a program quotes: source code, for example.
    const own = text.split('"').filter((_, i) => i % 2 === 0)
    const marked = stems.size > 1 && DIAGNOSTIC.test(own.join(' ')) ? MARKED_WORTH : 0
    const placed = PLACE.test(text) ? PLACED_WORTH : 0
    const shared = [...stems].filter((stem) => next.has(stem) && !named.has(stem)).length
    return [{ text, worth: marked + placed + (marked + placed === 0 && isListed(text) ? 0 : shared) }]
  })
  const [best, ...others] = lines.toSorted((a, b) => b.worth - a.worth)
  if (best === undefined || (best.worth < 2 && lines.length > SHORT_LINES)) return []
  return [best, ...others.filter(({ worth }) => worth > 0)].map(({ text }) => text)
}

/** In the place of what differs from run to run. A word beside it is not a whole word (`neededStems`). */
const FOLDED = '*'
const DIRECTORIES = /[\w.~@-]*[\\/]+/g
/** Dates are hexadecimal, too. */
const HEX = /\b(?:0x[\da-f]+|(?=[a-f-]{0,40}\d)[\da-f-]{6,64}(?:T\d+)?)\b/gi
/** `TS2339` and `E501` name an error: they stay. */
const NUMBERS = /(?<![a-z_\d])\d[\d.,:]*/gi
/** So much of a line is compared. */
const LINE_CHARS = 400

/** A path stands as its file's name; numbers, times and hashes are folded. */
export function foldedLine(line: string): string {
  const plain = onOneLine(cut(line, LINE_CHARS)).replace(DIRECTORIES, '')
  return plain.replace(HEX, FOLDED).replace(NUMBERS, FOLDED).toLowerCase()
}
