/** Changes to facts and facts given by hand: each says what it did or why not, none takes a fact away, nothing is doubled. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decisionLines, issueLines, patternLines } from '../../../src/core/briefing/briefing-facts.ts'
import { MANY_FACTS_CHARS, newestFacts } from '../../../src/core/briefing/newest-facts.ts'
import { addFacts } from '../../../src/core/knowledge/fact-add.ts'
import {
  addOwnFact,
  type Changed,
  editFact,
  type OwnFact,
  pinFact,
  rejectFact,
  reopenIssue,
  resolveIssue,
  reviveFact,
  supersedeFact,
  unpinFact,
} from '../../../src/core/knowledge/fact-change.ts'
import { formatItems, parseItems } from '../../../src/core/knowledge/facts-file.ts'
import { type Fact, isPinned, pastOf } from '../../../src/core/knowledge/item.ts'
import { allFacts, type Items, NO_ITEMS } from '../../../src/core/knowledge/items.ts'
import { parseLegacyFacts, unproven } from '../../../src/extras/migrate/legacy-facts.ts'
import { fact, factsWith, judgedBy, listed, SAID, someFacts, someText } from '../../support/fact.ts'

const USER = judgedBy('user')

function done(change: Changed): { facts: Items; fact: Fact } {
  if (change.is === 'refused') throw new Error(change.problem)
  return change
}

const codeOf = (change: Changed): string => (change.is === 'refused' ? change.code : 'changed')

describe('an issue', () => {
  const issues = factsWith(fact({ kind: 'issue', text: 'The import is slow.' }))

  it('is resolved with how, and remembers when', () => {
    const { fact: after } = done(resolveIssue(issues, 'i001', 'It reads in batches.', USER))

    expect(after).toMatchObject({
      status: 'resolved',
      resolution: 'It reads in batches.',
      closedBy: { session: '', entry: -1, at: USER.at },
      state: 'fresh',
    })
  })

  it('remembers where it was resolved when a session did it', () => {
    const place = { session: 'aaaabbbb', entry: 7 }

    expect(done(resolveIssue(issues, 'i001', null, USER, place)).fact.closedBy).toEqual({ ...place, at: USER.at })
  })

  it('that is resolved takes another resolution, and refuses none at all', () => {
    const resolved = done(resolveIssue(issues, 'i001', 'A bigger buffer.', USER)).facts

    expect(codeOf(resolveIssue(resolved, 'i001', null, USER))).toBe('already')
    expect(codeOf(resolveIssue(resolved, 'i001', 'A bigger buffer.', USER))).toBe('already')
    expect(done(resolveIssue(resolved, 'i001', 'Batches.', USER)).fact.resolution).toBe('Batches.')
  })

  it('is opened again, and its history keeps how it was resolved', () => {
    const resolved = done(resolveIssue(issues, 'i001', 'A bigger buffer.', USER)).facts
    const { fact: after } = done(reopenIssue(resolved, 'i001', USER))

    expect(after).toMatchObject({ status: 'open', resolution: null })
    expect(after.closedBy).toBeUndefined()
    expect(pastOf(after).map(({ what }) => what)).toEqual([
      'resolved: A bigger buffer.',
      'opened again; it was resolved: A bigger buffer.',
    ])
  })

  it('is the only kind that is open or resolved', () => {
    const decision = factsWith(fact())

    expect(codeOf(resolveIssue(decision, 'd001', 'x', USER))).toBe('not-an-issue')
    expect(codeOf(reopenIssue(decision, 'd001', USER))).toBe('not-an-issue')
    expect(codeOf(reopenIssue(issues, 'i001', USER))).toBe('already')
  })
})

describe('an edit in an agent’s words', () => {
  it('is not what the user said any more', () => {
    const edit = (by: 'agent' | 'user', change: { text?: string; reason?: string }) =>
      done(editFact(factsWith(fact()), 'd001', change, judgedBy(by))).fact.evidence.by

    expect(edit('agent', { text: 'Prices are floats.' })).toBe('assistant')
    expect(edit('agent', { reason: 'rounding' })).toBe('user')
    expect(edit('user', { text: 'Prices are floats.' })).toBe('user')
  })
})

describe('a rejected fact', () => {
  const rejected = done(rejectFact(factsWith(fact()), 'D001 ', { ...USER, why: 'only an idea' })).facts

  it('says who rejected it, when and why', () => {
    expect(listed(rejected).decisions[0]).toMatchObject({
      state: 'rejected',
      judged: { by: 'user', at: USER.at, why: 'only an idea' },
    })
  })

  it('by an agent holds again when the user says it later, and only then', () => {
    const byAgent = done(rejectFact(factsWith(fact()), 'd001', judgedBy('agent'))).facts
    const { id: _, ...again } = fact({ session: 'ffffffff', at: '2026-03-01T00:00:00.000Z', by: 'extractive' })
    const states = (...said: Parameters<typeof addFacts>[1]): string[] =>
      listed(addFacts(byAgent, said)).decisions.map(({ state }) => state)

    expect(states(again)).toEqual(['fresh'])
    expect(states({ ...again, evidence: { ...again.evidence, by: 'assistant' } })).toEqual(['rejected'])
    expect(states({ ...again, at: '2025-03-01T00:00:00.000Z' })).toEqual(['rejected'])
  })

  it('takes no other change before it is restored', () => {
    expect(codeOf(rejectFact(rejected, 'd001', USER))).toBe('already')
    expect(codeOf(editFact(rejected, 'd001', { text: 'Prices are kept in euros.' }, USER))).toBe('not-live')
    expect(codeOf(supersedeFact(rejected, 'd001', USER))).toBe('not-live')
  })

  it('is restored as it was, said anew at that time', () => {
    const { fact: after } = done(reviveFact(rejected, 'd001', USER))

    expect(after).toMatchObject({ state: 'fresh', at: SAID, lastAt: USER.at })
    expect(after.judged).toBeUndefined()
    expect(codeOf(reviveFact(factsWith(after), 'd001', USER))).toBe('already')
  })

  it('by the user is restored by the user only', () => {
    expect(codeOf(reviveFact(rejected, 'd001', judgedBy('agent')))).toBe('not-yours')
    const byAgent = done(rejectFact(factsWith(fact()), 'd001', judgedBy('agent'))).facts
    expect(codeOf(reviveFact(byAgent, 'd001', judgedBy('agent')))).toBe('changed')
  })

  it('is not restored beside another one that says the same', () => {
    const both = factsWith(...listed(rejected).decisions, fact({ id: 'd002' }))

    expect(codeOf(reviveFact(both, 'd001', USER))).toBe('same')
  })
})

describe('superseding', () => {
  const two = factsWith(fact(), fact({ id: 'd002', text: 'Amounts are decimals from now on.' }))

  it('needs another fact that holds itself: no circles', () => {
    const once = done(supersedeFact(two, 'd001', { ...USER, other: 'd002' })).facts

    expect(codeOf(supersedeFact(two, 'd001', { ...USER, other: 'd001' }))).toBe('not-other')
    expect(codeOf(supersedeFact(two, 'd001', { ...USER, other: 'd009' }))).toBe('not-found')
    expect(codeOf(supersedeFact(once, 'd002', { ...USER, other: 'd001' }))).toBe('not-other')
    expect(codeOf(supersedeFact(once, 'd001', { ...USER, other: 'd002' }))).toBe('already')
  })
})

describe('editing', () => {
  it('makes it the person’s own and keeps the words it was taken from', () => {
    const { fact: after } = done(
      editFact(factsWith(fact()), 'd001', { text: 'Prices are integers.', reason: 'rounding' }, USER),
    )

    expect(after).toMatchObject({ text: 'Prices are integers.', reason: 'rounding', by: 'user' })
    expect(after.evidence).toEqual({ entry: 4, quote: 'keep prices in cents', by: 'user' })
    expect(pastOf(after).at(-1)?.what).toBe('text was "Prices are kept in cents."; reason was none')
  })

  it('keeps the first words as evidence where there was none', () => {
    const bare = factsWith(fact({ evidence: { entry: -1, quote: '' } }))

    expect(done(editFact(bare, 'd001', { text: 'Prices are integers.' }, USER)).fact.evidence.quote).toBe(
      'Prices are kept in cents.',
    )
  })

  it('refuses what changes nothing and what another one says', () => {
    const two = factsWith(fact(), fact({ id: 'd002', text: 'Deploys happen on Tuesdays.' }))

    expect(codeOf(editFact(two, 'd001', { text: 'Prices are kept in cents.' }, USER))).toBe('already')
    expect(codeOf(editFact(two, 'd001', { text: 'Deploys happen on Tuesdays.' }, USER))).toBe('same')
    expect(codeOf(editFact(two, 'd003', { text: 'x' }, USER))).toBe('not-found')
  })
})

const someChange = fc.record({
  what: fc.constantFrom('resolve', 'reopen', 'reject', 'supersede', 'revive', 'edit'),
  which: fc.nat(9),
  other: fc.nat(9),
  text: someText,
})

function apply(
  facts: Items,
  { what, which, other, text }: { what: string; which: number; other: number; text: string },
): Items {
  const idAt = (n: number): string => allFacts(facts)[n]?.id ?? 'd999'
  const changes: Record<string, () => Changed> = {
    resolve: () => resolveIssue(facts, idAt(which), text, USER),
    reopen: () => reopenIssue(facts, idAt(which), USER),
    reject: () => rejectFact(facts, idAt(which), USER),
    supersede: () => supersedeFact(facts, idAt(which), { ...USER, other: idAt(other) }),
    revive: () => reviveFact(facts, idAt(which), USER),
    edit: () => editFact(facts, idAt(which), { text }, USER),
  }
  const changed = changes[what]?.()
  return changed?.is === 'changed' ? changed.facts : facts
}

it('changes lose no fact and no id, and facts are the same after they were written and read', () => {
  fc.assert(
    fc.property(someFacts, fc.array(someChange, { maxLength: 12 }), (facts, changes) => {
      const after = changes.reduce(apply, facts)

      expect(allFacts(after).map(({ id }) => id)).toEqual(allFacts(facts).map(({ id }) => id))
      expect(allFacts(after).map(({ evidence }) => evidence)).toEqual(allFacts(facts).map(({ evidence }) => evidence))
      expect(listed(parseItems(formatItems(after)))).toEqual(listed(after))
      for (const one of allFacts(after)) expect(one.judged === undefined).toBe(one.state === 'fresh')
    }),
  )
})

it('replaced facts never form a circle', () => {
  fc.assert(
    fc.property(someFacts, fc.array(someChange, { maxLength: 20 }), (facts, changes) => {
      const after = changes.reduce(apply, facts)
      const next = new Map(
        allFacts(after).map(({ id, state, judged }) => [id, state === 'superseded' ? judged?.other : null]),
      )
      for (const [start] of next) {
        let steps = 0
        for (let id: string | null | undefined = start; id; id = next.get(id)) {
          expect(++steps).toBeLessThanOrEqual(next.size)
        }
      }
    }),
  )
})

const AT = '2026-02-01T00:00:00.000Z'

function own(more: Partial<OwnFact> = {}): OwnFact {
  return {
    kind: 'decision',
    text: 'Prices are kept in cents.',
    reason: null,
    files: [],
    concept: null,
    status: null,
    resolution: null,
    ...more,
  }
}

it('a fact given by hand belongs to no session and is its own evidence', () => {
  const { is, fact: added } = addOwnFact(NO_ITEMS, own({ files: ['a.ts', 'a.ts'] }), AT)

  expect(is).toBe('added')
  expect(added).toMatchObject({
    id: 'd001',
    by: 'user',
    session: '',
    evidence: { entry: -1, quote: 'Prices are kept in cents.', by: 'user' },
    files: ['a.ts'],
    at: AT,
  })
})

it('a fact given again counts as said again, and makes the stale one fresh', () => {
  const stale = fact({ state: 'stale', judged: judgedBy('git') })
  const { is, facts, fact: after } = addOwnFact(factsWith(stale), own({ reason: 'rounding' }), AT)

  expect(is).toBe('known')
  expect(allFacts(facts)).toEqual([after])
  expect(after).toMatchObject({ id: 'd001', state: 'fresh', lastAt: AT, reason: 'rounding', session: '1a2b3c4d' })
  expect(after.judged).toBeUndefined()
})

it('a fact given again keeps the person’s words in the history of the known one', () => {
  const { fact: after } = addOwnFact(factsWith(fact()), own({ text: 'Prices are kept in cents!' }), AT)

  expect(after.text).toBe('Prices are kept in cents.')
  expect(pastOf(after).at(-1)?.what).toBe('said again: Prices are kept in cents!')
})

it('a fact given again is another one when the person says so', () => {
  const { is, facts } = addOwnFact(factsWith(fact()), own({ anyway: true }), AT)

  expect(is).toBe('added')
  expect(listed(facts).decisions.map(({ id }) => id)).toEqual(['d001', 'd002'])
})

it('a fact given again brings back the rejected one, with the new words', () => {
  const rejected = fact({ state: 'rejected', judged: judgedBy('user') })
  const { is, fact: after } = addOwnFact(factsWith(rejected), own(), AT)

  expect(is).toBe('restored')
  expect(after).toMatchObject({ id: 'd001', state: 'fresh', by: 'user', evidence: { entry: -1, by: 'user' } })
  expect(after).toMatchObject({ session: '', also: ['1a2b3c4d#4'], at: rejected.at, lastAt: AT })
  expect(after.judged).toBeUndefined()
})

describe('given by an agent', () => {
  it('is not the user’s word', () => {
    expect(addOwnFact(NO_ITEMS, own(), AT, 'agent').fact).toMatchObject({
      by: 'agent',
      evidence: { by: 'assistant' },
      unaudited: true,
    })
    expect(addOwnFact(factsWith(fact({ by: 'headless' })), own(), AT, 'agent').fact.by).toBe('headless')
  })

  it('changes nothing where the user said so already', () => {
    const facts = factsWith(fact({ state: 'stale', judged: judgedBy('git') }))
    const { is, facts: after } = addOwnFact(facts, own({ reason: 'evil', files: ['evil.ts'] }), AT, 'agent')

    expect(is).toBe('known')
    expect(after).toEqual(facts)
  })

  it('changes nothing that an audit confirmed, but what still waits for one', () => {
    const evidence = { entry: 4, quote: 'keep prices in cents', by: 'assistant' } as const
    const change = (unaudited?: true): Items => {
      const before = factsWith(fact({ by: 'headless', evidence, ...(unaudited ? { unaudited } : {}) }))
      return addOwnFact(before, own({ reason: 'evil', files: ['evil.ts'] }), AT, 'agent').facts
    }

    expect(change()).toEqual(factsWith(fact({ by: 'headless', evidence })))
    expect(listed(change(true)).decisions).toMatchObject([{ reason: 'evil', unaudited: true }])
  })

  it('brings nothing back that was rejected', () => {
    const facts = factsWith(fact({ state: 'rejected', judged: judgedBy('user') }))

    for (const given of [own(), own({ anyway: true })]) {
      expect(addOwnFact(facts, given, AT, 'agent')).toEqual({
        is: 'rejected',
        facts,
        fact: listed(facts).decisions[0],
      })
    }
  })
})

describe('an issue of the user’s own', () => {
  const open = fact({ kind: 'issue', text: 'The CSV import is slow with many rows.' })

  it('is open unless it is said to be resolved', () => {
    expect(addOwnFact(NO_ITEMS, own({ kind: 'issue' }), AT).fact.status).toBe('open')
    expect(addOwnFact(NO_ITEMS, own({ kind: 'issue', status: 'resolved', resolution: 'x' }), AT).fact).toMatchObject({
      status: 'resolved',
      resolution: 'x',
      closedBy: { session: '', entry: -1, at: AT },
    })
  })

  it('that is resolved closes the open one it is about', () => {
    const said = own({ kind: 'issue', text: open.text, status: 'resolved', resolution: 'It reads in batches.' })
    const { is, facts, fact: after } = addOwnFact(factsWith(open), said, AT)

    expect(is).toBe('resolved')
    expect(allFacts(facts)).toHaveLength(1)
    expect(after).toMatchObject({ id: 'i001', status: 'resolved', resolution: 'It reads in batches.' })
  })

  it('that comes up again is another one than the resolved', () => {
    const { is } = addOwnFact(factsWith({ ...open, status: 'resolved' }), own({ kind: 'issue', text: open.text }), AT)

    expect(is).toBe('added')
  })
})

it('addOwnFact loses no fact, gives no id twice, and adds nothing a second time', () => {
  fc.assert(
    fc.property(someFacts, fc.constantFrom('decision', 'pattern', 'issue'), someText, (facts, type, text) => {
      const once = addOwnFact(facts, own({ kind: type, text }), AT)
      const twice = addOwnFact(once.facts, own({ kind: type, text }), AT)
      const ids = allFacts(once.facts).map(({ id }) => id)

      expect(ids).toEqual(expect.arrayContaining(allFacts(facts).map(({ id }) => id)))
      expect(new Set(ids).size).toBe(ids.length)
      expect(twice.is).toBe('known')
      expect(allFacts(twice.facts).map(({ id }) => id)).toEqual(ids)
    }),
  )
})

const nothingTold = (): boolean => false
const idsOf = (lines: { text: string }[]): string[] =>
  lines.map(({ text }) => text.split(' ')[1]?.replace(':', '') ?? '')
const old = (more: Partial<Fact>): Fact => fact({ at: '2020-01-01T00:00:00.000Z', pinned: true, ...more })
const pinnedIn = (facts: Items): string[] => allFacts(facts).flatMap((one) => (isPinned(one) ? [one.id] : []))

describe('a pinned fact', () => {
  it('is told before newer ones of its kind', () => {
    const facts = factsWith(
      fact({ id: 'd002', text: 'We deploy on Tuesdays.' }),
      old({ id: 'd001' }),
      fact({ kind: 'issue', id: 'i003', text: 'The import is slow.' }),
      old({ kind: 'issue', id: 'i004', text: 'The login fails.', status: 'resolved', resolution: 'a new cookie' }),
      old({ kind: 'pattern', id: 'p005', text: 'Queries go through one file.' }),
    )

    expect(idsOf(decisionLines(facts, nothingTold))).toEqual(['d001', 'd002'])
    expect(idsOf(issueLines(facts, nothingTold))).toEqual(['i004', 'i003'])
    expect(issueLines(facts, nothingTold)[0]?.text).toContain('(resolved: a new cookie)')
    expect(idsOf(patternLines(facts, nothingTold))).toEqual(['p005'])
  })

  it('is among those that are read of a file with thousands', () => {
    const many = Array.from({ length: 1_500 }, (_, i) =>
      fact({
        id: `d${i + 10}`,
        at: new Date(Date.UTC(2025, 0, 1, i)).toISOString(),
        text: `Decision number ${i} about "pinned":true.`,
      }),
    )
    const solved = old({ kind: 'issue', id: 'i002', text: 'It leaks.', status: 'resolved' })
    const text = formatItems(factsWith(old({}), ...many, solved))
    const newest = newestFacts(text)

    expect(text.length).toBeGreaterThan(MANY_FACTS_CHARS)
    expect(newest?.tally).not.toBeNull()
    expect(newest === null ? [] : pinnedIn(newest.facts)).toEqual(['d001', 'i002'])
  })

  it('stays pinned when it is said again, and when it was rejected and is back', () => {
    const facts = factsWith(old({}))
    const {
      id: _,
      pinned: __,
      ...again
    } = fact({ session: 'ffffffff', by: 'headless', text: 'Prices are kept in cents.' })
    const said = addFacts(facts, [again])
    const rejected = rejectFact(said, 'd001', judgedBy('user'))
    const back = rejected.is === 'changed' ? reviveFact(rejected.facts, 'd001', judgedBy('user')) : rejected

    expect(listed(said).decisions).toMatchObject([{ pinned: true, also: ['ffffffff#4'] }])
    expect(rejected.is === 'changed' ? pinnedIn(rejected.facts) : ['?']).toEqual([])
    expect(back.is === 'changed' ? pinnedIn(back.facts) : ['?']).toEqual(['d001'])
  })

  it('of a stranger is not pinned here', () => {
    const theirs = parseLegacyFacts(formatItems(factsWith(old({}))), { id8Of: (id) => id, at: '' }) ?? NO_ITEMS

    expect(listed(theirs).decisions[0]?.pinned).toBe(true)
    expect(listed(unproven(theirs)).decisions[0]).not.toHaveProperty('pinned')
  })
})

it.each([['rejected' as const], ['superseded' as const]])('pinFact refuses a fact that is %s', (state) => {
  expect(pinFact(factsWith(fact({ state })), 'D001')).toMatchObject({ is: 'refused', code: 'not-live' })
})

it('pinFact and unpinFact refuse an unknown fact, and one that is so already', () => {
  expect(pinFact(factsWith(), 'd001')).toMatchObject({ code: 'not-found' })
  expect(unpinFact(factsWith(), 'd001')).toMatchObject({ code: 'not-found' })
  expect(pinFact(factsWith(old({})), 'd001')).toMatchObject({ code: 'already' })
  expect(unpinFact(factsWith(fact()), 'd001')).toMatchObject({ code: 'already' })
})

it('pinFact and unpinFact change one pin and nothing else, through the file', () => {
  fc.assert(
    fc.property(someFacts, fc.nat(9), (facts, n) => {
      const one = allFacts(facts)[n]
      const done = one === undefined ? null : pinFact(facts, one.id)
      if (one === undefined || done?.is !== 'changed') return
      const read = parseItems(formatItems(done.facts)) as Items

      expect(pinnedIn(read)).toEqual([one.id])
      const undone = unpinFact(read, one.id)
      expect(undone.is === 'changed' && listed(undone.facts)).toMatchObject(listed(facts))
    }),
  )
})

it('parseFacts reads nothing but true as a pin', () => {
  const text = JSON.stringify({
    decisions: [
      { id: 'd001', text: 'a', pinned: 'yes' },
      { id: 'd002', text: 'b', pinned: 1 },
    ],
  })

  expect(pinnedIn(parseItems(text) as Items)).toEqual([])
})
