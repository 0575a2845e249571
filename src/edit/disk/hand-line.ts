/** What is said to a person after a change by hand: plain lines, with what a terminal may paint. */

import type { Changed } from '../../knowledge/fact-change.ts'
import type { HandMemory } from '../../outgoing/undo-things.ts'
import { KeeperError } from '../../platform/error.ts'
import { shown } from '../../text/shown.ts'

export interface HandLine {
  text: string
  /** Its beginning, which names what it is about. */
  head?: string
  tone?: 'dim' | 'warn'
}

export interface Hand {
  by: 'user' | 'agent'
  now: string
  isDryRun?: boolean
}

/** What a change would make of the memory, and what is to be said about it. */
export interface Decided {
  memory: HandMemory
  /** `reject d001`: under this name it is taken back. */
  what: string
  lines: HandLine[]
  /** For programs. */
  json: Record<string, unknown>
}

export function dimLine(text: string): HandLine {
  return { text, tone: 'dim' }
}

export function about(id: string, text: string): HandLine {
  return { text: `${id} ${text}`, head: id }
}

export function changedOr(done: Changed): Extract<Changed, { is: 'changed' }> {
  if (done.is === 'changed') return done
  throw new KeeperError(done.code, shown(done.problem))
}
