/** Recent Context: what the user wrote into the memory, and the sessions before the last one, a line each. */

import { isToldNote, type Note, type NoteAuthor } from '../../kernel/memory/note.ts'
import { compareText, joinWithin, piecesOf, shortenTo, textOnOneLine } from '../../kernel/text/memory-words.ts'
import { once } from '../../kernel/text/once.ts'
import { stemsOf } from '../../kernel/text/words.ts'
import { type Chapter, chaptersOf } from '../notes/chapters.ts'
import { announcementsIn } from '../notes/findings.ts'
import { isWorkUse, type Story } from '../notes/story.ts'
import { isQuestionMarked, onOneLine } from '../notes/structure-text.ts'
import { clauseOf, typedUnits, unitsOf } from '../notes/units.ts'
import { NOT_AUDITED, writtenLine } from '../receipts/authored-line.ts'
import type { BriefingInput, RoomLine, SessionEnd, StoryInput } from './briefing-input.ts'
import { chooseSessions, isPersonsSession } from './current-state.ts'
import { hoursBetween, shortTime } from './when.ts'

const LINE_CHARS = 200
const MOST_ELSEWHERE = 3
const ASKED_SHARE = 0.55
const LEAST_REQUEST = 15
const LEAST_ASKED = 32
/** The newest notes of the user come before sessions, whenever they were written. */
const OWN_NOTES = 3
const OWN_CHARS = 400
/** A session is told with its month if it ended this long before the newest one. */
const EARLIER_HOURS = 7 * 24

/** The user's own notes, then sessions newest first, then months. `inState`: the sessions of Current State. */
export function recentLines(input: BriefingInput, inState: ReadonlySet<string>): RoomLine[] {
  const { main } = chooseSessions(input.stories, input.branch)
  const others = input.stories.filter((one) => !inState.has(one.story.id8) && isPersonsSession(one))
  const own = input.notes.filter(({ author, text }) => author === 'user' && text.trim() !== '').toReversed()
  const kept = own.slice(0, OWN_NOTES)
  const notKept = input.notes.toReversed().filter((note) => !kept.includes(note))
  const rest = [...notKept.filter(isToldNote), ...notKept.filter((note) => !isToldNote(note))]
  return [
    ...kept.map(noteLine),
    ...olderLines(others, input),
    ...rest.map(noteLine),
    ...earlierLines(input.earlier, main?.story.to ?? ''),
    ...headlessLine(input.headless),
  ]
}

const ABOUT: Readonly<Record<NoteAuthor, string>> = {
  user: 'by the user',
  extractive: 'by code',
  agent: 'written by Claude',
  headless: 'written by Claude',
  unknown: 'author unknown',
}

function noteLine(note: Note): RoomLine {
  const head = `- ${[shortTime(note.at), `[${textOnOneLine(note.id)}]`].filter((word) => word !== '').join(' ')} `
  const about = ABOUT[note.author]
  const mark = isToldNote(note) ? '' : NOT_AUDITED
  const textIn = (room: number): string => {
    const words = joinWithin(piecesOf(note.text), room - head.length - about.length - mark.length - 9) ?? ''
    const line = { by: 'note', kind: 'note', about, text: mark + words, source: note.id } as const
    return words === '' ? '' : head + writtenLine(line)
  }
  const shorten = (room: number): string | null => textIn(Math.min(room, OWN_CHARS)) || null
  return { text: textIn(OWN_CHARS), reason: `note ${note.id}, by ${note.author}`, shorten }
}

function headlessLine(count: number): RoomLine[] {
  const runs = count === 1 ? '1 headless run' : `${count} headless runs`
  return count === 0 ? [] : [{ text: `- ${runs}: started by programs, no person typed`, reason: 'headless runs' }]
}

const MONTH_CHARS = 200

