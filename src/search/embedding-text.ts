/** What a model's tokenizer.json does to a text before it is cut into tokens: normalisers rewrite it, splitters part it. */
import { KeeperError } from '../platform/error.ts'

export type Rewrite = (text: string) => string
export type Split = (text: string) => string[]
type Json = Readonly<Record<string, unknown>>

const MARKS = /\p{Mn}/gu
const CONTROLS = /(?![\t\n\r])[\p{C}\ufffd]/gu
const CHINESE = /[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u{20000}-\u{2a6df}\u{2a700}-\u{2ceaf}\u{2f800}-\u{2fa1f}]/gu
const WORDS_AND_PUNCTUATION = /[\p{P}$+<=>^`|~]|[^\p{White_Space}\p{P}$+<=>^`|~]+/gu
const WORDS_AND_OTHERS = /[\p{L}\p{M}\p{N}\p{Pc}]+|[^\p{White_Space}\p{L}\p{M}\p{N}\p{Pc}]+/gu
const PUNCTUATION_AND_OTHERS = /[\p{P}$+<=>^`|~]|[^\p{P}$+<=>^`|~]+/gu
/** Not `\s`, which has one character less than other languages' white space, and one more. */
const SPACES = /\p{White_Space}+/gu

export function readNormaliser(raw: unknown): Rewrite {
  if (raw === null || raw === undefined) return (text) => text
  const json = objectIn(raw, 'normalizer')
  switch (json.type) {
    case 'Sequence':
      return inTurn(listIn(json.normalizers, 'normalizers').map(readNormaliser))
    case 'BertNormalizer':
      return bertNormaliser(json)
    case 'Lowercase':
      return (text) => text.toLowerCase()
    case 'NFC':
    case 'NFD':
    case 'NFKC':
    case 'NFKD': {
      const form = json.type
      return (text) => text.normalize(form)
    }
    case 'StripAccents':
      return (text) => text.replace(MARKS, '')
    case 'Strip':
      return inTurn([
        json.strip_left === false ? null : (text: string) => text.replace(/^\p{White_Space}+/u, ''),
        json.strip_right === false ? null : (text: string) => text.replace(/\p{White_Space}+$/u, ''),
      ])
    case 'Replace':
      return replacer(json)
    case 'Prepend': {
      const beginning = String(json.prepend)
      return (text) => (text === '' ? text : beginning + text)
    }
    case 'Precompiled':
      return charsMap(String(json.precompiled_charsmap))
    default:
      throw notKnown('normalizer', json.type)
  }
}

/** Null: the whole text is one part. */
export function readSplitter(raw: unknown): Split {
  if (raw === null || raw === undefined) return (text) => [text]
  const json = objectIn(raw, 'pre_tokenizer')
  switch (json.type) {
    case 'Sequence':
      return splitInTurn(listIn(json.pretokenizers, 'pretokenizers'))
    case 'BertPreTokenizer':
      return (text) => text.match(WORDS_AND_PUNCTUATION) ?? []
    case 'WhitespaceSplit':
      return (text) => text.split(SPACES).filter((part) => part !== '')
    case 'Whitespace':
      return (text) => text.match(WORDS_AND_OTHERS) ?? []
    case 'Punctuation':
      return (text) => text.match(PUNCTUATION_AND_OTHERS) ?? []
    case 'Metaspace':
      return metaspace(json, prependsTo(json) !== 'never')
    default:
      throw notKnown('pre_tokenizer', json.type)
  }
}

function splitInTurn(steps: readonly unknown[]): Split {
  const splitters = steps.map((raw) => {
    const rest = readSplitter(raw)
    const json = objectIn(raw, 'pre_tokenizer')
    // `first`: only where the text itself begins, not at each of the parts that an earlier step has made of it.
    const isFirstOnly = json.type === 'Metaspace' && prependsTo(json) === 'first'
    return { rest, inner: isFirstOnly ? metaspace(json, false) : rest }
  })
  return (text) =>
    splitters.reduce<string[]>(
      (parts, { rest, inner }) => parts.flatMap((part, at) => (at === 0 ? rest(part) : inner(part))),
      [text],
    )
}

function prependsTo(json: Json): string {
  return typeof json.prepend_scheme === 'string'
    ? json.prepend_scheme
    : json.add_prefix_space === false
      ? 'never'
      : 'always'
}

