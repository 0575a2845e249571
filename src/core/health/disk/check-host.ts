/** The checks of the host and of capture (is the plugin enabled, do hooks run, is every transcript captured), using the host's own files. */
import path from 'node:path'
import { sessionPath } from '../../../kernel/memory/disk/store.ts'
import { statOf } from '../../../kernel/platform/disk/files.ts'
import {
  COVERED,
  damagedFiles,
  hasTranscripts,
  NO_TRANSCRIPTS,
  workedSince,
} from '../../../kernel/sessions/disk/verify.ts'
import { count } from '../../../kernel/text/figures.ts'
import { type CheckRow, type Examined, few, type MendableFinding, ok, problem, warn } from './check.ts'

const HOUR_MS = 60 * 60_000
const DAY_MS = 24 * HOUR_MS
const LATELY_MS = 7 * DAY_MS
/** Doctor warns this many days before the host deletes a transcript. */
const NOTICE_DAYS = 7

const sinceMs = (now: string, at: string): number => Date.parse(now) - Date.parse(at)

export const HOST_CHECKS: readonly CheckRow[] = [
  [
    'plugin',
    ({ host, hooks, now }) => {
      const { ours, enabled, broken } = host()
      const on = ours.find(({ id }) => enabled.has(id))
      const last = hooks().at(-1)
      const isUsed = last !== undefined && sinceMs(now, last.at) < LATELY_MS
      if (broken.length > 0)
        return problem(
          `${broken.join(', ')} is not valid JSON: Claude Code cannot read it`,
          'correct the file by hand; it is yours, and Memory Keeper never writes it',
        )
      const others = ours.filter(({ id }) => enabled.has(id) && id !== on?.id).map(({ id }) => id)
      // The host loads one of several; which one, and which version, is unpredictable.
      if (on !== undefined && others.length > 0)
        return warn(
          `installed from several marketplaces: ${on.id}, ${few(others)}; Claude Code loads only one of them`,
          `keep one: claude plugin uninstall ${others[0]}`,
        )
      if (on !== undefined) return ok(`${on.id} ${on.version}, installed and switched on`)
      if (ours[0] !== undefined)
        return (isUsed ? warn : problem)(
          `${ours[0].id} is installed but switched off here: nothing is captured while you work`,
          `claude plugin enable ${ours[0].id}`,
        )
      if (isUsed) return ok('not installed, but its hooks run: loaded with --plugin-dir')
      return warn(
        'not installed in Claude Code: nothing is captured while you work',
        'claude plugin marketplace add <where you have it>, then: claude plugin install memory-keeper@memory-keeper',
      )
    },
  ],
  [
    'hooks',
    ({ store, hooks, now }) => {
      const last = hooks().at(-1)
      if (last === undefined)
        return warn('none has run in this project yet', 'is the plugin enabled? claude plugin list')
      const days = Math.floor(sinceMs(now, last.at) / DAY_MS)
      const seen = `last ${last.event} ${days <= 0 ? 'today' : `${count(days, 'day')} ago`}`
      if (!workedSince(store, Date.parse(last.at) + HOUR_MS)) return ok(seen)
      return warn(
        `${seen}, but Claude Code was used here since`,
        'is the plugin enabled? claude plugin list; then memory-keeper import captures what was missed',
      )
    },
  ],
  ['coverage', checkCoverage, 'status'],
  [
    'session files',
    ({ store }) => {
      const damaged = damagedFiles(store)
      if (damaged.length === 0) return ok('whole')
      const places = damaged.map((file) => path.join(store.dir, sessionPath(file)))
      const odd = places.filter((file) => (statOf(file)?.kind ?? 'file') !== 'file')
      if (odd.length > 0) return problem(`not a file: ${odd.join(', ')}`, 'remove it, then memory-keeper import')
      return warn(
        `gone or changed since written: ${damaged.join(', ')}`,
        'memory-keeper restore restores missing files, memory-keeper import repairs damaged ones; memory-keeper verify shows what is missing',
        'import',
      )
    },
    'status',
  ],
]

/** Entries that are not captured are lost with the transcript. */
function checkCoverage({ store, behind, host, now }: Examined): MendableFinding {
  const { keptDays } = host()
  if (store.whyReadOnly() !== null)
    return warn(
      `new sessions wait in their transcripts, which Claude Code deletes after ${count(keptDays, 'day')} (cleanupPeriodDays)`,
      'do what the line "state" says; the next session captures them, or memory-keeper import',
    )
  if (behind().length === 0) return ok(hasTranscripts(store) ? COVERED : NO_TRANSCRIPTS)
  const from = Date.parse(now) - Math.max(0, keptDays - NOTICE_DAYS) * DAY_MS
  const soon = behind().filter((file) => (statOf(file)?.mtimeMs ?? Number.POSITIVE_INFINITY) < from)
  const many = count(behind().length, 'transcript')
  if (soon.length === 0) return warn(`${many} to catch up`, 'memory-keeper import', 'import')
  return problem(
    `${many} to catch up, ${soon.length} of them deleted by Claude Code within ${count(NOTICE_DAYS, 'day')} (cleanupPeriodDays ${keptDays})`,
    'memory-keeper import',
    'import',
  )
}
