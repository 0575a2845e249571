/** A model's proposal of a rule, or its judgement of a proposal: checked against the sessions, and never more than a proposal. */

import { visibleLine } from '../../kernel/text/memory-words.ts'
import { findUngrounded } from '../grounding/grounding.ts'
import { cleanRule, isRule, MAX_RULE_CHARS } from '../pages/rule.ts'
import { type Fact, isLive, kindOfItem, PERMANENT_KINDS, type PermanentItem, type PermanentKind } from './item.ts'
import { allFacts, allPermanent, findPermanent, type Items, isSameFact } from './items.ts'
import { addPermanent, changePermanent, proposedIn, sessionsOf, useAgain } from './permanent.ts'
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
  /** Not needed if a candidate is only judged. */
  text?: string | undefined
  kind?: string | undefined
  /** The facts that prove it, such as d001, p002. */
  facts?: readonly string[] | undefined
  /** The pending candidate (r001) to judge. */
  candidate?: string | undefined
  /** False: it does not hold in general. */
  keep?: boolean | undefined
  why?: string | undefined
}

/** The changed facts, or the reason for the refusal. */
export type Proposed = { facts: Items; id: string; said: string } | { refused: string }

type Proposer = 'agent' | 'headless'

export interface Proposing {
  facts: Items
  /** Its texts are already redacted. */
  given: RuleProposal
  /** ReadTrace up the places of a candidate. */
  saidAbout: (candidate: Recurring) => readonly SaidAgain[]
  by: Proposer
  now: string
}

/** The maximum number of proposals that wait for the user. */
const MAX_WAITING = 40

export function decideProposal(about: Proposing): Proposed {
  const { given } = about
  const kind = kindOfItem(PERMANENT_KINDS, given.kind)
  if (kind === undefined && given.kind !== undefined && given.keep !== false)
    return refuse(`"${visibleLine(given.kind)}" is no kind. The kinds are ${Object.keys(PERMANENT_KINDS).join(', ')}.`)
  return given.candidate === undefined ? propose(about, kind) : judge(about, given.candidate, kind)
}

function refuse(why: string): { refused: string } {
  return { refused: `Refused: ${why}` }
}

/** A verdict on a proposal of code. The user must still approve it. */
function judge({ facts, given, by, now }: Proposing, candidate: string, kind: PermanentKind | undefined): Proposed {
  const key = candidate.trim().toLowerCase()
  const waiting = proposedIn(facts)
  const item = findPermanent(facts, key) ?? waiting.find((one) => one.facts.includes(key)) ?? null
  if (item === null) {
    const ids = waiting.map(({ id }) => id).join(', ')
    const next = ids === '' ? 'None waits for a verdict.' : `These wait: ${ids}.`
    return { refused: `There is no candidate ${visibleLine(key)}. ${next}` }
  }
  const { id, state, askedAt, evidence } = item
  if (state !== 'proposed') return { refused: `${id} is ${state} already: there is nothing to judge.` }
  if (askedAt !== undefined) return { refused: `The user was asked about ${id}: it waits for their word.` }
  const judged = { by, at: now, why: visibleLine(given.why ?? '') || null, other: null }
  const isKept = given.keep !== false
  const text = isKept && given.text ? cleanRule(given.text) : item.text
  const wrong = text === item.text ? null : (whyNotRule(text) ?? whyNotGrounded(text, evidence))
  if (wrong !== null) return refuse(wrong)
  const to = { text, ...(kind === undefined ? {} : { kind }) }
  return isKept
    ? { facts: changePermanent(facts, id, { ...to, judged }), id, said: waits(`${id} is kept as a proposal`, id, text) }
    : {
        facts: changePermanent(facts, id, { state: 'declined', judged }),
        id,
        said: `${id} is declined: it is told to nobody.`,
      }
}

function propose({ facts, given, saidAbout, by, now }: Proposing, kind: PermanentKind | undefined): Proposed {
  const text = cleanRule(given.text ?? '')
  const wrong = whyNotRule(text)
  if (wrong !== null) return refuse(wrong)
  const proving = provingFacts(facts, given.facts ?? [])
  if (typeof proving === 'string') return refuse(proving)
  const candidate: Recurring = { ...candidateOf(proving), text }
  const known = knownAs(facts, candidate)
  if (known !== null) return { refused: whyKnown(known) }
  const proofs = saidAbout(candidate).filter(({ by: speaker }) => speaker !== 'tool')
  const ungrounded = proofs.length === 0 ? NOBODY_SAID : whyNotGrounded(text, proofs)
  if (ungrounded !== null) return refuse(ungrounded)
  if (isFull(facts)) return { refused: 'Too many proposals wait for the user already. Propose it later.' }
  const ofKind = { ...candidate, kind: kind ?? kindFor(candidate.kind, proofs) }
  const { items, item } = addPermanent(facts, proposalOf(ofKind, text, proofs, by, now))
  return { facts: items, id: item.id, said: waits(`Proposed as ${item.id}`, item.id, text) }
}

