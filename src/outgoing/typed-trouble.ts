/** Troubles as people type them: what does not work, what to beware of, and that it is over. */
import { spellOut } from './typed-spelling.ts'
import { isUnsure } from './typed-unsure.ts'

// The patterns are for lower-case text that is spelled out.

const BREAKS =
  '(?:fail|crash|break|hang|freeze|leak|flicker|stutter|lag|error|time out|time-out|timeout|die|loop|choke|overflow|disappear|overlap|jump|cut|drop|lose|miss|skip|duplicate|double|throw|return|show|ignore|reset|log)'
const COMPLAINT = [
  /\b(?:does|do|did) nothing\b|\bhas no effect\b|\bdoesn't do anything\b|\bgoes blank\b/,
  /(?:^|\s)(?:깨져|깨짐|터져|터짐|멈춰|멈춤|느려|느림|잘려|잘림|깜빡거려|깜빡임|사라져|사라짐|꼬여|꼬임|튕겨|튕김)(?:요)?[.!~ㅠㅜ]*$/,
  /(?:壊れる|落ちる|消える|止まる|崩れる|ちらつく|文字化けする)[。!！]*$/,
  /会(?:坏|崩|挂|卡|闪|丢|报错|出错|失败|消失|重复|乱码)\S{0,4}[。!！]*$/,
  /\bthere(?:'s| is| are) (?:still |also |now |again )*(?:a |an |some |another |no )?(?:[\w-]+ ){0,3}(?:race conditions?|bugs?|leaks?|regressions?|deadlocks?|problems?|issues?|glitch(?:es)?|errors?|crash(?:es)?|bottlenecks?|vulnerabilit(?:y|ies)|typos?)\b(?! with you)/,
  /\b(?:is|are|takes?|feels?|gets?|loads?) .{0,40}\b(?:way |far |much )?too (?:slow|long|big|large|heavy|noisy|flaky|expensive|high|low)\b/,
  /\b(?:is|are|'s|'re|gets?|got|seems?|looks?|still|again) (?:still |totally |completely |also |again |now |all )*(?:broken|failing|crashing|hanging|leaking|flickering|flaky|stuck|frozen|blank|missing|unresponsive|timing out|out of sync|messed up|not (?:working|loading|showing|updating|saving|responding|starting|building|compiling|rendering|sending|firing))\b/,
  /\b(?:doesn't|does not|don't|didn't|isn't|is not|aren't|won't|can't|cannot|no longer) (?:even |really |actually |properly |correctly )?(?:work|works|working|load|loading|show|showing|start|starting|build|compile|render|save|saving|update|updating|respond|open|close|log ?in|connect|reconnect|run|fire|send|scroll|refresh|sync)\b/,
  new RegExp(`\\bstill (?:\\w+ly )?${BREAKS}(?:e?s)\\b`),
  /^(?:ok(?:ay)?,? |so,? |hm+,? |and |but |also,? )*(?:the|our|my|that|this|all|every|some|\S+) (?:[\w./`'-]+ ){0,4}?(?:crash|fail|hang|freeze|leak|flicker|break|choke)(?:e?s) (?:on|in|when|after|if|for|with|at|every|since|again|whenever|during)\b/,
  /\b(?:getting|get|got|seeing|see|hitting) (?:a |an |the |lots of |random |weird )*(?:\d{3}s?\b|\w*(?:error|exception|timeout|warning|crash)(?:s|es)?\b|segfault|oom\b)/,
  /(?:^|[\s,])(?:또|아직도|여전히|계속|자꾸|갑자기|지금)?.{0,40}(?:^|\s)(?:안|못) ?(?:됨|돼요?|되네요?|된다|됩니다|되고|떠요?|뜸|뜨네|나와요?|나옴|열려|열림|먹어|먹힘|먹네|보여|보임|들어가|돌아|돌아감|켜져|켜짐|눌려|눌림|불러와|넘어가)[.!~ㅠㅜ]*$/,
  /(?:또|아직도|여전히|계속|자꾸) .{0,40}(?:려|려요|져|져요|짐|림|거려|거려요|거림|나요?|남|떠요?|뜸|와요?|옴|터져|터짐|죽어|죽음|느려|느림|멈춰|멈춤|틀려|틀림|깨져|잘려|빠져)[.!~ㅠㅜ]*$/,
  /(?:오류|에러|예외|버그|\d{3}|크래시|타임아웃|경고)(?:이|가|도|만)? (?:나|남|나요|납니다|나네|떠|뜸|뜨네|떠요|발생|있|생겨|생김)\S{0,4}[.!~ㅠㅜ]*$/,
  /まだ.{0,30}(?:ない|ません|ちらつ|落ち|遅い|壊れ|出る|出ます|残って|おかしい|失敗|切れ|止ま|消え|ずれ)\S{0,4}[。!！]*$/,
  /(?:動かな|動きませ|動作しな|表示されな|開けな|ログインできな|接続できな|つながらな|繋がらな|保存されな|反映されな|起動しな)(?:い|ん|くなった|くなりました)?(?:です)?[。!！]*$|(?:エラー|例外|警告|クラッシュ)(?:が|に)(?:出|発生|なる|なります|起き)\S{0,6}[。!！]*$|(?:落ちる|壊れてる|壊れています|フリーズする|固まる)[。!！]*$/,
  /(?:还有|仍有|存在)[^，。]{1,20}(?:问题|bug|错误|漏洞|泄漏|缺陷)/,
  /(?:还是|仍然|依然|又|一直|总是|老是)(?:会|在|有|没|不|报|崩|闪|卡|失败|出错|打不开|登不上|连不上|很慢)\S{0,12}[。!！]*$|(?:报错|崩溃|闪退|卡住|卡死|超时|打不开|登不上|连不上|加载不出来|不能用|用不了|没反应|坏了|挂了)(?:了)?[。!！]*$/,
]
const WARNING = [
  /\bis (?:rate[- ]?limited|limited|capped|restricted) to\b|\bonly (?:accepts|allows|supports|takes|handles) \S/,
  /^(?:(?:ok(?:ay)?|so|and|btw|fyi)[,:]? )*(?:whenever|every time|each time) (?!you\b|i\b|we\b)\S.{14,}/,
  /\S(?:은|는) .{2,40}(?:까지만|만) .{0,12}(?:가능|지원|허용|됨|돼|된다|됩니다)\S{0,3}[.!~]*$/,
  /^(?:(?:ok(?:ay)?|so|and|ah|oh|also|btw|fyi)[,:]? )*(?:(?:be )?careful|beware|watch out|heads[- ]up|caution|warning|apparently|fyi|good to know|keep in mind|note|be aware|just so you know|for the record|psa|tip|important)(?: that| though| here| with this)?[,:!–—-]* (?!(?:you|i|we|to|please|don't|do not|the following|this (?:one|is)|it's (?:done|fixed|ok)|not to|of the|.{0,40}\b(?:seems?|looks?) (?:to|like))\b)(?=.*\b(?:is|are|has|have|only|always|never|gets?|needs?|must|can't|cannot|doesn't|don't|won't|runs?|returns?|\w+s)\b)(?:\S+ ){3,}/,
  /\b(?:must|ha(?:s|ve) to|needs? to) (?!be (?:fixed|done|tested)\b)\w.{4,100}[,;:–—-] ?(?:otherwise|or else|or (?:it|you|we|the|everything))\b.{4,}/,
  /\b(?:only|just) (?:works?|passe?s?|builds?|compiles?|runs?|starts?|loads?|succeeds?) (?:if|when|with|on|in|from|under|behind|after|as|for)\b/,
  /^(?:(?:ok(?:ay)?|so|and|btw|fyi|remember)[,:]? )*(?:you|we|one) (?:have to|need to|must|'ve got to) .{4,80}\b(?:before|first|after|with|in|on|when)\b.{0,80}\b(?:or|otherwise|or else|else)[, ](?=.{6})/,
  /\b(?:chokes? on|breaks? (?:on|if|when)|relies on|depends on|expects|assumes|ignores|strips|overwrites|resets|wipes|deletes|clears|kills|locks|truncates|caches|needs|requires|invalidates) .{2,80}(?:,| and)? (?:so|therefore|hence|thus|that's why|which is why) .{4,}/,
  /(?:니까|므로|기 때문에|어서|아서|해서|는데|면),? (?:꼭 |항상 )?(?:조심|주의|유의)(?:해|해야|하세요|할 것|하자|요|$|[.!])/,
  /.{8,}(?:[.,]|다|요|음|함|됨|임) ?참고(?:하세요|해\s?주세요|해|바람|바랍니다|하시길|요)[.!~]*$/,
  /(?:^|\s)안 \S{1,8}면 .{2,50}(?:깨[짐져지]|안 ?[됨돼되]|실패|에러|오류|없[음어다]|터[짐져]|죽[음어]|멈[춤춰]|꼬[임여])\S{0,3}[.!~]*$/,
  /^(?:참고로|주의|주의할 점|조심)[,:은는]? .{6,}(?:다|음|함|됨|임|짐|요|해|돼|야)[.!~]*$/,
  /(?:ので|から|ため)、?(?:ご)?(?:注意|気をつけて|気を付けて|要注意)|に(?:は)?注意(?:して(?:ください|ね)?|が必要(?:です)?)?[。!！]*$|(?:ないと|なければ).{2,30}(?:ない|ません|エラー\S*|失敗\S*|壊れる|落ちる)[。!！]*$|^(?:実は|どうやら|ちなみに).{6,}(?:る|た|です|ます|ない|だった)[。!！]*$/,
  /^(?:原来|其实|注意|小心|提醒一下|温馨提示)[，,：: ]?(?!你|我|看|一下).{5,}|(?:否则|不然|要不然)(?:的话)?(?:就)?(?:会|没|不|报|失败|编译|构建)|(?:所以|，)(?:要|请)?(?:小心|注意)(?:一点)?[。!！]*$|不(?:先)?[^，。]{1,16}(?:的话)?(?:就)?会(?:报错|失败|崩溃|出错|缺)/,
]
const OVER =
  /\bgot (?:the|it|that|our|my) .{0,40}?\b(?:working|to work|running again|passing|green again)\b(?! with| together)|(?:드디어|이제야?|겨우) .{0,20}(?:됨|돼요?|된다|됐어|됐다|됩니다|돌아감|성공)|드디어 됨|\b(?!(?:he|she|who)'s)(?:\w+'s|is|are|was|got|all) (?:now |finally |all )?(?:sorted(?: out)?|gone)\b(?! (?:to|through|for|back|down|up|into|on)\b)|(?:고쳐짐|고쳐졌|해결됨|해결됐|해결 ?완료|수정됨|사라졌|없어졌|안 ?남(?=[.!]|$))|(?:直った|直りました|解消し|解決した)|(?:修好|解决|搞定|弄好)了(?!没|吗|么|再|就|才)/

/** Something does not work, told by the person. */
export function isComplaint(text: string): boolean {
  const spelled = spelledOut(text)
  return !isUnsure(spelled) && !isConditional(spelled) && COMPLAINT.some((one) => one.test(spelled))
}

const PUT_OFF =
  /\b(?:need|needs|have|has|ought) to\b.*\b(?:later|not (?:today|now|this (?:week|sprint|release))|next (?:week|sprint|release|month|version|iteration)|eventually|at some point|some ?day|after the release)\b|\b(?:leave|park|postpone|defer) (?:it|that|this|the \w+) (?:for|until|till|to) (?:later|next|after|v?\d)/

/** Work that is left for later in so many words. */
export function isPutOff(text: string): boolean {
  const spelled = spelledOut(text)
  return PUT_OFF.test(spelled) && !isUnsure(spelled)
}

/** How something behaves that one has to know, told by the person. */
export function isWarning(text: string): boolean {
  const spelled = spelledOut(text)
  return !isUnsure(spelled) && WARNING.some((one) => one.test(spelled))
}

/** A trouble is over, in the words of a chat. */
export function isTroubleOver(text: string): boolean {
  const spelled = spelledOut(text)
  return (
    OVER.test(spelled) &&
    !isUnsure(spelled) &&
    !/\b(?:until|once|if|when|whenever|every time|each time|unless|not|never|\w+n't|before)\b|면 |如果|等/.test(spelled)
  )
}

/** "If it breaks again", "when login fails": nothing is broken now. */
function isConditional(text: string): boolean {
  return /^(?:if|when|whenever|once|unless|in case|make sure|ensure|fix|add|handle|test)\b|\bshould (?:\w+ )?(?:fail|crash|throw|return|show)|\bso (?:that )?it (?:doesn't|won't)\b|면 .*(?:자|해|줘|세요)[.!]*$|(?:たら|れば|場合)/.test(
    text,
  )
}

function spelledOut(text: string): string {
  return spellOut(text.toLowerCase().replace(/[’ʼ]/g, "'")).text
}
