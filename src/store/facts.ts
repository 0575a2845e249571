/** Facts that a model extracts from a piece of a session: handed out, checked in rounds, saved. Files first, the state last. */
import path from 'node:path'
import type { Concepts } from '../core/concept.ts'
import { addConcept, findConcept } from '../core/concept-assign.ts'
import { toTell } from '../core/delta.ts'
import type { Numbered } from '../core/digest-types.ts'
import { allFacts, type Fact, type Facts, type NewFact } from '../core/fact.ts'
import { addFacts } from '../core/fact-add.ts'
import { type Changed, resolveIssue, supersedeFact } from '../core/fact-change.ts'
import { checkDrafts } from '../core/fact-check.ts'
import type { Checked, Draft, SoundFact } from '../core/fact-draft.ts'
import { isClean } from '../core/fact-report.ts'
import { id8OfFile, sessionFactsFile } from '../core/layout.ts'
import { closeMining, MAX_ROUNDS, openPieceId, withMining, withPiece } from '../core/mining.ts'
import { redactorFor } from '../core/redact.ts'
import { addSessionFacts, formatSessionFacts, parseSessionFacts, type SessionFact } from '../core/session-facts.ts'
import { type SessionState, withSessions } from '../core/state.ts'
import { entriesOf } from './entries.ts'
import { readOwnText } from './files.ts'
import { readConcepts, readFacts, writeConcepts, writeFacts } from './knowledge.ts'
import { type Store, sessionPath, stateEffect } from './store.ts'

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
  const found = withPiece(state, piece)
  if (found === undefined) return null
  store.perform([stateEffect(withMining(state, found, { rounds: 0 }))])
  return openPiece(store, found[1])
}

/** What is to be read for a piece; null: it is not open. */
export function pieceToRead(store: Store, piece: string): OpenPiece | null {
  const found = withPiece(store.readState(), piece)
  return found === undefined ? null : openPiece(store, found[1])
}

/** Says what holds and what is missing, and counts a round. Call it under the lock. */
export function checkFacts(store: Store, submission: Submission): FactsAnswer {
  const found = withPiece(store.readState(), submission.piece)
  if (found === undefined) return notOpen(submission.piece)
  const { checked } = check(store, found[1], submission)
  return again(store, found, checked)
}

/**
 * Keeps what holds, unless something is wrong or missing and there are rounds left. `last`: whoever sends it has no further
 * round. Call it under the lock.
 */
export function saveFacts(store: Store, submission: Submission, now: string, last?: 'last'): FactsAnswer {
  const found = withPiece(store.readState(), submission.piece)
  if (found === undefined) return notOpen(submission.piece)
  const [, session] = found
  const { checked, piece } = check(store, session, submission)
  const isLast = last === 'last' || (session.mining?.rounds ?? 0) + 1 >= MAX_ROUNDS
  if (!isClean(checked) && !isLast) return again(store, found, checked)
  const facts = keep(store, piece, checked, now)
  const state = store.readState()
  const closed = closeMining(session, session.mining?.to ?? 0)
  store.perform([stateEffect(withSessions(state, [[found[0], closed]]))])
  return { is: 'saved', facts, checked }
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
  const after = addSessionFacts(before, id8OfFile(sessionFile) ?? '', facts, uncovered)
  if (before === null && after.facts.length === 0) return
  store.perform([{ do: 'write', path: file, text: formatSessionFacts(after) }])
}

/** How many facts of a model a session has; those that code found make room for them. */
export function roomFor(store: Store, facts: Facts, id8: string): number {
  const known = allFacts(facts).filter(({ session, author }) => session === id8 && author !== 'extractive').length
  return Math.max(0, Number(store.config.maxFactsPerSession) - known)
}

/** The facts that stand for these now, in the same order. */
export function takenAs(facts: Facts, fresh: readonly NewFact[]): Fact[] {
  const all = allFacts(facts)
  return fresh.flatMap((one) => {
    const { session, evidence, type } = one
    const place = `${session}#${evidence.entry}`
    const isThere = (fact: Fact): boolean => fact.session === session && fact.evidence.entry === evidence.entry
    const found =
      all.find((fact) => fact.type === type && isThere(fact) && fact.text === one.text) ??
      all.find((fact) => fact.type === type && isThere(fact) && fact.evidence.quote === evidence.quote) ??
      all.find((fact) => fact.type === type && (isThere(fact) || fact.also?.includes(place)))
    return found === undefined ? [] : [found]
  })
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
    conceptSimilarity: Number(store.config.conceptSimilarity),
    room,
  })
  return { checked, piece: { session: id8, file: session.file, author: submission.author } }
}

