/** The finisher's model work: notes, summaries and verdicts by the headless child. */

import { type Store, stateEffect } from '../../../kernel/memory/disk/store.ts'
import { isToldNote, parseMemory } from '../../../kernel/memory/note.ts'
import { findWork, withCounts, workOf } from '../../../kernel/memory/work.ts'
import { redactorFor } from '../../../kernel/redact/redact.ts'
import { PIECE_TOKENS, sourceOf } from '../../../kernel/sessions/delta.ts'
import { visibleLine } from '../../../kernel/text/memory-words.ts'
import { estimateTokens } from '../../../kernel/text/tokens.ts'
import { checkPiece } from '../../knowledge/disk/facts.ts'
import { openCandidates, proposeRule, refreshOwed } from '../../knowledge/disk/reflection.ts'
import {
  type Extracted,
  extractRequest,
  judgeRequest,
  parseExtracted,
  parseJudgements,
  type ShownSentence,
} from '../../knowledge/headless-facts.ts'
import { withMachineLock } from '../../model/disk/machine-lock.ts'
import { type CallSurroundings, callModel, locked, mayAudit, wayIn } from '../../model/disk/model-call.ts'
import { type ChildFailure, summaryRequest } from '../../model/headless.ts'
import { soundSentences, tidyNote, whyNoStands } from '../note-check.ts'
import { markAsked } from '../pending.ts'
import { isShown, shownSentences } from '../shown-sentences.ts'
import { auditAll, auditSummaries, type FreshPiece, isAuditOwed, unauditedSummaries } from './audit.ts'
import { settleOwn } from './audit-own.ts'
import { type HandedOut, handOut, takeBack } from './handout.ts'
import { readArchive } from './memory.ts'
import { noteByCode, noteHandedOut } from './notes.ts'
import { handedPiece, type PieceToWrite, type Sound, savePieceOf } from './piece.ts'
import { saveSummary } from './summaries.ts'

/** How long to wait for another project's call. */
export const QUEUE_MS = 4 * 60_000
const LEAST_PIECE_TOKENS = 2_000
const MAX_ARCHIVE_TOKENS = 150_000
/** After this many refusals, the summary by code stays. */
const MAX_SUMMARY_TRIES = 2

/** Writes pending notes, in the way that the settings and circumstances allow. False: a call failed. */
export async function writeNotes(store: Store, around: CallSurroundings): Promise<boolean> {
  const way = (): string => wayIn(store, around.now())
  const alone = <T>(work: () => Promise<T>): Promise<{ value: T } | null> =>
    withMachineLock(store.places.homeDir, QUEUE_MS, work)
  let isAnswered = true
  if (workOf(store.readState(), 'note').length > 0) {
    if (way() === 'headless') isAnswered = (await alone(() => writeAll(store, around)))?.value ?? false
    else if (way() === 'extractive') locked(store, () => noteByCode(store, around.now()))
    // A pause may just have begun: then Claude itself is asked with the next prompt.
    if (way() === 'agent') handOutToAgent(store, around)
  }
  locked(store, () => settleOwn(store, around.now()))
  // Audits what Claude itself saved and what a failed audit left. Before the summaries, which use audited notes only.
  if (isAnswered && mayAudit(store, around.now()) && isAuditOwed(store))
    isAnswered = (await alone(() => auditAll(store, around, null)))?.value ?? false
  if (way() === 'headless' && waitingArchives(store).length > 0)
    isAnswered = ((await alone(() => writeSummaries(store, around)))?.value ?? false) && isAnswered
  if (isAnswered && mayAudit(store, around.now()) && unauditedSummaries(store).length > 0)
    isAnswered = (await alone(() => auditSummaries(store, around)))?.value ?? false
  return isAnswered
}

/** Gets verdicts on recurring items, if a background call is allowed. */
export async function judgeRecurring(store: Store, around: CallSurroundings): Promise<void> {
  if (workOf(store.readState(), 'rules').length === 0 || wayIn(store, around.now()) !== 'headless') return
  await withMachineLock(store.places.homeDir, QUEUE_MS, () => judgeCandidates(store, around))
}

