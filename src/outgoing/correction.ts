/** Corrections: where the user sets Claude right ("no, use …", "I told you …", 그게 아니라 …). Said again, they are worth keeping. */

import { typedSentences, withoutQuotes } from '../knowledge/typed-text.ts'
import type { Numbered } from '../sessions/digest-types.ts'
import { shortenTo } from '../text/memory-words.ts'
import { correctedInOtherTongues } from './correction-tongues.ts'
import { plainly } from './openers.ts'
import { recognise, type Stated } from './standing.ts'
import { ORDER_VERBS } from './standing-english.ts'
import { spellOut } from './typed-spelling.ts'
import { isFromText } from './typed-unsure.ts'

const MAX_CHARS = 200

/** In the order they were typed. What holds for good in so many words is a standing instruction and none of these. */
export function correctionsIn(entries: readonly Numbered[]): Stated[] {
  return typedSentences(entries).flatMap(({ text: said, before, at, entry }) => {
    const from = recognise(said) === null ? correctedAt(lowered(said), lowered(before)) : null
    const text = from === null ? null : shortenTo(plainly(said.slice(from).trim()), MAX_CHARS)
    return text === null ? [] : [{ kind: 'correction' as const, text, at, entry }]
  })
}

/** As long as the sentence, where lower case is. */
function lowered(sentence: string): string {
  const lower = withoutQuotes(sentence.toLowerCase().replace(/[’ʼ]/g, "'"))
  return lower.length === sentence.length ? lower : withoutQuotes(sentence)
}

/** The place in what was typed. */
function correctedAt(text: string, before: string): number | null {
  const spelled = spellOut(text)
  const from = correctedFrom(spelled.text, spellOut(before).text)
  return from === null ? null : spelled.typedAt(from)
}

/** Where what is right begins; null: it corrects nothing. `before`: the sentence in front, which may be a bare no. */
function correctedFrom(text: string, before: string): number | null {
  if (/[\uac00-\ud7a3]/.test(text)) return inKorean(text, before)
  return /[\u3040-\u30ff\u4e00-\u9fff]/.test(text) ? correctedInOtherTongues(text) : inEnglish(text, before)
}

// --- English

/** Said before without changing it. */
const HUSH =
  /^(?:(?:and|but|so|ok(?:ay)?|hey|claude|please|pls|um+|uh+|well|hm+|sorry|oh|ugh|argh|dude|man|look|listen)[,!.…]*\s+)+/
const BARE_NO =
  /^(?:(?:no+|nope|nah|wrong|incorrect|not (?:like (?:that|this)|quite|right|correct)|still wrong|wrong again|(?:that|this|it)(?:'s| is| was|'s still| is still) (?:wrong|incorrect|not (?:right|correct|it|what i (?:asked|meant|wanted|said)(?: for)?))|(?:that|this|it) (?:isn't|wasn't) (?:right|correct|it|what i (?:asked|meant|wanted|said)(?: for)?)|wrong \w+|again)[.,! ]*)+$/
