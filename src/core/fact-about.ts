/** Whether a fact says what its quote says: about the same, in the same direction, with numbers that stand there. */
import { sentencesOf } from './digest-sentences.ts'
import type { Numbered } from './digest-types.ts'
import type { FoundQuote } from './evidence.ts'
import { findUngrounded } from './grounding.ts'
import { tokenise } from './query/words.ts'
import type { Entry, Tombstone } from './session.ts'

/** What stands around a quote. */
export interface Around {
  /** The whole sentences that the quote is from: a quote may leave a "not" behind. */
  sentences: string
  /** Its entry, the ones beside it, and what else was said in its turn. */
  near: string
}

/** Share of a fact's telling words that must stand around its quote: see bench/coverage.ts. */
export const MIN_ABOUT = 0.4
/** So much of a denied clause on the other side makes it the opposite. */
const SAME_MATTER = 0.6
/** Counted out in words. */
const NUMBER_WORDS: readonly RegExp[] = [
  /\b(?:zero|no|none|null|kein)|없|零/,
  /\b(?:one|once|single|first|an?|ein|eine|einmal)\b|하나|한\s|첫|一/,
  /\b(?:two|twice|both|second|double|pair|zwei)\b|둘|두\s|二|两/,
  /\b(?:three|third|triple|drei)\b|셋|세\s|三/,
  /\b(?:four|fourth|vier)\b|넷|네\s|四/,
  /\b(?:five|fifth|fünf)\b|다섯|五/,
  /\b(?:six|sixth|sechs)\b|여섯|六/,
  /\b(?:seven|seventh|sieben)\b|일곱|七|일주일|\bweek/,
  /\b(?:eight|eighth|acht)\b|여덟|八/,
  /\b(?:nine|ninth|neun)\b|아홉|九/,
  /\b(?:ten|tenth|zehn)\b|열|十/,
]
/** Says no, or takes away, or leaves as it is, or only under a condition: then the other side may say so in other words. */
const DENIES =
  /\b(?:not|no|none|nothing|never|neither|nor|cannot|without|avoid\w*|stop(?:s|ped|ping)?|instead|rather than|refus\w+|reject\w*|forbid\w*|forbade|prohibit\w*|disallow\w*|ban(?:s|ned)?|drop(?:s|ped|ping)?|remov\w+|delet\w+|abandon\w*|replac\w+|disabl\w+|deprecat\w+|only|unless|except|until|keep\w*|kept|leav\w+|left|stay\w*|remain\w*|unchanged|untouched|away from|off limits|against|fail\w*|nicht|nie|niemals|kein\w*|statt\w*|ohne|nur)\b|n't\b|\b(?:un|non-)\w{4,}|(?:지|진|지는|지도)\s?(?:마|말|않|못)|말고|말\s?것|말자|마세요|마라|않|없|못\s?하|못\s?한|(?:^|\s)안\s|금지|제거|삭제|빼|대신|중단|폐기|그대로|유지|바꾸|바꿔|바꿨|교체|아니|ない|なく|ません|ずに|禁止|やめ|代わり|のまま|不|没|别|勿|禁|而非|代替|删除|移除/
const CLAUSE =
  /[,;:.!?。！？、，]|\s(?:and|but|so|because|since|then|und|aber|weil)\s|(?:고|지만|는데|니까|므로|때문에|서)\s/
/** Says no to what follows it; it is not enough that something is taken away. */
const PLAIN_NO =
  /\b(?:not|no|never|cannot|without|avoid|forbidden|prohibited|nicht|nie|niemals|kein\w*|ohne)\b|n't\b|(?:지|지는)\s?(?:마|말|않)|말\s?것|말자|금지|(?:し|使わ|れ)ない|ません|不要|不能|不再|不得|不用|别|禁止/

export function aroundOf(entries: readonly Numbered[], found: FoundQuote): Around {
  const at = entries.findIndex(({ n }) => n === found.entry)
  const isPrompt = (one: Numbered | undefined): boolean => one?.entry.role === 'user' && one.entry.via === undefined
  let from = at
  while (from > 0 && !isPrompt(entries[from])) from--
  let to = at + 1
  while (to < entries.length && !isPrompt(entries[to])) to++
  const near = entries.filter(({ entry }, i) => {
    if (Math.abs(i - at) <= 1) return true
    return i >= from && i < to && (entry.role === 'user' || entry.role === 'assistant')
  })
  const own = entries[at]
  const words = near.map(({ entry }) => wordsIn(entry)).join('\n')
  return { sentences: own === undefined ? found.quote : sentencesAround(wordsIn(own.entry), found.quote), near: words }
}

/** Null: the text is about what its quote says, in the same direction. */
export function whyNotAbout(text: string, around: Around): string | null {
  const missing = numbersMissing(text, around.near)
  if (missing.length > 0)
    return `${missing.join(', ')} ${missing.length > 1 ? 'do' : 'does'} not stand near the quote; use the numbers that stand there`
  if (aboutness(text, around.near) < MIN_ABOUT)
    return 'its words are not those around the quote; say it in the words and the language of the entry, or quote what proves it'
  if (isOpposite(text, around.sentences))
    return 'it says the opposite of its quote; keep the "not" where the quote has it'
  return null
}

