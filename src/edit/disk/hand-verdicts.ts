/** Verdicts by hand, decided: an instruction that becomes a rule, a proposal that holds for good, something taken back. */

import { findItem, judgeItem, type PermanentVerdict, type Promotion, promote } from '../../knowledge/disk/permanent.ts'
import { PERMANENT_KINDS } from '../../knowledge/permanent.ts'
import { KIND_NAMES } from '../../outgoing/disk/hand-facts-said.ts'
import { judgeStanding, type Standing } from '../../outgoing/standing-list.ts'
import type { HandMemory } from '../../outgoing/undo-things.ts'
import { cleanRule, isRule } from '../../pages/rule.ts'
import { KeeperError } from '../../platform/error.ts'
import { redactorFor } from '../../redact/redact.ts'
import { shown } from '../../text/shown.ts'
import { type Decided, dimLine, type Hand } from './hand-line.ts'
import { addRule, type HandPlaces, rulesIn } from './hand-rules.ts'

export type VerdictChange =
  /** An instruction (t001) becomes a rule, a proposal (r001) holds for good. */
  | { do: 'accept'; id: string; text?: string }
  | { do: 'decline'; id: string }
  /** A fact, an instruction or a proposal holds for good. */
  | { do: 'promote'; id: string; kind?: string; text?: string }
  | { do: 'demote'; id: string; why?: string }

export function decideVerdict(memory: HandMemory, change: VerdictChange, hand: Hand, places: HandPlaces): Decided {
  const redact = (text: string): string => redactorFor(places.config)(text).text
  switch (change.do) {
    case 'accept': {
      if (!isPermanentId(change.id)) return acceptStanding(memory, change, hand, places)
      const { id } = findItem(memory, change.id)
      return holding(promote(memory, promotion({ ...change, id }, redact), hand.now), hand, 'accept')
    }
    case 'decline':
      return isPermanentId(change.id)
        ? verdict(judgeItem(memory, change.id, 'declined', null, hand.now), hand, 'decline', DECLINED)
        : declineStanding(memory, change.id, hand, redact)
    case 'promote':
      return holding(promote(memory, promotion(change, redact), hand.now), hand, 'promote')
    case 'demote': {
      const { status, id } = findItem(memory, change.id)
      if (status !== 'active') throw new KeeperError('not-active', `${id} is ${status}: it holds for nobody.`)
      const why = change.why === undefined ? null : redact(change.why)
      return verdict(judgeItem(memory, id, 'superseded', why, hand.now), hand, 'demote', ENDED)
    }
  }
}

function acceptStanding(
  memory: HandMemory,
  { id: given, text }: { id: string; text?: string },
  hand: Hand,
  places: HandPlaces,
): Decided {
  const one = candidate(memory, given)
  const added = addRule(memory, text ?? one.text, hand, places)
  const standing = judgeStanding(memory.standing, one.id, 'accepted') ?? memory.standing
  return { ...added, memory: { ...added.memory, standing }, what: `accept ${one.id}` }
}

function declineStanding(memory: HandMemory, given: string, hand: Hand, redact: (text: string) => string): Decided {
  const { id, text } = candidate(memory, given)
  const asRule = cleanRule(redact(text)).toLowerCase()
  const at = rulesIn(memory).findIndex((rule) => rule.toLowerCase() === asRule)
  // Declined, it would be told with every prompt all the same.
  if (at >= 0)
    throw new KeeperError(
      'is-rule',
      `${id} is rule ${at + 1}: ${shown(text)}\nTo have it told no more, remove the rule first: memory-keeper rules remove ${at + 1}`,
    )
  return {
    memory: { ...memory, standing: judgeStanding(memory.standing, id, 'declined') ?? memory.standing },
    what: `decline ${id}`,
    lines: [
      { text: `${hand.isDryRun ? 'Would decline' : 'Declined'}: ${text}` },
      dimLine('It is not told any more, also when you say it again.'),
    ],
    json: { id, text, status: 'declined', dryRun: hand.isDryRun === true },
  }
}

function candidate({ standing }: HandMemory, given: string): Standing {
  const id = given.trim().toLowerCase()
  const found = standing.standing.find((one) => one.id === id)
  if (found !== undefined) return found
  throw new KeeperError(
    'not-found',
    `There is no candidate ${shown(given)}. memory-keeper rules candidates lists them.`,
  )
}

export function isPermanentId(id: string): boolean {
  return /^\s*r\d+\s*$/i.test(id)
}

interface Words {
  did: string
  would: string
  /** Where it was so before. */
  still?: string
}

const HOLDS: Words = { did: 'Holds from now on', would: 'Would hold', still: 'Still holds, and counts as used now' }
const DECLINED: Words = { did: 'Declined', would: 'Would decline' }
const ENDED: Words = { did: 'Holds no more', would: 'Would hold no more' }

function holding(done: PermanentVerdict, hand: Hand, act: string): Decided {
  const decided = verdict(done, hand, act, HOLDS)
  const more = dimLine(
    'It is told when a session begins. To have it told with every prompt: memory-keeper rules add "…"',
  )
  return { ...decided, lines: [...decided.lines, more] }
}

function verdict(
  { item, was, memory }: PermanentVerdict,
  hand: Hand,
  act: string,
  { did, would, still = did }: Words,
): Decided {
  const words = hand.isDryRun ? would : was === item.status ? still : did
  return {
    memory,
    what: `${act} ${item.id}`,
    lines: [{ text: `${words}: ${item.id} ${KIND_NAMES[item.kind]}: ${item.text}` }],
    json: { ...item, dryRun: hand.isDryRun === true },
  }
}

function promotion(
  { id, text, kind }: { id: string; text?: string; kind?: string },
  redact: (text: string) => string,
): Promotion {
  const words = text === undefined ? undefined : cleanRule(redact(text))
  if (words !== undefined && !isRule(words)) throw new KeeperError('usage', '--text needs words.')
  const known = PERMANENT_KINDS.find((one) => one === kind)
  if (kind !== undefined && known === undefined)
    throw new KeeperError('usage', `--kind takes ${PERMANENT_KINDS.join(', ')}, not ${shown(kind)}.`)
  return { id, ...(known === undefined ? {} : { kind: known }), ...(words === undefined ? {} : { text: words }) }
}
