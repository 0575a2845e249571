/** Hooks and finisher in this process: a clock of the test's own, and what would be started is told instead. */

import { compactedOf } from '../../src/core/briefing/disk/briefing.ts'
import { takeFirstSteps } from '../../src/core/extra.ts'
import { handOut } from '../../src/core/notes/disk/handout.ts'
import { saveNote } from '../../src/core/notes/disk/notes.ts'
import { beforeCompaction } from '../../src/doors/hooks/compact.ts'
import { noteEndedSessions } from '../../src/doors/hooks/ended-sessions.ts'
import { finish } from '../../src/doors/hooks/finish.ts'
import { recallForEvent } from '../../src/doors/hooks/recall.ts'
import { runHook } from '../../src/doors/hooks/run.ts'
import { startSession } from '../../src/doors/hooks/start.ts'
import type { World } from '../../src/doors/hooks/world.ts'
import { openServer } from '../../src/extras/team/disk/server.ts'
import { locate } from '../../src/kernel/platform/disk/locate.ts'
import { PIECE_TOKENS } from '../../src/kernel/sessions/delta.ts'
import type { Job } from '../../src/kernel/sessions/disk/finisher-queue.ts'
import { envOf, type HookPayload, payloadOf, type Said, saidBy } from './process.ts'
import {
  append,
  linesFor,
  NOW,
  quietProject,
  sessionId,
  setAtHome,
  storeOf,
  type TestProject,
  turns,
} from './project.ts'

/** Ten minutes after the transcripts of the tests begin: their sessions are going on. */
export const DURING = '2026-01-13T09:10:00.000Z'
/** They said nothing for hours: they are over. */
export const LATER = '2026-01-13T15:00:00.000Z'

export interface Hooked extends Said {
  out: string
  /** Finishers that were started. */
  started: Job[]
}

/** `payload`: a text is given as it is. */
export function hookHere(project: TestProject, payload: HookPayload | string, more: Partial<World> = {}): Hooked {
  const started: Job[] = []
  const world: World = {
    now: () => DURING,
    elapsedMs: () => 0,
    isAttended: true,
    isOurChild: false,
    hostPid: 1,
    isStartedByHost: () => true,
    isAlive: () => true,
    locate: (startDir) => locate(startDir, project.around),
    projectDir: project.root,
    startFinisher: (_, job) => started.push(job),
    runSkill: () => null,
    doing: () => undefined,
    soon: (work) => work(),
    later: (work) => work(),
    loadStarter: () => ({ start: startSession }),
    loadRecaller: () => ({ recall: recallForEvent }),
    loadKeeper: () => ({
      settle: noteEndedSessions,
      takeFirstSteps,
      compact: beforeCompaction,
      handOut: (store, now) => void handOut(store, 'agent', PIECE_TOKENS.agent, now),
      compacted: compactedOf,
    }),
    ...more,
  }
  const stdin = typeof payload === 'string' ? payload : JSON.stringify(payloadOf(project, payload))
  const out = runHook(stdin, world) ?? ''
  const said = out.startsWith('{') ? saidBy({ out, err: '', code: 0 }) : { context: '', notice: '', sign: '' }
  return { out, started, ...said }
}

export type FinishOptions = Partial<Parameters<typeof finish>[2]>

export async function finishHere(project: TestProject, job: Job, more: FinishOptions = {}): Promise<void> {
  await finish(project.root, [job], finisherWorld(project, more))
}

export function finisherWorld(project: TestProject, more: FinishOptions = {}): Parameters<typeof finish>[2] {
  return {
    now: () => DURING,
    elapsedMs: () => 0,
    isAlive: () => true,
    locate: (startDir) => locate(startDir, project.around),
    isOurChild: false,
    env: envOf(project),
    platform: process.platform,
    tempDir: project.base,
    hostPid: null,
    // Here a transcript is as long as it will be.
    wait: async () => undefined,
    programs: '',
    keep: () => undefined,
    goOn: () => undefined,
    home: project.home,
    loadProgram: () => ({ openServer }),
    ...more,
  }
}

