/** Estimates how many tokens a text costs: a weighted count of its characters, calibrated for Claude's newest tokenizer. */
import { once } from './once.ts'

/**
 * Hundredths of a token per character: whole numbers add up without rounding. A tokenizer packs letters by frequency, so
 * each script has its own price. Fitted to eleven kinds of text; `bench/tokens.ts` states the remaining error.
 */
const LETTER = 38
const DIGIT = 85
const PUNCTUATION = 70
const LINE_BREAK = 150
/** The first space of a run is free: it belongs to the token of the next word. */
const FURTHER_SPACE = 5
const ACCENTED_LATIN = 200
const GREEK_OR_CYRILLIC = 60
const HANGUL = 150
const KANA = 115
const HAN = 100
const OTHER = 100

const SPACE = 32
const ASCII = once(() => Uint8Array.from({ length: 128 }, (_, code) => priceOfAscii(String.fromCharCode(code))))

/** Never decreases when a text grows; 0 for an empty text. Reads each character once: about 300 MB/s. */
export function estimateTokens(text: string): number {
  const ascii = ASCII()
  let hundredths = 0
  let last = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === SPACE) hundredths += last === SPACE ? FURTHER_SPACE : 0
    else hundredths += code < 128 ? (ascii[code] ?? OTHER) : priceBeyondAscii(code)
    last = code
  }
  return Math.ceil(hundredths / 100)
}

function priceOfAscii(char: string): number {
  if (/[a-z]/i.test(char)) return LETTER
  if (/\d/.test(char)) return DIGIT
  if (char === '\n') return LINE_BREAK
  // A carriage return belongs to its line break.
  if (char === '\r') return 0
  return char === '\t' ? FURTHER_SPACE : PUNCTUATION
}

/** By UTF-16 unit: a character beyond the first plane (an emoji) has two. */
function priceBeyondAscii(code: number): number {
  if (code >= 0xac00 && code <= 0xd7a3) return HANGUL
  if (code >= 0x4e00 && code <= 0x9fff) return HAN
  if (code >= 0x3040 && code <= 0x30ff) return KANA
  if (code >= 0xc0 && code <= 0x24f) return ACCENTED_LATIN
  if (code >= 0x370 && code <= 0x52f) return GREEK_OR_CYRILLIC
  return OTHER
}
