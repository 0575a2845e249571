import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  clockOf,
  dayIn,
  formatBothTimes,
  formatStamp,
  isTimezone,
  NO_TIME,
  parseInstant,
} from '../../../src/kernel/platform/time.ts'

const instant = fc
  .date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString())

it('dayIn knows the day of an instant in a zone, also where the clock is changed', () => {
  const berlin = dayIn('Europe/Berlin')
  expect(
    ['2026-03-28T22:59:59Z', '2026-03-28T23:00:00Z', '2026-03-29T21:59:59Z', '2026-03-29T22:00:00Z'].map(berlin),
  ).toEqual(['2026-03-28', '2026-03-29', '2026-03-29', '2026-03-30'])
  expect(dayIn('Pacific/Kiritimati')('2026-12-31T10:00:00.000Z')).toBe('2027-01-01')
  expect(dayIn('UTC')('never')).toBe('')
})

it('dayIn gives a day at most one away from that of UTC', () => {
  const recent = fc.date({ min: new Date('1970-01-02'), max: new Date('2100-01-01'), noInvalidDate: true })
  fc.assert(
    fc.property(recent, fc.constantFrom('Pacific/Kiritimati', 'Pacific/Pago_Pago', 'Asia/Kolkata'), (date, zone) => {
      const day = Date.parse(dayIn(zone)(date.toISOString()))

      expect(Math.abs(day - Date.parse(date.toISOString().slice(0, 10)))).toBeLessThanOrEqual(86_400_000)
    }),
  )
})

it('formatStamp makes a stamp of an instant', () => {
  expect(formatStamp('2026-01-13T12:34:56.789Z')).toBe('20260113_123456')
  expect(formatStamp('2026-01-13')).toBe('20260113_000000')
})

it('stamps sort as their instants do', () => {
  fc.assert(
    fc.property(instant, instant, (a, b) => {
      expect(formatStamp(a)).toMatch(/^\d{8}_\d{6}$/)
      if (formatStamp(a) < formatStamp(b)) expect(a < b).toBe(true)
    }),
  )
})

it('parseInstant leaves an instant as it is', () => {
  fc.assert(
    fc.property(instant, (at) => {
      expect(parseInstant(at)).toBe(at)
    }),
  )
})

it('parseInstant reads other zones as UTC and shorter forms as they are', () => {
  expect(parseInstant('2026-03-01T12:00:00+02:00')).toBe('2026-03-01T10:00:00.000Z')
  expect(parseInstant('2026-03-01T10:00:00Z')).toBe('2026-03-01T10:00:00Z')
  expect(parseInstant('2026-03-01')).toBe('2026-03-01T00:00:00.000Z')
})

it('parseInstant gives null where there is no instant, and never throws', () => {
  for (const none of [null, undefined, 5, '', 'yesterday at noon', '2026-99-99T99:99:99', {}]) {
    expect(parseInstant(none)).toBeNull()
  }
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(['string', 'object']).toContain(typeof parseInstant(text))
    }),
  )
})

it('formatBothTimes shows UTC and local time', () => {
  expect(formatBothTimes('2026-01-13T12:00:00.000Z', 'Asia/Seoul')).toBe(
    '2026-01-13 12:00:00 UTC (2026-01-13 21:00:00 +09:00)',
  )
  expect(formatBothTimes('2026-07-01T23:30:00.000Z', 'Europe/Berlin')).toBe(
    '2026-07-01 23:30:00 UTC (2026-07-02 01:30:00 +02:00)',
  )
  expect(formatBothTimes('2026-01-13T12:00:00Z', 'UTC')).toBe('2026-01-13 12:00:00 UTC (2026-01-13 12:00:00 +00:00)')
})

it('formatBothTimes shows the same instant twice, in every zone', () => {
  const zone = fc.constantFrom('', 'UTC', ...Intl.supportedValuesOf('timeZone'))
  const lately = fc
    .date({ min: new Date('2000-01-01'), max: new Date('2099-12-31'), noInvalidDate: true })
    .map((date) => date.toISOString())
  fc.assert(
    fc.property(lately, zone, (at, name) => {
      const [, utc, local, offset] = /^(.{19}) UTC \((.{19}) (.{6})\)$/.exec(formatBothTimes(at, name)) ?? []

      expect(Date.parse(`${utc?.replace(' ', 'T')}Z`)).toBe(Date.parse(`${local?.replace(' ', 'T')}${offset}`))
      expect(utc).toBe(at.slice(0, 19).replace('T', ' '))
    }),
  )
})

it('formatBothTimes shows the time of the system as that of a zone with its name', () => {
  const before = process.env.TZ
  const lately = fc.date({ min: new Date('1990-01-01'), max: new Date('2037-12-31'), noInvalidDate: true })
  const zones = ['UTC', 'Asia/Kolkata', 'America/St_Johns', 'Europe/Berlin', 'Australia/Lord_Howe']
  try {
    for (const zone of zones) {
      process.env.TZ = zone
      fc.assert(
        fc.property(lately, (date) => {
          const at = date.toISOString()

          expect(formatBothTimes(at, '')).toBe(formatBothTimes(at, zone))
          expect(dayIn('')(at)).toBe(dayIn(zone)(at))
        }),
      )
    }
  } finally {
    if (before === undefined) delete process.env.TZ
    else process.env.TZ = before
  }
  expect(dayIn('')('never')).toBe('')
})

it('formatBothTimes leaves what is no instant as it is, and never throws', () => {
  expect(formatBothTimes('the 3rd of May', 'UTC')).toBe('the 3rd of May UTC')
  fc.assert(
    fc.property(fc.string(), (at) => {
      expect(formatBothTimes(at, 'Asia/Seoul')).toContain('UTC')
    }),
  )
})

it('isTimezone knows the time zones of this system, and no others', () => {
  for (const zone of ['UTC', 'Asia/Seoul', 'europe/berlin']) expect(isTimezone(zone), zone).toBe(true)
  for (const none of ['', 'Mars/Olympus', 'Europe/', '../etc/passwd', 'Asia/Seoul\n'])
    expect(isTimezone(none), none).toBe(false)
})

describe('a clock for screens', () => {
  it('shows minutes and days of its time zone, and names it', () => {
    const { zone, minute, day } = clockOf('Asia/Seoul')

    expect(zone).toBe('Asia/Seoul')
    expect([minute('2026-01-13T18:05:59.000Z'), day('2026-01-13T18:05:59.000Z')]).toEqual([
      '2026-01-14 03:05',
      '2026-01-14',
    ])
  })

  it('says of a text without a date that it has none', () => {
    expect(clockOf('America/New_York').minute(NO_TIME)).toBe('undated')
  })

  it.each(['2026-01-13', '', 'someday'])('leaves %j as it is', (at) => {
    expect(clockOf('America/New_York').minute(at)).toBe(at)
  })
})
