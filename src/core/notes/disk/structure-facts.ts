/** Facts by structure on disk: extracted with each note, and from imported history without notes. */

import { type Store, stateEffect } from '../../../kernel/memory/disk/store.ts'
import type { SessionState } from '../../../kernel/memory/session-state.ts'
import { allSessions, type State, sessionIn, withSessions } from '../../../kernel/memory/state.ts'
import { id8OfFile } from '../../../kernel/platform/layout.ts'
import { toTell } from '../../../kernel/sessions/delta.ts'
import { batchesOf, entriesOf } from '../../../kernel/sessions/disk/sessions.ts'
import type { Numbered } from '../../../kernel/transcript/session.ts'
import { renderSessionFactFiles, withoutForgotten } from '../../knowledge/disk/facts.ts'
import { commitBoth, readBoth, readFacts, writeFacts } from '../../knowledge/disk/knowledge.ts'
import { allFacts, type Items, withoutFacts } from '../../knowledge/items.ts'
import { closeMining } from '../../knowledge/session-facts.ts'
import { everPassed } from '../structure-commands.ts'
import { withStructure } from '../structure-facts.ts'

/** Of a longer session only the newest entries are read: a hook waits for it. */
const MOST_ENTRIES = 4_000

type Named = [id: string, session: SessionState]

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

/** Imported sessions that are noted or skipped, and for whose facts no model was asked. */
function historyIn(state: State): Named[] {
  const all: Named[] = []
  for (const id in state.sessions) {
    const { mined = 0, watermark = 0, isLive } = state.sessions[id] as Partial<SessionState>
    if (isLive || watermark <= mined) continue
    const session = sessionIn(state, id)
    if (session !== undefined && session.mining === undefined) all.push([id, session])
  }
  return all.sort(([, a], [, b]) => (a.file < b.file ? -1 : 1))
}

/** False: another process is doing it; the next run continues. */
function takeIn(store: Store, batch: readonly Named[], waitMs: number, now: string): boolean {
  const before = readBoth(store)
  const facts = batch.reduce((known, [, session]) => foundIn(store, known, session, session.watermark), before.facts)
  if (facts !== before.facts && commitBoth(store, before, { ...before, facts }, { waitMs, now }) !== true) return false
  const held = store.whileLocked(waitMs, () => {
    const files = new Set(batch.map(([, { file }]) => id8OfFile(file) ?? ''))
    renderSessionFactFiles(store, (id8) => files.has(id8))
    const state = store.readState()
    const looked = batch.flatMap(([id, { watermark }]): Named[] => {
      const session = sessionIn(state, id)
      return session === undefined ? [] : [[id, closeMining(session, Math.min(watermark, session.entries))]]
    })
    store.perform([stateEffect(withSessions(state, looked))])
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
