/** Current State: which sessions are told, how much room each gets, and what their heads say. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { BriefingInput, StoryInput } from '../../../src/core/briefing/briefing-input.ts'
import { carriedOutIn, chooseSessions, stateLines } from '../../../src/core/briefing/current-state.ts'
import type { Entry } from '../../../src/kernel/transcript/session.ts'
import { input, note, wildInput } from '../../support/briefing.ts'
import { carriesOut, inputOf, interrupted, ran, refused, said, typed, used } from '../../support/story.ts'

const WORK = [typed('Fix the dates.'), said('The dates are UTC now.')]

/** Ends a minute after that hour of the fifteenth; negative: of the days before. */
function session(id8: string, hour: number, branch = 'main', entries: readonly Entry[] = WORK): StoryInput {
  const from = new Date(Date.UTC(2026, 0, 15, hour)).toISOString()
  return inputOf(entries, { id8, branch, from })
}

const chosen = (stories: readonly StoryInput[], branch: string | null = 'main'): (string | undefined)[] => {
  const { main, second } = chooseSessions(stories, branch)
  return [main?.story.id8, second?.story.id8]
}
const lines = (stories: readonly StoryInput[], more: Partial<BriefingInput> = {}, room = 4_000): string[] =>
  stateLines(input({ stories, ...more }), room).map(({ text }) => text)

describe('the line of the project', () => {
  it('is left out where its names take more than the room', () => {
    expect(lines([], { project: 'engine', version: null, branch: 'main' })).toEqual(['- engine, branch main'])
    expect(lines([], { project: 'engine', branch: 'a long name '.repeat(20) }, 200)).toEqual([])
  })
})

describe('the main session', () => {
  it('is the newest of this branch, with a newer one elsewhere as the second', () => {
    expect(chosen([session('bbbb2222', 12, 'other'), session('aaaa1111', 2)])).toEqual(['aaaa1111', 'bbbb2222'])
  })

  it('is the newest of all if the one of this branch ended more than three days before', () => {
    expect(chosen([session('bbbb2222', 12, 'other'), session('aaaa1111', -61)])).toEqual(['bbbb2222', undefined])
    expect(chosen([session('bbbb2222', 12, 'other'), session('aaaa1111', -59)])).toEqual(['aaaa1111', 'bbbb2222'])
  })

  it('is the newest where no branch is known', () => {
    expect(chosen([session('bbbb2222', 12, 'other'), session('aaaa1111', 11)], null)).toEqual(['bbbb2222', 'aaaa1111'])
    expect(chosen([])).toEqual([undefined, undefined])
  })
})

describe('the second session', () => {
  it('is the one before on the same branch, however old', () => {
    expect(chosen([session('bbbb2222', 12), session('aaaa1111', -200)])).toEqual(['bbbb2222', 'aaaa1111'])
  })

  it('is one of another branch if it ended less than three hours before', () => {
    expect(chosen([session('bbbb2222', 12), session('aaaa1111', 10, 'other')])).toEqual(['bbbb2222', 'aaaa1111'])
    expect(chosen([session('bbbb2222', 12), session('aaaa1111', 8, 'other')])).toEqual(['bbbb2222', undefined])
  })
})

describe('a session that nobody typed in', () => {
  it('is neither main nor second', () => {
    const headless = session('cccc3333', 13, 'main', [typed('Sum it up.', { sent: true }), said('A summary of it.')])

    expect(chosen([headless, session('bbbb2222', 12)])).toEqual(['bbbb2222', undefined])
    expect(lines([headless])).toEqual(['- engine, version 1.4.2, branch main'])
  })

  it('with only our own turns is neither', () => {
    const ours = session('cccc3333', 13, 'main', [typed('/memory-keeper:memory-facts'), said('Three facts.')])

    expect(chosen([ours, session('bbbb2222', 12)])).toEqual(['bbbb2222', undefined])
  })
})

