/** Splits text into tokens: words by their stem, identifiers by their parts, scripts without spaces by pairs of characters. */

import { once } from './once.ts'
import { stem } from './stem.ts'
import { pairToken, stemOf, tokenOf } from './token.ts'
import { isUnspaced, unspacedAt, utf16Of } from './utf16.ts'

/** Words that are too common to search for. Written without apostrophes, because the tokeniser removes them. */
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
  /** The compared form: lower case, without accents. */
  word: string
  /** Two characters of a longer run in a script without spaces. */
  isPair: boolean
}

type Take = (word: string, from: number, to: number, isPair: boolean) => void

/** The distinct words of texts, as written: the vocabulary for correcting typos. */
export interface WordBag {
  words: Set<string>
  /** Unique per bag. */
  stamp: number
}

let stamps = 0

export function newWordBag(): WordBag {
  return { words: new Set(), stamp: ++stamps }
}

/** Leaves out stop words. A compound identifier comes before its parts. */
export function tokenise(text: string): Uint32Array {
  return readTokens(text, null).slice()
}

/** As `tokenise`, but the result is valid only until the next call. Adds the words of the text (see `wordsOf`) to the bag. */
export function readTokens(text: string, bag: WordBag | null): Uint32Array {
  count = 0
  const take: Take = (word, _from, _to, isPair) => {
    if (!isPair && bag !== null && isTypeable(word)) bag.words.add(word)
    if (isPair || !STOP_WORDS.has(word)) push(tokenFor(word))
  }
  if (bag !== null && pairBits === FEW_PAIR_BITS) useLargeCache()
  const units = utf16Of(text)
  for (let at = 0; at < text.length; ) {
    const unit = units[at] as number
    if (unit >= 0x80) at = takeSyllables(text, units, at, bag) ?? takeOther(text, at, take, bag)
    else if (ASCII[unit] === 1) at = takePlain(text, units, at, bag) ?? walkWord(text, at, take)
    else at++
  }
  return tokens.subarray(0, count)
}

/** The tokens of the text that is being read. */
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
 * A cache of tokens, so that most words need not be cut out of the text. A slot contains two hashes of the letters, the token,
 * and the stamp of the last bag that got the word. Two slots beside each other make a pair: a word is in one of them, and a new
 * word takes the place of the one that came into the pair first.
 */
const SLOT = 4
/** A search reads a few words. An index is built from millions, and gets the larger cache. */
const FEW_PAIR_BITS = 10
const MANY_PAIR_BITS = 17
let pairBits = FEW_PAIR_BITS
let slots = new Uint32Array((2 * SLOT) << pairBits)

function useLargeCache(): void {
  pairBits = MANY_PAIR_BITS
  slots = new Uint32Array((2 * SLOT) << pairBits)
}

/** In the place of a token: a stop word. */
const STOP = 1

/** Takes a word of lower-case letters and digits (the first letter may be a capital) and returns the position behind it. Null: another kind of word. */
function takePlain(text: string, units: Uint16Array, from: number, bag: WordBag | null): number | null {
  let at = from
  let unit = units[at] as number
  if (unit === UNDERSCORE) return null
  if (unit >= 0x41 && unit <= 0x5a) unit |= 0x20
  let first = 0x811c9dc5 | 0
  let second = 1
  do {
    first = Math.imul(first ^ unit, 0x01000193)
    second = (Math.imul(second, 0x2c1b3c6d) + unit) | 0
    unit = units[++at] as number
  } while (unit < 0x80 && PLAIN[unit] === 1)
  // Behind it: a capital, an underscore or a letter that is not ASCII.
  if (isLetter(unit) || (isJoint(unit) && isLetter(units[at + 1] as number))) return null
  let slot = findSlot(first, second)
  if (slot < 0 || (bag !== null && slots[slot + 3] !== bag.stamp)) {
    const word = text.slice(from, at).toLowerCase()
    slot = learn(slot, first, second, STOP_WORDS.has(word) ? STOP : tokenFor(word), bag?.stamp ?? 0)
    if (bag !== null && isTypeable(word)) bag.words.add(word)
  }
  const token = slots[slot + 2] as number
  if (token !== STOP) push(token)
  return at
}

/** Takes a run of Hangul syllables as pairs and returns the position behind it. Null: only one syllable, or other characters follow without a space. */
function takeSyllables(text: string, units: Uint16Array, from: number, bag: WordBag | null): number | null {
  let at = from
  while (isSyllable(units[at] as number)) at++
  if (at - from < 2 || unspacedAt(text, at) > 0) return null
  let run = 0
  for (let i = from; i + 1 < at; i++) {
    const token = pairToken(units[i] as number, units[i + 1] as number)
    push(token)
    run = (Math.imul(run, 0x2c1b3c6d) + token) | 0
  }
  if (bag !== null && at - from >= LEAST_HANGUL) addRun(text, from, at, run, bag)
  return at
}

/** `sum`: hash of the run. Most runs are already in the bag. */
function addRun(text: string, from: number, to: number, sum: number, bag: WordBag): void {
  const second = Math.imul(sum ^ (to - from), 0x01000193)
  const slot = findSlot(sum, second)
  if (slot >= 0 && slots[slot + 3] === bag.stamp) return
  learn(slot, sum, second, STOP, bag.stamp)
  for (const run of hangulIn(text.slice(from, to))) bag.words.add(run)
}

/** Takes any other text; returns the position behind it. */
function takeOther(text: string, from: number, take: Take, bag: WordBag | null): number {
  const at = walkOne(text, from, take)
  if (bag !== null && at - from >= LEAST_HANGUL) for (const run of hangulIn(text.slice(from, at))) bag.words.add(run)
  return at
}

