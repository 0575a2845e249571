/** A prompt as recall reads it: the person's own words without pasted text, and the form by which a signal may answer it. */

import { isPlanPrompt } from '../../kernel/transcript/session.ts'
import { personsWords } from '../../kernel/transcript/words.ts'
import { typedParts } from '../knowledge/evidence.ts'
import { PLACE } from '../notes/telling-lines.ts'

/** `past`: about the past; `now`: any other question. */
export type Asks = 'past' | 'now'

export interface Prompt {
  text: string
  /** Null: an order or a report. */
  asks: Asks | null
  /** It asks what was last or comes next: the words beside that phrase, which may name something. Null: it does not. */
  asksStanding: string | null
  /** At most 400 characters: longer prompts report or order something, whatever they ask besides. */
  isShort: boolean
  /** Shorter, and no question: it may order an operation. */
  isOrder: boolean
  /** Pasted lines that are marked as errors. */
  errors: readonly string[]
  /** Numbers of pull requests and issues, versions, and what may be keys of tickets: as written, also those inside an address. */
  references: readonly string[]
}

/** Null: there is nothing to search for, as in a command. */
export function readPrompt(prompt: string): Prompt | null {
  const said = saidIn(prompt)
  const text = said.replace(PASTED, ' ').trim()
  const errors = COMMAND.test(prompt) || isPlanPrompt(prompt) ? [] : errorsIn(prompt)
  if (errors.length === 0 && !/[\p{L}\p{N}]/u.test(said)) return null
  const isShort = text.length <= LONGEST_QUESTION
  const asks = isShort ? whatItAsks(text) : null
  return {
    text,
    isShort,
    asks,
    asksStanding: isShort ? askedBeside(text) : null,
    isOrder: asks === null && text.length > 0 && text.length <= LONGEST_ORDER && !/[?？]/.test(text),
    errors,
    references: isShort ? referencesIn(said) : [],
  }
}

