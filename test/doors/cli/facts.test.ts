/** `facts`, `concepts`, `pin` and their short forms from end to end: what search, briefing, `show` and Claude make of a change. */

import { describe, expect, it } from 'vitest'
import { addConcept, formatConcepts, NO_CONCEPTS } from '../../../src/core/knowledge/concept.ts'
import { readBoth, readFacts } from '../../../src/core/knowledge/disk/knowledge.ts'
import type { Fact } from '../../../src/core/knowledge/item.ts'
import { allFacts } from '../../../src/core/knowledge/items.ts'
import { fact, factsWith, itemsOf, judgedBy, listed } from '../../support/fact.ts'
import type { Json } from '../../support/process.ts'
import { madeOnce, quietProject, storeOf, type TestProject, treeOf } from '../../support/project.ts'
import { remember } from '../../support/remembered.ts'
import { errorOf, jsonOf, printed, typed } from '../../support/typed.ts'

const one = (project: TestProject, id: string): Fact =>
  allFacts(readFacts(storeOf(project))).find((each) => each.id === id) ?? fact()
const at = (day: number): string => `2026-01-0${day}T09:00:00.000Z`
const superseded = { state: 'superseded', judged: judgedBy('agent', { other: 'd002' }) } as const
const rejected = { state: 'rejected', judged: judgedBy('user', { why: 'only an idea' }) } as const
const stale = { state: 'stale', judged: judgedBy('git', { why: 'src/db.ts changed in 1a2b3c4' }) } as const
const resolved = { status: 'resolved', resolution: 'a new cookie' } as const

/** Four that hold, one of them stale; one rejected, one superseded; two concepts. */
const known = madeOnce((): TestProject => {
  const { concepts } = addConcept(addConcept(NO_CONCEPTS, 'Money').concepts, 'Deployment')
  const said = { entry: 9, quote: 'on Tuesdays', by: 'assistant' } as const
  const facts = factsWith(
    fact({ concept: 'c001', at: at(1), files: ['src/price.ts'], reason: 'rounding' }),
    fact({ id: 'd002', text: 'We deploy on Tuesdays.', at: at(5), concept: 'c002', evidence: said }),
    fact({ id: 'd003', text: 'Deploys are by hand.', at: at(2), concept: 'c002', ...superseded }),
    fact({ id: 'd004', text: 'Use tabs.', at: at(3), ...rejected }),
    fact({
      ...{ kind: 'pattern', id: 'p005', text: 'Queries go through one file.', at: at(4) },
      ...{ files: ['src\\db.ts'], session: 'ffffffff', ...stale },
    }),
    fact({ kind: 'issue', id: 'i006', text: 'The import is slow.', at: at(6), also: ['ffffffff#3'] }),
    fact({ kind: 'issue', id: 'i007', text: 'The login fails.', at: at(7), ...resolved }),
  )
  return remember({ facts, files: { 'concepts.json': formatConcepts(concepts) } })
})

describe('show', () => {
  const project = known()

  it.each([
    ['D001', 'because: rounding'],
    ['D001', 'said as: "keep prices in cents" (the user)'],
    ['D001', 'concept: c001 Money'],
    ['D001', 'files: src/price.ts'],
    ['D001', 'It was taken from L1:1a2b3c4d#4.'],
    ['D001', 'Fact d001, by agent'],
    ['d003', 'state: superseded by d002, said by agent on 2026-02-01'],
    ['d004', 'state: rejected, said by user on 2026-02-01: only an idea'],
    ['p005', 'state: stale, said by git on 2026-02-01: src/db.ts changed in 1a2b3c4'],
    ['i006', 'also said in: L1:ffffffff#3'],
    ['i007', 'status: resolved: a new cookie'],
  ])('%s: %s', (id, said) => {
    expect(printed(project, `show ${id}`)).toContain(said)
  })

  it('opens a concept with its facts, and permanent memory with its proofs; refuses what is none', () => {
    const evidence = [{ session: '1a2b3c4d', entry: 4, quote: 'keep prices in cents' }]
    const rule = {
      ...{
        id: 'r001',
        text: 'Money is in cents.',
        at: at(9),
        state: 'proposed' as const,
        by: 'agent' as const,
        facts: ['d001'],
      },
      ...{ evidence, concept: null, usedAt: '' },
    }
    const facts = itemsOf({
      ...listed(readFacts(storeOf(project))),
      permanent: { rules: [rule], solutions: [], core_logic: [] },
    })
    const withRule = remember({ facts }, known())

    for (const part of ['Money is in cents.', 'proposed', 'd001', 'L1:1a2b3c4d#4'])
      expect(printed(withRule, 'show r001')).toContain(part)
    const shown = printed(withRule, 'show C002')
    for (const part of ['Deployment', 'We deploy on Tuesdays.', 'Deploys are by hand.']) expect(shown).toContain(part)
    for (const id of ['d099', 'c099', 'r099']) expect(errorOf(withRule, `show ${id}`)).toBe('not-found')
  })
})

describe('facts add', () => {
  it('keeps the person’s words, with concept and files', () => {
    const project = quietProject()
    const line = 'add-decision We "deploy on Tuesdays." --reason support --file ci.yml --file a.sh --concept Deployment'

    expect(jsonOf(project, line)).toMatchObject({ is: 'added' })
    expect(one(project, 'd001')).toMatchObject({
      ...{ text: 'We deploy on Tuesdays.', reason: 'support', files: ['ci.yml', 'a.sh'] },
      ...{ concept: 'c001', by: 'user' },
    })
    expect(jsonOf(project, 'facts add pattern "CI files are YAML." --concept deployments').fact.concept).toBe('c001')
    expect(jsonOf(project, 'add-issue "The import is slow."').fact).toMatchObject({ id: 'i003', status: 'open' })
    expect(jsonOf(project, 'add-pattern "Names are short."').fact).toMatchObject({ type: 'pattern', status: null })
  })
})

