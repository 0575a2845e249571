import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type BriefingInput, renderBriefing, tellsMemory } from '../../src/briefing/briefing.ts'
import type { SessionEnd } from '../../src/briefing/briefing-input.ts'
import { compactedLines } from '../../src/briefing/briefing-parts.ts'
import type { Fact } from '../../src/knowledge/fact.ts'
import type { Note } from '../../src/memory/note.ts'
import type { Briefing } from '../../src/receipts/receipt.ts'
import { estimateTokens } from '../../src/text/tokens.ts'
import { answers, asks, edits, entriesOf, fact, facts, input, note, runs, wildInput } from '../support/briefing.ts'

function told(given: BriefingInput): Briefing {
  const briefing = renderBriefing(given)
  if (briefing === null) throw new Error('nothing is told')
  return briefing
}

/** What 9,500 characters of English cost. */
const MOST_TOKENS = (9_500 * 2_200) / 6_000

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
      '## Current State',
      '## Known Issues',
      '## Core Decisions',
      '## Recent Context',
      '## Permanent Solutions and Core Logic',
      '## Patterns',
      '## Page: project',
      '## Page: workflow',
      '## Archives',
      "## Claude's Own Notes",
      '## How to Get More',
    ])
    expect(text.startsWith('<memory-keeper>\nRemembered from')).toBe(true)
    expect(text.endsWith('\n</memory-keeper>')).toBe(true)
  })

  it('tells each fact with its day, its reason, its files and the id that leads to its source', () => {
    const briefing = told(FULL)

    expect(section(briefing, 'Core Decisions')).toEqual([
      '- d001 2026-01-12: Passwords are hashed with argon2id. Why: bcrypt truncates at 72 bytes.',
    ])
    expect(section(briefing, 'Known Issues')).toEqual([
      '- i001 2026-01-12: Refresh tokens are not revoked. (src/auth/refresh.ts)',
    ])
    expect(section(briefing, 'Permanent Solutions and Core Logic')).toEqual([
      '- r002 Solution: Delete .cache when the suite hangs.',
    ])
    expect(section(briefing, 'Patterns')).toEqual(['- p001 2026-01-12: Gateway tests need the fake clock.'])
  })

  it('tells the state, the newest note first, pages, archives and what the host does not load', () => {
    const briefing = told(FULL)

    expect(section(briefing, 'Current State')).toEqual(['- engine, version 1.4.2, branch main'])
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
    expect(renderBriefing(input({ compacted: compactedLines([], 4_500) }))).toBeNull()
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
  it('are told whole while there is room, and end at a sentence otherwise', () => {
    const long = note(0, '2026-01-10', 'This is what happened on that day. '.repeat(100))
    const lineOf = (maxChars: number): string =>
      section(told(input({ notes: [long], maxChars })), 'Recent Context').join('\n')

    expect(lineOf(9_500).length).toBeGreaterThan(3_400)
    expect(lineOf(2_000).endsWith('on that day. …')).toBe(true)
  })

  it('have fewer words the older they are', () => {
    const notes = [1, 2, 3].map((n) => note(n * 25, '2026-01-10', `Step ${n} was taken on that day. `.repeat(100)))
    const [first = '', second = '', third = ''] = section(told(input({ notes, maxChars: 3_800 })), 'Recent Context')

    expect(first).toContain('Step 3')
    expect(first.length).toBeGreaterThan(1.5 * second.length)
    expect(second.length).toBeGreaterThan(third.length)
  })

  it('of an earlier piece leave out what the next piece has overtaken, and all leave out what is told above', () => {
    const piece = (n: number, text: string): Note => note(n * 25, '2026-01-10', text, 'extractive')
    const notes = [
      piece(0, 'Last words: Let me look.\nTo do: Step one.\nCommitted: The parser.'),
      piece(1, 'Ended: All is done.\nUser: Deploy it to staging. Then tell the team.'),
    ]
    const known = facts([fact('d001', 'Deploy it to staging.')])

    expect(section(told(input({ notes, facts: known })), 'Recent Context')).toEqual([
      '- 2026-01-10 [n-aaaa1111-25-50] Ended: All is done. User: Then tell the team.',
      '- 2026-01-10 [n-aaaa1111-0-25] Committed: The parser.',
    ])
  })

  it('of the running session come first after a compaction', () => {
    const notes = [note(0, '2026-01-10', 'Own.'), note(0, '2026-01-12', 'Of another.', 'headless', 'bbbb2222')]
    const compacted = compactedLines(entriesOf(asks('Go on.')), 4_500)
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

describe('sessions', () => {
  const ended = (n: number, more: Partial<SessionEnd> = {}): SessionEnd => ({
    id: `c0ffee${String(n).padStart(2, '0')}`,
    at: `2026-08-${String(28 - (n % 28)).padStart(2, '0')}T10:00:00.000Z`,
    goal: `Goal ${n} is due.`,
    stands: `Ended: Step ${n} is done. Which one next?`,
    isSmall: false,
    ...more,
  })
  const many = Array.from({ length: 9 }, (_, n) => ended(n))

  it('lead the briefing with where the newest five stand', () => {
    const lines = section(told(input({ sessions: many, notes: [] })), 'Current State')

    expect(lines).toHaveLength(6)
    expect(lines[1]).toBe('- 2026-08-28 [c0ffee00] Goal 0 is due. → Ended: Step 0 is done. Which one next?')
  })

  it('are told in a line each behind the notes, without those that a shown note is about', () => {
    const notes = [note(0, '2026-08-18', 'It was told.', 'headless', 'c0ffee05')]
    const lines = section(told(input({ sessions: many, notes })), 'Earlier Sessions')

    expect(lines.map((line) => /\[(\w+)\]/.exec(line)?.[1])).toEqual(['c0ffee06', 'c0ffee07', 'c0ffee08'])
  })

  it('that said nothing but a greeting make room for others', () => {
    const sessions = [ended(0, { isSmall: true }), ...many.slice(1)]

    expect(told(input({ sessions })).text).not.toContain('c0ffee00')
    expect(told(input({ sessions: sessions.slice(0, 1) })).text).toContain('c0ffee00')
  })

  it('of earlier months have a line a month where lines of their own do not fit', () => {
    const sessions = Array.from({ length: 80 }, (_, n) =>
      ended(n % 50, {
        id: `dec0de${String(n).padStart(2, '0')}`,
        at: n < 40 ? '2026-08-01' : '2026-07-01',
        goal: `Goal ${n}: ${'words '.repeat(9)}`,
      }),
    )
    const months = section(told(input({ sessions, maxChars: 6_000 })), 'Months Before')

    expect(months.join('\n')).toMatch(/^- 2026-07, \d+ sessions: Goal \d+/m)
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
    const briefing = told(input({ ...FULL, compacted: compactedLines(done, 4_500) }))

    expect(section(briefing, 'What this session did before the compaction')).toEqual([
      '- Ended: Login answers in 38 ms.',
      '- Committed: Keep sessions in Redis',
      '- Changed (all committed): src/session.ts',
      '- Failed: `make up` → port 6379 is taken; never seen to pass',
      '- Ran: `npm test -- --run` → 41 passed',
      '- User: Make login fast.',
    ])
    expect(briefing.lines[2]?.section).toBe('What this session did before the compaction')
  })

  it('leaves half of the room for everything else', () => {
    const many = Array.from({ length: 200 }, (_, i) => asks(`Please take step ${i} with some more words than before.`))
    const notes = [note(0, '2026-01-10', 'A note of an earlier session.')]
    const briefing = told(input({ compacted: compactedLines(entriesOf(...many), 4_500), notes }))
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

        const rules = lines
          .filter((line) => line.section === 'Rules')
          .reduce((sum, line) => sum + line.text.length + 1, 0)
        expect(text.length - rules).toBeLessThanOrEqual(given.maxChars)
        expect(text.length).toBeLessThanOrEqual(9_500)
        expect(text).toBe(lines.map((line) => line.text).join('\n'))
        const fences = text.match(/[<＜]\s*\/?\s*memory[\s_\p{Pd}]*keeper/giu)
        if (tellsMemory(briefing)) expect(fences).toEqual(['<memory-keeper', '</memory-keeper'])
        else expect(fences).toBeNull()
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

  it('costs no more in another language', () => {
    const notes = Array.from({ length: 40 }, (_, i) =>
      note(i * 25, '2026-01-10', `${i}단계를 마쳤고 그 테스트는 모두 통과했습니다. `.repeat(9)),
    )

    const costs = estimateTokens(told(input({ notes })).text)
    expect(costs).toBeGreaterThan(0.9 * MOST_TOKENS)
    expect(costs).toBeLessThanOrEqual(MOST_TOKENS)
  })

  it('uses the room that is there', () => {
    const notes = Array.from({ length: 80 }, (_, i) =>
      note(i * 25, '2026-01-10', `Step ${i} was done and all of its tests passed. `.repeat(4)),
    )
    const many = Array.from({ length: 80 }, (_, i) =>
      fact(`d${i}`, `Part ${i} of the service stays as it is, for now and later.`),
    )

    const costs = estimateTokens(told(input({ notes, facts: facts(many) })).text)
    expect(costs).toBeGreaterThan(0.97 * MOST_TOKENS)
    expect(costs).toBeLessThanOrEqual(MOST_TOKENS)
    expect(section(told(input({ notes, facts: facts(many) })), 'Core Decisions').length).toBeGreaterThan(15)
    expect(section(told(input({ notes, facts: facts(many) })), 'Recent Context').length).toBeGreaterThan(12)
  })

  describe('room that nothing else needs', () => {
    const sessions = [
      { id: 'aaaa1111', at: '2026-01-10T10:00:00.000Z', goal: 'Go on.', stands: 'Done.', isSmall: false },
    ]
    const digest = (isNote: boolean): BriefingInput['digest'] => ({
      session: 'aaaa1111',
      at: '2026-01-10T12:00:00.000Z',
      isNote,
      lines: (chars) => [
        { source: 'commands', text: 'Ran: `make quay`', n: 0 },
        { source: 'turns', text: `User: ${'Zeal. '.repeat(Math.floor(chars / 8))}`, n: 1 },
      ],
      end: (chars) => 'word '.repeat(Math.floor(Math.min(chars, 2_500) / 5)),
    })
    const inFew = { ...digest(true), lines: () => [] } as BriefingInput['digest']

    it('tells the end of the newest session at more length', () => {
      const notes = [note(0, '2026-01-10', 'It was told.', 'extractive')]
      const [, end = ''] = section(told(input({ notes, sessions, digest: inFew })), 'Current State')

      expect(end.length).toBeGreaterThan(2_000)
    })

    it('tells the newest session once more behind notes of a model, without its commands, after all facts', () => {
      const notes = [note(0, '2026-01-10', 'It was told.', 'headless')]
      const many = Array.from({ length: 50 }, (_, i) => fact(`d${i}`, `Part ${i} of the service stays as it is.`))
      const recent = (all: readonly Fact[]): string =>
        section(told(input({ notes, sessions, digest: digest(false), facts: facts(all) })), 'Recent Context').join()

      expect(recent(many.slice(0, 2))).toMatch(/It was told.*Zeal/)
      expect(recent(many.slice(0, 2))).not.toContain('make quay')
      expect(section(told(input({ notes, digest: digest(false), facts: facts(many) })), 'Core Decisions')).toHaveLength(
        50,
      )
    })
  })
})
