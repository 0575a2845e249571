/** Decides who writes the next note, from the settings and the results of the last calls. */

import type { Config } from '../platform/config.ts'

const LONGEST_PAUSE_MS = 24 * 60 * 60_000

/** The author of a note: a background call, the agent while a person is present, or code. */
export type Way = 'headless' | 'agent' | 'extractive'

export interface Circumstances {
  summarizer: Config['summarizer']
  enforcement: Config['enforcement']
  /** The user was informed what the background call does and costs. */
  isModelNoticed: boolean
  /** The background call failed twice in a row; it is not tried again before this instant. */
  pausedUntil: string | null
  now: string
}

/** A model is called only after the user was informed; until then, code writes the note. */
export function wayOf(around: Circumstances): Way {
  const { summarizer, enforcement } = around
  // Without a model Claude is not asked either, unless turns are blocked until the note is written.
  if (summarizer === 'extractive') return enforcement === 'block' ? 'agent' : 'extractive'
  // If turns are stopped or blocked for notes, Claude itself should write them.
  if (summarizer === 'agent' || (summarizer === 'auto' && (enforcement === 'stop' || enforcement === 'block')))
    return 'agent'
  if (isPaused(around.pausedUntil, around.now)) return summarizer === 'auto' ? 'agent' : 'extractive'
  return around.isModelNoticed ? 'headless' : 'extractive'
}

/** A pause lasts a day at most: one that ends later was set by a wrong clock. */
export function isPaused(until: string | null, now: string): boolean {
  const left = until === null ? 0 : Date.parse(until) - Date.parse(now)
  return left > 0 && left <= LONGEST_PAUSE_MS
}
