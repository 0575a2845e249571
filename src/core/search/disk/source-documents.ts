/** The documents in each file of a memory, as the index engine takes them. */
import type { Store } from '../../../kernel/memory/disk/store.ts'
import { readOwnText } from '../../../kernel/platform/disk/files.ts'
import { KINDS, type Unit } from '../corpus.ts'
import { entryUnit, isRepeated, NOTHING_OURS, type Ours, sessionOf, unitHash, unitsIn, withEntry } from '../units.ts'
import type { Document, KnownSource, Piece, Row, Source, Sources } from './index/documents.ts'
import { anchorIn, isPackedFile, readable, readLines } from './session-lines.ts'
import { isPackedMark, isSessionFile, lookAround } from './sources.ts'

/** The limit of a file that is read as a whole; a larger one is skipped. */
const MOST_BYTES = 32 * 1024 * 1024

export function memorySources(store: Store): Sources {
  return {
    look: (before) => lookAround(store, before),
    readAll: (source) => readUnits(source)?.map(documentOf) ?? null,
    readOn: readSession,
  }
}

/** The units of a file that is read as a whole; null: it cannot be read. */
export function readUnits({ path, file }: Pick<Source, 'path' | 'file'>): Unit[] | null {
  const text = readSourceText(file)
  return text === null ? null : unitsIn(path, text)
}

/** The text of a file that is read as a whole; null: it cannot be read. */
export function readSourceText(file: string): string | null {
  return readable(() => readOwnText(file, MOST_BYTES))
}

function documentOf({ kind, at, text, n, about, state }: Unit): Document {
  return {
    kind: KINDS.indexOf(kind),
    time: at,
    text,
    n,
    ...sessionNumber(about),
    hash: unitHash({ id: '', kind, at, text, n, about, state }),
  }
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
  at: number
  n: number
  ours: Ours
}

const BEGIN: Place = { at: 0, n: 0, ours: NOTHING_OURS }

/** Settled lines never change; from the first open one on, lines are read again whenever the file changes. */
function readSession(log: Source, known: KnownSource): Piece | null {
  const isAnew = !isSameFile(log, known)
  const id8 = sessionOf(log.path) ?? ''
  let part = readEntries(log.file, id8, isAnew ? BEGIN : placeIn(known))
  if (part === null) return null
  let { documents } = part
  const { open } = part
  // Open entries are at the end of the file and have no stable number: they are read in one go.
  while (open !== null && !part.isLast) {
    part = readEntries(log.file, id8, part.to) ?? { ...part, documents: [], isLast: true }
    documents = documents.concat(part.documents)
  }
  const { at, n, ours } = open ?? part.to
  const isPlain = !ours.isTurn && ours.agents.length === 0
  // Most sessions never called our tools.
  const memo = isPlain ? null : ours
  return { isAnew, documents, isLast: part.isLast, offset: at, n, anchor: anchorIn(log.file, at), memo }
}

/** As `readSession` left it. */
function placeIn({ offset, n, memo }: KnownSource): Place {
  return { at: offset, n, ours: (memo ?? NOTHING_OURS) as Ours }
}

interface Part {
  documents: Document[]
  to: Place
  /** Where the first open entry begins. */
  open: Place | null
  isLast: boolean
}

function readEntries(file: string, id8: string, from: Place): Part | null {
  const piece = readLines(file, from.at)
  if (piece === null) return null
  const documents: Document[] = []
  const to = { ...from, at: piece.end }
  let open: Place | null = null
  for (const { at, size, hash, entry } of piece.lines) {
    if (entry === null) continue
    if (open === null && 'open' in entry && entry.open === true) open = { ...to, at }
    to.ours = withEntry(to.ours, entry)
    const unit = entryUnit(entry, id8, to.n++)
    if (unit === null || isRepeated(to.ours, entry)) continue
    documents.push({ kind: KINDS.indexOf(unit.kind), time: unit.at, text: unit.text, n: unit.n, at, size, hash })
  }
  return { documents, to, open, isLast: piece.isLast || piece.end === from.at }
}

/** The file is unchanged or has grown. A replaced, cut or rewritten file is read from its beginning. */
function isSameFile({ file, ino, size }: Source, { mark, ino: knownIno, offset, anchor }: KnownSource): boolean {
  const isPacked = isPackedFile(file)
  // It was compressed or unpacked since it was read: another file with the same lines.
  const isMoved = mark !== '' && isPackedMark(mark) !== isPacked
  if (!isMoved && knownIno !== ino) return false
  if (!isPacked && offset > size) return false
  return offset === 0 || anchorIn(file, offset) === anchor
}
