/** What the user said later about a decision, while neither a model nor the user has settled it: the decision is told with these words. */

import { compareText, dayOf, quotedWords, shortenTo, textOnOneLine } from '../../kernel/text/memory-words.ts'
import { splitSentences } from '../../kernel/text/sentences.ts'
import { cut } from '../../kernel/text/shorten.ts'
import { tellingWords } from '../../kernel/text/words.ts'
import { typedParts } from '../knowledge/evidence.ts'
import { type Fact, isLive, isPinned } from '../knowledge/item.ts'
import { byKind } from '../knowledge/items.ts'
import { PLAN_APPROVED } from '../notes/structure-facts.ts'
import { firstIdf } from '../search/engine.ts'
import type { BriefingInput } from './briefing-input.ts'

const WORDS_CHARS = 200
/** A longer prompt is a paste. */
const PROMPT_CHARS = 4_000
/** Of the weight of a word that only the decision, the prompt from which it came and this prompt hold. */
const LEAST_WEIGHT = 0.75
/** Of what the decision or the sentence says, whichever says less. Read on bench -- morning: a word like "prod" or two pairs of Japanese characters shares 0.05 to 0.25, the right ones 0.33 to 0.6. */
const LEAST_SHARE = 0.3
/** Of several, the last one of those that say nearly as much. */
const NEARLY = 0.75
/** What was chosen may be a number with a name's shape: `17.4`, `#222`. */
const NUMBERED = /#?\p{L}*\d[\p{L}\d._/-]*[\p{L}\d]/gu

interface Sentence {
  text: string
  words: ReadonlySet<number>
}

interface Prompt {
  at: string
  session: string
  n: number
  sentences: readonly Sentence[]
  /** Of all its sentences. */
  words: ReadonlySet<number>
  /** A note of a model or a person covers it: its author knew the decisions of models, but not those that code finds beside it. */
  isRead: boolean
}

/** By the ids of decisions: what is told behind their text. Without those of which the user has not spoken since, and settled ones. */
export function laterWords({ stories, facts }: Pick<BriefingInput, 'stories' | 'facts'>): ReadonlyMap<string, string> {
  const open = byKind(facts).decisions.filter(isOpenToWords)
  const prompts = open.length === 0 ? [] : stories.flatMap(promptsIn)
  const weightOf = weights([...prompts.map(({ words }) => words), ...open.map(({ text }) => tellingWords(text))])
  return new Map(
    open.flatMap((fact) => {
      const decided = tellingWords(fact.text)
      const weigh = (words: Iterable<number>): number => [...words].reduce((sum, word) => sum + weightOf(word), 0)
      const shared = ({ words }: Sentence): number => weigh([...words].filter((word) => decided.has(word)))
      const numbers = new Set<string>(fact.text.match(NUMBERED))
      // 0: about something else; a number that was chosen counts like one more word that nobody else uses.
      const strength = (one: Sentence): number => {
        const weight = shared(one)
        const isNumbered = (one.text.match(NUMBERED) ?? []).some((number) => numbers.has(number))
        const isEnough = weight >= LEAST_SHARE * Math.min(weigh(decided), weigh(one.words))
        return weight >= LEAST_WEIGHT && (isEnough || isNumbered) ? weight + Number(isNumbered) : 0
      }
      const said = prompts
        .filter((prompt) => isLater(prompt, fact) && !(prompt.isRead && fact.by !== 'extractive'))
        .flatMap(({ at, sentences }) => sentences.map((one) => ({ at, text: one.text, strength: strength(one) })))
        .filter((one) => one.strength > 0)
      const most = Math.max(...said.map((one) => one.strength))
      const [last] = said
        .filter((one) => one.strength >= NEARLY * most)
        .toSorted((a, b) => compareText(b.at, a.at) || b.strength - a.strength)
      const words = last === undefined ? null : shortenTo(textOnOneLine(last.text), WORDS_CHARS)
      if (last === undefined || words === null) return []
      return [[fact.id, `; on ${dayOf(last.at)} the user: ${quotedWords(words)}`] as const]
    }),
  )
}

/** An approved plan is spoken of in all that carries it out. */
function isOpenToWords(fact: Fact): boolean {
  const isPlan = fact.by === 'extractive' && fact.text.startsWith(PLAN_APPROVED)
  return isLive(fact) && !isPinned(fact) && fact.by !== 'user' && !isPlan
}

function promptsIn({ story, notes }: BriefingInput['stories'][number]): Prompt[] {
  return story.turns.flatMap(({ n, at, asked, plan, isOthers }): Prompt[] => {
    if (asked === '' || plan !== null || isOthers) return []
    const isRead = notes.some(({ from, to }) => n >= from && n < to)
    const typed = cut(asked, PROMPT_CHARS)
    const sentences = typedParts(typed)
      .flatMap(({ from, to }) => splitSentences(typed.slice(from, to)))
      // A time or a command says nothing about a decision.
      .filter((text) => /\p{L}/u.test(text) && !text.startsWith('/'))
      .map((text) => ({ text, words: tellingWords(text) }))
    const words = new Set(sentences.flatMap((one) => [...one.words]))
    return words.size === 0 ? [] : [{ at, session: story.id8, n, sentences, words, isRead }]
  })
}

function isLater({ at, session, n }: Prompt, { at: said, lastAt = said, session: own, evidence }: Fact): boolean {
  return compareText(at, lastAt) > 0 && (session !== own || n > evidence.entry)
}

/** As the search weighs words: what few texts hold says most. */
function weights(texts: readonly ReadonlySet<number>[]): (word: number) => number {
  const holding = new Map<number, number>()
  for (const words of texts) for (const word of words) holding.set(word, (holding.get(word) ?? 0) + 1)
  // The decision, the prompt from which it came, and the later one hold it.
  const rarest = firstIdf(texts.length, 3)
  return (word) => Math.min(1, firstIdf(texts.length, holding.get(word) ?? 0) / rarest)
}
