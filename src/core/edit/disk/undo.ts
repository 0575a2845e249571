/** Changes by a person, each with an undo record: the files before and after. `undo` applies a record to what it changed, whatever else was written since. */

import path from 'node:path'
import { COMMAND_WAIT_MS, type Store, underLock } from '../../../kernel/memory/disk/store.ts'
import { readOwnText } from '../../../kernel/platform/disk/files.ts'
import { KeeperError } from '../../../kernel/platform/error.ts'
import {
  CONCEPTS_FILE,
  CONFIG_FILE,
  FACTS_FILE,
  JOURNAL_DIR,
  MEMORY_FILE,
  PAGE_SUFFIX,
  RULES_FILE,
  UNDO_FILE,
} from '../../../kernel/platform/layout.ts'
import { zonedMinute } from '../../../kernel/platform/time.ts'
import { count } from '../../../kernel/text/figures.ts'
import { shown } from '../../../kernel/text/shorten.ts'
import { formatConcepts, NO_CONCEPTS, parseConcepts } from '../../knowledge/concept.ts'
import { refreshConcepts } from '../../knowledge/concept-refresh.ts'
import { formatItems, parseItems } from '../../knowledge/facts-file.ts'
import { NO_ITEMS } from '../../knowledge/items.ts'
import { dropRenders } from '../../notes/disk/tiers.ts'
import { syncClaudeMd, whyNotSynced } from '../../pages/disk/claude-md.ts'
import { readRules } from '../../pages/disk/rules.ts'
import { pageName } from '../../pages/page.ts'
import {
  formatUndoRecords,
  idsOf,
  parseUndoRecords,
  planUndo,
  type Texts,
  touchedFiles,
  type UndoRecord,
} from '../undo.ts'
import type { Hand } from './hand-memory.ts'

const FILE = path.join(JOURNAL_DIR, UNDO_FILE)
/** The files that a change by hand may write, besides pages. */
const HAND_FILES: readonly string[] = [FACTS_FILE, CONCEPTS_FILE, MEMORY_FILE, RULES_FILE, CONFIG_FILE]

/**
 * Performs a change under the lock; `work` calls `keep` after its files are written, which appends the undo record. After a kill in
 * between, the change has no record: undo then refuses older changes of the same files.
 */
export function changeFiles<T>(
  store: Store,
  { by, now }: Hand,
  pages: readonly string[],
  work: (keep: (what: string) => void) => T,
): T {
  const files = [...new Set([...HAND_FILES, ...pages])]
  return underLock(store, COMMAND_WAIT_MS, () => {
    const before = readTexts(store, files)
    return work((what) => {
      const touched = touchedFiles(before, readTexts(store, files))
      const record: UndoRecord = { version: 2, at: now, by, what, files: touched }
      if (touched.length > 0) write(store, [...readRecords(store), record])
    })
  })
}

export interface Undoable {
  at: string
  by: 'user' | 'agent'
  what: string
  /** Null: the record cannot be undone. */
  files: string[] | null
  /** Written by a version before 0.6. */
  isEarlier: boolean
}

/** Newest first. */
export function listUndo(store: Store): Undoable[] {
  return readRecords(store).map(undoableOf).toReversed()
}

export interface Undone {
  undone: Undoable
  said: string[]
}

/**
 * Undoes the last change, or the last one of the thing with this id. With `skip` the change stays, and undo continues with the one
 * before. A dry run writes nothing.
 */
export function undoLast(
  store: Store,
  { isDryRun }: Pick<Hand, 'isDryRun'>,
  { id, isSkipped }: { id?: string | undefined; isSkipped?: boolean } = {},
): Undone {
  const run = (): Undone => {
    const records = readRecords(store)
    const record = recordFor(records, id)
    if (record?.version !== 2) throw id === undefined ? nothing(records.length) : nothingOf(id)
    const said = isSkipped === true ? [`Kept: ${record.what}`] : takeBack(store, record, isDryRun === true)
    if (!isDryRun)
      write(
        store,
        records.filter((one) => one !== record),
      )
    return { undone: undoableOf(record), said }
  }
  // Taking the lock creates the directory.
  return isDryRun || textOf(store, FILE) === null ? run() : underLock(store, COMMAND_WAIT_MS, run)
}

/** Without an id the newest. */
function recordFor(records: Records, id: string | undefined): Records[number] | undefined {
  return id === undefined ? records.at(-1) : records.findLast((one) => isAbout(one, id))
}

/** Whether the change that `undo` would take back is the user's own. */
export function isUsersToUndo(store: Store, id?: string): boolean {
  return (
    recordFor(
      readRecords(store).filter(({ version }) => version === 2),
      id,
    )?.by === 'user'
  )
}

