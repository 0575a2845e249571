/** A session turn by turn, in a given room: the user's own words, what was found, and the end of each answer. */

import { isToldNote, type Note } from '../../kernel/memory/note.ts'
import { joinWithin, piecesOf, textOnOneLine } from '../../kernel/text/memory-words.ts'
import { shorten } from '../../kernel/text/shorten.ts'
import { outcomeOf } from '../../kernel/transcript/session.ts'
import { tasksOf } from '../../kernel/transcript/shell.ts'
import { type Chapter, chaptersOf, editedIn } from '../notes/chapters.ts'
import { type Comment, isSamePrompt, type Story, sourceIn } from '../notes/story.ts'
import { onOneLine } from '../notes/structure-text.ts'
import { answerWithin, beginningWithin, clauseOf, promptWithin } from '../notes/units.ts'
import { type AuthoredLine, MARK_CHARS, NOT_AUDITED } from '../receipts/authored-line.ts'
import { costOfAll, costOfLine, failedLines, foundLines, ORDER, type Placed, ranLines } from './inside-turns.ts'

/** Weights of the parts of a turn; the newest turn has twice the weight of the oldest. They lie on a plateau: do not tune them. */
const WEIGHT = { asked: 1, plan: 1.5, comment: 3, answer: 1.5, last: 2.2, note: 3, commit: 1 } as const
/** Where there is room for one turn, how it ended comes before what was asked. */
const ONLY_WEIGHT = 9
const MOST_COMMITS = 4
/** Of the room, for findings in turns without a closing answer. */
const FOUND = { share: 0.2, most: 0.5 }
/** With less room for each, the turns between the first and the last ones are left out. */
const LEAST_TURN_CHARS = 170
/** Less is no statement. */
const LEAST_CHARS = 12
const PLAN_CHARS = 600
const TARGET_CHARS = 90
const CALL_CHARS = 70
const MOST_NAMES = 4
const SHORT_PROMPT = 16

export interface TellOptions {
  isAnnouncement: (sentence: string) => boolean
  /** So many turns are told however little room there is. */
  least: number
  /** Notes of a model or a person about this session: they stand for the turns that they cover. */
  notes: readonly Note[]
  /** The session whose plan this one's last turn shows, if a later session carried it out. */
  carriedOut: string
  /** It still runs in another terminal: its last, unfinished turn is not told. */
  isRunning: boolean
  /** The memory has no other session: the room that is left is for what commands printed. */
  isAlone: boolean
  /** Tasks that the user refuses again and again: told once, under Learned. */
  refused: ReadonlySet<string>
}

interface Part {
  /** The entry that it tells; a part of a whole turn: the turn's last one. */
  entry: number
  /** Where it stands: the entry, then its place inside the turn. */
  n: number
  order: number
  weight: number
  /** Its length when nothing is left out. */
  wanted: number
  lineIn: (room: number) => AuthoredLine | null
}

export function tellSession(story: Story, room: number, options: TellOptions): AuthoredLine[] {
  const chapters = [...chaptersOf(story)]
  const newest = chapters.at(-1)
  const isUnfinished = newest !== undefined && (newest.answer === '' || newest.isMade)
  if (options.isRunning && chapters.length > 1 && isUnfinished) chapters.pop()
  const covering = options.notes.filter(({ to }) => to > 0)
  const isCovered = (n: number): boolean => covering.some(({ from, to }) => n >= from && n < to)
  const chosen = someOf(chapters, Math.max(options.least, Math.floor(room / LEAST_TURN_CHARS)))
  // By entry, not by turn: a note may end inside a turn, and how that ended is news.
  const parts = chosen
    .flatMap((chapter) => partsOf(chapter, makerFor(story, chapter, chapters), chapters, options))
    .filter(({ entry }) => !isCovered(entry))
  const notes = covering.map((note) => notePart(note, 1 + note.to / Math.max(1, chapters.at(-1)?.turn.n ?? 1)))
  const first = fillParts([...parts, ...notes], parts.length === 0 ? room : Math.floor(room * (1 - FOUND.share)))
  const foundRoom = parts.length === 0 ? 0 : Math.min(room - costOfAll(first), room * FOUND.most)
  const found = foundLines(story, chosen, first, foundRoom, options.isAnnouncement, isCovered)
  // What the findings leave goes back to the turns, and what those leave to commands.
  const lines = fillParts([...parts, ...notes], room - costOfAll(found))
  const failed = failedLines(story, chosen, room - costOfAll([...lines, ...found]), isCovered, options.isAlone)
  const used = [...lines, ...found, ...failed]
  const ran = options.isAlone ? ranLines(story, chosen, used, room - costOfAll(used), isCovered) : []
  return [...used, ...ran].toSorted((a, b) => a.n - b.n || a.order - b.order).map(({ line }) => line)
}

/** The first turn, and as many of the last ones as there is room for; the last one where there is room for one. */
function someOf(chapters: readonly Chapter[], most: number): Chapter[] {
  if (chapters.length <= most) return [...chapters]
  return chapters.filter((_, i) => (i === 0 && most > 1) || i > chapters.length - Math.max(2, most))
}

