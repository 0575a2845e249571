/** The part of `status` about hooks: what they cost whoever works, all together and the slowest. */

import { count, dim, fitted } from '../../memory/commands/output.ts'
import { ms, quantile } from '../../text/figures.ts'
import { type Run, timesByEvent } from '../series.ts'

export interface HookCost {
  calls: number
  p50: number
  p95: number
  /** Of the events that were seen more than once, by p95. */
  slowest: { event: string; p95: number } | null
}

export function hookCost(runs: readonly Run[]): HookCost {
  const times = runs.map(({ ms }) => ms)
  const [slowest] = timesByEvent(runs).toSorted((a, b) => b.p95 - a.p95)
  return {
    calls: runs.length,
    p50: quantile(times, 0.5),
    p95: quantile(times, 0.95),
    slowest: slowest === undefined ? null : { event: slowest.event, p95: slowest.p95 },
  }
}

export function renderHooks({ calls, p50, p95, slowest }: HookCost, room: number): string[][] {
  if (calls === 0) return [['  hooks', 'none has run yet']]
  const parts = [
    `p50 ${ms(p50)}, p95 ${ms(p95)} in ${count(calls, 'call')}`,
    ...(slowest === null ? [] : [dim(`slowest: ${slowest.event}, p95 ${ms(slowest.p95)}`)]),
  ]
  return [['  hooks', fitted(parts, room)]]
}
