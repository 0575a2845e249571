/** Work on many sessions, in batches: the state is written as a whole with each of them. */

/** With a fixed number of batches, what is written grows with the sessions and not with their square. */
const BATCHES = 8
/** Killed in between, no more than one batch is done again. */
const LEAST = 20

export function batchesOf<T>(all: readonly T[]): T[][] {
  const size = Math.max(LEAST, Math.ceil(all.length / BATCHES))
  return Array.from({ length: Math.ceil(all.length / size) }, (_, n) => all.slice(n * size, (n + 1) * size))
}
