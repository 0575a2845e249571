/** `status`: what is remembered, what waits and what it costs, on one screen. */
import path from 'node:path'
import { id8OfFile, SESSIONS_DIR } from '../core/layout.ts'
import { allSessions } from '../core/state.ts'
import { transcriptsBehind } from '../store/catch-up.ts'
import { isSound } from '../store/cursor.ts'
import { sizeOf } from '../store/files.ts'
import { type HookTime, readHookTimes } from '../store/journal.ts'
import { currentBranch } from '../store/locate.ts'
import { listSessions } from '../store/sessions.ts'
import type { Store } from '../store/store.ts'
import { missingFrom } from '../store/vault.ts'
import type { Context } from './context.ts'
import { bold, bytes, count, dim, good, table, warning } from './output.ts'
import { renderNotes, statusOfNotes } from './status-notes.ts'

export function runStatus(context: Context): number {
  const { store, out, world } = context
  const state = store.readState()
  const sessions = allSessions(state).map(([, session]) => session)
  const rows = listSessions(store)
  const stored = rows.reduce((sum, row) => sum + (sizeOf(path.join(store.dir, SESSIONS_DIR, row.file)) ?? 0), 0)
  const damaged = damagedFiles(store).length
  const behind = transcriptsBehind(store).length
  const journal = readHookTimes(store.dir)
  const times = timesByEvent(journal)
  const status = {
    project: store.places.project.root,
    memory: store.dir,
    standing: store.standing,
    branch: currentBranch(store.places.project.root),
    sessions: rows.length,
    entries: rows.reduce((sum, row) => sum + row.entries, 0),
    bytes: stored,
    lastSession: rows[0] ?? null,
    toolUsesSinceLastNote: state.counter,
    saveInterval: Number(store.config.saveInterval),
    ...statusOfNotes(store, state, journal, world.now()),
    transcriptsBehind: behind,
    damagedSessions: damaged,
    badLines: sessions.reduce((sum, session) => sum + session.badLines, 0),
    redactions: sessions.reduce((sum, session) => sum + session.redactions, 0),
    hooks: times,
  }
  out.json(status)
  out.say(
    `${bold('Memory Keeper')} ${world.version}  ${status.project}`,
    ...table([
      ['  memory', store.dir],
      ...(store.standing === 'foreign'
        ? [['  not read', warning(`${store.places.inProject} is not yours: memory-keeper trust shows it`)]]
        : []),
      [
        '  remembered',
        `${count(status.sessions, 'session')}, ${count(status.entries, 'entry', 'entries')}, ${bytes(stored)}`,
      ],
      ...(rows.length === 0 && onlyInVault(store) > 0
        ? [['  vault', warning(`${count(onlyInVault(store), 'session')} to bring back: memory-keeper restore`)]]
        : []),
      [
        '  last session',
        status.lastSession
          ? `${status.lastSession.startedAt.slice(0, 16).replace('T', ' ')} UTC  ${status.lastSession.id}`
          : 'none yet',
      ],
      ...renderNotes(status),
      ['  coverage', renderCoverage(behind, damaged)],
      ['  redacted', `${count(status.redactions, 'secret')}; ${count(status.badLines, 'unreadable line')} skipped`],
      ...times.map((time) => [
        `  ${time.event}`,
        dim(`p50 ${time.p50} ms, p95 ${time.p95} ms, ${count(time.calls, 'call')}`),
      ]),
    ]),
  )
  return 0
}

function renderCoverage(behind: number, damaged: number): string {
  if (damaged > 0) return warning(`${count(damaged, 'session file')} damaged: memory-keeper verify`)
  if (behind > 0) return warning(`${count(behind, 'transcript')} to catch up: memory-keeper import`)
  return good('every transcript on this machine is captured')
}

/** Not what was written, and there is something to do about it: the file is gone, or its transcript is still there. */
export function damagedFiles(store: Store): string[] {
  return allSessions(store.readState())
    .map(([, session]) => session)
    .filter((session) => !isSound(store, session))
    .filter(
      ({ file, transcript }) =>
        sizeOf(transcript) !== null || sizeOf(path.join(store.dir, SESSIONS_DIR, file)) === null,
    )
    .map((session) => session.file)
}

/** Sessions that a project without any could have back. */
export function onlyInVault(store: Store): number {
  if (store.dir !== store.places.inProject || store.standing === 'foreign') return 0
  return missingFrom(store, store.places.vault).filter((name) => id8OfFile(path.basename(name)) !== null).length
}

interface EventTimes {
  event: string
  calls: number
  p50: number
  p95: number
}

function timesByEvent(times: readonly HookTime[]): EventTimes[] {
  const byEvent = new Map<string, number[]>()
  for (const { event, ms } of times) byEvent.set(event, [...(byEvent.get(event) ?? []), ms])
  return [...byEvent].map(([event, all]) => {
    const sorted = all.toSorted((a, b) => a - b)
    const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
    return { event, calls: all.length, p50: at(0.5), p95: at(0.95) }
  })
}
