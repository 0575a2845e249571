import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatItems, parseItems } from '../../../src/core/knowledge/facts-file.ts'
import { PERMANENT_KINDS } from '../../../src/core/knowledge/item.ts'
import { type Items, NO_ITEMS } from '../../../src/core/knowledge/items.ts'
import { type Lists, listed } from '../../support/fact.ts'

const read = (permanent: unknown): Items => parseItems(JSON.stringify({ permanent })) ?? NO_ITEMS
const parsePermanent = (value: unknown): Lists['permanent'] => listed(read(value)).permanent
const again = (value: unknown): unknown => JSON.parse(formatItems(read(value))).permanent

/** Every text in a value, wherever it stands; texts of JSON inside a text count as theirs. */
function textsOf(value: unknown): string[] {
  const found: string[] = []
  JSON.stringify(value, (_, one) => {
    if (typeof one === 'string' && one.trim() !== '') found.push(one)
    return one
  })
  return found
}

describe('permanent memory of earlier versions', () => {
  it('is understood in every form it had', () => {
    const { rules, solutions, core_logic } = parsePermanent({
      rules: ['Never post to a closed month', { rule: 'Ask first', reason: 'auditors' }, '{"rule": "As JSON"}'],
      solutions: [
        { problem: 'Rounding differs by a cent', solution: 'Round once, at the end' },
        { title: 'Slow export', description: 'Write the rows in blocks', date: '2026-01-02' },
        ['first this', 'then that'],
      ],
      core_logic: { name: 'Double entry', description: 'A booking is two rows' },
    })

    expect(rules.map(({ text }) => text)).toEqual(['Never post to a closed month', 'Ask first', 'As JSON'])
    expect(solutions.map(({ text }) => text)).toEqual([
      'Rounding differs by a cent: Round once, at the end',
      'Slow export: Write the rows in blocks',
      'first this; then that',
    ])
    expect(core_logic.map(({ id, text, state }) => [id, text, state])).toEqual([
      ['r007', 'Double entry: A booking is two rows', 'active'],
    ])
    expect(solutions[0]).toMatchObject({ problem: 'Rounding differs by a cent', solution: 'Round once, at the end' })
    expect(solutions[1]?.at).toBe('2026-01-02')
  })

  it('says nothing where a template says so, and keeps even that', () => {
    const { rules, core_logic, kept } = parsePermanent({ rules: [{ weight: 5 }, 7, ''], core_logic: 'None' })

    expect([rules, core_logic]).toEqual([[], []])
    expect(kept).toEqual([
      { kind: 'rules', item: { weight: 5 } },
      { kind: 'rules', item: 7 },
      { kind: 'rules', item: '' },
      { kind: 'core_logic', item: 'None' },
    ])
  })

  it('keeps what stood in a field that says something else now', () => {
    const [rule] = parsePermanent({
      rules: [{ id: 'p-4', rule: 'Ask first', evidence: ['said on Monday'], by: 'Mina', usedAt: 3 }],
    }).rules

    expect(rule).toMatchObject({ id: 'r001', text: 'Ask first', evidence: [], by: 'agent' })
    expect(rule).toMatchObject({ earlier: { id: 'p-4', evidence: ['said on Monday'], by: 'Mina', usedAt: 3 } })
  })

  it('loses no text when it is written, and is the same when read again', () => {
    const field = fc.constantFrom(...'id text rule problem solution status evidence by toString at'.split(' '))
    const anyItem = fc.oneof(
      fc.string(),
      fc.jsonValue({ maxDepth: 2 }),
      fc.dictionary(field, fc.oneof(fc.string(), fc.jsonValue({ maxDepth: 1 }))),
    )
    const anyPermanent = fc.oneof(
      fc.jsonValue({ maxDepth: 2 }),
      fc.dictionary(
        fc.constantFrom(...Object.keys(PERMANENT_KINDS), 'kept', 'other'),
        fc.array(anyItem, { maxLength: 4 }),
      ),
    )
    fc.assert(
      fc.property(anyPermanent, (any) => {
        const value: unknown = JSON.parse(JSON.stringify(any))
        const written = again(value)
        const all = textsOf(written).join('\n')
        const inside = (text: string): boolean =>
          all.includes(text) || textsOf(asJson(text)).every((one) => all.includes(one))

        expect(textsOf(value).filter((text) => !inside(text))).toEqual([])
        expect(again(written)).toEqual(written)
        expect(parsePermanent(written)).toEqual(parsePermanent(value))
      }),
    )
  })
})

/** A text that is an object in JSON becomes that object. */
function asJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : text
  } catch {
    return text
  }
}

describe('words of any object', () => {
  it('stand in text or content, else in all its texts', () => {
    const wordedIn = (one: unknown): unknown => parsePermanent({ rules: [one] }).rules[0]?.text
    expect(wordedIn({ text: 'as it is', title: 'T' })).toBe('as it is')
    expect(wordedIn({ content: 'as it was', name: 'Cache' })).toBe('as it was')
    expect(wordedIn({ problem: 'wind', by: 'agent', solution: 'oars' })).toBe('wind: oars')
    expect(wordedIn({ id: 'd1', date: '2026-01-01', n: 4 })).toBeUndefined()
  })
})

describe('facts of earlier versions, read before they are migrated', () => {
  it('are kept whatever their words were called', () => {
    const text = JSON.stringify({
      decisions: [{ title: 'Ledger', summary: 'One per customer' }],
      issues: [{ problem: 'Cents differ', solution: 'Round once' }, { fact: 'PDFs lose a page' }],
    })

    const facts = parseItems(text)

    expect(listed(facts)?.decisions.map((one) => one.text)).toEqual(['Ledger: One per customer'])
    expect(listed(facts)?.issues.map((one) => one.text)).toEqual(['Cents differ: Round once', 'PDFs lose a page'])
  })
})

it('a rule is active if its status says so or is missing; one with an unknown status is proposed', () => {
  const statuses = [undefined, 'active', 'declined', 'aktive', null, 7]
  const { rules } = parsePermanent({ rules: statuses.map((status) => ({ text: 'Ask first', status })) })

  expect(rules.map(({ state }) => state).join(' ')).toBe('active active declined proposed proposed proposed')
})
