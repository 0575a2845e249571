/** Text → tokens: words by their stem, identifiers by their parts, scripts without spaces by pairs of characters. */

import { once } from './once.ts'
import { stem } from './stem.ts'
import { stemOf, tokenOf } from './token.ts'

/** Words that are too common to be looked for, without apostrophes, as words are compared. */
const WORDS = `
a an the this that these those
i me my mine myself we us our ours ourselves you your yours yourself yourselves
he him his himself she her hers herself it its itself they them their theirs themselves
am is are was were be been being do does did doing done have has had having
can could may might must shall should will would ought
and or but nor so yet if then else than as at by for from in into of off on onto out over to up with within without
about above across after against along among around before behind below beneath beside besides between beyond down during
except inside near outside since through throughout till toward towards under until upon via
what which who whom whose when where why how
not no yes dont doesnt didnt cant couldnt wont wouldnt shouldnt isnt arent wasnt werent hasnt havent hadnt aint
im ive youre youve youd youll hes shes its weve were well theyre theyve theyd theyll thats theres heres whats lets
here there again further once only own same too very just also even still ever never always
all any both each few more most other others some such another every either neither
s t d m re ve ll
got get gets getting go goes going went gone
oh hey hi hello wow yeah yep ok okay please thanks thank
really actually basically quite rather
because while though although however therefore thus
`

export const STOP_WORDS: ReadonlySet<string> = new Set(WORDS.split(/\s+/).filter((word) => word !== ''))

export interface TokenSpan {
  token: number
  /** In UTF-16 units of the text. */
  from: number
  to: number
  /** As it is compared: lower case, without accents. */
  word: string
  /** Of two characters: part of a longer run of a script without spaces. */
  isPair: boolean
}

type Take = (word: string, from: number, to: number, isPair: boolean) => void

/** Stop words are left out. The compound stands before its parts. */
export function tokenise(text: string): Uint32Array {
  const tokens: number[] = []
  walk(text, (word, _from, _to, isPair) => {
    if (isPair || !STOP_WORDS.has(word)) tokens.push(tokenFor(word))
  })
  return Uint32Array.from(tokens)
}

export function tokenSpans(text: string): TokenSpan[] {
  const spans: TokenSpan[] = []
  walk(text, (word, from, to, isPair) => {
    if (isPair || !STOP_WORDS.has(word)) spans.push({ token: tokenFor(word), from, to, word, isPair })
  })
  return spans
}

/** Words as written, in lower case, with repetitions: what the vocabulary for typos is made of. */
export function wordsOf(text: string): string[] {
  const words: string[] = []
  walk(text, (word, _from, _to, isPair) => {
    if (!isPair && word.length > 2 && word.length < 40 && !STOP_WORDS.has(word) && !isKeyLike(word)) words.push(word)
  })
  // Hangul is spaced: its runs are words, with what is attached to them.
  for (const [run] of text.matchAll(/[\uAC00-\uD7A3]{3,12}/g)) words.push(run)
  return words
}

/** Nobody types such a thing to find it, and it may be a key. */
function isKeyLike(word: string): boolean {
  return word.length > 10 && /\d/.test(word)
}

/** Remembered, since words repeat; emptied when it grows beyond what a text needs. */
const known = new Map<string, number>()
const KNOWN_MAX = 50_000
/** Of a longer word the engine keeps a view on its whole text, and long ones seldom repeat. */
const COPIED_CHARS = 12

export function tokenFor(word: string): number {
  let token = known.get(word)
  if (token === undefined) {
    token = tokenOf(stem(word), word)
    if (known.size >= KNOWN_MAX) known.clear()
    if (word.length <= COPIED_CHARS) known.set(word, token)
  }
  return token
}

function isLetter(unit: number): boolean {
  if (unit < 0x80) return ASCII[unit] === 1
  return !isUnspaced(unit) && NON_ASCII_WORD.test(String.fromCharCode(unit))
}

const ASCII = Uint8Array.from({ length: 128 }, (_, unit) => (/\w/.test(String.fromCharCode(unit)) ? 1 : 0))
/** Full-width letters and digits are letters like any other. */
const NON_ASCII_WORD = /[\p{L}\p{N}\p{M}]/u

/** Hangul, kana, Han, Thai, Lao, Burmese, Khmer: words that grow together, or are not spaced at all. */
function isUnspaced(unit: number): boolean {
  return (
    (unit >= 0x3040 && unit <= 0x30ff && unit !== 0x30fb) ||
    (unit >= 0x3400 && unit <= 0x9fff) ||
    (unit >= 0xac00 && unit <= 0xd7a3) ||
    (unit >= 0x1100 && unit <= 0x11ff) ||
    (unit >= 0x3130 && unit <= 0x318f) ||
    (unit >= 0xf900 && unit <= 0xfaff) ||
    (unit >= 0xff66 && unit <= 0xff9f) ||
    (unit >= 0x0e00 && unit <= 0x0eff) ||
    (unit >= 0x1000 && unit <= 0x109f) ||
    (unit >= 0x1780 && unit <= 0x17ff) ||
    // Repetition marks and zero among Han.
    (unit >= 0x3005 && unit <= 0x3007)
  )
}

