/** Facts by structure on disk: extracted with each note, and from imported history without notes. */

import { type Store, stateEffect } from '../../../kernel/memory/disk/store.ts'
import type { SessionState } from '../../../kernel/memory/session-state.ts'
import { allSessions, findSession, type State } from '../../../kernel/memory/state.ts'
import { withoutWork, workOf } from '../../../kernel/memory/work.ts'
import type { WorkItem } from '../../../kernel/memory/work-item.ts'
import { id8OfFile } from '../../../kernel/platform/layout.ts'
import { toTell } from '../../../kernel/sessions/delta.ts'
import { batchesOf, entriesOf } from '../../../kernel/sessions/disk/sessions.ts'
import type { Numbered } from '../../../kernel/transcript/session.ts'
import { renderSessionFactFiles, withoutForgotten } from '../../knowledge/disk/facts.ts'
import { commitBoth, readBoth, readFacts, writeFacts } from '../../knowledge/disk/knowledge.ts'
import { allFacts, type Items, withoutFacts } from '../../knowledge/items.ts'
import { everPassed } from '../structure-commands.ts'
import { withStructure } from '../structure-facts.ts'

/** Of a longer session only the newest entries are read: a hook waits for it. */
const MOST_ENTRIES = 4_000

type History = [item: WorkItem, session: SessionState]

/** Extracts the facts of a session up to an entry. Call it under the lock. */
export function factsByStructure(store: Store, session: SessionState, to: number, now: string): void {
  const before = readFacts(store)
  const after = foundIn(store, before, session, to)
  writeFacts(store, before, after, now)
  renderSessionFactFiles(store, (id8) => id8 === id8OfFile(session.file))
}

export interface HistoryOptions {
  now: () => string
  isLate: () => boolean
  waitMs: number
}

/**
 * For history without notes: once per session, oldest first, so that later work closes earlier issues. Reads without the lock; after
 * a kill a batch is repeated without duplicates. Returns how many sessions were read.
 */
export function factsOfHistory(store: Store, { now, isLate, waitMs }: HistoryOptions): number {
  let done = 0
  for (const batch of batchesOf(historyIn(store.readState()))) {
    if (isLate() || !takeIn(store, batch, waitMs, now())) break
    done += batch.length
  }
  return done
}

/** Imported sessions whose facts wait for code. */
function historyIn(state: State): History[] {
  const all = workOf(state, 'facts').flatMap((item): History[] => {
    const [, session] = item.by === 'code' ? (findSession({ sessions: state.sessions }, item.about) ?? []) : []
    return session === undefined ? [] : [[item, session]]
  })
  return all.sort(([, a], [, b]) => (a.file < b.file ? -1 : 1))
}

/** False: another process is doing it; the next run continues. */
function takeIn(store: Store, batch: readonly History[], waitMs: number, now: string): boolean {
  const before = readBoth(store)
  const facts = batch.reduce((known, [{ to }, session]) => foundIn(store, known, session, to), before.facts)
  if (facts !== before.facts && commitBoth(store, before, { ...before, facts }, { waitMs, now }) !== true) return false
  const held = store.whileLocked(waitMs, () => {
    const files = new Set(batch.map(([{ about }]) => about))
    renderSessionFactFiles(store, (id8) => files.has(id8))
    const isDone = ({ kind, by, about }: WorkItem): boolean => kind === 'facts' && by === 'code' && files.has(about)
    store.perform([stateEffect(withoutWork(store.readState(), isDone))])
  })
  return held !== null
}

/** The number of earlier sessions searched for a command that failed now; read only if one failed. */
const MOST_SESSIONS = 20

function passedEarlier(store: Store, { file }: SessionState): (cmd: string) => boolean {
  let read: Numbered[][] | null = null
  return (cmd) => {
    read ??= allSessions(store.readState())
      .flatMap(([, one]) => (one.file !== '' && one.file < file ? [one] : []))
      .sort((a, b) => (a.file < b.file ? 1 : -1))
      .slice(0, MOST_SESSIONS)
      .map((one) => entriesOf(store, one, Math.max(0, one.entries - MOST_ENTRIES), one.entries))
    return read.some((entries) => everPassed(entries, cmd))
  }
}

function foundIn(store: Store, facts: Items, session: SessionState, to: number): Items {
  const id8 = id8OfFile(session.file) ?? ''
  const entries = toTell(entriesOf(store, session, Math.max(0, to - MOST_ENTRIES), to))
  const after = withStructure(facts, id8, entries, store.config.maxFactsPerSession, passedEarlier(store, session))
  if (after === facts) return facts
  const known = new Set(allFacts(facts).map(({ id }) => id))
  const fresh = allFacts(after).filter(({ id }) => !known.has(id))
  const kept = new Set<unknown>(withoutForgotten(store, fresh))
  return withoutFacts(after, (fact) => !known.has(fact.id) && !kept.has(fact))
}
