/** What is being forgotten, as the layers ask about it: made from the files as they are before anything is taken out. */
import path from 'node:path'
import { type Forgetting, isTouched } from '../../forget/forget-context.ts'
import { allFacts, type Fact, parseFacts } from '../../knowledge/fact.ts'
import { allPermanent } from '../../knowledge/permanent.ts'
import { parseSessionFacts, type SessionFact } from '../../knowledge/session-facts.ts'
import { placesOf } from '../../memory/disk/our-files.ts'
import type { Store } from '../../memory/disk/store.ts'
import { type Note, parseMemory } from '../../memory/note.ts'
import { BUILT_IN_RULES } from '../../pages/rule.ts'
import { list, readOwnText } from '../../platform/disk/files.ts'
import {
  FACTS_FILE,
  isArchiveFile,
  MEMORY_FILE,
  PAGE_SUFFIX,
  SESSIONS_DIR,
  STANDING_FILE,
} from '../../platform/layout.ts'
import type { Numbered } from '../../sessions/digest-types.ts'
import { markOfOpen, placeKeys } from '../../sessions/forget-record.ts'
import { type Entry, entryKey, spokenIn } from '../../transcript/session.ts'
import { isCommonWord } from '../forget-common.ts'
import { textsIn } from '../forget-cut.ts'
import { isOurLine } from '../forget-ours.ts'
import {
  forgetSentences,
  plainSentences,
  saysAny,
  saysMostly,
  saysRun,
  saysSentence,
  saysWhole,
  takeOutRuns,
  takeOutWords,
  type Words,
  wordsOfAll,
} from '../forget-words.ts'
import { parseStanding, standingPlaces as placesSaid } from '../standing-list.ts'
import { eachSession, type Selection } from './forget-select.ts'

/** A shorter sentence is said by anybody. */
const LEAST_SAID = 16

export interface ForgetSurroundings {
  about: Forgetting
  /** Of the entries that go. */
  keys: string[]
  /** Of the same, without their words. */
  places: string[]
  /** Marks of those that are still open, by session (id8). */
  open: ReadonlyMap<string, readonly string[]>
  /** Marks of all of them: what waits in the state is known by them. */
  marks: ReadonlyMap<string, ReadonlySet<string>>
  /** Hand-kept sentences that say it among other things, and stay; each with its file. */
  also: string[]
}

interface GoneEntry {
  id8: string
  entry: Entry
}

/** What gives it away: words and rows of words; sentences as a whole. What stays elsewhere is taken out of both. */
interface Telling {
  words: Words
  whole: Set<string>
}

export function contextOf(store: Store, selection: Selection): ForgetSurroundings {
  const left = new Map<string, Numbered[]>()
  const gone: GoneEntry[] = []
  const places: string[] = []
  for (const { id8, entries } of eachSession(store, (one) => selection.entries.has(one))) {
    const numbers = selection.entries.get(id8) ?? new Set()
    // The memory's own copy comes first; another one may still hold what is gone here.
    const rest = entries.flatMap((entry, n) => (numbers.has(n) ? [] : [{ n, entry }]))
    if (!left.has(id8)) left.set(id8, rest)
    const keys = placeKeys(entries, id8)
    for (const n of numbers) {
      const entry = entries[n]
      if (entry === undefined || entry.role === 'tombstone') continue
      gone.push({ id8, entry })
      // One that is still open gets another time.
      if (entry.open !== true) places.push(keys[n] ?? '')
    }
  }
  const words = wordsOfAll([...gone.map(({ entry }) => spokenIn(entry)), ...selection.texts], isCommonWord)
  const whole = wholeSentences(gone, selection)
  const about = aboutOf(store, selection, left, { words, whole })
  takeOutKept(store, selection, about, { words, whole })
  const marks = new Map<string, Set<string>>()
  for (const { id8, entry } of gone) marks.set(id8, (marks.get(id8) ?? new Set()).add(markOfOpen(entry)))
  return {
    about,
    keys: [...new Set(gone.map(({ entry }) => entryKey(entry)))],
    places: [...new Set(places)],
    open: openMarks(gone),
    marks,
    also: alsoSaid(store, selection, about),
  }
}

