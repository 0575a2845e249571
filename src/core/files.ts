/** All kinds of files in a memory: the rows of every slice, and what is asked of a file by its kind. A new kind is one row in its slice and one line here. */

import {
  type FileChanges,
  type FileKind,
  isInPlace,
  joinLines,
  type KindChanges,
  placeIn,
} from '../kernel/memory/file-kind.ts'
import { MEMORY_FILES } from '../kernel/memory/files.ts'
import { type Forgetting, type Outcome, withoutByForm } from '../kernel/memory/forgetting.ts'
import { unfitFor } from '../kernel/memory/loss.ts'
import type { Redactor } from '../kernel/redact/redact.ts'
import { SESSION_CHANGES } from '../kernel/sessions/file-changes.ts'
import { SESSION_FILES } from '../kernel/sessions/files.ts'
import { scrubByForm } from '../kernel/sessions/scrub.ts'
import { KNOWLEDGE_CHANGES } from './knowledge/file-changes.ts'
import { KNOWLEDGE_FILES } from './knowledge/files.ts'
import { NOTES_CHANGES } from './notes/file-changes.ts'
import { NOTES_FILES } from './notes/files.ts'
import { OTHERS_CHANGES } from './others/file-changes.ts'
import { OTHERS_FILES } from './others/files.ts'
import { PAGE_CHANGES } from './pages/file-changes.ts'
import { PAGE_FILES } from './pages/files.ts'
import { RECEIPT_CHANGES } from './receipts/file-changes.ts'
import { RECEIPT_FILES } from './receipts/files.ts'

/** The first row that matches is used: pages may have nearly every name. */
const ownKinds = (): FileKind[] => [
  ...SESSION_FILES,
  ...MEMORY_FILES,
  ...RECEIPT_FILES,
  ...NOTES_FILES,
  ...KNOWLEDGE_FILES,
  ...OTHERS_FILES,
  ...PAGE_FILES,
]

/** Of rows whose changes are a file of their own: file-kind.ts says why. */
const ownChanges = (): KindChanges[] => [
  ...SESSION_CHANGES,
  ...RECEIPT_CHANGES,
  ...NOTES_CHANGES,
  ...KNOWLEDGE_CHANGES,
  ...OTHERS_CHANGES,
  ...PAGE_CHANGES,
]

let kinds: readonly FileKind[] | null = null

export function fileKinds(): readonly FileKind[] {
  kinds ??= ownKinds()
  return kinds
}

/** Rows of extras, behind ours. A row of the same name is replaced, so that it may be called twice. */
export function addFileKinds(rows: readonly FileKind[]): void {
  const names = new Set(rows.map(({ name }) => name))
  kinds = [...fileKinds().filter(({ name }) => !names.has(name)), ...rows]
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

/** The place of a file with this name in this version; null: none. */
export function placeOf(path: string): string | null {
  const at = kindNamed(path)?.at
  return at === undefined ? null : placeIn(at, path)
}

/** Whether a copy in a file contains it. The names may come from a stranger: no other path is written. */
export function isInFileCopy(path: string): boolean {
  return kindInPlace(path)?.at !== undefined
}

function changesOf(path: string): FileChanges {
  const kind = fileKindOf(path)
  return { ...kind, ...ownChanges().find(({ name }) => name === kind?.name) }
}

/** What is left of a file when something is forgotten. Not for sessions and the state. */
export function withoutForgotten(
  path: string,
  text: string,
  around: { textOf: (path: string) => string | null; timezone: string },
  about: Forgetting,
): Outcome {
  const { without } = changesOf(path)
  return without === undefined ? withoutByForm(path, text, about) : without(text, { path, ...around }, about)
}

/** A text without a secret stays byte for byte. */
export function scrubText(path: string, text: string, redact: Redactor): { text: string; count: number } {
  const { scrub } = changesOf(path)
  return scrub === undefined ? scrubByForm(path, text, redact) : scrub(text, redact)
}

/** An earlier version of a file, joined with what was written since; the earlier one if the newer text is garbled, or cannot be joined. */
export function joinVersions(path: string, earlier: string, since: string): string {
  const { join } = changesOf(path)
  if (join !== undefined) return join(earlier, since)
  const isLines = /\.(?:md|jsonl)$/.test(path) && unfitFor(path, since, earlier) === null
  return isLines ? joinLines(earlier, withoutCutLine(since, earlier)) : earlier
}

/** Drops a last line that is only the beginning of an earlier line. */
function withoutCutLine(text: string, earlier: string): string {
  const end = text.slice(text.lastIndexOf('\n') + 1)
  return earlier.split('\n').some((line) => line.startsWith(end)) ? text.slice(0, text.length - end.length) : text
}
