/** `concepts` and `update-concepts`: what a person sees, changes, and is told when it cannot be. */
import { describe, expect, it } from 'vitest'
import { CONCEPT_COMMANDS } from '../../src/edit/commands/concepts.ts'
import { addConcept, formatConcepts, NO_CONCEPTS } from '../../src/knowledge/concept.ts'
import { readBoth } from '../../src/knowledge/disk/knowledge.ts'
import { formatFacts } from '../../src/knowledge/fact.ts'
import type { CliWorld } from '../../src/memory/commands/context.ts'
import { KeeperError } from '../../src/platform/error.ts'
import { fact, factsWith, judgedBy } from '../support/fact.ts'
import type { Json } from '../support/process.ts'
import { storeOf, type TestProject, treeOf } from '../support/project.ts'
import { remember } from '../support/remembered.ts'

function known(): TestProject {
  const { concepts } = addConcept(addConcept(NO_CONCEPTS, 'Payments').concepts, 'Stripe')
  const facts = factsWith(
    fact({ text: 'Payments are captured by the webhook.', concept: 'c001', files: ['src/pay.ts'] }),
    fact({ id: 'd002', text: 'Stripe keys are rotated.', concept: 'c002' }),
    fact({ id: 'd003', text: 'Cards are kept.', concept: 'c001', state: 'rejected', judged: judgedBy('user') }),
    fact({ id: 'd004', text: 'Refunds are by hand.', concept: 'c001', state: 'superseded', judged: judgedBy('agent') }),
    fact({ id: 'i005', type: 'issue', text: 'A payment \u001b[2Jcomes twice.', concept: 'c001', state: 'stale' }),
    fact({ id: 'd006', text: 'Payments wait for the bank.' }),
  )
  return remember({ files: { 'facts.json': formatFacts(facts), 'concepts.json': formatConcepts(concepts) } })
}

/** The row of the table itself, as the program runs it. */
function run(project: TestProject, usage: string, args: string[], options: object = {}): string {
  let out = ''
  const world = {
    around: project.around,
    env: {},
    platform: process.platform,
    cwd: project.root,
    projectDir: undefined,
    now: () => '2026-02-01T00:00:00.000Z',
    streams: { out: (text: string) => (out += text), err: () => undefined, isErrTerminal: false },
    columns: 100,
  } as unknown as CliWorld
  const row = CONCEPT_COMMANDS.find((one) => one.usage.startsWith(usage))
  expect(row?.run(world, options as never, args)).toBe(0)
  return out.replace(/\u001b\[\d+m/g, '')
}

const json = (project: TestProject, usage: string, args: string[], options: object = {}): Json =>
  JSON.parse(run(project, usage, args, { ...options, json: true }))

function errorOf(work: () => unknown): KeeperError {
  try {
    work()
  } catch (error) {
    if (error instanceof KeeperError) return error
    throw error
  }
  throw new Error('no error')
}

describe('concepts list', () => {
  it('shows the largest first, with what is open', () => {
    const lines = run(known(), 'concepts list', []).split('\n')
    expect(lines[0]).toMatch(/^c001 +Payments +2 facts +1 open/)
    expect(lines[1]).toMatch(/^c002 +Stripe +1 fact/)
    expect(lines[2]).toContain('2 concepts; 1 fact without one')
    expect(json(known(), 'concepts list', [], { limit: '1' }).concepts).toMatchObject([
      { id: 'c001', facts: 2, open: 1 },
    ])
  })

  it('says how concepts come about where there are none', () => {
    expect(run(remember({}), 'concepts list', [])).toContain('memory-keeper facts edit <id> --concept <name>')
  })
})

describe('concepts show', () => {
  it.each(['c001', 'C001', 'payment', 'the payments'])('finds it as %s', (given) => {
    expect(json(known(), 'concepts show', [given]).id).toBe('c001')
  })

  it('tells facts by their state, never rejected ones, and nothing that moves the cursor', () => {
    const out = run(known(), 'concepts show', ['c001'])
    expect(out).toMatch(/Open issues\n *i005 +stale, open +A payment/)
    expect(out).toMatch(/Holds\n *d001 /)
    expect(out).toMatch(/Superseded\n *d004 /)
    expect(out).not.toContain('Cards are kept')
    expect(out).not.toContain('\u001b')
  })

  it('names the next step when there is none of that name', () => {
    const error = errorOf(() => run(known(), 'concepts show', ['c099']))
    expect(error.code).toBe('not-found')
    expect(error.message).toContain('memory-keeper concepts list')
  })
})

describe('concepts merge', () => {
  it('moves the facts, and the old name finds them', () => {
    const project = known()
    expect(json(project, 'concepts merge', ['Stripe', 'c001'])).toMatchObject({ from: 'c002', into: 'c001', facts: 1 })
    expect(readBoth(storeOf(project)).concepts.concepts.map(({ id }) => id)).toEqual(['c001'])
    expect(json(project, 'concepts show', ['stripe']).facts.map(({ id }: Json) => id)).toContain('d002')
  })

  it('refuses one with itself, and writes nothing in a dry run', () => {
    const project = known()
    const before = treeOf(project.memory)
    expect(errorOf(() => run(project, 'concepts merge', ['c001', 'payments'])).code).toBe('same-concept')
    expect(run(project, 'concepts merge', ['c002', 'c001'], { dryRun: true })).toContain('Would move 1 fact')
    expect(treeOf(project.memory)).toEqual(before)
  })
})

describe('concepts rename', () => {
  it('keeps the old name as an alias', () => {
    const project = known()
    run(project, 'concepts rename', ['c002', 'Card', 'provider'])
    expect(readBoth(storeOf(project)).concepts.concepts[1]).toMatchObject({
      name: 'Card provider',
      aliases: ['Stripe'],
    })
  })

  it('to the name it has changes nothing, and says so', () => {
    expect(errorOf(() => run(known(), 'concepts rename', ['c002', 'Stripe'])).code).toBe('already')
  })

  it('refuses a name that another concept nearly has, and says how to make them one', () => {
    const error = errorOf(() => run(known(), 'concepts rename', ['c002', 'the', 'payment']))
    expect(error.code).toBe('name-taken')
    expect(error.message).toContain('memory-keeper concepts merge c002 c001')
    expect(errorOf(() => run(known(), 'concepts rename', ['c002', ' '])).code).toBe('usage')
  })
})

describe('update-concepts', () => {
  it('refreshes concepts, gives no fact one, and only says so in a dry run', () => {
    const project = known()
    const before = treeOf(project.memory)
    expect(json(project, 'update-concepts', [], { dryRun: true })).toEqual({
      changed: ['Payments', 'Stripe'],
      dryRun: true,
    })
    expect(treeOf(project.memory)).toEqual(before)
    expect(run(project, 'update-concepts', [])).toContain('Refreshed 2 concepts: Payments, Stripe')
    expect(readBoth(storeOf(project)).concepts.concepts[0]?.files).toEqual(['src/pay.ts'])
    expect(readBoth(storeOf(project)).facts.decisions.at(-1)?.concept).toBeNull()
  })

  it('says what brings in a file of an earlier version', () => {
    expect(run(known(), 'update-concepts', ['old.l2.json'])).toContain(
      'old.l2.json was not read: memory-keeper migrate',
    )
  })
})
