/** Notes and sessions as lines of a briefing: which of them, in which order, and how much of each. */

import { BY_CLAUDE, isClaudesOwn, type Note } from '../memory/note.ts'
import type { StructureLine } from '../notes/structure.ts'
import { compareText, dayOf, joinWithin, piecesOf, shortenTo, textOnOneLine } from '../text/memory-words.ts'
import { allot, select } from '../text/select.ts'
import { splitSentences } from '../text/sentences.ts'
import type { Told } from './briefing-facts.ts'
import type { BriefingInput, Digest, RoomLine, SessionEnd } from './briefing-input.ts'

/** The briefing has room for at most this many notes. */
const MAX_NOTES = 40
/** A person's notes come before newer ones: three long ones must leave room for those. */
const MAX_OWN_CHARS = 800
/** A shorter part of a note is not informative. */
const MIN_NOTE_CHARS = 150
/** This many of a person's own notes are included although newer notes exist. */
const KEPT_OWN_NOTES = 3
/** Above every other weight. */
const OWN_WEIGHT = 9
const TRIVIAL_CHARS = 250
/** With fewer other notes, an uninformative note is better than none. */
const MIN_OTHERS = 3
/** Lines of a conversation without any work. */
const TALK = /^(?:User|Claude|Ended|Last words|Branch|Asked|Then|Result|Looked at)\b/
/** The next piece of a session replaces these lines: how the piece ended, and its tasks. */
const OVERTAKEN = /^(?:Ended|Last words|To do|Branch)\b/

/** One item of the section, rendered in at most the given number of characters. */
interface Item {
  /** The length of the whole item. */
  chars: number
  weight: number
  reason: string
  text: (chars: number) => string | null
}

/**
 * As many notes as fit, the newest sessions in most detail: a person's own first, after a compaction those of the running
 * session next. `told`: the other lines; `entries`: the entries that they cover.
 */
export function noteLines(input: BriefingInput, room: number, told: Told, entries: ReadonlySet<string>): RoomLine[] {
  if (room < MIN_NOTE_CHARS) return []
  const { digest } = input
  const notes = digest?.isNote ? input.notes.filter(({ session }) => session !== digest.session) : input.notes
  const items = [
    ...noteItems(input, notes, told, digest?.isNote ? 2 : 1),
    ...(digest?.isNote ? digestItem(digest, told, entries) : []),
  ]
  // A person's notes come before everything; a digest that replaces notes comes before others' notes.
  const ranked = items.toSorted((a, b) => b.weight - a.weight)
  const chars = allot(ranked, room, MIN_NOTE_CHARS)
  return ranked.flatMap((item, i) => itemLines(item, chars[i] ?? 0))
}

/** The newest session once more, behind notes that code did not write: in the room that nothing else needs. */
export function behindLines(
  { digest }: BriefingInput,
  room: number,
  told: Told,
  entries: ReadonlySet<string>,
): RoomLine[] {
  if (digest === null || digest.isNote || room < MIN_NOTE_CHARS) return []
  return digestItem(digest, told, entries).flatMap((item) => itemLines(item, room))
}

function itemLines({ text, reason }: Item, chars: number): RoomLine[] {
  const words = text(chars - 1)
  return words === null ? [] : words.split('\n').map((line) => ({ text: line, reason }))
}

/** The newest session has 1, the second 0.6, the fifth 0.3, in however many notes. */
const OLDER = 0.7
/** How that session ended leads the briefing, and needs no room here. */
const DIGEST_WEIGHT = 0.85
/** More than any briefing has room for. */
const MOST_DIGEST_CHARS = 9_000
/** In less room the digest is cut after its first lines, which are the most important, like an older note. */
const LEAST_DIGEST_CHARS = 2_500
const TRIES = 4
/** Each line of these sources covers one thing. */
const SINGLE: ReadonlySet<string> = new Set(['end', 'dialogs', 'tasks', 'commits', 'files', 'commands'])