describe('a plan that was shown', () => {
  const PLAN = '# Plan: Move dates\n\nAll of them.'
  const slug = { slug: 'calm-river' }
  const planned = (hour: number, entries = refused('ExitPlanMode', PLAN)): StoryInput =>
    session('aaaa1111', hour, 'main', [typed('Plan it.', slug), ...entries, interrupted()])
  const carrying = (hour: number, plan = PLAN, more = {}): StoryInput =>
    session('bbbb2222', hour, 'main', [carriesOut(plan, more), said('All of it is done.')])

  it('is carried out by the later session whose plan has its heading, whenever that was', () => {
    expect(carriedOutIn(planned(9), [carrying(14), planned(9)])).toBe('bbbb2222')
    expect(carriedOutIn(planned(9), [carrying(7), planned(9)])).toBe('')
    expect(carriedOutIn(planned(9), [carrying(14, '# Plan: Another\n\nThing.'), planned(9)])).toBe('')
  })

  it('is carried out by a plan of the same slug only within five minutes', () => {
    const other = '# Plan: Dates, all of them\n\nThing.'
    const minutesLater = (minutes: number): StoryInput =>
      inputOf([carriesOut(other, slug), said('Done, all of it.')], {
        id8: 'bbbb2222',
        from: new Date(Date.UTC(2026, 0, 15, 9, 2 + minutes)).toISOString(),
      })

    expect(carriedOutIn(planned(9), [minutesLater(5), planned(9)])).toBe('bbbb2222')
    expect(carriedOutIn(planned(9), [minutesLater(6), planned(9)])).toBe('')
  })

  it('is told so, and never as refused', () => {
    const text = lines([carrying(14), planned(9)]).join('\n')

    expect(text).toContain('Planned here, carried out in [bbbb2222].')
    expect(text).toContain('Carried out the approved plan "Move dates": All of them.')
    expect(text).not.toMatch(/refused|interrupted/i)
    expect(lines([planned(9)]).at(-1)).toBe('  Plan shown: "Move dates".')
  })

  it('is carried out by a session that begins before the last line of this one is written, as the host does it', () => {
    const at = (ms: number): { ts: string } => ({ ts: new Date(Date.UTC(2026, 0, 15, 9, 0, 3, ms)).toISOString() })
    const marks = [...refused('ExitPlanMode', PLAN), interrupted()].map((entry) => ({ ...entry, ...at(968) }))
    const shown = inputOf([typed('Plan it.', { ...slug, ...at(95) }), ...marks], { id8: 'aaaa1111' })
    const carries = inputOf([carriesOut(PLAN, at(961)), { ...said('All of it is done.'), ...at(990) }], {
      id8: 'bbbb2222',
    })

    expect(carriedOutIn(shown, [carries, shown])).toBe('bbbb2222')
  })
})

