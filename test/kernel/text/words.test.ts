import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { stemOf } from '../../../src/kernel/text/token.ts'
import {
  newWordBag,
  readTokens,
  stemsOf,
  tellingWords,
  tokenFor,
  tokenise,
  tokenSpans,
  wordsOf,
} from '../../../src/kernel/text/words.ts'
import { wildText } from '../../support/briefing.ts'
import { corpusOf, find, others, said } from '../../support/corpus.ts'

const words = (text: string): string[] => tokenSpans(text).map(({ word }) => word)
const stems = (text: string): number[] => [...tokenise(text)].map(stemOf)

describe('the words of a text', () => {
  it.each([
    ['The token expired.', ['token', 'expired']],
    ['getUserById', ['getuserbyid', 'user', 'id']],
    ['user_id', ['userid', 'user', 'id']],
    ['MAX_RETRY_COUNT', ['maxretrycount', 'max', 'retry', 'count']],
    ['HTTPServer', ['httpserver', 'http', 'server']],
    ['XMLHttpRequest', ['xmlhttprequest', 'xml', 'http', 'request']],
    ['v2Beta', ['v2beta', 'v2', 'beta']],
    ['__init__', ['init']],
    ['src/auth/jwt.ts', ['src', 'auth', 'jwt', 'ts']],
    ['C:\\repo\\main.to', ['c', 'repo', 'main']],
    ['dry-run', ['dry', 'run']],
    ["the user's and the users' tokens", ['user', 'users', 'tokens']],
    ['don’t, won’t, it’s', []],
    ["O'Brien", ['obrien', 'o', 'brien']],
    ['Café CAFÉ cafe\u0301', ['cafe', 'cafe', 'cafe']],
    ['ＡＰＩ　ｋｅｙ', ['api', 'key']],
    ['Port 8080, v1.2 and 3rd', ['port', '8080', 'v1', '2', '3rd']],
    ['ﬁle', ['file']],
    ['"quoted" \'single\'', ['quoted', 'single']],
    ['', []],
    [' \n\t', []],
    ['___', []],
    ['... !!! ---', []],
  ])('of %j are %j', (text, expected) => {
    expect(words(text)).toEqual(expected)
  })

  it.each([
    ['메모리', ['메모', '모리']],
    ['메모리를 검색', ['메모', '모리', '리를', '검색']],
    ['検索する', ['検索', '索す', 'する']],
    ['内存', ['内存']],
    ['猫', ['猫']],
    ['API설계', ['api', '설계']],
    ['𠮷野家', ['𠮷野', '野家']],
    ['ｶﾞﾗｽ', ['ガラ', 'ラス']],
    ['データ・ベース', ['デー', 'ータ', 'ベー', 'ース']],
    ['佐々木さん', ['佐々', '々木', '木さ', 'さん']],
    ['二〇二六年', ['二〇', '〇二', '二六', '六年']],
    ['메모리😀검색', ['메모', '모리', '검색']],
    ['token🎉next', ['token', 'next']],
  ])('of a script without spaces are pairs: %s', (text, expected) => {
    expect(words(text)).toEqual(expected)
  })

  it.each(['메모리를 검색했다', 'がぎぐげご', 'Ünïcode Nàme'])('are the same, composed or not: %s', (text) => {
    expect(words(text.normalize('NFD'))).toEqual(words(text.normalize('NFC')))
    expect(tokenise(text.normalize('NFD'))).toEqual(tokenise(text.normalize('NFC')))
  })

  it.each(['😀', '👍🏽', '👩‍💻🎉', '\ud800', '\udc00', 'x\ud83d', '\ud800\ud800'])(
    'hold no half of a character: %j',
    (text) => {
      expect(words(text).filter((word) => /\p{Cs}/u.test(word))).toEqual([])
    },
  )
})

describe('an identifier', () => {
  const corpus = corpusOf([
    said('we call getUserById there'),
    said('we call getOrderList there', { session: 1 }),
    ...others(30),
  ])

  it.each(['user id', 'getUserById', 'get_user_by_id', 'userId', 'GETUSERBYID', 'users'])(
    'is found by %s',
    (question) => {
      expect(find(corpus, question)[0]).toBe(0)
    },
  )

  it('has one token whichever way it is written', () => {
    const forms = ['getUserById', 'get_user_by_id', 'GET_USER_BY_ID', 'GetUserById']

    expect(new Set(forms.map((form) => stems(form)[0])).size).toBe(1)
  })
})

