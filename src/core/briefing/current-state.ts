/** Current State: the last session turn by turn, and the one before it or beside it. */

import { textOnOneLine } from '../../kernel/text/memory-words.ts'
import { once } from '../../kernel/text/once.ts'
import { changedIn, chaptersOf } from '../notes/chapters.ts'
import { announcementsIn } from '../notes/findings.ts'
import { type AuthoredLine, writtenLine } from '../receipts/authored-line.ts'
import type { BriefingInput, RoomLine, StoryInput } from './briefing-input.ts'
import { costOfLine } from './inside-turns.ts'
import { type TellOptions, tellSession } from './tell-session.ts'
import { hoursBetween, shortSpan, shortTime } from './when.ts'

/** Of the room, if a second session is told. Giving both the same answered three questions less of 46. */
const MAIN_SHARE = 0.75
/** A session of this branch that ended longer ago is not the one to go on with. */
const RECENT_HOURS = 72
const NEAR_HOURS = 3
/** A plan is carried out by a session that begins this soon after the one that showed it. */
const CARRIED_MINUTES = 5
const MOST_NAMES = 6
const LEAST_ROOM = 200
const ROOMY_CHARS = 1_000

export interface Chosen {
  main: StoryInput | null
  second: StoryInput | null
}

/** Main: the newest of this branch, if it is recent, else the newest. Second: the newest, or the one before. `stories`: newest first. */
export function chooseSessions(stories: readonly StoryInput[], branch: string | null): Chosen {
  const sessions = stories.filter(isPersonsSession)
  const [newest] = sessions
  if (newest === undefined) return { main: null, second: null }
  const here = sessions.find(({ story }) => branch !== null && story.branch === branch)
  const main = here !== undefined && hoursBetween(here.story.to, newest.story.to) <= RECENT_HOURS ? here : newest
  if (main !== newest) return { main, second: newest }
  const before = sessions[sessions.indexOf(main) + 1]
  const isNear =
    before !== undefined &&
    (before.story.branch === main.story.branch || hoursBetween(before.story.to, main.story.from) < NEAR_HOURS)
  return { main, second: isNear ? before : null }
}

/** A person typed in it, and something came of it. */
export function isPersonsSession({ story, notes }: StoryInput): boolean {
  return !story.isHeadless && (chaptersOf(story).length > 0 || notes.length > 0)
}

/**
 * The session that carried out the plan which this one's last turn shows; empty: none. It begins some milliseconds before the host writes
 * the last line of this one.
 */
export function carriedOutIn({ story }: StoryInput, stories: readonly StoryInput[]): string {
  const last = chaptersOf(story).at(-1)
  if (last === undefined || (last.turn.shown === '' && !last.turn.isInterrupted && last.turn.answer !== '')) return ''
  const later = stories.find(({ story: other }) => {
    const plan = chaptersOf(other)[0]?.turn.plan ?? null
    if (other === story || plan === null || other.from < last.turn.at) return false
    const isSame = last.turn.shown !== '' && plan.heading === last.turn.shown
    const isNamed = [...story.slugs].some((slug) => other.slugs.has(slug))
    return isSame || (isNamed && hoursBetween(story.to, other.from) * 60 <= CARRIED_MINUTES)
  })
  return later?.story.id8 ?? ''
}

/** `above`: what stands above the sessions. `least`: of a session, so many turns are told however little room there is; 1: and no line about the project. */
export function stateLines(input: BriefingInput, room: number, above: readonly RoomLine[] = [], least = 2): RoomLine[] {
  const first = [...(least === 1 ? [] : projectLine(input)), ...above]
  const project = lengthOf(first) > room ? [] : first
  const { main, second } = chooseSessions(input.stories, input.branch)
  const left = room - lengthOf(project)
  if (main === null || left < LEAST_ROOM) return project
  const isAnnouncement = once(() => announcementsIn(input.stories.map(({ story }) => story)))
  const tell = (one: StoryInput, chars: number): RoomLine[] =>
    sessionLines(input, one, chars, { least, isAnnouncement: (text) => isAnnouncement()(text) })
  const lines = tell(main, second === null || least === 1 ? left : Math.floor(left * MAIN_SHARE))
  const rest = left - lengthOf(lines)
  const others = second === null || rest < LEAST_ROOM ? [] : tell(second, rest)
  const filled = [...project, ...lines, ...others]
  // Short sessions leave room for the one before them.
  const before = input.stories.find((one) => one !== main && one !== second && isPersonsSession(one))
  const free = room - lengthOf(filled)
  return before === undefined || free < ROOMY_CHARS ? filled : [...filled, ...tell(before, free)]
}

