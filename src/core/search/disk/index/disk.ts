/** The index on disk: one file per segment, and the manifest that names them. Files that the manifest does not name are deleted. */
import path from 'node:path'
import {
  codeOf,
  list,
  disk as plainDisk,
  readText,
  replaceQuickly,
  writeBytes,
} from '../../../../kernel/platform/disk/files.ts'
import { removeBusy } from '../../../../kernel/platform/disk/lock.ts'
import { type Base, newBase, sealDraft } from './base.ts'
import { deadIn } from './columns.ts'
import { newKeptLists } from './lists.ts'
import { formatManifest, type Manifest, parseManifest } from './manifest.ts'
import { mergeFrom, mergeSegments } from './merge.ts'
import { openSegment, type Segment, segmentInMemory, type WriteSegment } from './segment.ts'

/** Every write of the index, one function each: tests replace it to stop a program after any of them. */
export interface IndexDisk {
  /** False: the file has fewer bytes before the position. */
  writeBytes(file: string, at: number, bytes: Uint8Array): boolean
  replace(file: string, text: string): void
  remove(file: string): void
}

export const indexDisk: IndexDisk = { writeBytes, replace: replaceQuickly, remove: plainDisk.remove }

export type Loaded = { is: 'sound'; base: Base; text: string } | { is: 'missing' | 'older' | 'newer' | 'damaged' }

const MANIFEST = 'manifest.json'
/** Held by the process that writes or deletes the other files. */
export const LOCK = 'lock'
/** A reader may find the files of a manifest missing because another process has just merged them; with many writers this is frequent. */
const TRIES = 20
/** Fewer dead documents cost nothing. */
const FEW_DEAD = 200
const FEW_TOKENS = 100_000

export function manifestText(dir: string): string | null {
  return readText(path.join(dir, MANIFEST))
}

/** `old`: the previously loaded index; its segments that are still in use are not opened again. */
export function loadBase(dir: string, old: Base | null): Loaded {
  let found: Loaded = { is: 'missing' }
  for (let tries = 0; tries < TRIES; tries++) {
    const text = manifestText(dir)
    if (text === null) return { is: 'missing' }
    const read = parseManifest(text)
    if (read.is !== 'sound') return read
    const base = openFiles(dir, read.manifest, old)
    if (base !== null) return { is: 'sound', base, text }
    found = { is: 'damaged' }
    if (manifestText(dir) === text) break
  }
  return found
}

/** Null: the files do not match the manifest. */
function openFiles(dir: string, { segments: records, live, tokens, seen }: Manifest, old: Base | null): Base | null {
  // Compares the whole record: after everything was deleted, another segment may have the same name.
  const known = new Map(old?.segments.map((segment) => [JSON.stringify(segment.record), segment]))
  const segments = records.map(
    (record) => known.get(JSON.stringify(record)) ?? openSegment(segmentFile(dir, record.name), record),
  )
  const opened = segments.filter((segment) => segment !== null)
  if (opened.length === segments.length)
    return {
      ...newBase(dir),
      segments: opened,
      live,
      tokens,
      seen,
      loaded: old?.loaded ?? null,
      lists: newKeptLists(old?.lists),
    }
  closeSegments(opened, old?.segments ?? [])
  return null
}

/** Closes the segments that are not in `kept`. */
export function closeSegments(segments: readonly Segment[], kept: readonly Segment[]): void {
  for (const segment of segments) if (!kept.includes(segment)) segment.sections.close()
}

