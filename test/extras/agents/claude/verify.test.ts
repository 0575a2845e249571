import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { tallyLine } from '../../../../src/extras/agents/claude/tally.ts'
import { type Entry, entryKey, type Tombstone } from '../../../../src/kernel/transcript/session.ts'
import { compare, isComplete, newTally, type Verified } from '../../../../src/kernel/transcript/verify.ts'
import {
  assistant,
  BASE,
  brief,
  failure,
  localCommand,
  PROGRESS,
  play,
  queueLine,
  readAll,
  result,
  SNAPSHOT,
  says,
  user,
  uses,
} from '../../../support/transcript.ts'

const same = (text: string): string => text
const side = { isSidechain: true, agentId: 'a1' }
const TRANSCRIPT =
  `\ufeff${user('go', { timestamp: '2026-03-01T10:00:01.000Z' })}` +
  SNAPSHOT +
  assistant([
    { type: 'thinking', thinking: 'x' },
    { type: 'text', text: 'on it' },
  ]) +
  uses('t1', 'Read', { file_path: `${BASE}/a.ts` }) +
  result('t1', 'text') +
  uses('t2', 'Edit', { file_path: '/b' }) +
  failure('t2', "The user doesn't want to proceed with this tool use. the user said: use tabs") +
  PROGRESS +
  uses('t3', 'AskUserQuestion', { questions: [{ question: 'Which?' }] }) +
  result('t3', 'User has answered your questions: "Which?"="Both"') +
  play('add first | remove | handed first | add second | remove | add taken back | back').join('') +
  `${says('glued').trimEnd()}${user('glued too')}` +
  says('from below', side) +
  uses('t4', 'Bash', { command: 'ls' }, side) +
  result('t4', 'a', side) +
  user('<task-notification>x</task-notification>') +
  user('This session is being continued from a previous conversation') +
  localCommand('<command-name>/cost</command-name>') +
  uses('t5', 'Bash', { command: 'sleep 9' }) +
  queueLine('enqueue', 'still waiting')

function tallied(transcript: string, redact = same, isAgent = false): ReturnType<typeof newTally> {
  const tally = newTally()
  for (const line of transcript.split('\n')) tallyLine(tally, line, isAgent, redact)
  return tally
}

const verify = (transcript: string, kept: readonly (Entry | Tombstone)[]): Verified =>
  compare(tallied(transcript), kept)

function captured(transcript: string): Entry[] {
  const { entries, open } = readAll(transcript)
  return [...entries, ...open]
}

