/** Korean words of a fact without particles and endings; loanwords by their English word, as developers mix both. */

/** What each stands for, then how it is written. Longer words are tried whole before they are split into two of these. */
const LOANS =
  'test 테스트|commit 커밋|deploy 배포 디플로이|build 빌드|cache 캐시 캐쉬|server 서버|login 로그인|session 세션|token 토큰|database 데이터베이스 디비|function 함수|file 파일|directory 폴더 디렉토리 디렉터리|image 이미지|' +
  'upload 업로드|download 다운로드|button 버튼|page 페이지|screen 화면 스크린|configuration 설정 셋팅 세팅|variable 변수|environment 환경|documentation 문서|comment 주석 코멘트|error 오류 에러 예외|warning 경고|bug 버그|branch 브랜치|combine 머지 병합|review 리뷰|' +
  'release 릴리스 릴리즈|version 버전|package 패키지|dependency 의존성|library 라이브러리|framework 프레임워크|component 컴포넌트|module 모듈|schema 스키마|migration 마이그레이션|index 인덱스 색인|search 검색|query 쿼리|request 요청|reply 응답|timeout 타임아웃|retry 재시도|' +
  'log 로그|logger 로거|password 비밀번호 암호 패스워드|user 사용자 유저|administrator 관리자 어드민|permission 권한|authentication 인증|memory 메모리|queue 큐|lock 락|port 포트|link 링크|message 메시지 메세지|notification 알림|email 이메일 메일|payment 결제|order 주문|' +
  'application 앱 애플리케이션|client 클라이언트|frontend 프론트엔드 프론트|backend 백엔드|docker 도커|window 윈도우 윈도우즈|type 타입|interface 인터페이스|lint 린트|linter 린터|formatter 포맷터 포매터|indent 들여쓰기|tab 탭|space 스페이스|script 스크립트|code 코드|parser 파서|import 임포트|' +
  'scheduler 스케줄러|unit 유닛 단위|integration 통합|repository 저장소 레포 레포지토리 리포|push 푸시|network 네트워크|safari 사파리|firefox 파이어폭스|chrome 크롬|cookie 쿠키|header 헤더|endpoint 엔드포인트|api 에이피아이|key 키|rotation 로테이션|mock 목 모킹|mode 모드|worker 워커|job 잡|' +
  'delta 델타|hook 훅|plugin 플러그인|project 프로젝트|english 영어 영문|korean 한국어 한글|japanese 일본어|production 운영 프로덕션|stage 스테이징|develop 개발|local 로컬|backup 백업|data 데이터|table 테이블|column 컬럼|row 로우|transaction 트랜잭션|thread 스레드 쓰레드|process 프로세스|' +
  'monorepo 모노레포|bundle 번들|bundler 번들러|compile 컴파일|runtime 런타임|form 폼|input 입력|output 출력|list 목록 리스트|menu 메뉴|modal 모달|style 스타일|styling 스타일링|translation 번역|check 체크|guide 가이드|toolbar 툴바|preview 미리보기 프리뷰|theme 테마|color 색상|font 폰트|event 이벤트|listener 리스너|handler 핸들러|callback 콜백|websocket 웹소켓|' +
  'security 보안|encrypt 암호화|date 날짜|second 초|minute 분|hour 시간|day 매일|week 매주|month 매월|utc 유티씨|big 대형 큰|small 소형 작은|main 메인|empty 빈|name 이름|path 경로|limit 제한|number 번호|valid 유효|fail 실패|slow 느림 지연|missing 누락|leak 누수|' +
  'fix 수정|change 변경 교체|begin 시작|finish 종료|~keep 저장 보관 관리|~run 실행|~make 작성 생성 추가 구현|~show 표시 출력|~get 조회 로드|~send 전송 발송|~go 이동 이전|verify 검증|check 확인|install 설치|update 업데이트 갱신|upgrade 업그레이드|increase 증가|decrease 감소|expire 만료|support 지원|' +
  'crash 크래시|rollback 롤백|refactor 리팩터링 리팩토링|debug 디버그 디버깅|parameter 파라미터 매개변수 인자|option 옵션|flag 플래그|tag 태그|template 템플릿|container 컨테이너|cluster 클러스터|node 노드|trigger 트리거|batch 배치|cron 크론|webhook 웹훅|middleware 미들웨어|router 라우터|' +
  'controller 컨트롤러|service 서비스|class 클래스|method 메서드 메소드|instance 인스턴스|object 객체|array 배열|string 문자열|integer 정수|prompt 프롬프트|model 모델|agent 에이전트|skill 스킬|terminal 터미널|browser 브라우저|sidebar 사이드바|dashboard 대시보드|chart 차트|graph 그래프|filter 필터|' +
  'pagination 페이지네이션|scroll 스크롤|click 클릭|icon 아이콘|logo 로고|popup 팝업|tooltip 툴팁|dropdown 드롭다운|checkbox 체크박스|dark 다크|thumbnail 썸네일|video 비디오 동영상 영상|stream 스트림|socket 소켓|proxy 프록시|gateway 게이트웨이|domain 도메인|certificate 인증서|hash 해시|tax 세금|' +
  'invoice 청구서 송장|customer 고객|product 상품 제품|cart 장바구니|stock 재고|account 계정|profile 프로필|address 주소|amount 금액|price 가격|cost 비용|report 보고서 리포트|feature 기능|value 값|field 필드|format 포맷 형식|json 제이슨|editor 에디터 편집기|note 노트|memo 메모|summary 요약|layer 계층 레이어|' +
  'slack 슬랙|inline 인라인|android 안드로이드|terraform 테라폼|kubernetes 쿠버네티스|bucket 버킷|python 파이썬|javascript 자바스크립트|typescript 타입스크립트|react 리액트|github 깃허브|git 깃|firebase 파이어베이스|squash 스쿼시|rebase 리베이스|issue 이슈|ticket 티켓|sprint 스프린트|' +
  'pipeline 파이프라인|workflow 워크플로 워크플로우|runner 러너|artifact 아티팩트|registry 레지스트리|secret 시크릿|volume 볼륨|binary 바이너리|public 공개|private 비공개|default 기본값|snapshot 스냅샷|archive 아카이브|device 기기 디바이스|keyboard 키보드|mouse 마우스|window 창|' +
  'reject 거부|importer 임포터|export 내보내기|connect 접속 연결|reconnect 재접속 재연결|restart 재시작|sort 정렬|anonymous 익명|legacy 레거시|2 두 둘|3 세 셋|4 네 넷|5 다섯|6 여섯|7 일곱|8 여덟|9 아홉|10 열'

