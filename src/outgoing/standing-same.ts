/** Whether two standing instructions are about the same: the words that tell what is to be done are equal, none more, none less. */
import { stem } from '../text/stem.ts'
import { tokenSpans } from '../text/words.ts'
import type { Stated } from './standing.ts'

/** What an instruction is about. */
interface Subject {
  /** Its telling words in their order. */
  words: string
  /** The same, sorted, each once. */
  set: string
  /** Numbers, signs of code, and words such as before and without, which turn everything round. */
  turns: string
  /** It sets one thing against another: the order says which. */
  isComparing: boolean
}

/** Remembers what it has looked at: each one is compared with all others. */
export function subjects(): (one: Pick<Stated, 'text'>) => Subject {
  const known = new Map<string, Subject>()
  return ({ text }) => {
    const subject = known.get(text) ?? subjectOf(text)
    known.set(text, subject)
    return subject
  }
}

/** Never by how many words they share: "run the linter" and "run the formatter" differ in one of many. */
export function isSameSubject(a: Subject, b: Subject): boolean {
  if (a.turns !== b.turns) return false
  return a.isComparing || b.isComparing ? a.words === b.words : a.set === b.set
}

/** How it is said, not what it is about; what every text has is left out before. */
const MANNER = new Set(
  (
    'make sure ensure must should prefer prefers preference stop want wants need needs like love remember note mind keep-in-mind forget future forward henceforth ' +
    'now onwards time times use uses using used claude important strictly absolutely general generally usually default told asked said say rule convention policy ' +
    'immer nie niemals bitte ab jetzt sofort stets künftig zukunft nun grundsätzlich generell der die das den dem des ein eine einen einem und du ich wir'
  ).split(' '),
)
/** Left out everywhere else as words that tell nothing: here they tell when, where and how much. */
const TURNS =
  /\b(?:before|after|without|until|till|during|above|below|over|under|inside|outside|off|out|down|between|against|behind|beyond|more|most|fewer|less|unless|except|only|first|vor|nach|ohne|bis)\b|전에|후에|없이|이전|이후|前に|後に|なしで|之前|之后/g
/** Manner in several words. */
const PHRASES = /\b(?:no more|any ?more|from (?:now|here) on out|first of all|once more)\b/g
const COMPARING =
  /\b(?:instead|rather|over|than|not|no|never|statt|als|nicht|from\b(?! (?:now|here|today)).*\bto)\b|대신|말고|보다|より|ではなく|而不是|代替/
/** The orders' own words in front: they are no comparison. */
const LEADING_NO =
  /^\W*(?:(?:please|always|and|but|also|so|ok|i|we|you|must|should|claude)\W+)*(?:never|do not|don'?t|no more|not)\b/
const SIGNS = /[+#=<>*&|$%@~^\\]+|\d+(?:\.\d+)*/g

function subjectOf(text: string): Subject {
  const lower = text.normalize('NFKC').toLowerCase().replace(/[’ʼ]/g, "'")
  const words = [...spacedWords(text), ...unspacedWords(lower)]
  // An order that is nothing but manner is its own subject.
  const telling = words.length === 0 ? [lower.replace(/[\s.!。！]+$/, '')] : words
  const turns = [...(lower.replace(PHRASES, ' ').match(TURNS) ?? []), ...(lower.match(SIGNS) ?? [])]
  return {
    words: telling.join(' '),
    set: [...new Set(telling)].sort().join(' '),
    turns: [...new Set(turns)].sort().join(' '),
    isComparing: COMPARING.test(lower.replace(LEADING_NO, '')),
  }
}

/** By their stems: "commit" and "commits" are one word. */
function spacedWords(text: string): string[] {
  return tokenSpans(text)
    .filter(({ word, isPair }) => !isPair && !UNSPACED.test(word) && !MANNER.has(word))
    .map(({ word }) => stem(word))
}

const UNSPACED = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]/
const RUNS = /[\u3040-\u30ff\u3400-\u9fff\u3005-\u3007\u30fc]+|[\uac00-\ud7a3]+/g
const KOREAN_MANNER =
  /^(?:항상|언제나|늘|절대로?|앞으로는?|이제부터는?|지금부터는?|반드시|꼭|무조건|제발|좀|주세요|줘요?|주십시오|마세요|마십시오|마라?|말아요?|말아줘|말아주세요|말고|말것|것|부탁해요?|부탁드려요|부탁드립니다|해줘요?|해주세요|하세요|해라?|하기|바랍니다)$/
/** What a verb ends in when somebody asks, orders or forbids. */
const KOREAN_ENDING =
  /(?:하지\s?(?:마(?:세요|십시오|라)?|말(?:것|고|아|아줘|아주세요)?)?|지(?:마(?:세요|십시오|라)?|말(?:것|고|아|아줘|아주세요)?)?|(?:해|어|아|여)?(?:주세요|주십시오|줘요?|주시고)|하(?:세요|십시오|시오|자|고|기|도록)|해(?:요|라|야|서)?|합니다|할|한다|으?세요|으?십시오)$/
const KOREAN_PARTICLE =
  /(?<=[\uac00-\ud7a3])(?:에서는|에서|에게|에는|으로는|으로|로는|까지|부터|을|를|은|는|이|가|로|에|도|만|의)$/
const HAN_MANNER =
  /(?:常に|必ず|いつも|絶対に?|今後は?|これからは?|決して|(?:し|く|っ|い)?て?(?:ください|下さい)|しないで|ないで|しない(?:こと)?|するな|すること|します|する|して|总是|总要|始终|永远|一直|一律|从现在(?:开始|起)|从今以后|以后|今后|请|務必|务必|一定要?|必须|不要|不准|不许|别|绝对?不?要?|都要?|要)/g

/** Korean by its words without endings and particles, the others by what is left without the words of ordering. */
function unspacedWords(lower: string): string[] {
  return [...lower.matchAll(RUNS)].flatMap(([run]) => {
    const bare = /[\uac00-\ud7a3]/.test(run)
      ? bareKorean(run)
      : run.replace(HAN_MANNER, '').replace(/[をはがにで]$/, '')
    return bare === '' ? [] : [bare]
  })
}

function bareKorean(word: string): string {
  if (KOREAN_MANNER.test(word)) return ''
  const bare = word.replace(KOREAN_ENDING, '').replace(KOREAN_PARTICLE, '')
  return bare === '' ? word : bare
}
