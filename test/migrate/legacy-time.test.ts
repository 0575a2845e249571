import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { datedAt, instantOf } from '../../src/migrate/legacy-time.ts'
import { formatBothTimes } from '../../src/platform/time.ts'

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
    ['UTC: 2026-02-01 03:00 / Local: 2026-02-01 12:00 - done', '2026-02-01T03:00:00.000Z', 'done'],
    ['2026-02-01 12:00 +02:00', '2026-02-01T10:00:00.000Z', ''],
    ['2026-01-14_1530 - 2026-01-14_1610 Login', '2026-01-14T06:30:00.000Z', '2026-01-14_1610 Login'],
    ['2026-01-14 12:00 KST lunch', '2026-01-14T03:00:00.000Z', 'lunch'],
    ['Session 2026-01-14 3:30 PM', '2026-01-14T06:30:00.000Z', ''],
    ['2026-01-14_1530 Work on login', '2026-01-14T06:30:00.000Z', 'Work on login'],
    ['[2026-01-14]: moved what was due on 2026-01-20', '2026-01-14T03:00:00.000Z', 'moved what was due on 2026-01-20'],
    ['2026-01-14_1530 logs of 2026-01-10 03:00 UTC', '2026-01-14T06:30:00.000Z', 'logs of 2026-01-10 03:00 UTC'],
  ])('%s is understood', (line, at, rest) => {
    const dated = datedAt(line, SEOUL)
    expect([dated?.when.at, dated?.rest]).toEqual([at, rest])
  })

  it.each(['Plan for 2026-03-01', 'Version 2026.1', '2026-13-45', '2026-02-30 10:00', '', '## 12:30'])(
    '%j has none',
    (line) => {
      expect(datedAt(line, SEOUL)).toBeNull()
    },
  )

  it('of a day alone is its noon, and says that no more is known', () => {
    expect(datedAt('2026-01-14', SEOUL)?.when).toEqual({ at: '2026-01-14T03:00:00.000Z', is: 'day', isZoned: false })
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
