import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type BriefingInput, renderBriefing } from '../../src/briefing/briefing.ts'
import { compactedFrom } from '../../src/briefing/briefing-digest.ts'
import { earlierSession } from '../../src/briefing/briefing-notes.ts'
import type { Briefing } from '../../src/receipts/receipt.ts'
import {
  answers,
  asks,
  edits,
  entriesOf,
  fact,
  facts,
  input,
  note,
  runs,
  wildFacts,
  wildInput,
  wildNotes,
  wildText,
} from '../support/briefing.ts'

function told(given: BriefingInput): Briefing {
  const briefing = renderBriefing(given)
  if (briefing === null) throw new Error('nothing is told')
  return briefing
}

/** The lines of a section, without its heading. */
function section(briefing: Briefing, name: string): string[] {
  return briefing.lines.filter((line) => line.section === name && line.reason !== 'heading').map(({ text }) => text)
}

const FULL = input({
  facts: facts(
    [
      fact('d001', 'Passwords are hashed with argon2id.', { reason: 'bcrypt truncates at 72 bytes' }),
      fact('p001', 'Gateway tests need the fake clock.'),
      fact('i001', 'Refresh tokens are not revoked.', { files: ['src/auth/refresh.ts'] }),
    ],
    { rules: ['Run npm run check before a commit.'], solutions: ['Delete .cache when the suite hangs.'] },
  ),
  notes: [note(0, '2026-01-10', 'Login was added.'), note(25, '2026-01-13', 'Logout was added.')],
  pages: [
    { name: 'workflow', text: '# Workflow\nRelease on Fridays.' },
    { name: 'project', text: '# Engine\n\nThe login service.\n\n## Deploy\n\n    ./deploy.sh' },
  ],
  archives: [
    {
      file: 'memory_20260101_090000.md',
      summary: {
        sourceFile: '',
        generatedAt: '',
        themes: [],
        keyDecisions: [],
        issues: [],
        overallSummary: 'Express became Fastify. The cookie login went.',
      },
    },
    { file: 'memory_20251201_090000.md', summary: null },
  ],
  autoMemory: { lines: ['- [Debugging](debugging.md)'], topics: ['release.md', 'debugging.md', 'api.md'] },
})

