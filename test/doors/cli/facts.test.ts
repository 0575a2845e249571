/** `facts`, `concepts`, `pin` and their short forms: what a person sees, changes and is told when it cannot be. */
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { addConcept, formatConcepts, NO_CONCEPTS } from '../../../src/core/knowledge/concept.ts'
import { readBoth, readFacts } from '../../../src/core/knowledge/disk/knowledge.ts'
import { allFacts, type Fact } from '../../../src/core/knowledge/fact.ts'
import { fact, factsWith, judgedBy } from '../../support/fact.ts'
import { gitIn, hasGit } from '../../support/git.ts'
import { type Json, runCommand } from '../../support/process.ts'
import { madeOnce, makeProject, quietProject, storeOf, type TestProject, treeOf, write } from '../../support/project.ts'
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
      ...{ type: 'pattern', id: 'p005', text: 'Queries go through one file.', at: at(4) },
      ...{ files: ['src\\db.ts'], session: 'ffffffff', ...stale },
    }),
    fact({ type: 'issue', id: 'i006', text: 'The import is slow.', at: at(6), also: ['ffffffff#3'] }),
    fact({ type: 'issue', id: 'i007', text: 'The login fails.', at: at(7), ...resolved }),
  )
  return remember({ facts, files: { 'concepts.json': formatConcepts(concepts) } })
})

describe('facts list', () => {
  const project = known()

  it('shows what holds, newest first, and says how many it does not', () => {
    const out = printed(project, 'facts list')

    expect(jsonOf(project, 'facts list')).toMatchObject({ total: 5, hidden: 2 })
    expect(out).toMatch(/^id +last said +said by +concept$/m)
    expect(out).toMatch(/^i007 +2026-01-07 +you +– +resolved +The login fails\.$/m)
    expect(out).toMatch(/^d002 +2026-01-05 +Claude +Deployment +We deploy on Tuesdays\.$/m)
    expect(out).toMatch(/^p005 .*stale +Queries/m)
    expect(out).toContain('2 rejected or superseded: --state all shows them.')
  })

  it.each([
    ['', 'i007 i006 d002 p005 d001'],
    ['--type decision', 'd002 d001'],
    ['--type patterns,issue', 'i007 i006 p005'],
    ['--state all', 'i007 i006 d002 p005 d004 d003 d001'],
    ['--state stale,rejected', 'p005 d004'],
    ['--status open', 'i006'],
    ['--concept c002', 'd002'],
    ['--concept deployment --state all', 'd002 d003'],
    ['--limit 1', 'i007'],
  ])('%s', (options, ids) => {
    expect(jsonOf(project, `facts list ${options}`).facts.map(({ id }: Fact) => id)).toEqual(ids.split(' '))
  })

  it.each([
    ['--type rule', 'usage'],
    ['--state old', 'usage'],
    ['--status done', 'usage'],
    ['--limit 0', 'usage'],
    ['--concept c099', 'not-found'],
    ['--concept gardening', 'not-found'],
  ])('refuses %s', (options, code) => {
    expect(errorOf(project, `facts list ${options}`)).toBe(code)
  })

  it('shows people the newest, and programs all', () => {
    const many = Array.from({ length: 60 }, (_, i) => fact({ id: `d${i + 100}`, text: `Number ${i} is chosen.` }))
    const full = remember({ facts: factsWith(...many) })
    const lines = (options: string): string[] => printed(full, `facts list ${options}`).match(/^d\d+ /gm) ?? []

    expect(lines('')).toHaveLength(50)
    expect(printed(full, 'facts list')).toContain('10 more facts: --limit 60 shows all')
    expect(lines('--limit 60')).toHaveLength(60)
    expect(jsonOf(full, 'facts list').facts).toHaveLength(60)
  })

  it('says what to do where there is none, and creates nothing', () => {
    const empty = makeProject()

    expect(printed(empty, 'facts list')).toContain('memory-keeper facts add decision')
    expect(fs.existsSync(empty.memory)).toBe(false)
  })

  it('prints no control characters', () => {
    const evil = remember({ facts: factsWith(fact({ text: 'a\u001b]0;x\u0007b', files: ['\u001b[2J'] })) })

    expect(printed(evil, 'facts list') + printed(evil, 'show d001')).not.toMatch(/[\u0007\u001b]/)
  })
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
      ...{ id: 'r001', text: 'Money is in cents.', at: at(9), status: 'proposed', by: 'agent', facts: ['d001'] },
      ...{ evidence, concept: null, usedAt: '' },
    }
    const facts = { ...readFacts(storeOf(project)), permanent: { rules: [rule], solutions: [], core_logic: [] } }
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
      ...{ concept: 'c001', author: 'user' },
    })
    expect(jsonOf(project, 'facts add pattern "CI files are YAML." --concept deployments').fact.concept).toBe('c001')
    expect(jsonOf(project, 'add-issue "The import is slow."').fact).toMatchObject({ id: 'i003', status: 'open' })
    expect(jsonOf(project, 'add-pattern "Names are short."').fact).toMatchObject({ type: 'pattern', status: null })
  })

  it.each([
    ['add-decision "Prices are kept in cents."', 'known', 'd001'],
    ['add-decision "Prices are kept in cents." --anyway', 'added', 'd008'],
    ['add-decision "Use tabs."', 'restored', 'd004'],
  ])('%s: %s %s', (line, is, id) => {
    expect(jsonOf(known(), line)).toMatchObject({ is, fact: { id } })
  })

  it('redacts what is typed', () => {
    const project = quietProject()
    const key = `AKIA${'ABCDEFGHIJKLMNOP'}`

    expect(printed(project, `add-decision "The key is ${key}" --reason "because ${key}"`)).toContain(
      '2 secrets redacted',
    )
    expect(JSON.stringify(treeOf(project.memory))).not.toContain(key)
  })

  it.each([
    'facts add rule "x y z"',
    'facts add decision ...',
    `add-decision ${'x'.repeat(600)}`,
    'add-issue "It is slow." --status done',
  ])('refuses %s', (line) => {
    const project = makeProject()

    expect(typed(project, line).code).toBe(2)
    expect(fs.existsSync(project.memory)).toBe(false)
  })
})

