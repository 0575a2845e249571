/** `status`: what is remembered, what waits and what it costs, on one screen. */

import { trustedPeople, untrustedPeople } from '../../copies/disk/shared.ts'
import { onlyInVault } from '../../copies/disk/vault.ts'
import type { Context } from '../../memory/commands/context.ts'
import { bold, bytes, count, dim, fitted, good, oneLine, table, warning, width } from '../../memory/commands/output.ts'
import type { Store } from '../../memory/disk/store.ts'
import { allSessions } from '../../memory/state.ts'
import { waitingMemory } from '../../migrate/disk/migrate.ts'
import { id8OfFile } from '../../platform/layout.ts'
import { type HookTime, readHookTimes, readRecalls } from '../../receipts/disk/journal.ts'
import { redactorFor } from '../../redact/redact.ts'
import { type IndexLook, lookAtIndex } from '../../search/disk/index/look.ts'
import {
  COVERED,
  damagedFiles,
  hasTranscripts,
  NO_TRANSCRIPTS,
  storedBytes,
  transcriptsBehind,
} from '../../sessions/disk/coverage.ts'
import { sessionRows } from '../../sessions/disk/session-rows.ts'
import { sessionFiles } from '../../sessions/disk/sessions.ts'
import type { RowOfSession } from '../../sessions/session-row.ts'
import { ms, quantile, total } from '../../text/figures.ts'
import { dayOf } from '../../text/memory-words.ts'
import { currentBranch } from '../../trust/disk/git-head.ts'
import { type Run, timesByEvent } from '../series.ts'
import { renderOverview } from './overview.ts'
import { renderNotes, statusOfNotes } from './status-notes.ts'

type Status = ReturnType<typeof statusOf>

/** The width of the labels with what stands around them. */
const LABELS = 16
const LEAST_ROOM = 40

export function runStatus(context: Context, options: { short?: boolean } = {}): number {
  const { store, out, world } = context
  const status = statusOf(store, world.now(), readHookTimes(store.dir))
  out.json(status)
  const room = Math.max(LEAST_ROOM, world.columns - LABELS)
  out.say(
    `${bold('Memory Keeper')} ${world.version}  ${status.project}${status.branch === null ? '' : dim(`  (${oneLine(status.branch, 30)})`)}`,
    ...(options.short === true
      ? renderOverview(status, renderLast(status.lastSession, room))
      : table(renderRows(store, status, room))),
  )
  return 0
}

function statusOf(store: Store, now: string, journal: readonly HookTime[]) {
  const state = store.readState()
  const sessions = allSessions(state).map(([, session]) => session)
  const settled = new Map(sessions.map(({ file, entries }) => [id8OfFile(file), entries]))
  const rows = sessionRows(store)
  return {
    project: store.places.project.root,
    memory: store.dir,
    standing: store.ownership,
    branch: currentBranch(store.places.project.root, redactorFor(store.config)),
    sessions: rows.length,
    // As an import counts them: what may still change is none yet.
    entries: rows.reduce((sum, { id, entries }) => sum + Math.min(entries, settled.get(id) ?? entries), 0),
    bytes: sessionFiles(store).reduce((sum, file) => sum + storedBytes(store, file), 0),
    onlyInVault: rows.length === 0 ? onlyInVault(store) : 0,
    lastSession: rows.toSorted((a, b) => (a.endedAt < b.endedAt ? 1 : -1))[0] ?? null,
    toolUsesSinceLastNote: state.counter,
    saveInterval: store.config.saveInterval,
    ...statusOfNotes(store, state, journal, now),
    ...statusOfRecall(store, now),
    hasTranscripts: hasTranscripts(store),
    waitingMemory: waitingMemory(store, now),
    transcriptsBehind: transcriptsBehind(store).length,
    damagedSessions: damagedFiles(store).length,
    badLines: total(sessions, (session) => session.badLines),
    redactions: total(sessions, (session) => session.redactions),
    hooks: timesByEvent(journal),
    hookCost: hookCost(journal),
    team: {
      trusted: trustedPeople(store).map(({ who }) => who),
      waiting: untrustedPeople(store.places).map(({ who }) => who),
    },
  }
}