/** Spaces become a visible mark, which stands at the beginning of each word. */
function metaspace(json: Json, hasMarkFirst: boolean): Split {
  const mark = typeof json.replacement === 'string' ? json.replacement : '▁'
  return (text) => {
    const marked = text.replaceAll(' ', mark)
    const whole = hasMarkFirst && !marked.startsWith(mark) ? mark + marked : marked
    if (whole === '' || text === '') return []
    if (json.split === false) return [whole]
    const [head, ...words] = whole.split(mark)
    const parts = words.map((word) => mark + word)
    return head === undefined || head === '' ? parts : [head, ...parts]
  }
}

function bertNormaliser(json: Json): Rewrite {
  const isLowercase = json.lowercase !== false
  const stripsAccents = typeof json.strip_accents === 'boolean' ? json.strip_accents : isLowercase
  return inTurn([
    json.clean_text === false ? null : (text: string) => text.replace(CONTROLS, '').replace(/\p{White_Space}/gu, ' '),
    json.handle_chinese_chars === false ? null : (text: string) => text.replace(CHINESE, ' $& '),
    stripsAccents ? (text: string) => text.normalize('NFD').replace(MARKS, '') : null,
    isLowercase ? (text: string) => text.toLowerCase() : null,
  ])
}

function replacer(json: Json): Rewrite {
  const content = String(json.content ?? '')
  const pattern = objectIn(json.pattern, 'pattern')
  if (typeof pattern.String === 'string') {
    const plain = pattern.String
    return (text) => (plain === '' ? text : text.replaceAll(plain, () => content))
  }
  const regex = new RegExp(String(pattern.Regex).replaceAll('\\s', '\\p{White_Space}'), 'gu')
  return (text) => text.replace(regex, () => content)
}

/**
 * SentencePiece's own table of replacements: the size of a double-array trie over UTF-8, the trie, then texts that end in
 * a zero, which its leaves point at. At each place the longest entry counts.
 */
function charsMap(base64: string): Rewrite {
  const bytes = Buffer.from(base64, 'base64')
  const size = bytes.length < 4 ? 0 : bytes.readUInt32LE(0)
  if (size === 0 || size % 4 !== 0 || 4 + size > bytes.length) throw broken('its precompiled_charsmap is cut off')
  const unit = (node: number): number => (node * 4 < size ? bytes.readUInt32LE(4 + node * 4) : 0)
  const child = (node: number, at: number): number => node ^ ((at >>> 10) << ((at & 0x200) >>> 6))
  const texts = 4 + size
  const longest = (input: Buffer, from: number): { end: number; text: string } | null => {
    let found: { end: number; value: number } | null = null
    let node = child(0, unit(0))
    for (let i = from; i < input.length; i++) {
      const byte = input[i] ?? 0
      const here = unit(node ^ byte)
      // A zero is no key: it is where leaves are, and what empty places look like.
      if (byte === 0 || (here & 0x800000ff) >>> 0 !== byte) break
      node = child(node ^ byte, here)
      if ((here & 0x100) !== 0) found = { end: i + 1, value: unit(node) & 0x7fffffff }
    }
    if (found === null) return null
    const start = texts + found.value
    return { end: found.end, text: bytes.toString('utf8', start, Math.max(start, bytes.indexOf(0, start))) }
  }
  return (text) => replaceAlong(Buffer.from(text), longest)
}

function replaceAlong(
  input: Buffer,
  longest: (input: Buffer, from: number) => { end: number; text: string } | null,
): string {
  let made = ''
  let kept = 0
  for (let at = 0; at < input.length; ) {
    const found = longest(input, at)
    if (found === null) {
      at += utf8Length(input[at] ?? 0)
      continue
    }
    made += input.toString('utf8', kept, at) + found.text
    at = kept = found.end
  }
  return made + input.toString('utf8', kept)
}

function utf8Length(first: number): number {
  return first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4
}

function inTurn(steps: readonly (Rewrite | null)[]): Rewrite {
  return (text) => steps.reduce((seen, step) => (step === null ? seen : step(seen)), text)
}

export function objectIn(raw: unknown, name: string): Json {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) throw broken(`its "${name}" is no object`)
  return raw as Json
}

export function listIn(raw: unknown, name: string): readonly unknown[] {
  if (!Array.isArray(raw)) throw broken(`its "${name}" is no list`)
  return raw
}

function broken(why: string): KeeperError {
  return new KeeperError('embedder', `The embedder's tokenizer.json cannot be used: ${why}.`)
}

export function notKnown(part: string, type: unknown): KeeperError {
  return broken(`${part} ${JSON.stringify(type)} is not supported`)
}
