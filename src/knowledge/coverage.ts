/** Coverage: which entries carry weight by structure and no fact cites, as questions to whoever extracts the facts. */

import { cut, shorten } from '../text/shorten.ts'
import { type Numbered, spokenIn } from '../transcript/session.ts'
import { commitsIn } from '../transcript/shell.ts'
import type { NewFact } from './fact.ts'
import type { DraftQuestion } from './fact-draft.ts'

const MAX_QUESTIONS = 8
const MAX_EXCERPT = 200
/** A shorter prompt says yes, or goes on. */
const MIN_PROMPT = 30
const PROMPT_WEIGHT = 1

interface Weighty {
  n: number
  weight: number
  ask: string
}

/**
 * The weightiest first. `nothingIn`: entries that somebody looked at and found nothing in. Prompts are asked about only with
 * something else that is wrong: a round for them alone would cost a call each time.
 */
export function uncovered(
  entries: readonly Numbered[],
  facts: readonly Pick<NewFact, 'evidence'>[],
  nothingIn: ReadonlySet<number>,
  which: 'all' | 'without prompts' = 'without prompts',
): DraftQuestion[] {
  const cited = [...facts.map(({ evidence }) => evidence.entry), ...nothingIn]
  return weightyIn(entries)
    .filter(({ n, weight }) => !isCited(entries, n, cited) && (which === 'all' || weight > PROMPT_WEIGHT))
    .sort((a, b) => b.weight - a.weight || a.n - b.n)
    .slice(0, MAX_QUESTIONS)
    .map(({ n, weight, ask }) => ({
      entry: n,
      weight,
      excerpt: shorten(excerptOf(entries, n), MAX_EXCERPT),
      ask: `${ask}, or put ${n} into nothingIn.`,
    }))
}

/** Whether a model is asked about these entries at all. */
export function carryWeight(entries: readonly Numbered[]): boolean {
  return weightyIn(entries).length > 0
}

/** Answers and refusals of the user, commands that failed and then passed, commits, prompts. */
function weightyIn(entries: readonly Numbered[]): Weighty[] {
  return entries.flatMap(({ n, entry }, at): Weighty[] => {
    if (entry.role === 'user' && entry.via !== undefined)
      return [{ n, weight: 4, ask: 'The user answered or refused. Say what holds as a decision with its quote' }]
    if (entry.role === 'user')
      return entry.text.trim().length < MIN_PROMPT
        ? []
        : [{ n, weight: PROMPT_WEIGHT, ask: 'Does a later session need this? Say it as a fact with its quote' }]
    if (entry.role !== 'tool' || entry.name !== 'Bash') return []
    if (entry.ok === false && passesLater(entries, at, entry.cmd))
      return [
        { n, weight: 3, ask: 'It failed and passed later. Say why as a resolved issue or a pattern with its quote' },
      ]
    return entry.ok === true && commitsIn(entry.cmd).length > 0
      ? [{ n, weight: 2, ask: 'Was something decided or solved with this commit? Say it as a fact with its quote' }]
      : []
  })
}

function passesLater(entries: readonly Numbered[], at: number, cmd: string): boolean {
  return entries.slice(at + 1).some(({ entry }) => entry.role === 'tool' && entry.ok === true && entry.cmd === cmd)
}

/** By a fact out of the same turn, from this entry on: what a prompt led to is told about the prompt, too. */
function isCited(entries: readonly Numbered[], n: number, cited: readonly number[]): boolean {
  const next = entries.find((one) => one.n > n && one.entry.role === 'user' && one.entry.via === undefined)?.n
  return cited.some((one) => one >= n && (next === undefined || one < next))
}

function excerptOf(entries: readonly Numbered[], n: number): string {
  const entry = entries.find((one) => one.n === n)?.entry
  return entry === undefined ? '' : cut(spokenIn(entry).replace(/\s+/g, ' '), 2 * MAX_EXCERPT)
}
