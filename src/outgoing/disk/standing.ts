/** The standing instructions of a memory: read, written, chosen for a briefing. */
import path from 'node:path'
import { vaultText, withoutMark } from '../../knowledge/disk/knowledge.ts'
import type { Store } from '../../memory/disk/store.ts'
import type { StoredSessions } from '../../memory/state.ts'
import { readOwnText } from '../../platform/disk/files.ts'
import type { Effect } from '../../platform/effect.ts'
import { id8OfFile, STANDING_FILE } from '../../platform/layout.ts'
import { fingerprint } from '../../text/fingerprint.ts'
import { compareText } from '../../text/memory-words.ts'
import { formatStanding, isBrokenStanding, parseStanding, type StandingList } from '../standing-list.ts'

/** A file that is gone or broken is made whole from its copy in the vault: what the user declined stays declined. */
export function readStanding(store: Store): StandingList {
  const text = textOf(store)
  const known = parseStanding(text)
  if (text !== null && !isBrokenStanding(text)) return known
  const copy = vaultText(store, STANDING_FILE)
  if (copy === null) return known
  const kept = parseStanding(copy)
  if (known.standing.length === 0) return kept
  const ids = new Set(known.standing.map(({ id }) => id))
  return { ...known, standing: [...known.standing, ...kept.standing.filter(({ id }) => !ids.has(id))] }
}

function textOf(store: Store): string | null {
  const text = readOwnText(path.join(store.dir, STANDING_FILE))
  return text === null ? null : withoutMark(text)
}

/** Call it under the lock. A broken file is set aside first: somebody may have edited it. */
export function writeStanding(store: Store, list: StandingList): void {
  const before = textOf(store)
  const aside: Effect[] =
    before === null || !isBrokenStanding(before)
      ? []
      : [{ do: 'write', path: `${STANDING_FILE}.broken-${Number.parseInt(fingerprint(before), 16)}`, text: before }]
  store.perform([...aside, { do: 'write', path: STANDING_FILE, text: formatStanding(list) }])
}

/** The ids of sessions with entries that nobody has looked at yet, oldest first; a thousand sessions are looked at, few are read. */
export function unreadSessions({ read }: StandingList, sessions: StoredSessions): string[] {
  const unread: { id: string; file: string }[] = []
  for (const id in sessions) {
    const { entries = 0, file = '' } = sessions[id] as { entries?: number; file?: string }
    const id8 = id8OfFile(String(file))
    if (id8 !== null && entries !== (read[id8] ?? 0)) unread.push({ id, file })
  }
  return unread.sort((a, b) => compareText(a.file, b.file)).map(({ id }) => id)
}
