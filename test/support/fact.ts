/** Facts as tests need them. */
import fc from 'fast-check'
import { type Fact, type FactState, type Facts, type FactType, NO_FACTS } from '../../src/knowledge/fact.ts'
import type { Judged } from '../../src/knowledge/permanent.ts'

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
