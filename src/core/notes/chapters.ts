/** A story as it is told: git turns stand with the work that they commit, and turns without a closing answer get one from what was said. */

import { perObject } from '../../kernel/text/once.ts'
import { stemsOf } from '../../kernel/text/words.ts'
import type { Numbered } from '../../kernel/transcript/session.ts'
import { commitBodyIn, isElsewhere } from '../../kernel/transcript/shell.ts'
import { isSaid, type Story, type StoryTurn } from './story.ts'
import type { MadeCommit } from './story-git.ts'
import { EDITS, isPlanFile } from './structure-text.ts'
import { isConcrete, unitsOf } from './units.ts'

const SHORT_PROMPT = 40
const LENT_PROMPT = 120

/** One turn as it is told: a git turn behind it lends its answer, and its commits stand with the work they contain. */
export interface Chapter {
  turn: StoryTurn
  answer: string
  answerN: number
  /** The answer is sentences from between tool uses: the turn has no closing answer. */
  isMade: boolean
  commits: MadeCommit[]
  pulls: string[]
  /** The last entry of its turn, and of the git turns behind it. */
  lastN: number
}

export const chaptersOf = perObject((story: Story): readonly Chapter[] => {
  const chapters: Chapter[] = []
  for (const turn of story.turns) {
    const { answer, answerN, commits, pulls } = turn
    const before = chapters.at(-1)
    const isLent = before !== undefined && turn.isGit && before.answer === '' && answer !== ''
    if (before !== undefined && turn.isGit && turn.comments.length === 0) {
      const isFolded = turn.asked.length <= SHORT_PROMPT || (isLent && turn.asked.length <= LENT_PROMPT)
      if (isFolded) {
        if (isLent) [before.answer, before.answerN] = [answer, answerN]
        before.lastN = turn.entries.at(-1)?.n ?? before.lastN
        before.commits.push(...commits)
        before.pulls.push(...pulls)
        continue
      }
    }
    chapters.push({
      turn,
      answer,
      answerN,
      isMade: false,
      commits: [...commits],
      pulls: [...pulls],
      lastN: turn.entries.at(-1)?.n ?? turn.n,
    })
  }
  for (const chapter of chapters) {
    if (chapter.answer !== '' || (chapter.turn.isInterrupted && chapter !== chapters.at(-1))) continue
    const made = madeAnswer(chapter.turn)
    if (made !== '') Object.assign(chapter, { answer: made, isMade: true })
  }
  return chapters
})

/** How many of the last texts stand in for a closing answer. */
const LAST_TEXTS = 3

/** In place of a closing answer: what the commit message says, or the concrete sentences of the last texts. */
function madeAnswer(turn: StoryTurn): string {
  const bodies = turn.entries.flatMap(({ entry }) =>
    entry.role === 'tool' && entry.name === 'Bash' && entry.ok !== false && !isElsewhere(entry.cmd)
      ? [commitBodyIn(entry.cmd)]
      : [],
  )
  const body = bodies.findLast((text) => text !== '') ?? ''
  if (body !== '') return body
  const texts = turn.entries.flatMap(({ entry }, at) =>
    isSaid(entry) && 'text' in entry ? [{ text: entry.text, at }] : [],
  )
  const last = texts.at(-1)
  return texts
    .slice(-LAST_TEXTS)
    .flatMap(({ text, at }) => {
      const units = unitsOf(text).filter(({ kind }) => kind !== 'code' && kind !== 'heading')
      const isKept = at === last?.at && !turn.isInterrupted && !announces(units.at(-1)?.text ?? '', turn.entries, at)
      return (isKept ? units : units.slice(0, -1))
        .map((unit) => unit.text)
        .filter((one) => isConcrete(one) && !/[:?：？]$/.test(one))
    })
    .join('\n')
}

/** It shares a word with a command that follows. */
function announces(sentence: string, entries: readonly Numbered[], at: number): boolean {
  const words = new Set(stemsOf(sentence))
  return entries
    .slice(at + 1)
    .some(({ entry }) => entry.role === 'tool' && stemsOf(entry.cmd).some((stem) => words.has(stem)))
}

/** The files that the session changed, newest last, by their names. */
export function changedIn(story: Story): string[] {
  return editedIn(story.turns.flatMap(({ entries }) => entries))
}

export function editedIn(entries: readonly Numbered[]): string[] {
  const names = entries.flatMap(({ entry }) =>
    entry.role === 'tool' && EDITS.has(entry.name) && entry.ok === true && !isPlanFile(entry)
      ? [entry.cmd.slice(entry.cmd.search(/[^/\\]*$/))]
      : [],
  )
  return [...new Set(names.toReversed())].reverse()
}

/** The last chapter that did work: a git turn, or a turn without an answer behind one with it, is no state. */
export function whereItStands(story: Story): Chapter | null {
  const chapters = chaptersOf(story)
  const last = chapters.at(-1)
  if (last === undefined) return null
  return last.answer !== '' || last.turn.isInterrupted || last.turn.shown !== ''
    ? last
    : (chapters.findLast(({ answer }) => answer !== '') ?? last)
}
