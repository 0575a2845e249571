/** A session turn by turn: the user's own words, what was found, the end of each answer, and how it ended. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { costOfLine } from '../../../src/core/briefing/inside-turns.ts'
import { type TellOptions, tellSession } from '../../../src/core/briefing/tell-session.ts'
import { chaptersOf } from '../../../src/core/notes/chapters.ts'
import { announcementsIn } from '../../../src/core/notes/findings.ts'
import { storyOf } from '../../../src/core/notes/story.ts'
import { typedUnits, unitsOf } from '../../../src/core/notes/units.ts'
import { writtenLine } from '../../../src/core/receipts/authored-line.ts'
import { textOnOneLine } from '../../../src/kernel/text/memory-words.ts'
import type { Entry } from '../../../src/kernel/transcript/session.ts'
import { note, wildSession, wildText } from '../../support/briefing.ts'
import {
  carriesOut,
  chose,
  committed,
  failed,
  interrupted,
  numbered,
  ran,
  refused,
  said,
  storyWith,
  typed,
  used,
} from '../../support/story.ts'

const OPTIONS: TellOptions = {
  isAnnouncement: () => false,
  least: 2,
  notes: [],
  carriedOut: '',
  isRunning: false,
  isAlone: false,
  refused: new Set(),
}

function told(entries: readonly Entry[], more: Partial<TellOptions> = {}, room = 3_000): string[] {
  return tellSession(storyWith(entries), room, { ...OPTIONS, ...more }).map(writtenLine)
}

describe('a turn', () => {
  it('is told with its words, its answer and its commits, in this order', () => {
    expect(
      told([
        typed('Fix the dates, please.'),
        used('Edit', 'src/dates.ts'),
        said('The dates are UTC now. Shall I commit?'),
        typed('commit it'),
        committed('7be65cb9', 'Keep dates in UTC'),
        typed('And the times?'),
        committed('1234567', 'Times, too'),
        ran('gh pr create --fill', 'https://example.org/o/r/pull/31'),
        said('They are UTC, too. Anything else?'),
      ]),
    ).toEqual([
      'User: Fix the dates, please.',
      'Claude: The dates are UTC now.',
      'Committed 7be65cb9 "Keep dates in UTC"',
      'User: And the times?',
      'Claude: They are UTC, too.',
      'Committed 1234567 "Times, too"',
      'Opened PR #31',
    ])
  })

  it('names each line’s author, kind and source', () => {
    const story = storyWith([typed('Fix it.'), ran('ls'), said('It is fixed for good.')])

    expect(tellSession(story, 3_000, OPTIONS)).toEqual([
      { by: 'user', kind: 'asked', text: 'Fix it.', source: 'aaaa1111#0' },
      { by: 'claude', kind: 'answer', text: 'It is fixed for good.', source: 'aaaa1111#2' },
    ])
  })

  it('that waited in the queue is told as such', () => {
    expect(told([typed('And the rest.', { via: 'queue', by: 'machine' }), said('It is done, too.')])).toEqual([
      'Prompt: And the rest.',
      'Claude: It is done, too.',
    ])
  })

  it('tells refusals with their comments, and what was chosen', () => {
    expect(
      told([
        typed('Check it.'),
        ...refused('Bash', 'mise run test:all', 'too slow.'),
        ...refused('Bash', 'rm -r build'),
        ...refused('ExitPlanMode', '# Plan: Move dates\n\nAll.', 'Keep the old field.'),
        ...chose('Which store?', 'Files'),
        said('I keep files, and the old field.'),
      ]).slice(1, -1),
    ).toEqual([
      'User refused `mise run test:all`: too slow.',
      'User refused the plan "Move dates": Keep the old field.',
      'User, asked "Which store?": Files',
    ])
  })

  it('tells what the user said when approving a plan, as much as fits', () => {
    const words = 'Begin with the parser. '.repeat(20).trim()
    const plan = [used('ExitPlanMode', '# Plan: Move dates'), typed(words, { via: 'ExitPlanMode' })]
    const lines = told([typed('Plan it.'), ...plan, said('I began with the parser.')], {}, 400)

    expect(lines.join('\n')).toMatch(/User, asked "plan Move dates": Begin with the parser\./)
  })

  it('tells what was found on the way only where no answer closes it', () => {
    const cause = 'The parser in `dates.ts` reads the header of the export twice, once per worker.'
    const entries = [
      typed('Hello.'),
      said('Hello.'),
      typed('Why is it slow?'),
      said(`${cause} I read on.`),
      ran('cat dates.ts'),
    ]

    expect(told(entries).join('\n')).toContain(cause)
    expect(told([...entries, said('The export is slow because workers share no header.')]).slice(-2)).toEqual([
      'User: Why is it slow?',
      'Claude: The export is slow because workers share no header.',
    ])
  })

  it('tells a refusal without a word only where there is nothing else to tell', () => {
    const entries = [typed('Check it.'), ...refused('Bash', 'rm -r build'), said('I leave it as it is.')]

    expect(told(entries).join('\n')).not.toContain('rm -r build')
    expect(told(entries, { isAlone: true })).toContain('User refused `rm -r build`')
  })

  it('tells no prompt of a few words beside its answer, unless it is the last', () => {
    const lines = told([
      typed('run the tests'),
      ran('npm test'),
      said('All 12 tests pass.'),
      typed('go on'),
      said('Done with it.'),
    ])

    expect(lines).toEqual(['Claude: All 12 tests pass.', 'User: go on', 'Claude: Done with it.'])
  })

  it('leaves to Learned what the user refuses again and again', () => {
    const entries = [
      typed('Check it for me.'),
      ...refused('Bash', 'mise run test:all', 'too slow.'),
      said('I ran one test.'),
    ]

    expect(told(entries).join()).toContain('too slow')
    expect(told(entries, { refused: new Set(['mise run test:all']) }).join()).not.toContain('too slow')
  })

  it('tells a commit once: not behind an answer with its hash and title', () => {
    const entries = [typed('Keep the dates in UTC.'), committed('7be65cb9', 'Keep dates in UTC')]

    expect(told([...entries, said('Committed as 7be65cb9: Keep dates in UTC.')]).join()).not.toContain(
      'Committed 7be65cb9 "',
    )
    expect(told([...entries, said('It is committed as 7be65cb9.')]).join()).toContain('Committed 7be65cb9 "')
  })

  it('tells a prompt once that was typed again', () => {
    const asked = 'Find out why the importer drops rows with two dates, and mend it for good.'
    const entries = [typed(asked), used('Edit', 'a.ts'), typed(asked), used('Edit', 'b.ts'), said('It is mended.')]

    expect(told(entries).filter((line) => line.startsWith('User: '))).toEqual([`User: ${asked}`])
  })

  it('that carries out a plan tells its heading and first section, never its steps', () => {
    const plan = '# Plan: Move dates to UTC\n\n## Context\n\nThey are local now.\n\n## Steps\n\n1. Change `a.ts`'

    expect(told([carriesOut(plan), said('All of it is done.')])[0]).toBe(
      'Carried out the approved plan "Move dates to UTC": They are local now.',
    )
    expect(told([carriesOut('# Move dates\n\nLocal now.\n\n- step one'), said('All of it is done.')])[0]).toBe(
      'Carried out the approved plan "Move dates": Local now.',
    )
  })

  it('of a plan tells at most 600 characters of it, in whole sentences', () => {
    const plan = `# Move dates\n\n${'They are local as long as nobody looks. '.repeat(40)}`
    const [line = ''] = told([carriesOut(plan), said('All of it is done.')], {}, 9_000)

    expect(line).toMatch(/nobody looks\.$/)
    expect(line.length).toBeLessThan(660)
  })
})

describe('how a turn ended', () => {
  const PLAN = '# Plan: Move dates\n\nAll of them.'
  const SHOWN = 'Plan shown: "Move dates".'
  it.each([
    ['interrupted', [ran('npm test'), interrupted()], 'Interrupted by the user before an answer.'],
    [
      'stopped at a tool use, or refused without a word',
      [...refused('Bash', 'npm run dev'), interrupted()],
      'Interrupted by the user at `npm run dev`.',
    ],
    ['with a plan that a new session carries out', [...refused('ExitPlanMode', PLAN), interrupted()], SHOWN],
    ['with a plan, refused without a word', refused('ExitPlanMode', PLAN), 'Plan shown: "Move dates".'],
    ['with a begun commit', [used('Bash', 'git commit -m "Fix"', { ok: null })], 'Commit begun: "Fix".'],
    ['without anything', [], 'No closing answer.'],
    ['with a call', [ran('mise run lint')], 'No closing answer; the last command `mise run lint` succeeded.'],
    ['with a failure', [failed('npm test', 'no')], 'No closing answer; the last command `npm test` failed.'],
    ['with a refusal', refused('Bash', 'npm test'), 'No closing answer; the last command `npm test` was refused.'],
    [
      'with an unfinished call',
      [used('Bash', 'npm test', { ok: null })],
      'No closing answer; the last command `npm test` has no result.',
    ],
  ])('is told where there is no closing answer: %s', (_, entries, end) => {
    expect(told([typed('Go on with it.'), ...entries]).at(-1)).toBe(end)
  })

  it('is told behind an answer that was interrupted, without the sentence that was cut off', () => {
    expect(told([typed('Paint it.'), said('It is a red tower. I look at th'), interrupted()])).toEqual([
      'User: Paint it.',
      'Claude: It is a red tower.',
      'Interrupted by the user in the middle of this answer.',
    ])
    const end = 'Interrupted by the user before an answer.'
    expect(told([typed('Paint it.'), said('I look at th'), interrupted()])).toEqual(['User: Paint it.', end])
    expect(told([typed('Run it.'), ...refused('Bash', 'npm run dev'), interrupted()]).join()).not.toContain('refused')
  })

  it('is not told where there is a closing answer, nor of a call in an earlier turn', () => {
    expect(told([typed('Go on.'), ran('ls'), said('That is all of it.')])).toHaveLength(2)
    const lines = told([typed('Run it.'), ran('npm test'), typed('Go on.'), said('That is all of it.')])
    expect(lines.join('\n')).not.toContain('No closing answer')
  })

  it('is never "refused" where the user said nothing', () => {
    const lines = told([typed('Plan it.'), ...refused('ExitPlanMode', PLAN), interrupted()])

    expect(lines.join('\n')).not.toMatch(/refused/i)
  })

  it('is told with the session that carried the plan out', () => {
    expect(told([typed('Plan it.'), ...refused('ExitPlanMode', PLAN)], { carriedOut: 'bbbb2222' }).at(-1)).toBe(
      'Planned here, carried out in [bbbb2222].',
    )
  })
})

describe('the last answer', () => {
  const asked = [typed('Fix the dates.'), said('The dates are UTC now. Shall I commit?')]

  it('is told without its closing question, which is an open issue until it is answered', () => {
    expect(told(asked)[1]).not.toContain('Shall I commit?')
    expect(told([...asked, typed('commit it'), committed('7be65cb9', 'Fix')])[1]).not.toContain('Shall I commit?')
  })
})

describe('a session that runs in another terminal', () => {
  const done = [typed('Fix the dates.'), said('The dates are UTC now.')]

  it('is told without its unfinished turn', () => {
    const unfinished = [...done, typed('And the times.'), said('`times.ts` has 3 zones. I look on.'), ran('ls')]

    expect(told(unfinished, { isRunning: true }).join('\n')).not.toContain('times')
    expect(told(unfinished).join('\n')).toContain('times')
  })

  it('is told with its last finished one', () => {
    expect(told(done, { isRunning: true })).toEqual(told(done))
  })
})

describe('a model’s note', () => {
  const entries = [
    typed('Fix the dates.'),
    said('The dates are UTC now.'),
    typed('And the times.'),
    said('The times are UTC, too.'),
  ]
  const about = (from: number, to: number): TellOptions['notes'][number] => ({
    ...note(from, '2026-01-13', 'Dates became UTC because exports mixed zones.'),
    to,
  })

  it('stands for the turns that it covers, and nothing of these is told twice', () => {
    expect(told(entries, { notes: [about(0, 2)] })).toEqual([
      'Note (written by Claude): Dates became UTC because exports mixed zones.',
      'User: And the times.',
      'Claude: The times are UTC, too.',
    ])
    expect(told(entries, { notes: [about(0, 4)] })).toHaveLength(1)
  })

  it('that ends inside a turn does not hide how the turn ended', () => {
    expect(told(entries, { notes: [about(0, 3)] }).slice(1)).toEqual(['Claude: The times are UTC, too.'])
    const commit = [typed('commit it'), committed('7be65cb9', 'Keep all in UTC')]
    expect(told([...entries, ...commit], { notes: [about(0, 4)] }).slice(1)).toEqual([
      'Committed 7be65cb9 "Keep all in UTC"',
    ])
  })

  it('that covers nothing stands for nothing', () => {
    expect(told(entries, { notes: [{ ...about(0, 0), to: 0 }] })).toEqual(told(entries))
  })

  it('by a person is told as a person’s', () => {
    expect(told(entries, { notes: [{ ...about(0, 4), author: 'user' }] })[0]).toMatch(/^Note \(by the user\): /)
  })
})

describe('little room', () => {
  const entries = Array.from({ length: 20 }, (_, i) => [
    typed(`Please take step ${i} of the long plan now.`),
    said(`Step ${i} is done. It took a while, and all of its many tests passed in the end.`),
  ]).flat()

  it('tells the first turn and the last ones, and gives the last ones more', () => {
    const lines = told(entries, {}, 1_000)

    expect(lines[0]).toContain('step 0')
    expect(lines.at(-1)).toMatch(/^Claude: Step 19 is done\. It took/)
    expect(lines.join('\n')).not.toContain('step 5 ')
  })

  it('leaves a line out rather than stumping it', () => {
    for (const room of [40, 90, 150, 220, 400])
      for (const line of told(entries, {}, room)) expect(line).toMatch(/[.…]$/)
  })
})

describe('a session in which anything happened', () => {
  const notes = fc.array(fc.record({ from: fc.nat(9), length: fc.nat(9), text: wildText }), { maxLength: 2 })

  it('costs no more than its room', () => {
    fc.assert(
      fc.property(
        wildSession,
        fc.integer({ min: -50, max: 4_000 }),
        notes,
        fc.boolean(),
        (entries, room, some, run) => {
          const story = storyOf('aaaa1111', numbered(entries))
          const lines = tellSession(story, room, {
            isAnnouncement: announcementsIn([story]),
            least: 2,
            notes: some.map(({ from, length, text }) => ({ ...note(from, '2026-01-13', text), to: from + length })),
            carriedOut: '',
            isRunning: run,
            isAlone: run,
            refused: new Set(),
          })

          expect(lines.reduce((sum, line) => sum + costOfLine(line), 0)).toBeLessThanOrEqual(Math.max(0, room))
        },
      ),
      { numRuns: 400 },
    )
  })

  it('tells nothing of an entry that a note covers', () => {
    fc.assert(
      fc.property(wildSession, fc.nat(9), fc.integer({ min: 1, max: 9 }), (entries, from, length) => {
        const story = storyOf('aaaa1111', numbered(entries))
        const notes = [{ ...note(from, '2026-01-13', 'It was told.'), to: from + length }]
        const lines = tellSession(story, 3_000, { ...OPTIONS, notes })

        expect(lines.filter(({ kind }) => kind === 'note')).toHaveLength(1)
        for (const { kind, source } of lines) {
          if (kind === 'note' || kind === 'commit' || kind === 'end') continue
          const n = Number(source.split('#')[1])
          expect([source, n < from || n >= from + length]).toEqual([source, true])
        }
      }),
      { numRuns: 200 },
    )
  })

  it('tells whole units of what was said, or a beginning that ends at a clause', () => {
    fc.assert(
      fc.property(wildSession, fc.integer({ min: 100, max: 3_000 }), (entries, room) => {
        const story = storyOf('aaaa1111', numbered(entries))
        const units = chaptersOf(story).flatMap(({ turn, answer }) => [...typedUnits(turn.asked), ...unitsOf(answer)])
        const known = units.map(({ text }) => textOnOneLine(text))
        for (const { kind, text } of tellSession(story, room, OPTIONS)) {
          if (kind !== 'asked' && kind !== 'answer') continue
          const words = textOnOneLine(text)
          const cut = words.replace(/ …$/, '')
          const isWhole = known.some((unit) => unit !== '' && words.startsWith(unit))
          const isEnd = known.some((unit) => unit !== '' && words.endsWith(unit))
          const isClause = words.endsWith(' …') && known.some((unit) => unit.startsWith(cut))
          expect([words, (isWhole && isEnd) || isClause]).toEqual([words, true])
        }
      }),
      { numRuns: 300 },
    )
  })
})
