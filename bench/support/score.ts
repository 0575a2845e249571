/** How much of what answers a question is found, as LoCoMo's users count it. */
import type { Said } from './corpus.ts'
import type { Question } from './locomo.ts'

/** What one question brought, each 0 to 1. */
export interface Score {
  r5: number
  r10: number
  s5: number
  s10: number
  /** One session at least that answers is the first, is among the first five. */
  hit1: number
  hit5: number
  /** Turns among the first ten of the longer list: how many are asked for should not matter. */
  long10: number
}

export const COLUMNS = ['r5', 'r10', 's5', 's10', 'hit1', 'hit5', 'long10'] as const
export const HEADINGS = ['R@5', 'R@10', 'sR@5', 'sR@10', 'session hit@1', 'session hit@5', 'R@10 of 100']

/** `found`: best first; `deeper`: the same, as many as ten sessions need. */
export function scoreOf(question: Question, found: readonly Said[], deeper: readonly Said[]): Score {
  const sessions = [...new Set(deeper.map(({ session }) => session))]
  const turns = found.map(({ id }) => id)
  const hit = (k: number): number => (sessions.slice(0, k).some((id) => question.sessions.has(id)) ? 1 : 0)
  return {
    r5: shareOf(question.gold, turns.slice(0, 5)),
    r10: shareOf(question.gold, turns.slice(0, 10)),
    s5: shareOf(question.sessions, sessions.slice(0, 5)),
    s10: shareOf(question.sessions, sessions.slice(0, 10)),
    hit1: hit(1),
    hit5: hit(5),
    long10: shareOf(
      question.gold,
      deeper.slice(0, 10).map(({ id }) => id),
    ),
  }
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

export function meanScore(scores: readonly Score[]): Score {
  return Object.fromEntries(
    COLUMNS.map((column) => [column, mean(scores.map((one) => one[column]))]),
  ) as unknown as Score
}

export function percents(score: Score, columns: readonly (typeof COLUMNS)[number][] = COLUMNS): string {
  return columns.map((column) => percent(score[column])).join(' | ')
}

export function percent(share: number): string {
  return (share * 100).toFixed(1)
}

/** A markdown table; the first column is text. */
export function table(headings: readonly string[], rows: readonly string[]): string {
  return [`| ${headings.join(' | ')} |`, `|---|${'--:|'.repeat(headings.length - 1)}`, ...rows].join('\n')
}

function shareOf(gold: ReadonlySet<string>, found: readonly string[]): number {
  return found.filter((id) => gold.has(id)).length / gold.size
}
