/** Whether a text that is to be kept for good is what a person typed: nearly all its telling words, with the same yes or no. */
import { contradicts } from './fact-contradict.ts'
import { tellingWords } from './telling-words.ts'
import { typedOnly } from './typed-text.ts'

/** Less of its words in the prompt: somebody added to it. */
const MOST = 0.8
const NEGATED =
  /\b(?:not|never|no|none|nothing|without|avoid|stop|cannot|nicht|nie|niemals|kein\w*)\b|n't\b|\bdont\b|않|말(?:고|아|자|라|것)|(?<=지 ?)마|(?<![\p{L}])(?:안|못) |절대|금지|ない|禁止|不要|不/iu

export function isAskedIn(prompt: string, text: string): boolean {
  const wanted = tellingWords(text)
  if (wanted.size === 0) return false
  const typed = typedOnly(prompt).replace(/[’ʼ]/g, "'")
  const said = typed
    .split(/(?<=[.!?。！？])\s+|\n+/)
    .filter((one) => one.trim() !== '' && !/[?？]["”')]*\s*$/.test(one))
  const holds = (part: string): boolean => {
    const known = tellingWords(part)
    return [...wanted].filter((word) => known.has(word)).length / wanted.size >= MOST
  }
  const isNegated = NEGATED.test(text.replace(/[’ʼ]/g, "'"))
  const parts = said.filter(holds)
  return (parts.length > 0 ? parts : [said.join(' ')].filter(holds)).some(
    (part) => NEGATED.test(part) === isNegated && !contradicts(part, text),
  )
}

/** "Write the architecture page": what stands in it is left to Claude. */
export function asksForPage(prompt: string, name: string): boolean {
  const typed = typedOnly(prompt).toLowerCase()
  const isNamed = new RegExp(`(?<![\\p{L}\\p{N}])${name.toLowerCase().replace(/\W/g, '.')}(?![\\p{L}\\p{N}-])`, 'u')
  const asking = typed.split(/(?<=[.!?。！？])\s+|\n+/).filter((one) => isNamed.test(one) && PAGE.test(one))
  return asking.some((one) => !/[?？]\s*$/.test(one) && !NEGATED.test(one))
}

const PAGE = /\bpages?\b|\bmemory-set\b|페이지|ページ|页/

/** Before the order itself. */
const ASKING =
  /^(?:(?:please|pls|ok(?:ay)?|yes|claude|hey|now|and|then|run|just|(?:can|could|would|will) you|memory-keeper)[\s,:!]*|[!`/]+)*/i
const UNDO =
  /^(?:undo|take (?:it|that|this|the last change) back)(?![\p{L}\p{N}_])|^(?:되돌려|되돌리|실행 ?취소)|^(?:元に戻|撤销)/iu
/** All that may stand around it: "undo the last commit" is about something else. */
const ABOUT_IT =
  /^(?:it|that|this|my|the|last|latest|previous|change|changes|one|again|now|please|back|fact|facts|note|rule|lesson|page|pin|edit|decision|issue|of|in|to|memory|memory-keeper|--\w+|you|[a-z]\d{1,9}|n-\S+|해|해줘|주세요|줘|してください|して)$/i
/** Longer texts are about more than that. */
const MAX_UNDO_CHARS = 120

/** "Undo that, please": what the user changed last is to be as before. */
export function asksToUndo(prompt: string): boolean {
  const typed = typedOnly(prompt).replace(/[’ʼ]/g, "'").trim()
  if (typed.length > MAX_UNDO_CHARS || NEGATED.test(typed)) return false
  const isAsked = /[?？]\s*$/.test(typed) && !/\byou\b/i.test(typed)
  const order = typed.replace(ASKING, '')
  const around = order.replace(UNDO, '').split(/[\s,.!?`"'？。]+/)
  return !isAsked && UNDO.test(order) && around.every((word) => word === '' || ABOUT_IT.test(word))
}
