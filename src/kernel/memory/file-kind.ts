/** A kind of file in a memory: one row says everything about it. Each slice owns its rows, `core/files.ts` collects them, and nobody else knows a kind by name. */

import type { Redactor } from '../redact/redact.ts'
import type { NewUnit } from './document.ts'
import type { Forgetting, Outcome } from './forgetting.ts'

/**
 * How an arriving file is merged with an existing one of the same name. `ours`: the existing one stays. `join`: as `join` says.
 * `rules`: missing ones are added. `behind`: the whole text is appended. `beside`: it gets another name. `content`: notes, facts and concepts are merged one by one.
 */
export type Joining = 'ours' | 'join' | 'rules' | 'behind' | 'beside' | 'content'

/** A file whose text changes, and what is beside it. */
export interface ChangedFile {
  /** Relative to the memory, with slashes. */
  path: string
  /** The text of another file of the same memory; null: there is none. */
  textOf: (path: string) => string | null
  timezone: string
}

export interface FileKind {
  name: string
  /** What it is, for people. Every kind has one, here or among its changes. */
  title?: string
  /** Whether this is its name; the path is relative to the memory, with slashes. The first row that matches is used. */
  match(path: string): boolean
  /** The folder in which this version stores it; empty: the memory itself. A copy in a file contains such a file. Missing: it is found anywhere, and no copy in a file contains it. */
  at?: '' | 'sessions' | 'sessions/archive'
  /** What a search finds in it, in the order of the file. Missing: it is not searched. */
  units?(text: string, path: string): NewUnit[]
  /**
   * What is left of it when something is forgotten. Missing: the form of the text decides (JSON, lines). Called again on its own result: it
   * decides by `about`, not by what is still there.
   */
  without?(text: string, file: ChangedFile, about: Forgetting): Outcome
  /** An earlier version and what was written since, as one. Missing: the form of the text decides, of JSON the earlier version. */
  join?(earlier: string, since: string): string
  /** Missing: the form of the text decides. */
  scrub?(text: string, redact: Redactor): { text: string; count: number }
  /** How a file of another memory is merged with ours. Missing: it is not taken. */
  arriving?: Joining
  /** Accepted only from the user's own memory. */
  isUsersOnly?: true
  /** What a person is shown of what `without` takes out: a word for each `kind` of it. */
  words?: Readonly<Record<string, string>>
  /** What it contains was said here first, not derived: a word in it is not forgotten with an entry that has it too. */
  isSource?: true
  /** `entries`, `state`: sessions and their counts change together. `whole`: deleted as soon as a deleted entry came from it. `never`: it contains no text of a session. */
  forgets?: 'entries' | 'state' | 'whole' | 'never'
  /** A copy in a file keeps it byte for byte: the program compares its texts, or reads them as settings. */
  isVerbatim?: true
  /** Compressed; a copy in a file contains its text. */
  isPacked?: true
  /** The vault has no copy of it: it belongs to this machine or place, or is made again. */
  isKept?: false
  /** It belongs to the program, not to the memory: another version has no use for it. */
  isOurs?: true
  /** Of such a kind: the path of its one file or folder, which uninstall deletes. */
  place?: string
}

/**
 * The rest of a row, in a file of its own (`<slice>/file-changes.ts`). Every search loads the rows of what it reads, with each prompt: code and
 * fields that only forget, restore or a copy need would cost all of them. What is small, or not searched, stands in the row itself.
 */
export interface KindChanges extends Omit<FileKind, 'match' | 'units'> {
  name: string
}

export function nameIn(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** Whether the path is where this version stores such a file. */
export function isInPlace(kind: FileKind, path: string): boolean {
  return kind.match(path) && (kind.at === undefined || pathBelow(kind.at, path) === path)
}

/** The path of a file in a folder, by its name. */
export function pathBelow(folder: string, path: string): string {
  return `${folder === '' ? '' : `${folder}/`}${nameIn(path)}`
}

/** Appends the lines of `theirs` that `ours` lacks. */
export function joinLines(ours: string, theirs: string): string {
  const known = new Set(['', ...ours.split('\n').map((line) => line.trim())])
  const fresh = theirs.split('\n').filter((line) => !known.has(line.trim()))
  return fresh.length === 0 ? ours : `${ours}${ours === '' || ours.endsWith('\n') ? '' : '\n'}${fresh.join('\n')}\n`
}
