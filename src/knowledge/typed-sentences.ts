/** The sentences a person typed: never what a tool's result, a quotation, a block of code or the middle of a long text says. */

import { isMachineLine, wordCount } from '../outgoing/digest-words.ts'
import type { Numbered } from '../sessions/digest-types.ts'
import { sentencesOf } from '../text/digest-sentences.ts'
import { textOnOneLine } from '../text/memory-words.ts'
import { typedOnly } from './typed-text.ts'

export interface TypedSentence {
  text: string
  /** The one before it in the same prompt; empty: none. */
  before: string
  at: string
  /** Number of the entry. */
  entry: number
}

/** A longer sentence is no instruction any more, but a text. */
const MAX_SENTENCE = 320

/** In the order they were typed. A tool's text may imitate everything but this. */
export function typedSentences(entries: readonly Numbered[]): TypedSentence[] {
  return entries.flatMap(({ n, entry }) => {
    if (entry.role !== 'user' || entry.by !== 'user' || entry.via !== undefined || entry.sent === true) return []
    if (/^\s*[/!]/.test(entry.text)) return []
    const texts = sentencesIn(entry.text)
    return texts.flatMap((text, i) =>
      isSentence(text) ? [{ text, before: texts[i - 1] ?? '', at: entry.ts, entry: n }] : [],
    )
  })
}

function sentencesIn(text: string): string[] {
  // `# …` is how the host takes a memory: one line of it is no heading.
  const typed = typedOnly(text).replace(/^#+ (?=[^\n]*$)/, '')
  return sentencesOf(typed).map((sentence) => textOnOneLine(sentence.text))
}

function isSentence(text: string): boolean {
  if (text.length > MAX_SENTENCE || wordCount(text) < 2 || isMachineLine(text)) return false
  return !/^["“'‘«「『]/.test(text) && !text.endsWith(':')
}

/** Blanks of the same length: words that are only talked about give no order. */
export function withoutQuotes(text: string): string {
  return text.replace(
    /"[^"]{1,200}"|“[^”]{1,200}”|`[^`]{1,200}`|「[^」]{1,200}」|『[^』]{1,200}』|„[^“]{1,200}“|«[^»]{1,200}»/g,
    (quoted) => '_'.repeat(quoted.length),
  )
}
