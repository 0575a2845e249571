/** What is open: issues of a model or a person, and what the last session left undone. The one definition for every place that counts it. */

import { isTaskOpen, tasksIn } from '../../kernel/sessions/delta.ts'
import { quotedWords } from '../../kernel/text/memory-words.ts'
import { shorten } from '../../kernel/text/shorten.ts'
import type { Numbered } from '../../kernel/transcript/session.ts'
import { tasksOf } from '../../kernel/transcript/shell.ts'
import { type Chapter, chaptersOf } from './chapters.ts'
import { type Story, sourceIn } from './story.ts'
import { isQuestionMarked, onOneLine } from './structure-text.ts'
import { PLACE } from './telling-lines.ts'
import { unitsOf } from './units.ts'

export interface OpenWork {
  kind: 'question' | 'task' | 'failing' | 'unpushed'
  text: string
  /** `1a2b3c4d#5`; empty: git said it. */
  source: string
}

const CHARS = 240

/** `unpushed`: commits of the current branch that no remote has. */
export function openWorkOf(
  story: Story | null,
  isCarriedOut: boolean,
  unpushed: { branch: string; count: number } | null,
): OpenWork[] {
  const commits =
    unpushed === null
      ? []
      : [
          {
            kind: 'unpushed' as const,
            text: `${unpushed.count} ${unpushed.count === 1 ? `commit of ${unpushed.branch} is` : `commits of ${unpushed.branch} are`} on no remote`,
            source: '',
          },
        ]
  const last = story === null ? undefined : chaptersOf(story).at(-1)
  if (story === null || last === undefined) return commits
  const source = (n: number): string => sourceIn(story, n)
  // A git turn behind it ("commit it") has answered the question.
  const isAnswered = last.answerN < (story.turns.at(-1)?.n ?? 0)
  const questions = isCarriedOut || isAnswered ? [] : questionsOf(last)
  return [
    ...questions.map(({ text, n }) => ({ kind: 'question' as const, text, source: source(n) })),
    ...undoneIn(story, last).map(({ text, n }) => ({
      kind: 'task' as const,
      text: shorten(onOneLine(text), CHARS),
      source: source(n),
    })),
    ...failingIn(last).map(({ text, n }) => ({ kind: 'failing' as const, text, source: source(n) })),
    ...commits,
  ]
}

/** Dialogs that nobody answered, also if Claude went on without an answer, and the question with which the last answer ends. */
function questionsOf({ answer, answerN, isMade, turn }: Chapter): { text: string; n: number }[] {
  const open = new Map<string, number>()
  for (const { n, entry } of turn.entries) {
    if (entry.role !== 'tool' || entry.name !== 'AskUserQuestion') continue
    open.delete(entry.cmd)
    if (entry.ok === null) open.set(entry.cmd, n)
  }
  const asked = [...open].map(([cmd, n]) => ({ text: shorten(onOneLine(cmd), CHARS), n }))
  const final = turn.entries.at(-1)?.entry
  if (final?.role === 'tool' && final.name === 'AskUserQuestion')
    return final.ok === false ? [...asked, { text: shorten(onOneLine(final.cmd), CHARS), n: answerN }] : asked
  const unit = isMade ? undefined : unitsOf(answer).at(-1)
  const isOpen = unit !== undefined && isQuestionMarked(unit.text) && unit.text.length <= CHARS
  return isOpen ? [...asked, { text: unit.text, n: answerN }] : asked
}

/** Tasks of Claude's list that the last turn left open. What an earlier turn left is a leftover of a compaction. */
function undoneIn(story: Story, last: Chapter): { text: string; n: number }[] {
  const entries: Numbered[] = story.turns.flatMap((turn) => [...turn.entries])
  return tasksIn(entries).filter((task) => isTaskOpen(task) && task.n >= last.turn.n)
}

/** The tasks of runners whose last run in this turn failed. */
function failingIn({ turn }: Chapter): { text: string; n: number }[] {
  const ran = new Map<string, { n: number; ok: boolean | null; output: string }>()
  for (const { n, entry } of turn.entries) {
    if (entry.role !== 'tool' || entry.name !== 'Bash' || entry.refused === true) continue
    // A pipe hides how its first commands ended, a chain which of its links failed.
    const tasks = tasksOf(entry.cmd)
    const isKnown = entry.ok !== false || tasks.length === 1
    if (isKnown)
      for (const task of tasks)
        if (/^(?!git |gh )\S+ \S/.test(task)) ran.set(task, { n, ok: entry.ok, output: entry.output ?? '' })
  }
  return [...ran].flatMap(([task, { n, ok, output }]) => {
    const line = output.split('\n').findLast((one) => PLACE.test(one))
    if (ok !== false || line === undefined) return []
    return [{ text: `\`${task}\` fails: ${quotedWords(shorten(onOneLine(line), 160))}`, n }]
  })
}
