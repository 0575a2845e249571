/** How files of notes change: what is left when something is forgotten, and two versions of memory.md as one. */

import { type ChangedFile, type KindChanges, nameIn } from '../../kernel/memory/file-kind.ts'
import {
  cutProse,
  type Forgetting,
  type Gone,
  isTouched,
  type Outcome,
  stringsIn,
  unchanged,
  withoutByForm,
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
import { handLines, withMarks } from '../../kernel/text/fingerprint.ts'
import { parseEntryId } from '../../kernel/transcript/session.ts'
import { SESSION_SUMMARY } from './documents.ts'
import { standing } from './doubles.ts'
import { formatTier, parseTier, type TierBlock, type TierLine } from './tier.ts'
import { type Period, periodOf } from './tier-period.ts'

export const NOTES_CHANGES: readonly KindChanges[] = [
  { name: 'memory', title: 'notes', without: inNotes, join: joinNotes, arriving: 'content', isSource: true },
  { name: 'archive', title: 'older notes', without: inNotes, arriving: 'content', isSource: true },
  { name: 'archive-summary', title: 'the summary of an archive', without: inArchiveSummary, arriving: 'ours' },
  { name: 'session-summary', title: 'the summary of a session', without: inSummary, arriving: 'ours' },
  { name: 'week', title: 'a week', without: inTier, arriving: 'behind' },
  { name: 'month', title: 'a month', without: inTier, arriving: 'behind' },
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

/** For `sessions/….md`, which is rebuilt afterwards. Text that a person wrote into it only loses sentences. */
function inSummary(text: string, { path }: ChangedFile, about: Forgetting): Outcome {
  const id8 = SESSION_SUMMARY.exec(nameIn(path))?.[7] ?? ''
  const hand = handLines(text)
  const own = text.split('\n').filter((line) => !line.startsWith('<!-- ours:') && !hand.includes(line.trimEnd()))
  const isOut = about.sessions.has(id8) || about.ids.has(`s:${id8}`) || own.some(about.from(id8).traces)
  const left = cutProse(hand.join('\n'), about.repeats)
  if (!isOut && left.gone.length === 0) return unchanged(text)
  const kept = left.left.split('\n').filter((line) => line !== '')
  const next = withMarks(isOut ? '' : own.join('\n'), kept)
  if (next === text) return unchanged(text)
  const gone = [{ id: `S:${id8}`, kind: 'summary', text: left.gone[0] ?? '' }]
  return { text: isOut && kept.length === 0 ? null : next, gone }
}

function inTier(text: string, { path }: ChangedFile, about: Forgetting): Outcome {
  const period = periodOf(path.slice(SESSIONS_DIR.length + 1))
  return period === null ? withoutByForm(path, text, about) : inPeriod(period, text, about)
}

/** Drops lines that come from deleted entries or have a trace. */
function inPeriod(period: Period, text: string, about: Forgetting): Outcome {
  const tier = parseTier(period, text)
  const gone: Gone[] = []
  const isOut = ({ link, text: words }: TierLine): boolean => {
    const { id8 = '', n = null } = parseEntryId(link) ?? {}
    return (n === null ? about.sessions.has(id8) : about.isGone(id8, n)) || about.from(id8).traces(words)
  }
  const handOf = (hand: readonly string[]): string[] => {
    const cut = cutProse(hand.join('\n'), about.repeats)
    gone.push(...cut.gone.map((one) => ({ id: period.file, kind: 'text', text: one })))
    return cut.gone.length === 0 ? [...hand] : cut.left.split('\n')
  }
  const blocks = tier.blocks.flatMap((block): TierBlock[] => {
    const isBlockOut = about.whole.has(block.id8) || about.ids.has(`s:${block.id8}`)
    const out = isBlockOut ? block.lines : block.lines.filter(isOut)
    gone.push(...out.map((line) => ({ id: `S:${block.id8}`, kind: period.is, text: line.text })))
    const hand = handOf(block.hand)
    const isEmpty = isBlockOut && hand.every((line) => line.trim() === '')
    return isEmpty ? [] : [{ ...block, lines: block.lines.filter((line) => !out.includes(line)), hand }]
  })
  const hand = handOf(tier.hand)
  if (gone.length === 0 && blocks.length === tier.blocks.length) return unchanged(text)
  return { text: blocks.length === 0 && hand.length === 0 ? null : formatTier(period, { blocks, hand }), gone }
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
