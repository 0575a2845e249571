/** The truth bench can fail: an auditor that always says yes tells every falsehood. */
import { describe, expect, it } from 'vitest'
import { type Answers, byClaim, type LabelledClaim, prepareTruth, scoreTruth } from '../bench/support/truth.ts'
import type { Numbered } from '../src/kernel/transcript/session.ts'

const said = [
  ['user', 'Please cache the price list for five minutes, the shop is slow.'],
  ['assistant', 'I could also cache the product images, if you like.'],
  ['user', 'No, only the price list.'],
  ['assistant', 'The price list is cached for five minutes now.'],
] as const
const ENTRIES: Numbered[] = said.map(([role, text], n) => ({
  n,
  entry: { role, text, ts: '2026-11-01T10:00:00.000Z', by: role },
}))

function claim(id: string, isTrue: boolean, text: string, quote: string): LabelledClaim {
  return { id, session: 'shop.jsonl', kind: 'fact', text, quote, entry: null, true: isTrue, why: '' }
}
const CLAIMS = [
  claim('a', true, 'The price list is cached for five minutes.', 'The price list is cached for five minutes now.'),
  claim('b', false, 'The product images are cached.', 'cache the product images'),
  claim('c', true, 'The user wants only the price list to be cached.', 'only the price list'),
  claim('d', false, 'The lists are kept in `src/never.ts`.', 'cache the price list'),
]
const PREPARED = prepareTruth(CLAIMS, () => ENTRIES)

function answered(verdictOf: (id: string) => string): Answers {
  return Object.fromEntries(
    PREPARED.requests.map(({ name, ids }) => [name, ids.map((id, i) => ({ n: i + 1, verdict: verdictOf(id) }))]),
  )
}

describe('the truth bench', () => {
  it('asks about every claim that the program does not refuse, and shows no label', () => {
    const [request, ...others] = PREPARED.requests

    expect(others).toEqual([])
    expect(request?.ids.toSorted()).toEqual(['a', 'b', 'c'])
    expect([...PREPARED.refused.keys()]).toEqual(['d'])
    expect(request?.request.stdin).toMatch(/claim 1: .*\nquote: /)
    expect(request?.request.stdin).toContain('#1 [Assistant]: I could also cache the product images')
    expect(JSON.stringify(request?.request)).not.toMatch(/"true"|why/)
  })

  it.each([
    [
      'an auditor who is right',
      (id: string) => (id === 'b' ? 'no' : 'yes'),
      { isGood: true, falseTold: [], trueRefused: [] },
    ],
    ['one who always says yes', () => 'yes', { isGood: false, falseTold: ['b'] }],
    ['one who always says no', () => 'no', { isGood: false, trueRefused: ['a', 'c'] }],
    ['one who never knows', () => 'unclear', { isGood: false, trueRefused: ['a'], trueStored: ['c'] }],
    ['one who does not answer', () => '', { isGood: false, unanswered: ['a', 'b', 'c'] }],
  ])('judges %s', (_, verdictOf, expected) => {
    expect(scoreTruth(CLAIMS, PREPARED, byClaim(PREPARED, answered(verdictOf)))).toMatchObject(expected)
  })
})
