/** When two texts are one fact, in English and Korean. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { closeness, isSameFact, sameAs, similarity, textIndex } from '../../src/knowledge/fact-similar.ts'

interface Pair {
  a: string
  b: string
  same: boolean
}

const PAIRS = readFileSync(path.resolve(import.meta.dirname, '../../bench/labels/fact-pairs.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Pair)
const TEXTS = PAIRS.flatMap(({ a, b }) => [a, b])

describe('one fact', () => {
  it.each([
    ['in another order', 'Use tabs in Go files', 'In Go files, use tabs'],
    ['in other forms of its words', 'Packages are installed with pnpm', 'Use pnpm for installing packages'],
    ['with a reason', 'Use esbuild', 'Use esbuild because webpack takes a minute'],
    ['with more detail', 'Keep the old parser', 'Keep the old parser for one more release'],
    ['by another usual name', 'Config lives in one TOML file', 'Keep the configuration in a single TOML file'],
    ['with another no', "Don't commit API keys", 'API keys must never be committed'],
    ['in Korean with other endings', '세션은 Redis에 저장한다', '세션을 Redis에 저장합시다'],
    ['with Korean and English mixed', 'unit test는 vitest로 작성', '유닛 테스트는 vitest로 쓰자'],
    ['in two languages', 'Use SQLite for the search index', '검색 색인은 SQLite로 하자'],
  ])('stays one %s', (_, a, b) => {
    expect(isSameFact(a, b)).toBe(true)
  })

  it.each([
    ['another object', 'Run the linter before every commit', 'Run the formatter before every commit'],
    ['another number', 'Keep backups for 7 days', 'Keep backups for 30 days'],
    ['another unit', 'Cache it for 5 minutes', 'Cache it for 5 seconds'],
    ['another version', 'Upgrade to TypeScript 5.4', 'Upgrade to TypeScript 5.6'],
    ['another file', 'Rename src/a.ts to src/c.ts', 'Rename src/b.ts to src/c.ts'],
    ['a no', 'Commit the lockfile', "Don't commit the lockfile"],
    ['a Korean no', 'lockfile은 커밋한다', 'lockfile은 커밋하지 않는다'],
    ['two things exchanged', 'Use fetch instead of axios', 'Use axios instead of fetch'],
    ['two roles exchanged', 'The worker calls the scheduler', 'The scheduler calls the worker'],
    ['a way turned round', 'Copy it from staging to production', 'Copy it from production to staging'],
    ['a problem', 'The linter runs in CI', 'The linter fails in CI'],
    ['an exception', 'Use tabs everywhere', 'Use tabs everywhere except in YAML'],
    ['a second decision', 'Use SQLite on the desktop', 'Use SQLite on the desktop and Postgres for the hosted version'],
  ])('is two with %s', (_, a, b) => {
    expect(isSameFact(a, b)).toBe(false)
  })

  it('hardly ever takes two labelled facts for one, and most of the same for the same', () => {
    const merged = PAIRS.filter(({ a, b }) => isSameFact(a, b))
    const right = merged.filter(({ same }) => same).length

    expect(right / merged.length).toBeGreaterThanOrEqual(0.97)
    expect(right / PAIRS.filter(({ same }) => same).length).toBeGreaterThanOrEqual(0.75)
  })
})

describe('similarity', () => {
  it('works on short names too', () => {
    expect(similarity('auth tokens', 'authentication token')).toBe(1)
    expect(similarity('search index', 'search')).toBeLessThan(0.7)
    expect(similarity('payments', 'deployment')).toBe(0)
  })

  it('is between 0 and 1, the same both ways, and 1 with itself', () => {
    fc.assert(
      fc.property(someText, someText, (a, b) => {
        const value = similarity(a, b)
        expect(value).toBeGreaterThanOrEqual(0)
        expect(value).toBeLessThanOrEqual(1)
        expect(similarity(b, a)).toBe(value)
        expect(isSameFact(b, a)).toBe(isSameFact(a, b))
        expect(similarity(a, a)).toBe(/[\p{L}\p{N}]/u.test(a) ? 1 : similarity(a, a))
      }),
    )
  })
})

describe('many texts at once', () => {
  it('gives just what comparing each with each gives', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...TEXTS), { maxLength: 40 }), fc.constantFrom(...TEXTS), (texts, text) => {
        const alone = texts.flatMap((one, i) => (isSameFact(one, text) ? [i] : []))
        expect(sameAs(texts)(text)).toEqual(alone)
      }),
    )
  })

  it('knows a text that took the place of another one', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...TEXTS), { minLength: 1, maxLength: 12 }),
        fc.array(fc.tuple(fc.nat(11), fc.constantFrom(...TEXTS)), { maxLength: 8 }),
        fc.constantFrom(...TEXTS),
        (texts, changes, text) => {
          const index = textIndex(texts)
          const now = [...texts]
          for (const [place, other] of changes) {
            now[place % texts.length] = other
            index.set(place % texts.length, other)
          }
          expect(index.same(text)).toEqual(sameAs(now)(text))
          expect(index.near(text, 0.3)).toEqual(now.flatMap((one, i) => (similarity(one, text) >= 0.3 ? [i] : [])))
        },
      ),
    )
  })
})

describe('an issue and what solved it', () => {
  it('are about the same in other words', () => {
    expect(closeness('The login timeout still fails on Windows', 'Fixed the login timeout on Windows')).toBe(1)
    expect(closeness('로그인 타임아웃이 아직 실패한다', '로그인 타임아웃 문제를 해결했습니다')).toBeGreaterThan(0)
    expect(closeness('The export has no header', 'Fixed the login timeout')).toBe(0)
  })
})

const someText = fc.oneof(fc.constantFrom(...TEXTS), fc.string(), fc.string({ unit: 'grapheme' }))

describe('one thing used and another one dropped', () => {
  it('is not the same with the two exchanged', () => {
    const logger = 'Never use console.log, use the logger.'

    expect(isSameFact(logger, 'From now on use console.log, we dropped the logger.')).toBe(false)
    expect(isSameFact(logger, 'Drop the logger and use console.log.')).toBe(false)
    expect(isSameFact(logger, 'Use the logger, we dropped console.log.')).toBe(true)
    expect(isSameFact('Never commit secrets', 'Do not put secrets in commits')).toBe(true)
  })
})

describe('a solved issue', () => {
  const OPEN = 'The migration script db/migrate.sh still fails on the staging server with error ECONNREFUSED.'

  it('closes what it names before it says how', () => {
    expect(
      closeness(OPEN, 'The staging migration problem is fixed too: the firewall rule was missing.'),
    ).toBeGreaterThan(0)
    expect(closeness(OPEN, 'The staging problem is fixed: the disk was full.')).toBe(0)
    expect(closeness(OPEN, 'The staging login is fixed: the cookie had the wrong domain.')).toBe(0)
  })
})
