/** `forget --query`: which texts it means. As written, also inside of other words: afterwards no file holds it. */
import { KeeperError } from '../platform/error.ts'
import { isStopWord } from './forget-common.ts'
import { folded, forgetSentences, tokensOf } from './forget-words.ts'

const LEAST_CHARS = 3
const LEAST_UNSPACED = 2
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u

/** The words in a row, or all of them in one sentence; in quotes, only in a row. Throws where it would mean nearly everything. */
export function queryTest(query: string): (text: string) => boolean {
  const quoted = /^\s*(["“„«'])(.+)["”“»']\s*$/s.exec(query)?.[2]
  const phrase = plain(quoted ?? query)
  const words = phrase.split(' ')
  if (!words.some((word) => word.length >= (UNSPACED.test(word) ? LEAST_UNSPACED : LEAST_CHARS))) {
    throw new KeeperError(
      'usage',
      `"${query.trim()}" is too short: nearly everything holds it. Give a word of at least ${LEAST_CHARS} letters, or an id.`,
    )
  }
  if (tokensOf(phrase).every(isStopWord)) {
    throw new KeeperError(
      'usage',
      `Nearly everything says "${query.trim()}". Add a word that only this has, or give an id: memory-keeper search finds ids.`,
    )
  }
  const isPhraseOnly = quoted !== undefined || words.length === 1
  return (text) => {
    const said = plain(text)
    if (said.includes(phrase)) return true
    if (isPhraseOnly || !words.every((word) => said.includes(word))) return false
    return forgetSentences(text).some((sentence) => words.every((word) => plain(sentence).includes(word)))
  }
}

function plain(text: string): string {
  return folded(text).replace(/\s+/g, ' ').trim()
}
