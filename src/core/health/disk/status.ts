/** The figures of `status`: its JSON output, and the data of its screens. */

import type { Store } from '../../../kernel/memory/disk/store.ts'
import { allSessions, type State } from '../../../kernel/memory/state.ts'
import { id8OfFile } from '../../../kernel/platform/layout.ts'
import { dayIn } from '../../../kernel/platform/time.ts'
import { readPauses } from '../../../kernel/sessions/disk/pause.ts'
import { sessionFiles, sessionRows } from '../../../kernel/sessions/disk/sessions.ts'
import { hasTranscripts, storedBytes } from '../../../kernel/sessions/disk/verify.ts'
import { quantile, total } from '../../../kernel/text/figures.ts'
import { openWork } from '../../briefing/disk/briefing.ts'
import { extras, type StatusRow } from '../../extra.ts'
import { readFacts } from '../../knowledge/disk/knowledge.ts'
import { isLive } from '../../knowledge/item.ts'
import { allPermanent, byKind, openIssues } from '../../knowledge/items.ts'
import { proposedIn } from '../../knowledge/permanent.ts'
import { modelNoticedAt, wayIn } from '../../model/disk/model-call.ts'
import { readCalls, readHealth } from '../../model/disk/model-calls.ts'
import { countUpcoming, listNotes, listWaiting } from '../../notes/disk/note-list.ts'
import { awaitingAudit } from '../../notes/disk/unaudited.ts'
import { rotationLimits } from '../../notes/rotation.ts'
import { readRules } from '../../pages/disk/rules.ts'
import { readHookTimes, readRecalls } from '../../receipts/disk/journal.ts'
import { listReceipts } from '../../receipts/disk/receipts.ts'
import { isAboutWork, type Receipt, type ReceiptRow } from '../../receipts/receipt.ts'
import { lookAtIndex } from '../../search/disk/memory-index.ts'
import { findings } from './health.ts'
import { costOf, injectedTokens, memoryTokens } from './numbers.ts'

export type Status = ReturnType<typeof statusOf>

/** What the extras add. */
export function statusRowsOf(store: Store, now: string): StatusRow[] {
  return extras().flatMap(({ statusRows }) => statusRows?.(store, now) ?? [])
}

/** The output of `status --json`, without what the extras add. */
export function statusOf(store: Store, now: string) {
  const state = store.readState()
  const sessions = allSessions(state).map(([, session]) => session)
  const settled = new Map(sessions.map(({ file, entries }) => [id8OfFile(file), entries]))
  const rows = sessionRows(store)
  const facts = readFacts(store)
  const { decisions, patterns } = byKind(facts)
  const dayOf = dayIn(store.config.timezone)
  const isToday = ({ at }: { at: string }): boolean => dayOf(at) === dayOf(now)
  const times = readHookTimes(store.dir).map(({ ms: took }) => took)
  return {
    project: store.places.project.root,
    memory: store.dir,
    standing: store.ownership,
    // Null: every session of the project.
    paused: readPauses(store.places).flatMap(({ from, to, session }) =>
      to === null ? [{ since: from, session }] : [],
    ),
    sessions: rows.length,
    // As an import counts them: an entry that may still change does not count yet.
    entries: total(rows, ({ id, entries }) => Math.min(entries, settled.get(id) ?? entries)),
    bytes: total(sessionFiles(store), (file) => storedBytes(store, file)),
    lastSession: rows.toSorted((a, b) => (a.endedAt < b.endedAt ? 1 : -1))[0] ?? null,
    toolUsesSinceLastNote: state.counter,
    saveInterval: store.config.saveInterval,
    ...notesIn(store, state, now),
    facts: {
      decisions: decisions.filter(isLive).length,
      patterns: patterns.filter(isLive).length,
      openIssues: openIssues(facts).length + openWork(store).length,
    },
    rules: store.config.rules ? readRules(store).length : 0,
    permanent: {
      active: allPermanent(facts).filter(isLive).length,
      proposed: proposedIn(facts).length,
    },
    // Null: nothing waits.
    audit: awaitingAudit(store, now),
    ...modelsIn(store, now, isToday),
    injected: injectedIn(listReceipts(store), isToday),
    recalls: recallsIn(store, isToday),
    searchIndex: lookAtIndex(store),
    hasTranscripts: hasTranscripts(store),
    badLines: total(sessions, (session) => session.badLines),
    redactions: total(sessions, (session) => session.redactions),
    hooks: { calls: times.length, p50: quantile(times, 0.5), p95: quantile(times, 0.95) },
    findings: findings(store, now).filter(({ verdict }) => verdict !== 'ok'),
  }
}

function notesIn(store: Store, state: State, now: string) {
  const { notes } = listNotes(store)
  const waiting = listWaiting(store, state, 1)
  const entries = total(waiting, ({ from, to }) => to - from)
  return {
    notes: {
      count: notes.length,
      last:
        notes
          .map(({ at }) => at)
          .toSorted()
          .at(-1) ?? null,
    },
    memoryTokens: memoryTokens(store),
    memoryFullAt: rotationLimits(store.config).fullTokens,
    archives: state.rotatedFiles.length,
    pending: {
      sessions: waiting.length,
      entries,
      deltas: waiting.flatMap(({ id }) => id ?? []),
      // Entries that get a note when the next session starts, or with `final`.
      later: countUpcoming(store, now) - entries,
      // Notes by structure, of `forget` or in place of a model: a background call writes them again.
      again: state.work.filter(({ kind }) => kind === 'again' || kind === 'read').length,
    },
  }
}

type IsToday = (one: { at: string }) => boolean

function modelsIn(store: Store, now: string, isToday: IsToday) {
  const { homeDir, project } = store.places
  const calls = readCalls(homeDir)
  const { pausedUntil } = readHealth(homeDir)
  const way = wayIn(store, now)
  return {
    way,
    // Code writes the notes only until the user was informed of background calls.
    awaitsNotice: way === 'extractive' && store.config.summarizer !== 'extractive' && modelNoticedAt(homeDir) === null,
    model: {
      today: costOf(calls.filter(isToday)),
      project: costOf(calls.filter((call) => call.project === project.key)),
      all: costOf(calls),
      pausedUntil: pausedUntil !== null && now < pausedUntil ? pausedUntil : null,
    },
  }
}

/** Injected tokens: of the last session with an injection, and of all sessions that began today. */
function injectedIn(rows: readonly ReceiptRow[], isToday: IsToday) {
  const [last] = rows
  const lastSession = last === undefined ? null : { ...last, all: injectedTokens(last) }
  return { lastSession, today: total(rows.filter(isToday), injectedTokens) }
}

function countedBySignal(receipts: readonly Receipt[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { fired, signal } of receipts) if (fired && signal !== '') counts[signal] = (counts[signal] ?? 0) + 1
  return counts
}

/** Prompts that recall checked, and those with which something was injected. */
function recallsIn(store: Store, isToday: IsToday) {
  const receipts = readRecalls(store)
  const all = receipts.filter((receipt) => !isAboutWork(receipt))
  const today = all.filter(isToday)
  return {
    isOn: store.config.recall,
    today: today.length,
    firedToday: today.filter((receipt) => receipt.fired).length,
    all: all.length,
    fired: all.filter((receipt) => receipt.fired).length,
    bySignal: countedBySignal(receipts.filter(isToday)),
  }
}
