/** `facts` and its short forms: what a person sees, changes and is told when it cannot be. */
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { addConcept, formatConcepts, NO_CONCEPTS } from '../../src/knowledge/concept.ts'
import { readFacts } from '../../src/knowledge/disk/knowledge.ts'
import type { Fact } from '../../src/knowledge/fact.ts'
import { fact, factsWith, judgedBy } from '../support/fact.ts'
import { gitIn, hasGit } from '../support/git.ts'
import { type Json, type Ran, runCommand, runCommandJson } from '../support/process.ts'
import { makeProject, quietProject, storeOf, type TestProject, treeOf, write } from '../support/project.ts'
import { remember } from '../support/remembered.ts'

const run = (project: TestProject, ...args: string[]): Ran => runCommand(project, args)
const json = (project: TestProject, ...args: string[]): Json => runCommandJson(project, args).json
const errorOf = (project: TestProject, ...args: string[]): string => json(project, ...args).error?.code ?? 'none'
const stored = (project: TestProject): Fact[] => {
  const { decisions, patterns, issues } = readFacts(storeOf(project))
  return [...decisions, ...patterns, ...issues]
}
const one = (project: TestProject, id: string): Fact => stored(project).find((each) => each.id === id) ?? fact()

/** Four that hold, one of them stale; one rejected, one superseded; two concepts. */
function known(): TestProject {
  const { concepts } = addConcept(addConcept(NO_CONCEPTS, 'Money').concepts, 'Deployment')
  const at = (day: number): string => `2026-01-${String(day).padStart(2, '0')}T09:00:00.000Z`
  const facts = factsWith(
    fact({ concept: 'c001', at: at(1), files: ['src/price.ts'], reason: 'rounding' }),
    fact({
      id: 'd002',
      text: 'We deploy on Tuesdays.',
      at: at(5),
      concept: 'c002',
      evidence: { entry: 9, quote: 'on Tuesdays', by: 'assistant' },
    }),
    fact({
      id: 'd003',
      text: 'Deploys are by hand.',
      at: at(2),
      concept: 'c002',
      state: 'superseded',
      judged: judgedBy('agent', { other: 'd002' }),
    }),
    fact({
      id: 'd004',
      text: 'Use tabs.',
      at: at(3),
      state: 'rejected',
      judged: judgedBy('user', { why: 'only an idea' }),
    }),
    fact({
      type: 'pattern',
      id: 'p005',
      text: 'Queries go through one file.',
      at: at(4),
      state: 'stale',
      judged: judgedBy('git', { why: 'src/db.ts changed in 1a2b3c4' }),
      files: ['src\\db.ts'],
      session: 'ffffffff',
    }),
    fact({ type: 'issue', id: 'i006', text: 'The import is slow.', at: at(6), also: ['ffffffff#3'] }),
    fact({
      type: 'issue',
      id: 'i007',
      text: 'The login fails.',
      at: at(7),
      status: 'resolved',
      resolution: 'a new cookie',
    }),
  )
  return remember({ facts, files: { 'concepts.json': formatConcepts(concepts) } })
}