function aboutOf(
  store: Store,
  { entries, whole, ids, sentences, query }: Selection,
  left: ReadonlyMap<string, readonly Numbered[]>,
  { words, whole: sentencesWhole }: Telling,
): Forgetting {
  const isSentence = saysSentence(sentences)
  const isAsked = query ?? (() => false)
  const all = new Set([...whole, ...[...left].flatMap(([id8, rest]) => (isNothing(rest) ? [id8] : []))])
  const about: Forgetting = {
    sessions: new Set([...entries.keys(), ...whole]),
    whole: all,
    ids,
    isGone: (id8, n) => n >= 0 && (whole.has(id8) || entries.get(id8)?.has(n) === true),
    isAsked,
    isSaid: (text) => isAsked(text) || isSentence(text) || saysAny(words, text),
    isTold: (text) =>
      !isOurLine(text) &&
      (isAsked(text) || isSentence(text) || saysRun(words, text) || saysMostly(words, text, isCommonWord)),
    isSaidByHand: (text) => isAsked(text) || saysWhole(sentencesWhole, text),
    lost: new Set(ids),
    left: (id8) => left.get(id8) ?? keptEntries(store, id8),
    factsOf: (id8) => factsIn(store, id8),
    notesOf: (id8) =>
      notesOf(store, id8).filter(({ id, from, to }) => !ids.has(id.toLowerCase()) && !isTouched(about, id8, from, to)),
  }
  return { ...about, lost: new Set([...ids, ...lostIds(store, about)]) }
}

/** Sentences that were said in what goes, and are more than a word or two of everybody. */
function wholeSentences(gone: readonly GoneEntry[], { sentences }: Selection): Set<string> {
  const said = gone.flatMap(({ entry }) => plainSentences(spokenIn(entry)))
  const telling = said.filter((one) => one.length >= LEAST_SAID && !one.split(' ').every(isCommonWord))
  return new Set([...telling, ...sentences.flatMap(plainSentences)])
}

function openMarks(gone: readonly GoneEntry[]): Map<string, string[]> {
  const marks = new Map<string, string[]>()
  for (const { id8, entry } of gone)
    if (entry.open === true) marks.set(id8, [...(marks.get(id8) ?? []), markOfOpen(entry)])
  return marks
}

/** What stands in a memory only because of what goes. */
function lostIds(store: Store, about: Forgetting): string[] {
  const facts = parseFacts(readOwnText(path.join(store.dir, FACTS_FILE)) ?? '')
  const items = facts === null ? [] : allPermanent(facts.permanent)
  return [
    ...(facts === null ? [] : allFacts(facts)).filter(({ session, evidence }) => about.isGone(session, evidence.entry)),
    ...items.filter(
      ({ evidence }) => evidence.length > 0 && evidence.every((one) => about.isGone(one.session, one.entry)),
    ),
    ...parseStanding(readOwnText(path.join(store.dir, STANDING_FILE))).standing.filter((one) =>
      placesSaid(one).every(({ session, entry }) => about.isGone(session, entry)),
    ),
    ...memoriesIn(store.dir)
      .flatMap(parseMemory)
      .flatMap(({ note }) =>
        note !== null && note.session !== null && isTouched(about, note.session, note.from, note.to) ? [note] : [],
      ),
  ].map(({ id }) => id.toLowerCase())
}

/** Rules and pages are people's own: a sentence that says more than what goes is theirs. */
function alsoSaid(store: Store, { sentences, query }: Selection, about: Forgetting): string[] {
  if (query !== null || sentences.length === 0) return []
  const isSentence = saysSentence(sentences)
  return handKept(store.dir, about).flatMap(([name, text]) =>
    forgetSentences(text)
      .filter((one) => isSentence(one) && !about.isSaidByHand(one) && !isOurLine(one))
      .map((one) => `${name}: ${one.trim()}`),
  )
}

function handKept(root: string, about: Forgetting): [name: string, text: string][] {
  return list(root).flatMap((name): [string, string][] => {
    const isPage = name.endsWith(PAGE_SUFFIX) && name !== MEMORY_FILE && !isArchiveFile(name)
    const id = `page:${name.slice(0, -PAGE_SUFFIX.length)}`.toLowerCase()
    return isPage && !about.ids.has(id) ? [[name, readOwnText(path.join(root, name)) ?? '']] : []
  })
}

