/** The tools for extracting facts: `check_facts` shows a piece and reports problems, `save_facts` saves the valid facts, `propose_rule` judges and proposes rules. */

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
import { checkPiece, type OpenPiece, openPiece, savePiece } from '../disk/facts.ts'
import { readConcepts, readFacts } from '../disk/knowledge.ts'
import { openCandidates, proposeRule, refreshOwed } from '../disk/reflection.ts'
import { renderReport } from '../fact-check.ts'
import type { Checked, Draft } from '../fact-draft.ts'
import { knownLines, MAX_FACTS } from '../headless-facts.ts'
import type { Fact } from '../item.ts'
import type { RuleProposal } from '../rule-proposal.ts'

const BUSY = 'Not done: the memory is in use by another process. Try again.'

export interface FactsRequest {
  piece: string
  /** As sent by a model. Absent: the piece is to be shown. */
  facts?: readonly Draft[] | undefined
  offset?: number | undefined
}

export function checkFactsOf(store: Store, { piece, facts, offset = 0 }: FactsRequest): ToolAnswer {
  const open = openPiece(store, piece)
  if (open === null) return notOpen(piece)
  if (facts === undefined) return showPiece(store, open, offset)
  return fine(renderReport(checkPiece(store, open, facts, 'agent')).join('\n'))
}

/** Saves the valid facts and leaves out the others. They are injected only after the next audit. */
export function keepFacts(store: Store, { piece, facts = [] }: FactsRequest, now: string): ToolAnswer {
  const done = store.whileLocked(COMMAND_WAIT_MS, () => {
    const open = openPiece(store, piece)
    if (open === null) return notOpen(piece)
    const checked = checkPiece(store, open, facts, 'agent')
    const saved = savePiece(store, open, checked, 'agent', now)
    refreshOwed(store)
    return rendered(saved, checked)
  })
  return done?.value ?? wrong(BUSY)
}

function notOpen(piece: string): ToolAnswer {
  return fine(`${textOnOneLine(piece) || 'This'} does not wait for facts. You are done.`)
}

function rendered(saved: readonly Fact[], { refused }: Checked): ToolAnswer {
  // A new name that is similar to a known one was merged with it: the concept's id shows that.
  const ids = saved.map(({ id, concept }) => (concept === null ? id : `${id} in ${concept}`)).join(', ')
  const what = saved.length === 0 ? 'No fact was kept.' : `Saved as ${ids}.`
  const out = refused.flatMap(({ number, problem, isMinor }) =>
    isMinor === true ? [] : [`Fact ${number} was left out: ${textOnOneLine(problem)}`],
  )
  return fine([what, ...out, 'You are done.'].join(' '))
}

function showPiece(store: Store, open: OpenPiece, offset: number): ToolAnswer {
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
        ? 'That is the end of the piece. Now call check_facts with your facts.'
        : `It goes on: call check_facts with piece "${open.id}" and offset ${page.next}.`,
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