/** Small parts first; what a part leaves goes to the others by their weights. */
function fillParts(parts: readonly Part[], room: number): Placed[] {
  let left = room
  let weights = parts.reduce((sum, { weight }) => sum + weight, 0)
  const placed: Placed[] = []
  for (const part of parts.toSorted((a, b) => a.wanted / a.weight - b.wanted / b.weight)) {
    const line = part.lineIn(Math.floor((left * part.weight) / weights) - MARK_CHARS)
    weights -= part.weight
    if (line === null || costOfLine(line) > left) continue
    left -= costOfLine(line)
    placed.push({ n: part.n, order: part.order, line })
  }
  return placed
}

type PartMaker = (
  order: number,
  weight: number,
  text: string,
  made: (room: number) => Omit<AuthoredLine, 'source'> | null,
  n?: number,
) => Part

/** Makes the parts of one turn: newer turns weigh more. */
function makerFor(story: Story, { turn }: Chapter, chapters: readonly Chapter[]): PartMaker {
  const at = chapters.findIndex((one) => one.turn === turn)
  const newer = 1 + (chapters.length === 1 ? 1 : at / (chapters.length - 1))
  return (order, weight, text, made, n = turn.n) => ({
    entry: n,
    n: turn.n,
    order,
    weight: weight * newer,
    wanted: text.length,
    lineIn: (room) => {
      const line = made(room)
      // A refusal may have no words, and a plan is told by its heading alone where there is little room.
      const isNamed = (order >= ORDER.comment && order < ORDER.failed) || (order === ORDER.asked && turn.plan !== null)
      const least =
        isNamed || order === ORDER.commit || order === ORDER.opened
          ? 0
          : order === ORDER.asked
            ? 1
            : Math.min(LEAST_CHARS, text.length)
      return line === null || textOnOneLine(line.text).length < least
        ? null
        : { ...line, source: sourceIn(story, order < ORDER.commit ? n : turn.n) }
    },
  })
}

function partsOf(chapter: Chapter, part: PartMaker, chapters: readonly Chapter[], options: TellOptions): Part[] {
  const { answer, answerN, isMade, lastN } = chapter
  const isLast = chapter === chapters.at(-1)
  const next = chapters[chapters.indexOf(chapter) + 1]
  const isRepeated = next !== undefined && isSamePrompt(chapter.turn.asked, next.turn.asked)
  // "Go on" says nothing beside the answer that it got.
  const isShort =
    !isLast && !options.isAlone && answer !== '' && !isMade && chapter.turn.asked.trim().length < SHORT_PROMPT
  const parts = saidParts(chapter, part, isRepeated || isShort, options)
  const ending = options.least === 1 ? ONLY_WEIGHT : WEIGHT.last
  const weight = isLast ? ending : WEIGHT.answer
  const answered = (room: number): Omit<AuthoredLine, 'source'> | null => {
    const text = answerWithin(answer, room)
    return text === '' ? null : { by: 'claude', kind: isMade ? 'found' : 'answer', text }
  }
  if (answer !== '') parts.push(part(ORDER.answer, weight, answer, answered, answerN))
  const made = commitText(chapter)
  const pulls = chapter.pulls.length === 0 ? '' : `PR ${chapter.pulls.join(', ')}`
  for (const [kind, text] of [['commit', made] as const, ['opened', pulls] as const])
    if (text !== '')
      parts.push(
        part(
          kind === 'commit' ? ORDER.commit : ORDER.opened,
          WEIGHT.commit,
          text,
          () => ({ by: 'tool', kind, text }),
          lastN,
        ),
      )
  const end = endText(chapter, isLast, options)
  if (end !== '') parts.push(part(ORDER.end, WEIGHT.last, end, () => ({ by: 'keeper', kind: 'end', text: end }), lastN))
  return parts
}

/** What the user said in the turn: the request, or the plan that was carried out, and comments. */
function saidParts({ turn }: Chapter, part: PartMaker, isLeftOut: boolean, options: TellOptions): Part[] {
  const parts: Part[] = []
  const { plan, asked, entries, isOthers } = turn
  if (plan !== null) {
    const about = firstSection(plan.text)
    const begun = (room: number): Omit<AuthoredLine, 'source'> => {
      const text = beginningWithin(about, Math.min(PLAN_CHARS, room - plan.heading.length - 24))
      return { by: 'claude', kind: 'plan', about: plan.heading, text }
    }
    parts.push(part(ORDER.asked, WEIGHT.plan, about, begun))
  } else if (asked !== '' && !isLeftOut) {
    const typed = (room: number): Omit<AuthoredLine, 'source'> | null => {
      const text = promptWithin(asked, room, entries)
      return text === '' ? null : { by: isOthers ? 'unknown' : 'user', kind: 'asked', text }
    }
    parts.push(part(ORDER.asked, WEIGHT.asked, asked, typed))
  }
  for (const [i, comment] of turn.comments.entries()) {
    // Without a word it says little, and what is refused again and again is told under Learned.
    if ((comment.text === '' && !options.isAlone) || isLearned(comment, options.refused)) continue
    const [order, weight] = [
      ORDER.comment + i / turn.comments.length,
      comment.text === '' ? WEIGHT.asked : WEIGHT.comment,
    ]
    parts.push(part(order, weight, comment.target + comment.text, (room) => commentLine(comment, room), comment.n))
  }
  return parts
}

