/** Facts from structure: what was answered, refused, left undone and failed; closed by the same structure. */
import { describe, expect, it } from 'vitest'
import { allFacts, type Facts, NO_FACTS } from '../../src/knowledge/fact.ts'
import { withStructure } from '../../src/notes/structure-facts.ts'
import type { Entry } from '../../src/transcript/session.ts'
import { answers, asks, entriesOf, runs } from '../support/briefing.ts'

const TS = '2026-01-13T12:00:00.000Z'
const tool = (name: string, cmd: string, more: object = {}): Entry => ({
  ...{ role: 'tool' as const, by: 'tool' as const, ts: TS, name, cmd, ok: true },
  ...more,
})
const typed = (via: string, text: string, more: object = {}): Entry => ({
  ...{ role: 'user' as const, by: 'user' as const, ts: TS, via, text },
  ...more,
})
const lists = (...items: [text: string, state: 'pending' | 'in_progress' | 'completed'][]): Entry =>
  tool('TodoWrite', 'list', { items: items.map(([text, state]) => ({ text, state })) })
const factsOf = (entries: Entry[], before: Facts = NO_FACTS, session = '1a2b3c4d'): Facts =>
  withStructure(before, session, entriesOf(...entries), 10)
const told = (facts: Facts): string[] =>
  allFacts(facts).map(({ type, status, text, evidence }) => `${status ?? type} by ${evidence.by}: ${text}`)

describe('decisions', () => {
  it('are answers, approved plans and refusals with a comment, in the user’s name', () => {
    const facts = factsOf([
      tool('AskUserQuestion', 'Which?'),
      typed('AskUserQuestion', '"Which database?"="SQLite"'),
      tool('ExitPlanMode', '# Move the store\n- first'),
      tool('Bash', 'rm -rf data', { ok: false, refused: true }),
      typed('Bash', 'never delete that'),
    ])

    expect(told(facts).sort()).toEqual([
      'decision by user: Plan approved: Move the store',
      'decision by user: Refused: Bash rm -rf data – never delete that',
      'decision by user: Which database? → SQLite',
    ])
  })

  it('are nobody’s where a program answered, and none without an answer, a comment or an approval', () => {
    expect(told(factsOf([typed('AskUserQuestion', '"Which?"="This"', { sent: true })]))).toEqual([
      expect.stringMatching(/^decision by (?!user)/),
    ])
    const plan = [{ ...asks('Plan it.'), sent: true as const }, tool('ExitPlanMode', '# Plan')]
    expect(told(factsOf(plan))).toEqual([expect.stringMatching(/^decision by (?!user)/)])
    const none = [
      tool('AskUserQuestion', 'Which?', { ok: false, refused: true }),
      tool('ExitPlanMode', '# Plan', { ok: false, refused: true }),
      asks('We decided to use Redis, always.'),
      answers('Decision: Redis. Known issue: it is slow.'),
    ]
    expect(told(factsOf(none))).toEqual([])
  })
})

it('a session has no more of them than it may have, however often it is looked at', () => {
  const answered = Array.from({ length: 30 }, (_, i) => typed('AskUserQuestion', `"Question ${i}?"="Answer ${i}"`))
  const first = factsOf(answered.slice(0, 12))

  expect(allFacts(first)).toHaveLength(10)
  expect(allFacts(factsOf(answered, first))).toHaveLength(10)
})

describe('open issues', () => {
  it('are tasks left undone, dead ends, and a last command that failed', () => {
    const facts = factsOf([
      lists(['Write the test', 'completed'], ['Add Liechtenstein', 'pending'], ['Fix the PDF', 'in_progress']),
      runs('git push origin main', false, 'protected branch'),
      runs('git push origin main', false, 'protected branch'),
      runs('make check', false, 'one failed'),
    ])

    expect(told(facts).map((line) => line.replace(/ by \w+/, ''))).toEqual([
      'open: Add Liechtenstein',
      'open: Fix the PDF',
      'open: `git push origin main` fails: protected branch',
      'open: `make check` fails: one failed',
    ])
  })

  it('are none that was tried once, passed later, or whose program passed with other arguments', () => {
    const entries = [
      runs('ls missing', false),
      runs('npm test', false),
      runs('npm test'),
      runs('tex a.tex', false),
      runs('tex a.tex', false),
      runs('tex -q a.tex | tail -1'),
      answers('Done.'),
    ]
    expect(told(factsOf(entries))).toEqual([])
  })

  it('are settled by the same structure, later in the session or in another one, and stay settled', () => {
    const first = [lists(['Add Liechtenstein', 'pending']), runs('make check', false, 'one failed')]
    const open = factsOf(first)
    const same = factsOf([...first, lists(['Add Liechtenstein', 'completed']), runs('make check')], open)
    const other = factsOf([lists(['Add Liechtenstein', 'completed']), runs('make check')], open, '5e6f7a8b')

    for (const after of [same, other])
      expect(after.issues.map(({ status, resolution }) => [status, resolution])).toEqual([
        ['resolved', 'marked as done'],
        ['resolved', 'passed: `make check`'],
      ])
    expect(factsOf([...first, lists(['Add Liechtenstein', 'completed']), runs('make check')], same)).toEqual(same)
    for (const { text, resolution } of same.issues) expect(resolution).not.toContain(text)
  })

  it('of 0.5, which phrases made, are no tasks and stay as they are', () => {
    const open = factsOf([lists(['Add Liechtenstein', 'pending'])])
    const legacy = { ...open, issues: open.issues.map((issue) => ({ ...issue, legacy: true as const })) }

    expect(factsOf([lists(['Something else', 'completed'])], legacy).issues).toEqual(legacy.issues)
  })

  it('are counted once however often they recur', () => {
    const entries = [lists(['Add Liechtenstein', 'pending']), runs('make check', false, 'one failed')]
    const again = factsOf(entries, factsOf(entries), '5e6f7a8b')

    expect(again.issues).toHaveLength(2)
  })
})
