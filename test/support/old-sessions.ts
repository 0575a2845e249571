/** Sessions of any age in a memory: their entries, what the state knows of them, and their summaries. */

import { summariseSession } from '../../src/core/notes/disk/summaries.ts'
import { type Store, sessionPath, stateEffect } from '../../src/kernel/memory/disk/store.ts'
import { newSession, type SessionState } from '../../src/kernel/memory/session-state.ts'
import { withSessions } from '../../src/kernel/memory/state.ts'
import { sessionFile } from '../../src/kernel/platform/layout.ts'
import { EMPTY_REFINE_STATE } from '../../src/kernel/transcript/refine-state.ts'
import { type Entry, formatEntry } from '../../src/kernel/transcript/session.ts'
import { sessionId } from './project.ts'

export interface OldSession {
  n: number
  /** When it began. */
  at: string
  /** What nobody else says. */
  word: string
  /** How long it took. */
  hours?: number
}

export function id8Of(n: number): string {
  return sessionId(n).slice(0, 8)
}

export function fileOf({ n, at }: OldSession): string {
  return sessionFile(at, id8Of(n))
}

/** A request, a file, a command, a decision, and what came of it. */
export function entriesOf({ at, word, hours = 1 }: OldSession): Entry[] {
  const later = (share: number): string => new Date(Date.parse(at) + share * hours * 3_600_000).toISOString()
  return [
    { role: 'user', ts: at, text: `Please make the ${word} accept empty lines.` },
    { role: 'tool', ts: later(0.2), name: 'Edit', cmd: `/app/src/${word}.ts`, ok: true },
    { role: 'tool', ts: later(0.4), name: 'Bash', cmd: `npm test -- ${word}`, ok: true, output: '12 tests passed' },
    {
      role: 'assistant',
      ts: later(1),
      text: `We decided to skip empty lines in the ${word}, because the grammar stays smaller that way. All 12 tests of the ${word} pass now.`,
    },
  ]
}

/** With its summary, as the finisher leaves it. */
export function addSession(store: Store, session: OldSession, more: Partial<SessionState> = {}): void {
  const entries = entriesOf(session)
  const text = entries.map(formatEntry).join('')
  const state: SessionState = {
    ...newSession(`/nowhere/${sessionId(session.n)}.jsonl`),
    file: fileOf(session),
    entries: entries.length,
    bytes: Buffer.byteLength(text),
    watermark: entries.length,
    refine: { ...EMPTY_REFINE_STATE, ts: entries.at(-1)?.ts ?? '' },
    ...more,
  }
  store.perform([
    { do: 'write', path: sessionPath(state.file), text },
    stateEffect(withSessions(store.readState(), [[sessionId(session.n), state]])),
  ])
  summariseSession(store, sessionId(session.n))
}
