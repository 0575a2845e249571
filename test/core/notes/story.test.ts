/** A session as turns: what was asked, what came of it, and how it ended. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Chapter, changedIn, chaptersOf, whereItStands } from '../../../src/core/notes/chapters.ts'
import { headingOf, storyOf } from '../../../src/core/notes/story.ts'
import { type Entry, isBareCommand, isOurCall } from '../../../src/kernel/transcript/session.ts'
import { isHostText } from '../../../src/kernel/transcript/words.ts'
import { wildSession } from '../../support/briefing.ts'
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

const chapters = (...entries: Entry[]): readonly Chapter[] => chaptersOf(storyWith(entries))
const only = (...entries: Entry[]): Chapter => {
  const [chapter, ...others] = chapters(...entries)
  if (chapter === undefined || others.length > 0) throw new Error(`${others.length + 1} chapters`)
  return chapter
}
const asked = (...entries: Entry[]): string[] => chapters(...entries).map(({ turn }) => turn.asked)

describe('the closing answer', () => {
  it('is the last text of a turn, if no tool use follows it', () => {
    const { answer, isMade, answerN } = only(
      typed('Fix the dates.'),
      said('I look at it.'),
      ran('cat a.ts'),
      said('The dates are fixed.'),
    )

    expect([answer, isMade, answerN]).toEqual(['The dates are fixed.', false, 3])
  })

  it('is none where a tool use follows the last text: that only announced it', () => {
    const { turn, answer } = only(typed('Fix the dates.'), said('Now I run the tests.'), ran('npm test'))

    expect([turn.answer, answer]).toEqual(['', ''])
  })

  it.each([
    ['a to-do', used('TodoWrite', '', { items: [{ text: 'Dates', state: 'completed' }] })],
    ['a changed task', used('TaskUpdate', '1')],
    ['a saved note', used('mcp__plugin_memory-keeper_memory__save_note', 'dates')],
  ])('does not lose its place to %s behind it', (_, use) => {
    expect(only(typed('Fix the dates.'), said('The dates are fixed.'), use).turn.answer).toBe('The dates are fixed.')
  })

  it('is the text before Claude saved a memory, not what it says about saving', () => {
    const { turn } = only(
      typed('Fix the dates.'),
      ran('npm test'),
      said('The dates are fixed.'),
      used('mcp__plugin_memory-keeper_memory__save_note', 'dates'),
      said('Saved.'),
    )

    expect(turn.answer).toBe('The dates are fixed.')
  })

  it('is never a text of the machine', () => {
    const machine: Entry = { role: 'assistant', by: 'machine', ts: '', text: 'API Error: overloaded' }

    expect(only(typed('Fix the dates.'), said('Done.'), machine).turn.answer).toBe('Done.')
  })
})

describe('a turn without a closing answer', () => {
  it('borrows the answer of the git turn behind it, and its commits', () => {
    const { turn, answer, answerN, commits } = only(
      typed('Fix the dates.'),
      used('Edit', 'src/dates.ts'),
      typed('commit it'),
      committed('7be65cb9', 'Fix the dates'),
      said('Committed: dates are UTC now.'),
    )

    expect([turn.asked, answer, answerN]).toEqual(['Fix the dates.', 'Committed: dates are UTC now.', 4])
    expect(commits).toEqual([{ hash: '7be65cb9', title: 'Fix the dates', isBegun: false }])
  })

  it('is told by the body of its commit message, without the lines that name people or programs', () => {
    const message = 'Fix the dates\n\nThey were local before.\n\nCo-Authored-By: Somebody <a@example.org>'
    const cmd = `git commit -m "$(cat <<'EOF'\n${message}\nEOF\n)"`
    const { answer, isMade } = only(typed('Fix the dates and commit.'), ran(cmd, '[main 7be65cb9] Fix the dates'))

    expect([answer, isMade]).toEqual(['They were local before.', true])
  })

  it('is told by the concrete sentences of its last three texts, without what each announces', () => {
    const { answer, isMade } = only(
      typed('Fix the dates.'),
      said('Too old: `zero.ts` is fine. I look on.'),
      ran('ls'),
      said('`first.ts` parses twice. It is slow. I look on.'),
      ran('ls'),
      said('`second.ts` keeps 3 copies. I read more.'),
      ran('ls'),
      said('`third.ts` is right. I run the linter.'),
      ran('run linter'),
    )

    expect([answer, isMade]).toEqual([
      '`first.ts` parses twice.\n`second.ts` keeps 3 copies.\n`third.ts` is right.',
      true,
    ])
  })

  it('keeps the last sentence of its last text where no later command shares a word with it', () => {
    const turn = [typed('Fix it.'), said('The limit is 300 ms now.'), ran('npm test')]

    expect(only(...turn).answer).toBe('The limit is 300 ms now.')
    expect(only(...turn, interrupted()).answer).toBe('')
  })
})

describe('a git turn', () => {
  const work = [typed('Fix the dates.'), used('Edit', 'src/dates.ts'), said('The dates are fixed.')]
  const commit = [committed('7be65cb9', 'Fix the dates'), said('Committed.')]

  it('stands with its commit behind the turn before', () => {
    const { turn, answer, commits } = only(...work, typed('commit and push'), ...commit, ran('git push'))

    expect([turn.asked, answer, commits.map(({ hash }) => hash)]).toEqual([
      'Fix the dates.',
      'The dates are fixed.',
      ['7be65cb9'],
    ])
  })

  it('may contain skills and to-dos', () => {
    const uses = [used('Skill', 'commit'), used('TodoWrite', ''), ...commit]

    expect(asked(...work, typed('commit'), ...uses)).toEqual(['Fix the dates.'])
  })

  it('is told by itself if its prompt is long, unless its answer was lent', () => {
    const long = 'Commit this with a title that names the cause, and push it.'

    expect(asked(...work, typed(long), ...commit)).toEqual(['Fix the dates.', long])
    expect(asked(...work.slice(0, 2), typed(long), ...commit)).toEqual(['Fix the dates.'])
  })

  it('is none if anything else was done in it, or if it only looked', () => {
    expect(asked(...work, typed('commit it'), ran('npm test'), ...commit)).toHaveLength(2)
    expect(asked(...work, typed('what changed?'), ran('git diff'), said('One file.'))).toHaveLength(2)
  })
})

describe('commits', () => {
  const commitsOf = (cmd: string, output = '', ok: boolean | null = true): string[] =>
    only(typed('Go on with it.'), used('Bash', cmd, { ok, output })).commits.map(
      ({ hash, title, isBegun }) => `${hash} ${title}${isBegun ? ' (begun)' : ''}`,
    )

  it.each([
    ['as git reports them', 'git commit -m "Fix"', '[main 7be65cb9] Fix the dates', ['7be65cb9 Fix the dates']],
    ['the first of a repository', 'git commit -m "Fix"', '[main (root-commit) 7be65cb] Fix', ['7be65cb Fix']],
    ['quiet ones by their title', 'git commit -qm "Fix"', '', [' Fix']],
    ['amended ones', 'git commit --amend --no-edit', '[x 7be65cb9] Fix', ['7be65cb9 Fix']],
  ])('are told %s', (_, cmd, output, told) => {
    expect(commitsOf(cmd, output)).toEqual(told)
  })

  it.each([
    ['into a repository that the command makes', 'cd "$(mktemp -d)" && git init -q && git commit -m "Fix"'],
    ['into a repository of its own', 'git init && git commit -m "Fix"'],
    ['in a temporary directory', 'cd /tmp/try && git commit -m "Fix"'],
    ['of a directory given to git', 'git -C /tmp/try commit -m "Fix"'],
    ['that only a text mentions', 'echo "[main 7be65cb9] a commit"'],
  ])('are not those %s', (_, cmd) => {
    expect(commitsOf(cmd, '[main 7be65cb9] Fix')).toEqual([])
  })

  it('that failed are not told, those without a result have begun', () => {
    expect(commitsOf('git commit -m "Fix"', 'nothing to commit', false)).toEqual([])
    expect(commitsOf('git commit -m "Fix"', '', null)).toEqual([' Fix (begun)'])
  })

  it('come with the pull request that was opened', () => {
    const { pulls } = only(typed('Open it.'), ran('gh pr create --fill', 'https://example.org/o/r/pull/31'))

    expect(pulls).toEqual(['#31'])
  })
})

describe('a prompt', () => {
  it('typed again after an interruption counts once, if nothing was done in between', () => {
    expect(asked(typed('Fix the dates.'), interrupted(), typed('Fix the dates.'), said('Done.'))).toEqual([
      'Fix the dates.',
    ])
    const begin = 'Fix the dates of the export, which have been wrong since the last week'
    const again = [typed(`${begin}.`), interrupted(), typed(`${begin}, all of them.`), said('Done.')]
    expect(asked(...again)).toEqual([`${begin}, all of them.`])
  })

  it('typed again counts twice if something was done, or answered', () => {
    expect(asked(typed('Next.'), ran('npm test'), interrupted(), typed('Next.'), said('Done.'))).toHaveLength(2)
    expect(asked(typed('Next.'), said('One.'), typed('Next.'), said('Two.'))).toHaveLength(2)
  })

  it('typed again counts twice if the user said something about it in between', () => {
    const first = [typed('Check it.'), ...refused('Bash', 'npm test', 'too slow.'), interrupted()]

    expect(chapters(...first, typed('Check it.'), said('Done.'))[0]?.turn.comments).toHaveLength(1)
  })

  it('that waited in the queue begins a turn, and is marked: the host does not say who typed it', () => {
    const story = storyWith([
      typed('Fix the dates.'),
      said('Done.'),
      typed('And the times.', { via: 'queue', by: 'machine' }),
      said('Done, too.'),
      typed('And the rest.', { via: 'queue' }),
      said('All done.'),
    ])

    expect(story.turns.map(({ asked: words, isOthers }) => [words, isOthers])).toEqual([
      ['Fix the dates.', false],
      ['And the times.', true],
      ['And the rest.', false],
    ])
  })

  it.each([
    ['a hook that stopped', 'Operation stopped by hook: not now'],
    ['an interruption', '[Request interrupted by user for tool use]'],
  ])('is not the host’s sentence about %s', (_, text) => {
    expect(asked(typed('Fix the dates.'), ran('npm test'), typed(text), said('Stopped.'))).toEqual(['Fix the dates.'])
  })

  it('that only commands the host is no turn', () => {
    expect(asked(typed('/clear'), typed('Fix the dates.'), said('Done.'))).toEqual(['Fix the dates.'])
  })
})

describe('our own turns', () => {
  const work = [typed('Fix the dates.'), said('The dates are fixed.')]

  it('are left out, and never where it stands', () => {
    const story = storyWith([...work, typed('/memory-keeper:memory-facts'), said('Three facts are known.')])

    expect(story.turns.map((turn) => turn.asked)).toEqual(['Fix the dates.'])
    expect(whereItStands(story)?.answer).toBe('The dates are fixed.')
    expect(story.prompts).toBe(1)
  })

  it('do not count as work where Claude saved something by itself', () => {
    const save = used('mcp__plugin_memory-keeper_memory__save_note', 'The dates are UTC.')
    const { turn, commits } = only(...work, typed('commit it'), save, committed('7be65cb9', 'Fix the dates'))

    expect([turn.asked, commits.length]).toEqual(['Fix the dates.', 1])
  })
})

describe('a plan', () => {
  const PLAN = '# Plan: Move dates to UTC\n\nThey are local now.\n\n## Steps\n1. Change them'

  it('that was shown is neither refused nor approved', () => {
    const { turn } = only(typed('Plan it.'), ...refused('ExitPlanMode', PLAN), interrupted())

    expect([turn.shown, turn.comments]).toEqual(['Move dates to UTC', []])
  })

  it('is refused only with the user’s comment', () => {
    const { turn } = only(typed('Plan it.'), ...refused('ExitPlanMode', PLAN, 'Keep the old field.'))

    expect(turn.shown).toBe('')
    expect(turn.comments).toEqual([{ n: 1, kind: 'plan', target: 'Move dates to UTC', text: 'Keep the old field.' }])
  })

  it('that was approved is no longer shown', () => {
    const { turn } = only(typed('Plan it.'), used('ExitPlanMode', PLAN), said('I begin.'))

    expect([turn.shown, turn.comments]).toEqual(['', []])
  })

  it('that the next session carries out is its first prompt, by its heading', () => {
    const story = storyWith([carriesOut(PLAN, { slug: 'calm-river' }), said('It is done.')])

    expect(story.turns[0]).toMatchObject({ asked: 'Move dates to UTC', plan: { heading: 'Move dates to UTC' } })
    expect([story.slugs.has('calm-river'), story.prompts]).toEqual([true, 1])
  })

  it('begins its session, also behind the refusal that the host leaves of the session before', () => {
    const orphan = used('tool', '', { ok: false, refused: true })
    const story = storyWith([orphan, interrupted(), carriesOut(PLAN), said('It is done.')])

    expect(story.turns.map(({ plan }) => plan?.heading)).toEqual(['Move dates to UTC'])
  })

  it.each([
    ['# Plan: Move dates', 'Move dates'],
    ['## Implementation Plan: Move **dates**', 'Move dates'],
    ['Move dates', 'Move dates'],
  ])('with the first line %s has its heading', (line, heading) => {
    expect(headingOf(line)).toBe(heading)
  })
})

describe('comments', () => {
  it('tell what was refused, and the words about it', () => {
    const { turn } = only(
      typed('Check it.'),
      ...refused('Bash', 'mise run  test:all', 'too slow.'),
      ...refused('Edit', 'src/a.ts', 'not there.'),
      said('I leave it.'),
    )

    expect(turn.comments.map(({ kind, target, text }) => [kind, target, text])).toEqual([
      ['refused', 'mise run test:all', 'too slow.'],
      ['refused', 'Edit src/a.ts', 'not there.'],
    ])
  })

  it('are also what the user chose in a dialog', () => {
    const { turn } = only(typed('Build it.'), ...chose('Which store?', 'Files (Recommended)'), said('Files it is.'))

    expect(turn.comments).toEqual([{ n: 2, kind: 'answer', target: 'Which store?', text: 'Files' }])
  })
})

describe('a session', () => {
  it('is headless if programs sent all of its prompts', () => {
    const sent = typed('Summarise this.', { sent: true })

    expect(storyWith([sent, said('A summary.')]).isHeadless).toBe(true)
    expect(storyWith([sent, said('A summary.'), typed('And this.'), said('Another.')]).isHeadless).toBe(false)
    expect(storyWith([said('Hello.')]).isHeadless).toBe(false)
  })

  it('names the branch of its last prompt, its time and its files, the newest last', () => {
    const story = storyWith(
      [
        typed('Fix the dates.'),
        used('Edit', '/app/src/a.ts'),
        used('Write', 'b.ts'),
        used('Edit', 'C:\\app\\a.ts'),
        used('Edit', 'c.ts', { ok: false }),
        used('Write', '/home/me/.claude/plans/calm-river.md'),
        { ...said('Done.'), branch: 'main' },
      ],
      { from: '2026-01-13T09:00:00.000Z', branch: 'fix/dates' },
    )

    expect(changedIn(story)).toEqual(['b.ts', 'a.ts'])
    expect([story.branch, story.from, story.to]).toEqual([
      'fix/dates',
      '2026-01-13T09:00:00.000Z',
      '2026-01-13T09:06:00.000Z',
    ])
  })

  it('that begins inside a turn tells that turn without a prompt', () => {
    expect(asked(ran('npm test'), said('All pass.'), typed('Good. Next?'), said('Nothing.'))).toEqual([
      '',
      'Good. Next?',
    ])
  })
})

describe('where it stands', () => {
  const stands = (...entries: Entry[]): string => whereItStands(storyWith(entries))?.turn.asked ?? ''

  it('is the last turn with an answer, or the one that was interrupted', () => {
    const work = [typed('Fix the dates.'), said('The dates are fixed.')]

    expect(stands(...work, typed('run the tests'), ran('npm test'))).toBe('Fix the dates.')
    expect(stands(...work, typed('run the tests'), ran('npm test'), interrupted())).toBe('run the tests')
    expect(stands(...work, typed('push it'), ran('git push'))).toBe('Fix the dates.')
    expect(stands()).toBe('')
  })
})

describe('a story of any entries', () => {
  it('loses no typed prompt: each begins one turn, unless it is ours, a bare command or a repeat', () => {
    fc.assert(
      fc.property(wildSession, (entries) => {
        const { turns } = storyOf('aaaa1111', numbered(entries))
        const starts = new Map(turns.map((turn) => [turn.n, turn]))
        expect(starts.size).toBe(turns.length)
        for (const [n, entry] of entries.entries()) {
          if (entry.role !== 'user' || entry.via !== undefined || entry.plan === true) continue
          const words = entry.text.trim()
          if (words === '' || isOurCall(words) || isBareCommand(words) || isHostText(words)) continue
          const next = turns.find((turn) => turn.n > n)
          const isRepeat = next?.asked.slice(0, 50) === words.slice(0, 50)
          if (!isRepeat) expect(starts.get(n)?.asked).toBe(words)
        }
      }),
      { numRuns: 400 },
    )
  })

  it('tells each commit and each comment once, and no answer that stands nowhere', () => {
    fc.assert(
      fc.property(wildSession, (entries) => {
        const story = storyOf('aaaa1111', numbered(entries))
        const all = chaptersOf(story)
        const count = (some: readonly { commits: readonly unknown[] }[]): number =>
          some.reduce((sum, { commits }) => sum + commits.length, 0)
        expect(count(all)).toBe(count(story.turns))
        for (const { answer, isMade } of all)
          if (answer !== '' && !isMade)
            expect(entries.some((entry) => entry.role === 'assistant' && entry.text.startsWith(answer))).toBe(true)
        const comments = all.flatMap(({ turn }) => turn.comments)
        expect(comments).toHaveLength(story.turns.flatMap((turn) => turn.comments).length)
      }),
      { numRuns: 300 },
    )
  })

  it('is the same for the same entries', () => {
    const entries = [typed('Fix it.'), failed('npm test', 'a.ts:3 wrong'), said('Fixed.')]

    expect(storyOf('aaaa1111', numbered(entries))).toEqual(storyOf('aaaa1111', numbered(entries)))
  })
})
