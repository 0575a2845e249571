/**
 * One plan for every copy of a memory: at home (the vault), in a file (a bundle), for the team (`shared/`). What a copy contains, and
 * what comes back from it. `migrate/file-kind.ts` is the table of files that it goes by.
 */
import { formatConcepts, parseConcepts } from '../knowledge/concept.ts'
import { formatFacts, parseFacts } from '../knowledge/fact.ts'
import { withSalvagedConcepts, withSalvagedFacts } from '../knowledge/salvage.ts'
import { compareWithCopy, unfitFor } from '../memory/loss.ts'
import { type NoteBlock, parseMemory } from '../memory/note.ts'
import { fileKindOf, isInFileCopy, joinLines } from '../migrate/file-kind.ts'
import { SESSIONS_DIR, STATE_FILE } from '../platform/layout.ts'
import { formatShared, type Shareable } from './share.ts'

export interface CopyFile {
  /** With slashes; at home and in a file below the memory, for the team below the person's folder. */
  path: string
  text: string
}

/** The files of a memory, without those that belong to this machine or to their place. */
export interface MemoryTexts {
  paths: readonly string[]
  /** Null: there is none. Compressed sessions are unpacked; of the state it is what is true on every machine. */
  textOf: (path: string) => string | null
}

interface HomeCopy extends Pick<MemoryTexts, 'paths'> {
  to: 'home'
}

/** `clean` takes secrets out of a text. */
interface FileCopy extends MemoryTexts {
  to: 'file'
  clean: (path: string, text: string) => string
}

interface TeamCopy {
  to: 'team'
  memory: Shareable
  clean: (text: string) => string
}

/** At home the bytes of each file are copied as they are. For the team a file whose text is empty is not to be there. */
export function planCopy(copy: HomeCopy): { path: string }[]
export function planCopy(copy: FileCopy | TeamCopy): CopyFile[]
export function planCopy(copy: HomeCopy | FileCopy | TeamCopy): { path: string }[] {
  switch (copy.to) {
    case 'home': {
      // The state last: it never promises more than the copied sessions hold.
      const isState = (path: string): number => Number(path === STATE_FILE)
      return copy.paths.toSorted((a, b) => isState(a) - isState(b)).map((path) => ({ path }))
    }
    case 'file':
      return filePaths(copy.paths).flatMap((path): CopyFile[] => {
        const text = copy.textOf(path)
        return text === null ? [] : [{ path, text: copy.clean(path, text) }]
      })
    case 'team':
      return Object.entries(formatShared(copy.memory, copy.clean)).map(([path, text]): CopyFile => ({ path, text }))
  }
}

/** Of a session that is there twice the plain one. */
function filePaths(paths: readonly string[]): string[] {
  const all = new Set(paths)
  return paths.filter((path) => isInFileCopy(path) && (plainPath(path) === path || !all.has(plainPath(path))))
}

/** Of a compressed session: the path of the plain one. */
function plainPath(path: string): string {
  return fileKindOf(path) === 'packed'
    ? `${SESSIONS_DIR}/${path.slice(path.lastIndexOf('/') + 1, -'.gz'.length)}`
    : path
}

/**
 * How a copy in a file comes back. `exact`: nothing is here that it has not (an empty memory, or what a killed import left), so the
 * missing files come as they were, the state last. `joined`: it joins what is here, as an earlier memory of the user does.
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
 * A file as the copy at home had it, with what came since: notes, facts, concepts and lines of both; of a file of another kind, or one
 * that is garbled, the earlier text.
 */
export function rejoin(name: string, earlier: string, since: string): string {
  const kind = fileKindOf(name)
  // A note that was added to what is garbled is a note all the same.
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

/** Without a last line that is the beginning of an earlier one. */
function withoutCutLine(text: string, earlier: string): string {
  const end = text.slice(text.lastIndexOf('\n') + 1)
  return earlier.split('\n').some((line) => line.startsWith(end)) ? text.slice(0, text.length - end.length) : text
}

/** The earlier blocks in their order, each as it was unless it only grew; behind them those that are new. */
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

/** Every line, or what is left of one that was cut. */
export function holds(text: string, lines: string): boolean {
  return lines.split('\n').every((line) => text.includes(line.trim()))
}