function isNothing(rest: readonly Numbered[]): boolean {
  return rest.every(({ entry }) => entry.role === 'tombstone')
}

/** Of a session of which nothing goes. */
function keptEntries(store: Store, id8: string): Numbered[] {
  for (const { entries } of eachSession(store, (one) => one === id8)) return entries.map((entry, n) => ({ n, entry }))
  return []
}

function factsIn({ dir }: Store, id8: string): readonly SessionFact[] {
  const sessions = path.join(dir, SESSIONS_DIR)
  const file = list(sessions).find((name) => name.endsWith(`_${id8}.l2.json`))
  return (file === undefined ? null : parseSessionFacts(readOwnText(path.join(sessions, file)) ?? ''))?.facts ?? []
}

function notesOf(store: Store, id8: string): Note[] {
  return memoriesIn(store.dir).flatMap((text) =>
    parseMemory(text).flatMap(({ note }) => (note?.session === id8 ? [note] : [])),
  )
}

function memoriesIn(dir: string): string[] {
  const files = list(dir).filter((name) => name === MEMORY_FILE || isArchiveFile(name))
  return files.map((name) => readOwnText(path.join(dir, name)) ?? '')
}

/** Words that stay elsewhere do not give away what goes. */
function takeOutKept(store: Store, selection: Selection, about: Forgetting, { words, whole }: Telling): void {
  const keep = (text: string): void => {
    takeOutWords(words, text)
    takeOutRuns(words, text)
  }
  const keepByHand = (text: string): void => {
    for (const sentence of forgetSentences(text)) if (!about.isSaidByHand(sentence)) keep(sentence)
  }
  for (const { id8, entries } of eachSession(store)) {
    const numbers = selection.entries.get(id8)
    for (const [n, entry] of entries.entries()) {
      if (numbers?.has(n) === true) continue
      keep(spokenIn(entry))
      // Said elsewhere as well, a hand-kept sentence may come from there.
      if (selection.entries.size > 0 && whole.size > 0)
        for (const one of plainSentences(spokenIn(entry))) whole.delete(one)
    }
  }
  for (const rule of BUILT_IN_RULES) keep(rule)
  for (const { root, is } of placesOf(store)) {
    if (is !== 'memory') continue
    for (const text of keptKnowledge(root, about)) keep(text)
    for (const { note, raw } of memoriesIn(root).flatMap(parseMemory)) {
      if (note === null) keepByHand(raw)
      else if (about.ids.has(note.id.toLowerCase())) continue
      else if (note.session === null) keepByHand(note.text)
      else if (!isTouched(about, note.session, note.from, note.to)) keep(note.text)
    }
    for (const [, text] of handKept(root, about)) keepByHand(text)
  }
}

/** Facts, rules and instructions that nothing proves which goes. */
function keptKnowledge(root: string, about: Forgetting): string[] {
  const facts = parseFacts(readOwnText(path.join(root, FACTS_FILE)) ?? '')
  const isKept = (id: string, places: readonly { session: string; entry: number }[]): boolean =>
    !about.ids.has(id.toLowerCase()) && !places.some(({ session, entry }) => about.isGone(session, entry))
  const kept = facts === null ? [] : allFacts(facts).filter((fact) => isKept(fact.id, placesOfFact(fact)))
  const items = facts === null ? [] : allPermanent(facts.permanent).filter(({ id, evidence }) => isKept(id, evidence))
  const standing = parseStanding(readOwnText(path.join(root, STANDING_FILE))).standing.filter((one) =>
    isKept(one.id, placesSaid(one)),
  )
  return [...kept.flatMap(textsIn), ...items.map(({ text }) => text), ...standing.map(({ text }) => text)]
}

function placesOfFact({ session, evidence, also = [] }: Fact): { session: string; entry: number }[] {
  const others = also.map((place) => {
    const [in8 = '', n = ''] = place.split('#')
    return { session: in8, entry: Number(n) }
  })
  return [{ session, entry: evidence.entry }, ...others]
}
