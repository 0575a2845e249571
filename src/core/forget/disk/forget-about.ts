/** Determines what a selection means for every file, from the files before anything is deleted. */
import path from 'node:path'
import type { Store } from '../../../kernel/memory/disk/store.ts'
import type { Forgetting, TextTest, TextTests } from '../../../kernel/memory/forgetting.ts'
import { list, readOwnText } from '../../../kernel/platform/disk/files.ts'
import { id8OfFile } from '../../../kernel/platform/layout.ts'
import { readSession } from '../../../kernel/sessions/disk/lineage.ts'
import { allSessionFiles } from '../../../kernel/sessions/disk/session-archive.ts'
import { findSessionFile } from '../../../kernel/sessions/disk/sessions.ts'
import { markOfOpen, placeKeys } from '../../../kernel/sessions/forget-record.ts'
import {
  addRows,
  addSentences,
  hasRow,
  isTelling,
  noRows,
  type Rows,
  repeatedWords,
  rowsNotIn,
} from '../../../kernel/text/repeated.ts'
import {
  type Entry,
  entryId,
  entryKey,
  type Numbered,
  spokenIn,
  whyNotUsers,
} from '../../../kernel/transcript/session.ts'
import { BRIEFING_ABOUT } from '../../briefing/briefing.ts'
import { MORE_LINES } from '../../briefing/briefing-parts.ts'
import { kindInPlace, leftOfFile } from '../../files.ts'
import { MEMORY_HEAD } from '../../notes/disk/memory.ts'
import { remadeNote } from '../../notes/note-check.ts'
import { BUILT_IN_RULES, formatRules } from '../../pages/rule.ts'
import { add, eachSession, type Selection } from './forget-select.ts'

/** A word in more of the remaining sessions is not rare. */
const RARE_SESSIONS = 2

export interface ForgetSurroundings {
  about: Forgetting
  /** The keys of the deleted entries. */
  keys: string[]
  /** The keys of the same entries without their words. */
  places: string[]
  /** Marks of the deleted entries that are still open, by session (id8). */
  open: ReadonlyMap<string, ReadonlySet<string>>
  /** Marks of all deleted entries: items in the state are recognised by them. */
  marks: ReadonlyMap<string, ReadonlySet<string>>
  /** Ids of prompts that the user typed in other sessions in the same words: they stay. */
  elsewhere: string[]
}

interface GoneEntry {
  id8: string
  n: number
  entry: Entry
  place: string | null
}

/** Adds the entries that repeat the selection, except what the user typed in other sessions: those said it themselves. */
export function surroundingsOf(store: Store, selection: Selection): ForgetSurroundings {
  const { query, entries, isExact } = selection
  const said = rareRows(store, selection)
  const typed = typedElsewhere(store, selection, said)
  const from = testsBySession(selection, said, typed)
  if (entries.size > 0 && said.rows.size > 0)
    for (const { id8, n, entry } of staying(store, entries))
      if (from(id8).isRepeatedBy(spokenIn(entry))) add(entries, id8, n)
  const { gone, left } = entriesOfSelection(store, selection)
  const emptied = [...left].flatMap(([id8, rest]) =>
    rest.every(({ entry }) => entry.role === 'tombstone') ? [id8] : [],
  )
  const copies = noRows()
  if (query === null && !isExact) for (const { entry } of gone) if ('text' in entry) addSentences(copies, entry.text)
  const here = new Set(allSessionFiles(store.dir).map((file) => id8OfFile(file)))
  const aboutWith = (words: ReadonlySet<string>): Forgetting => {
    const isRare: TextTest = (text) => words.size > 0 && repeatedWords(text).some((word) => words.has(word))
    const traced = (tests: TextTests): TextTests => ({
      ...tests,
      traces: (text) => tests.repeats(text) || isRare(text),
    })
    const everywhere = traced(from(null))
    const bySession = new Map([...typed.keys()].map((id8) => [id8, traced(from(id8))]))
    return {
      ...everywhere,
      sessions: new Set([...entries.keys(), ...selection.whole]),
      whole: new Set([...selection.whole, ...emptied]),
      ids: selection.ids,
      isGone: (id8, n) => n >= 0 && (selection.whole.has(id8) || entries.get(id8)?.has(n) === true),
      from: (id8) => bySession.get(id8 ?? '') ?? everywhere,
      tracesOrCopies: (text) => everywhere.traces(text) || hasRow(copies, text),
      isHere: (id8) => here.has(id8),
      entryAt: (id8, n) => entryAt(store, id8, n),
      remade: (note) => remadeNote(note, left.get(note.session ?? '') ?? []),
    }
  }
  const about = aboutWith(wordsLeftNowhere(store, selection, gone, aboutWith(new Set())))
  return { about, ...marksOf(gone), elsewhere: [...typed.values()].flatMap((prompts) => [...prompts.keys()]) }
}

/** Without rare words, which are known only when all entries are chosen. */
function testsBySession(
  { query, entries, sentences, isExact }: Selection,
  said: Rows,
  typed: ReadonlyMap<string, ReadonlyMap<string, string>>,
): (id8: string | null) => TextTests {
  const things = noRows()
  for (const sentence of sentences) addRows(things, sentence)
  const isAsked: TextTest = (text) => query?.(text) === true
  const reachesSessions = !isExact && (query !== null || entries.size > 0)
  const testsOf = (rows: Rows): TextTests => {
    const repeats: TextTest = (text) => isAsked(text) || hasRow(rows, text) || hasRow(things, text)
    const isRepeatedBy: TextTest = (text) => reachesSessions && (isAsked(text) || hasRow(rows, text))
    return { repeats, isRepeatedBy, traces: repeats }
  }
  const all = testsOf(said)
  const own = new Map([...typed].map(([id8, prompts]) => [id8, testsOf(rowsNotIn(said, [...prompts.values()]))]))
  return (id8) => own.get(id8 ?? '') ?? all
}

