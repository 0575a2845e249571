/** Plans a migration: compares the files of an earlier version with the existing ones and returns effects, in an order that is safe if the process is killed. */

import { type Concepts, formatConcepts, NO_CONCEPTS } from '../../core/knowledge/concept.ts'
import { formatItems } from '../../core/knowledge/facts-file.ts'
import { allFacts, type Items, NO_ITEMS, withoutFacts } from '../../core/knowledge/items.ts'
import type { RotationLimits } from '../../core/notes/rotation.ts'
import { addRuleTo, isBuiltIn, parseRules } from '../../core/pages/rule.ts'
import { type Joining, joinLines } from '../../kernel/memory/file-kind.ts'
import { formatState, type State } from '../../kernel/memory/state.ts'
import type { Effect } from '../../kernel/platform/effect.ts'
import { archiveFile, CONCEPTS_FILE, FACTS_FILE, MEMORY_FILE, STATE_FILE } from '../../kernel/platform/layout.ts'
import { NO_TIME } from '../../kernel/platform/time.ts'
import { count } from '../../kernel/text/figures.ts'
import { estimateTokens } from '../../kernel/text/tokens.ts'
import { arrivingName } from './kinds.ts'
import { type Converting, convertFile, type LegacyFile, type Made, sessionStem } from './legacy-convert.ts'
import { joinKnowledge, takenBefore } from './legacy-facts.ts'
import { earlierMemoryOf } from './legacy-memory.ts'
import { archiveOf, mergeNotes, splitArchive, splitMemory, type TextOf } from './legacy-note.ts'

/** The existing memory and the settings. */
export interface Target extends Converting {
  textOf: TextOf
  /** The names of the existing archives. */
  archives: readonly string[]
  facts: Items
  concepts: Concepts
  state: State
  limits: RotationLimits
  conceptSimilarity: number
  /** The beginning of a new memory.md. */
  memoryHead: string
  now: string
}

/** What the arriving files say about themselves comes from them. */
export type Existing = Omit<Target, 'earlier'>

export interface Migration {
  /** Empty: there is nothing to do. Afterwards the caller must call repairMemory, which indexes new archives. */
  effects: Effect[]
  /** Files that could not be read: they stay where they are. */
  left: string[]
  /** Counts of notes, facts, concepts and entries, for people: `5 notes`. */
  taken: string[]
  /** In which times without a zone were read; empty: the system's. */
  timezone: string
}

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
  const isOldState = target.isInPlace && converted.some((one) => one.isOldState === true)
  // Files are deleted last.
  const effects: Effect[] = [
    ...wholeFiles(converted, target),
    ...planKnowledge(converted, target),
    ...planMemory(converted, target),
    ...(isOldState ? [{ do: 'write' as const, path: STATE_FILE, text: formatState(target.state) }] : []),
    ...converted.flatMap(({ from, isSpent }): Effect[] =>
      target.isInPlace && isSpent === true ? [{ do: 'remove', path: from }] : [],
    ),
  ]
  const left = converted.flatMap(({ from, isUnread }) => (isUnread === true ? [from] : []))
  const taken = (['note', 'fact', 'concept', 'entry'] as const).flatMap((of) => {
    const n = converted.reduce((sum, { holds, facts }) => sum + countOf(of, holds, facts), 0)
    return n === 0 ? [] : [count(n, of, of === 'entry' ? 'entries' : undefined)]
  })
  return { effects, left, taken, timezone: earlier.timezone }
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
  const known = new Set([target.facts, ...beside].flatMap(takenBefore))
  const fresh = withoutFacts(facts, ({ evidence }) => known.has(evidence.quote))
  return allFacts(fresh).length === 0 ? one : { ...one, facts: fresh }
}

/** Null: the arriving text gets another name. */
function joinTexts(join: Joining, there: string, text: string): string | null {
  switch (join) {
    case 'ours':
      return there
    case 'lines':
      return joinLines(there, text)
    case 'rules':
      return joinRules(there, text)
    case 'behind':
      return `${there.trimEnd()}\n\n${text}`
    case 'longer':
      return text
    default:
      return null
  }
}

/** Not line by line: a rule may have several lines, and comments hide their content. Built-in rules, which 0.6 copied into the file, are left out. */
function joinRules(ours: string, theirs: string): string {
  const known = new Set(parseRules(ours).map((rule) => rule.toLowerCase()))
  const isNew = (rule: string): boolean => !known.has(rule.toLowerCase()) && !isBuiltIn(rule)
  return parseRules(theirs).filter(isNew).reduce(addRuleTo, ours)
}

/** An existing text is not written again. */
function wholeFiles(converted: readonly Converted[], target: Target): Effect[] {
  // Two files may get the same name: the second must see what the first will have written.
  const written = new Map<string, string>()
  const textOf = (file: string): string | null => written.get(file) ?? target.textOf(file)
  return converted.flatMap(({ whole }): Effect[] => {
    const there = whole === undefined ? null : textOf(whole.to)
    if (whole === undefined || there?.includes(whole.text.trim())) return []
    const joined = there === null ? whole.text : joinTexts(whole.join, there, whole.text)
    const path = joined === null ? (whole.spare ?? whole.to.replace(/\.md$/i, '-earlier.md')) : whole.to
    const text = joined ?? whole.text
    if (textOf(path) === text) return []
    written.set(path, text)
    return [{ do: 'write', path, text }]
  })
}