describe('a briefing', () => {
  it('tells the sections in their order, between fixed lines', () => {
    const { text, lines } = told(FULL)

    expect(lines.filter(({ reason }) => reason === 'heading').map(({ text }) => text)).toEqual([
      '## Core Decisions',
      '## Current State',
      '## Recent Context',
      '## Known Issues',
      '## Permanent Rules and Solutions',
      '## Page: project',
      '## Page: workflow',
      '## Archives',
      "## Claude's Own Notes",
      '## How to Get More',
    ])
    expect(text.startsWith('<memory-keeper>\nRemembered by Memory Keeper')).toBe(true)
    expect(text.endsWith('\n</memory-keeper>')).toBe(true)
  })

  it('tells each fact with its day, its reason, its files and the way to its source', () => {
    const briefing = told(FULL)

    expect(section(briefing, 'Core Decisions')).toEqual([
      '- d001 2026-01-12: Passwords are hashed with argon2id. Why: bcrypt truncates at 72 bytes. [L1:aaaa1111#5]',
    ])
    expect(section(briefing, 'Known Issues')).toEqual([
      '- i001 2026-01-12: Refresh tokens are not revoked. (src/auth/refresh.ts) [L1:aaaa1111#5]',
    ])
    expect(section(briefing, 'Permanent Rules and Solutions')).toEqual([
      '- r001 Rule: Run npm run check before a commit.',
      '- r002 Solution: Delete .cache when the suite hangs.',
      '- p001 2026-01-12: Gateway tests need the fake clock. [L1:aaaa1111#5]',
    ])
  })

  it('tells the state, the newest note first, pages, archives and what the host does not load', () => {
    const briefing = told(FULL)

    expect(section(briefing, 'Current State')).toEqual([
      '- engine, version 1.4.2, branch main, last note 2026-01-13',
      '- Open work: 1 known issue, first i001',
    ])
    expect(section(briefing, 'Recent Context')).toEqual([
      '- 2026-01-13 [n-aaaa1111-25-50] Logout was added.',
      '- 2026-01-10 [n-aaaa1111-0-25] Login was added.',
    ])
    expect(section(briefing, 'Page: workflow')).toEqual(['  Release on Fridays.'])
    expect(section(briefing, 'Page: project')).toEqual([
      '  # Engine',
      '  The login service.',
      '  ## Deploy',
      '      ./deploy.sh',
    ])
    expect(section(briefing, 'Archives')).toEqual([
      '- memory_20260101_090000.md: Express became Fastify. The cookie login went.',
      '- memory_20251201_090000.md: no summary yet',
    ])
    expect(section(briefing, "Claude's Own Notes")).toEqual([
      '- Not loaded by the host, beside its MEMORY.md: api.md, release.md',
    ])
  })

  it('has a reason for each line', () => {
    const reasons = told(FULL).lines.map(({ reason }) => reason)

    expect(reasons).toContain('decision d001, newest, fresh, by extractive')
    expect(reasons).toContain('note n-aaaa1111-0-25, 2 of 2, by headless')
    expect(reasons).not.toContain('')
  })

  it('is none while nothing is remembered', () => {
    expect(renderBriefing(input())).toBeNull()
    expect(renderBriefing(input({ facts: facts([fact('d001', 'Old.', { state: 'superseded' })]) }))).toBeNull()
    expect(renderBriefing(input({ compacted: compactedFrom([], 4_500) }))).toBeNull()
    expect(renderBriefing({ ...FULL, maxChars: 100 })).toBeNull()
  })
})

describe('which facts are told', () => {
  it('are fresh before stale, then the newest day, then those a person said', () => {
    const all = [
      fact('d001', 'Stale but newest.', { state: 'stale', at: '2026-01-20T10:00:00.000Z' }),
      fact('d002', 'Found by code.', { at: '2026-01-15T11:00:00.000Z' }),
      fact('d003', 'Said by the user.', { at: '2026-01-15T10:00:00.000Z', author: 'user' }),
      fact('d004', 'Older.', { at: '2026-01-14T10:00:00.000Z', author: 'user' }),
      fact('d005', 'Rejected.', { state: 'rejected' }),
      fact('d006', 'Superseded.', { state: 'superseded' }),
    ]
    const lines = section(told(input({ facts: facts(all) })), 'Core Decisions')

    expect(lines.map((line) => line.slice(2, 6))).toEqual(['d003', 'd002', 'd004', 'd001'])
    expect(lines[3]).toContain('(stale: its file changed)')
  })

  it('are open, if they are issues', () => {
    const all = [fact('i001', 'Open one.'), fact('i002', 'Closed one.', { status: 'resolved' })]

    expect(told(input({ facts: facts(all) })).text).not.toContain('Closed one')
  })

  it('are told first where a person pinned them, also when they are solved issues', () => {
    const all = [
      fact('i001', 'An open one.', { at: '2026-01-12T09:00:00.000Z' }),
      fact('i002', 'Another open one.', { at: '2026-01-13T09:00:00.000Z' }),
      fact('i003', 'A solved one.', { at: '2026-01-01T09:00:00.000Z', status: 'resolved', pinned: true }),
    ]
    const lines = section(told(input({ facts: facts(all) })), 'Known Issues')

    expect(lines.map((line) => line.slice(2, 6))).toEqual(['i003', 'i002', 'i001'])
    expect(lines[0]).toContain('(resolved')
  })

  it('are not those that the host loads from its MEMORY.md', () => {
    const all = [fact('d001', 'Always use tabs for indentation.'), fact('d002', 'Deploy from main only.')]
    const autoMemory = { lines: ['# Notes', '- always use tabs for indentation'], topics: [] }
    const { text } = told(input({ facts: facts(all), autoMemory }))

    expect(text).toContain('d002')
    expect(text).not.toContain('d001')
  })
})

