/** The columns of all segments in memory, as ranking reads them. */
import type { Columns } from '../../corpus.ts'
import { bytesOf } from './sections.ts'
import { allNumbersIn, FLAGS, GROUP, KILLED, KIND, LENGTH, SECONDS, type Segment } from './segment.ts'

/** With what they were made of: what a segment says never changes. */
export interface LoadedColumns {
  segments: readonly Segment[]
  columns: Columns
}

/** `old`: columns whose first segments may be the same; these are not read again. */
export function loadColumns(
  segments: readonly Segment[],
  { live, tokens }: Pick<Columns, 'live' | 'tokens'>,
  old: LoadedColumns | null,
): LoadedColumns {
  const count = countIn(segments)
  const kept = old === null ? 0 : segments.findIndex((segment, i) => segment !== old.segments[i])
  const same = kept < 0 ? segments.length : kept
  const from = countIn(segments.slice(0, same))
  const read = <T extends Column>(section: number, column: T | undefined, make: new (room: number) => T): T => {
    const all = withRoom(column, from, count, make)
    for (const { record, sections } of segments.slice(same))
      sections.readAll(section, bytesOf(all.subarray(record.first, record.first + record.docs)))
    return all
  }
  const before = old?.columns
  const group = read(GROUP, before?.group, Uint32Array)
  const dead = deadIn(segments)
  const columns: Columns = {
    count,
    live,
    tokens,
    length: read(LENGTH, before?.length, Uint32Array),
    group,
    kind: read(KIND, before?.kind, Uint8Array),
    flags: read(FLAGS, before?.flags, Uint16Array),
    seconds: read(SECONDS, before?.seconds, Uint32Array),
    dead,
    ...linksIn(group, dead),
  }
  return { segments: [...segments], columns }
}

export function countIn(segments: readonly Segment[]): number {
  const last = segments.at(-1)?.record
  return last === undefined ? 0 : last.first + last.docs
}

/** 1 for each document that died. */
export function deadIn(segments: readonly Segment[]): Uint8Array {
  const dead = new Uint8Array(countIn(segments))
  for (const { sections } of segments) for (const doc of allNumbersIn(sections, KILLED)) dead[doc] = 1
  return dead
}

type Column = Uint8Array | Uint16Array | Uint32Array

/** The first `from` values of the old column, in room for `count`. A column that grew once will grow again. */
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

/** The living documents before and behind each in the same source. Only those of sessions stand in the order of their source. */
function linksIn(group: Uint32Array, dead: Uint8Array): Pick<Columns, 'prev' | 'next'> {
  const prev = new Int32Array(group.length).fill(-1)
  const next = new Int32Array(group.length).fill(-1)
  let last = new Int32Array(1024).fill(-1)
  for (let doc = 0; doc < group.length; doc++) {
    if (dead[doc] === 1) continue
    const own = group[doc] as number
    if (own >= last.length) {
      const more = new Int32Array(own * 2).fill(-1)
      more.set(last)
      last = more
    }
    const before = last[own] as number
    prev[doc] = before
    if (before >= 0) next[before] = doc
    last[own] = doc
  }
  return { prev, next }
}
