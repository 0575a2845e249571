/** Determines what a text has lost since it was copied: in lines, and in notes. */
import { parseObject } from '../platform/json.ts'
import { notesIn } from './note.ts'

export interface Comparison {
  /** How many lines of the copy are missing now, and how many lines the copy has. */
  lost: number
  of: number
  /** How many notes of the copy are missing now. */
  notes: number
  /** The file has fewer characters than the copy. */
  isShorter: boolean
}

/** `now`: the texts that may contain the copy's lines, the file itself first; for memory.md also the archives. */
export function compareWithCopy(copy: string, now: readonly string[]): Comparison {
  const lines = [...linesOf(copy)]
  const left = new Set(now.flatMap((text) => [...linesOf(text)]))
  const ids = new Set(now.flatMap((text) => notesIn(text).map(({ id }) => id)))
  return {
    lost: lines.filter((line) => !left.has(line)).length,
    of: lines.length,
    notes: notesIn(copy).filter(({ id }) => !ids.has(id)).length,
    isShorter: (now[0] ?? '').length < copy.length,
  }
}

/**
 * Whether to tell the user. People edit the files directly in the memory directory: there, a lost note counts, or a loss of more than
 * half of the lines if the file shrank. Nobody edits archives and files derived from sessions: there, every lost line counts.
 */
export function isLoss(name: string, { lost, of, notes, isShorter }: Comparison): boolean {
  const isEdited = !/[/\\]/.test(name) && !/^memory_\d{8}_/.test(name)
  return notes > 0 || (isEdited ? isShorter && lost * 2 > of : lost > 0)
}

/** Why this file cannot replace a copy that has content; null: it can. */
export function unfitFor(name: string, text: string, copy: string): 'empty' | 'garbled' | null {
  if (copy.trim() === '') return null
  if (text.trim() === '') return 'empty'
  if (isGarbled(text) && !isGarbled(copy)) return 'garbled'
  const isBroken = name.endsWith('.json') && parseObject(withoutMark(text)) === null
  return isBroken && parseObject(withoutMark(copy)) !== null ? 'garbled' : null
}

/** Every line, or the remains of a cut line. */
export function holdsLines(text: string, lines: string): boolean {
  return lines.split('\n').every((line) => text.includes(line.trim()))
}

const LOOKED_AT = 4096
/** A text saved in another encoding has a smaller share of unknown characters. */
const UNKNOWN_SHARE = 0.1

/** The bytes are not text. */
export function isGarbled(text: string): boolean {
  const beginning = text.slice(0, LOOKED_AT)
  const unknown = beginning.match(/\ufffd/g)?.length ?? 0
  return beginning.includes('\u0000') || unknown > beginning.length * UNKNOWN_SHARE
}

function linesOf(text: string): Set<string> {
  const lines = text.split('\n').map((line) => line.trim())
  return new Set(lines.filter((line) => line !== ''))
}

function withoutMark(text: string): string {
  return text.startsWith('\ufeff') ? text.slice(1) : text
}
