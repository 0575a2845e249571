/** facts.json and concepts.json on disk: what was lost of them comes back from their remains and the vault, and nothing is written over a broken file. */
import path from 'node:path'
import type { Store } from '../../memory/disk/store.ts'
import { readOwnText, readPart, statOf } from '../../platform/disk/files.ts'
import { logEvent } from '../../platform/disk/log.ts'
import { CONCEPTS_FILE, FACTS_FILE } from '../../platform/layout.ts'
import { type Concepts, formatConcepts, NO_CONCEPTS, parseConcepts } from '../concept.ts'
import { type Facts, formatFacts, NO_FACTS, parseFacts } from '../fact.ts'
import {
  counterIn,
  isEmptyFacts,
  nextIdIn,
  salvageConcepts,
  salvageFacts,
  withCounter,
  withSalvagedConcepts,
  withSalvagedFacts,
} from '../salvage.ts'

/** The counters stand at the beginning of facts.json; more than what reflection remembers does not stand before them. */
const HEAD_BYTES = 65_536

/** What somebody's editor puts before a text. */
export function withoutMark(text: string): string {
  return text.startsWith('\ufeff') ? text.slice(1) : text
}

/** The copy below home; null: there is none, or this memory has no copy. */
function vaultText(store: Store, file: string): string | null {
  const text = store.dir === store.places.inProject ? readOwnText(path.join(store.places.vault, file)) : null
  return text === null ? null : withoutMark(text)
}

/** Empty where there never were any. Never changed by anybody: the same files give the same facts. */
export function readFacts(store: Store): Facts {
  const text = textOf(store, FACTS_FILE)
  const sound = text === null ? null : FACTS.parse(text)
  if (sound !== null && !isEmptyFacts(sound)) return countedFrom(sound, vaultCounter(store))
  const known = recoveredFacts(sound === null ? text : null, vaultText(store, FACTS_FILE))
  return isEmptyFacts(known) ? (sound ?? NO_FACTS) : known
}

export function readConcepts(store: Store): Concepts {
  const text = textOf(store, CONCEPTS_FILE)
  const sound = text === null ? null : CONCEPTS.parse(text)
  if (sound !== null && !isEmptyConcepts(sound)) return sound
  const known = recoveredConcepts(sound === null ? text : null, vaultText(store, CONCEPTS_FILE))
  return isEmptyConcepts(known) ? (sound ?? NO_CONCEPTS) : known
}

const countedFrom = remembered(withCounter)

/** What is left of a broken text, and what only the copy has. */
const recoveredFacts = remembered((broken: string | null, copy: string | null): Facts => {
  const left = broken === null ? NO_FACTS : salvageFacts(broken)
  return copy === null ? left : withSalvagedFacts(left, parseFacts(copy) ?? salvageFacts(copy))
})

const recoveredConcepts = remembered((broken: string | null, copy: string | null): Concepts => {
  const left = broken === null ? NO_CONCEPTS : salvageConcepts(broken)
  return copy === null ? left : withSalvagedConcepts(left, parseConcepts(copy) ?? salvageConcepts(copy))
})

function isEmptyConcepts({ concepts, nextId }: Concepts): boolean {
  return concepts.length === 0 && nextId <= 1
}

/** Call it under the lock, with what was read under the same one. */
export function writeFacts(store: Store, before: Facts, after: Facts, now: string): void {
  writeSound(store, FACTS_FILE, FACTS, before, after, now)
}

export function writeConcepts(store: Store, before: Concepts, after: Concepts, now: string): void {
  writeSound(store, CONCEPTS_FILE, CONCEPTS, before, after, now)
}

export interface Knowledge {
  concepts: Concepts
  facts: Facts
}

export function readBoth(store: Store): Knowledge {
  return { concepts: readConcepts(store), facts: readFacts(store) }
}

/** Concepts first: a fact must not name one that is not there. Call it under the lock. */
export function writeBoth(store: Store, before: Knowledge, after: Knowledge, now: string): void {
  writeConcepts(store, before.concepts, after.concepts, now)
  writeFacts(store, before.facts, after.facts, now)
}