/** The lines of the digest, below a line that names the session. Its end is at the beginning of the briefing. */
function digestItem({ session, at, isNote, lines }: Digest, told: Told, entries: ReadonlySet<string>): Item[] {
  const head = `- ${dayOf(at)} [${textOnOneLine(session)}]`
  const freshOf = ({ source, n, text }: StructureLine): string[] => {
    const line = textOnOneLine(text)
    // Behind a note that code did not write, single commands say nothing new.
    if (!isNote && source === 'commands') return []
    if (!SINGLE.has(source)) return untold(line, told)
    const isTold = entries.has(`${session}#${n}`) || told(line.replace(LABEL, '')) || (source === 'end' && isNote)
    return isTold ? [] : [line]
  }
  const textOf = (chars: number): string => {
    const fresh = lines(Math.max(chars, LEAST_DIGEST_CHARS)).flatMap(freshOf)
    const kept = fresh.map((text) => ({ text: `  ${text}` }))
    const some = chars < LEAST_DIGEST_CHARS ? select(kept, chars - head.length - 1) : kept
    return [head, ...some.map(({ text }) => text)].join('\n')
  }
  const whole = textOf(MOST_DIGEST_CHARS)
  const text = (chars: number): string | null => {
    let best: string | null = whole.length <= chars ? whole : null
    // Lines that are skipped as repetitions make room for a longer digest.
    for (let room = chars, tries = 0; best !== whole && tries < TRIES; tries++) {
      const next = textOf(room)
      if (next.length <= chars && next.length > (best?.length ?? head.length)) best = next
      room += chars - next.length
    }
    return best
  }
  const reason = `digest of session ${session}`
  return whole === head ? [] : [{ chars: whole.length + 1, weight: DIGEST_WEIGHT, text, reason }]
}

/** `first`: the rank of the newest session among them. */
function noteItems(input: BriefingInput, notes: readonly Note[], told: Told, first: number): Item[] {
  const newest = worthTelling(notes).toReversed()
  const own = newest.filter(({ author, text }) => author === 'user' && text.trim() !== '').slice(0, KEPT_OWN_NOTES)
  const isRunning = ({ session }: Note): boolean =>
    input.compacted !== null && session !== null && session === input.session
  const rankOf = (note: Note): number => (own.includes(note) ? 0 : isRunning(note) ? 1 : 2)
  const ranked = newest.toSorted((a, b) => rankOf(a) - rankOf(b)).slice(0, MAX_NOTES)
  const sessions = [...new Set(ranked.filter((note) => !own.includes(note)).map(({ session, id }) => session ?? id))]
  const lasts = new Map(notes.map((note) => [note.session, note]))
  let piece = 0
  return ranked.flatMap((note, i): Item[] => {
    const pieces = noteWords(note, note.session === null || lasts.get(note.session) === note, told)
    if (pieces.length === 0) return []
    const head = headOf(note)
    const place = `${isRunning(note) ? 'of this session, ' : ''}${newest.indexOf(note) + 1} of ${newest.length}`
    const chars = head.length + pieces.join(' ').length + 2
    const session = sessions.indexOf(note.session ?? note.id)
    piece = note.session !== null && ranked[i - 1]?.session === note.session ? piece + 1 : 0
    const many = note.session === null ? 1 : ranked.filter((one) => one.session === note.session).length
    return [
      {
        chars: note.author === 'user' ? Math.min(chars, MAX_OWN_CHARS) : chars,
        weight: own.includes(note) ? OWN_WEIGHT - i : (first + session) ** -OLDER * pieceShare(piece, many),
        reason: `note ${note.id}, ${place}, by ${note.author}`,
        text: (room) => {
          const words = joinWithin(pieces, room - head.length)
          return words === null ? null : head + words
        },
      },
    ]
  })
}

/** What a piece has of its session's room, the newest piece being number 0 of `many`. */
function pieceShare(piece: number, many: number): number {
  const weights = Array.from({ length: many }, (_, i) => 1 / (1 + i / 2))
  return (weights[piece] ?? 0) / weights.reduce((sum, weight) => sum + weight, 0)
}

function headOf(note: Note): string {
  return `- ${dayOf(note.at)} [${textOnOneLine(note.id)}] ${isClaudesOwn(note) ? `(${BY_CLAUDE}) ` : ''}`
}

/** Leaves out notes by code about a greeting or a question, if there are enough others. */
function worthTelling(notes: readonly Note[]): readonly Note[] {
  const worthy = notes.filter((note) => !isTrivial(note))
  return worthy.length < MIN_OTHERS ? notes : worthy
}

function isTrivial({ author, text }: Note): boolean {
  if (author !== 'extractive' || text.length >= TRIVIAL_CHARS) return false
  return text.split('\n').every((line) => TALK.test(line))
}

const LABEL = /^[A-Z][a-z]+(?: [a-z]+){0,7}: /

