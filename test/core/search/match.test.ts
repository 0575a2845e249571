import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { phraseRanges, textTest } from '../../../src/core/search/match.ts'
import { parseOperators } from '../../../src/core/search/operators.ts'
import { wildText } from '../../support/briefing.ts'

const holds = (query: string, text: string): boolean => textTest(parseOperators(query, { now: 0 }))?.(text) ?? true

describe('a phrase', () => {
  it.each([
    ['"token expired"', 'The Token   expired today.'],
    ['"token expired"', 'token_expired'],
    ['"token expired"', 'token\nexpired'],
    ['"to be or not"', 'To be, or not to be'],
    ['"src/auth.ts"', 'in src/auth.ts there'],
    ['"메모리 검색"', '그 메모리검색은 느리다'],
    ['"메모리검색"', '메모리 검색을'],
    ['"login 버튼"', '로그인 말고 login 버튼을'],
    ['"検索が遅い"', 'まだ検索が遅いです'],
    ['"café"', 'the cafe\u0301 there'],
    ['"c++"', 'in C++ it'],
  ])('%s stands in %j', (query, text) => {
    expect(holds(query, text)).toBe(true)
  })

  it.each([
    ['"token expired"', 'expired token'],
    ['"token expired"', 'tokens expired'],
    ['"token expired"', 'token has expired'],
    ['"user id"', 'superuser id'],
    ['"a b"', `a${' |'.repeat(30)} b`],
    ['"메모리 검색"', '검색 메모리'],
    ['"one two" "three four"', 'one two three'],
  ])('%s does not stand in %j', (query, text) => {
    expect(holds(query, text)).toBe(false)
  })

  it('is found wherever it was put, whatever it holds', () => {
    fc.assert(
      fc.property(wildText, wildText, wildText, (before, said, after) => {
        const phrase = said.normalize('NFKC')
        // Long gaps inside of it are borders; a sign beyond the first plane counts twice.
        if (!/[\p{L}\p{N}]/u.test(phrase) || /[^\p{L}\p{N}\p{M}]{10}/u.test(phrase)) return
        const text = `${before} | ${phrase} | ${after}`
        expect(phraseRanges(text, phrase).length).toBeGreaterThan(0)
      }),
    )
  })

  it('is no phrase across a long gap', () => {
    expect(phraseRanges(`one ${'𐶆'.repeat(12)} two`, 'one two')).toEqual([])
  })

  it('is told where it stands', () => {
    const text = 'A Token expired; the token-expired page'

    expect(phraseRanges(text, 'token expired').map(([from, to]) => text.slice(from, to))).toEqual([
      'Token expired',
      'token-expired',
    ])
    expect(phraseRanges(text, '!?')).toEqual([])
  })
})

describe('what may not stand there', () => {
  it.each([
    ['-cookie', 'the Cookie is old'],
    ['-login', 'call loginUser first'],
    ['-login', 'call user_login first'],
    ['-"old flow"', 'the old flow'],
    ['-검색', '검색을 고쳤다'],
    ['-file:*.test.ts', 'edit src/a.test.ts'],
  ])('%s leaves out %j', (query, text) => {
    expect(holds(query, text)).toBe(false)
  })

  it.each([
    ['-cookie', 'cookies are fine'],
    ['-"old flow"', 'the flow is old'],
    ['-file:a.ts', 'edit src/ba.ts'],
  ])('%s leaves %j', (query, text) => {
    expect(holds(query, text)).toBe(true)
  })
})

describe('a file', () => {
  it.each([
    ['file:auth.ts', 'Edit /app/src/auth.ts'],
    ['file:AUTH.ts', '`src/auth.ts:12`'],
    ['file:src/auth', 'Read C:\\app\\src\\auth\\jwt.ts'],
    ['file:src\\auth', 'src/auth/jwt.ts'],
    ['file:./src/auth.ts', 'src/auth.ts'],
    ['file:auth', 'in auth.ts'],
    ['file:*.sql', 'ran db/001_init.sql'],
    ['file:src/*/index.ts', 'src/core/index.ts'],
    ['file:Makefile', 'the Makefile says'],
    ['file:설정.md', '문서/설정.md를 고쳤다'],
    ['file:page.tsx', 'app/[id]/page.tsx'],
  ])('%s is named by %j', (query, text) => {
    expect(holds(query, text)).toBe(true)
  })

  it.each([
    ['file:auth.ts', 'src/oauth.ts'],
    ['file:auth.ts', 'src/auth.tsx'],
    ['file:auth', 'the auth is broken'],
    ['file:src/*/index.ts', 'src/a/b/index.ts'],
    ['file:auth.ts file:jwt.ts', 'src/auth.ts'],
  ])('%s is not named by %j', (query, text) => {
    expect(holds(query, text)).toBe(false)
  })

  it('may be called anything', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 20 }), wildText, (file, text) => {
        const operators = { ...parseOperators('', { now: 0 }), files: [file] }
        expect(() => textTest(operators)?.(text)).not.toThrow()
      }),
    )
  })
})