describe('what is told', () => {
  it('begins with the project, and a head for each session', () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
    const edits = names.map((name) => used('Edit', `/app/src/${name}.ts`))
    const busy = session('bbbb2222', 12, 'fix/dates', [typed('Fix the dates.'), ...edits, said('They are UTC now.')])

    expect(lines([busy, session('aaaa1111', 10)], { branch: 'fix/dates' })).toEqual([
      '- engine, version 1.4.2, branch fix/dates',
      '- 01-15 12:00–12:09 [bbbb2222], 1 prompt, changed h.ts, g.ts, f.ts, e.ts, d.ts, c.ts and 2 more',
      '  User: Fix the dates.',
      '  Claude: They are UTC now.',
      '- 01-15 10:00–10:01 [aaaa1111] on main, 1 prompt',
      '  User: Fix the dates.',
      '  Claude: The dates are UTC now.',
    ])
  })

  it('says that a session runs in another terminal', () => {
    const running = { ...session('aaaa1111', 9, 'main', [...WORK, typed('And times.'), ran('ls')]), isRunning: true }

    expect(lines([running])).toEqual([
      expect.any(String),
      '- 01-15 09:00–09:03 [aaaa1111], running now in another terminal, 2 prompts',
      '  User: Fix the dates.',
      '  Claude: The dates are UTC now.',
    ])
  })

  it('gives main three quarters, and the second what main leaves', () => {
    const long = (id8: string, hour: number): StoryInput =>
      session(
        id8,
        hour,
        'main',
        Array.from({ length: 20 }, (_, i) => [
          typed(`Please take step ${i} of the plan.`),
          said(`Step ${i} is done. ${'It was long, and it is tested. '.repeat(9)}`),
        ]).flat(),
      )
    const told = lines([long('bbbb2222', 12), long('aaaa1111', 9)], {}, 4_000)
    const second = told.findIndex((line) => line.includes('aaaa1111'))
    const lengthOf = (some: readonly string[]): number => some.join('\n').length

    expect(lengthOf(told)).toBeLessThanOrEqual(4_000)
    expect(lengthOf(told.slice(1, second))).toBeGreaterThan(2_200)
    expect(lengthOf(told.slice(1, second))).toBeLessThanOrEqual(3_000)
    expect(lengthOf(told.slice(second))).toBeGreaterThan(600)
  })

  it('names the entry of each line, so that a decision about it is not told twice', () => {
    const told = stateLines(input({ stories: [session('aaaa1111', 9)] }), 4_000)

    expect(told.map(({ about, reason }) => [about, reason])).toEqual([
      [undefined, 'project, version, branch'],
      [undefined, 'session aaaa1111'],
      ['aaaa1111#0', 'asked by user, aaaa1111#0'],
      ['aaaa1111#1', 'answer by claude, aaaa1111#1'],
    ])
  })

  it('ends with where it stands as a model wrote it, if its notes cover the end', () => {
    const written = { ...session('aaaa1111', 9), stands: 'Dates are done, times are next.' }
    const notes = [note(0, '2026-01-15', 'Dates became UTC.')]

    expect(lines([{ ...written, notes }]).at(-1)).toBe('  Note (where it stands): Dates are done, times are next.')
    expect(lines([{ ...written, notes: [] }]).join('\n')).not.toContain('where it stands')
    const early = [{ ...note(0, '2026-01-15', 'Dates became UTC.'), to: 1 }]
    const longer = session('aaaa1111', 9, 'main', [...WORK, ...WORK])
    expect(lines([{ ...longer, stands: 'Old.', notes: early }]).join('\n')).not.toContain('where it stands')
  })

  it('does not end with where it stood before the last answer', () => {
    const notes = [{ ...note(0, '2026-01-15', 'Dates became UTC.'), to: 1 }]
    const written = { ...session('aaaa1111', 9), notes, stands: 'Dates are next.' }

    expect(lines([written]).join('\n')).not.toContain('where it stands')
  })

  it('leaves out where it stands if that is longer than the room', () => {
    const notes = [note(0, '2026-01-15', 'Dates became UTC.')]
    const told = lines([{ ...session('aaaa1111', 9), notes, stands: 'Dates are done. '.repeat(40) }], {}, 500)

    expect(told.join('\n')).toContain('Dates became UTC.')
    expect(told.join('\n').length).toBeLessThanOrEqual(500)
  })

  it('is the project alone where there is no room', () => {
    expect(lines([session('aaaa1111', 9)], {}, 100)).toEqual(['- engine, version 1.4.2, branch main'])
  })
})

it('the current state fits into its room, whatever happened', () => {
  fc.assert(
    fc.property(wildInput, fc.integer({ min: 600, max: 5_000 }), (given, room) => {
      const told = stateLines({ ...given, project: 'engine', branch: 'main' }, room)

      expect(told.reduce((sum, { text }) => sum + text.length + 1, 0)).toBeLessThanOrEqual(room)
    }),
    // An input has about a hundred wild texts; making one takes longer than the lines.
    { numRuns: 100 },
  )
})
