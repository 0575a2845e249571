/** What a text has lost since a copy of it was made: by its lines, and by the notes in it. */
import { parseObject } from '../platform/json.ts'
import { notesIn } from './note.ts'

export interface Comparison {
  /** Lines of the copy that are nowhere now, and how many it has. */
  lost: number
  of: number
  /** Notes of the copy that are nowhere now. */
  notes: number
  /** The file has fewer characters than the copy. */
  isShorter: boolean
}

/** `now`: where its words may stand, the file itself first; for memory.md also the archives. */
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
 * Whether the user should know. People edit the files that stand directly in the memory: there a note counts, or more than half of the
 * lines where the file shrank. What is made of sessions, and archives, nobody edits.
 */
export function isLoss(name: string, { lost, of, notes, isShorter }: Comparison): boolean {
  const isEdited = !/[/\\]/.test(name) && !/^memory_\d{8}_/.test(name)
  return notes > 0 || (isEdited ? isShorter && lost * 2 > of : lost > 0)
}

/** Why a file with this name cannot replace a copy that says something; null: it can. */
export function unfitFor(name: string, text: string, copy: string): 'empty' | 'garbled' | null {
  if (copy.trim() === '') return null
  if (text.trim() === '') return 'empty'
  if (isGarbled(text) && !isGarbled(copy)) return 'garbled'
  const isBroken = name.endsWith('.json') && parseObject(withoutMark(text)) === null
  return isBroken && parseObject(withoutMark(copy)) !== null ? 'garbled' : null
}

const LOOKED_AT = 4096
/** Of a text that somebody saved in another encoding, fewer characters are unknown. */
const UNKNOWN_SHARE = 0.1

/** Bytes that are no text. */
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
