/** Sentences that say something only together with others: what "it" is stands before, what is gone was open before. */

import { closeness } from '../knowledge/fact-similar.ts'
import type { Sentence } from '../text/sentences.ts'
import { isOffer, isPlan, isQuestion } from './digest-words.ts'

/** Every word of a sentence that names nothing: who, whether, and how far. */
const NAMELESS = new Set(
  (
    "i we you they i've we've i'm it it's its this that that's these those them they're he one both is isn't are aren't was wasn't were be been being has hasn't have haven't had hadn't do don't does doesn't did didn't can can't cannot could couldn't will won't would need needs still not never yet so far also now again already just only fully really and but however though " +
    'fix fixed fixing solve solved resolve resolved work works working done finish finished open broken fails failing failed pending unresolved unfixed outstanding remain remains remaining left todo later test tested check checked verify verified verified reproduce reproduced look looked into touch touched address addressed here there for to of on in at the a an any me us today issue problem bug'
  ).split(' '),
)
const POINTS = /\b(?:it|it's|this|that|that's|these|those|them)\b/
const NAMELESS_KOREAN =
  /^(?:이건|그건|이것은|그것은|이것도|그것도|이 문제는|그 문제는|이 부분은|그 부분은|이|그|문제는|문제가|문제를|부분은|아직|여전히|다만|하지만|못|안|고치지|해결하지|수정하지|해결되지|고쳐지지|확인하지|손대지|않았(?:습니다|어요|음|다|네요)?|않은|못했(?:습니다|어요|음|다)?|못|고쳤(?:습니다|어요|다)|해결(?:했|됐|되었)(?:습니다|어요|다)|상태입니다|남아|있습니다|남았습니다)$/

/** The sentence that says what this one points back at; null: none does. Undefined: it names what it is about itself. */
export function statedBefore(sentences: readonly Sentence[], at: number): Sentence | null | undefined {
  const { text = '' } = sentences[at] ?? {}
  if (!isNameless(text)) return undefined
  const before = sentences[at - 1]
  return before === undefined || isNameless(before.text) || isQuestion(before.text) || isPlan(before.text)
    ? null
    : before
}

function isNameless(text: string): boolean {
  const words =
    text
      .toLowerCase()
      .replace(/[’ʼ]/g, "'")
      .match(/[\p{L}\p{N}']+/gu) ?? []
  if (words.some((word) => /[\uac00-\ud7a3]/.test(word))) return words.every((word) => NAMELESS_KOREAN.test(word))
  return words.length > 0 && POINTS.test(words.join(' ')) && words.every((word) => NAMELESS.has(word))
}

const GONE =
  /\bno longer\b|\b(?:not|\w+n't)\b.{1,80}\bany ?more\b|\b(?:is|are) gone\b|\b(?:went|goes) away\b|더\s?이상 .{1,80}(?:않|없)|(?:사라졌|없어졌)|\bnicht mehr\b/

/** Whether it says that one of these issues is over. An issue may itself be that something no longer works. */
export function isGoneNow(text: string, issues: readonly string[]): boolean {
  if (!GONE.test(text.toLowerCase()) || isQuestion(text) || isPlan(text) || isOffer(text)) return false
  return issues.some((issue) => !GONE.test(issue.toLowerCase()) && closeness(issue, text) > 0)
}