/** How many units of a script without spaces stand here: Han beyond the first plane has two. */
function unspacedAt(text: string, at: number): number {
  const unit = text.charCodeAt(at)
  if (unit < 0x80) return 0
  if (isUnspaced(unit)) return 1
  const low = text.charCodeAt(at + 1)
  return unit >= 0xd840 && unit <= 0xd888 && low >= 0xdc00 && low <= 0xdfff ? 2 : 0
}

const APOSTROPHE = 0x27
const CURLY = 0x2019
const UNDERSCORE = 0x5f

function walk(text: string, take: Take): void {
  const end = text.length
  let at = 0
  while (at < end) {
    const from = at
    for (let units = unspacedAt(text, at); units > 0; units = unspacedAt(text, at)) at += units
    if (at > from) takePairs(text.slice(from, at), from, take)
    else if (isLetter(text.charCodeAt(at))) at = walkWord(text, from, take)
    else at++
  }
}

/** The place behind the word. */
function walkWord(text: string, from: number, take: Take): number {
  let at = from
  let isPlain = true
  for (; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    const isJoint = (unit === APOSTROPHE || unit === CURLY) && isLetter(text.charCodeAt(at + 1))
    if (!isJoint && !isLetter(unit)) break
    if (isJoint || unit >= 0x80) isPlain = false
  }
  takeWord(text.slice(from, at), from, isPlain, take)
  return at
}

function takePairs(run: string, from: number, take: Take): void {
  const chars = [...run.normalize('NFKC')]
  const isSame = chars.length === run.length
  const to = from + run.length
  if (chars.length === 1) {
    take(run.normalize('NFKC'), from, to, false)
    return
  }
  for (let i = 0; i + 1 < chars.length; i++) {
    const at = isSame ? from + i : from
    take(`${chars[i]}${chars[i + 1]}`, at, isSame ? at + 2 : to, true)
  }
}

/** Where a capital begins a part: `userId`, `HTTPServer`. */
const CAMEL = /(?<=[\p{Ll}\d])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u

function takeWord(run: string, from: number, isPlain: boolean, take: Take): void {
  const to = from + run.length
  const written = isPlain ? run : plainly(run)
  // The usual case: no capital behind the first letter, no underscore.
  if (isPlain ? isSimple(run) : !/_|.\p{Lu}/u.test(written)) {
    const lower = written.toLowerCase()
    if (lower !== '') take(lower, from, to, false)
    return
  }
  const parts = written.split('_').flatMap((part) => part.split(CAMEL))
  const told = parts.filter((part) => part !== '')
  const whole = told.join('').toLowerCase()
  if (whole === '') return
  take(whole, from, to, false)
  if (told.length === 1) return
  let at = 0
  for (const part of told) {
    // Accents may have changed its length; then the whole word is the place, for what follows too.
    if (at >= 0) at = run.indexOf(part, at)
    const isThere = at >= 0
    take(part.toLowerCase(), isThere ? from + at : from, isThere ? from + at + part.length : to, false)
    if (isThere) at += part.length
  }
}

/** Of ASCII letters: without asking a regular expression, since every word of every text comes by. */
function isSimple(run: string): boolean {
  for (let i = 0; i < run.length; i++) {
    const unit = run.charCodeAt(i)
    if (unit === UNDERSCORE || (i > 0 && unit >= 0x41 && unit <= 0x5a)) return false
  }
  return true
}

/** Without accents and apostrophes; what an apostrophe joins to a word goes. */
function plainly(run: string): string {
  return run
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/['’](?:s|d|m|re|ve|ll)$/i, '')
    .replace(/['’]/g, '')
    .normalize('NFC')
}

/** In their order; words that stand everywhere are left out. */
export function stemsOf(text: string): number[] {
  return Array.from(tokenise(text), stemOf)
}

/** What Korean words end with: it tells how something is said, not what. */
const ENDINGS = once(
  () =>
    new Set(
      stemsOf(
        '습니다 했습니다 합니다 입니다 됩니다 되었습니다 됐습니다 었습니다 았습니다 겠습니다 하였다 했다 한다 된다 이다 해야 해야해 하자 해줘 해주세요 하기로 에서 으로 에는 에도 까지 부터 에게 하고 해서 하는 되는 있는 없는 이고 이며 하지 지만 니까 으니 므로 때문 문에 라서 어서 아서 않는 않도록 도록',
      ),
    ),
)

export function tellingWords(text: string): ReadonlySet<number> {
  return new Set(stemsOf(text).filter((stem) => !ENDINGS().has(stem)))
}