/** Verbs by how they begin, whatever they end in. */
const VERBS: readonly (readonly [RegExp, string])[] = [
  [/^느[리려린립]/, 'slow'],
  [/^(?:깨[지져졌진짐]|죽[는어었]|터[지져졌진짐]|멈[추춰춘췄])/, 'fail'],
  [/^(?:바꾸|바꿔|바꾼|바꿨|바뀌|바뀐|바뀜)/, 'change'],
  [/^(?:고치|고쳐|고친|고쳤)/, 'fix'],
  [/^(?:늘리|늘려|늘린|늘어|올리|올려|올린)/, 'increase'],
  [/^(?:줄이|줄여|줄인|줄어|내리|내려|내린)/, 'decrease'],
  [/^(?:만들|만든|만듦|짜[자고기])/, '~make'],
  [/^(?:넣[는어었자고기]|담[는아았자고기]|남기|남긴|남겨|두[자고기었]|둔다|둡니)/, '~keep'],
  [/^(?:보여|띄우|띄워)/, '~show'],
  [/^(?:보내|보낸|보냄)/, '~send'],
  [/^(?:돌리|돌려|돌린)/, '~run'],
  [/^(?:읽[는어었자고기]|가져오|가져온|불러오|불러온)/, '~get'],
  [/^(?:옮기|옮긴|옮겨|넘어가)/, '~go'],
  [/^(?:빠[지져졌진]|빠져)/, 'missing'],
  [/^(?:비어|비었|비면)/, 'empty'],
  [/^(?:넘[으는어었]|초과)/, 'greater'],
  [/^(?:물어|묻[는고기])/, 'ask'],
  [/^깜빡/, 'flicker'],
  [/^알[리려린림]/, 'notify'],
]

/** Choosing, agreeing, asking for: what all decisions do, whatever they end in. */
const MANNER_VERB =
  /^(?:쓰|써|쓴|씀|씁|썼|사용|이용|활용|채택|도입|선택|선호|결정|확정|통일|합의|적용|허용|접근|부탁|원칙|켜|켠|켭|켰)/
/** What only joins words, or says how sure somebody is. */
const MANNER = /* @__PURE__ */ (() =>
  new Set(
    (
      '하자 하죠 하고 하기 하기로 하면 한다 합니다 합시다 했다 했습니다 했어요 했음 함 해 해요 해야 해야한다 할 하는 하도록 하지 된다 됩니다 되면 되는 되지 됨 되도록 되어야 돼 돼요 입니다 이다 이에요 예요 임 있다 있습니다 있어 있어요 ' +
      '있으면 있음 있는 있을 있고 항상 언제나 늘 꼭 반드시 무조건 절대 절대로 앞으로 앞으로는 이제 이제는 이제부터 지금 현재 너무 매우 아주 그냥 바로 직접 모두 모든 전부 각 매 하나 하나로 하나의 한 단일 것 거 수 때 시 우리 우리는 저희 저희는 ' +
      '그 이 저 및 또는 그리고 또 또한 다시 계속 먼저 우선 경우 경우에는 기본 기본적으로 번 회 간 당 규칙 주세요 줘 난다 나요 납니다 남 가자 간다 갑니다 대해 대한 위해 위한 통해 같은 것으로 걸로 아직 여전히 번째 쪽 등 필수 가기로 전 전에 이전 이전에 후 후에 이후 이후에 뒤 뒤에 다음 다음에 나서 온다 옵니다 와요 오지 단다 답니다 말아 주십시오 더 더이상 중'
    ).split(' '),
  ))()
