/** What a prompt is after: whether it asks about what was, what it names, what kind of sentence would answer it. */

import { traitsOf } from '../search/traits.ts'
import { stemOf } from '../text/token.ts'
import { tokenSpans } from '../text/words.ts'

/** Words written as names: a capital inside a sentence. */
export function namesIn(prompt: string): Set<number> {
  const names = new Set<number>()
  for (const { token, from, to } of tokenSpans(prompt)) {
    const isInside = !isBeginning(prompt, from)
    if (isInside && /^\p{Lu}\p{Ll}+(?:['’]s)?$/u.test(prompt.slice(from, to))) names.add(stemOf(token))
  }
  return names
}

/** Nothing but spaces since the last sentence, line, or the beginning. */
function isBeginning(prompt: string, at: number): boolean {
  let before = at - 1
  while (prompt[before] === ' ' || prompt[before] === '\t') before--
  return before < 0 || '.!?:\n'.includes(prompt.charAt(before))
}

const KINDS_ASKED: readonly (readonly [RegExp, RegExp])[] = [
  [/\b(?:commands?|one-?liner|flags?|script)\b|명령/i, /`|\$ |(?:^|\s)--?\w|&&|\bgit \w/],
  [/\b(?:files?|folder|directory|path|where|module)\b|파일|폴더|경로|어디/i, /[\w-]+\.[a-z]{1,5}\b|[\w-]+\/[\w-]/i],
  [
    /\b(?:errors?|fail\w*|complain\w*|refused|rejected|broke)\b|에러|오류|실패/i,
    /error|fail|cannot|not found|denied|refused|undefined/i,
  ],
  [/\b(?:how many|how much|number|count|version|size|line|percent|timeout|default)\b|몇|개수|버전/i, /\d/],
]

/** What a sentence has that answers such a question. */
export function kindAsked(prompt: string, wants: number): (sentence: string) => boolean {
  const asked = KINDS_ASKED.find(([form]) => form.test(prompt))
  if (asked !== undefined) return (sentence) => asked[1].test(sentence)
  return (sentence) => (traitsOf(sentence) & wants) !== 0
}

/** Rare as they may be in a store, they carry no subject. */
export const HOLLOW: ReadonlySet<string> = new Set(
  `one two first second thing things something anything nothing everything good great nice fine better best bad think know
  want need try look see sure right way time times next today tomorrow morning evening night day lot bit kind sort work works
  working done forgot check double explain simply wait stop continue start help happened happen tell say said call option
  왜 뭐 뭘 좀 그 이 저 거 何 誰 谁`.split(/\s+/),
)

/** Whether it asks about what we did, about what was, about what is, or nothing of it. */
export type Back = 'ours' | 'was' | 'is' | 'no'

/** Longer ones tell or order something, whatever they ask besides. */
const LONGEST_QUESTION = 400
const SENTENCE_ENDS = /(?<=[.!?？。！…])\s+|\n+/
const WH = '(?:what|where|when|why|which|who|whom|whose|how)'
/** A question word where a clause begins, or a question mark at the end. */
const ASKS = new RegExp(
  `^\\W*(?:(?:so|and|but|ok|okay|also|hey|hm+|wait)\\W+)*(?:(?:in|under|for|at|on|from|to|with|of|by|around|until) )?${WH}\\b|[,;:–—(-]\\s*(?:and )?(?:(?:in|under|for|at|on|from|to|with|of|by) )?${WH}\\b|[?？]\\W*$`,
  'i',
)
/** How things are to be done, or what comes next. */
const AHEAD =
  /^\W*(?:(?:so|and|but|now|ok|okay)\W+)*(?:how (?:do (?:i|you)|can|could|should|would|to|about)|what(?:['’]s| is) next|(?:what|which|why|where) (?:do you think|should|would|if)|(?:can|could|would|will) (?:you|we|i)|let['’]s)\b/i
const WAS =
  /\b(?:did|was|were|had|been|went|got|came|said|told|made|took|gave|found|broke|chose|kept|left|ran|wrote|put|set|lost|sent|\w{2,}ed)\b|\b(?:last time|earlier|previously|back then|ago|already)\b/i
const IS = /\b(?:is|are|does|do|has|have)\b/i
const OURS = /\b(?:[Ww]e|I|[Yy]ou|[Mm]y|[Oo]ur|i)\b/
const ASKS_MEMORY = /\b(?:do you remember|remind me)\b|기억나|기억해/i
/** Endings with which a Korean asks. */
const HANGUL_ASKS =
  /[?？]|(?:지|더라|나|니|까|어|야|요|는지)\s*[.…]*\s*$|뭐|무엇|무슨|어디|언제|왜|어떤|어떻게|어느|몇|누가|누구/u
const KANA_HAN_BACK = /(?:何|なぜ|どこ|いつ|どの|誰|どう).*(?:た|だった)|(?:什么|为什么|哪|何时|谁|怎么).*(?:了|过)/u

/** What its asking sentences ask; they must be most of it. */
export function looksBack(prompt: string): Back {
  if (ASKS_MEMORY.test(prompt)) return 'ours'
  if (prompt.length > LONGEST_QUESTION) return 'no'
  const kinds = new Map<Back, number>()
  for (const sentence of prompt.split(SENTENCE_ENDS)) {
    const kind = sentenceLooksBack(sentence)
    kinds.set(kind, (kinds.get(kind) ?? 0) + sentence.length)
  }
  const asked = (['ours', 'was', 'is'] as const).filter((kind) => kinds.has(kind))
  const length = asked.reduce((sum, kind) => sum + (kinds.get(kind) ?? 0), 0)
  return length < (kinds.get('no') ?? 0) ? 'no' : (asked[0] ?? 'no')
}

function sentenceLooksBack(sentence: string): Back {
  if (/더라|던|였/.test(sentence) || hasHangulPast(sentence)) return HANGUL_ASKS.test(sentence) ? 'ours' : 'no'
  if (KANA_HAN_BACK.test(sentence)) return 'ours'
  if (AHEAD.test(sentence) || !ASKS.test(sentence)) return 'no'
  if (WAS.test(sentence)) return OURS.test(sentence) ? 'ours' : 'was'
  // What is the case now is asked about the work at hand, unless somebody or something is named.
  if (/^\W*why\b/i.test(sentence) && namesIn(sentence).size > 0) return 'was'
  if (!IS.test(sentence) || /\b(?:I|my|your?|this|these|here)\b/i.test(sentence)) return 'no'
  return namesIn(sentence).size > 0 ? 'was' : 'is'
}

/** A syllable that ends in ㅆ marks the past; 있 and 겠 do not. */
function hasHangulPast(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    const isPast = code >= 0xac00 && code <= 0xd7a3 && (code - 0xac00) % 28 === 20
    if (isPast && !'있겠'.includes(text.charAt(i))) return true
  }
  return false
}
