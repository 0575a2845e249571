/** Finds what `forget` is asked for: entries, items by id, or words. */

import path from 'node:path'
import { placesOf } from '../../../kernel/memory/disk/our-files.ts'
import type { Store } from '../../../kernel/memory/disk/store.ts'
import { notesIn } from '../../../kernel/memory/note.ts'
import { readOwnText } from '../../../kernel/platform/disk/files.ts'
import { KeeperError } from '../../../kernel/platform/error.ts'
import { FACTS_FILE, id8OfFile, isArchiveFile, MEMORY_FILE, PAGE_SUFFIX } from '../../../kernel/platform/layout.ts'
import { allSessionFiles, readSessionText, sessionFileState } from '../../../kernel/sessions/disk/session-archive.ts'
import { readForgotten } from '../../../kernel/sessions/disk/tombstones.ts'
import {
  type Forgotten,
  hasAsked,
  markOfSaid,
  marksOfSaid,
  withTombstones,
} from '../../../kernel/sessions/forget-record.ts'
import { foldedText, foldedWords, lineSentences } from '../../../kernel/text/repeated.ts'
import { STOP_WORDS } from '../../../kernel/text/words.ts'
import { type Entry, parseEntryId, parseSession, spokenIn, type Tombstone } from '../../../kernel/transcript/session.ts'
import { readConcepts, readFacts } from '../../knowledge/disk/knowledge.ts'
import type { Fact } from '../../knowledge/item.ts'
import { allFacts, findFact, findPermanent } from '../../knowledge/items.ts'
import { readArchive } from '../../notes/disk/memory.ts'
import { findNote, listNotes } from '../../notes/disk/note-list.ts'
import { pageFile } from '../../pages/disk/pages.ts'
import { lookUp } from '../../search/disk/lookup.ts'

/** `records`: what `forgotten.jsonl` says and the memory still contains, because another machine of the user forgot it. */
export type ForgetWhat =
  | { is: 'id'; id: string }
  | { is: 'session'; session: string }
  | { is: 'query'; query: string }
  | { is: 'records' }

export interface Selection {
  /** Numbers of entries, by session (id8). */
  entries: Map<string, Set<number>>
  /** Sessions to delete completely, whatever a copy contains. */
  whole: Set<string>
  /** In lower case. */
  ids: Set<string>
  /** Sentences to delete everywhere except in sessions. */
  sentences: string[]
  /** Texts to delete; from other texts that share sentences with them, only rare sentences are deleted. */
  texts: string[]
  query: ((text: string) => boolean) | null
  /** Files with the requested item itself: changed last, so that after a kill the same command still finds it. */
  sources: Set<string>
  /** Ids of entries that contain it and stay. */
  stays: string[]
  /** Of entries only those that are named go, and none that repeats them. */
  isExact: boolean
}

/** Null: no such item. */
export function selectForget(store: Store, what: ForgetWhat): Selection | null {
  switch (what.is) {
    case 'id': {
      const id = what.id.trim().replace(/^\[(.*)\]$/, '$1')
      return selectThing(store, id) ?? selectEntries(store, id) ?? selectSection(store, id)
    }
    case 'session':
      return parseEntryId(what.session)?.n === null ? selectEntries(store, what.session) : null
    case 'query':
      return selectQuery(store, what.query)
    case 'records':
      return selectRecords(store)
  }
}

/** Each session once, from all places; the memory's own copy first, and also a copy of another length. */
export function* eachSession(
  store: Store,
  isWanted: (id8: string) => boolean = () => true,
): Generator<{ id8: string; entries: readonly (Entry | Tombstone)[] }> {
  const seen = new Set<string>()
  for (const { root, is } of placesOf(store)) {
    if (is === 'logs') continue
    for (const file of allSessionFiles(root)) {
      const id8 = id8OfFile(file) ?? ''
      const mark = `${id8} ${sessionFileState(root, file)?.size}`
      if (!isWanted(id8) || seen.has(mark)) continue
      seen.add(mark)
      yield { id8, entries: parseSession(readSessionText(root, file) ?? '').entries }
    }
  }
}

function nothing(given: Partial<Selection> = {}): Selection {
  return {
    entries: new Map(),
    whole: new Set(),
    ids: new Set(),
    sentences: [],
    texts: [],
    query: null,
    sources: new Set(),
    stays: [],
    isExact: false,
    ...given,
  }
}

