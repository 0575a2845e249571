/** The manifest of the index: how much of its files counts, and how far each source is read. It is the commit record. */

import { NOTHING_OURS, type Ours } from '../../units.ts'

/** Raised when the files look different. */
const VERSION = 2
/** Of the tokens of a sample, which a test compares: an index of other tokens, flags or units than today's finds nothing. */
const MADE_OF = '0de368b70991bc'

/** How far a file is read. */
export interface KnownSource {
  /** Below the memory directory, with slashes; behind `host:` for the host's own. */
  path: string
  /** Size, time and inode when all of it had been read; empty: not all of it is. */
  mark: string
  ino: number
  /** A session: bytes of settled lines that are read, how many entries they are, and the fingerprint before that byte. */
  offset: number
  n: number
  anchor: string
  /** At that byte. */
  ours: Ours
}

export const UNREAD: Omit<KnownSource, 'path'> = { mark: '', ino: 0, offset: 0, n: 0, anchor: '', ours: NOTHING_OURS }

export interface Manifest {
  /** Names the files; another one after every rebuilding. */
  generation: number
  documents: number
  tokens: number
  dead: number
  /** Bytes of the vocabulary. */
  words: number
  /** Of all rows, and of all tokens. */
  check: number
  tokensCheck: number
  sessions: readonly string[]
  sources: readonly KnownSource[]
}

export function formatManifest(manifest: Manifest): string {
  const { sources, ...rest } = manifest
  const rows = sources.map(rowOf)
  const line = JSON.stringify({ version: VERSION, ...rest, madeOf: MADE_OF, sources: rows })
  return `${line}\n${checkOf(line)}\n`
}

export type ReadManifest = { is: 'sound'; manifest: Manifest } | { is: 'older' | 'newer' | 'damaged' }

export function parseManifest(text: string): ReadManifest {
  const version = Number(/^\{"version":(\d{1,9}),/.exec(text)?.[1] ?? 0)
  if (version > VERSION) return { is: 'newer' }
  const [line = '', check] = text.split('\n')
  // It answers for every field.
  if (check !== `${checkOf(line)}`) return { is: 'damaged' }
  const raw = JSON.parse(line) as Omit<Manifest, 'sources'> & { madeOf: string; sources: SourceRow[] }
  if (version < VERSION || raw.madeOf !== MADE_OF) return { is: 'older' }
  const sources = raw.sources.map(sourceOf)
  return { is: 'sound', manifest: { ...raw, sources } }
}

type SourceRow = [path: string, mark: string, ino: number, offset: number, n: number, anchor: string, ours?: Ours]

/** Most sessions never called us. */
function rowOf({ path, mark, ino, offset, n, anchor, ours }: KnownSource): SourceRow {
  const isPlain = !ours.isTurn && ours.agents.length === 0
  return isPlain ? [path, mark, ino, offset, n, anchor] : [path, mark, ino, offset, n, anchor, ours]
}

function sourceOf([path, mark, ino, offset, n, anchor, ours = NOTHING_OURS]: SourceRow): KnownSource {
  return { path, mark, ino, offset, n, anchor, ours }
}

/** Native: an index is opened by processes that live for milliseconds. Of nothing, Node 20 and 22 may say 0 instead of `before`. */
export function checkOf(content: string | Uint8Array, before = 0): number {
  if (content.length === 0) return before
  return process.getBuiltinModule('node:zlib').crc32(content, before)
}
