import { describe, expect, it } from 'vitest'
import { parseQuestion } from '../../../src/core/search/question.ts'
import { type Ranked, rank } from '../../../src/core/search/rank.ts'
import {
  answered,
  apart,
  type Corpus,
  corpusOf,
  type Document,
  find,
  others,
  said,
  used,
} from '../../support/corpus.ts'

/** The order of these, among many others, when each stands alone. */
const order = (question: string, documents: readonly Document[]): number[] =>
  find(corpusOf([...apart(documents), ...others(40)]), question)

const rows = (corpus: Corpus, question: string, limit = 10): Ranked[] =>
  rank(parseQuestion(question), corpus.columns, corpus.engine, { limit }).rows

const scoreOf = (corpus: Corpus, question: string, doc: number): number =>
  rows(corpus, question, 50).find((row) => row.doc === doc)?.score ?? 0

describe('words', () => {
  it('rank a text that holds all of them above one that repeats one', () => {
    const found = order('redis cache', [
      said('the cache lies in redis there'),
      said('redis, redis and redis, always redis'),
    ])

    expect(found).toEqual([0, 1])
  })

  it('rank a rare one above a common one', () => {
    const common = Array.from({ length: 20 }, (_, i) => said(`release number${i}`))

    expect(order('release wombat', [...common, said('wombat number99')])[0]).toBe(20)
  })

  it('rank the form that was asked for above other forms', () => {
    const documents = [
      said('index failing today there'),
      said('index failed today there'),
      said('index fails today there'),
    ]

    expect(order('failed', documents)[0]).toBe(1)
    expect(order('failing', documents)[0]).toBe(0)
    expect(order('fails', documents)[0]).toBe(2)
  })

  it('rank those that stand together above those far apart', () => {
    const gap = Array.from({ length: 30 }, (_, i) => `gap${i}`).join(' ')

    expect(order('lock timeout', [said(`lock timeout ${gap}`), said(`lock ${gap} timeout`)])).toEqual([0, 1])
    expect(order('lock timeout', [said(`lock ${gap} timeout`), said(`lock timeout ${gap}`)])).toEqual([1, 0])
  })

  it('rank short texts above long ones that say the same', () => {
    const long = Array.from({ length: 60 }, (_, i) => `more${i}`).join(' ')

    expect(order('wombat', [said('wombat sleeps'), said(`wombat ${long}`)])).toEqual([0, 1])
  })
})

describe('surroundings', () => {
  it('bring the answer that holds no word of the question', () => {
    const corpus = corpusOf([
      said('which port does the gateway use'),
      answered('4711, on both machines'),
      ...others(40),
    ])

    expect(find(corpus, 'gateway port')).toEqual([0, 1])
  })

  it('count for more behind the words than before them: there the answer stands', () => {
    const later = '2026-03-01T12:00:00Z'
    const corpus = corpusOf([said('lemurs', { at: later }), said('which gateway port'), said('otters'), ...others(40)])

    expect(find(corpus, 'gateway port')).toEqual([1, 2, 0])
  })

  it('count for more the nearer the words are', () => {
    const later = '2026-03-01T12:00:00Z'
    const corpus = corpusOf([said('lemurs', { at: later }), said('otters'), said('which gateway port'), ...others(40)])

    expect(find(corpus, 'gateway port')).toEqual([2, 1, 0])
  })

  it('reach two entries to each side, inside the session', () => {
    const documents = Array.from({ length: 9 }, (_, i) => said(i === 4 ? 'the wombat sleeps' : `nothing${i} here`))
    const corpus = corpusOf([...documents, said('other session', { session: 1 })])

    expect(find(corpus, 'wombat').toSorted()).toEqual([2, 3, 4, 5, 6])
  })

  it('count for entries, not for notes that happen to follow each other', () => {
    const note = (text: string): Document => said(text, { kind: 'note' })
    const corpus = corpusOf([note('about lemurs'), note('the wombat sleeps'), note('about otters'), ...others(20)])

    expect(find(corpus, 'wombat')).toEqual([1])
  })

  it('rank a text among others that fit above the same text alone', () => {
    const corpus = corpusOf([
      said('the gateway timed out'),
      ...others(10),
      said('the gateway has a new certificate', { session: 1 }),
      answered('the port was wrong', { session: 1 }),
      said('the gateway timed out', { session: 1 }),
      ...others(30, 5000),
    ])

    expect(find(corpus, 'gateway certificate port timed')[0]).toBeGreaterThan(10)
    expect(scoreOf(corpus, 'gateway certificate port timed', 13)).toBeGreaterThan(
      scoreOf(corpus, 'gateway certificate port timed', 0),
    )
  })

  it('are the whole session: what fits far away in it lifts an entry too', () => {
    const far = Array.from({ length: 12 }, (_, i) => said(`padding${i} between`, { session: 1 }))
    const corpus = corpusOf([
      said('wombat enclosure'),
      said('the enclosure with a wombat', { session: 1 }),
      ...far,
      said('wombat enclosure', { session: 1 }),
      ...others(40),
    ])

    expect(find(corpus, 'wombat enclosure')[0]).toBe(14)
  })
})