function again(store: Store, found: [string, SessionState], checked: Checked): FactsAnswer {
  const rounds = (found[1].mining?.rounds ?? 0) + 1
  store.perform([stateEffect(withMining(store.readState(), found, { rounds }))])
  return { is: 'checked', checked, round: rounds, isLast: rounds >= MAX_ROUNDS }
}

interface Kept {
  session: string
  file: string
  author: Submission['author']
}

/** Concepts, then the facts that name them, then what the session said. Killed in between, all of it is done again, once. */
function keep(store: Store, { session, file, author }: Kept, checked: Checked, now: string): Fact[] {
  const [knownFacts, knownConcepts] = [readFacts(store), readConcepts(store)]
  const { concepts, sound } = withConcepts(knownConcepts, checked.sound, Number(store.config.conceptSimilarity))
  writeConcepts(store, knownConcepts, concepts, now)
  const added = addFacts(
    knownFacts,
    sound.filter((one) => !isSolution(one)).map(({ fact }) => fact),
  )
  const facts = sound.reduce((before, one) => carryOut(before, one, author, now), added)
  const kept = withinLimit(facts, session, Number(store.config.maxFactsPerSession))
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

/** It only says how a known issue was solved: that issue is closed, and no other one begun. */
function isSolution({ fact, resolves }: SoundFact): boolean {
  return resolves !== null && fact.type === 'issue' && fact.status === 'resolved'
}

/** The fact under which it is kept now. */
function standingFor(facts: Facts, sound: SoundFact): Fact[] {
  if (!isSolution(sound)) return takenAs(facts, [sound.fact])
  return facts.issues.filter(({ id }) => id === sound.resolves)
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

/** What a fact does to others. Nobody but the user takes back what the user said: then it is only proposed. */
function carryOut(facts: Facts, sound: SoundFact, by: Submission['author'], now: string): Facts {
  const { supersedes, resolves, fact } = sound
  const [own] = standingFor(facts, sound)
  if (own === undefined) return facts
  let after = facts
  if (supersedes !== null && supersedes !== own.id) {
    const old = after.decisions.find(({ id }) => id === supersedes)
    const may = old !== undefined && (fact.evidence.by === 'user' || old.evidence.by !== 'user')
    after = may
      ? changed(after, supersedeFact(after, supersedes, { by, at: now, why: null, other: own.id }))
      : { ...after, decisions: after.decisions.map((one) => (one === old ? { ...one, contradictedBy: own.id } : one)) }
  }
  if (resolves !== null) {
    const other = resolves === own.id ? null : own.id
    const judged = { by, at: fact.at, why: null, other }
    const place = { session: fact.session, entry: fact.evidence.entry }
    after = changed(after, resolveIssue(after, resolves, fact.resolution ?? fact.text, judged, place))
  }
  return after
}

function changed(before: Facts, result: Changed): Facts {
  return 'facts' in result ? result.facts : before
}

/** Too many of one session: those that only code found and nobody repeated go first, what Claude said before what the user did. */
function withinLimit(facts: Facts, session: string, max: number): Facts {
  const own = allFacts(facts).filter((fact) => fact.session === session && fact.state !== 'rejected')
  const surplus = own.length - max
  if (surplus <= 0) return facts
  const dispensable = own
    .filter(({ author, also, judged }) => author === 'extractive' && also === undefined && judged === undefined)
    .sort((a, b) => Number(a.evidence.by === 'user') - Number(b.evidence.by === 'user') || (a.at < b.at ? -1 : 1))
  const gone = new Set(dispensable.slice(0, surplus))
  const rest = (list: readonly Fact[]): Fact[] => list.filter((fact) => !gone.has(fact))
  return { ...facts, decisions: rest(facts.decisions), patterns: rest(facts.patterns), issues: rest(facts.issues) }
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
