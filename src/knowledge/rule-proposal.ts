/** What a model proposes as a rule, or says of a proposal: checked against the sessions, and never more than a proposal. */

import { findUngrounded } from '../grounding/grounding.ts'
import { cleanRule, isRule, MAX_RULE_CHARS } from '../pages/rule.ts'
import { textOnOneLine } from '../text/memory-words.ts'
import { allFacts, type Fact, type Facts } from './fact.ts'
import { isSameFact } from './fact-list.ts'
import {
  addPermanent,
  allPermanent,
  changePermanent,
  findPermanent,
  judgePermanent,
  type ListedItem,
  nextPermanentId,
  PERMANENT_KINDS,
  type PermanentItem,
  type PermanentKind,
  proposedIn,
  sessionsOf,
  useAgain,
} from './permanent.ts'
import {
  byCode,
  candidateOf,
  isGrounded,
  kindFor,
  knownAs,
  proposalOf,
  type Recurring,
  type SaidAgain,
} from './reflection.ts'

export interface RuleProposal {
  /** Not needed where a candidate is only judged. */
  text?: string
  kind?: string
  /** d001, p002: what proves it. */
  facts?: readonly string[]
  /** r001: one that waits for a verdict. */
  candidate?: string
  /** False: it does not hold in general. */
  keep?: boolean
  why?: string
}

/** What a model said changes the facts, or a sentence says why not. */
export type Proposed = { facts: Facts; id: string; said: string } | { refused: string }

type Proposer = 'agent' | 'headless'

/** More wait for no user. */
const MAX_WAITING = 40

/** Texts are redacted already. `saidAbout` looks its places up. */
export function decideProposal(
  facts: Facts,
  given: RuleProposal,
  saidAbout: (candidate: Recurring) => readonly SaidAgain[],
  by: Proposer,
  now: string,
): Proposed {
  const kind = given.kind === undefined ? null : PERMANENT_KINDS.find((one) => one === given.kind)
  const isJudged = given.candidate !== undefined
  const done =
    kind === undefined && !(isJudged && given.keep === false)
      ? `Refused: "${textOnOneLine(given.kind ?? '')}" is no kind. The kinds are ${PERMANENT_KINDS.join(', ')}.`
      : isJudged
        ? judge(facts, given, kind ?? null, by, now)
        : propose(facts, given, kind ?? null, saidAbout, by, now)
  return typeof done === 'string' ? { refused: done } : done
}

type Change = Exclude<Proposed, { refused: string }>

/** A verdict on what code proposed. The user's yes is still needed. `kind`: null where the code decides. */
function judge(
  facts: Facts,
  given: RuleProposal,
  kind: PermanentKind | null,
  by: Proposer,
  now: string,
): Change | string {
  const key = given.candidate?.trim().toLowerCase() ?? ''
  const item = findPermanent(facts, key) ?? proposedIn(facts).find((one) => one.facts.includes(key)) ?? null
  if (item === null) {
    const ids = proposedIn(facts).map(({ id }) => id)
    const waiting = ids.length === 0 ? 'None waits for a verdict.' : `These wait: ${ids.join(', ')}.`
    return `There is no candidate ${textOnOneLine(key)}. ${waiting}`
  }
  const { id } = item
  if (item.status !== 'proposed') return `${id} is ${item.status} already: there is nothing to judge.`
  if (item.askedAt !== undefined) return `The user was asked about ${id}: it waits for their word.`
  const judged = { by, at: now, why: textOnOneLine(given.why ?? '') || null, other: null }
  if (given.keep === false)
    return {
      facts: judgePermanent(facts, id, 'declined', judged),
      id,
      said: `${id} is declined: it is told to nobody.`,
    }
  const text = given.text ? cleanRule(given.text) : item.text
  const wrong = text === item.text ? null : (whyNotRule(text) ?? whyNotGrounded(text, item.evidence))
  if (wrong !== null) return wrong
  const to = { text, ...(kind === null ? {} : { kind }) }
  return {
    facts: judgePermanent(facts, id, 'proposed', judged, to),
    id,
    said: waits(`${id} is kept as a proposal`, id, text),
  }
}

function propose(
  facts: Facts,
  given: RuleProposal,
  kind: PermanentKind | null,
  saidAbout: (candidate: Recurring) => readonly SaidAgain[],
  by: Proposer,
  now: string,
): Change | string {
  const text = cleanRule(given.text ?? '')
  const wrong = whyNotRule(text)
  if (wrong !== null) return wrong
  const proving = provingFacts(facts, given.facts ?? [])
  if (typeof proving === 'string') return proving
  const candidate: Recurring = { ...candidateOf(proving), text }
  const known = knownAs(facts.permanent, candidate)
  if (known !== null) return whyKnown(known)
  const proofs = saidAbout(candidate).filter(({ by: speaker }) => speaker !== 'tool')
  const ungrounded = proofs.length === 0 ? NOBODY_SAID : whyNotGrounded(text, proofs)
  if (ungrounded !== null) return ungrounded
  if (proposedIn(facts).length >= MAX_WAITING) return 'Too many proposals wait for the user already. Propose it later.'
  const id = nextPermanentId(facts.permanent)
  const item = proposalOf(candidate, text, proofs, by, now)
  const added = addPermanent(facts, kind ?? kindFor(candidate.kind, proofs), item)
  return { facts: added, id, said: waits(`Proposed as ${id}`, id, text) }
}