/** An item with an id of its own, and the entries it was derived from. */
function selectThing(store: Store, given: string): Selection | null {
  const id = given.toLowerCase()
  const fact = /^c\d+$/.test(id) ? null : findFact(readFacts(store), id)
  if (fact !== null) return ofFacts([id], [fact])
  if (/^c\d+$/.test(id)) return selectConcept(store, id)
  if (/^r\d+$/.test(id)) return selectPermanent(store, id)
  const summary = /^s:([0-9a-z]{8})$/.exec(id)?.[1]
  if (summary !== undefined && lookUp(store, given, 0)?.parts.length) throw derived(given, summary)
  const note = /^n-|^[0-9a-z]{8}-\d+-\d+$/.test(id) ? findNote(store, given) : null
  if (note === null) return selectFile(store, given)
  const { session, from, to, file, text } = note
  const stays = session === null || to <= from ? [] : [`L1:${session}#${from}-${to - 1}`]
  return nothing({ ids: new Set([note.id.toLowerCase()]), sources: new Set([file]), texts: [text], stays })
}

function derived(id: string, session: string): KeeperError {
  return new KeeperError(
    'derived',
    `${id} is made from its session, and would be made again. Forget what it tells: memory-keeper show ${session} lists the entries, memory-keeper forget --session ${session} deletes all of them.`,
  )
}

/** A page, or an archive with all its notes. */
function selectFile(store: Store, given: string): Selection | null {
  if (isArchiveFile(given)) {
    const notes = notesIn(readArchive(store, given) ?? '')
    const ids = new Set(notes.map(({ id }) => id.toLowerCase()))
    return notes.length === 0 ? null : nothing({ ids, sources: new Set([given]), texts: notes.map(({ text }) => text) })
  }
  const file = pageFile(store, given.replace(/^page:/i, ''))
  if (file === null) return null
  const ids = new Set([`page:${file.slice(0, -PAGE_SUFFIX.length)}`.toLowerCase()])
  return nothing({ ids, sources: new Set([file]), texts: [readOwnText(path.join(store.dir, file)) ?? ''] })
}

/** Includes its facts: forgetting a subject means forgetting what is known about it. */
function selectConcept(store: Store, id: string): Selection | null {
  if (!readConcepts(store).concepts.some((one) => one.id === id)) return null
  const facts = allFacts(readFacts(store)).filter((fact) => fact.concept === id)
  return ofFacts([id, ...facts.map((fact) => fact.id.toLowerCase())], facts)
}

function ofFacts(ids: readonly string[], facts: readonly Fact[]): Selection {
  const places = facts.flatMap(({ session, evidence, also = [] }) => [
    ...(session === '' || evidence.entry < 0 ? [] : [`${session}#${evidence.entry}`]),
    ...also,
  ])
  const sentences = facts.flatMap(({ text, evidence }) => [text, evidence.quote])
  return nothing({ ids: new Set(ids), sources: new Set([FACTS_FILE]), sentences, stays: entriesNamed(places) })
}

function selectPermanent(store: Store, id: string): Selection | null {
  const item = findPermanent(readFacts(store), id)
  if (item === null) return null
  const stays = entriesNamed(item.evidence.map(({ session, entry }) => `${session}#${entry}`))
  return nothing({ ids: new Set([id]), sources: new Set([FACTS_FILE]), sentences: [item.text], stays })
}

