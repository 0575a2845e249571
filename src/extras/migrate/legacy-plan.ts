/** Makes of the files of an earlier version those that this version would have written. */

import type { MemoryFile } from '../../core/files.ts'
import { formatConcepts } from '../../core/knowledge/concept.ts'
import { formatItems } from '../../core/knowledge/facts-file.ts'
import { allFacts, type Items, withoutFacts } from '../../core/knowledge/items.ts'
import type { Here } from '../../core/vault/merge.ts'
import { archiveOf, splitArchive } from '../../core/vault/split-notes.ts'
import { archiveFile, CONCEPTS_FILE, FACTS_FILE, isArchiveFile, MEMORY_FILE } from '../../kernel/platform/layout.ts'
import { NO_TIME } from '../../kernel/platform/time.ts'
import { count } from '../../kernel/text/figures.ts'
import { arrivingName } from './kinds.ts'
import { type Converting, convertFile, type LegacyFile, type Made, sessionStem } from './legacy-convert.ts'
import { knowledgeOf, takenBefore } from './legacy-facts.ts'
import { earlierMemoryOf } from './legacy-memory.ts'
import { withoutUndated } from './legacy-note.ts'

/** The existing memory and the settings. What the arriving files say about themselves comes from them. */
export interface Existing extends Omit<Converting, 'earlier'>, Here {
  /** The beginning of a new memory.md. */
  memoryHead: string
}

export interface Migration {
  files: MemoryFile[]
  /** Converted in place: the files in whose place others come, and those that are deleted in the end. */
  replaced: ReadonlySet<string>
  spent: string[]
  /** The state is one of an earlier version. */
  isOldState: boolean
  /** Files that could not be read: they stay where they are. */
  left: string[]
  /** Counts of notes, facts, concepts and entries, for people: `5 notes`. */
  taken: string[]
  /** In which times without a zone were read; empty: the system's. */
  timezone: string
}

type Target = Existing & Pick<Converting, 'earlier'>
type Converted = Made & { from: string }

export function planMigration(files: readonly LegacyFile[], existing: Existing): Migration {
  const earlier = earlierMemoryOf(files, existing.timezone)
  const target: Target = { ...existing, earlier, timezone: earlier.timezone }
  // Of a session that is there as a whole transcript, what an earlier version made of it is not read.
  const whole = new Set(files.flatMap((file) => (arrivingName(file.path) === 'raw' ? [sessionStem(file.path)] : [])))
  const isRepeated = (file: LegacyFile): boolean =>
    arrivingName(file.path) === 'lines' && whole.has(sessionStem(file.path))
  const read = files.map((file): Converted => {
    const made: Made = isRepeated(file) ? { isSpent: true } : convertFile(file, target)
    return { ...made, from: file.path }
  })
  const converted = read.map((one) => (one.from === MEMORY_FILE ? withNewFacts(one, read, target) : one))
  const inPlace = target.isInPlace ? converted : []
  const taken = (['note', 'fact', 'concept', 'entry'] as const).flatMap((of) => {
    const n = converted.reduce((sum, { holds, facts }) => sum + countOf(of, holds, facts), 0)
    return n === 0 ? [] : [count(n, of, of === 'entry' ? 'entries' : undefined)]
  })
  return {
    files: [...wholeFiles(converted, target), ...knowledgeFiles(converted, target), ...noteFiles(converted, target)],
    replaced: new Set(inPlace.filter(isReplaced).map(({ from }) => from)),
    spent: inPlace.flatMap(({ from, isSpent }) => (isSpent === true ? [from] : [])),
    isOldState: inPlace.some((one) => one.isOldState === true),
    left: converted.flatMap(({ from, isUnread }) => (isUnread === true ? [from] : [])),
    taken,
    timezone: earlier.timezone,
  }
}

/** It has what the new file of its name has. */
function isReplaced({ from, notes, facts, concepts }: Converted): boolean {
  return notes?.file === from || concepts !== undefined || (from === FACTS_FILE && facts !== undefined)
}

function countOf(of: string, holds: Made['holds'], facts: Items | undefined): number {
  if (of === 'fact') return facts === undefined ? 0 : allFacts(facts).length
  return holds?.of === of ? holds.n : 0
}

