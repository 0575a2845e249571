/** Several quotes of one thing: whether each says it, and which says it most plainly. */

import { commonOf, similarity } from '../knowledge/fact-similar.ts'
import { textOnOneLine } from '../text/memory-words.ts'
import { contradicts, SAME_SUBJECT } from './fact-contradict.ts'
import { termsIn } from './fact-terms.ts'
import { isSwapped, isTurned, turnsIn } from './fact-turns.ts'
import { plainly } from './openers.ts'

/** Whether words that were said are about what a text says, and nothing in them says otherwise. */
export function agrees(quote: string, text: string): boolean {
  if (similarity(quote, text) < SAME_SUBJECT || contradicts(quote, text) || contradicts(text, quote)) return false
  const [said, told] = [termsIn(quote), termsIn(text)]
  return !isSwapped(said, told) && !isTurned(turnsIn(said), turnsIn(told), commonOf(said, told))
}

/** Said to somebody, at a moment, or with force. */
const SPOKEN =
  /!|\b(?:i (?:already |just )?(?:told|said|asked|meant|repeat)|told you|as i said|how (?:many times|often)|remember|again|please|thanks|okay?|yes|wait|actually)\b|말했|했잖아|다시 말|라니까|몇 ?번|제발/gi
const LOUD = /\b[A-Z]{4,}\b/g

/** As it would stand in a list: without openers; empty: there is none. Of equals the first. */
export function plainestOf(quotes: readonly string[]): string {
  const shared = sharedTerms(quotes)
  const ranked = quotes
    .map((quote) => plainly(textOnOneLine(quote)))
    .map((text) => {
      const terms = termsIn(text)
      const missing = shared.filter((term) => !terms.all.includes(term) && !terms.soft.includes(term)).length
      const spoken = (text.match(SPOKEN)?.length ?? 0) + (text.match(LOUD)?.length ?? 0)
      return { text, missing, spoken }
    })
    .sort((a, b) => a.missing - b.missing || a.spoken - b.spoken || a.text.length - b.text.length)
  return (ranked[0]?.text ?? '').replace(/\s*!+$/, '.')
}

/** What most of them name must not get lost for a shorter sentence. */
function sharedTerms(quotes: readonly string[]): string[] {
  const counts = new Map<string, number>()
  for (const quote of quotes) for (const term of termsIn(quote).all) counts.set(term, (counts.get(term) ?? 0) + 1)
  return [...counts].filter(([, count]) => count * 2 > quotes.length).map(([term]) => term)
}
