/** Who writes the next note: decided from the settings and from how the last calls ended. */

import type { Config } from '../platform/config.ts'

const LONGEST_PAUSE_MS = 24 * 60 * 60_000

/** Who writes a note: a background call, the agent when a person is there, or code. */
export type Way = 'headless' | 'agent' | 'extractive'

export interface Circumstances {
  summarizer: Config['summarizer']
  enforcement: Config['enforcement']
  /** The user has read what the background call does and costs. */
  isModelNoticed: boolean
  /** The background call failed twice in a row; not again before this instant. */
  pausedUntil: string | null
  now: string
}

/** Model calls need a user who knows of them; without one, code writes the note. */
export function wayOf(around: Circumstances): Way {
  const { summarizer, enforcement } = around
  // Without a model nobody is asked, unless turns are to be blocked until the note is written.
  if (summarizer === 'extractive') return enforcement === 'block' ? 'agent' : 'extractive'
  // Whoever wants Claude to be held to it wants Claude to do it.
  if (summarizer === 'agent' || (summarizer === 'auto' && (enforcement === 'stop' || enforcement === 'block')))
    return 'agent'
  if (isPaused(around.pausedUntil, around.now)) return summarizer === 'auto' ? 'agent' : 'extractive'
  return around.isModelNoticed ? 'headless' : 'extractive'
}

/** A pause lasts a day at most: one that ends later was begun under a wrong clock. */
export function isPaused(until: string | null, now: string): boolean {
  const left = until === null ? 0 : Date.parse(until) - Date.parse(now)
  return left > 0 && left <= LONGEST_PAUSE_MS
}
