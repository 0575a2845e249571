/**
 * A digest from structure alone: who spoke, what was run, what failed, what was asked and answered, and its position in the
 * turn. No word list. Every line is copied word for word, or counted.
 */
import type { Stands } from '../../kernel/memory/session-state.ts'
import { isTaskOpen, tasksIn } from '../../kernel/sessions/delta.ts'
import { perObject } from '../../kernel/text/once.ts'
import { select } from '../../kernel/text/select.ts'
import { splitSentences } from '../../kernel/text/sentences.ts'
import { escapedComments, shorten } from '../../kernel/text/shorten.ts'
import { estimateTokens } from '../../kernel/text/tokens.ts'
import type { Numbered } from '../../kernel/transcript/session.ts'
import { commitsIn, isElsewhere } from '../../kernel/transcript/shell.ts'
import { reportLines } from './report-outline.ts'
import { ALSO_RAN, commandLines, restLines } from './structure-commands.ts'
import { dialogLines } from './structure-dialogs.ts'
import { fileLines } from './structure-files.ts'
import { documentIn, isQuestionMarked, type Line, onOneLine, paragraphsOf, proseOf } from './structure-text.ts'
import { lastSentences, promptHead, turnLines, turnsOf } from './structure-turns.ts'

/** Shares of the room, in this order. Room that one source does not use goes to the next. Small changes have little effect: do not tune them. */
const SHARES = {
  branch: 1,
  end: 16,
  dialogs: 12,
  tasks: 7,
  commits: 7,
  files: 4,
  reports: 6,
  commands: 13,
  turns: 55,
} as const
const MOST_END_CHARS = 1_200
const STAND_CHARS = { end: 320, leastAsked: 12, asked: 160, refused: 160, open: 200 }
const TO_DO = 'To do: '
/** A minimum whatever the room: readers most often ask which files were changed. */
const LEAST_FILES_CHARS = 500
const COMMIT_CHARS = { least: 50, most: 300 }
/** Less room is not worth a second pass. */
const LEAST_LEFT = 150
/** The tasks of a finished list are named up to this length. */
const DONE_CHARS = 260

export type StructureSource = keyof typeof SHARES

/** One line, and the entry it comes from. */
export interface StructureLine {
  source: StructureSource
  text: string
  n: number
}

const withoutMachine = perObject((entries: readonly Numbered[]) =>
  entries.filter(({ entry }) => !(entry.role === 'assistant' && entry.by === 'machine')),
)

/**
 * At most about `room` characters. Empty: nothing was said or done. A `record` is kept, and leaves out what a later session may change;
 * `now` is told at once.
 */
export function structureLines(
  entries: readonly Numbered[],
  room: number,
  as: 'record' | 'now' = 'record',
): StructureLine[] {
  const known = withoutMachine(entries)
  const turns = turnsOf(known)
  const lines: StructureLine[] = []
  const makers: Record<StructureSource, (chars: number) => Line[]> = {
    branch: () => branchLine(known),
    end: (chars) => endLines(known, Math.min(chars, MOST_END_CHARS)),
    dialogs: (chars) => within(dialogLines(turns), chars),
    tasks: (chars) => within(as === 'now' ? taskLines(known) : doneLines(known), chars),
    commits: (chars) => commitLines(known, chars),
    files: (chars) => within(fileLines(known), Math.max(chars, LEAST_FILES_CHARS)),
    reports: (chars) => within(reportLines(known), chars),
    commands: (chars) => within(commandLines(known), chars),
    turns: (chars) => turnLines(turns, chars, textOf(lines), 'worthy'),
  }
  const all = Object.values(SHARES).reduce((sum, share) => sum + share, 0)
  let left = 0
  for (const source of Object.keys(SHARES) as StructureSource[]) {
    const chars = Math.floor((room * SHARES[source]) / all) + left
    const made = makers[source](chars)
    left = Math.max(0, chars - lengthOf(made))
    lines.push(...made.map(({ text, n }) => ({ source, text: escapedComments(text), n })))
  }
  return left < LEAST_LEFT ? lines : withRest(lines, left)

  /** Room is left after all sources: adds the other commands, then the other sentences. */
  function withRest(chosen: readonly StructureLine[], rest: number): StructureLine[] {
    const others = chosen.filter(({ source }) => source !== 'turns')
    const more = within(
      restLines(known, textOf(chosen)).map(({ text, n }) => ({ text: `Ran: ${text}`, n })),
      rest,
    )
    const said = chosen.filter(({ source }) => source === 'turns')
    const chars = lengthOf(said) + rest - lengthOf(more)
    const isRepeated = (text: string): boolean => more.some((line) => line.text.startsWith(`${text} → `))
    const fixed = [
      ...others.filter(({ text }) => more.length === 0 || !(text.startsWith(ALSO_RAN) || isRepeated(text))),
      ...more.map(({ text, n }) => ({ source: 'commands' as const, text: escapedComments(text), n })),
    ]
    const words = turnLines(turns, chars, textOf(fixed), 'any')
    return [...fixed, ...words.map(({ text, n }) => ({ source: 'turns' as const, text: escapedComments(text), n }))]
  }
}

