/** Facts from structure: what was answered, refused, left undone and failed; closed by the same structure. */

import { describe, expect, it } from 'vitest'
import { allFacts, type Items, NO_ITEMS } from '../../../src/core/knowledge/items.ts'
import { withStructure } from '../../../src/core/notes/structure-facts.ts'
import type { Entry } from '../../../src/kernel/transcript/session.ts'
import { answers, asks, entriesOf, runs } from '../../support/briefing.ts'
import { itemsOf, listed } from '../../support/fact.ts'

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
const factsOf = (entries: Entry[], before: Items = NO_ITEMS, session = '1a2b3c4d'): Items =>
  withStructure(before, session, entriesOf(...entries), 10)
const told = (facts: Items): string[] =>
  allFacts(facts).map(({ kind, status, text, evidence }) => `${status ?? kind} by ${evidence.by}: ${text}`)

describe('decisions', () => {
  it('are answers and approved plans, in the user’s name', () => {
    const facts = factsOf([
      tool('AskUserQuestion', 'Which?'),
      typed('AskUserQuestion', '"Which database?"="SQLite"'),
      tool('ExitPlanMode', '# Move the store\n- first'),
    ])

    expect(told(facts).sort()).toEqual([
      'decision by user: Plan approved: Move the store',
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

it('a session has no more facts than its limit, however often it is read', () => {
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

  it.each<[string, Entry[]]>([
    ['passed later', [runs('npm run deploy', false, 'no token'), runs('npm run deploy')]],
    ['passed in a pipe or with other options', [runs('tex a.tex', false, 'bad'), runs('tex -q src/a.tex | tail -1')]],
    ['only looked', [runs('git show abc', false, 'fatal: bad revision'), runs('gh pr view 7', false, 'not found')]],
    ['is one of several in a line', [runs('git add . && git push', false, 'rejected')]],
    ['gave no reason', [runs('make deploy', false)]],
    ['marked no line of a long output', [runs('make deploy', false, 'a b\nc d\ne f\ng h')]],
    ['tried an edit', [tool('Edit', 'src/a.ts'), runs('npm run e2e', false, 'one failed'), answers('I mend it.')]],
    ['was mended by an edit', [runs('npm run e2e', false, 'one failed'), tool('Edit', 'src/a.ts')]],
    ['was refused without a comment', [tool('Bash', 'rm -rf data', { ok: false, refused: true })]],
    [
      'was refused and then done',
      [
        tool('Edit', 'a.ts', { ok: false, refused: true }),
        typed('Edit', 'wait'),
        tool('Edit', 'a.ts', { ok: false, refused: true }),
        tool('Edit', 'a.ts'),
      ],
    ],
  ])('are no command that %s', (_, entries) => {
    expect(told(factsOf([...entries, runs('true'), answers('Done.')]))).toEqual([])
  })

  it('are dead ends: what failed once and never passed, and what the user refused with a comment', () => {
    const push = runs(
      'cd app && git push origin main 2>&1',
      false,
      'Exit code 1\nPushing\nremote: error: GH006: Protected branch update failed.\nTo github.com:a/b.git\nsee above',
    )
    const facts = factsOf([
      push,
      answers('main is protected, I push a branch.'),
      runs('git checkout -b docs && git push -u origin docs'),
      tool('Bash', 'rm -rf data', { ok: false, refused: true }),
      typed('Bash', 'never delete that'),
      answers('Done.'),
    ])

    expect(told(facts)).toEqual([
      'open by tool: `cd app && git push origin main` fails: remote: error: GH006: Protected branch update failed.',
      'open by user: Refused: Bash rm -rf data – never delete that',
    ])
    // The same in another session is one more place of the same fact; a pass or a permission closes it.
    const again = factsOf([push, answers('Again.')], facts, '5e6f7a8b')
    expect(listed(again).issues.map(({ also }) => also)).toEqual([['5e6f7a8b#0'], undefined])
    const other = { ...push, cmd: 'cd app && git push origin HEAD:main' } as Entry
    expect(listed(factsOf([other, answers('Again.')], facts, '5e6f7a8b')).issues).toEqual(listed(again).issues)
    const allowed = factsOf([runs('git push origin main'), tool('Bash', 'rm -rf data')], again, '9c0d1e2f')
    expect(listed(allowed).issues.map(({ status, resolution }) => [status, resolution])).toEqual([
      ['resolved', 'passed: `git push origin main`'],
      ['resolved', 'done later'],
    ])
    const elsewhere = factsOf([runs('git push origin docs')], again, '9c0d1e2f')
    expect(listed(elsewhere).issues.map(({ status }) => status)).toEqual(['open', 'open'])
    expect(withStructure(NO_ITEMS, '5e6f7a8b', entriesOf(push, answers('Done.')), 10, () => true)).toEqual(NO_ITEMS)
  })

  it('are settled by the same structure, later in the session or in another one, and stay settled', () => {
    const first = [lists(['Add Liechtenstein', 'pending']), runs('make check', false, 'one failed')]
    const open = factsOf(first)
    const same = factsOf([...first, lists(['Add Liechtenstein', 'completed']), runs('make check')], open)
    const other = factsOf([lists(['Add Liechtenstein', 'completed']), runs('make check')], open, '5e6f7a8b')

    for (const after of [same, other])
      expect(listed(after).issues.map(({ status, resolution }) => [status, resolution])).toEqual([
        ['resolved', 'marked as done'],
        ['resolved', 'passed: `make check`'],
      ])
    expect(factsOf([...first, lists(['Add Liechtenstein', 'completed']), runs('make check')], same)).toEqual(same)
    for (const { text, resolution } of listed(same).issues) expect(resolution).not.toContain(text)
  })

  it('of 0.5, which phrases made, are no tasks and stay as they are', () => {
    const open = factsOf([lists(['Add Liechtenstein', 'pending'])])
    const legacy = itemsOf({
      ...listed(open),
      issues: listed(open).issues.map((issue) => ({ ...issue, legacy: true as const })),
    })

    expect(listed(factsOf([lists(['Something else', 'completed'])], legacy)).issues).toEqual(listed(legacy).issues)
  })

  it('are counted once however often they recur', () => {
    const entries = [lists(['Add Liechtenstein', 'pending']), runs('make check', false, 'one failed')]
    const again = factsOf(entries, factsOf(entries), '5e6f7a8b')

    expect(listed(again).issues).toHaveLength(2)
  })
})
