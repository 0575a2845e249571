/**
 * A digest from structure alone: who spoke, what was run, what failed, what was asked and answered, and where it stands in its
 * turn. No word list. Every line is word for word, or counted.
 */
import type { Numbered } from '../sessions/digest-types.ts'
import { splitSentences } from '../text/sentences.ts'
import { shorten } from '../text/shorten.ts'
import { chosenIn } from '../transcript/digest-dialog.ts'
import { commitsIn, writesIn } from '../transcript/digest-shell.ts'
import { commandLines } from './structure-commands.ts'
import { EDITS, isQuestionMarked, oneLine, paragraphsOf, proseOf } from './structure-text.ts'
import { headOf, type Turn, turnLines, turnsOf } from './structure-turns.ts'

/** Parts of the room, in this order. What one source leaves goes to the next. Small changes change little: do not tune them. */
const SHARES = { end: 16, dialogs: 12, commits: 7, files: 4, commands: 13, turns: 55 } as const
const MOST_END_CHARS = 1_200
const QUESTION_CHARS = 170
const ANSWER_CHARS = 220
const COMMIT_CHARS = { least: 50, most: 300 }

type Source = keyof typeof SHARES

/** At most about `room` characters, in lines. Empty: nothing was said or done. */
export function structureOf(entries: readonly Numbered[], room: number): string {
  const turns = turnsOf(entries)
  const makers: Record<Source, (chars: number) => string[]> = {
    end: (chars) => endLines(entries, Math.min(chars, MOST_END_CHARS)),
    dialogs: (chars) => within(dialogLines(turns), chars),
    commits: (chars) => commitLines(entries, chars),
    files: (chars) => within(fileLines(entries), chars),
    commands: (chars) => within(commandLines(entries), chars),
    turns: (chars) => turnLines(turns, chars),
  }
  const all = Object.values(SHARES).reduce((sum, share) => sum + share, 0)
  const lines: string[] = []
  let left = 0
  for (const source of Object.keys(SHARES) as Source[]) {
    const chars = Math.floor((room * SHARES[source]) / all) + left
    const made = makers[source](chars)
    left = Math.max(0, chars - made.reduce((sum, line) => sum + line.length + 1, 0))
    lines.push(...made)
  }
  return lines.join('\n')
}

/** Where it stands: the first 200 characters of how it ended; null: Claude said nothing. */
export function standOf(entries: readonly Numbered[]): string | null {
  const [line] = endLines(entries, 200)
  return line ?? null
}

/** The last answer from its end, in whole paragraphs as far as they fit. */
function endLines(entries: readonly Numbered[], chars: number): string[] {
  const at = entries.findLastIndex(({ entry }) => entry.role === 'assistant' && proseOf(entry.text) !== '')
  const last = entries[at]?.entry
  if (last?.role !== 'assistant') return []
  const text = proseOf(last.text)
  const isFollowed = entries.slice(at + 1).some(({ entry }) => entry.role === 'tool')
  const isAsking = at === entries.length - 1 && isQuestionMarked(text)
  const heading = isAsking
    ? 'Ended with a question nobody answered'
    : isFollowed
      ? 'Last words (tool uses followed)'
      : 'Ended'
  const room = chars - heading.length - 2
  const kept: string[] = []
  for (const paragraph of paragraphsOf(text).reverse()) {
    const used = kept.reduce((sum, one) => sum + one.length + 1, 0)
    if (used + paragraph.length > room) break
    kept.unshift(paragraph)
  }
  const end = kept.length > 0 ? kept.join(' ') : lastSentences(paragraphsOf(text).at(-1) ?? '', room)
  return end === '' ? [] : [`${heading}: ${end}`]
}

function lastSentences(paragraph: string, room: number): string {
  const kept: string[] = []
  for (const sentence of splitSentences(paragraph).reverse()) {
    if (kept.join(' ').length + sentence.length + 1 > room) break
    kept.unshift(sentence)
  }
  return kept.length > 0 ? kept.join(' ') : room > 20 ? shorten(paragraph, room) : ''
}

