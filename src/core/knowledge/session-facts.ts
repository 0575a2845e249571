/** Facts of one session: the important entries, and the file that shows them (`….l2.json`). */

import { parseObject } from '../../kernel/platform/json.ts'
import { cut, shorten } from '../../kernel/text/shorten.ts'
import { beginsTurn, isHostLine, isPlan, type Numbered, spokenIn } from '../../kernel/transcript/session.ts'
import { commitsIn } from '../../kernel/transcript/shell.ts'
import type { DraftQuestion } from './fact-draft.ts'
import type { Fact, NewFact } from './item.ts'
import { fieldsOf } from './item-fields.ts'

/** Before, 0.6 kept in the file what was extracted, whatever became of it in facts.json. */
const VERSION = 2
/** Of facts.json, where all of a fact stands. */
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

/** `….l2.json`: the facts that were first said in a session (id8), one per line. Null: there are none. */
export function renderSessionFacts(session: string, facts: readonly Fact[]): string | null {
  if (facts.length === 0) return null
  const inOrder = facts.toSorted((a, b) => a.evidence.entry - b.evidence.entry)
  const lines = inOrder.map((fact) => {
    const fields = fieldsOf(fact)
    return `  ${JSON.stringify(Object.fromEntries(FIELDS.map((name) => [name, fields[name]])))}`
  })
  return `{"version": ${VERSION}, "session": ${JSON.stringify(session)},\n"facts": [\n${lines.join(',\n')}\n]}\n`
}

/** Whether the text is such a file, and not what 0.6 extracted or a person wrote. */
export function isSessionFacts(text: string): boolean {
  return parseObject(text)?.version === VERSION
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
