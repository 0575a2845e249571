/** Instructions of two memories as one: none lost, none twice, no id given to two. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { joinStanding } from '../../src/outgoing/standing-join.ts'
import type { Standing, StandingList } from '../../src/outgoing/standing-list.ts'

const one = (n: number, text: string): Standing => ({
  id: `t${String(n).padStart(3, '0')}`,
  kind: 'always',
  text,
  at: '2026-01-13T10:00:00.000Z',
  session: '1a2b3c4d',
  entry: n,
  times: 1,
  status: 'candidate',
})
const some: fc.Arbitrary<StandingList> = fc
  .tuple(
    fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f')),
    fc.dictionary(fc.constantFrom('1a2b3c4d', 'ffffffff'), fc.nat(9)),
  )
  .map(([texts, read]) => ({ read, standing: texts.map((text, n) => one(n + 1, `Always ${text}.`)) }))

it('keeps ours as they are, adds each of theirs once, and is done after that', () => {
  fc.assert(
    fc.property(some, some, (ours, theirs) => {
      const both = joinStanding(ours, theirs)
      const texts = both.standing.map(({ text }) => text)

      expect(both.standing.slice(0, ours.standing.length)).toEqual(ours.standing)
      expect(new Set(texts)).toEqual(new Set([...ours.standing, ...theirs.standing].map(({ text }) => text)))
      expect(new Set(both.standing.map(({ id }) => id)).size).toBe(texts.length)
      expect(both.read).toMatchObject(ours.read)
      expect(joinStanding(both, theirs)).toBe(both)
    }),
  )
})

it('gives another id where ours has it', () => {
  const both = joinStanding(
    { read: {}, standing: [one(1, 'Always a.')] },
    { read: {}, standing: [one(1, 'Always b.'), one(2, 'always A')] },
  )

  expect(both.standing).toEqual([one(1, 'Always a.'), { ...one(1, 'Always b.'), id: 't002' }])
})
