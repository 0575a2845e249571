/** What `forget` is asked for, found in the files: entries, things by their ids, or words. */
import path from 'node:path'
import { readConcepts, readFacts } from '../../knowledge/disk/knowledge.ts'
import { allFacts, type Fact } from '../../knowledge/fact.ts'
import { findFact } from '../../knowledge/fact-list.ts'
import { allPermanent } from '../../knowledge/permanent.ts'
import { placesOf } from '../../memory/disk/our-files.ts'
import type { Store } from '../../memory/disk/store.ts'
import { notesIn } from '../../memory/note.ts'
import { readArchive } from '../../notes/disk/memory.ts'
import { findNote } from '../../notes/disk/note-list.ts'
import { pageFile } from '../../pages/disk/pages.ts'
import { readOwnText } from '../../platform/disk/files.ts'
import { KeeperError } from '../../platform/error.ts'
import { FACTS_FILE, id8OfFile, isArchiveFile, MEMORY_FILE, PAGE_SUFFIX, STANDING_FILE } from '../../platform/layout.ts'
import { lookUp } from '../../search/disk/lookup.ts'
import { allSessionFiles, readSessionText, sessionFacts } from '../../sessions/disk/session-archive.ts'
import { type Entry, parseEntryId, parseSession, spokenIn, type Tombstone } from '../../transcript/session.ts'
import { queryTest } from '../forget-query.ts'
import { forgetSentences } from '../forget-words.ts'
import { standingPlaces as placesSaid } from '../standing-list.ts'
import { readStanding } from './standing.ts'

export type ForgetWhat =
  /** `withSource`: with the entries that it was taken from. */
  | { is: 'id'; id: string; withSource?: boolean }
  | { is: 'session'; session: string }
  | { is: 'query'; query: string }
  /** Sessions that ended before this day of UTC: 2026-01-31. */
  | { is: 'before'; day: string }

export interface Selection {
  /** Numbers of entries, by session (id8). */
  entries: Map<string, Set<number>>
  /** Of these everything, also what a copy may have more of. */
  whole: Set<string>
  ids: Set<string>
  /** They go wherever they stand, sessions apart. */
  sentences: string[]
  /** Texts that go; what they say elsewhere, too, stays there. */
  texts: string[]
  query: ((text: string) => boolean) | null
  /** Files of the memory that hold what was asked for: done last, so that a kill leaves the way to do it again. */
  sources: Set<string>
  /** Ids of entries that say it and stay. */
  stays: string[]
}

/** Null: there is nothing of the kind. */
export function select(store: Store, what: ForgetWhat): Selection | null {
  switch (what.is) {
    case 'id':
      return selectId(store, what.id.trim().replace(/^\[(.*)\]$/, '$1'), what.withSource === true)
    case 'session':
      return selectSession(store, what.session)
    case 'query':
      return selectQuery(store, what.query)
    case 'before':
      return selectBefore(store, what.day)
  }
}

export interface ForgetSession {
  id8: string
  entries: readonly (Entry | Tombstone)[]
}

/** Each session once, wherever it is kept; the memory's own copy first, a copy of another length as well. */
export function* eachSession(store: Store, isWanted: (id8: string) => boolean = () => true): Generator<ForgetSession> {
  const seen = new Set<string>()
  for (const { root, is } of placesOf(store)) {
    if (is === 'logs') continue
    for (const file of allSessionFiles(root)) {
      const id8 = id8OfFile(file) ?? ''
      const mark = `${id8} ${sessionFacts(root, file)?.size}`
      if (!isWanted(id8) || seen.has(mark)) continue
      seen.add(mark)
      yield { id8, entries: parseSession(readSessionText(root, file) ?? '').entries }
    }
  }
}

function nothing(): Selection {
  return {
    entries: new Map(),
    whole: new Set(),
    ids: new Set(),
    sentences: [],
    texts: [],
    query: null,
    sources: new Set(),
    stays: [],
  }
}

function selectId(store: Store, id: string, withSource: boolean): Selection | null {
  const thing = selectThing(store, id)
  if (thing === null) return selectEntries(store, id) ?? selectSection(store, id)
  if (!withSource) return thing
  for (const place of thing.stays) {
    const { id8 = '', n = null } = parseEntryId(place) ?? {}
    if (n !== null) thing.entries.set(id8, (thing.entries.get(id8) ?? new Set()).add(n))
  }
  return { ...thing, stays: [] }
}

/** Something that has an id of its own, and the entries that it was taken from. */
function selectThing(store: Store, given: string): Selection | null {
  const id = given.toLowerCase()
  const found = nothing()
  found.ids.add(id)
  if (/^c\d+$/.test(id)) return selectConcept(store, id, found)
  const fact = findFact(readFacts(store), id)
  if (fact !== null) return ofFacts([fact], found)
  if (/^r\d+$/.test(id)) return selectPermanent(store, id, found)
  if (/^t\d+$/.test(id)) return selectStanding(store, id, found)
  if (/^s:[0-9a-z]{8}$/.test(id)) return lookUp(store, given, 0)?.parts.length ? found : null
  const note = /^n-|^[0-9a-z]{8}-\d+-\d+$/.test(id) ? findNote(store, given) : null
  if (note !== null) {
    found.ids.add(note.id.toLowerCase())
    found.sources.add(note.file)
    const range =
      note.session === null || note.to <= note.from ? [] : [`L1:${note.session}#${note.from}-${note.to - 1}`]
    return { ...found, texts: [note.text], stays: range }
  }
  return selectFile(store, given, found)
}

