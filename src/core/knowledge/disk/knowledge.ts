/** facts.json and concepts.json on disk: lost content is restored from the broken file and the vault, and a broken file is never overwritten. Also the rules that are injected. */

import path from 'node:path'
import type { Store } from '../../../kernel/memory/disk/store.ts'
import { readOwnText, readPart, sizeOf, statOf } from '../../../kernel/platform/disk/files.ts'
import { logEvent } from '../../../kernel/platform/disk/log.ts'
import { parseObject } from '../../../kernel/platform/json.ts'
import { CONCEPTS_FILE, FACTS_FILE } from '../../../kernel/platform/layout.ts'
import { perObject, remembered } from '../../../kernel/text/once.ts'
import { ownRules, readRules } from '../../pages/disk/rules.ts'
import { BUILT_IN_LINE, BUILT_IN_RULES, renderRules } from '../../pages/rule.ts'
import { type Concepts, formatConcepts, NO_CONCEPTS, parseConcepts } from '../concept.ts'
import { formatItems, parseItems, readPermanent } from '../facts-file.ts'
import { isLive } from '../item.ts'
import { byKind, type Items, NO_ITEMS } from '../items.ts'
import {
  counterIn,
  nextIdIn,
  salvageConcepts,
  salvageFacts,
  withCounter,
  withSalvagedConcepts,
  withSalvagedFacts,
} from '../salvage.ts'

/** The counters are at the beginning of facts.json, preceded by at most the record of reflection. */
const HEAD_BYTES = 65_536

/** Removes the byte order mark of an editor. */
export function withoutMark(text: string): string {
  return text.startsWith('\ufeff') ? text.slice(1) : text
}

/** One of the two files. */
interface Kind<T> {
  file: string
  /** Null: broken. The last result is cached, so that a read before taking the lock saves the time under it. */
  parse: (text: string) => T | null
  format: (value: T) => string
  none: T
  isEmpty: (value: T) => boolean
  /** The highest number in use. */
  numberIn: (text: string) => number
  /** Merges the readable part of a broken text with what only the copy contains. */
  recover: (broken: string | null, copy: string | null) => T
}

function kindOf<T extends object>(
  kind: Pick<Kind<T>, 'file' | 'parse' | 'format' | 'none' | 'isEmpty' | 'numberIn'>,
  salvage: (text: string) => T,
  join: (newer: T, older: T) => T,
): Kind<T> {
  const recover = (broken: string | null, copy: string | null): T => {
    const left = broken === null ? kind.none : salvage(broken)
    return copy === null ? left : join(left, kind.parse(copy) ?? salvage(copy))
  }
  return { ...kind, parse: remembered(kind.parse), format: perObject(kind.format), recover: remembered(recover) }
}

const FACTS = /* @__PURE__ */ kindOf<Items>(
  {
    file: FACTS_FILE,
    parse: parseItems,
    format: formatItems,
    none: NO_ITEMS,
    isEmpty: (facts) => facts._meta.counter === 0 && facts.list.length === 0,
    numberIn: counterIn,
  },
  salvageFacts,
  withSalvagedFacts,
)
const CONCEPTS = /* @__PURE__ */ kindOf<Concepts>(
  {
    file: CONCEPTS_FILE,
    parse: parseConcepts,
    format: formatConcepts,
    none: NO_CONCEPTS,
    isEmpty: ({ concepts, nextId }) => concepts.length === 0 && nextId <= 1,
    numberIn: nextIdIn,
  },
  salvageConcepts,
  withSalvagedConcepts,
)

/** Empty if there never were any. The result is never mutated: the same files give the same object. */
export function readFacts(store: Store): Items {
  return countedFrom(read(store, FACTS), vaultCounter(store))
}

export function readConcepts(store: Store): Concepts {
  return read(store, CONCEPTS)
}

function read<T>(store: Store, kind: Kind<T>): T {
  const text = textOf(store, kind)
  const sound = text === null ? null : kind.parse(text)
  if (sound !== null && !kind.isEmpty(sound)) return sound
  const known = kind.recover(sound === null ? text : null, vaultText(store, kind))
  return kind.isEmpty(known) ? (sound ?? kind.none) : known
}

const countedFrom = remembered(withCounter)

/** Call it under the lock, with facts read under the same lock. */
export function writeFacts(store: Store, before: Items, after: Items, now: string): void {
  writeSound(store, FACTS, before, after, now)
}

export function writeConcepts(store: Store, before: Concepts, after: Concepts, now: string): void {
  writeSound(store, CONCEPTS, before, after, now)
}

export interface Knowledge {
  concepts: Concepts
  facts: Items
}

export function readBoth(store: Store): Knowledge {
  return { concepts: readConcepts(store), facts: readFacts(store) }
}

/** Concepts first: a fact must not name a missing concept. Call it under the lock. */
export function writeBoth(store: Store, before: Knowledge, after: Knowledge, now: string): void {
  writeConcepts(store, before.concepts, after.concepts, now)
  writeFacts(store, before.facts, after.facts, now)
}

