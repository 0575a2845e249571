/** Headings of 13.9.5 and later: the time in UTC, the local time behind it. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { convertNotes } from '../../../src/extras/migrate/legacy-note.ts'
import { notesIn } from '../../../src/kernel/memory/note.ts'
import { formatBothTimes } from '../../../src/kernel/platform/time.ts'

const BERLIN = 'Europe/Berlin'
const headingOf = (text: string): string => /^## (.*)$/m.exec(text)?.[1] ?? ''
const two = (n: number): string => String(n).padStart(2, '0')

describe('a heading with the time in UTC and the local time behind it', () => {
  it.each([
    ['2026-02-02_0300 (local 02-02_1200)', '2026-02-02 03:00:00 UTC (2026-02-02 12:00:00 +09:00)'],
    ['2026-02-02_1730 (local 02-03_0230)', '2026-02-02 17:30:00 UTC (2026-02-03 02:30:00 +09:00)'],
    ['2026-02-02_0300 (local 02-01_2200)', '2026-02-02 03:00:00 UTC (2026-02-01 22:00:00 -05:00)'],
    ['2026-01-01_0030 (local 12-31_1930)', '2026-01-01 00:30:00 UTC (2025-12-31 19:30:00 -05:00)'],
    ['2025-12-31_2000 (local 01-01_0500)', '2025-12-31 20:00:00 UTC (2026-01-01 05:00:00 +09:00)'],
    ['2026-02-02_0300 (local 02-02_0830)', '2026-02-02 03:00:00 UTC (2026-02-02 08:30:00 +05:30)'],
    ['2026-02-02_0300 (local 02-01_2330)', '2026-02-02 03:00:00 UTC (2026-02-01 23:30:00 -03:30)'],
    ['2026-02-02_0300 (local 02-02_0845)', '2026-02-02 03:00:00 UTC (2026-02-02 08:45:00 +05:45)'],
    ['2026-02-02_0300 (local 02-02_0300)', '2026-02-02 03:00:00 UTC (2026-02-02 03:00:00 +00:00)'],
  ])('%s is the instant, with its own offset', (heading, shown) => {
    const text = convertNotes(`## ${heading}\nWrote the ledger.\n`, BERLIN)

    expect(headingOf(text)).toBe(shown)
    expect(notesIn(text)).toMatchObject([{ text: 'Wrote the ledger.', author: 'agent' }])
    expect(convertNotes(text, BERLIN)).toBe(text)
  })

  // The clock was read twice: a minute may have ended in between.
  it.each([
    ['2026-02-09_0301 (local 02-09_1200)', '2026-02-09 03:01:00 UTC (2026-02-09 12:01:00 +09:00)'],
    ['2026-02-09_0259 (local 02-09_1200)', '2026-02-09 02:59:00 UTC (2026-02-09 11:59:00 +09:00)'],
    ['2025-12-31_1459 (local 01-01_0000)', '2025-12-31 14:59:00 UTC (2025-12-31 23:59:00 +09:00)'],
    ['2026-02-09_0000 (local 02-08_2359)', '2026-02-09 00:00:00 UTC (2026-02-09 00:00:00 +00:00)'],
    ['2026-02-09_1000 (local 02-10_0001)', '2026-02-09 10:00:00 UTC (2026-02-10 00:00:00 +14:00)'],
  ])('%s, a minute apart, has the zone that it means', (heading, shown) =>
    expect(headingOf(convertNotes(`## ${heading}\nWrote it.\n`, BERLIN))).toBe(shown),
  )

  it('two minutes apart has none', () =>
    expect(headingOf(convertNotes('## 2026-02-09_0302 (local 02-09_1200)\nWrote it.\n', BERLIN))).toBe(
      '2026-02-09 02:02:00 UTC (2026-02-09 03:02:00 +01:00)',
    ))

  it('leaves the text behind its bracket in the note, and nothing else of the heading', () => {
    const text = convertNotes('## 2026-02-02_0300 (local 02-02_1200) Ledger\nWrote it.\n', BERLIN)

    expect(notesIn(text)[0]?.text).toBe('Ledger\n\nWrote it.')
  })

  it('whose two times no zone has in common is read as a local time, as before', () => {
    const text = convertNotes('## 2026-02-02_0300 (local 02-09_1207)\nWrote it.\n', BERLIN)

    expect(headingOf(text)).toBe('2026-02-02 02:00:00 UTC (2026-02-02 03:00:00 +01:00)')
  })

  it('stands beside headings of every other version', () => {
    const headings = [
      '2026-01-20_2315',
      '2026-01-30_1015 (UTC)',
      '2026-02-02_0300 (local 02-02_1200)',
      '2026-02-04 02:00:00 UTC (2026-02-04 11:00:00 +09:00)',
    ]
    const text = convertNotes(headings.map((one) => `## ${one}\nDone.\n\n`).join(''), BERLIN)

    expect(notesIn(text).map(({ at }) => at)).toEqual([
      '2026-01-20T22:15:00.000Z',
      '2026-01-30T10:15:00.000Z',
      '2026-02-02T03:00:00.000Z',
      '2026-02-04T02:00:00.000Z',
    ])
  })

  it('gives back every instant of every zone, whatever zone the system has', () => {
    const anyMinute = fc.integer({ min: Date.UTC(2025, 11, 30) / 60_000, max: Date.UTC(2026, 2, 2) / 60_000 })
    fc.assert(
      fc.property(anyMinute, fc.integer({ min: -48, max: 56 }), (minute, quarters) => {
        const utc = new Date(minute * 60_000)
        const local = new Date((minute + quarters * 15) * 60_000)
        const clock = (one: Date): string =>
          `${two(one.getUTCMonth() + 1)}-${two(one.getUTCDate())}_${two(one.getUTCHours())}${two(one.getUTCMinutes())}`
        const heading = `${utc.getUTCFullYear()}-${clock(utc)} (local ${clock(local)})`
        const text = convertNotes(`## ${heading}\nDone.\n`, 'Asia/Tokyo')

        expect(notesIn(text)).toMatchObject([{ at: utc.toISOString(), text: 'Done.' }])
        expect(headingOf(text)).toContain(`(${local.toISOString().slice(0, 19).replace('T', ' ')} `)
      }),
    )
  })
})

it('formatBothTimes shows a time in a zone that is an offset', () => {
  expect(formatBothTimes('2026-01-01T00:30:00.000Z', '-03:30')).toBe(
    '2026-01-01 00:30:00 UTC (2025-12-31 21:00:00 -03:30)',
  )
})