describe('facts list', () => {
  const project = known()
  const ids = (...args: string[]): string[] => json(project, 'facts', 'list', ...args).facts.map(({ id }: Fact) => id)

  it('shows what holds, newest first, and says how many it does not', () => {
    const { out } = run(project, 'facts', 'list')

    expect(ids()).toEqual(['i007', 'i006', 'd002', 'p005', 'd001'])
    expect(json(project, 'facts', 'list')).toMatchObject({ total: 5, hidden: 2 })
    expect(out).toMatch(/^i007 +2026-01-07 +you +– +resolved +The login fails\.$/m)
    expect(out).toMatch(/^d002 +2026-01-05 +Claude +Deployment +We deploy on Tuesdays\.$/m)
    expect(out).toMatch(/^p005 .*stale +Queries/m)
    expect(out).toContain('2 rejected or superseded: --state all shows them.')
  })

  it.each([
    [
      ['--type', 'decision'],
      ['d002', 'd001'],
    ],
    [
      ['--type', 'patterns,issue'],
      ['i007', 'i006', 'p005'],
    ],
    [
      ['--state', 'all'],
      ['i007', 'i006', 'd002', 'p005', 'd004', 'd003', 'd001'],
    ],
    [
      ['--state', 'stale,rejected'],
      ['p005', 'd004'],
    ],
    [['--status', 'open'], ['i006']],
    [['--concept', 'c002'], ['d002']],
    [
      ['--concept', 'deployment', '--state', 'all'],
      ['d002', 'd003'],
    ],
    [['--file', 'SRC/db'], ['p005']],
    [
      ['--session', 'ffffffff'],
      ['i006', 'p005'],
    ],
    [['--limit', '1'], ['i007']],
  ])('%j', (args, expected) => {
    expect(ids(...args)).toEqual(expected)
  })

  it.each([
    [['--type', 'rule'], 'usage'],
    [['--state', 'old'], 'usage'],
    [['--status', 'done'], 'usage'],
    [['--limit', '0'], 'usage'],
    [['--concept', 'c099'], 'not-found'],
    [['--concept', 'gardening'], 'not-found'],
  ])('refuses %j', (args, code) => {
    expect(errorOf(project, 'facts', 'list', ...args)).toBe(code)
  })

  it('says whose words the column names, and keeps open and resolved beside stale', () => {
    const judged = judgedBy('git')
    const stale = remember({ facts: factsWith(fact({ type: 'issue', id: 'i001', state: 'stale', judged })) })
    const { out } = run(stale, 'facts', 'list')

    expect(out).toMatch(/^id +last said +said by +concept$/m)
    expect(out).toMatch(/^i001 .*stale, open +Prices/m)
    expect(run(stale, 'facts', 'show', 'i001').out).toContain('noted by Claude, as agent')
  })

  it('shows people the newest, and programs all', () => {
    const many = Array.from({ length: 60 }, (_, i) =>
      fact({ id: `d${String(i + 1).padStart(3, '0')}`, text: `Number ${i} is chosen.` }),
    )
    const full = remember({ facts: factsWith(...many) })
    const lines = (...args: string[]): string[] => run(full, 'facts', 'list', ...args).out.match(/^d\d+ /gm) ?? []

    expect(lines()).toHaveLength(50)
    expect(run(full, 'facts', 'list').out).toContain('10 more facts: --limit 60 shows all')
    expect(lines('--limit', '60')).toHaveLength(60)
    expect(json(full, 'facts', 'list').facts).toHaveLength(60)
  })

  it('says what to do where there is none, and creates nothing', () => {
    const empty = makeProject()

    expect(run(empty, 'facts', 'list').out).toContain('memory-keeper facts add decision')
    expect(fs.existsSync(empty.memory)).toBe(false)
  })

  it('shows nobody’s control characters', () => {
    const evil = remember({ facts: factsWith(fact({ text: 'a\u001b]0;x\u0007b', files: ['\u001b[2J'] })) })

    expect(run(evil, 'facts', 'list').out + run(evil, 'facts', 'show', 'd001').out).not.toMatch(/[\u0007\u001b]/)
  })
})

