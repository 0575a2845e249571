/** Whether an audit can still come, and why not: by settings and the last call, never by the hour. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type AuditSurroundings, auditOutlook } from '../../../src/core/model/audit-outlook.ts'

const FINE: AuditSurroundings = {
  summarizer: 'auto',
  callsPerDay: 50,
  tokensPerDay: 400_000,
  failed: null,
  failuresInRow: 0,
  isModelNoticed: true,
  isUsedUp: false,
}

describe('an audit', () => {
  it.each<[string, Partial<AuditSurroundings>, string]>([
    ['is the next call', {}, 'the next background call makes it'],
    ['comes also where Claude itself writes the notes', { summarizer: 'agent' }, 'the next background call makes it'],
    ['waits for the notice', { isModelNoticed: false }, 'no session has informed you about background calls yet'],
    ['waits for tomorrow', { isUsedUp: true }, "the day's cap of background calls is reached"],
    [
      'is tried again after a failure',
      { failed: 'overloaded', failuresInRow: 3 },
      '3 background calls in a row failed',
    ],
  ])('%s', (_, around, why) => {
    expect(auditOutlook({ ...FINE, ...around })).toEqual({ canCome: true, why: expect.stringContaining(why) })
  })

  it.each<[Partial<AuditSurroundings>, string]>([
    [{ summarizer: 'extractive' }, 'summarizer is extractive'],
    [{ callsPerDay: 0 }, 'modelCallsPerDay is 0'],
    [{ summarizer: 'agent', callsPerDay: 0 }, 'modelCallsPerDay is 0'],
    [{ tokensPerDay: 0 }, 'modelTokensPerDay is 0'],
    [{ failed: 'not-found', failuresInRow: 1 }, 'there is no claude on the PATH of a hook'],
    [{ failed: 'login', failuresInRow: 4 }, 'claude is not logged in'],
  ])('cannot come with %o', (around, why) => {
    expect(auditOutlook({ ...FINE, ...around })).toEqual({ canCome: false, why })
  })

  it('can come or not whatever the day has used, the count of failures and the notice say', () => {
    const surroundings = fc.record({
      summarizer: fc.constantFrom('auto', 'headless', 'agent', 'extractive'),
      callsPerDay: fc.constantFrom(0, 1, 50),
      tokensPerDay: fc.constantFrom(0, 400_000),
      failed: fc.constantFrom(null, 'login', 'not-found', 'overloaded', 'timeout', 'failed'),
    })
    const changing = fc.record({ failuresInRow: fc.nat(9), isModelNoticed: fc.boolean(), isUsedUp: fc.boolean() })
    fc.assert(
      fc.property(surroundings, changing, changing, (around, one, other) => {
        const before = auditOutlook({ ...FINE, ...around, ...one } as AuditSurroundings)
        expect(auditOutlook({ ...FINE, ...around, ...other } as AuditSurroundings).canCome).toBe(before.canCome)
        expect(before.why).not.toBe('')
      }),
    )
  })
})
