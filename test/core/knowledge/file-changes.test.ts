/** Texts lose sentences, lines and items that are hits, and nothing else. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatItems, parseItems } from '../../../src/core/knowledge/facts-file.ts'
import { cutFacts } from '../../../src/core/knowledge/file-changes.ts'
import { allFacts } from '../../../src/core/knowledge/items.ts'
import { cutJson, cutLines, cutProse, type Forgetting } from '../../../src/kernel/memory/forgetting.ts'
import { fact, factsWith } from '../../support/fact.ts'
import { NOW } from '../../support/project.ts'

const isHit = (text: string): boolean => /old\s+pier/i.test(text)
const about: Forgetting = {
  isGone: (id8, n) => id8 === 'aaaaaaaa' && n === 3,
  sessions: new Set(['aaaaaaaa']),
  ids: new Set(),
  repeats: isHit,
  from: () => ({ repeats: isHit, isRepeatedBy: isHit, traces: isHit }),
  isHere: () => true,
  entryAt: (id8, n) =>
    id8 === 'bbbbbbbb' && n === 5
      ? { role: 'user', by: 'user', ts: NOW, text: 'Good morning. The heron is fed at noon. It sits on the old pier.' }
      : null,
  whole: new Set(),
  tracesOrCopies: isHit,
  isRepeatedBy: isHit,
  traces: isHit,
  remade: () => null,
}

describe('prose', () => {
  it.each([
    ['- It sits on the old pier. Ask first.\n- Run the tests.', '- Ask first.\n- Run the tests.'],
    ['One.\nIt sits on the old\npier.\nTwo.', 'One.\nTwo.'],
    ['# The Old Pier\n\nText.', '\nText.'],
    ['Nothing.', 'Nothing.'],
  ])('%j becomes %j', (text, left) => {
    expect(cutProse(text, isHit).left).toBe(left)
  })

  it('never contains a hit afterwards', () => {
    const words = fc.array(fc.constantFrom('old', 'pier', 'old pier', '.', '\n', 'x. Y'), { maxLength: 30 })
    fc.assert(fc.property(words, (given) => !isHit(cutProse(given.join(' '), isHit).left)))
  })
})

it('a JSON file loses forgotten items and fields, and items of a forgotten entry', () => {
  const value = {
    list: ['the old pier', 'x'],
    note: 'old pier',
    kept: { a: 1 },
    at: [{ session: 'aaaaaaaa', entry: 3 }],
  }
  expect(JSON.parse(cutJson(JSON.stringify(value), about, isHit).text ?? '')).toEqual({
    list: ['x'],
    kept: { a: 1 },
    at: [],
  })
})

it('a record or log loses whole lines, also those that JSON spells otherwise', () => {
  const text = '{"text":"the old\\npier"}\n{"text":"x"}\nhalf {"text":"old\\npier\nold pier\ny'
  expect(cutLines(text, isHit).left).toBe('{"text":"x"}\ny')
})

describe('a fact', () => {
  const place = { session: 'aaaaaaaa', evidence: { entry: 3, quote: 'q' } }
  const issue = { kind: 'issue', id: 'i001', status: 'resolved', resolution: 'Done.' } as const
  it.each([
    ['goes with its entry', fact({ ...place, id: 'd001' }), null],
    [
      'stays in the words of another place',
      fact({ ...place, id: 'd001', text: 'Feed the heron on the old pier.', reason: 'why', also: ['bbbbbbbb#5'] }),
      {
        text: 'The heron is fed at noon.',
        reason: null,
        session: 'bbbbbbbb',
        at: NOW,
        evidence: { entry: 5, quote: 'The heron is fed at noon.', by: 'user' },
      },
    ],
    ['goes where the other entry is not here', fact({ ...place, id: 'd001', also: ['cccccccc#5'] }), null],
    ['goes where the other entry says nothing of it', fact({ ...place, text: 'Zebras.', also: ['bbbbbbbb#5'] }), null],
    [
      'loses the other place',
      fact({ id: 'd001', session: 'bbbbbbbb', also: ['aaaaaaaa#3', 'cccccccc#1'] }),
      { also: ['cccccccc#1'] },
    ],
    ['goes when it repeats it', fact({ id: 'd001', reason: 'the old pier' }), null],
    [
      'goes with an entry that its reason rests on',
      fact({ id: 'd001', session: 'aaaaaaaa', evidence: { entry: 9, quote: 'q', more: [3] } }),
      null,
    ],
    [
      'is no longer said to be settled there',
      fact({
        ...{ kind: 'issue', id: 'i001', status: 'open', session: 'bbbbbbbb' },
        closing: { session: 'aaaaaaaa', entry: 3, at: '', how: 'Done.', quote: '', by: 'headless' },
      }),
      { status: 'open', text: expect.any(String) },
    ],
    [
      'is open again',
      fact({ ...issue, closedBy: { session: 'aaaaaaaa', entry: 3, at: '' } }),
      { status: 'open', resolution: null },
    ],
  ])('%s', (_, given, expected) => {
    const [left] = allFacts(parseItems(cutFacts(formatItems(factsWith(given)), about, null).text ?? '') ?? factsWith())
    if (expected === null) expect(left).toBeUndefined()
    else expect(left).toMatchObject(expected)
    expect(left ?? {}).not.toHaveProperty('closing')
  })
})
