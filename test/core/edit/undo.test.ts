/** Undo records: a change leads back, byte for byte, and to no other text. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  formatUndoRecords,
  parseUndoRecords,
  planUndo,
  type Texts,
  touchedFiles,
  type UndoRecord,
} from '../../../src/core/edit/undo.ts'
import { formatItems } from '../../../src/core/knowledge/facts-file.ts'
import { fact, factsWith, itemsOf, listed, SAID } from '../../support/fact.ts'

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
  it('leads from the text after to the text before, through the journal', () => {
    fc.assert(
      fc.property(someText, someText, someText, (one, other, third) => {
        const [before, after] = [
          { 'a.md': one, 'b.md': other },
          { 'a.md': other, 'b.md': third },
        ]
        const [read] = parseUndoRecords(formatUndoRecords([recordOf(before, after)]))
        const back = planUndo(read as UndoRecord, after)

        expect({ ...after, ...('files' in back ? back.files : {}) }).toEqual(before)
      }),
    )
  })

  it('is completed where a part of its files is already as it should become', () => {
    const before = { 'a.md': 'one\n', 'b.md': null }
    const after = { 'a.md': 'two\n', 'b.md': 'new\n' }
    const record = recordOf(before, after)

    expect(planUndo(record, { ...after, 'a.md': 'one\n' })).toEqual({ files: { 'b.md': null }, isMerged: false })
    expect(planUndo(record, before)).toEqual({ files: {}, isMerged: false })
  })

  it('is taken back where it stands now, whatever lines were written around it since', () => {
    const lines = fc.uniqueArray(fc.stringMatching(/^[a-z]{3,8}$/), { minLength: 6, maxLength: 12 })
    const text = (all: readonly string[]): string => all.map((one) => `${one}\n`).join('')
    fc.assert(
      fc.property(
        lines,
        fc.nat(),
        fc.nat(2),
        fc.nat(2),
        fc.nat(),
        fc.boolean(),
        (all, from, cut, add, other, isNear) => {
          const at = from % (all.length - cut)
          fc.pre(cut + add > 0)
          const made = Array.from({ length: add }, (_, n) => `NEW ${n}`)
          const after = all.toSpliced(at, cut, ...made)
          // Somebody writes another line, not inside what the change wrote.
          const places = [...Array(after.length + 1).keys()].filter((n) => n <= at || n >= at + add)
          const place = isNear ? at + add : (places[other % places.length] ?? 0)
          const later = after.toSpliced(place, 0, 'LATER')
          const record = recordOf({ 'a.md': text(all) }, { 'a.md': text(after) })
          const back = planUndo(record, { 'a.md': text(later) })

          const left = 'files' in back ? (back.files['a.md'] ?? text(later)).split('\n') : []
          expect(left).toContain('LATER')
          expect(left.filter((one) => one !== 'LATER')).toEqual(text(all).split('\n'))
        },
      ),
    )
  })

  it('is refused where what it wrote was changed, and names the file', () => {
    const record = recordOf({ 'a.md': 'one\ntwo\n', 'b.md': 'x' }, { 'a.md': 'one\nthree\n', 'b.md': 'y' })

    expect(planUndo(record, { 'a.md': 'one\nfour\nfive\n', 'b.md': 'y' })).toEqual({ changed: ['a.md'] })
    expect(planUndo(record, { 'a.md': null, 'b.md': 'y' })).toEqual({ changed: ['a.md'] })
  })

  it('that does not give the text before is not applied', () => {
    const record = recordOf({ 'a.md': 'one\n' }, { 'a.md': 'two\n' })
    const broken = { ...record, files: record.files.map((file) => ({ ...file, was: 'none' })) }

    expect(planUndo(broken, { 'a.md': 'two\n' })).toEqual({ changed: ['a.md'] })
  })

  it('contains nothing of facts before and behind those that the change touched', () => {
    const all = ['Prices are in cents.', 'We deploy on Tuesdays.', 'The login has a cookie.', 'Rounding is half up.']
    const facts = factsWith(...all.map((text, n) => fact({ id: `d00${n + 1}`, text })))
    const texts = (left: readonly string[]): Texts => ({
      'facts.json': formatItems(
        itemsOf({ ...listed(facts), decisions: listed(facts).decisions.filter(({ text }) => left.includes(text)) }),
      ),
    })
    for (const one of all) {
      const journal = formatUndoRecords([recordOf(texts(all), texts(all.filter((text) => text !== one)))])
      expect(all.filter((text) => journal.includes(text))).toEqual([one])
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
    const broken = { ...record(3), files: [{ path: 'rules.md', before: null, after: 1, at: 0, was: '', is: '' }] }
    const strange = { ...record(4), by: 'git' }
    const text = `{"half": \n${formatUndoRecords([record(1)])}null\n${JSON.stringify(broken)}\n${JSON.stringify(strange)}\n${JSON.stringify(earlier)}\n`

    expect(parseUndoRecords(text)).toEqual([record(1), { version: 1, at: SAID, by: 'user', what: 'pin d001' }])
  })
})
