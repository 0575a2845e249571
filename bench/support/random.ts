/** Random numbers that are the same in every run. */

/** From 0 up to and not including 1: a linear congruence, of which only the upper bits are random enough. */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return (state >>> 8) / 2 ** 24
  }
}
