/** Updates the index from one source: keeps what is unchanged, marks what is gone as dead, and adds what is new. */
import { entryUnit, isRepeated, type Ours, withEntry } from '../../../../kernel/sessions/documents.ts'
import { sessionOf, sourceKindOf, unitHash } from '../../units.ts'
import {
  addUnit,
  type Base,
  columnsOf,
  docsIn,
  documentRow,
  groupOf,
  killDocument,
  setSource,
  sourceTable,
} from './base.ts'
import { isRead, type KnownSource, UNREAD } from './manifest.ts'
import { anchorIn, canRead, type IndexSource, isPackedMark, type Look, readLines, readUnits } from './sources.ts'

/** The sources that changed since they were read, and the numbers of deleted ones. */
export interface Changes {
  changed: IndexSource[]
  gone: number[]
  /** The approximate number of bytes to read. */
  bytes: number
}

/** Whether new content of this source behind that byte may be indexed later. */
export type MayLag = (source: IndexSource, from: number) => boolean

/** Leaves out the sources in `without`. */
export function findChanges(
  base: Base,
  { sources: seen, isAll }: Look,
  without: ReadonlySet<string>,
  mayLag: MayLag = () => false,
): Changes {
  const { sources, groups } = sourceTable(base)
  const changed: IndexSource[] = []
  const there = new Set<number>()
  let bytes = 0
  for (const source of seen) {
    const group = groups.get(source.path)
    if (group !== undefined) there.add(group)
    const known = group === undefined ? undefined : sources[group]
    if (known?.mark === source.mark || without.has(source.path) || mayLag(source, known?.offset ?? 0)) continue
    changed.push(source)
    bytes += source.isSession ? Math.max(0, source.size - (known?.offset ?? 0)) : source.size
  }
  const gone = [...sources.keys()].filter((group) => {
    const known = sources[group]
    const isMissing = known !== undefined && isRead(known) && !there.has(group)
    return isMissing && (isAll || sourceKindOf(known.path) !== 'session')
  })
  return { changed, gone, bytes }
}

/** Marks its documents as dead; the source may come back. */
export function forgetSource(base: Base, group: number): void {
  for (const doc of docsIn(base, group)) killDocument(base, doc)
  setSource(base, group, UNREAD)
}

export type Taken = 'all' | 'more' | 'unreadable'

/** Reads one piece of a session, or all of another file. An unreadable file keeps its known documents. */
export function takeIn(base: Base, source: IndexSource): Taken {
  if (!canRead(source)) return 'unreadable'
  const group = groupOf(base, source.path)
  const known = sourceTable(base).sources[group]
  if (known === undefined) return 'unreadable'
  return source.isSession ? takeLines(base, source, known, group) : takeUnits(base, source, known, group)
}

/** Compares unit by unit: a document stays as long as its words and its order are unchanged. */
function takeUnits(base: Base, source: IndexSource, known: KnownSource, group: number): Taken {
  const units = readUnits(source)
  if (units === null) return 'unreadable'
  const old = known.mark === '' ? [] : docsIn(base, group)
  const placesByHash = new Map<number, number[]>()
  old.forEach((doc, place) => {
    const { hash } = documentRow(base, doc)
    const places = placesByHash.get(hash)
    if (places === undefined) placesByHash.set(hash, [place])
    else places.push(place)
  })
  const kept = new Set<number>()
  let lastPlace = -1
  for (const unit of units) {
    const place = placesByHash.get(unitHash(unit))?.find((one) => one > lastPlace)
    const doc = place === undefined ? undefined : old[place]
    if (place === undefined || doc === undefined) addUnit(base, unit, group, null)
    else {
      kept.add(doc)
      lastPlace = place
    }
  }
  for (const doc of old) if (!kept.has(doc)) killDocument(base, doc)
  setSource(base, group, { ...UNREAD, mark: source.mark, ino: source.ino })
  return 'all'
}

/** Settled lines never change; from the first open one on, lines are read again whenever the file changes. */
function takeLines(base: Base, source: IndexSource, known: KnownSource, group: number): Taken {
  if (isRead(known) && !isSameFile(source, known)) forgetSource(base, group)
  // Open entries are possible only if the file was read to its end.
  else if (known.mark !== '') killFrom(base, group, known.offset)
  const id8 = sessionOf(source.path) ?? ''
  let { offset: at, n, ours } = known
  let isLast = false
  let open: { at: number; n: number; ours: Ours } | null = null
  // Open entries are at the end of the file and have no stable number: they are read in one go.
  do {
    const piece = readLines(source.file, at)
    for (const line of piece?.lines ?? []) {
      const { entry } = line
      if (entry === null) continue
      if (open === null && 'open' in entry && entry.open === true) open = { at: line.at, n, ours }
      ours = withEntry(ours, entry)
      const unit = entryUnit(entry, id8, n++)
      if (unit !== null && !isRepeated(ours, entry)) addUnit(base, unit, group, line)
    }
    isLast = piece === null || piece.isLast || piece.end === at
    at = piece?.end ?? at
  } while (open !== null && !isLast)
  const settled = open ?? { at, n, ours }
  setSource(base, group, {
    mark: isLast ? source.mark : '',
    ino: source.ino,
    offset: settled.at,
    n: settled.n,
    ours: settled.ours,
    anchor: anchorIn(source.file, settled.at),
  })
  return isLast ? 'all' : 'more'
}

/** The file is unchanged or has grown. A replaced, cut or rewritten file is read from its beginning. */
function isSameFile({ file, ino, size, isPacked }: IndexSource, known: KnownSource): boolean {
  // It was compressed or unpacked since it was read: another file with the same lines.
  const isMoved = known.mark !== '' && isPackedMark(known.mark) !== isPacked
  if (!isMoved && known.ino !== ino) return false
  if (!isPacked && known.offset > size) return false
  return known.offset === 0 || anchorIn(file, known.offset) === known.anchor
}

/** The last documents of a session are near the end of the index. */
function killFrom(base: Base, group: number, at: number): void {
  const { group: groups, dead } = columnsOf(base)
  for (let doc = groups.lastIndexOf(group); doc >= 0; doc = doc === 0 ? -1 : groups.lastIndexOf(group, doc - 1)) {
    if (dead[doc] === 1) continue
    if (documentRow(base, doc).at < at) return
    killDocument(base, doc)
  }
}
