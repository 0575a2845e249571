/** Settled sessions: when nothing is left to do about a session, and the lines in which it is stored then. */
import { parseObject } from '../platform/json.ts'
import type { SessionState } from './session-state.ts'
import type { StoredSession } from './state.ts'

/** What is known of a session besides its state. */
export interface SettledAround {
  /** It is over. */
  isOver: boolean
  /** Its transcript is still there. */
  hasTranscript: boolean
}

/**
 * Its transcript is captured to its end, or gone; all of its entries are told and summed up, and nobody is
 * asked for anything about it. What a step of the finisher still has to do keeps a session in the state.
 */
export function isSettled(session: SessionState, { isOver, hasTranscript }: SettledAround): boolean {
  const { entries, watermark, due, summed, mined, handout, mining, knownUpTo, isDone, isLive, file } = session
  if (!isOver || handout !== undefined || mining !== undefined || knownUpTo !== undefined) return false
  if (isDone !== true && hasTranscript) return false
  // Facts of what was found, and was not seen by hooks, are taken by code (`factsOfHistory`).
  const isMined = isLive === true || mined >= watermark
  const isTold = entries <= watermark && due <= watermark && isMined
  return isTold && (file === '' || summed >= entries)
}

/** What a file of settled sessions holds. */
export interface SettledLines {
  sessions: ReadonlyMap<string, StoredSession>
  /** Lines that could not be read: they stay as they are. */
  bad: readonly string[]
}

/** One session a line. */
export function parseSettled(text: string): SettledLines {
  const sessions = new Map<string, StoredSession>()
  const bad: string[] = []
  for (const line of text.split('\n')) {
    if (line === '') continue
    const { id, ...stored } = parseObject(line) ?? {}
    if (typeof id === 'string' && id !== '') sessions.set(id, stored as StoredSession)
    else bad.push(line)
  }
  return { sessions, bad }
}

/** In the order in which the sessions began. */
export function formatSettled({ sessions, bad }: SettledLines): string {
  const sorted = [...sessions].toSorted(([, a], [, b]) => (String(a.file ?? '') < String(b.file ?? '') ? -1 : 1))
  const lines = [...sorted.map(([id, stored]) => JSON.stringify({ id, ...stored })), ...bad]
  return lines.map((line) => `${line}\n`).join('')
}