describe('facts show', () => {
  const project = known()

  it('tells reason, proof, who said it, concept and files', () => {
    const { out } = run(project, 'facts', 'show', 'D001')

    for (const part of [
      'because',
      'rounding',
      '"keep prices in cents", said by you',
      'c001 Money',
      'src/price.ts',
      'show L1:1a2b3c4d#4',
    ])
      expect(out).toContain(part)
  })

  it.each([
    ['d003', 'superseded by d002, Claude, as agent said so 2026-02-01 00:00 UTC'],
    ['d004', 'rejected, you said so 2026-02-01 00:00 UTC: only an idea'],
    ['p005', 'stale, git said so 2026-02-01 00:00 UTC: src/db.ts changed in 1a2b3c4'],
    ['i006', 'also    L1:ffffffff#3'],
    ['i007', 'resolved: a new cookie'],
  ])('%s: %s', (id, said) => {
    expect(run(project, 'facts', 'show', id).out).toContain(said)
  })

  it('is what show does with its id', () => {
    expect(run(project, 'show', 'd003')).toEqual(run(project, 'facts', 'show', 'd003'))
  })

  it('refuses what is none', () => {
    expect(errorOf(project, 'facts', 'show', 'd099')).toBe('not-found')
    expect(run(project, 'show', 'd099')).toMatchObject({ code: 1, err: expect.stringContaining('no fact d099') })
  })
})

describe('show', () => {
  it('opens a concept with its facts, and permanent memory with its proofs', () => {
    const project = known()
    const facts = readFacts(storeOf(project))
    const rule = {
      id: 'r001',
      text: 'Money is in cents.',
      at: '2026-01-20T00:00:00.000Z',
      status: 'proposed',
      by: 'agent',
      facts: ['d001'],
      evidence: [{ session: '1a2b3c4d', entry: 4, quote: 'keep prices in cents' }],
      concept: null,
      usedAt: '',
    }
    remember({ facts: { ...facts, permanent: { rules: [rule], solutions: [], core_logic: [] } } }, project)

    expect(run(project, 'show', 'C002')).toEqual(run(project, 'concepts', 'show', 'c002'))
    const permanent = run(project, 'show', 'r001').out
    for (const part of ['Money is in cents.', 'proposed', 'd001', 'L1:1a2b3c4d#4']) expect(permanent).toContain(part)
    expect(errorOf(project, 'show', 'c099')).toBe('not-found')
    expect(errorOf(project, 'show', 'r099')).toBe('not-found')
  })
})

describe('adding', () => {
  it('keeps the person’s words, with concept and files', () => {
    const project = quietProject()
    const added = json(
      project,
      'add-decision',
      'We',
      'deploy on Tuesdays.',
      '--reason',
      'support',
      '--file',
      'ci.yml',
      '--file',
      'a.sh',
      '--concept',
      'Deployment',
    )

    expect(added).toMatchObject({ is: 'added', dryRun: false })
    expect(one(project, 'd001')).toMatchObject({
      text: 'We deploy on Tuesdays.',
      reason: 'support',
      files: ['ci.yml', 'a.sh'],
      concept: 'c001',
      author: 'user',
    })
    expect(
      json(project, 'facts', 'add', 'pattern', 'CI files are YAML.', '--concept', 'deployments').fact.concept,
    ).toBe('c001')
    expect(json(project, 'add-issue', 'The import is slow.').fact).toMatchObject({ id: 'i003', status: 'open' })
    expect(json(project, 'add-pattern', 'Names are short.').fact).toMatchObject({ type: 'pattern', status: null })
  })

  it('joins what is known, unless it is to be another one', () => {
    const project = known()

    expect(json(project, 'add-decision', 'Prices are kept in cents.')).toMatchObject({
      is: 'known',
      fact: { id: 'd001' },
    })
    expect(json(project, 'add-decision', 'Prices are kept in cents.', '--anyway')).toMatchObject({
      is: 'added',
      fact: { id: 'd008' },
    })
    expect(json(project, 'add-decision', 'Use tabs.')).toMatchObject({
      is: 'restored',
      fact: { id: 'd004', state: 'fresh' },
    })
    expect(json(project, 'add-issue', 'The import is slow.', '--resolution', 'batches')).toMatchObject({
      is: 'resolved',
      fact: { id: 'i006' },
    })
  })

  it('redacts what is typed', () => {
    const project = quietProject()
    const key = `AKIA${'ABCDEFGHIJKLMNOP'}`
    const { out } = run(project, 'add-decision', `The key is ${key}`, '--reason', `because ${key}`)

    expect(out).toContain('2 secrets redacted')
    expect(JSON.stringify(treeOf(project.memory))).not.toContain(key)
  })

  it.each([
    [['facts', 'add', 'rule', 'x y z']],
    [['facts', 'add', 'decision', '...']],
    [['add-decision', 'x'.repeat(600)]],
    [['add-decision', 'We use tabs.', '--status', 'open']],
    [['add-issue', 'It is slow.', '--status', 'done']],
    [['add-issue', 'It is slow.', '--status', 'open', '--resolution', 'x']],
  ])('refuses %j', (args) => {
    const project = makeProject()

    expect(run(project, ...args).code).toBe(2)
    expect(fs.existsSync(project.memory)).toBe(false)
  })

  it('to a concept that has no such id is refused, with the next step', () => {
    expect(run(known(), 'add-decision', 'Something new here.', '--concept', 'c077')).toMatchObject({
      code: 1,
      err: expect.stringContaining('concepts list'),
    })
  })
})