function textOf(lines: readonly Line[]): string {
  return lines.map(({ text }) => text).join('\n')
}

function lengthOf(lines: readonly Line[]): number {
  return lines.reduce((sum, { text }) => sum + text.length + 1, 0)
}

/** The digest as the text of a note. */
export function structureOf(entries: readonly Numbered[], room: number): string {
  return textOf(structureLines(entries, room))
}

const CHARS_PER_TOKEN = 4

/** At most `maxTokens` tokens. Other scripts need more tokens per character: for these the digest is made again with less room. */
export function structureWithin(entries: readonly Numbered[], maxTokens: number): string {
  const room = maxTokens * CHARS_PER_TOKEN
  const whole = structureLines(entries, room)
  const tokens = estimateTokens(textOf(whole))
  const lines = tokens <= maxTokens ? whole : structureLines(entries, Math.floor((room * maxTokens) / tokens))
  return select(lines, maxTokens, { cost: (text) => estimateTokens(`${text}\n`) })
    .map(({ text }) => text)
    .join('\n')
}

/** Where the work stands: how it ended, the last request, refusals of the last turn, open tasks. Null: nothing was said. */
export function standOf(entries: readonly Numbered[]): string | null {
  const known = withoutMachine(entries)
  const turns = turnsOf(known)
  const last = turns.at(-1)
  if (last === undefined) return null
  const head = turns.length === 1 ? '' : promptHead(last.prompt, '', last.entries)
  // A prompt of one word ("approved") says nothing without what it answered.
  const asked = head.length > STAND_CHARS.leastAsked ? head : ''
  const todo = taskLines(known).filter(({ text }) => text.startsWith(TO_DO))
  const open = todo.map(({ text }) => text.slice(TO_DO.length)).join('; ')
  const parts = [
    ...endLines(known, STAND_CHARS.end).map(({ text }) => text),
    ...(asked === '' ? [] : [`Asked last: ${shorten(asked, STAND_CHARS.asked)}`]),
    ...dialogLines([last])
      .filter(({ text }) => /^(?:Refused|Not answered): /.test(text))
      .slice(-1)
      .map(({ text }) => shorten(text, STAND_CHARS.refused)),
    ...(open === '' ? [] : [`${TO_DO}${shorten(open, STAND_CHARS.open)}`]),
  ]
  return parts.length === 0 ? null : escapedComments(parts.map(ended).join(' '))
}

