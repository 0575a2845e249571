/** Changes of facts by hand, decided: what a person says needs no proof, and what grew from a fact follows it. */
import { refreshConcepts } from '../../knowledge/concept-refresh.ts'
import type { Fact, Facts } from '../../knowledge/fact.ts'
import {
  editFact,
  type FactEdit,
  rejectFact,
  reopenIssue,
  resolveIssue,
  reviveFact,
  supersedeFact,
} from '../../knowledge/fact-change.ts'
import { findFact } from '../../knowledge/fact-list.ts'
import { addOwnFact, type OwnFact } from '../../knowledge/fact-own.ts'
import type { Judged } from '../../knowledge/judged.ts'
import type { Store } from '../../memory/disk/store.ts'
import { againstIt, followedIds, followedLines, saidAdded, saidAgainst } from '../../outgoing/disk/hand-facts-said.ts'
import { followFacts } from '../../outgoing/permanent-follow.ts'
import type { HandMemory } from '../../outgoing/undo-things.ts'
import { KeeperError } from '../../platform/error.ts'
import { shown } from '../../text/shown.ts'
import { pinFact, unpinFact } from '../pin.ts'
import { about, changedOr, type Decided, dimLine, type Hand, type HandLine } from './hand-line.ts'
import { conceptFor, filesOf, optional, sentence, statusOf, typeOf, typing } from './hand-typed.ts'

/** As it is typed: all of it is checked here, and secrets are taken out. */
export type FactChange =
  | AddFact
  | {
      do: 'edit-fact'
      id: string
      text?: string
      reason?: string
      /** All of them. */
      files?: readonly string[]
      concept?: string
    }
  | { do: 'resolve'; id: string; resolution?: string }
  | { do: 'reopen' | 'restore' | 'pin' | 'unpin'; id: string }
  | { do: 'reject'; id: string; why?: string }
  /** `other`: what stands in its place. */
  | { do: 'supersede'; id: string; other: string; why?: string }

interface AddFact {
  do: 'add-fact'
  /** decision, pattern or issue. */
  type: string
  text: string
  reason?: string
  files?: readonly string[]
  concept?: string
  status?: string
  resolution?: string
  /** Though another one seems to say the same. */
  isAnyway?: boolean
}

/** What became of the memory, before what follows from it. */
interface Made {
  memory: HandMemory
  fact: Fact
  is?: string
  lines: HandLine[]
  against?: ReturnType<typeof againstIt>
}

type Config = Pick<Store, 'config'>

export function decideFact(store: Config, memory: HandMemory, change: FactChange, hand: Hand): Decided {
  const made = make(store, memory, change, hand)
  const judged = byHand(hand)
  const followed = followFacts(memory.facts, made.memory.facts, memory.standing.standing, judged)
  const { facts } = followed
  const { fact, is = 'changed', against } = made
  // A pin says nothing new, and thousands of facts take their time.
  const isPin = change.do === 'pin' || change.do === 'unpin'
  const { concepts } = made.memory
  return {
    memory: { ...made.memory, facts, concepts: isPin ? concepts : refreshConcepts(concepts, facts) },
    what: `${change.do === 'add-fact' ? 'add' : change.do === 'edit-fact' ? 'edit' : change.do} ${fact.id}`,
    lines: [...made.lines, ...followedLines(followed, hand)],
    json: {
      is,
      fact,
      ...(against === undefined ? {} : { against }),
      permanent: followedIds(followed),
      dryRun: hand.isDryRun === true,
    },
  }
}

