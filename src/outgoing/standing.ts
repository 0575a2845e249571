/** Standing instructions: what people said that holds for more than the moment, found by code. */

import { typedSentences, withoutQuotes } from '../knowledge/typed-text.ts'
import type { Numbered } from '../sessions/digest-types.ts'
import { shortenTo } from '../text/memory-words.ts'
import { plainly } from './openers.ts'
import { inEnglish } from './standing-english.ts'
import type { Recognised, StandingKind } from './standing-kind.ts'
import { inOtherTongues, isHabit } from './standing-tongues.ts'
import { isFromText } from './typed-unsure.ts'

export interface Stated {
  kind: StandingKind
  /** The sentence, or the part of it that holds. */
  text: string
  at: string
  /** Number of the entry. */
  entry: number
}

const MAX_CHARS = 200

/** In the order they were said, each time they were said. */
export function statedIn(entries: readonly Numbered[]): Stated[] {
  return typedSentences(entries).flatMap(({ text: said, at, entry }) => {
    const found = recognise(said)
    const text = found === null ? null : shortenTo(plainly(said.slice(found.from).trim()), MAX_CHARS)
    return found === null || text === null ? [] : [{ kind: found.kind, text, at, entry }]
  })
}

/** Null: it holds for the moment only, or says how things are. */
export function recognise(sentence: string): Recognised | null {
  const lower = withoutQuotes(sentence.toLowerCase().replace(/[’ʼ]/g, "'"))
  const isAsked = /[?？]["'”’)\]]*$/.test(sentence)
  if (isAsked && !/^(?:can|could|will|would) you please (?:always|never)\b/.test(lower)) return null
  if (isFromText(lower)) return null
  const found = inEnglish(lower) ?? asChoice(lower)
  if (found !== null) return lower.length === sentence.length ? found : { ...found, from: 0 }
  const kind = inOtherTongues(lower)
  return kind === null ? null : { kind, from: 0 }
}

/** "Use pnpm instead of npm": two ways of working by name. */
function asChoice(lower: string): Recognised | null {
  const named =
    /^(?:please |and |also |no,? |we )*use ([\w-]+)(?: \w+)?,? (?:instead of|rather than|not|over) ([\w-]+)(?: \w+)?[.!]*$/.exec(
      lower,
    )
  return isHabit(named?.[1] ?? '') && isHabit(named?.[2] ?? '') ? { kind: 'always', from: 0 } : null
}
