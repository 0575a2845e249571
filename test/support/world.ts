/** Hooks and finisher in this process: a clock of the test's own, and what would be started is told instead. */

import { compactedOf } from '../../src/briefing/disk/compacted.ts'
import { beforeCompaction } from '../../src/hooks/compact.ts'
import { finish } from '../../src/hooks/finish.ts'
import { recallWithPrompt } from '../../src/hooks/recall.ts'
import { runHook } from '../../src/hooks/run.ts'
import { settleNotes, settleRules } from '../../src/hooks/settle.ts'
import { startSession } from '../../src/hooks/start.ts'
import type { World } from '../../src/hooks/world.ts'
import { handOut } from '../../src/notes/disk/handout.ts'
import { locate } from '../../src/platform/disk/locate.ts'
import { PIECE_TOKENS } from '../../src/sessions/delta.ts'
import type { Job } from '../../src/sessions/disk/finisher-queue.ts'
import { envOf, type HookPayload, payloadOf, type Said, saidBy } from './process.ts'
import { append, linesFor, sessionId, type TestProject, turns } from './project.ts'

/** Ten minutes after the transcripts of the tests begin: their sessions are going on. */
export const DURING = '2026-01-13T09:10:00.000Z'
/** They said nothing for hours: they are over. */
export const LATER = '2026-01-13T15:00:00.000Z'

export interface Hooked extends Said {
  out: string
  /** Finishers that were started. */
  started: Job[]
}

export function hookHere(project: TestProject, payload: HookPayload, more: Partial<World> = {}): Hooked {
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
    later: (work) => work(),
    loadStarter: () => ({ start: startSession }),
    loadRecaller: () => ({ recall: recallWithPrompt }),
    loadKeeper: () => ({
      settle: settleNotes,
      takeOverRules: settleRules,
      compact: beforeCompaction,
      handOut: (store, now) => void handOut(store, 'agent', PIECE_TOKENS.agent, now),
      compacted: compactedOf,
    }),
    ...more,
  }
  const out = runHook(JSON.stringify(payloadOf(project, payload)), world)
  const said = out.startsWith('{') ? saidBy({ out, err: '', code: 0 }) : { context: '', notice: '' }
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