function renderRows(store: Store, status: Status, room: number): string[][] {
  return [
    ['  memory', store.dir],
    ...(store.ownership === 'foreign'
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
    ...(status.onlyInVault > 0
      ? [['  vault', warning(`${count(status.onlyInVault, 'session')} to bring back: memory-keeper restore`)]]
      : []),
    ['  last session', renderLast(status.lastSession, room)],
    ...renderNotes(status, room),
    ['  recall', renderRecall(status, room)],
    ['  search index', renderIndex(status.searchIndex)],
    ...renderTeam(status.team, room),
    ['  coverage', renderCoverage(status)],
    [
      '  redacted',
      `${count(status.redactions, 'secret')} in sessions; ${count(status.badLines, 'unreadable line')} skipped`,
    ],
    ...renderHooks(status.hookCost, room),
  ]
}

/** Nothing where nobody shares. */
function renderTeam({ trusted, waiting }: Status['team'], room: number): string[][] {
  const parts = [
    ...(waiting.length === 0 ? [] : [warning(`not read yet: ${namesOf(waiting)}: memory-keeper trust`)]),
    ...(trusted.length === 0 ? [] : [`trusted: ${namesOf(trusted)}`]),
  ]
  return parts.length === 0 ? [] : [['  teammates', fitted(parts, room)]]
}

const MOST_NAMES = 3

function namesOf(all: readonly string[]): string {
  const rest = all.length - MOST_NAMES
  return [...all.slice(0, MOST_NAMES).map((who) => oneLine(who, 16)), ...(rest > 0 ? [`${rest} more`] : [])].join(', ')
}

function renderLast(last: RowOfSession | null, room: number): string {
  if (last === null) return 'none yet'
  const when = `${last.endedAt.slice(0, 16).replace('T', ' ')} UTC  ${last.id}`
  const left = room - width(when) - 2
  return last.goal === '' || left < 12 ? when : fitted([when, dim(oneLine(last.goal, left))], room, '  ')
}

function renderCoverage({ transcriptsBehind: behind, damagedSessions: damaged, ...status }: Status): string {
  if (damaged > 0) return warning(`${count(damaged, 'session file')} damaged: memory-keeper verify`)
  if (behind > 0) return warning(`${count(behind, 'transcript')} to catch up: memory-keeper import`)
  return status.hasTranscripts ? good(COVERED) : NO_TRANSCRIPTS
}

function hookCost(runs: readonly Run[]) {
  const times = runs.map(({ ms }) => ms)
  const [slowest] = timesByEvent(runs).toSorted((a, b) => b.p95 - a.p95)
  return {
    calls: runs.length,
    p50: quantile(times, 0.5),
    p95: quantile(times, 0.95),
    // Of the events that were seen more than once, by p95.
    slowest: slowest === undefined ? null : { event: slowest.event, p95: slowest.p95 },
  }
}

function renderHooks({ calls, p50, p95, slowest }: Status['hookCost'], room: number): string[][] {
  if (calls === 0) return [['  hooks', 'none has run yet']]
  const parts = [
    `p50 ${ms(p50)}, p95 ${ms(p95)} in ${count(calls, 'call')}`,
    ...(slowest === null ? [] : [dim(`slowest: ${slowest.event}, p95 ${ms(slowest.p95)}`)]),
  ]
  return [['  hooks', fitted(parts, room)]]
}

/** Prompts that were looked at, and those that something went with. */
function statusOfRecall(store: Store, now: string) {
  const all = readRecalls(store)
  const today = all.filter(({ at }) => dayOf(at) === dayOf(now))
  const fired = today.filter((receipt) => receipt.fired)
  return {
    searchIndex: lookAtIndex(store),
    recallOn: store.config.recall,
    recalls: {
      today: today.length,
      firedToday: fired.length,
      tokensToday: total(fired, ({ tokens }) => tokens),
      all: all.length,
      fired: all.filter((receipt) => receipt.fired).length,
    },
  }
}

function renderRecall({ recallOn, recalls }: Status, room: number): string {
  if (!recallOn) return 'off: memory-keeper config set recall true'
  if (recalls.all === 0) return 'on, no prompt was looked at yet'
  const { today, firedToday, tokensToday } = recalls
  return fitted(
    [
      `on, ${firedToday} of ${count(today, 'prompt')} today, ${count(tokensToday, 'token')}`,
      'memory-keeper recall list',
    ],
    room,
    ': ',
  )
}

const ENGINES = { fts5: 'FTS5', scan: 'a plain scan' } as const

function renderIndex(look: IndexLook): string {
  switch (look.is) {
    case 'unreadable':
      return warning('cannot be read: memory-keeper doctor')
    case 'sound':
      return `${count(look.documents, 'document')}, ${ENGINES[look.engine]}, ${bytes(look.bytes)}`
    case 'missing':
      return 'made with the first search'
    case 'nowhere':
      return 'in memory, for each search anew: there is no cache directory'
    case 'newer':
      return 'made by a newer version: left alone, each search makes its own'
    default:
      return 'made anew with the next search'
  }
}
