/** All kinds of files in a memory: the rows of every slice, and what is asked of a file by its kind. A new kind is one row in its slice and one line here. */

import { type FileKind, isInPlace, joinLines, type KindChanges } from '../kernel/memory/file-kind.ts'
import { MEMORY_RECORDS } from '../kernel/memory/files.ts'
import { type Forgetting, type Outcome, withoutByForm } from '../kernel/memory/forgetting.ts'
import { unfitFor } from '../kernel/memory/loss.ts'
import type { Redactor } from '../kernel/redact/redact.ts'
import { SESSION_CHANGES } from '../kernel/sessions/file-changes.ts'
import { SESSION_FILES, SESSION_RECORDS } from '../kernel/sessions/files.ts'
import { scrubByForm } from '../kernel/sessions/scrub.ts'
import { KNOWLEDGE_CHANGES } from './knowledge/file-changes.ts'
import { KNOWLEDGE_FILES, KNOWLEDGE_RECORDS } from './knowledge/files.ts'
import { NOTES_CHANGES } from './notes/file-changes.ts'
import { NOTES_FILES, NOTES_RECORDS } from './notes/files.ts'
import { OTHERS_CHANGES } from './others/file-changes.ts'
import { OTHERS_FILES } from './others/files.ts'
import { PAGE_CHANGES } from './pages/file-changes.ts'
import { PAGE_FILES, PAGE_RECORDS } from './pages/files.ts'
import { RECEIPT_CHANGES } from './receipts/file-changes.ts'
import { RECEIPT_RECORDS } from './receipts/files.ts'

/** A file of a memory, as text. */
export interface MemoryFile {
  /** Relative to the memory, with slashes. */
  path: string
  /** Of a compressed session: its entries. */
  text: string
}

/** What a search reads, loaded with every prompt. The first row that matches is used: pages may have nearly every name. */
const searchedHere = (): FileKind[] => [
  ...SESSION_FILES,
  ...NOTES_FILES,
  ...KNOWLEDGE_FILES,
  ...OTHERS_FILES,
  ...PAGE_FILES,
]

/** What no search reads. */
const othersHere = (): FileKind[] => [
  ...SESSION_RECORDS,
  ...MEMORY_RECORDS,
  ...RECEIPT_RECORDS,
  ...NOTES_RECORDS,
  ...KNOWLEDGE_RECORDS,
  ...PAGE_RECORDS,
]

/** The rest of rows that a search reads: file-kind.ts says why. */
const ownChanges = (): KindChanges[] => [
  ...SESSION_CHANGES,
  ...RECEIPT_CHANGES,
  ...NOTES_CHANGES,
  ...KNOWLEDGE_CHANGES,
  ...OTHERS_CHANGES,
  ...PAGE_CHANGES,
]

let ofExtras: readonly FileKind[] = []
let searched: readonly FileKind[] | null = null
let all: readonly FileKind[] | null = null

/** Whole rows, in the order in which they are asked. */
export function fileKinds(): readonly FileKind[] {
  if (all !== null) return all
  const changes = new Map(ownChanges().map((one) => [one.name, one]))
  all = [...searchedHere(), ...othersHere(), ...ofExtras].map((row) => ({ ...row, ...changes.get(row.name) }))
  return all
}

/** The rows of extras, behind ours. */
export function useFileKinds(rows: readonly FileKind[]): void {
  ofExtras = rows
  searched = null
  all = null
}

/** Null: no search reads it. Loads the rows of what is searched only. */
export function searchedKindOf(path: string): FileKind | null {
  searched ??= [...searchedHere(), ...ofExtras.filter(({ units }) => units)]
  return searched.find((kind) => isInPlace(kind, path)) ?? null
}

/** The kind of a file where this version stores it; else of one with its name, as an earlier version or a backup has it. `path`: relative to the memory, with slashes. */
export function fileKindOf(path: string): FileKind | null {
  return kindInPlace(path) ?? kindNamed(path)
}

/** Null: this version stores no such file there. */
export function kindInPlace(path: string): FileKind | null {
  return fileKinds().find((kind) => isInPlace(kind, path)) ?? null
}

/** By its name, whatever folder it is in. */
export function kindNamed(path: string): FileKind | null {
  return fileKinds().find((kind) => kind.match(path)) ?? null
}

/** Whether a copy in a file contains it. The names may come from a stranger: no other path is written. */
export function isInFileCopy(path: string): boolean {
  return kindInPlace(path)?.at !== undefined
}

/** What is left of a file when something is forgotten. Not for sessions and the state. */
export function leftOfFile(
  path: string,
  text: string,
  around: { textOf: (path: string) => string | null; timezone: string },
  about: Forgetting,
): Outcome {
  const { without } = fileKindOf(path) ?? {}
  return without?.(text, { path, ...around }, about) ?? withoutByForm(path, text, about)
}

/** A text without a secret stays byte for byte. */
export function scrubText(path: string, text: string, redact: Redactor): { text: string; count: number } {
  const { scrub } = fileKindOf(path) ?? {}
  return scrub?.(text, redact) ?? scrubByForm(path, text, redact)
}

/** An earlier version of a file, joined with what was written since; the earlier one if the newer text is garbled, or cannot be joined. */
export function joinVersions(path: string, earlier: string, since: string): string {
  const { join } = fileKindOf(path) ?? {}
  if (join !== undefined) return join(earlier, since)
  const isLines = /\.(?:md|jsonl)$/.test(path) && unfitFor(path, since, earlier) === null
  return isLines ? joinLines(earlier, withoutCutLine(since, earlier)) : earlier
}

/** Drops a last line that is only the beginning of an earlier line. */
function withoutCutLine(text: string, earlier: string): string {
  const end = text.slice(text.lastIndexOf('\n') + 1)
  return earlier.split('\n').some((line) => line.startsWith(end)) ? text.slice(0, text.length - end.length) : text
}