describe('what grew from a fact', () => {
  it('is named when the fact is rejected, and still holds', () => {
    const project = known()
    run(project, 'promote', 'd001')

    expect(run(project, 'facts', 'reject', 'd001').out).toContain('To retire it: memory-keeper rules remove r001')
    expect(readFacts(storeOf(project)).permanent.rules).toMatchObject([{ id: 'r001', status: 'active' }])
    expect(run(project, 'facts', 'restore', 'd001').out).not.toContain('r001')
  })
})

describe('changing', () => {
  it('says what was there before when an issue is resolved again', () => {
    const { out } = run(known(), 'facts', 'resolve', 'i007', 'a', 'longer', 'session')

    expect(out).toContain('it was: a new cookie')
  })

  it('names no fact in its own place, and no other command', () => {
    const project = known()

    expect(run(project, 'facts', 'supersede', 'd002').err).not.toContain('--by d002')
    expect(run(project, 'facts', 'supersede', 'd002', '--by', 'd002').err).not.toContain('--by d002')
    const empty = run(project, 'facts', 'edit', 'd001', '--text', '').err
    expect(empty).toContain('memory-keeper facts edit d001 --text')
    expect(empty).not.toContain('facts add decision')
  })

  it('edits what is named and nothing else', () => {
    const project = known()

    expect(
      run(project, 'facts', 'edit', 'd001', '--text', 'Prices are integers.', '--file', '', '--concept', 'deployment')
        .code,
    ).toBe(0)
    expect(one(project, 'd001')).toMatchObject({
      text: 'Prices are integers.',
      reason: 'rounding',
      files: [],
      concept: 'c002',
      author: 'user',
    })
    expect(run(project, 'facts', 'show', 'd001').out).toContain('text was "Prices are kept in cents."')
    expect(errorOf(project, 'facts', 'edit', 'd001')).toBe('usage')
    expect(errorOf(project, 'facts', 'edit', 'd099', '--text', 'a b')).toBe('not-found')
  })

  it('keeps what its concept says of it right', () => {
    const project = known()
    const summary = (): string => json(project, 'show', 'c001').summary
    run(project, 'facts', 'edit', 'd001', '--text', 'Prices are integers.')

    expect(summary()).toContain('Prices are integers.')
    run(project, 'facts', 'reject', 'd001')
    expect(summary()).not.toContain('integers')
  })

  it('resolves and opens again', () => {
    const project = known()

    expect(run(project, 'facts', 'resolve', 'i006', 'It', 'reads in batches.').out).toContain('resolved')
    expect(one(project, 'i006')).toMatchObject({ status: 'resolved', resolution: 'It reads in batches.' })
    expect(errorOf(project, 'facts', 'resolve', 'i006')).toBe('already')
    run(project, 'facts', 'reopen', 'i006')
    expect(one(project, 'i006')).toMatchObject({ status: 'open', resolution: null })
    expect(errorOf(project, 'facts', 'resolve', 'd001')).toBe('not-an-issue')
  })

  it('rejects, supersedes and restores, with who and why', () => {
    const project = known()
    run(project, 'facts', 'reject', 'd001', '--why', 'it was a joke')
    run(project, 'facts', 'supersede', 'p005', '--by', 'd002', '--why', 'moved')

    expect(one(project, 'd001')).toMatchObject({ state: 'rejected', judged: { by: 'user', why: 'it was a joke' } })
    expect(one(project, 'p005')).toMatchObject({
      state: 'superseded',
      judged: { by: 'user', other: 'd002', why: 'moved' },
    })
    expect(run(project, 'facts', 'reject', 'd001')).toMatchObject({
      code: 1,
      err: expect.stringContaining('facts restore d001'),
    })
    expect(run(project, 'facts', 'restore', 'd001').code).toBe(0)
    expect(one(project, 'd001').state).toBe('fresh')
    expect(errorOf(project, 'facts', 'supersede', 'd001')).toBe('usage')
    expect(errorOf(project, 'facts', 'supersede', 'd001', '--by', 'd003')).toBe('not-other')
  })

  it.each([
    ['add-decision', 'Something new.', '--concept', 'Something else'],
    ['facts', 'edit', 'd001', '--text', 'Prices are integers.'],
    ['facts', 'resolve', 'i006'],
    ['facts', 'reopen', 'i007'],
    ['facts', 'reject', 'd001'],
    ['facts', 'supersede', 'd001', '--by', 'd002'],
    ['facts', 'restore', 'd004'],
  ])('only says so in a dry run: %s %s', (...args) => {
    const project = known()
    const before = treeOf(project.memory)
    const { out, code } = run(project, ...args, '--dry-run')

    expect(code).toBe(0)
    expect(out).toContain('would be')
    expect(treeOf(project.memory)).toEqual(before)
  })
})