/** Adds a full stop unless the text has an end mark. */
function ended(text: string): string {
  return /[.!?:;…。！？]["'”’)\]`*」』）]*$/u.test(text) ? text : `${text}.`
}

/** The same, as stored in a session's state. `to`: the end of these entries. */
export function standsOf(entries: readonly Numbered[], to: number): Stands {
  return { text: standOf(entries) ?? '', to, by: 'extractive' }
}

function branchLine(entries: readonly Numbered[]): Line[] {
  const last = entries.findLast(({ entry }) => entry.role !== 'tombstone' && entry.branch !== undefined)
  return last === undefined || last.entry.role === 'tombstone'
    ? []
    : [{ text: `Branch: ${shorten(onOneLine(last.entry.branch ?? ''), 100)}`, n: last.n }]
}

/**
 * The end of the last answer that closed a turn, in whole paragraphs as far as they fit; for an answer that is one document, its
 * beginning. Text that a tool use follows is no end.
 */
function endLines(entries: readonly Numbered[], chars: number): Line[] {
  const final = entries.at(-1)?.entry
  // A dialog that was never answered.
  const asked = final?.role === 'tool' && final.name === 'AskUserQuestion' ? onOneLine(final.cmd) : ''
  const at = asked === '' ? closingAt(entries) : entries.findLastIndex(({ entry }) => isSaid(entry))
  const { entry: last, n } = entries[at] ?? {}
  if (last?.role !== 'assistant' || n === undefined) return []
  const text = proseOf(last.text)
  const isAsking = asked !== '' || (at === entries.length - 1 && isQuestionMarked(text))
  const heading = isAsking ? 'Ended with a question nobody answered' : 'Ended'
  const room = chars - heading.length - 2
  const document = asked === '' ? documentIn(last.text) : ''
  if (document !== '') return [{ text: `${heading}: ${shorten(document, room)}`, n }]
  const kept: string[] = []
  const paragraphs = [...paragraphsOf(text), ...(asked === '' ? [] : [asked])]
  for (const paragraph of paragraphs.toReversed()) {
    const used = kept.reduce((sum, one) => sum + one.length + 1, 0)
    if (used + paragraph.length > room) break
    kept.unshift(paragraph)
  }
  const end = kept.length > 0 ? kept.join(' ') : lastSentences(splitSentences(paragraphs.at(-1) ?? ''), room)
  return end === '' ? [] : [{ text: `${heading}: ${end}`, n }]
}

function isSaid(entry: Numbered['entry']): boolean {
  return entry.role === 'assistant' && proseOf(entry.text) !== ''
}

/** The last text that no tool use of its turn follows; -1: none. */
function closingAt(entries: readonly Numbered[]): number {
  let isFollowed = false
  for (let at = entries.length - 1; at >= 0; at--) {
    const entry = entries[at]?.entry
    if (entry?.role === 'tool') isFollowed = true
    else if (entry?.role === 'user' && entry.via === undefined) isFollowed = false
    else if (entry !== undefined && isSaid(entry) && !isFollowed) return at
  }
  return -1
}

/** The open tasks; if all are done, the finished ones. */
const taskLines = perObject((entries: readonly Numbered[]): readonly Line[] => {
  const open = tasksIn(entries).filter(isTaskOpen)
  if (open.length === 0) return doneLines(entries)
  return open.map((task) => ({
    text: `${TO_DO}${onOneLine(task.text)}${task.state === 'in_progress' ? ' (begun)' : ''}`,
    n: task.n,
  }))
})

/** The tasks, if all are done: what is open may be done later. */
const doneLines = perObject((entries: readonly Numbered[]): readonly Line[] => {
  const tasks = tasksIn(entries)
  if (tasks.length === 0 || tasks.some(isTaskOpen)) return []
  const text = shorten(`Tasks done: ${tasks.map((task) => onOneLine(task.text)).join('; ')}`, DONE_CHARS)
  return [{ text, n: tasks.at(-1)?.n ?? 0 }]
})

function commitsOf(entries: readonly Numbered[]): Line[] {
  return entries.flatMap(({ n, entry }) =>
    entry.role === 'tool' && entry.name === 'Bash' && entry.ok === true && !isElsewhere(entry.cmd)
      ? commitsIn(entry.cmd).map((message) => ({ n, text: onOneLine(message) }))
      : [],
  )
}

/** The newest commit gets twice the room of the oldest. */
function commitLines(entries: readonly Numbered[], chars: number): Line[] {
  const commits = commitsOf(entries)
  const weights = commits.map((_, i) => 1 + (commits.length === 1 ? 1 : i / (commits.length - 1)))
  const sum = weights.reduce((a, b) => a + b, 0)
  const lines = commits.map(({ text, n }, i) => {
    const share = Math.floor((chars * (weights[i] ?? 1)) / sum) - 'Committed: '.length
    return { text: `Committed: ${shorten(text, Math.min(COMMIT_CHARS.most, Math.max(COMMIT_CHARS.least, share)))}`, n }
  })
  return within(lines.reverse(), chars).reverse()
}

/** Whole lines, in their order, as far as they fit. A first line that is too long is shortened. */
function within(lines: readonly Line[], chars: number): Line[] {
  const [first, ...rest] = lines
  const isLong = first !== undefined && first.text.length + 1 > chars && chars > 60
  return select(isLong ? [{ ...first, text: shorten(first.text, chars - 1) }, ...rest] : lines, chars)
}
