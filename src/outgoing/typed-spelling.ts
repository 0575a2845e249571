/** How people spell when they type fast: "dont", "thats", "u", "gonna", written out as the rules for sentences expect it. */

import { remembered } from '../text/once.ts'

/** Short forms that are no other word: "its", "were", "well" and "ill" are, and stay. */
const CONTRACTED: Readonly<Record<string, string>> = {
  dont: "don't",
  doesnt: "doesn't",
  didnt: "didn't",
  isnt: "isn't",
  arent: "aren't",
  wasnt: "wasn't",
  werent: "weren't",
  wont: "won't",
  cant: "can't",
  couldnt: "couldn't",
  shouldnt: "shouldn't",
  wouldnt: "wouldn't",
  hasnt: "hasn't",
  havent: "haven't",
  thats: "that's",
  whats: "what's",
  youre: "you're",
  theyre: "they're",
  youve: "you've",
  weve: "we've",
  ive: "i've",
  im: "i'm",
  u: 'you',
  ur: 'your',
  gonna: 'going to',
  wanna: 'want to',
  b4: 'before',
  bc: 'because',
  cuz: 'because',
  pls: 'please',
  plz: 'please',
  'w/': 'with',
  'w/o': 'without',
}
const WORD = /(?<![\p{L}\p{N}_./'-])(?:w\/o|w\/|[a-z0-9]{1,8})(?![\p{L}\p{N}_/'-]|\.\p{L})/gu
/** "this lets us …" is another word: only where a sentence or a clause begins it is an order to us all. */
const LETS = /(?<=^(?:(?:ok(?:ay)?|so|and|then|also|but|yeah|yes|no|now|well|haha)[,.!]* )*|[,;:] )lets(?= )/g

export interface Spelled {
  text: string
  /** The same place in what was typed. */
  typedAt: (at: number) => number
}

/** `lower`: in lower case. The same sentence is asked about by many rules. */
export const spellOut = remembered(spelled)

function spelled(lower: string): Spelled {
  const changes: { at: number; was: number; is: number }[] = []
  const replaced = (word: string, by: string, at: number): string => {
    changes.push({ at, was: word.length, is: by.length })
    return by
  }
  const orders = new Set([...lower.matchAll(LETS)].map(({ index }) => index))
  const text = lower.replace(WORD, (word, at: number) => {
    if (word === 'lets') return orders.has(at) ? replaced(word, "let's", at) : word
    const by = Object.hasOwn(CONTRACTED, word) ? CONTRACTED[word] : undefined
    return by === undefined ? word : replaced(word, by, at)
  })
  return { text, typedAt: (at) => placeBefore(changes, at) }
}

/** Inside of a word that was written out: where the word begins. */
function placeBefore(changes: readonly { at: number; was: number; is: number }[], place: number): number {
  let grown = 0
  for (const { at, was, is } of changes) {
    const begins = at + grown
    if (place <= begins) break
    if (place < begins + is) return at
    grown += is - was
  }
  return place - grown
}
