/** What kind of standing instruction an English sentence is: a yes, a no, or a preference. */

/** `correction`: said of the moment, and worth keeping only when it is said again. */
export type StandingKind = 'always' | 'never' | 'prefer' | 'correction'

export interface Recognised {
  kind: StandingKind
  /** Where in the sentence it begins: what stands before is another matter. */
  from: number
}

/** What is only thought about. */
export const MAYBE =
  /\b(?:might|maybe|perhaps|possibly|probably|could|would be|i think|i guess|i wonder|not sure|planning)\b/

export const REFUSAL = /^(?:(?:don'?t|do not|no more|never)\b|stop(?= \w+ing\b))/

export function polarity(cue: string | undefined): StandingKind {
  return cue !== undefined && /never|not/.test(cue) ? 'never' : 'always'
}

export function signOf(text: string): StandingKind {
  return /^(?:please )?(?:never|don'?t|do not|no|stop|avoid|not|we (?:never|don'?t|do not))\b/.test(text) ||
    REFUSAL.test(text)
    ? 'never'
    : 'always'
}
