/** What a report is about: its files by their shape, its headings, and nothing by its wording. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { outlineOf, reportLines, usedFiles } from '../../../src/core/notes/report-outline.ts'
import { structureOf } from '../../../src/core/notes/structure.ts'
import type { Entry } from '../../../src/kernel/transcript/session.ts'
import { wildText } from '../../support/briefing.ts'

const ts = '2026-01-13T12:00:00.000Z'
const numbered = (entries: readonly Entry[]) => entries.map((entry, n) => ({ n, entry }))
const agent = (output: string, more: object = {}): Entry => ({
  ...{
    role: 'tool',
    ts,
    name: 'Agent',
    cmd: '[Explore] Find the counter',
    ok: true,
    title: 'Find the counter',
    output,
  },
  ...more,
})
const REPORT = `Perfect! Now I know.

# Where wheels are counted

\`src/cart/count.ts:12\` counts them, and src/cart/count.ts:40 again. See https://example.org/docs/wheels.html, e.g. there.

## Tests

- test/cart/count.test.ts, setup.ts, version 2.1`

describe('the outline of a report', () => {
  it('names its files, the most frequent first, then its headings', () => {
    expect(outlineOf(REPORT, new Set(), 300)).toBe('count.ts, count.test.ts; Where wheels are counted / Tests')
  })

  it('takes lines in bold type for headings only where there are no others, and each once', () => {
    expect(outlineOf('**One**\n\ntext\n\n**Two**\n\n**One**', new Set(), 300)).toBe('One / Two')
    expect(outlineOf('# Three\n\n**One:**\n\n## Three', new Set(), 300)).toBe('Three')
  })

  it('names a bare file name only if a tool of the session used such a file', () => {
    const used = usedFiles(numbered([{ role: 'tool', ts, name: 'Read', cmd: 'deep/setup.ts', ok: true }]))
    expect(outlineOf(REPORT, used, 300)).toContain('setup.ts')
  })

  it('is as long as allowed, of whole names and headings', () => {
    expect(outlineOf(REPORT, new Set(), 40)).toBe('count.ts, count.test.ts; Tests')
    expect(outlineOf('No file and no heading.', new Set(), 300)).toBe('')
    fc.assert(
      fc.property(wildText, fc.nat(200), (text, room) => {
        expect(outlineOf(`${text}\n## ${text}\nsrc/a.ts`, new Set(), room).length).toBeLessThanOrEqual(room)
      }),
    )
  })
})

describe('a note by code', () => {
  it('names what agents reported, by title, files and headings', () => {
    const text = structureOf(numbered([{ role: 'user', ts, text: 'Where?' }, agent(REPORT)]), 2_500)

    expect(text).toContain(
      'Report of an agent: Find the counter (count.ts, count.test.ts; Where wheels are counted / Tests)',
    )
    expect(text).not.toContain('Perfect!')
  })

  it('names no report of an agent that failed or has not finished', () => {
    expect(
      reportLines(numbered([agent('', { ok: true }), agent(REPORT, { ok: false }), agent(REPORT, { ok: null })])),
    ).toEqual([])
  })

  it('finds the report among the agent’s own entries', () => {
    const entries: Entry[] = [
      agent(REPORT.slice(0, 40), { cut: true, ran: 'a1b2c3d4' }),
      { role: 'subagent', ts, agent: 'a1b2c3d4', text: 'I look.' },
      { role: 'subagent', ts, agent: 'a1b2c3d4', text: REPORT },
      { role: 'subagent', ts, agent: 'ffffffff', text: '# Something else' },
    ]
    expect(reportLines(numbered(entries))).toMatchObject([{ n: 0, text: expect.stringContaining('Where wheels') }])
  })
})

it('the outline of a failure that was too long to keep shows its end', () => {
  const output = `Exit code 1\nbeginning of it all\n[…]\nrows of the end here\nand more rows of it\nand yet more`
  const entries: Entry[] = [{ role: 'tool', ts, name: 'mcp__db__load', cmd: 'load', ok: false, output }]

  expect(structureOf(numbered(entries), 2_500)).toContain('`load` → […] / rows of the end here')
})

// bench/hostile.ts measures how the time grows: of a square, it would take minutes.
it('the outline of a report of one long word is found', () => {
  expect(outlineOf(`${'a'.repeat(600_000)} src/cart.ts`, new Set(), 300)).toBe('cart.ts')
})

it('the outline of a report that is too long to keep comes from its beginning', () => {
  const entry = agent('', { ran: 'a1b2c3d4' })
  const text = `See src/cart.ts. ${'Nothing else. '.repeat(1_000)} See src/wheel.ts.`
  const own: Entry = { role: 'subagent', agent: 'a1b2c3d4', ts, text }

  expect(reportLines(numbered([entry, own]))[0]?.text).toBe('Report of an agent: Find the counter (cart.ts)')
})