describe('notes', () => {
  it('end at a sentence when they are long', () => {
    const long = note(0, '2026-01-10', 'This is what happened on that day. '.repeat(100))
    const [line = ''] = section(told(input({ notes: [long] })), 'Recent Context')

    expect(line.length).toBeLessThanOrEqual(1_200)
    expect(line.endsWith('on that day. …')).toBe(true)
  })

  it('leave their open work in one line when no issue is known', () => {
    const left = note(0, '2026-01-10', 'Asked: Deploy.\nOpen: The migration is locked.', 'extractive')

    expect(section(told(input({ notes: [left] })), 'Current State')[1]).toBe('- Open work: The migration is locked.')
  })

  it('of the running session come first after a compaction', () => {
    const notes = [note(0, '2026-01-10', 'Own.'), note(0, '2026-01-12', 'Of another.', 'headless', 'bbbb2222')]
    const compacted = compactedFrom(entriesOf(asks('Go on.')), 4_500)
    const recent = (given: Partial<BriefingInput>): string[] =>
      section(told(input({ notes, ...given })), 'Recent Context')

    expect(recent({ session: 'aaaa1111', compacted })[0]).toContain('Own.')
    expect(recent({ session: null, compacted: null })[0]).toContain('Of another.')
  })
})

describe('a note that tells nothing', () => {
  const greeting = note(0, '2026-01-09', 'Asked: hello again.\nResult: Hello! Nothing was open.', 'extractive')
  const others = [1, 2, 3].map((n) => note(n * 25, '2026-01-10', `Part ${n} was built.`))
  const recent = (notes: BriefingInput['notes']): string => section(told(input({ notes })), 'Recent Context').join('\n')

  it('is left out beside three others, whenever it was written', () => {
    expect(recent([greeting, ...others])).not.toContain('hello')
    expect(recent([...others, greeting])).not.toContain('hello')
    expect(recent([greeting, ...others.slice(1)])).toContain('hello')
  })

  it.each([
    ['something was done', 'Asked: hello.\nCommitted: "One"', 'extractive'],
    ['it is long', `Asked: hello.\nResult: ${'It was looked at. '.repeat(20)}`, 'extractive'],
    ['a model wrote it', 'Asked: hello.', 'headless'],
  ] as const)('is told when %s', (_, text, author) => {
    expect(recent([note(0, '2026-01-09', text, author), ...others])).toContain('hello')
  })
})

describe('a note of a person', () => {
  const own = [1, 2, 3, 4].map((n) => note(n * 25, '2026-01-05', `Own note number ${n}.`, 'user'))
  const later = Array.from({ length: 80 }, (_, i) =>
    note(500 + i * 25, '2026-01-20', `Step ${i} was done and all of its tests passed. `.repeat(6)),
  )

  it('stands first, the newest three however many have come since', () => {
    const lines = section(told(input({ notes: [...own, ...later] })), 'Recent Context')

    expect(lines.slice(0, 3).map((line) => line.slice(-18))).toEqual(
      [4, 3, 2].map((n) => `Own note number ${n}.`).map((text) => text.slice(-18)),
    )
    expect(lines[3]).toContain('Step 79')
    expect(lines.join('\n')).not.toContain('Own note number 1.')
  })

  it('leaves room for the newest ones, however long it is', () => {
    const long = own.map((one) => ({ ...one, text: 'A long story about the release. '.repeat(200) }))
    const pages = [{ name: 'project', text: 'What it is.\n'.repeat(900) }]
    const known = facts(Array.from({ length: 80 }, (_, i) => fact(`d${i}`, `Part ${i} of the service stays as it is.`)))
    const lines = section(told(input({ notes: [...long, ...later], pages, facts: known })), 'Recent Context')

    expect(lines[3]).toContain('Step 79')
  })
})

