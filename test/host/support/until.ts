/** Waiting for something to become true, with a limit and an error that says what was awaited. */
import { setTimeout as sleep } from 'node:timers/promises'

export interface UntilOptions {
  timeoutMs?: number
  /** Asked only when the wait fails: what a reader of the error needs to see. */
  show?: () => string
}

const POLL_MS = 50
const TIMEOUT_MS = 30_000

/** Resolves with the first value that is neither false, null nor undefined. */
export async function until<T>(
  what: string,
  look: () => T | false | null | undefined,
  options: UntilOptions = {},
): Promise<T> {
  const timeoutMs = options.timeoutMs ?? TIMEOUT_MS
  const end = Date.now() + timeoutMs
  for (;;) {
    const seen = look()
    if (seen !== false && seen !== null && seen !== undefined) return seen
    if (Date.now() > end) throw new Error(`Waited ${timeoutMs} ms for ${what}.\n${options.show?.() ?? ''}`)
    await sleep(POLL_MS)
  }
}