/** A command of the host or of the shell. */
const COMMAND = /^\s*(?:\/[a-z][\w:-]*(?:\s|$)|!)/i
/** Blocks that other programs put into a prompt, by tags whose names have several parts. */
const BLOCKS = /<([a-z][a-z0-9]*[-_:][\w:-]*)\b[^<>]*>[\s\S]*?<\/\1>/gi
/** Images, addresses, absolute paths with or without quotes, code and quotations of several words. */
const PASTED =
  /\[Image[^\]\n]*\]|['"](?:\/|~|[A-Z]:\\)[^'"\n]+['"]|\b\w+:\/\/\S+|(?<![\w.'"])[/~][\w.~-]*\/\S+|`[^`\n]*\s[^`\n]*`|["“](?:[^"”\s]+\s+){3,}[^"”]*["”]/g
/** An unclosed block is searched to the end of the text, so that the middle of a longer text is dropped first. */
const MAX_CHARS = 16_000

function saidIn(prompt: string): string {
  if (COMMAND.test(prompt) || isPlanPrompt(prompt)) return ''
  const typed = (personsWords(ends(prompt)) ?? '').replace(BLOCKS, ' ')
  const said = typedParts(typed).map(({ from, to }) => typed.slice(from, to))
  return said.join('\n').trim()
}

function ends(prompt: string): string {
  return prompt.length <= MAX_CHARS ? prompt : `${prompt.slice(0, MAX_CHARS / 2)}\n\n${prompt.slice(-MAX_CHARS / 2)}`
}

const LONGEST_QUESTION = 400
const LONGEST_ORDER = 160

/** A pasted line that programs mark as an error, or that names the place of one. A shorter one says nothing. */
const ERROR = /\b(?:fatal|panic|failed)\b|(?:error|exception)\b/i
const LEAST_ERROR = 20
const MOST_ERRORS = 6
/** Where two longer lines are equal so far, they count as equal. */
const LONGEST_ERROR = 500

function errorsIn(prompt: string): string[] {
  const typed = (personsWords(ends(prompt)) ?? '').replace(BLOCKS, ' ')
  const lines = typed.split('\n').map((line) => line.trim().slice(0, LONGEST_ERROR))
  const isError = (line: string): boolean => ERROR.test(line) || PLACE.test(line)
  return lines.filter((line) => line.length >= LEAST_ERROR && isError(line)).slice(0, MOST_ERRORS)
}

/** Also inside an address. */
const REFERENCE = /(?:#|\bPR\s?#?|\/(?:pull|issues)\/)(\d+)\b|\b[A-Z]{2,}-\d+\b|\bv\d+\.\d+(?:\.\d+)*\b/g
/** More are a pasted list. */
const MOST_REFERENCES = 4
/** A bare number below it is a place in a list. */
const LEAST_BARE = 10

function referencesIn(said: string): string[] {
  const found = [...said.matchAll(REFERENCE)].flatMap(([whole, number]) => {
    if (number === undefined) return [whole]
    return whole.startsWith('#') && Number(number) < LEAST_BARE ? [] : [`#${number}`]
  })
  const names = [...new Set(found)]
  return names.length > MOST_REFERENCES ? [] : names
}

const SENTENCE_ENDS = /(?<=[.!?？。！…])\s+|\n+/
/** A question word at the beginning of a clause, an asking verb at the very beginning, or a question mark. */
const ASKS =
  /(?:^\W*|[,;:–—(-]\s*)(?:\w+\W+)?(?:what|where|when|why|which|who|whose|how)\b|^\W*(?:did|was|were|is|are|does|has)\b|[?？]\W*$|뭐|무엇|무슨|어디|언제|왜|어떤|어떻게|어느|몇|누가|누구|(?:지|더라|나|니|까|는지)\s*[.…]*$|何|なぜ|どこ|いつ|どの|誰|什么|哪|谁|怎么/iu
/** Polite orders, and introductions of a pasted text. */
const ORDERS =
  /^\W*(?:(?:please|so|and|but|ok|now|then)\W+)?(?:can|could|would|will|should|let['’]s)\b|(?:ください|주세요|줘)[\s.。!！]*$|[:：]\s*$/i
const PAST =
  /\b(?:did|was|were|had|been|went|got|said|made|found|chose|ran|wrote|\w{2,}ed|ago|remember|remind)\b|더라|던|였|기억|[^\s?？]た|了|过/iu
/** What was last, or comes next. */
const STANDING =
  /\b(?:what(?:['’]s| is| was| comes)?(?: the)? next|where (?:(?:were|are|was|am) (?:we|I)|did (?:we|I) (?:leave|stop))|left off|what(?:['’]s| is) (?:left|open)|(?:last|previous) (?:time|session))\b|어디까지|지난번|다음.{0,6}[?？뭐]|どこまで|前回|次は|到哪|上次|下一步/i

/** Questions must be at least half of the text. */
function whatItAsks(text: string): Asks | null {
  const sentences = text.split(SENTENCE_ENDS)
  const asking = sentences.filter((one) => ASKS.test(one) && !ORDERS.test(one))
  const length = (some: readonly string[]): number => some.reduce((sum, one) => sum + one.length, 0)
  if (asking.length === 0 || 2 * length(asking) < length(sentences)) return null
  return asking.some((one) => PAST.test(one) || hasHangulPast(one)) ? 'past' : 'now'
}

/** The phrase alone orders as well: "continue where we left off". */
function askedBeside(text: string): string | null {
  if (text.length >= LONGEST_QUESTION / 4 || ORDERS.test(text) || !ASKS.test(text)) return null
  return STANDING.test(text) ? text.split(STANDING).join(' ') : null
}

/** A syllable that ends in ㅆ marks the past tense; 있 and 겠 do not. */
function hasHangulPast(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    const isPast = code >= 0xac00 && code <= 0xd7a3 && (code - 0xac00) % 28 === 20
    if (isPast && !'있겠'.includes(text.charAt(i))) return true
  }
  return false
}
