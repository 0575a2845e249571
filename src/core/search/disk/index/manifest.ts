/** The manifest of the index lists the segments in use. It is the commit record. */

import { fingerprint } from '../../../../kernel/text/fingerprint.ts'
import type { Seen } from './documents.ts'
import type { SectionSizes } from './sections.ts'

/** Increased when the file format changes. */
const VERSION = 3
/** A fingerprint of the tokens of a sample, which a test compares: an index with other tokens, flags or units would find nothing. */
const MADE_OF = '182b673f988f1d'

export interface SegmentBody extends SectionSizes {
  /** The number of its first document, and the number of documents. */
  first: number
  docs: number
}

export interface SegmentRecord extends SegmentBody {
  /** The number in the file's name; 0: in memory only. */
  name: number
}

export interface Manifest {
  segments: readonly SegmentRecord[]
  /** The number of live documents, and their tokens in total. */
  live: number
  tokens: number
  /** The state of the sources when everything new had been read. */
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
  // An older version's manifest has another checksum.
  if (version > 0 && version < VERSION) return { is: 'older' }
  const [line = '', check] = text.split('\n')
  // The checksum covers every field.
  if (check !== fingerprint(line)) return { is: 'damaged' }
  const manifest = JSON.parse(line) as Manifest & { madeOf: string }
  return manifest.madeOf === MADE_OF ? { is: 'sound', manifest } : { is: 'older' }
}
