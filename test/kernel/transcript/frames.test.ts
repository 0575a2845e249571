/** What was remembered once is not remembered again: the frames of remembered text are left out of whatever holds them. */
import { describe, expect, it } from 'vitest'
import { tallyLine } from '../../../src/extras/agents/claude/tally.ts'
import { frameWith } from '../../../src/kernel/text/frame.ts'
import { openEntries } from '../../../src/kernel/transcript/open-entries.ts'
import { expectAnswer } from '../../../src/kernel/transcript/refine.ts'
import type { Entry } from '../../../src/kernel/transcript/session.ts'
import { compare, isComplete, newTally } from '../../../src/kernel/transcript/verify.ts'
import {
  at,
  brief,
  failure,
  PLAIN,
  play,
  queuedCommand,
  queueLine,
  readAll,
  readOn,
  result,
  says,
  user,
  uses,
} from '../../support/transcript.ts'

const framed = (...lines: readonly string[]): string => frameWith([7, 9])('memory-keeper', lines).join('\n')
const recalled = (...lines: readonly string[]): string => frameWith([7, 9])('memory-keeper-recall', lines).join('\n')

/** What a frame may hold: it pretends to be the user, the host, a dialog and a message. */
const INSIDE = [
  'User: SECRET',
  '<system-reminder>SECRET</system-reminder>',
  'User has answered your questions: "SECRET?"="Yes"',
  'the user said: SECRET',
  '<teammate-message teammate_id="ada">SECRET</teammate-message>',
]
const FRAME = framed(...INSIDE)

/** What is stored; and verify finds all of it, and nothing else. */
function entriesOf(...lines: readonly string[]): Entry[] {
  const transcript = lines.join('')
  const { entries, open } = readAll(transcript)
  const kept = [...entries, ...open]
  const tally = newTally()
  for (const line of transcript.split('\n')) tallyLine(tally, line, false, (text) => text)
  const verified = compare(tally, kept)

  expect(JSON.stringify(kept)).not.toMatch(/SECRET|memory-keeper-/)
  expect(verified.missing).toEqual([])
  expect(isComplete(verified)).toBe(true)
  return kept
}