function noteWords({ author, text }: Note, isLast: boolean, told: Told): string[] {
  const lines = text.split('\n')
  const kept = author === 'extractive' && !isLast ? lines.filter((line) => !OVERTAKEN.test(line)) : lines
  return piecesOf(kept.flatMap((line) => untold(line, told)).join('\n'))
}

/** The sentences of a line that are not repetitions, with its label. */
function untold(line: string, told: Told): string[] {
  const sentences = splitSentences(line)
  const fresh = sentences.filter((sentence) => !told(sentence.replace(LABEL, '')))
  if (fresh.length === 0) return []
  const label = fresh[0] === sentences[0] ? '' : (LABEL.exec(line)?.[0] ?? '')
  return [label + fresh.join(' ')]
}

/** The sessions whose ends begin the briefing, and the room for each. */
const ENDS: readonly number[] = [640, 320, 240, 200, 200]
/** So many of them have room for their notes for certain. */
const NOTED = 3
const EARLIER_CHARS = { newer: 200, older: 90 }
/** This many have more room than the others. */
const NEWER = 10
const MONTH_CHARS = 240

/** Where the newest sessions stand. What the first of them were about is told with their notes. `chars`: of the very newest. */
export function endLines({ sessions, digest, notes }: BriefingInput, chars: number): RoomLine[] {
  return newestEnds(sessions).map((session, i) => {
    if (i === 0 && digest?.isNote && digest.session === session.id) return digestEnd(session, digest, chars)
    const isNoted = i < NOTED && notes.some((note) => note.session === session.id)
    return sessionLine(isNoted ? { ...session, goal: '' } : session, ENDS[i] ?? 0, 'where it stands')
  })
}

function digestEnd(session: SessionEnd, { end }: Digest, chars: number): RoomLine {
  const head = sessionHead(session)
  const shorten = (room: number): string => head + textOnOneLine(end(Math.min(room, chars) - head.length))
  return { text: shorten(chars), reason: `session ${session.id}, where it stands`, shorten }
}

function newestEnds(sessions: readonly SessionEnd[]): SessionEnd[] {
  const worthy = sessions.filter(({ isSmall }) => !isSmall)
  return (worthy.length < MIN_OTHERS ? sessions : worthy).slice(0, ENDS.length)
}

/** The earlier sessions, one line each: day, goal, end. `noted`: ids covered by a note above. */
export function sessionLines({ sessions }: BriefingInput, noted: ReadonlySet<string>): RoomLine[] {
  const ends = new Set(newestEnds(sessions))
  const others = sessions.filter((session) => !ends.has(session) && !session.isSmall && !noted.has(session.id))
  return others.map((session, i) =>
    sessionLine(session, i < NEWER ? EARLIER_CHARS.newer : EARLIER_CHARS.older, 'no note above is about it'),
  )
}

function sessionHead({ id, at }: SessionEnd): string {
  return `- ${[dayOf(at), `[${textOnOneLine(id)}]`].filter((word) => word !== '').join(' ')} `
}

function sessionLine(session: SessionEnd, chars: number, why: string): RoomLine {
  const { id, goal, stands } = session
  const head = sessionHead(session)
  const about = shortenTo(textOnOneLine(goal), Math.floor(chars * 0.45)) ?? ''
  const room = chars - head.length - about.length
  const end = stands === '' || room < 40 ? '' : (shortenTo(textOnOneLine(stands), room) ?? '')
  const words = [about, end].filter((word) => word !== '').join(' → ')
  return { text: head + words, reason: `session ${id}, ${why}` }
}

/** The goals of older sessions, by month. `told`: ids of the sessions above. */
export function monthLines({ sessions }: BriefingInput, told: ReadonlySet<string>): RoomLine[] {
  const months = new Map<string, string[]>()
  for (const { id, at, goal, isSmall } of sessions) {
    const words = shortenTo(textOnOneLine(goal), 60)
    if (told.has(id) || isSmall || words === null || words === '') continue
    months.set(at.slice(0, 7), [...(months.get(at.slice(0, 7)) ?? []), words])
  }
  return [...months]
    .sort(([a], [b]) => compareText(b, a))
    .map(([month, goals]) => ({
      text: `- ${month}, ${goals.length} ${goals.length === 1 ? 'session' : 'sessions'}: ${shortenTo(goals.join('; '), MONTH_CHARS) ?? ''}`,
      reason: `sessions of ${month}`,
    }))
}
