/** Recent Context: the user's own notes, and the sessions before the last one, a line each. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { BriefingInput, StoryInput } from '../../../src/core/briefing/briefing-input.ts'
import { recentLines } from '../../../src/core/briefing/recent-context.ts'
import type { Entry } from '../../../src/kernel/transcript/session.ts'
import { input, note, wildInput } from '../../support/briefing.ts'
import { carriesOut, committed, inputOf, ran, said, typed } from '../../support/story.ts'

const WORK = [typed('Fix the dates of the export.'), said('The dates of the export are UTC now.')]

/** The n-th day of January. */
function session(n: number, entries: readonly Entry[] = WORK, branch = 'main'): StoryInput {
  const day = String(n).padStart(2, '0')
  return inputOf(entries, { id8: `aaaa00${day}`, branch, from: `2026-01-${day}T09:00:00.000Z` })
}

/** Main and second, which are not told here. */
const LAST = [session(31), session(30)]
const lines = (stories: readonly StoryInput[], more: Partial<BriefingInput> = {}): string[] =>
  recentLines(input({ stories: [...LAST, ...stories], ...more }), new Set(LAST.map(({ story }) => story.id8))).map(
    ({ text }) => text,
  )
const lineOf = (entries: readonly Entry[], more: Partial<StoryInput> = {}): string =>
  lines([{ ...session(9, entries), ...more }])[0] ?? ''
const head = '- 01-09 09:01 [aaaa0009] (this branch) '

describe('an older session', () => {
  it('is a line: when, which, what was asked, what came of it', () => {
    expect(lineOf(WORK)).toBe(
      `${head}User: "Fix the dates of the export." → Claude: The dates of the export are UTC now.`,
    )
  })

  it('is told with hash and title of its last commit', () => {
    expect(lineOf([...WORK, typed('commit it'), committed('7be65cb9', 'Keep dates in UTC')])).toMatch(
      / → committed 7be65cb9 "Keep dates in UTC"$/,
    )
  })

  it('that carried out a plan is told by its heading and the last sentence of its last prompt', () => {
    const entries = [
      carriesOut('# Plan: Move dates to UTC\n\nAll of them.'),
      said('The plan is carried out.'),
      typed('Not like that. Keep the old field.'),
      said('The old field is kept.'),
    ]

    expect(lineOf(entries)).toContain('plan "Move dates to UTC", then User: "Keep the old field."')
  })

  it('is told by the sentence of its prompts that Claude took up most', () => {
    const entries = [
      typed('Hello there. Find out why the importer drops rows.'),
      said('The importer drops rows with empty dates.'),
      typed('Thanks a lot.'),
      said('You are welcome.'),
    ]

    expect(lineOf(entries)).toContain(
      'User: "Find out why the importer drops rows." → Claude: The importer drops rows with empty dates.',
    )
  })

  it.each([
    ['a question', 'Shall the importer drop the rows of the export?'],
    ['a list item', '- the importer drops the rows of the export'],
    ['a heading', '## The importer drops the rows of the export'],
    ['a lead-in', 'The importer drops the rows of the export:'],
    ['a table row', '| the importer | drops the rows of the export |'],
  ])('has no result where its answer is only %s', (_, answer) => {
    expect(lineOf([typed('Why does it drop rows?'), said(answer)])).not.toContain('→')
  })

  it('has no result where its last text was an announcement', () => {
    const asked = 'Fix the dates of the export and of the import.'
    const work = [said('I look at the dates of `a.ts` now.'), ran('cat a.ts')]

    expect(lineOf([typed(asked), ...work])).toBe(`- 01-09 09:02 [aaaa0009] (this branch) User: "${asked}"`)
    // A few words without a result say nothing.
    expect(lineOf([typed('Fix the dates.'), ...work])).toBe('')
  })

  it('is told with where it stands, if a model wrote that', () => {
    expect(lineOf(WORK, { stands: 'Dates are done, times are next.' })).toMatch(
      / → Claude: Dates are done, times are next\.$/,
    )
  })

  it('takes at most 200 characters', () => {
    const words = 'and the many other things that were found on the way to it, '.repeat(9)

    expect(
      lineOf([typed(`Fix the dates, ${words}`), said(`The dates are fixed, ${words}.`)]).length,
    ).toBeLessThanOrEqual(200)
    expect(lineOf([...WORK, typed('commit'), committed('7be65cb9', words)]).length).toBeLessThanOrEqual(200)
    expect(lineOf(WORK, { stands: words }).length).toBeLessThanOrEqual(200)
  })
})

