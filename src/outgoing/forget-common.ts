/** Words of everybody: they give away nothing, wherever they stand. */

import { stem } from '../text/stem.ts'
import { STOP_WORDS } from '../text/stop-words.ts'
import { HALF_SAYING, LITTLE_SAYING } from './concept-lexicon.ts'

/** What our own renderings say. */
const OURS =
  'asked then went on changed created edited removed ran committed decided fixed open result looked failed times prompt tool use entry session utc week month goes more note memory newest last made code summary write stays yours edit comment below date says keeper page rule delta waits sentence'

const OUR_STEMS: ReadonlySet<string> = new Set(OURS.split(' ').map(stem))

/** The most frequent words of other languages that are told with spaces. */
const OTHERS: ReadonlySet<string> = new Set(
  'und oder der die das den dem des ein eine einen ist sind war mit von für auf nicht auch wir ich sie es zu im in le la les des du un une et ou est sont avec pour dans que qui pas nous vous il el los las una uno y o es son con por para que en no se lo di che per non sono del della e ou um uma os as com não'.split(
    ' ',
  ),
)

/** It stands in nearly every text. */
export function isStopWord(word: string): boolean {
  return STOP_WORDS.has(word) || OTHERS.has(word)
}

export function isCommonWord(word: string): boolean {
  if (isStopWord(word)) return true
  const root = stem(word)
  return OUR_STEMS.has(root) || LITTLE_SAYING.has(root) || HALF_SAYING.has(root)
}
