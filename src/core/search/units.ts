/** What is found in the files of a memory, by their rows; and the identity of a document within its file. */

import type { Unit } from '../../kernel/memory/document.ts'
import { nameIn } from '../../kernel/memory/file-kind.ts'
import { id8OfFile } from '../../kernel/platform/layout.ts'
import { fingerprint } from '../../kernel/text/fingerprint.ts'
import { searchedKindOf } from '../files.ts'

/** The name of the file's kind; a `session` is read entry by entry. Null: not searchable. `path`: below the memory directory, with slashes. */
export function sourceKindOf(path: string): string | null {
  return searchedKindOf(path)?.name ?? null
}

/** The session whose file it is, or null. */
export function sessionOf(path: string): string | null {
  return id8OfFile(nameIn(path))
}

/** For a file that is read as a whole; units in the order of the file. */
export function unitsIn(path: string, text: string): Unit[] {
  const { units } = searchedKindOf(path) ?? {}
  return (units?.(text, path) ?? []).map((unit, n) => ({ ...NOTHING_KNOWN, ...unit, n }))
}

/** Identifies a unit within its file, independent of its position. */
export function unitHash({ kind, at, state, about, text }: Unit): number {
  return Number.parseInt(fingerprint(`${kind}\n${at}\n${state}\n${about}\n${text}`).slice(-8), 16)
}

const NOTHING_KNOWN = { at: '', state: '', about: '' }
