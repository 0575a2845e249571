/** How healthy the memory is, as it was last found: looking takes long, so it is done beside the server and not for every view. */
import type { HealthView } from './api.ts'

export interface Examined {
  /** At most some seconds old. */
  health(): Promise<HealthView>
  /** Findings that are no `ok`; null: nobody has looked yet, and somebody does now. */
  findings(): number | null
}

/** For so long the same is told. */
const FRESH_MS = 10_000
/** The first view comes first. */
const LATER_MS = 700

export function createExamined(examine: () => Promise<HealthView>, now: () => number): Examined {
  let last: { at: number; health: HealthView } | null = null
  let looking: Promise<HealthView> | null = null
  let isPlanned = false
  const look = (): Promise<HealthView> => {
    looking ??= examine()
      .then((health) => {
        last = { at: now(), health }
        return health
      })
      .finally(() => {
        looking = null
      })
    return looking
  }
  return {
    health: () => (last !== null && now() - last.at < FRESH_MS ? Promise.resolve(last.health) : look()),
    findings: () => {
      if (last !== null) return last.health.checks.filter(({ verdict }) => verdict !== 'ok').length
      // What goes wrong is told where health is asked for.
      if (!isPlanned) setTimeout(() => look().catch(() => null), LATER_MS).unref()
      isPlanned = true
      return null
    },
  }
}
