/** Words of scripts without spaces: each word of two or three characters finds the sentence it stands in (issue 4). */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { apart, corpusOf, find, others, said } from '../../support/corpus.ts'

const KOREAN = `
어제 저녁에 배포 서버의 디스크가 가득 차서 빌드가 멈췄다.
원인을 찾아보니 오래된 로그 파일이 지워지지 않고 쌓여 있었다.
그래서 로그를 일주일만 보관하도록 설정을 바꾸고 정리 작업을 밤마다 돌리기로 했다.
결제 모듈은 외부 시스템과 연결이 끊기면 세 번까지 다시 시도한다.
재시도 간격은 처음에 일 초이고 그다음에는 두 배씩 늘어난다.
사용자 인증 토큰은 열다섯 분 뒤에 만료되며 갱신 토큰은 쿠키에만 저장한다.
검색 색인은 원본 파일에서 다시 만들 수 있으므로 백업하지 않는다.
테스트가 가끔 실패한 까닭은 시간대가 다른 서버에서 날짜를 비교했기 때문이다.
번역 문구는 화면마다 나누어 두고 빠진 문구가 있으면 영어로 보여 준다.
데이터베이스 이름을 바꾸는 일은 다음 분기로 미루었다.
캐시를 비우는 명령은 관리자만 쓸 수 있고 실행하면 기록이 남는다.
메모리가 부족하면 가장 오래 쓰지 않은 항목부터 버린다.
`
const JAPANESE = `
昨日の夜に配備用のサーバーで空き容量が無くなり、ビルドが止まった。
調べてみると古い記録ファイルが消されずに溜まっていた。
そこで記録は一週間だけ残し、毎晩掃除をすることに決めた。
決済の部品は外部との接続が切れると三回まで再試行する。
待ち時間は最初が一秒で、その後は倍になっていく。
利用者の認証トークンは十五分で失効し、更新用の鍵はクッキーにだけ保存する。
検索の索引は元のファイルから作り直せるので予備を取らない。
試験が時々失敗した理由は、時差のある機械で日付を比べていたからだ。
翻訳の文言は画面ごとに分け、足りない所は英語で見せる。
データベースの名前を変える作業は次の四半期に延ばした。
キャッシュを空にする命令は管理者だけが使え、実行すると履歴に残る。
佐々木さんは設定画面の色を明るくしてほしいと言った。
`
const CHINESE = `
昨天晚上部署服务器的磁盘满了，所以构建停了下来。
查了以后发现旧的日志文件一直没有删除，越积越多。
于是决定日志只保留一个星期，每天夜里清理一次。
支付模块在外部连接断开时最多重试三次。
等待时间起初是一秒，之后每次加倍。
用户的认证令牌十五分钟后过期，刷新令牌只放在浏览器里。
搜索索引可以从原始文件重新生成，因此不做备份。
测试偶尔失败的原因是不同时区的机器在比较日期。
翻译文本按页面分开存放，缺少的地方显示英文。
修改数据库名称的工作推迟到下个季度。
清空缓存的命令只有管理员能用，执行以后会留下记录。
内存不够的时候先丢掉最久没有用过的项目。
`
const LETTERS = /[\p{Script=Hangul}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー々]+/gu

const sentencesOf = (text: string): string[] => text.trim().split('\n')

/** Every run of `size` characters inside a word, or inside a stretch of text where words are not spaced. */
function piecesOf(sentence: string, size: number): string[] {
  return (sentence.match(LETTERS) ?? []).flatMap((run) => {
    const characters = [...run]
    return characters.slice(size - 1).map((_, i) => characters.slice(i, i + size).join(''))
  })
}

describe.each([
  ['Korean', KOREAN],
  ['Japanese', JAPANESE],
  ['Chinese', CHINESE],
])('in a %s text', (_, text) => {
  const sentences = sentencesOf(text)
  const corpus = corpusOf(apart(sentences.map((sentence) => said(sentence))))

  it.each([2, 3])('every word of %i characters finds all sentences that hold it, and them first', (size) => {
    const words = new Set(sentences.flatMap((sentence) => piecesOf(sentence, size)))
    const missed = [...words].filter((word) => {
      const holding = sentences.flatMap((sentence, doc) => (sentence.includes(word) ? [doc] : []))
      const found = find(corpus, word).slice(0, holding.length)
      return found.toSorted((a, b) => a - b).join() !== holding.join()
    })

    expect(words.size).toBeGreaterThan(100)
    expect(missed).toEqual([])
  })

  it('any stretch of a sentence finds a sentence that holds it, and all of them first', () => {
    const stretch = fc.nat(sentences.length - 1).chain((doc) => {
      const pieces = [4, 5, 6].flatMap((size) => piecesOf(sentences[doc] ?? '', size))
      return fc.tuple(fc.constant(doc), fc.constantFrom(...pieces))
    })
    fc.assert(
      fc.property(stretch, ([doc, piece]) => {
        const holding = sentences.flatMap((sentence, i) => (sentence.includes(piece) ? [i] : []))
        expect(holding).toContain(doc)
        expect(
          find(corpus, piece)
            .slice(0, holding.length)
            .toSorted((a, b) => a - b),
        ).toEqual(holding)
      }),
    )
  })
})

describe('a Korean word', () => {
  const forms = ['메모리를', '메모리가', '메모리는', '메모리에서', '메모리의', '메모리로', '메모리도', '메모리까지']
  const documents = apart([...forms, '메모리'].map((form) => said(`그때 ${form} 늘렸다`)))
  const corpus = corpusOf([...documents, ...others(30)])
  const all = documents.map((_, doc) => doc)

  it.each([...forms, '메모리', '메모리에', '메모리만'])('finds itself with every particle: %s', (form) => {
    expect(find(corpus, form).toSorted((a, b) => a - b)).toEqual(all)
  })

  it('counts for more than its particle', () => {
    const mixed = corpusOf([
      ...apart([said('메모리가 모자라다'), said('서버를 껐다'), said('캐시를 비웠다')]),
      ...others(30),
    ])

    expect(find(mixed, '메모리를')[0]).toBe(0)
  })

  it('is found decomposed as macOS writes file names, and by a decomposed question', () => {
    const composed = '메모리를 늘렸다'
    const mixed = corpusOf([...apart([said(composed), said(composed.normalize('NFD'))]), ...others(30)])

    expect(find(mixed, '메모리').toSorted()).toEqual([0, 1])
    expect(find(mixed, '메모리'.normalize('NFD')).toSorted()).toEqual([0, 1])
  })
})