const PARTICLE =
  /(?:에서는|에서도|에서만|으로는|으로만|에게는|까지는|부터는|이라는|에서|에게|에는|에도|에만|으로|로는|로만|까지|부터|마다|처럼|만큼|보다|이나|이고|이며|인데|이면|입니다|이다|라고|들이|들은|들을|들|을|를|은|는|이|가|로|에|도|만|의|와|과|랑|며|시)$/
/** A noun that is done: 배포하자, 배포된다, 배포함. */
const DONE = /^(.{2,}?)(?:하|해|했|한|할|함|합|되|돼|됐|된|될|됨|됩|시키|시켜|시킨)[\uac00-\ud7a3]{0,6}$/

/** They turn what stands before them and are no terms themselves. */
export const REFUSALS_KOREAN =
  /^(?:말고|대신|대신에|말|말자|말것|말고는|말아|말아요|말아야|말아주세요|마|마세요|마라|마십시오|말기|금지[\uac00-\ud7a3]*|불가[\uac00-\ud7a3]*|없[\uac00-\ud7a3]*|않[\uac00-\ud7a3]*|못[\uac00-\ud7a3]{0,4}|안|안함|안됨|안된다|제거[\uac00-\ud7a3]*|삭제[\uac00-\ud7a3]*|중단[\uac00-\ud7a3]*|중지[\uac00-\ud7a3]*|지우[\uac00-\ud7a3]*|지운[\uac00-\ud7a3]*|지워[\uac00-\ud7a3]*|빼[\uac00-\ud7a3]*|뺀[\uac00-\ud7a3]*|끄[\uac00-\ud7a3]*|끈다|끔|꺼[\uac00-\ud7a3]*|끕니다|비활성[\uac00-\ud7a3]*)$/

let loans: ReadonlyMap<string, string> | null = null

function loanOf(word: string): string | undefined {
  loans ??= new Map(
    LOANS.split('|').flatMap((group) => {
      const [name = '', ...words] = group.split(' ')
      return words.map((one) => [one, name] as const)
    }),
  )
  return loans.get(word)
}

export function koreanTerms(word: string): readonly string[] {
  if (REFUSALS_KOREAN.test(word)) return []
  const whole = loanOf(word)
  if (whole !== undefined) return [whole]
  const verb = VERBS.find(([pattern]) => pattern.test(word))
  if (verb !== undefined) return [verb[1]]
  const noun = word.replace(PARTICLE, '')
  const done = DONE.exec(word)?.[1] ?? DONE.exec(noun)?.[1]
  for (const bare of [noun, done]) {
    const known = bare === undefined ? undefined : loanOf(bare)
    if (known !== undefined) return [known]
  }
  if (noun === '' || MANNER_VERB.test(word) || MANNER.has(word) || MANNER.has(noun)) return []
  const bare = done ?? (noun.length >= 2 || SURE_PARTICLE.test(word) ? noun : word)
  // Behind a particle no ending is left to take off.
  return splitLoans(bare) ?? [rootOf(bare === word ? word.replace(ENDING, '') : bare, bare)]
}

/** Hardly a noun of two syllables ends in one of these; in others many do (추가, 높이, 경로). */
const SURE_PARTICLE = /[을를은는]$|^(?:건|값|줄|칸|행|표|글|날|달|곳|층|팀|봇|웹)[이가로에]$/
const ENDING = /(?:습니다|니다|는다|다|어요|아요|여요|요|으면|면|고|며|지|기|게)$/
const HANGUL_BASE = 0xac00
const FINALS = 28
/** ㄴ, ㄹ, ㅁ, ㅂ, ㅆ: what an ending adds to a verb. */
const ADDED_FINALS = /* @__PURE__ */ (() => new Set([4, 8, 16, 17, 20]))()

/** One form for all forms of a word that no list knows: 사라진다, 사라짐, 사라졌다. Nouns may lose their end too, but always the same one. */
function rootOf(cut: string, word: string): string {
  const bare = cut.length >= 2 ? cut : word
  const code = bare.charCodeAt(bare.length - 1) - HANGUL_BASE
  if (bare.length < 2 || code < 0 || code >= 11172) return bare
  const final = ADDED_FINALS.has(code % FINALS) ? 0 : code % FINALS
  const [vowel, first] = [Math.floor(code / FINALS) % 21, Math.floor(code / FINALS / 21)]
  return `${bare.slice(0, -1)}${String.fromCharCode(HANGUL_BASE + (first * 21 + (CONTRACTED[vowel] ?? vowel)) * FINALS + final)}`
}

/** ㅕ was ㅣ, ㅝ was ㅜ, ㅘ was ㅗ before an ending was drawn into it. */
const CONTRACTED: Readonly<Record<number, number>> = { 6: 20, 14: 13, 9: 8 }

/** Words that are often written together: 유닛테스트. */
function splitLoans(word: string): readonly string[] | null {
  for (let at = 2; at <= word.length - 2; at++) {
    const [left, right] = [loanOf(word.slice(0, at)), loanOf(word.slice(at))]
    if (left !== undefined && right !== undefined) return [left, right]
  }
  return null
}
