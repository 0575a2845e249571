/** Facts that a model extracts from a piece of a session: handed out, checked, saved unaudited, and audited. Files are written first, the state last. */

import path from 'node:path'
import { type Store, sessionPath, stateEffect } from '../../../kernel/memory/disk/store.ts'
import { findSession } from '../../../kernel/memory/state.ts'
import { findWork, withCounts } from '../../../kernel/memory/work.ts'
import { workName } from '../../../kernel/memory/work-item.ts'
import { readOwnText } from '../../../kernel/platform/disk/files.ts'
import { id8OfFile, sessionFactsFile } from '../../../kernel/platform/layout.ts'
import { redactorFor } from '../../../kernel/redact/redact.ts'
import { toTell } from '../../../kernel/sessions/delta.ts'
import { readSession } from '../../../kernel/sessions/disk/lineage.ts'
import { allSessionFiles } from '../../../kernel/sessions/disk/session-archive.ts'
import { entriesOf } from '../../../kernel/sessions/disk/sessions.ts'
import { isSaidBefore, readForgotten } from '../../../kernel/sessions/disk/tombstones.ts'
import { sentencesAround } from '../../../kernel/sessions/forget-record.ts'
import { grouped } from '../../../kernel/text/figures.ts'
import { type Numbered, spokenIn } from '../../../kernel/transcript/session.ts'
import type { Verdict } from '../../grounding/audit.ts'
import { addConcept, type Concepts, findConcept } from '../concept.ts'
import { type FactQuestion, standingFor, withClosing, withinRoom, withUnaudited, withVerdict } from '../fact-audit.ts'
import { checkDrafts } from '../fact-check.ts'
import type { Checked, Draft, SoundFact } from '../fact-draft.ts'
import type { Closing, Fact, NewFact } from '../item.ts'
import { allFacts, findFact } from '../items.ts'
import { carryWeight, isSessionFacts, renderSessionFacts } from '../session-facts.ts'
import { readConcepts, readFacts, writeConcepts, writeFacts } from './knowledge.ts'

type Author = Closing['by']

export interface OpenPiece {
  id: string
  /** The session's id8. */
  session: string
  /** The session file. */
  file: string
  entries: Numbered[]
  /** How often its facts were saved. */
  tries: number
}

/** The piece with its entries; null: it is not open. */
export function openPiece(store: Store, piece: string): OpenPiece | null {
  const state = store.readState()
  const item = findWork(state, 'facts', piece)
  const [, session] = (item && findSession(state, item.about)) ?? []
  if (item === undefined || session === undefined) return null
  const entries = toTell(entriesOf(store, session, item.from, item.to))
  return { id: workName(item), session: item.about, file: session.file, entries, tries: item.tries }
}

/** Checks the drafts; writes nothing. */
export function checkPiece(store: Store, piece: OpenPiece, drafts: readonly Draft[], author: Author): Checked {
  return checkDrafts({
    session: piece.session,
    entries: piece.entries,
    drafts: redacted(store, drafts),
    facts: readFacts(store),
    concepts: readConcepts(store),
    author,
    conceptSimilarity: store.config.conceptSimilarity,
  })
}

/** Saves the valid facts, unaudited. `left`: what becomes of the piece's work; null: it is done. Returns the stored facts. Call it under the lock. */
export function savePiece(
  store: Store,
  piece: OpenPiece,
  checked: Checked,
  author: Author,
  now: string,
  left: { tries: number } | null = null,
): Fact[] {
  const facts = keep(store, piece, checked, author, now)
  const state = store.readState()
  const item = findWork(state, 'facts', piece.id)
  if (item !== undefined) store.perform([stateEffect(withCounts(state, item, left))])
  return facts
}

/** Records that a model reports open issues as settled; an audit must confirm it. Call it under the lock. */
export function saveClosings(
  store: Store,
  closings: readonly { issue: string; closing: Closing }[],
  now: string,
): void {
  const before = readFacts(store)
  const after = closings.reduce((facts, { issue, closing }) => withClosing(facts, issue, closing), before)
  writeFacts(store, before, after, now)
}

/** Applies verdicts to their facts. Call it under the lock. */
export function settleFacts(
  store: Store,
  verdicts: readonly { question: FactQuestion; verdict: Verdict }[],
  now: string,
): void {
  if (verdicts.length === 0) return
  const before = readFacts(store)
  const judged = verdicts.reduce((facts, { question, verdict }) => withVerdict(facts, question, verdict, now), before)
  const sessions = new Set(verdicts.map(({ question }) => question.session))
  const after = [...sessions].reduce(
    (facts, session) => withinRoom(facts, session, store.config.maxFactsPerSession),
    judged,
  )
  writeFacts(store, before, after, now)
  renderSessionFactFiles(store, (id8) => sessions.has(id8))
}

