/** The doctor's checks, which the page shows too, and the repairs of `doctor --fix`: only those that lose nothing and can be repeated. */

import { COMMAND_WAIT_MS, type Store } from '../../../kernel/memory/disk/store.ts'
import { setMode, statOf } from '../../../kernel/platform/disk/files.ts'
import { catchUp } from '../../../kernel/sessions/disk/catch-up.ts'
import { transcriptsBehind } from '../../../kernel/sessions/disk/verify.ts'
import { count } from '../../../kernel/text/figures.ts'
import { once } from '../../../kernel/text/once.ts'
import { extras } from '../../extra.ts'
import { noteFiles, removeDoubles } from '../../notes/disk/memory.ts'
import { brokenSummaries, mendSummaries } from '../../notes/disk/summaries.ts'
import { countDoubles } from '../../notes/doubles.ts'
import { readHookTimes } from '../../receipts/disk/journal.ts'
import { lostFiles, restoreAll } from '../../vault/disk/vault-restore.ts'
import { type Check, type Examined, type Finding, type HealthWorld, type MendName, problem } from './check.ts'
import { FILE_CHECKS, openToOthers } from './check-files.ts'
import { HOST_CHECKS } from './check-host.ts'
import { MEMORY_CHECKS } from './check-memory.ts'
import { readHost } from './host-files.ts'

/** Changes nothing. */
export function checkHealth(store: Store, world: HealthWorld): Check[] {
  const seen: Examined = {
    ...world,
    store,
    host: once(() => readHost(store.places)),
    hooks: once(() => readHookTimes(store.dir)),
    behind: once(() => transcriptsBehind(store)),
  }
  const ofExtras = extras().flatMap(({ checks = [] }) => checks)
  return [...HOST_CHECKS, ...MEMORY_CHECKS, ...ofExtras, ...FILE_CHECKS].map(([name, look]) => ({
    name,
    ...tried(() => look(seen)),
  }))
}

/** A check that throws is a finding too. */
function tried(look: () => Finding): Finding {
  try {
    return look()
  } catch (error) {
    return problem((error as Error).message, 'make the file readable and writable for you, then check again')
  }
}

/** The input of a repair: with `isDryRun` nothing is changed. */
interface Asked {
  store: Store
  now: () => string
  isDryRun: boolean
}

/** In this order: files are restored before they are compared with the transcripts. Each returns what was done. */
const MENDS: Readonly<Record<MendName, (asked: Asked) => string>> = {
  summaries: ({ store, now, isDryRun }) => {
    const broken = count(brokenSummaries(store).length, 'summary', 'summaries')
    if (!isDryRun && store.whileLocked(COMMAND_WAIT_MS, () => mendSummaries(store, now())) === null)
      return 'no summary was written: another process uses the memory; try again in a moment'
    return `wrote ${broken} of archives anew`
  },
  restore: ({ store, isDryRun }) => {
    const lost = count(lostFiles(store).length, 'file')
    if (!isDryRun && store.whileLocked(COMMAND_WAIT_MS, () => restoreAll(store)) === null)
      return 'nothing was restored: another process uses the memory; try again in a moment'
    return `restored ${lost} from the vault`
  },
  import: ({ store, now, isDryRun }) => {
    if (isDryRun) return 'captured missing entries (memory-keeper import)'
    const { sessions, entries } = catchUp(store, { waitMs: COMMAND_WAIT_MS, now, look: 'anew' })
    return `captured ${count(entries, 'entry', 'entries')} of ${count(sessions, 'session')}`
  },
  doubles: ({ store, isDryRun }) => {
    const doubles = count(countDoubles(noteFiles(store)), 'double')
    if (!isDryRun && store.whileLocked(COMMAND_WAIT_MS, () => removeDoubles(store)) === null)
      return 'no double was removed: another process uses the memory; try again in a moment'
    return `removed ${doubles} of notes`
  },
  modes: ({ store, isDryRun }) => {
    const open = openToOthers(store)
    if (!isDryRun) for (const file of open) setMode(file, statOf(file)?.kind === 'dir' ? 0o700 : 0o600)
    return `closed ${count(open.length, 'file or directory', 'files and directories')} to other users`
  },
}

export interface Mended {
  mend: MendName
  /** What was done, or would be done. */
  said: string
}

export function mendHealth(store: Store, checks: readonly Check[], how: Omit<Asked, 'store'>): Mended[] {
  const asked = new Set(checks.flatMap(({ verdict, mend }) => (verdict === 'ok' ? [] : (mend ?? []))))
  const mends = Object.keys(MENDS) as MendName[]
  return mends.filter((mend) => asked.has(mend)).map((mend) => ({ mend, said: MENDS[mend]({ store, ...how }) }))
}
