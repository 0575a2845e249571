/** `status`: what is remembered, what waits and what it costs, on one screen. */
import path from 'node:path'
import { id8OfFile, SESSIONS_DIR } from '../core/layout.ts'
import { allSessions } from '../core/state.ts'
import { transcriptsBehind } from '../store/catch-up.ts'
import { isSound } from '../store/cursor.ts'
import { sizeOf } from '../store/files.ts'
import { type HookTime, readHookTimes } from '../store/journal.ts'
import { currentBranch } from '../store/locate.ts'
import { waitingMemory } from '../store/migrate.ts'
import { packedPath } from '../store/session-archive.ts'
import { listSessions, type SessionRow } from '../store/sessions.ts'
import type { Store } from '../store/store.ts'
import { isOwn, listCandidates } from '../store/transcripts.ts'
import { missingFrom } from '../store/vault.ts'
import type { Context } from './context.ts'
import { bold, bytes, count, dim, good, table, warning } from './output.ts'
import { type NotesStatus, renderNotes, statusOfNotes } from './status-notes.ts'
import { type RecallStatus, renderRecallStatus, statusOfRecall } from './status-recall.ts'

interface Status extends NotesStatus, RecallStatus {
  sessions: number
  entries: number
  bytes: number
  /** The one that somebody said something in last. */
  lastSession: SessionRow | null
  toolUsesSinceLastNote: number
  saveInterval: number
  hasTranscripts: boolean
  /** A memory of an earlier version that is not taken over. */
  waitingMemory: string | null
  transcriptsBehind: number
  damagedSessions: number
  badLines: number
  redactions: number
  hooks: EventTimes[]
}

export function runStatus(context: Context): number {
  const { store, out, world } = context
  const state = store.readState()
  const sessions = allSessions(state).map(([, session]) => session)
  const settled = new Map(sessions.map(({ file, entries }) => [file, entries]))
  const rows = listSessions(store)
  const stored = rows.reduce((sum, row) => sum + storedBytes(store, row.file), 0)
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
    // As an import counts them: what may still change is none yet.
    entries: rows.reduce((sum, { file, entries }) => sum + Math.min(entries, settled.get(file) ?? entries), 0),
    bytes: stored,
    lastSession: rows.toSorted((a, b) => (a.endedAt < b.endedAt ? 1 : -1))[0] ?? null,
    toolUsesSinceLastNote: state.counter,
    saveInterval: Number(store.config.saveInterval),
    ...statusOfNotes(store, state, journal, world.now()),
    ...statusOfRecall(store, world.now()),
    hasTranscripts: hasTranscripts(store),
    waitingMemory: waitingMemory(store, world.now()),
    transcriptsBehind: behind,
    damagedSessions: damaged,
    badLines: sessions.reduce((sum, session) => sum + session.badLines, 0),
    redactions: sessions.reduce((sum, session) => sum + session.redactions, 0),
    hooks: times,
  }
  out.json(status)
  out.say(`${bold('Memory Keeper')} ${world.version}  ${status.project}`, ...table(renderRows(store, status)))
  return 0
}

function renderRows(store: Store, status: Status): string[][] {
  const { lastSession } = status
  return [
    ['  memory', store.dir],
    ...(store.standing === 'foreign'
      ? [['  not read', warning(`${store.places.inProject} is not trusted: memory-keeper trust shows it`)]]
      : []),
    ...(status.waitingMemory === null
      ? []
      : [
          [
            '  to take over',
            warning(`${status.waitingMemory}, of an earlier version: memory-keeper migrate --dry-run`),
          ],
        ]),
    [
      '  remembered',
      `${count(status.sessions, 'session')}, ${count(status.entries, 'entry', 'entries')}, ${bytes(status.bytes)}`,
    ],
    ...(status.sessions === 0 && onlyInVault(store) > 0
      ? [['  vault', warning(`${count(onlyInVault(store), 'session')} to bring back: memory-keeper restore`)]]
      : []),
    [
      '  last session',
      lastSession ? `${lastSession.endedAt.slice(0, 16).replace('T', ' ')} UTC  ${lastSession.id}` : 'none yet',
    ],
    ...renderNotes(status),
    ...renderRecallStatus(status),
    ['  coverage', renderCoverage(status)],
    ['  redacted', `${count(status.redactions, 'secret')}; ${count(status.badLines, 'unreadable line')} skipped`],
    ...status.hooks.map((time) => [
      `  ${time.event}`,
      dim(`p50 ${time.p50} ms, p95 ${time.p95} ms, ${count(time.calls, 'call')}`),
    ]),
  ]
}

function renderCoverage({ transcriptsBehind: behind, damagedSessions: damaged, ...status }: Status): string {
  if (damaged > 0) return warning(`${count(damaged, 'session file')} damaged: memory-keeper verify`)
  if (behind > 0) return warning(`${count(behind, 'transcript')} to catch up: memory-keeper import`)
  return status.hasTranscripts ? good(COVERED) : NO_TRANSCRIPTS
}

export const COVERED = 'every transcript on this machine is captured'
export const NO_TRANSCRIPTS = 'no transcripts of this project on this machine'

/** Whether there is anything to compare with. */
export function hasTranscripts(store: Store): boolean {
  const state = store.readState()
  if (allSessions(state).some(([, { transcript }]) => sizeOf(transcript) !== null)) return true
  return listCandidates(store.places, (session) => !state.elsewhere.includes(session)).some((file) =>
    isOwn(store.places, file.path),
  )
}

/** Not what was written, and there is something to do about it: the file is gone, or its transcript is still there. */
export function damagedFiles(store: Store): string[] {
  return allSessions(store.readState())
    .map(([, session]) => session)
    .filter((session) => !isSound(store, session))
    .filter(({ file, transcript }) => sizeOf(transcript) !== null || storedBytes(store, file) === 0)
    .map((session) => session.file)
}

/** On disk, compressed or not. */
function storedBytes(store: Store, file: string): number {
  const plain = sizeOf(path.join(store.dir, SESSIONS_DIR, file))
  return plain ?? sizeOf(path.join(store.dir, packedPath(file))) ?? 0
}

/** Sessions that a project without any could have back. */
export function onlyInVault(store: Store): number {
  if (store.dir !== store.places.inProject || store.standing === 'foreign') return 0
  return missingFrom(store, store.places.vault).filter(
    (name) => id8OfFile(path.basename(name).replace(/\.gz$/, '')) !== null,
  ).length
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
