/** What is shared: the same bytes for the same memory, and whatever others wrote is read as text of theirs. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { newestOfOthers } from '../../../src/core/others/others.ts'
import {
  formatShared,
  parseSharedConcepts,
  parseSharedFacts,
  parseSharedNotes,
  type Shareable,
} from '../../../src/core/others/share.ts'
import { unitsIn } from '../../../src/core/search/units.ts'
import { isOurIgnore, isWho, whoOf } from '../../../src/kernel/trust/share-files.ts'
import { concept, note } from '../../support/briefing.ts'
import { fact, factsWith, itemsOf, listed } from '../../support/fact.ts'

const same = (text: string): string => text

function memory(more: Partial<Shareable> = {}): Shareable {
  return { notes: [], summaries: [], facts: factsWith(), concepts: [], ...more }
}

describe('what is shared', () => {
  it('holds facts one on a line, ordered by their numbers, with the words they were taken from and no session', () => {
    const facts = factsWith(
      fact({ id: 'd010', text: 'Later.', files: ['a.ts'] }),
      fact({ id: 'd002', reason: 'Rounding.', concept: 'c001' }),
      fact({ id: 'd003', state: 'rejected' }),
      fact({ id: 'd004', state: 'superseded' }),
      fact({ kind: 'issue', id: 'i001', text: 'It is slow.', status: 'resolved', resolution: 'An index.' }),
    )
    const shared = formatShared(memory({ facts, concepts: [concept('c001', 'Prices')] }), same)
    const lines = (shared['facts.jsonl'] ?? '').trimEnd().split('\n')

    expect(lines.map((line) => JSON.parse(line).id)).toEqual(['d002', 'd010', 'i001'])
    expect(JSON.parse(lines[0] ?? '')).toEqual({
      id: 'd002',
      type: 'decision',
      text: 'Prices are kept in cents.',
      reason: 'Rounding.',
      at: '2026-01-13T09:00:00.000Z',
      concept: 'Prices',
      said: 'keep prices in cents',
    })
    expect(Object.values(shared).join()).not.toContain('1a2b3c4d')
  })

  it('holds permanent memory that is active, as something said, and nothing that waits for a yes', () => {
    const item = {
      at: '2026-01-01T00:00:00.000Z',
      by: 'user',
      facts: [],
      evidence: [],
      concept: null,
      usedAt: '',
    } as const
    const rules = [
      { ...item, facts: [], evidence: [], id: 'r001', text: 'Test first.', state: 'active' as const },
      { ...item, facts: [], evidence: [], id: 'r002', text: 'Maybe not.', state: 'proposed' as const },
    ]
    const facts = itemsOf({ ...listed(factsWith()), permanent: { rules, solutions: [], core_logic: [] } })
    const line = formatShared(memory({ facts }), same)['facts.jsonl'] ?? ''

    expect(parseSharedFacts(line)).toMatchObject([{ id: 'r001', type: 'rule', text: 'Test first.' }])
    // For others it is no rule.
    expect(unitsIn('shared/alice/facts.jsonl', line)).toMatchObject([{ id: 'alice:r001', kind: 'pattern', about: '' }])
  })

  it('cleans every text of it', () => {
    const secret = 'hunter2'
    const shared = formatShared(
      memory({
        notes: [note(0, '2026-01-13', `The password is ${secret}.`)],
        facts: factsWith(fact({ text: secret, reason: secret, files: [secret] })),
        concepts: [{ ...concept('c001', secret), summary: secret, keywords: [secret], files: [secret] }],
      }),
      (text) => text.replaceAll(secret, '[redacted]'),
    )

    expect(Object.values(shared).join()).not.toContain(secret)
  })

  it('comes out as it went in, and a line stays where it is when others come', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 60 })
    const some = fc.uniqueArray(fc.record({ n: fc.integer({ min: 1, max: 999 }), text, reason: fc.option(text) }), {
      selector: ({ n }) => n,
      maxLength: 8,
    })
    fc.assert(
      fc.property(some, (rows) => {
        const facts = rows
          .filter((row) => row.text.trim() !== '')
          .map((row) => fact({ ...row, id: `d${String(row.n).padStart(3, '0')}` }))
        const format = (list: typeof facts): string =>
          formatShared(memory({ facts: factsWith(...list) }), same)['facts.jsonl'] ?? ''
        const all = format(facts)
        expect(format(facts.toReversed())).toBe(all)
        const fewer = format(facts.slice(1)).split('\n')
        expect(all.split('\n').filter((line) => fewer.includes(line))).toEqual(fewer)
        const read = parseSharedFacts(all)
        expect(read.map((one) => one.text).sort()).toEqual(facts.map((one) => one.text).sort())
      }),
    )
  })

  it('tells notes and summaries of archives by their time, whatever the clock of the person', () => {
    const notes = [note(25, '2026-01-14', 'Second.'), note(0, '2026-01-13', 'First.')]
    const summary = {
      sourceFile: 'memory_20260101_090000.md',
      generatedAt: '2026-01-02T00:00:00.000Z',
      themes: [],
      keyDecisions: [],
      issues: [],
      overallSummary: 'Before.',
    }
    const summaries = [{ file: 'memory_20260101_090000.md', summary }]
    const text = formatShared(memory({ notes, summaries }), same)['memory.md'] ?? ''

    expect(parseSharedNotes(text).map((one) => one.text)).toEqual(['Before.', 'First.', 'Second.'])
    expect(text).not.toMatch(/session=|entries=/)
    expect(formatShared(memory({ notes: notes.toReversed(), summaries }), same)['memory.md']).toBe(text)
  })
})

describe('what others shared', () => {
  it('is read line by line: a wrong one costs no other, of two with one id the later counts', () => {
    const line = (more: object): string => JSON.stringify({ id: 'd001', type: 'decision', text: 'A.', ...more })
    const text = ['<<<<<<< ours', line({}), '{"id":"d002"', line({ text: 'B.' }), line({ id: 'x y', text: 'C.' }), '[]']

    expect(parseSharedFacts(text.join('\n')).map((one) => one.text)).toEqual(['B.'])
    expect(parseSharedFacts(line({ at: 'tomorrow', files: [1, 'a'], isStale: 'yes' }))).toEqual([
      { id: 'd001', type: 'decision', text: 'A.', files: ['a'], at: '' },
    ])
  })

  it('never throws, whatever stands there, and never speaks with our ids or about our sessions', () => {
    const wild = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 200 }),
      fc.json(),
      fc
        .record({
          id: fc.string(),
          type: fc.constantFrom('decision', 'rule', 'issue', 'x'),
          text: fc.string(),
          at: fc.string(),
        })
        .map((row) => JSON.stringify(row)),
    )
    fc.assert(
      fc.property(fc.array(wild), fc.constantFrom('facts.jsonl', 'memory.md', 'concepts.jsonl'), (lines, file) => {
        const text = lines.join('\n')
        parseSharedNotes(text)
        parseSharedConcepts(text)
        for (const unit of unitsIn(`shared/alice/${file}`, text)) {
          expect(unit.id).toMatch(/^alice:[\p{L}\p{N}_.-]{1,60}$/u)
          expect(unit.about).toBe('')
          expect(unit.kind).not.toBe('rule')
          expect(unit.state).not.toBe('')
        }
      }),
    )
  })

  it('of a huge file is read in part', () => {
    const rows = Array.from({ length: 6_000 }, (_, n) =>
      JSON.stringify({ id: `d${n}`, type: 'decision', text: 'x'.repeat(n === 0 ? 9_000 : 1) }),
    )
    const facts = parseSharedFacts(rows.join('\n'))

    expect(facts).toHaveLength(5_000)
    expect(facts[0]?.text).toHaveLength(4_000)
  })

  it('is told by its newest decisions, a few of each', () => {
    const of = (who: string, count: number, day: string) =>
      parseSharedFacts(
        Array.from({ length: count }, (_, n) =>
          JSON.stringify({
            id: `d${n}`,
            type: n === 0 ? 'issue' : 'decision',
            text: `${n}`,
            at: `2026-01-${day}T10:0${n}:00.000Z`,
          }),
        ).join('\n'),
      ).map((fact) => ({ ...fact, who }))
    const told = newestOfOthers([...of('bob', 9, '09'), ...of('alice', 3, '08')])

    expect(told.map(({ who, id }) => `${who}:${id}`)).toEqual(['bob:d8', 'bob:d7', 'bob:d6', 'alice:d2', 'alice:d1'])
  })
})

describe('a name', () => {
  it.each([
    ['Alice', 'alice'],
    ['Alice B. Example', 'alice-b.-example'],
    ['김철수', '김철수'],
    ['../../etc', 'etc'],
    ['a/b\\c', 'a-b-c'],
    ['.hidden', 'hidden'],
    ['trailing. ', 'trailing'],
  ])('%s becomes %s', (given, name) => {
    expect(whoOf(given)).toBe(name)
  })

  it.each(['', '..', '/', 'con', 'NUL.txt', 'host', 'page', 'L1', 's', '🙂'])('%s cannot be one', (given) => {
    expect(whoOf(given)).toBeNull()
  })

  it('is always one that can be a folder and the beginning of an id', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 80 }), (given) => {
        const who = whoOf(given)
        if (who === null) return
        expect(isWho(who)).toBe(true)
        expect(whoOf(who)).toBe(who)
        expect(who).not.toMatch(/[/\\:*?"<>|\s]|\.\.|^\.|\.$/)
        expect(Array.from(who).length).toBeLessThanOrEqual(40)
      }),
    )
  })

  it('that a folder has must be spelled so', () => {
    for (const name of ['Alice', 'a:b', '-x', 'x.', 'e\u0301']) expect(isWho(name)).toBe(false)
    expect(isWho('ａ'.normalize('NFD'))).toBe(true)
  })
})

it('isOurIgnore knows our .gitignore, with whatever line breaks', () => {
  expect(['*\n', '*\r\n', '!*\n', ''].map(isOurIgnore)).toEqual([true, true, false, false])
})