/** A page, or an archive with all of its notes. */
function selectFile(store: Store, given: string, found: Selection): Selection | null {
  if (isArchiveFile(given)) {
    const notes = notesIn(readArchive(store, given) ?? '')
    if (notes.length === 0) return null
    for (const { id } of notes) found.ids.add(id.toLowerCase())
    found.sources.add(given)
    return { ...found, texts: notes.map(({ text }) => text) }
  }
  const file = pageFile(store, given.replace(/^page:/i, ''))
  if (file === null) return null
  found.ids.add(`page:${file.slice(0, -PAGE_SUFFIX.length)}`.toLowerCase())
  found.sources.add(file)
  return { ...found, texts: [readOwnText(path.join(store.dir, file)) ?? ''] }
}

/** With its facts: forgetting a subject and still knowing all about it is not what anybody means. */
function selectConcept(store: Store, id: string, found: Selection): Selection | null {
  const concept = readConcepts(store).concepts.find((one) => one.id === id)
  if (concept === undefined) return null
  const facts = allFacts(readFacts(store)).filter((fact) => fact.concept === id)
  for (const fact of facts) found.ids.add(fact.id.toLowerCase())
  return ofFacts(facts, found)
}

function ofFacts(facts: readonly Fact[], found: Selection): Selection {
  found.sources.add(FACTS_FILE)
  const places = facts.flatMap(({ session, evidence, also = [] }) => [
    ...(session === '' || evidence.entry < 0 ? [] : [`${session}#${evidence.entry}`]),
    ...also,
  ])
  const sentences = facts.flatMap(({ text, evidence }) => [text, ...forgetSentences(evidence.quote)])
  const texts = facts.flatMap(({ text, reason, resolution }) => [text, reason ?? '', resolution ?? ''])
  return { ...found, sentences, texts, stays: entriesNamed(places) }
}

function selectPermanent(store: Store, id: string, found: Selection): Selection | null {
  const item = allPermanent(readFacts(store).permanent).find((one) => one.id === id)
  if (item === undefined) return null
  found.sources.add(FACTS_FILE)
  const places = item.evidence.map(({ session, entry }) => `${session}#${entry}`)
  return { ...found, sentences: forgetSentences(item.text), stays: entriesNamed(places) }
}

function selectStanding(store: Store, id: string, found: Selection): Selection | null {
  const one = readStanding(store).standing.find((each) => each.id === id)
  if (one === undefined) return null
  found.sources.add(STANDING_FILE)
  const places = placesSaid(one).map(({ session, entry }) => `${session}#${entry}`)
  return { ...found, sentences: forgetSentences(one.text), stays: entriesNamed(places) }
}

function entriesNamed(places: readonly string[]): string[] {
  return [...new Set(places)].filter((place) => /^[0-9a-z]{8}#\d+$/.test(place)).map((place) => `L1:${place}`)
}

function selectSession(store: Store, given: string): Selection | null {
  const wanted = parseEntryId(given)
  return wanted === null || wanted.n !== null ? null : selectEntries(store, given)
}

function selectEntries(store: Store, id: string): Selection | null {
  const wanted = parseEntryId(id)
  if (wanted === null) return null
  for (const { id8, entries } of eachSession(store, (one) => one === wanted.id8)) {
    const [from, to] = wanted.n === null ? [0, entries.length - 1] : [wanted.n, wanted.to ?? wanted.n]
    const numbers = numbersOf(entries, (_, n) => n >= from && n <= to)
    if (numbers.size > 0) return chosen([[id8, numbers, wanted.n === null]])
  }
  return null
}

/** A rule, a section of a page: by what it says. */
function selectSection(store: Store, id: string): Selection | null {
  const parts = id === MEMORY_FILE ? [] : (lookUp(store, id, 0)?.parts ?? [])
  const sentences = parts.flatMap(({ text }) => forgetSentences(text))
  return sentences.length === 0 ? null : { ...nothing(), sentences }
}

function selectQuery(store: Store, query: string): Selection {
  const test = queryTest(query)
  const found: Choice[] = []
  for (const { id8, entries } of eachSession(store)) {
    const numbers = numbersOf(entries, (entry) => test(spokenIn(entry)))
    if (numbers.size > 0) found.push([id8, numbers, false])
  }
  return { ...chosen(found), query: test }
}

function selectBefore(store: Store, day: string): Selection | null {
  const at = /^\d{4}-\d\d-\d\d$/.test(day) ? Date.parse(`${day}T00:00:00.000Z`) : Number.NaN
  if (Number.isNaN(at)) throw new KeeperError('usage', `--before takes a day, like --before 2026-01-31.`)
  const found: Choice[] = []
  for (const { id8, entries } of eachSession(store)) {
    const last = Math.max(...entries.map((entry) => ('ts' in entry ? Date.parse(entry.ts) || 0 : 0)))
    const numbers = numbersOf(entries, () => true)
    if (numbers.size > 0 && last > 0 && last < at) found.push([id8, numbers, true])
  }
  return found.length === 0 ? null : chosen(found)
}

type Choice = [id8: string, numbers: Set<number>, isWhole: boolean]

function chosen(choices: readonly Choice[]): Selection {
  return {
    ...nothing(),
    entries: joined(choices),
    whole: new Set(choices.flatMap(([id8, , isWhole]) => (isWhole ? [id8] : []))),
  }
}

/** Copies of a session have the same numbers. */
function joined(choices: readonly Choice[]): Map<string, Set<number>> {
  const all = new Map<string, Set<number>>()
  for (const [id8, numbers] of choices) all.set(id8, new Set([...(all.get(id8) ?? []), ...numbers]))
  return all
}

function numbersOf(
  entries: readonly (Entry | Tombstone)[],
  isWanted: (entry: Entry, n: number) => boolean,
): Set<number> {
  return new Set(entries.flatMap((entry, n) => (entry.role !== 'tombstone' && isWanted(entry, n) ? [n] : [])))
}