/** The sessions that these lines tell, by id8. */
export function sessionsNamedIn(lines: readonly RoomLine[]): ReadonlySet<string> {
  return new Set(lines.flatMap(({ reason }) => /^session (\w{8})$/.exec(reason)?.[1] ?? []))
}

function projectLine(input: BriefingInput): RoomLine[] {
  const known = (label: string, value: string | null | undefined): string[] =>
    value ? [label + textOnOneLine(value)] : []
  const where = [...known('', input.project), ...known('version ', input.version), ...known('branch ', input.branch)]
  return where.length === 0
    ? []
    : [{ text: `- ${textOnOneLine(where.join(', '))}`, reason: 'project, version, branch' }]
}

function lengthOf(lines: readonly RoomLine[]): number {
  return lines.reduce((sum, { text }) => sum + text.length + 1, 0)
}

function sessionLines(
  input: BriefingInput,
  one: StoryInput,
  room: number,
  how: Pick<TellOptions, 'isAnnouncement' | 'least'>,
): RoomLine[] {
  const { story, notes, isRunning } = one
  const head = headOf(input, one)
  const written = standsLine(one)
  const stands = written !== null && head.length + 1 + costOfLine(written) <= room ? written : null
  const left = room - head.length - 1 - (stands === null ? 0 : costOfLine(stands))
  const carriedOut = carriedOutIn(one, input.stories)
  const placed = tellSession(story, left, {
    ...how,
    notes,
    carriedOut,
    isRunning,
    isAlone: input.stories.length === 1,
    refused: new Set(input.learned.flatMap(({ refused }) => refused ?? [])),
  })
  const lines = stands === null ? placed : [...placed, stands]
  if (lines.length === 0) return []
  return [
    { text: head, reason: `session ${story.id8}` },
    ...lines.map((line) => ({
      text: `  ${writtenLine(line)}`,
      reason: `${line.kind} by ${line.by}, ${line.source}`,
      about: line.source,
    })),
  ]
}

/** What a model wrote about the end, if its notes cover the end. */
function standsLine({ story, notes, stands }: StoryInput): AuthoredLine | null {
  const last = chaptersOf(story).at(-1)
  const isCovered = last === undefined || notes.some(({ to }) => to > last.answerN)
  if (stands === '' || !isCovered) return null
  return { by: 'note', kind: 'note', about: 'where it stands', text: stands, source: story.id8 }
}

function headOf(input: BriefingInput, { story, isRunning, isEnd }: StoryInput): string {
  const when = isEnd ? shortTime(story.to) : shortSpan(story.from, story.to)
  const branch = story.branch === '' || story.branch === input.branch ? '' : ` on ${textOnOneLine(story.branch)}`
  const count = isEnd ? (story.prompts === 1 ? 'the last' : `the last ${story.prompts}`) : String(story.prompts)
  const prompts = `${count} ${story.prompts === 1 ? 'prompt' : 'prompts'}`
  const files = changedIn(story).toReversed()
  const named = files.slice(0, MOST_NAMES)
  const more = files.length - named.length
  const changed =
    files.length === 0 ? '' : `, changed ${textOnOneLine(named.join(', '))}${more > 0 ? ` and ${more} more` : ''}`
  const running = isRunning ? ', running now in another terminal' : ''
  return `- ${when} [${story.id8}]${branch}${running}, ${prompts}${changed}`
}
