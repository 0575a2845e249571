/** Whether a later decision speaks against an earlier one: the same thing refused, or the same subject with another value. */

import { commonOf, isSameFact, similarity } from '../knowledge/fact-similar.ts'
import { isOvertaken } from './digest-overtaken.ts'
import { termsIn } from './fact-terms.ts'
import { isSwapped, isTurned, type Turns, turnsIn } from './fact-turns.ts'

/** Less alike, and they are about different things. */
export const SAME_SUBJECT = 0.3
/** Nearly the same words: then yes and no alone make the difference. */
const SAME_WORDS = 0.75

/** Only where it is clear: two decisions that can stand side by side do not contradict each other. */
export function contradicts(earlier: string, later: string): boolean {
  const alike = similarity(earlier, later)
  if (alike < SAME_SUBJECT || isSameFact(earlier, later)) return false
  return (
    (alike >= SAME_WORDS && isOpposite(earlier, later)) || isOvertaken(earlier, later) || isRevalued(earlier, later)
  )
}

/** The same terms, said no to in one of them only, or with refused and chosen exchanged. */
function isOpposite(earlier: string, later: string): boolean {
  const [a, b] = [termsIn(earlier), termsIn(later)]
  if (a.core.some((one) => !b.all.includes(one)) && b.core.some((one) => !a.all.includes(one))) return false
  const common = commonOf(a, b)
  const [before, after] = [turnsIn(a), turnsIn(b)]
  const isRefusing = (turns: Turns): boolean => [...turns.no].some((term) => common.has(term))
  if (!isRefusing(before) && !isRefusing(after)) return false
  return isTurned({ ...before, places: NONE }, { ...after, places: NONE }, common) || isSwapped(a, b)
}

const NONE: ReadonlyMap<string, ReadonlySet<string>> = new Map()

const CHANGED =
  /\b(?:actually|instead|from now on|no longer|switch(?:ed|ing)?|mov(?:e|ed|ing) to|chang(?:e|ed|ing)|now)\b|^(?:no|wait|nein|doch)\b|^아니|이제|앞으로|바꾸|바꿔|변경|교체/i
/** `IDs are ULIDs`: what something is, in one or two words. */
const IS =
  /^(?:the |our |all )?([^,.;:]{2,60}?) (?:is|are|will be|should be|must be) (?:the |an? )?((?:[\w@.+#-]+ ?){1,2})[.!]?$/i
const KOREAN_IS =
  /^(?:아니,? |이제 |앞으로 )?([^,.;]{2,40}?)(?:은|는) ([^\s,.;]{1,20}?)(?:으로|로|하|하기로) ?(?:하자|한다|하죠|합시다|합니다|했다|쓰자|쓴다|통일|결정|변경|바꾸자|가자|함)/u
/** `… use X for S`: the thing, and what it is for. */
const USED_FOR = /\b(?:use|go with|prefer|switch to|move to)\s+((?:[\w@.+#-]+\s){1,3})for\s+([^,.;]{2,60})/i

/** The same subject gets another value, said as a change, or where there can only be one. */
function isRevalued(earlier: string, later: string): boolean {
  const hasOther = (pattern: RegExp, subject: number, value: number): boolean => {
    const [before, after] = [pattern.exec(earlier), pattern.exec(later)]
    if (before === null || after === null) return false
    return sameTerms(before[subject] ?? '', after[subject] ?? '') && areApart(before[value] ?? '', after[value] ?? '')
  }
  if (hasOther(IS, 1, 2) || hasOther(KOREAN_IS, 1, 2)) return true
  return CHANGED.test(later) && hasOther(USED_FOR, 2, 1)
}

function sameTerms(a: string, b: string): boolean {
  const [x, y] = [termsIn(withoutChange(a)).all, termsIn(withoutChange(b)).all]
  return x.length > 0 && x.length === y.length && x.every((term) => y.includes(term))
}

function withoutChange(text: string): string {
  return text.replace(/\bfrom now on\b|\bnow\b|\banymore\b|\bagain\b/gi, ' ')
}

function areApart(a: string, b: string): boolean {
  const [x, y] = [termsIn(a).all, termsIn(b).all]
  return x.length > 0 && y.length > 0 && !x.some((term) => y.includes(term))
}