/** Share of the text's telling words that stand near its quote. */
export function aboutness(text: string, near: string): number {
  const telling = new Set(tokenise(text.replace(REPORTING, ' ')))
  if (telling.size === 0) return 0
  const there = new Set(tokenise(near))
  return [...telling].filter((token) => there.has(token)).length / telling.size
}

/** Who says it, not what. */
const REPORTING =
  /\b(?:the )?(?:user|developer|claude|assistant|project|team)(?:'s)?\b|\b(?:wants?|wanted|decided|asked|prefers?|should|must|uses?|used|using)\b|사용자(?:는|가)|결정(?:했다|함|하였다)?/gi

/**
 * One of them denies, the other one does not, and what is denied is what the other one says. Words in which both deny
 * are not compared: who denies the same in other words is right more often than not.
 */
export function isOpposite(text: string, quoted: string): boolean {
  const [one, other] = [text.toLowerCase().replace(/[’ʼ]/g, "'"), quoted.toLowerCase().replace(/[’ʼ]/g, "'")]
  return deniesWhat(one, other) || deniesWhat(other, one) || isSwapped(one, other)
}

function deniesWhat(denying: string, plain: string): boolean {
  if (DENIES.test(plain)) return false
  const said = new Set(tokenise(plain))
  return denying.split(CLAUSE).some((clause) => {
    if (!PLAIN_NO.test(clause)) return false
    const what = deniedIn(clause)
    return what.length > 0 && what.filter((token) => said.has(token)).length / what.length >= SAME_MATTER
  })
}

/** What a clause says no to: behind the word in most languages, before it in Korean and Japanese. */
function deniedIn(clause: string): number[] {
  const isBefore = /[\u3040-\u30ff\uac00-\ud7af]/.test(clause)
  // The verb takes another ending where it is denied.
  const words = isBefore
    ? clause
        .trim()
        .split(/\s+/)
        .filter((word) => !/[지]$|말|마|않|못|안|금지|ない|ません/.test(word))
        .join(' ')
    : clause
  return [...new Set(tokenise(words.replace(/\b(?:forbidden|prohibited|avoid|please|anymore|again)\b/g, ' ')))]
}

const PREFERS =
  /([\p{L}\p{N}_.@/-]+)[`"']?,?\s+(?:instead of|rather than|over|not|statt)\s+(?:the\s+|a\s+|use\s+|using\s+)?[`"']?([\p{L}\p{N}_.@/-]+)|([\p{L}\p{N}_.@/-]+?)(?:을|를|은|는)?[`"']?\s*(?:대신|말고)(?:에)?\s+[`"']?([\p{L}\p{N}_.@/-]+?)(?:을|를|으로|로)?(?=[\s.`"']|$)/gu

/** "A instead of B" where the quote has "B instead of A". */
function isSwapped(one: string, other: string): boolean {
  const [mine, theirs] = [choicesIn(one), choicesIn(other)]
  return mine.some(({ yes, no }) => theirs.some((their) => their.yes === no && their.no === yes))
}

function choicesIn(text: string): { yes: string; no: string }[] {
  return [...text.matchAll(PREFERS)].map(([, yes, no, koreanNo, koreanYes]) => ({
    yes: bare(yes ?? koreanYes),
    no: bare(no ?? koreanNo),
  }))
}

function bare(word = ''): string {
  return word.replace(/^[.-]+|[.-]+$/g, '')
}

/** Numbers of the text that are not said near its quote; those that a reader could count for himself too. */
function numbersMissing(text: string, near: string): string[] {
  const measured = findUngrounded(text, near).filter((one) => /^[\d$€£₩¥]/.test(one))
  const there = new Set(near.match(/\d+/g) ?? [])
  const lower = near.toLowerCase()
  const counted = [...text.matchAll(/(?<![\p{L}\d_.,#/:@-])\d{1,2}(?![\p{L}\d_/:-]|[.,]\d)/gu)]
    .map(([number]) => number)
    .filter(
      (number) => Number(number) <= 10 && !there.has(number) && NUMBER_WORDS[Number(number)]?.test(lower) !== true,
    )
  return [...new Set([...measured, ...counted])]
}

/** The sentences of the text that the quote touches. */
function sentencesAround(text: string, quote: string): string {
  const at = text.indexOf(quote)
  if (at < 0) return quote
  const touched = sentencesOf(text).filter(({ from, to }) => from < at + quote.length && to > at)
  return touched.length === 0 ? quote : touched.map((one) => one.text).join(' ')
}

function wordsIn(entry: Entry | Tombstone): string {
  if (entry.role === 'tombstone' || entry.role === 'summary') return ''
  return 'text' in entry ? entry.text : `${entry.cmd}\n${entry.output ?? ''}`
}
