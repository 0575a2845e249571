import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type BriefingInput, renderBriefing, tellsMemory } from '../../../src/core/briefing/briefing.ts'
import type { StoryInput } from '../../../src/core/briefing/briefing-input.ts'
import { compactedLines } from '../../../src/core/briefing/briefing-parts.ts'
import type { Briefing } from '../../../src/core/receipts/receipt.ts'
import { estimateTokens } from '../../../src/kernel/text/tokens.ts'
import { answers, asks, edits, entriesOf, fact, facts, input, note, runs, wildInput } from '../../support/briefing.ts'
import { itemsOf, listed } from '../../support/fact.ts'
import { foreignParts, markIn } from '../../support/marks.ts'
import { committed, inputOf, said, typed, used } from '../../support/story.ts'

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

const LAST = inputOf(
  [
    typed('Make login fast.'),
    used('Edit', 'src/session.ts'),
    said('Login answers in 38 ms.'),
    typed('commit it'),
    committed('7be65cb9', 'Keep sessions in Redis'),
  ],
  { id8: 'bbbb2222', from: '2026-01-13T12:00:00.000Z' },
)
const BEFORE = ['cccc3333', 'dddd4444'].map((id8) =>
  inputOf([typed('Move the help command.'), said('The help command is moved for good.')], {
    id8,
    from: '2026-01-12T12:00:00.000Z',
  }),
)

