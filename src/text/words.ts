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

/** Words as written, each once: what the vocabulary for typos is made of. */
export interface WordBag {
  words: Set<string>
  /** Another number for each bag. */
  stamp: number
}

let stamps = 0

export function newWordBag(): WordBag {
  return { words: new Set(), stamp: ++stamps }
}

/** Stop words are left out. The compound stands before its parts. */
export function tokenise(text: string): Uint32Array {
  return readTokens(text, null).slice()
}

/** The same, valid until the next call. The words of the text go into the bag, as `wordsOf` tells them. */
export function readTokens(text: string, bag: WordBag | null): Uint32Array {
  count = 0
  const take: Take = (word, _from, _to, isPair) => {
    if (!isPair && bag !== null && isTypeable(word)) bag.words.add(word)
    if (isPair || !STOP_WORDS.has(word)) push(tokenFor(word))
  }
  for (let at = 0; at < text.length; ) {
    const unit = text.charCodeAt(at)
    if (unit >= 0x80) at = takeSyllables(text, at, bag) ?? takeOther(text, at, take, bag)
    else if (ASCII[unit] === 1) at = takePlain(text, at, bag) ?? walkWord(text, at, take)
    else at++
  }
  return tokens.subarray(0, count)
}

/** Those of the text that is being read. */
let tokens = new Uint32Array(1024)
let count = 0

function push(token: number): void {
  if (count === tokens.length) {
    const roomier = new Uint32Array(count * 2)
    roomier.set(tokens)
    tokens = roomier
  }
  tokens[count++] = token
}

/**
 * Tokens of words and pairs that were seen before: most words of a text are found without being cut out of it. A slot contains two sums
 * over the letters, the token, and the stamp of the last bag that got the word. Of two words in one slot the later one is kept.
 */
const SLOT_BITS = 18
const slots = new Uint32Array(4 << SLOT_BITS)
/** In the place of a token: a word that is left out. */
const STOP = 1

/** A word of nothing but small letters and digits, the first letter may be large; null: it is another one. The place behind it. */
function takePlain(text: string, from: number, bag: WordBag | null): number | null {
  let first = 0x811c9dc5
  let second = 1
  let at = from
  for (; at < text.length; at++) {
    let unit = text.charCodeAt(at)
    if (unit >= 0x80) {
      if (isLetter(unit)) return null
      break
    }
    if (ASCII[unit] !== 1) break
    if (unit === UNDERSCORE) return null
    if (unit >= 0x41 && unit <= 0x5a) {
      if (at > from) return null
      unit |= 0x20
    }
    first = Math.imul(first ^ unit, 0x01000193)
    second = (Math.imul(second, 0x2c1b3c6d) + unit) | 0
  }
  if (at + 1 < text.length && isJoint(text.charCodeAt(at)) && isLetter(text.charCodeAt(at + 1))) return null
  const slot = slotOf(first, second)
  const isNew = bag !== null && slots[slot + 3] !== bag.stamp
  if (isNew || !isIn(slot, first, second)) {
    const word = text.slice(from, at).toLowerCase()
    learn(slot, first, second, STOP_WORDS.has(word) ? STOP : tokenFor(word), bag?.stamp ?? 0)
    if (bag !== null && isTypeable(word)) bag.words.add(word)
  }
  const token = slots[slot + 2] as number
  if (token !== STOP) push(token)
  return at
}

/** A run of Hangul syllables, pair by pair; null: it is only one, or there is something else in it. The place behind it. */
function takeSyllables(text: string, from: number, bag: WordBag | null): number | null {
  let at = from
  while (at < text.length && isSyllable(text.charCodeAt(at))) at++
  if (at - from < 2 || unspacedAt(text, at) > 0) return null
  let run = 0
  for (let i = from; i + 1 < at; i++) {
    const pair = (text.charCodeAt(i) << 16) | text.charCodeAt(i + 1)
    const slot = slotOf(pair, pair)
    if (!isIn(slot, pair, pair)) learn(slot, pair, pair, tokenFor(text.slice(i, i + 2)), 0)
    push(slots[slot + 2] as number)
    run = (Math.imul(run, 0x2c1b3c6d) + pair) | 0
  }
  if (bag !== null && at - from >= LEAST_HANGUL) addRun(text, from, at, run, bag)
  return at
}

