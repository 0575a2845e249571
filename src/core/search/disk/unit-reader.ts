/** Reads what a document of the index is from its file again: a text is read only when a hit needs it. */
import path from 'node:path'
import type { Store } from '../../../kernel/memory/disk/store.ts'
import type { Unit } from '../../../kernel/memory/document.ts'
import { statOf } from '../../../kernel/platform/disk/files.ts'
import { OTHERS_PREFIX } from '../../../kernel/platform/layout.ts'
import { entryUnit } from '../../../kernel/sessions/documents.ts'
import type { Entry, Tombstone } from '../../../kernel/transcript/session.ts'
import { senderOf } from '../../others/disk/others.ts'
import { sessionOf, unitHash, unitsIn } from '../units.ts'
import type { Row } from './index/documents.ts'
import type { DocumentIndex } from './index/index.ts'
import { entriesBehind, readLine, SESSION_BYTES, TURN_BYTES } from './session-lines.ts'
import { readSourceText } from './source-documents.ts'
import { fileOf, isSessionFile } from './sources.ts'

export interface UnitReader {
  /** Null: its source changed or was deleted since; after the next refresh it is found again. */
  unitOf(doc: number): Unit | null
  /** The entry of a session that the document is; null: it is none, or its source changed since. */
  entryOf(doc: number): Entry | null
  /** What stands near behind such an entry, also what is not indexed. */
  behind(doc: number): readonly (Entry | Tombstone)[]
  /** As `behind`, to the end of its session. */
  rest(doc: number): readonly (Entry | Tombstone)[]
}

/** `again`: files may have changed, and are read again. */
export function createUnitReader(store: Store, index: DocumentIndex): UnitReader & { again(): void } {
  const units: UnitsOf = new Map()
  const lines: LinesOf = new Map()
  const find = (doc: number): FoundEntry | null => findEntry(store, index, doc)
  const behind = (doc: number, most: number): readonly (Entry | Tombstone)[] => {
    const found = find(doc)
    return found === null ? [] : entriesBehind(found.file, found.row, most)
  }
  return {
    unitOf: (doc) => {
      const source = index.sourceOf(doc)
      if (!isSessionFile(source)) return readUnit(units, lines, source, fileOf(store, source), index.rowOf(doc))
      const found = find(doc)
      if (found === null) index.distrust()
      return found === null ? null : unitFrom(store, source, found)
    },
    entryOf: (doc) => {
      const entry = find(doc)?.entry ?? null
      return entry?.role === 'tombstone' ? null : entry
    },
    behind: (doc) => behind(doc, TURN_BYTES),
    rest: (doc) => behind(doc, SESSION_BYTES),
    again: () => {
      for (const known of units.values()) known.isRead = false
      lines.clear()
    },
  }
}

/** An entry, and the file of its session that contains it. */
interface FoundEntry {
  entry: Entry | Tombstone
  file: string
  row: Row
}

/** Null: it is no entry of a session, or its session changed. Usually it is neither compressed nor of another machine. */
function findEntry(store: Store, index: DocumentIndex, doc: number): FoundEntry | null {
  const source = index.sourceOf(doc)
  if (!isSessionFile(source)) return null
  const row = index.rowOf(doc)
  const find = (file: string): FoundEntry | null => {
    const entry = readLine(file, row)
    return entry === null ? null : { entry, file, row }
  }
  return find(path.join(store.dir, source)) ?? find(fileOf(store, source))
}

/** An entry of a session that another machine of the user's sent names the machine. */
function unitFrom({ places }: Store, source: string, { entry, file, row }: FoundEntry): Unit | null {
  const unit = entryUnit(entry, sessionOf(source) ?? '', row.n)
  const who = file.startsWith(places.others) ? senderOf(places, path.basename(source)) : ''
  return unit === null || who === ''
    ? unit
    : { ...unit, state: unit.state === '' ? `of ${who}` : `${unit.state}, of ${who}` }
}

/** In a file that is read as a whole. */
function readUnit(units: UnitsOf, lines: LinesOf, source: string, file: string, row: Row): Unit | null {
  const ofOthers = source.startsWith(OTHERS_PREFIX) ? readRow(lines, source, file, row) : null
  return ofOthers ?? unitsOf(units, source, file).get(row.hash) ?? null
}

/** For files that are read as a whole: the units by hash. */
type UnitsOf = Map<string, { text: string; byHash: ReadonlyMap<number, Unit>; isRead: boolean }>

/** Most searches find something in the same few files: facts, memory.md, an archive. */
const KEPT_FILES = 4

/** Lines of files of others, read once between two refreshes. */
type LinesOf = Map<string, readonly string[]>

/** Lines that were corrected or deleted later in the file stand before it, too. */
const LINES_BEFORE = 32

/** Rows of others may be many, in many files: only the lines where it may stand are parsed. Null: it stands elsewhere. */
function readRow(lines: LinesOf, source: string, file: string, { n, hash }: Row): Unit | null {
  const known = lines.get(source) ?? (readSourceText(file) ?? '').split('\n')
  lines.set(source, known)
  for (let at = n; at <= n + LINES_BEFORE && at < known.length; at++) {
    const [unit, ...more] = unitsIn(source, known[at] ?? '')
    if (unit !== undefined && more.length === 0 && unitHash(unit) === hash) return { ...unit, n }
  }
  return null
}

/** Read once between two refreshes. The same text has the same units: thousands of facts are not parsed for every search. */
function unitsOf(units: UnitsOf, source: string, file: string): ReadonlyMap<number, Unit> {
  const known = units.get(source)
  if (known?.isRead) return known.byHash
  const text = (statOf(file)?.kind === 'file' ? readSourceText(file) : null) ?? ''
  const byHash = known?.text === text ? known.byHash : hashed(unitsIn(source, text))
  units.delete(source)
  units.set(source, { text, byHash, isRead: true })
  for (const [old, { isRead }] of units) if (units.size > KEPT_FILES && !isRead) units.delete(old)
  return byHash
}

/** Of two equal units the first is used. */
function hashed(all: readonly Unit[]): ReadonlyMap<number, Unit> {
  return new Map(all.toReversed().map((unit) => [unitHash(unit), unit]))
}