/** Writes what was decided without the lock. False: somebody wrote meanwhile; null: the lock was not free in time. */
export function commitBoth(
  store: Store,
  before: Knowledge,
  after: Knowledge,
  { waitMs, now }: { waitMs: number; now: string },
): boolean | null {
  // Thousands of facts take their time: nobody waits for it.
  const isSame = isSameText(FACTS, before.facts, after.facts) && isSameText(CONCEPTS, before.concepts, after.concepts)
  if (isSame && isSound(store, FACTS_FILE, FACTS) && isSound(store, CONCEPTS_FILE, CONCEPTS)) return true
  const held = store.whileLocked(waitMs, () => {
    const there = readBoth(store)
    if (there.facts !== before.facts || there.concepts !== before.concepts) return false
    writeBoth(store, before, after, now)
    return true
  })
  return held === null ? null : held.value
}

/** Whether a copy of this file may take the place of the one in the vault: a broken one, or one of long ago, may not. */
export function mayReplaceCopy(store: Store, file: string): boolean {
  const kind = file === FACTS_FILE ? FACTS : file === CONCEPTS_FILE ? CONCEPTS : null
  if (kind === null) return true
  const text = textOf(store, file)
  if (text === null || kind.parse(text) === null) return false
  return kind.numberIn(text) >= kind.numberIn(vaultText(store, file) ?? '')
}

function isSameText<T>({ format }: Kind<T>, a: T, b: T): boolean {
  return a === b || format(a) === format(b)
}

/** Nothing there is sound, too, unless something is known that should be. */
function isSound<T>(store: Store, file: string, { parse }: Kind<T>): boolean {
  const text = textOf(store, file)
  return text === null ? vaultText(store, file) === null : parse(text) !== null
}

interface Kind<T> {
  /** Null: broken. The last text is remembered: whoever looks before taking the lock need not wait under it. */
  parse: (text: string) => T | null
  format: (value: T) => string
  none: T
  /** The highest number given. */
  numberIn: (text: string) => number
}

const FACTS: Kind<Facts> = {
  parse: remembered(parseFacts),
  format: rememberedFor(formatFacts),
  none: NO_FACTS,
  numberIn: counterIn,
}
const CONCEPTS: Kind<Concepts> = {
  parse: remembered(parseConcepts),
  format: rememberedFor(formatConcepts),
  none: NO_CONCEPTS,
  numberIn: nextIdIn,
}

/** A broken file is set aside before anything is added: somebody may have edited it. What only looks different stays. */
function writeSound<T extends object>(
  store: Store,
  file: string,
  kind: Kind<T>,
  before: T,
  after: T,
  now: string,
): void {
  const there = textOf(store, file)
  const isWhole = there !== null && kind.parse(there) !== null
  if (isWhole && isSameText(kind, before, after)) return
  const text = kind.format(after)
  if (isWhole && text === there) return
  if (there !== null && !isWhole) {
    store.perform([{ do: 'write', path: `${file}.broken-${now.replace(/\D/g, '').slice(0, 14)}`, text: there }])
    logEvent(store.dir, now, `${file} was broken and is set aside`)
  }
  if (isWhole || text !== kind.format(kind.none)) store.perform([{ do: 'write', path: file, text }])
  else if (there !== null) store.perform([{ do: 'remove', path: file }])
}

function textOf(store: Store, file: string): string | null {
  const text = readOwnText(path.join(store.dir, file))
  return text === null ? null : withoutMark(text)
}

/** As the copy in the vault has it: a file that somebody brought back from an earlier day gives no number twice. */
function vaultCounter({ dir, places }: Store): number {
  const file = path.join(places.vault, FACTS_FILE)
  if (dir !== places.inProject || statOf(file)?.kind !== 'file') return 0
  return counterIn(readPart(file, 0, HEAD_BYTES)?.toString('utf8') ?? '')
}

/** The last answer only: files are large, and asked for again at once. */
function remembered<A extends readonly unknown[], B>(make: (...given: A) => B): (...given: A) => B {
  let last: { given: A; made: B } | null = null
  return (...given) => {
    if (last?.given.every((one, i) => one === given[i]) !== true) last = { given, made: make(...given) }
    return last.made
  }
}

function rememberedFor<A extends object, B>(make: (given: A) => B): (given: A) => B {
  const made = new WeakMap<A, B>()
  return (given) => {
    const known = made.get(given)
    if (known !== undefined) return known
    const fresh = make(given)
    made.set(given, fresh)
    return fresh
  }
}
