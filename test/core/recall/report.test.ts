/** The task of an agent: which earlier report is about the same code, and what is told of it. */
import { describe, expect, it } from 'vitest'
import type { Remembrance } from '../../../src/core/recall/remembrance.ts'
import { findReport } from '../../../src/core/recall/report.ts'
import { type Document, others, used } from '../../support/corpus.ts'
import { type Known, memoryOf, with_ } from '../../support/remembrance.ts'

const TASK =
  'Explore how the webhook retries work: find the queue in src/hooks/retry.ts, the backoff table and every caller of scheduleRetry, and report the flow.'
const REPORT =
  '## Flow\nThe queue is in src/hooks/retry.ts. scheduleRetry is called by src/hooks/deliver.ts and src/api/stripe.ts.\n## Backoff\nThe backoff table of the webhook retries has seven rows.'
const day = (n: number, session = n): Partial<Document> => ({
  at: `2026-01-${String(n).padStart(2, '0')}T12:00:00Z`,
  session,
})
const reported = (cmd: string, output: string, more: Partial<Document> = {}, entry: object = {}): Known =>
  with_(used(`Agent ${cmd}\n${output}`, more), {
    name: 'Agent',
    cmd,
    output,
    ok: true,
    title: 'Explore webhook retries',
    ...entry,
  })
const edit = (file: string, more: Partial<Document>): Known =>
  with_(used(`Edit ${file}`, more), { name: 'Edit', cmd: file, ok: true })
const told = (task: string, memory: Remembrance): string => findReport(task, memory)?.picks[0]?.sentences[0] ?? ''
const withOthers = (...documents: Known[]): Remembrance => memoryOf([...documents, ...others(60)])

describe('the task of an agent', () => {
  it('brings the earlier report on the same code: its title, its files, and which of them were edited since', () => {
    const memory = withOthers(
      edit('/home/ada/src/api/stripe.ts', day(1)),
      reported(TASK, REPORT, day(2)),
      edit('/home/ada/src/hooks/retry.ts', day(3)),
    )

    expect(told('Find the callers of scheduleRetry and the backoff table of the webhook retries queue.', memory)).toBe(
      'Report of an agent on this: “Explore webhook retries”; files: retry.ts, deliver.ts, stripe.ts; edited since: retry.ts',
    )
  })

  it('brings nothing about other code, and nothing of an agent that failed or told nothing', () => {
    const memory = withOthers(
      reported(TASK, REPORT, day(2), { ok: false }),
      reported(TASK, '', day(2), { output: '' }),
      with_(used(`Bash ${TASK}\n${REPORT}`, day(2)), { name: 'Bash', cmd: TASK, output: REPORT, ok: true }),
    )

    expect(told(TASK, memory)).toBe('')
    expect(
      told(
        'Explore the invoice footer and its tax lines in src/billing/footer.ts.',
        withOthers(reported(TASK, REPORT, day(2))),
      ),
    ).toBe('')
  })

  it('brings nothing of its own session, which has that report before it', () => {
    const memory = withOthers(reported(TASK, REPORT, day(2)))

    expect(told(TASK, { ...memory, isWanted: (doc) => memory.sessionOf(doc) !== '2' })).toBe('')
  })
})

describe('a report that is stored with the entries of its agent', () => {
  it('is read as a whole', () => {
    const own = {
      ...used(REPORT, { ...day(2), kind: 'subagent' }),
      entry: { role: 'subagent', agent: 'a1b2c3d4', text: REPORT },
    }
    const beginning = { output: '## Flow', cut: true, ran: 'a1b2c3d4' }
    const memory = withOthers(reported(TASK, '## Flow', day(2), beginning), own)

    expect(told(TASK, memory)).toContain('files: retry.ts, deliver.ts, stripe.ts')
  })
})
