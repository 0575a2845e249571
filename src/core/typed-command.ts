/** Whether what a person typed orders a command about whose memory is read, who reads theirs, or what is set. */
import { typedOnly } from './typed-text.ts'

export type Order = 'trust' | 'restore' | 'untrust' | 'share'

/** Before the order itself. */
const ASKING =
  /^(?:(?:please|pls|ok(?:ay)?|yes|yeah|sure|claude|hey|now|and|then|so|run|do|just|i|we|(?:can|could|would|will) you|memory-keeper)(?![\p{L}\p{N}_-])[\s,:!]*|[!`/$*"“'\s]+)*/iu
/** What such an order is about. Anything else behind the verb is another order: "trust the process". */
const ABOUT = String.raw`(?:\s+(?:it|this|that|these|them|all|the|my|our|their|her|his|of|in|from|with|here|now|please|project(?:['’]s)?|repo(?:sitory)?(?:['’]s)?|memory|memories|directory|folder|files?|notes?|facts?|teammates?(?:['’]s?)?|colleagues?(?:['’]s?)?|team(?:['’]s)?|others|own|copies|again|too|anyway|[\p{L}\p{N}.-]+'s(?=\s+(?:memory|notes|facts))|(?:--)?as[ =][\p{L}\p{N}.-]+|--(?:yes|off|restore|json)))*`
const END = String.raw`[\s.!"”'${'`'}]*$`

const ORDERS: Readonly<Record<Order, RegExp>> = {
  trust: either('trust', String.raw`(?:이|그)?\s*(?:메모리|기억)(?:를|을)?\s*신뢰(?:해|하자|합니다)(?:\s*줘|주세요)?`),
  restore: either(
    String.raw`(?:trust\s+--restore|restore|(?:put|bring)\s+back|keep)`,
    String.raw`(?:내|제)\s*파일(?:을|로)?\s*(?:되돌려|복원해)(?:\s*줘|주세요)?`,
  ),
  untrust: either(
    String.raw`(?:untrust(?:\s+[\p{L}\p{N}.-]+(?=${END}))?|stop\s+(?:trusting|reading))`,
    String.raw`(?:이|그)?\s*(?:메모리|기억)(?:를|을)?\s*(?:더는\s*)?신뢰하지\s*마(?:세요)?`,
  ),
  share: either(
    String.raw`(?:share|stop\s+sharing)`,
    String.raw`(?:내|제|이)?\s*(?:메모리|기억)(?:를|을)?\s*공유(?:해|하자)(?:\s*줘|주세요)?`,
  ),
}

function either(english: string, korean: string): RegExp {
  return new RegExp(`^(?:${english}${ABOUT}|${korean})${END}`, 'iu')
}

/** "Trust this memory", "run memory-keeper trust --yes": a sentence that is the order and nothing else, and no question. */
export function ordersTo(prompt: string, order: Order): boolean {
  return sentencesOf(prompt).some((one) => ORDERS[order].test(one.replace(ASKING, '')))
}

const NO = /(?<![\p{L}\p{N}])(?:not|never|don'?t|leave|without|instead)(?![\p{L}\p{N}])|n't|지\s*마|않/iu
const SAYS: readonly (readonly [value: string, words: RegExp])[] = [
  ['true', /(?<![\p{L}\p{N}])(?:on|enabled?|activate|켜)(?![a-z0-9])/iu],
  ['false', /(?<![\p{L}\p{N}])(?:off|disabled?|deactivate|꺼)(?![a-z0-9])/iu],
]

/** "Set redaction to false", "turn redaction off": its name and what it is to be, in one sentence. */
export function ordersSetting(prompt: string, name: string, value: string): boolean {
  return sentencesOf(prompt).some((one) => {
    if (!holdsWord(one, name) || NO.test(one)) return false
    return holdsWord(one, value) || SAYS.some(([said, words]) => said === value && words.test(one))
  })
}

function holdsWord(sentence: string, word: string): boolean {
  const [all, one] = [` ${sentence.toLowerCase()} `, word.trim().toLowerCase()]
  const isEdge = (at: number): boolean => !/[\p{L}\p{N}_]/u.test(all[at] ?? ' ')
  for (let at = all.indexOf(one); one !== '' && at >= 0; at = all.indexOf(one, at + 1))
    if (isEdge(at - 1) && isEdge(at + one.length)) return true
  return false
}

/** Longer ones are about more than that. */
const MAX_CHARS = 200

function sentencesOf(prompt: string): string[] {
  return typedOnly(prompt)
    .replace(/[’ʼ]/g, "'")
    .split(/(?<=[.!?。！？])\s+|\n+|,\s+(?:and|then)\s+/)
    .map((one) => one.trim())
    .filter((one) => one !== '' && one.length <= MAX_CHARS && !/[?？]["”')]*$/.test(one))
}