/** What the host does in a turn: the transcript gains something, then Stop. */
export function work(project: TestProject, from: number, to: number, session = sessionId(1)): Hooked {
  append(project.transcriptOf(session), turns(linesFor(session, project.root), from, to))
  return stop(project, {}, {}, session)
}

export function stop(
  project: TestProject,
  payload: object = {},
  world: Partial<World> = {},
  session = sessionId(1),
): Hooked {
  return hookHere(project, { hook_event_name: 'Stop', session_id: session, stop_hook_active: false, ...payload }, world)
}

/** Turns as the transcript holds them, each with its Stop. `from`: how many came before. */
export function talk(
  project: TestProject,
  session: string,
  turns: readonly (readonly [asked: string, answered: string])[],
  from = 0,
): void {
  const lines = linesFor(session, project.root)
  turns.forEach(([asked, answered], i) => {
    const at = (from + i) * 10
    append(project.transcriptOf(session), lines.prompt(at, asked) + lines.answer(at + 1, answered))
    stop(project, {}, {}, session)
  })
}

/** What a shop's developer did, and the answer to one question. */
export const ASKED = 'Which backoff did we choose for the Stripe webhook retries?'
export const SAID =
  'We settled on exponential backoff with seven attempts for the Stripe webhook retries, since the sandbox throttles.'
export const SHOP_TURNS: readonly (readonly [string, string])[] = [
  ['The dashboard needs a dark theme, please add one.', 'The dark theme is in place, with a switch in the header.'],
  ['How do we retry failed webhooks?', SAID],
  ['Rename the customer table to clients.', 'The table is called clients now, the migration is written.'],
  ['Bump the linter to its newest version.', 'The linter is at its newest version, two warnings are fixed.'],
  ['The invoice footer shows the wrong year.', 'The footer reads the year from the invoice date now.'],
  ['Speed up the product search.', 'Product search uses a trigram index now and takes 40 ms.'],
]

export function prompt(
  project: TestProject,
  payload: object = {},
  world: Partial<World> = {},
  session = sessionId(1),
): Hooked {
  return hookHere(
    project,
    { hook_event_name: 'UserPromptSubmit', session_id: session, prompt: 'go on', ...payload },
    world,
  )
}

export function begin(project: TestProject, session: string, source = 'startup', world: Partial<World> = {}): Hooked {
  return hookHere(project, { hook_event_name: 'SessionStart', session_id: session, source }, world)
}

/** The piece of `owing`, and a note that is true of it. */
export const OWED = '00000001-0-6'
export const OWED_NOTE = 'The user asked two questions, a command was run for each, and both were answered.'

/** Two turns, whose delta is in the agent's hands. */
export async function owing(settings: { enforcement?: string; [name: string]: unknown } = {}): Promise<TestProject> {
  const all = { summarizer: 'agent', saveInterval: 2, rules: false, ...settings }
  // "block" would hold the turn in which it becomes due.
  const isHeld = settings.enforcement === 'block'
  const project = quietProject({ ...all, ...(isHeld ? { enforcement: 'stop' } : {}) })
  await due(project, 0)
  setAtHome(project, all)
  return project
}

export async function due(project: TestProject, from: number): Promise<void> {
  const { started } = work(project, from, from + 2)
  if (started.length !== 1) throw new Error('no note became due')
  await finishHere(project, { for: 'note' })
}

/** The agent saves the note of `owing`. */
export function saveOwed(project: TestProject): void {
  const store = storeOf(project)
  const note = { delta: OWED, text: OWED_NOTE, author: 'agent' } as const
  const saved = store.whileLocked(1000, () => saveNote(store, note, NOW))
  if (saved?.value.is !== 'saved') throw new Error('the note was not saved')
}
