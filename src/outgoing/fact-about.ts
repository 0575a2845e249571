/** Whether a fact says what its quote says: about the same, in the same direction, with numbers that stand there. */

import { findUngrounded } from '../grounding/grounding.ts'
import type { FoundQuote } from '../knowledge/evidence.ts'
import type { FactType, Speaker } from '../knowledge/fact.ts'
import type { Numbered } from '../sessions/digest-types.ts'
import { sentencesOf } from '../text/sentences.ts'
import { stemsOf, tellingWords } from '../text/words.ts'
import type { Entry, Tombstone } from '../transcript/session.ts'
import { contradicts } from './fact-contradict.ts'
import { isCrossed } from './fact-crossed.ts'
import { termsIn } from './fact-terms.ts'
import { turnsIn } from './fact-turns.ts'

/** What stands around a quote. */
export interface Around {
  /** The whole sentences that the quote is from: a quote may leave a "not" behind. */
  sentences: readonly string[]
  /** With the ones before and behind them. */
  passage: readonly string[]
  /** All of its entry. */
  own: string
  /** Its entry, what else was said in its turn and right before and behind; of tools only the entries beside it. */
  near: string
}

/** Share of a fact's telling words that must stand around its quote: true facts of bench/coverage.ts have more. */
const MIN_ABOUT = 0.4
/** So much of a denied clause on the other side makes it the opposite. */
const SAME_MATTER = 0.6
/** As for whose words they are: see evidence.ts. */
const MAX_TYPED = 2_000
const EDGE = 500
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
/** "It is not set" and "it has to be set" go together. */
const IS_NOT = /\b(?:is|are|was|were|has|have|had|does|did)(?: not|n't)\b/
const HAS_TO = /\b(?:must|ha(?:s|ve) to|needs?|required?|should)\b/
const CLAUSE =
  /[,;:.!?。！？、，]|\s(?:and|but|so|because|since|then|und|aber|weil)\s|(?:고|지만|는데|니까|므로|때문에|서)\s/
/** Says no to what follows it; it is not enough that something is taken away. */
const PLAIN_NO =
  /\b(?:not|no|never|cannot|without|avoid|forbidden|prohibited|nicht|nie|niemals|kein\w*|ohne)\b|n't\b|(?:지|지는)\s?(?:마|말|않)|말\s?것|말자|금지|(?:し|使わ|れ)ない|ません|不要|不能|不再|不得|不用|别|禁止/

/** A decision is somebody's: what a tool printed or a person pasted beside it is no part of it, or a true quote could carry a file's words. */
export function aroundOf(entries: readonly Numbered[], found: FoundQuote, type: FactType): Around {
  const at = entries.findIndex(({ n }) => n === found.entry)
  const whole = wordsIn(entries[at]?.entry)
  const [from, to] = turnAround(entries, at)
  const near = entries.filter((one, i) => {
    if (i === at) return false
    return isSpoken(one) ? i >= from && i < to : type !== 'decision' && Math.abs(i - at) <= 1
  })
  const own = found.by === 'user' ? typedIn(whole) : whole
  const others = near.map(({ entry }) => (type === 'decision' ? typedIn(wordsIn(entry)) : wordsIn(entry)))
  return {
    sentences: sentencesAround(whole, found.quote, 0),
    passage: sentencesAround(whole, found.quote, 1),
    own,
    near: [own, ...others].join('\n'),
  }
}

/** From what was said right before its prompt to its end. */
function turnAround(entries: readonly Numbered[], at: number): [number, number] {
  const isPrompt = (one: Numbered | undefined): boolean => one?.entry.role === 'user' && one.entry.via === undefined
  let from = at
  while (from > 0 && !isPrompt(entries[from])) from--
  const before = entries.slice(0, from).findLastIndex(isSpoken)
  let to = at + 1
  while (to < entries.length && !isPrompt(entries[to])) to++
  return [before < 0 ? from : before, to]
}

/** By Claude or a person; inside a tool's result anybody may speak. */
function isSpoken({ entry }: Numbered): boolean {
  return entry.role === 'assistant' || (entry.role === 'user' && entry.via === undefined)
}

/** Without what was pasted or quoted: blocks of code, lines of others, the middle of what is too long to be typed. */
function typedIn(text: string): string {
  const own = text.replace(/^[ \t]*(```|~~~)[\s\S]*?(?:^[ \t]*\1|$(?![\s\S]))/gm, ' ').replace(/^[ \t]*>.*$/gm, ' ')
  return own.length <= MAX_TYPED ? own : `${own.slice(0, EDGE)}\n${own.slice(-EDGE)}`
}

/** What a person typed proves what it says; where it only says yes, the words are those of whoever asked. */
export function speakerFor(text: string, by: Speaker, { own }: Around): Speaker {
  return by === 'user' && !isAbout(text, tellingWords(own)) ? 'assistant' : by
}

/** Null: the text is about what its quote says, in the same direction. */
export function whyNotAbout(text: string, around: Around): string | null {
  const missing = numbersMissing(text, around.near)
  if (missing.length > 0)
    return `${missing.join(', ')} ${missing.length > 1 ? 'do' : 'does'} not stand near the quote; use the numbers that stand there`
  if (!isAbout(text, tellingWords(around.near)))
    return 'its words are not those around the quote; say it in the words and the language of the entry, or quote what proves it'
  if (isOpposite(text, around)) return 'it says the opposite of its quote; keep the "not" where the quote has it'
  return null
}

/** A name in the middle of a sentence, or a Latin word among other script. */
const NAME =
  /(?<=[\p{Ll}\p{Nd},;)] )\p{Lu}[\p{Script=Latin}\d]+|\b\p{Lu}{2,}\b|(?<=[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af] ?)\p{Script=Latin}{3,}|\p{Script=Latin}{3,}(?=[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af])/gu
/** Everybody's words for everyday things. */
const GENERIC =
  /^(?:claude|apis?|urls?|uis?|ux|ids?|dbs?|cpus?|gpus?|ram|os|ides?|prs?|ci|cd|https?|json|yaml|csv|sql|cli|html|css|readme|todos?|ok|qa|utf|ascii)$/i
/** In German every noun has a capital. */
const GERMAN = /\b(?:der|die|das|und|ist|wird|werden|nicht|für|mit|ein|eine)\b|[äöüß]/i

/** Names in the text that nobody used. */
export function namesMissing(text: string, there: ReadonlySet<number>): string[] {
  if (GERMAN.test(text)) return []
  const named = [...text.matchAll(NAME)].map(([name]) => name).filter((name) => !GENERIC.test(name))
  return [...new Set(named)].filter((name) => ![...tellingWords(name)].every((token) => there.has(token)))
}

/** Whether enough of its telling words are among these. */
export function isAbout(text: string, there: ReadonlySet<number>, share = MIN_ABOUT): boolean {
  const telling = [...tellingWords(text.replace(REPORTING, ' '))]
  return telling.length > 0 && telling.filter((token) => there.has(token)).length / telling.length >= share
}

/** Who says it, not what. */
const REPORTING =
  /\b(?:the )?(?:user|developer|claude|assistant|project|team)(?:'s)?\b|\b(?:wants?|wanted|decided|asked|prefers?|should|must|uses?|used|using)\b|사용자(?:는|가)|결정(?:했다|함|하였다)?/gi

/**
 * One of them denies, the other one does not, and what is denied is what the other one says. Words in which both deny
 * are not compared: who denies the same in other words is right more often than not.
 */
function isOpposite(text: string, { sentences, passage }: Around): boolean {
  const plain = (one: string): string => one.toLowerCase().replace(/[’ʼ]/g, "'")
  const [said, quoted] = [plain(text), plain(sentences.join(' '))]
  if (deniesWhat(said, quoted, plain(passage.join(' '))) || deniesWhat(quoted, said, said)) return true
  if (isSwapped(said, quoted) || sentences.some((one) => isCrossed(one, text))) return true
  // Where nobody says no, two values of one thing are left to compare.
  const saysNo = (one: string): boolean => DENIES.test(one) || turnsIn(termsIn(one)).times > 0
  return !saysNo(said) && !saysNo(quoted) && sentences.some((one) => contradicts(one, text))
}

/** `context`: with what stands around the plain side, where it may deny too. */
function deniesWhat(denying: string, plain: string, context: string): boolean {
  const said = new Set(stemsOf(plain))
  return denying.split(CLAUSE).some((clause) => {
    const no = PLAIN_NO.exec(clause)
    if (no === null || (IS_NOT.test(clause) && HAS_TO.test(plain))) return false
    const isVerbLast = VERB_LAST.test(clause)
    const what = [...new Set(stemsOf(isVerbLast ? withoutVerb(clause) : clause.replace(no[0], ' ')))]
    // "is not set": what is denied is the setting. Where the verb comes last, it takes another ending and cannot be compared.
    const [denied] = isVerbLast ? [] : stemsOf(clause.slice(no.index + no[0].length))
    if (what.length === 0 || (denied !== undefined && !said.has(denied))) return false
    if (what.filter((token) => said.has(token)).length / what.length < SAME_MATTER) return false
    return !DENIES.test(withoutWord(context, denied))
  })
}

/** "Deleted" takes something away, but not from "do not delete". */
function withoutWord(text: string, word: number | undefined): string {
  if (word === undefined) return text
  return text
    .split(/\s+/)
    .filter((one) => !stemsOf(one).includes(word))
    .join(' ')
}

/** Korean and Japanese. */
const VERB_LAST = /[\u3040-\u30ff\uac00-\ud7af]/

function withoutVerb(clause: string): string {
  const words = clause.trim().split(/\s+/)
  return words.filter((word) => !/지$|말|마|않|못|금지|ない|ません/.test(word) && word !== '안').join(' ')
}

const CHOICE =
  /([\p{L}\p{N}_.@/-]+)[`"']?(?: (?:is|are) used)?,?\s+(?:instead of|rather than|over|not|statt)\s+(?:the\s+|a\s+|use\s+|using\s+)?[`"']?([\p{L}\p{N}_.@/-]+)|([\p{L}\p{N}_.@/-]+?)(?:을|를|은|는)?[`"']?\s*(?:대신|말고)(?:에)?\s+[`"']?([\p{L}\p{N}_.@/-]+?)(?:을|를|으로|로)?(?=[\s.`"']|$)/gu

/** "A instead of B" where the quote has "B instead of A". */
function isSwapped(one: string, other: string): boolean {
  const [mine, theirs] = [choicesIn(one), choicesIn(other)]
  if (mine.some(({ yes, no }) => theirs.some((their) => their.yes === yes && their.no === no))) return false
  return mine.some(({ yes, no }) => theirs.some((their) => their.yes === no && their.no === yes))
}

function choicesIn(text: string): { yes: string; no: string }[] {
  const bare = (word = ''): string => word.replace(/^[.-]+|[.-]+$/g, '')
  return [...text.matchAll(CHOICE)].map(([, yes, no, koreanNo, koreanYes]) => ({
    yes: bare(yes ?? koreanYes),
    no: bare(no ?? koreanNo),
  }))
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

/** The sentences of the text that the quote touches, and so many more on either side. */
function sentencesAround(text: string, quote: string, more: number): string[] {
  const at = text.indexOf(quote)
  const all = at < 0 ? [] : sentencesOf(text)
  const isTouched = ({ from, to }: { from: number; to: number }): boolean => from < at + quote.length && to > at
  const first = all.findIndex(isTouched)
  if (first < 0) return [quote]
  const touched = all.slice(Math.max(0, first - more), all.findLastIndex(isTouched) + 1 + more)
  return touched.map((one) => one.text)
}

function wordsIn(entry: Entry | Tombstone | undefined): string {
  if (entry === undefined || entry.role === 'tombstone' || entry.role === 'summary') return ''
  return 'text' in entry ? entry.text : `${entry.cmd}\n${entry.output ?? ''}`
}
