/** Splits files with notes that are too large, and names the pieces. */

import { type NoteBlock, parseMemory } from '../../kernel/memory/note.ts'
import { archiveFile, isArchiveFile } from '../../kernel/platform/layout.ts'
import { estimateTokens } from '../../kernel/text/tokens.ts'
import { planRotation, type RotationLimits } from '../notes/rotation.ts'

/** The content of a file; null: it does not exist. */
export type TextOf = (file: string) => string | null

interface NotePiece {
  file: string
  text: string
}

interface SplitMemory {
  /** The whole text, split where rotation needs it: written first, so that a kill in between loses no split. */
  whole: string
  /** Oldest first. */
  archives: NotePiece[]
  memory: string
}

/** The existing archives. */
interface KnownArchives {
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

function endLine(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`
}
