/** Long work in turns: between two of its pieces others are heard. */

export function othersAreHeard(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** All pieces, for so many milliseconds at a time. */
export async function inTurns(pieces: Iterable<void>, turnMs: number): Promise<void> {
  let began = performance.now()
  for (const _ of pieces) {
    if (performance.now() - began < turnMs) continue
    await othersAreHeard()
    began = performance.now()
  }
}
