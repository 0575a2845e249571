/** What is found in a memory, for doctor, status, page and MCP, and the repairs of `doctor --fix`: only those that lose nothing and can be repeated. */

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
import { lossesIn, lostFiles, restoreAll } from '../../vault/disk/vault-restore.ts'
import { type Check, type CheckRow, type HealthWorld, lookAt, type MendName } from './check.ts'
import { FILE_CHECKS, openToOthers } from './check-files.ts'
import { HOST_CHECKS } from './check-host.ts'
import { MEMORY_CHECKS } from './check-memory.ts'
import { lookedAtOnce, START_ROWS } from './start-findings.ts'

/** The one list of what is wrong, waits or is new: here what is cheap to look at, for status and MCP. Changes nothing. */
export function findings(store: Store, now: string): Check[] {
  const seen = { ...lookedAtOnce(store), store, now, nodeVersion: '', behind: once(() => transcriptsBehind(store)) }
  return lookAt(
    rows().filter(([, , at]) => at !== undefined),
    seen,
  ).filter(isStanding)
}

/** All of it, for doctor and page: it reads every file of the memory. */
export function allFindings(store: Store, { now, nodeVersion }: HealthWorld): Check[] {
  const losses = once(() => lossesIn(store))
  const behind = once(() => transcriptsBehind(store))
  return lookAt(rows(), { ...lookedAtOnce(store), store, now, nodeVersion, losses, behind }).filter(isStanding)
}

function rows(): CheckRow[] {
  const ofExtras = extras().flatMap(({ findings: own = [] }) => own)
  return [...HOST_CHECKS, ...START_ROWS, ...MEMORY_CHECKS, ...ofExtras, ...FILE_CHECKS]
}

function isStanding({ verdict }: Check): boolean {
  return verdict !== 'news'
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