describe('older sessions', () => {
  const idsIn = (stories: readonly StoryInput[], more: Partial<BriefingInput> = {}): string[] =>
    lines(stories, more).map((line) => /\[(\w+)\]/.exec(line)?.[1] ?? '')

  it('stand newest first: all of this branch, at most three of others', () => {
    const here = [19, 17, 15, 13].map((n) => session(n))
    const others = [20, 18, 16, 14].map((n) => session(n, WORK, 'feature/import'))
    const all = [...here, ...others].toSorted((a, b) => (a.story.to < b.story.to ? 1 : -1))

    expect(idsIn(all)).toEqual([20, 19, 18, 17, 16, 15, 13].map((n) => `aaaa00${n}`))
  })

  it('name the last part of another branch', () => {
    expect(lines([session(9, WORK, 'ada/feature/import')])[0]).toContain('[aaaa0009] (import) User: "Fix')
  })

  it('are not those that are told as the current state', () => {
    expect(lines([])).toEqual([])
  })

  it('are never headless; one line counts these', () => {
    const headless = session(9, [typed('Sum it up.', { sent: true }), said('A summary of it.')])

    expect(lines([headless], { headless: 39 })).toEqual(['- 39 headless runs: started by programs, no person typed'])
    expect(lines([headless], { headless: 1 })).toEqual(['- 1 headless run: started by programs, no person typed'])
  })

  it('are nothing where nothing was asked and nothing came of it', () => {
    expect(lines([session(9, [ran('ls')])])).toEqual([])
  })
})

describe('sessions of which only the goal is known', () => {
  const end = (at: string, goal: string): BriefingInput['earlier'][number] => ({ id: 'bbbb2222', at, goal })

  it('are told by month, if they are a week old', () => {
    const earlier = [
      end('2026-01-29T10:00:00.000Z', 'Fix the newest thing.'),
      end('2026-01-10T10:00:00.000Z', 'Fix the dates.'),
      end('2025-12-10T10:00:00.000Z', 'Fix the times.'),
      end('2025-12-09T10:00:00.000Z', 'Begin.'),
      end('2025-12-08T10:00:00.000Z', ''),
    ]

    expect(lines([], { earlier })).toEqual([
      '- Earlier, 2026-01, 1 session, each begun with: "Fix the dates."',
      '- Earlier, 2025-12, 2 sessions, each begun with: "Fix the times."; "Begin."',
    ])
  })
})

describe('notes about no session', () => {
  it('of the user come first, the newest three; all others behind the sessions', () => {
    const own = [1, 2, 3, 4].map((n) => ({ ...note(n, '2026-01-05', `Own note ${n}.`, 'user'), session: null }))
    const claudes = { ...note(9, '2026-01-06', 'Canary is the beta.', 'agent'), id: 'n-claude-1', session: null }

    const taken = { ...note(8, '2026-01-07', 'Mary has the key.', 'unknown'), id: 'n-7', session: null }

    expect(lines([session(9)], { notes: [...own, claudes, taken] })).toEqual([
      '- 01-05 12:00 [n-aaaa1111-4-29] Note (by the user): Own note 4.',
      '- 01-05 12:00 [n-aaaa1111-3-28] Note (by the user): Own note 3.',
      '- 01-05 12:00 [n-aaaa1111-2-27] Note (by the user): Own note 2.',
      expect.stringContaining('[aaaa0009]'),
      '- 01-07 12:00 [n-7] Note (author unknown): Mary has the key.',
      '- 01-06 12:00 [n-claude-1] Note (written by Claude): Canary is the beta.',
      '- 01-05 12:00 [n-aaaa1111-1-26] Note (by the user): Own note 1.',
    ])
  })

  it('take at most 400 characters each, whole sentences', () => {
    const long = note(1, '2026-01-05', 'This is what happened on that day. '.repeat(40), 'user')
    const [line = ''] = lines([], { notes: [long] })

    expect(line.length).toBeLessThanOrEqual(400)
    expect(line).toMatch(/on that day\. …$/)
  })
})

it('the line of a session is short and on one line, whatever happened', () => {
  fc.assert(
    fc.property(wildInput, (given) => {
      for (const { text, reason } of recentLines(given, new Set())) {
        expect(text).not.toContain('\n')
        if (reason.endsWith('one line')) expect(text.length).toBeLessThanOrEqual(200)
      }
    }),
    // Each input has up to five sessions and twenty-five notes.
    { numRuns: 80 },
  )
})
