/** What goes is told in things, not in copies. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { tellPlaces, tellThings, thingsIn } from '../../src/outgoing/forget-told.ts'

const item = (kind: string, id: string, where: string, text = 'words'): Parameters<typeof thingsIn>[0][number] => ({
  id,
  kind,
  where,
  text,
})

describe('things', () => {
  it('count once, in however many places they stand', () => {
    const items = [
      item('decision', 'd001', 'vault: facts.json'),
      item('decision', 'd001', 'facts.json'),
      item('decision', 'd001', 'sessions/a.l2.json'),
      item('summary', 'S:00000001', 'sessions/a.md'),
      item('receipt', 'journal/briefings/a.txt', 'journal/briefings/a.txt'),
    ]
    expect(tellThings(items)).toBe('1 decision, in 5 places')
    expect(tellPlaces(items)).toBe(
      'facts.json, sessions/a.l2.json, sessions/a.md, 1 file of receipts, 1 file in the vault',
    )
  })

  it('have plurals', () => {
    const items = ['1', '2'].flatMap((n) => [item('tool', n, 'a'), item('raw backup', n, 'b'), item('prompt', n, 'a')])
    expect(tellThings(items)).toBe('2 tool uses, 2 raw backups and 2 prompts, in 2 places')
    expect(tellThings([item('receipt', 'x', 'x')])).toBe('what repeats it, in 1 place')
  })

  it('name a sentence of a page by what it says', () => {
    expect(thingsIn([item('page', 'rules.md', 'rules.md', 'One.'), item('page', 'page:a', 'a.md', 'All.')])).toEqual([
      { id: '', kind: 'sentence', text: 'One.', places: ['rules.md'] },
      { id: 'page:a', kind: 'page', text: 'All.', places: ['a.md'] },
    ])
  })

  it('never say a word of it in figures', () => {
    const kind = fc.constantFrom('decision', 'text', 'tool', 'receipt', 'note')
    const one = fc.record({ id: fc.string(), kind, where: fc.constantFrom('a', 'b'), text: fc.constant('zzzz') })
    fc.assert(
      fc.property(fc.array(one), (items) => {
        expect(tellThings(items)).not.toContain('zzzz')
      }),
    )
  })
})
