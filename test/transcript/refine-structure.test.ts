/** What a digest by structure needs of a transcript: tasks, whole plans, the branch, and what the host wrote in Claude's place. */
import { describe, expect, it } from 'vitest'
import { entryKey } from '../../src/transcript/session.ts'
import { assistant, PLAIN, readAll, result, says, user, uses } from '../support/transcript.ts'

const entriesOf = (lines: string, options = PLAIN) => readAll(Buffer.from(lines), options).entries

describe('capture', () => {
  it('keeps the items of a list of tasks, redacted, and the number that a new task gets', () => {
    const todos = [{ content: 'use hunter2', status: 'in_progress' }, { content: 'b', status: 'odd' }, null]
    const lines =
      uses('t1', 'TodoWrite', { todos }) +
      result('t1', 'ok') +
      uses('t2', 'TaskCreate', { subject: 'Run the tests' }) +
      result('t2', 'Task #7 created successfully: Run the tests') +
      uses('t3', 'TaskUpdate', { taskId: '7', status: 'completed' }) +
      result('t3', 'Updated task #7 status')
    const entries = entriesOf(lines, { ...PLAIN, redact: (text) => text.replaceAll('hunter2', '[redacted]') })

    expect(entries.map((entry) => ('items' in entry ? entry.items : null))).toEqual([
      [
        { text: 'use [redacted]', state: 'in_progress' },
        { text: 'b', state: 'pending' },
      ],
      [{ id: '7', text: 'Run the tests', state: 'pending' }],
      [{ id: '7', state: 'completed' }],
    ])
  })

  it('keeps a plan whole, under the key that it had when only its beginning was kept', () => {
    const plan = `# Plan\n${'- a step of it\n'.repeat(200)}`
    const [entry] = entriesOf(uses('t1', 'ExitPlanMode', { plan }) + result('t1', 'approved'))

    expect(entry).toMatchObject({ cmd: plan })
    if (entry === undefined || !('cmd' in entry)) throw new Error('no plan')
    expect(entryKey(entry)).toBe(entryKey({ ...entry, cmd: plan.slice(0, 1_000) }))
  })

  it('names the branch where it changes', () => {
    const on = (branch: string): Record<string, unknown> => ({ gitBranch: branch })
    const lines = user('a', on('main')) + says('b', on('main')) + says('c', on('fix/x')) + says('d', on('HEAD'))

    expect(entriesOf(lines).map((entry) => ('branch' in entry ? entry.branch : null))).toEqual([
      'main',
      null,
      'fix/x',
      null,
    ])
  })

  it('says that the host wrote an error of the API, and a text without a model', () => {
    const synthetic = assistant('No response requested.').replace('"id":"msg_1"', '"id":"m","model":"<synthetic>"')
    const lines = says('mine') + says('API Error: overloaded', { isApiErrorMessage: true }) + synthetic

    expect(entriesOf(lines).map(({ by }) => by)).toEqual(['assistant', 'machine', 'machine'])
  })
})