/** Makes `….l2.json` of sessions from facts.json. What 0.6 extracted stays until `migrate` has looked at it. Call it under the lock. */
export function renderSessionFactFiles(store: Store, isWanted: (id8: string) => boolean = () => true): void {
  const bySession = grouped(allFacts(readFacts(store)), ({ session }) => session)
  for (const session of allSessionFiles(store.dir)) {
    const id8 = id8OfFile(session) ?? ''
    if (!isWanted(id8)) continue
    const file = sessionPath(sessionFactsFile(session))
    const before = readOwnText(path.join(store.dir, file))
    const text = renderSessionFacts(id8, bySession.get(id8) ?? [])
    if (text === before || (before !== null && !isSessionFacts(before))) continue
    store.perform([text === null ? { do: 'remove', path: file } : { do: 'write', path: file, text }])
  }
}

/** Writes the concepts, then the facts that name them, then the session's own list, which is made from them. After a kill in between it can be repeated. */
function keep(store: Store, { session }: OpenPiece, checked: Checked, author: Author, now: string): Fact[] {
  const [knownFacts, knownConcepts] = [readFacts(store), readConcepts(store)]
  const said = checked.sound.map(({ fact }) => fact)
  const wanted = new Set(withoutForgotten(store, said))
  const fresh = checked.sound.filter(({ fact }) => wanted.has(fact))
  const { concepts, sound } = withConcepts(knownConcepts, fresh, store.config.conceptSimilarity)
  writeConcepts(store, knownConcepts, concepts, now)
  const kept = withUnaudited(knownFacts, sound, author)
  writeFacts(store, knownFacts, kept, now)
  const taken = sound.flatMap(({ fact: said }) => {
    const id = standingFor(kept, said)
    const fact = id === null ? null : findFact(kept, id)
    return fact === null ? [] : [fact]
  })
  renderSessionFactFiles(store, (id8) => id8 === session)
  return taken
}

function withConcepts(
  before: Concepts,
  sound: readonly SoundFact[],
  similarity: number,
): { concepts: Concepts; sound: SoundFact[] } {
  let concepts = before
  const idFor = (name: string): string => {
    // Two facts of one answer may name the same new concept.
    const found = findConcept(concepts, { name }, similarity)
    if (found.is === 'known' || found.is === 'similar') return found.id
    const added = addConcept(concepts, name)
    concepts = added.concepts
    return added.id
  }
  const named = sound.map((one) => {
    const { fact, newConcept } = one
    return newConcept === null ? one : { ...one, fact: { ...fact, concept: idFor(newConcept) } }
  })
  return { concepts, sound: named }
}

/** Applied before drafts are compared or stored: the entries are redacted too. */
function redacted(store: Store, drafts: readonly Draft[]): Draft[] {
  const redact = redactorFor(store.config)
  const clean = (_: string, value: unknown): unknown => (typeof value === 'string' ? redact(value).text : value)
  return JSON.parse(JSON.stringify(drafts, clean)) as Draft[]
}

/** If no entry carries weight, no model is asked, which saves a call. */
export function mayHaveFacts(entries: readonly Numbered[]): boolean {
  return carryWeight(toTell(entries))
}

/** Leaves out forgotten facts, unless they were said again or a person adds them. */
export function withoutForgotten(store: Store, facts: readonly NewFact[]): NewFact[] {
  const { said } = readForgotten(store)
  if (said.size === 0) return [...facts]
  return facts.filter(
    (fact) =>
      fact.by === 'user' || !isSaidBefore(said, fact.at, [fact.text, fact.evidence.quote, ...aroundQuote(store, fact)]),
  )
}

/** A model quotes part of a sentence: the record of forgotten text contains whole sentences. */
function aroundQuote(store: Store, { session, evidence }: NewFact): string[] {
  const isPlaced = session !== '' && evidence.entry >= 0
  const file = isPlaced ? allSessionFiles(store.dir).find((name) => id8OfFile(name) === session) : undefined
  const entry = file === undefined ? undefined : readSession(store, file)[evidence.entry]
  return entry === undefined ? [] : sentencesAround(spokenIn(entry), evidence.quote)
}