function handOutToAgent(store: Store, { now }: CallSurroundings): void {
  for (;;) {
    const delta = locked(store, () => handOut(store, 'agent', PIECE_TOKENS.agent, now()))
    if (delta === null || !delta.isSmall) return
    locked(store, () => noteHandedOut(store, delta.id, now(), 'unread'))
  }
}

/** False: the last call failed. */
async function writeAll(store: Store, around: CallSurroundings): Promise<boolean> {
  let maxTokens: number = PIECE_TOKENS.headless
  while (!around.isLate()) {
    const delta = locked(store, () => handOut(store, 'headless', maxTokens, around.now()))
    if (delta === null) return true
    if (delta.isSmall) {
      locked(store, () => noteHandedOut(store, delta.id, around.now(), 'unread'))
      continue
    }
    const outcome = await writeOne(store, delta, around)
    if (outcome === 'failed' || outcome === 'unreadable' || outcome === 'unaudited') return false
    if (outcome === 'by-code') locked(store, () => noteHandedOut(store, delta.id, around.now(), 'unread'))
    if (outcome === 'capped') {
      locked(store, () => noteByCode(store, around.now()))
      return false
    }
    if (outcome === 'too-long') {
      if (maxTokens <= LEAST_PIECE_TOKENS) return true
      maxTokens = Math.max(LEAST_PIECE_TOKENS, Math.floor(Math.min(maxTokens, estimateTokens(delta.text)) / 2))
      locked(store, () => takeBack(store, delta.id))
    }
  }
  return true
}

/** `by-code`: imported history has used its share of the day's cap. `unreadable`: the call failed, and perhaps because of this piece. */
type Outcome = 'saved' | 'unaudited' | 'too-long' | 'failed' | 'unreadable' | 'capped' | 'by-code'

/** Other failures are about the way to the model: the next piece would fail, too. */
const ABOUT_PIECE: ReadonlySet<ChildFailure> = new Set(['timeout', 'refused', 'unreadable'])

async function writeOne(store: Store, delta: HandedOut, around: CallSurroundings): Promise<Outcome> {
  const piece = locked(store, () => handedPiece(store, delta, around.now()))
  return piece === null ? 'failed' : writePiece(store, piece, around, savePieceOf)
}

/** One call extracts, another audits; if nothing usable came, a second extraction corrects it. `save` runs under the lock; null: nothing was saved. */
export async function writePiece(
  store: Store,
  piece: PieceToWrite,
  around: CallSurroundings,
  save: (store: Store, piece: PieceToWrite, sound: Sound, now: string) => FreshPiece | null,
): Promise<Outcome> {
  let sound: Sound | null = null
  for (const isFirst of [true, false]) {
    const request = extractRequest(piece, piece.known, sound?.refused)
    const answer = await callModel(store, 'note', request, around, piece)
    if (answer === 'capped' || !answer.ok) {
      if (!isFirst) break
      if (answer === 'capped') return piece.isHistory ? 'by-code' : 'capped'
      if (answer.why === 'too-long') return 'too-long'
      return ABOUT_PIECE.has(answer.why) ? 'unreadable' : 'failed'
    }
    sound = better(sound, checkAnswer(store, piece, parseExtracted(answer.structured, answer.text)))
    if (sound.refused.length === 0 || around.isLate()) break
  }
  const fresh = sound === null ? null : locked(store, () => save(store, piece, sound as Sound, around.now()))
  if (fresh === null) return 'failed'
  // After a failed audit the saved items stay unaudited: the next background call judges them.
  return (await auditAll(store, around, fresh, piece)) ? 'saved' : 'unaudited'
}

