/** What is open is what the last turn left, and nothing else. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type OpenWork, openWorkOf } from '../../../src/core/notes/open-work.ts'
import { storyOf } from '../../../src/core/notes/story.ts'
import type { Entry, TaskItem } from '../../../src/kernel/transcript/session.ts'
import { wildSession } from '../../support/briefing.ts'
import { committed, failed, numbered, ran, refused, said, storyWith, typed, used } from '../../support/story.ts'

const open = (entries: readonly Entry[], isCarriedOut = false): OpenWork[] =>
  openWorkOf(storyWith(entries), isCarriedOut, null)
const texts = (...entries: Entry[]): string[] => open(entries).map(({ text }) => text)
const toDo = (...items: TaskItem[]): Entry => used('TodoWrite', '', { items })

describe('a question', () => {
  const asked = [typed('Fix the dates.'), said('They are fixed. Shall I fix the times, too?')]

  it('with which the last answer ends is open', () => {
    expect(open(asked)).toEqual([{ kind: 'question', text: 'Shall I fix the times, too?', source: 'aaaa1111#1' }])
  })

  it('is closed if its plan was carried out later, or if something was said since', () => {
    expect(open(asked, true)).toEqual([])
    expect(texts(...asked, typed('No.'), said('Fine.'))).toEqual([])
  })

  it('is closed by the git turn that answers it', () => {
    const committing = [typed('yes, commit it'), committed('7be65cb9', 'Fix the dates'), said('Committed.')]

    expect(texts(...asked, ...committing)).toEqual([])
    expect(texts(...asked.slice(0, 1), ...committing, said('Shall I push it?'))).toEqual(['Shall I push it?'])
  })

  it('in the middle of an answer, or between tool uses, is none', () => {
    expect(texts(typed('Fix it.'), said('Is it the cache? It is. It is fixed.'))).toEqual([])
    expect(texts(typed('Fix it.'), said('Is it `a.ts`?'), ran('ls'))).toEqual([])
  })

  it('of a dialog that nobody answered is open', () => {
    expect(texts(typed('Fix it.'), used('AskUserQuestion', 'Which store?', { ok: null }))).toEqual(['Which store?'])
    expect(texts(typed('Fix it.'), used('AskUserQuestion', 'Which store?'), said('Files.'))).toEqual([])
  })

  it('of a dialog that nobody answered stays open when Claude goes on without an answer', () => {
    const asked = used('AskUserQuestion', 'Which store?', { ok: null })
    expect(open([typed('Fix it.'), asked, ran('ls'), said('I took files.')])).toEqual([
      { kind: 'question', text: 'Which store?', source: 'aaaa1111#1' },
    ])
    expect(texts(typed('Fix it.'), asked, asked, said('I took files. Is that right?'))).toEqual([
      'Which store?',
      'Is that right?',
    ])
    // The same question, asked again and answered.
    expect(texts(typed('Fix it.'), asked, used('AskUserQuestion', 'Which store?'), said('Files.'))).toEqual([])
    expect(texts(typed('Fix it.'), asked, said('I took files.'), typed('No, a table.'), said('A table.'))).toEqual([])
  })
})

describe('a task', () => {
  const begun = [typed('Do all.'), toDo({ text: 'Read', state: 'completed' }, { text: 'Write', state: 'in_progress' })]

  it('that the last turn left undone is open', () => {
    expect(open([...begun, said('I stop here.')])).toEqual([{ kind: 'task', text: 'Write', source: 'aaaa1111#1' }])
  })

  it('of an earlier turn is a leftover, and not told', () => {
    expect(texts(...begun, said('I stop here.'), typed('Thanks.'), said('Welcome.'))).toEqual([])
  })

  it('that was completed or deleted is not open', () => {
    expect(texts(...begun, toDo({ text: 'Write', state: 'completed' }), said('Done.'))).toEqual([])
  })
})

describe('a failing task of a runner', () => {
  const FAILS = 'Exit code 1\nok one\nsrc/dates.ts:12 expected UTC\n1 failed'

  it('is told with the line that names file and line', () => {
    expect(open([typed('Test it.'), failed('mise run test 2>&1 | tail', FAILS), said('It fails.')])).toEqual([
      { kind: 'failing', text: '`mise run test` fails: “src/dates.ts:12 expected UTC”', source: 'aaaa1111#1' },
    ])
  })

  it('is closed by a later run of the same task, and by no other task', () => {
    const first = [typed('Test it.'), failed('mise run lint', FAILS)]

    expect(texts(...first, ran('mise run lint'), said('Clean.'))).toEqual([])
    expect(texts(...first, ran('mise run fmt'), said('Clean.'))).toHaveLength(1)
  })

  it.each([
    ['of an earlier turn', [failed('npm test', FAILS), said('It fails.'), typed('Leave it.'), said('Left.')]],
    ['whose output names no place', [failed('npm test', 'Exit code 1\nno'), said('It fails.')]],
    ['in a chain: anything may have failed', [failed('npm test && npm run lint', FAILS), said('It fails.')]],
    ['that the user refused', [...refused('Bash', 'npm test', 'no'), said('Fine.')]],
    ['of git', [failed('git push', 'Exit code 1\nhook.ts:3 no'), said('It fails.')]],
  ])('is not told %s', (_, entries) => {
    expect(texts(typed('Test it.'), ...entries)).toEqual([])
  })
})

describe('commits on no remote', () => {
  it.each([
    [1, '1 commit of main is on no remote'],
    [3, '3 commits of main are on no remote'],
  ])('are counted: %i', (count, text) => {
    const unpushed = { branch: 'main', count }

    expect(openWorkOf(null, false, unpushed)).toEqual([{ kind: 'unpushed', text, source: '' }])
    expect(openWorkOf(storyWith([typed('Hi.'), said('Hi.')]), false, unpushed)).toHaveLength(1)
  })
})

it('open work is empty where nothing is open', () => {
  expect(openWorkOf(null, false, null)).toEqual([])
  expect(texts(typed('Fix it.'), ran('npm test'), said('All is done.'))).toEqual([])
})

it('open work comes from the last turn, whatever happened', () => {
  fc.assert(
    fc.property(wildSession, (entries) => {
      const story = storyOf('aaaa1111', numbered(entries))
      const last = story.turns.at(-1)?.n ?? 0
      const before = story.turns.findLast(({ isGit }) => !isGit)?.n ?? 0

      for (const { source, text } of openWorkOf(story, false, null)) {
        expect(Number(source.split('#')[1])).toBeGreaterThanOrEqual(Math.min(last, before))
        expect(text.length).toBeLessThanOrEqual(240 + 100)
      }
    }),
    { numRuns: 300 },
  )
})
