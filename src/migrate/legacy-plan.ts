/** Migration as a decision: what the files of an earlier version become, against what is there → effects, in an order that a kill cannot hurt. */
import { type Concepts, formatConcepts } from '../knowledge/concept.ts'
import { allFacts, type Facts, formatFacts } from '../knowledge/fact.ts'
import { formatState, type State } from '../memory/state.ts'
import type { RotationLimits } from '../notes/rotation.ts'
import type { Effect } from '../platform/effect.ts'
import { archiveFile, CONCEPTS_FILE, FACTS_FILE, MEMORY_FILE, STATE_FILE } from '../platform/layout.ts'
import { estimateTokens } from '../text/tokens.ts'
import type { LegacyFile } from './legacy.ts'
import { type Converting, convertFile, type Made } from './legacy-convert.ts'
import { joinKnowledge } from './legacy-facts.ts'
import { archiveOf, mergeNotes, splitArchive, splitMemory, type TextOf } from './legacy-note.ts'

/** What is there, and how it is to be. */
export interface Target extends Converting {
  textOf: TextOf
  /** Names of the archives that are there. */
  archives: readonly string[]
  facts: Facts
  concepts: Concepts
  state: State
  limits: RotationLimits
  conceptSimilarity: number
  /** How a new memory.md begins. */
  memoryHead: string
  now: string
}

/** What happens to one file of the earlier version. */
export interface LegacyRow {
  from: string
  /** Empty: nothing is made of it. */
  to: string
  what: string
}

export interface Migration {
  rows: LegacyRow[]
  /** Empty: there is nothing to do. Whoever performs them calls repairMemory behind them: it indexes new archives. */
  effects: Effect[]
  /** Files that could not be read: they stay where they are. */
  left: string[]
  counts: { notes: number; facts: number; concepts: number; sessions: number; entries: number; archives: number }
}

type Converted = Made & { from: string }

export function planMigration(files: readonly LegacyFile[], target: Target): Migration {
  const converted = files.map((file): Converted => ({ ...convertFile(file, target), from: file.path }))
  const memory = planMemory(converted, target)
  const whole = converted.filter((one) => one.whole !== undefined && !(target.isInPlace && one.to === one.from))
  const effects: Effect[] = [
    ...wholeFiles(whole, target),
    ...planKnowledge(converted, target),
    ...memory.effects,
    ...stateEffects(converted, target),
    ...removals(converted, target),
  ]
  const rows = converted.map(({ from, to, what }) => ({ from, to, what }))
  const left = converted.flatMap(({ from, isUnread }) => (isUnread === true ? [from] : []))
  return { rows, effects, left, counts: countAll(converted, memory.archives) }
}

/** Another text that has the name already stays: sessions get another name, tiers are joined, pages come beside it. */
function wholeFiles(converted: readonly Converted[], target: Target): Effect[] {
  // Two files may become one name: the second finds what the first will have written.
  const written = new Map<string, string>()
  const textOf = (file: string): string | null => written.get(file) ?? target.textOf(file)
  return converted.flatMap(({ to, whole: { text, spare, join } = { text: '' } }): Effect[] => {
    const there = textOf(to)
    if (there?.includes(text.trim())) return []
    if (there !== null && join !== undefined) return changed(target, to, join(there), there)
    const isTier = to.includes('/')
    const path = there === null || (isTier && spare === undefined) ? to : (spare ?? to.replace(/\.md$/i, '-earlier.md'))
    if (path !== to && textOf(path) === text) return []
    const after = there !== null && path === to ? `${there.trimEnd()}\n\n${text}` : text
    written.set(path, after)
    return [{ do: 'write', path, text: after }]
  })
}

function planKnowledge(converted: readonly Converted[], target: Target): Effect[] {
  const files = converted.flatMap(({ from, facts }) => (facts === undefined ? [] : [{ from, facts }]))
  const sorted = files.toSorted((a, b) => Number(b.from === FACTS_FILE) - Number(a.from === FACTS_FILE))
  const listed = converted.flatMap(({ concepts = [] }) => concepts)
  const isOwnFile = target.isInPlace && sorted[0]?.from === FACTS_FILE
  const areOwnConcepts = target.isInPlace && converted.some(({ concepts }) => concepts !== undefined)
  const { facts, concepts } = joinKnowledge(
    target,
    sorted.map((one) => one.facts),
    listed,
    { isOwnFile, areOwnConcepts, threshold: target.conceptSimilarity },
  )
  return [
    ...changed(target, FACTS_FILE, formatFacts(facts), isOwnFile ? null : formatFacts(target.facts)),
    ...changed(
      target,
      CONCEPTS_FILE,
      formatConcepts(concepts),
      areOwnConcepts ? null : formatConcepts(target.concepts),
    ),
  ]
}

/** `before`: what is there, as we would write it; a file that only looks different is not touched. */
function changed({ textOf }: Target, path: string, text: string, before: string | null): Effect[] {
  return text === before || textOf(path) === text ? [] : [{ do: 'write', path, text }]
}