/** Writes the segments in memory and the manifest; null: they cannot be read or written. Under the lock, with an index loaded under it. */
export function commit(base: Base, to: IndexDisk, now: string, mostMerged: number): string | null {
  const { dir } = base
  if (dir === null) return null
  const inFile = (write: WriteSegment): Segment => segmentInFile(dir, to, now, write)
  // A small segment may be merged before it is written.
  sealDraft(base, base.draft.inverter.tokens > FEW_TOKENS ? inFile : segmentInMemory)
  if (!tidyUp(base, mostMerged, inFile)) return null
  for (const [i, { record, bytes }] of base.segments.entries()) {
    if (bytes === null) continue
    base.segments[i] = inFile((append) => {
      append(bytes)
      return record
    })
  }
  const { segments, live, tokens, seen } = base
  const text = formatManifest({ segments: segments.map(({ record }) => record), live, tokens, seen })
  to.replace(path.join(dir, MANIFEST), text)
  base.isChanged = false
  removeOthers(dir, segments, to)
  return text
}

export function isTidy(base: Base, most: number): boolean {
  return firstToMerge(base, most, 'files') < 0
}

/** The first segment to merge; -1: none. `most`: the number of documents that there is time for. */
function firstToMerge({ segments, live }: Base, most: number, which: 'files' | 'memory'): number {
  const sizes = segments.map(({ record, bytes }) =>
    // Compares as neither larger nor smaller.
    which === 'memory' && bytes === null ? Number.NaN : record.docs,
  )
  const count = sizes.reduce((sum, size) => sum + size, 0)
  const isMostlyDead = count - live >= Math.max(FEW_DEAD, count / 3) && count <= most
  return isMostlyDead ? 0 : mergeFrom(sizes, most)
}

/** Merges segments if there are many, or if many documents in them are dead; false: they cannot be read. Without `make` only those in memory. */
export function tidyUp(base: Base, most: number, make?: (write: WriteSegment) => Segment): boolean {
  const { segments } = base
  const from = firstToMerge(base, most, make === undefined ? 'memory' : 'files')
  if (from < 0) return true
  const old = segments.slice(from)
  const merged = (make ?? segmentInMemory)((append) => mergeSegments(old, deadIn(segments), append))
  if (old.some(({ sections }) => sections.isDamaged)) return false
  base.segments = [...segments.slice(0, from), merged]
  closeSegments(old, [])
  return true
}

function segmentInFile(dir: string, to: IndexDisk, now: string, write: WriteSegment): Segment {
  const name = nextName(dir, now)
  const file = segmentFile(dir, name)
  let at = 0
  const record = write((bytes) => {
    to.writeBytes(file, at, bytes)
    at += bytes.length
  })
  const segment = openSegment(file, { ...record, name })
  if (segment === null) throw Object.assign(new Error(`${file} is gone.`), { code: 'ENOENT' })
  return segment
}

function segmentFile(dir: string, name: number): string {
  return path.join(dir, `segment-${name}.bin`)
}

/** An unused name; derived from the time, so that it is not reused after everything was deleted. */
function nextName(dir: string, now: string): number {
  const used = list(dir).map((name) => Number(OURS.exec(name)?.[1] ?? 0))
  return Math.max(Date.parse(now), ...used.map((one) => one + 1))
}

/** Includes the names of earlier versions. */
const OURS = /^(?:segment|docs|tokens|dead|words|fts)-(\d{1,15})\./

/** Deletes files that are no longer in use, and the remains of killed writers. Under the lock. */
function removeOthers(dir: string, segments: readonly Segment[], to: IndexDisk): void {
  const counted = new Set(segments.map(({ record }) => path.basename(segmentFile(dir, record.name))))
  for (const name of list(dir)) {
    if (counted.has(name) || !(OURS.test(name) || name.endsWith('.tmp'))) continue
    try {
      to.remove(path.join(dir, name))
    } catch (error) {
      // On Windows another process may still have it open: the next writer deletes it.
      if (codeOf(error) === '') throw error
    }
  }
}

/** Deletes the manifest first: without it a reader considers the index deleted, not damaged. Under the lock. */
export function removeFiles(dir: string): void {
  const others = list(dir).filter((name) => name !== MANIFEST && name !== LOCK && !name.startsWith(`${LOCK}.`))
  for (const name of [MANIFEST, ...others]) removeBusy(path.join(dir, name))
}
