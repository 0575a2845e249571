/** The documents in each file of a memory, as the index engine takes them. */
import type { Store } from '../../../kernel/memory/disk/store.ts'
import { KINDS, type Unit } from '../../../kernel/memory/document.ts'
import { readOwnText } from '../../../kernel/platform/disk/files.ts'
import { entryUnit, isRepeated, NOTHING_OURS, type Ours, withEntry } from '../../../kernel/sessions/documents.ts'
import { sessionOf, unitHash, unitsIn } from '../units.ts'
import {
  type Document,
  type DocumentPiece,
  type DocumentSource,
  type KnownSource,
  type Row,
  type Sources,
  UNREAD,
} from './index/documents.ts'
import { anchorIn, isPackedFile, readableEntry, readLines } from './session-lines.ts'
import { isPackedMark, isSessionFile, lookAround } from './sources.ts'

/** The limit of a file that is read as a whole; a larger one is skipped. */
const MOST_BYTES = 32 * 1024 * 1024

export function memorySources(store: Store): Sources {
  return {
    look: (before) => lookAround(store, before),
    readAll: (source) =>
      readUnits(source)?.map((unit) => documentOf(unit, { ...sessionNumber(unit.about), hash: unitHash(unit) })) ??
      null,
    readOn: readSession,
  }
}

/** The units of a file that is read as a whole; null: it cannot be read. */
export function readUnits({ path, file }: Pick<DocumentSource, 'path' | 'file'>): Unit[] | null {
  const text = readSourceText(file)
  return text === null ? null : unitsIn(path, text)
}

/** The text of a file that is read as a whole; null: it cannot be read. */
export function readSourceText(file: string): string | null {
  return readableEntry(() => readOwnText(file, MOST_BYTES))
}

function documentOf({ kind, at: time, text, n }: Unit, row: Omit<Row, 'n'>): Document {
  return { kind: KINDS.indexOf(kind), time, text, n, ...row }
}

const HALF = 2 ** 32

/** The session that a unit is about, as a number in two halves; 0: none. */
function sessionNumber(about: string): Pick<Row, 'at' | 'size'> {
  const id8 = /^[0-9a-z]{8}(?=#)/.exec(about)?.[0]
  const number = id8 === undefined ? 0 : Number.parseInt(id8, 36) + 1
  return { at: Math.floor(number / HALF), size: number % HALF }
}

/** The session that a document is about, or null. */
export function sessionAbout(source: string, { at, size }: Pick<Row, 'at' | 'size'>): string | null {
  if (isSessionFile(source)) return sessionOf(source)
  const number = at * HALF + size
  return number === 0 ? null : (number - 1).toString(36).padStart(8, '0')
}

/** A place in a session's file: its next byte, the number of its next entry, and what only repeats the memory there. */
interface Place {
  offset: number
  n: number
  ours: Ours
}

/** Settled lines never change; from the first open one on, lines are read again whenever the file changes. */
function readSession(log: DocumentSource, known: KnownSource): DocumentPiece | null {
  const isAnew = !isSameFile(log, known)
  const id8 = sessionOf(log.path) ?? ''
  const { offset, n, memo } = isAnew ? UNREAD : known
  const to: Place = { offset, n, ours: (memo ?? NOTHING_OURS) as Ours }
  const documents: Document[] = []
  let open: Place | null = null
  let isLast = false
  // Open entries are at the end of the file and have no stable number: they are read in one go.
  do {
    const piece = readLines(log.file, to.offset)
    if (piece === null && open === null) return null
    for (const { entry, ...row } of piece?.lines ?? []) {
      if (entry === null) continue
      if ('open' in entry && entry.open === true) open ??= { ...to, offset: row.at }
      to.ours = withEntry(to.ours, entry)
      const unit = entryUnit(entry, id8, to.n++)
      if (unit !== null && !isRepeated(to.ours, entry)) documents.push(documentOf(unit, row))
    }
    isLast = piece === null || piece.isLast || piece.end === to.offset
    to.offset = piece?.end ?? to.offset
  } while (open !== null && !isLast)
  const { ours, ...settled } = open ?? to
  // Most sessions never called our tools.
  const isPlain = !ours.isTurn && ours.agents.length === 0
  const anchor = anchorIn(log.file, settled.offset)
  return { isAnew, documents, isLast, to: { ...settled, anchor, memo: isPlain ? null : ours } }
}

/** The file is unchanged or has grown. A replaced, cut or rewritten file is read from its beginning. */
function isSameFile(
  { file, ino, size }: DocumentSource,
  { mark, ino: knownIno, offset, anchor }: KnownSource,
): boolean {
  const isPacked = isPackedFile(file)
  // It was compressed or unpacked since it was read: another file with the same lines.
  const isMoved = mark !== '' && isPackedMark(mark) !== isPacked
  if (!isMoved && knownIno !== ino) return false
  if (!isPacked && offset > size) return false
  return offset === 0 || anchorIn(file, offset) === anchor
}
