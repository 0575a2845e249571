/** What a briefing tells of other machines and of teammates. */
import { expect, it } from 'vitest'
import { injectedOfOthers } from '../../../src/core/others/others.ts'

type Row = Parameters<typeof injectedOfOthers>[0][number]

const WORDS = 'The cart is kept in Redis.'
const decision = (who: string, text = WORDS, more: Partial<Row> = {}): Row => ({
  ...{ who, id: 'd001', at: '2026-01-13T12:00:00Z', type: 'decision', text },
  ...more,
})
const teammates = (machines: readonly Row[]): string[] =>
  injectedOfOthers(machines, [decision('mia')]).teammates.map(({ who }) => who)

it('what a machine and a teammate say in the same words is injected once', () => {
  expect(teammates([decision('desk')])).toEqual([])
})

it.each([
  ['is stale', [decision('desk', WORDS, { isStale: true })]],
  ['is resolved', [decision('desk', WORDS, { status: 'resolved' })]],
  [
    'is older than as many as are told',
    [
      ...Array.from({ length: 30 }, (_, n) => decision('desk', `Thing ${n} is decided.`, { id: `d1${n}` })),
      decision('desk', WORDS, { at: '2025-01-13T12:00:00Z' }),
    ],
  ],
] as const)('a teammate’s words are injected though a machine has them in a row that %s', (_, machines) => {
  expect(teammates([...machines])).toEqual(['mia'])
})
