/** `forget --query`: which texts it names. Also inside of other words: afterwards no file contains it. */
import { KeeperError } from '../platform/error.ts'
import { foldedText, foldedWords, lineSentences } from '../text/repeated.ts'
import { STOP_WORDS } from '../text/words.ts'

const LEAST_CHARS = 3
const LEAST_UNSPACED = 2
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u

/** The words in a row, or all of them in one sentence; in quotes, only in a row. Throws where nearly every text would match. */
export function queryTest(query: string): (text: string) => boolean {
  const quoted = /^\s*(["“„«'])(.+)["”“»']\s*$/s.exec(query)?.[2]
  const phrase = onOneLine(quoted ?? query)
  const words = phrase.split(' ')
  if (!words.some((word) => word.length >= (UNSPACED.test(word) ? LEAST_UNSPACED : LEAST_CHARS)))
    throw new KeeperError(
      'usage',
      `"${query.trim()}" is too short: nearly everything contains it. Give a word of at least ${LEAST_CHARS} letters, or an id.`,
    )
  if (foldedWords(phrase).every((word) => STOP_WORDS.has(word)))
    throw new KeeperError(
      'usage',
      `Nearly everything contains "${query.trim()}". Add a word that only this has, or give an id: memory-keeper search finds ids.`,
    )
  const isPhraseOnly = quoted !== undefined || words.length === 1
  return (text) => {
    const said = onOneLine(text)
    if (said.includes(phrase)) return true
    if (isPhraseOnly || !words.every((word) => said.includes(word))) return false
    return lineSentences(text).some((sentence) => words.every((word) => onOneLine(sentence).includes(word)))
  }
}

function onOneLine(text: string): string {
  return foldedText(text).replace(/\s+/g, ' ').trim()
}
