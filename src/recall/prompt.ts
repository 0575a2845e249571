/** A prompt as recall reads it: the person's own words without pasted text, whether it asks, and what it names. */
import { typedParts } from '../knowledge/evidence.ts'
import { isPlanPrompt } from '../transcript/session.ts'
import { personsWords } from '../transcript/words.ts'

/** `ours`: about our own work; `past`: about the past; `now`: any other question; `next`: where the work stands. */
export type Asks = 'ours' | 'past' | 'now' | 'next'

export interface Prompt {
  text: string
  /** Null: an order or a report. */
  asks: Asks | null
  /** Branches, versions, pull requests, paths, identifiers. */
  names: readonly string[]
}

/** Null: there is nothing to search for, as in a command. */
export function readPrompt(prompt: string): Prompt | null {
  const text = saidIn(prompt)
  return /[\p{L}\p{N}]/u.test(text) ? { text, asks: whatItAsks(text), names: namesIn(text) } : null
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
  const near =
    prompt.length <= MAX_CHARS ? prompt : `${prompt.slice(0, MAX_CHARS / 2)}\n\n${prompt.slice(-MAX_CHARS / 2)}`
  const typed = (personsWords(near) ?? '').replace(BLOCKS, ' ')
  const said = typedParts(typed).map(({ from, to }) => typed.slice(from, to))
  return said.join('\n').replace(PASTED, ' ').trim()
}

const NAME =
  /#\d+\b|\b[A-Z]{2,}-\d+\b|\bv?\d+\.\d+(?:\.\d+)*\b|[\w.-]*\w(?:\/[\w.-]+)+|\b[\w-]{2,}\.[a-z]{1,4}\b|\b\w+_\w+\b|\b[a-z]+[A-Z]\w+/g
/** More names are a pasted list. */
const MOST_NAMES = 4

function namesIn(text: string): string[] {
  const names = [...new Set([...text.matchAll(NAME)].map(([name]) => name))]
  return names.length > MOST_NAMES ? [] : names
}

/** Longer prompts report or order something, whatever they ask besides. */
const LONGEST_QUESTION = 400
const SENTENCE_ENDS = /(?<=[.!?？。！…])\s+|\n+/
/** A question word at the beginning of a clause, an asking verb at the very beginning, or a question mark. */
const ASKS =
  /(?:^\W*|[,;:–—(-]\s*)(?:\w+\W+)?(?:what|where|when|why|which|who|whose|how)\b|^\W*(?:did|was|were|is|are|does|has)\b|[?？]\W*$|뭐|무엇|무슨|어디|언제|왜|어떤|어떻게|어느|몇|누가|누구|(?:지|더라|나|니|까|는지)\s*[.…]*$|何|なぜ|どこ|いつ|どの|誰|什么|哪|谁|怎么/iu
/** Polite orders, and introductions of a pasted text. */
const ORDERS =
  /^\W*(?:(?:please|so|and|but|ok|now|then)\W+)?(?:can|could|would|will|should|let['’]s)\b|(?:ください|주세요|줘)[\s.。!！]*$|[:：]\s*$/i
const PAST =
  /\b(?:did|was|were|had|been|went|got|said|made|found|chose|ran|wrote|\w{2,}ed|ago|remember|remind)\b|더라|던|였|기억|[^\s?？]た|了|过/iu
/** Korean, Japanese and Chinese seldom name the person. */
const OURS = /\b(?:we|I|you|my|our)\b|[\u3040-\uD7A3]/iu
const NEXT =
  /\b(?:what(?:['’]s| is| comes| was)? next|where (?:were|are|did) we|left off|what(?:['’]s| is) (?:left|open|the status))\b|어디까지|다음.{0,6}[?？뭐]|どこまで|次は|到哪|下一步/i

/** Questions must be at least half of the text. */
function whatItAsks(text: string): Asks | null {
  if (text.length > LONGEST_QUESTION) return null
  if (NEXT.test(text) && !ORDERS.test(text) && text.length < LONGEST_QUESTION / 4) return 'next'
  const sentences = text.split(SENTENCE_ENDS)
  const asking = sentences.filter((one) => ASKS.test(one) && !ORDERS.test(one))
  const length = (some: readonly string[]): number => some.reduce((sum, one) => sum + one.length, 0)
  if (asking.length === 0 || 2 * length(asking) < length(sentences)) return null
  const past = asking.filter((one) => PAST.test(one) || hasHangulPast(one))
  if (past.length === 0) return 'now'
  return past.some((one) => OURS.test(one)) ? 'ours' : 'past'
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
