/** facts.json and concepts.json on disk: read whatever can be read, written only under the lock, never over a broken file. */
import path from 'node:path'
import { type Concepts, formatConcepts, NO_CONCEPTS, parseConcepts } from '../core/concept.ts'
import { type Facts, formatFacts, NO_FACTS, parseFacts } from '../core/fact.ts'
import { CONCEPTS_FILE, FACTS_FILE } from '../core/layout.ts'
import { readOwnText } from './files.ts'
import { logEvent } from './log.ts'
import type { Store } from './store.ts'

/** Empty where there are none, or none that can be read. */
export function readFacts(store: Store): Facts {
  const text = readOwnText(path.join(store.dir, FACTS_FILE))
  return (text === null ? null : parseFacts(text)) ?? NO_FACTS
}

export function readConcepts(store: Store): Concepts {
  const text = readOwnText(path.join(store.dir, CONCEPTS_FILE))
  return (text === null ? null : parseConcepts(text)) ?? NO_CONCEPTS
}

/** Call it under the lock, with what was read under the same one. */
export function writeFacts(store: Store, before: Facts, after: Facts, now: string): void {
  // Nothing was read: nothing is there, or it is broken.
  if (before === NO_FACTS) setAsideBroken(store, FACTS_FILE, (one) => parseFacts(one) !== null, now)
  const text = formatFacts(after)
  if (text === formatFacts(before)) return
  store.perform([{ do: 'write', path: FACTS_FILE, text }])
}

export function writeConcepts(store: Store, before: Concepts, after: Concepts, now: string): void {
  if (before === NO_CONCEPTS) setAsideBroken(store, CONCEPTS_FILE, (one) => parseConcepts(one) !== null, now)
  const text = formatConcepts(after)
  if (text === formatConcepts(before)) return
  store.perform([{ do: 'write', path: CONCEPTS_FILE, text }])
}

/** A broken file is set aside before anything is added: somebody may have edited it. */
function setAsideBroken(store: Store, file: string, isSound: (text: string) => boolean, now: string): void {
  const text = readOwnText(path.join(store.dir, file))
  if (text === null || isSound(text)) return
  store.perform([
    { do: 'write', path: `${file}.broken-${now.replace(/\D/g, '').slice(0, 14)}`, text },
    { do: 'remove', path: file },
  ])
  logEvent(store.dir, now, `${file} was broken and is set aside`)
}
