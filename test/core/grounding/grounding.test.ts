import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findUngrounded } from '../../../src/core/grounding/grounding.ts'
import { DELTAS, FRESH_NOTES, type LabelledNote, NOTES, TERSE_NOTES } from '../../fixtures/grounding.ts'

const ALL = [...NOTES, ...FRESH_NOTES, ...TERSE_NOTES]
const named = (notes: readonly LabelledNote[]): [string, LabelledNote][] => notes.map((note) => [note.text, note])

describe('the labelled notes', () => {
  it('are as many as the bench promises', () => {
    expect(ALL.filter(({ invented }) => invented === null).length).toBeGreaterThanOrEqual(50)
    expect(ALL.filter(({ invented }) => invented !== null).length).toBeGreaterThanOrEqual(60)
    expect(ALL.filter(({ language }) => language === 'ko').length).toBeGreaterThanOrEqual(40)
  })

  it.each(named(ALL.filter(({ invented }) => invented === null)))('finds nothing wrong with: %s', (_, note) => {
    expect(findUngrounded(note.text, DELTAS[note.delta])).toEqual([])
  })

  it.each(named(ALL.filter(({ invented }) => invented !== null)))('finds only what is made up in: %s', (_, note) => {
    const found = findUngrounded(note.text, DELTAS[note.delta])

    expect(found).toHaveLength(1)
    expect(note.invented?.includes(found[0] ?? '?') || found[0]?.includes(note.invented ?? '?')).toBe(true)
  })
})

