/** Collects standing instructions and corrections from the sessions of a memory as they grow. */
import path from 'node:path'
import type { Store } from '../../memory/disk/store.ts'
import { allStored, sessionIn } from '../../memory/state.ts'
import { isWritable, statOf } from '../../platform/disk/files.ts'
import { id8OfFile, STANDING_FILE } from '../../platform/layout.ts'
import { toTell } from '../../sessions/delta.ts'
import { entriesOf } from '../../sessions/disk/entries.ts'
import { isForgottenText } from '../../sessions/disk/tombstones.ts'
import { correctionsIn } from '../correction.ts'
import { statedIn } from '../standing.ts'
import type { StandingList } from '../standing-list.ts'
import { addAllStated, type SessionStated } from '../standing-merge.ts'
import { readStanding, unreadSessions, writeStanding } from './standing.ts'

/** One hold of the lock: a hook waits no longer for it. */
const HOLD_MS = 200
/** What is known serves as well. */
const WAIT_MS = 2_000
/** Whoever asks waits no longer for what a long history says. */
const ALL_MS = 10_000

/** Settled sessions have something new only where standing.json was lost or broken: a hook does not look at them. */
type Sessions = 'all' | 'unsettled'

/** Looks at what is new; false: there was no time for all of it, go on later. Call it under the lock. */
export function collectStanding(store: Store, isLate: () => boolean, which: Sessions = 'all'): boolean {
  const before = readStanding(store)
  const { list, isComplete } = lookAhead(store, before, isLate, which)
  if (list !== before || isGone(store, list)) writeStanding(store, list)
  return isComplete
}

/** For a command: the list with what the sessions said since; while somebody else writes, what is known. */
export function currentStanding(store: Store, now: () => string): StandingList {
  const began = Date.parse(now())
  const isOver = (from: number, ms: number): boolean => Date.parse(now()) - from > ms
  for (let isDone = !isBehind(store); !isDone && !isOver(began, ALL_MS); ) {
    const held = store.whileLocked(WAIT_MS, () => {
      const from = Date.parse(now())
      return collectStanding(store, () => isOver(from, HOLD_MS))
    })
    isDone = held?.value ?? true
  }
  return readStanding(store)
}

/** Who only reads must not fail because nothing can be written. */
function isBehind(store: Store): boolean {
  const list = readStanding(store)
  return (unreadSessions(list, allStored(store.readState())).length > 0 || isGone(store, list)) && isWritable(store.dir)
}

/** Known from the vault's copy only: it is written again. */
function isGone(store: Store, { standing }: StandingList): boolean {
  return standing.length > 0 && statOf(path.join(store.dir, STANDING_FILE)) === null
}

/** The same without writing anything. */
export function upcomingStanding(store: Store): StandingList {
  return lookAhead(store, readStanding(store), () => false, 'all').list
}

function lookAhead(
  store: Store,
  before: StandingList,
  isLate: () => boolean,
  which: Sessions,
): { list: StandingList; isComplete: boolean } {
  const state = store.readState()
  const sessions = which === 'all' ? allStored(state) : state.sessions
  const found: SessionStated[] = []
  for (const id of unreadSessions(before, sessions)) {
    if (isLate()) return { list: addAllStated(before, found), isComplete: false }
    const session = sessionIn({ sessions }, id)
    if (session === undefined) continue
    const id8 = id8OfFile(session.file) ?? ''
    // Fewer than before: the session was written anew, and what it says is known already.
    const entries = toTell(entriesOf(store, session, before.read[id8] ?? 0, session.entries))
    const stated = [...statedIn(entries), ...correctionsIn(entries)]
    const known = stated.filter(({ text, at }) => !isForgottenText(store, text, at))
    found.push({ session: id8, stated: known, upTo: session.entries })
  }
  return { list: addAllStated(before, found), isComplete: true }
}