describe('a change of a fact', () => {
  it.each<[string, string, string, Partial<Fact>]>([
    ['facts resolve i006 It "reads in batches."', 'resolved', 'i006', { resolution: 'It reads in batches.' }],
    [
      'facts resolve i007 a longer session',
      'the resolution was: a new cookie',
      'i007',
      { resolution: 'a longer session' },
    ],
    ['facts reopen i007', 'open again', 'i007', { status: 'open', resolution: null }],
    ['facts restore d004', 'restored', 'd004', { state: 'fresh' }],
    ['facts reject d001 --why "a joke"', 'rejected', 'd001', { judged: judgedBy('user', { why: 'a joke' }) }],
    [
      'facts supersede p005 --by d002 --why moved',
      'superseded by d002',
      'p005',
      { judged: judgedBy('user', { other: 'd002', why: 'moved' }) },
    ],
    [
      'facts edit d001 --text "Prices are integers." --file "" --concept deployment',
      'changed',
      'd001',
      { text: 'Prices are integers.', reason: 'rounding', files: [], concept: 'c002', author: 'user' },
    ],
  ])('%s: %s', (line, said, id, { judged, ...expected }) => {
    const project = known()
    expect(printed(project, line)).toContain(said)

    const after = one(project, id)
    expect(after).toMatchObject(expected)
    if (judged !== undefined) expect({ ...after.judged, at: judged.at }).toEqual(judged)
  })

  it.each([
    ['facts edit d001', 'usage', '--text "…" (or --reason, --file, --concept)'],
    ['facts edit d001 --text ""', 'usage', 'memory-keeper facts edit d001 --text'],
    ['facts edit d099 --text "a b"', 'not-found', 'There is no fact d099'],
    ['facts resolve i007', 'already', 'facts restore i007'],
    ['facts resolve d001', 'not-an-issue', 'd001 is a decision'],
    ['facts reject d004', 'already', 'facts restore d004'],
    ['facts supersede d002 --by d002', 'not-other', '--by ID'],
    ['facts supersede d001 --by d003', 'not-other', 'd003 is superseded itself'],
    ['add-decision "Something new here." --concept c077', 'not-found', 'concepts list'],
  ])('%s is refused: %s', (line, code, said) => {
    const project = known()
    const before = treeOf(project.memory)

    expect(jsonOf(project, line).error).toMatchObject({ code, message: expect.stringContaining(said) })
    expect(treeOf(project.memory)).toEqual(before)
  })

  it('keeps what its concept says of it right, and what it was before', () => {
    const project = known()
    const summary = (): string | undefined => readBoth(storeOf(project)).concepts.concepts[0]?.summary
    typed(project, 'facts edit d001 --text "Prices are integers."')

    expect(summary()).toContain('Prices are integers.')
    expect(printed(project, 'show d001')).toContain('text was "Prices are kept in cents."')
    typed(project, 'facts reject d001')
    expect(summary()).not.toContain('integers')
  })

  it('names the permanent memory that grew from a rejected fact, which still holds', () => {
    const project = known()
    typed(project, 'promote d001')

    expect(printed(project, 'facts reject d001')).toContain('To retire it: memory-keeper rules remove r001')
    expect(readFacts(storeOf(project)).permanent.rules).toMatchObject([{ id: 'r001', status: 'active' }])
    expect(printed(project, 'facts restore d001')).not.toContain('r001')
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

it('search finds what is superseded behind what replaced it, and marks it', () => {
  const project = known()
  typed(project, 'add-decision "Prices are kept as decimals." --anyway')
  typed(project, 'facts supersede d001 --by d008')
  const { hits } = jsonOf(project, 'search "prices kept"')

  expect(hits.map(({ id, state }: Json) => `${id} ${state}`)).toEqual(['d008 fresh', 'd001 superseded'])
  expect(printed(project, 'search "prices kept"')).toMatch(/^d001 .*superseded$/m)
})

it.skipIf(!hasGit)('git says what is stale before facts are listed or shown', () => {
  const project = makeProject()
  const git = gitIn(project.root)
  git('init', '-q')
  write(path.join(project.root, 'a.ts'), '1')
  git('add', 'a.ts')
  git('commit', '-q', '-m', 'one')
  remember({ facts: factsWith(fact({ files: ['a.ts'], at: '2026-01-01T00:00:00.000Z' })) }, project)
  write(path.join(project.root, 'a.ts'), '2')
  git('commit', '-q', '-a', '-m', 'two')
  const withGit = (...args: string[]): string => runCommand(project, args, { PATH: process.env.PATH }).out

  expect(withGit('facts', 'list')).toContain('stale')
  expect(withGit('show', 'd001')).toMatch(/state: stale, said by git .*: a\.ts changed in [0-9a-f]{7}/)
  withGit('facts', 'restore', 'd001')
  expect(withGit('facts', 'list')).not.toContain('stale')
})

describe('concepts', () => {
  const payments = (): TestProject => {
    const { concepts } = addConcept(addConcept(NO_CONCEPTS, 'Payments').concepts, 'Stripe')
    const facts = factsWith(
      fact({ text: 'Payments are captured by the webhook.', concept: 'c001', files: ['src/pay.ts'] }),
      fact({ id: 'd002', text: 'Stripe keys are rotated.', concept: 'c002' }),
      fact({ id: 'd003', text: 'Cards are kept.', concept: 'c001', ...rejected }),
      fact({ id: 'd004', text: 'Refunds are by hand.', concept: 'c001', ...superseded }),
      fact({ id: 'i005', type: 'issue', text: 'A payment \u001b[2Jcomes twice.', concept: 'c001', state: 'stale' }),
      fact({ id: 'd006', text: 'Payments wait for the bank.' }),
    )
    return remember({ facts, files: { 'concepts.json': formatConcepts(concepts) } })
  }

  it('are listed, the largest first, with what is open', () => {
    expect(printed(payments(), 'concepts list')).toMatch(
      /^c001 +Payments +2 facts +1 open.*\nc002 +Stripe +1 fact.*\n2 concepts; 1 fact without one/,
    )
    const [first, ...rest] = jsonOf(payments(), 'concepts list --limit 1').concepts
    expect([first, rest]).toMatchObject([{ id: 'c001', facts: 2, open: 1 }, []])
    expect(printed(remember({}), 'concepts list')).toContain('memory-keeper facts edit <id> --concept <name>')
  })

  it('are shown with their facts, never rejected ones', () => {
    const out = printed(payments(), 'show c001')
    for (const part of [/^i005 .*issue, stale$/m, /^d001 .*decision$/m, /^d004 .*decision, superseded$/m])
      expect(out).toMatch(part)
    expect(out).not.toMatch(/Cards are kept|\u001b/)
  })

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

  it.each([
    ['merge c099 c001', 'not-found', 'memory-keeper concepts list'],
    ['merge c001 payments', 'same-concept', 'are one concept'],
    ['rename c002 payments', 'name-taken', 'memory-keeper concepts merge c002 c001'],
    ['rename c002 " "', 'usage', 'Give the new name'],
  ])('refuse %s', (line, code, message) => {
    expect(jsonOf(payments(), `concepts ${line}`).error).toMatchObject({
      code,
      message: expect.stringContaining(message),
    })
  })

  it('are refreshed by compress, which gives no fact a concept', () => {
    const project = payments()
    const before = treeOf(project.memory)
    expect(jsonOf(project, 'update-concepts old.l2.json --dry-run')).toMatchObject({ concepts: ['Payments', 'Stripe'] })
    expect(treeOf(project.memory)).toEqual(before)
    expect(printed(project, 'compress')).toContain('2 concepts refreshed.')
    const { concepts, facts } = readBoth(storeOf(project))
    expect([concepts.concepts[0]?.files, facts.decisions.at(-1)?.concept]).toEqual([['src/pay.ts'], null])
  })
})
