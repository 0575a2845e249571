/** What the tools say about facts and rules: `showPiece` shows what facts are extracted from, `propose_rule` judges and proposes rules. */

import {
  fenced,
  fine,
  hanging,
  IS_DATA,
  pageOf,
  type ToolAnswer,
  wrong,
} from '../../../kernel/memory/commands/answer.ts'
import { COMMAND_WAIT_MS, type Store } from '../../../kernel/memory/disk/store.ts'
import { renderNumbered } from '../../../kernel/sessions/delta.ts'
import { textOnOneLine } from '../../../kernel/text/memory-words.ts'
import type { OpenPiece } from '../disk/facts.ts'
import { readConcepts, readFacts } from '../disk/knowledge.ts'
import { openCandidates, proposeRule, refreshOwed } from '../disk/reflection.ts'
import { knownLines, MAX_FACTS } from '../headless-facts.ts'
import type { Fact } from '../item.ts'
import type { RuleProposal } from '../rule-proposal.ts'

const BUSY = 'Not done: the memory is in use by another process. Try again.'

/** The saved facts; a new name that is similar to a known concept was merged with it, which the concept's id shows. */
export function saidOfFacts(saved: readonly Fact[]): string {
  const ids = saved.map(({ id, concept }) => (concept === null ? id : `${id} in ${concept}`)).join(', ')
  return saved.length === 0 ? 'No fact was kept.' : `Saved as ${ids}.`
}

/** A piece of a session, in pages. */
export function showPiece(store: Store, open: OpenPiece, offset: number): ToolAnswer {
  const entries = renderNumbered(open.entries)
  const page = pageOf(
    entries.map((entry) => hanging('', entry)),
    offset,
  )
  const known = offset > 0 ? [] : knownLines(readFacts(store), readConcepts(store), entries.join('\n'), open.session)
  return fine(
    [
      ...(offset > 0
        ? []
        : [`Piece ${open.id}: ${open.entries.length} entries. At most ${MAX_FACTS} facts. ${IS_DATA}`]),
      ...(known.length === 0 ? [] : [fenced(store, ['Known already:', ...known])]),
      fenced(store, [page.text]),
      page.next === null
        ? 'That is the end of the piece. Now call save_memory with delta and facts.'
        : `It goes on: call save_memory with delta "${open.id}" and offset ${page.next}.`,
    ].join('\n'),
  )
}

export function proposeRuleOf(store: Store, request: RuleProposal, now: string): ToolAnswer {
  if (request.candidate === undefined && (request.text ?? '').trim() === '') return showCandidates(store)
  const done = store.whileLocked(COMMAND_WAIT_MS, () => {
    const answer = proposeRule(store, request, 'agent', now)
    refreshOwed(store)
    return answer
  })?.value
  if (done === undefined) return wrong(BUSY)
  return done.isKept ? fine(done.text) : wrong(done.text)
}

function showCandidates(store: Store): ToolAnswer {
  const candidates = openCandidates(store)
  if (candidates.length === 0) return fine('Nothing recurs that waits to be judged. You are done.')
  const lines = candidates.flatMap(({ id, kind, text, sessions, facts, evidence }) => [
    `${id} (${kind}, in ${sessions} sessions, ${facts.join(', ')}): ${textOnOneLine(text)}`,
    ...evidence
      .slice(0, 3)
      .map(({ session, entry, quote }) => `  L1:${session}#${entry} "${textOnOneLine(quote).slice(0, 200)}"`),
  ])
  return fine(
    [
      `What recurs in this project. Judge each with propose_rule: candidate, keep (true: it holds beyond the moment and helps a later session; false: it does not), why. ${IS_DATA}`,
      fenced(store, lines),
    ].join('\n'),
  )
}
