/** Claude's list of tasks at the end, from the entries of its tools. */
import { describe, expect, it } from 'vitest'
import { tasksIn } from '../../src/sessions/delta.ts'
import type { Entry, TaskItem } from '../../src/transcript/session.ts'

const entry = (name: string, items: TaskItem[], ok: boolean | null = true): Entry => ({
  ...{ role: 'tool', by: 'tool', ts: '2026-01-13T12:00:00.000Z', name, cmd: '', ok, items },
})
const states = (...entries: Entry[]): string[] =>
  tasksIn(entries.map((one, n) => ({ n, entry: one }))).map(({ text, state }) => `${text}: ${state}`)

describe('tasks', () => {
  it('are those of the last list that has any', () => {
    const list = entry('TodoWrite', [{ text: 'a', state: 'completed' }, { text: 'b' }])

    expect(states(entry('TodoWrite', [{ text: 'old' }]), list, entry('TodoWrite', []))).toEqual([
      'a: completed',
      'b: pending',
    ])
  })

  it('are made and changed one by one, by their numbers', () => {
    expect(
      states(
        entry('TaskCreate', [{ id: '1', text: 'a', state: 'pending' }]),
        entry('TaskCreate', [{ id: '2', text: 'b', state: 'pending' }]),
        entry('TaskCreate', [{ id: '3', text: 'c', state: 'pending' }]),
        entry('TaskUpdate', [{ id: '1', state: 'in_progress' }]),
        entry('TaskUpdate', [{ id: '2', text: 'b, better', state: 'completed' }]),
        entry('TaskUpdate', [{ id: '3', state: 'deleted' }]),
        entry('TaskUpdate', [{ id: '1', state: 'completed' }], false),
        entry('TaskUpdate', [{ id: '9', state: 'completed' }]),
      ),
    ).toEqual(['a: in_progress', 'b, better: completed'])
  })
})