function checkAnswer(store: Store, piece: PieceToWrite, { note, stands, drafts, rules, settles }: Extracted): Sound {
  const source = sourceOf(piece.entries)
  const redact = redactorFor(store.config)
  const clean = (one: ShownSentence): ShownSentence => ({ ...one, text: redact(tidyNote(one.text)).text })
  const { sentences, problem } = soundSentences(shownSentences(note.map(clean), piece.entries), source)
  const checked = piece.facts === null ? null : checkPiece(store, piece.facts, drafts, 'headless')
  const wrong = checked?.refused.filter(({ isMinor }) => isMinor !== true) ?? []
  // One refused fact is not worth another call.
  const isPoor = checked !== null && wrong.length > checked.sound.length
  const stand = stands === null ? null : { ...clean(stands), text: visibleLine(clean(stands).text) }
  return {
    note: sentences,
    stands: stand !== null && isShown(stand, piece.entries) && whyNoStands(stand.text, source) === null ? stand : null,
    rules,
    settles: settles.map((one) => ({ ...one, text: redact(visibleLine(one.text)).text })),
    checked,
    refused: [
      ...(problem === null ? [] : [problem]),
      ...(isPoor ? wrong.map(({ number, problem: why }) => `Fact ${number}: ${why}`) : []),
    ],
  }
}

/** Combines the valid parts of two answers. */
function better(first: Sound | null, second: Sound): Sound {
  if (first === null) return second
  const filled = <T>(one: T[], other: T[]): T[] => (one.length > 0 ? one : other)
  const sound = [...(first.checked?.sound ?? []), ...(second.checked?.sound ?? [])]
  return {
    note: filled(first.note, second.note),
    stands: first.stands ?? second.stands,
    rules: filled(first.rules, second.rules),
    settles: filled(first.settles, second.settles),
    checked: second.checked === null ? first.checked : { ...second.checked, sound },
    refused: second.refused,
  }
}

/** False: the last call failed. */
async function writeSummaries(store: Store, around: CallSurroundings): Promise<boolean> {
  for (const file of waitingArchives(store)) {
    const archive = readArchive(store, file)
    const text = archive === null ? null : withoutUnaudited(archive)
    if (around.isLate()) return true
    // Deleted, or too long for a model: the summary by code stays.
    if (text === null || estimateTokens(text) > MAX_ARCHIVE_TOKENS) {
      locked(store, () => countTry(store, file, MAX_SUMMARY_TRIES))
      continue
    }
    const answer = await callModel(store, 'summary', summaryRequest({ file, text }), around)
    if (answer === 'capped') return false
    if (!answer.ok) {
      if (answer.why === 'too-long' || answer.why === 'refused') locked(store, () => countTry(store, file, 1))
      return false
    }
    locked(store, () => {
      if (saveSummary(store, file, answer.text, around.now()).is === 'refused') countTry(store, file, 1)
    })
  }
  return true
}

function withoutUnaudited(archive: string): string {
  return parseMemory(archive)
    .flatMap(({ raw, note }) => (note === null || isToldNote(note) ? [raw] : []))
    .join('')
}

function waitingArchives(store: Store): string[] {
  return workOf(store.readState(), 'summary')
    .filter(({ tries }) => tries < MAX_SUMMARY_TRIES)
    .map(({ about }) => about)
}

function countTry(store: Store, archive: string, more: number): void {
  const state = store.readState()
  const item = findWork(state, 'summary', archive)
  if (item !== undefined) store.perform([stateEffect(withCounts(state, item, { tries: item.tries + more }))])
}

/** Once per set of candidates; candidates that the model does not judge wait for a person. */
async function judgeCandidates(store: Store, around: CallSurroundings): Promise<void> {
  const [item] = workOf(store.readState(), 'rules')
  const candidates = openCandidates(store)
  if (item === undefined || item.asked > 0 || candidates.length === 0 || around.isLate()) return
  const lines = candidates.map(
    ({ id, text, sessions, evidence }) =>
      `${id} (in ${sessions} sessions): ${visibleLine(text)} ${evidence.map(({ quote }) => `"${visibleLine(quote)}"`).join(' ')}`,
  )
  const answer = await callModel(store, 'reflection', judgeRequest(lines), around)
  if (answer === 'capped' || !answer.ok) return
  locked(store, () => {
    const state = store.readState()
    store.perform([stateEffect(markAsked(state, [item]))])
    for (const { candidate, keep, why } of parseJudgements(answer.structured, answer.text))
      proposeRule(store, { candidate, keep, why }, 'headless', around.now())
    refreshOwed(store)
  })
}
