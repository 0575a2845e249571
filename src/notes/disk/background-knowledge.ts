/** What the headless child does for facts and rules: it completes what the program says is missing, and judges what recurs. */

import { prepareFacts, saveFacts } from '../../knowledge/disk/facts.ts'
import { refreshOwed } from '../../knowledge/disk/owed.ts'
import { openCandidates, proposeRule } from '../../knowledge/disk/reflection.ts'
import type { Checked } from '../../knowledge/fact-draft.ts'
import { type Extracted, missingFactsRequest, parseExtracted } from '../../knowledge/headless-facts.ts'
import { judgeRequest, parseJudgements } from '../../knowledge/headless-rules.ts'
import { type Store, stateEffect } from '../../memory/disk/store.ts'
import { type CallSurroundings, callModel, locked } from '../../model/disk/model-call.ts'
import { textOnOneLine } from '../../text/memory-words.ts'
import { markAsked } from '../pending.ts'

/** The loop ends by the program's word; a call that fails ends it with what holds so far. */
export async function completeFacts(
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

/** A concept that is named otherwise, or not at all, is found by code: no call is worth it. */
function withoutMinor(checked: Checked): Checked {
  return { ...checked, refused: checked.refused.filter(({ isMinor }) => isMinor !== true) }
}

/** Once for what recurs now; what it does not judge waits for a person. */
export async function judgeCandidates(store: Store, around: CallSurroundings): Promise<void> {
  const { candidates: mark, asked } = store.readState().knowledge
  const key = `reflection ${mark}`
  const candidates = openCandidates(store)
  if (candidates.length === 0 || asked[key] !== undefined || around.isLate()) return
  const lines = candidates.map(
    ({ key: name, text, sessions, proofs }) =>
      `${name} (in ${sessions} sessions): ${textOnOneLine(text)} ${proofs.map(({ quote }) => `"${textOnOneLine(quote)}"`).join(' ')}`,
  )
  const answer = await callModel(store, 'reflection', judgeRequest(lines), around)
  if (answer === 'capped' || !answer.ok) return
  locked(store, () => {
    const state = store.readState()
    store.perform([stateEffect(markAsked(state, [{ key, step: 'reflection', subject: mark }]))])
    for (const { candidate, keep, why } of parseJudgements(answer.structured, answer.text))
      proposeRule(store, { candidate, keep, why }, 'headless', around.now())
    refreshOwed(store)
  })
}
