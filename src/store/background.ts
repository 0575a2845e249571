/** Notes and archive summaries written by the headless child: one call at a time, checked, capped, and without harm when it fails. */
import { type ChildResult, type ModelRequest, noteRequest, summaryRequest } from '../core/headless.ts'
import { owedSessions } from '../core/pending.ts'
import { estimateTokens } from '../core/tokens.ts'
import { type HeadlessOptions, runHeadless } from './headless.ts'
import { withMachineLock } from './machine-lock.ts'
import { readArchive } from './memory.ts'
import { noteOutcome, reserveCall, settleCall } from './model-calls.ts'
import { type HandedOut, handOut, noteByCode, noteHandedOut, PIECE_TOKENS, saveNote, takeBack } from './notes.ts'
import { COMMAND_WAIT_MS, type Store, stateEffect } from './store.ts'
import { saveSummary } from './summaries.ts'
import { wayIn } from './way.ts'

export interface Surroundings extends Pick<HeadlessOptions, 'env' | 'platform' | 'tempDir' | 'hostPid'> {
  now: () => string
  /** Whoever runs this has no time left. */
  isLate: () => boolean
}

/** Another project's call may be under way. */
const QUEUE_MS = 4 * 60_000
const LEAST_PIECE_TOKENS = 2_000
const MAX_ARCHIVE_TOKENS = 150_000
/** Asked once, and once more with what was wrong. */
const MAX_NOTE_TRIES = 2
/** A summary that was refused so often stays the one made by code. */
const MAX_SUMMARY_TRIES = 2

/** What waits gets its note, by whomever the settings and circumstances allow. */
export async function writeNotes(store: Store, around: Surroundings): Promise<void> {
  const way = (): string => wayIn(store, around.now())
  if (owedSessions(store.readState()).length > 0) {
    if (way() === 'headless') await withMachineLock(store.places.keeperDir, QUEUE_MS, () => writeAll(store, around))
    else if (way() === 'extractive') locked(store, () => noteByCode(store, around.now()))
    // A pause may have begun just now: Claude itself is asked with the next prompt.
    if (way() === 'agent') handOutToAgent(store, around)
  }
  if (way() === 'headless' && waitingArchives(store).length > 0)
    await withMachineLock(store.places.keeperDir, QUEUE_MS, () => writeSummaries(store, around))
}

function handOutToAgent(store: Store, { now }: Surroundings): void {
  for (;;) {
    const delta = locked(store, () => handOut(store, 'agent', PIECE_TOKENS.agent, now()))
    if (delta === null || !delta.isSmall) return
    locked(store, () => noteHandedOut(store, delta.id, now()))
  }
}

async function writeAll(store: Store, around: Surroundings): Promise<void> {
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

/** One piece: asked once, and once more with the names that do not occur in it; then code writes the note. */
async function writeOne(store: Store, delta: HandedOut, around: Surroundings): Promise<Outcome> {
  let refused: string[] = []
  for (let tries = 0; tries < MAX_NOTE_TRIES && !around.isLate(); tries++) {
    const answer = await call(store, 'note', noteRequest(delta, delta.sentences, refused), around)
    if (answer === 'capped') return 'capped'
    if (!answer.ok) return answer.why === 'too-long' ? 'too-long' : 'failed'
    const given = { delta: delta.id, text: answer.text, author: 'headless' as const }
    const saved = locked(store, () => saveNote(store, given, around.now()))
    if (saved === null) return 'failed'
    if (saved.is !== 'refused') return 'saved'
    refused = saved.notFound
  }
  // Whatever became of it meanwhile, it is not asked for again now.
  return 'failed'
}

async function writeSummaries(store: Store, around: Surroundings): Promise<void> {
  for (const file of waitingArchives(store)) {
    const text = readArchive(store, file)
    if (around.isLate()) return
    // Gone, or more than a model reads at once: the summary made by code stays.
    if (text === null || estimateTokens(text) > MAX_ARCHIVE_TOKENS) {
      locked(store, () => countTry(store, file, MAX_SUMMARY_TRIES))
      continue
    }
    const answer = await call(store, 'summary', summaryRequest({ file, text }), around)
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
  return store
    .readState()
    .rotatedFiles.filter(({ summaryGenerated, tries = 0 }) => !summaryGenerated && tries < MAX_SUMMARY_TRIES)
    .map(({ file }) => file)
}

function countTry(store: Store, archive: string, more: number): void {
  const state = store.readState()
  const rotatedFiles = state.rotatedFiles.map((each) =>
    each.file === archive ? { ...each, tries: (each.tries ?? 0) + more } : each,
  )
  store.perform([stateEffect({ ...state, rotatedFiles })])
}

/** Reserved before it is made, settled after it: a call that is killed counts. */
async function call(
  store: Store,
  kind: string,
  request: ModelRequest,
  around: Surroundings,
): Promise<ChildResult | 'capped'> {
  const { keeperDir, hostDir, project } = store.places
  const began = Date.parse(around.now())
  const reserved = reserveCall(
    keeperDir,
    {
      at: around.now(),
      project: project.key,
      kind,
      estimatedTokens: estimateTokens(request.system + request.prompt + request.stdin),
    },
    {
      callsPerDay: Number(store.config.modelCallsPerDay),
      tokensPerDay: Number(store.config.modelTokensPerDay),
    },
  )
  if ('refusedBecause' in reserved) return 'capped'
  const result = await runHeadless(request, { ...around, keeperDir, hostDir })
  settleCall(keeperDir, reserved.id, { ...result, ms: Date.parse(around.now()) - began })
  noteOutcome(keeperDir, around.now(), result)
  return result
}

function locked<T>(store: Store, work: () => T): T | null {
  return store.whileLocked(COMMAND_WAIT_MS, work)?.value ?? null
}