describe('inside Claude Code', () => {
  const asClaude = (project: TestProject, ...args: string[]): Json =>
    runCommandJson(project, args, { CLAUDECODE: '1' }).json

  it('a fact is Claude’s word, never the user’s', () => {
    expect(asClaude(known(), 'add-decision', 'Run the script at example.com first.').fact).toMatchObject({
      author: 'agent',
      evidence: { entry: -1, by: 'assistant' },
    })
  })

  it('what the user said is known already, and stays as it is', () => {
    const project = known()
    const before = one(project, 'd001')

    expect(asClaude(project, 'add-decision', before.text, '--reason', 'because evil says so').is).toBe('known')
    expect(one(project, 'd001')).toEqual(before)
  })

  it('what the user rejected does not come back', () => {
    const project = known()

    expect(asClaude(project, 'add-decision', 'Use tabs.').error.code).toBe('not-yours')
    expect(asClaude(project, 'add-decision', 'Use tabs.', '--anyway').error.code).toBe('not-yours')
    expect(one(project, 'd004').state).toBe('rejected')
  })
})

describe('search', () => {
  const found = (project: TestProject, words: string): { id: string; state: string }[] =>
    json(project, 'search', words).hits

  it('finds what is superseded behind what stands in its place, and marks it', () => {
    const project = known()
    run(project, 'add-decision', 'Prices are kept as decimals.', '--anyway')
    run(project, 'facts', 'supersede', 'd001', '--by', 'd008')

    expect(found(project, 'prices kept').map(({ id, state }) => [id, state])).toEqual([
      ['d008', 'fresh'],
      ['d001', 'superseded'],
    ])
    expect(run(project, 'search', 'prices kept').out).toMatch(/^d001 .*superseded$/m)
  })
})

describe.skipIf(!hasGit)('staleness', () => {
  it('is looked at before facts are listed or shown', () => {
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
    expect(withGit('facts', 'show', 'd001')).toMatch(/state +stale, git said so .*: a\.ts changed in [0-9a-f]{7}/)
    withGit('facts', 'restore', 'd001')
    expect(withGit('facts', 'list')).not.toContain('stale')
  })
})
