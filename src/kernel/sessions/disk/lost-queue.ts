/** Prompts that a person queued and that a killed host never took: settled when the session is over, so that notes contain them. */
import { type Store, sessionPath, stateEffect } from '../../memory/disk/store.ts'
import type { SessionState } from '../../memory/session-state.ts'
import { sessionIn, withSessions } from '../../memory/state.ts'
import { entryKey } from '../../transcript/session.ts'
import { renderOpen, settleQueue } from '../capture.ts'
import { readSession } from './lineage.ts'
import { isPacked } from './session-archive.ts'

/** The session file first, then the state: after a kill in between it is repeated. Call it under the lock. */
export function settleQueues(store: Store, isOver: (id: string, session: SessionState) => boolean): void {
  const state = store.readState()
  for (const id in state.sessions) {
    const { refine } = state.sessions[id] as Partial<SessionState>
    const session = refine?.queue?.length ? sessionIn(state, id) : undefined
    if (session === undefined || session.file === '' || isPacked(store.dir, session.file) || !isOver(id, session))
      continue
    const settled = readSession(store, session.file).slice(0, session.entries)
    const done = settleQueue(session, new Set(settled.map(entryKey)))
    if (done === null) continue
    const text = done.text + renderOpen(done.session)
    store.perform([
      { do: 'appendAt', path: sessionPath(session.file), at: session.bytes, text },
      stateEffect(withSessions(store.readState(), [[id, done.session]])),
    ])
  }
}
