/** How files of notes change: what is left when something is forgotten, and two versions of memory.md as one. */

import { type ChangedFile, type KindChanges, nameIn } from '../../kernel/memory/file-kind.ts'
import {
  cutLines,
  cutProse,
  type Forgetting,
  type Gone,
  isTouched,
  type Outcome,
  stringsIn,
  unchanged,
} from '../../kernel/memory/forgetting.ts'
import { compareWithCopy, isGarbled } from '../../kernel/memory/loss.ts'
import {
  changeRecords,
  fingerprintOfNote,
  formatNote,
  madeByCode,
  type Note,
  type NoteBlock,
  parseMemory,
} from '../../kernel/memory/note.ts'
import { parseObject } from '../../kernel/platform/json.ts'
import { isArchiveFile, SESSIONS_DIR } from '../../kernel/platform/layout.ts'
import { standing } from './doubles.ts'
import { formatHand, handIn, hasItsSessions, sessionsIn } from './tier.ts'
import { periodOf } from './tier-period.ts'

export const NOTES_CHANGES: readonly KindChanges[] = [
  { name: 'memory', title: 'notes', without: inNotes, join: joinNotes, arriving: 'content', isSource: true },
  { name: 'archive', title: 'older notes', without: inNotes, arriving: 'content', isSource: true },
  { name: 'archive-summary', title: 'the summary of an archive', without: inArchiveSummary, arriving: 'ours' },
  { name: 'session-summary', title: 'the summary of a session', without: inRender, arriving: 'ours' },
  { name: 'week', title: 'a week', without: inRender, arriving: 'behind' },
  { name: 'month', title: 'a month', without: inRender, arriving: 'behind' },
  { name: 'delta', without: inDelta },
]

/** For memory.md or an archive. Text that people wrote only loses sentences. */
function cutNotes(text: string, timezone: string, about: Forgetting): Outcome {
  const gone: Gone[] = []
  const blocks = parseMemory(text).map(({ raw, note }) => {
    if (note === null) {
      const cut = cutProse(raw, about.repeats)
      gone.push(...cut.gone.map((one) => ({ id: '', kind: 'text', text: one })))
      return cut.left
    }
    const kept = keptNote(note, about)
    const next = kept === null ? '' : formatNote(kept, timezone)
    if (kept === note || next.trim() === raw.trim()) return raw
    gone.push({ id: note.id, kind: kept === null ? 'note' : 'note, written anew', text: note.text })
    return next
  })
  return gone.length === 0 ? unchanged(text) : { text: blocks.join(''), gone }
}

/** The same note: nothing changes. Null: nothing is left of it. A note rewritten by code may later be replaced by a model's. */
function keptNote(note: Note, about: Forgetting): Note | null {
  if (about.ids.has(note.id.toLowerCase())) return null
  const isRemade = note.session !== null && isTouched(about, note.session, note.from, note.to)
  const { left, gone } = cutProse(isRemade ? (about.remade(note) ?? '') : note.text, about.from(note.session).repeats)
  if (!isRemade && gone.length === 0) return note
  if (left.trim() === '') return null
  const cut = { ...note, text: left.trim() }
  return isRemade || note.fingerprint === fingerprintOfNote(note.text) ? madeByCode(cut) : cut
}

/** The next reader of the delta rewrites it from the remaining entries. */
function inDelta(text: string, _: ChangedFile, about: Forgetting): Outcome {
  const [, id8 = '', from, to] = /^# Delta ([0-9a-z]{8})-(\d+)-(\d+):/.exec(text) ?? []
  const isOut = isTouched(about, id8, Number(from), Number(to)) || about.from(id8).traces(text)
  return isOut ? { text: null, gone: [{ id: `${id8}-${from}-${to}`, kind: 'delta', text: '' }] } : unchanged(text)
}

