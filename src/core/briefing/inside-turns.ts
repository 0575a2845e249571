/** What stands inside the turns of a session where room is left: findings, commands that failed, and what commands printed. */

import { quotedWords } from '../../kernel/text/memory-words.ts'
import { shorten } from '../../kernel/text/shorten.ts'
import { isElsewhere } from '../../kernel/transcript/shell.ts'
import type { Chapter } from '../notes/chapters.ts'
import { type FoundSentence, findingsIn } from '../notes/findings.ts'
import { type Story, sourceIn } from '../notes/story.ts'
import { failuresIn, failureText, isLook, isSameTask, restLines } from '../notes/structure-commands.ts'
import { type AuthoredLine, MARK_CHARS, writtenLine } from '../receipts/authored-line.ts'

/** The places inside a turn. */
export const ORDER = { asked: 0, comment: 1, failed: 2, found: 3, answer: 4, commit: 5, opened: 6, end: 7 } as const

/** A line and its place: the entry of its turn, then its place inside. */
export interface Placed {
  n: number
  order: number
  line: AuthoredLine
}

export function costOfLine(line: AuthoredLine): number {
  return writtenLine(line).length + 3
}

export function costOfAll(placed: readonly Placed[]): number {
  return placed.reduce((sum, { line }) => sum + costOfLine(line), 0)
}

/** Findings in the room that is left, inside their turns and before their answers, so that the answer overrules them. */
export function foundLines(
  story: Story,
  chapters: readonly Chapter[],
  lines: readonly Placed[],
  room: number,
  isAnnouncement: (sentence: string) => boolean,
  isCovered: (n: number) => boolean,
): Placed[] {
  const turns = new Map(chapters.map(({ turn }) => [story.turns.indexOf(turn), turn]))
  // Sentences that stand in for a closing answer are told as such.
  const made = chapters.filter(({ isMade }) => isMade).map(({ answer }) => answer)
  const words = [...made, ...lines.map(({ line }) => line.text)].join('\n')
  let left = room
  const take = ({ n, turn, text }: FoundSentence): boolean => {
    const price = text.length + MARK_CHARS + 3
    if (!turns.has(turn) || isCovered(n) || price > left || words.includes(text.slice(0, 40))) return false
    left -= price
    return true
  }
  const found = findingsIn(story, isAnnouncement, words, take)
  const byTurn = new Map<number, FoundSentence[]>()
  for (const one of found.toSorted((a, b) => a.n - b.n)) byTurn.set(one.turn, [...(byTurn.get(one.turn) ?? []), one])
  return [...byTurn].map(([turn, some]) => ({
    n: turns.get(turn)?.n ?? 0,
    order: ORDER.found,
    line: {
      by: 'claude',
      kind: 'found',
      text: some.map(({ text }) => text).join(' '),
      source: sourceIn(story, some[0]?.n ?? 0),
    },
  }))
}

const FAILED_CHARS = 280

/** Commands that failed and did not simply pass later, with the line that matters: newest first as far as room is left. */
export function failedLines(
  story: Story,
  chapters: readonly Chapter[],
  room: number,
  isCovered: (n: number) => boolean,
  isAlone: boolean,
): Placed[] {
  let left = room
  const failures = chapters.flatMap(({ turn }) => failuresIn(turn.entries).map((failed) => ({ turn, failed })))
  return failures.toReversed().flatMap(({ turn, failed }): Placed[] => {
    const { cmd, passed } = failed
    if (failed.line === '' || isCovered(failed.n) || isLook(cmd) || isElsewhere(cmd)) return []
    if (!isAlone && (failed.isRunAgain || (passed !== null && isSameTask(cmd, passed.cmd)))) return []
    const line: AuthoredLine = {
      by: 'tool',
      kind: 'failed',
      text: shorten(failureText(failed, quotedWords), FAILED_CHARS),
      source: sourceIn(story, failed.n),
    }
    if (costOfLine(line) > left) return []
    left -= costOfLine(line)
    return [{ n: turn.n, order: ORDER.failed, line }]
  })
}

/** Commands with what they printed, newest first as far as room is left. */
export function ranLines(
  story: Story,
  chapters: readonly Chapter[],
  lines: readonly Placed[],
  room: number,
  isCovered: (n: number) => boolean,
): Placed[] {
  let left = room
  const words = lines.map(({ line }) => line.text).join('\n')
  return chapters.toReversed().flatMap(({ turn }) => {
    const looks = new Set(turn.entries.flatMap(({ n, entry }) => ('name' in entry && isLook(entry.cmd) ? [n] : [])))
    return restLines(turn.entries, words, quotedWords).flatMap(({ text, n }): Placed[] => {
      const line: AuthoredLine = { by: 'tool', kind: 'ran', text, source: sourceIn(story, n) }
      if (looks.has(n) || isCovered(n) || costOfLine(line) > left) return []
      left -= costOfLine(line)
      return [{ n: turn.n, order: ORDER.failed, line }]
    })
  })
}