/** The first slot of a pair. */
function pairOf(first: number, second: number): number {
  return (Math.imul(first + (second << 1), 0x9e3779b1) >>> (32 - pairBits)) * 2 * SLOT
}

/** Negative: not in the cache. */
function findSlot(first: number, second: number): number {
  const slot = pairOf(first, second)
  if (slots[slot] === first >>> 0 && slots[slot + 1] === second >>> 0) return slot
  return slots[slot + SLOT] === first >>> 0 && slots[slot + SLOT + 1] === second >>> 0 ? slot + SLOT : -1
}

/** `known`: the slot that it has already, or a negative number. Returns its slot. */
function learn(known: number, first: number, second: number, token: number, stamp: number): number {
  let slot = known
  if (slot < 0) {
    slot = pairOf(first, second)
    slots.copyWithin(slot + SLOT, slot, slot + SLOT)
  }
  slots[slot] = first
  slots[slot + 1] = second
  slots[slot + 2] = token
  slots[slot + 3] = stamp
  return slot
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

/** Korean separates words by spaces: runs of this many syllables are words, with their particles. */
const LEAST_HANGUL = 3
const MOST_HANGUL = 12
const HANGUL = new RegExp(`[\\uAC00-\\uD7A3]{${LEAST_HANGUL},${MOST_HANGUL}}`, 'g')

function hangulIn(text: string): string[] {
  return text.match(HANGUL) ?? []
}

/** Nobody searches for a long word with a digit, and it may be a secret key. */
function isTypeable(word: string): boolean {
  return word.length > 2 && word.length < 40 && !(word.length > 10 && /\d/.test(word)) && !STOP_WORDS.has(word)
}

/** A cache, since words repeat; cleared when it grows too large. */
const known = new Map<string, number>()
const KNOWN_MAX = 50_000
/** Longer words are not cached: the JavaScript engine would keep their whole text alive, and long words seldom repeat. */
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
  return !isUnspaced(unit) && NON_ASCII_WORD().test(String.fromCharCode(unit))
}

/** Digits, letters and the underscore. Every hook makes it: no regular expression is asked. */
const PLAIN = new Uint8Array(128).fill(1, 0x30, 0x3a).fill(1, 0x61, 0x7b)
const ASCII = PLAIN.slice().fill(1, 0x41, 0x5b).fill(1, 0x5f, 0x60)
/** Full-width letters and digits are letters like any other. */
const NON_ASCII_WORD = once(() => /[\p{L}\p{N}\p{M}]/u)

const APOSTROPHE = 0x27
const CURLY = 0x2019
const UNDERSCORE = 0x5f

function walk(text: string, take: Take): void {
  for (let at = 0; at < text.length; ) at = walkOne(text, at, take)
}

/** Takes one word, one run of a script without spaces, or one other character. Returns the position behind it. */
function walkOne(text: string, from: number, take: Take): number {
  let at = from
  for (let units = unspacedAt(text, at); units > 0; units = unspacedAt(text, at)) at += units
  if (at > from) takePairs(text.slice(from, at), from, take)
  else at = isLetter(text.charCodeAt(at)) ? walkWord(text, from, take) : at + 1
  return at
}

/** A precomposed Hangul syllable: normalisation does not change it. */
function isSyllable(unit: number): boolean {
  return unit >= 0xac00 && unit <= 0xd7a3
}

/** Apostrophes may occur inside a word. */
function isJoint(unit: number): boolean {
  return unit === APOSTROPHE || unit === CURLY
}

/** Returns the position behind the word. */
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
const CAMEL = once(() => /(?<=[\p{Ll}\d])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u)

function takeWord(run: string, from: number, isPlain: boolean, take: Take): void {
  const to = from + run.length
  const written = isPlain ? run : plainly(run)
  // The usual case: no capital after the first letter, no underscore.
  if (isPlain ? isSimple(run) : !/_|.\p{Lu}/u.test(written)) {
    const lower = written.toLowerCase()
    if (lower !== '') take(lower, from, to, false)
    return
  }
  const parts = written.split('_').flatMap((part) => part.split(CAMEL()))
  const filled = parts.filter((part) => part !== '')
  const whole = filled.join('').toLowerCase()
  if (whole === '') return
  take(whole, from, to, false)
  if (filled.length === 1) return
  let at = 0
  for (const part of filled) {
    // Removing accents may have changed the part's length; then this part and all later ones get the position of the whole word.
    if (at >= 0) at = run.indexOf(part, at)
    const isThere = at >= 0
    take(part.toLowerCase(), isThere ? from + at : from, isThere ? from + at + part.length : to, false)
    if (isThere) at += part.length
  }
}

/** For ASCII only. No regular expression, because this runs for every word of every text. */
function isSimple(run: string): boolean {
  for (let i = 0; i < run.length; i++) {
    const unit = run.charCodeAt(i)
    if (unit === UNDERSCORE || (i > 0 && unit >= 0x41 && unit <= 0x5a)) return false
  }
  return true
}

/** Removes accents and apostrophes, and endings such as 's and 're. */
function plainly(run: string): string {
  return run
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/['’](?:s|d|m|re|ve|ll)$/i, '')
    .replace(/['’]/g, '')
    .normalize('NFC')
}

/** In order, without stop words. */
export function stemsOf(text: string): number[] {
  return Array.from(tokenise(text), stemOf)
}

/** Korean word endings: they carry grammar, not meaning. */
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