/** `sum`: over its letters. Most runs are in the bag already. */
function addRun(text: string, from: number, to: number, sum: number, bag: WordBag): void {
  const second = Math.imul(sum ^ (to - from), 0x01000193)
  const slot = slotOf(sum, second)
  if (isIn(slot, sum, second) && slots[slot + 3] === bag.stamp) return
  learn(slot, sum, second, STOP, bag.stamp)
  for (const run of hangulIn(text.slice(from, to))) bag.words.add(run)
}

/** Whatever else stands there. */
function takeOther(text: string, from: number, take: Take, bag: WordBag | null): number {
  const at = walkOne(text, from, take)
  if (bag !== null && at - from >= LEAST_HANGUL) for (const run of hangulIn(text.slice(from, at))) bag.words.add(run)
  return at
}

function slotOf(first: number, second: number): number {
  return (Math.imul(first + (second << 1), 0x9e3779b1) >>> (32 - SLOT_BITS)) * 4
}

function isIn(slot: number, first: number, second: number): boolean {
  return slots[slot] === first >>> 0 && slots[slot + 1] === second >>> 0
}

function learn(slot: number, first: number, second: number, token: number, stamp: number): void {
  slots[slot] = first
  slots[slot + 1] = second
  slots[slot + 2] = token
  slots[slot + 3] = stamp
}

export function tokenSpans(text: string): TokenSpan[] {
  const spans: TokenSpan[] = []
  walk(text, (word, from, to, isPair) => {
    if (isPair || !STOP_WORDS.has(word)) spans.push({ token: tokenFor(word), from, to, word, isPair })
  })
  return spans
}

/** Words as written, in lower case, with repetitions. */
export function wordsOf(text: string): string[] {
  const words: string[] = []
  walk(text, (word, _from, _to, isPair) => {
    if (!isPair && isTypeable(word)) words.push(word)
  })
  words.push(...hangulIn(text))
  return words
}

/** Hangul is spaced: its runs of so many syllables are words, with what is attached to them. */
const LEAST_HANGUL = 3
const MOST_HANGUL = 12
const HANGUL = new RegExp(`[\\uAC00-\\uD7A3]{${LEAST_HANGUL},${MOST_HANGUL}}`, 'g')

function hangulIn(text: string): string[] {
  return text.match(HANGUL) ?? []
}

/** Nobody types a long word with a digit to find it, and it may be a key. */
function isTypeable(word: string): boolean {
  return word.length > 2 && word.length < 40 && !(word.length > 10 && /\d/.test(word)) && !STOP_WORDS.has(word)
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
  // Reading behind the end would make every later reading slow.
  if (at >= text.length) return 0
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
  for (let at = 0; at < text.length; ) at = walkOne(text, at, take)
}

/** One word, one run of a script without spaces, or one character that is neither; the place behind it. */
function walkOne(text: string, from: number, take: Take): number {
  let at = from
  for (let units = unspacedAt(text, at); units > 0; units = unspacedAt(text, at)) at += units
  if (at > from) takePairs(text.slice(from, at), from, take)
  else at = isLetter(text.charCodeAt(at)) ? walkWord(text, from, take) : at + 1
  return at
}

/** A syllable of Hangul: the same in every way of writing it. */
function isSyllable(unit: number): boolean {
  return unit >= 0xac00 && unit <= 0xd7a3
}

/** What may stand inside a word. */
function isJoint(unit: number): boolean {
  return unit === APOSTROPHE || unit === CURLY
}

/** The place behind the word. */
function walkWord(text: string, from: number, take: Take): number {
  let at = from
  let isPlain = true
  for (; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    const joins = isJoint(unit) && at + 1 < text.length && isLetter(text.charCodeAt(at + 1))
    if (!joins && !isLetter(unit)) break
    if (joins || unit >= 0x80) isPlain = false
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
