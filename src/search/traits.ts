/** Traits of a text found by its words. They are stored with a document, so that a question can prefer them. */
import { once } from '../text/once.ts'
import { utf16Of } from '../text/utf16.ts'

export const FLAG = {
  /** In the first person. */
  firstPerson: 1,
  time: 2,
  number: 4,
  name: 8,
  reason: 16,
  /** "Name: …": the first word is the speaker. */
  speaker: 32,
  question: 64,
} as const

const TIME_WORDS =
  'yesterday|today|tomorrow|tonight|ago|last|next|week|weeks|weekend|weekends|month|months|year|years|day|days|hour|hours|minute|minutes|morning|afternoon|evening|night|noon|monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sep|sept|oct|nov|dec|since|until|recently|soon'
const NUMBER_WORDS =
  'one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|hundred|thousand|several|couple|twice|once|first|second|third'
const REASON_WORDS = 'because|since|reason|cause|caused|causes|therefore|why|hoping'

const FIRST_PERSON =
  /\bI\b|\b[Ii]['’](?:m|ve|d|ll)\b|\bi (?:am|was|have|had|will|would|can|did|do|want|need|think|like|love|prefer|always|never|just|also|tried|got|went|used?)\b|\b(?:[Mm]y|[Ww]e|[Oo]ur|me|mine|us)\b|(?<![\uAC00-\uD7A3])[나내저][는의]|제가|내가|우리|私|僕|我/
const TIME = once(
  () =>
    new RegExp(
      `\\b(?:${TIME_WORDS}|\\d{4}|\\d{1,2}:\\d{2}|\\d{1,2}(?:st|nd|rd|th)|\\d+\\s?(?:ms|s|sec|min|h|am|pm))\\b|어제|오늘|내일|지난|다음|주일|주말|요일|시간|\\d\\s?[년월일시분年月日時分]|昨日|今日|明日|昨天|今天|明天`,
      'i',
    ),
)
const NUMBER = once(() => new RegExp(`\\d|\\b(?:${NUMBER_WORDS})\\b|하나|둘|셋|[한두세네]\\s?(?:개|번|명)`, 'i'))
/** A capital inside a sentence. */
const NAME = once(() => /[a-z,;]\s+\p{Lu}\p{Ll}+/u)
const REASON = once(
  () =>
    new RegExp(
      `\\b(?:${REASON_WORDS}|so that|due to|as a result|in order to|thanks to|led to|turned out|that['’]s how|wanted to)\\b|때문|그래서|왜냐|이유|ため|から|因为|所以|由于`,
      'i',
    ),
)
/** Excludes words with which programs and notes begin. */
const SPEAKER =
  /^(?!(?:Error|Warning|Note|Info|Debug|Usage|Example|Output|Result|Results|Hint|Tip|Fix|Feat|Caution|Important|Summary|Todo|Done|Step|Status|Question|Answer)\b)\p{Lu}[\p{L}'’-]{1,24}: /u
const QUESTION: ReadonlySet<string> = new Set('?？')

export function traitsOf(text: string): number {
  const may = possibleIn(text)
  let flags = 0
  if (may & FLAG.firstPerson && FIRST_PERSON.test(text)) flags |= FLAG.firstPerson
  if (may & FLAG.time && TIME().test(text)) flags |= FLAG.time
  if (may & FLAG.number && NUMBER().test(text)) flags |= FLAG.number
  if (may & FLAG.name && NAME().test(text)) flags |= FLAG.name
  if (may & FLAG.reason && REASON().test(text)) flags |= FLAG.reason
  if (SPEAKER.test(text)) flags |= FLAG.speaker
  if (QUESTION.has(text.trimEnd().slice(-1))) flags |= FLAG.question
  return flags
}

/** Traits by a word without which their pattern cannot match: of a phrase its rarest word. In lower case. */
const CLUES: readonly (readonly [flag: number, words: string])[] = [
  [FLAG.firstPerson, 'i|my|we|our|me|mine|us'],
  [FLAG.time, TIME_WORDS],
  [FLAG.number, NUMBER_WORDS],
  [FLAG.reason, `${REASON_WORDS}|so|due|result|order|thanks|led|turned|how|wanted`],
]

/** By the hash of the word. */
const flagsByHash = once(() => {
  const flags = new Map<number, number>()
  for (const [flag, words] of CLUES)
    for (const word of words.split('|')) {
      let hash = BASIS
      for (let i = 0; i < word.length; i++) hash = Math.imul(hash ^ word.charCodeAt(i), PRIME)
      flags.set(hash, (flags.get(hash) ?? 0) | flag)
    }
  return flags
})

const BASIS = 0x811c9dc5 | 0
const PRIME = 0x01000193
/** Characters of the patterns that are not ASCII, besides the apostrophe, come after this one. */
const WIDE = 0x3000
const IN_WIDE = FLAG.firstPerson | FLAG.time | FLAG.number | FLAG.reason

/** Digits, letters and the underscore, as in `\w`: 1; a capital: 2. */
const WORD = new Uint8Array(128).fill(1, 0x30, 0x3a).fill(2, 0x41, 0x5b).fill(1, 0x5f, 0x60).fill(1, 0x61, 0x7b)

/** The traits whose patterns may match: most texts contain none of the words, and one loop is faster than five patterns. */
function possibleIn(text: string): number {
  const units = utf16Of(text)
  const known = flagsByHash()
  let flags = 0
  for (let at = 0; at < text.length; at++) {
    let unit = units[at] as number
    if (unit >= 0x80) flags |= unit < WIDE ? FLAG.name : IN_WIDE | FLAG.name
    else if (WORD[unit] !== 0) {
      if (WORD[unit] === 2) flags |= FLAG.name
      let hash = BASIS
      do {
        if (unit < 0x3a) flags |= FLAG.number | FLAG.time
        // In lower case; the underscore becomes another character, which is in no word either.
        hash = Math.imul(hash ^ (unit | 0x20), PRIME)
        unit = units[++at] as number
      } while (unit < 0x80 && WORD[unit] !== 0)
      flags |= known.get(hash) ?? 0
      at--
    }
  }
  return flags
}
