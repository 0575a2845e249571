/** What the files of an earlier memory say about all of it: version, zone, and when a text without a date was written. */
import { describe, expect, it } from 'vitest'
import { earlierMemoryOf, writtenAt } from '../../../src/extras/migrate/legacy-memory.ts'
import { instantOf, offsetIn, offsetZone } from '../../../src/kernel/platform/time.ts'

const file = (path: string, text = '') => ({ path, text })
const SESSION = file('sessions/2026-01-20_0900.md', 'Bought ropes.')
const dayOf = (at: string): string => at.slice(0, 10)

describe('a week without a year', () => {
  const weekAt = (name: string, text: string, others = [SESSION]): string => {
    const week = file(`sessions/${name}`, text)
    return dayOf(writtenAt(week, earlierMemoryOf([...others, week], 'UTC')).at)
  }

  it('is dated by the days in its text', () => {
    expect(weekAt('week-49.md', '- 2025-12-02: Ropes\n- 2025-12-05: Knots')).toBe('2025-12-05')
    expect(weekAt('week-49.md', 'Released on 2026-01-19\n- 2025-12-02: Ropes')).toBe('2025-12-02')
    expect(weekAt('week-01.md', '- 2025-12-30: Ropes')).toBe('2025-12-30')
  })

  it('is the newest one that does not lie behind everything else in its memory', () => {
    expect(weekAt('week-49.md', 'Ropes and knots.')).toBe('2025-12-01')
    expect(weekAt('week-03.md', 'Ropes and knots.')).toBe('2026-01-12')
    expect(weekAt('week-04.md', 'Ropes and knots.')).toBe('2026-01-19')
    expect(weekAt('week-05.md', 'Ropes and knots.')).toBe('2025-01-27')
    expect(weekAt('week-01.md', 'Ropes', [file('sessions/2025-12-30_0900.md')])).toBe('2025-12-29')
    // 2020 has the newest week 53 before that.
    expect(weekAt('week-53.md', 'Ropes', [file('sessions/2021-06-01_0900.md')])).toBe('2020-12-28')
  })

  it('is undated, before everything else, where nothing bounds it', () => {
    expect(weekAt('week-49.md', 'Ropes and knots.', [])).toBe('1970-01-01')
    expect(weekAt('week-77.md', 'Ropes and knots.')).toBe('1970-01-01')
  })
})

describe('what waited for a note', () => {
  const deltaAt = (...others: { path: string; text: string }[]): string => {
    const delta = file('delta_temp.txt', '[User]: Paint it.')
    return writtenAt(delta, earlierMemoryOf([delta, ...others], 'UTC')).at
  }

  it('comes behind the newest note and the newest session', () => {
    expect(deltaAt(SESSION)).toBe('2026-01-20T09:00:01.000Z')
    expect(deltaAt(SESSION, file('memory.md', '## 2026-02-02_0300 (local 02-02_1200)\nDone.\n'))).toBe(
      '2026-02-02T03:00:01.000Z',
    )
    const lines =
      '{"role":"user","ts":"2026-02-03T10:00:00.000Z","text":"a"}\n{"role":"user","ts":"2026-02-03T11:30:00.000Z","text":"b"}\n'
    expect(deltaAt(SESSION, file('sessions/2026-02-03_1000.l1.jsonl', lines))).toBe('2026-02-03T11:30:01.000Z')
    expect(deltaAt(file('memory_20260113_120000.md', 'Words.'))).toBe('2026-01-13T12:00:01.000Z')
    expect(deltaAt(file('memory.md', '# Project Memory: a\n\n## Current State\n- Last updated: 2025-12-14\n'))).toBe(
      '2025-12-14T12:00:01.000Z',
    )
  })

  it('comes behind the times that its own lines begin with, and not behind those that they mention', () => {
    const at = (text: string, ...others: { path: string; text: string }[]): string => {
      const delta = file('delta_temp.txt', text)
      return writtenAt(delta, earlierMemoryOf([delta, ...others], 'UTC')).at
    }
    expect(at('[2026-02-05 10:30] [User]: Paint it.\n[2026-02-05 10:40] Done.', SESSION)).toBe(
      '2026-02-05T10:40:00.000Z',
    )
    expect(at('[2026-02-05 10:30] [User]: Paint it.')).toBe('2026-02-05T10:30:00.000Z')
    expect(at('[2026-01-02 10:30] [User]: Paint it.', SESSION)).toBe('2026-01-20T09:00:01.000Z')
    expect(at('[User]: It must be done by 2027-01-01.', SESSION)).toBe('2026-01-20T09:00:01.000Z')
  })
})

describe('the version', () => {
  const versionOf = (...names: string[]): string =>
    earlierMemoryOf(
      names.map((name) => file(name, name.endsWith('.json') ? '{"decisions":[]}' : 'words')),
      '',
    ).version

  it('is 3 where only that one kept files, and 4 with any other', () => {
    expect(versionOf('memory.md', 'counter.txt', 'sessions/2025-11-18_1410.md', 'config.json')).toBe('v3')
    expect(versionOf('memory.md', 'facts.json')).toBe('v4')
    expect(versionOf('memory.md', 'sessions/2025-11-18_1410.raw.md')).toBe('v4')
    expect(versionOf('memory.md', 'sessions/week-49.md')).toBe('v4')
    expect(versionOf('memory.md', 'sessions/archive/2025-10.md')).toBe('v4')
    expect(earlierMemoryOf([file('facts.json', '{"_meta":{"counter":1}}')], '').version).toBe('v3')
    const state = file('memory.md', '# Project Memory: a\n\n## Current State\n- Version: 1.0.0\n')
    expect(earlierMemoryOf([state], '').version).toBe('v4')
  })
})

describe('the zone of headings without one', () => {
  const at = '2026-02-02T03:00:00.000Z'
  const heading = (minutes: number): string => {
    const local = new Date(Date.parse(at) + minutes * 60_000).toISOString()
    return `## 2026-02-02_0300 (local ${local.slice(5, 10)}_${local.slice(11, 13)}${local.slice(14, 16)})\nDone.\n`
  }
  const here = offsetIn('')(Date.parse(at)) / 60_000
  const zoneOf = (asked: string, ...minutes: number[]): string =>
    earlierMemoryOf([file('memory.md', `## 2026-01-28_0915\nOlder.\n${minutes.map(heading).join('')}`)], asked).timezone

  it('is the one that the user names', () => {
    expect(zoneOf('Asia/Seoul', here + 90)).toBe('Asia/Seoul')
  })

  it('is this system’s while the headings with both times show its offset, or none', () => {
    expect(zoneOf('', here)).toBe('')
    expect(zoneOf('')).toBe('')
  })

  it('is the offset of the oldest of these where it is another one', () => {
    const zone = offsetZone(here + 90)

    expect(zoneOf('', here + 90)).toBe(zone)
    expect(instantOf('2026-01-28 09:15:00', '+05:30')).toBe('2026-01-28T03:45:00.000Z')
  })
})
