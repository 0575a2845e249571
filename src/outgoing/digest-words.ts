/** Words that tell what kind of sentence it is: a request, a decision, something open, something solved, a mere plan. */

// The patterns are for lower-case text: without the flag for both cases they are made and run several times as fast.

/** Every word of a prompt that says nothing of its own. */
const IDLE = new Set(
  (
    'ok okay k kk yes yeah yep yup y no nope n sure fine good great nice cool perfect awesome excellent lgtm thanks thank thx ty you ' +
    'continue go on ahead proceed next done approved approve accept accepted please pls it that this with so much do did looks sounds right ' +
    'correct exactly hi hello hey morning again retry stop wait talk about lets keep going resume the a is very well all now then and for your help bye ' +
    '네 예 응 어 ㅇㅇ ㅇㅋ 넵 넹 좋아 좋아요 좋습니다 계속 계속해 계속해줘 계속해주세요 계속하세요 진행 진행해 진행해줘 진행해주세요 고마워 고마워요 감사 감사합니다 안녕 안녕하세요 확인 승인 승인합니다 그래 오케이 해줘 해 ' +
    'はい うん ありがとう ありがとうございます 続けて 続けてください お願いします こんにちは 好 好的 是 是的 可以 继续 谢谢 你好 ' +
    'ja nein weiter danke hallo gut bitte mach genau super'
  ).split(' '),
)
/** The host's own commands: about the program, not about the work. */
const HOST_COMMANDS =
  /^\/(?:exit|quit|clear|compact|mcp|model|help|login|logout|status|cost|config|doctor|resume|continue|memory|permissions|hooks|agents|vim|terminal-setup|add-dir|bug|feedback|usage|context|rewind|export|fast|plugin|plugins|theme|output-style|statusline|ide|todos|tasks|release-notes|upgrade|privacy-settings|effort|rename|copy|stats|settings|extra-usage|init|auto-mode-setup|remote-control|voice|color|sandbox|fork|branch|btw)(?:\s|$)/

const REQUEST =
  /^(?:(?:please|pls|now|then|also|and|but|ok(?:ay)?|so|next|first|hey|hi|cool|great|debug|note)[,:]?\s+)*(?:add|allow|analy[sz]e|answer|apply|build|bump|change|check|clean|commit|compare|configure|convert|copy|create|debug|delete|deploy|describe|design|disable|do|document|don't|draft|drop|enable|ensure|evaluate|explain|explore|export|extract|figure|find|finish|fix|format|generate|get|give|go|help|hide|implement|import|improve|install|integrate|investigate|keep|list|look|make|merge|migrate|move|open|optimi[sz]e|pick|port|prepare|print|provide|publish|pull|push|put|read|refactor|release|remove|rename|render|replace|research|restart|restore|resume|return|revert|review|rewrite|run|save|search|send|set|ship|show|simplify|sort|speed|split|start|stop|store|summari[sz]e|support|switch|tell|test|tidy|translate|try|turn|undo|update|upgrade|upload|use|validate|verify|wire|work|wrap|write)\b|\b(?:please|can (?:you|we)|could (?:you|we)|would you|will you|i want|i'd like|i would like|i need|we need|we should|we must|you should|let's|lets|make sure|help me|i'm (?:trying|working)|the goal|should (?:be|not|have))\b|(?:해\s?줘|해\s?주세요|해\s?주시|해\s?봐|하자|합시다|하세요|해라|부탁|바랍니다|바꿔|고쳐|만들어|추가해|줘|주세요|할\s?것|싶(?:어|습니다)|필요(?:해|합니다))|(?:してください|して欲しい|してほしい|お願い|しよう|ください)|(?:请|帮我|需要|希望|我想)|\b(?:bitte|kannst du|könntest du|können wir|ich möchte|ich will|wir brauchen|wir müssen|füge|erstelle|schreibe|baue|behebe|ändere|prüfe|mach)\b/
const CORRECTION =
  /^(?:no\b|nope|not\b|wait\b|stop\b|actually|hmm|but\b|아니|그게 아니|잠깐|违|不是|不对|nein\b|いや|違)|\b(?:that's not|thats not|that is not|isn't|wrong|instead|incorrect|hallucination|halucination|revert|undo|don't|do not|still (?:show|fail|broken|not)|rather than|not what|doesn't|does not|not really)\b|말고|잘못|틀렸|대신|안\s?돼|안\s?되|하지\s?마|falsch|stattdessen|statt\b|ではなく|不要/
