/** The state, redacted: what is still open is told from it again. */
import path from 'node:path'
import type { Redactor } from '../core/redact.ts'
import { allSessions, type Cursor, formatState, parseState, type SessionState, withSessions } from '../core/state.ts'
import { readOwnText } from './files.ts'
import { readSessionBytes } from './session-archive.ts'

/** How much was redacted; entries keep their numbers, and the bytes they take are counted anew. */
export function scrubState(file: string, redact: Redactor, write: (file: string, text: string) => void): number {
  const before = readOwnText(file) ?? ''
  const state = parseState(before)
  if (state === null) return 0
  let total = 0
  const clean = (value: string): string => {
    const { text, count } = redact(value)
    total += count
    return text
  }
  const scrubbed = allSessions(state).map(([id, session]): [string, SessionState] => {
    const agents = Object.entries(session.agents).map(([agent, cursor]) => [agent, scrubCursor(cursor, clean)])
    const whole = { ...scrubCursor(session, clean), agents: Object.fromEntries(agents) }
    return [id, { ...whole, bytes: settledBytes(path.dirname(file), session) }]
  })
  const text = formatState(withSessions(state, scrubbed))
  if (text !== before) write(file, text)
  return total
}

function scrubCursor<T extends Cursor>(cursor: T, clean: (text: string) => string): T {
  const { tools, queue, answer } = cursor.refine
  const started = Object.entries(tools).map(([id, tool]) => [id, { ...tool, cmd: clean(tool.cmd) }])
  const refine = {
    ...cursor.refine,
    tools: Object.fromEntries(started),
    queue: queue.map((prompt) => ({ ...prompt, text: clean(prompt.text) })),
    answer: answer && { ...answer, text: clean(answer.text) },
  }
  return { ...cursor, refine }
}

function settledBytes(dir: string, session: SessionState): number {
  if (session.entries === 0) return 0
  const text = readSessionBytes(dir, session.file)?.toString('utf8') ?? ''
  const lines = text.split('\n').slice(0, session.entries)
  return Buffer.byteLength(lines.map((line) => `${line}\n`).join(''))
}
