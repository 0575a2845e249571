/** Two copies of a session as one. */
import { entryKey, parseEntry } from '../transcript/session.ts'

const OPEN = /"open":true\}$/

/**
 * All of ours, then the entries that only theirs has: the numbers of our entries stay. Open entries have no number, and stand last. If
 * theirs has nothing more, ours stays byte for byte.
 */
export function joinSessions(ours: string, theirs: string): string {
  if (theirs.startsWith(ours)) return theirs
  const own = linesIn(ours)
  const known = new Set(own.map(keyOf))
  const fresh = linesIn(theirs).filter((line) => !known.has(keyOf(line)))
  if (fresh.length === 0) return ours
  const settled = [...own, ...fresh].filter((line) => !OPEN.test(line))
  const settledKeys = new Set(settled.map(keyOf))
  const open = [...own, ...fresh].filter((line) => OPEN.test(line) && !settledKeys.has(keyOf(line)))
  return [...settled, ...open].map((line) => `${line}\n`).join('')
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
