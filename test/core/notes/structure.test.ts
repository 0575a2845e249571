/** A digest from structure alone: each line is word for word or counted, in any language. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { standOf, structureOf } from '../../../src/core/notes/structure.ts'
import type { Entry } from '../../../src/kernel/transcript/session.ts'
import { wildText } from '../../support/briefing.ts'

const ts = '2026-01-13T12:00:00.000Z'
const user = (text: string, via?: string): Entry => ({ role: 'user', ts, text, ...(via === undefined ? {} : { via }) })
const claude = (text: string): Entry => ({ role: 'assistant', ts, text })
const tool = (name: string, cmd: string, ok: boolean | null = true, output = ''): Entry => ({
  ...{ role: 'tool' as const, ts, name, cmd, ok },
  ...(output === '' ? {} : { output }),
})
const bash = (cmd: string, ok: boolean | null = true, output = ''): Entry => tool('Bash', cmd, ok, output)
const digest = (entries: Entry[], room = 2_500): string =>
  structureOf(
    entries.map((entry, n) => ({ n, entry })),
    room,
  )
const linesOf = (entries: Entry[], label: string): string[] =>
  digest(entries)
    .split('\n')
    .filter((line) => line.startsWith(label))

describe('how a session ended', () => {
  it.each([
    ['with an answer', [user('fix it'), claude('It is fixed.')], 'Ended: It is fixed.'],
    ['with a question', [user('고쳐'), claude('고칠까요？')], 'Ended with a question nobody answered: 고칠까요？'],
    [
      'inside its work, with the answer before that',
      [user('fix it'), claude('It is fixed.'), user('lint it'), claude('I look at it.'), bash('ls', null)],
      'Ended: It is fixed.',
    ],
  ])('%s', (_, entries, line) => {
    expect(linesOf(entries, 'Ended')).toEqual([line])
    expect(standOf(entries.map((entry, n) => ({ n, entry })))).toContain(line)
  })

  it('is told without long code', () => {
    const code = `\`\`\`ts\n${'const a = 1\n'.repeat(9)}\`\`\``
    expect(linesOf([user('write it'), claude(`${code}\n\nThat is all.`)], 'Ended')).toEqual(['Ended: That is all.'])
  })

  const plan = `Title: Move the help command\n\n${'A long list of checks follows here.\n\n'.repeat(60)}- all green`
  it.each([
    ['one fenced block', `\`\`\`md\n${plan}\n\`\`\``],
    ['one tagged text', `<summary>${plan}</summary>`],
    ['one JSON object', JSON.stringify({ title: 'Move the help command', plan })],
  ])('with %s is told by its beginning, not by its last line', (_, answer) => {
    const [line = ''] = linesOf([user('write the pull request'), claude(answer)], 'Ended')
    expect(line).toContain('Move the help command')
    expect(line).not.toContain('all green')
  })

  it('names the last prompt only when it says something by itself', () => {
    const stand = (last: string): string | null =>
      standOf(
        [user('Merge the two tables'), claude('Shall I?'), user(last), claude('Merged.')].map((entry, n) => ({
          n,
          entry,
        })),
      )
    expect(stand('approved')).toBe('Ended: Merged.')
    expect(stand('yes, but keep the index')).toContain('Asked last: yes, but keep the index')
  })
})

describe('a command that failed', () => {
  it('is told with the line that was taken up, and with what passed', () => {
    const entries = [
      user('run the tests'),
      bash('npm test -- parser', false, 'header\nTypeError: cursor is undefined\nfooter'),
      claude('The cursor is undefined in the parser.'),
      tool('Edit', 'src/parser.ts'),
      bash('npm test -- parser --bail', true),
    ]

    expect(linesOf(entries, 'Failed')).toEqual([
      'Failed: `npm test -- parser` → TypeError: cursor is undefined; then passed: `npm test -- parser --bail`',
    ])
    expect(linesOf(entries, 'Changed')).toEqual(['Changed: src/parser.ts'])
  })

  it('is not taken for passed by another one, nor by its words', () => {
    const entries = [bash('make build 12', false, 'no error'), bash('make build 13'), bash('echo error: failed')]

    expect(linesOf(entries, 'Failed')).toEqual(['Failed: `make build 12` → no error'])
  })

  it.each([
    ['mise run lint', 'mise run fmt'],
    ['npm run build:page -- --fast now', 'npm run build:host -- --fast now'],
  ])('`%s` is not passed by `%s`: runner and task must be equal', (failed, passed) => {
    const entries = [bash(failed, false, 'error: no'), bash(passed)]

    expect(linesOf(entries, 'Failed').join()).not.toContain('then passed')
  })

  it('is not told as never passed when it ran again in a pipe, which hides how it ended', () => {
    const entries = [bash('make quay', false, 'no rope'), bash('make quay 2>&1 | tail -3')]

    expect(linesOf(entries, 'Failed')).toEqual(['Failed: `make quay` → no rope; run again later without an error'])
  })
})

it('the digest has a repeated command once, with its last output', () => {
  const entries = [bash('make list', true, 'one\ntwo'), user('again'), bash('make list', true, 'three\nfour')]

  expect(linesOf(entries, 'Ran')).toEqual(['Ran: `make list` → three / four'])
})

describe('dialogs', () => {
  it('are told with their answers, plans with what became of them, refusals with the comment', () => {
    const entries: Entry[] = [
      user('plan it'),
      tool('ExitPlanMode', '# Move the store\n- first', false),
      user('Please carry out the plan: Move the store'),
      tool('AskUserQuestion', 'Which one?'),
      user('"Which database?"="SQLite"', 'AskUserQuestion'),
      { role: 'tool', ts, name: 'Bash', cmd: 'rm -rf data', ok: false, refused: true },
      user('never delete that', 'Bash'),
    ]

    expect(linesOf(entries, 'Plan')).toEqual(['Plan approved: Move the store – first'])
    expect(linesOf(entries, 'Answered')).toEqual(['Answered: Which database? → SQLite'])
    expect(linesOf(entries, 'Refused')).toEqual(['Refused: Bash rm -rf data – never delete that'])
  })
})

describe('turns', () => {
  it('are told in their order, without announcements, commands of the host and questions that were answered', () => {
    const entries = [
      user('Move the queue to Redis.'),
      claude('The queue is moved to Redis now.\n\nShall I remove the table?'),
      user('no'),
      claude('Then it stays. I will look at the tests:'),
      bash('npm test'),
      user('/exit'),
      claude('See you.'),
    ]

    expect(
      digest(entries)
        .split('\n')
        .filter((line) => /^(?:User|Claude):/.test(line)),
    ).toEqual([
      'User: Move the queue to Redis.',
      'Claude: The queue is moved to Redis now.',
      'User: no (to: “Shall I remove the table?”)',
      'Claude: Then it stays.',
    ])
  })
})

it('the digest invents nothing and stays within its room, whatever is said', () => {
  const said = fc.oneof(
    wildText.map(user),
    wildText.map(claude),
    wildText.map((text) => bash(text, false, text)),
  )
  fc.assert(
    fc.property(fc.array(said, { maxLength: 30 }), fc.integer({ min: 200, max: 4_000 }), (entries, room) => {
      expect(digest(entries, room).length).toBeLessThanOrEqual(room * 1.1 + 100)
    }),
    { numRuns: 100 },
  )
})