function isAbout(record: Records[number], id: string): boolean {
  const wanted = id.trim().toLowerCase()
  return record.version === 2 && idsOf(record).has(wanted.startsWith(RULES_FILE) ? RULES_FILE : wanted)
}

function nothingOf(id: string): KeeperError {
  return new KeeperError(
    'nothing',
    `No change by hand of ${shown(id)} is kept. memory-keeper undo --list shows all that are.`,
  )
}

function takeBack(store: Store, record: UndoRecord, isDryRun: boolean): string[] {
  const { what, at, by, files } = record
  if (files.length === 0) throw refused(store, record, 'it was too large to be recorded')
  const paths = files.map((file) => file.path)
  const plan = paths.every(isHandFile) ? planUndo(record, readTexts(store, paths), FORMATS) : { changed: paths }
  if ('changed' in plan)
    throw refused(store, record, `what it wrote in ${plan.changed.join(', ')} was changed again since`)
  const done = `It was done ${zonedMinute(at, store.config.timezone)}, by ${by === 'user' ? 'you' : 'Claude'}; restored: ${paths.join(', ')}`
  return [
    `Undone: ${what}`,
    done,
    ...(isDryRun ? [] : perform(store, plan.isMerged ? withConcepts(store, plan.files) : plan.files)),
  ]
}

const FORMATS = {
  [FACTS_FILE]: (json: string) => withMeta(formatItems(parseItems(json) ?? NO_ITEMS), NO_META),
  [CONCEPTS_FILE]: (json: string) => formatConcepts(parseConcepts(json) ?? NO_CONCEPTS),
}

/** A record that names a file which no change by hand writes is refused. */
function isHandFile(file: string): boolean {
  return HAND_FILES.includes(file) || (file.toLowerCase().endsWith(PAGE_SUFFIX) && pageName(file) !== null)
}

/** Concepts before the facts that name them. */
function perform(store: Store, files: Texts): string[] {
  // The finisher makes it again.
  if (MEMORY_FILE in files) dropRenders(store, files[MEMORY_FILE] ?? '')
  const meta = META.exec(textOf(store, FACTS_FILE) ?? '')?.[0] ?? NO_META
  for (const [file, text] of Object.entries(files).toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const whole = file === FACTS_FILE ? withMeta(text, meta) : text
    store.perform([whole === null ? { do: 'remove', path: file } : { do: 'write', path: file, text: whole }])
  }
  return RULES_FILE in files ? syncedLines(store) : []
}

/** What concepts say follows from their facts, which may have changed since. */
function withConcepts(store: Store, files: Texts): Texts {
  const textNow = (file: string): string => files[file] ?? textOf(store, file) ?? ''
  const [facts, concepts] = [parseItems(textNow(FACTS_FILE)), parseConcepts(textNow(CONCEPTS_FILE))]
  const isTouched = FACTS_FILE in files || CONCEPTS_FILE in files
  if (!isTouched || facts === null || concepts === null || files[CONCEPTS_FILE] === null) return files
  const fresh = refreshConcepts(concepts, facts)
  return fresh === concepts ? files : { ...files, [CONCEPTS_FILE]: formatConcepts(fresh) }
}

/** Updates the section in CLAUDE.md from rules.md. */
export function syncedLines(store: Store, synced = syncClaudeMd(store, readRules(store))): string[] {
  if (synced === 'written' || synced === 'removed') return [`CLAUDE.md: rules ${synced}.`]
  return synced === 'damaged' || synced === 'refused' ? [whyNotSynced(store)] : []
}

function undoableOf(record: Records[number]): Undoable {
  const { at, by, what } = record
  if (record.version === 1) return { at, by, what, files: null, isEarlier: true }
  const files = record.files.length === 0 ? null : record.files.map((file) => file.path)
  return { at, by, what, files, isEarlier: false }
}

function refused(store: Store, { what, at }: UndoRecord, why: string): KeeperError {
  return new KeeperError(
    'changed-since',
    `The change (${shown(what)}, ${zonedMinute(at, store.config.timezone)}) cannot be taken back, and nothing was written: ${shown(why)}. Correct it by hand, or leave it as it is and continue with the one before: memory-keeper undo --skip`,
  )
}

function nothing(earlier: number): KeeperError {
  const more = earlier === 0 ? '' : ` ${count(earlier, 'change')} made by an earlier version cannot be undone.`
  return new KeeperError('nothing', `There is no change by hand to undo.${more}`)
}

function readTexts(store: Store, files: readonly string[]): Texts {
  return Object.fromEntries(
    files.map((file) => [file, file === FACTS_FILE ? withMeta(textOf(store, file), NO_META) : textOf(store, file)]),
  )
}

function textOf({ dir }: Store, file: string): string | null {
  return readOwnText(path.join(dir, file))
}

/** The counters of facts.json, which reflection updates after every session: they belong to no change, and no number is used twice. */
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
