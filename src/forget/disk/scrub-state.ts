/** The state, redacted: what is still open is told from it again. */
import path from 'node:path'
import { changeSettled } from '../../memory/disk/settled.ts'
import type { SessionState } from '../../memory/session-state.ts'
import { allSessions, formatState, parseState, withSessions } from '../../memory/state.ts'
import { changeWaiting } from '../../memory/waiting.ts'
import { readOwnText } from '../../platform/disk/files.ts'
import { STATE_FILE } from '../../platform/layout.ts'
import type { Redactor } from '../../redact/redact.ts'
import { readSessionBytes } from '../../sessions/disk/session-archive.ts'

type Write = (file: string, text: string) => void

/** How much was redacted; entries keep their numbers, and the bytes they take are counted anew. */
export function scrubState(dir: string, redact: Redactor, write: Write): number {
  const file = path.join(dir, STATE_FILE)
  const before = readOwnText(file) ?? ''
  const state = parseState(before)
  if (state === null) return 0
  const { clean, total } = counting(redact)
  const scrubbed = allSessions(state).map(([id, session]) => [id, scrubSession(dir, session, clean)] as const)
  const text = formatState(withSessions(state, scrubbed))
  if (text !== before) write(file, text)
  return total()
}

/** The same in a file of settled sessions. */
export function scrubSettled(dir: string, name: string, redact: Redactor, write: Write): number {
  const { clean, total } = counting(redact)
  const session = (one: SessionState): SessionState => scrubSession(dir, one, clean)
  changeSettled(dir, name, { session, badLine: clean }, write)
  return total()
}

function counting(redact: Redactor): { clean: (value: string) => string; total: () => number } {
  let total = 0
  const clean = (value: string): string => {
    const { text, count } = redact(value)
    total += count
    return text
  }
  return { clean, total: () => total }
}

function scrubSession(dir: string, session: SessionState, clean: (text: string) => string): SessionState {
  return { ...changeWaiting(session, { text: clean }), bytes: settledBytes(dir, session) }
}

function settledBytes(dir: string, session: SessionState): number {
  if (session.entries === 0) return 0
  const text = readSessionBytes(dir, session.file)?.toString('utf8') ?? ''
  const lines = text.split('\n').slice(0, session.entries)
  return Buffer.byteLength(lines.map((line) => `${line}\n`).join(''))
}