/** Sessions of which only goal and end are known here, by month. */
function earlierLines(sessions: readonly SessionEnd[], newest: string): RoomLine[] {
  const months = new Map<string, string[]>()
  for (const { at, goal } of sessions) {
    const words = shortenTo(textOnOneLine(goal), 60)
    const isOld = newest === '' || hoursBetween(at, newest) >= EARLIER_HOURS
    if (isOld && words) months.set(at.slice(0, 7), [...(months.get(at.slice(0, 7)) ?? []), words])
  }
  return [...months]
    .sort(([a], [b]) => compareText(b, a))
    .map(([month, goals]) => ({
      text: `- Earlier, ${month}, ${goals.length} ${goals.length === 1 ? 'session' : 'sessions'}, each begun with: ${shortenTo(goals.map(quoted).join('; '), MONTH_CHARS) ?? ''}`,
      reason: `sessions of ${month}`,
    }))
}

/** All of this branch, and at most three of others; newest first. */
function olderLines(stories: readonly StoryInput[], { branch, stories: all }: BriefingInput): RoomLine[] {
  const isAnnouncement = once(() => announcementsIn(all.map(({ story }) => story)))
  const weightOf = weights(all.map(({ story }) => story))
  const isHere = ({ story }: StoryInput): boolean => story.branch === (branch ?? '')
  const others = stories.filter((one) => !isHere(one)).slice(0, MOST_ELSEWHERE)
  return stories
    .filter((one) => isHere(one) || others.includes(one))
    .flatMap((one): RoomLine[] => {
      const { story } = one
      const where =
        story.branch === '' ? '' : isHere(one) ? ' (this branch)' : ` (${textOnOneLine(lastPart(story.branch))})`
      const head = `- ${shortTime(story.to)} [${story.id8}]${where} `
      const room = LINE_CHARS - head.length
      const chapter = tellingChapter(story)
      const asked = askedOf(story, chapter, Math.floor(room * ASKED_SHARE), weightOf)
      const left = room - asked.length - 3
      const result =
        one.stands === ''
          ? resultOf(chapter, left, (text) => isAnnouncement()(text), weightOf)
          : byClaude(clauseOf(textOnOneLine(one.stands), left - BY_CLAUDE.length))
      // A few words without a result say nothing.
      if (result === '' && asked.length < LEAST_ASKED) return []
      const text = head + [asked, result].filter((words) => words !== '').join(' → ')
      return [{ text, reason: `session ${story.id8}, one line` }]
    })
}

function lastPart(branch: string): string {
  return branch.slice(branch.lastIndexOf('/') + 1)
}

/** The last turn that did work and has a result; without work, the longer of the last two answers. What was asked and what came of it belong together. */
function tellingChapter(story: Story): Chapter | null {
  const chapters = chaptersOf(story)
  const isAnswered = ({ answer, isMade }: Chapter): boolean => answer !== '' && !isMade
  const isWork = ({ turn }: Chapter): boolean => turn.entries.some(({ entry }) => isWorkUse(entry))
  const done = chapters.findLast(
    (one) => one.commits.some(({ isBegun }) => !isBegun) || (isAnswered(one) && isWork(one)),
  )
  const [longest] = chapters
    .filter(isAnswered)
    .slice(-2)
    .sort((a, b) => b.answer.length - a.answer.length)
  return done ?? longest ?? chapters.at(-1) ?? null
}

/** The heading of its plan and the last sentence of its last prompt; without a plan, of that prompt the sentence that Claude took up most. */
function askedOf(story: Story, chapter: Chapter | null, room: number, weightOf: Weigh): string {
  const chapters = chaptersOf(story)
  const plan = chapters.find(({ turn }) => turn.plan !== null)?.turn.plan ?? null
  if (plan !== null && plan.heading !== '') {
    const last = chapters.at(-1)?.turn
    const then = last === undefined || last.plan !== null ? '' : (typedUnits(last.asked).at(-1)?.text ?? '')
    const heading = `plan ${quoted(plan.heading)}`
    const both = then === '' ? heading : `${heading}, then ${byUser(then, last)}`
    if (both.length <= room) return both
    const short = clauseOf(textOnOneLine(plan.heading), room - 7)
    return heading.length <= room ? heading : short === '' ? '' : `plan ${quoted(short)}`
  }
  const said = new Set(stemsOf(chapter?.answer ?? ''))
  const request = requestOf(story, chapter)
  const units = typedUnits(request?.asked ?? '').filter(
    ({ kind, opens }) => (kind === 'sentence' || kind === 'item') && !opens,
  )
  const edges = [...new Set([units[0]?.text ?? '', units.at(-1)?.text ?? ''])].filter((text) => text !== '')
  const best = bestBy(
    edges.filter((text) => byUser(text, request).length <= room),
    said,
    weightOf,
  )
  return byUser(best ?? clauseOf(edges[0] ?? '', room - byUser('.', request).length), request)
}