function entriesNamed(places: readonly string[]): string[] {
  return [...new Set(places)].filter((place) => /^[0-9a-z]{8}#\d+$/.test(place)).map((place) => `L1:${place}`)
}

/** A session, one of its entries, or a range of entries. */
function selectEntries(store: Store, id: string): Selection | null {
  const wanted = parseEntryId(id)
  if (wanted === null) return null
  for (const { id8, entries } of eachSession(store, (one) => one === wanted.id8)) {
    const [from, to] = wanted.n === null ? [0, entries.length - 1] : [wanted.n, wanted.to ?? wanted.n]
    const numbers = numbersOf(entries, (_, n) => n >= from && n <= to)
    if (numbers.size > 0)
      return nothing({ entries: new Map([[id8, numbers]]), whole: new Set(wanted.n === null ? [id8] : []) })
  }
  return null
}

/** A rule, or a section of a page: by its text. */
function selectSection(store: Store, id: string): Selection | null {
  const parts = id === MEMORY_FILE ? [] : (lookUp(store, id, 0)?.parts ?? [])
  const sentences = parts.map(({ text }) => text).filter((text) => text.trim() !== '')
  return sentences.length === 0 ? null : nothing({ sentences, ids: new Set([id.toLowerCase()]) })
}

function selectQuery(store: Store, query: string): Selection {
  const found = nothing({ query: queryTest(query) })
  for (const { id8, entries } of eachSession(store))
    for (const n of numbersOf(entries, (entry) => found.query?.(spokenIn(entry)) === true)) add(found.entries, id8, n)
  return found
}

/** What was said after it was forgotten was said anew, and stays. */
function selectRecords(store: Store): Selection {
  const forgotten = readForgotten(store)
  const facts = readFacts(store)
  const notes = listNotes(store).notes
  const things = [...facts.list, ...notes]
  const isGone = ({ at, text }: { at: string; text: string }): boolean =>
    at <= (forgotten.said.get(markOfSaid(text)) ?? '')
  const ids = new Set(things.filter(isGone).map(({ id }) => id.toLowerCase()))
  const entries = new Map<string, Set<number>>()
  const later = things.map(({ at, text }) => ({ at, text }))
  for (const { id8, entries: all } of eachSession(store)) {
    const kept = withTombstones(all, id8, 0, forgotten)
    for (const n of numbersOf(all, (entry, at) => kept[at] !== entry)) add(entries, id8, n)
    for (const entry of kept) if (entry.role !== 'tombstone') later.push({ at: entry.ts, text: spokenIn(entry) })
  }
  const query = repeatsForgotten(forgotten, later)
  return nothing({ entries, whole: new Set(), ids, query, isExact: true })
}

/** `later`: what the memory contains; what of it is newer than a record exempts its words. */
function repeatsForgotten(
  { said, asked }: Forgotten,
  later: readonly { at: string; text: string }[],
): (text: string) => boolean {
  const isAnew = (mark: string, at: string): boolean => at > (said.get(mark) ?? at)
  const anew = new Set(
    said.size === 0 ? [] : later.flatMap(({ at, text }) => marksOfSaid(text).filter((one) => isAnew(one, at))),
  )
  const marks = new Set([...said.keys()].filter((mark) => !anew.has(mark)))
  const phrases = asked.filter((one) => !later.some(({ at, text }) => at > one.at && hasAsked(text, one)))
  return (text) =>
    [text, ...lineSentences(text)].some(
      (one) => marks.has(markOfSaid(one)) || phrases.some((phrase) => hasAsked(one, phrase)),
    )
}

/** Copies of a session have the same numbers. */
export function add(entries: Map<string, Set<number>>, id8: string, n: number): void {
  entries.set(id8, (entries.get(id8) ?? new Set()).add(n))
}

function numbersOf(
  entries: readonly (Entry | Tombstone)[],
  isWanted: (entry: Entry, n: number) => boolean,
): Set<number> {
  return new Set(entries.flatMap((entry, n) => (entry.role !== 'tombstone' && isWanted(entry, n) ? [n] : [])))
}

const LEAST_CHARS = 3
const LEAST_UNSPACED = 2
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u

/** The texts that `--query` matches: the words in a row, or all of them in one sentence; in quotes, only in a row. Throws if nearly every text would match. */
function queryTest(query: string): (text: string) => boolean {
  const quoted = /^\s*(["“„«'])(.+)["”“»']\s*$/s.exec(query)?.[2]
  const phrase = onOneLine(quoted ?? query)
  const words = phrase.split(' ')
  if (!words.some((word) => word.length >= (UNSPACED.test(word) ? LEAST_UNSPACED : LEAST_CHARS)))
    throw new KeeperError(
      'usage',
      `"${query.trim()}" is too short: nearly everything contains it. Give a word of at least ${LEAST_CHARS} letters, or an id.`,
    )
  if (foldedWords(phrase).every((word) => STOP_WORDS.has(word)))
    throw new KeeperError(
      'usage',
      `Nearly everything contains "${query.trim()}". Add a word that only this has, or give an id: memory-keeper search finds ids.`,
    )
  const isPhraseOnly = quoted !== undefined || words.length === 1
  return (text) => {
    const said = onOneLine(text)
    if (said.includes(phrase)) return true
    if (isPhraseOnly || !words.every((word) => said.includes(word))) return false
    return lineSentences(text).some((sentence) => words.every((word) => onOneLine(sentence).includes(word)))
  }
}

function onOneLine(text: string): string {
  return foldedText(text).replace(/\s+/g, ' ').trim()
}
