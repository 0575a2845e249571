/** What a change by hand did to a memory, object by object, and taking it back: nothing that somebody changed since is overwritten. */
import { refreshConcepts } from '../knowledge/concept-refresh.ts'
import { allFacts } from '../knowledge/fact.ts'
import { withoutSettled } from '../knowledge/fact-list.ts'
import { type NotePlace, notePlaces, noteTexts, withNoteText } from '../outgoing/undo-notes.ts'
import {
  type HandMemory,
  THING_KINDS,
  type Thing,
  type ThingKind,
  undoThings,
  withThing,
} from '../outgoing/undo-things.ts'

/** `from` and `to`: before and after the change; null: it was not there. */
export type TouchedFile =
  | ThingTouched
  | ({ kind: 'note'; id: string; from: string | null; to: string | null } & NotePlace)
  | { kind: 'file'; id: string; from: string | null; to: string | null }

interface ThingTouched {
  kind: ThingKind
  id: string
  from: Thing | null
  to: Thing | null
}

/** `changed`: what somebody changed since, each in words; then nothing is taken back. */
export type TakenBack =
  | { is: 'taken-back'; memory: HandMemory }
  /** It never took place, or was taken back already. */
  | { is: 'nothing' }
  | { is: 'changed'; changed: string[] }

/** What concepts say of their facts is made anew anyway: only which there are counts, and what finds them. */
const COUNTS: Readonly<Partial<Record<ThingKind, readonly string[]>>> = {
  concept: ['name', 'aliases', 'merged', 'founded'],
}
/** Given by code as it goes. Something added is still as it was added, whatever they say. */
const BY_CODE: ReadonlySet<string> = new Set(['concept', 'usedAt', 'askedAt', 'place'])

export function touchedBetween(before: HandMemory, after: HandMemory): TouchedFile[] {
  return [
    ...THING_KINDS.flatMap((kind) => things(kind, before, after)),
    ...notes(before, after),
    ...files(before, after),
  ]
}

function things(kind: ThingKind, before: HandMemory, after: HandMemory): TouchedFile[] {
  const [was, is] = [undoThings(kind, before), undoThings(kind, after)]
  return idsOf(was, is).flatMap((id): TouchedFile[] => {
    const [from, to] = [was.get(id) ?? null, is.get(id) ?? null]
    return isSame(kind, from, to) ? [] : [slim({ kind, id, from, to })]
  })
}

/** A merge moves as many facts as there are: of each, only where it belonged is kept. */
function slim(one: ThingTouched): ThingTouched {
  const { kind, from, to } = one
  if (kind === 'concept' || from === null || to === null) return one
  const isMoved = differing(from, to).every((field) => field === 'concept')
  return isMoved ? { ...one, from: { concept: from.concept }, to: { concept: to.concept } } : one
}

function notes(before: HandMemory, after: HandMemory): TouchedFile[] {
  if (before.notes === after.notes) return []
  const [was, is] = [noteTexts(before.notes), noteTexts(after.notes)]
  const placesOf = notePlaces(before.notes)
  return idsOf(was, is).flatMap((id): TouchedFile[] => {
    const [from, to] = [was.get(id) ?? null, is.get(id) ?? null]
    return from === to ? [] : [{ kind: 'note', id, from, to, ...placesOf(id) }]
  })
}

function files(before: HandMemory, after: HandMemory): TouchedFile[] {
  const names = new Set([...Object.keys(before.files), ...Object.keys(after.files)])
  return [...names].flatMap((id): TouchedFile[] => {
    const [from, to] = [before.files[id] ?? null, after.files[id] ?? null]
    return from === to ? [] : [{ kind: 'file', id, from, to }]
  })
}

/** All of it or nothing. What a killed change or a killed undo left halfway is taken back as well. */
export function takeBackChange(now: HandMemory, touched: readonly TouchedFile[]): TakenBack {
  const changed: string[] = []
  let memory = now
  for (const one of touched) {
    const done = one.kind === 'note' || one.kind === 'file' ? textBack(memory, one) : thingBack(memory, one, touched)
    if ('changed' in done) changed.push(done.changed)
    else memory = done.memory
  }
  if (changed.length > 0) return { is: 'changed', changed }
  if (memory === now) return { is: 'nothing' }
  const facts = memory.facts === now.facts ? now.facts : withoutSettled(memory.facts)
  const concepts = memory.facts === now.facts ? memory.concepts : refreshConcepts(memory.concepts, facts)
  return { is: 'taken-back', memory: { ...memory, facts, concepts } }
}

type Done = { memory: HandMemory } | { changed: string }

