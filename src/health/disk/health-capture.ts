/** The checks of capture: do hooks run, is everything captured, is it still there, and what is about to be lost. */
import path from 'node:path'
import { type Store, sessionPath } from '../../memory/disk/store.ts'
import { allSessions } from '../../memory/state.ts'
import { statOf } from '../../platform/disk/files.ts'
import type { HookTime } from '../../receipts/disk/journal.ts'
import { COVERED, damagedFiles, hasTranscripts, NO_TRANSCRIPTS, workedSince } from '../../sessions/disk/coverage.ts'
import { count } from '../../text/figures.ts'
import { KEPT_DAYS } from '../host-settings.ts'
import type { Check } from './check.ts'
import type { Host } from './host.ts'

const HOUR_MS = 60 * 60_000
const DAY_MS = 24 * HOUR_MS
/** So long before the host deletes a transcript somebody should know. */
const NOTICE_DAYS = 7

export function checkHooks(store: Store, last: HookTime | undefined, now: string): Check {
  const name = 'hooks'
  if (!last)
    return {
      name,
      verdict: 'warning',
      finding: 'none has run in this project yet',
      fix: 'is the plugin enabled? claude plugin list',
    }
  const days = Math.floor((Date.parse(now) - Date.parse(last.at)) / DAY_MS)
  const ago = days <= 0 ? 'today' : `${count(days, 'day')} ago`
  if (workedSince(store, Date.parse(last.at) + HOUR_MS)) {
    return {
      name,
      verdict: 'warning',
      finding: `last ${last.event} ${ago}, but Claude Code was used here since`,
      fix: 'is the plugin enabled? claude plugin list; then memory-keeper import takes in what was missed',
    }
  }
  return { name, verdict: 'ok', finding: `last ${last.event} ${ago}` }
}

export function checkCoverage(store: Store, behind: readonly string[]): Check {
  const name = 'coverage'
  if (behind.length === 0) return { name, verdict: 'ok', finding: hasTranscripts(store) ? COVERED : NO_TRANSCRIPTS }
  return {
    name,
    verdict: 'warning',
    finding: `${count(behind.length, 'transcript')} to catch up`,
    fix: 'memory-keeper import',
    mend: 'import',
  }
}

/** What is captured may be deleted; what is not is lost with the transcript. */
export function checkDeletion(behind: readonly string[], host: Host, now: string): Check {
  const name = 'deletion by the host'
  const keptDays = host.settings.keptDays ?? KEPT_DAYS
  const from = Date.parse(now) - Math.max(0, keptDays - NOTICE_DAYS) * DAY_MS
  const soon = behind.filter((file) => (statOf(file)?.mtimeMs ?? Number.POSITIVE_INFINITY) < from)
  if (soon.length === 0) {
    const finding = `nothing that is not captured (Claude Code deletes transcripts after ${count(keptDays, 'day')})`
    return { name, verdict: 'ok', finding }
  }
  return {
    name,
    verdict: 'problem',
    finding: `${count(soon.length, 'transcript')} not captured and deleted by Claude Code within ${count(NOTICE_DAYS, 'day')} (cleanupPeriodDays ${keptDays})`,
    fix: 'memory-keeper import',
    mend: 'import',
  }
}

export function checkFiles(store: Store): Check {
  const name = 'session files'
  const damaged = damagedFiles(store)
  if (damaged.length === 0) return { name, verdict: 'ok', finding: 'whole' }
  const places = damaged.map((file) => path.join(store.dir, sessionPath(file)))
  const odd = places.filter((file) => (statOf(file)?.kind ?? 'file') !== 'file')
  if (odd.length > 0)
    return {
      name,
      verdict: 'problem',
      finding: `not a file: ${odd.join(', ')}`,
      fix: 'remove it, then memory-keeper import',
    }
  return {
    name,
    verdict: 'warning',
    finding: `gone or changed since written: ${damaged.join(', ')}`,
    fix: 'memory-keeper restore brings back what is gone, memory-keeper import mends; memory-keeper verify tells what is missing',
    mend: 'import',
  }
}

export function checkBadLines(store: Store): Check {
  const name = 'unreadable lines'
  const lines = allSessions(store.readState()).reduce((sum, [, session]) => sum + session.badLines, 0)
  if (lines === 0) return { name, verdict: 'ok', finding: '0 skipped' }
  return {
    name,
    verdict: 'warning',
    finding: `${lines} skipped`,
    fix: 'nothing to do: they were damaged in the transcript already, all others are captured',
  }
}
