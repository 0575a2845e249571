/** Facts that a model extracts from a piece of a session: handed out, checked in rounds, saved. Files first, the state last. */

import path from 'node:path'
import { type Store, sessionPath, stateEffect } from '../../memory/disk/store.ts'
import type { SessionState } from '../../memory/session-state.ts'
import { type State, sessionIn, withSessions } from '../../memory/state.ts'
import { readOwnText } from '../../platform/disk/files.ts'
import { id8OfFile, sessionFactsFile } from '../../platform/layout.ts'
import { redactorFor } from '../../redact/redact.ts'
import { PIECE_TOKENS, takeDelta, toTell } from '../../sessions/delta.ts'
import { entriesOf } from '../../sessions/disk/sessions.ts'
import { findWork, openPieceId, type WorkItem, withCounts } from '../../sessions/work.ts'
import { fingerprint } from '../../text/fingerprint.ts'
import type { Numbered } from '../../transcript/session.ts'
import { addConcept, type Concepts, findConcept } from '../concept.ts'
import { carryWeight } from '../coverage.ts'
import {
  addSessionFacts,
  allFacts,
  type Fact,
  type Facts,
  formatSessionFacts,
  type NewFact,
  parseSessionFacts,
  type SessionFact,
} from '../fact.ts'
import { addFacts } from '../fact-add.ts'
import { checkDrafts, isClean, knownFacts } from '../fact-check.ts'
import type { Checked, Draft, SoundFact } from '../fact-draft.ts'
import { carryOut, isSolution, standingFor, withinLimit } from '../fact-own.ts'
import { closeMining, MAX_ROUNDS, shortenMining } from '../mining.ts'
import { withoutForgotten } from './forgotten.ts'
import { readConcepts, readFacts, writeConcepts, writeFacts } from './knowledge.ts'

export interface Submission {
  /** The piece, as it was handed out: `1a2b3c4d-12-57`. */
  piece: string
  drafts: readonly Draft[]
  /** Entries that somebody looked at and found nothing lasting in. */
  nothingIn: readonly number[]
  author: 'agent' | 'headless'
}

export type FactsAnswer =
  | { is: 'not-open'; reason: string }
  /** Nothing was written. `isLast`: the next save keeps what holds, whatever is missing. */
  | { is: 'checked'; checked: Checked; round: number; isLast: boolean }
  | { is: 'saved'; facts: Fact[]; checked: Checked }

export interface OpenPiece {
  id: string
  /** The session's id8. */
  session: string
  entries: Numbered[]
  /** How many more facts this session may have. */
  room: number
}

/** Rounds begin anew: a call that was killed has cost some. Null: there is nothing to ask for. Call it under the lock. */
export function beginPiece(store: Store, piece: string): OpenPiece | null {
  const state = store.readState()
  const found = findPiece(state, piece)
  if (found === null) return null
  store.perform([stateEffect(withCounts(state, found.item, { tries: 0 }))])
  return openPiece(store, found.session)
}

/** What is to be read for a piece; null: it is not open. */
export function pieceToRead(store: Store, piece: string): OpenPiece | null {
  const found = findPiece(store.readState(), piece)
  return found === null ? null : openPiece(store, found.session)
}

function findPiece(state: State, piece: string): { item: WorkItem; session: SessionState } | null {
  const item = findWork(state, 'facts', piece)
  const session = item && sessionIn(state, item.session)
  return item === undefined || session === undefined ? null : { item, session }
}

/** Reads what drafts are compared with. Call it before taking the lock: with thousands of facts it takes a while. */
export function prepareFacts(store: Store): void {
  knownFacts(readFacts(store))
}

/** Says what holds and what is missing, and counts a round; the last one keeps what holds. Call it under the lock. */
export function checkFacts(store: Store, submission: Submission, now: string): FactsAnswer {
  return answerTo(store, submission, now, () => false)
}

