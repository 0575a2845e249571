/** Of many facts those that a briefing may tell: chosen line by line without reading the others, since a session waits for it. */
import { type Facts, parseFacts } from './fact.ts'

/** Below this, all of them are read: that takes no time. */
export const MANY_FACTS_CHARS = 300_000
/** More never fit into a briefing. */
const MAX_EACH = 250

export interface NewestFacts {
  facts: Facts
  /** How many live facts each concept has, by what the briefing counts; null: count the facts themselves. */
  tally: ReadonlyMap<string, FactTally> | null
}

export interface FactTally {
  decision: number
  pattern: number
  issue: number
}

const LISTS: Readonly<Record<string, keyof FactTally>> = { decisions: 'decision', patterns: 'pattern', issues: 'issue' }

/** Null: no JSON object. A file that is not written as we write it is read whole. */
export function newestFacts(text: string): NewestFacts | null {
  const chosen = text.length < MANY_FACTS_CHARS ? null : choose(text)
  const some = chosen === null ? null : parseFacts(chosen.text)
  if (some !== null && chosen !== null) return { facts: some, tally: chosen.tally }
  const all = parseFacts(text)
  return all === null ? null : { facts: all, tally: null }
}

/** The file without the facts that are too old to be told; null: it does not have our form. */
function choose(text: string): { text: string; tally: Map<string, FactTally> } | null {
  const lines = text.split('\n')
  const kept: string[] = []
  const tally = new Map<string, FactTally>()
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ''
    const type = LISTS[/^ {2}"(\w+)": \[$/.exec(line)?.[1] ?? '']
    if (type === undefined) {
      kept.push(line)
      continue
    }
    const end = lines.findIndex((one, i) => i > at && /^ {2}\],?$/.test(one))
    if (end < 0) return null
    const own = lines.slice(at + 1, end)
    if (own.some((one) => !one.startsWith('    {"id":"'))) return null
    kept.push(line, ...newestOf(own, type, tally), lines[end] ?? '')
    at = end
  }
  return kept.length === lines.length ? null : { text: kept.join('\n'), tally }
}

/** In their order. Commas as JSON wants them. */
function newestOf(lines: readonly string[], type: keyof FactTally, tally: Map<string, FactTally>): string[] {
  const holding = lines.filter((line) => !/"state":"(?:superseded|rejected)"/.test(line))
  const isOpen = (line: string): boolean => type !== 'issue' || line.includes('"status":"open"')
  const live = holding.filter((line) => isOpen(line) || isPinned(line))
  for (const line of live) if (isOpen(line)) count(tally, /"concept":"(c\d+)"/.exec(line)?.[1], type)
  const days = live.map((line) => /"at":"([^"]{0,24})/.exec(line)?.[1] ?? '')
  const limit = days.toSorted().at(-MAX_EACH) ?? ''
  const chosen = live.filter((line, i) => (days[i] ?? '') >= limit || isPinned(line))
  return chosen.map((line, i) => (i < chosen.length - 1 ? line.replace(/,?$/, ',') : line.replace(/,$/, '')))
}

/** However old. In a text the quotes would have a backslash. */
function isPinned(line: string): boolean {
  return line.includes('"pinned":true')
}

function count(tally: Map<string, FactTally>, concept: string | undefined, type: keyof FactTally): void {
  if (concept === undefined) return
  const own = tally.get(concept) ?? { decision: 0, pattern: 0, issue: 0 }
  tally.set(concept, { ...own, [type]: own[type] + 1 })
}