function thingBack(memory: HandMemory, one: ThingTouched, all: readonly TouchedFile[]): Done {
  const { kind, id, from, to } = one
  const there = undoThings(kind, memory).get(id) ?? null
  if (isSame(kind, there, from)) return { memory }
  // What others have put into a concept since keeps it.
  if (kind === 'concept' && from === null)
    return { memory: isUsed(memory, id, all) ? memory : withThing(kind, memory, id, null) }
  // It was taken into another one.
  if (kind === 'concept' && to === null && there === null) return { memory: withThing(kind, memory, id, from) }
  if (there === null) return { changed: `${id} is not there any more` }
  if (to === null) return { changed: `${id} is there again` }
  if (from === null) {
    const other = kind === 'fact' ? named(memory, id, all) : null
    if (other !== null) return { changed: `${other} rests on ${id} by now` }
    const fields = differing(there, to).filter((field) => !BY_CODE.has(field))
    return fields.length === 0 ? { memory: withThing(kind, memory, id, null) } : { changed: saysOf(id, fields) }
  }
  if (kind !== 'concept' && isSame(kind, there, to)) return { memory: withThing(kind, memory, id, from) }
  return fieldsBack(memory, { kind, id, from, to }, there)
}

/** Only what the change did to it: whatever else became of it since stays. */
function fieldsBack(
  memory: HandMemory,
  { kind, id, from, to }: { kind: ThingKind; id: string; from: Thing; to: Thing },
  there: Thing,
): Done {
  const isOthers = (field: string): boolean => !equal(there[field], to[field]) && !equal(there[field], from[field])
  const isMade = (field: string): boolean => field === 'place' || COUNTS[kind]?.includes(field) === false
  const touched = differing(from, to)
  const wrong = touched.filter((field) => !isMade(field) && isOthers(field))
  if (wrong.length > 0) return { changed: saysOf(id, wrong) }
  const own = touched.filter((field) => kind !== 'concept' || !isOthers(field))
  // Each in its place: the file is to be the same, byte for byte.
  const merged = Object.fromEntries(
    Object.keys({ ...there, ...from }).flatMap((field) => {
      const source = own.includes(field) ? from : there
      return field in source ? [[field, source[field]]] : []
    }),
  )
  return equal(merged, there) ? { memory } : { memory: withThing(kind, memory, id, merged) }
}

function textBack(memory: HandMemory, one: Extract<TouchedFile, { kind: 'note' | 'file' }>): Done {
  const { id, from, to } = one
  const there = (one.kind === 'file' ? memory.files[id] : noteTexts(memory.notes).get(id)) ?? null
  if (there === from) return { memory }
  if (there !== to)
    return {
      changed:
        there === null
          ? `${id} is not in ${one.kind === 'note' ? 'memory.md' : 'its place'} any more`
          : `${id} was changed`,
    }
  if (one.kind === 'file') return { memory: { ...memory, files: { ...memory.files, [id]: from } } }
  return { memory: { ...memory, notes: withNoteText(memory.notes, one) } }
}

function saysOf(id: string, fields: readonly string[]): string {
  const shown = fields.filter((field) => field !== 'history')
  return `${id} was changed${shown.length === 0 ? '' : ` (${shown.join(', ')})`}`
}

function isUsed({ facts }: HandMemory, id: string, all: readonly TouchedFile[]): boolean {
  const before = new Map(all.flatMap((one) => (one.kind === 'fact' ? [[one.id, one.from] as const] : [])))
  return allFacts(facts).some((fact) => {
    const from = before.get(fact.id)
    return (from === undefined ? fact.concept : from?.concept) === id
  })
}

/** Another fact that this one has replaced since, and that the change itself did not touch. */
function named({ facts }: HandMemory, id: string, all: readonly TouchedFile[]): string | null {
  const own = new Set(all.flatMap((one) => (one.kind === 'fact' ? [one.id] : [])))
  return allFacts(facts).find((fact) => fact.judged?.other === id && !own.has(fact.id))?.id ?? null
}

function idsOf(a: ReadonlyMap<string, unknown>, b: ReadonlyMap<string, unknown>): string[] {
  return [...new Set([...a.keys(), ...b.keys()])]
}

function isSame(kind: ThingKind, a: Thing | null, b: Thing | null): boolean {
  if (a === b) return true
  if (a === null || b === null) return false
  const counts = COUNTS[kind]
  return counts === undefined
    ? differing(a, b).every((field) => field === 'place')
    : counts.every((field) => equal(a[field], b[field]))
}

function differing(a: Thing, b: Thing): string[] {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].filter((field) => !equal(a[field], b[field]))
}

/** Whatever the order of their fields. */
function equal(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(sorted(a)) === JSON.stringify(sorted(b))
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(sorted)
  return Object.entries(value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, one]) => [name, sorted(one)])
}
