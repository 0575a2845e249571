/** Notes and earlier sessions as lines of a briefing: which of them are told, in what order, and how much of each. */

import { BY_CLAUDE, isClaudesOwn, type Note } from '../memory/note.ts'
import { rankOfLine } from '../notes/tier.ts'
import { dayOf, joinWithin, piecesOf, shortenTo, textOnOneLine } from '../text/memory-words.ts'
import type { BriefingInput, EarlierSession } from './briefing-input.ts'
import type { Filled, RoomLine } from './briefing-room.ts'

/** More never fit. */
const MAX_NOTES = 60
/** One measure for every note: a new one must not make the others longer or shorter. */
const MAX_NOTE_CHARS = 1_200
/** A person's notes come before newer ones: three long ones must leave room for those. */
const MAX_OWN_CHARS = 800
/** A last note that is cut shorter than this says too little. */
const MIN_NOTE_CHARS = 120
/** What a person wrote down is told although newer notes have come. */
const KEPT_OWN_NOTES = 3
const TRIVIAL_CHARS = 250
/** Without so many others a note that tells little is better than none. */
const MIN_OTHERS = 3
const MAX_GOAL_CHARS = 200
/** Only words were exchanged. */
const TALK = /^(?:User|Claude|Ended|Last words|Branch|Asked|Then|Result|Looked at)\b/

/**
 * A person's own notes stand first, then the newest. Who gets room: the newest three of a person, after a compaction those
 * of the running session, then the newest.
 */
export function noteLines(input: BriefingInput): RoomLine[] {
  const newest = worthTelling(input.notes).toReversed()
  const kept = new Set(
    newest.filter(({ author, text }) => author === 'user' && text.trim() !== '').slice(0, KEPT_OWN_NOTES),
  )
  const isRunning = (note: Note): boolean =>
    input.compacted !== null && input.session !== null && note.session === input.session
  const rankOf = (note: Note): number => (kept.has(note) ? 0 : isRunning(note) ? 1 : 2)
  const ranked = newest.toSorted((a, b) => rankOf(a) - rankOf(b)).slice(0, MAX_NOTES)
  return ranked.flatMap((note) => {
    const place = `${newest.indexOf(note) + 1} of ${newest.length}`
    return noteLine(note, `${isRunning(note) ? 'of this session, ' : ''}${place}`)
  })
}

function noteLine(note: Note, place: string): RoomLine[] {
  const pieces = noteWords(note)
  const head = headOf(note)
  const isOwn = note.author === 'user'
  const max = isOwn ? MAX_OWN_CHARS : MAX_NOTE_CHARS
  const shorten = (room: number): string | null => {
    const text = joinWithin(pieces, Math.min(room, max) - head.length)
    return text === null || (room < max && text.length < MIN_NOTE_CHARS) ? null : head + text
  }
  const text = shorten(max) ?? `${head}(cannot be shortened: open its session)`
  const reason = `note ${note.id}, ${place}, by ${note.author}`
  return pieces.length === 0 ? [] : [{ text, reason, shorten, order: isOwn ? 0 : 1 }]
}

function headOf(note: Note): string {
  return `- ${dayOf(note.at)} [${textOnOneLine(note.id)}] ${isClaudesOwn(note) ? `(${BY_CLAUDE}) ` : ''}`
}

/** All but those of code that tell of a greeting or a question, once there are enough others. */
function worthTelling(notes: readonly Note[]): readonly Note[] {
  const worthy = notes.filter((note) => !isTrivial(note))
  return worthy.length < MIN_OTHERS ? notes : worthy
}

function isTrivial({ author, text }: Note): boolean {
  if (author !== 'extractive' || text.length >= TRIVIAL_CHARS) return false
  return text.split('\n').every((line) => TALK.test(line))
}

/** Sessions that no note in `notes` is about. */
export function sessionLines(input: BriefingInput, notes: readonly Filled[]): RoomLine[] {
  // Hundreds of notes need not be looked at for a section that is not told.
  if (input.sessions.length === 0) return []
  const told = notes.flatMap(({ lines }) => lines)
  const shown = input.notes.filter((note) => {
    const head = headOf(note)
    return told.some(({ text }) => text.startsWith(head))
  })
  const known = new Set([input.session, ...shown.map(({ session }) => session)])
  return input.sessions.flatMap(({ id, day, goal }) => {
    const words = shortenTo(textOnOneLine(goal), MAX_GOAL_CHARS)
    if (known.has(id) || words === null || words === '') return []
    const head = [dayOf(day), `[${textOnOneLine(id)}]`].filter((word) => word !== '').join(' ')
    return [{ text: `- ${head} ${words}`, reason: `session ${id}, which no note above is about` }]
  })
}

/** From the first part of a session's summary; null: it does not say what the session was about. */
export function earlierSession(id: string, head: string): EarlierSession | null {
  // The last line may be cut.
  const lines = head.slice(0, head.lastIndexOf('\n')).split('\n')
  const line = lines.find((one) => /^(?:User|Asked|Went on): \S/.test(one))
  const goal = line?.replace(/^(?:User|Asked|Went on): /, '').split(' Then: ', 1)[0]
  return goal === undefined ? null : { id, day: /\b\d{4}-\d\d-\d\d\b/.exec(lines[0] ?? '')?.[0] ?? '', goal }
}

/** The pieces of a note; of a long one by code the telling lines come first. */
function noteWords(note: Note): string[] {
  const lines = note.text.split('\n')
  const isLong = note.author === 'extractive' && note.text.length > MAX_NOTE_CHARS
  return piecesOf((isLong ? lines.toSorted((a, b) => rankOfLine(a) - rankOfLine(b)) : lines).join('\n'))
}
