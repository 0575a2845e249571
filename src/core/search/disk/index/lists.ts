/**
 * The lists of the words that were requested last. They share one block of memory that is used again: large arrays that come and go
 * would leave a process that lives for hours with memory that it cannot give back.
 */
import type { Columns } from '../../engine.ts'
import { readLists, type WordList } from './postings.ts'
import { findList, type Segment } from './segment.ts'

export interface KeptLists {
  readonly byStem: Map<number, WordList>
  room: Uint8Array
  /** The bytes of all lists, including those that found no room. */
  used: number
  /** Hundreds of documents are checked for the same words. */
  last: { stems: readonly number[]; lists: readonly WordList[] } | null
}

const MOST_BYTES = 6 * 1024 * 1024
/** A small index needs less. */
const BYTES_PER_DOC = 64

/** `old`: lists that nobody uses any more. */
export function newKeptLists(old?: KeptLists): KeptLists {
  return { byStem: new Map(), room: old?.room ?? new Uint8Array(0), used: 0, last: null }
}

export function dropLists(kept: KeptLists): void {
  kept.byStem.clear()
  kept.last = null
  kept.used = 0
}

/**
 * Before a question: the lists of earlier ones are dropped if they take half of the room. The first one gets none: most processes
 * answer one question, and memory that they take makes V8 collect garbage earlier.
 */
export function makeRoom(kept: KeptLists, { count }: Columns): void {
  const isFirst = kept.room.length === 0 && kept.used === 0
  if (kept.used > kept.room.length / 2) dropLists(kept)
  const wanted = Math.min(MOST_BYTES, count * BYTES_PER_DOC)
  if (!isFirst && kept.used === 0 && kept.room.length < wanted) kept.room = new Uint8Array(wanted)
}

/** The lists of these words, in their order. */
export function listsOf(
  kept: KeptLists,
  segments: readonly Segment[],
  dead: Uint8Array,
  stems: readonly number[],
): readonly WordList[] {
  if (kept.last?.stems === stems) return kept.last.lists
  const lists = stems.map((stem) => kept.byStem.get(stem) ?? readList(kept, segments, dead, stem))
  kept.last = { stems, lists }
  return lists
}

function readList(kept: KeptLists, segments: readonly Segment[], dead: Uint8Array, stem: number): WordList {
  const take = (size: number): Uint8Array => {
    const at = kept.used
    // Numbers begin at multiples of four.
    kept.used += Math.ceil(size / 4) * 4
    return kept.used > kept.room.length ? new Uint8Array(size) : kept.room.subarray(at, at + size)
  }
  const parts = segments.flatMap((segment) => {
    const bytes = findList(segment, stem, take)
    return bytes === null ? [] : [{ first: segment.record.first, bytes }]
  })
  const list = readLists(parts, dead, take)
  kept.byStem.set(stem, list)
  return list
}