/** In place, facts.json and concepts.json of an earlier version are not merged with themselves. */
function planKnowledge(converted: readonly Converted[], target: Target): Effect[] {
  const files = converted.flatMap(({ from, facts }) => (facts === undefined ? [] : [{ from, facts }]))
  const sorted = files.toSorted((a, b) => Number(b.from === FACTS_FILE) - Number(a.from === FACTS_FILE))
  const listed = converted.flatMap(({ concepts = [] }) => concepts)
  const isOwnFile = target.isInPlace && sorted[0]?.from === FACTS_FILE
  const areOwnConcepts = target.isInPlace && converted.some(({ concepts }) => concepts !== undefined)
  const ours = {
    facts: isOwnFile ? NO_ITEMS : target.facts,
    concepts: areOwnConcepts ? NO_CONCEPTS : target.concepts,
  }
  const theirs = sorted.map((one) => one.facts)
  const { facts, concepts } = joinKnowledge(ours, theirs, listed, target.conceptSimilarity)
  return [
    ...changed(target, FACTS_FILE, formatItems(facts), isOwnFile ? null : formatItems(ours.facts)),
    ...changed(target, CONCEPTS_FILE, formatConcepts(concepts), areOwnConcepts ? null : formatConcepts(ours.concepts)),
  ]
}

/** `before`: the existing content in our format; a file that differs only in format is not changed. */
function changed({ textOf }: Target, path: string, text: string, before: string | null): Effect[] {
  return text === before || textOf(path) === text ? [] : [{ do: 'write', path, text }]
}

/** Archives first, then memory.md; if it must be split, it is written as a whole before its pieces: repairMemory completes it after a kill. */
function planMemory(converted: readonly Converted[], target: Target): Effect[] {
  const taken = new Map<string, string>()
  const textOf = (file: string): string | null => taken.get(file) ?? target.textOf(file)
  const { fullTokens } = target.limits
  const take = (nameOf: (chunk: string) => string, text: string): void => {
    const known = { names: target.archives, textOf }
    for (const one of splitArchive(nameOf, text, fullTokens, known)) taken.set(one.file, one.text)
  }
  // The first piece keeps the name and is written after the others: a kill in between loses none of them.
  const takeOwn = (file: string, text: string): void => {
    const [first, ...others] = splitArchive(() => file, text, fullTokens, { names: [], textOf: () => null })
    for (const one of others) take(() => file, one.text)
    taken.set(file, first?.text ?? '')
  }
  for (const { from, notes } of converted) {
    if (notes === undefined || notes.file === MEMORY_FILE) continue
    const { file, text } = notes
    const isOwn = target.isInPlace && file === from
    // A rotation leaves up to twice as much in one archive.
    if (isOwn && estimateTokens(text) <= 2 * fullTokens) taken.set(file, text)
    else if (isOwn) takeOwn(file, text)
    else take(() => file, text)
  }
  const prose = proseOf(converted, target)
  if (prose !== '') take((chunk) => archiveOf(chunk, undatedAt(target)), prose)
  const { memory, rest } = memoryOf(converted, target, [...taken.values()])
  if (rest !== '') take(() => archiveFile(undatedAt(target)), rest)
  const before = target.textOf(MEMORY_FILE)
  const names = [...target.archives, ...taken.keys()]
  const split = memory === null ? null : splitMemory(memory, target.limits, undatedAt(target), { names, textOf })
  const pieces = (split?.archives ?? []).filter(({ file, text }) => textOf(file) !== text)
  const write = (path: string, text: string): Effect => ({ do: 'write', path, text })
  return [
    ...[...taken].filter(([file, text]) => target.textOf(file) !== text).map(([file, text]) => write(file, text)),
    ...(split === null || split.whole === before || pieces.length === 0 ? [] : [write(MEMORY_FILE, split.whole)]),
    ...pieces.map(({ file, text }) => write(file, text)),
    ...(split === null || split.memory === before ? [] : [write(MEMORY_FILE, split.memory)]),
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

/** Null: the earlier version had no memory.md. */
function memoryOf(
  converted: readonly Converted[],
  target: Target,
  more: readonly string[],
): { memory: string | null; rest: string } {
  const texts = converted.flatMap(({ notes }) => (notes?.file === MEMORY_FILE ? [notes.text] : []))
  const theirs = texts.join('')
  if (texts.length === 0 || target.isInPlace) return { memory: texts.length === 0 ? null : theirs, rest: '' }
  const archived = [...target.archives.map((file) => target.textOf(file) ?? ''), ...more]
  const ours = target.textOf(MEMORY_FILE)
  const when = { at: undatedAt(target), isDay: true }
  const merged = mergeNotes(ours ?? target.memoryHead, theirs, archived, { ...target, when })
  return merged.memory === target.memoryHead ? { ...merged, memory: ours } : merged
}
