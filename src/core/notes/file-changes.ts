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
import { compareWithCopy } from '../../kernel/memory/loss.ts'
import {
  fingerprintOfNote,
  formatNote,
  madeByCode,
  type Note,
  type NoteBlock,
  parseMemory,
} from '../../kernel/memory/note.ts'
import { parseObject } from '../../kernel/platform/json.ts'
import { isArchiveFile, SESSIONS_DIR } from '../../kernel/platform/layout.ts'
import { formatHand, handIn, hasItsSessions, sessionsIn } from './tier.ts'
import { periodOf } from './tier-period.ts'

export const NOTES_CHANGES: readonly KindChanges[] = [
  // A note that was added to a garbled file is still a note.
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

/** The earlier blocks in order, replaced only by a version that contains them; then the new ones. */
function joinNotes(earlier: string, since: string): string {
  const now = parseMemory(since)
  const kept = parseMemory(earlier).map((block) => {
    const same = block.note === null ? undefined : now.find(({ note }) => note?.id === block.note?.id)
    return same !== undefined && hasAllOf(same.raw, block.raw) ? same : block
  })
  const text = joinBlocks(kept)
  const ids = new Set(kept.flatMap(({ note }) => note?.id ?? []))
  const isNew = ({ raw, note }: NoteBlock): boolean =>
    note === null ? raw.startsWith('## ') && !hasAllOf(text, raw) : !ids.has(note.id)
  return text + joinBlocks(now.filter(isNew))
}

function joinBlocks(blocks: readonly NoteBlock[]): string {
  return blocks.map(({ raw }) => (raw.endsWith('\n') ? raw : `${raw}\n\n`)).join('')
}

function hasAllOf(text: string, lines: string): boolean {
  return compareWithCopy(lines, [text]).lost === 0
}
