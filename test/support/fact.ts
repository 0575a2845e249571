/** Facts as tests need them. */
import fc from 'fast-check'
import {
  type Fact,
  type FactState,
  type Facts,
  type FactType,
  type NewFact,
  NO_FACTS,
} from '../../src/core/knowledge/fact.ts'
import type { Judged, PermanentItem } from '../../src/core/knowledge/permanent.ts'

export const SAID = '2026-01-13T09:00:00.000Z'

export function fact(more: Partial<Fact> = {}): Fact {
  const type = more.type ?? 'decision'
  return {
    id: `${type[0]}001`,
    type,
    text: 'Prices are kept in cents.',
    reason: null,
    status: type === 'issue' ? 'open' : null,
    resolution: null,
    at: SAID,
    session: '1a2b3c4d',
    evidence: { entry: 4, quote: 'keep prices in cents', by: 'user' },
    files: [],
    concept: null,
    state: 'fresh',
    author: 'agent',
    ...more,
  }
}

export function factsWith(...all: Fact[]): Facts {
  const of = (type: FactType): Fact[] => all.filter((one) => one.type === type)
  const counter = Math.max(0, ...all.map(({ id }) => Number(id.slice(1))))
  const _meta = { ...NO_FACTS._meta, counter }
  return { ...NO_FACTS, _meta, decisions: of('decision'), patterns: of('pattern'), issues: of('issue') }
}

export function judgedBy(by: Judged['by'], more: Partial<Judged> = {}): Judged {
  return { by, at: '2026-02-01T00:00:00.000Z', why: null, other: null, ...more }
}

/** A proposed item of permanent memory. */
export function permanent(id: string, text: string, at: string, more: Partial<PermanentItem> = {}): PermanentItem {
  const item = { id, text, at, status: 'proposed', by: 'code', concept: null, usedAt: at } as const
  return { ...item, facts: [], evidence: [], ...more }
}

const WORDS =
  'cents postgres queue retry cache login theme parser export import deploy tuesday batch index timeout'.split(' ')

export const someText = fc
  .array(fc.constantFrom(...WORDS), { minLength: 3, maxLength: 8 })
  .map((words) => `${words.join(' ')}.`)

/** Any facts with ids of their own, in any state. */
export const someFacts: fc.Arbitrary<Facts> = fc
  .array(
    fc.record({
      type: fc.constantFrom<FactType>('decision', 'pattern', 'issue'),
      text: someText,
      state: fc.constantFrom<FactState>('fresh', 'stale', 'superseded', 'rejected'),
      files: fc.array(fc.constantFrom('src/a.ts', 'b.ts', './src/c.ts', '/repo/src/d.ts'), { maxLength: 2 }),
    }),
    { maxLength: 8 },
  )
  .map((all) =>
    factsWith(
      ...all.map((one, i) =>
        fact({
          ...one,
          id: `${one.type[0]}${String(i + 1).padStart(3, '0')}`,
          status: one.type === 'issue' ? 'open' : null,
          ...(one.state === 'fresh' ? {} : { judged: judgedBy(one.state === 'stale' ? 'git' : 'user') }),
        }),
      ),
    ),
  )

/** A fact as it is added, said at that second of the year. */
export function newFact(type: NewFact['type'], text: string, entry: number, more: Partial<NewFact> = {}): NewFact {
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

const solvedFact = (text: string, entry: number, more: Partial<NewFact> = {}): NewFact =>
  newFact('issue', text, entry, { status: 'resolved', resolution: text, ...more })

/** Few subjects and few words, so that facts meet, join and close each other often. */
export const someNewFact: fc.Arbitrary<NewFact> = fc
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
    if (kind === 'resolved') return solvedFact(text, entry, { session, at })
    return newFact(kind === 'open' ? 'issue' : (kind as NewFact['type']), text, entry, { session, at })
  })