/** Writes changes that were decided without the lock. False: another process wrote meanwhile; null: the lock was not free in time. */
export function commitBoth(
  store: Store,
  before: Knowledge,
  after: Knowledge,
  { waitMs, now }: { waitMs: number; now: string },
): boolean | null {
  // Comparing thousands of facts takes time: done without the lock.
  const isSame = isSameText(FACTS, before.facts, after.facts) && isSameText(CONCEPTS, before.concepts, after.concepts)
  if (isSame && isSound(store, FACTS) && isSound(store, CONCEPTS)) return true
  const held = store.whileLocked(waitMs, () => {
    const there = readBoth(store)
    if (there.facts !== before.facts || there.concepts !== before.concepts) return false
    writeBoth(store, before, after, now)
    return true
  })
  return held === null ? null : held.value
}

/** Takes the lock only for writing; call it without the lock. Null: the lock was not free in time, or another process wrote meanwhile, twice. */
export function changeQuietly(
  store: Store,
  waitMs: number,
  now: string,
  change: (before: Knowledge) => Knowledge,
): { before: Knowledge; after: Knowledge } | null {
  for (const _ of ['first', 'again']) {
    const before = readBoth(store)
    const after = change(before)
    const done = commitBoth(store, before, after, { waitMs, now })
    if (done !== false) return done === null ? null : { before, after }
  }
  return null
}

/** Whether this file may replace its copy in the vault: a broken or an outdated file may not. */
export function mayReplaceCopy(store: Store, file: string): boolean {
  const kind = [FACTS, CONCEPTS].find((one) => one.file === file)
  if (kind === undefined) return true
  const text = textOf(store, kind)
  if (text === null || kind.parse(text) === null) return false
  return kind.numberIn(text) >= kind.numberIn(vaultText(store, kind) ?? '')
}

function isSameText<T>({ format }: Kind<T>, a: T, b: T): boolean {
  return a === b || format(a) === format(b)
}

/** A missing file is sound unless the vault has a copy. */
function isSound<T>(store: Store, kind: Kind<T>): boolean {
  const text = textOf(store, kind)
  return text === null ? vaultText(store, kind) === null : kind.parse(text) !== null
}

/** A broken file is set aside first: somebody may have edited it. A file that differs only in format is not rewritten. */
function writeSound<T>(store: Store, kind: Kind<T>, before: T, after: T, now: string): void {
  const { file } = kind
  const there = textOf(store, kind)
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

function textOf({ dir }: Pick<Store, 'dir'>, { file }: Pick<Kind<unknown>, 'file'>): string | null {
  const text = readOwnText(path.join(dir, file))
  return text === null ? null : withoutMark(text)
}

/** The copy below home; null: there is none, or this memory has no copy. */
function vaultText({ dir, places }: Store, kind: Pick<Kind<unknown>, 'file'>): string | null {
  return dir === places.inProject ? textOf({ dir: places.vault }, kind) : null
}

/** The counter of the vault's copy: a file restored from an earlier day must not use a number twice. */
function vaultCounter({ dir, places }: Store): number {
  const file = path.join(places.vault, FACTS_FILE)
  if (dir !== places.inProject || statOf(file)?.kind !== 'file') return 0
  return counterIn(readPart(file, 0, HEAD_BYTES)?.toString('utf8') ?? '')
}

/** The permanent items are at the end of facts.json. */
const TAIL_BYTES = 64 * 1024
const PERMANENT = '\n  "permanent": '

/** The active learned rules. Reads only the end of facts.json: this runs with every prompt. */
function learnedRules(store: Store): string[] {
  const file = path.join(store.dir, FACTS_FILE)
  const size = sizeOf(file) ?? 0
  const tail = size === 0 ? '' : (readPart(file, Math.max(0, size - TAIL_BYTES), TAIL_BYTES)?.toString('utf8') ?? '')
  if (size <= TAIL_BYTES && !tail.includes('"active"')) return []
  const at = tail.lastIndexOf(PERMANENT)
  const found = at < 0 ? null : parseObject(`{${tail.slice(at)}`)
  const items = found === null ? readFacts(store) : readPermanent(found.permanent)
  return byKind(items)
    .rules.filter(isLive)
    .map(({ text }) => text)
}

/** In full, for the start of a session and after a compaction. */
export function rulesAtStart(store: Store): string[] {
  return store.config.rules ? [...readRules(store), ...learnedRules(store)] : []
}

/** With a prompt: the user's own and learned rules in full, the built-in ones as one line or as the setting says. */
export function rulesWithPrompt(store: Store): string {
  const { rules, builtinRules } = store.config
  if (!rules) return ''
  const line = builtinRules === 'prompt' ? BUILT_IN_LINE : ''
  const builtIn = builtinRules === 'full' ? BUILT_IN_RULES : []
  return [line, renderRules([...builtIn, ...ownRules(store), ...learnedRules(store)])]
    .filter((part) => part !== '')
    .join('\n')
}
