import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { convertLines, formatEntries, sessionNamed } from '../../src/migrate/legacy-session.ts'
import { parseSession } from '../../src/transcript/session.ts'

const AT = '2026-01-10T06:30:00.000Z'

describe('the name of a session', () => {
  it('says when it began, in local time', () => {
    expect(sessionNamed('2026-01-10_1530', 'Asia/Seoul').at).toBe(AT)
    expect(sessionNamed('20260110_063000', 'Asia/Seoul').at).toBe(AT)
    expect(sessionNamed('talk', 'Asia/Seoul').at).toBeNull()
  })

  it('says which session of the host it was', () => {
    expect(sessionNamed('0f1e2d3c-0000-4000-8000-000000000001', 'UTC').id8).toBe('0f1e2d3c')
    expect(sessionNamed('2026-01-10_1530_0F1E2D3C-0000-4000-8000-000000000001', 'UTC').id8).toBe('0f1e2d3c')
  })

  it('is always the same id, and another for another name', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z0-9_-]{1,20}$/), fc.stringMatching(/^[a-z0-9_-]{1,20}$/), (a, b) => {
        expect(sessionNamed(a, 'UTC').id8).toMatch(/^[0-9a-z]{8}$/)
        expect(sessionNamed(a, 'UTC').id8 === sessionNamed(b, 'Asia/Seoul').id8).toBe(a === b)
      }),
    )
  })
})

describe('lines of a refined transcript', () => {
  it('are entries, also without a time or an outcome; any other line is kept as it is', () => {
    const lines = [
      { role: 'user', ts: AT, text: 'go' },
      { role: 'assistant', timestamp: AT, content: 'done' },
      { role: 'tool', name: 'Bash', cmd: 'ls', output: 'a b' },
      { role: 'system', ts: AT, text: 'compacted' },
    ]
    expect(convertLines(lines.map((line) => JSON.stringify(line)).join('\n'), AT)).toEqual([
      { role: 'user', ts: AT, text: 'go' },
      { role: 'assistant', ts: AT, text: 'done' },
      { role: 'tool', ts: AT, name: 'Bash', cmd: 'ls', ok: null, output: 'a b' },
      { role: 'summary', ts: AT, text: JSON.stringify(lines[3]) },
    ])
  })

  it('lose nothing: every line is an entry that can be read again', () => {
    const anyLine = fc.oneof(
      fc.json(),
      fc.string().map((text) => text.replace(/[\r\n]/g, ' ')),
      fc
        .record(
          { role: fc.constantFrom('user', 'assistant', 'tool'), ts: fc.constantFrom(AT, 'never'), text: fc.string() },
          { requiredKeys: ['role'] },
        )
        .map((line) => JSON.stringify(line)),
    )
    fc.assert(
      fc.property(fc.array(anyLine, { maxLength: 8 }), (lines) => {
        const entries = convertLines(lines.join('\n'), AT)

        expect(entries).toHaveLength(lines.filter((line) => line.trim() !== '').length)
        expect(parseSession(formatEntries(entries))).toEqual({ entries: JSON.parse(JSON.stringify(entries)), bad: 0 })
      }),
    )
  })
})
