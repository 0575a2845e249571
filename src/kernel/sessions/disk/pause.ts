/** The pauses of a project, stored at home: they also apply if the project's own memory is not read. */
import path from 'node:path'
import { disk, makeDir, readOwnText, replaceQuickly } from '../../platform/disk/files.ts'
import type { Places } from '../../platform/disk/locate.ts'
import { PAUSED_DIR } from '../../platform/layout.ts'
import { formatPauses, lastingPause, type PauseSpan, parsePauses } from '../pause.ts'

function fileOf({ homeDir, project }: Places): string {
  return path.join(homeDir, PAUSED_DIR, `${project.key}.json`)
}

export function readPauses(places: Places): PauseSpan[] {
  const text = readOwnText(fileOf(places))
  return text === null ? [] : parsePauses(text)
}

/** Since when recording is paused; null: it is not. `session` null: checks the whole project. */
export function pausedSince(places: Places, session: string | null): string | null {
  return lastingPause(readPauses(places), session)?.from ?? null
}

/** False: it was already paused. */
export function pause(places: Places, session: string | null, now: string): boolean {
  const spans = readPauses(places)
  const isNew = lastingPause(spans, session) === undefined
  if (isNew) write(places, [...spans, { from: now, to: null, session }])
  return isNew
}

/** Ends the project's pause and that of this session. False: nothing was paused. */
export function resume(places: Places, session: string | null, now: string): boolean {
  const spans = readPauses(places)
  if (lastingPause(spans, session) === undefined) return false
  const isOver = (span: PauseSpan): boolean => lastingPause([span], session) !== undefined
  const ended = spans.map((span) => (isOver(span) ? { ...span, to: now } : span))
  write(places, ended)
  return true
}

/** Deletes the pauses: the next import captures what they left out. */
export function forgetPauses(places: Places): void {
  disk.remove(fileOf(places))
}

function write(places: Places, spans: readonly PauseSpan[]): void {
  makeDir(path.dirname(fileOf(places)))
  replaceQuickly(fileOf(places), formatPauses(spans))
}