const FULL = input({
  stories: [LAST, ...BEFORE],
  headless: 2,
  work: [{ kind: 'question', text: 'Shall I push it?', source: 'bbbb2222#2' }],
  learned: [
    {
      key: 'refused npm test',
      text: '`npm test` was refused in 2 sessions',
      said: 'too slow.',
      at: '2026-01-11T12:00:00.000Z',
      session: 'cccc3333',
      n: 7,
      sessions: 2,
    },
  ],
  reports: [{ at: '2026-01-10T12:00:00.000Z', source: 'cccc3333#9', text: 'Where tokens are refreshed', about: '' }],
  facts: facts(
    [
      fact('d001', 'Passwords are hashed with argon2id.', { reason: 'bcrypt truncates at 72 bytes' }),
      fact('p001', 'Gateway tests need the fake clock.'),
      fact('i001', 'Refresh tokens are not revoked.', { files: ['src/auth/refresh.ts'], by: 'agent' }),
    ],
    { rules: ['Run npm run check before a commit.'], solutions: ['Delete .cache when the suite hangs.'] },
  ),
  notes: [{ ...note(0, '2026-01-10', 'Release on Friday.', 'user'), session: null }],
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

const ARCHIVED = {
  ...{ sourceFile: '', generatedAt: '', themes: [], overallSummary: 'Express became Fastify.' },
  keyDecisions: [
    { decision: 'Sessions live in Redis.', reason: 'Two servers share them.' },
    { decision: 'Passwords are hashed with argon2id.', reason: '' },
  ],
  issues: [
    { issue: 'The cookie has no domain.', status: 'open' },
    { issue: 'The port was taken.', status: 'resolved' },
  ],
}

describe('an archive', () => {
  const archives = [{ file: 'memory_20260101_090000.md', summary: ARCHIVED }]

  it('tells what was decided and left open in it, and nothing that is known as a fact in whatever state', () => {
    const known = facts([fact('d001', 'Passwords are hashed with argon2id.', { state: 'superseded' })])
    const briefing = told(input({ facts: known, archives }))

    expect(section(briefing, 'Archives')).toEqual([
      '- memory_20260101_090000.md (Claude): Express became Fastify.',
      '- memory_20260101_090000.md (Claude): decided then: Sessions live in Redis. Two servers share them.',
      '- memory_20260101_090000.md (Claude): open then: The cookie has no domain.',
    ])
  })

  it('tells that only while there is room: a line of every archive comes first', () => {
    const two = [...archives, { file: 'memory_20251201_090000.md', summary: ARCHIVED }]
    const briefing = told(input({ archives: two, maxChars: 430 }))

    expect(section(briefing, 'Archives').map((line) => line.slice(0, 60))).toEqual(
      [
        '- memory_20260101_090000.md (Claude): Express became Fastify.',
        '- memory_20251201_090000.md (Claude): Express became Fastify.',
      ].map((line) => line.slice(0, 60)),
    )
  })
})

it('a briefing leaves out facts of other machines that were rejected here, also without reading the rejection', () => {
  const machines = ['We deploy by hand.', 'Ships are counted.'].map((text, n) => ({
    ...{ who: 'desk', id: `d00${n}`, at: '2026-01-12T12:00:00.000Z', text, type: 'decision' as const },
  }))
  const briefing = told(input({ machines, isLeftOut: (text) => text === 'We deploy by hand.' }))

  expect(section(briefing, 'From Your Other Machines').join()).toContain('Ships are counted.')
  expect(briefing.text).not.toContain('We deploy by hand.')
})

describe('a briefing', () => {
  it('tells the sections in their order, between fixed lines', () => {
    const { text, lines } = told(FULL)

    expect(lines.filter(({ reason }) => reason === 'heading').map(({ text }) => text)).toEqual([
      '## Current State',
      '## Recent Context',
      '## Core Decisions',
      '## Learned',
      '## Known Issues',
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
      '- d001 2026-01-12 (author unknown): Passwords are hashed with argon2id. Why: bcrypt truncates at 72 bytes.',
    ])
    expect(section(briefing, 'Known Issues')).toEqual([
      '- i001 2026-01-12 (Claude): Refresh tokens are not revoked. (src/auth/refresh.ts)',
      '- [bbbb2222#2] (Claude): Shall I push it?',
    ])
    expect(section(briefing, 'Permanent Solutions and Core Logic')).toEqual([
      '- r002 Solution (Claude): Delete .cache when the suite hangs.',
    ])
    expect(section(briefing, 'Patterns')).toEqual([
      '- p001 2026-01-12 (author unknown): Gateway tests need the fake clock.',
    ])
  })

  it('tells the last sessions, then older ones, what was learned, pages, archives and what the host does not load', () => {
    const briefing = told(FULL)

    expect(section(briefing, 'Current State')).toEqual([
      '- engine, version 1.4.2, branch main',
      '- 01-13 12:00–12:04 [bbbb2222], 2 prompts, changed session.ts',
      '  User: Make login fast.',
      '  Claude: Login answers in 38 ms.',
      '  Committed 7be65cb9 "Keep sessions in Redis"',
      '- 01-12 12:00–12:01 [cccc3333], 1 prompt',
      '  User: Move the help command.',
      '  Claude: The help command is moved for good.',
      // Short sessions leave room for the one before them.
      '- 01-12 12:00–12:01 [dddd4444], 1 prompt',
      '  User: Move the help command.',
      '  Claude: The help command is moved for good.',
    ])
    expect(section(briefing, 'Recent Context')).toEqual([
      '- 01-10 12:00 [n-aaaa1111-0-25] Note (by the user): Release on Friday.',
      '- 2 headless runs: started by programs, no person typed',
    ])
    expect(section(briefing, 'Learned')).toEqual([
      '- 01-11 [cccc3333#7] `npm test` was refused in 2 sessions; the user: “too slow.”',
      '- 01-10 [cccc3333#9] Report of an agent: “Where tokens are refreshed”',
    ])
    expect(section(briefing, 'Page: workflow')).toEqual(['  Release on Fridays.'])
    expect(section(briefing, 'Page: project')).toEqual([
      '  # Engine',
      '  The login service.',
      '  ## Deploy',
      '      ./deploy.sh',
    ])
    expect(section(briefing, 'Archives')).toEqual([
      '- memory_20260101_090000.md (Claude): Express became Fastify. The cookie login went.',
    ])
    expect(section(briefing, "Claude's Own Notes")).toEqual([
      '- Not loaded by the host, beside its MEMORY.md: api.md, release.md',
    ])
  })

  it('has a reason for each line', () => {
    const reasons = told(FULL).lines.map(({ reason }) => reason)

    expect(reasons).toContain('decision d001, newest, fresh, by extractive')
    expect(reasons).toContain('note n-aaaa1111-0-25, by user')
    expect(reasons).toContain('asked by user, bbbb2222#0')
    expect(reasons).toContain('session dddd4444')
    expect(reasons).toContain('learned, cccc3333#7')
    expect(reasons).toContain('left open by the last session')
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
      fact('d003', 'Said by the user.', { at: '2026-01-15T10:00:00.000Z', by: 'user' }),
      fact('d004', 'Older.', { at: '2026-01-14T10:00:00.000Z', by: 'user' }),
      fact('d005', 'Rejected.', { state: 'rejected' }),
      fact('d006', 'Superseded.', { state: 'superseded' }),
    ]
    const lines = section(told(input({ facts: facts(all) })), 'Core Decisions')

    expect(lines.map((line) => line.slice(2, 6))).toEqual(['d003', 'd002', 'd004', 'd001'])
    expect(lines[3]).toContain('(stale: its file changed)')
  })

  it('are open, if they are issues', () => {
    const author = 'agent'
    const all = [
      fact('i001', 'Open one.', { by: author }),
      fact('i002', 'Closed one.', { by: author, status: 'resolved' }),
    ]
    const { text } = told(input({ facts: facts(all) }))

    expect([text.includes('Open one'), text.includes('Closed one')]).toEqual([true, false])
  })

  it('are told first where a person pinned them, also when they are solved issues', () => {
    const all = [
      fact('i001', 'An open one.', { at: '2026-01-12T09:00:00.000Z', by: 'user' }),
      fact('i002', 'Another open one.', { at: '2026-01-13T09:00:00.000Z', by: 'user' }),
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

describe('a decision', () => {
  it('whose entry is told with its session is not told again', () => {
    const about = (entry: number): Parameters<typeof fact>[2] => ({
      session: 'bbbb2222',
      evidence: { entry, quote: 'Login answers' },
    })
    const all = [
      fact('d001', 'Sessions are kept in Redis.', about(2)),
      fact('d002', 'Passwords use argon2id.', about(99)),
    ]
    const lines = section(told(input({ stories: [LAST], facts: facts(all) })), 'Core Decisions')

    expect(lines.map((line) => line.slice(2, 6))).toEqual(['d002'])
  })
})

describe('an issue', () => {
  it('that code found is no open work: only those of a model or a person are told', () => {
    const all = [fact('i001', 'By code.'), fact('i002', 'By a person.', { by: 'user' })]
    const lines = section(told(input({ facts: facts(all) })), 'Known Issues')

    expect(lines).toEqual([expect.stringContaining('By a person.')])
  })
})

describe('the room', () => {
  const busy = (id8: string, day: string): StoryInput =>
    inputOf(
      Array.from({ length: 30 }, (_, i) => [
        typed(`Please take step ${i} of the plan, and tell me what it costs. Do not skip its tests.`),
        said(`Step ${i} is done. ${`It costs ${i} ms, and all of its tests passed. `.repeat(6)}`),
      ]).flat(),
      { id8, from: `2026-01-${day}T09:00:00.000Z` },
    )
  const stories = ['12', '11', '10', '09', '08'].map((day) => busy(`aaaa00${day}`, day))
  const many = Array.from({ length: 80 }, (_, i) => fact(`d${i}`, `Part ${i} of the service stays as it is, for now.`))
  const pages = [{ name: 'project', text: 'What it is, and how it is built.\n'.repeat(400) }]

  it('is at least half for the last session, and leaves decisions and pages theirs', () => {
    const briefing = told(input({ stories, facts: facts(many), pages, maxChars: 6_000 }))
    const chars = (name: string): number => section(briefing, name).join('\n').length

    expect(briefing.text.length).toBeLessThanOrEqual(6_000)
    expect(chars('Current State')).toBeGreaterThan(2_500)
    expect(chars('Core Decisions')).toBeGreaterThan(500)
    expect(chars('Recent Context')).toBeGreaterThan(300)
    expect(chars('Page: project')).toBeGreaterThan(500)
  })

  it('is not filled where there is little to tell', () => {
    expect(told(input({ stories: [LAST], maxChars: 6_000 })).text.length).toBeLessThan(700)
  })
})

describe('a briefing after a compaction', () => {
  it('begins with what the session did', () => {
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
      '- (Claude) Ended: Login answers in 38 ms.',
      '- (git) Committed: Keep sessions in Redis',
      '- (tools) Changed: src/session.ts',
      '- (tools) Failed: `make up` → port 6379 is taken',
      '- (tools) Ran: `npm test -- --run` → 41 passed',
      '- User: Make login fast.',
    ])
    expect(briefing.lines[2]?.section).toBe('What this session did before the compaction')
  })

  it('leaves half of the room for everything else', () => {
    const many = Array.from({ length: 200 }, (_, i) => asks(`Please take step ${i} with some more words than before.`))
    const briefing = told(input({ compacted: compactedLines(entriesOf(...many), 4_500), stories: [LAST] }))
    const first = section(briefing, 'What this session did before the compaction').join('\n')

    expect(first.length).toBeGreaterThan(2_000)
    expect(first.length).toBeLessThan(4_500)
    expect(briefing.text).toContain('Login answers in 38 ms.')
  })
})

/** An input has about a hundred wild texts: 150 of them have each wild text in each place many times. */
const INPUTS = 150

describe('whatever is remembered', () => {
  it('a briefing fits, is its lines, cannot break out of its fence, and puts the marks of authors only where our code does', () => {
    fc.assert(
      fc.property(wildInput, (given) => {
        const briefing = renderBriefing(given)
        if (briefing === null) return
        const { text, lines } = briefing

        expect(text.length).toBeLessThanOrEqual(given.maxChars)
        expect(text.length).toBeLessThanOrEqual(9_500)
        expect(text).toBe(lines.map((line) => line.text).join('\n'))
        // No other tag can begin: neither ours nor one of the host or of a prompt.
        const remembered = lines.filter(({ reason }) => reason !== 'how to get more').map((line) => line.text)
        const tags = remembered.join('\n').match(/[<＜][\p{L}/!?][^\s>＞]*/gu)
        if (tellsMemory(briefing)) expect(tags).toEqual(['<memory-keeper', '</memory-keeper'])
        else expect(tags).toBeNull()
        expect(text).not.toMatch(/system-reminder>.*<[\p{L}/!?]|<\s*\/?\s*system-reminder/iu)
        expect(text).not.toMatch(/\[\s*memory_keeper_/i)
        expect(text).not.toMatch(/(?!\t|\n)[\p{Cc}\p{Cs}\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069]/u)
        expect(lines.filter((line) => /^## /m.test(line.text) && line.reason !== 'heading')).toEqual([])
        for (const [i, line] of lines.entries())
          if (line.reason === 'heading') expect([line.text, lines[i + 1]?.section]).toEqual([line.text, line.section])
        expect(lines.filter((line) => line.reason === '')).toEqual([])
        for (const line of lines)
          expect([
            line,
            foreignParts(line)
              .map(markIn)
              .filter((mark) => mark !== undefined),
          ]).toEqual([line, []])
      }),
      { numRuns: INPUTS },
    )
  })

  it('a briefing is the same bytes again, in whatever order facts and pages are stored', () => {
    fc.assert(
      fc.property(wildInput, (given) => {
        const stored: BriefingInput = {
          ...given,
          facts: itemsOf({
            ...listed(given.facts),
            decisions: listed(given.facts).decisions.toReversed(),
            patterns: listed(given.facts).patterns.toReversed(),
            issues: listed(given.facts).issues.toReversed(),
          }),
          unaudited: given.unaudited.toReversed(),
        }
        const rendered = renderBriefing(given)
        expect(renderBriefing(stored)).toEqual(rendered)
        expect(
          renderBriefing({
            ...structuredClone({ ...given, compacted: null, frame: null }),
            compacted: given.compacted,
            frame: given.frame,
          }),
        ).toEqual(rendered)
      }),
      // Three renders each; order either matters for the first inputs or for none.
      { numRuns: INPUTS / 3 },
    )
  })

  it('a briefing costs no more in another language', () => {
    const korean = Array.from({ length: 60 }, (_, i) => [
      typed(`${i}단계를 시작하고 그 결과를 알려 주세요.`),
      said(`${i}단계를 마쳤고 그 테스트는 모두 통과했습니다. `.repeat(9)),
    ]).flat()
    const all = Array.from({ length: 80 }, (_, i) => fact(`d${i}`, `${i}번째 부분은 지금 그대로 두기로 했습니다.`))
    const pages = [{ name: 'project', text: '이것은 서비스의 설명입니다.\n'.repeat(400) }]

    const costs = estimateTokens(told(input({ stories: [inputOf(korean)], facts: facts(all), pages })).text)
    expect(costs).toBeGreaterThan(0.85 * MOST_TOKENS)
    expect(costs).toBeLessThanOrEqual(MOST_TOKENS)
  })
})
