/** Traits of a text found by its words. They are stored with a document, so that a question can prefer them. */
import { once } from '../../kernel/text/once.ts'

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

const FIRST_PERSON =
  /\bI\b|\b[Ii]['’](?:m|ve|d|ll)\b|\bi (?:am|was|have|had|will|would|can|did|do|want|need|think|like|love|prefer|always|never|just|also|tried|got|went|used?)\b|\b(?:[Mm]y|[Ww]e|[Oo]ur|me|mine|us)\b|(?<![\uAC00-\uD7A3])[나내저][는의]|제가|내가|우리|私|僕|我/
const TIME =
  /\b(?:yesterday|today|tomorrow|tonight|ago|last|next|week(?:end)?s?|months?|years?|days?|hours?|minutes?|morning|afternoon|evening|night|noon|monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|since|until|recently|soon|\d{4}|\d{1,2}:\d{2}|\d{1,2}(?:st|nd|rd|th)|\d+\s?(?:ms|s|sec|min|h|am|pm))\b|어제|오늘|내일|지난|다음|주일|주말|요일|시간|\d\s?[년월일시분年月日時分]|昨日|今日|明日|昨天|今天|明天/i
const NUMBER =
  /\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|hundred|thousand|several|couple|twice|once|first|second|third)\b|하나|둘|셋|[한두세네]\s?(?:개|번|명)/i
/** A capital inside a sentence. */
const NAME = once(() => /[a-z,;]\s+\p{Lu}\p{Ll}+/u)
const REASON =
  /\b(?:because|since|so that|due to|reason|cause[ds]?|therefore|as a result|in order to|why|thanks to|led to|turned out|that['’]s how|wanted to|hoping)\b|때문|그래서|왜냐|이유|ため|から|因为|所以|由于/i
/** Excludes words with which programs and notes begin. */
const SPEAKER =
  /^(?!(?:Error|Warning|Note|Info|Debug|Usage|Example|Output|Result|Results|Hint|Tip|Fix|Feat|Caution|Important|Summary|Todo|Done|Step|Status|Question|Answer)\b)\p{Lu}[\p{L}'’-]{1,24}: /u
const QUESTION = /[?？]\s*$/

export function traitsOf(text: string): number {
  let flags = 0
  if (FIRST_PERSON.test(text)) flags |= FLAG.firstPerson
  if (TIME.test(text)) flags |= FLAG.time
  if (NUMBER.test(text)) flags |= FLAG.number
  if (NAME().test(text)) flags |= FLAG.name
  if (REASON.test(text)) flags |= FLAG.reason
  if (SPEAKER.test(text)) flags |= FLAG.speaker
  if (QUESTION.test(text)) flags |= FLAG.question
  return flags
}
