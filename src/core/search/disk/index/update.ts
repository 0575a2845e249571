/** Updates the index from one source: keeps what is unchanged, marks what is gone as dead, and adds what is new. */
import {
  addDocument,
  type Base,
  columnsOf,
  docsIn,
  documentRow,
  groupOf,
  killDocument,
  knownSource,
  setSource,
  sourceTable,
} from './base.ts'
import {
  type Document,
  type DocumentSource,
  isRead,
  type Look,
  type MayLag,
  type Sources,
  UNREAD,
} from './documents.ts'

/** The sources that changed since they were read, and the numbers of deleted ones. */
export interface Changes {
  changed: DocumentSource[]
  gone: number[]
  /** The approximate number of bytes to read. */
  bytes: number
  /** Some of what changed may wait, and does. */
  isLagging: boolean
}

/** Leaves out the sources in `without`. */
export function findChanges(
  base: Base,
  { sources: seen, isGone }: Look,
  without: ReadonlySet<string>,
  mayLag?: MayLag,
): Changes {
  const { sources } = sourceTable(base)
  const changed: DocumentSource[] = []
  const there = new Set<string>()
  let bytes = 0
  let isLagging = false
  for (const source of seen) {
    there.add(source.path)
    const { mark, offset } = knownSource(base, source.path)
    if (mark === source.mark || without.has(source.path)) continue
    if (mayLag?.(source, offset)) {
      isLagging = true
      continue
    }
    changed.push(source)
    bytes += source.isLog ? Math.max(0, source.size - offset) : source.size
  }
  const gone = [...sources.keys()].filter((group) => {
    const known = sources[group]
    return known !== undefined && isRead(known) && !there.has(known.path) && isGone(known.path)
  })
  return { changed, gone, bytes, isLagging }
}

/** Marks its documents as dead; the source may come back. */
export function forgetSource(base: Base, group: number): void {
  for (const doc of docsIn(base, group)) killDocument(base, doc)
  setSource(base, group, UNREAD)
}

export type Taken = 'all' | 'more' | 'unreadable'

/** Reads one source: `more` if a log is read only in part, since it is long. Whatever cannot be read keeps its known documents. */
export function takeIn(base: Base, sources: Sources, source: DocumentSource): Taken {
  if (source.isLog) return takeOn(base, sources, source)
  const documents = sources.readAll(source)
  if (documents === null) return 'unreadable'
  takeAll(base, source, documents)
  return 'all'
}

/** Compares one by one: a document stays as long as its words and its order are unchanged. */
function takeAll(base: Base, source: DocumentSource, documents: readonly Document[]): void {
  const group = groupOf(base, source.path)
  const old = knownSource(base, source.path).mark === '' ? [] : docsIn(base, group)
  const placesByHash = new Map<number, number[]>()
  old.forEach((doc, place) => {
    const { hash } = documentRow(base, doc)
    const places = placesByHash.get(hash)
    if (places === undefined) placesByHash.set(hash, [place])
    else places.push(place)
  })
  const kept = new Set<number>()
  let lastPlace = -1
  for (const document of documents) {
    const place = placesByHash.get(document.hash)?.find((one) => one > lastPlace)
    const doc = place === undefined ? undefined : old[place]
    if (place === undefined || doc === undefined) addDocument(base, document, group)
    else {
      kept.add(doc)
      lastPlace = place
    }
  }
  for (const doc of old) if (!kept.has(doc)) killDocument(base, doc)
  setSource(base, group, { ...UNREAD, mark: source.mark, ino: source.ino })
}

/** What will not change stays; what is behind it is read again. */
function takeOn(base: Base, sources: Sources, log: DocumentSource): Taken {
  const known = knownSource(base, log.path)
  const piece = sources.readOn(log, known)
  if (piece === null) return 'unreadable'
  const { isAnew, isLast, documents, to } = piece
  const group = groupOf(base, log.path)
  if (isAnew && isRead(known)) forgetSource(base, group)
  // Only a log that was read to its end has documents that may change.
  else if (known.mark !== '') killFrom(base, group, known.offset)
  for (const document of documents) addDocument(base, document, group)
  setSource(base, group, { mark: isLast ? log.mark : '', ino: log.ino, ...to })
  return isLast ? 'all' : 'more'
}

/** The last documents of a log are near the end of the index. */
function killFrom(base: Base, group: number, at: number): void {
  const { group: groups, dead } = columnsOf(base)
  for (let doc = groups.lastIndexOf(group); doc >= 0; doc = doc === 0 ? -1 : groups.lastIndexOf(group, doc - 1)) {
    if (dead[doc] === 1) continue
    if (documentRow(base, doc).at < at) return
    killDocument(base, doc)
  }
}
