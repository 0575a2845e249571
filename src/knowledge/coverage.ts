/** Coverage: which entries carry weight by structure and no fact cites, for whoever extracts the facts. */

import { cut, shorten } from '../text/shorten.ts'
import { type Numbered, spokenIn } from '../transcript/session.ts'
import { commitsIn } from '../transcript/shell.ts'
import type { NewFact } from './fact.ts'
import type { DraftQuestion } from './fact-draft.ts'

const MAX_QUESTIONS = 8
const MAX_EXCERPT = 200
/** A shorter prompt says yes, or goes on. */
const MIN_PROMPT = 30

interface Weighty {
  n: number
  weight: number
  ask: string
}

/** The weightiest first. */
export function uncovered(entries: readonly Numbered[], facts: readonly Pick<NewFact, 'evidence'>[]): DraftQuestion[] {
  const cited = facts.map(({ evidence }) => evidence.entry)
  return weightyIn(entries)
    .filter(({ n }) => !isCited(entries, n, cited))
    .sort((a, b) => b.weight - a.weight || a.n - b.n)
    .slice(0, MAX_QUESTIONS)
    .map(({ n, ask }) => ({ entry: n, excerpt: shorten(excerptOf(entries, n), MAX_EXCERPT), ask }))
}

/** Whether facts are asked for at all. */
export function carryWeight(entries: readonly Numbered[]): boolean {
  return weightyIn(entries).length > 0
}

/** Answers and refusals of the user, commands that failed and then passed, commits, prompts. */
function weightyIn(entries: readonly Numbered[]): Weighty[] {
  return entries.flatMap(({ n, entry }, at): Weighty[] => {
    if (entry.role === 'user' && entry.via !== undefined) return [{ n, weight: 4, ask: 'the user answered or refused' }]
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

/** By a fact out of the same turn, from this entry on: what a prompt led to is told about the prompt, too. */
function isCited(entries: readonly Numbered[], n: number, cited: readonly number[]): boolean {
  const next = entries.find((one) => one.n > n && one.entry.role === 'user' && one.entry.via === undefined)?.n
  return cited.some((one) => one >= n && (next === undefined || one < next))
}

function excerptOf(entries: readonly Numbered[], n: number): string {
  const entry = entries.find((one) => one.n === n)?.entry
  return entry === undefined ? '' : cut(spokenIn(entry).replace(/\s+/g, ' '), 2 * MAX_EXCERPT)
}
