import fs from 'node:fs'
import { addFacts } from '../../../src/core/knowledge/fact-add.ts'
import { allFacts, NO_ITEMS } from '../../../src/core/knowledge/items.ts'
/** Facts on disk: earlier formats, and one fact a line. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatItems, parseItems } from '../../../src/core/knowledge/facts-file.ts'
import { listed, newFact, someNewFact } from '../../support/fact.ts'

describe('parseItems', () => {
  it('reads facts of the first version, where fields had other names or were missing', () => {
    const text = JSON.stringify({
      decisions: [
        { id: 'd007', date: '2025-11-01', content: 'Use npm', reason: 'it is there', session: '2025-11-01_0900' },
      ],
      patterns: ['Errors are values'],
      issues: [{ id: 'i001', content: 'Slow start', status: 'resolved', resolution: 'cached' }, { id: 'i002' }],
    })
    const facts = parseItems(text)

    expect(listed(facts)?.decisions[0]).toMatchObject({
      id: 'd007',
      text: 'Use npm',
      at: '2025-11-01',
      state: 'fresh',
      files: [],
    })
    expect(listed(facts)?.patterns[0]).toMatchObject({ id: 'p001', text: 'Errors are values', status: null })
    expect(listed(facts)?.issues).toHaveLength(1)
    expect(listed(facts)?.issues[0]).toMatchObject({ status: 'resolved', resolution: 'cached' })
    expect(listed(facts)?.permanent).toEqual({ rules: [], solutions: [], core_logic: [] })
  })

  it('reads one replaced decision, as versions before 0.7 wrote it', () => {
    const text = JSON.stringify({ decisions: [{ id: 'd002', text: 'Use cookies', replaces: 'd001' }] })

    expect(listed(parseItems(text))?.decisions[0]?.replaces).toEqual(['d001'])
  })

  it.each([[['d001']], [['d001', 'd002']], [['d001', 'd002', 'd003']]])(
    'reads facts that replace %j as written, and a version before 0.7 finds one text',
    (replaces) => {
      const facts = addFacts(NO_ITEMS, [newFact('decision', 'Use cookies', 3, { replaces })])
      const text = formatItems(facts)

      expect(JSON.parse(text).decisions[0].replaces).toBe('d001')
      expect(listed(parseItems(text))).toEqual(listed(facts))
      expect(formatItems(parseItems(text) ?? NO_ITEMS)).toBe(text)
    },
  )

  it.each([1e21, 1.5, -3, '7', null])('takes the highest id where the counter is %j', (counter) => {
    const text = JSON.stringify({
      _meta: { counter },
      decisions: [{ id: 'd007', text: 'Use npm' }],
      patterns: ['Errors are values'],
    })
    const facts = parseItems(text)
    const added = addFacts(facts ?? NO_ITEMS, [newFact('decision', 'Sort imports by length', 3)])

    expect(listed(added).decisions.map(({ id }) => id)).toEqual(['d007', 'd008'])
    expect(new Set(allFacts(added).map(({ id }) => id)).size).toBe(3)
  })

  it('gives numbers to facts that share an id or have none that can be typed; the first keeps it', () => {
    const text = JSON.stringify({
      _meta: { counter: 4 },
      decisions: [
        { id: 'd002', text: 'Use npm' },
        { id: 'D002', text: 'Sort imports' },
        { id: 'd1e+21', text: 'Use tabs' },
        { text: 'Keep logs' },
      ],
    })
    const facts = parseItems(text)

    expect(listed(facts)?.decisions.map(({ id }) => id)).toEqual(['d002', 'd005', 'd006', 'd007'])
    expect(facts?._meta.counter).toBe(7)
    expect(listed(parseItems(formatItems(facts ?? NO_ITEMS)))).toEqual(listed(facts))
  })

  it('keeps fields that it does not know', () => {
    const text =
      '{"_meta":{"counter":3,"version":1,"by":"x"},"decisions":[{"id":"d001","text":"A","score":5}],"extra":[1]}'
    const facts = parseItems(text)

    expect(JSON.parse(formatItems(facts ?? NO_ITEMS))).toMatchObject({ _meta: { counter: 3, by: 'x' }, extra: [1] })
    expect(listed(facts)?.decisions[0]).toMatchObject({ score: 5 })
  })

  it.each(['', 'no', '[]', '"x"', 'null'])('gives null for %j', (text) => {
    expect(parseItems(text)).toBeNull()
  })
})

describe('formatItems', () => {
  it('puts each fact on a line of its own', () => {
    const facts = addFacts(NO_ITEMS, [
      newFact('decision', 'Use npm workspaces', 1),
      newFact('decision', 'Keep the old parser', 2),
    ])
    const lines = formatItems(facts).split('\n')

    expect(lines.filter((line) => line.includes('"id":"d'))).toHaveLength(2)
    expect(lines.every((line) => !line.includes('d001') || !line.includes('d002'))).toBe(true)
  })

  it('loses nothing on the way back', () => {
    fc.assert(
      fc.property(fc.array(someNewFact, { maxLength: 12 }), (fresh) => {
        const facts = addFacts(NO_ITEMS, fresh)
        expect(listed(parseItems(formatItems(facts)))).toEqual(listed(facts))
      }),
    )
  })
})

describe('a file that 0.6 wrote', () => {
  it('stays the same bytes when nothing changes', () => {
    const { files } = JSON.parse(fs.readFileSync('test/fixtures/0.6.1/memory.json', 'utf8'))
    const written = Object.entries<unknown>(files).flatMap(([name, text]) =>
      name.endsWith('/facts.json') && typeof text === 'string' ? [text] : [],
    )

    expect(written.length).toBeGreaterThan(0)
    for (const text of written) expect(formatItems(parseItems(text) ?? NO_ITEMS)).toBe(text)
  })

  it('keeps fields whose names mean something else in memory, in their place', () => {
    const names = ['type', 'kind', 'author', 'by', 'status', 'state', 'more']
    const fields = fc
      .uniqueArray(fc.tuple(fc.constantFrom(...names), fc.constantFrom('open', 'user', 'issue', 'x')), {
        selector: ([name]) => name,
      })
      .map((entries) => Object.fromEntries(entries))
    fc.assert(
      fc.property(
        fields,
        fields,
        fc.dictionary(fc.constantFrom('extra', 'list', 'rest'), fields),
        (one, other, more) => {
          const permanent = {
            rules: [{ id: 'r001', text: 'Ask first', ...other }],
            more: 1,
            kept: [{ kind: 'rules', item: 7 }],
          }
          const given = { ...more, decisions: [{ id: 'd001', text: 'Use npm', ...one }], permanent }
          const text = formatItems(parseItems(JSON.stringify(given)) ?? NO_ITEMS)
          const written = JSON.parse(text)

          expect(formatItems(parseItems(text) ?? NO_ITEMS)).toBe(text)
          expect(written).toMatchObject(more)
          const { type: _, author: __, state: ___, status: ____, ...kept } = one
          expect(written.decisions[0]).toMatchObject(kept)
          const { by: _by, status: _status, ...keptThere } = other
          expect(written.permanent.rules[0]).toMatchObject(keptThere)
          expect(written.permanent).toMatchObject({ more: 1, kept: permanent.kept })
        },
      ),
    )
  })
})