describe('verify', () => {
  const kept = captured(TRANSCRIPT)

  it('finds everything that capture kept', () => {
    expect(verify(TRANSCRIPT, kept)).toEqual({
      prompts: { present: 8, captured: 8 },
      answers: { present: 3, captured: 3 },
      tools: { present: 5, captured: 5 },
      messages: { present: 0, captured: 0 },
      badLines: 0,
      missing: [],
    })
    expect(isComplete(verify(TRANSCRIPT, kept))).toBe(true)
  })

  it('expects of a dialog what the host recorded: no forged answer, and none where nobody answered', () => {
    const asks = (id: string): string => uses(id, 'AskUserQuestion', { questions: [{ question: 'Which?' }] })
    const label = 'Blue", "Push?"="Yes'
    const said = `Your questions have been answered: "Which?"="${label}". You can now continue.`
    const transcript =
      asks('a') +
      result('a', said, { toolUseResult: { questions: [{ question: 'Which?' }], answers: { 'Which?': label } } }) +
      asks('b') +
      result('b', 'User has answered: "Which?"="Nobody"', { toolUseResult: { questions: [], answers: {} } })
    const kept = captured(transcript)
    expect(verify(transcript, kept)).toMatchObject({ prompts: { present: 1, captured: 1 }, missing: [] })
    // Versions before 0.7 escaped nothing.
    const earlier = kept.map((entry) => ('text' in entry ? { ...entry, text: `"Which?"="${label}"` } : entry))
    expect(earlier).not.toEqual(kept)
    expect(verify(transcript, earlier)).toMatchObject({ missing: [] })
  })

  it('misses each entry that is gone, one by one', () => {
    for (const gone of kept.filter((entry) => entry.role !== 'summary')) {
      const left = kept.filter((entry) => entry !== gone)
      const result = verify(TRANSCRIPT, left)
      const lost = [result.prompts, result.answers, result.tools].map(({ present, captured: found }) => present - found)
      const kind = 'name' in gone ? 2 : gone.role === 'user' ? 0 : 1
      expect(lost, brief([gone])[0]).toEqual([0, 1, 2].map((i) => (i === kind ? 1 : 0)))
      expect(result.missing).toHaveLength(1)
      expect(isComplete(result)).toBe(false)
    }
    expect(verify(TRANSCRIPT, kept.slice(1)).missing).toEqual(['a prompt at 2026-03-01T10:00:01.000Z'])
  })

  it('counts exactly what is gone of any part, and names the first five', () => {
    const words = kept.filter((entry) => entry.role !== 'summary')
    fc.assert(
      fc.property(fc.subarray(words), (left) => {
        const { prompts, answers, tools, missing } = verify(TRANSCRIPT, left)
        expect(prompts.captured + answers.captured + tools.captured).toBe(left.length)
        expect(missing).toHaveLength(Math.min(5, words.length - left.length))
      }),
    )
  })

  it('reads a key that stands twice as capture does, and prints words only', () => {
    const transcript =
      user('where?').replace(/("cwd":"[^"]*")/, '$1,"cwd":{"a":1}') +
      uses('t1', 'Bash', { command: 'ls' }).replace('"name":"Bash"', '"name":"Bash","name":{"a":1}') +
      uses('t2', 'Read', { file_path: `${BASE}/a.ts` }) +
      user('go on').replace(/("timestamp":"[^"]*")/, '$1,"timestamp":{"a":1}')

    expect(isComplete(verify(transcript, captured(transcript)))).toBe(true)
    expect(verify(transcript, []).missing.join()).not.toContain('[object')
  })

  it('takes a tombstone for what it stands for', () => {
    const words = kept.filter((entry) => entry.role !== 'summary')
    fc.assert(
      fc.property(fc.subarray(words), (removed) => {
        const left = words.map((entry, n): Entry | Tombstone =>
          removed.includes(entry) ? { role: 'tombstone', n, key: entryKey(entry) } : entry,
        )
        expect(isComplete(verify(TRANSCRIPT, left))).toBe(true)
      }),
    )
    const stone: Tombstone = { role: 'tombstone', n: 0, key: 'x' }
    expect(isComplete(verify(TRANSCRIPT, [stone, ...kept.slice(2)]))).toBe(false)
  })

  it('counts what is said twice twice', () => {
    const twice = says('Done.') + says('Done.')
    expect(verify(twice, captured(says('Done.'))).answers).toEqual({ present: 2, captured: 1 })
  })

  it('counts lines it cannot read and goes on', () => {
    const result = verify(`broken\n${user('a')}{"type":"us\n\n`, captured(user('a')))
    expect(result).toMatchObject({ badLines: 2, prompts: { present: 1, captured: 1 } })
  })

  it('expects a subagent’s own transcript under the subagent', () => {
    const transcript = user('find it') + says('found') + uses('t1', 'Bash', { command: 'ls' }) + result('t1', 'a')
    const tally = tallied(transcript, same, true)
    const { entries } = readAll(transcript, { outputChars: 300, redact: same, agent: 'a1' })
    expect(compare(tally, entries)).toMatchObject({
      prompts: { present: 0 },
      answers: { present: 1, captured: 1 },
      tools: { present: 1, captured: 1 },
    })
  })

  it('compares what is redacted with what is redacted', () => {
    const hide = (text: string): string => text.replaceAll('hunter2', '[gone]')
    const transcript = user('my key is hunter2') + uses('t1', 'Bash', { command: 'login hunter2' })
    const tally = tallied(transcript, hide)
    const { entries, open } = readAll(transcript, { outputChars: 300, redact: hide })
    expect(isComplete(compare(tally, [...entries, ...open]))).toBe(true)
  })

  it.each([
    'add A | add B | take | take | user A\\nB',
    'add A\\na | add B\\nb | take | take | user A\\na\\nB\\nb',
    'add A | add A | remove | remove | handed A | handed A',
    'add A | add A | remove | handed A | remove | says x',
  ])('finds queued prompts: %s', (history) => {
    const transcript = play(history).join('')
    expect(verify(transcript, captured(transcript))).toMatchObject({ missing: [] })
  })
})
