/** The checks of the host and of capture: is the plugin enabled, do hooks run, is every transcript captured. */
import path from 'node:path'
import { sessionPath } from '../../memory/disk/store.ts'
import { statOf } from '../../platform/disk/files.ts'
import { COVERED, damagedFiles, hasTranscripts, NO_TRANSCRIPTS, workedSince } from '../../sessions/disk/verify.ts'
import { count } from '../../text/figures.ts'
import { bad, type CheckRow, ok, type Seen, warn } from './check.ts'

const HOUR_MS = 60 * 60_000
const DAY_MS = 24 * HOUR_MS
const LATELY_MS = 7 * DAY_MS
/** So long before the host deletes a transcript, doctor warns. */
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
        return bad(
          `${broken.join(', ')} is no valid JSON: Claude Code cannot read it`,
          'mend the file by hand; it is yours, nothing of ours writes it',
        )
      if (on !== undefined) return ok(`${on.id} ${on.version}, installed and switched on`)
      if (ours[0] !== undefined)
        return (isUsed ? warn : bad)(
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
    // The host loads one of several; which one, and of which version, is left to chance.
    'one installation',
    ({ host }) => {
      const { ours, enabled } = host()
      const ids = [...new Set(ours.map(({ id }) => id))].filter((id) => enabled.has(id))
      if (ids.length > 1)
        return warn(
          `installed from ${count(ids.length, 'marketplace')}: ${ids.join(', ')}; Claude Code loads only one of them`,
          `keep one: claude plugin uninstall ${ids.at(-1)}`,
        )
      if (new Set(ours.map(({ version }) => version)).size > 1)
        return warn(
          `installed in several scopes with different versions: ${ours.map(({ version, scope }) => `${version} (${scope})`).join(', ')}`,
          `update both: claude plugin update ${ours[0]?.id}`,
        )
      return ok(ours.length === 0 ? 'none through a marketplace' : 'yes')
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
  [
    'coverage',
    ({ captured, behind }) => {
      if (behind().length === 0) return ok(hasTranscripts(captured()) ? COVERED : NO_TRANSCRIPTS)
      return warn(`${count(behind().length, 'transcript')} to catch up`, 'memory-keeper import', 'import')
    },
  ],
  ['deletion by the host', checkDeletion],
  [
    'session files',
    ({ captured }) => {
      const damaged = damagedFiles(captured())
      if (damaged.length === 0) return ok('whole')
      const places = damaged.map((file) => path.join(captured().dir, sessionPath(file)))
      const odd = places.filter((file) => (statOf(file)?.kind ?? 'file') !== 'file')
      if (odd.length > 0) return bad(`not a file: ${odd.join(', ')}`, 'remove it, then memory-keeper import')
      return warn(
        `gone or changed since written: ${damaged.join(', ')}`,
        'memory-keeper restore brings back what is gone, memory-keeper import mends; memory-keeper verify tells what is missing',
        'import',
      )
    },
  ],
]

/** What is not captured is lost with the transcript. */
function checkDeletion({ behind, host, now }: Seen) {
  const { keptDays } = host()
  const from = Date.parse(now) - Math.max(0, keptDays - NOTICE_DAYS) * DAY_MS
  const soon = behind().filter((file) => (statOf(file)?.mtimeMs ?? Number.POSITIVE_INFINITY) < from)
  if (soon.length === 0)
    return ok(`nothing that is not captured (Claude Code deletes transcripts after ${count(keptDays, 'day')})`)
  return bad(
    `${count(soon.length, 'transcript')} not captured and deleted by Claude Code within ${count(NOTICE_DAYS, 'day')} (cleanupPeriodDays ${keptDays})`,
    'memory-keeper import',
    'import',
  )
}