function make(store: Config, memory: HandMemory, change: FactChange, hand: Hand): Made {
  const { facts } = memory
  const judged = byHand(hand)
  const { typed, redacted } = typing(store)
  switch (change.do) {
    case 'add-fact':
      return add(store, memory, change, hand)
    case 'edit-fact':
      return edit(store, memory, change, hand)
    case 'resolve': {
      const resolution = optional(typed(change.resolution ?? ''))
      const done = changedOr(resolveIssue(facts, change.id, resolution, judged))
      return said(memory, done, resolvedAs(findFact(facts, done.fact.id)), hand, redacted)
    }
    case 'reopen':
      return said(memory, changedOr(reopenIssue(facts, change.id, judged)), 'open again', hand)
    case 'reject': {
      const why = optional(typed(change.why ?? ''))
      const done = changedOr(rejectFact(facts, change.id, { ...judged, why }))
      return said(memory, done, 'rejected: it is not told any more, also when it is said again', hand, redacted)
    }
    case 'supersede': {
      const why = optional(typed(change.why ?? ''))
      const done = changedOr(supersedeFact(facts, change.id, { ...judged, why, other: change.other }))
      return said(memory, done, `superseded by ${change.other}`, hand, redacted)
    }
    case 'restore':
      return said(memory, changedOr(reviveFact(facts, change.id, judged)), 'back: it holds again', hand)
    case 'pin':
      return said(memory, changedOr(pinFact(facts, change.id)), 'pinned: every session is told of it first', hand)
    case 'unpin':
      return said(memory, changedOr(unpinFact(facts, change.id)), 'pinned no more', hand)
  }
}

function add(store: Config, memory: HandMemory, change: AddFact, hand: Hand): Made {
  const { own, redacted } = ownFactOf(store, change)
  const { concept } = change
  const named =
    concept === undefined ? { concepts: memory.concepts, id: null } : conceptFor(store, memory.concepts, concept)
  const added = addOwnFact(memory.facts, { ...own, concept: named.id }, hand.now, hand.by)
  return {
    memory: { ...memory, facts: added.facts, concepts: named.concepts },
    fact: added.fact,
    is: added.is,
    lines: [...saidAdded(added, hand), ...saidAgainst(added, hand), ...redacted()],
    against: againstIt(added),
  }
}

/** Checked; its concept is found when it is added. */
function ownFactOf(store: Config, change: AddFact): { own: Omit<OwnFact, 'concept'>; redacted: () => HandLine[] } {
  const { typed, redacted } = typing(store)
  const text = sentence(typed(change.text), 'A fact')
  const type = typeOf(change.type)
  const own = {
    type,
    text,
    reason: optional(typed(change.reason ?? '')),
    files: filesOf(change.files ?? [], typed),
    ...statusOf(type, change.status, optional(typed(change.resolution ?? ''))),
    ...(change.isAnyway ? ({ anyway: true } as const) : {}),
  }
  return { own, redacted }
}

function edit(
  store: Config,
  memory: HandMemory,
  { id, text, reason, files, concept }: Extract<FactChange, { do: 'edit-fact' }>,
  hand: Hand,
): Made {
  if ([text, reason, files, concept].every((one) => one === undefined)) {
    throw new KeeperError(
      'usage',
      `Say what changes: memory-keeper facts edit ${shown(id)} --text "…" (or --reason, --file, --concept)`,
    )
  }
  const { typed, redacted } = typing(store)
  const named = concept === undefined ? null : conceptFor(store, memory.concepts, concept)
  const asked: FactEdit = {
    ...(text === undefined ? {} : { text: sentence(typed(text), 'A fact', `facts edit ${shown(id)} --text`) }),
    ...(reason === undefined ? {} : { reason: optional(typed(reason)) }),
    ...(files === undefined ? {} : { files: filesOf(files, typed) }),
    ...(named === null ? {} : { concept: named.id }),
  }
  const done = changedOr(editFact(memory.facts, id, asked, byHand(hand)))
  return said({ ...memory, concepts: named?.concepts ?? memory.concepts }, done, 'changed', hand, redacted)
}

function said(
  memory: HandMemory,
  { facts, fact }: { facts: Facts; fact: Fact },
  what: string,
  { isDryRun }: Hand,
  redacted: () => HandLine[] = () => [],
): Made {
  const lines = [about(fact.id, fact.text), dimLine(`${isDryRun ? 'would be ' : ''}${what}`), ...redacted()]
  return { memory: { ...memory, facts }, fact, lines }
}

function resolvedAs(before: Fact | null): string {
  if (before === null || before.status === 'open') return 'resolved'
  return `resolved already; how is said anew${before.resolution === null ? '' : `, it was: ${before.resolution}`}`
}

function byHand({ by, now }: Hand): Judged {
  return { by, at: now, why: null, other: null }
}