/** "Do it" says nothing without the request before it. */
function requestOf(story: Story, chapter: Chapter | null): Chapter['turn'] | undefined {
  const chapters = chaptersOf(story)
  const at = chapter === null ? -1 : chapters.indexOf(chapter)
  const asked = chapters.slice(0, at + 1).findLast(({ turn }) => turn.asked.trim().length >= LEAST_REQUEST)
  return (asked ?? chapter)?.turn
}

function quoted(text: string): string {
  return text === '' ? '' : `"${textOnOneLine(text).replaceAll('"', "'")}"`
}

function byUser(text: string, turn: Chapter['turn'] | undefined): string {
  if (text === '') return ''
  return writtenLine({ by: turn?.isOthers ? 'unknown' : 'user', kind: 'asked', text: quoted(text), source: '' })
}

const BY_CLAUDE = writtenLine({ by: 'claude', kind: 'answer', text: '', source: '' })

function byClaude(text: string): string {
  return text === '' ? '' : BY_CLAUDE + text
}

type Weigh = (stem: number) => number

/** Words that few sessions use weigh most. */
function weights(stories: readonly Story[]): Weigh {
  const counts = once(() => {
    const all = new Map<number, number>()
    for (const story of stories) {
      const texts = chaptersOf(story).flatMap(({ turn, answer }) => [turn.asked, answer])
      for (const stem of new Set(texts.flatMap((text) => stemsOf(text)))) all.set(stem, (all.get(stem) ?? 0) + 1)
    }
    return all
  })
  return (stem) => Math.log(1 + stories.length / (counts().get(stem) ?? 1))
}

/** The text that shares most words, by their weights. */
function bestBy(texts: readonly string[], words: ReadonlySet<number>, weightOf: Weigh): string | undefined {
  const worth = (text: string): number =>
    [...new Set(stemsOf(text))].reduce((sum, stem) => sum + (words.has(stem) ? weightOf(stem) : 0), 0)
  return texts.map((text) => ({ text, worth: worth(text) })).toSorted((a, b) => b.worth - a.worth)[0]?.text
}

/** Hash and title of its commit; else the sentence of its answer that shares most with the prompt. */
function resultOf(
  chapter: Chapter | null,
  room: number,
  isAnnouncement: (sentence: string) => boolean,
  weightOf: Weigh,
): string {
  if (chapter === null) return ''
  const commit = chapter.commits.findLast(({ isBegun }) => !isBegun)
  const pull = chapter.pulls.at(-1)
  if (commit !== undefined) {
    const hash = commit.hash === '' ? '' : `${commit.hash} `
    const text = `committed ${hash}${quoted(commit.title)}${pull === undefined ? '' : `, PR ${pull}`}`
    return text.length <= room ? text : clauseOf(text, room)
  }
  const isFit = (text: string): boolean =>
    text.length + BY_CLAUDE.length <= room && ENDED.test(text) && !isQuestionMarked(text) && !isAnnouncement(text)
  const units = chapter.isMade ? [] : unitsOf(chapter.answer).filter(({ kind, opens }) => kind === 'sentence' && !opens)
  const asked = new Set(stemsOf(chapter.turn.asked))
  return byClaude(textOnOneLine(bestBy(units.map(({ text }) => onOneLine(text)).filter(isFit), asked, weightOf) ?? ''))
}

/** A file name or a heading is no result. */
const ENDED = /\p{L}.{12,}[.!…。！]["'”’)\]*_`」』）]*$/u
