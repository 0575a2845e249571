import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { convertLines, datedAt, formatEntries, sessionNamed } from '../../../src/extras/migrate/legacy-session.ts'
import { formatBothTimes, instantOf } from '../../../src/kernel/platform/time.ts'
import { parseSession } from '../../../src/kernel/transcript/session.ts'

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

const SEOUL = 'Asia/Seoul'
const BERLIN = 'Europe/Berlin'
const ZONES = [SEOUL, BERLIN, 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'Pacific/Apia', 'UTC']

describe('a time at the beginning of a line', () => {
  it.each([
    ['2026-01-14_1530', '2026-01-14T06:30:00.000Z', ''],
    ['2026-01-14 15:30:20', '2026-01-14T06:30:20.000Z', ''],
    ['2026-01-14T15:30:45.123Z', '2026-01-14T15:30:45.000Z', ''],
    ['2026-02-01 12:00:00 UTC', '2026-02-01T12:00:00.000Z', ''],
    ['2026-02-01 12:00:00 UTC (2026-02-01 21:00:00 +09:00)', '2026-02-01T12:00:00.000Z', ''],
    ['2026-02-01_0300 (UTC) / 2026-02-01_1200 (local)', '2026-02-01T03:00:00.000Z', ''],
    ['2026-02-01 12:00 +02:00', '2026-02-01T10:00:00.000Z', ''],
    ['2026-01-14_1530 - 2026-01-14_1610 Login', '2026-01-14T06:30:00.000Z', '2026-01-14_1610 Login'],
    ['2026-01-14_1530 Work on login', '2026-01-14T06:30:00.000Z', 'Work on login'],
    ['[2026-01-14]: moved what was due on 2026-01-20', '2026-01-14T03:00:00.000Z', 'moved what was due on 2026-01-20'],
    ['2026-01-14_1530 logs of 2026-01-10 03:00 UTC', '2026-01-14T06:30:00.000Z', 'logs of 2026-01-10 03:00 UTC'],
  ])('%s is understood', (line, at, rest) => {
    const dated = datedAt(line, SEOUL)
    expect([dated?.at, dated?.rest]).toEqual([at, rest])
  })

  it.each(['Plan for 2026-03-01', 'Version 2026.1', '2026-13-45', '2026-02-30 10:00', '', '## 12:30'])(
    '%j has none',
    (line) => {
      expect(datedAt(line, SEOUL)).toBeNull()
    },
  )

  it('of a day alone is its noon, and says that no more is known', () => {
    expect(datedAt('2026-01-14', SEOUL)).toEqual({ at: '2026-01-14T03:00:00.000Z', isDay: true, rest: '' })
  })
})

describe('a local time', () => {
  it('that a place has twice is the first one', () => {
    expect(instantOf('2026-10-25 02:30:00', BERLIN)).toBe('2026-10-25T00:30:00.000Z')
  })

  it('that a place never had is as much later', () => {
    expect(instantOf('2026-03-29 02:30:00', BERLIN)).toBe('2026-03-29T01:30:00.000Z')
    expect(instantOf('2011-12-30 12:00:00', 'Pacific/Apia')).toBe('2011-12-30T22:00:00.000Z')
  })

  it('leads back to itself wherever it exists', () => {
    const anyInstant = fc
      .integer({ min: Date.UTC(2020, 0, 1), max: Date.UTC(2030, 0, 1) })
      .map((ms) => ms - (ms % 1000))
    fc.assert(
      fc.property(anyInstant, fc.constantFrom(...ZONES), (ms, zone) => {
        const local = /\((\S+ \S+)/.exec(formatBothTimes(new Date(ms).toISOString(), zone))?.[1] ?? ''
        const back = instantOf(local, zone)

        // The hour that comes twice is told by its first one.
        expect(formatBothTimes(back, zone)).toContain(`(${local}`)
        expect(Date.parse(back)).toBeLessThanOrEqual(ms)
      }),
    )
  })
})
