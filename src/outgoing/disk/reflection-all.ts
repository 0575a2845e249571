/** Reflection on all there is, for who must not keep others waiting: weighed without the lock, written in short holds of it. */
import { commitBoth, readBoth } from '../../knowledge/disk/knowledge.ts'
import { type Reflected, reflectOn } from '../../knowledge/disk/reflection.ts'
import type { Store } from '../../memory/disk/store.ts'
import { readStanding } from './standing.ts'

interface ReflectAllOptions {
  now: () => string
  elapsedMs: () => number
  isLate: () => boolean
  /** For the lock. */
  waitMs: number
}

/** So long is weighed before it is written: a kill, or somebody who writes meanwhile, costs no more. */
const PIECE_MS = 1_000
/** The lock was taken, or somebody wrote meanwhile: then whoever comes next goes on. */
const MAX_VAIN = 2

/** Call it without the lock. */
export function reflectAll(store: Store, options: ReflectAllOptions): Reflected {
  const all: Reflected = { promoted: [], proposed: [], superseded: [], isComplete: false }
  for (let vain = 0; vain < MAX_VAIN && !all.isComplete && !options.isLate(); ) {
    const piece = reflectPiece(store, options)
    if (piece === null) {
      vain++
      continue
    }
    vain = 0
    all.promoted.push(...piece.promoted)
    all.proposed.push(...piece.proposed)
    all.superseded.push(...piece.superseded)
    all.isComplete = piece.isComplete
  }
  return all
}

/** Null: nothing was written. */
function reflectPiece(store: Store, { now, elapsedMs, isLate, waitMs }: ReflectAllOptions): Reflected | null {
  const before = readBoth(store)
  let began: number | null = null
  const { facts, changed } = reflectOn(store, before.facts, readStanding(store).standing, now(), () => {
    // What recurs has been found by now, however long that took.
    began ??= elapsedMs()
    return isLate() || elapsedMs() - began > PIECE_MS
  })
  if (facts === before.facts) return changed
  return commitBoth(store, before, { ...before, facts }, { waitMs, now: now() }) === true ? changed : null
}