describe('earlier sessions', () => {
  const sessions = [
    { id: 'd29c2adb', day: '2026-08-19', goal: 'Move the login to the new gateway.' },
    { id: 'aaaa1111', day: '2026-08-18', goal: 'Told by a note.' },
    { id: 'c0ffee00', day: '', goal: 'Find out why\n## Core Decisions the build is slow.' },
  ]

  it('are told in a line each, without those that a shown note is about', () => {
    const briefing = told(input({ sessions, notes: [note(0, '2026-08-18', 'It was told.')] }))

    expect(section(briefing, 'Earlier Sessions')).toEqual([
      '- 2026-08-19 [d29c2adb] Move the login to the new gateway.',
      '- [c0ffee00] Find out why ## Core Decisions the build is slow.',
    ])
  })

  it('are a memory where nothing else is remembered', () => {
    expect(section(told(input({ sessions })), 'Earlier Sessions')).toHaveLength(3)
  })

  it('take no room from anything else', () => {
    fc.assert(
      fc.property(wildInput, (given) => {
        const without = renderBriefing({ ...given, sessions: [] })
        const lines = renderBriefing(given)?.lines ?? []
        if (without === null) return
        expect(lines.filter((line) => line.section !== 'Earlier Sessions')).toEqual(without.lines)
      }),
    )
  })

  it('are known by the beginning of their summaries', () => {
    const head =
      '# Session d29c2adb, 2026-08-19 UTC\n<!-- session d29c2adb entries=9 -->\n\n10:00–11:00 UTC, 2 prompts\n\n'

    expect(earlierSession('d29c2adb', `${head}Asked: Fix it. Then: Also that.\nChanged: a.ts\n`)).toEqual({
      id: 'd29c2adb',
      day: '2026-08-19',
      goal: 'Fix it.',
    })
    expect(earlierSession('d29c2adb', `${head}Asked: This line is cut in the mid`)).toBeNull()
    expect(earlierSession('d29c2adb', `${head}Nothing worth naming happened.\n`)).toBeNull()
    expect(earlierSession('d29c2adb', '')).toBeNull()
  })
})

describe('after a compaction', () => {
  it('is told first what the session did', () => {
    const done = entriesOf(
      asks('Make login fast.'),
      edits('src/session.ts'),
      runs('npm test  --  --run', true, '41 passed'),
      runs('make up', false, 'port 6379 is taken'),
      runs('git commit -m "Keep sessions in Redis"'),
      answers('Login answers in 38 ms.'),
    )
    const briefing = told(input({ ...FULL, compacted: compactedFrom(done, 4_500) }))

    expect(section(briefing, 'What this session did before the compaction')).toEqual([
      '- Ended: Login answers in 38 ms.',
      '- Committed: Keep sessions in Redis',
      '- Changed (all committed): src/session.ts',
      '- Failed: `make up` → port 6379 is taken; never seen to pass',
      '- Ran: `npm test -- --run` → 41 passed',
      '- Ran: `git commit -m "Keep sessions in Redis"`',
      '- User: Make login fast.',
    ])
    expect(briefing.lines[2]?.section).toBe('What this session did before the compaction')
  })

  it('leaves half of the room for everything else', () => {
    const many = Array.from({ length: 200 }, (_, i) => asks(`Please take step ${i} with some more words than before.`))
    const notes = [note(0, '2026-01-10', 'A note of an earlier session.')]
    const briefing = told(input({ compacted: compactedFrom(entriesOf(...many), 4_500), notes }))
    const first = section(briefing, 'What this session did before the compaction').join('\n')

    expect(first.length).toBeGreaterThan(2_000)
    expect(first.length).toBeLessThan(4_500)
    expect(briefing.text).toContain('A note of an earlier session.')
  })
})