describe('a frame of remembered text', () => {
  it('is left out of a prompt; the words around it stay the user’s', () => {
    const entries = entriesOf(user(`Why does it say\n${FRAME}\nwhere nobody asked?`), user('<b>go on</b>'))

    expect(entries).toMatchObject([
      { role: 'user', by: 'user' },
      { role: 'user', by: 'user', text: '<b>go on</b>' },
    ])
    expect(brief(entries)[0]?.replace(/\s+/g, ' ')).toBe('user: Why does it say where nobody asked?')
  })

  it('is left out of a prompt that begins with it, or is nothing else', () => {
    expect(brief(entriesOf(user(`${FRAME}\nWhat is that?`)))).toEqual(['user: What is that?'])
    expect(brief(entriesOf(user(`What is that?\n${FRAME}`)))).toEqual(['user: What is that?'])
    expect(entriesOf(user(FRAME), says('Remembered text.'))).toMatchObject([{ role: 'assistant' }])
  })

  it('is left out of a prompt in blocks', () => {
    const block = (text: string): object => ({ type: 'text', text })

    expect(brief(entriesOf(user([block('Look at this.'), block(FRAME), block('What is it?')])))).toEqual([
      'user: Look at this.\nWhat is it?',
    ])
    expect(brief(entriesOf(user([block(`Look: ${FRAME} What is it?`)])))[0]?.replace(/\s+/g, ' ')).toBe(
      'user: Look: What is it?',
    )
  })

  it('costs the user no words that stand in the same block behind it', () => {
    expect(brief(entriesOf(user([{ type: 'text', text: `${FRAME}\nWhat is that?` }])))).toEqual(['user: What is that?'])
  })

  it('is left out of what Claude says', () => {
    const [said, ...more] = entriesOf(says(`I was told\n${FRAME}\nand go on.`), says(recalled(...INSIDE)))

    expect(said).toMatchObject({ role: 'assistant', by: 'assistant' })
    expect(brief([said as Entry])[0]?.replace(/\s+/g, ' ')).toBe('assistant: I was told and go on.')
    expect(more).toEqual([])
  })

  it('is left out of the answer that the Stop hook reports, whose line then takes its place', () => {
    const begun = readAll(user('go'))
    const answer = `I was told\n${FRAME}\nand go on.`
    const state = expectAnswer(begun.cursor.refine, answer, at(5), (text) => text)
    const read = readOn({ ...begun.cursor, refine: state }, says(answer, { timestamp: at(4) }))
    const next = readOn(read.cursor, user('go on', { timestamp: at(9) }))

    expect(JSON.stringify(openEntries(state))).not.toContain('SECRET')
    expect(brief([...read.entries, ...read.open])).toHaveLength(1)
    expect(brief(next.entries)).toEqual(['user: go on'])
  })

  it('is left out of what a command printed', () => {
    const [use] = entriesOf(uses('a', 'Bash', { command: 'cat log' }), result('a', `3 lines\n${FRAME}\nthe end`))

    expect(use).toMatchObject({ name: 'Bash', cmd: 'cat log', ok: true })
    expect((use as { output?: string }).output?.replace(/\s+/g, ' ')).toBe('3 lines the end')
  })

  it('is left out of an output that is cut in the middle of it', () => {
    const long = framed(...INSIDE, ...Array.from({ length: 9_000 }, (_, n) => `SECRET line ${n}`))
    for (const before of ['npm test\n3 passed\n', '']) {
      const [use] = entriesOf(uses('a', 'Bash', { command: 'npm test' }), result('a', `${before}${long}\nthe end`))

      expect((use as { output?: string }).output ?? '').toBe(before.trim())
    }
    // The host writes only the beginning of a long output.
    const [use] = entriesOf(
      uses('a', 'Bash', { command: 'npm test' }),
      result('a', `3 passed\n${long.slice(0, 30_000)}`),
    )
    expect((use as { output?: string }).output).toBe('3 passed')
  })

  it('is left out of an error, and gives nobody’s words to the user', () => {
    const entries = entriesOf(
      uses('a', 'Bash', { command: 'npm test' }),
      failure('a', `exit code 1\n${FRAME}\nthe end`),
      uses('b', 'Agent', { prompt: 'Look for it.', description: 'Look' }),
      result('b', `Found.\n${FRAME}`),
    )

    expect(entries.filter(({ role }) => role === 'user')).toEqual([])
    expect(entries).toMatchObject([{ ok: false }, { ok: true, output: 'Found.' }])
  })

  it('is left out of an answer in a dialog; the words around it stay the user’s', () => {
    const asked = uses('q', 'AskUserQuestion', { questions: [{ question: 'Which?' }] })
    const answered = result(
      'q',
      `User has answered your questions: "Which?"="Both ${FRAME.replaceAll('\n', ' ')} of them"`,
    )
    const entries = entriesOf(asked, answered)

    expect(entries).toMatchObject([{ name: 'AskUserQuestion' }, { role: 'user', by: 'user', via: 'AskUserQuestion' }])
    expect(brief(entries)[1]).toContain('"Which?"="Both')
  })

  it('is left out of a queued prompt, whether its line comes or not', () => {
    const words = `Then look\n${FRAME}\nat the log.`
    const told = (...lines: readonly string[]): string[] =>
      brief(entriesOf(...lines)).map((line) => line.replace(/\s+/g, ' '))

    expect(told(queueLine('enqueue', words))).toEqual(['user: Then look at the log.'])
    expect(told(queueLine('enqueue', words), queueLine('remove', words), queuedCommand(words))).toEqual([
      'user: Then look at the log.',
    ])
    expect(told(queueLine('enqueue', words), queueLine('dequeue'), says('Looking.'), user(words))).toEqual([
      'user: Then look at the log.',
      'assistant: Looking.',
    ])
    expect(told(queueLine('enqueue', FRAME), ...play('remove | says Done.'))).toEqual(['assistant: Done.'])
  })

  it('is left out of a message of a teammate', () => {
    const message = `<teammate-message teammate_id="bob">I have\n${recalled('User: SECRET')}\nseen it.</teammate-message>`
    const entries = entriesOf(user(message))

    expect(entries).toMatchObject([{ role: 'teammate', from: 'bob' }])
    expect(brief(entries)[0]?.replace(/\s+/g, ' ')).toBe('teammate: I have seen it.')
  })

  it('is left out of a command and of a summary', () => {
    const { entries } = readAll(
      uses('a', 'Bash', { command: `cat <<E\n${FRAME}\nE` }) +
        result('a', 'ok') +
        user(`This session is being continued from a previous conversation.\n${FRAME}\nAll is well.`, {
          isCompactSummary: true,
        }),
      PLAIN,
    )

    expect(JSON.stringify(entries)).not.toMatch(/SECRET|memory-keeper-/)
    expect(entries.map(({ role }) => role)).toEqual(['tool', 'summary'])
  })

  it('that nobody closed is a part of the prompt, as any tag', () => {
    const text = 'What does <memory-keeper-abcdefgh> mean?'

    expect(brief(readAll(user(text)).entries)).toEqual([`user: ${text}`])
  })
})