/** Archives first, then memory.md; where it must be split, as a whole before its pieces: repairMemory finishes what a kill left. */
function planMemory(converted: readonly Converted[], target: Target): { effects: Effect[]; archives: number } {
  const taken = new Map<string, string>()
  const textOf = (file: string): string | null => taken.get(file) ?? target.textOf(file)
  const { fullTokens } = target.limits
  const take = (nameOf: (chunk: string) => string, text: string): void => {
    const known = { names: target.archives, textOf }
    for (const one of splitArchive(nameOf, text, fullTokens, known)) taken.set(one.file, one.text)
  }
  // The first piece keeps the name, and is written behind the others: a kill in between loses none of them.
  const takeOwn = (file: string, text: string): void => {
    const [first, ...others] = splitArchive(() => file, text, fullTokens, { names: [], textOf: () => null })
    for (const one of others) take(() => file, one.text)
    taken.set(file, first?.text ?? '')
  }
  for (const { from, archive } of converted) {
    if (archive === undefined) continue
    const { file, text } = archive
    // A rotation leaves up to twice as much in one archive.
    const isOwn = target.isInPlace && file === from
    if (isOwn && estimateTokens(text) <= 2 * fullTokens) taken.set(file, text)
    else if (isOwn) takeOwn(file, text)
    else take(() => file, text)
  }
  const prose = proseOf(converted, target)
  if (prose !== '') take((chunk) => archiveOf(chunk, target.now), prose)
  const { memory, rest } = memoryOf(converted, target, [...taken.values()])
  if (rest !== '') take(() => archiveFile(target.now), rest)
  const before = target.textOf(MEMORY_FILE)
  const names = [...target.archives, ...taken.keys()]
  const split = memory === null ? null : splitMemory(memory, target.limits, target.now, { names, textOf })
  const archives = [...taken].filter(([file, text]) => target.textOf(file) !== text)
  const pieces = (split?.archives ?? []).filter(({ file, text }) => textOf(file) !== text)
  const write = (path: string, text: string): Effect => ({ do: 'write', path, text })
  const effects = [
    ...archives.map(([file, text]) => write(file, text)),
    ...(split === null || split.whole === before || pieces.length === 0 ? [] : [write(MEMORY_FILE, split.whole)]),
    ...pieces.map(({ file, text }) => write(file, text)),
    ...(split === null || split.memory === before ? [] : [write(MEMORY_FILE, split.memory)]),
  ]
  const fresh = [...archives.map(([file]) => file), ...pieces.map(({ file }) => file)]
  return { effects, archives: fresh.filter((file) => !target.archives.includes(file)).length }
}

/** Oldest first, without those that an archive contains already: a killed run may have written them. */
function proseOf(converted: readonly Converted[], { archives, textOf }: Target): string {
  const known = archives.map((file) => textOf(file) ?? '').join('')
  const fresh = converted.flatMap(({ prose }) => (prose === undefined || known.includes(prose.note) ? [] : [prose]))
  const sorted = fresh.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
  return sorted.map(({ note }) => note).join('')
}

/** Null: the earlier version had no memory.md. */
function memoryOf(
  converted: readonly Converted[],
  target: Target,
  more: readonly string[],
): { memory: string | null; rest: string } {
  const theirs = converted.flatMap(({ memory }) => memory ?? []).join('')
  if (!converted.some(({ memory }) => memory !== undefined)) return { memory: null, rest: '' }
  if (target.isInPlace) return { memory: theirs, rest: '' }
  const archived = [...target.archives.map((file) => target.textOf(file) ?? ''), ...more]
  const ours = target.textOf(MEMORY_FILE)
  const merged = mergeNotes(ours ?? target.memoryHead, theirs, archived, target.isOwn)
  return merged.memory === target.memoryHead ? { ...merged, memory: ours } : merged
}

function stateEffects(converted: readonly Converted[], { state, isInPlace }: Target): Effect[] {
  const isOld = isInPlace && converted.some(({ isOldState }) => isOldState === true)
  return isOld ? [{ do: 'write', path: STATE_FILE, text: formatState(state) }] : []
}

/** Last of all. */
function removals(converted: readonly Converted[], { isInPlace }: Target): Effect[] {
  if (!isInPlace) return []
  return converted.flatMap(({ from, to, isSpent, whole }): Effect[] => {
    const isGone = from !== to && (isSpent === true || whole !== undefined)
    return isGone ? [{ do: 'remove', path: from }] : []
  })
}

function countAll(converted: readonly Converted[], archives: number): Migration['counts'] {
  const sum = (of: (made: Made) => number): number => converted.reduce((all, made) => all + of(made), 0)
  return {
    notes: sum(({ notes = 0 }) => notes),
    facts: sum(({ facts }) => (facts === undefined ? 0 : allFacts(facts).length)),
    concepts: sum(({ concepts = [] }) => concepts.length),
    sessions: sum(({ entries }) => (entries === undefined ? 0 : 1)),
    entries: sum(({ entries = 0 }) => entries),
    archives,
  }
}
