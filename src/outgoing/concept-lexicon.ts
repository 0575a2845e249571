/** Words of the trade that no rule can derive: short forms, their Korean names, and words that say little about a topic. */
import { stem } from '../text/stem.ts'

/** Each line: the full word, then short forms. Prefixes like "config" need no entry, except where a fact must find them by key. */
const SHORT_FORMS = `
authentication auth authn
authorization authz permission permissions
database db dbs rdb
configuration config cfg conf configs
environment env
repository repo
dependency dep deps
documentation doc docs document
application app apps
performance perf
administration admin
kubernetes k8s kube
internationalization i18n
localization l10n
accessibility a11y
observability o11y
typescript ts
javascript js
python py
postgresql postgres
message msg
package pkg
library lib libs
parameter param params
argument arg args
function fn func
button btn
image img
specification spec
synchronization sync
asynchronous async
information info
management mgmt
request req
response resp
error err
directory dir dirs
variable var vars
development dev
production prod
statistics stats
transaction tx txn
frontend fe
backend be
login signin logon
signup registration
notification notif
payment pay
deployment deploy deploys deploying
`

/** Each line: the English word, then Korean ones. */
const TRANSLATED = `
authentication 인증
authorization 인가 권한
login 로그인
logout 로그아웃
signup 회원가입 가입
session 세션
token 토큰
password 비밀번호 패스워드 암호
security 보안
encryption 암호화
user 사용자 유저 회원
payment 결제
refund 환불
billing 청구 과금
invoice 송장 청구서
order 주문
cart 장바구니
subscription 구독
account 계정
database 데이터베이스 디비
schema 스키마
migration 마이그레이션 이관 이전
query 쿼리 질의
transaction 트랜잭션
index 인덱스 색인
table 테이블
cache 캐시 캐싱
queue 큐 대기열
message 메시지
event 이벤트
job 잡 작업
batch 배치
schedule 스케줄 스케줄링 일정
search 검색
filter 필터 필터링
sort 정렬
pagination 페이지네이션 페이징
upload 업로드
download 다운로드
file 파일
image 이미지
storage 저장소 스토리지
backup 백업
test 테스트 시험
deployment 배포
build 빌드
pipeline 파이프라인
release 릴리스 릴리즈 출시
version 버전
configuration 설정 구성
environment 환경
variable 변수
dependency 의존성
package 패키지
library 라이브러리
framework 프레임워크
component 컴포넌트
module 모듈
screen 화면
button 버튼
form 폼 양식
layout 레이아웃
style 스타일
theme 테마
dashboard 대시보드
chart 차트
report 보고서 리포트
notification 알림
email 이메일 메일
server 서버
client 클라이언트
frontend 프론트엔드 프런트엔드
backend 백엔드
network 네트워크
request 요청
response 응답
error 오류 에러
exception 예외
log 로그 로깅
monitoring 모니터링
performance 성능
memory 메모리
concurrency 동시성
lock 락 잠금
thread 스레드
retry 재시도
timeout 타임아웃 시간초과
validation 검증 유효성
format 형식 포맷
parser 파서 파싱
type 타입
document 문서 문서화
translation 번역
localization 현지화 지역화
timezone 시간대 타임존
date 날짜
interface 인터페이스
router 라우터 라우팅
webhook 웹훅
api 에이피아이
model 모델
data 데이터
code 코드
structure 구조 아키텍처
design 디자인 설계
policy 정책 규칙
strategy 전략
management 관리
processing 처리
handling 핸들링
system 시스템
function 기능 함수
method 방식 방법
logic 로직
flow 흐름 플로우
implementation 구현
improvement 개선 최적화
problem 문제 이슈
change 변경 수정
addition 추가
removal 삭제 제거
usage 사용 이용
support 지원
service 서비스
integration 연동 통합
related 관련
decision 결정
limit 제한
plugin 플러그인
hook 훅
command 명령 명령어
state 상태
history 이력
summary 요약
comment 댓글
product 상품 제품
inventory 재고
shipping 배송
coupon 쿠폰
discount 할인
customer 고객
administration 관리자
chat 채팅
video 동영상 영상
accessibility 접근성
internationalization 다국어
certificate 인증서
domain 도메인
proxy 프록시
container 컨테이너
cluster 클러스터
hash 해시
compression 압축
encoding 인코딩
string 문자열
refactoring 리팩터링 리팩토링
lint 린트
branch 브랜치
commit 커밋
merge 병합
review 리뷰 검토
onboarding 온보딩
statistics 통계
analysis 분석
latency 지연
load 부하
cost 비용
writing 작성
application 적용
`

/** With these a name says hardly more than without: "payment" and "payment handling". */
const LITTLE = `handling handler processing process management manager managing system setup logic module implementation
implement support strategy approach policy flow workflow related feature functionality function mechanism general stuff
thing topic issue problem bug fix decision rule pattern change update improvement addition removal usage use method code work
project area overall overview detail question choice concern part side way convention standard guideline practice setting writing generation creation`

/** These tell something, but less than what stands beside them. */
const HALF = 'api user app application service integration layer tool structure design'

/** Nouns that the stemmer would throw together with others: "production" is not "product". */
export const OWN_STEM: ReadonlySet<string> = new Set(
  'production tokenizer general generic experience community organization university'.split(' '),
)
/** Written with capitals inside, and still one word. */
const WHOLE = `github gitlab graphql websocket mongodb mysql sqlite dynamodb oauth openai fastapi openapi vscode youtube
linkedin javascript typescript postgresql powershell localstorage nodejs nextjs vuejs reactjs macos ios devops mobx rxjs`

/** Short form → full word. */
export const ABBREVIATIONS: ReadonlyMap<string, string> = byOther(SHORT_FORMS)
/** Korean word → English word. */
export const KOREAN_WORDS: ReadonlyMap<string, string> = byOther(TRANSLATED)
/** As stems. */
export const LITTLE_SAYING: ReadonlySet<string> = new Set(LITTLE.split(/\s+/).map(stem))
export const HALF_SAYING: ReadonlySet<string> = new Set(HALF.split(' ').map(stem))

/** Not taken apart at its capitals. */
export const WHOLE_WORDS: ReadonlySet<string> = new Set(WHOLE.split(/\s+/))
/** What a topic may be called after without further proof. */
export const TOPIC_WORDS: ReadonlySet<string> = new Set(
  [...ABBREVIATIONS.values(), ...KOREAN_WORDS.values()]
    .map(stem)
    .filter((key) => !LITTLE_SAYING.has(key) && !HALF_SAYING.has(key)),
)

function byOther(lines: string): Map<string, string> {
  return new Map(
    lines
      .trim()
      .split('\n')
      .flatMap((line) => {
        const [full = '', ...others] = line.split(' ')
        return others.map((other): [string, string] => [other, full])
      }),
  )
}
