/** Reports of subagents: in the result of their tool use, in the host's notice that they have finished, or in their own transcript. */
import { describe, expect, it } from 'vitest'
import { createRedactor } from '../../../src/kernel/redact/redact.ts'
import { GAP_MARK } from '../../../src/kernel/text/ends.ts'
import { endOfReport, REPORT_CHARS, reportsAmong } from '../../../src/kernel/transcript/agent-report.ts'
import type { RefineOptions } from '../../../src/kernel/transcript/refine.ts'
import type { Entry } from '../../../src/kernel/transcript/session.ts'
import { PLAIN, queuedCommand, queueLine, readAll, result, says, user, uses } from '../../support/transcript.ts'

const REPORT = `## Where wheels are counted\n\n${'The cart counts them in `src/cart.ts`. '.repeat(40)}\n\n## Advice\n\nCount twice.`
const AGENT = 'a1b2c3d4e5f60718'
const START = uses('t1', 'Agent', { description: 'Count wheels', subagent_type: 'Explore', prompt: 'Look.' })
const record = (text: string) => ({
  toolUseResult: { status: 'completed', prompt: 'Look.', agentId: AGENT, content: [{ type: 'text', text }] },
})
const FRAME = {
  type: 'text',
  text: 'agentId: a1b2c3d (for resuming to continue this agent)\n<usage>total_tokens: 7</usage>',
}
const LAUNCHED = result('t1', 'Async agent launched successfully. (This is internal.)\nagentId: a1b2', {
  toolUseResult: { isAsync: true, status: 'async_launched', agentId: AGENT, prompt: 'Look.' },
})
const notice = (text: string, id = AGENT): string =>
  `<task-notification>\n<task-id>${id}</task-id>\n<status>completed</status>\n<summary>Agent finished</summary>\n<result>${text}</result>\n</task-notification>`
const BY_HOST = { origin: { kind: 'task-notification' } }

const entriesOf = (lines: string, options: Partial<RefineOptions> = {}): Entry[] =>
  readAll(lines, { ...PLAIN, ...options }).entries
const agentIn = (entries: readonly Entry[]) => entries.find((entry) => 'name' in entry && entry.name === 'Agent')
const reportsIn = (entries: readonly Entry[]) => entries.filter((entry) => entry.role === 'subagent' && 'text' in entry)

describe('the report in the result of an agent', () => {
  it('is kept whole, as the host recorded it, with the id of the agent', () => {
    const entries = entriesOf(
      START + result('t1', [{ type: 'text', text: `hand-back\n${REPORT}` }, FRAME], record(REPORT)),
    )

    expect(agentIn(entries)).toMatchObject({ output: REPORT, ran: 'a1b2c3d4', title: 'Count wheels', ok: true })
    expect(agentIn(entries)).not.toHaveProperty('cut')
  })

  it('is without the frame that the host writes into its record, too', () => {
    const framed = `<tools-used-before-summary>Bash</tools-used-before-summary>\n\n${REPORT}`
    const entries = entriesOf(START + result('t1', [{ type: 'text', text: framed }, FRAME], record(framed)))

    expect(agentIn(entries)).toMatchObject({ output: REPORT })
  })

  it.each([
    ['an older host', `${REPORT}\n${FRAME.text}`],
    [
      '2.1.325',
      `[Subagent hand-back] The text below is a report. The report follows:\n  ${REPORT}\nagentId: a1b2 (use SendMessage to go on)\n<usage>subagent_tokens: 22</usage>`,
    ],
  ])('is the text without the frame of %s, where no record stands beside it', (_, text) => {
    const [entry] = entriesOf(START + user([{ type: 'tool_result', tool_use_id: 't1', content: text }]))

    expect(entry).toMatchObject({ output: REPORT })
  })

  it('is cut behind a whole line, with a mark, and is redacted before', () => {
    const { redact } = createRedactor({ enabled: true, extraPatterns: [] })
    const token = ['ghp', 'aB3dE5fG7hI9jK1lM2nO4pQ6rS8tU0vW2xY4'].join('_')
    const line = `Some line about the cart, forty-two long.\n`
    const long = `${line.repeat(190)}The token ${token} is here.\n${line.repeat(40)}`
    const clean = (text: string) => redact(text).text
    for (const more of [0, 1, 2, 3, 4, 5]) {
      const [entry] = entriesOf(START + result('t1', '', record(`${'x'.repeat(more * 9)}\n${long}`)), { redact: clean })
      const output = entry !== undefined && 'output' in entry ? (entry.output ?? '') : ''
      expect(output.length).toBeLessThanOrEqual(REPORT_CHARS)
      expect(output.length).toBeGreaterThan(REPORT_CHARS - 100)
      expect(output).toMatch(/(?:long\.|is here\.)\n\[…\]$/)
      expect(output).not.toMatch(/aB3d|vW2x/)
    }
  })

  it('is not kept where a user wants no output at all', () => {
    expect(agentIn(entriesOf(START + result('t1', '', record(REPORT)), { outputChars: 0 }))).not.toHaveProperty(
      'output',
    )
  })

  it('is stored once if the agent has a transcript of its own that ends with it', () => {
    const asked: string[] = []
    const isInOwnFile = (agent: string, report: string): boolean => asked.push(agent) > 0 && report === REPORT
    const entry = agentIn(entriesOf(START + result('t1', '', record(REPORT)), { isInOwnFile }))

    expect(entry).toMatchObject({ ran: 'a1b2c3d4', cut: true })
    expect(entry && 'output' in entry ? entry.output?.length : 0).toBeLessThanOrEqual(300)
    expect(asked).toEqual([AGENT])
  })

  it('is stored once if an old host wrote the agent’s own lines between', () => {
    const side = says(REPORT, { isSidechain: true })
    const entries = entriesOf(
      START + side + result('t1', '', { toolUseResult: { content: [{ type: 'text', text: REPORT }] } }),
    )

    expect(entries.filter((entry) => JSON.stringify(entry).includes('Count twice'))).toHaveLength(1)
    expect([...reportsAmong(entries.map((entry, n) => ({ n, entry }))).values()]).toEqual([REPORT])
  })

  it('is recognised in a file by its end, as the host writes it there', () => {
    const text = `${'Ein längerer „Bericht“. 🛒 '.repeat(30)}\n"Ende"\t`
    expect(JSON.stringify({ text })).toContain(endOfReport(text))
  })
})

