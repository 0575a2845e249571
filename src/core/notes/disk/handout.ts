/** Handed-out deltas: a piece of a session gets an id and does not change until its note is saved. */

import path from 'node:path'
import { type Store, stateEffect } from '../../../kernel/memory/disk/store.ts'
import type { SessionState } from '../../../kernel/memory/session-state.ts'
import type { State } from '../../../kernel/memory/state.ts'
import {
  findWork,
  handedOut,
  type OwedSession,
  owedSession,
  owedSessions,
  owedTo,
  withOwed,
  withoutWork,
  withWork,
} from '../../../kernel/memory/work.ts'
import { newItem, type WorkItem } from '../../../kernel/memory/work-item.ts'
import { readOwnText, statOf } from '../../../kernel/platform/disk/files.ts'
import { DELTA_FILE, id8OfFile, MEMORY_FILE } from '../../../kernel/platform/layout.ts'
import { type Delta, renderNumbered, takeDelta, toTell } from '../../../kernel/sessions/delta.ts'
import { entriesOf } from '../../../kernel/sessions/disk/sessions.ts'
import { estimateTokens } from '../../../kernel/text/tokens.ts'
import { isHostLine, type Numbered } from '../../../kernel/transcript/session.ts'
import { mayHaveFacts } from '../../knowledge/disk/facts.ts'
import { readConcepts, readFacts } from '../../knowledge/disk/knowledge.ts'
import { knownLines, MAX_FACTS } from '../../knowledge/headless-facts.ts'
import { sentencesWanted } from '../note-check.ts'
import { cover } from '../pending.ts'
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
export function handOut(store: Store, by: 'headless' | 'agent', maxTokens: number, now: string): HandedOut | null {
  const state = repairMemory(store, now)
  const [owed] = owedSessions(state)
  if (owed === undefined) {
    removeDeltaFile(store)
    return null
  }
  const [, session] = owed
  const delta = takePiece(store, state, session, by, maxTokens)
  if (delta === null || delta.text === '') {
    passOver(store, state, owed, delta, now)
    return handOut(store, by, maxTokens, now)
  }
  const entries = entriesOf(store, session, delta.from, delta.to)
  const handed = { ...delta, sentences: sentencesWanted(delta.text), isSmall: isSmallPiece(entries, delta.text) }
  const before = handedOut(state, session)
  const isSame = before?.to === delta.to && before.by === by
  const given = isSame ? state : withGiven(store, state, session, { ...delta, by, entries })
  // A background call gets its text otherwise.
  const isFactsToo = by === 'agent' && findWork(given, 'facts', delta.id) !== undefined
  const head = headOf(handed, isFactsToo)
  if (!isSame || textOfDelta(store)?.startsWith(head) !== true) {
    const memoryMtime = statOf(path.join(store.dir, MEMORY_FILE))?.mtimeMs ?? null
    const text = isFactsToo ? withKnown(store, delta, entries) : delta.text
    store.perform([
      { do: 'write', path: DELTA_FILE, text: `${head}${text}\n` },
      stateEffect({ ...given, deltaCreatedAtMemoryMtime: memoryMtime }),
    ])
  }
  return handed
}

/** Its note waits for this author, and so do its facts, if there may be any. */
function withGiven(
  store: Store,
  state: State,
  session: SessionState,
  { session: about, from, to, by, entries }: Delta & Pick<WorkItem, 'by'> & { entries: readonly Numbered[] },
): State {
  const given = withOwed(withoutFacts(state, session), session, owedTo(state, session), { to, by })
  const { summarizer, maxFactsPerSession } = store.config
  const isAsked = summarizer !== 'extractive' && maxFactsPerSession > 0 && mayHaveFacts(entries)
  return isAsked ? withWork(given, [newItem({ kind: 'facts', about, from, to, by })]) : given
}

/** Facts are requested with a piece that is handed out. */
function withoutFacts(state: State, { file, watermark }: SessionState): State {
  const about = id8OfFile(file)
  return withoutWork(state, (item) => item.kind === 'facts' && item.about === about && item.from >= watermark)
}

/** Skips entries that are deleted (forgotten, or the file was lost) or our own: there is nothing to note. */
export function passOver(store: Store, state: State, owed: OwedSession, piece: Delta | null, now: string): void {
  const passed = cover(state, owed, piece?.to ?? owedTo(state, owed[1]), now)
  store.perform([stateEffect({ ...passed, lastMemoryUpdateTs: state.lastMemoryUpdateTs })])
}

/** The pending deltas, without handing them out. */
export function pendingDeltas(store: Store, state: State, maxTokens: number): Delta[] {
  let room = maxTokens
  const deltas: Delta[] = []
  for (const [, session] of owedSessions(state)) {
    const entries = entriesOf(store, session, session.watermark, owedTo(state, session))
    const delta = takeDelta(id8OfFile(session.file) ?? '', entries, room)
    if (delta === null || room <= 0) continue
    deltas.push(delta)
    room -= Math.ceil(delta.text.length / 3)
  }
  return deltas
}

export function takePiece(
  store: Store,
  state: State,
  session: SessionState,
  by: WorkItem['by'],
  maxTokens: number,
): Delta | null {
  const id8 = id8OfFile(session.file)
  if (id8 === null) return null
  // A handed-out piece does not change, so that its note fits. Another author gets a piece of another size.
  const piece = handedOut(state, session)
  const isFixed = piece !== undefined && piece.by === by
  const entries = entriesOf(store, session, session.watermark, isFixed ? piece.to : owedTo(state, session))
  return takeDelta(id8, entries, isFixed ? Number.POSITIVE_INFINITY : maxTokens)
}

/** Gives up a piece that was too long for its reader; the next one is shorter. Call it under the lock. */
export function takeBack(store: Store, delta: string): void {
  const state = store.readState()
  const [, session] = owedSession(state, delta) ?? []
  if (session !== undefined)
    store.perform([stateEffect(withOwed(withoutFacts(state, session), session, owedTo(state, session)))])
}

/** Says whether facts are wanted, too: a file of 0.6 does not. */
function headOf({ id, session, from, to, sentences }: HandedOut, isFactsToo: boolean): string {
  const facts = isFactsToo ? `; and for at most ${MAX_FACTS} facts` : ''
  return [
    `# Delta ${id}: entries ${from} to ${to - 1} of session ${session}`,
    `# It waits for its note in memory.md: about ${sentences} sentences${facts}.`,
    '',
    '',
  ].join('\n')
}

/** The entries with their numbers, and what is known about them: for facts. */
function withKnown(store: Store, { session }: Delta, entries: readonly Numbered[]): string {
  const text = renderNumbered(entries).join('\n\n')
  const known = knownLines(readFacts(store), readConcepts(store), text, session)
  return [...(known.length === 0 ? [] : ['# Known already:', ...known, '']), text].join('\n')
}

/** Only if the file contains this delta: it may contain another one that is in use. Without an id: deletes any. */
export function removeDeltaFile(store: Store, note?: string): void {
  const held = heldDelta(store)
  if (held !== null && (note === undefined || note === `n-${held}`)) store.perform([{ do: 'remove', path: DELTA_FILE }])
}

/** The id of the delta in delta_temp.txt; empty: the file contains something else; null: no file. */
function heldDelta(store: Store): string | null {
  const text = textOfDelta(store)
  return text === null ? null : (/^# Delta ([\w-]+):/.exec(text)?.[1] ?? '')
}

/** Null: no file. */
function textOfDelta({ dir }: Store): string | null {
  const file = path.join(dir, DELTA_FILE)
  return statOf(file) === null ? null : (readOwnText(file) ?? '')
}
