/** Migration as a decision: what the files of an earlier version become, against what is there → effects, in an order that a kill cannot hurt. */
import { formatConcepts } from '../knowledge/concept.ts'
import { formatFacts } from '../knowledge/fact.ts'
import { formatState, type RotatedFile, type State } from '../memory/state.ts'
import { planKnowledge } from '../outgoing/legacy-knowledge.ts'
import type { Effect } from '../platform/effect.ts'
import { CONCEPTS_FILE, FACTS_FILE, MEMORY_FILE, STATE_FILE } from '../platform/layout.ts'
import type { LegacyFile } from './legacy.ts'
import { convertFile, type Made, UNREADABLE } from './legacy-convert.ts'
import { planMemory } from './legacy-merge.ts'
import type { Converted, Target } from './legacy-target.ts'

/** What happens to one file of the earlier version. */
export interface LegacyRow {
  from: string
  /** Empty: nothing is made of it. */
  to: string
  what: string
}

export interface Migration {
  rows: LegacyRow[]
  /** Empty: there is nothing to do. */
  effects: Effect[]
  /** What nobody could make anything of: it stays where it is. */
  left: string[]
  counts: { notes: number; facts: number; concepts: number; sessions: number; entries: number; archives: number }
}

export function planMigration(files: readonly LegacyFile[], target: Target): Migration {
  const converted = files.map((file): Converted => ({ file, made: convertFile(file, target) }))
  const knowledge = planKnowledge(converted, target)
  const memory = planMemory(converted, target)
  const whole = wholeFiles(converted, target)
  const effects: Effect[] = [
    ...whole,
    ...knowledge.files,
    ...changed(
      target,
      FACTS_FILE,
      formatFacts(knowledge.facts),
      knowledge.isFactsOld ? null : formatFacts(target.facts),
    ),
    ...changed(
      target,
      CONCEPTS_FILE,
      formatConcepts(knowledge.concepts),
      knowledge.isConceptsOld ? null : formatConcepts(target.concepts),
    ),
    ...memory.effects,
    ...stateEffects(converted, target, memory.rotated),
    ...removals(converted, target),
  ]
  const left = converted.flatMap(({ file, made }) => (made.is === 'kept' && made.why === UNREADABLE ? [file.path] : []))
  const rows = converted.map((one) => rowOf(one, target))
  return { rows, effects, left, counts: countAll(converted, memory.archives) }
}

/** Sessions, tiers and pages. What stands there under the same name with other words stays, too. */
function wholeFiles(converted: readonly Converted[], target: Target): Effect[] {
  // Two files may become one name: the second finds what the first will have written.
  const written = new Map<string, string>()
  const textOf = (path: string): string | null => written.get(path) ?? target.textOf(path)
  return converted.flatMap(({ file, made }): Effect[] => {
    if (made.is !== 'file' && made.is !== 'entries') return []
    if (target.isInPlace && made.file === file.path) return []
    const to = placeFor(made, textOf)
    if (to === null) return []
    written.set(to.path, to.text)
    return [{ do: 'write', ...to }]
  })
}

/** Null: it is there. */
function placeFor(
  made: Extract<Made, { is: 'file' | 'entries' }>,
  textOf: Target['textOf'],
): { path: string; text: string } | null {
  const { file, text } = made
  const there = textOf(file)
  if (there === null) return { path: file, text }
  if (there.includes(text.trim())) return null
  if (made.is === 'entries') return { path: made.spare, text }
  if (file.includes('/')) return { path: file, text: `${there.trimEnd()}\n\n${text}` }
  const spare = file.replace(/\.md$/i, '-earlier.md')
  return textOf(spare) === text ? null : { path: spare, text }
}

/** `before`: what is there, as we would write it; a file that only looks different is not touched. */
function changed({ textOf }: Target, path: string, text: string, before: string | null): Effect[] {
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
  if (!isOld && formatState(state) === formatState(before)) return []
  return [{ do: 'write', path: STATE_FILE, text: formatState(state) }]
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

function rowOf({ file, made }: Converted, { isInPlace }: Target): LegacyRow {
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
        what: !isInPlace ? 'copied' : made.file === from ? 'as it is' : 'renamed',
      }
    case 'summary':
      return { from, to: '', what: 'stays with its archive' }
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
