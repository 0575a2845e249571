/** One call of the headless child: it is reserved in the ledger before and settled afterwards, so that a killed call counts. */

import { COMMAND_WAIT_MS, type Store } from '../../memory/disk/store.ts'
import { estimateTokens } from '../../text/tokens.ts'
import { projectRoots } from '../../trust/disk/find-program.ts'
import type { ChildResult, ModelRequest } from '../headless.ts'
import { type HeadlessOptions, runHeadless } from './headless.ts'
import { noteOutcome, reserveCall, settleCall } from './model-calls.ts'

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
  const { keeperDir, hostDir, project } = store.places
  const began = Date.parse(around.now())
  const reserved = reserveCall(
    keeperDir,
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
  const result = await runHeadless(request, { ...around, roots: projectRoots(project.root), keeperDir, hostDir })
  settleCall(keeperDir, reserved.id, { ...result, ms: Date.parse(around.now()) - began })
  noteOutcome(keeperDir, around.now(), result)
  return result
}

/** Null: another process holds the lock for too long. */
export function locked<T>(store: Store, work: () => T): T | null {
  return store.whileLocked(COMMAND_WAIT_MS, work)?.value ?? null
}
