/** Changes to facts: each says what it did or why not, and none takes a fact away. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { allFacts, type Fact, type Facts, formatFacts, parseFacts } from '../../src/knowledge/fact.ts'
import { addFacts } from '../../src/knowledge/fact-add.ts'
import {
  type Changed,
  editFact,
  rejectFact,
  reopenIssue,
  resolveIssue,
  reviveFact,
  supersedeFact,
} from '../../src/knowledge/fact-change.ts'
import { pastOf } from '../../src/knowledge/fact-list.ts'
import { fact, factsWith, judgedBy, SAID, someFacts, someText } from '../support/fact.ts'

const USER = judgedBy('user')

function done(change: Changed): { facts: Facts; fact: Fact } {
  if (change.is === 'refused') throw new Error(change.problem)
  return change
}

const codeOf = (change: Changed): string => (change.is === 'refused' ? change.code : 'changed')

describe('an issue', () => {
  const issues = factsWith(fact({ type: 'issue', text: 'The import is slow.' }))

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
    expect(rejected.decisions[0]).toMatchObject({
      state: 'rejected',
      judged: { by: 'user', at: USER.at, why: 'only an idea' },
    })
  })

  it('does not come back when it is said again', () => {
    const { id: _, ...again } = fact({ session: 'ffffffff', at: '2026-03-01T00:00:00.000Z' })

    expect(addFacts(rejected, [again]).decisions.map(({ state }) => state)).toEqual(['rejected'])
  })

  it('by an agent holds again when the user says it later, and only then', () => {
    const byAgent = done(rejectFact(factsWith(fact()), 'd001', judgedBy('agent'))).facts
    const { id: _, ...again } = fact({ session: 'ffffffff', at: '2026-03-01T00:00:00.000Z', author: 'extractive' })
    const states = (...said: Parameters<typeof addFacts>[1]): string[] =>
      addFacts(byAgent, said).decisions.map(({ state }) => state)

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
    const both = factsWith(...rejected.decisions, fact({ id: 'd002' }))

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

    expect(after).toMatchObject({ text: 'Prices are integers.', reason: 'rounding', author: 'user' })
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
  facts: Facts,
  { what, which, other, text }: { what: string; which: number; other: number; text: string },
): Facts {
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

it('loses no fact and no id, whatever is done, and is the same after it was written and read', () => {
  fc.assert(
    fc.property(someFacts, fc.array(someChange, { maxLength: 12 }), (facts, changes) => {
      const after = changes.reduce(apply, facts)

      expect(allFacts(after).map(({ id }) => id)).toEqual(allFacts(facts).map(({ id }) => id))
      expect(allFacts(after).map(({ evidence }) => evidence)).toEqual(allFacts(facts).map(({ evidence }) => evidence))
      expect(parseFacts(formatFacts(after))).toEqual(after)
      for (const one of allFacts(after)) expect(one.judged === undefined).toBe(one.state === 'fresh')
    }),
  )
})

it('never lets facts stand in each other’s place in a circle', () => {
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
