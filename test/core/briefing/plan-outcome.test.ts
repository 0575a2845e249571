/** What became of an approved plan stands behind its decision. */
import { expect, it } from 'vitest'
import { withOutcome } from '../../../src/core/briefing/plan-outcome.ts'
import { carriesOut, committed, inputOf, said, typed } from '../../support/story.ts'

const line = (text: string) => ({ text, reason: 'decision', dated: { day: '2026-01-13', text: `${text}` } })

it('the line of an approved plan names the session that carried it out and its last commit', () => {
  const stories = [
    inputOf([
      carriesOut('# Plan: Move dates to UTC\n\nAll of them.'),
      committed('7be65cb9', 'Dates in UTC'),
      said('Done for good.'),
    ]),
  ]
  const told = withOutcome(stories)(line('- d001: Plan approved: Move dates to UTC'))

  expect(told.text).toBe('- d001: Plan approved: Move dates to UTC – carried out in [aaaa1111], committed 7be65cb9')
  expect(told.dated?.text).toBe(told.text)
})

it('the lines of other decisions, and of a plan that no session carried out, stay as they are', () => {
  const other = line('- d002: Prices are kept in cents.')

  expect(
    withOutcome([inputOf([carriesOut('# Plan: Move dates to UTC\n\nAll of them.'), said('Done for good.')])])(other),
  ).toBe(other)
  expect(withOutcome([inputOf([typed('Move dates to UTC')])])(line('Plan approved: Move dates to UTC')).text).toBe(
    'Plan approved: Move dates to UTC',
  )
})