function isFull(facts: Items): boolean {
  return proposedIn(facts).length >= MAX_WAITING
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
 * Adds a proposed rule, or another place to a known one; a known one whose quotes come from enough sessions becomes
 * active in the user's newest words. A declined or superseded one stays unchanged.
 */
export function takeInstruction(
  facts: Items,
  { text: given, said }: Instruction,
  by: Proposer,
  { now, promoteAfter }: { now: string; promoteAfter: number },
): Items {
  const worded = cleanRule(given)
  const text = whyNotRule(worded) === null && whyNotGrounded(worded, [said]) === null ? worded : cleanRule(said.quote)
  const known = knownAs(facts, { text, facts: [] }) ?? provenBy(facts, said.quote)
  if (known?.state === 'declined' || known?.state === 'superseded') return facts
  if (said.by !== 'user' && said.quoted !== true) return facts
  if (known === null) {
    const origin = { kind: 'rules', facts: [], concept: null, lastAt: said.at } as const
    return isFull(facts)
      ? facts
      : addPermanent(facts, proposalOf({ ...origin, facts: [] }, text, [said], by, now)).items
  }
  const again = changePermanent(facts, known.id, useAgain(known, said.at, [said], []))
  const evidence = findPermanent(again, known.id)?.evidence ?? []
  const own = evidence.filter(({ quote, quoted }) => quoted !== true && isSameFact(quote, said.quote))
  // The evidence of an item with facts, or of an earlier version, may be someone else's words.
  const isUsers = known.facts.length === 0 && known.from === undefined
  if (known.state !== 'proposed' || !isUsers || sessionsOf(own) < promoteAfter) return again
  return changePermanent(again, known.id, { text: cleanRule(said.quote), state: 'active', judged: byCode(now) })
}

/** The item that the same words of the user prove; null: none. */
function provenBy(facts: Items, quote: string): PermanentItem | null {
  const items = allPermanent(facts)
  return items.find(({ evidence }) => evidence.some((one) => isSameFact(one.quote, quote))) ?? null
}

const NOBODY_SAID =
  'nobody said so. Its facts rest on what a tool, a file or a web page said, and that alone never becomes a rule.'

/** Returns a sentence if the facts prove nothing. */
function provingFacts(facts: Items, ids: readonly string[]): [Fact, ...Fact[]] | string {
  const known = new Map(allFacts(facts).map((fact) => [fact.id, fact]))
  const named = [...new Set(ids.map((id) => id.trim().toLowerCase()))]
  const missing = named.filter((id) => !known.has(id)).map(visibleLine)
  if (missing.length > 0) return `there is no fact ${missing.join(', ')}. Name facts that exist, like d001.`
  const all = named.flatMap((id) => known.get(id) ?? [])
  const over = all.filter((fact) => !isLive(fact)).map(({ id, state }) => `${id} is ${state}`)
  if (over.length > 0) return `${over.join(', ')}.`
  const [first, ...rest] = all
  return first === undefined
    ? 'name the facts that prove it, like d001, or the candidate it is about.'
    : [first, ...rest]
}

function whyNotRule(text: string): string | null {
  if (!isRule(text)) return 'the text is empty.'
  return text.length >= MAX_RULE_CHARS ? `a rule has fewer than ${MAX_RULE_CHARS} characters.` : null
}

function whyNotGrounded(text: string, said: readonly { quote: string }[]): string | null {
  const invented = findUngrounded(text, said.map(({ quote }) => quote).join('\n'))
  if (invented.length > 0) return `its evidence does not contain ${invented.join(', ')}. Say only what was said.`
  if (isGrounded(text, said)) return null
  return 'its words are not those of its evidence. Say it as it was said, without adding to it.'
}

function whyKnown({ id, state, text }: PermanentItem): string {
  const said = `"${visibleLine(text)}"`
  return {
    active: `${id} says so already and holds: ${said}.`,
    proposed: `${id} says so already and waits for the user: ${said}. To judge it, name it as the candidate.`,
    declined: `Refused: ${id} was declined: ${said}.`,
    superseded: `Refused: ${id} was superseded: ${said}. Only the user brings it back.`,
  }[state]
}
