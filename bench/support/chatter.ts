/** Dialogues in which Claude answers every turn at length: tells it back, and goes on about other things. */

import type { Said } from './corpus.ts'
import { type Conversation, wordsOf } from './locomo.ts'
import { createRandom } from './random.ts'

/** Sentences about other things in each answer: about ten times what the person wrote. */
const ASIDES = 8
const SEED = 7

export function withChatter(conversations: readonly Conversation[]): Conversation[] {
  const random = createRandom(SEED)
  return conversations.map((own) => {
    const others = conversations.flatMap(({ said }, n) => (conversations[n] === own ? [] : said.map(wordsOf)))
    const aside = (): string => others[Math.floor(random() * others.length)] ?? ''
    const said = own.said.flatMap((one, n) => {
      const before = own.said[n - 1]
      const answer = answerTo(
        one,
        before?.session === one.session ? before : null,
        Array.from({ length: ASIDES }, aside),
      )
      return [one, { ...one, id: `${one.id} answered`, role: 'assistant' as const, text: answer }]
    })
    return { said, questions: own.questions }
  })
}

/** The words of the turn twice, those of the turn before once. */
function answerTo(said: Said, before: Said | null, asides: readonly string[]): string {
  const words = wordsOf(said)
  return [
    `It sounds like you are saying: ${words}`,
    ...(before === null ? [] : [`Earlier you mentioned ${wordsOf(before)}`]),
    ...asides,
    `To sum up, ${words}`,
  ].join(' ')
}
