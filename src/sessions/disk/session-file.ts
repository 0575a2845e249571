/** Writing a session's file: the settled entries, and behind them what is still open. */

import { type Store, sessionPath } from '../../memory/disk/store.ts'
import type { SessionState } from '../../memory/session-state.ts'
import type { Effect } from '../../platform/effect.ts'
import { id8sOf, sessionFile } from '../../platform/layout.ts'
import { type Entry, parseSession } from '../../transcript/session.ts'
import { renderOpen } from '../capture.ts'
import type { Roster } from './roster.ts'
import { sessionFacts, unpackEffects } from './session-archive.ts'

/** The session file behind its settled entries: the new ones, then what is still open. */
export function writeSession(
  store: Store,
  roster: Roster,
  id: string,
  seen: SessionState,
  session: SessionState,
  text: string,
  now: () => string,
): { session: SessionState; effects: Effect[]; isChanged: boolean } {
  const open = renderOpen(session)
  const isNew = session.file === '' && (text !== '' || open !== '')
  const named = isNew ? { ...session, file: newFile(roster, id, text || open, now) } : session
  const isChanged = JSON.stringify(named) !== JSON.stringify(seen)
  const onDisk = sessionFacts(store.dir, named.file)?.size ?? 0
  const isStale = onDisk !== named.bytes + Buffer.byteLength(open)
  const effects: Effect[] =
    named.file !== '' && (text !== '' || isStale || isChanged)
      ? [
          // One that was compressed goes on.
          ...unpackEffects(store.dir, named.file),
          { do: 'appendAt', path: sessionPath(named.file), at: seen.bytes, text: text + open },
        ]
      : []
  return { session: named, effects, isChanged }
}

/** `YYYYMMDD_HHMMSS_<id8>`, after the first entry's time. Two sessions never share an id8. */
function newFile(roster: Roster, session: string, text: string, now: () => string): string {
  // What was forgotten has no time any more.
  const first = parseSession(text).entries.find((entry): entry is Entry => entry.role !== 'tombstone')
  let id8 = ''
  for (id8 of id8sOf(session)) if (!roster.isTaken(id8)) break
  return sessionFile(first?.ts || now(), id8)
}
