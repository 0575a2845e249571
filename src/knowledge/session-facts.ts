/** The facts of one session as they were extracted (`sessions/….l2.json`). */

import { isObject, numberOr, parseObject, textOr } from '../platform/json.ts'
import type { Fact } from './fact.ts'

export interface SessionFacts {
  version: number
  /** The session's id8. */
  session: string
  /** With the ids they have in facts.json; what joined a known fact has that fact's id. */
  facts: SessionFact[]
  /** Entries that carry weight and that nobody said anything about. */
  uncovered: number[]
}

export type SessionFact = Pick<
  Fact,
  'id' | 'type' | 'text' | 'reason' | 'status' | 'resolution' | 'at' | 'evidence' | 'files' | 'concept' | 'author'
>

const VERSION = 1

/** Null: no JSON object. */
export function parseSessionFacts(text: string): SessionFacts | null {
  const raw = parseObject(text)
  if (raw === null) return null
  const facts = Array.isArray(raw.facts) ? raw.facts : []
  return {
    ...raw,
    version: numberOr(raw.version, VERSION),
    session: textOr(raw.session, ''),
    facts: facts.flatMap(parseOne),
    uncovered: Array.isArray(raw.uncovered) ? raw.uncovered.filter((one) => typeof one === 'number') : [],
  }
}

/** Earlier versions had other fields beside the words: they stay. */
function parseOne(value: unknown): SessionFact[] {
  if (!isObject(value)) return []
  const text = textOr(value.text, textOr(value.content, ''))
  if (text === '') return []
  const evidence = isObject(value.evidence) ? value.evidence : {}
  const proof = { ...evidence, entry: numberOr(evidence.entry, -1), quote: textOr(evidence.quote, '') }
  return [{ ...(value as unknown as SessionFact), id: textOr(value.id, ''), text, evidence: proof }]
}

/** One fact on a line. */
export function formatSessionFacts({ version, session, facts, uncovered, ...rest }: SessionFacts): string {
  const lines = facts.map((one) => `  ${JSON.stringify(one)}`)
  const list = lines.length === 0 ? '[]' : `[\n${lines.join(',\n')}\n]`
  const others = Object.entries(rest).map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)},\n`)
  return `{"version": ${version}, "session": ${JSON.stringify(session)}, "uncovered": ${JSON.stringify(uncovered)},\n${others.join('')}"facts": ${list}}\n`
}

/** What was extracted of one more piece; a fact of the same id and place is told once. */
export function addSessionFacts(
  before: SessionFacts | null,
  session: string,
  more: readonly SessionFact[],
  uncovered: readonly number[],
): SessionFacts {
  const key = ({ id, evidence }: SessionFact): string => `${id}#${evidence.entry}`
  const byModel = new Set((before?.facts ?? []).filter(({ author }) => author !== 'extractive').map(key))
  // What code finds again in a piece is what a model has said in better words.
  const news = more.filter((one) => one.author !== 'extractive' || !byModel.has(key(one)))
  const keys = new Set(news.map(key))
  const kept = (before?.facts ?? []).filter((one) => !keys.has(key(one)))
  return {
    // What other versions wrote besides stays.
    ...before,
    version: VERSION,
    session,
    facts: [...kept, ...news].sort((a, b) => a.evidence.entry - b.evidence.entry),
    uncovered: [...new Set([...(before?.uncovered ?? []), ...uncovered])].sort((a, b) => a - b),
  }
}
