import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type ArchiveSummary,
  formatSummary,
  parseSummary,
  standInSummary,
  summaryText,
} from '../../../src/core/notes/summary.ts'
import type { Note } from '../../../src/kernel/memory/note.ts'
import { estimateTokens } from '../../../src/kernel/text/tokens.ts'
import { fact, facts, note, wildFacts, wildNotes } from '../../support/briefing.ts'

const GOOD: ArchiveSummary = {
  sourceFile: 'memory_20260113_120000.md',
  generatedAt: '2026-01-13T12:00:00.000Z',
  themes: [{ name: 'Login', summary: 'JWT login in src/auth.' }],
  keyDecisions: [{ decision: 'argon2id', reason: 'bcrypt truncates' }],
  issues: [{ issue: 'No refresh', status: 'open' }],
  overallSummary: 'The login was built.',
}

const errorOf = (value: unknown): string => {
  const parsed = parseSummary(JSON.stringify(value))
  return 'error' in parsed ? parsed.error : ''
}

describe('reading a summary', () => {
  it.each([
    ['alone', JSON.stringify(GOOD)],
    ['as we write it', formatSummary(GOOD)],
    ['in a fence', `\`\`\`json\n${JSON.stringify(GOOD)}\n\`\`\``],
    ['behind a sentence', `Here it is:\n${JSON.stringify(GOOD)}\nDone.`],
    ['with more than we know', JSON.stringify({ ...GOOD, mood: 'fine' })],
  ])('takes it %s', (_, text) => {
    expect(parseSummary(text)).toEqual({ summary: GOOD })
  })

  it('leaves source and time to whoever stores it', () => {
    const { sourceFile: _, generatedAt: __, ...rest } = GOOD

    expect(parseSummary(JSON.stringify(rest))).toEqual({ summary: { ...GOOD, sourceFile: '', generatedAt: '' } })
  })

  it.each([
    ['open', 'open'],
    ['Resolved', 'resolved'],
    ['FIXED', 'resolved'],
    ['partially resolved', 'open'],
    ['not fixed', 'open'],
    ['in progress', 'open'],
    ['who knows', 'open'],
  ])('knows what "%s" means', (status, known) => {
    const parsed = parseSummary(JSON.stringify({ ...GOOD, issues: [{ issue: 'x', status }] }))

    expect('summary' in parsed && parsed.summary.issues[0]?.status).toBe(known)
  })

  it.each([
    ['themes', { ...GOOD, themes: 'login' }, 'themes: expected a list of { name, summary }, found a string'],
    ['a theme', { ...GOOD, themes: ['login'] }, 'themes[0]: expected { name, summary }, found a string'],
    [
      'a theme without words',
      { ...GOOD, themes: [{ name: 'a' }] },
      'themes[0].summary: expected a text, found nothing',
    ],
    ['no issues', { ...GOOD, issues: undefined }, 'issues: expected a list of { issue, status }, found nothing'],
    ['a number', { ...GOOD, overallSummary: 5 }, 'overallSummary: expected a text, found a number'],
    ['an empty text', { ...GOOD, overallSummary: ' ' }, 'overallSummary: expected a text, found an empty one'],
    ['a flood', { ...GOOD, overallSummary: 'x'.repeat(7_000) }, 'overallSummary: at most 6000 characters, found 7000'],
    ['many', { ...GOOD, issues: Array(31).fill(GOOD.issues[0]) }, 'issues: at most 30 items, found 31'],
  ])('says which field is wrong and what it should be: %s', (_, value, error) => {
    expect(errorOf(value)).toBe(error)
  })

  it('names every field that is wrong', () => {
    expect(errorOf({}).split('; ')).toHaveLength(4)
    expect(parseSummary('nothing of the kind')).toHaveProperty('error')
    expect(parseSummary('{ broken')).toHaveProperty('error')
    expect(parseSummary('[1, 2]')).toHaveProperty('error')
  })

  it('never throws, and what it accepts survives writing and reading', () => {
    const text = fc.string({ unit: 'binary', maxLength: 20 })
    const odd = fc.oneof(text, fc.nat(), fc.constant(null), fc.array(text, { maxLength: 2 }), fc.anything())
    const summary = fc.record(
      {
        themes: fc.oneof(fc.array(fc.record({ name: text, summary: fc.oneof(text, odd) }), { maxLength: 3 }), odd),
        keyDecisions: fc.array(fc.record({ decision: text }, { requiredKeys: [] }), { maxLength: 3 }),
        issues: fc.array(fc.record({ issue: text, status: text }), { maxLength: 3 }),
        overallSummary: fc.oneof(text, odd),
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(
        fc.oneof(
          summary.map((value) => JSON.stringify(value)),
          text,
        ),
        (given) => {
          const parsed = parseSummary(given)
          if ('summary' in parsed) expect(parseSummary(formatSummary(parsed.summary))).toEqual(parsed)
          else expect(parsed.error).not.toBe('')
        },
      ),
    )
  })
})

it('summaryText has all words of a summary for the check against its archive', () => {
  expect(summaryText(GOOD).split('\n')).toEqual([
    'The login was built.',
    'Login',
    'JWT login in src/auth.',
    'argon2id',
    'bcrypt truncates',
    'No refresh',
  ])
})

describe('the summary that stands in', () => {
  const NOTES: Note[] = [
    note(
      0,
      '2026-01-10',
      'The user asked for login. Claude added src/auth/jwt.ts and src/auth/hash.ts, and 41 tests passed.',
    ),
    note(
      25,
      '2026-01-11',
      'The token check in src/auth/jwt.ts was made constant in time. All 44 tests of login passed.',
    ),
    note(
      50,
      '2026-01-12',
      [
        'Asked: Fix the flaky gateway test.',
        'Changed: src/gateway/retry.ts',
        'Ran: `npm test` (worked)',
        'Decided: Retries stop after three attempts.',
        'Open: The lint errors are left.',
        'Result: The retry in src/gateway/retry.ts no longer reads the clock.',
      ].join('\n'),
      'extractive',
      'bbbb2222',
    ),
    note(
      75,
      '2026-01-13',
      '로그인 API의 응답을 통일했다. src/api/login.ts를 고쳤고 테스트 58개가 통과했다.',
      'headless',
      'bbbb2222',
    ),
  ]
  const KNOWN = facts([
    fact('d001', 'Passwords are hashed with argon2id.', { reason: 'bcrypt truncates' }),
    fact('d002', 'Of a session that is elsewhere.', { session: 'cccc3333' }),
    fact('d003', 'Retries stop after three attempts.', { session: 'bbbb2222' }),
    fact('i001', 'Tokens were not revoked.', { status: 'resolved' }),
  ])
  const summary = standInSummary('memory_20260113_120000.md', '2026-01-14T00:00:00.000Z', NOTES, KNOWN)

  it('names the parts of the project that the notes are about', () => {
    expect(summary.themes.map(({ name }) => name)).toEqual(['src/auth', 'src/gateway', 'src/api'])
    expect(summary.themes[1]?.summary).toContain('The retry in src/gateway/retry.ts no longer reads the clock.')
    expect(summary.themes[2]?.summary).toContain('src/api/login.ts를 고쳤고 테스트 58개가 통과했다.')
  })

  it('has the decisions and issues of its sessions, each once', () => {
    expect(summary.keyDecisions).toEqual([
      { decision: 'Passwords are hashed with argon2id.', reason: 'bcrypt truncates' },
      { decision: 'Retries stop after three attempts.', reason: '' },
    ])
    expect(summary.issues).toEqual([{ issue: 'Tokens were not revoked.', status: 'resolved' }])
  })

  it('tells the period, and of the newest notes in a clause with its day what it was about', () => {
    expect(summary.overallSummary).toMatch(/^2026-01-10 to 2026-01-13, 4 notes\. /)
    expect(summary.overallSummary).toContain('2026-01-13: 로그인 API의 응답을 통일했다.')
    expect(estimateTokens(summary.overallSummary)).toBeLessThanOrEqual(160)
  })

  it('is always sound, short and the same', () => {
    fc.assert(
      fc.property(wildNotes, wildFacts, (notes, known) => {
        const made = standInSummary('memory_20260113_120000.md', '2026-01-14T00:00:00.000Z', notes, known)

        expect(
          standInSummary(made.sourceFile, made.generatedAt, structuredClone(notes), structuredClone(known)),
        ).toEqual(made)
        expect(estimateTokens(made.overallSummary)).toBeLessThanOrEqual(200)
        expect(parseSummary(formatSummary(made))).toHaveProperty('summary')
      }),
    )
  })
})
