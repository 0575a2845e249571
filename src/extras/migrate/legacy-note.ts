/** Converts notes of earlier versions (v13 and before): the same words, times in UTC, a record below the date; and splits files that are too large. */

import { planRotation, type RotationLimits } from '../../core/notes/rotation.ts'
import { earlierSectionsIn, earlierTitle } from '../../kernel/memory/earlier-sections.ts'
import { changeRecords, type NoteBlock, parseMemory } from '../../kernel/memory/note.ts'
import { archiveFile, isArchiveFile } from '../../kernel/platform/layout.ts'
import { formatBothTimes, formatStamp, NO_TIME } from '../../kernel/platform/time.ts'
import { fingerprint } from '../../kernel/text/fingerprint.ts'
import { estimateTokens } from '../../kernel/text/tokens.ts'
import { datedAt, type LegacyWhen } from './legacy-session.ts'

/**
 * Converts the notes of a memory or archive. Notes that already have our record, and undated text, stay byte for byte;
 * a second run changes nothing.
 */
export function convertNotes(text: string, timezone: string): string {
  return parseMemory(withLineBreaks(text))
    .map((block) => convertBlock(block, timezone))
    .join('')
}

/** From a directory that anyone may have filled: no note counts as the user's own. */
export function withoutUser(text: string): string {
  return changeRecords(text, (one) => (one.author === 'user' ? { ...one, author: 'agent' } : one))
}

/** A note with its record; no byte of its body changes. */
export function renderLegacyNote(when: LegacyWhen, body: string, timezone: string): string {
  const id = `n-${formatStamp(when.at)}-${fingerprint(body.trim()).slice(0, 6)}`
  const comment = `<!-- note ${id} author=agent at=${when.at} -->`
  return `## ${shownHeading(when, when.zone ?? timezone)}\n${comment}\n${body}${body.endsWith('\n') ? '' : '\n\n'}`
}

/**
 * Splits blocks of more than `maxTokens`, each part with a heading of its own, because rotation moves whole blocks only. The
 * words stay unchanged and in order.
 */
function cutLongBlocks(text: string, maxTokens: number): string {
  return parseMemory(text)
    .map(({ raw, note }) => (estimateTokens(raw) <= maxTokens ? raw : cutBlock(raw, note, maxTokens)))
    .join('')
}

