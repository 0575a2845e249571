/** Whether what a person said takes an earlier decision back: by the person's own words, never by what a model made of them. */
import type { NewFact } from '../knowledge/fact.ts'
import { isSameFact, similarity } from '../knowledge/fact-similar.ts'
import { contradicts, SAME_SUBJECT } from './fact-contradict.ts'
import { agrees } from './quotes.ts'

/** A text, and the words it was taken from. */
interface Said {
  text: string
  quote: string
}

/** The words themselves speak against it, or they say just what a text says that does. */
export function overrules(earlier: string, { text, quote }: Said): boolean {
  // Whoever says it once more takes nothing back.
  if (quote === '' || isSameFact(earlier, quote)) return false
  return contradicts(earlier, quote) || (contradicts(earlier, text) && isSameFact(quote, text))
}

/** Somebody names what it replaces: then it is enough that the words are about that, and agree with the text. */
export function replaces(earlier: string, { text, quote }: Said): boolean {
  if (overrules(earlier, { text, quote })) return true
  return (
    quote !== '' && !isSameFact(earlier, quote) && similarity(earlier, quote) >= SAME_SUBJECT && agrees(quote, text)
  )
}

/** Said by a person; their own hand needs no proof. */
export function saidByPerson(fact: Pick<NewFact, 'author' | 'evidence'>): boolean {
  return fact.author === 'user' || fact.evidence.by === 'user'
}

/** What a file, a tool or a web page says closes no issue that a person opened. */
export function maySolve(
  issue: Pick<NewFact, 'author' | 'evidence'>,
  by: Pick<NewFact, 'author' | 'evidence'>,
): boolean {
  return !saidByPerson(issue) || by.author === 'user' || by.evidence.by !== 'tool'
}

export function saidIn({ text, author, evidence }: Pick<NewFact, 'text' | 'author' | 'evidence'>): Said {
  return { text, quote: author === 'user' ? text : evidence.quote }
}
