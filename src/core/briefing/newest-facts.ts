/** Reads only the newest facts of a long `facts.json`: a briefing has no room for more. */

import { parseObject, textOr } from '../../kernel/platform/json.ts'
import { once } from '../../kernel/text/once.ts'
import { parseItems } from '../knowledge/facts-file.ts'
import { FACT_KIND_NAMES, FACT_KINDS, type FactKind } from '../knowledge/item.ts'
import { type Items, NO_ITEMS, openIssues, textKey } from '../knowledge/items.ts'

/** A smaller file is read whole: that is fast enough. */
export const MANY_FACTS_CHARS = 300_000
/** The briefing has room for at most this many facts per type. */
const MAX_EACH = 250

export interface NewestFacts {
  facts: Items
  /** The number of current facts per concept and type; null: count the facts themselves. */
  tally: ReadonlyMap<string, FactTally> | null
  /** Whether a fact that is not among them says the same. */
  isLeftOut?: (text: string) => boolean
}

export type FactTally = Record<FactKind, number>

function kindOf(list: string): FactKind | undefined {
  return FACT_KIND_NAMES.find((kind) => FACT_KINDS[kind].list === list)
}

/** Null: not a JSON object. A file that is not in our format is read whole. */
export function newestFacts(text: string): NewestFacts | null {
  const tally = new Map<string, FactTally>()
  const left: string[] = []
  const chosen = text.length < MANY_FACTS_CHARS ? null : choose(text.split('\n'), tally, left)
  const some = chosen === null ? null : parseItems(chosen)
  if (some !== null) {
    // Read only if something is compared with them.
    const said = once(() => new Set(left.map((line) => textKey(textOr(parseObject(withoutComma(line))?.text, '')))))
    return { facts: some, tally, isLeftOut: (one) => said().has(textKey(one)) }
  }
  const all = parseItems(text)
  return all === null ? null : { facts: all, tally: null }
}

function withoutComma(line: string): string {
  return line.endsWith(',') ? line.slice(0, -1) : line
}

/** The file without the facts that are too old to be injected, whose lines are added to `left`; null: it is not in our format. */
function choose(lines: readonly string[], tally: Map<string, FactTally>, left: string[]): string | null {
  const kept: string[] = []
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ''
    kept.push(line)
    const kind = kindOf(/^ {2}"(\w+)": \[$/.exec(line)?.[1] ?? '')
    if (kind === undefined) continue
    const end = lines.findIndex((one, i) => i > at && /^ {2}\],?$/.test(one))
    const own = lines.slice(at + 1, end)
    if (end < 0 || own.some((one) => !one.startsWith('    {"id":"'))) return null
    kept.push(...newestOf(own, kind, tally, left))
    at = end - 1
  }
  return kept.length === lines.length ? null : kept.join('\n')
}

/** In their order, with valid JSON commas. Inside a text, the quotes of these marks would be escaped. */
function newestOf(lines: readonly string[], kind: FactKind, tally: Map<string, FactTally>, left: string[]): string[] {
  const isPinnedLine = (line: string): boolean => line.includes('"pinned":true')
  // As JSON: a quote inside a text is escaped.
  const isEarlier = (line: string): boolean => line.includes('"source":"v3"') || line.includes('"source":"v4"')
  const isOpen = (line: string): boolean => kind !== 'issue' || line.includes('"status":"open"')
  const live = lines.filter(
    (line) => !/"state":"(?:superseded|rejected)"/.test(line) && (isOpen(line) || isPinnedLine(line)),
  )
  for (const line of live) {
    const concept = isCounted(line, kind) ? /"concept":"(c\d+)"/.exec(line)?.[1] : undefined
    if (concept === undefined) continue
    const own = tally.get(concept) ?? { decision: 0, pattern: 0, issue: 0 }
    tally.set(concept, { ...own, [kind]: own[kind] + 1 })
  }
  const days = live.map((line) => /"at":"([^"]{0,24})/.exec(line)?.[1] ?? '')
  const limit = days.toSorted().at(-MAX_EACH) ?? ''
  const chosen = live.filter((line, i) => (days[i] ?? '') >= limit || isPinnedLine(line) || isEarlier(line))
  const taken = new Set(chosen)
  left.push(...lines.filter((line) => !taken.has(line)))
  return chosen.map((line, i) => withoutComma(line) + (i < chosen.length - 1 ? ',' : ''))
}

/** Of issues only the open ones count. */
function isCounted(line: string, kind: FactKind): boolean {
  if (kind !== 'issue') return true
  return openIssues(parseItems(`{"issues":[${withoutComma(line)}]}`) ?? NO_ITEMS).length > 0
}
