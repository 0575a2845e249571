/** Joins notes of another memory into ours, and splits files that are too large. */

import { compareWithCopy } from '../../kernel/memory/loss.ts'
import { changeRecords, fingerprintOfNote, type NoteBlock, parseMemory } from '../../kernel/memory/note.ts'
import { archiveFile, isArchiveFile } from '../../kernel/platform/layout.ts'
import { estimateTokens } from '../../kernel/text/tokens.ts'
import { standing } from '../notes/doubles.ts'
import { planRotation, type RotationLimits } from '../notes/rotation.ts'

/** The content of a file; null: it does not exist. */
export type TextOf = (file: string) => string | null

export interface NotePiece {
  file: string
  text: string
}

/** Notes of `theirs` that are in none of `archived` join ours by time; undated text follows. */
export function mergeNotes(ours: string, theirs: string, archived: readonly string[]): string {
  const fresh = freshBlocks(theirs, [ours, ...archived]).filter(isWritten)
  if (fresh.length === 0) return ours
  const [head, ...rest] = parseMemory(ours)
  const isHead = head !== undefined && !head.raw.startsWith('## ')
  const blocks = isHead ? rest : parseMemory(ours)
  for (const block of fresh) {
    const at = block.note?.at
    if (at === undefined) continue
    const later = blocks.findIndex(({ note }) => note !== null && note.at > at)
    blocks.splice(later < 0 ? blocks.length : later, 0, block)
  }
  const undated = fresh.filter(({ note }) => note === null)
  return [...(isHead ? [head] : []), ...blocks, ...undated].map(({ raw }) => endLine(raw)).join('')
}

/** The text without the notes of `known`; byte for byte if it has none of them, and empty if it has nothing else. */
export function withoutKnownNotes(text: string, known: readonly string[]): string {
  const fresh = freshBlocks(text, known)
  return fresh.some(isWritten) ? fresh.map(({ raw }) => raw).join('') : ''
}

/** A note is known by its id. If its words are others than those of ours, and weigh as much, it stays with an id of its own. */
function freshBlocks(text: string, known: readonly string[]): NoteBlock[] {
  const there = known.flatMap(parseMemory)
  const words = new Set(there.map(({ raw }) => plainBlock(raw)))
  const notes = new Map(there.flatMap(({ note }) => (note === null ? [] : [[note.id, note]])))
  return parseMemory(text).flatMap((block): NoteBlock[] => {
    const { raw, note } = block
    if (note === null) return words.has(plainBlock(raw)) && isWritten(block) ? [] : [block]
    const same = notes.get(note.id)
    if (same === undefined) return [block]
    const id = `${note.id}-${fingerprintOfNote(note.text)}`
    const isSaid = compareWithCopy(note.text, known).lost === 0
    if (notes.has(id) || isSaid || standing(note) < standing(same)) return []
    return [{ raw: changeRecords(raw, (record) => ({ ...record, id })), note: { ...note, id } }]
  })
}

/** Not only a title or a comment. */
function isWritten({ raw, note }: NoteBlock): boolean {
  return note !== null || plainBlock(raw) !== ''
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

/**
 * Splits blocks of more than `maxTokens`, each part with a heading of its own, because rotation moves whole blocks only. The
 * words stay unchanged and in order.
 */
function cutLongBlocks(text: string, maxTokens: number): string {
  return parseMemory(text)
    .map(({ raw, note }) => (estimateTokens(raw) <= maxTokens ? raw : cutBlock(raw, note, maxTokens)))
    .join('')
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

/** Without titles and comments. */
export function plainBlock(raw: string): string {
  return raw
    .replace(/^# .*$/gm, '')
    .replace(/<!--[\s\S]*?-->/g, '')
    .replace(/\s+/g, ' ')
    .trim()
}

function endLine(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`
}