/** Answered questions, plans with what became of them, and refused tool uses with the comment that was typed. */
function dialogLines(turns: readonly Turn[]): string[] {
  return turns.flatMap(({ entries }, i) => {
    const next = headOf(turns[i + 1]?.prompt ?? '', '', [])
    return entries.flatMap(({ entry }, at) => {
      if (entry.role === 'user' && entry.via === 'AskUserQuestion')
        return chosenIn(entry.text).map(
          ({ question, answer }) => `Asked: ${shorten(question, QUESTION_CHARS)} → ${shorten(answer, ANSWER_CHARS)}`,
        )
      if (entry.role !== 'tool') return []
      if (entry.name === 'ExitPlanMode') return [planLine(entry, turns.slice(i + 1))]
      if (entry.refused !== true) return []
      const comment = entries
        .slice(at + 1, at + 3)
        .find((one) => one.entry.role === 'user' && one.entry.via === entry.name)
      const words = comment !== undefined && 'text' in comment.entry ? comment.entry.text : next
      return [
        `Refused: ${entry.name} ${shorten(oneLine(entry.cmd), 80)}${words === '' ? '' : ` – ${shorten(oneLine(words), ANSWER_CHARS)}`}`,
      ]
    })
  })
}

/** A plan that is carried out in a cleared context comes back in a later prompt, with its heading. */
function planLine(
  { cmd, ok, refused }: { cmd: string; ok: boolean | null; refused?: true },
  later: readonly Turn[],
): string {
  const heading = oneLine(cmd.split('\n').find((line) => line.trim() !== '') ?? '').replace(/^#+ /, '')
  const isTakenUp = heading !== '' && later.some(({ prompt }) => prompt.includes(heading))
  const state = refused === true ? 'refused' : ok === true || isTakenUp ? 'approved' : 'written (no approval seen)'
  return `Plan ${state}: ${shorten(heading, QUESTION_CHARS)}`
}

interface Commit {
  at: number
  message: string
}

function commitsOf(entries: readonly Numbered[]): Commit[] {
  return entries.flatMap(({ entry }, at) =>
    entry.role === 'tool' && entry.name === 'Bash' && entry.ok === true
      ? commitsIn(entry.cmd).map((message) => ({ at, message: oneLine(message) }))
      : [],
  )
}

/** The newest has twice the room of the oldest. */
function commitLines(entries: readonly Numbered[], chars: number): string[] {
  const commits = commitsOf(entries)
  const weights = commits.map((_, i) => 1 + (commits.length === 1 ? 1 : i / (commits.length - 1)))
  const sum = weights.reduce((a, b) => a + b, 0)
  const lines = commits.map(({ message }, i) => {
    const share = Math.floor((chars * (weights[i] ?? 1)) / sum) - 'Committed: '.length
    return `Committed: ${shorten(message, Math.min(COMMIT_CHARS.most, Math.max(COMMIT_CHARS.least, share)))}`
  })
  return within(lines.reverse(), chars).reverse()
}

/** Which files were changed, how often, and whether they were committed afterwards. */
function fileLines(entries: readonly Numbered[]): string[] {
  const changed = new Map<string, { times: number; last: number }>()
  const note = (file: string, at: number): void => {
    changed.set(file, { times: (changed.get(file)?.times ?? 0) + 1, last: at })
  }
  for (const [at, { entry }] of entries.entries()) {
    if (entry.role !== 'tool' || entry.ok !== true) continue
    if (EDITS.has(entry.name)) note(entry.cmd, at)
    if (entry.name === 'Bash') for (const { path } of writesIn(entry.cmd)) note(path, at)
  }
  if (changed.size === 0) return []
  const committed = commitsOf(entries).at(-1)?.at ?? -1
  const later = [...changed.values()].filter(({ last }) => last > committed).length
  const state =
    committed < 0 ? 'no commit seen' : later === 0 ? 'all committed' : `${later} changed after the last commit`
  const names = [...changed].map(([file, { times }]) => (times > 1 ? `${file} (${times}×)` : file))
  return [`Changed (${state}): ${names.join(', ')}`]
}

/** Whole lines, in their order, as far as they fit. A first line that is too long is shortened. */
function within(lines: readonly string[], chars: number): string[] {
  const kept: string[] = []
  let room = chars
  for (const line of lines) {
    const text = kept.length === 0 && line.length > room && room > 60 ? shorten(line, room) : line
    if (text.length + 1 > room) continue
    kept.push(text)
    room -= text.length + 1
  }
  return kept
}
