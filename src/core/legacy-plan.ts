/** Migration as a decision: what the files of an earlier version become, against what is there → effects, in an order that a kill cannot hurt. */
import { type Concepts, formatConcepts } from './concept.ts'
import type { Effect } from './effect.ts'
import { type Facts, formatFacts } from './fact.ts'
import { CONCEPTS_FILE, FACTS_FILE, MEMORY_FILE, STATE_FILE } from './layout.ts'
import type { LegacyFile } from './legacy.ts'
import { type Converting, convertFile, type Made } from './legacy-convert.ts'
import { planKnowledge } from './legacy-knowledge.ts'
import { planMemory } from './legacy-merge.ts'
import type { RotationLimits } from './rotation.ts'
import type { RotatedFile, State } from './state.ts'

/** What is there, and how it is to be. */
export interface Target extends Converting {
  /** What a file holds; null: there is none. */
  textOf: (path: string) => string | null
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
export interface Row {
  from: string
  /** Empty: nothing is made of it. */
  to: string
  what: string
}

export interface Migration {
  rows: Row[]
  /** Empty: there is nothing to do. */
  effects: Effect[]
  counts: { notes: number; facts: number; concepts: number; sessions: number; entries: number; archives: number }
}

export interface Converted {
  file: LegacyFile
  made: Made
}

export function planMigration(files: readonly LegacyFile[], target: Target): Migration {
  const converted = files.map((file): Converted => ({ file, made: convertFile(file, target) }))
  const knowledge = planKnowledge(converted, target)
  const memory = planMemory(converted, target)
  const whole = wholeFiles(converted, target)
  const effects: Effect[] = [
    ...whole,
    ...knowledge.files,
    ...changed(target, FACTS_FILE, formatFacts(knowledge.facts), formatFacts(target.facts)),
    ...changed(target, CONCEPTS_FILE, formatConcepts(knowledge.concepts), formatConcepts(target.concepts)),
    ...memory.effects,
    ...stateEffects(converted, target, memory.rotated),
    ...removals(converted, target),
  ]
  return { rows: converted.map((one) => rowOf(one, target)), effects, counts: countAll(converted, memory.archives) }
}

/** Sessions, tiers and pages; what stands there under the same name with other words stays. */
function wholeFiles(converted: readonly Converted[], target: Target): Effect[] {
  return converted.flatMap(({ file, made }): Effect[] => {
    if (made.is !== 'file' && made.is !== 'entries') return []
    if (target.isInPlace && made.file === file.path) return []
    const path = freePath(made.file, made.text, target)
    return path === null ? [] : [{ do: 'write', path, text: made.text }]
  })
}

/** Null: it is there already. Of a tier or a page that is there with other words, both are kept. */
function freePath(path: string, text: string, { textOf }: Target): string | null {
  const dot = path.lastIndexOf('/') + 1 + path.slice(path.lastIndexOf('/') + 1).indexOf('.')
  for (let n = 1; ; n++) {
    const one = n === 1 ? path : `${path.slice(0, dot)}-earlier${n === 2 ? '' : `-${n - 1}`}${path.slice(dot)}`
    const there = textOf(one)
    if (there === null) return one
    if (there === text) return null
  }
}

/** Nothing where it says the same; an own file that only looks different is not touched. */
function changed({ textOf }: Target, path: string, text: string, before: string): Effect[] {
  return text === before || textOf(path) === text ? [] : [{ do: 'write', path, text }]
}

function stateEffects(converted: readonly Converted[], target: Target, rotated: readonly RotatedFile[]): Effect[] {
  const { state: before } = target
  let state = before
  let isOld = false
  for (const { made } of converted) {
    if (made.is === 'counter') state = { ...state, counter: Math.max(state.counter, made.counter) }
    if (made.is !== 'state') continue
    isOld = isOld || (target.isInPlace && made.isOld)
    const latest = [state.lastMemoryUpdateTs, made.state.lastMemoryUpdateTs]
      .filter((at) => at !== null)
      .toSorted()
      .at(-1)
    state = { ...state, lastMemoryUpdateTs: latest ?? null }
  }
  state = withRotated(state, rotated)
  if (!isOld && JSON.stringify(state) === JSON.stringify(before)) return []
  return [{ do: 'write', path: STATE_FILE, text: `${JSON.stringify(state)}\n` }]
}

function withRotated(state: State, rotated: readonly RotatedFile[]): State {
  const known = new Map(state.rotatedFiles.map((one) => [one.file, one]))
  const fresh = rotated.filter(({ file }) => !known.has(file))
  const said = new Map(rotated.map((one) => [one.file, one.summaryGenerated]))
  const before = state.rotatedFiles.map((one) =>
    said.get(one.file) === true && !one.summaryGenerated ? { ...one, summaryGenerated: true } : one,
  )
  const lastRotation = [...rotated.map(({ rotatedAt }) => rotatedAt), state.stats.lastRotation ?? ''].toSorted().at(-1)
  if (fresh.length === 0) return { ...state, rotatedFiles: before }
  const rotatedFiles = [...before, ...fresh].toSorted((a, b) => (a.file < b.file ? -1 : 1))
  const totalRotations = Math.max(state.stats.totalRotations, rotatedFiles.length)
  return { ...state, rotatedFiles, stats: { totalRotations, lastRotation: lastRotation || null } }
}

/** Last of all: what has another name now. */
function removals(converted: readonly Converted[], target: Target): Effect[] {
  if (!target.isInPlace) return []
  return converted.flatMap(({ file, made }): Effect[] => {
    const isGone =
      made.is === 'counter' ||
      made.is === 'spent' ||
      made.is === 'entries' ||
      ((made.is === 'file' || made.is === 'session-facts') && made.file !== file.path)
    return isGone ? [{ do: 'remove', path: file.path }] : []
  })
}

function rowOf({ file, made }: Converted, { isInPlace }: Target): Row {
  const from = file.path
  switch (made.is) {
    case 'notes':
      return { from, to: MEMORY_FILE, what: told([made.notes, 'note'], [made.facts.length, 'fact']) }
    case 'archive':
      return { from, to: made.file, what: told([made.notes, 'note']) }
    case 'facts':
      return { from, to: FACTS_FILE, what: told([made.from.facts.length, 'fact']) + (made.broken ? ', broken' : '') }
    case 'session-facts':
      return { from, to: made.file, what: told([made.facts.length, 'fact']) }
    case 'concepts':
      return { from, to: CONCEPTS_FILE, what: told([made.concepts.length, 'concept']) }
    case 'state':
    case 'counter':
      return { from, to: STATE_FILE, what: 'state' }
    case 'entries':
      return { from, to: made.file, what: told([made.entries, 'entry']) }
    case 'file':
      return {
        from,
        to: isInPlace && made.file === from ? '' : made.file,
        what: made.file === from ? 'as it is' : 'renamed',
      }
    case 'spent':
      return { from, to: '', what: 'not needed any more' }
    case 'kept':
      return { from, to: '', what: made.why }
  }
}

function told(...counts: readonly (readonly [number, string])[]): string {
  const parts = counts.filter(([n], i) => n > 0 || i === 0)
  return parts.map(([n, word]) => `${n} ${n === 1 ? word : word.replace(/y$/, 'ie').concat('s')}`).join(', ')
}

function countAll(converted: readonly Converted[], archives: number): Migration['counts'] {
  const counts = { notes: 0, facts: 0, concepts: 0, sessions: 0, entries: 0, archives }
  for (const { made } of converted) {
    if (made.is === 'notes' || made.is === 'archive') counts.notes += made.notes
    if (made.is === 'notes' || made.is === 'session-facts') counts.facts += made.facts.length
    if (made.is === 'facts') counts.facts += made.from.facts.length
    if (made.is === 'concepts') counts.concepts += made.concepts.length
    if (made.is !== 'entries') continue
    counts.sessions++
    counts.entries += made.entries
  }
  return counts
}
