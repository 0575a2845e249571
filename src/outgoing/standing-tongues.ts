/** Sentences that hold for more than the moment, in Korean, Japanese, Chinese and German. */
import type { StandingKind } from './standing-kind.ts'

/** Null: it says nothing for later. `lower`: the sentence in lower case, quotations and code blanked. */
export function inOtherTongues(lower: string): StandingKind | null {
  if (/[\uac00-\ud7af]/.test(lower)) return inKorean(lower)
  if (/[\u3040-\u30ff]/.test(lower)) return inJapanese(lower)
  if (/[\u4e00-\u9fff]/.test(lower)) return inChinese(lower)
  return inGerman(lower)
}

const KO_ALWAYS =
  /(?:^|[\s,(])(?:항상|언제나|매번|무조건|반드시|꼭|늘|앞으로(?:는|도)?|이제부터(?:는)?|지금부터(?:는)?|다음부터(?:는)?|(?:할|하실|쓸|짤|만들|고칠|바꿀|올릴|커밋할|수정할|작성할|답할) 때(?:마다|는 항상|는)|기본적으로)(?=[\s,])/
const KO_FOR_GOOD =
  /(?:^|[\s,(])(?:항상|언제나|매번|무조건|늘|앞으로(?:는|도)?(?! \S*(?:될|할|올|쓸|갈|볼|있을|필요한) (?!때))|이제부터(?:는)?|지금부터(?:는)?|다음부터(?:는)?)(?=[\s,])|때마다(?=[\s,])/
/** Strong words that are also said of one thing: they need something lasting beside them. */
const KO_MUST = /(?:^|[\s,(])(?:반드시|꼭)(?=[\s,])/
const KO_EACH = /(?:때(?:마다|는)|기 전에(?:는)?|(?:한|난|은) (?:뒤|후|다음)에(?:는)?)(?=[\s,])/
const KO_NEVER_ORDER =
  /지\s?(?:좀\s?)?(?:마(?:$|[.,!~\s]|세요|라|십시오|요)|말(?:아|고|자|것|\s?것|라|아라|아주|기|도록))|금지(?:$|[.!]|야|입니다|다|예요)|(?:하|쓰|넣|건드리|올리|지우|바꾸|커밋하|푸시하|사용하)면 (?:절대 )?안 (?:돼|된|됩)/
const KO_NEVER =
  /(?:^|[\s,(])(?:절대(?:로)?|두 번 다시|다시는|앞으로(?:는)?|이제부터(?:는)?|다음부터(?:는)?|더\s?이상|항상|묻지 않고|[가-힣]+ 없이)(?=[\s,.!]|$)/
/** Asked of somebody: the polite and the plain forms. */
const KO_ORDER =
  /(?:줘|줘요|주세요|주십시오|주시기 바랍니다|주길 바라|주면 (?:돼|좋겠)|주었으면|줬으면|하세요|으세요|쓰세요|하십시오|시오|해라|써라|하라고|하도록(?: 해| 하세요| 해줘| 하자)?|도록 (?:해|하)|할 것|을 것|쓸 것|하기(?=$|[.!])|바랍니다|바람|부탁(?:해|드려|드립니다|합니다)?|하자|합시다|쓰자|씁시다|가자|먼저 물어봐|물어봐|물어보고 (?:해|진행)|써야 (?:해|돼|한다|합니다)|해야 (?:해|돼|한다|합니다|됩니다))[.!~요]*$/
/** The plain form is also how a state is told: only with a thing done to something. */
const KO_PLAIN_ORDER =
  /(?:을|를|로|으로|서|고|만|부터|도|먼저) (?:[가-힣]{1,4} )?(?:사용|작성|실행|확인|커밋|테스트|정리|답변|대답|설명|유지|기록|추가|처리|검토|질문|보고|번역|통일|표시|진행|저장|적용|준수|요약|공유|포맷|배포|리뷰|검증|백업|분리|정렬)?(?:해|써|돌려|물어봐|붙여|넣어|남겨|지켜|맞춰|알려|보여|답해|나눠|적어)(?:요)?[.!~]*$/
const KO_STATE =
  /(?:실패|오류|에러|필요|중요|이상|동일|느리|가능|불편|발생|나오|뜨|나와|나요|떠요|걸려|깨져|되네|안 (?:돼|되|됨))[가-힣]{0,4}[.!~]*$/
const KO_PREFERS =
  /선호(?:해|합니다|한다|하는 편|함|해요)|보다(?:는)? .{1,40}(?:더 )?(?:좋아(?:해|합니다|요)|낫(?:다|습니다)|나아)(?:요)?[.!]*$|(?:게|걸|것을|스타일을|방식을|쪽을|답변을|코드를) (?:더 |제일 |훨씬 )?좋아(?:해|합니다|해요|함)[.!]*$/
const KO_POINTING = /^(?:그|이|저)(?:거|걸|것|게|건|렇게|대로|쪽)|(?:첫|두|세) ?번째|[a-d1-9]\s?(?:안|번)(?:을|이|으로)/
const KO_ONE_OFF =
  /이번(?:에|만|에는|엔)|앞으로(?:의)? (?:계획|일정|방향|할|진행|작업|로드맵)|(?:이유|원인|문제|버그|오류|에러|현상|목록)(?:를|을|가|이|도) |(?:습니다|합니다|됩니다|어요|아요|해요|네요|거든요)[,.] .*(?:줘|주세요)|(?:는|은|을|할|될) (?:기능|버튼|함수|페이지|화면|옵션|메서드|클래스|스크립트|컴포넌트|필드|컬럼|테스트)(?:을|를|이|가|도) .*(?:추가|만들|구현|작성)|(?:는데|은데|인데|어서|아서|해서|니까) .*(?:고쳐|수정|해결|찾아|봐)|일단|지금은|오늘|내일|당장|임시로|잠깐|(?:^|\s)이 (?:파일|함수|테스트|커밋|브랜치|버튼|화면|페이지|메서드|클래스)(?:에|은|는|만|을|를)/
const KO_INSTEAD = /([a-z가-힣][\w가-힣.-]*) 말고 ([a-z가-힣][\w가-힣.-]*?)(?:으로|로|을|를) (?:해|써|쓰|사용|작성|답)/

function inKorean(text: string): StandingKind | null {
  if (/[?？]\s*$|까요?[.!]*$|나요[.!]*$|는지 /.test(text) || KO_ONE_OFF.test(text)) return null
  if (KO_PREFERS.test(text)) return KO_POINTING.test(text) ? null : 'prefer'
  if (KO_NEVER_ORDER.test(text) && (KO_NEVER.test(text) || KO_EACH.test(text))) return 'never'
  const isOrder = (KO_ORDER.test(text) || KO_PLAIN_ORDER.test(text)) && !KO_STATE.test(text)
  if (!isOrder) return null
  if (KO_FOR_GOOD.test(text) || (KO_MUST.test(text) && KO_EACH.test(text))) return 'always'
  if (KO_ALWAYS.test(text) && /(?:때마다|기본적으로)/.test(text)) return 'always'
  const [, refused = '', chosen = ''] = KO_INSTEAD.exec(text) ?? []
  return isHabit(refused) && isHabit(chosen) ? 'always' : null
}

/** Tools and manners of work: whoever names two of them speaks of how work is done here, not of one place in the code. */
const HABITS = new Set(
  (
    'npm pnpm yarn bun npx deno pip pip3 uv poetry conda pipenv cargo gradle maven jest vitest mocha ava pytest unittest junit eslint biome prettier black ruff flake8 ' +
    'tab tabs space spaces 탭 스페이스 공백 semicolons rg ripgrep grep docker podman make just bash zsh fish powershell git svn rebase merge squash ' +
    'camelcase snake_case kebab-case pascalcase english korean german japanese chinese 영어 한국어 한글 일본어 중국어 존댓말 반말 vim nano curl wget httpie utc'
  ).split(' '),
)

/** A habit's name, also with a particle behind it. */
export function isHabit(word: string): boolean {
  return HABITS.has(word) || HABITS.has(word.replace(/(?:으로|로|을|를|은|는|이|가)$/, ''))
}

const JA_LASTING = /常に|いつも|毎回|今後(?!の)|これから(?!の)|以後|以降は|次から|絶対に|絶対|決して|二度と|必ず/
const JA_FOR_GOOD =
  /常に|いつも|毎回|今後(?!の)|これからは|以後|次からは|絶対に|決して|二度と|(?:する|した|の)(?:とき|時|際|たび|度|前)(?:に|は|には)|(?:前|後)に(?:は)?必ず|必ず.*(?:前|後)に/
const JA_NEVER =
  /(?:ないで(?:ください|下さい|ほしい|欲しい|くれ|ね)?|ない(?:こと|ように(?:して(?:ください|ほしい)?|お願いします)?)|(?:する|使う|書く|消す|触る|押す|変える|やる|入れる)な|禁止(?:です|とする)?|てはいけません|てはならない|ちゃだめ)[。.!！ね]*$/
const JA_ORDER =
  /(?:(?:て|で)(?:ください|下さい|ほしい(?:です)?|欲しい(?:です)?|くれ|ね|もらいたい|いただきたい(?:です)?)|(?:する|行う|使う|書く|付ける|入れる|答える|確認する)(?:こと|ように(?:してください|して|お願いします)?)|お願いします|しろ|せよ|すること|ましょう)[。.!！]*$/
const JA_PREFERS =
  /(?:が|を)(?:好み(?:ます|です)?|好む)[。.!]*$|(?:私|僕|俺|自分)(?:は|としては).*(?:(?:ほう|方)が(?:いい|良い|好き|好み)|が好き)(?:です|だ|なんです)?[。.!]*$|個人的に.*(?:ほう|方)が(?:いい|好き)(?:です)?[。.!]*$/
const JA_ONE_OFF =
  /(?:ので|のに|けど|ますが).*(?:直|修正|調べ|見て)|(?:原因|理由|一覧)を|今回|とりあえず|今は|今日|この(?:ファイル|関数|テスト|コミット|ボタン|画面|ページ|クラス|メソッド)/

function inJapanese(text: string): StandingKind | null {
  if (/[?？]\s*$|か[。.]?$|でしょう[。.]?$/.test(text) || JA_ONE_OFF.test(text)) return null
  if (JA_PREFERS.test(text)) return /^(?:それ|これ|あれ|こちら|そちら|最初|前者|後者)/.test(text) ? null : 'prefer'
  if (!JA_LASTING.test(text)) return null
  if (JA_NEVER.test(text)) return 'never'
  return JA_FOR_GOOD.test(text) || /必ず/.test(text) ? (JA_ORDER.test(text) ? 'always' : null) : null
}

const ZH_NEVER =
  /(?:永远|绝对|绝|千万|以后|今后|从现在(?:开始|起)|从今(?:以后|往后)?|任何时候|都)[^，。；]{0,12}(?:不要|别|不准|不许|不能|不可|禁止|勿)|(?:不要|别|不准|不许)再|切勿|严禁|永不|一律(?:不要|不准|禁止)/
const ZH_LASTING =
  /总是|始终|永远|每次|一律|(?:以后|今后)(?!的|再|会|可能|有)|从现在(?:开始|起)|从今(?:以后|往后)|默认|(?:所有|任何|每个?)[^，。]{1,12}(?:前|后|时)/
const ZH_ORDER =
  /(?:^|[，,：:\s])(?:请|以后请?|今后请?)|(?:总是|始终|永远|每次|一律|以后|今后|从现在(?:开始|起)|从今以后|默认)[^，。]{0,14}?(?:都?要|都?请|必须|应该|用|使用|先|写|回答|运行|保持|加上|检查|确认|问|采用|遵循|按照|以|在提交)|(?:前|后|时)[，,]?(?:都|请|必须|先|要)|，[^，。]{0,10}(?:都|请|先|必须|要)/
const ZH_STATE =
  /^(?:用户|客户|它|他|她|他们|它们|这个?|那个?|程序|服务|测试|页面|系统|为什么|怎么|好像|似乎|结果)|(?:失败|报错|出错|崩溃|卡住|超时|不行|没用|一样|如此)[了。！!]*$|了[。！!]*$|(?:会|能|可以|可能|也许|打算|再说|有空)|(?:修复|解决|看看|查一下|原因)/
const ZH_PREFERS = /我(?:个人)?(?:们)?(?:更|比较|一般|通常|还是|都)?(?:喜欢|偏好|偏爱|倾向于|习惯)(.{2,})/
const ZH_ONE_OFF = /这次|暂时|先这样|今天|目前|现在先|这个(?:文件|函数|测试|提交|按钮|页面|类|方法)/

function inChinese(text: string): StandingKind | null {
  if (/[?？]\s*$|[吗呢][。？?]?$|什么|怎么/.test(text) || ZH_ONE_OFF.test(text)) return null
  const chosen = ZH_PREFERS.exec(text)?.[1]
  if (chosen !== undefined) return /^(?:这|那|第|前者|后者|方案|你的|它|他|她)/.test(chosen) ? null : 'prefer'
  if (ZH_NEVER.test(text) && !/^(?:它|他|她|这|那|为什么)/.test(text)) return 'never'
  return ZH_LASTING.test(text) && ZH_ORDER.test(text) && !ZH_STATE.test(text) ? 'always' : null
}

const DE_LASTING =
  /\b(?:immer|stets|nie|niemals|nie wieder|ab (?:jetzt|sofort|heute)|künftig|in zukunft|von nun an|grundsätzlich|generell|jedes mal|bevorzuge|nicht mehr|ohne (?:zu fragen|rückfrage|nachfrage|meine))\b/
const DE_ORDER =
  /^(?:(?:und|aber|also|ok(?:ay)?|bitte|gut|danke|nein|ja)[,!.]?\s+)*(?:verwende|nutze?|benutze?|schreibe?|mache?|antworte|teste?|führe?|lasse?|füge?|lege?|frage?|prüfe?|committe|pushe?|lösche?|ändere?|nimm|gib|achte|denke?|formatiere|halte?|erkläre|zeige?|starte|verzichte|vermeide|arbeite|erstelle|benenne|setze?|stelle?|sage?|dokumentiere|kommentiere|behalte?|rühre?|fass|überschreibe?|installiere|importiere|bleibe?|sprich|rede)\b/
const DE_INFINITIVE =
  /^(?:(?:bitte|und|also|aber|ok(?:ay)?|nein|ja|\p{L}+ bitte)[,!]?\s+)*(?:immer|nie(?:mals)?|stets|grundsätzlich|künftig|in zukunft|ab (?:jetzt|sofort)|von nun an)\b.{3,}\b\p{L}{2,}(?:en|ln|rn)(?: (?:lassen|müssen))?[.!]*$/u
const DE_AFTER_LEAD =
  /^(?:bitte )?(?:ab (?:jetzt|sofort|heute)|künftig|in zukunft|von nun an)[,:]? (?:(?:bitte|nur|immer|nie|kein\p{L}*|keine|nicht|du|wir|sollst|verwenden wir|nutzen wir|gilt)\b|\p{L}+e (?:bitte |nur |immer |keine? )|(?:schreib|mach|nimm|gib|nutz|benutz|frag|lass|lösch|sag)\b)/u
const DE_MODAL =
  /\b(?:du|wir) (?:sollst|solltest|darfst|musst|sollten|dürfen|müssen)\b[^.]*?\b(?:immer|stets|nie|niemals|nie wieder|grundsätzlich)\b|\bich (?:möchte|will|erwarte|wünsche mir),? dass du\b[^.]*\b(?:immer|stets|nie|niemals|künftig|in zukunft|nie wieder)\b/
const DE_PREFERS =
  /\bich bevorzuge (?!das|diese|die (?:erste|zweite|letzte)|option|variante|lösung|es\b)|\bich (?:mag|hasse) es(?: nicht)?,? wenn du\b|\bmir ist (?:es )?lieber,? wenn du\b|\bich habe (?:es )?(?:lieber|am liebsten),? wenn du\b/
const DE_NO_MORE =
  /\b(?:nicht mehr|nie wieder|nie mehr|ohne (?:zu fragen|rückfrage|nachfrage|meine (?:zustimmung|erlaubnis)|mich zu fragen))\b/
const DE_ONE_OFF =
  /\b(?:diesmal|vorerst|erstmal|heute|morgen|jetzt gerade|momentan|vorübergehend|könnten?|würden?|vielleicht|(?:warum|wieso|weshalb|wie|ob) [^,.]*\b(?:immer|nie|niemals|stets)|in (?:dieser|diesem|der) (?:datei|funktion|test|commit|klasse|methode|komponente|seite))\b/
const DE_NEVER = /\b(?:nie|niemals|nie wieder|kein\p{L}*|nichts?|verzichte|vermeide)\b/u

function inGerman(text: string): StandingKind | null {
  if (!DE_LASTING.test(text) && !DE_PREFERS.test(text)) return null
  if (/\?\s*$/.test(text) || DE_ONE_OFF.test(text)) return null
  if (DE_PREFERS.test(text)) return 'prefer'
  const isOrder = DE_ORDER.test(text) || DE_INFINITIVE.test(text) || DE_AFTER_LEAD.test(text) || DE_MODAL.test(text)
  if (!isOrder) return null
  if (DE_NO_MORE.test(text) && !/\b(?:nichts?|nie|niemals|kein\p{L}*)\b/u.test(text)) return null
  return DE_NEVER.test(text) ? 'never' : 'always'
}
