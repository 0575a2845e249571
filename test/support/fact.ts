/** Facts as tests need them. */

import fc from 'fast-check'
import {
  type Fact,
  type FactKind,
  type FactState,
  type Judged,
  type NewFact,
  PERMANENT_KINDS,
  type PermanentItem,
  type PermanentKind,
} from '../../src/core/knowledge/item.ts'
import { byKind, type Items, NO_ITEMS } from '../../src/core/knowledge/items.ts'

export const SAID = '2026-01-13T09:00:00.000Z'

export function fact(more: Partial<Fact> = {}): Fact {
  const type = more.kind ?? 'decision'
  return {
    id: `${type[0]}001`,
    kind: type,
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
    by: 'agent',
    ...more,
  }
}

export function factsWith(...all: Fact[]): Items {
  const counter = Math.max(0, ...all.map(({ id }) => Number(id.slice(1))))
  return { ...NO_ITEMS, _meta: { ...NO_ITEMS._meta, counter }, list: all }
}

export function judgedBy(by: Judged['by'], more: Partial<Judged> = {}): Judged {
  return { by, at: '2026-02-01T00:00:00.000Z', why: null, other: null, ...more }
}

/** A proposed item of permanent memory. */
export function permanent(id: string, text: string, at: string, more: Partial<PermanentItem> = {}): PermanentItem {
  const item = { id, kind: 'rules', text, at, state: 'proposed', by: 'code', concept: null, usedAt: at } as const
  return { ...item, facts: [], evidence: [], ...more }
}

const WORDS =
  'cents postgres queue retry cache login theme parser export import deploy tuesday batch index timeout'.split(' ')

export const someText = fc
  .array(fc.constantFrom(...WORDS), { minLength: 3, maxLength: 8 })
  .map((words) => `${words.join(' ')}.`)

/** Any facts with ids of their own, in any state. */
export const someFacts: fc.Arbitrary<Items> = fc
  .array(
    fc.record({
      kind: fc.constantFrom<FactKind>('decision', 'pattern', 'issue'),
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
          id: `${one.kind[0]}${String(i + 1).padStart(3, '0')}`,
          status: one.kind === 'issue' ? 'open' : null,
          ...(one.state === 'fresh' ? {} : { judged: judgedBy(one.state === 'stale' ? 'git' : 'user') }),
        }),
      ),
    ),
  )

/** A fact as it is added, said at that second of the year. */
export function newFact(type: NewFact['kind'], text: string, entry: number, more: Partial<NewFact> = {}): NewFact {
  return {
    kind: type,
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
    by: 'extractive',
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
    return newFact(kind === 'open' ? 'issue' : (kind as NewFact['kind']), text, entry, { session, at })
  })

/** Items in lists by their kind, as the file has them. */
export interface Lists extends Pick<Items, '_meta'> {
  decisions: readonly Fact[]
  patterns: readonly Fact[]
  issues: readonly Fact[]
  permanent: Readonly<Record<PermanentKind, readonly PermanentItem[]>> & { kept?: unknown }
}

export function listed(items: Items): Lists
export function listed(items: Items | null | undefined): Lists | undefined
export function listed(items: Items | null | undefined): Lists | undefined {
  if (items === null || items === undefined) return undefined
  const { rules, solutions, core_logic, ...facts } = byKind(items)
  const { kept } = items.rest.permanent
  const permanent = { rules, solutions, core_logic, ...(kept === undefined ? {} : { kept }) }
  return { _meta: items._meta, ...facts, permanent }
}

type GivenLists = Partial<Omit<Lists, 'permanent'>> & {
  permanent?: Partial<Record<PermanentKind, readonly (Omit<PermanentItem, 'kind'> & { kind?: PermanentKind })[]>>
}

/** The kind of a permanent item follows from its list. */
export function itemsOf({ _meta = NO_ITEMS._meta, permanent = {}, ...facts }: GivenLists): Items {
  const lasting = (Object.keys(PERMANENT_KINDS) as PermanentKind[]).flatMap((kind) =>
    (permanent[kind] ?? []).map((item): PermanentItem => ({ ...item, kind })),
  )
  return {
    ...NO_ITEMS,
    _meta,
    list: [...(facts.decisions ?? []), ...(facts.patterns ?? []), ...(facts.issues ?? []), ...lasting],
  }
}
