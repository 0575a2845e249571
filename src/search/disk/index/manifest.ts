/** The manifest of the index: which segments count. It is the commit record. */

import { fingerprint } from '../../../text/fingerprint.ts'
import { NOTHING_OURS, type Ours } from '../../units.ts'
import type { SectionSizes } from './sections.ts'
import type { Seen } from './sources.ts'

/** Raised when the files look different. */
const VERSION = 3
/** Of the tokens of a sample, which a test compares: an index of other tokens, flags or units than today's finds nothing. */
const MADE_OF = '0de368b70991bc'

export interface SegmentBody extends SectionSizes {
  /** The number of its first document, and how many there are. */
  first: number
  docs: number
}

export interface SegmentRecord extends SegmentBody {
  /** The number in the file's name; 0: it is in memory only. */
  name: number
}

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

/** At least in part. */
export function isRead({ mark, offset }: KnownSource): boolean {
  return mark !== '' || offset > 0
}

export interface Manifest {
  segments: readonly SegmentRecord[]
  /** Of the living documents: how many there are, and how many tokens they have together. */
  live: number
  tokens: number
  /** How the sources looked when all that was new had been read. */
  seen: Seen
}

export function formatManifest(manifest: Manifest): string {
  const line = JSON.stringify({ version: VERSION, madeOf: MADE_OF, ...manifest })
  return `${line}\n${fingerprint(line)}\n`
}

export type ReadManifest = { is: 'sound'; manifest: Manifest } | { is: 'older' | 'newer' | 'damaged' }

export function parseManifest(text: string): ReadManifest {
  const version = Number(/^\{"version":(\d{1,9}),/.exec(text)?.[1] ?? 0)
  if (version > VERSION) return { is: 'newer' }
  // The sum of an older version's manifest is another one.
  if (version > 0 && version < VERSION) return { is: 'older' }
  const [line = '', check] = text.split('\n')
  // It answers for every field.
  if (check !== fingerprint(line)) return { is: 'damaged' }
  const manifest = JSON.parse(line) as Manifest & { madeOf: string }
  return manifest.madeOf === MADE_OF ? { is: 'sound', manifest } : { is: 'older' }
}
