/** Changes by a person, each with an undo record: the files before and after. `undo` applies one only to files that are still the same. */
import path from 'node:path'
import { COMMAND_WAIT_MS, type Store } from '../../memory/disk/store.ts'
import { syncClaudeMd, whyNotSynced } from '../../pages/disk/claude-md.ts'
import { readRules } from '../../pages/disk/rules.ts'
import { pageName } from '../../pages/page.ts'
import { readOwnText } from '../../platform/disk/files.ts'
import { KeeperError } from '../../platform/error.ts'
import {
  CONCEPTS_FILE,
  FACTS_FILE,
  JOURNAL_DIR,
  MEMORY_FILE,
  PAGE_SUFFIX,
  RULES_FILE,
  STANDING_FILE,
  UNDO_FILE,
} from '../../platform/layout.ts'
import { count } from '../../text/figures.ts'
import { shown } from '../../text/shorten.ts'
import { formatUndoRecords, parseUndoRecords, planStep, type Texts, touchedFiles, type UndoRecord } from '../undo.ts'
import { dimLine, type Hand, type HandLine } from './hand-memory.ts'

const FILE = path.join(JOURNAL_DIR, UNDO_FILE)
/** Written by a change by hand, besides pages. */
const HAND_FILES: readonly string[] = [FACTS_FILE, CONCEPTS_FILE, STANDING_FILE, MEMORY_FILE, RULES_FILE]

/**
 * Performs a change under the lock; `work` calls `keep` when its files are written, which appends the undo record. Killed between the
 * two, the change stands and has no record: undo then refuses older changes of the same files.
 */
export function changeFiles<T>(
  store: Store,
  { by, now }: Hand,
  pages: readonly string[],
  work: (keep: (what: string) => void) => T,
): T {
  const files = [...new Set([...HAND_FILES, ...pages])]
  return locked(store, () => {
    const before = readTexts(store, files)
    return work((what) => {
      const touched = touchedFiles(before, readTexts(store, files))
      const record: UndoRecord = { version: 2, at: now, by, what, files: touched }
      // A new change ends what could be redone.
      if (touched.length > 0)
        write(store, [...readRecords(store).filter((one) => one.version === 1 || !one.isUndone), record])
    })
  })
}

export interface Undoable {
  at: string
  by: 'user' | 'agent'
  what: string
  /** Null: the record cannot be undone. */
  files: string[] | null
  /** `undone`: `undo --redo` makes it again. `earlier`: made by a version before 0.6. */
  state: 'done' | 'undone' | 'earlier'
}

/** Newest first. */
export function listUndo(store: Store): Undoable[] {
  return readRecords(store).map(undoableOf).toReversed()
}

export interface Undone {
  undone: Undoable
  lines: HandLine[]
  said: string[]
}

/** Takes back the last change that is not undone; with `redo` makes the change again that was undone last. */
export function undoLast(store: Store, hand: Hand, how: 'undo' | 'redo' = 'undo'): Undone {
  return withNext(store, how, hand, (record, keep) => {
    if (record.files.length === 0) throw refused(record, how, 'it was too large to be recorded')
    const paths = record.files.map((file) => file.path)
    const plan = paths.every(isHandFile)
      ? planStep(record, readTexts(store, paths), how === 'undo' ? 'before' : 'after')
      : { is: 'changed' as const, changed: paths }
    if (plan.is === 'changed') throw refused(record, how, `${plan.changed.join(', ')} changed since`)
    const lines = [...linesOf(record, hand, how), ...(hand.isDryRun ? [] : perform(store, plan.files))]
    const { isUndone: _, ...done } = record
    keep(how === 'undo' ? { ...done, isUndone: true } : done)
    return { undone: undoableOf(record), lines, said: lines.map(({ text }) => text) }
  })
}

/** The last change stays as it is, and undo continues with the one before. */
export function skipLast(store: Store, hand: Pick<Hand, 'isDryRun'>): Undoable {
  return withNext(store, 'undo', hand, (record, keep) => {
    keep()
    return undoableOf(record)
  })
}

/** `keep` writes the journal with another record instead of the next one, or without it. A dry run writes nothing. */
function withNext<T>(
  store: Store,
  how: 'undo' | 'redo',
  { isDryRun }: Pick<Hand, 'isDryRun'>,
  work: (record: UndoRecord, keep: (...instead: UndoRecord[]) => void) => T,
): T {
  const run = (): T => {
    const records = readRecords(store)
    const isNext = (one: Records[number]): boolean => one.version === 2 && (one.isUndone === true) === (how === 'redo')
    // Undone records stand behind the others: each new change removes them.
    const n = how === 'undo' ? records.findLastIndex(isNext) : records.findIndex(isNext)
    const record = records[n]
    if (record?.version !== 2) throw nothing(records, how)
    return work(record, (...instead) => {
      if (!isDryRun) write(store, records.toSpliced(n, 1, ...instead))
    })
  }
  // Taking the lock makes the directory.
  return isDryRun || textOf(store, FILE) === null ? run() : locked(store, run)
}