describe('whatever is remembered', () => {
  it('fits, is its lines, and cannot break out of its fence', () => {
    fc.assert(
      fc.property(wildInput, (given) => {
        const briefing = renderBriefing(given)
        if (briefing === null) return
        const { text, lines } = briefing

        expect(text.length).toBeLessThanOrEqual(given.maxChars)
        expect(text).toBe(lines.map((line) => line.text).join('\n'))
        expect(text.match(/[<＜]\s*\/?\s*memory[\s_\p{Pd}]*keeper/giu)).toEqual(['<memory-keeper', '</memory-keeper'])
        expect(text).not.toMatch(/system-reminder>.*<|<\s*\/?\s*system-reminder/i)
        expect(text).not.toMatch(/\[\s*memory_keeper_/i)
        expect(text).not.toMatch(/(?!\t|\n)[\p{Cc}\p{Cs}\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069]/u)
        expect(lines.filter((line) => /^## /m.test(line.text) && line.reason !== 'heading')).toEqual([])
      }),
      { numRuns: 300 },
    )
  })

  it('gives the same bytes again, in whatever order facts and pages are stored', () => {
    fc.assert(
      fc.property(wildInput, (given) => {
        const stored: BriefingInput = {
          ...given,
          facts: {
            ...given.facts,
            decisions: given.facts.decisions.toReversed(),
            issues: given.facts.issues.toReversed(),
          },
        }
        expect(renderBriefing(stored)).toEqual(renderBriefing(given))
        expect(
          renderBriefing({ ...structuredClone({ ...given, compacted: null }), compacted: given.compacted }),
        ).toEqual(renderBriefing(given))
      }),
    )
  })

  it('changes with a new note only in the lines of notes and the state', () => {
    fc.assert(
      fc.property(
        wildNotes,
        wildFacts,
        wildText,
        fc.integer({ min: 1_000, max: 9_500 }),
        (notes, known, text, maxChars) => {
          const pages = [{ name: 'project', text: 'What it is.\n'.repeat(300) }]
          const before = told(input({ notes, facts: known, pages, maxChars }))
          const after = told(
            input({ notes: [...notes, note(9_000, '2026-02-01', text)], facts: known, pages, maxChars }),
          )
          const others = ({ lines }: Briefing): string[] =>
            lines
              .filter((line) => line.section !== 'Recent Context' && line.section !== 'Current State')
              .map((line) => line.text)
          const [olderBefore, olderAfter] = [section(before, 'Recent Context'), section(after, 'Recent Context')]
          const kept = olderAfter.filter((line) => !line.includes('n-aaaa1111-9000-9025'))

          expect(others(after)).toEqual(others(before))
          // Some give way: the last in rank, and those that tell nothing. What stays is in its order, one may be shortened.
          const same = olderBefore.filter((line) => kept.includes(line))
          expect(kept.filter((line) => olderBefore.includes(line))).toEqual(same)
          expect(kept.length - same.length).toBeLessThanOrEqual(1)
          expect(kept.length).toBeLessThanOrEqual(olderBefore.length)
        },
      ),
    )
  })

  it('uses the room that is there', () => {
    const notes = Array.from({ length: 80 }, (_, i) =>
      note(i * 25, '2026-01-10', `Step ${i} was done and all of its tests passed. `.repeat(4)),
    )
    const many = Array.from({ length: 80 }, (_, i) =>
      fact(`d${i}`, `Part ${i} of the service stays as it is, for now and later.`),
    )

    expect(told(input({ notes, facts: facts(many) })).text.length).toBeGreaterThan(9_200)
    expect(section(told(input({ notes, facts: facts(many) })), 'Core Decisions').length).toBeGreaterThan(15)
    expect(section(told(input({ notes, facts: facts(many) })), 'Recent Context').length).toBeGreaterThan(12)
  })
})