const NO = /^(?:(?:no )*(?:no+|nope|nah|wrong|incorrect)(?:[,.!:;…]+| [–—-]+)\s+)+/
/** A refusal without a comma, straight before an order. */
const NO_ORDER =
  /^(?:no|nope|nah) (?=(?:use|don'?t|do not|i (?:said|meant|told|asked|want|wanted|need)|we (?:use|want|need)|put|keep|make|call|it should|it's (?:supposed|meant|in|called)|not|(?:(?:that's|this is|it's) )?(?:the )?wrong|that's not)\b)/
/** "wrong file", "that's the wrong branch": what follows is the right one. */
const WRONG_ONE =
  /^(?:(?:that's|that is|this is|it's|you're \w+(?:ing)?(?: in| on| at)?)(?: still)? )?(?:the )?wrong (?!with\b|again\b)\w+(?: \w+)?(?:[,;:.!–—]+| -)\s*/
const NOT_MINE =
  /^(?:that|this|it)(?:'s| is) not (?:my|our|the|a|an) [^,;:.]{2,40}?(?:[,;:.–—]+| -| though| but)\s+(?=(?:it'?s|i|we|use|the|my|our|rather)\b)/
const INVENTED =
  /^(?!if\b|is\b|was\b).{2,60}\b(?:is|are|was|were)(?: a| all| just| pure| completely| totally)* (?:hall?ucinat(?:ion|ions|ed)|made[- ]up|fabricated)\b/
const WRONG =
  /^(?:that|this|it|(?:the|that|this|your) (?:[\w-]+ ){0,2}[\w-]+)(?:'s| is| was|'s still| is still) (?:wrong|incorrect|not (?:right|correct|how|what i (?:asked|meant|wanted|said)(?: for)?))\b[^,;:.–—]{0,40}(?:[,;:.–—]+| -)\s*(?:and |but )?/
const ISNT =
  /^(?:that|this|it) (?:isn't|wasn't) (?:right|correct|how|what i (?:asked|meant|wanted|said)(?: for)?)\b[^,;:.–—]{0,40}(?:[,;:.–—]+| -)\s*/
const AGAIN = /^(?:once |yet )?again(?:[,:!]| [–—-])\s*/
/** Whoever says so repeats what is right, however it is put. */
const REMINDED =
  /^(?:i repeat|as i (?:already )?said(?: before| already| earlier)?|like i said(?: before| already| earlier)?|as (?:already )?(?:mentioned|told)(?: before)?)(?:[,:]| [–—-])+\s*/
const TOLD =
  /^i(?:'ve| have)?(?: already| just| clearly| explicitly| specifically| repeatedly| literally| also)*(?: (?:told|asked|instructed|reminded) you(?: (?:\w+ times|before|already|earlier|again))*,?(?: to(?= )|:| that)?| said(?: (?:already|before|earlier|\w+ times))*,?(?: to(?= )|:| that)?| asked for(?=.*\bnot )| meant)\s+(?!(?:so|hello|hi|thanks|that|it|this|yes|ok|well|about|in|at|on|during|because|nothing|to (?:him|her|them|my|the))\b)(?=\S)/
const HOW_OFTEN =
  /^how (?:many times|often) (?:do|must|have|did|should) i\b.{0,60}?\b(?:tell|say|told|ask|asked|said|repeat)\b(?: you)?(?: to| that)?\s*/
const STOP = /^(?:just |again,? )?(?:stop|quit) (?=[a-z-]+ing\b)(?!(?:for|now|here|working|there|everything|being)\b)/
const YOU =
  /^you (?:should(?:n't| not)? have|were (?:not )?supposed to|weren't supposed to|forgot (?:to|the|about|again)|keep (?=\w+ing\b)|did it again|again (?=\w+ed\b)|(?:changed|deleted|removed|broke|renamed|added|missed|skipped|ignored|used|touched|reverted|pushed|committed|edited) .{2,60}\b(?:again|i (?:told|asked) you)\b)|^you(?:'re| are)? still (?=\w+ing\b)/
const WHY = /^why (?:do|did|are|have) you (?:(?:still|keep|again|always|constantly)\b|.{2,60}\bagain\b)/
const NOT_BUT =
  /^not (?!sure|yet|now|really|bad|only|just|necessarily|at all|quite|today|much|a |an |that |urgent|needed|important|ideal|good|great|working|critical|blocking|too|so |everything|all |every|many|my |your |the (?:best|worst|end|first|only))[^,;.]{1,50}(?:[,;]| [–—-]+| but)\s*(?:but |rather |use )?(?!(?:but )?(?:i|we|it|still|at least|maybe|though|so|thanks?|because|since|and)\b)(?=\S)/
const USE_NOT =
  /^(?:use|call|put|import|write|name|make|run|return|read|show|import|store|save|keep|send|target|point|test|build|deploy) [^,;]{2,80}, (?:and )?(?:please )?not (?!only|just|yet|sure|really|necessarily|that|now)\S/
const INSTEAD = /^(?:actually|wait|hold on)[,!.…]*\s+(?:no[,.!…]*\s+)?(?=.*\b(?:instead|not)\b)/
/** "no that's the wrong file, …" */
const MOST_LEADS = 3
const LEADS = [NO, NO_ORDER, WRONG_ONE, WRONG, ISNT, AGAIN, INSTEAD]

const CORRECTING = [STOP, YOU, WHY, NOT_BUT, USE_NOT, NOT_MINE, INVENTED]

function inEnglish(full: string, before: string): number | null {
  const hush = HUSH.exec(full)?.[0].length ?? 0
  const text = full.slice(hush)
  const isRight = (lead: number | undefined): number | null =>
    lead !== undefined && lead < text.length && setsRight(text.slice(lead)) ? hush + lead : null
  for (let lead = leadIn(text), i = 0; lead > 0 && i < MOST_LEADS; i++) {
    const right = isRight(lead) ?? correctedIn(text, hush, lead)
    if (right !== null) return right
    const next = leadIn(text.slice(lead))
    if (next === 0) return null
    lead += next
  }
  const reminded = REMINDED.exec(text)?.[0].length
  if (reminded !== undefined) return IDLE.test(text.slice(reminded)) ? null : hush + reminded
  if (BARE_NO.test(before.replace(HUSH, '')) && setsRight(text)) return hush
  return correctedIn(text, hush, 0)
}

/** How far what only refuses reaches; 0: it refuses nothing. */
function leadIn(text: string): number {
  return LEADS.map((one) => one.exec(text)?.[0].length).find((length) => length !== undefined) ?? 0
}

/** What corrects by itself, perhaps behind a no. */
function correctedIn(text: string, hush: number, lead: number): number | null {
  const rest = text.slice(lead)
  const isAsked = /[?？]$/.test(rest)
  const told = HOW_OFTEN.exec(rest) ?? (isAsked ? null : TOLD.exec(rest))
  // "I told you before." says nothing of what.
  if (told !== null)
    return /^(?:before|already|earlier|again|once|twice|so|yesterday)?[.!]*$/.test(rest.slice(told[0].length))
      ? null
      : hush + lead + told[0].length
  if (isAsked && !WHY.test(rest)) return null
  const isOne = CORRECTING.some((one) => one.test(rest))
  return isOne ? hush + lead : null
}

const SHOULD =
  /^(?:it|that|this|they|there|you|we|the [\w-]+(?: [\w-]+){0,3}|[\w-]+(?: [\w-]+)?) (?:should(?:n't| not)?|must(?:n't| not)?|ha(?:s|ve) to|needs? to|(?:is|are) supposed to|can't|cannot|belongs?|goes?|lives?|(?:is|are) (?:in|at|called|named))\b|^(?:it|that|this)(?:'s| is) (?:supposed|meant) to\b|^should(?:n't| not)? (?:be|have|go|use|return|come|live|point)\b|^(?:it|that|they)(?:'s|'re) (?:in|at|on|under|called|named) /
const MINE =
  /^(?:i|we) (?:said|meant|asked|want(?:ed)?|told you|need|use|prefer|don'?t (?:want|use|need)|do not (?:want|use|need)|never|only|agreed|decided)\b/
const REFUSED =
  /^(?:not to |don'?t |do not |never (?!been|had|seen|tried|heard|used|done|did|was|knew|thought|played|met|got|went)|stop |without |instead\b|only |just (?=use|put|keep|call|do)|rather |use\b)/
const IDLE =
  /^(?:thanks?|thank you|thx|that'?s (?:fine|ok|okay|all|good|great|it|enough|right|correct|cool)|it'?s (?:fine|ok|okay|good|all good|alright|not (?:a problem|needed|necessary|urgent))|go (?:ahead|on)|leave it|keep (?:going|it|that|them|both)|never ?mind|i'?m (?:good|fine|ok|done)|all good|don'?t worry|do it|do that|do so|let'?s (?:go|do|keep|leave|continue|move)|not (?:yet|now|really|needed|necessary|today|at the moment|right now)|we'?re (?:good|fine|done)|continue|proceed|just (?:curious|asking|checking|wondering)|i don'?t (?:think|know|mind|have|see)|run (?:it|that)|try (?:it|that)|check (?:it|that))\b/

/** Says what is right: an order, what should be, what was meant. */
function setsRight(rest: string): boolean {
  const text = rest.replace(/^(?:(?:please|pls|you have to|just|and|but|so|then)[, ]+)+/, '')
  if (IDLE.test(text) || /[?？]$/.test(text) || text.split(' ').length < 2) return false
  if (SHOULD.test(text) || MINE.test(text) || REFUSED.test(text)) return true
  return ORDER_VERBS.has(/^[a-z-]+/.exec(text)?.[0] ?? '')
}

// --- Korean

const KO_NO =
  /^(?:아니(?:야|요|에요|예요|지|죠|라고|라니까|거든|거든요)?|아뇨|틀렸(?:어|어요|습니다|네|다)|잘못(?:됐|했|되었)(?:어|어요|습니다|네|다)|그거 ?아니(?:야|에요)?)(?:[,.!~…]+\s*|\s+)/
const KO_BARE_NO =
  /^(?:아니(?:야|요|에요|예요|지|죠)?|아뇨|틀렸(?:어|어요|습니다)|그게 아니(?:야|에요|고)?|그거 아니(?:야|에요)?|잘못됐(?:어|어요|습니다)|또야|또\?)[,.!~… ]*$/
const KO_NOT_THAT =
  /(?:^|\s)(?:그게|그거|그건|이게|이건|그런 ?게|그 ?말이|그 ?뜻이|\S{2,20}(?:이|가)) 아니(?:라|고|라고|라니까)[,\s]+/
/** "not that branch but …", with no particle behind it. */
const KO_NOT_THIS = /(?:^|\s)(?:그|이|저) ?\S{1,15} (?:아니고|아니라|말고)[,\s]+\S/
const KO_NOT_BUT =
  /\S+\s?말고[, ]+\S.*(?:써|쓰|사용|해\s?줘|해\s?주세요|하라고|해라|하세요|으로|로|줘|주세요|바꿔|하자)[.!~요]*$/
const KO_FORBIDDEN = /지\s?(?:좀\s?)?말(?:라고|라니까|랬|라 했|라고요|아\s?달라고|아달라니까|으라고)/
const KO_SAID =
  /(?:몇 ?번(?:을|이나|째)?\s*(?:이나 )?(?:말|얘기)|다시 (?:말하지만|말하는데|말할게|말씀드리지만|얘기하지만|한번 말)|(?:라고|다고|자고|달라고|으라고)\s?(?:이미 |분명(?:히)? |아까 |전에 )?(?:했|말했|얘기했|그랬|부탁했|말씀드렸)(?:잖아|는데|지|어|죠|습니다|다|거든)|(?:말했|얘기했|부탁했|말씀드렸)(?:잖아|듯이|는데|지만)|(?:라니까|다니까|라고요?)[.!~]*$|(?:하|꾸|쓰|두|지|리|으|치|우|내|기)랬(?:잖아|는데|지|죠|거든))/
const KO_AGAIN_WRONG =
  /(?:^|\s)(?:왜\s?)?(?:또|자꾸|계속)\s.{1,60}(?:네(?:요)?|잖아(?:요)?|냐|니|았어|었어|했어|썼어|는 ?거(?:야|에요|예요|죠)|그래|틀렸|빼먹|빠졌|까먹)[.!?~ㅠㅜ]*$/
const KO_AGAIN = /^다시\s?[:：]\s*/
const KO_MEANT = /(?:내가|제가)\s?(?:말한|원한|원하는|원했던|부탁한|요청한|얘기한)\s?(?:건|것은|게|거는)\s/
const KO_RIGHT =
  /(?:해|하세요|해라|해요|써|써요|쓰세요|써라|줘|줘요|주세요|라고|라고요|라니까|해야지|해야죠|해야 해|해야 돼|야지|돼|되지|마|마세요|마라|말아|말고|이야|야|예요|이에요|입니다|거야|거예요|니까|잖아|인데|는데|하자|지|바꿔|고쳐|로|(?:돌려|올려|내려|넣어|빼|지워|옮겨|맞춰|붙여|줄여|늘려|열어|닫아|남겨|나눠|묶어|합쳐|막아|만들어|적어|보내|꺼|켜|숨겨|불러와|가져와|읽어)(?:\s?(?:놔|둬|줘))?)[.!~요]*$/
const KO_IDLE =
  /괜찮|고마|감사|됐어|됐습니다|없어|없습|없네|몰라|모르|좋아|좋네|좋습|그만|필요\s?없|나중에|계속해|진행해|맞아|맞습|그냥 (?:둬|두세요|놔)|[?？]$/

function inKorean(text: string, before: string): number | null {
  if (isFromText(text)) return null
  if (KO_FORBIDDEN.test(text) || KO_SAID.test(text)) return KO_IDLE.test(text) && !/[?？]$/.test(text) ? null : 0
  const again = KO_AGAIN.exec(text)?.[0].length
  if (again !== undefined) return again
  if (KO_NOT_THIS.test(text) && !KO_IDLE.test(text)) return KO_NO.exec(text)?.[0].length ?? 0
  const no = KO_NO.exec(text)?.[0].length
  if (no !== undefined && no < text.length) return isRightInKorean(text.slice(no)) ? no : null
  const notThat = KO_NOT_THAT.exec(text)
  if (notThat !== null && isRightInKorean(text)) return 0
  const meant = KO_MEANT.exec(text)
  if (meant !== null) return meant.index
  if (KO_AGAIN_WRONG.test(text) && !KO_IDLE.test(text.replace(/[?？]$/, ''))) return 0
  if (KO_NOT_BUT.test(text) && !KO_IDLE.test(text)) return 0
  return KO_BARE_NO.test(before) && isRightInKorean(text) ? 0 : null
}

function isRightInKorean(rest: string): boolean {
  return KO_RIGHT.test(rest) && !KO_IDLE.test(rest) && rest.trim().split(/\s+/).length >= 2
}
