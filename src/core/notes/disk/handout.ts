/** Handed-out deltas: a piece of a session gets an id and does not change until its note is saved. */

import path from 'node:path'
import { type Store, stateEffect } from '../../../kernel/memory/disk/store.ts'
import type { Handout, SessionState } from '../../../kernel/memory/session-state.ts'
import { type State, withSessions } from '../../../kernel/memory/state.ts'
import { readOwnText, statOf } from '../../../kernel/platform/disk/files.ts'
import { DELTA_FILE, id8OfFile, MEMORY_FILE } from '../../../kernel/platform/layout.ts'
import { type Delta, takeDelta, toTell } from '../../../kernel/sessions/delta.ts'
import { entriesOf } from '../../../kernel/sessions/disk/sessions.ts'
import { sessionOfWork } from '../../../kernel/sessions/work.ts'
import { estimateTokens } from '../../../kernel/text/tokens.ts'
import { isHostLine, type Numbered } from '../../../kernel/transcript/session.ts'
import { mayHaveFacts } from '../../knowledge/disk/facts.ts'
import { openMining, skipMining } from '../../knowledge/session-facts.ts'
import { sentencesWanted } from '../note-check.ts'
import { type OwedSession, owedSessions, tell } from '../pending.ts'
import { repairMemory } from './memory.ts'

export interface HandedOut extends Delta {
  /** The approximate number of sentences for its note. */
  sentences: number
  /** So little happened that code can write the note equally well. */
  isSmall: boolean
}

/** The limit in tokens; a piece without prompts and tool uses is small too. */
const SMALL_TOKENS = 60

export function isSmallPiece(entries: readonly Numbered[], text: string): boolean {
  const isQuiet = !toTell(entries).some(
    ({ entry }) => (entry.role === 'user' && !isHostLine(entry)) || entry.role === 'tool',
  )
  return isQuiet || estimateTokens(text) < SMALL_TOKENS
}

/** Returns the oldest pending piece and fixes its range; the same piece again until its note is saved. Call it under the lock. */
export function handOut(store: Store, by: Handout['by'], maxTokens: number, now: string): HandedOut | null {
  const state = repairMemory(store, now)
  const [owed] = owedSessions(state)
  if (owed === undefined) {
    removeDeltaFile(store)
    return null
  }
  const [id, session] = owed
  const delta = takePiece(store, session, by, maxTokens)
  if (delta === null || delta.text === '') {
    passOver(store, state, owed, delta, now)
    return handOut(store, by, maxTokens, now)
  }
  const entries = entriesOf(store, session, delta.from, delta.to)
  const handed = { ...delta, sentences: sentencesWanted(delta.text), isSmall: isSmallPiece(entries, delta.text) }
  const isSame = session.handout?.to === delta.to && session.handout.by === by
  const { summarizer, maxFactsPerSession } = store.config
  const isAsked = summarizer !== 'extractive' && maxFactsPerSession > 0 && mayHaveFacts(entries)
  const mined = isAsked ? openMining(session, delta, by) : skipMining(session, delta)
  const handout = isSame && session.handout ? session.handout : { to: delta.to, by, refusals: 0, asked: 0 }
  if (!isSame || mined !== session || heldDelta(store) !== delta.id) {
    const memoryMtime = statOf(path.join(store.dir, MEMORY_FILE))?.mtimeMs ?? null
    store.perform([
      { do: 'write', path: DELTA_FILE, text: renderDeltaFile(handed) },
      stateEffect(withSessions({ ...state, deltaCreatedAtMemoryMtime: memoryMtime }, [[id, { ...mined, handout }]])),
    ])
  }
  return handed
}

/** Skips entries that are deleted (forgotten, or the file was lost) or our own: there is nothing to note. */
export function passOver(
  store: Store,
  state: State,
  [id, session]: OwedSession,
  piece: Delta | null,
  now: string,
): void {
  const passed = tell(state, id, session, piece?.to ?? session.due, now)
  store.perform([stateEffect({ ...passed, lastMemoryUpdateTs: state.lastMemoryUpdateTs })])
}

/** The pending deltas, without handing them out. */
export function pendingDeltas(store: Store, state: State, maxTokens: number): Delta[] {
  let room = maxTokens
  const deltas: Delta[] = []
  for (const [, session] of owedSessions(state)) {
    const entries = entriesOf(store, session, session.watermark, session.due)
    const delta = takeDelta(id8OfFile(session.file) ?? '', entries, room)
    if (delta === null || room <= 0) continue
    deltas.push(delta)
    room -= Math.ceil(delta.text.length / 3)
  }
  return deltas
}

export function takePiece(store: Store, session: SessionState, by: Handout['by'], maxTokens: number): Delta | null {
  const id8 = id8OfFile(session.file)
  if (id8 === null) return null
  // A handed-out piece does not change, so that its note fits. Another author gets a piece of another size.
  const isFixed = session.handout?.by === by
  const to = isFixed && session.handout ? Math.min(session.handout.to, session.due) : session.due
  const entries = entriesOf(store, session, session.watermark, to)
  return takeDelta(id8, entries, isFixed ? Number.POSITIVE_INFINITY : maxTokens)
}

/** Gives up a piece that was too long for its reader; the next one is shorter. Call it under the lock. */
export function takeBack(store: Store, delta: string): void {
  const state = store.readState()
  const found = sessionOfWork(state, 'note', delta)
  if (found === null) return
  const [id, { handout: _, ...session }] = found
  store.perform([stateEffect(withSessions(state, [[id, session]]))])
}

function renderDeltaFile(delta: HandedOut): string {
  return [
    `# Delta ${delta.id}: entries ${delta.from} to ${delta.to - 1} of session ${delta.session}`,
    `# It waits for its note in memory.md: about ${delta.sentences} sentences.`,
    '',
    delta.text,
    '',
  ].join('\n')
}

/** Only if the file contains this delta: it may contain another one that is in use. Without an id: deletes any. */
export function removeDeltaFile(store: Store, note?: string): void {
  const held = heldDelta(store)
  if (held !== null && (note === undefined || note === `n-${held}`)) store.perform([{ do: 'remove', path: DELTA_FILE }])
}

/** The id of the delta in delta_temp.txt; empty: the file contains something else; null: no file. */
function heldDelta(store: Store): string | null {
  const file = path.join(store.dir, DELTA_FILE)
  if (statOf(file) === null) return null
  return /^# Delta ([\w-]+):/.exec(readOwnText(file)?.slice(0, 200) ?? '')?.[1] ?? ''
}
