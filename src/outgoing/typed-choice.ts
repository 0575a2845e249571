/** Choices as people type them to a coding agent: "lets do sqlite then, postgres is overkill", 결제는 토스로 가자. */
import { spellOut } from './typed-spelling.ts'
import { isUnsure } from './typed-unsure.ts'

// The patterns are for lower-case text that is spelled out.

/** What is done next is no choice. */
const MOMENT =
  /\blet's (?:not )?(?:have|see|look|check|wait|try|start|run|test|debug|continue|talk|discuss|think|stop|pause|take|rerun|restart|investigate|find|go (?:on|ahead|back|through)|first|begin|move on|worry|forget|panic|rush|overthink|waste|jump|assume|get|fix|do (?:it|that|this|both|these|those|all|so)\b)|\b(?:for now|right now|for a (?:sec|second|moment|minute)|today|tonight|this time|just once|first|one more time|again)\b|일단|우선|잠깐|지금은|오늘|이번(?:만|엔|에만| 한)|今回|とりあえず|今は|一旦|这次|暂时|先(?=看|跑|试|等|查)/
/** Why one and not another. */
const WEIGHED =
  /(?:[,;–—-] ?|\b(?:because|since|as) ).*\b(?:overkill|too \w+|not worth|way (?:simpler|faster|easier|cheaper|better)|simpler|faster|cheaper|easier|safer|cleaner|lighter|smaller|good enough|(?:is|are) (?:enough|fine)|less (?:work|code|to \w+)|no need)\b/
