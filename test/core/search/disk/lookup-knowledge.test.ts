/** Facts, concepts, permanent memory and old summaries are found by their ids, and say whether they hold. */

import { describe, expect, it } from 'vitest'
import { addConcept, formatConcepts, NO_CONCEPTS } from '../../../../src/core/knowledge/concept.ts'
import type { PermanentItem } from '../../../../src/core/knowledge/item.ts'
import { renderTier } from '../../../../src/core/notes/tier.ts'
import { monthOf, weekOf } from '../../../../src/core/notes/tier-period.ts'
import { type LookedUp, lookUp } from '../../../../src/core/search/disk/lookup.ts'
import { fact, factsWith, itemsOf, judgedBy, listed } from '../../../support/fact.ts'
import { storeOf } from '../../../support/project.ts'
import { remember } from '../../../support/remembered.ts'

const SESSION = '1a2b3c4d'
const AT = '2026-01-13T09:00:00.000Z'

const RULE: PermanentItem = {
  id: 'r001',
  kind: 'rules',
  text: 'Money is in cents.',
  at: AT,
  state: 'superseded',
  by: 'agent',
  facts: ['d001', 't002'],
  evidence: [
    { session: SESSION, entry: 1, quote: 'cents' },
    { session: 'ffffffff', entry: 9, quote: 'cents again' },
    { session: SESSION, entry: 1, quote: 'said twice' },
  ],
  concept: null,
  usedAt: AT,
  judged: judgedBy('user', { why: 'we use decimals' }),
}

const entries = ['Hello.', 'Keep prices in cents.', 'Yes.'].map((text) => ({ role: 'user' as const, ts: '', text }))
const facts = factsWith(
  fact({
    concept: 'c001',
    evidence: { entry: 1, quote: 'prices in cents', by: 'user' },
    also: ['aaaabbbb#7', 'nonsense'],
  }),
  fact({
    id: 'd002',
    text: 'Old.',
    concept: 'c001',
    state: 'superseded',
    judged: judgedBy('agent', { other: 'd001' }),
  }),
  fact({
    kind: 'issue',
    id: 'i003',
    text: 'Solved.',
    concept: 'c001',
    status: 'resolved',
    at: '2026-01-12T00:00:00.000Z',
  }),
  fact({ id: 'd004', text: 'Wrong.', concept: 'c001', state: 'rejected', judged: judgedBy('user') }),
)

const project = remember({
  sessions: { [SESSION]: { day: '2026-01-13', entries }, abcd0000: { day: '2026-01-14', entries } },
  facts: itemsOf({ ...listed(facts), permanent: { rules: [RULE], solutions: [], core_logic: [] } }),
  files: {
    'concepts.json': formatConcepts(addConcept(NO_CONCEPTS, 'Money').concepts),
    'sessions/week-2026-03.md': tierOf(weekOf(AT), SESSION),
    'sessions/archive/2026-01.md': tierOf(monthOf(AT), 'abcd0000'),
  },
})

function tierOf(period: ReturnType<typeof weekOf>, id8: string): string {
  if (period === null) throw new Error('no period')
  const lines = [{ day: '2026-01-13', text: 'Decided: cents.', link: `L1:${id8}#1`, from: 'dialogs' as const }]
  return renderTier(period, [{ id8, at: AT, entries: 3, lines }], 500)
}

function found(id: string, context = 0): LookedUp {
  const one = lookUp(storeOf(project), id, context)
  if (one === null) throw new Error(`nothing has the id ${id}`)
  return one
}

const idsOf = (id: string, context = 0): string[] => found(id, context).parts.map((part) => part.id)

describe('a fact', () => {
  it('names its concept, who said it, and where else it was said', () => {
    const { parts } = found('d001')

    expect(parts.map(({ id }) => id)).toEqual(['d001', `L1:${SESSION}#1`])
    for (const part of ['concept: c001 Money', '"prices in cents" (the user)', 'also said in: L1:aaaabbbb#7'])
      expect(parts[0]?.text).toContain(part)
    expect(parts[0]?.text).not.toContain('nonsense')
  })

  it('that no longer holds says so first, with who and when', () => {
    const { title, parts } = found('d002')

    expect(title).toContain('superseded')
    expect(parts[0]).toMatchObject({ kind: 'decision, superseded' })
    expect(parts[0]?.text).toContain('state: superseded by d001, said by agent on 2026-02-01')
  })
})

describe('a concept', () => {
  it('comes with its facts, those that hold first', () => {
    expect(idsOf('C001')).toEqual(['c001', 'd001', 'i003', 'd002'])
    expect(found('c001').parts.map(({ kind }) => kind)).toEqual([
      'concept',
      'decision',
      'issue, resolved',
      'decision, superseded',
    ])
    expect(found('c001').parts[0]?.text).toMatch(/^Money\n/)
    expect(found('c001').parts[0]?.text).toContain('facts: 3')
  })
})

describe('permanent memory', () => {
  it('comes with its status, the verdict, and the entries that prove it, each once', () => {
    const { title, parts, source } = found('r001')

    expect(title).toBe('Permanent memory r001, rule, superseded')
    expect(parts.map(({ id }) => id)).toEqual(['r001', `L1:${SESSION}#1`])
    expect(parts[0]?.kind).toBe('rule, superseded')
    for (const part of ['status: superseded, said by user on 2026-02-01: we use decimals', 'derived from: d001, t002'])
      expect(parts[0]?.text).toContain(part)
    expect(source).toContain('L1:ffffffff#9')
  })
})

describe('the summary of an old session', () => {
  it.each([
    [SESSION, `week-2026-03.md#${SESSION}`],
    ['abcd0000', '2026-01.md#abcd0000'],
  ])('%s is what its week or month tells of it', (id8, block) => {
    const { parts, title } = found(`S:${id8}`)

    expect(title).toContain('week or month')
    expect(parts).toMatchObject([{ id: block, text: expect.stringContaining('cents') }])
  })
})

it.each(['c002', 'r009', 'd009', 'c', 'r1x'])('lookUp finds nothing for the id %s', (id) => {
  expect(lookUp(storeOf(project), id, 0)).toBeNull()
})