function waits(what: string, id: string, text: string): string {
  return `${what}: "${text}". It holds once the user types: /memory-keeper:run rules accept ${id}`
}

/** An instruction that a model found in a session, with the user's own words. */
interface Instruction {
  text: string
  said: SaidAgain
}

/**
 * It becomes a proposed rule, or another place of a known one; a known one whose quotes come from enough sessions becomes
 * active in the user's newest words. A declined or superseded one stays as it is.
 */
export function takeInstruction(
  facts: Facts,
  { text: given, said }: Instruction,
  by: Proposer,
  { now, promoteAfter }: { now: string; promoteAfter: number },
): Facts {
  const worded = cleanRule(given)
  const text = whyNotRule(worded) === null && whyNotGrounded(worded, [said]) === null ? worded : cleanRule(said.quote)
  const known = knownAs(facts.permanent, { text, facts: [] }) ?? provenBy(facts, said.quote)
  if (known?.status === 'declined' || known?.status === 'superseded' || said.by !== 'user') return facts
  if (known === null) {
    const origin = { facts: [], concept: null, lastAt: said.at }
    const isFull = proposedIn(facts).length >= MAX_WAITING
    return isFull ? facts : addPermanent(facts, 'rules', proposalOf(origin, text, [said], by, now))
  }
  const again = changePermanent(facts, known.id, useAgain(known, said.at, [said], []))
  const evidence = findPermanent(again, known.id)?.evidence ?? []
  const own = evidence.filter(({ quote }) => isSameFact(quote, said.quote))
  // Evidence of an item with facts, or of an earlier version, may be somebody else's words.
  const isUsers = known.facts.length === 0 && known.from === undefined
  if (known.status !== 'proposed' || !isUsers || sessionsOf(own) < promoteAfter) return again
  return judgePermanent(again, known.id, 'active', byCode(now), { text: cleanRule(said.quote) })
}

/** The item that the same words of the user prove; null: none. */
function provenBy(facts: Facts, quote: string): ListedItem | null {
  const items = allPermanent(facts.permanent)
  return items.find(({ evidence }) => evidence.some((one) => isSameFact(one.quote, quote))) ?? null
}

const NOBODY_SAID =
  'Refused: nobody said so. Its facts rest on what a tool, a file or a web page said, and that alone never becomes a rule.'

/** A sentence instead: they prove nothing. */
function provingFacts(facts: Facts, ids: readonly string[]): [Fact, ...Fact[]] | string {
  const known = new Map(allFacts(facts).map((fact) => [fact.id, fact]))
  const named = [...new Set(ids.map((id) => id.trim().toLowerCase()))]
  const missing = named.filter((id) => !known.has(id))
  if (missing.length > 0)
    return `Refused: there is no fact ${missing.map(textOnOneLine).join(', ')}. Name facts that exist, like d001.`
  const [first, ...rest] = named.flatMap((id) => known.get(id) ?? [])
  if (first === undefined) return 'Refused: name the facts that prove it, like d001, or the candidate it is about.'
  const over = [first, ...rest].filter(({ state }) => state === 'superseded' || state === 'rejected')
  if (over.length > 0) return `Refused: ${over.map(({ id, state }) => `${id} is ${state}`).join(', ')}.`
  return [first, ...rest]
}

function whyNotRule(text: string): string | null {
  if (!isRule(text)) return 'Refused: the text is empty.'
  return text.length >= MAX_RULE_CHARS ? `Refused: a rule has fewer than ${MAX_RULE_CHARS} characters.` : null
}

function whyNotGrounded(text: string, said: readonly { quote: string }[]): string | null {
  const invented = findUngrounded(text, said.map(({ quote }) => quote).join('\n'))
  if (invented.length > 0)
    return `Refused: its evidence does not contain ${invented.join(', ')}. Say only what was said.`
  if (isGrounded(text, said)) return null
  return 'Refused: its words are not those of its evidence. Say it as it was said, without adding to it.'
}

function whyKnown({ id, status, text }: PermanentItem): string {
  const said = `"${textOnOneLine(text)}"`
  return {
    active: `${id} says so already and holds: ${said}.`,
    proposed: `${id} says so already and waits for the user: ${said}. To judge it, name it as the candidate.`,
    declined: `Refused: ${id} was declined: ${said}.`,
    superseded: `Refused: ${id} was superseded: ${said}. Only the user brings it back.`,
  }[status]
}
