/** What the finisher does with work items: notes, summaries and verdicts by the headless child, then the care of knowledge and old sessions. */

import path from 'node:path'
import { markStale, updateConceptsQuietly } from '../../knowledge/disk/fact-care.ts'
import { beginPiece, prepareFacts, saveFacts } from '../../knowledge/disk/facts.ts'
import type { GitWorld } from '../../knowledge/disk/git-history.ts'
import { readConcepts, readFacts } from '../../knowledge/disk/knowledge.ts'
import {
  openCandidates,
  proposeInstructions,
  proposeRule,
  reflectAll,
  refreshOwed,
} from '../../knowledge/disk/reflection.ts'
import type { Checked } from '../../knowledge/fact-draft.ts'
import {
  type Extracted,
  judgeRequest,
  knownLines,
  missingFactsRequest,
  noteAndFactsRequest,
  parseExtracted,
  parseJudgements,
} from '../../knowledge/headless-facts.ts'
import { settledEffects } from '../../memory/disk/settled.ts'
import { COMMAND_WAIT_MS, type Store, stateEffect } from '../../memory/disk/store.ts'
import type { SessionState } from '../../memory/session-state.ts'
import { isSettled } from '../../memory/settled.ts'
import { allSessions, type State, type StoredSession } from '../../memory/state.ts'
import { withMachineLock } from '../../model/disk/machine-lock.ts'
import { type CallSurroundings, callModel, locked } from '../../model/disk/model-call.ts'
import { wayIn } from '../../model/disk/way.ts'
import { noteRequest, summaryRequest } from '../../model/headless.ts'
import { sizeOf, statOf } from '../../platform/disk/files.ts'
import { attempt } from '../../platform/disk/log.ts'
import { PIECE_TOKENS } from '../../sessions/delta.ts'
import { projectsDir } from '../../sessions/disk/transcripts.ts'
import { findWork, withCounts, workOf } from '../../sessions/work.ts'
import { textOnOneLine } from '../../text/memory-words.ts'
import { estimateTokens } from '../../text/tokens.ts'
import { isOver, markAsked } from '../pending.ts'
import { type HandedOut, handOut, takeBack } from './handout.ts'
import { readArchive } from './memory.ts'
import { noteByCode, noteHandedOut, saveNote } from './notes.ts'
import { saveSummary } from './summaries.ts'
import { ageTiers } from './tiers.ts'

/** Another project's call may be under way. */
const QUEUE_MS = 4 * 60_000
const LEAST_PIECE_TOKENS = 2_000
const MAX_ARCHIVE_TOKENS = 150_000
/** Asked once, and once more with what was wrong. */
const MAX_NOTE_TRIES = 2
/** A summary that was refused so often stays the one made by code. */
const MAX_SUMMARY_TRIES = 2

/** What waits gets its note, by whomever the settings and circumstances allow. */
export async function writeNotes(store: Store, around: CallSurroundings): Promise<void> {
  const way = (): string => wayIn(store, around.now())
  if (workOf(store.readState(), 'note').length > 0) {
    if (way() === 'headless') await withMachineLock(store.places.keeperDir, QUEUE_MS, () => writeAll(store, around))
    else if (way() === 'extractive') locked(store, () => noteByCode(store, around.now()))
    // A pause may have begun just now: Claude itself is asked with the next prompt.
    if (way() === 'agent') handOutToAgent(store, around)
  }
  if (way() === 'headless' && waitingArchives(store).length > 0)
    await withMachineLock(store.places.keeperDir, QUEUE_MS, () => writeSummaries(store, around))
}

/** What recurs gets its verdict, where a background call may be made. */
export async function judgeRecurring(store: Store, around: CallSurroundings): Promise<void> {
  if (workOf(store.readState(), 'rules').length === 0 || wayIn(store, around.now()) !== 'headless') return
  await withMachineLock(store.places.keeperDir, QUEUE_MS, () => judgeCandidates(store, around))
}

function handOutToAgent(store: Store, { now }: CallSurroundings): void {
  for (;;) {
    const delta = locked(store, () => handOut(store, 'agent', PIECE_TOKENS.agent, now()))
    if (delta === null || !delta.isSmall) return
    locked(store, () => noteHandedOut(store, delta.id, now()))
  }
}