/** The prompts that the user typed in the same words in other sessions, by session and id. A copy of a session has the same entries. */
function typedElsewhere(
  store: Store,
  { entries, query, isExact }: Selection,
  said: Rows,
): Map<string, Map<string, string>> {
  const typed = new Map<string, Map<string, string>>()
  if (entries.size === 0 || query !== null || isExact) return typed
  const copies = new Set(entriesOfSelection(store, { entries }).gone.map(({ entry }) => entryKey(entry)))
  for (const { id8, n, entry } of staying(store, entries)) {
    const isTyped = entry.role === 'user' && whyNotUsers(entry) === '' && !entries.has(id8)
    if (isTyped && hasRow(said, entry.text) && !copies.has(entryKey(entry)))
      typed.set(id8, (typed.get(id8) ?? new Map()).set(entryId(id8, n), entry.text))
  }
  return typed
}

/** Sentences of the selection with words that hardly any other session has. Tool uses are excluded: others run the same commands. */
function rareRows(store: Store, { entries, query, texts }: Selection): Rows {
  const rows = noRows()
  const all = [...texts]
  if (query === null)
    for (const { entry } of entriesOfSelection(store, { entries }).gone) if ('text' in entry) all.push(entry.text)
  if (all.length === 0) return rows
  const sessions = new Map(all.flatMap(repeatedWords).map((word) => [word, new Set<string>()]))
  for (const { id8, entry } of staying(store, entries))
    for (const word of repeatedWords(spokenIn(entry))) sessions.get(word)?.add(id8)
  const isRare = (word: string): boolean => isTelling(word) && (sessions.get(word)?.size ?? 0) <= RARE_SESSIONS
  for (const text of all) addRows(rows, text, isRare)
  return rows
}

function* staying(store: Store, gone: Selection['entries']): Generator<{ id8: string; n: number; entry: Entry }> {
  for (const { id8, entries } of eachSession(store))
    for (const [n, entry] of entries.entries())
      if (entry.role !== 'tombstone' && gone.get(id8)?.has(n) !== true) yield { id8, n, entry }
}

function entriesOfSelection(
  store: Store,
  { entries: chosen }: Pick<Selection, 'entries'>,
): { gone: GoneEntry[]; left: Map<string, Numbered[]> } {
  const gone: GoneEntry[] = []
  const left = new Map<string, Numbered[]>()
  for (const { id8, entries } of eachSession(store, (one) => chosen.has(one))) {
    const numbers = chosen.get(id8) ?? new Set()
    // The memory's own copy comes first; another copy may still contain what is deleted here.
    if (!left.has(id8))
      left.set(
        id8,
        entries.flatMap((entry, n) => (numbers.has(n) ? [] : [{ n, entry }])),
      )
    const keys = placeKeys(entries, id8)
    for (const n of numbers) {
      const entry = entries[n]
      if (entry !== undefined && entry.role !== 'tombstone') gone.push({ id8, n, entry, place: keys[n] ?? null })
    }
  }
  return { gone, left }
}

function marksOf(gone: readonly GoneEntry[]): Omit<ForgetSurroundings, 'about' | 'elsewhere'> {
  const open = new Map<string, Set<string>>()
  const marks = new Map<string, Set<string>>()
  for (const { id8, entry } of gone) {
    const mark = markOfOpen(entry)
    marks.set(id8, (marks.get(id8) ?? new Set()).add(mark))
    if (entry.open === true) open.set(id8, (open.get(id8) ?? new Set()).add(mark))
  }
  // An open entry gets another time later.
  const places = gone.flatMap(({ entry, place }) => (entry.open === true || place === null ? [] : [place]))
  const keys = gone.map(({ entry }) => entryKey(entry))
  return { keys: [...new Set(keys)], places: [...new Set(places)], open, marks }
}

/** Words of the deleted texts that no remaining entry and no file of the memory itself contains in which things are said first, nor a text of ours. */
function wordsLeftNowhere(
  store: Store,
  selection: Selection,
  gone: readonly GoneEntry[],
  about: Forgetting,
): Set<string> {
  const texts = [...gone.map(({ entry }) => spokenIn(entry)), ...selection.texts]
  const words = new Set(texts.flatMap(repeatedWords))
  if (words.size === 0) return words
  const takeOut = (text: string): void => {
    for (const word of repeatedWords(text)) words.delete(word)
  }
  for (const { entry } of staying(store, selection.entries)) takeOut(spokenIn(entry))
  const textOf = (file: string): string | null => readOwnText(path.join(store.dir, file))
  for (const file of list(store.dir).filter((name) => kindInPlace(name)?.isSource === true)) {
    const around = { textOf, timezone: store.config.timezone }
    takeOut(leftOfFile(file, textOf(file) ?? '', around, about).text ?? '')
  }
  for (const text of [formatRules(BUILT_IN_RULES), MEMORY_HEAD, BRIEFING_ABOUT, ...MORE_LINES]) takeOut(text)
  return words
}

function entryAt(store: Store, id8: string, n: number): Entry | null {
  const file = findSessionFile(store, id8)
  const entry = file === null ? undefined : readSession(store, file)[n]
  return entry === undefined || entry.role === 'tombstone' ? null : entry
}
