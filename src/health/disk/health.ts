/** The doctor's checks, which the page shows too. Nothing is changed. */
import type { Store } from '../../memory/disk/store.ts'
import { readHookTimes } from '../../receipts/disk/journal.ts'
import { capturedIn } from '../../sessions/disk/meanwhile.ts'
import { transcriptsBehind } from '../../sessions/disk/verify.ts'
import { once } from '../../text/once.ts'
import { bad, type Check, type Found, type HealthWorld, type Seen } from './check.ts'
import { FILE_CHECKS } from './check-files.ts'
import { HOST_CHECKS } from './check-host.ts'
import { MEMORY_CHECKS } from './check-memory.ts'
import { readHost } from './host.ts'

export function checkHealth(store: Store, world: HealthWorld): Check[] {
  const captured = once(() => capturedIn(store, () => world.now))
  const seen: Seen = {
    ...world,
    store,
    host: once(() => readHost(store.places)),
    hooks: once(() => readHookTimes(store.dir)),
    captured,
    behind: once(() => transcriptsBehind(captured())),
  }
  return [...HOST_CHECKS, ...MEMORY_CHECKS, ...FILE_CHECKS].map(([name, look]) => tryCheck(name, () => look(seen)))
}

/** A check that throws is a finding too. */
export function tryCheck(name: string, look: () => Found): Check {
  try {
    return { name, ...look() }
  } catch (error) {
    return { name, ...bad((error as Error).message, 'make the file readable and writable for you, then look again') }
  }
}
