/** Work on many sessions, in batches: the state is written as a whole with each of them. */

/** With a fixed number of batches, what is written grows with the sessions and not with their square. */
const BATCHES = 8
/** Killed in between, no more than one batch is done again. */
const LEAST = 20

/** So many sessions are done in one hold of the lock: a hook waits a quarter of a second for it, and each hold makes a file. */
const HOLD = 8

export function batchesOf<T>(all: readonly T[]): T[][] {
  return inPieces(all, Math.max(LEAST, Math.ceil(all.length / BATCHES)))
}

export function inPieces<T>(all: readonly T[], size = HOLD): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, n) => all.slice(n * size, (n + 1) * size))
}