/** A record that names a file that no change by hand writes is not applied. */
function isHandFile(file: string): boolean {
  return HAND_FILES.includes(file) || (file.toLowerCase().endsWith(PAGE_SUFFIX) && pageName(file) !== null)
}

/** Concepts before the facts that name them. */
function perform(store: Store, files: Texts): HandLine[] {
  const meta = META.exec(textOf(store, FACTS_FILE) ?? '')?.[0] ?? NO_META
  for (const [file, text] of Object.entries(files).toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const whole = file === FACTS_FILE ? withMeta(text, meta) : text
    store.perform([whole === null ? { do: 'remove', path: file } : { do: 'write', path: file, text: whole }])
  }
  return RULES_FILE in files ? syncedLines(store) : []
}

/** The section in CLAUDE.md follows rules.md. */
export function syncedLines(store: Store, synced = syncClaudeMd(store, readRules(store))): HandLine[] {
  if (synced === 'written' || synced === 'removed') return [dimLine(`CLAUDE.md: rules ${synced}.`)]
  return synced === 'damaged' || synced === 'refused' ? [{ text: whyNotSynced(store), tone: 'warn' }] : []
}

function linesOf({ what, at, by, files }: UndoRecord, { isDryRun }: Hand, how: 'undo' | 'redo'): HandLine[] {
  const [did, would] = how === 'undo' ? ['Taken back', 'Would take back'] : ['Done again', 'Would do again']
  const names = files.map((file) => file.path).join(', ')
  return [
    { text: `${isDryRun ? would : did}: ${what}` },
    dimLine(
      `It was done ${minute(at)} UTC, by ${by === 'user' ? 'you' : 'Claude'}; as ${how === 'undo' ? 'before' : 'after'} it again: ${names}`,
    ),
  ]
}

function undoableOf(record: Records[number]): Undoable {
  const { at, by, what } = record
  if (record.version === 1) return { at, by, what, files: null, state: 'earlier' }
  const files = record.files.length === 0 ? null : record.files.map((file) => file.path)
  return { at, by, what, files, state: record.isUndone ? 'undone' : 'done' }
}

function refused({ what, at }: UndoRecord, how: 'undo' | 'redo', why: string): KeeperError {
  const isUndo = how === 'undo'
  const more = isUndo ? ', or leave it as it is and continue with the one before: memory-keeper undo --skip' : '.'
  return new KeeperError(
    'changed-since',
    `The change (${shown(what)}, ${minute(at)} UTC) cannot be ${isUndo ? 'taken back' : 'made again'}, and nothing was written: ${shown(why)}. Correct it by hand${more}`,
  )
}

function nothing(records: Records, how: 'undo' | 'redo'): KeeperError {
  const earlier = records.filter(({ version }) => version === 1).length
  const more = earlier === 0 ? '' : ` ${count(earlier, 'change')} made by an earlier version cannot be undone.`
  return new KeeperError(
    'nothing',
    how === 'redo' ? 'No change was undone last.' : `There is no change by hand to take back.${more}`,
  )
}

function locked<T>(store: Store, work: () => T): T {
  const done = store.whileLocked(COMMAND_WAIT_MS, work)
  if (done !== null) return done.value
  throw new KeeperError(
    'busy',
    `${store.dir} is in use by another process. Try again in a moment; memory-keeper doctor shows who holds it.`,
  )
}

function readTexts(store: Store, files: readonly string[]): Texts {
  return Object.fromEntries(
    files.map((file) => [file, file === FACTS_FILE ? withMeta(textOf(store, file), NO_META) : textOf(store, file)]),
  )
}

function textOf({ dir }: Store, file: string): string | null {
  return readOwnText(path.join(dir, file))
}

/** Counters of facts.json, which reflection updates after every session: they belong to no change, and no number is used twice. */
const META = /^ {2}"_meta": \{.*\}(?=,?$)/m
const NO_META = '  "_meta": {}'

function withMeta<T extends string | null>(text: T, meta: string): T {
  return (text === null ? null : text.replace(META, () => meta)) as T
}

type Records = ReturnType<typeof parseUndoRecords>

function readRecords(store: Store): Records {
  return parseUndoRecords(textOf(store, FILE) ?? '')
}

function write(store: Store, records: Records): void {
  store.perform([{ do: 'write', path: FILE, text: formatUndoRecords(records) }])
}

function minute(at: string): string {
  return at.slice(0, 16).replace('T', ' ')
}
