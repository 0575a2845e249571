/** The tools of whoever extracts facts: `check_facts` shows a piece and says what is wrong or missing, `save_facts` keeps what holds. `propose_rule`: what recurs is judged and proposed. */

import { fenced, fine, hanging, IS_DATA, pageOf, type ToolAnswer, wrong } from '../../memory/commands/answer.ts'
import { COMMAND_WAIT_MS, type Store } from '../../memory/disk/store.ts'
import { renderNumbered } from '../../sessions/delta.ts'
import { textOnOneLine } from '../../text/memory-words.ts'
import { checkFacts, type FactsAnswer, type OpenPiece, pieceToRead, prepareFacts, saveFacts } from '../disk/facts.ts'
import { readConcepts, readFacts } from '../disk/knowledge.ts'
import { openCandidates, proposeRule, refreshOwed } from '../disk/reflection.ts'
import { renderReport } from '../fact-check.ts'
import { draftOf, knownLines } from '../headless-facts.ts'

const BUSY = 'Not done: the memory is in use by another process. Try again.'

export interface FactsRequest {
  piece: string
  /** Absent: the piece is to be shown. */
  facts?: readonly Readonly<Record<string, unknown>>[] | undefined
  nothingIn?: readonly number[] | undefined
  offset?: number | undefined
}

export function checkFactsOf(
  store: Store,
  { piece, facts, nothingIn = [], offset = 0 }: FactsRequest,
  now: string,
): ToolAnswer {
  if (facts === undefined) return showPiece(store, piece, offset)
  const submission = { piece, drafts: facts.map(draftOf), nothingIn, author: 'agent' as const }
  prepareFacts(store)
  const answer = store.whileLocked(COMMAND_WAIT_MS, () => checkFacts(store, submission, now))?.value
  return answer === undefined ? wrong(BUSY) : render(answer)
}

export function keepFacts(store: Store, request: FactsRequest, now: string): ToolAnswer {
  const { piece, facts = [], nothingIn = [] } = request
  prepareFacts(store)
  const done = store.whileLocked(COMMAND_WAIT_MS, () => {
    const answer = saveFacts(store, { piece, drafts: facts.map(draftOf), nothingIn, author: 'agent' }, now)
    refreshOwed(store)
    return render(answer)
  })
  return done?.value ?? wrong(BUSY)
}

function showPiece(store: Store, piece: string, offset: number): ToolAnswer {
  const open = pieceToRead(store, piece)
  if (open === null) return fine(`${textOnOneLine(piece) || 'This'} does not wait for facts. You are done.`)
  const entries = renderNumbered(open.entries)
  const page = pageOf(
    entries.map((entry) => hanging('', entry)),
    offset,
  )
  const known = offset > 0 ? [] : knownLines(readFacts(store), readConcepts(store), entries.join('\n'))
  return fine(
    [
      ...(offset > 0 ? [] : [aboutPiece(open)]),
      ...(known.length === 0 ? [] : [fenced(['Known already:', ...known])]),
      fenced([page.text]),
      page.next === null
        ? 'That is the end of the piece. Now call check_facts with your facts.'
        : `It goes on: call check_facts with piece "${textOnOneLine(piece)}" and offset ${page.next}.`,
    ].join('\n'),
  )
}

function aboutPiece({ id, entries, room }: OpenPiece): string {
  return `Piece ${id}: ${entries.length} entries. At most ${room} facts. ${IS_DATA}`
}

function render(answer: FactsAnswer): ToolAnswer {
  switch (answer.is) {
    case 'not-open':
      return fine(answer.reason)
    case 'checked':
      return { text: renderReport(answer.checked, answer.round).join('\n'), isError: false }
    case 'saved': {
      const left = answer.checked.refused.length
      // A new name that is much like a known one has joined it: the concept's id says so.
      const ids = answer.facts.map(({ id, concept }) => (concept === null ? id : `${id} in ${concept}`)).join(', ')
      const what = answer.facts.length === 0 ? 'No fact was kept.' : `Saved as ${ids}.`
      return fine(`${what}${left === 0 ? '' : ` ${left} did not hold and were left out.`} You are done.`)
    }
  }
}

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
  const done = store.whileLocked(COMMAND_WAIT_MS, () => {
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
