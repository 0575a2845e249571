/** Reflection on a memory: looks up the evidence of recurring items in the sessions, then activates, proposes, or leaves them. */

import { type Store, stateEffect } from '../../../kernel/memory/disk/store.ts'
import { withoutWork, withWork, workOf } from '../../../kernel/memory/work.ts'
import { newItem, parseDeltaId } from '../../../kernel/memory/work-item.ts'
import { id8OfFile } from '../../../kernel/platform/layout.ts'
import { redactorFor } from '../../../kernel/redact/redact.ts'
import { readSession } from '../../../kernel/sessions/disk/lineage.ts'
import { sessionFiles } from '../../../kernel/sessions/disk/sessions.ts'
import { fingerprint } from '../../../kernel/text/fingerprint.ts'
import { compareText } from '../../../kernel/text/memory-words.ts'
import { once } from '../../../kernel/text/once.ts'
import { sentencesOf } from '../../../kernel/text/sentences.ts'
import type { Entry, Tombstone } from '../../../kernel/transcript/session.ts'
import { readRecalls } from '../../receipts/disk/journal.ts'
import { type FoundQuote, findQuote, isBehindColon, mayBePasted, speakerOf } from '../evidence.ts'
import { isLive, type PermanentItem, type Proof, type Speaker } from '../item.ts'
import { allPermanent, type Items, similarity } from '../items.ts'
import { changePermanent, sessionsOf, unjudgedIn } from '../permanent.ts'
import {
  candidatesIn,
  endOrphans,
  type Recurring,
  reflectedIn,
  reflectionMark,
  type SaidAgain,
  settleCandidate,
  withReflected,
} from '../reflection.ts'
import { decideProposal, type RuleProposal, takeInstruction } from '../rule-proposal.ts'
import { changeQuietly, readFacts, writeFacts } from './knowledge.ts'

/** The ids (r001) of changed items. */
export interface Reflected {
  /** Activated by the user's own words in enough sessions. */
  promoted: string[]
  proposed: string[]
  superseded: string[]
  /** False: there was no time for all candidates. */
  isComplete: boolean
}

/** At least this many candidates are judged, however late it is: otherwise a slow machine would never finish. */
const AT_LEAST = 20
/** The lock was not free, or another process wrote meanwhile. */
const UNCHANGED: Reflected = { promoted: [], proposed: [], superseded: [], isComplete: false }

/** Skips items that were already judged. Decides without the lock and writes under it: call it without the lock. */
export function reflectAll(
  store: Store,
  { now, isLate, waitMs }: { now: () => string; isLate: () => boolean; waitMs: number },
): Reflected {
  let changed: Reflected = UNCHANGED
  const done = changeQuietly(store, waitMs, now(), (before) => {
    const reflected = reflectOn(store, before.facts, now(), isLate)
    changed = reflected.changed
    return { ...before, facts: reflected.facts }
  })
  return done === null ? UNCHANGED : changed
}

/** What reflection would change; writes nothing. */
export function upcomingReflection(store: Store, now: string): { changed: Reflected; facts: Items } {
  return reflectOn(store, readFacts(store), now, () => false)
}

function reflectOn(
  store: Store,
  before: Items,
  now: string,
  isLate: () => boolean,
): { changed: Reflected; facts: Items } {
  const promoteAfter = store.config.promoteAfterSessions
  const used = withRecalls(before, store)
  const known = reflectedIn(before)
  const candidates = candidatesIn(used, promoteAfter)
  const marks: Record<string, string> = {}
  const entriesOf = candidates.length === 0 ? () => [] : sessionsSaidIn(store)
  let facts = used
  let weighed = 0
  for (const candidate of candidates) {
    const { key, places, text } = candidate
    const mark = reflectionMark(candidate, promoteAfter)
    if (known[key] !== mark) {
      if (weighed++ >= AT_LEAST && isLate()) continue
      facts = settleCandidate(facts, candidate, saidAt(entriesOf, places, text), promoteAfter, now)
    }
    marks[key] = mark
  }
  const isComplete = candidates.every(({ key }) => key in marks)
  const after = withReflected(endOrphans(facts, now), marks)
  return { changed: { ...changesBetween(before, after), isComplete }, facts: after }
}

/** A recalled item counts as used. */
function withRecalls(facts: Items, store: Store): Items {
  const active = allPermanent(facts).filter(isLive)
  if (active.length === 0) return facts
  const usedAt = new Map(readRecalls(store).flatMap(({ at, shown }) => shown.map(({ id }) => [id, at] as const)))
  return active.reduce((after, { id, usedAt: known }) => {
    const at = usedAt.get(id)
    return at === undefined || compareText(at, known) <= 0 ? after : changePermanent(after, id, { usedAt: at })
  }, facts)
}

function changesBetween(before: Items, after: Items): Omit<Reflected, 'isComplete'> {
  const was = new Map(allPermanent(before).map(({ id, state }) => [id, state]))
  const become = (wanted: PermanentItem['state']): string[] =>
    allPermanent(after).flatMap(({ id, state }) => (state === wanted && was.get(id) !== wanted ? [id] : []))
  return { promoted: become('active'), proposed: become('proposed'), superseded: become('superseded') }
}

/** Facts that a model may judge: proposed by code, and not yet shown to the user. `proposeRule` takes the id as `candidate`. */
export function openCandidates(store: Store): (PermanentItem & { sessions: number })[] {
  return unjudgedIn(readFacts(store)).map((item) => ({ ...item, sessions: sessionsOf(item.evidence) }))
}