function isLearned({ kind, target }: Comment, refused: ReadonlySet<string>): boolean {
  const tasks = kind === 'refused' ? tasksOf(target) : []
  return tasks.length > 0 && tasks.every((task) => refused.has(task))
}

function commentLine(comment: Comment, room: number): Omit<AuthoredLine, 'source'> | null {
  const target = shorten(comment.target, TARGET_CHARS)
  if (comment.kind === 'answer')
    return {
      by: 'user',
      kind: 'answered',
      about: target,
      text: shorten(comment.text, Math.max(80, room - target.length)),
    }
  const about = comment.kind === 'plan' ? `the plan "${target}"` : `\`${target.replaceAll('`', "'")}\``
  const text = promptWithin(comment.text, Math.max(60, room - about.length)) || clauseOf(comment.text, room)
  if (comment.kind === 'approved') return { by: 'user', kind: 'answered', about: `plan ${target}`, text }
  return { by: 'user', kind: 'refused', about, text }
}

/** What a plan begins with: its first section, up to the next heading. Without headings, what stands before its steps. */
function firstSection(plan: string): string {
  const lines = plan.split('\n')
  const rest = lines.slice(lines.findIndex((line) => /[\p{L}\p{N}]/u.test(line)) + 1)
  const isHeading = (line: string): boolean => /^\s{0,3}#{1,6}\s/.test(line)
  const hasHeadings = rest.some(isHeading)
  const kept: string[] = []
  for (const line of rest) {
    const hasBegun = kept.some((one) => one.trim() !== '')
    if (hasBegun && (isHeading(line) || (!hasHeadings && /^\s*(?:[-*+]|\d+[.)])\s/.test(line)))) break
    if (!isHeading(line)) kept.push(line)
  }
  return kept.join('\n').trim()
}

/** Without those that the answer names by hash and title. */
function commitText({ commits, answer }: Chapter): string {
  const made = commits
    .filter(({ isBegun, hash, title }) => !isBegun && !(hash !== '' && answer.includes(hash) && answer.includes(title)))
    .map(({ hash, title }) => `${hash === '' ? '' : `${hash} `}"${shorten(onOneLine(title), 90).replaceAll('"', "'")}"`)
  return [...new Set(made)].slice(-MOST_COMMITS).join(', ')
}

/** How a turn without a closing answer ended. Only of the last turn the last call is told. */
function endText(chapter: Chapter, isLast: boolean, { carriedOut, isRunning }: TellOptions): string {
  const { turn, answer, isMade, commits } = chapter
  if (isLast && carriedOut !== '') return `Planned here, carried out in [${carriedOut}].`
  if (answer !== '' && !isMade) return turn.isInterrupted ? 'Interrupted by the user in the middle of this answer.' : ''
  // A git turn behind it went on.
  const isOver = chapter.lastN === (turn.entries.at(-1)?.n ?? turn.n)
  // Who lets a new session carry out the plan interrupts this one.
  if (turn.shown !== '') return `Plan shown: "${shorten(turn.shown, TARGET_CHARS)}".`
  if (turn.stoppedAt !== '' && isOver)
    return `Interrupted by the user at \`${shorten(turn.stoppedAt, CALL_CHARS).replaceAll('`', "'")}\`.`
  if (turn.isInterrupted && isOver) return 'Interrupted by the user before an answer.'
  const begun = commits.find(({ isBegun }) => isBegun)
  if (begun !== undefined) return `Commit begun: "${shorten(onOneLine(begun.title), 90)}".`
  if (!isLast || isRunning) return ''
  const names = editedIn(turn.entries)
  const edited = names.length === 0 ? '' : `; edited ${names.slice(-MOST_NAMES).join(', ')}`
  const call = turn.entries.findLast(
    ({ entry }) => entry.role === 'tool' && entry.name === 'Bash' && entry.cmd !== '',
  )?.entry
  if (call?.role !== 'tool') return `No closing answer${edited}.`
  const outcome = { ok: 'succeeded', failed: 'failed', refused: 'was refused', 'no result': 'has no result' }[
    outcomeOf(call)
  ]
  const cmd = shorten(onOneLine(call.cmd), CALL_CHARS).replaceAll('`', "'")
  return `No closing answer${edited}; the last command \`${cmd}\` ${outcome}.`
}

function notePart(note: Note, weight: number): Part {
  const pieces = piecesOf(note.text)
  const by = note.author === 'user' ? 'by the user' : 'written by Claude'
  const mark = isToldNote(note) ? '' : NOT_AUDITED
  return {
    entry: note.from,
    n: note.from,
    order: ORDER.asked,
    weight: WEIGHT.note * weight,
    wanted: pieces.join(' ').length,
    lineIn: (room) => {
      const text = joinWithin(pieces, room - by.length - mark.length)
      return text === null ? null : { by: 'note', kind: 'note', about: by, text: mark + text, source: note.id }
    },
  }
}