const COMMITTED =
  /^(?:[^;]{0,60}[,:.!] ?)?(?:(?:ok(?:ay)?|so|then|and|yeah|yes) ){0,3}(?:let's|we'll|i'll|we will|we're going to|i'm going to|going to) \S/
/** An order that comes with its reason, or with how far it reaches, is more than a step. */
const ORDERED =
  /^(?:(?:ok(?:ay)?|so|and|yeah|yes|then|alright|please|no)[,.!:]? )*(?:please )?(?:use|prefer|stick (?:with|to)|keep(?! (?:\w+ing|it|up|on)\b)|pin|store|default to|target|avoid|name|limit) (?!(?:it|that|this|them|those|these)\b)/
const REACHES =
  /\b(?:everywhere|throughout|across the|for (?:all|every|everything|any)|in (?:all|every)|(?:because|since|so that) .{6,}|by default)\b|, (?:we|it|it's|they|that's|the|one less|otherwise|our) .{6,}/
const CHOSEN = [
  /\bwe(?:'re| are) (?!.*\b(?:now|currently|already)\b)(?:moving|splitting|turning|converting|putting|pulling|merging|extracting|rewriting|porting|migrating) .{2,50}\b(?:to|into|in|out|onto|under|behind|off) \S{2,}/,
  /^(?:(?:ok(?:ay)?|so|and|no|yeah|yes)[,.!:]? )*(?:i want|we want|i need|we need|it should|put|store|keep|return|show|send|save) .{2,60}, not (?!sure|yet|only|just|now|really)\S/,
  /^(?:(?:ok(?:ay)?|so|and)[,.!:]? )*(?:the|our) (?=.*\b(?:new|now|will be|from)\b)[\w -]{0,30}\b(?:default|limit|timeout|maximum|minimum|port|name|format|threshold|budget|branch|version|interval|prefix)\b[\w -]{0,20} (?:is|are|will be) (?:now )?[`\w./-]+[.!]*$/,
  /^(?:(?:ok(?:ay)?|so|and|yeah|yes)[,.!:]? )*go for (?!it\b|a\b|an\b|some\b|that\b|this\b)\S/,
  /^(?:please )?(?:ask|check with me|confirm with me|tell me|warn me)(?: me)?(?: first)? before (?:you )?\w+ (?:anything|any|new|stuff|packages|dependencies|deps|files|things|libraries)\b/,
  /\b(?:i|we)(?:'d| would) (?:much )?rather (?:keep|use|have|go|stay|avoid|not (?:use|add|have|change|touch|ship|depend|introduce|rely|store))\b(?!.*\bsay\b)/,
  /\blet's (?:rename|replace|move|split|merge|convert|migrate|store|cache|host|publish|bump|upgrade|pin|extract|put|call|name|limit|cap|default|version|serve|wrap|encode|expose) .{2,60}\b(?:to|into|as|with|by|under|from|at|behind|in) \S{2,}/,
  /^(?:(?:ok(?:ay)?|so|and|also)[,.!:]? )*(?:every|each|all(?! (?:you|i|we|it|that|of)\b))(?: new| our| public| internal)? \w[\w` -]{1,40} (?:needs?|must|ha(?:s|ve) to|should) /,
  /^(?:please )?keep [\w` -]{3,40} (?:small|short|simple|minimal|clean|consistent|sorted|separate|pure|flat|private|in sync|up to date|backwards? compatible)\b/,
  /\blet's do (?!a\b|an\b|the\b|some\b|one\b|another\b|more\b)[\w./`@-]+(?: [\w./`@-]+)? (?:then|instead|everywhere|for (?:all|every|the|our))\b/,
  /\blet's not (?:ship|add|use|support|include|build|migrate|introduce|release|split|merge|rewrite|cache|store|expose|depend|rely|put|make|change|rename|move|upgrade|deploy|keep)\b/,
  /\b(?:we|i)(?:'re| are|'m| am) (?:also |now |not )*(?:(?:dropping|removing|keeping|deprecating|replacing|retiring|sunsetting|abandoning|renaming) (?!frames?|packets?|requests?|events?|connections?|messages?|data|rows|track|getting|my|it|up|busy)|sticking (?:with|to)(?! (?:it|my)\b)|staying (?:with|on)|switching (?:to|from|over)|moving (?:to|off|away from)|migrating (?:to|off|away from)|going (?:with|for)|standardi[sz]ing on|going to (?:stick (?:with|to)|keep(?! (?:(?!using)\w+ing|it|up|on|my)\b)|use|go (?:with|for)(?! (?:a|an|some|it|my)\b)|drop|switch to|stay (?:with|on)|support|replace|remove)\b)/,
  /^(?:(?:ok(?:ay)?|so|yeah|yes|then|and|alright)[,.!:]? )*(?:going (?:with|for)|sticking (?:with|to)|staying (?:with|on)|switching to|going to (?:stick (?:with|to)|keep(?! (?:(?!using)\w+ing|it|up|on|my)\b)|use|go (?:with|for)(?! (?:a|an|some|it|my)\b)|drop|switch to|stay (?:with|on))) /,
  /\b(?:we|i)(?:'ll| will) go for\b(?! (?:a|an|some|it|my)\b)/,
  /\b(?:we|i)(?:'ll| will)? (?:won't|will not|no longer) (?:support|use|ship|build|add|include|implement|migrate|offer|maintain|need|allow|keep|store|publish|touch|release)\b(?!.*\byet\b)/,
  /\bwe (?:don't|do not) (?:support|use|ship|allow|need|maintain) .*\b(?:any ?more|any longer|here|in this (?:repo|project|codebase)|at all)\b/,
  /^(?:(?:ok(?:ay)?|so|yeah|yes|then|and|alright)[,.!]? )*(?:final (?:call|decision|answer|verdict)|decision|decided|verdict|settled|agreed)\s?[:–—-] ?\S/,
  /\bwe keep (?!\w+ing\b|(?:it|that|this)[.!]*$|up\b|on\b|in mind|hitting|an eye)\S/,
  /^(?!.*\b(?:what|how|where|who|which|whatever|as|than|like|because|way|think|know|see|case|the|here|there)\b).*\S{2,} it is[.!]*$/,
  /^(?:(?:ok(?:ay)?|so|and|no|yes)[,.!]? )*(?:the|our) [\w` -]{2,40} (?:stays?|remains?) (?:on|in|at|as|with|where|under)\b/,
]
const KOREAN = [
  /기로[.!~]*$/,
  /\S(?:은|는) .{0,40}(?:제외|폐기|유지|통일|확정|생략|고정|채택)[.!~]*$/,
  /말고 .{1,40}(?:저장|보관|넣|두자|둬|놓|올려|올리|보내|반환|표시)\S{0,4}[.!~]*$/,
  /기 전에(?:는)? (?:먼저|꼭|항상|반드시) .{0,20}(?:물어|확인\s?받|알려|말해|말하)/,
  /기로 .{0,20}(?:얘기|이야기|합의|말했|말함|정리|약속)/,
  /(?:로|으로) (?:갈게|갈께|갑니다|간다|가는|갈래|정했|정함|정하자|옮기자|바꾸자|넘어가자|대체하자|통일)/,
  /(?:는|은|할|쓸|갈|안\s?할|않는) ?(?:걸로|거로|것으로)(?: ?(?:하자|할게|해요?|하죠|결정|합시다|갈게|가자|정함|정했어?|하겠))?[.!~요]*$/,
  /(?:^|\s)안 (?!될|됐|되|그럴|나올|날|갈|할래)\S+ ?(?:거야|거임|거예요|겁니다|것임|예정)[.!~]*$/,
  /(?:걷어내|빼|버리|없애|치우|제거하)고 .{1,40}(?:쓰자|써|쓸|쓰는|로 (?:가|바꾸|하)|으로 (?:가|바꾸|하))/,
  /\S(?:은|는) .{1,60}(?:옮기자|바꾸자|빼자|넣자|없애자|합치자|나누자|분리하자|유지하자|두자|넘기자|미루자|막자|쓰자|버리자|제거하자|고정하자|맞추자)/,
]
const JAPANESE = [
  /(?:で|に)(?:いこう|行こう|いきましょう|行きましょう|いきます|行きます|いく|しよう|しましょう|決定|決まり|統一|確定)(?=[、。!！ね]|$)/,
  /ことに(?:した|しました|する|します|しよう|なった|なりました)/,
  /は(?:もう)?(?:入れ|使わ|やら|対応し|サポートし|作ら|含め|採用し|やめ)(?:ない|ません|る|ます)(?:ことに.*)?[。!！]*$/,
  /(?:に|へ)(?:移す|移し(?:ます|ましょう|よう)|変え(?:ます|ましょう|よう)|切り替え(?:る|ます|よう)|置き換え(?:る|ます|よう))[。!！]*$/,
  /(?:やめて|ではなく|じゃなくて)、?.{1,30}(?:にする|にします|にしよう|を使う|を使おう|でいく|でいこう)[。!！]*$/,
]
const CHINESE = [
  /就(?:用|选|按|走|采用)[^，。]{1,24}吧/,
  /(?:^|[，,：:\s])那?就(?:用|选|按|走|定|采用|这么定)/,
  /(?:^|[，,。\s])(?:改用|改成|改为|换成|换用|统一用|统一成|采用|继续用|保留)\S/,
  /(?:不(?:再)?(?:做|用|支持|要|加|上|搞|考虑|兼容|维护)|放弃|去掉|砍掉)[^，。]{1,24}了[。.!！]*$/,
  /不再(?:支持|使用|维护|兼容)/,
  /(?:移到|放到|挪到|迁移?到|搬到|放在|存在|写到)[^，。]{1,24}(?:里|上|中|下|去)?(?:吧|，.*太)/,
  /(?:决定|定了|说好了|商量好了)(?!不了|因素|权)/,
]

/** Said by the person; not what Claude says of its own work. */
export function isTypedChoice(text: string): boolean {
  const { text: spelled } = spellOut(text.toLowerCase().replace(/[’ʼ]/g, "'"))
  if (MOMENT.test(spelled) || isUnsure(spelled)) return false
  if (ORDERED.test(spelled) && (REACHES.test(spelled) || WEIGHED.test(spelled))) return true
  if (COMMITTED.test(spelled) && WEIGHED.test(spelled)) return true
  return patternsFor(spelled).some((one) => one.test(spelled))
}

function patternsFor(text: string): readonly RegExp[] {
  if (/[\uac00-\ud7a3]/.test(text)) return KOREAN
  if (/[\u3040-\u30ff]/.test(text)) return JAPANESE
  return /[\u4e00-\u9fff]/.test(text) ? CHINESE : CHOSEN
}
