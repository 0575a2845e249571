/** Permanent memory follows the facts it grew from, and a person's later word. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { allFacts, type Facts } from '../../src/knowledge/fact.ts'
import { rejectFact, reviveFact, supersedeFact } from '../../src/knowledge/fact-change.ts'
import { addOwnFact } from '../../src/knowledge/fact-own.ts'
import type { Judged } from '../../src/knowledge/judged.ts'
import { allPermanent, NO_PERMANENT, type PermanentItem } from '../../src/knowledge/permanent.ts'
import { endOrphans, type Followed, followFacts } from '../../src/outgoing/permanent-follow.ts'
import type { Standing } from '../../src/outgoing/standing-list.ts'
import { fact, factsWith, judgedBy, someFacts } from '../support/fact.ts'

const AT = '2026-02-01T00:00:00.000Z'
const USER: Judged = { by: 'user', at: AT, why: null, other: null }
const AGENT: Judged = { ...USER, by: 'agent' }

function rule(more: Partial<PermanentItem> = {}): PermanentItem {
  return {
    id: 'r001',
    text: 'Prices are kept in cents.',
    at: AT,
    status: 'active',
    by: 'code',
    facts: ['d001'],
    evidence: [],
    concept: null,
    usedAt: AT,
    judged: judgedBy('code'),
    ...more,
  }
}

const two = fact({ id: 'd002', text: 'The import runs in batches.' })

function withRules(facts: Facts, ...rules: PermanentItem[]): Facts {
  return { ...facts, permanent: { ...NO_PERMANENT, rules } }
}

function rejected(before: Facts, judged = USER, standing: readonly Standing[] = []): Followed {
  const done = rejectFact(before, 'd001', judged)
  if (done.is !== 'changed') throw new Error(done.problem)
  return followFacts(before, done.facts, standing, judged)
}

const said: Standing = {
  id: 't001',
  kind: 'always',
  text: 'Always keep prices in cents.',
  at: AT,
  session: '1a2b3c4d',
  entry: 4,
  times: 1,
  status: 'candidate',
}

const idsOf = (some: Followed['ended']): string[] => some.map(({ item }) => item.id)

describe('a fact that is rejected', () => {
  it('ends what grew from it alone', () => {
    const { facts, ended, left } = rejected(withRules(factsWith(fact(), two), rule()))

    expect([idsOf(ended), idsOf(left)]).toEqual([['r001'], []])
    expect(facts.permanent.rules).toMatchObject([
      { status: 'superseded', judged: { by: 'user', at: AT, other: 'd001', why: 'what it grew from is over: d001' } },
    ])
  })

  it('names what grew from something else, too', () => {
    const before = withRules(factsWith(fact(), two), rule({ facts: ['d001', 't001'] }))

    expect(idsOf(rejected(before, USER, [said]).left)).toEqual(['r001'])
    expect(idsOf(rejected(before, USER, [{ ...said, status: 'declined' }]).ended)).toEqual(['r001'])
    // Of what is not there any more nobody knows whether it holds.
    expect(idsOf(rejected(before).left)).toEqual(['r001'])
  })

  it('by Claude’s hand ends what waits, never what holds', () => {
    const before = withRules(factsWith(fact(), two), rule(), rule({ id: 'r002', status: 'proposed' }))
    const { facts, ended, left } = rejected(before, AGENT)

    expect([idsOf(ended), idsOf(left)]).toEqual([['r002'], ['r001']])
    expect(facts.permanent.rules.map(({ status }) => status)).toEqual(['active', 'superseded'])
  })

  it('touches neither what is over nor what grew from others', () => {
    const before = withRules(
      factsWith(fact(), two),
      rule({ status: 'declined' }),
      rule({ id: 'r002', facts: ['d002'] }),
    )
    const { facts, ended, left, back } = rejected(before)

    expect([ended, left, back]).toEqual([[], [], []])
    expect(facts.permanent).toEqual(before.permanent)
  })

  it('is named again when it comes back', () => {
    const { facts } = rejected(withRules(factsWith(fact(), two), rule()))
    const done = reviveFact(facts, 'd001', USER)

    expect(done.is === 'changed' && idsOf(followFacts(facts, done.facts, [], USER).back)).toEqual(['r001'])
  })
})

describe('a fact that is superseded', () => {
  const superseded = (by: string): Followed => {
    const before = withRules(factsWith(fact(), fact({ id: 'd002', text: by })), rule())
    const done = supersedeFact(before, 'd001', { ...USER, other: 'd002' })
    if (done.is !== 'changed') throw new Error(done.problem)
    return followFacts(before, done.facts, [], USER)
  }

  it('ends what grew from it, unless what takes its place says the same', () => {
    expect(idsOf(superseded('The import runs in batches.').ended)).toEqual(['r001'])
    const same = superseded('Prices are kept in cents!')
    expect([same.ended, same.left]).toEqual([[], []])
  })
})

describe('a new decision', () => {
  const before = withRules(factsWith(two), rule({ text: 'Use Redis for the session cache.', facts: ['d099'] }))
  const add = (by: 'user' | 'agent', text = 'Do not use Redis for the session cache.'): Followed => {
    const own = {
      type: 'decision' as const,
      text,
      reason: null,
      files: [],
      concept: null,
      status: null,
      resolution: null,
    }
    return followFacts(before, addOwnFact(before, own, AT, by).facts, [], { by, at: AT })
  }

  it('of a person ends what says otherwise', () => {
    expect(add('user')).toMatchObject({ ended: [{ item: { id: 'r001' }, by: 'd003', is: 'opposed' }], left: [] })
    expect(add('user').facts.permanent.rules[0]).toMatchObject({ status: 'superseded', judged: { other: 'd003' } })
  })

  it('of Claude only names it', () => {
    expect(add('agent')).toMatchObject({ ended: [], left: [{ item: { id: 'r001' } }] })
    expect(add('agent').facts.permanent).toEqual(before.permanent)
  })

  it('about something else touches nothing', () => {
    expect(add('user', 'Invoices are numbered by year.')).toMatchObject({ ended: [], left: [], back: [] })
  })
})

describe('by code', () => {
  const gone = factsWith(fact({ state: 'superseded', judged: judgedBy('code', { other: 'd002' }) }), two)

  it('what nobody said yes to ends with all it grew from', () => {
    const facts = endOrphans(withRules(gone, rule(), rule({ id: 'r002', facts: ['d001', 'd002'] })), [], AT)

    expect(facts.permanent.rules.map(({ status }) => status)).toEqual(['superseded', 'active'])
    expect(facts.permanent.rules[0]).toMatchObject({ judged: { by: 'code', other: 'd001' } })
  })

  it('what a person said yes to stays', () => {
    const before = withRules(
      gone,
      rule({ judged: USER }),
      rule({ id: 'r002', by: 'user' }),
      rule({ id: 'r003', facts: [] }),
    )

    expect(endOrphans(before, [], AT)).toBe(before)
  })
})

it('takes nothing out, and ends nothing that a fact which holds says', () => {
  fc.assert(
    fc.property(someFacts, fc.nat(9), fc.constantFrom(USER, AGENT), (some, n, judged) => {
      const all = allFacts(some)
      const chosen = all[n % Math.max(1, all.length)]
      if (chosen === undefined) return
      const rules = all.map((one, i) =>
        rule({ id: `r00${i + 1}`, text: `Rule number ${i}.`, facts: [one.id, chosen.id] }),
      )
      const before = withRules(some, ...rules)
      const done = rejectFact(before, chosen.id, judged)
      if (done.is !== 'changed') return
      const { facts } = followFacts(before, done.facts, [], judged)

      expect(allPermanent(facts.permanent).map(({ id }) => id)).toEqual(rules.map(({ id }) => id))
      const holds = new Set(allFacts(facts).flatMap(({ id, state }) => (/fresh|stale/.test(state) ? [id] : [])))
      for (const item of facts.permanent.rules.filter(({ status }) => status === 'superseded'))
        expect(item.facts.some((id) => holds.has(id))).toBe(false)
    }),
  )
})
