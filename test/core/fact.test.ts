/** Facts: earlier formats, one fact a line, and adding what is new without doubling what is known. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { allFacts, type Facts, formatFacts, type NewFact, NO_FACTS, parseFacts } from '../../src/core/fact.ts'
import { addFacts } from '../../src/core/fact-add.ts'

function fact(type: NewFact['type'], text: string, entry: number, more: Partial<NewFact> = {}): NewFact {
  return {
    type,
    text,
    reason: null,
    status: type === 'issue' ? 'open' : null,
    resolution: null,
    at: new Date(Date.UTC(2026, 0, 1, 0, 0, entry)).toISOString(),
    session: 'aaaaaaaa',
    evidence: { entry, quote: text },
    files: [],
    concept: null,
    state: 'fresh',
    author: 'extractive',
    ...more,
  }
}
const solved = (text: string, entry: number, more: Partial<NewFact> = {}): NewFact =>
  fact('issue', text, entry, { status: 'resolved', resolution: text, ...more })
const told = (facts: Facts): string[] =>
  allFacts(facts).map(({ id, text, status }) => `${id} ${text}${status === null ? '' : ` [${status}]`}`)

describe('reading facts', () => {
  it('of the first version, where fields had other names or were missing', () => {
    const text = JSON.stringify({
      decisions: [
        { id: 'd007', date: '2025-11-01', content: 'Use npm', reason: 'it is there', session: '2025-11-01_0900' },
      ],
      patterns: ['Errors are values'],
      issues: [{ id: 'i001', content: 'Slow start', status: 'resolved', resolution: 'cached' }, { id: 'i002' }],
    })
    const facts = parseFacts(text)

    expect(facts?.decisions[0]).toMatchObject({
      id: 'd007',
      text: 'Use npm',
      at: '2025-11-01',
      state: 'fresh',
      files: [],
    })
    expect(facts?.patterns[0]).toMatchObject({ id: 'p001', text: 'Errors are values', status: null })
    expect(facts?.issues).toHaveLength(1)
    expect(facts?.issues[0]).toMatchObject({ status: 'resolved', resolution: 'cached' })
    expect(facts?.permanent).toEqual({ rules: [], solutions: [], core_logic: [] })
  })

  it('keeps fields that it does not know', () => {
    const text =
      '{"_meta":{"counter":3,"version":1,"by":"x"},"decisions":[{"id":"d001","text":"A","score":5}],"extra":[1]}'
    const facts = parseFacts(text)

    expect(facts).toMatchObject({ _meta: { counter: 3, by: 'x' }, extra: [1] })
    expect(facts?.decisions[0]).toMatchObject({ score: 5 })
  })

  it.each(['', 'no', '[]', '"x"', 'null'])('gives null for %j', (text) => {
    expect(parseFacts(text)).toBeNull()
  })
})

describe('writing facts', () => {
  it('puts each on a line of its own', () => {
    const facts = addFacts(NO_FACTS, [
      fact('decision', 'Use npm workspaces', 1),
      fact('decision', 'Keep the old parser', 2),
    ])
    const lines = formatFacts(facts).split('\n')

    expect(lines.filter((line) => line.includes('"id":"d'))).toHaveLength(2)
    expect(lines.every((line) => !line.includes('d001') || !line.includes('d002'))).toBe(true)
  })

  it('loses nothing on the way back', () => {
    fc.assert(
      fc.property(fc.array(someFact, { maxLength: 12 }), (fresh) => {
        const facts = addFacts(NO_FACTS, fresh)
        expect(parseFacts(formatFacts(facts))).toEqual(facts)
      }),
    )
  })
})

describe('adding facts', () => {
  it('numbers them by kind and never gives a number twice', () => {
    const one = addFacts(NO_FACTS, [fact('decision', 'Use npm workspaces', 1), fact('issue', 'The build is slow', 2)])
    const fewer = { ...one, issues: [] }
    const two = addFacts(fewer, [fact('issue', 'Images are blurry on phones', 3)])

    expect(told(one)).toEqual(['d001 Use npm workspaces', 'i002 The build is slow [open]'])
    expect(told(two)).toEqual(['d001 Use npm workspaces', 'i003 Images are blurry on phones [open]'])
  })

  it('goes on behind the highest number where no counter was kept', () => {
    const facts = parseFacts('{"decisions":[{"id":"d041","content":"Use npm"}]}') ?? NO_FACTS

    expect(told(addFacts(facts, [fact('decision', 'Write docs in German', 1)]))).toContain('d042 Write docs in German')
  })

  it('joins what says nearly the same', () => {
    const facts = addFacts(NO_FACTS, [
      fact('decision', 'Use SQLite for the search index', 1, { files: ['a.ts'] }),
      fact('decision', 'We use SQLite for the search index', 5, { files: ['b.ts'], reason: 'it is built in' }),
      fact('decision', '검색 색인은 SQLite로 하자', 6),
      fact('decision', '검색 색인은 SQLite로 하자.', 7),
    ])

    expect(told(facts)).toEqual(['d001 Use SQLite for the search index', 'd002 검색 색인은 SQLite로 하자'])
    expect(facts.decisions[0]).toMatchObject({ files: ['a.ts', 'b.ts'], reason: 'it is built in' })
  })

  it.each([
    ['Use tabs, not spaces', 'Use spaces, not tabs'],
    ['Require Node 20 in the engines field', 'Require Node 22 in the engines field'],
    ['커밋 전에 npm 대신 pnpm을 쓰자', '커밋 전에 pnpm 대신 npm을 쓰자'],
  ])('tells %j from %j', (one, other) => {
    expect(addFacts(NO_FACTS, [fact('decision', one, 1), fact('decision', other, 2)]).decisions).toHaveLength(2)
  })

  it('closes the open issue that is solved, with what solved it', () => {
    const facts = addFacts(NO_FACTS, [
      fact('issue', 'The login timeout still fails on Windows', 3),
      fact('issue', 'The export has no header', 4),
      solved('Fixed the login timeout on Windows', 9),
    ])

    expect(told(facts)).toEqual([
      'i001 The login timeout still fails on Windows [resolved]',
      'i002 The export has no header [open]',
    ])
    expect(facts.issues[0]?.resolution).toBe('Fixed the login timeout on Windows')
  })

  it('does not close what comes up again later', () => {
    const facts = addFacts(NO_FACTS, [
      fact('issue', 'The login timeout fails', 3),
      solved('The login timeout is fixed', 9),
      fact('issue', 'The login timeout fails', 20),
    ])

    expect(told(facts)).toEqual(['i001 The login timeout fails [resolved]', 'i002 The login timeout fails [open]'])
  })

  it('does not bring back what was rejected', () => {
    const facts = addFacts(NO_FACTS, [fact('decision', 'Use npm workspaces', 1)])
    const rejected: Facts = { ...facts, decisions: facts.decisions.map((one) => ({ ...one, state: 'rejected' })) }

    expect(addFacts(rejected, [fact('decision', 'Use npm workspaces', 50, { session: 'bbbbbbbb' })])).toEqual(rejected)
  })

  it('adds again what was superseded and is said anew', () => {
    const facts = addFacts(NO_FACTS, [fact('decision', 'Use npm workspaces', 1)])
    const old: Facts = { ...facts, decisions: facts.decisions.map((one) => ({ ...one, state: 'superseded' })) }

    expect(addFacts(old, [fact('decision', 'Use npm workspaces', 50)]).decisions).toHaveLength(2)
  })

  it('changes nothing the second time', () => {
    fc.assert(
      fc.property(fc.array(someFact, { maxLength: 14 }), fc.array(someFact, { maxLength: 14 }), (before, fresh) => {
        const known = addFacts(NO_FACTS, before)
        const once = addFacts(known, fresh)
        expect(addFacts(once, fresh)).toEqual(once)
        const ids = allFacts(once).map(({ id }) => id)
        expect(new Set(ids).size).toBe(ids.length)
      }),
      { numRuns: 500 },
    )
  })

  it('loses no fact that was there', () => {
    fc.assert(
      fc.property(fc.array(someFact, { maxLength: 10 }), fc.array(someFact, { maxLength: 10 }), (before, fresh) => {
        const known = addFacts(NO_FACTS, before)
        const after = new Set(allFacts(addFacts(known, fresh)).map(({ id }) => id))
        expect(allFacts(known).every(({ id }) => after.has(id))).toBe(true)
      }),
    )
  })
})

/** Few subjects and few words, so that facts meet, join and close each other often. */
const someFact: fc.Arbitrary<NewFact> = fc
  .record({
    subject: fc.constantFrom('login timeout', 'csv export', 'search index', '로그인 화면', 'image upload on phones'),
    verb: fc.constantFrom(
      'still fails',
      'is fixed',
      'uses SQLite',
      'uses SQLite not files',
      'fails with error 20',
      '해결했습니다',
    ),
    entry: fc.nat(30),
    session: fc.constantFrom('aaaaaaaa', 'bbbbbbbb'),
    kind: fc.constantFrom('decision', 'pattern', 'open', 'resolved'),
    second: fc.nat(30),
  })
  .map(({ subject, verb, entry, session, kind, second }) => {
    const text = `${subject} ${verb}`
    // Times tie and run backwards in real sessions.
    const at = new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString()
    if (kind === 'resolved') return solved(text, entry, { session, at })
    return fact(kind === 'open' ? 'issue' : (kind as NewFact['type']), text, entry, { session, at })
  })
