/** What happened when, as rows: which there are, and which are kept when not all fit. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { NO_ITEMS } from '../../../src/core/knowledge/items.ts'
import {
  chooseRows,
  type RowOfTimeline,
  rowsOfFacts,
  rowsOfNotes,
  rowsOfSession,
} from '../../../src/core/search/timeline.ts'
import type { Entry, Tombstone } from '../../../src/kernel/transcript/session.ts'
import { fact, factsWith, itemsOf, listed } from '../../support/fact.ts'

const at = (minute: number): string => new Date(Date.UTC(2026, 0, 13, 9, minute)).toISOString()

function said(minute: number, text: string): Entry {
  return { role: 'user', ts: at(minute), text }
}

function ran(minute: number, cmd: string, ok: boolean | null = true): Entry {
  return { role: 'tool', ts: at(minute), name: 'Bash', cmd, ok }
}

describe('the rows of a session', () => {
  it('are the session by what it was about, the other prompts, and the commits that were made', () => {
    const entries: (Entry | Tombstone)[] = [
      { role: 'tombstone', n: 0, key: 'x' },
      said(1, 'make the parser\naccept empty lines'),
      ran(2, 'npm test'),
      ran(3, 'git commit -m "Accept empty lines"'),
      ran(4, 'git commit -m "Never made"', false),
      { role: 'assistant', ts: at(5), text: 'done' },
      said(6, '/memory-keeper:search-memory parser'),
      said(7, 'now the docs'),
    ]

    expect(rowsOfSession('1a2b3c4d', entries)).toEqual([
      { id: '1a2b3c4d', at: at(1), kind: 'session', by: 'code', text: 'make the parser accept empty lines' },
      { id: 'L1:1a2b3c4d#3', at: at(3), kind: 'commit', by: 'from git', text: 'Accept empty lines' },
      { id: 'L1:1a2b3c4d#7', at: at(7), kind: 'prompt', by: 'the user', text: 'now the docs' },
    ])
  })

  it('do not say that the user typed what a program sent, or what nobody is known to have typed', () => {
    const sent = (more: object): Entry => ({ role: 'user', by: 'user', ts: at(2), text: 'run it', ...more })
    const byOf = (more: object): string | undefined =>
      rowsOfSession('1a2b3c4d', [said(1, 'make the parser accept lines'), sent(more)])[1]?.by

    expect([{}, { sent: true }, { by: 'machine', via: 'queue' }, { by: 'machine' }].map(byOf)).toEqual([
      'the user',
      'author unknown',
      'author unknown',
      'author unknown',
    ])
  })

  it('are the session alone where nobody asked for anything, and none where nothing is left', () => {
    expect(rowsOfSession('1a2b3c4d', [ran(1, 'ls')])).toEqual([
      { id: '1a2b3c4d', at: at(1), kind: 'session', by: 'code', text: 'Bash ls' },
    ])
    expect(rowsOfSession('1a2b3c4d', [{ role: 'tombstone', n: 0, key: 'x' }])).toEqual([])
  })

  it('name the session by its task where the first prompt is only an answer', () => {
    const entries = [said(1, 'approved'), said(2, 'Add the outbox retry for failed mails')]

    expect(rowsOfSession('1a2b3c4d', entries).map(({ kind, text }) => [kind, text])).toEqual([
      ['session', 'Add the outbox retry for failed mails'],
      ['prompt', 'approved'],
    ])
  })

  it('are one harmless line each, however long or strange the words are', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary', maxLength: 400 }), fc.constant('가'.repeat(3000))), (text) => {
        for (const row of rowsOfSession('1a2b3c4d', [said(0, text), said(1, text)])) {
          expect(row.text.length).toBeLessThanOrEqual(162)
          expect(row.text).not.toMatch(/[\n\r\u0000]|<\/?memory-keeper/i)
          expect(Buffer.from(row.text).toString()).toBe(row.text)
        }
      }),
    )
  })
})

describe('the rows of notes and facts', () => {
  it('have their ids and times; a rejected decision is none, a solved issue is told as such', () => {
    const fact = {
      reason: null,
      resolution: null,
      session: '1a2b3c4d',
      evidence: { entry: 1, quote: '' },
      files: [],
      concept: null,
      by: 'extractive' as const,
    }
    const decision = { ...fact, kind: 'decision' as const, status: null }
    const facts = itemsOf({
      ...listed(NO_ITEMS),
      decisions: [
        { ...decision, id: 'd001', at: at(1), text: 'Use tabs.', state: 'fresh' as const },
        { ...decision, id: 'd002', at: at(2), text: 'Use spaces.', state: 'rejected' as const },
      ],
      issues: [
        {
          ...fact,
          kind: 'issue' as const,
          id: 'i003',
          at: at(3),
          text: 'It hangs.',
          status: 'resolved' as const,
          state: 'fresh' as const,
        },
      ],
    })

    expect(rowsOfFacts(facts)).toEqual([
      { id: 'd001', at: at(1), kind: 'decision', by: 'author unknown', text: 'Use tabs.' },
      { id: 'i003', at: at(3), kind: 'issue', by: 'author unknown', text: 'It hangs. (resolved)' },
    ])
    const note = { id: 'n-1', at: at(4), session: null, from: 0, to: 0, author: 'user' as const, text: 'A\nnote.' }
    expect(rowsOfNotes([note])).toEqual([{ id: 'n-1', at: at(4), kind: 'note', by: 'the user', text: 'A note.' }])
  })

  it('name Claude where it saved them by itself', () => {
    const evidence = { entry: 0, quote: 'Use tabs.', by: 'assistant' as const }
    const facts = factsWith(fact({ text: 'Use tabs.', by: 'agent', evidence }))
    const note = { id: 'n-claude-1', at: at(4), session: null, from: 0, to: 0, author: 'agent' as const, text: 'Mine.' }

    expect([...rowsOfFacts(facts), ...rowsOfNotes([note])].map(({ by, text }) => [by, text])).toEqual([
      ['Claude', '(by Claude) Use tabs.'],
      ['Claude', '(by Claude) Mine.'],
    ])
  })

  it('name whose words they are: never the user’s where nobody knows', () => {
    const by = (more: Parameters<typeof fact>[0]): string | undefined => rowsOfFacts(factsWith(fact(more)))[0]?.by
    const evidence = { entry: 0, quote: 'Use tabs.' }

    expect(by({ by: 'user' })).toBe('the user')
    expect(by({ by: 'headless', evidence: { ...evidence, by: 'user' } })).toBe('the user')
    expect(by({ by: 'headless', evidence })).toBe('Claude')
    expect(by({ by: 'extractive', evidence })).toBe('author unknown')
    expect(by({ by: 'extractive', evidence: { ...evidence, by: 'assistant' } })).toBe('Claude')
    expect(by({ by: 'agent', evidence: { ...evidence, by: 'tool' } })).toBe('from a tool')
    expect(by({ by: 'agent', evidence: { ...evidence, by: 'tool', from: 'WebFetch' } })).toBe('from WebFetch')
  })
})

describe('choosing rows', () => {
  const all = (['prompt', 'session', 'prompt', 'decision', 'prompt'] as const).map(
    (kind, minute): RowOfTimeline => ({ id: `r${minute}`, at: at(minute), kind, by: 'the user', text: '' }),
  )
  const day = { from: Date.parse(at(0)), to: Date.parse(at(60)) }
  const ids = (rows: readonly RowOfTimeline[]): string[] => rows.map(({ id }) => id)

  it('keeps what tells most, then what came last, in the order of time', () => {
    const { rows, left } = chooseRows(all, { ...day, centre: null, limit: 3 })

    expect(ids(rows)).toEqual(['r1', 'r3', 'r4'])
    expect(left).toBe(2)
  })

  it('keeps what is nearest to a given instant', () => {
    expect(ids(chooseRows(all, { ...day, centre: Date.parse(at(2)), limit: 3 }).rows)).toEqual(['r1', 'r2', 'r3'])
  })

  it('leaves out what lies outside or has no time, and loses nothing else', () => {
    const row = fc.record({
      id: fc.string(),
      at: fc.oneof(fc.integer({ min: -100, max: 100 }).map(at), fc.constant('')),
      kind: fc.constantFrom('session', 'prompt', 'note', 'commit') as fc.Arbitrary<RowOfTimeline['kind']>,
      by: fc.constant('Claude' as const),
      text: fc.constant(''),
    })
    const centre = fc.option(fc.integer({ min: -100, max: 100 }).map((minute) => Date.parse(at(minute))))
    fc.assert(
      fc.property(fc.array(row), centre, fc.nat(12), (given, middle, limit) => {
        const { rows, left } = chooseRows(given, { ...day, centre: middle, limit })
        const inside = given.filter((one) => one.at !== '' && one.at >= at(0) && one.at < at(60))

        expect(rows.length).toBe(Math.min(limit, inside.length))
        expect(left).toBe(inside.length - rows.length)
        expect(rows.map((one) => one.at)).toEqual(rows.map((one) => one.at).toSorted())
        for (const one of rows) expect(inside).toContain(one)
      }),
    )
  })
})
