/** Whether what a model wrote can still be audited, and what it waits for. */

import type { Config } from '../../kernel/platform/config.ts'
import { count } from '../../kernel/text/figures.ts'
import type { ChildFailure } from './headless.ts'

export interface AuditSurroundings {
  summarizer: Config['summarizer']
  callsPerDay: number
  tokensPerDay: number
  /** Why the last background call failed; null: it did not, or there was none. */
  failed: ChildFailure | null
  /** Failures since the last call that succeeded. */
  failuresInRow: number
  /** The user was informed what the background call does and costs. */
  isModelNoticed: boolean
  /** The day's calls or tokens are used up. */
  isUsedUp: boolean
}

export interface AuditOutlook {
  /**
   * While an audit can come, what is unaudited is not told. It depends on settings and on the last call only: a cap that is
   * reached is free again tomorrow, and what a start tells must not change with the hour.
   */
  canCome: boolean
  /** What it waits for, or why none comes. */
  why: string
}

/** Failures that end only when a person does something. */
const FOR_GOOD: Partial<Record<ChildFailure, string>> = {
  'not-found': 'there is no claude on the PATH of a hook',
  login: 'claude is not logged in',
}

export function auditOutlook(around: AuditSurroundings): AuditOutlook {
  const { summarizer, callsPerDay, tokensPerDay, failed, failuresInRow, isModelNoticed, isUsedUp } = around
  const none = (why: string): AuditOutlook => ({ canCome: false, why })
  if (summarizer === 'extractive') return none('summarizer is extractive')
  if (callsPerDay === 0) return none('modelCallsPerDay is 0')
  if (tokensPerDay === 0) return none('modelTokensPerDay is 0')
  const forGood = failed === null ? undefined : FOR_GOOD[failed]
  if (forGood !== undefined) return none(forGood)
  const comes = (why: string): AuditOutlook => ({ canCome: true, why })
  if (!isModelNoticed) return comes('no session has informed you about background calls yet')
  if (isUsedUp) return comes("the day's cap of background calls is reached")
  if (failed !== null) return comes(`${count(failuresInRow, 'background call')} in a row failed (${failed})`)
  return comes('the next background call makes it')
}
