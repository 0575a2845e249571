/** Facts that code finds: with each note, ahead of notes that wait, and in history that nobody notes. */

import { keepSessionFacts, sessionFactOf } from '../../knowledge/disk/facts.ts'
import { withoutForgotten } from '../../knowledge/disk/forgotten.ts'
import { commitBoth, readBoth, readFacts, writeFacts } from '../../knowledge/disk/knowledge.ts'
import { allFacts, type Facts, type NewFact } from '../../knowledge/fact.ts'
import { addFacts } from '../../knowledge/fact-add.ts'
import { takenAs } from '../../knowledge/fact-carry.ts'
import { closeMining } from '../../knowledge/mining.ts'
import { type Store, stateEffect } from '../../memory/disk/store.ts'
import type { SessionState } from '../../memory/session-state.ts'
import { type State, sessionIn, withSessions } from '../../memory/state.ts'
import { owedSessions } from '../../notes/pending.ts'
import { id8OfFile } from '../../platform/layout.ts'
import { toTell } from '../../sessions/delta.ts'
import type { Numbered } from '../../sessions/digest-types.ts'
import { batchesOf } from '../../sessions/disk/batches.ts'
import { entriesOf } from '../../sessions/disk/entries.ts'
import { extractFacts } from '../fact-extract.ts'

/** Of a session that is noted in part: a hook waits for it. */
const MOST_BEHIND = 2_000

type Named = [id: string, session: SessionState]

interface Found {
  session: SessionState
  facts: NewFact[]
}

/** What was said in so many words. Where a model has looked already, only what the user said is added. Under the lock. */
export function factsByCode(
  store: Store,
  session: SessionState,
  entries: readonly Numbered[],
  note: { from: number; to: number },
  now: string,
): void {
  const before = readFacts(store)
  // History stands before what is noted of a session that was found: it has no note, but its facts count.
  const isBehind = !session.isLive && session.mining === undefined && session.mined < note.from
  const earlier = isBehind ? entriesOf(store, session, Math.max(session.mined, note.from - MOST_BEHIND), note.from) : []
  const isMined = session.mined >= note.to
  const facts = found(store, before, session, [...earlier, ...entries]).filter(
    ({ evidence }) => !isMined || evidence.by === 'user',
  )
  const after = facts.length === 0 ? before : addFacts(before, facts)
  writeFacts(store, before, after, now)
  keepFound(store, after, [{ session, facts }])
}

/**
 * Notes are written from the oldest on, and there may be no time for all of them: what was decided last must be known first.
 * Only facts; the notes, and that they are written, come as ever. Under the lock.
 */
export function factsAhead(
  store: Store,
  isWanted: (session: SessionState) => boolean,
  isLate: () => boolean,
  now: string,
): void {
  const owed = owedSessions(store.readState()).filter(([, session]) => isWanted(session))
  // A single one gets its note at once.
  if (owed.length < 2) return
  const before = readFacts(store)
  const ahead: Found[] = []
  for (const [, session] of owed.reverse()) {
    if (isLate()) break
    const entries = entriesOf(store, session, session.watermark, session.due)
    ahead.push({ session, facts: found(store, before, session, entries) })
  }
  const after = addFacts(
    before,
    ahead.flatMap(({ facts }) => facts),
  )
  writeFacts(store, before, after, now)
  keepFound(store, after, ahead)
}

export interface HistoryOptions {
  now: () => string
  isLate: () => boolean
  waitMs: number
}

/**
 * History that is not noted costs no model anything, and what was decided in it counts all the same: once per session, from
 * the oldest on, so that what was solved later closes what was open. Read without the lock; killed in between, a batch is done
 * again and adds nothing twice. Returns how many sessions were looked at.
 */
export function factsOfHistory(store: Store, { now, isLate, waitMs }: HistoryOptions): number {
  const waiting = historyIn(store.readState())
  let done = 0
  for (const batch of batchesOf(waiting)) {
    if (isLate() || !takeIn(store, batch, waitMs, now())) break
    done += batch.length
  }
  return done
}

/** Found, not seen happening; told or passed over, and nobody was asked for its facts. */
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

/** False: somebody else is at it, the next one goes on. */
function takeIn(store: Store, batch: readonly Named[], waitMs: number, now: string): boolean {
  const before = readBoth(store)
  const all: Found[] = []
  let facts = before.facts
  for (const [, session] of batch) {
    const fresh = found(store, facts, session, entriesOf(store, session, session.mined, session.watermark))
    all.push({ session, facts: fresh })
    if (fresh.length > 0) facts = addFacts(facts, fresh)
  }
  if (facts !== before.facts && commitBoth(store, before, { ...before, facts }, { waitMs, now }) !== true) return false
  // One at a time: a hook waits for the lock.
  const isKept = all.every(
    (one) => one.facts.length === 0 || store.whileLocked(waitMs, () => keepFound(store, facts, [one])),
  )
  if (!isKept) return false
  const held = store.whileLocked(waitMs, () => {
    const state = store.readState()
    const looked = batch.flatMap(([id, { watermark }]): Named[] => {
      const session = sessionIn(state, id)
      return session === undefined ? [] : [[id, closeMining(session, Math.min(watermark, session.entries))]]
    })
    store.perform([stateEffect(withSessions(state, looked))])
  })
  return held !== null
}

function found(store: Store, facts: Facts, session: SessionState, entries: readonly Numbered[]): NewFact[] {
  const id8 = id8OfFile(session.file) ?? ''
  const known = allFacts(facts).filter((fact) => fact.session === id8).length
  const room = Math.max(0, store.config.maxFactsPerSession - known)
  const open = facts.issues.filter(({ status, state }) => status === 'open' && (state === 'fresh' || state === 'stale'))
  const extracted = extractFacts(
    id8,
    toTell(entries),
    room,
    open.map(({ text }) => text),
  )
  return withoutForgotten(store, extracted)
}

function keepFound(store: Store, facts: Facts, all: readonly Found[]): void {
  for (const { session, facts: fresh } of all) {
    const extracted = fresh.flatMap((one) => takenAs(facts, [one]).map((kept) => sessionFactOf(kept, one)))
    if (extracted.length > 0) keepSessionFacts(store, session.file, extracted, [])
  }
}
