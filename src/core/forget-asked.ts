/** Whether a person's prompt asks to forget something: said as an order, about exactly that. "Don't forget d001" is none. */
import { isStopWord } from './forget-common.ts'
import { folded, tokensOf } from './forget-words.ts'
import { typedOnly } from './typed-text.ts'

/** Longer texts are about more than that. */
const MAX_CHARS = 500
/** Before the order itself. */
const ASKING =
  /^(?:(?:please|pls|ok(?:ay)?|yes|claude|hey|now|and|then|run|execute|just|also|you can|you may|(?:can|could|would|will) you|i want you to|bitte|좀|이제)(?![\p{L}\p{N}])[\s,:!]*|[!`/]+|\S*memory-keeper(?:\.cmd)?(?![\p{L}\p{N}-])[\s:]*)*/iu
const ORDER = /^(?:forget|erase|wipe|delete|remove|vergiss|vergessen|lösch\p{L}*)(?![\p{L}\p{N}_'-])/iu
/** Said of code, too, all day long: of the memory only where it is named. */
const OF_ANYTHING = /^(?:erase|wipe|delete|remove|lösch)|(?:지워|삭제|제거)|(?:削除して|消して)|(?:删除|刪除)/iu
const OF_MEMORY = /\bmemor(?:y|ies)\b|memory-keeper|gedächtnis|기억|메모리|記憶|记忆|記忆/iu
/** Languages whose order stands at the end. */
const ORDER_BEHIND =
  /(?:잊어|지워|삭제|제거) ?(?:줘|주세요|버려|버리세요|해|해줘|해 ?주세요|하세요|하자|해라)?[\s.!~]*$|(?:忘れて|削除して|消して)[^。]{0,8}[\s。!！]*$|(?:忘记|忘掉|删除|刪除)[^。]{0,40}$/u
const AGAINST =
  /\b(?:not|never|cannot|nothing|don't|dont|didn't|doesn't|won't|shouldn't|nicht|kein\w*|if|when|unless|until|before|later|tomorrow|maybe|should|could|would|except)\b|지 ?마|말고|말아|않|나중|ないで|不要|别/iu

/** Around what an order is about. */
const FILLERS: readonly string[] =
  'everything anything all whatever thing things stuff word words page note session entry fact decision pattern issue rule instruction concept query before yes memory keeper please again now too alles über von zu 전부 모두 모든 것 대해 관한 대한 내용'.split(
    ' ',
  )

/** An id as search, show and facts print it; anything else is words. */
export function isForgetId(said: string): boolean {
  return /^(?:[a-z]\d{1,9}|n-\S+|L1:\S+|S:\S+|page:\S+|[0-9a-f]{8}(?:-[0-9a-f-]+)?(?:#\d+(?:-\d+)?)?)$/i.test(said)
}

/** `wanted`: an id, a day or words, as the command was given them. Words must be all that the order is about. */
export function asksToForget(prompt: string, wanted: string): boolean {
  const name = folded(wanted).replace(/\s+/g, ' ').trim()
  if (prompt.length > MAX_CHARS || name === '') return false
  const typed = folded(typedOnly(prompt)).replace(/[’ʼ]/g, "'")
  const isNamed = isForgetId(wanted.trim()) || /^\d{4}-\d\d-\d\d$/.test(name) ? names : isAbout
  const isId = isNamed === names
  return sentencesIn(typed).some(
    (sentence) => isOrder(sentence) && isNamed(sentence, name) && (isId || isOfMemory(sentence)),
  )
}

function isOfMemory(sentence: string): boolean {
  return !OF_ANYTHING.test(sentence.replace(ASKING, '')) || OF_MEMORY.test(sentence)
}

/** A dot inside of an id, a day or a name ends nothing. */
function sentencesIn(typed: string): string[] {
  return typed.split(/(?<=[.!?。！？;])\s+|\n+/).map((one) => one.replace(/\s+/g, ' ').trim())
}

function isOrder(sentence: string): boolean {
  const order = sentence.replace(ASKING, '')
  const isPolite = /^(?:please |claude,? |ok(?:ay)?,? )*(?:can|could|would|will) you\b/.test(sentence)
  const rest = isPolite ? order : sentence
  if (AGAINST.test(rest.replace(/--[\w-]+/g, ' ')) || (/[?？]\s*$/.test(sentence) && !isPolite)) return false
  return ORDER.test(order) || ORDER_BEHIND.test(sentence)
}

/** As a whole: `d001` is not `d0012`. */
function names(sentence: string, name: string): boolean {
  const at = sentence.indexOf(name)
  const isPart = (sign: string | undefined): boolean => sign !== undefined && /[\p{L}\p{N}_]/u.test(sign)
  if (at < 0) return false
  const isLatin = /^[\p{ASCII}]+$/u.test(name)
  const behind = sentence[at + name.length]
  // A particle may follow a name in Korean or Japanese.
  const endsThere = !isPart(behind) || (isLatin && /[^\p{ASCII}]/u.test(behind ?? ''))
  return (!isPart(sentence[at - 1]) && endsThere) || !isLatin
}

/** Neither less than the order says (one word of it would be in half of the memory) nor more. */
function isAbout(sentence: string, name: string): boolean {
  const wanted = tokensOf(name)
  if (wanted.every(isStopWord)) return false
  const order = sentence
    .replace(ASKING, '')
    .replace(ORDER, '')
    .replace(ORDER_BEHIND, (behind) => objectIn(behind))
  const said = tokensOf(order)
  const isOf = (word: string, given: string): boolean =>
    word === given || (word.startsWith(given) && PARTICLE.test(word.slice(given.length)))
  const isWanted = (word: string): boolean => wanted.some((given) => isOf(word, given))
  return (
    wanted.every((given) => said.some((word) => isOf(word, given))) &&
    said.every((word) => isWanted(word) || isStopWord(word) || FILLERS.some((one) => isOf(word, one)))
  )
}

/** Behind a verb that stands before its object. */
function objectIn(order: string): string {
  return order
    .replace(/^(?:忘记|忘掉|删除|刪除)/u, '')
    .replace(/^(?:잊어|지워|삭제|제거|忘れて|削除して|消して).*$/u, '')
}

/** A particle may follow a name in Korean or Japanese. */
const PARTICLE = /^[^\p{ASCII}]{1,3}$/u
