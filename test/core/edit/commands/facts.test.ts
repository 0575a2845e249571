/** `facts list`, `concepts list` and `show`: what is listed, filtered and shown. */

import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { addConcept, formatConcepts, NO_CONCEPTS } from '../../../../src/core/knowledge/concept.ts'
import type { Fact } from '../../../../src/core/knowledge/item.ts'
import { fact, factsWith, judgedBy } from '../../../support/fact.ts'
import { gitIn, hasGit } from '../../../support/git.ts'
import { runCommand } from '../../../support/process.ts'
import { madeOnce, makeProject, type TestProject, write } from '../../../support/project.ts'
import { remember } from '../../../support/remembered.ts'
import { errorOf, jsonOf, printed } from '../../../support/typed.ts'

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

describe('facts list', () => {
  const project = known()

  it('facts list shows what holds, newest first, and says how many it does not', () => {
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
  ])('facts list %s lists %s', (options, ids) => {
    expect(jsonOf(project, `facts list ${options}`).facts.map(({ id }: Fact) => id)).toEqual(ids.split(' '))
  })

  it.each([
    ['--type rule', 'usage'],
    ['--state old', 'usage'],
    ['--status done', 'usage'],
    ['--limit 0', 'usage'],
    ['--concept c099', 'not-found'],
    ['--concept gardening', 'not-found'],
  ])('facts list refuses %s', (options, code) => {
    expect(errorOf(project, `facts list ${options}`)).toBe(code)
  })

  it('facts list shows people the newest, and programs all', () => {
    const many = Array.from({ length: 60 }, (_, i) => fact({ id: `d${i + 100}`, text: `Number ${i} is chosen.` }))
    const full = remember({ facts: factsWith(...many) })
    const lines = (options: string): string[] => printed(full, `facts list ${options}`).match(/^d\d+ /gm) ?? []

    expect(lines('')).toHaveLength(50)
    expect(printed(full, 'facts list')).toContain('10 more facts: --limit 60 shows all')
    expect(lines('--limit 60')).toHaveLength(60)
    expect(jsonOf(full, 'facts list').facts).toHaveLength(60)
  })

  it('facts list says what to do where there is none, and creates nothing', () => {
    const empty = makeProject()

    expect(printed(empty, 'facts list')).toContain('memory-keeper facts add decision')
    expect(fs.existsSync(empty.memory)).toBe(false)
  })

  it('facts list prints no control characters', () => {
    const evil = remember({ facts: factsWith(fact({ text: 'a\u001b]0;x\u0007b', files: ['\u001b[2J'] })) })

    expect(printed(evil, 'facts list') + printed(evil, 'show d001')).not.toMatch(/[\u0007\u001b]/)
  })
})

it.skipIf(!hasGit).each(['facts list', 'show d001'])('%s says what is stale by git', (line) => {
  const project = makeProject()
  const git = gitIn(project.root)
  git('init', '-q')
  write(path.join(project.root, 'a.ts'), '1')
  git('add', 'a.ts')
  git('commit', '-q', '-m', 'one')
  remember({ facts: factsWith(fact({ files: ['a.ts'], at: '2026-01-01T00:00:00.000Z' })) }, project)
  write(path.join(project.root, 'a.ts'), '2')
  git('commit', '-q', '-a', '-m', 'two')
  const withGit = (given: string): string => runCommand(project, given.split(' '), { PATH: process.env.PATH }).out

  expect(withGit(line)).toContain('stale')
  expect(withGit('show d001')).toMatch(/state: stale, said by git .*: a\.ts changed in [0-9a-f]{7}/)
  withGit('facts restore d001')
  expect(withGit(line)).not.toContain('state: stale')
  expect(withGit('facts list')).not.toContain('stale')
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

  it('concepts are listed, the largest first, with what is open', () => {
    expect(printed(payments(), 'concepts list')).toMatch(
      /^c001 +Payments +2 facts +1 open.*\nc002 +Stripe +1 fact.*\n2 concepts; 1 fact without one/,
    )
    const [first, ...rest] = jsonOf(payments(), 'concepts list --limit 1').concepts
    expect([first, rest]).toMatchObject([{ id: 'c001', facts: 2, open: 1 }, []])
    expect(printed(remember({}), 'concepts list')).toContain('memory-keeper edit <id> --concept <name>')
  })

  it('concepts are shown with their facts, never rejected ones', () => {
    const out = printed(payments(), 'show c001')
    for (const part of [/^i005 .*issue, stale$/m, /^d001 .*decision$/m, /^d004 .*decision, superseded$/m])
      expect(out).toMatch(part)
    expect(out).not.toMatch(/Cards are kept|\u001b/)
  })
})

describe('show', () => {
  const project = known()

  it.each([
    ['d099', 'not-found', 'Nothing in this project has the id d099'],
    ['n-1', 'not-found', 'Nothing in this project has the id n-1'],
    ['S:1a2b3c4d', 'not-found', ''],
    ['page:none', 'not-found', ''],
    ['ffffffff', 'not-found', ''],
    ['what?', 'usage', '"what?" is not an id. Use one of a session'],
    ['"two words"', 'usage', 'is not an id'],
    ['d001 --context many', 'usage', '--context takes a whole number'],
  ])('show %s is refused as %s', (id, code, message) => {
    expect(jsonOf(project, `show ${id}`).error).toMatchObject({ code, message: expect.stringContaining(message) })
  })

  it('show refuses an entry behind the end of its session, and says how many there are', () => {
    const entry = { role: 'user', by: 'user', ts: '', text: 'Hello.' } as const
    const said = remember({ sessions: { '1a2b3c4d': { day: '2026-01-13', entries: [entry] } } })
    expect(jsonOf(said, 'show 1a2b3c4d#9').error).toMatchObject({
      ...{ code: 'not-found', message: expect.stringContaining('1 entr') },
    })
  })

  it('show prints what an edited fact said before', () => {
    const edited = known()
    printed(edited, 'facts edit d001 --text "Prices are integers."')
    expect(printed(edited, 'show d001')).toContain('text was "Prices are kept in cents."')
  })

  it('show gives programs the id as it was given', () => {
    expect(jsonOf(project, 'show " D001 "')).toMatchObject({ id: 'D001', parts: [{}] })
  })
})
