/** What a hook's own work takes on this machine: as long as a server may take is waited for it. */
import type { HookTime } from '../../core/receipts/disk/journal.ts'

/** What a server may answer. */
const HANDED_OVER: ReadonlySet<string> = new Set(['UserPromptSubmit', 'Stop'])
/** One that was slow for another reason does not count for much. */
const LATEST = 21

/** Null: unknown, every one was answered by a server. */
export function ownWorkMs(times: readonly HookTime[]): number | null {
  const own = times
    .filter(({ event, by }) => by === undefined && HANDED_OVER.has(event))
    .slice(-LATEST)
    .map(({ ms, waited = 0 }) => ms - waited)
    .toSorted((a, b) => a - b)
  return own[Math.floor(own.length / 2)] ?? null
}
