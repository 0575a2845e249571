/** Facts of one session: the important entries, and the extracted facts (`….l2.json`). */

import { numberOr, parseObject, textOr } from '../../kernel/platform/json.ts'
import { cut, shorten } from '../../kernel/text/shorten.ts'
import { beginsTurn, isHostLine, isPlan, type Numbered, spokenIn } from '../../kernel/transcript/session.ts'
import { commitsIn } from '../../kernel/transcript/shell.ts'
import { evidenceOf, type Fact, type NewFact } from './fact.ts'
import type { DraftQuestion } from './fact-draft.ts'

export interface SessionFacts {
  version: number
  /** The session's id8. */
  session: string
  /** With their ids in facts.json; a merged fact has the id of the fact it was merged into. */
  facts: SessionFact[]
  /** Important entries that no fact covers. */
  uncovered: number[]
}

const FIELDS = [
  'id',
  'type',
  'text',
  'reason',
  'status',
  'resolution',
  'at',
  'evidence',
  'files',
  'concept',
  'author',
] as const

export type SessionFact = Pick<Fact, (typeof FIELDS)[number]>

/** The fact as said, with the id under which it is stored. */
export function sessionFactOf({ id, concept }: Fact, said: NewFact): SessionFact {
  const all = { ...said, id, concept }
  return Object.fromEntries(FIELDS.map((name) => [name, all[name]])) as unknown as SessionFact
}

const VERSION = 1

/** Null: not a JSON object. */
export function parseSessionFacts(text: string): SessionFacts | null {
  const raw = parseObject(text)
  if (raw === null) return null
  return {
    ...raw,
    version: numberOr(raw.version, VERSION),
    session: textOr(raw.session, ''),
    facts: Array.isArray(raw.facts) ? raw.facts.flatMap(parseOne) : [],
    uncovered: Array.isArray(raw.uncovered) ? raw.uncovered.filter((one) => typeof one === 'number') : [],
  }
}

/** Other fields of earlier versions are kept. */
function parseOne(value: Readonly<Record<string, unknown>> | null): SessionFact[] {
  const text = textOr(value?.text, textOr(value?.content, ''))
  if (text === '') return []
  const known = value as unknown as SessionFact
  return [{ ...known, id: textOr(known.id, ''), text, evidence: evidenceOf(known.evidence) }]
}

/** One fact per line. */
export function formatSessionFacts({ version, session, facts, uncovered, ...rest }: SessionFacts): string {
  const lines = facts.map((one) => `  ${JSON.stringify(one)}`)
  const list = lines.length === 0 ? '[]' : `[\n${lines.join(',\n')}\n]`
  const others = Object.entries(rest).map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)},\n`)
  return `{"version": ${version}, "session": ${JSON.stringify(session)}, "uncovered": ${JSON.stringify(uncovered)},\n${others.join('')}"facts": ${list}}\n`
}

/** Adds the facts of one more piece; a fact of the same id and place is stored once. */
export function addSessionFacts(
  before: SessionFacts | null,
  session: string,
  more: readonly SessionFact[],
  uncovered: readonly number[],
): SessionFacts {
  const known = before?.facts ?? []
  const key = ({ id, evidence }: SessionFact): string => `${id}#${evidence.entry}`
  const byModel = new Set(known.filter(({ author }) => author !== 'extractive').map(key))
  // A fact that code finds again is the one that a model has already written in better words.
  const news = more.filter((one) => one.author !== 'extractive' || !byModel.has(key(one)))
  const keys = new Set(news.map(key))
  const kept = known.filter((one) => !keys.has(key(one)))
  return {
    // Keeps fields of other versions.
    ...before,
    version: VERSION,
    session,
    facts: [...kept, ...news].sort((a, b) => a.evidence.entry - b.evidence.entry),
    uncovered: [...new Set([...(before?.uncovered ?? []), ...uncovered])].sort((a, b) => a - b),
  }
}

const MAX_QUESTIONS = 8
const MAX_EXCERPT = 200
/** A shorter prompt is only a yes or a request to continue. */
const MIN_PROMPT = 30

interface Weighty {
  n: number
  weight: number
  ask: string
}

/** Most important first. */
export function uncovered(entries: readonly Numbered[], facts: readonly Pick<NewFact, 'evidence'>[]): DraftQuestion[] {
  const cited = facts.map(({ evidence }) => evidence.entry)
  return weightyIn(entries)
    .filter(({ n }) => !isCited(entries, n, cited))
    .sort((a, b) => b.weight - a.weight || a.n - b.n)
    .slice(0, MAX_QUESTIONS)
    .map(({ n, ask }) => ({ entry: n, excerpt: shorten(excerptOf(entries, n), MAX_EXCERPT), ask }))
}

/** Whether facts are requested at all. */
export function carryWeight(entries: readonly Numbered[]): boolean {
  return weightyIn(entries).length > 0
}

/** The user's answers and refusals, commands that failed and then passed, commits, prompts. */
function weightyIn(entries: readonly Numbered[]): Weighty[] {
  return entries.flatMap(({ n, entry }, at): Weighty[] => {
    if (isHostLine(entry)) return []
    if (entry.role === 'user' && entry.via !== undefined && !isPlan(entry))
      return [{ n, weight: 4, ask: 'the user answered or refused' }]
    if (entry.role === 'user') return entry.text.trim().length < MIN_PROMPT ? [] : [{ n, weight: 1, ask: 'a prompt' }]
    if (entry.role !== 'tool' || entry.name !== 'Bash') return []
    if (entry.ok === false && passesLater(entries, at, entry.cmd))
      return [{ n, weight: 3, ask: 'failed and passed later' }]
    return entry.ok === true && commitsIn(entry.cmd).length > 0 ? [{ n, weight: 2, ask: 'a commit' }] : []
  })
}

function passesLater(entries: readonly Numbered[], at: number, cmd: string): boolean {
  return entries.slice(at + 1).some(({ entry }) => entry.role === 'tool' && entry.ok === true && entry.cmd === cmd)
}

/** Covered by a fact from the same turn at or after this entry: a fact about the result of a prompt covers the prompt too. */
function isCited(entries: readonly Numbered[], n: number, cited: readonly number[]): boolean {
  const next = entries.find((one) => one.n > n && one.entry.role === 'user' && beginsTurn(one.entry))?.n
  return cited.some((one) => one >= n && (next === undefined || one < next))
}

function excerptOf(entries: readonly Numbered[], n: number): string {
  const entry = entries.find((one) => one.n === n)?.entry
  return entry === undefined ? '' : cut(spokenIn(entry).replace(/\s+/g, ' '), 2 * MAX_EXCERPT)
}