const QUESTION = /[?？]["'”’)\]*_]*$/
const PERSONA = /^(?:you are|you're|act as|your (?:role|job|task) is|당신은|너는|你是|あなたは|du bist)\b/

/** A step that is announced: it says nothing about how things stand. */
const PLAN =
  /^(?:(?:ok(?:ay)?|now|next|first|great|good|perfect|excellent|then|so|alright|sure|got it|right|also|finally|interesting|and|let's see)[,.!:]*\s+)*(?:let me|let's (?:check|look|see|start|first|run|verify|try|find|read|examine|explore|begin|now|create|continue|proceed|investigate|fix)|i'll|i will|i'm going to|i am going to|i need to|i should|i'd like to|we need to|now i|i can see|i see\b|looking at|following the|starting|here's|here is|here are|running|checking|reading|searching|based on|to do this)|(?:겠습니다|할게요|볼게요|께요|중입니다|기다립니다|진행합니다|시작합니다|확인합니다|실행합니다|갱신합니다|작성합니다|올립니다|진입합니다|작업합니다|넘어갑니다|읽습니다|봅니다)[.!]?$|^(?:让我|我来|接下来|现在我|我将|我会|首先)|(?:てみます|ていきます|を確認します|を実行します|しましょう)。?$|^(?:ich werde|lass mich|als nächstes|jetzt (?:werde|schaue|prüfe)|schauen wir)/
const OFFER =
  /\b(?:would you like|want me to|shall i|should i|let me know|feel free|do you want|is there anything|if you(?:'d| would) like|happy to|sleep well|enjoy|you're welcome|no response requested|ready (?:to|for) (?:merge|commit|review|push|help)\b.*(?:when|if) you|you're (?:absolutely )?right)|(?:할까요|드릴까요|될까요|말씀해\s?주세요|알려\s?주세요|답변해\s?주시면)|(?:いかがですか|お知らせください)|(?:请告诉我|需要我)|\b(?:sag(?:en)? (?:mir )?bescheid|soll ich|möchtest du)\b/

/** A choice or a standing rule in a person's own words. */
const USER_DECIDES =
  /\bwe (?:use|go with|stick (?:with|to)|stay (?:with|on))\b|\b(?:let'?s|we'll|we will|we should|we want to|i'll|i will|i want to) (?:instead )?(?:use|go with|keep(?! (?:(?!using)\w+ing|on|up|it up)\b)|stick (?:with|to)|switch (?:to|over)|drop|avoid|stay (?:with|on)|settle on|standardi[sz]e on|move to|do v?\d\S*)\b|\b(?:we|i)(?:'ve| have)? (?:decided|agreed|chose|settled|opted)\b|\bfrom now on\b|\bgoing forward\b|^(?:(?:please|also|and|so|no|yes|ok(?:ay)?|then|but|well|right),? ){0,3}(?:always|never(?! mind)|don't ever|do not ever)\b|\b(?:you (?:should|must)|must|should|please) (?:always|never)\b|\b(?:use|prefer|choose|pick|take) .{2,60}\b(?:instead of|rather than|over|,? not) |\binstead of .{2,80}\b(?:use|do|go|keep|write|put)\b|\bgo with\b|\b(?:the )?decision(?: is|:)|(?:^|[,;:.] |\b(?:please|and|but|so|also|then|ok|you) )(?:don't|do not) (?:use|touch|add|commit|push|change|modify|edit|delete|remove|drop|merge|deploy|rename|install|bump)\b|\bi (?:strongly )?prefer\b|\bi want (?:all|every|each|our|any) .{2,60}\b(?:to be|to use|to have|to go|in|on|with)\b|^(?:please )?keep (?:our|all|every|each|any) .{2,60}\b(?:in|on|under|at|as|to)\b|(?:으로|로) (?:하자|하죠|합시다|가자|가죠|갑시다|통일|결정|확정|해\s?주세요|해줘)|기로 (?:했|하자|하죠|합시다|결정|합의|함)|(?:쓰자|쓰죠|씁시다|사용하자|사용합시다)|(?:쓰|사용하|건드리|수정하|변경하|추가하|삭제하|지우|커밋하|푸시하|배포하|머지하|바꾸|설치하)지\s?(?:마|마세요|마라|말아|말아\s?줘|말아\s?주세요|말\s?것)(?:[.!]?$|[,.] )|^(?!.*(?:걱정|신경|서두르|잊)).{2,80}지\s?(?:말자|맙시다|않기로)|말고 .{1,60}(?:써|쓰|사용|해\s?줘|해\s?주세요|하자|로)|대신(?:에)? .{1,60}(?:써|쓰|사용|하자|해\s?줘|해\s?주세요|합시다)|(?:^|\s)앞으로(?:는|도)? .{1,60}(?:마|말|해|하자|하죠|쓰|써|합시다|주세요|줘)|^(?:항상|절대로?|반드시) (?!.*[다요][.!]?$).{2,80}|(?:항상|절대로?|반드시) .{1,80}(?:세요|하자|하지\s?마|줘|말\s?것|할\s?것|합시다|해라|쓰자)[.!]?$|(?:결정|확정|채택)(?:했|하였|됐|되었|함|합니다)|(?:にしましょう|ことにした|ことにしました|ことにする|に決め|に統一)|今後は|(?:代わりに|ではなく).{1,40}(?:使|してください|にし)|(?:必ず|絶対に).{2,60}(?:してください|しない|すること)|决定(?:用|采用|使用|改)|我们(?:用|采用|改用)|(?:以后|今后)(?:都|请|要|不)|(?:不要|别)(?:再)?(?:用|使用)|统一(?:用|使用)|\bwir (?:nehmen|verwenden|nutzen|benutzen|bleiben bei|haben (?:uns )?(?:entschieden|beschlossen|vereinbart))\b|\bab (?:jetzt|sofort)\b|\b(?:verwende|nimm|nutze|benutze) .{2,60}\b(?:statt|anstatt|anstelle)\b|\bstatt(?:dessen)? .{2,60}\b(?:verwenden|nehmen|nutzen)\b|^(?:immer|niemals|nie) /
/** Where a question is answered, less says as much. */
const DECIDING_ANSWER =
  /^(?:(?:please|yes|no|ok(?:ay)?|just|always|then|so)[,.:]? )*(?:use|prefer|avoid|stick (?:with|to)|switch to|do not|don't)\b|\b(?:always|never|from now on|must(?: not)?)\b|항상|절대|반드시|앞으로|(?:을|를|으로|로) (?:사용|쓰|써|통일|결정|확정)|쓰지\s?마|必ず|絶対|今後|总是|永远|统一|必须|\b(?:immer|niemals|nie|verwende[nt]?|ab jetzt)\b/
/** Claude's own choices, only where they are said as choices already made. */
const CLAUDE_DECIDES =
  /\b(?:we|i)(?:'ve| have)? (?:decided|agreed|chose|settled on|opted|went with|picked)\b|\b(?:we|i)(?:'ve| have)? kept .{2,100}\b(?:because|since|so that|instead|rather)\b|\bi(?:'ll| will) go with\b|\b(?:decision|decided)(?: is|:)|\bchose .{2,80}\b(?:over|because|instead|rather)\b|\b(?:used|using|uses|switched|added|kept|returns?|stored?|replaced|wrote|put|moved|renamed) .{2,100}\b(?:instead of|rather than)\b.{2,}|\b(?:deliberately|intentionally|on purpose)\b|기로 (?:했|결정|합의|하였)|(?:결정|확정|채택)(?:했|하였|됐|되었)|(?:그대로 둡니다|그대로 두었|유지하기로)|ことにしました|に決めました|决定(?:用|采用|使用|改)|\b(?:wir|ich) haben? (?:uns |mich )?(?:dafür |dagegen )?(?:entschieden|beschlossen)\b|\bhabe (?:mich )?(?:dafür |dagegen )?entschieden\b/
/** How the project does something, with the reason; not what Claude thinks of, suggests or did once. */
const REASONED =
  /^(?:(?:here|there|again|now),? )?(?:we|i)(?: also| always| now)? (?:use|store|keep|validate|cache|log|format|deploy|build|hash|sign|encrypt|pin|target|count|round|treat|parse|render|test)\b.{2,100}\b(?:because|since|so that)\b/
/** Decisions that somebody has yet to take. */
const UNDECIDED_HEADING =
  /\b(?:needed|open|pending|to (?:make|take|be made)|required|awaiting|your|for you)\b|필요|대기|미정|보류|要|待/
const DECISION_HEADING = /\bdecisions?\b|\bdecided\b|\bagreed\b|결정|확정 사항|決定|决定|entscheidung/

const OPEN =
  /\b(?:still (?:open|fail(?:s|ing)?|broken|missing|needs?|unresolved|pending|to do|to be done|not|shows?|undefined|crash(?:es)?|outstanding|unclear|unknown|untested)|todo|to-do|not (?:yet|implemented|done|tested|fixed|solved|resolved)|(?:not|\w+n't)\b[^.;]{1,60}\byet|still (?:\w+ )and needs|needs? to be \w+ed|(?:isn't|aren't|hasn't been|haven't been|has not been|have not been|haven't|couldn't be|could not be) (?:yet )?(?:done|tested|fixed|implemented|verified|merged|deployed|resolved|pushed|checked|finished|supported|run|able)|remains? (?:open|to be|unresolved|broken|unclear|to)|remaining (?:work|tasks?|issues?|items?|steps?|problems?)|left to do|open (?:issues?|questions?|points?|tasks?)|unresolved|follow-?ups?|known (?:issues?|bugs?|limitations?)|blocked (?:by|on)|waiting (?:for|on)|needs? to be (?:done|fixed|tested|updated|deployed|merged|verified|added|removed|checked|migrated)|next steps?|will need to|doesn't work yet|(?:we|i) (?:can't|cannot|could not|couldn't) .{2,80}\b(?:because|until|without)|for later|later we|pick (?:this|it) up)\b|남은|남아\s?있|아직|다음 (?:단계|작업|할 일)|추후|나중에|미해결|미완|해야 (?:합니다|함|해|할|한다|돼|됩니다)|필요합니다|대기 중|보류|未解決|まだ|残り|残って|次のステップ|あとで|未完|还没|尚未|剩下|下一步|待办|仍然|\b(?:noch (?:offen|nicht|zu tun|ungelöst)|offene?[nr]? (?:punkte?|fragen?|aufgaben?)|steht noch aus|ausstehend|nächste schritte?|schlägt (?:noch|weiterhin) fehl)\b/
/** True for a moment only: who reads it later finds it over. */
const PASSING =
  /\b(?:waiting (?:for|on) (?:\S+ ){0,4}(?:ci|checks?|builds?|pipelines?|tests?|workflows?|actions?|jobs?|runs?|review(?:s|ers?)?|approvals?|merge|(?:sub)?agents?|tasks?|results?|output|response|reply|answer|confirmation|you|your|user|go-ahead|notification)\b|(?:i'll|i will|i'm|i am|we'll|we) wait(?:ing)?\b|(?:pr|mr|pull request|merge request|ci|checks?|review|approval|build|pipeline|workflow|deploy(?:ment)?|job|run)\b.{0,60}\b(?:pending|queued|running|ongoing|awaiting)\b|pending (?:ci|review|approval|checks?|merge)\b|(?:is|are|still|now|currently) running\b|running (?:now|in the background|right now)\b|in[ -]progress\b|läuft (?:noch|gerade|jetzt)\b|wartet? (?:noch )?auf (?:die )?(?:ci|prüfung|freigabe|antwort)\b)|(?:대기|진행|실행)\s?중|기다리(?:고|는|겠|면)|기다립니다|(?:実行|進行|待機|処理)中|(?:进行|运行|等待)中|正在(?:运行|等待|进行)/
/** Stays true whatever is waited for. */
const STAYS =
  /\b(?:todo|to-do|fail(?:s|ed|ing|ure)?|broken|unresolved|known (?:issues?|bugs?|limitations?)|follow-?ups?|not (?:yet )?(?:implemented|tested|fixed|supported|solved|resolved)|blocked|quota|crash(?:es|ed)?|leaks?)\b|미해결|미완|실패|버그|오류|未解決|失败|失敗/
const NOTHING_OPEN =
  /\b(?:no|nothing|none|zero|without|aren't any|isn't any) (?:\w+ ){0,3}(?:open|left|remain(?:s|ing)|follow|known|outstanding|unresolved|pending|next)|(?:남은|남아|미해결|추가).{0,30}없|没有.{0,12}(?:问题|任务)|残り.{0,12}ありません|keine? (?:\w+ ){0,2}offen|nichts mehr/
/** Put off on purpose, or known to stay: open until somebody says otherwise. */
const LASTING =
  /\b(?:still (?:open|unresolved|outstanding|to do|to be done)|todo|to-do|not (?:yet|implemented)|(?:not|\w+n't)\b[^.;]{1,60}\byet|remains? (?:open|to be|unresolved|broken)|left to do|unresolved|follow-?ups?|known (?:issues?|bugs?|limitations?)|for later|later we|pick (?:this|it) up)\b|남은|남아\s?있|아직|추후|나중에|미해결|미완|未解決|残って|あとで|未完|还没|尚未|待办|\b(?:noch (?:offen|nicht|ungelöst)|steht noch aus|ausstehend)\b/
const OPEN_HEADING =
  /\b(?:next steps?|to-?dos?|remaining|open (?:issues?|questions?|points?|items?|tasks?)|still open|follow-?ups?|known (?:issues?|limitations?|problems?)|not (?:done|yet done|covered)|left to do|outstanding|pending)\b|남은|다음 단계|할 일|미해결|추후|후속|위험|次のステップ|残りの|未解決|下一步|待办|剩余|nächste schritte|offene punkte|noch offen/
const SOLVED =
  /\b(?:(?:is|are|was|were|been|has been|have been|now|i|i've|we|we've|and|it's|that's|got|all|both|bug|issue|problem|error|crash|leak) (?:now |all |also |finally |successfully )?(?:fixed|resolved|solved)|^(?:fixed|resolved|solved)\b|works? (?:now|again|as expected|correctly|fine)|now (?:works?|passes|pass|compiles?|builds?|runs?|succeeds?)|(?:passes|pass|compiles?|builds?|succeeds?) again|(?:is|are) (?:now )?working (?:now|again)|no longer (?:fails?|crash(?:es)?|breaks?|errors?|throws?|hangs?|happens?|leaks?|shows?))|(?:^|[.!:;] )(?:fixed|resolved|solved)\b|해결(?:했|됐|되었|하였|완료|됨)|고쳤|고쳐졌|수정(?:했습니다|했어요|됐|되었|완료)|(?:이제|지금은|다시) .{0,40}(?:됩니다|동작|작동|통과)(?!하지)|(?:잘|정상) (?:됩니다|동작|작동)|正常に動|直りました|直した|修正しました|解決し|(?:已|已经)(?:修复|解决)|修好了|\b(?:ist|wurde|sind|wurden|habe|jetzt) (?:\S+ ){0,6}(?:behoben|gelöst|repariert|gefixt)\b|\bfunktioniert (?:jetzt|wieder|nun)\b/
const NOT_SOLVED =
  /\b(?:until|once|if|when|after|before|unless|as soon as)\b.{0,80}\b(?:fixed|resolved|solved|works?|pass(?:es)?)\b|\b(?:to be|needs?|will be|can be|could be|should(?: be| now)?|not|isn't|aren't|wasn't|cannot be|can't be|if|once|when|would|until|after|before|unless|try|might|may|hopefully|must be|have to be|getting|get it|want|need|nothing|not be|never) (?:\w+ ){0,2}(?:fixed|resolved|solved|works?|working|pass(?:es)?|no longer)\b|fixed[- ](?:width|size|length|point|price|cost|set|position|number|time|rate|amount|term|seed)|\b(?:resolved|fixed) (?:to|at|by the)\b|\?$|해결(?:하려|할|해야|되면|하면)|고쳐야|수정해야|安全|如果|wenn\b/

/** What only might be, or what somebody else decides. */
const SUPPOSED =
  /^(?:(?:so|and|but|ok(?:ay)?|hmm),? )?(?:suppose|supposing|assuming|imagine|what if|let's say|hypothetically)\b|\bif (?:we|you|i|they|one)(?:'d| had| have| were to)? (?:decide|decided|agree|agreed|choose|chose|use|used|go|went|switch|switched|keep|kept|opt|opted)\b|\b(?:what|which|whether|how|why|where|things?|everything|until|once|after|before|unless) (?:we|i|you|they)(?:'ve| have)? (?:decided|agreed|chose|settled|opted|picked|kept)\b|^(?:만약|만일|혹시|가령)|(?:한다|된다|했|됐|였|이)(?:다면|더라면)|기로 (?:결정)?(?:하면|한다면|할 경우)/
/** What a text tells of another one. */
const REPORTED =
  /\b(?:highlight|not|stat|document|describ|report|explain|mention|show|indicat|claim)(?:ing|es|s) (?:that|how|what)\b|\b(?:readme|guide|docs?|documentation|article|page|ticket|issue|style guide|comment|spec|paper) (?:says?|states?|recommends?|suggests?|mentions?|tells?)\b|다는 (?:내용|뜻|말|이야기|문장|의미|것입니다)|라고 (?:적혀|쓰여|나와|되어|합니다)/
/** Something learned, said as such. */
const LEARNED =
  /^(?:(?:so|and|ok(?:ay)?|ah|aha|interesting|note)[,:]? )*(?:(?:it )?turns? out|as it turns out,?) (?!(?:i|we|you|to be)\b)|^(?:so )?the (?:trick|key|secret|gotcha|catch|lesson|takeaway|rule of thumb)(?: here| learned)? (?:is|was)\b|^(?:lessons? learned|rule of thumb|gotcha|note to self|good to know)\s?[:–-]|^(?:whenever|every time|each time) (?!you\b|i\b|we\b).{5,100}, .{5,}|\broot cause (?:was|is)\b.{5,200}\b(?:so|therefore|hence|thus),? (?:\w+ ){0,3}(?:always|never|must(?: not)?|don't|do not|should(?: not)?)\b|\b(?:must|has to|have to) (?:always )?(?:be|come|run|stay|happen|stand)\b.{3,100}[,;:–-] ?(?:otherwise|or else)\b|^알고\s?보니|^(?:핵심|요령|비결|교훈|포인트|주의할 점)(?:은|는) .{4,}(?:것|점|거)(?:이|입|임|예|야)|^원인은 .{4,120}(?:니|므로|기 때문에),? .{0,80}(?:항상|절대|반드시|해야|써야|하면 안)|때마다 .{4,80}(?:다|됨|음)[.!]?$/

export const isSupposed = (text: string): boolean => SUPPOSED.test(text.toLowerCase())
export const isReported = (text: string): boolean => REPORTED.test(text.toLowerCase())

export function isLearned(text: string): boolean {
  if (isQuestion(text) || isOffer(text) || isPlan(text) || isSupposed(text)) return false
  return LEARNED.test(text.toLowerCase())
}

const QUOTED = /"[^"\n]{12,}"|“[^”\n]{12,}”|「[^」\n]{6,}」|«[^»\n]{12,}»/g

/** Without what stands between quotation marks: it is not the speaker who says that. A name or a word between them stays. */
export function withoutQuoted(text: string): string {
  return /["“「«]/.test(text) ? text.replace(QUOTED, ' … ') : text
}

export function isIdle(text: string): boolean {
  const words =
    text
      .toLowerCase()
      .replace(/'/g, '')
      .match(/[\p{L}\p{N}]+/gu) ?? []
  return words.length <= 8 && words.every((word) => IDLE.has(word))
}

export function isHostCommand(text: string): boolean {
  return HOST_COMMANDS.test(text)
}

export const isRequest = (text: string): boolean => REQUEST.test(text.toLowerCase())
export const isCorrection = (text: string): boolean => CORRECTION.test(text.toLowerCase())
export const isQuestion = (text: string): boolean => QUESTION.test(text)
export const isPersona = (text: string): boolean => PERSONA.test(text.toLowerCase())
export const isPlan = (text: string): boolean => PLAN.test(text.toLowerCase().replace(/^[^\p{L}\p{N}]+/u, ''))
export const isOffer = (text: string): boolean => OFFER.test(text.toLowerCase())
export const isOpenHeading = (heading: string): boolean => OPEN_HEADING.test(heading.toLowerCase())
export const isDecisionHeading = (heading: string): boolean =>
  DECISION_HEADING.test(heading.toLowerCase()) && !UNDECIDED_HEADING.test(heading.toLowerCase())

export function isDecision(text: string, by: 'user' | 'assistant'): boolean {
  if (isQuestion(text) || isOffer(text) || isSupposed(text)) return false
  return by === 'user'
    ? USER_DECIDES.test(text.toLowerCase())
    : CLAUDE_DECIDES.test(text.toLowerCase()) && !isPlan(text)
}

export function isReasonedChoice(text: string): boolean {
  return REASONED.test(text.toLowerCase()) && !isQuestion(text) && !isPlan(text) && !isOffer(text) && !isSupposed(text)
}

/** A state that is over soon: waiting for a check, a review, something that runs. */
export function isPassing(text: string): boolean {
  const lower = text.toLowerCase()
  return PASSING.test(lower) && !STAYS.test(lower)
}

/** An answer in a dialog that says more than which button was pressed. */
export function isDecidingAnswer(answer: string): boolean {
  return isDecision(answer, 'user') || (DECIDING_ANSWER.test(answer.toLowerCase()) && !isQuestion(answer))
}

export function isOpenWord(text: string): boolean {
  const lower = text.toLowerCase()
  if (/\bnext steps? (?:could|might|may|would)\b/.test(lower) || isSupposed(text)) return false
  return OPEN.test(lower) && !NOTHING_OPEN.test(lower) && !isQuestion(text) && !isPlan(text) && !isOffer(text)
}

/** Open for longer than the turn in which it was said. */
export function isLastingWord(text: string): boolean {
  return LASTING.test(text.toLowerCase()) && isOpenWord(text)
}

export function isSolved(text: string): boolean {
  const lower = text.toLowerCase()
  return SOLVED.test(lower) && !NOT_SOLVED.test(lower) && !isPlan(text)
}

const LOG_LINE =
  /^\s*(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:|\[?\d\d:\d\d:\d\d|at \S+ \(.+:\d+:\d+\)|at \S+:\d+:\d+|File ".+", line \d+|Traceback|\$ |>>> |PS [A-Z]:|(?:INFO|WARN|WARNING|ERROR|DEBUG|TRACE|FATAL)\b[\]:\s|]|\[(?:info|warn|warning|error|debug|trace|INFO|WARN|ERROR|DEBUG)\]|[A-Z]\w*(?:Error|Exception): |npm (?:ERR!|WARN|error)|diff --git|@@ |index [0-9a-f]{7}|\+\+\+ |--- \S|Caused by:|Exit code \d|\S+@\S+:\S*[$#] )/
const CODE_LINE =
  /[{}]\s*$|[=(].*;\s*$|^\s*(?:[<>{}[\]()|+*=~#/\\]{2,}|-{3,})|=>\s*[{(]|^\s*(?:(?:const|let|var)\s+\S+\s*=|(?:export |async |public |private |static )+\w|(?:def|class|function|func|fn)\s+\w+\s*[({:]|import\s+(?:\{|\w+\s+from\b|"|')|from\s+\S+\s+import\b|#include\b|return\b.*;)/

/** A line of a log, a stack, a listing or of code. */
export function isMachineLine(text: string): boolean {
  const start = text.slice(0, 400)
  return LOG_LINE.test(start) || CODE_LINE.test(start) || (start.length > 20 && letterShare(start) < 0.55)
}

/** How many words a reader counts: without spaces two characters make one, and a Korean word holds what takes two elsewhere. */
export function wordCount(text: string): number {
  const cjk = text.match(/[\u3040-\u30ff\u3400-\u9fff]/g)?.length ?? 0
  const hangul = text.match(/[\uac00-\ud7af]/g)?.length ?? 0
  const runs = text.match(/[\p{L}\p{N}][\p{L}\p{N}'’_./@:-]*/gu)?.length ?? 0
  return runs + Math.floor(cjk / 2) + Math.floor(hangul / 4)
}

function letterShare(text: string): number {
  let letters = 0
  let solid = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code <= 32) continue
    solid++
    // Beyond ASCII nearly everything in a sentence is a letter, but for the marks that listings and boxes are drawn with.
    if ((code > 127 && (code < 0x2000 || code > 0x2bff)) || ((code | 32) >= 97 && (code | 32) <= 122)) letters++
  }
  return solid === 0 ? 0 : letters / solid
}
