/** Sentences that look like something said, and are not: thoughts, indirect questions, jokes, what others say. */
import { remembered } from '../text/once.ts'

// The patterns are for lower-case text that is spelled out.

const HEDGED =
  /^(?:[^,;]{0,30} )?(?:maybe|perhaps|might|could|possibly)\b|\b(?:not (?:really |quite |so )?sure|unsure|i (?:guess|suppose|wonder|doubt)|wondering|thinking (?:about|of)|considering|either way|wouldn't say|would be (?:nice|better|good|great|cool)|tempted to)\b|(?:것|거) 같(?:아|긴|은데|기도|네)|(?:할까|될까|쓸까|갈까|을까|려나|려고\s?(?:하|생각))|글쎄|고민|모르겠|(?<!し)かも|かな(?=[。、!！?？…]|$)|と思う(?:けど|が|んだ)|迷って|分からない|わからない|可能|也许|或许|大概|要不|不(?:太)?(?:确定|知道|清楚)|考虑/
/** "Don't do anything yet": told to wait. */
const NOT_YET_ORDER = /(?:^|[,;.!:] |\b(?:please|but|so|and|just) )(?:don't|do not|dont) [^.;]{1,60}\byet\b/
const ASKED_ABOUT =
  /\b(?:check|see|tell me|show me|remind me|know|find out|figure out|verify|confirm|ask|wonder|explain|look) (?:again )?(?:if|whether|what|which|when|how|why|where|who|that)\b|^(?:why|how come|what|which|who|when|where|did|does|do|is|are|was|were|has|have|can|could|should|would|will|shall|any idea)\b(?! not|')|(?:는지|은지|을지|인지|했나|었나|있나|됐나|되나|건가|은가|인가|냐고?)(?=[\s,.!]|$)|^(?:왜|어떻게|무엇|언제|어디|누가|혹시)(?=\s)|か(?:どうか|を)?(?:、)?(?:確認|教え|見て|調べ|知り)|(?:なんで|なぜ|どうして|どうやって|どっち|いつ(?!も))|(?:吗|呢|没有?|不)[。.!！]*$|了没|是否|有没有|为什么|怎么|哪[个里]|还是.{1,20}好/
const JOKE = /\b(?:haha+|lol|lmao|rofl|jk|just kidding|kidding)\b|ㅋㅋ|ㅎㅎ|농담|冗談|笑[。）)]?$|哈哈|开玩笑|😂|🤣|😅/
const OTHERS =
  /\b(?:(?:someone|somebody|people|they|he|she|everyone|everybody|(?:my|our|the|their|his|her) (?:old |new )?(?:boss|manager|lead|team|colleague|coworker|friend|client|customer|pm|cto)) (?:\w+ ){0,2}(?:said|say|says|told|tell|tells|decided|decides|prefers?|preferred|uses?|used|thinks?|thought|wants?|always|never|likes?|recommends?|suggests?|claims?))\b|(?:라던데|다던데|자던데|(?:하|쓰|말|두|주)래요?|(?:한|된|쓴|간|온|했|됐)대요?)[.!?~ㅋ]*$|と(?:言って|言われ|いうこと|のこと)|そうです|らしい|(?:网上|有人|他们?|她|同事|老板|别人)[^，。]{0,6}(?:说|写|建议|推荐)|据说|听说/
const FROM_TEXT =
  /\b(?:docs?|documentation|readme|guide|manual|article|blog|post|ticket|spec|comment|tutorial|book|page|error|log|message|output) (?:also )?(?:say|state|recommend|suggest|tell|claim|mention)s?\b|\baccording to\b|(?:문서|가이드|블로그|스펙|위키|글|기사|주석|메시지|readme)\S*(?:\s.*)?(?:라고|다고|자고|라는|다는)\s?(?:함|하|써|쓰|적|나와|나온|되어|돼|말)|(?:라고|다고) (?:적혀|적힌|써\s?있|쓰여|나와|나온|되어)|と(?:書いて|書かれ)|(?:文档|官方|教程|博客|注释|说明|手册)[^，。]{0,6}(?:说|写|建议|推荐)/
const SUPPOSED =
  /^(?:もし|仮に|如果|要是|假如|万一|假设)|(?:たら|れば|なら)(?:どう|いい)|^(?:만약|만일|가령|혹시)|^if\b/

/** Only thought, asked, joked, supposed, or the words of somebody else. */
export const isUnsure = remembered(soundsUnsure)

function soundsUnsure(text: string): boolean {
  return (
    isAskedAbout(text) ||
    HEDGED.test(text) ||
    JOKE.test(text) ||
    OTHERS.test(text) ||
    isFromText(text) ||
    SUPPOSED.test(text)
  )
}

/** What a document says, not the one who tells of it. */
export function isFromText(text: string): boolean {
  return FROM_TEXT.test(text.toLowerCase())
}

/** Neither said nor settled, however it is meant. */
export function isUndecided(text: string): boolean {
  const lower = text.toLowerCase()
  return isAskedAbout(lower) || HEDGED.test(lower) || NOT_YET_ORDER.test(lower)
}

/** A question, also one that stands inside of a request: "check if it is fixed", 고쳐졌는지 확인해줘. */
function isAskedAbout(text: string): boolean {
  return /[?？]["'”’)\]*_]*$/.test(text) || ASKED_ABOUT.test(text)
}
