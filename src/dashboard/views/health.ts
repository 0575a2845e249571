/** The view of health: what the doctor finds, how long hooks took, what was told and what models cost. */
import path from 'node:path'
import type { HealthWorld } from '../../health/disk/check.ts'
import { checkHealth } from '../../health/disk/health.ts'
import { modelPerDay, sizesOf, tokensPerDay } from '../../health/disk/numbers.ts'
import { distributionOf, hooksPerDay } from '../../health/series.ts'
import type { Store } from '../../memory/disk/store.ts'
import { allSessions } from '../../memory/state.ts'
import { readCalls } from '../../model/disk/model-calls.ts'
import { readPart, sizeOf } from '../../platform/disk/files.ts'
import { LOG_FILE, LOGS_DIR } from '../../platform/layout.ts'
import { dayIn } from '../../platform/time.ts'
import { readHookTimes } from '../../receipts/disk/journal.ts'
import { listReceipts } from '../../receipts/disk/receipts.ts'
import { damagedFiles, transcriptsBehind } from '../../sessions/disk/verify.ts'
import type { HealthView } from '../api.ts'

const LOG_LINES = 50
const LOG_BYTES = 64 * 1024

/** Reads every file of the memory, looking for secrets: seconds for a large one. */
export function lookAtHealth(store: Store, world: HealthWorld): HealthView {
  const sessions = allSessions(store.readState()).map(([, session]) => session)
  const times = readHookTimes(store.dir)
  const { keeperDir, project } = store.places
  const dayOf = dayIn(store.config.timezone)
  return {
    checks: checkHealth(store, world).map(({ name, verdict, finding, fix = '' }) => ({ name, verdict, finding, fix })),
    coverage: {
      transcripts: sessions.filter(({ transcript }) => sizeOf(transcript) !== null).length,
      behind: transcriptsBehind(store).length,
      damaged: damagedFiles(store).length,
    },
    hooks: hooksPerDay(times, dayOf),
    distribution: distributionOf(times),
    tokensPerDay: tokensPerDay(listReceipts(store), dayOf),
    modelPerDay: modelPerDay(
      readCalls(keeperDir).filter((call) => call.project === project.key),
      dayOf,
    ),
    redactions: sessions.reduce((sum, { redactions }) => sum + redactions, 0),
    badLines: sessions.reduce((sum, { badLines }) => sum + badLines, 0),
    errors: lastErrors(keeperDir),
    bytes: sizesOf(store),
  }
}

/** Newest first. */
function lastErrors(keeperDir: string): string[] {
  const file = path.join(keeperDir, LOGS_DIR, LOG_FILE)
  const size = sizeOf(file) ?? 0
  const end = readPart(file, Math.max(0, size - LOG_BYTES), LOG_BYTES)?.toString('utf8') ?? ''
  const lines = end.split('\n').filter((line) => line !== '')
  return (size > LOG_BYTES ? lines.slice(1) : lines).slice(-LOG_LINES).toReversed()
}
