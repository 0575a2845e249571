/** Determines who writes the next note, and performs one call of the headless child: it is reserved in the ledger before and settled afterwards, so that a killed call counts. */

import path from 'node:path'
import { COMMAND_WAIT_MS, type Store } from '../../../kernel/memory/disk/store.ts'
import { disk, readOwnText } from '../../../kernel/platform/disk/files.ts'
import { parseObject, textOr } from '../../../kernel/platform/json.ts'
import { NOTICES_FILE } from '../../../kernel/platform/layout.ts'
import { estimateTokens } from '../../../kernel/text/tokens.ts'
import { projectRoots } from '../../../kernel/trust/disk/find-program.ts'
import { type AuditOutlook, auditOutlook } from '../audit-outlook.ts'
import { type ChildResult, isPaused, type ModelRequest, type Way, wayOf } from '../headless.ts'
import { type HeadlessOptions, runHeadless } from './headless.ts'
import { noteOutcome, readHealth, reserveCall, settleCall, usedToday } from './model-calls.ts'

export interface CallSurroundings extends Pick<HeadlessOptions, 'env' | 'platform' | 'tempDir' | 'hostPid'> {
  now: () => string
  /** The calling process has no time left. */
  isLate: () => boolean
}

/** `capped`: the day's calls or tokens are used up. */
export async function callModel(
  store: Store,
  kind: string,
  request: ModelRequest,
  around: CallSurroundings,
  { isHistory = false }: { isHistory?: boolean } = {},
): Promise<ChildResult | 'capped'> {
  const { homeDir, hostDir, project } = store.places
  const began = Date.parse(around.now())
  const reserved = reserveCall(
    homeDir,
    {
      at: around.now(),
      project: project.key,
      kind,
      ...(isHistory && { history: true }),
      estimatedTokens: estimateTokens(request.system + request.prompt + request.stdin),
    },
    {
      callsPerDay: store.config.modelCallsPerDay,
      tokensPerDay: store.config.modelTokensPerDay,
    },
  )
  if ('refusedBecause' in reserved) return 'capped'
  const result = await runHeadless(request, { ...around, roots: projectRoots(project.root), homeDir, hostDir })
  settleCall(homeDir, reserved.id, { ...result, ms: Date.parse(around.now()) - began })
  noteOutcome(homeDir, around.now(), result)
  return result
}

/** Null: another process holds the lock for too long. */
export function locked<T>(store: Store, work: () => T): T | null {
  return store.whileLocked(COMMAND_WAIT_MS, work)?.value ?? null
}

export function wayIn(store: Store, now: string): Way {
  const { homeDir } = store.places
  return wayOf({
    summarizer: store.config.summarizer,
    enforcement: store.config.enforcement,
    isModelNoticed: modelNoticedAt(homeDir) !== null,
    pausedUntil: readHealth(homeDir).pausedUntil,
    now,
  })
}

/** Whether a background call may audit a model's text, also if Claude itself writes the notes. */
export function mayAudit(store: Store, now: string): boolean {
  const { homeDir } = store.places
  const { summarizer } = store.config
  return (
    summarizer !== 'extractive' && modelNoticedAt(homeDir) !== null && !isPaused(readHealth(homeDir).pausedUntil, now)
  )
}

/** Whether what a model wrote can still be audited, and why not. `now`: with the use of that day, for people; null: without. */
export function auditOutlookIn({ config, places: { homeDir } }: Store, now: string | null): AuditOutlook {
  const { summarizer, modelCallsPerDay: callsPerDay, modelTokensPerDay: tokensPerDay } = config
  const { last, failuresInRow } = readHealth(homeDir)
  const used = now === null ? null : usedToday(homeDir, now)
  return auditOutlook({
    summarizer,
    callsPerDay,
    tokensPerDay,
    failed: last?.why ?? null,
    failuresInRow,
    isModelNoticed: now === null || modelNoticedAt(homeDir) !== null,
    isUsedUp: used !== null && (used.calls >= callsPerDay || used.tokens >= tokensPerDay),
  })
}

/** What a user is informed of once: background calls, and that Claude itself is asked. */
export type Noticed = 'model' | 'agent'

/** When the user was informed, in any project; null: not yet. */
export function noticedAt(homeDir: string, what: Noticed): string | null {
  return textOr(noticesAt(homeDir)[what], null)
}

export function modelNoticedAt(homeDir: string): string | null {
  return noticedAt(homeDir, 'model')
}

export function noteNoticed(homeDir: string, what: Noticed, at: string): void {
  const notices = { ...noticesAt(homeDir), version: 1, [what]: at }
  disk.replace(path.join(homeDir, NOTICES_FILE), `${JSON.stringify(notices)}\n`)
}

function noticesAt(homeDir: string): Record<string, unknown> {
  return parseObject(readOwnText(path.join(homeDir, NOTICES_FILE)) ?? '') ?? {}
}