async function writeAll(store: Store, around: CallSurroundings): Promise<void> {
  let maxTokens: number = PIECE_TOKENS.headless
  while (!around.isLate()) {
    const delta = locked(store, () => handOut(store, 'headless', maxTokens, around.now()))
    if (delta === null) return
    if (delta.isSmall) {
      locked(store, () => noteHandedOut(store, delta.id, around.now()))
      continue
    }
    const outcome = await writeOne(store, delta, around)
    if (outcome === 'failed') return
    if (outcome === 'capped') {
      locked(store, () => noteByCode(store, around.now()))
      return
    }
    if (outcome === 'too-long') {
      if (maxTokens <= LEAST_PIECE_TOKENS) return
      maxTokens = Math.max(LEAST_PIECE_TOKENS, Math.floor(Math.min(maxTokens, estimateTokens(delta.text)) / 2))
      locked(store, () => takeBack(store, delta.id))
    }
  }
}

type Outcome = 'saved' | 'too-long' | 'failed' | 'capped'

/** One piece: note and facts in one answer, the facts first; a refused note is asked for once more, then code writes it. */
async function writeOne(store: Store, delta: HandedOut, around: CallSurroundings): Promise<Outcome> {
  const piece = locked(store, () => beginPiece(store, delta.id))
  const known = piece === null ? [] : knownLines(readFacts(store), readConcepts(store), delta.text)
  let refused: string[] = []
  for (let tries = 0; tries < MAX_NOTE_TRIES && !around.isLate(); tries++) {
    const wantsFacts = tries === 0 && piece !== null
    const request = wantsFacts
      ? noteAndFactsRequest(delta, { sentences: delta.sentences, facts: piece.room }, known)
      : noteRequest(delta, delta.sentences, refused)
    const answer = await callModel(store, 'note', request, around)
    if (answer === 'capped') return 'capped'
    if (!answer.ok) return answer.why === 'too-long' ? 'too-long' : 'failed'
    const extracted = wantsFacts ? parseExtracted(answer.structured, answer.text) : null
    if (extracted !== null) {
      await completeFacts(store, delta.id, extracted, known, around)
      locked(store, () => proposeInstructions(store, delta.id, extracted.rules, around.now()))
    }
    const text = extracted === null ? answer.text : (extracted.note ?? '')
    const saved = locked(store, () => saveNote(store, { delta: delta.id, text, author: 'headless' }, around.now()))
    if (saved === null) return 'failed'
    if (saved.is !== 'refused') return 'saved'
    refused = saved.notFound
  }
  // Whatever became of it meanwhile, it is not asked for again now.
  return 'failed'
}

async function writeSummaries(store: Store, around: CallSurroundings): Promise<void> {
  for (const file of waitingArchives(store)) {
    const text = readArchive(store, file)
    if (around.isLate()) return
    // Gone, or more than a model reads at once: the summary made by code stays.
    if (text === null || estimateTokens(text) > MAX_ARCHIVE_TOKENS) {
      locked(store, () => countTry(store, file, MAX_SUMMARY_TRIES))
      continue
    }
    const answer = await callModel(store, 'summary', summaryRequest({ file, text }), around)
    if (answer === 'capped') return
    if (!answer.ok) {
      if (answer.why === 'too-long' || answer.why === 'refused') locked(store, () => countTry(store, file, 1))
      return
    }
    locked(store, () => {
      if (saveSummary(store, file, answer.text, around.now()).is === 'refused') countTry(store, file, 1)
    })
  }
}

function waitingArchives(store: Store): string[] {
  return workOf(store.readState(), 'summary')
    .filter(({ tries }) => tries < MAX_SUMMARY_TRIES)
    .map(({ name }) => name)
}

function countTry(store: Store, archive: string, more: number): void {
  const state = store.readState()
  const item = findWork(state, 'summary', archive)
  if (item !== undefined) store.perform([stateEffect(withCounts(state, item, { tries: item.tries + more }))])
}

