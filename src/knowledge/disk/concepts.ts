/** concepts.json kept in step with facts.json: concepts first, since a fact must not name one that is not there. */
import path from 'node:path'
import type { Store } from '../../memory/disk/store.ts'
import { healConcepts } from '../../outgoing/concept-heal.ts'
import { list, readText, statOf } from '../../platform/disk/files.ts'
import { KeeperError } from '../../platform/error.ts'
import { SESSIONS_DIR } from '../../platform/layout.ts'
import { redactorFor } from '../../redact/redact.ts'
import { assignConcepts } from '../concept-assign.ts'
import { applyChoices, type Chosen, parseChoices } from '../concept-file.ts'
import { refreshConcepts } from '../concept-refresh.ts'
import { allFacts } from '../fact.ts'
import { isLive } from '../fact-list.ts'
import { commitBoth, type Knowledge, readBoth, writeBoth } from './knowledge.ts'

export interface ConceptsUpdate {
  /** Facts that have another concept than before. */
  moved: number
  /** Live facts that still have none. */
  without: number
  /** Names of concepts that are new. */
  founded: string[]
  /** Names of concepts that are gone, taken into others. */
  merged: string[]
}

export interface AppliedFile extends ConceptsUpdate {
  file: string
  placed: number
  unknown: string[]
  noConcept: string[]
}

/** Every fact that fits somewhere gets its concept, and concepts say what their facts say. Call it under the lock. */
export function updateConcepts(store: Store, now: string): ConceptsUpdate {
  return writeKnowledge(store, now, (before) => before)
}

/** The same for who must not keep others waiting: only writing is done under the lock. Call it without the lock. */
export function sortConcepts(store: Store, waitMs: number, now: string): void {
  const trySorting = (): boolean | null => {
    const before = readKnowledge(store)
    return commitBoth(store, before, settled(store, before), { waitMs, now })
  }
  // Somebody wrote meanwhile: once more, and then whoever comes next does it.
  if (trySorting() === false) trySorting()
}

/** The same without writing. */
export function upcomingConcepts(store: Store): ConceptsUpdate {
  const before = readKnowledge(store)
  return difference(before, settled(store, before))
}

/** Facts of a session go where its file says, the others where they fit. Call it under the lock. */
export function applyL2(store: Store, given: string, now: string): AppliedFile {
  const { file, change, chosen } = choicesFrom(store, given)
  const update = writeKnowledge(store, now, change)
  return { file, ...update, ...told(chosen()) }
}

/** The same without writing. */
export function upcomingL2(store: Store, given: string): AppliedFile {
  const { file, change, chosen } = choicesFrom(store, given)
  const before = readKnowledge(store)
  const update = difference(before, settled(store, before, change))
  return { file, ...update, ...told(chosen()) }
}

/** Read, changed, settled, written: concepts first. Call it under the lock. */
function writeKnowledge(store: Store, now: string, change: (before: Knowledge) => Knowledge): ConceptsUpdate {
  const before = readKnowledge(store)
  const after = settled(store, before, change)
  writeBoth(store, before, after, now)
  return difference(before, after)
}

export function readKnowledge(store: Store): Knowledge {
  return readBoth(store)
}

/** What a file that was named holds for a change; it must be read before anything is written. */
function choicesFrom(
  store: Store,
  given: string,
): { file: string; change: (before: Knowledge) => Knowledge; chosen: () => Chosen | null } {
  const file = findL2(store, given)
  const choices = parseChoices(readText(file) ?? '')
  if (choices === null) {
    throw new KeeperError(
      'broken-l2',
      `${file} holds no facts that can be read: it must be a JSON object with "facts". Correct it, or leave it out: memory-keeper update-concepts sorts all facts.`,
    )
  }
  const redact = redactorFor(store.config)
  let chosen: Chosen | null = null
  const change = ({ concepts, facts }: Knowledge): Knowledge => {
    const clean = choices.map((one) => ({ ...one, conceptName: redact(one.conceptName).text }))
    chosen = applyChoices(concepts, facts, clean, similarityOf(store))
    return chosen
  }
  return { file, change, chosen: () => chosen }
}

function told(chosen: Chosen | null): Pick<AppliedFile, 'placed' | 'unknown' | 'noConcept'> {
  const { placed = [], unknown = [], noConcept = [] } = chosen ?? {}
  return { placed: placed.length, unknown, noConcept }
}

/** A path, the name of a file among the sessions, or a session's id. */
function findL2(store: Store, given: string): string {
  const sessions = path.join(store.dir, SESSIONS_DIR)
  const id8 = given.slice(0, 8).toLowerCase()
  const named = list(sessions).filter((name) => name.endsWith(`_${id8}.l2.json`))
  const candidates = [
    path.resolve(given),
    path.join(sessions, given),
    ...named.map((name) => path.join(sessions, name)),
  ]
  const file = candidates.find((one) => ['file', 'link'].includes(statOf(one)?.kind ?? ''))
  if (file !== undefined) return file
  throw new KeeperError(
    'no-l2',
    `There is no file of facts ${given}, here or in ${sessions}. Give the path of a ….l2.json, or nothing: memory-keeper update-concepts sorts all facts.`,
  )
}

function settled(store: Store, before: Knowledge, change = (one: Knowledge): Knowledge => one): Knowledge {
  const similarity = similarityOf(store)
  const healed = healConcepts(before.concepts, before.facts, similarity)
  const changed = change(healed)
  const assigned = assignConcepts(changed.concepts, changed.facts, similarity)
  return { concepts: refreshConcepts(assigned.concepts, assigned.facts), facts: assigned.facts }
}

function similarityOf(store: Store): number {
  return store.config.conceptSimilarity
}

function difference(before: Knowledge, after: Knowledge): ConceptsUpdate {
  const had = new Map(allFacts(before.facts).map(({ id, concept }) => [id, concept]))
  const names = ({ concepts }: Knowledge): Map<string, string> =>
    new Map(concepts.concepts.map(({ id, name }) => [id, name]))
  const [old, fresh] = [names(before), names(after)]
  const all = allFacts(after.facts)
  return {
    moved: all.filter(({ id, concept }) => concept !== had.get(id)).length,
    without: all.filter((fact) => isLive(fact) && fact.concept === null).length,
    founded: [...fresh].filter(([id]) => !old.has(id)).map(([, name]) => name),
    merged: [...old].filter(([id]) => !fresh.has(id)).map(([, name]) => name),
  }
}
