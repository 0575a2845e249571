/** Of many facts those that a briefing may tell, without reading the others. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { newestFacts } from '../../../src/core/briefing/newest-facts.ts'
import { formatItems, parseItems } from '../../../src/core/knowledge/facts-file.ts'
import { allFacts } from '../../../src/core/knowledge/items.ts'
import { fact, facts } from '../../support/briefing.ts'
import { listed } from '../../support/fact.ts'

/** So many that reading all of them would take a while. */
function many(count: number) {
  return facts(
    Array.from({ length: count }, (_, n) =>
      fact(
        `${(['d', 'p', 'i'] as const)[n % 3] ?? 'd'}${String(n).padStart(4, '0')}`,
        `Fact ${n} about "quotes", [lists] and ${'x'.repeat(60)}.`,
        {
          at: new Date(Date.UTC(2024, 0, 1) + n * 3_600_000).toISOString(),
          concept: `c${String((n % 7) + 1).padStart(3, '0')}`,
          state: n % 11 === 0 ? 'superseded' : 'fresh',
        },
      ),
    ),
    { rules: ['Ask first.'] },
  )
}

describe('the newest facts', () => {
  it('are all of them while they are few', () => {
    const text = formatItems(many(30))

    expect(newestFacts(text)).toEqual({ facts: parseItems(text), tally: null })
  })

  it('are those of the latest days, with everything that is permanent, and with a count of the others', () => {
    const all = many(6_000)
    const read = newestFacts(formatItems(all))
    const isLive = ({ state }: { state: string }): boolean => state === 'fresh'

    expect(listed(read?.facts)?.permanent).toEqual(listed(parseItems(formatItems(all)))?.permanent)
    expect(listed(read?.facts)?.decisions).toEqual(
      listed(parseItems(formatItems(all)))
        ?.decisions.filter(isLive)
        .slice(-250),
    )
    const inFirst = listed(all).decisions.filter((one) => isLive(one) && one.concept === 'c001')
    expect(read?.tally?.get('c001')?.decision).toBe(inFirst.length)
  })

  it('know the words of the others, in whatever state', () => {
    const all = many(6_000)
    const { isLeftOut = () => false, facts: read } = newestFacts(formatItems(all)) ?? expect.fail()
    const ids = new Set(allFacts(read).map(({ id }) => id))
    const others = allFacts(all).filter(({ id }) => !ids.has(id))

    expect(others.length).toBeGreaterThan(5_000)
    expect(others.every(({ text }) => isLeftOut(text.toUpperCase()))).toBe(true)
    expect(isLeftOut('Nobody said this.')).toBe(false)
  })

  it('of a file that somebody formatted otherwise are read whole', () => {
    const text = JSON.stringify(JSON.parse(formatItems(many(3_000))), null, 4)

    expect(newestFacts(text)).toEqual({ facts: parseItems(text), tally: null })
    expect(newestFacts(`${' '.repeat(400_000)}{`)).toBeNull()
  })

  it('never fail, whatever stands in the file', () => {
    fc.assert(
      fc.property(fc.string(), fc.nat(40), (strange, at) => {
        const lines = formatItems(many(3_000)).split('\n')
        lines.splice(at * 70, 1, strange)
        const text = lines.join('\n')
        const whole = parseItems(text)
        const read = newestFacts(text)
        // A line that nobody reads may be broken.
        if (whole !== null) expect(read).not.toBeNull()
      }),
      { numRuns: 15 },
    )
  })
})
