/** Two copies of a session as one. */
import { entryKey, parseEntry } from '../transcript/session.ts'

/**
 * All of ours, then the entries that only theirs has: the numbers of our entries stay. Open entries have no number, and stand last. If
 * theirs has nothing more, ours stays byte for byte.
 */
export function joinSessions(ours: string, theirs: string): string {
  if (theirs.startsWith(ours)) return theirs
  const own = linesIn(ours)
  const all = [...own, ...linesIn(theirs)]
  const settled = withMore(own.filter(isSettled), all.filter(isSettled))
  const joined = withMore(settled, all)
  const isSame = joined.length === own.length && settled.length === own.filter(isSettled).length
  return isSame ? ours : joined.map((line) => `${line}\n`).join('')
}

/** The lines, and behind them those of the others that they lack, each once. */
function withMore(lines: readonly string[], others: readonly string[]): string[] {
  const known = new Set(lines.map(keyOf))
  const fresh = new Map(others.map((line) => [keyOf(line), line]))
  return [...lines, ...[...fresh].flatMap(([key, line]) => (known.has(key) ? [] : [line]))]
}

function isSettled(line: string): boolean {
  return !/"open":true\}$/.test(line)
}

/** Without a last line that was cut off. */
function linesIn(text: string): string[] {
  const lines = text.split('\n')
  const last = lines.pop() ?? ''
  return parseEntry(last) === null ? lines : [...lines, last]
}

function keyOf(line: string): string {
  const entry = parseEntry(line)
  return entry === null ? line : entryKey(entry)
}
