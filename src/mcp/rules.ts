/** `propose_rule`: what recurs is shown, judged, and proposed; nothing it says becomes a rule without the user's words or yes. */

import { refreshOwed } from '../knowledge/disk/owed.ts'
import { openCandidates, proposeRule } from '../knowledge/disk/reflection.ts'
import type { Store } from '../memory/disk/store.ts'
import { textOnOneLine } from '../text/memory-words.ts'
import { fenced, fine, IS_DATA, type ToolAnswer, wrong } from './answer.ts'

const WAIT_MS = 10_000

export interface RuleRequest {
  candidate?: string | undefined
  keep?: boolean | undefined
  text?: string | undefined
  kind?: 'rules' | 'solutions' | 'core_logic' | undefined
  facts?: readonly string[] | undefined
  why?: string | undefined
}

export function proposeRuleOf(store: Store, request: RuleRequest, now: string): ToolAnswer {
  if (request.candidate === undefined && (request.text ?? '').trim() === '') return showCandidates(store)
  const done = store.whileLocked(WAIT_MS, () => {
    const answer = proposeRule(store, given(request), 'agent', now)
    refreshOwed(store)
    return answer
  })?.value
  if (done === undefined) return wrong('Not done: the memory is in use by another process. Try again.')
  return done.isKept ? fine(done.text) : wrong(done.text)
}

function given(request: RuleRequest): Parameters<typeof proposeRule>[1] {
  return Object.fromEntries(Object.entries(request).filter(([, value]) => value !== undefined))
}

function showCandidates(store: Store): ToolAnswer {
  const candidates = openCandidates(store)
  if (candidates.length === 0) return fine('Nothing recurs that waits to be judged. You are done.')
  const lines = candidates.flatMap(({ key, kind, text, sessions, facts, proofs }) => [
    `${key} (${kind}, in ${sessions} sessions, ${facts.join(', ')}): ${textOnOneLine(text)}`,
    ...proofs
      .slice(0, 3)
      .map(({ session, entry, quote }) => `  L1:${session}#${entry} "${textOnOneLine(quote).slice(0, 200)}"`),
  ])
  return fine(
    [
      `What recurs in this project. Judge each with propose_rule: candidate, keep (true: it holds beyond the moment and helps a later session; false: it does not), why. ${IS_DATA}`,
      fenced(lines),
    ].join('\n'),
  )
}
