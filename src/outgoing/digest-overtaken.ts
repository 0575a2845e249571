/** Whether a later decision takes an earlier one back: the same thing refused, or the same subject with another value. */
import { factWords, negatedOf, shareOfWords } from '../knowledge/fact-similar.ts'
import { remembered } from '../text/once.ts'

const SAME_SUBJECT = 0.85
/** A thing somebody settles on, up to what it is for. */
const CHOSEN =
  /\b(?:use|using|go with|went with|keep|stick (?:with|to)|switch(?:ed)? to|stay (?:with|on)|settled? on|move to|prefer|choose|chose|pick|take|verwenden|nehmen|nutzen)\s+((?:[\p{L}\p{N}_.@/+#-]+\s*){1,4})/giu
const CHOSEN_KOREAN =
  /([\p{L}\p{N}_.@/+#-]+?)(?:을|를|으로|로)\s*(?:쓰|써|사용|하자|하죠|합시다|가자|통일|결정|확정|해)/gu
/** A thing somebody turns away from. */
const REFUSED =
  /\b(?:(?:not|never|don't|stop|without|avoid|instead of|rather than|drop(?:ped|ping)?|removed?|no longer|stopped|statt|anstatt)\s+(?:use\s+|using\s+|keep\s+|go with\s+)?|over\s+|from\s+(?=\S+\s+to\b))((?:[\p{L}\p{N}_.@/+#-]+\s*){1,4})/giu
const REFUSED_KOREAN = /([\p{L}\p{N}_.@/+#-]+?)(?:을|를|은|는)?\s*(?:대신|말고|쓰지|사용하지)/gu
/** Where a thing ends and what it is for begins. */
const BEHIND =
  /^(?:for|in|on|as|to|with|at|from|when|while|because|since|so|and|but|or|not|instead|rather|over|then|now|here|there|everywhere|anymore|any|again|für|in|bei|weil|statt)$/i
const ARTICLE = /^(?:the|a|an|our|this|that|these|those|it|them|der|die|das|den)$/i
const SCOPE = /\b(?:for|in|on|as|when|für|bei)\s+([^.;,]{2,80})|(\S+)(?:에는|에서는|에서|에)\s/giu
/** `캐시는 Redis로`: what is settled, and how. */
const KOREAN_FRAME = /^(?:.*[,.] )?([^,.]{1,40}?)(?:은|는) ([^,.]{1,40}?)(?:으로|로) /u

/** Only where it is clear; two decisions that can stand side by side both stay. */
export function isOvertaken(earlier: string, later: string): boolean {
  return (
    isRefusedLater(earlier, later) ||
    hasOtherNumbers(earlier, later) ||
    hasOtherFrame(earlier, later) ||
    hasOtherAnswer(earlier, later)
  )
}

function isRefusedLater(earlier: string, later: string): boolean {
  const chosen = chosenIn(earlier)
  const refused = refusedIn(later)
  if (!refused.some((thing) => chosen.includes(thing))) return false
  const [before, after] = [scopeOf(earlier), scopeOf(later)]
  return before.size === 0 || after.size === 0 || shareOfWords(before, after) > 0
}

const chosenIn = remembered((text): readonly string[] => thingsIn(text, [CHOSEN, CHOSEN_KOREAN]))
const refusedIn = remembered((text): readonly string[] => thingsIn(text, [REFUSED, REFUSED_KOREAN]))

function thingsIn(text: string, patterns: readonly RegExp[]): string[] {
  const refused = negatedOf(text)
  return patterns.flatMap((pattern) =>
    [...text.matchAll(pattern)].flatMap((match) => {
      const words = (match[1] ?? '').split(/\s+/)
      while (ARTICLE.test(words[0] ?? '')) words.shift()
      const end = words.findIndex((word) => word === '' || BEHIND.test(word) || /[.!?]$/.test(word))
      const isLast = /[.!?]$/.test(words[end] ?? '')
      const thing = words.slice(0, end < 0 ? words.length : end + (isLast ? 1 : 0))
      const name = thing
        .join(' ')
        .toLowerCase()
        .replace(/[.!?]+$/, '')
      const isSaidNoTo = (pattern === CHOSEN || pattern === CHOSEN_KOREAN) && refused.has(name)
      return name === '' || isSaidNoTo ? [] : [name]
    }),
  )
}

function scopeOf(text: string): Set<string> {
  return factWords([...text.matchAll(SCOPE)].map((match) => match[1] ?? match[2] ?? '').join(' '))
}

/** The same words with other numbers: a limit, a port, a version that was changed. */
function hasOtherNumbers(earlier: string, later: string): boolean {
  const numbers = /\d+(?:[.,]\d+)*/g
  const [before, after] = [earlier.match(numbers) ?? [], later.match(numbers) ?? []]
  if (before.length !== 1 || after.length !== 1 || before[0] === after[0]) return false
  const rest = (text: string): Set<string> => factWords(text.replace(CHANGE_OF_MIND, '').replace(numbers, ' '))
  // `test 1`, `step 2` count things; a value stands behind a word that leads to it, or has a unit.
  return isValue(earlier) && isValue(later) && shareOfWords(rest(earlier), rest(later)) >= SAME_SUBJECT
}

const CHANGE_OF_MIND =
  /^(?:no|actually|wait|hmm|ok(?:ay)?|on second thought|sorry|from now on|아니|잠깐|앞으로|앞으로는|nein|doch)[,.!:]?\s+/i
const VALUE =
  /\b(?:to|at|of|is|be|port|version|limit|timeout|node|python|=|below|above|than|within|after|every)\s+v?\d|\d+(?:[.,]\d+)*\s?(?:%|[kmg]?b\b|m?s\b|min|sec|hour|day|days|일|초|분|시간|개|번|회|px)/i

function isValue(text: string): boolean {
  return VALUE.test(text)
}

function hasOtherFrame(earlier: string, later: string): boolean {
  const [before, after] = [KOREAN_FRAME.exec(earlier), KOREAN_FRAME.exec(later)]
  if (before === null || after === null) return false
  const subject = (match: RegExpExecArray): string => (match[1] ?? '').replace(CHANGE_OF_MIND, '').trim()
  return subject(before) === subject(after) && before[2] !== after[2]
}

/** The same question of Claude, answered otherwise. */
function hasOtherAnswer(earlier: string, later: string): boolean {
  const [before, after] = [earlier.split(' → '), later.split(' → ')]
  return before.length === 2 && after.length === 2 && before[0] === after[0] && before[1] !== after[1]
}