/** Its sections stay in memory.md: a bullet that became a fact is known by its words, whatever became of the fact. */
function withNewFacts({ facts, ...one }: Converted, all: readonly Converted[], target: Target): Converted {
  // Nothing is joined into a file that is not understood.
  const isLeft = target.isInPlace && all.some(({ from, isUnread }) => from === FACTS_FILE && isUnread === true)
  if (facts === undefined || isLeft) return one
  // A copy of a memory that was migrated has the facts beside the sections.
  const beside = all.flatMap(({ from, facts: arriving }) => (from === FACTS_FILE && arriving ? [arriving] : []))
  const known = new Set([target.known.facts, ...beside].flatMap(takenBefore))
  const fresh = withoutFacts(facts, ({ evidence }) => known.has(evidence.quote))
  return allFacts(fresh).length === 0 ? one : { ...one, facts: fresh }
}

/** Two files may get the same name, and a file of another text may have it: then it is the spare one. */
function wholeFiles(converted: readonly Converted[], target: Target): MemoryFile[] {
  const named = new Map<string, string>()
  return converted.flatMap(({ whole }): MemoryFile[] => {
    if (whole === undefined) return []
    const { to, text, spare = to } = whole
    const there = named.get(to) ?? target.textOf(to)
    const path = there === null || there.includes(text.trim()) ? to : spare
    named.set(path, text)
    return [{ path, text }]
  })
}

/** A fact of facts.json stays the one that is known. */
function knowledgeFiles(converted: readonly Converted[], { conceptSimilarity }: Target): MemoryFile[] {
  const given = converted.flatMap(({ from, facts }) => (facts === undefined ? [] : [{ from, facts }]))
  const sorted = given.toSorted((a, b) => Number(b.from === FACTS_FILE) - Number(a.from === FACTS_FILE))
  const listed = converted.flatMap(({ concepts = [] }) => concepts)
  const isListed = converted.some(({ concepts }) => concepts !== undefined)
  const { facts, concepts } = knowledgeOf(
    sorted.map((one) => one.facts),
    listed,
    conceptSimilarity,
  )
  return [
    ...(given.length === 0 ? [] : [{ path: FACTS_FILE, text: formatItems(facts) }]),
    ...(isListed || concepts.concepts.length > 0 ? [{ path: CONCEPTS_FILE, text: formatConcepts(concepts) }] : []),
  ]
}

/** From a directory that anyone may have filled, text without a date becomes an archive. */
function noteFiles(converted: readonly Converted[], target: Target): MemoryFile[] {
  const notes = converted.flatMap(({ notes: one }) => (one === undefined ? [] : [{ path: one.file, text: one.text }]))
  const archives = notes.filter(({ path }) => isArchiveFile(path))
  const known = { names: [], textOf: () => null }
  const prose = splitArchive(
    (chunk) => archiveOf(chunk, undatedAt(target)),
    proseOf(converted, target),
    target.limits.fullTokens,
    known,
  )
  const all = [...archives, ...prose.map(({ file, text }) => ({ path: file, text }))]
  const memory = notes.flatMap(({ path, text }) => (path === MEMORY_FILE ? [text] : []))
  if (target.isOwn || memory.length === 0) return [...all, ...memory.map((text) => ({ path: MEMORY_FILE, text }))]
  const ours = [MEMORY_FILE, ...target.archives].flatMap((file) => target.textOf(file) ?? [])
  const when = { at: undatedAt(target), isDay: true }
  const { dated, rest } = withoutUndated(memory.join(''), ours, when, target.timezone)
  return [
    ...all,
    ...(rest === '' ? [] : [{ path: archiveFile(when.at), text: rest }]),
    ...(dated === '' ? [] : [{ path: MEMORY_FILE, text: target.memoryHead + dated }]),
  ]
}

/** A text without a date is as old as its memory, never as the migration. */
function undatedAt({ earlier }: Target): string {
  return earlier.newest || NO_TIME
}

/** Oldest first, without notes that an archive already contains: a killed run may have written them. */
function proseOf(converted: readonly Converted[], { archives, textOf }: Target): string {
  const known = archives.map((file) => textOf(file) ?? '').join('')
  // What was written already is among the others now: its own time would be another one.
  const wordsOf = ({ note, isLast }: NonNullable<Made['prose']>): string =>
    isLast === true ? note.slice(note.indexOf('-->\n')) : note
  const fresh = converted.flatMap(({ prose }) => (prose === undefined || known.includes(wordsOf(prose)) ? [] : [prose]))
  const sorted = fresh.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
  return sorted.map(({ note }) => note).join('')
}