describe('spans', () => {
  it('lie inside the text, in order, on whole characters, and give the tokens', () => {
    fc.assert(
      fc.property(fc.oneof(wildText, fc.string({ unit: 'binary' })), (any) => {
        const spans = tokenSpans(any)

        expect(Uint32Array.from(spans, ({ token }) => token)).toEqual(tokenise(any))
        for (const { from, to, word, token } of spans) {
          expect(from).toBeGreaterThanOrEqual(0)
          expect(to).toBeGreaterThan(from)
          expect(to).toBeLessThanOrEqual(any.length)
          expect(word).not.toBe('')
          expect(token).toBe(tokenFor(word))
          for (const at of [from, to])
            expect(/^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(any.slice(at - 1, at + 1)) && at > 0).toBe(false)
        }
        const whole = spans.filter(({ isPair }) => !isPair)
        for (const [i, span] of whole.entries()) expect(span.from).toBeGreaterThanOrEqual(whole[i - 1]?.from ?? 0)
      }),
    )
  })

  it('cover their word where it is written plainly', () => {
    const plain = fc.array(fc.stringMatching(/^[a-zA-Z0-9]{1,9}$/), { maxLength: 6 })
    fc.assert(
      fc.property(plain, fc.constantFrom(' ', '/', '-', '.', '_'), (parts, between) => {
        const any = parts.join(between)
        for (const { from, to, word } of tokenSpans(any)) {
          expect(any.slice(from, to).replaceAll('_', '').toLowerCase()).toBe(word)
        }
      }),
    )
    fc.assert(
      fc.property(fc.stringMatching(/^[가-힣ぁ-ん一-龥 ]{0,30}$/), (any) => {
        for (const { from, to, word, isPair } of tokenSpans(any)) if (isPair) expect(any.slice(from, to)).toBe(word)
      }),
    )
  })
})

describe('the order of words', () => {
  it('is that of the text, and a text is the sum of its parts', () => {
    fc.assert(
      fc.property(wildText, wildText, (one, other) => {
        expect([...tokenise(`${one}\n${other}`)]).toEqual([...tokenise(one), ...tokenise(other)])
      }),
    )
  })

  it('and the words do not change with the case of a plain text', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z .,]{0,60}$/), (any) => {
        expect(tokenise(any.toUpperCase())).toEqual(tokenise(any))
      }),
    )
  })
})

describe('the vocabulary', () => {
  it('holds words of three letters and more, no stop words, and runs of Hangul as they stand', () => {
    expect(wordsOf('The getUserById of ab 메모리를 검색')).toEqual(['getuserbyid', 'user', '메모리를'])
  })

  it('is collected while a text is tokenised, each word once, in every bag anew', () => {
    const text = "The getUserById of Café naïve words, words 메모리를검색하는프로그램입니다 漢字메모리 it's"
    for (const bag of [newWordBag(), newWordBag()]) {
      expect(readTokens(text, bag)).toEqual(tokenise(text))
      expect([...bag.words].sort()).toEqual([...new Set(wordsOf(text))].sort())
    }
    fc.assert(
      fc.property(wildText, (any) => {
        const bag = newWordBag()
        expect([...readTokens(any, bag)]).toEqual(tokenSpans(any).map(({ token }) => token))
        expect([...bag.words].sort()).toEqual([...new Set(wordsOf(any))].sort())
      }),
    )
  })

  it('holds nothing that is too long to be a word, and nothing that is no word', () => {
    fc.assert(
      fc.property(wildText, (any) => {
        for (const word of wordsOf(any)) {
          expect(word.length).toBeGreaterThan(2)
          expect(word.length).toBeLessThan(40)
          expect(word).toBe(word.toLowerCase())
        }
      }),
    )
  })
})

// bench/hostile.ts measures how the time grows: here what must come back at all.
it('tokenise reads a long text of one piece', () => {
  for (const unit of [
    ...["a'", 'aB', '_', '\u0301', 'a', 'ational', '메', '\u1100\u1161', '😀', '\udc00', 'word ', '7', 'éÀ', 'ａＢ'],
  ]) {
    const text = unit.repeat(Math.ceil(50_000 / unit.length))

    expect(tokenise(text).length).toBeLessThanOrEqual(text.length)
  }
})

describe('the words that tell what a text is about', () => {
  it('are the same in other forms, and without the words that stand everywhere', () => {
    expect([...tellingWords('The tables were locked')]).toEqual([...tellingWords('locking a table')].reverse())
    expect(tellingWords('it is what it is').size).toBe(0)
  })

  it('are the same in another Korean politeness', () => {
    const [plain, polite] = [tellingWords('캐시를 사용한다'), tellingWords('캐시를 사용합니다')]

    expect([...plain].filter((word) => polite.has(word)).length).toBeGreaterThanOrEqual(plain.size - 1)
  })

  it('of two texts together are those of each', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (a, b) => {
        expect(tellingWords(`${a}\n${b}`)).toEqual(new Set([...tellingWords(a), ...tellingWords(b)]))
        expect(stemsOf(a).length).toBeGreaterThanOrEqual(tellingWords(a).size)
      }),
    )
  })
})
