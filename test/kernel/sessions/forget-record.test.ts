/** What was forgotten is known by fingerprint only, and stays away until it is said anew. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  formatRecord,
  markOfAsked,
  markOfOpen,
  markOfSaid,
  marksOfSaid,
  parseRecords,
  placeKeys,
  sentencesAround,
  withTombstones,
} from '../../../src/kernel/sessions/forget-record.ts'
import { type Entry, entryKey } from '../../../src/kernel/transcript/session.ts'

const AT = '2026-01-13T12:00:00.000Z'
const said = (text: string, ts = AT): Entry => ({ role: 'user', ts, text })

describe('a record', () => {
  it('comes back as it was written, from several files, with half a line', () => {
    const record = { at: AT, keys: ['k1'], open: [{ session: 's', words: ['w1'] }], said: ['m1'], raw: ['aaaaaaaa'] }
    const known = parseRecords([formatRecord(record), `${formatRecord({ at: AT, keys: ['k2'] })}{"keys":["k3`])
    expect([...known.keys]).toEqual(['k1', 'k2'])
    expect(known.said.get('m1')).toBe(AT)
    expect(known.open.get('s')?.get('w1')).toBe(AT)
    expect(known.raw.has('aaaaaaaa')).toBe(true)
  })

  it('survives anything that stands in the file', () => {
    fc.assert(fc.property(fc.array(fc.oneof(fc.string(), fc.json())), (lines) => void parseRecords([lines.join('\n')])))
  })

  it('holds no word of what was forgotten', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[g-z]{6,20}$/), (word) => {
        const entry = said(`about ${word}`)
        const record = {
          at: AT,
          keys: [entryKey(entry)],
          open: [{ session: 'ff', words: [markOfOpen(entry)] }],
          said: marksOfSaid(`about ${word}`),
        }
        expect(formatRecord(record)).not.toContain(word)
      }),
    )
  })
})

describe('entries that come again', () => {
  it('become tombstones with the number they have', () => {
    const entries = [said('one'), said('two'), said('three')]
    const known = parseRecords([formatRecord({ at: AT, keys: [entryKey(entries[1] as Entry)] })])
    expect(withTombstones(entries, 's', 7, known)).toEqual([
      entries[0],
      { role: 'tombstone', n: 8, key: entryKey(entries[1] as Entry) },
      entries[2],
    ])
  })

  it('are known by their words in the session where they were open, for a while', () => {
    const known = parseRecords([formatRecord({ at: AT, open: [{ session: 's', words: [markOfOpen(said('later'))] }] })])
    const roles = (session: string, ts: string): string[] =>
      withTombstones([said('later', ts)], session, 0, known).map(({ role }) => role)
    expect(roles('s', '2026-01-13T12:05:00.000Z')).toEqual(['tombstone'])
    expect(roles('other', '2026-01-13T12:05:00.000Z')).toEqual(['user'])
    expect(roles('s', '2026-01-14T12:05:00.000Z')).toEqual(['user'])
  })
})

describe('what was asked for in words', () => {
  it('stays away if it was said before, or in the talk about it', () => {
    const known = parseRecords([
      formatRecord({ at: AT, live: ['s'], asked: markOfAsked('project Nightjar') ?? { mark: '', words: 0 } }),
    ])
    const roles = (text: string, ts: string, session = 's'): string[] =>
      withTombstones([said(text, ts)], session, 0, known).map(({ role }) => role)
    expect(roles('About Project: nightjar!', '2025-01-01T00:00:00.000Z')).toEqual(['tombstone'])
    expect(roles('I forgot project nightjar.', '2026-01-13T12:01:00.000Z')).toEqual(['tombstone'])
    expect(roles('A new project nightjar begins.', '2026-01-13T12:40:00.000Z')).toEqual(['user'])
    expect(roles('A new project nightjar begins.', '2026-01-13T12:01:00.000Z', 'other')).toEqual(['user'])
    expect(roles('A new project nightjar begins.', '2026-02-13T12:01:00.000Z')).toEqual(['user'])
    expect(roles('The nightjar project.', '2025-01-01T00:00:00.000Z')).toEqual(['user'])
  })

  it.each([
    ['memory-keeper forget d001 --dry-run', true],
    ['cd /app && memory-keeper --json forget --query x', true],
    ['node "/p/dist/cli.cjs" forget d001', true],
    ['memory-keeper search forget', false],
    ['memory-keeper status; echo forget', false],
    ['A=1 sudo memory-keeper \\\n  forget d001', true],
    ['git commit -m "docs: explain memory-keeper forget"', false],
    ['git commit -m "docs: explain; memory-keeper forget"', false],
    ['grep -rn "memory-keeper forget" docs', false],
    ['grep -rn memory-keeper forget docs', false],
    ['echo memory-keeper forget', false],
  ])('%s is the list itself: %s', (cmd, isOne) => {
    const entry: Entry = { role: 'tool', ts: AT, name: 'Bash', cmd, ok: true, output: 'all of it' }
    expect(withTombstones([entry], 's', 0, parseRecords([]))[0]?.role === 'tombstone').toBe(isOne)
  })
})

describe('what is read otherwise by then', () => {
  const entries: Entry[] = [
    said('one', '2026-01-13T11:00:00.000Z'),
    said('two', '2026-01-13T11:00:00.000Z'),
    said('three', '2026-01-13T11:01:00.000Z'),
  ]
  const read = (all: readonly Entry[]): Entry[] =>
    all.map((entry) => ({ ...entry, text: `[redacted] ${'text' in entry ? entry.text : ''}` }) as Entry)

  it('is known by session, role and time, the second of two by its place', () => {
    const places = placeKeys(entries, 'aaaaaaaa-1').slice(1, 2) as string[]
    const known = parseRecords([formatRecord({ at: AT, keys: ['k'], places })])
    const roles = (session: string): string[] =>
      withTombstones(read(entries), session, 0, known).map(({ role }) => role)
    expect(roles('aaaaaaaa-1')).toEqual(['user', 'tombstone', 'user'])
    expect(roles('aaaaaaaa')).toEqual(['user', 'tombstone', 'user'])
    expect(roles('bbbbbbbb-1')).toEqual(['user', 'user', 'user'])
  })

  it('stays away as a whole session, up to then', () => {
    const known = parseRecords([formatRecord({ at: AT, keys: ['k'], whole: ['aaaaaaaa'] })])
    const all = [...read(entries), said('later', '2026-01-13T12:00:01.000Z')]
    expect(withTombstones(all, 'aaaaaaaa-1', 0, known).map(({ role }) => role)).toEqual([
      'tombstone',
      'tombstone',
      'tombstone',
      'user',
    ])
  })
})

it('withTombstones reads any command to its end', () => {
  const run = (cmd: string): void =>
    void withTombstones([{ role: 'tool', ts: AT, name: 'Bash', cmd, ok: true }], 's', 0, parseRecords([]))
  run(`node tools/cli.cjs ${'--aa '.repeat(700)}; echo "do not forget the docs"`)
  run(`memory-keeper ${'"\\'.repeat(1000)} forget`)
  fc.assert(fc.property(fc.string(), fc.string(), (a, b) => run(`${a}memory-keeper ${b} forget`)))
})

describe('a sentence', () => {
  it('has one mark, whatever its signs', () => {
    expect(markOfSaid('We use tabs!')).toBe(markOfSaid('we  use “tabs”'))
    expect(markOfSaid('We use spaces')).not.toBe(markOfSaid('We use tabs'))
    expect(markOfSaid('ok')).toBe('')
  })

  it('is found around a part of it', () => {
    const text = 'First this. We run two replicas, because there is room. Then that.'
    expect(sentencesAround(text, 'two replicas')).toEqual(['We run two replicas, because there is room.'])
    expect(sentencesAround(text, '')).toEqual([])
  })
})
