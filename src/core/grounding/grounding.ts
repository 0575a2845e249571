/** Checks that a note keeps to its source: finds the identifiers that the source does not contain. */

import { once } from '../../kernel/text/once.ts'
import { followsFrom, hasQuantity, isUnit, readNumbers, readQuantity, unitTextBehind } from './grounding-numbers.ts'
import {
  type Around,
  type Holds,
  isCommonName,
  isLanguageWord,
  isVersion,
  type Judge,
  judgeDotted,
  judgeFlag,
  judgeForeignFile,
  judgeHash,
  judgeIssue,
  judgeName,
  judgePath,
  judgeUrl,
  judgeVersion,
  type PlaceSource,
  VERSIONED,
} from './grounding-places.ts'
import { foldWidth, hasBeginning, hasInOneLine, hasLoosely, hasMember, hasName } from './grounding-text.ts'

/** An identifier in a note that can be looked up. */
interface Claim {
  at: number
  written: string
  holds: Holds
}

interface Rule {
  /** The last group, if any, is the claim; the rest are its delimiters. */
  shape: RegExp
  judge: Judge
}

/** How much of the note before and behind a match is read: no relevant word or unit is longer. */
const BEFORE_CHARS = 24
const BEHIND_CHARS = 64
const MAX_OWN_COUNT = 10
const MAX_OWN_COUNT_OF_TESTS = 4
/** After one of these words a number is a name. */
const NUMBERED =
  /(?:\b(?:lines?|port|code|status|error|http|issue|pr|pull request|zeile)|포트|코드|이슈|ポート|端口)[ :#=]{0,2}$|[$€£₩¥]$/iu
/** Hyphenated words of everyday language, also within Korean or Japanese text. */
const ORDINARY_HYPHEN =
  /^(?:non|sub|pre|post|top|mid|re|un|multi|self|semi|anti|co|cross|high|low|long|short|well|one|two|all)-|-(?:in|out|up|down|off|on|to|end|side|only|safe|free|based|like|level|time|run|wide|old|known|insensitive|sensitive|friendly|specific|driven|related)(?:-|$)/
/** Matches snake_case, camelCase, PascalCase, HTTPServer; not API, APIs, IDs. */
const MADE_UP_OF_WORDS = /[^_]_[^_]|^\p{Ll}[\p{Ll}\d$]*\p{Lu}|^\p{Lu}[\p{L}\d]*[\p{Ll}\d]\p{Lu}|^\p{Lu}{2,}\p{Ll}{2,}/u

/** In order of priority: text matched by one rule is hidden from the later ones. */
const RULES: readonly Rule[] = [
  { shape: /(?<!`)(`{1,2})([^`\n]+)\1(?!`)/g, judge: judgeCode },
  { shape: /“([^”]+)”|"([^"\n]+)"|「([^」]+)」|『([^』]+)』|«([^»]+)»|„([^“”]+)[“”]/g, judge: judgeQuote },
  { shape: /(?<![\p{L}\p{N}])['‘](?=\S)([^'‘’\n]{2,200}?)(?<=\S)['’](?![\p{Script=Latin}\d])/gu, judge: judgeQuote },
  { shape: /\bhttps?:\/\/[^\s<>()"'`\u3000-\u9fff\uac00-\ud7a3]*[\w/]/gi, judge: judgeUrl },
  { shape: /#\d+\b/g, judge: judgeIssue },
  { shape: /(?<![\p{L}\p{N}_./-])--?[a-z][\w-]*\b/giu, judge: judgeFlag },
  { shape: /(?<![\w./-])\d{4}[-/.]\d\d[-/.]\d\d(?!\d)|(?<![\d:])\d{1,2}:\d\d(?::\d\d)?(?![\d:])/g, judge: judgePhrase },
  { shape: /(?<![\w./\\@-])(?:v\d+(?:\.\d+)*|\d+(?:\.\d+){2,})(?:-[a-z]+[\w.]*\w)?(?![\w/\\])/gi, judge: judgeVersion },
  { shape: /(?<![\w/-])(?=[a-f]*\d)(?=\d*[a-f])[a-f\d]{7,64}(?![\w-])/gi, judge: judgeHash },
  { shape: /@[\w.-]+\/[\w.-]*\w|(?<![\w./-])[\w.-]*\w@\d[\w.-]*\w/g, judge: judgeName },
  // No path character precedes the match, so that a long line of such characters is tried only once.
  {
    shape:
      /(?<![\w@~.*$/\\-])(?:[\w@~.*$-]*[/\\])+[\w@.*$-]*[\w*](?::\d{1,9})*[/\\]?|(?<![\w@.$-])[\w@.$-]+[/\\](?![\w/\\])/g,
    judge: judgePath,
  },
  {
    shape: /(?<![\w$-])[\w$-]*[\w$](?:(?:\.|::|->)[a-z_$][\w$-]*)+(?::\d+)*|(?<![\w.])\.[a-z][\w-]*(?:\.[a-z]\w*)*/gi,
    judge: judgeDotted,
  },
  {
    shape:
      /(?<![\p{Script=Hangul}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー_-])[\p{Script=Hangul}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー_-]+\.[a-z]\w{0,4}\b/gu,
    judge: judgeForeignFile,
  },
  {
    shape: /(?<![\p{Script=Latin}\d_-])\p{Script=Latin}[\p{Script=Latin}\d]*(?:-[\p{Script=Latin}\d]+)+/gu,
    judge: judgeHyphenated,
  },
  {
    shape: /(?<![\p{Script=Latin}\d_$])[\p{Script=Latin}\d_$]*[\p{Script=Latin}_$][\p{Script=Latin}\d_$]*/gu,
    judge: judgeWord,
  },
  { shape: /(?<![\p{Script=Latin}\d_.])(?:\d{1,3}(?:[,_]\d{3})+(?!\d)|\d+)(?:[.,]\d+)?/gu, judge: judgeNumber },
]

/** The ungrounded identifiers as written in the note, in order, each once. */
export function findUngrounded(note: string, source: string): string[] {
  const claims = claimsIn(foldWidth(note))
  if (claims.length === 0) return []
  const read = readSource(source)
  const missing = claims.filter(({ holds }) => !holds(read))
  return [...new Set(missing.map((claim) => asWritten(note, claim)))]
}

/** A bare number is shown with its unit, or with the name whose version it is. */
function asWritten(note: string, { at, written }: Claim): string {
  const end = at + written.length
  if (!/^\d[\d.,]*$/.test(written)) return note.slice(at, end)
  const owner = VERSIONED.exec(note.slice(Math.max(0, at - BEFORE_CHARS), at))?.[0].replace(/^[^\p{L}]/u, '') ?? ''
  return owner + note.slice(at, end) + unitTextBehind(note.slice(end, end + BEHIND_CHARS))
}

function claimsIn(note: string): Claim[] {
  const claims: Claim[] = []
  const numbers = once(() => readNumbers(note))
  let left = note
  for (const { shape, judge } of RULES) {
    // Matched text is blanked out.
    const parts: string[] = []
    let taken = 0
    for (const match of left.matchAll(shape)) {
      const inner = match.findLast((group) => group !== undefined) ?? match[0]
      const at = match.index + match[0].indexOf(inner)
      // Text that an earlier rule took out of a quotation still belongs to the quotation.
      const written = note.slice(at, at + inner.length)
      const [from, to] = [match.index, match.index + match[0].length]
      const before = note.slice(Math.max(0, from - BEFORE_CHARS), from)
      const holds = judge(written, { before, behind: note.slice(to, to + BEHIND_CHARS), from, to, numbers })
      if (holds === null) continue
      claims.push({ at, written, holds })
      parts.push(left.slice(taken, from), ' '.repeat(to - from))
      taken = to
    }
    left = parts.join('') + left.slice(taken)
  }
  return claims.sort((a, b) => a.at - b.at)
}

function readSource(source: string): PlaceSource {
  const folded = foldWidth(source)
  const text = folded.toLowerCase()
  return { text, slashed: text.replace(/\\+/g, '/'), numbers: once(() => readNumbers(folded)) }
}

/** A name is looked up as a name; a line of code may omit words. */
function judgeCode(code: string): Holds | null {
  const written = code.trim()
  const inner = claimsIn(written)
  const [only] = inner
  if (!/\s/.test(written) && only !== undefined && only.written === written) return only.holds
  const lower = written.toLowerCase()
  if (isCommonName(written) || isLanguageWord(written)) return null
  // A family of names: `CACHE_*`.
  const [, stem] = /^([\w$]*_)\*$/.exec(lower) ?? []
  if (stem !== undefined) return ({ text }) => hasBeginning(text, stem)
  const [, called] = /^\.?([\w$.]+)\(\)$/.exec(lower) ?? []
  if (called !== undefined) return ({ text }) => hasMember(text, called)
  return ({ text, slashed }) =>
    hasName(text, lower) || hasInOneLine(text, lower) || hasInOneLine(slashed, lower.replace(/\\+/g, '/'))
}

/** Dots mark omitted words; the pieces between them must occur. */
function judgeQuote(quote: string): Holds | null {
  if (!/[\p{L}\p{N}]/u.test(quote) || isCommonName(quote)) return null
  const pieces = quote.toLowerCase().split(/\[?(?:…|\.{3})\]?/)
  return ({ text }) => pieces.every((piece) => hasLoosely(text, piece))
}

/** A date or a time. `7:30` may be written as 7時30分, 7시 반 or 7h30. */
function judgePhrase(phrase: string): Holds {
  const [, hours, minutes] = /^(\d{1,2}):(\d\d)$/.exec(phrase) ?? []
  if (hours === undefined || minutes === undefined) return ({ text }) => hasLoosely(text, phrase)
  const half = minutes === '30' ? '|半|반' : ''
  const spoken = new RegExp(`(?<!\\d)0?${Number(hours)} ?(?:時|시|点|點|h|uhr) ?(?:${minutes}${half})`)
  return ({ text }) => hasLoosely(text, phrase) || spoken.test(text)
}

/** Names with digits (`worker-3`, CVE-2025-1), and names followed by a particle, which marks a foreign word. */
function judgeHyphenated(word: string, { behind }: Around): Holds | null {
  // An HTTP header.
  if (/^X-\p{Lu}/u.test(word)) return ({ text }) => hasName(text, word.toLowerCase())
  // German compounds: iOS-17-Geräte.
  const name = word.replace(/(?:-\p{Lu}\p{Ll}{2,})+$/u, '').toLowerCase()
  if (!name.includes('-') || ORDINARY_HYPHEN.test(name) || isCommonName(name.replace(/-/g, ''))) return null
  if (!/\d/.test(name) && !/^[\u3040-\u9fff\uac00-\ud7a3]/.test(behind)) return null
  return ({ text }) => hasName(text, name) || hasLoosely(text, name)
}

/** camelCase, snake_case, inner capitals, digits, calls; any other word is prose. */
function judgeWord(word: string, { before, behind }: Around): Holds | null {
  const isCall = behind.startsWith('()')
  if (behind.startsWith('*') && word.includes('_')) return ({ text }) => hasBeginning(text, word.toLowerCase())
  if (isCommonName(word) && !isCall) return null
  if (isCall || MADE_UP_OF_WORDS.test(word)) return ({ text }) => hasWord(text, word, isCall)
  // 45ms and 3rd are numbers, and the 5s of 1.5s belongs to one.
  if (!/\d/.test(word) || /^\d+(?:st|nd|rd|th)$/i.test(word) || /\d[.,]$/.test(before)) return null
  if (/^\d/.test(word) && isUnit(word.replace(/^\d+/, ''))) return null
  const lower = word.toLowerCase()
  const apart = lower.replace(/(?<=\p{L})(?=\d)|(?<=\d)(?=\p{L})/gu, ' ')
  return ({ text }) => hasName(text, lower) || hasLoosely(text, apart)
}

/** A class may be named after its file (`LoginForm`, login-form.tsx) or be in the plural; a function may not. */
function hasWord(text: string, word: string, isCall: boolean): boolean {
  const lower = word.toLowerCase()
  if (hasName(text, lower)) return true
  if (isCall || !/^\p{Lu}/u.test(word) || word.includes('_')) return false
  const single = word.replace(/(?<=\p{L})s$/u, '')
  const parts = single.replace(/(?<=[\p{Ll}\d])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu, ' ').toLowerCase()
  return hasName(text, single.toLowerCase()) || hasLoosely(text, parts)
}

/** A writer may count small numbers; measured or printed numbers must be in the source. */
function judgeNumber(number: string, { before, behind, from, to, numbers: beside }: Around): Holds | null {
  const quantity = readQuantity(number, before, behind)
  if (quantity.unit === null && VERSIONED.test(before)) return judgeVersion(number)
  const isSmall = quantity.values.every((value) => Number.isInteger(value) && value <= mayCountTo(before, behind))
  if (isSmall && quantity.unit === null && !NUMBERED.test(before)) return null
  const sign = /[+−-]$/.exec(before)?.[0] ?? ''
  return ({ text, numbers }) => {
    if (NUMBERED.test(before) && hasName(text, number)) return true
    if (hasQuantity(numbers(), quantity)) return true
    if (quantity.unit === null && number.includes('.') && isVersion(text, number)) return true
    return followsFrom(quantity, sign, beside(), from, to)
  }
}

function mayCountTo(before: string, behind: string): number {
  const isOfTests =
    /^ ?(?:(?:unit |new )?(?:tests?|specs?|assertions?)\b|[개件個个] ?(?:의 )?(?:테스트|テスト|测试))/i.test(behind)
  return isOfTests || /(?:테스트|テスト|测试|tests?:?) ?$/i.test(before) ? MAX_OWN_COUNT_OF_TESTS : MAX_OWN_COUNT
}
