/** Whether a sentence settles anything: a question, a mere condition, a thought and somebody else's opinion do not. */

import { tellingWords } from '../text/words.ts'
import { isAbout } from './fact-about.ts'

/** Asks for something to be done, or only whether it was understood. */
const REQUEST =
  /\bplease\b|\b(?:can|could|would|will) you\b|[,.;]\s*(?:ok(?:ay)?|alright|all right|right|yes|yeah|deal|agreed|understood|got it|thanks|oder|ja)\s*\?+$|(?:줄래|줄 수|주실 수|주시겠|주겠|줘|주세요|알겠지|알겠죠|그렇지|맞지|맞죠|오케이|하자|할게|합시다)(?:요)?\s*\?+$/i
const ASKS = /[?？]["')\]]*\s*$|(?:을까|ㄹ까|할까|볼까|쓸까|될까|둘까|갈까|일까|까요|나요|인가요|은가요|는가)\s*[.…]*$/
/** A thought that nobody has decided on. */
const THINKS =
  /^(?:(?:so|and|but|hmm+|well),?\s+)?(?:(?:maybe|perhaps|possibly),? (?:we|i|it|this|that|the|later|one day|some ?day)\b|(?:i|we) (?:wonder|might|could)\b|i(?:'m| am) (?:thinking|wondering|considering|not sure|unsure)\b|(?:we|i)(?:'re| are|'m| am) considering\b|(?:one day|some ?day)\b|what if\b|suppose\b|imagine\b|아마|어쩌면|언젠가)|(?:할지도|을지도|고민\s?중|검토\s?중|생각\s?중)/i
const MAY =
  /\b(?:maybe|perhaps|possibly|might|may|could|consider\w*|thinking|whether|unsure|undecided|proposed?|suggest\w*|idea|option)\b|고민|검토|수도|지도|생각|제안/i

const IF =
  /(?:^|[,;:—–-]\s*|(?<!\b(?:check|see|know|ask|test|verify|determine|decide|as|even|what|out|sure|matter|show|tell|say|says|wonder|sees|checks|whether))\s)(?:if|in case|unless|as soon as|provided that|falls)\s+/i
const IF_ENDS = /[,;]|\s(?:then|we|i|let's|lets|you|please|use|move|switch|go|just)\s/i
const IF_KOREAN =
  /^(.*?[\uac00-\ud7a3](?:하|되|라|다|으|지|나|오|가|리|르|치|쓰|이|면|뜨|크|커|내|보|패하)면)(?:은|는)?(?:[ ,]|$)/
/** Said out of politeness, or joins two sentences. */
const POLITE =
  /^(?:possible|needed|necessary|you (?:can|like|want|wish|agree|don't mind|do not mind|prefer)|that(?:'s| is) (?:ok|okay|fine)|it(?:'s| is) (?:ok|okay|fine|possible)|any|not|so|i may|i understand)\b/i
const POLITE_KOREAN =
  /(?:가능하|괜찮(?:으|다)|되도록이|웬만하|가급적이|그러|그렇다|아니|왜냐하|필요하|원하|말하자|이왕이)면$/
/** "My colleague says …": whoever is not the one who speaks. */
const REPORTED =
  /^(?:(?:but|and|so|well|btw|also|by the way),?\s+)?((?:(?:my|our|your|the|a|an|some|one of (?:my|our|the)|his|her|their)\s+)?(?:[\p{L}\p{N}'’-]+\s+){0,3}?[\p{L}\p{N}'’-]+)\s+(?:just |also |always |still |now )?(?:says?|said|thinks?|thought|suggests?|suggested|claims?|claimed|believes?|argues?|argued|proposes?|proposed|recommends?|recommended|told (?:me|us)|wrote|mentioned|insists?)\b\s*(?:that\b|:|,|we\b|to\b|it\b|the\b|i\b|you\b|[\p{L}]+ing\b|["“])/iu
const OURSELVES =
  /^(?:i|we|you|it|this|that|he or she|as i|like i|the user|claude|the assistant|which|who|what|and i|but i|the team|our team)$|\b(?:i|we|user|claude|assistant)$/i
const REPORTED_KOREAN =
  /^(\S*(?:동료|팀장|상사|친구|고객|디자이너|기획자|사장|선배|후배|매니저)\S*|\S+(?:님|씨))(?:이|가|은|는|께서)?\s.*(?:라고|다고|자고|냐고)\s?(?:해|하|말|주장|제안|그러|그랬|했)/

/**
 * Of the sentences around a quote those count that say most of the text. Null: one of them settles it. Otherwise a sentence
 * for whoever made a decision of it, without a full stop.
 */
export function whyNotDecided(sentences: readonly string[], text: string): string | null {
  const telling = [...tellingWords(text)]
  const shares = sentences.map((one) => {
    const there = tellingWords(one)
    return telling.filter((word) => there.has(word)).length
  })
  const most = Math.max(0, ...shares)
  if (most === 0) return null
  const why = sentences.filter((_, i) => shares[i] === most).map((one) => whyUndecided(one, text))
  return why.includes(null) ? null : (why[0] ?? null)
}

/** Says yes to what was asked or proposed right before. */
export function isAssent(said: string): boolean {
  return ASSENT.test(said.trim())
}

const ASSENT =
  /^(?:yes|yeah|yep|yup|y|ok(?:ay)?|sure|fine|do (?:it|that|so)|go (?:ahead|for it|with)|please do|sounds good|agreed|correct|right|exactly|perfect|great|good|let's|make it so|ja|gut|genau|네|넵|예|응|어|그래|좋아|좋습니다|그렇게|맞아|ㅇㅇ|ㅇㅋ|오케이|진행)(?![\p{L}])/iu

function whyUndecided(sentence: string, text: string): string | null {
  const said = sentence.trim()
  if (isQuestion(said)) return 'its quote is a question; quote where it was decided, or leave it out'
  if (THINKS.test(said) && !MAY.test(text))
    return 'its quote only considers it; quote where it was decided, or leave it out'
  if (isBareCondition(said, text))
    return 'its quote says so only under a condition; say the condition too, or leave it out'
  const other = reporterIn(said)
  return other !== null && !names(text, other)
    ? `somebody else said so, not whoever speaks; say in the text that it is what ${named(other)} said, or leave it out`
    : null
}

/** What somebody else thinks is nobody's own word, whoever passes it on. */
export function isReportedStance(sentence: string): boolean {
  return reporterIn(sentence.trim()) !== null
}

function isQuestion(said: string): boolean {
  return ASKS.test(said) && !REQUEST.test(said)
}

/** The condition is left out, and without it the text says more than was said. */
function isBareCondition(said: string, text: string): boolean {
  const condition = conditionIn(said)
  if (condition === null) return false
  const words = tellingWords(condition)
  return words.size > 0 && !TELLS_WHEN.test(text) && !isAbout(condition, tellingWords(text))
}

const TELLS_WHEN =
  /\b(?:if|when|whenever|unless|until|once|after|in case|on (?:failure|error)|only|should|provided|conditional\w*|wenn|falls)\b|면(?:\s|,|$)|경우|때(?:\s|,|는|에|만)|이후|후에/i

function conditionIn(said: string): string | null {
  const opens = IF.exec(said)
  if (opens !== null) {
    const rest = said.slice(opens.index + opens[0].length)
    if (POLITE.test(rest)) return null
    const end = IF_ENDS.exec(rest)
    return end === null ? rest : rest.slice(0, end.index)
  }
  const korean = IF_KOREAN.exec(said)?.[1]
  return korean === undefined || POLITE_KOREAN.test(korean) ? null : korean
}

/** Whoever passes it on makes it their own. */
const CONCLUDES =
  /[,;.]\s*(?:so|therefore|thus|hence|and so|and we|let's|lets|we(?:'ll| will| do)|do (?:that|it|so)|then|deshalb)\b|그래서|그러니|따르자|그렇게 하자|그렇게 해/i

function reporterIn(said: string): string | null {
  if (CONCLUDES.test(said)) return null
  const other = REPORTED.exec(said)?.[1] ?? REPORTED_KOREAN.exec(said)?.[1]
  return other === undefined || OURSELVES.test(other.trim()) ? null : other.trim()
}

function names(text: string, other: string): boolean {
  const there = tellingWords(text)
  return [...tellingWords(other)].some((word) => there.has(word))
}

function named(other: string): string {
  return `"${other.slice(0, 40)}"`
}