/** Repairs escapes that some shells left in the text, together with echo's -e option. */
function withLineBreaks(text: string): string {
  return text.replace(/(^|\n|\\n)(?:-e )?\\n(## \d{4}-\d\d-\d\d[^\\\n]*)\\n/g, '$1\n$2\n')
}

function convertBlock({ raw, note }: NoteBlock, timezone: string): string {
  const [, line, body = ''] = /^## ([^\n]*)\n?([\s\S]*)$/.exec(raw) ?? []
  const dated = note !== null || line === undefined ? null : datedAt(line.trim(), timezone)
  if (dated === null) return raw
  return renderLegacyNote(dated, dated.rest === '' ? body : `${dated.rest}\n\n${body}`, timezone)
}

/** If only the day is known, only the day is shown. */
export function shownHeading({ at, isDay }: LegacyWhen, timezone: string): string {
  if (at === NO_TIME) return 'Undated'
  const both = formatBothTimes(at, timezone)
  return isDay ? (/\((\d{4}-\d\d-\d\d)/.exec(both)?.[1] ?? at.slice(0, 10)) : both
}

function cutBlock(raw: string, note: NoteBlock['note'], maxTokens: number): string {
  const end = raw.startsWith('## ') ? raw.indexOf('\n') + 1 : 0
  const bodyAt = note === null ? end : raw.indexOf('-->', end) + '-->\n'.length
  const heading = end === 0 ? '## Memory' : raw.slice(0, end).trimEnd()
  const headOf = (part: number): string =>
    note === null
      ? `${heading} part ${part}\n`
      : `${heading}\n<!-- note ${note.id}-${part} author=${note.author} at=${note.at} -->\n`
  const pieces = piecesOf(raw.slice(bodyAt), maxTokens * 0.9)
  return pieces.map((piece, i) => (i === 0 ? raw.slice(0, bodyAt) : headOf(i + 1)) + piece).join('')
}

/** Cuts at paragraphs, else at lines, else anywhere: joined again they are the same text, except for line breaks at the cuts. */
function piecesOf(text: string, maxTokens: number): string[] {
  const fits = (part: string): boolean => estimateTokens(part) <= maxTokens
  const border = [/(?<=\n\s*\n)/, /(?<=\n)/, /(?<=\s)/].find((one) => text.split(one).every(fits))
  const parts = border === undefined ? (text.match(/[\s\S]{1,2000}/gu) ?? []) : text.split(border)
  const pieces = groupedUpTo(parts, maxTokens)
  return pieces.map((piece, i) => (i === pieces.length - 1 ? piece : endLine(piece)))
}

/** Joins neighbours while they stay below the limit. */
function groupedUpTo(parts: readonly string[], maxTokens: number): string[] {
  const groups: string[] = []
  let tokens = 0
  for (const part of parts) {
    const more = estimateTokens(part)
    const isFull = groups.length === 0 || tokens + more > maxTokens
    groups.push(isFull ? part : `${groups.pop()}${part}`)
    tokens = isFull ? more : tokens + more
  }
  return groups
}

/** The content of a file; null: it does not exist. */
export type TextOf = (file: string) => string | null

export interface NotePiece {
  file: string
  text: string
}

/**
 * Merges notes of `theirs` that are in none of `archived` into ours, by time. Undated text follows ours if it is the user's
 * own; otherwise it is returned as `rest`, which becomes an archive. `when`: then it counts as written at that time.
 */
export function mergeNotes(
  ours: string,
  theirs: string,
  archived: readonly string[],
  { isOwn, when, timezone }: { isOwn: boolean; when: LegacyWhen; timezone: string },
): { memory: string; rest: string } {
  const known = new Set([ours, ...archived].flatMap(parseMemory).map(({ raw, note }) => note?.id ?? plain(raw)))
  const arriving = parseMemory(theirs)
  const fresh = arriving.filter(({ raw, note }) => !known.has(note?.id ?? plain(raw)) && !known.has(earlierNoteId(raw)))
  const undated = fresh.filter(({ raw, note }) => note === null && plain(raw) !== '')
  const [head, ...rest] = parseMemory(ours)
  const isHead = head !== undefined && !head.raw.startsWith('## ')
  const blocks = isHead ? rest : parseMemory(ours)
  for (const block of fresh) {
    const at = block.note?.at
    if (at === undefined) continue
    const later = blocks.findIndex(({ note }) => note !== null && note.at > at)
    blocks.splice(later < 0 ? blocks.length : later, 0, block)
  }
  const kept = isOwn ? undated.map(({ raw }) => raw) : []
  const all = [isHead ? head.raw : '', ...blocks.map(({ raw }) => raw), ...kept]
  const memory = all.map(endLine).join('')
  if (isOwn || undated.length === 0) return { memory, rest: '' }
  const sections = earlierSectionsIn(arriving)
  const title = arriving.map(({ raw }) => earlierTitle(raw)).join('')
  const asNotes = undated.map((block) =>
    sections.has(block) ? endLine(block.raw) : asClaudesNote(block.raw, when, timezone),
  )
  // By the title the sections are known in the archive, too.
  return { memory, rest: (undated.some((block) => sections.has(block)) ? title : '') + asNotes.join('') }
}

/** From a directory that anyone may have filled: a note of Claude's. Its words stay, with those of its heading. */
function asClaudesNote(raw: string, when: LegacyWhen, timezone: string): string {
  const title = earlierTitle(raw).trim()
  const body = raw.replace(title, '').replace(/^## /, '### ').trim()
  const id = earlierNoteId(raw)
  return `## ${shownHeading(when, timezone)}\n<!-- note ${id} author=agent at=${when.at} -->\n${body}\n\n`
}

function earlierNoteId(raw: string): string {
  return `n-earlier-${fingerprint(plain(raw)).slice(0, 8)}`
}

/** Without titles and comments. */
function plain(raw: string): string {
  return raw
    .replace(/^# .*$/gm, '')
    .replace(/<!--[\s\S]*?-->/g, '')
    .replace(/\s+/g, ' ')
    .trim()
}

function endLine(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`
}

export interface SplitMemory {
  /** The whole text, split where rotation needs it: written first, so that a kill in between loses no split. */
  whole: string
  /** Oldest first. */
  archives: NotePiece[]
  memory: string
}

/** The existing archives. */
export interface KnownArchives {
  names: readonly string[]
  textOf: TextOf
}

/** `undated` names archives whose notes have no date. */
export function splitMemory(text: string, limits: RotationLimits, undated: string, known: KnownArchives): SplitMemory {
  const whole = estimateTokens(text) > limits.fullTokens ? cutLongBlocks(text, limits.fullTokens) : text
  const rotation = planRotation(whole, limits)
  if (rotation === null) return { whole, archives: [], memory: whole }
  const archives = splitArchive((chunk) => archiveOf(chunk, undated), rotation.archive, limits.fullTokens, known)
  return { whole, archives, memory: rotation.memory }
}

/** Named after its last note. */
export function archiveOf(notes: string, undated: string): string {
  return archiveFile(parseMemory(notes).findLast(({ note }) => note !== null)?.note?.at ?? undated)
}

/** Splits an archive into pieces below the limit. A piece that an archive already contains keeps that archive's name. */
export function splitArchive(
  nameOf: (chunk: string) => string,
  text: string,
  maxTokens: number,
  { names, textOf }: KnownArchives,
): NotePiece[] {
  const taken = new Map<string, string>()
  const blocks = parseMemory(cutLongBlocks(text, maxTokens)).map(({ raw }) => raw)
  for (const chunk of groupedUpTo(blocks, maxTokens)) {
    const same = names.find((name) => textOf(name) === chunk)
    taken.set(same ?? freeName(nameOf(chunk), chunk, (name) => taken.get(name) ?? textOf(name)), chunk)
  }
  return [...taken].map(([file, chunk]) => ({ file, text: chunk }))
}

/** The name, or the name with a number: one that is free, or that already has the same text. */
function freeName(file: string, text: string, textOf: TextOf): string {
  const stem = file.replace(/\.md$/, '').replace(/^(memory_\d{8}_\d{6})_\d+$/, '$1')
  for (let n = 1; ; n++) {
    const name = n === 1 ? file : `${stem}_${n}.md`
    const there = textOf(name)
    if (isArchiveFile(name) && (there === null || there === text)) return name
  }
}
