/** What the engine is built from: a list of sources with documents in them. Whoever opens an index tells what they are and reads them. */

/** Where a document stands. The engine keeps these four numbers and gives them back with a hit: by them its text is found again. */
export interface Row {
  /** In a log: the byte where it begins. Otherwise two numbers of the reader's own. */
  at: number
  size: number
  /** Its number in its source. */
  n: number
  /** Of what it was read from: a document with another hash is another one. */
  hash: number
}

export interface Document extends Row {
  /** A number below 256; `KIND_NUMBER` names those that the ranking tells apart. */
  kind: number
  /** ISO, or empty if unknown. */
  time: string
  text: string
}

export interface DocumentSource {
  /** Its name in the index. */
  path: string
  /** For the reader: the engine opens no source. */
  file: string
  /** It grows at its end, and is read on from there. Any other source is read as a whole, and compared with what is known of it. */
  isLog: boolean
  size: number
  ino: number
  /** Changes whenever the source changes. */
  mark: string
}

/** How far a log was read. The engine stores it for the next reading, and uses `offset` only. */
export interface Progress {
  /** The byte behind what will not change any more. Documents behind it are read again whenever the log changes. */
  offset: number
  /** The number of the next document. */
  n: number
  /** By which the reader recognises the log: a fingerprint of what is before that byte. */
  anchor: string
  /** What else the reader must know there, as JSON; null: nothing. */
  memo: unknown
}

/** What is known of a source. */
export interface KnownSource extends Progress {
  path: string
  /** As of the last complete reading; empty: not complete. */
  mark: string
  ino: number
}

export const UNREAD: Omit<KnownSource, 'path'> = { mark: '', ino: 0, offset: 0, n: 0, anchor: '', memo: null }

/** Read at least in part. */
export function isRead({ mark, offset }: KnownSource): boolean {
  return mark !== '' || offset > 0
}

/** The next part of a log. */
export interface DocumentPiece {
  /** This is the beginning of the log: nothing was read of it yet, or what was read was another one. */
  isAnew: boolean
  documents: readonly Document[]
  to: Progress
  /** The log was read to its end. */
  isLast: boolean
}

/** The state of all sources at the last refresh, by which the next one sees at little cost what may have changed. */
export interface Seen {
  /** A mark of the directories with logs; empty: list them again. */
  dirs: string
  /** The sources in them that are no logs. */
  otherSources: readonly string[]
  /** A mark of everything that is no log; empty: compare all. */
  print: string
}

export const NEVER_SEEN: Seen = { dirs: '', otherSources: [], print: '' }

/** The sources that may have changed. */
export interface Look {
  seen: Seen
  sources: readonly DocumentSource[]
  /** Whether a known source is gone if it is not among them. */
  isGone(path: string): boolean
}

export interface Sources {
  /** Null: nothing changed. Each mark is taken before what it covers is read. */
  look(before: Seen): Look | null
  /** The documents of a source that is read as a whole, in order; null: it cannot be read. */
  readAll(source: DocumentSource): readonly Document[] | null
  /** The documents of a log behind what is known of it; null: it cannot be read. */
  readOn(log: DocumentSource, known: KnownSource): DocumentPiece | null
}

/** Whether new content of this source behind that byte may be indexed later. */
export type MayLag = (source: DocumentSource, from: number) => boolean
