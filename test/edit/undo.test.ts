/** Undo records: the pieces of a change lead back and forth, byte for byte, and to no other text. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  formatUndoRecords,
  parseUndoRecords,
  planStep,
  type Texts,
  touchedFiles,
  type UndoRecord,
} from '../../src/edit/undo.ts'
import { formatFacts } from '../../src/knowledge/fact.ts'
import { fact, factsWith, SAID } from '../support/fact.ts'

const recordOf = (before: Texts, after: Texts, what = 'some'): UndoRecord => ({
  version: 2,
  at: SAID,
  by: 'user',
  what,
  files: touchedFiles(before, after),
})
const line = fc.constantFrom('a', 'b', 'c', '', '😀', '😁', '\ud83d', '{"id":"d001"},', '{"id":"d001"}')
const someText = fc.option(
  fc.oneof(
    fc.array(line, { maxLength: 12 }).map((lines) => lines.join('\n')),
    fc.string({ unit: 'binary' }),
  ),
)

describe('a record', () => {
  it('leads from the text after to the text before and back, through the journal', () => {
    fc.assert(
      fc.property(someText, someText, someText, (one, other, third) => {
        const [before, after] = [
          { 'a.md': one, 'b.md': other },
          { 'a.md': other, 'b.md': third },
        ]
        const [read] = parseUndoRecords(formatUndoRecords([recordOf(before, after)]))
        const record = read as UndoRecord
        const back = planStep(record, after, 'before')
        const again = planStep(record, before, 'after')

        expect({ ...after, ...(back.is === 'files' ? back.files : {}) }).toEqual(before)
        expect({ ...before, ...(again.is === 'files' ? again.files : {}) }).toEqual(after)
      }),
    )
  })

  it('is completed where a part of its files is already as it should become', () => {
    const before = { 'a.md': 'one\n', 'b.md': null }
    const after = { 'a.md': 'two\n', 'b.md': 'new\n' }
    const record = recordOf(before, after)

    expect(planStep(record, { ...after, 'a.md': 'one\n' }, 'before')).toEqual({ is: 'files', files: { 'b.md': null } })
    expect(planStep(record, before, 'before')).toEqual({ is: 'files', files: {} })
  })

  it('is applied to no other text, and names the files that changed', () => {
    fc.assert(
      fc.property(someText, someText, someText, (one, other, now) => {
        fc.pre(one !== other && now !== one && now !== other)
        const record = recordOf({ 'a.md': one, 'b.md': 'x' }, { 'a.md': other, 'b.md': 'y' })
        const there = { 'a.md': now, 'b.md': 'y' }

        expect(planStep(record, there, 'before')).toEqual({ is: 'changed', changed: ['a.md'] })
        expect(planStep(record, there, 'after')).toEqual({ is: 'changed', changed: ['a.md'] })
      }),
    )
  })

  it('with pieces that do not give the text before is not applied', () => {
    const record = recordOf({ 'a.md': 'one\n' }, { 'a.md': 'two\n' })
    const broken = { ...record, files: record.files.map((file) => ({ ...file, hunks: [] })) }

    expect(planStep(broken, { 'a.md': 'two\n' }, 'before')).toEqual({ is: 'changed', changed: ['a.md'] })
  })

  it('contains nothing of facts that the change did not touch', () => {
    const facts = factsWith(
      fact(),
      fact({ id: 'd002', text: 'We deploy on Tuesdays.', concept: 'c002' }),
      fact({ id: 'd003', text: 'The login has a cookie.' }),
      fact({ id: 'd004', text: 'Rounding is half up.', concept: 'c002' }),
    )
    const moved = facts.decisions.map((one) => (one.concept === 'c002' ? { ...one, concept: 'c001' } : one))
    const texts = (decisions: typeof moved): Texts => ({ 'facts.json': formatFacts({ ...facts, decisions }) })
    const journal = (before: Texts, after: Texts): string => formatUndoRecords([recordOf(before, after)])
    const before = texts(facts.decisions)

    expect(touchedFiles(before, texts(moved))[0]?.hunks).toHaveLength(2)
    const two = journal(before, texts(moved))
    expect(two).not.toMatch(/login|Prices are/)
    for (const words of ['We deploy on Tuesdays.', 'Rounding is half up.']) expect(two.split(words)).toHaveLength(3)
    for (const n of [0, 1, 2, 3]) {
      const less = texts([...moved.slice(0, n), ...moved.slice(n + 1)])
      const added = journal(less, texts(moved))
      expect(facts.decisions.filter(({ text }) => added.includes(text))).toEqual([facts.decisions[n]])
      expect(journal(before, less)).not.toMatch(n === 0 ? /login/ : n === 2 ? /Prices are/ : /login|Prices are/)
    }
  })
})

describe('the journal', () => {
  const record = (n: number, size = 1): UndoRecord =>
    recordOf({ 'rules.md': 'x'.repeat(size) }, { 'rules.md': null }, `change ${n}`)
  const kept = (records: UndoRecord[]): string[] => parseUndoRecords(formatUndoRecords(records)).map(({ what }) => what)

  it('keeps the last fifty, within a megabyte', () => {
    expect(kept(Array.from({ length: 70 }, (_, n) => record(n)))).toHaveLength(50)
    expect(kept(Array.from({ length: 9 }, (_, n) => record(n, 300_000)))).toEqual(['change 6', 'change 7', 'change 8'])
  })

  it('remembers that there was one too large to be kept', () => {
    expect(parseUndoRecords(formatUndoRecords([record(1), record(2, 2_000_000)]))).toMatchObject([
      { what: 'change 2', files: [] },
    ])
  })

  it('passes over what is no record, and reads those of earlier versions', () => {
    const earlier = { version: 1, at: SAID, by: 'user', what: 'pin d001', touched: [{ kind: 'fact', id: 'd001' }] }
    const broken = { ...record(3), files: [{ path: 'rules.md', before: null, after: 1, hunks: [] }] }
    const text = `{"half": \n${formatUndoRecords([record(1)])}null\n${JSON.stringify(broken)}\n${JSON.stringify(earlier)}\n`

    expect(parseUndoRecords(text)).toEqual([record(1), { version: 1, at: SAID, by: 'user', what: 'pin d001' }])
  })
})