describe('a date', () => {
  const same = (at: string): Document => said('we changed the gateway there', { at })

  it.each([
    [
      'what about the gateway on 2026-01-13?',
      ['2026-01-20T12:00:00Z', '2026-01-13T09:00:00Z', '2026-03-13T09:00:00Z'],
      1,
    ],
    ['what about the gateway in March?', ['2026-01-13T09:00:00Z', '2026-04-30T09:00:00Z', '2025-03-13T09:00:00Z'], 2],
    ['gateway, 2025년', ['2025-06-13T09:00:00Z', '2026-01-20T12:00:00Z', '2026-03-13T09:00:00Z'], 0],
  ])('in %j decides between equals', (question, times, expected) => {
    expect(order(question, times.map(same))[0]).toBe(expected)
  })

  it('is none where the name of the month is a common word of the store', () => {
    const marching = Array.from({ length: 10 }, (_, i) => said(`they march on ${i}`, { at: '2026-03-02T12:00:00Z' }))
    const corpus = corpusOf(
      apart([
        ...marching,
        said('a gateway', { at: '2026-03-02T12:00:00Z' }),
        said('gateway', { at: '2026-06-02T12:00:00Z' }),
      ]),
    )
    const score = (question: string): number => scoreOf(corpus, question, 10) / scoreOf(corpus, question, 11)

    expect(score('gateway in march')).toBeCloseTo(score('gateway'), 5)
  })

  it('is none where "may" is no month', () => {
    const documents = [
      said('the gateway fails', { at: '2025-05-02T12:00:00Z' }),
      said('the gateway fails', { at: '2026-01-02T12:00:00Z' }),
    ]

    expect(order('why this gateway may fail', documents)[0]).toBe(1)
  })

  it('says nothing about a text whose time is unknown', () => {
    const documents = [said('the gateway fails', { at: '' }), said('the gateway fails', { at: '2026-06-02T12:00:00Z' })]

    expect(order('gateway in January', documents)[0]).toBe(1)
  })
})

describe('what people say', () => {
  it.each<[string, string, string, string]>([
    ['telling of oneself', 'the gateway', 'They moved the gateway then.', 'I moved the gateway then.'],
    ['the one who is asked about', 'Petra Lisbon', 'Boris: Petra likes Lisbon.', 'Petra: Boris likes Lisbon.'],
    [
      'a time, when that is asked',
      'when did the gateway break',
      'The gateway broke badly.',
      'The gateway broke yesterday.',
    ],
    [
      'a reason, when that is asked',
      'why did the gateway break',
      'The gateway broke badly then.',
      'The gateway broke due to rust.',
    ],
    ['a statement rather than a question', 'gateway broke', 'The gateway broke again?', 'The gateway broke again.'],
  ])('counts for more: %s', (_, question, less, more) => {
    expect(order(question, [said(more), said(less)])[0]).toBe(0)
    expect(order(question, [said(less), said(more)])[0]).toBe(1)
  })

  it.each([
    ['why is the cache in redis', true],
    ['what did we decide about the cache in redis', true],
    ['왜 redis cache', true],
    ['the cache in redis', false],
  ])('counts less than a decision for the question %j: %s', (question, isDecision) => {
    const text = 'the cache is in redis'
    const found = order(question, [
      said(text, { kind: 'decision' }),
      said(text, { kind: 'issue', at: '2026-03-01T12:00:00Z' }),
    ])

    expect(found[0]).toBe(isDecision ? 0 : 1)
  })

  it('stands above what Claude retells of it', () => {
    const text = 'the gateway broke again'

    expect(
      order('gateway broke', [said(text), said(text, { kind: 'compaction' }), said(text, { kind: 'subagent' })])[0],
    ).toBe(0)
  })
})

describe('a long answer', () => {
  const long = `gateway certificate ${Array.from({ length: 30 }, (_, i) => `word${i}`).join(' ')}`
  const share = (between: Document): number => {
    const corpus = corpusOf([said('gateway certificate'), between, answered(long), ...others(40)])
    return scoreOf(corpus, 'gateway certificate', 2) / scoreOf(corpus, 'gateway certificate', 0)
  }

  it('is put back in a talk, and not in work with tools', () => {
    const other = said('openssl', { kind: 'subagent' })

    expect(share(other) / share(used('openssl'))).toBeCloseTo(0.6, 1)
  })

  it('is not put back where both write as much', () => {
    const score = (prompt: string, between: Document): number => {
      const corpus = corpusOf([said(prompt), between, answered(long), ...others(40)])
      return scoreOf(corpus, 'gateway certificate', 2)
    }

    expect(score(long, said('openssl', { kind: 'subagent' }))).toBeCloseTo(score(long, used('openssl')), 5)
  })

  it('has a score among entries that say nothing', () => {
    const corpus = corpusOf([said('ok'), said('deploy pipeline', { kind: 'compaction' }), answered('Yes.')])

    expect(rows(corpus, 'deploy').map(({ score }) => Number.isFinite(score))).toEqual([true, true, true])
    expect(find(corpus, 'deploy')[0]).toBe(1)
  })
})

describe('recency', () => {
  const [older, newer] = ['2025-01-01T12:00:00Z', '2026-01-01T12:00:00Z']

  it('decides between equals', () => {
    expect(order('wombat', [said('wombat', { at: newer }), said('wombat', { at: older })])).toEqual([0, 1])
    expect(order('wombat', [said('wombat', { at: older }), said('wombat', { at: newer })])).toEqual([1, 0])
  })

  it('decides nothing else', () => {
    expect(order('wombat sleeps', [said('wombat sleeps', { at: older }), said('wombat', { at: newer })])).toEqual([
      0, 1,
    ])
  })
})

describe('nothing', () => {
  it.each(['', 'what is it?', 'unheard', '!!!'])('is found by %j', (question) => {
    expect(order(question, [said('wombat')])).toEqual([])
  })

  it('is found in an empty store', () => {
    expect(find(corpusOf([]), 'wombat')).toEqual([])
    expect(find(corpusOf([said('wombat')], [0]), 'wombat')).toEqual([])
  })
})
