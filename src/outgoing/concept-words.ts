/** What a topic's name or a sentence is about, as units that can be compared: identifiers split, endings gone, English and Korean under one key. */

import { stem } from '../text/stem.ts'
import { STOP_WORDS } from '../text/stop-words.ts'
import { ABBREVIATIONS, HALF_SAYING, KOREAN_WORDS, LITTLE_SAYING, OWN_STEM, WHOLE_WORDS } from './concept-lexicon.ts'

export interface WordUnit {
  /** As it was written, in lower case; Korean without its ending. */
  written: string
  /** The full English word, where it is a short form or a translation. */
  word: string
  /** What forms and translations of it share. */
  key: string
  /** How much it tells, 0..1. */
  weight: number
}

export const RUNS =
  /[\uac00-\ud7a3]+|[\u3040-\u30ff\u3400-\u9fff\u3005]+|[^\W_\uac00-\ud7a3]+(?:\+\+|#)?|[\p{L}\p{N}]+/gu
const CAMEL = /(?<=[\p{Ll}\d])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u
const HANGUL = /^[\uac00-\ud7a3]/
/** What a verb leaves on the noun it is made of. */
const VERB_END =
  /(?:하기|하는|하다|한다|했다|하고|하며|하면|하자|하지|하게|해야|해서|해도|했음|합니다|했습니다|시킨다|시키기|되는|되다|된다|됐다|되지|되면|되어|됩니다|됐습니다|이어야|입니다|이다|이며|한|할|된|될|됨|함)$/
const PARTICLE =
  /(?:에서는|에서도|으로는|으로만|에서|으로|부터|까지|에게|한테|보다|처럼|마다|이나|에는|에도|에만|와의|과의|들은|들이|들을|들의|들|은|는|이|가|을|를|의|에|로|와|과|도|만)$/
/** Words around the nouns, and particles that stand behind a word in another script. */
const KOREAN_STOP =
  /^(?:에서는|에서도|으로는|으로만|에서|으로|부터|까지|에게|까지만|보다|처럼|마다|에는|에도|로만|은|는|이|가|을|를|의|에|로|와|과|도|만|수|것|때|때만|더|안|못|및|또는|그리고|하지만|그래서|한다|하다|했다|해야|합니다|했습니다|하기로|하지|하고|않는다|않다|않고|않기로|있다|있는|있어야|없다|없는|없을|된다|되는|위해|위한|대한|대해|통해|따라|그|저|두|한|세|첫)$/
const MIN_KOREAN = 2
const MAX_ENDINGS = 2
const LITTLE = 0.25
const HALF = 0.5

/** In the order they stand; stop words are left out. */
export function unitsOf(text: string): WordUnit[] {
  const units: WordUnit[] = []
  for (const [run] of text.normalize('NFKC').matchAll(RUNS)) units.push(...unitsOfRun(run))
  return units
}

/** One run of letters: a word, an identifier, Korean with what is attached to it. */
export function unitsOfRun(run: string): WordUnit[] {
  if (HANGUL.test(run)) return koreanParts(run).map(unitOf)
  return splitCamel(run)
    .map((part) => part.toLowerCase())
    .filter((word) => !STOP_WORDS.has(word))
    .map(unitOf)
}

function splitCamel(run: string): string[] {
  return WHOLE_WORDS.has(run.toLowerCase()) ? [run] : run.split(CAMEL)
}

/** Units are few and come often. */
const known = new Map<string, WordUnit>()
const KNOWN_MAX = 20_000

function unitOf(word: string): WordUnit {
  let unit = known.get(word)
  if (unit === undefined) {
    const full = KOREAN_WORDS.get(word) ?? ABBREVIATIONS.get(word) ?? ABBREVIATIONS.get(singular(word)) ?? word
    const key = OWN_STEM.has(full) ? full : stem(full)
    unit = { written: word, word: full, key, weight: LITTLE_SAYING.has(key) ? LITTLE : HALF_SAYING.has(key) ? HALF : 1 }
    if (known.size >= KNOWN_MAX) known.clear()
    known.set(word, unit)
  }
  return unit
}

function singular(word: string): string {
  return /[^s]s$/.test(word) ? word.slice(0, -1) : word
}

/** A Korean word with what is attached to it, as the nouns it is made of. */
function koreanParts(run: string): string[] {
  if (KOREAN_STOP.test(run)) return []
  const bare = withoutEnding(run)
  if (KOREAN_WORDS.has(bare)) return [bare]
  for (let length = bare.length - MIN_KOREAN; length >= MIN_KOREAN; length--) {
    if (KOREAN_WORDS.has(bare.slice(0, length))) return [bare.slice(0, length), ...koreanParts(bare.slice(length))]
    if (KOREAN_WORDS.has(bare.slice(-length))) return [...koreanParts(bare.slice(0, -length)), bare.slice(-length)]
  }
  return [bare]
}

/** "저장하기로" wears two of them. */
function withoutEnding(run: string): string {
  let bare = run
  for (let i = 0; i < MAX_ENDINGS && !KOREAN_WORDS.has(bare); i++) {
    const shorter = [bare.replace(VERB_END, ''), bare.replace(PARTICLE, '')].find(
      (one) => one !== bare && (one.length >= MIN_KOREAN || KOREAN_WORDS.has(one)),
    )
    if (shorter === undefined) break
    bare = shorter
  }
  return bare
}