/**
 * Keeps what holds, unless something is wrong or missing and there are rounds left. `last`: whoever sends it has no further
 * round. Call it under the lock.
 */
export function saveFacts(store: Store, submission: Submission, now: string, last?: 'last'): FactsAnswer {
  return answerTo(store, submission, now, (checked) => last === 'last' || isClean(checked))
}

function answerTo(
  store: Store,
  submission: Submission,
  now: string,
  isDone: (checked: Checked) => boolean,
): FactsAnswer {
  const found = findPiece(store.readState(), submission.piece)
  if (found === null) return notOpen(submission.piece)
  const { item, session } = found
  const { checked, piece } = check(store, session, submission)
  const isLast = item.tries + 1 >= MAX_ROUNDS
  if (!isLast && !isDone(checked)) return again(store, item, checked)
  const facts = keep(store, piece, checked, now)
  const closed = withNextPiece(store, closeMining(session, item.to))
  store.perform([stateEffect(withSessions(store.readState(), [[item.session, closed]]))])
  return { is: 'saved', facts, checked }
}

/** What Claude noted meanwhile may hold nothing that lasts, or be too much for one reader. */
function withNextPiece(store: Store, session: SessionState): SessionState {
  let next = session
  while (next.mining !== undefined && openPieceId(next) !== null) {
    const entries = entriesOf(store, next, next.mined, next.mining.to)
    const to = takeDelta(id8OfFile(next.file) ?? '', entries, PIECE_TOKENS.agent)?.to ?? next.mining.to
    next = shortenMining(next, to)
    const taken = entries.filter(({ n }) => n < to)
    if (mayHaveFacts(store, next, taken)) return next
    next = closeMining(next, to)
  }
  return next
}

/** The facts of a session as they were extracted. Call it under the lock. */
export function keepSessionFacts(
  store: Store,
  sessionFile: string,
  facts: readonly SessionFact[],
  uncovered: readonly number[],
): void {
  const file = sessionPath(sessionFactsFile(sessionFile))
  const text = readOwnText(path.join(store.dir, file))
  const before = text === null ? null : parseSessionFacts(text)
  if (text !== null && before === null) setAside(store, file, text)
  const after = addSessionFacts(before, id8OfFile(sessionFile) ?? '', facts, uncovered)
  if (before === null && after.facts.length === 0) return
  store.perform([{ do: 'write', path: file, text: formatSessionFacts(after) }])
}

/** Somebody may have edited it: what cannot be read is kept beside, under a name that its words give it. */
function setAside(store: Store, file: string, text: string): void {
  store.perform([
    { do: 'write', path: `${file}.broken-${fingerprint(text).slice(0, 8)}`, text },
    { do: 'remove', path: file },
  ])
}

function openPiece(store: Store, session: SessionState): OpenPiece {
  const id8 = id8OfFile(session.file) ?? ''
  const entries = toTell(entriesOf(store, session, session.mined, session.mining?.to ?? 0))
  return { id: openPieceId(session) ?? '', session: id8, entries, room: roomFor(store, readFacts(store), id8) }
}

function check(store: Store, session: SessionState, submission: Submission): { checked: Checked; piece: Kept } {
  const { room, entries, session: id8 } = openPiece(store, session)
  const checked = checkDrafts({
    session: id8,
    entries,
    drafts: redacted(store, submission.drafts),
    nothingIn: submission.nothingIn,
    facts: readFacts(store),
    concepts: readConcepts(store),
    author: submission.author,
    conceptSimilarity: store.config.conceptSimilarity,
    room,
  })
  return { checked, piece: { session: id8, file: session.file, author: submission.author } }
}

function again(store: Store, item: WorkItem, checked: Checked): FactsAnswer {
  const tries = item.tries + 1
  store.perform([stateEffect(withCounts(store.readState(), item, { tries }))])
  return { is: 'checked', checked, round: tries, isLast: tries >= MAX_ROUNDS }
}