/** An archive without any note is deleted. */
function inNotes(text: string, { path, timezone }: ChangedFile, about: Forgetting): Outcome {
  const outcome = cutNotes(text, timezone, about)
  const words = (outcome.text ?? '').replace(/^(?:#.*|<!--.*-->)$/gm, '')
  return outcome.gone.length > 0 && isArchiveFile(nameIn(path)) && words.trim() === ''
    ? { ...outcome, text: null }
    : outcome
}

function inArchiveSummary(text: string, file: ChangedFile, about: Forgetting): Outcome {
  const archive = nameIn(file.path).replace(/\.summary\.json$/, '.md')
  const notes = file.textOf(archive)
  const isStale = notes !== null && inNotes(notes, { ...file, path: archive }, about).text !== notes
  const isOut = isStale || stringsIn(parseObject(text) ?? text).some(about.traces)
  return isOut ? { text: null, gone: [{ id: archive, kind: 'summary of an archive', text: '' }] } : unchanged(text)
}

/** A render goes whole and is made again. A person's lines in it only lose sentences; one that cannot be made again only loses lines. */
function inRender(text: string, { path }: ChangedFile, about: Forgetting): Outcome {
  const name = path.slice(SESSIONS_DIR.length + 1)
  const told = sessionsIn(name, text)
  const { traces } = about.from(told.length === 1 ? (told[0] ?? null) : null)
  const isOut = (line: string): boolean => traces(line) || [...about.sessions].some((id8) => line.includes(id8))
  const kind = periodOf(name)?.is ?? 'summary'
  if (periodOf(name) !== null && !hasItsSessions(name, text, about.isHere)) {
    const { left, gone } = cutLines(text, isOut)
    return { text: left.trim() === '' ? null : left, gone: gone.map((line) => ({ id: name, kind, text: line })) }
  }
  const hand = handIn(name, text)
  const left = cutProse(hand.join('\n'), about.repeats)
  const own = text.split('\n').filter((line) => !hand.includes(line.trimEnd()))
  if (!own.some(isOut)) {
    const cut = cutProse(text, about.repeats)
    return { text: cut.left, gone: cut.gone.map((one) => ({ id: name, kind: 'text', text: one })) }
  }
  const kept = left.left.split('\n').filter((line) => line !== '')
  const gone = [{ id: kind === 'summary' ? `S:${told[0]}` : name, kind, text: left.gone[0] ?? '' }]
  return { text: kept.length === 0 ? null : formatHand(name, kept), gone }
}

/**
 * Notes of `theirs` that are in none of `archived` join ours by time, and text without a date follows. A note of ours is replaced by a
 * version of it that has all its lines, or that weighs more.
 */
export function joinNotes(ours: string, theirs: string, archived: readonly string[] = []): string {
  const versions = new Map(parseMemory(theirs).map((block) => [block.note?.id, block]))
  const kept = parseMemory(ours).map((block) => {
    const other = block.note === null ? undefined : versions.get(block.note.id)
    return block.note !== null && other?.note && isBetter(other.note, block.note) ? other : block
  })
  const text = kept.map(({ raw }) => raw).join('')
  const fresh = freshBlocks(theirs, [text, ...archived]).filter(isWritten)
  if (fresh.length === 0) return text
  const isHead = ({ raw }: NoteBlock): boolean => !raw.startsWith('## ')
  const blocks = kept.filter((block) => !isHead(block))
  for (const block of fresh) {
    const at = block.note?.at
    if (at === undefined) continue
    const later = blocks.findIndex(({ note }) => note !== null && note.at > at)
    blocks.splice(later < 0 ? blocks.length : later, 0, block)
  }
  const undated = fresh.filter(({ note }) => note === null)
  // Text above the first heading stays there: below, it would belong to a note.
  const sorted = [
    ...kept.filter(isHead),
    ...undated.filter(isHead),
    ...blocks,
    ...undated.filter((one) => !isHead(one)),
  ]
  return sorted.map(({ raw }) => (raw.endsWith('\n') ? raw : `${raw}\n`)).join('')
}

/** The text without the notes of `known`; byte for byte if it has none of them, and empty if it has nothing else. */
export function withoutKnownNotes(text: string, known: readonly string[]): string {
  const fresh = freshBlocks(text, known)
  const isWhole = fresh.length === parseMemory(text).length
  return isWhole || fresh.some(isWritten) ? fresh.map(({ raw }) => raw).join('') : ''
}

/** A note is known by its id. If its words are others than those of ours, and weigh as much, it stays with an id of its own. */
function freshBlocks(text: string, known: readonly string[]): NoteBlock[] {
  const notes = new Map(known.flatMap(parseMemory).flatMap(({ note }) => (note === null ? [] : [[note.id, note]])))
  return parseMemory(text).flatMap((block): NoteBlock[] => {
    const { raw, note } = block
    if (note === null) return isWritten(block) && hasLines(known, raw) ? [] : [block]
    const same = notes.get(note.id)
    if (same === undefined) return [block]
    const id = `${note.id}-${fingerprintOfNote(note.text)}`
    // Parts of a note that was cut have its id with a number.
    const versions = [...notes.values()].filter((one) => one.id.startsWith(note.id)).map((one) => one.text)
    if (notes.has(id) || standing(note) < standing(same) || hasLines(versions, note.text)) return []
    return [{ raw: changeRecords(raw, (record) => ({ ...record, id })), note: { ...note, id } }]
  })
}

function isBetter(theirs: Note, ours: Note): boolean {
  const more = standing(theirs) - standing(ours)
  return more > 0 || (more === 0 && hasLines([theirs.text], ours.text) && !hasLines([ours.text], theirs.text))
}

function hasLines(texts: readonly string[], lines: string): boolean {
  return compareWithCopy(lines, texts).lost === 0
}

/** Not only a title, a comment, or bytes that are no text. */
function isWritten({ raw, note }: NoteBlock): boolean {
  return note !== null || (plainBlock(raw) !== '' && !isGarbled(raw))
}

/** Without titles and comments. */
export function plainBlock(raw: string): string {
  return raw
    .replace(/^# .*$/gm, '')
    .replace(/<!--[\s\S]*?-->/g, '')
    .replace(/\s+/g, ' ')
    .trim()
}