/** Saves a model's proposal of a rule, or its judgement of a candidate; `text` is the answer to the model. Call it under the lock. */
export function proposeRule(
  store: Store,
  given: RuleProposal,
  by: 'agent' | 'headless',
  now: string,
): { isKept: boolean; text: string } {
  const facts = readFacts(store)
  const redact = redactorFor(store.config)
  const clean = { ...given, text: redact(given.text ?? '').text, why: redact(given.why ?? '').text }
  const saidAbout = ({ places, text }: Recurring): SaidAgain[] => saidAt(sessionsSaidIn(store), places, text)
  const done = decideProposal({ facts, given: clean, saidAbout, by, now })
  if ('refused' in done) return { isKept: false, text: done.refused }
  writeFacts(store, facts, done.facts, now)
  return { isKept: true, text: done.said }
}

/** Proposes instructions that a model found in a piece of a session; those without the user's own words are dropped. Call it under the lock. */
export function proposeInstructions(
  store: Store,
  piece: string,
  given: readonly { text: string; quote: string }[],
  now: string,
): void {
  const range = parseDeltaId(piece)
  if (range === null || given.length === 0) return
  const entries = sessionsSaidIn(store)(range.session)
  const numbered = entries.map((entry, n) => ({ n, entry })).slice(range.from, range.to)
  const before = readFacts(store)
  const options = { now, promoteAfter: store.config.promoteAfterSessions }
  const after = given.reduce((facts, { text, quote }) => {
    const found = findQuote(numbered, quote)
    const entry = found === null ? undefined : entries[found.entry]
    if (found === null || entry === undefined || !('ts' in entry)) return facts
    const by = speakerAt(entries, found.entry, found.quote)
    const quoted = by !== 'user' && isOwnAnnounced(entries, found) ? ({ quoted: true } as const) : {}
    const said = { session: range.session, entry: found.entry, quote: found.quote, by, at: entry.ts, ...quoted }
    return takeInstruction(facts, { text: redactorFor(store.config)(text).text, said }, 'headless', options)
  }, before)
  writeFacts(store, before, after, now)
}

/** The user's own words behind a colon, which no tool said before. */
function isOwnAnnounced(entries: Entries, { entry: at, quote }: FoundQuote): boolean {
  const entry = entries[at]
  return entry !== undefined && isBehindColon(entry, quote) && !isCopied(entries.slice(0, at), quote)
}

/** Call it under the lock, after facts or verdicts have changed. */
export function refreshOwed(store: Store): void {
  const state = store.readState()
  const keys = openCandidates(store).map(({ id }) => id)
  const candidates = keys.length === 0 ? '' : fingerprint(keys.sort().join(' ')).slice(0, 8)
  if (candidates === (workOf(state, 'rules')[0]?.about ?? '')) return
  const others = withoutWork(state, ({ kind }) => kind === 'rules')
  const items = candidates === '' ? [] : [newItem({ kind: 'rules', about: candidates })]
  store.perform([stateEffect(withWork(others, items))])
}

/** A sentence with less similarity is about something else. */
const ABOUT_SAME = 0.4
/** This many words in the order of an earlier tool output were copied from there. */
const COPIED_WORDS = 5

type Entries = readonly (Entry | Tombstone)[]

/** Reads each session once. */
export function sessionsSaidIn(store: Store): (id8: string) => Entries {
  const files = new Map(
    sessionFiles(store).map((file) => [id8OfFile(file), once((): Entries => readSession(store, file))]),
  )
  return (id8) => files.get(id8)?.() ?? []
}

/** The sentences about `text` at these places; a place without one returns nothing. */
export function saidAt(entriesOf: (id8: string) => Entries, places: readonly Proof[], text: string): SaidAgain[] {
  return places.flatMap(({ session, entry: at, quote: known }) => {
    const entries = entriesOf(session)
    const entry = entries[at]
    if (entry === undefined || !('text' in entry)) return []
    const quote = quoteIn(entry.text, known, text)
    if (quote === null) return []
    const by = known !== '' && isCopied(entries.slice(0, at), known) ? 'tool' : speakerAt(entries, at, quote)
    return [{ session, entry: at, quote, by, at: entry.ts }]
  })
}

/** Text beside a paste may belong to it: it counts as Claude's. Text that a tool printed earlier counts as the tool's. */
function speakerAt(entries: Entries, at: number, quote: string): Speaker {
  const entry = entries[at]
  if (entry === undefined || isCopied(entries.slice(0, at), quote)) return 'tool'
  const by = speakerOf(entry, quote)
  return by === 'user' && 'text' in entry && mayBePasted(entry.text) ? 'assistant' : by
}

/** The whole sentence of the quote, so that it can be compared with other sessions; else the one that is most similar to the quote or the text. */
function quoteIn(said: string, quote: string, text: string): string | null {
  const sentences = sentencesOf(said).map(({ from, to }) => said.slice(from, to))
  if (quote !== '' && said.includes(quote)) return sentences.find((sentence) => sentence.includes(quote)) ?? quote
  const [best] = sentences
    .map((sentence) => ({
      sentence,
      share: Math.max(...[text, quote].map((one) => similarity(sentence, one || text))),
    }))
    .filter(({ share }) => share >= ABOUT_SAME)
    .sort((a, b) => b.share - a.share)
  return best?.sentence ?? null
}

function isCopied(before: Entries, quote: string): boolean {
  const wanted = plain(quote)
  if (wanted.split(' ').length < COPIED_WORDS) return false
  return before.some((entry) => 'output' in entry && entry.output !== undefined && plain(entry.output).includes(wanted))
}

function plain(text: string): string {
  return (text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []).join(' ')
}