interface Kept {
  session: string
  file: string
  author: Submission['author']
}

/** Concepts, then the facts that name them, then what the session said. Killed in between, all of it is done again, once. */
function keep(store: Store, { session, file, author }: Kept, checked: Checked, now: string): Fact[] {
  const [knownFacts, knownConcepts] = [readFacts(store), readConcepts(store)]
  const wanted = new Set(
    withoutForgotten(
      store,
      checked.sound.map(({ fact }) => fact),
    ),
  )
  const fresh = checked.sound.filter(({ fact }) => wanted.has(fact))
  const { concepts, sound } = withConcepts(knownConcepts, fresh, store.config.conceptSimilarity)
  writeConcepts(store, knownConcepts, concepts, now)
  const added = addFacts(
    knownFacts,
    sound.filter((one) => !isSolution(one)).map(({ fact }) => fact),
  )
  const facts = sound.reduce((before, one) => carryOut(before, one, author, now), added)
  const kept = withinLimit(facts, session, store.config.maxFactsPerSession)
  writeFacts(store, knownFacts, kept, now)
  const taken = sound.flatMap((one) => standingFor(kept, one).map((fact) => ({ fact, said: one.fact })))
  const uncovered = checked.questions.map(({ entry }) => entry)
  keepSessionFacts(
    store,
    file,
    taken.map(({ fact, said }) => sessionFactOf(fact, said)),
    uncovered,
  )
  return taken.map(({ fact }) => fact)
}

/** In its own words, with the id under which it is kept. */
export function sessionFactOf(kept: Fact, said: NewFact): SessionFact {
  const { type, text, reason, status, resolution, at, evidence, files, author } = said
  return { id: kept.id, type, text, reason, status, resolution, at, evidence, files, concept: kept.concept, author }
}

function withConcepts(
  before: Concepts,
  sound: readonly SoundFact[],
  similarity: number,
): { concepts: Concepts; sound: SoundFact[] } {
  let concepts = before
  const idFor = (name: string): string => {
    // Two facts of one answer may name the same new one.
    const found = findConcept(concepts, { name }, similarity)
    if (found.is === 'known' || found.is === 'similar') return found.id
    const added = addConcept(concepts, name)
    concepts = added.concepts
    return added.id
  }
  const named = sound.map((one) => {
    const { fact, concept } = one
    const id = concept.is === 'none' ? null : concept.is === 'known' ? concept.id : idFor(concept.name)
    return { ...one, fact: { ...fact, concept: id } }
  })
  return { concepts, sound: named }
}

/** Before anything is compared or kept: the entries hold no secret either. */
function redacted(store: Store, drafts: readonly Draft[]): Draft[] {
  const redact = redactorFor(store.config)
  const clean = (value: unknown): unknown =>
    typeof value === 'string' ? redact(value).text : Array.isArray(value) ? value.map(clean) : value
  return drafts.map(
    (draft) =>
      Object.fromEntries(Object.entries(draft).map(([name, value]) => [name, clean(value)])) as unknown as Draft,
  )
}

function notOpen(piece: string): FactsAnswer {
  return { is: 'not-open', reason: `${piece || 'This'} does not wait for facts. You are done.` }
}

/** How many facts of a model a session has; those that code found make room for them. */
function roomFor(store: Store, facts: Facts, id8: string): number {
  const known = allFacts(facts).filter(({ session, author }) => session === id8 && author !== 'extractive').length
  return Math.max(0, store.config.maxFactsPerSession - known)
}

/** Nothing in it carries weight, or the session has all the facts it may have: nobody is asked, which costs nothing. */
export function mayHaveFacts(store: Store, session: SessionState, entries: readonly Numbered[]): boolean {
  if (!carryWeight(toTell(entries))) return false
  return roomFor(store, readFacts(store), id8OfFile(session.file) ?? '') > 0
}
