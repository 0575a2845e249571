/** What a copy of a memory in a file contains, and how files of a copy are merged with newer ones, by the table of file kinds in `migrate/file-kind.ts`. */

import { fileKindOf, isInFileCopy, joinLines } from '../../core/files.ts'
import { formatConcepts, parseConcepts } from '../../core/knowledge/concept.ts'
import { formatFacts, parseFacts } from '../../core/knowledge/fact.ts'
import { withSalvagedConcepts, withSalvagedFacts } from '../../core/knowledge/salvage.ts'
import { compareWithCopy, unfitFor } from '../../kernel/memory/loss.ts'
import { type NoteBlock, parseMemory } from '../../kernel/memory/note.ts'
import { SESSIONS_DIR, STATE_FILE } from '../../kernel/platform/layout.ts'

export interface CopyFile {
  /** With slashes; relative to the memory. */
  path: string
  text: string
}

/** The files of a memory, without those that belong to this machine or place. */
export interface MemoryTexts {
  paths: readonly string[]
  /** Null: there is no file. Compressed sessions are unpacked; of the state only the portable part is returned. */
  textOf: (path: string) => string | null
}

/** What a copy in a file contains. `clean` removes secrets from a text. */
export function fileCopy({ paths, textOf }: MemoryTexts, clean: (path: string, text: string) => string): CopyFile[] {
  return filePaths(paths).flatMap((path): CopyFile[] => {
    const text = textOf(path)
    return text === null ? [] : [{ path, text: clean(path, text) }]
  })
}

/** If a session exists in both forms, the plain one is used. */
function filePaths(paths: readonly string[]): string[] {
  const all = new Set(paths)
  return paths.filter((path) => isInFileCopy(path) && (plainPath(path) === path || !all.has(plainPath(path))))
}

/** For a compressed session: the path of its plain form. */
function plainPath(path: string): string {
  return fileKindOf(path) === 'packed'
    ? `${SESSIONS_DIR}/${path.slice(path.lastIndexOf('/') + 1, -'.gz'.length)}`
    : path
}

/**
 * How a copy in a file is restored. `exact`: the memory here has nothing that the copy lacks (an empty memory, or the remains of a killed
 * import), so that missing files are written unchanged, the state last. `joined`: the copy is merged like an earlier memory of the user.
 */
export function planBack(files: readonly CopyFile[], here: MemoryTexts): { is: 'exact' | 'joined'; files: CopyFile[] } {
  const texts = new Map(files.map(({ path, text }) => [path, text]))
  const isPart = filePaths(here.paths).every((path) => path === STATE_FILE || here.textOf(path) === texts.get(path))
  const others = files.filter(({ path }) => path !== STATE_FILE)
  if (!isPart) return { is: 'joined', files: others.map(({ path, text }) => ({ path: plainPath(path), text })) }
  const missing = [...others, ...files.filter(({ path }) => path === STATE_FILE)]
  return { is: 'exact', files: missing.filter(({ path, text }) => here.textOf(path) !== text) }
}

/**
 * A file of the copy at home, merged with newer content: notes, facts, concepts and lines of both. For other kinds of files, or if the
 * newer text is garbled, the earlier text.
 */
export function rejoin(name: string, earlier: string, since: string): string {
  const kind = fileKindOf(name)
  // A note that was added to a garbled file is still a note.
  if (kind === 'memory') return rejoinNotes(earlier, since)
  if (unfitFor(name, since, earlier) !== null) return earlier
  if (kind === 'facts') return both(parseFacts(since), parseFacts(earlier), withSalvagedFacts, formatFacts) ?? earlier
  if (kind === 'concepts')
    return both(parseConcepts(since), parseConcepts(earlier), withSalvagedConcepts, formatConcepts) ?? earlier
  return /\.(?:md|jsonl)$/.test(name) ? joinLines(earlier, withoutCutLine(since, earlier)) : earlier
}

function both<T>(
  since: T | null,
  earlier: T | null,
  join: (a: T, b: T) => T,
  format: (all: T) => string,
): string | null {
  return since === null || earlier === null ? null : format(join(since, earlier))
}

/** Drops a last line that is only the beginning of an earlier line. */
function withoutCutLine(text: string, earlier: string): string {
  const end = text.slice(text.lastIndexOf('\n') + 1)
  return earlier.split('\n').some((line) => line.startsWith(end)) ? text.slice(0, text.length - end.length) : text
}

/** The earlier blocks in order, replaced only by a version that contains them; then the new ones. */
function rejoinNotes(earlier: string, since: string): string {
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

/** Every line, or the remains of a cut line. */
export function holds(text: string, lines: string): boolean {
  return lines.split('\n').every((line) => text.includes(line.trim()))
}
