/** The standing instructions of a memory: read, written, chosen for a briefing. */
import path from 'node:path'
import type { Effect } from '../core/effect.ts'
import { fingerprint } from '../core/fingerprint.ts'
import { id8OfFile, STANDING_FILE } from '../core/layout.ts'
import { compareText, toldIn } from '../core/memory-words.ts'
import {
  formatStanding,
  isBrokenStanding,
  parseStanding,
  type Standing,
  type StandingList,
  standingToTell,
} from '../core/standing-list.ts'
import { type SessionState, type State, sessionIn } from '../core/state.ts'
import { readOwnText } from './files.ts'
import { readRules } from './rules.ts'
import type { Store } from './store.ts'

export function readStanding(store: Store): StandingList {
  return parseStanding(readOwnText(path.join(store.dir, STANDING_FILE)))
}

/** Call it under the lock. A broken file is set aside first: somebody may have edited it. */
export function writeStanding(store: Store, list: StandingList): void {
  const before = readOwnText(path.join(store.dir, STANDING_FILE))
  const aside: Effect[] =
    before === null || !isBrokenStanding(before)
      ? []
      : [{ do: 'write', path: `${STANDING_FILE}.broken-${Number.parseInt(fingerprint(before), 16)}`, text: before }]
  store.perform([...aside, { do: 'write', path: STANDING_FILE, text: formatStanding(list) }])
}

/** Those a briefing may tell: what stands in the rules is told with every prompt. */
export function standingForBriefing(store: Store): Standing[] {
  const standing = standingToTell(readStanding(store))
  if (standing.length === 0) return []
  const isRule = toldIn(readRules(store))
  return standing.filter(({ text }) => !isRule(text))
}

/** Sessions with entries that nobody has looked at yet, oldest first; a thousand sessions are looked at, few are read. */
export function unreadSessions({ read }: StandingList, state: State): SessionState[] {
  const unread: SessionState[] = []
  for (const id in state.sessions) {
    const { entries = 0, file = '' } = state.sessions[id] as { entries?: number; file?: string }
    const id8 = id8OfFile(String(file))
    if (id8 === null || entries === (read[id8] ?? 0)) continue
    const session = sessionIn(state, id)
    if (session !== undefined) unread.push(session)
  }
  return unread.sort((a, b) => compareText(a.file, b.file))
}