describe('findUngrounded', () => {
  const SOURCE = [
    '[User]: look at src/auth/jwt.ts and C:\\repo\\lib\\parse.py, the port is 8080',
    '[Assistant]: getUserById() in jwt.ts takes 45ms, 1,200 rows, 3.5 MB, 12% of the time. Node v20.19.1.',
    '[Tool: Bash] npm run test -- --dry-run src/auth',
    'Output: 1500 ms, 63 passed, user_id is null, MAX_RETRIES=5, commit 4f1c9ab2d0, see https://docs.example.org/guide/start',
  ].join('\n')

  it.each([
    'The file `jwt.ts` was read.',
    'It is src\\auth\\jwt.ts, that is ./src/auth/jwt.ts or auth/jwt.ts.',
    'The directory src/auth/ and lib/parse.py were seen.',
    'jwt.ts를 고치고 getUserById()가 45밀리초 걸리는 것을 확인했다.',
    "jwt.ts's getUserByID is slow (45 ms).",
    'About 1200 rows (3.5MB), 12 % of the time, 1.5 s in total.',
    'Runs on Node 20 with MAX_RETRIES.',
    '`npm run test --dry-run` and `npm test` ran; 63 tests passed.',
    'Commit 4f1c9ab, see docs.example.org/guide.',
    'TypeScript, GitHub, PostgreSQL, macOS, iPhone, MongoDB, OAuth, README, APIs, JWTs and JSON need no evidence.',
    'Two bugs in 3 files, and/or client/server code, e.g. this one; the #1 goal is a well-known one.',
    'The user said “look at src/auth/jwt.ts”, then ‘the port is 8080’.',
    "Don't worry about the users' data; it's the assistant's job.",
    'It was tried 3 times; 3개 프로젝트, 2 프로젝트, 3분기, 4배포, 3 分支.',
    'ＰＯＲＴ ８０８０ was meant.',
  ])('accepts: %s', (note) => {
    expect(findUngrounded(note, SOURCE)).toEqual([])
  })

  it.each([
    ['It was src/core/jwt.ts.', ['src/core/jwt.ts']],
    ['It was jwt.tsx, or my-jwt.ts.', ['jwt.tsx', 'my-jwt.ts']],
    ['It calls getUser() and getUsersById.', ['getUser', 'getUsersById']],
    ['It takes 46 ms, 45 s, 120 rows.', ['46 ms', '45 s', '120']],
    ['It is 3.6 MB and 13 %.', ['3.6 MB', '13 %']],
    ['Runs on Node 18, then v21 and 20.19.2.', ['Node 18', 'v21', '20.19.2']],
    ['With --dry and --dry-runs.', ['--dry', '--dry-runs']],
    ['Port 8081 and #12, MAX_RETRY.', ['8081', '#12', 'MAX_RETRY']],
    ['They ran `npm run build`.', ['npm run build']],
    ['The user said "look at this".', ['look at this']],
    ['Commit 4f1c9ac on https://docs.example.com/guide.', ['4f1c9ac', 'https://docs.example.com/guide']],
    ['parse.js를 45초 동안 실행했다.', ['parse.js', '45초']],
    ['AuthManager and HTTPServer, @scope/name.', ['AuthManager', 'HTTPServer', '@scope/name']],
  ])('refuses: %s', (note, missing) => {
    expect(findUngrounded(note, SOURCE)).toEqual(missing)
  })

  it('lets a writer round, convert and compare what is there', () => {
    const measured = 'before 31,480 ms, after 212 ms; 1,184 rows; TTL_SECONDS=1800; worker-3 saw one failure in twenty'

    for (const note of [
      'It fell from 31.5 s to 212 ms (about 148x faster, 99 % less).',
      'Some 1,200 rows; a TTL of 1800 seconds (30 minutes).',
      'On worker-3 it failed 1 in 20 times, from 31,480 ms to 212 ms (−31,268 ms).',
    ])
      expect(findUngrounded(note, measured)).toEqual([])
    expect(findUngrounded('From 31.5 s to 212 ms (about 90x faster).', measured)).toEqual(['90x'])
    expect(findUngrounded('Some 1,250 rows on worker-4, TTL 20 minutes.', measured)).toEqual([
      '1,250',
      'worker-4',
      '20 minutes',
    ])
  })

  it('takes a version for one only where the source does', () => {
    expect(findUngrounded('It needs Node 3 and v2.', '2 bugs in 3 files')).toEqual(['Node 3', 'v2'])
    expect(findUngrounded('It needs Node 20 and v2.', '{"node": ">=20"} and /v2/events')).toEqual([])
    expect(findUngrounded('v0.40 and 1.2.3 are there.', 'paper_v0.40.pdf, keeper-1.2.3.tgz')).toEqual([])
    expect(findUngrounded('It runs on Go 1.25.6.', 'Go version: go1.25.6')).toEqual([])
    expect(findUngrounded('It runs on Go 1.25.6.', 'Version: cargo1.25.6x')).toEqual(['Go 1.25.6'])
    expect(findUngrounded('It needs Node 20.', 'node 20.ts')).toEqual(['Node 20'])
  })

  it('tells each once, in the order of the note', () => {
    expect(findUngrounded('b_x.ts, then a_x.ts, then b_x.ts again, then c_x()', SOURCE)).toEqual([
      'b_x.ts',
      'a_x.ts',
      'c_x',
    ])
  })

  it('asks for no evidence in an empty note, and finds none in an empty source', () => {
    expect(findUngrounded('', SOURCE)).toEqual([])
    expect(findUngrounded('Plain words without any names.', '')).toEqual([])
    expect(findUngrounded('It is jwt.ts.', '')).toEqual(['jwt.ts'])
  })

  const word = fc.stringMatching(/^[a-z]{3,7}$/)
  const identifier = fc.oneof(
    fc.tuple(word, word).map(([a, b]) => `${a}/${b}.ts`),
    fc.tuple(word, word).map(([a, b]) => `${a}_${b}`),
    fc.tuple(word, word).map(([a, b]) => `${a}${b.charAt(0).toUpperCase()}${b.slice(1)}()`),
    fc.tuple(word, word).map(([a, b]) => `--${a}-${b}`),
    fc.tuple(word, word, word).map(([a, b, c]) => `"${a} ${b} ${c}"`),
    fc.integer({ min: 100, max: 99_999 }).map((n) => `${n} ms`),
    fc.tuple(fc.nat(30), fc.nat(30), fc.nat(30)).map((parts) => parts.join('.')),
    fc.integer({ min: 11, max: 9999 }).map((n) => `#${n}`),
  )

  it('has nothing against a text about itself', () => {
    fc.assert(
      fc.property(fc.array(identifier, { minLength: 1, maxLength: 8 }), (identifiers) => {
        const text = `They changed ${identifiers.join(', then ')} and stopped.`
        expect(findUngrounded(text, text)).toEqual([])
      }),
    )
  })

  it('finds every identifier that a source of plain words does not hold', () => {
    fc.assert(
      fc.property(identifier, (made) => {
        expect(findUngrounded(`They changed ${made}.`, 'nothing of that kind was here')).toHaveLength(1)
      }),
    )
  })

  it('copes with any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (note, source) => {
        expect(findUngrounded(note, source).length).toBeLessThanOrEqual(note.length)
      }),
    )
  })
})

// bench/hostile.ts measures how the time grows: here what must come back at all.
it.each(['/', '1,', 'aB', '가'])('grounding reads a note of nothing but %s', (piece) => {
  const note = `A line of ${piece.repeat(1_000 / piece.length)} and an end.`

  expect(findUngrounded(note, note)).not.toContain('A line of')
})

describe('what is written otherwise in the source', () => {
  it.each([
    ['The digest comes at 7:30.', '初期値は7時半に'],
    ['The digest comes at 7:30.', '기본값은 7시 30분'],
    ['No `CACHE_*` in the settings; AWS_SECRET_* neither.', 'CACHE_TTL and AWS_SECRET_KEY'],
  ])('%s stands in %s', (note, source) => {
    expect(findUngrounded(note, source)).toEqual([])
  })

  it.each([
    ['The digest comes at 7:30.', '初期値は8時半に'],
    ['No `CACHE_*` in the settings.', 'MYCACHE_TTL'],
  ])('%s does not stand in %s', (note, source) => {
    expect(findUngrounded(note, source)).toHaveLength(1)
  })
})
