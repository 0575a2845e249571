/** The columns of all segments in memory, for ranking. */
import { once } from '../../../../kernel/text/once.ts'
import type { Columns } from '../../engine.ts'
import { bytesOf, grown } from './sections.ts'
import { allNumbersIn, FLAGS, GROUP, KILLED, KIND, LENGTH, SECONDS, type Segment } from './segment.ts'

/** The columns and the segments they belong to: the content of a segment never changes. */
export interface LoadedColumns {
  segments: readonly Segment[]
  columns: Columns
  /** By section, as far as they were read. */
  read: Map<number, ReadColumn>
}

interface ReadColumn {
  values: Column
  /** The number of documents that are the same in these segments. */
  count: number
}

/** Each column is read with its first use: most prompts need one or two. `old`: columns whose first segments may be the same. */
export function loadColumns(
  segments: readonly Segment[],
  { live, tokens }: Pick<Columns, 'live' | 'tokens'>,
  old: LoadedColumns | null,
): LoadedColumns {
  const count = countIn(segments)
  const read = sameColumns(segments, old)
  const column = <T extends Column>(section: number, make: new (room: number) => T): (() => T) =>
    once(() => {
      const known = read.get(section)
      const from = known?.count ?? 0
      const values = withRoom(known?.values as T | undefined, from, count, make)
      for (const { record, sections } of segments)
        if (record.first >= from)
          sections.readAll(section, bytesOf(values.subarray(record.first, record.first + record.docs)))
      read.set(section, { values, count })
      return values
    })
  const [length, group, seconds] = [
    column(LENGTH, Uint32Array),
    column(GROUP, Uint32Array),
    column(SECONDS, Uint32Array),
  ]
  const [kind, flags] = [column(KIND, Uint8Array), column(FLAGS, Uint16Array)]
  const dead = deadIn(segments)
  const links = once(() => linksIn(group(), dead))
  const columns: Columns = {
    count,
    live,
    tokens,
    dead,
    get length() {
      return length()
    },
    get group() {
      return group()
    },
    get kind() {
      return kind()
    },
    get flags() {
      return flags()
    },
    get seconds() {
      return seconds()
    },
    prev: (doc) => links().prev(doc),
    next: (doc) => links().next(doc),
  }
  return { segments: [...segments], columns, read }
}

/** What was read of the segments that are still the same. */
function sameColumns(segments: readonly Segment[], old: LoadedColumns | null): Map<number, ReadColumn> {
  const other = segments.findIndex((segment, i) => segment !== old?.segments[i])
  const same = countIn(other < 0 ? segments : segments.slice(0, other))
  const known = [...(old?.read ?? [])]
  return new Map(known.map(([section, { values, count }]) => [section, { values, count: Math.min(count, same) }]))
}

export function countIn(segments: readonly Segment[]): number {
  const last = segments.at(-1)?.record
  return last === undefined ? 0 : last.first + last.docs
}

/** 1 for each deleted document. */
export function deadIn(segments: readonly Segment[]): Uint8Array {
  const dead = new Uint8Array(countIn(segments))
  for (const { sections } of segments) for (const doc of allNumbersIn(sections, KILLED)) dead[doc] = 1
  return dead
}

type Column = Uint8Array | Uint16Array | Uint32Array

/** The first `from` values of the old column, with room for `count`. A column that grew once will grow again. */
function withRoom<T extends Column>(old: T | undefined, from: number, count: number, make: new (room: number) => T): T {
  if (old === undefined) return new make(count)
  const width = old.BYTES_PER_ELEMENT
  const most = (old.buffer.byteLength - old.byteOffset) / width
  if (count <= most) return new (make as unknown as Viewing<T>)(old.buffer, old.byteOffset, count)
  const roomier = new make(count + Math.ceil(count / 16) + 1024)
  roomier.set(old.subarray(0, from))
  return roomier.subarray(0, count) as T
}

type Viewing<T> = new (buffer: ArrayBufferLike, at: number, count: number) => T

/**
 * The live neighbours of a document in its source. Only documents of sessions are in the order of their source. Most are beside each
 * other, so that they are looked for when they are needed; the ends of each source limit the way.
 */
function linksIn(group: Uint32Array, dead: Uint8Array): Pick<Columns, 'prev' | 'next'> {
  const { first, last } = endsIn(group, dead)
  const find = (doc: number, step: 1 | -1, end: number): number => {
    const own = group[doc]
    for (let at = doc + step; (end - at) * step >= 0; at += step) if (group[at] === own && dead[at] === 0) return at
    return -1
  }
  return {
    prev: (doc) => find(doc, -1, first[group[doc] as number] as number),
    next: (doc) => find(doc, 1, last[group[doc] as number] as number),
  }
}

/** The first and the last live document of each source. */
function endsIn(group: Uint32Array, dead: Uint8Array): { first: Uint32Array; last: Uint32Array } {
  let [first, last] = [new Uint32Array(1024), new Uint32Array(1024)]
  for (let doc = group.length - 1; doc >= 0; doc--) {
    if (dead[doc] === 1) continue
    const own = group[doc] as number
    if (own >= last.length) {
      first = grown(first, own * 2)
      last = grown(last, own * 2)
    }
    if (last[own] === 0) last[own] = doc
    first[own] = doc
  }
  return { first, last }
}
