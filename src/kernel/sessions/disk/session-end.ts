/** The end of a session's file: of a long session only that is read. */
import path from 'node:path'
import { type Store, sessionPath } from '../../memory/disk/store.ts'
import type { SessionState } from '../../memory/session-state.ts'
import { readPart, sizeOf } from '../../platform/disk/files.ts'
import { type Numbered, parseSession } from '../../transcript/session.ts'
import { readSession } from './lineage.ts'

/** All entries, with open ones (for example an unanswered question), of at most the last `most` bytes. */
export function entriesAtEnd(store: Store, session: SessionState, most: number): Numbered[] {
  const { file, bytes, entries } = session
  const place = path.join(store.dir, sessionPath(file))
  const size = sizeOf(place) ?? 0
  if (size <= most) return readSession(store, file).map((entry, n) => ({ n, entry }))
  const part = readPart(place, size - most, most, Number.POSITIVE_INFINITY)
  const begin = (part?.indexOf(10) ?? -1) + 1
  if (part === null || begin === 0) return []
  // Settled entries end at `bytes`: counted back from there, they have their numbers.
  const settled = parseSession(part.subarray(begin, Math.max(begin, part.length - (size - bytes))).toString()).entries
  const all = parseSession(part.subarray(begin).toString()).entries
  return all.map((entry, i) => ({ n: entries - settled.length + i, entry }))
}