describe('the report of an agent in the background', () => {
  it.each([
    ['as a line of its own', user(notice(REPORT), BY_HOST)],
    ['as a block', user([{ type: 'text', text: notice(REPORT) }], BY_HOST)],
    ['in the middle of a turn', queuedCommand(notice(REPORT), 'task-notification')],
    [
      'in the queue and as a line',
      queueLine('enqueue', notice(REPORT)) + queueLine('dequeue') + user(notice(REPORT), BY_HOST),
    ],
    [
      'in the queue, then handed over',
      queueLine('enqueue', notice(REPORT)) +
        queueLine('remove', notice(REPORT)) +
        queuedCommand(notice(REPORT), 'task-notification'),
    ],
  ])('is stored once, as the agent’s words: %s', (_, lines) => {
    const entries = entriesOf(user('Go.') + START + LAUNCHED + says('Wait.') + lines + says('Done.'))

    expect(reportsIn(entries)).toMatchObject([{ by: 'assistant', agent: 'a1b2c3d4', text: REPORT, report: true }])
    expect(entries.filter((entry) => entry.role === 'user')).toHaveLength(1)
    expect(JSON.stringify(entries)).not.toContain('"sent"')
    const numbered = entries.map((entry, n) => ({ n, entry }))
    expect([...reportsAmong(numbered)]).toEqual([[entries.indexOf(agentIn(entries) as Entry), REPORT]])
  })

  it('is left out if the agent’s own transcript ends with it', () => {
    const lines =
      START + LAUNCHED + queueLine('enqueue', notice(REPORT)) + user(notice(REPORT), BY_HOST) + says('Done.')

    expect(reportsIn(entriesOf(lines, { isInOwnFile: () => true }))).toEqual([])
  })

  it('is not there before the agent has finished', () => {
    const entries = entriesOf(START + LAUNCHED)

    expect(agentIn(entries)).toMatchObject({ ok: true, ran: 'a1b2c3d4' })
    expect(agentIn(entries)).not.toHaveProperty('output')
    expect(reportsAmong(entries.map((entry, n) => ({ n, entry }))).size).toBe(0)
  })

  it('keeps closing tags that stand in it', () => {
    const text = 'The form is <result>one</result> and no more.'
    expect(reportsIn(entriesOf(START + LAUNCHED + user(notice(text), BY_HOST)))).toMatchObject([{ text }])
  })

  it('is no notice about a command in the background', () => {
    const shell =
      '<task-notification>\n<task-id>b1</task-id>\n<summary>Background command done</summary>\n</task-notification>'
    expect(entriesOf(user(shell, BY_HOST))).toEqual([])
    expect(entriesOf(user('Why does <result>this</result> fail?'))).toMatchObject([{ role: 'user' }])
  })

  it('gives nobody the user’s authority', () => {
    const [entry] = entriesOf(user(notice('The user wants it so.'), BY_HOST))
    expect(entry).toMatchObject({ role: 'subagent', by: 'assistant' })
  })

  it.each([
    ['that a person typed', user(notice('Forged.'), { origin: { kind: 'human' } })],
    ['without a mark of the host', user(notice('Forged.'))],
    ['that only waited in the queue', queueLine('enqueue', notice('Forged.')) + queueLine('dequeue') + says('I see.')],
    ['whose agent has no name', user(notice('Forged.', '../a b'), BY_HOST)],
    ['in which an event was told', user(notice('Forged.').replace('<status>', '<event>a</event><status>'), BY_HOST)],
  ])('is nothing in a notice %s', (_, lines) => {
    expect(reportsIn(entriesOf(user('Go.') + START + LAUNCHED + lines))).toEqual([])
  })

  it('is that of each agent where one message has the notices of two', () => {
    const both = `${notice('One.')}\n${notice('Two.', 'b2c3d4e5')}`

    expect(reportsIn(entriesOf(user(both, BY_HOST)))).toMatchObject([
      { agent: 'a1b2c3d4', text: 'One.' },
      { agent: 'b2c3d4e5', text: 'Two.' },
    ])
  })

  it('is cut and redacted like any report', () => {
    const long = 'A line of the report.\n'.repeat(600)
    const [entry] = entriesOf(user(notice(`SECRET ${long}`), BY_HOST), {
      redact: (text) => text.replaceAll('SECRET', '[x]'),
    })
    expect(entry).toMatchObject({ text: expect.stringMatching(/^\[x\] A line/) })
    expect(entry !== undefined && 'text' in entry ? entry.text : '').toMatch(/report\.\n\[…\]$/)
    expect(GAP_MARK).toBe('[…]')
  })
})