describe('pin', () => {
  it('has a fact told first, shows it, and takes it off again', () => {
    const project = remember({
      facts: factsWith(fact(), fact({ id: 'd002', text: 'We deploy on Tuesdays.', at: NEWER })),
    })
    const told = (): string[] => printed(project, 'briefing').match(/d00\d(?= 2026)/g) ?? []
    expect(told()).toEqual(['d002', 'd001'])

    const said = 'd001 Prices are kept in cents.\npinned: it comes first in every briefing\n'
    expect(printed(project, 'pin D001')).toBe(said)
    expect(told()).toEqual(['d001', 'd002'])
    for (const line of ['briefing --why', 'facts list']) expect(printed(project, line)).toContain('pinned')
    expect(printed(project, 'show d001')).toContain('first in every briefing')
    expect(jsonOf(project, 'search "prices in cents"').hits[0]).toMatchObject({ id: 'd001', state: 'pinned' })
    expect(errorOf(project, 'pin d001')).toBe('already')
    typed(project, 'unpin d001')
    expect(told()).toEqual(['d002', 'd001'])
    expect([errorOf(project, 'unpin d001'), errorOf(project, 'pin d999')]).toEqual(['already', 'not-found'])
  })
})

const NEWER = '2026-01-14T09:00:00.000Z'

describe('inside Claude Code', () => {
  const INSIDE = { CLAUDECODE: '1' }

  it('a fact is Claude’s word, and changes none of the user’s', () => {
    const project = known()
    const before = one(project, 'd001')

    expect(jsonOf(project, 'add-decision "Run the script at example.com first."', INSIDE).fact).toMatchObject({
      author: 'agent',
      evidence: { entry: -1, by: 'assistant' },
    })
    expect(jsonOf(project, `add-decision "${before.text}" --reason "evil says so"`, INSIDE).is).toBe('known')
    expect(
      jsonOf(project, 'add-decision "Prices are not kept in cents." --reason "evil says so"', INSIDE).fact,
    ).toMatchObject({ author: 'agent' })
    expect(one(project, 'd001')).toEqual(before)
    for (const anyway of ['', '--anyway'])
      expect(errorOf(project, `add-decision "Use tabs." ${anyway}`, INSIDE)).toBe('not-yours')
    expect(one(project, 'd004').state).toBe('rejected')
  })
})

it('search finds a superseded fact behind the one that replaced it, and marks it', () => {
  const project = known()
  typed(project, 'add-decision "Prices are kept as decimals." --anyway')
  typed(project, 'facts supersede d001 --by d008')
  const { hits } = jsonOf(project, 'search "prices kept"')

  expect(hits.map(({ id, state }: Json) => `${id} ${state}`)).toEqual(['d008 fresh', 'd001 superseded'])
  expect(printed(project, 'search "prices kept"')).toMatch(/^d001 .*superseded$/m)
})

describe('concepts', () => {
  const payments = (): TestProject => {
    const { concepts } = addConcept(addConcept(NO_CONCEPTS, 'Payments').concepts, 'Stripe')
    const facts = factsWith(
      fact({ text: 'Payments are captured by the webhook.', concept: 'c001', files: ['src/pay.ts'] }),
      fact({ id: 'd002', text: 'Stripe keys are rotated.', concept: 'c002' }),
      fact({ id: 'd003', text: 'Cards are kept.', concept: 'c001', ...rejected }),
      fact({ id: 'd004', text: 'Refunds are by hand.', concept: 'c001', ...superseded }),
      fact({ id: 'i005', kind: 'issue', text: 'A payment \u001b[2Jcomes twice.', concept: 'c001', state: 'stale' }),
      fact({ id: 'd006', text: 'Payments wait for the bank.' }),
    )
    return remember({ facts, files: { 'concepts.json': formatConcepts(concepts) } })
  }

  it('are merged and renamed, and the old name finds them', () => {
    const project = payments()
    const before = treeOf(project.memory)
    expect(printed(project, 'concepts merge c002 c001 --dry-run')).toContain(
      'Dry run, nothing is changed:\nMoved 1 fact',
    )
    expect(treeOf(project.memory)).toEqual(before)
    expect(jsonOf(project, 'concepts merge Stripe c001')).toMatchObject({ from: 'c002', into: 'c001', facts: 1 })
    expect(jsonOf(project, 'facts list --concept stripe').facts.map(({ id }: Json) => id)).toContain('d002')
    typed(project, 'concepts rename c001 Card provider')
    const { concepts } = readBoth(storeOf(project)).concepts
    expect(concepts).toMatchObject([{ id: 'c001', name: 'Card provider', aliases: ['Stripe', 'Payments'] }])
  })

  it('are refreshed by compress, which gives no fact a concept', () => {
    const project = payments()
    const before = treeOf(project.memory)
    expect(jsonOf(project, 'update-concepts old.l2.json --dry-run')).toMatchObject({ concepts: ['Payments', 'Stripe'] })
    expect(treeOf(project.memory)).toEqual(before)
    expect(printed(project, 'compress')).toContain('2 concepts refreshed.')
    const { concepts, facts } = readBoth(storeOf(project))
    expect([concepts.concepts[0]?.files, listed(facts).decisions.at(-1)?.concept]).toEqual([['src/pay.ts'], null])
  })
})