/** The loop ends by the program's word; a call that fails ends it with what holds so far. */
async function completeFacts(
  store: Store,
  piece: string,
  extracted: Extracted,
  known: readonly string[],
  around: CallSurroundings,
): Promise<void> {
  let { drafts, nothingIn } = extracted
  for (;;) {
    const submission = { piece, drafts, nothingIn, author: 'headless' as const }
    prepareFacts(store)
    const answer = locked(store, () => saveFacts(store, submission, around.now()))
    if (answer?.is !== 'checked') return
    const checked = withoutMinor(answer.checked)
    const left = checked.refused.length + checked.questions.length
    const more =
      left === 0 || around.isLate()
        ? 'capped'
        : await callModel(store, 'facts', missingFactsRequest(checked, drafts, known, left), around)
    if (more === 'capped' || !more.ok) {
      locked(store, () => saveFacts(store, submission, around.now(), 'last'))
      return
    }
    const found = parseExtracted(more.structured, more.text)
    const sound = new Set(checked.sound.map(({ number }) => number))
    drafts = [...drafts.filter((_, i) => sound.has(i + 1)), ...found.drafts]
    nothingIn = [...nothingIn, ...found.nothingIn]
  }
}

/** A wrong link (concept, supersedes, resolves) costs the link: it is not worth another call. */
function withoutMinor(checked: Checked): Checked {
  return { ...checked, refused: checked.refused.filter(({ isMinor }) => isMinor !== true) }
}

/** Once for what recurs now; what it does not judge waits for a person. */
async function judgeCandidates(store: Store, around: CallSurroundings): Promise<void> {
  const [item] = workOf(store.readState(), 'rules')
  const candidates = openCandidates(store)
  if (item === undefined || item.asked > 0 || candidates.length === 0 || around.isLate()) return
  const lines = candidates.map(
    ({ key: name, text, sessions, proofs }) =>
      `${name} (in ${sessions} sessions): ${textOnOneLine(text)} ${proofs.map(({ quote }) => `"${textOnOneLine(quote)}"`).join(' ')}`,
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

export interface CareOptions extends GitWorld {
  now: () => string
  elapsedMs: () => number
  isLate: () => boolean
}

/** One that fails keeps none of the others from being done. */
export function careForKnowledge(store: Store, options: CareOptions): void {
  const { now, isLate } = options
  const step = (name: string, work: () => void): void => {
    if (!isLate()) attempt(store.places.keeperDir, now(), name, work, undefined)
  }
  step('staleness', () => markStale(store, { ...options, waitMs: COMMAND_WAIT_MS }))
  step('concepts', () => updateConceptsQuietly(store, COMMAND_WAIT_MS, now()))
  step('reflection', () => reflectAll(store, { ...options, waitMs: COMMAND_WAIT_MS }))
  step('tiers', () => ageTiers(store, { now: now(), isLate }))
  step('owed', () => {
    // Read while nobody waits for the lock: under it, the same file is not parsed again.
    readFacts(store)
    store.whileLocked(COMMAND_WAIT_MS, () => refreshOwed(store))
  })
}

/**
 * The files of settled sessions first, then the state without them: killed in between, both know a session, and the state
 * counts. Returns how many were moved. Call it under the lock.
 */
export function settleSessions(store: Store, now: string, isAlive: (pid: number) => boolean): number {
  const state = store.readState()
  const sessions = allSessions({ sessions: state.sessions }).filter(([, session]) =>
    isSettled(session, {
      isOver: isOver(session, now, isAlive),
      hasTranscript: sizeOf(session.transcript) !== null,
    }),
  )
  if (sessions.length === 0) return 0
  const moved = new Map<string, StoredSession>(sessions.map(([id]) => [id, state.sessions[id] ?? {}]))
  for (const effect of settledEffects(store.dir, moved)) store.perform([effect])
  store.perform([stateEffect(without(store, state, sessions))])
  return moved.size
}

function without(store: Store, state: State, settled: readonly [id: string, session: SessionState][]): State {
  const ids = new Set(settled.map(([id]) => id))
  const rest = Object.entries(state.sessions).filter(([id]) => !ids.has(id))
  const dirs = new Set([...state.settledDirs, ...settled.map(([, { transcript }]) => path.dirname(transcript))])
  // Transcripts that were given by hand lie anywhere: only the host's own directories are looked into again.
  const isHosts = (dir: string): boolean => path.dirname(dir) === projectsDir(store.places.hostDir)
  const settledDirs = [...dirs].filter((dir) => isHosts(dir) && statOf(dir)?.kind === 'dir').sort()
  return { ...state, sessions: Object.fromEntries(rest), settledDirs }
}
