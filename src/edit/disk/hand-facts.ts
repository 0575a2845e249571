/** Changes of facts by hand, decided: what is typed is checked and redacted; a person's word needs no proof. */
import { refreshConcepts } from '../../knowledge/concept-refresh.ts'
import type { Fact, FactType } from '../../knowledge/fact.ts'
import {
  type Changed,
  editFact,
  type FactEdit,
  pinFact,
  rejectFact,
  reopenIssue,
  resolveIssue,
  reviveFact,
  supersedeFact,
  unpinFact,
} from '../../knowledge/fact-change.ts'
import { FACT_TYPES } from '../../knowledge/fact-draft.ts'
import { findFact, isLive } from '../../knowledge/fact-list.ts'
import { type Added, addOwnFact, type OwnFact } from '../../knowledge/fact-own.ts'
import { allPermanent } from '../../knowledge/permanent.ts'
import type { Store } from '../../memory/disk/store.ts'
import { KeeperError } from '../../platform/error.ts'
import { redactorFor } from '../../redact/redact.ts'
import { count } from '../../text/figures.ts'
import { shown } from '../../text/shown.ts'
import { conceptFor } from './hand-concepts.ts'
import { type Decided, dimLine, type Hand, type HandLine, type HandMemory } from './hand-memory.ts'

/** As it is typed. */
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
  /** `other`: the fact in its place. */
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

/** A fact is injected into later sessions: longer texts belong on a page. */
const MAX_CHARS = 500

/** Of an issue. */
export const STATUSES = ['open', 'resolved'] as const

type Config = Pick<Store, 'config'>

/** What became of the memory; `is`: for programs. */
interface Made extends Pick<HandMemory, 'facts'> {
  concepts?: HandMemory['concepts']
  fact: Fact
  is?: string
  /** In the place of the usual line. */
  lines?: HandLine[]
  said?: string
}

export function decideFact(store: Config, memory: HandMemory, change: FactChange, hand: Hand): Decided {
  const redact = redactorFor(store.config)
  let secrets = 0
  const typed = (text: string): string => {
    const done = redact(text)
    secrets += done.count
    return done.text.replace(/[\p{Cc}\s]+/gu, ' ').trim()
  }
  const {
    facts,
    concepts = memory.concepts,
    fact,
    is = 'changed',
    said = '',
    lines,
  } = make(store, memory, change, hand, typed)
  // A pin says nothing new, and thousands of facts take their time.
  const isPin = change.do === 'pin' || change.do === 'unpin'
  return {
    memory: { ...memory, facts, concepts: isPin ? concepts : refreshConcepts(concepts, facts) },
    what: `${change.do.replace('-fact', '')} ${fact.id}`,
    lines: [
      { text: `${fact.id} ${fact.text}`, head: fact.id },
      ...(lines ?? [dimLine(`${hand.isDryRun ? 'would be ' : ''}${said}`)]),
      ...(isLive(fact) ? [] : grownLines(memory.facts, fact)),
      ...(secrets > 0 ? [dimLine(`${count(secrets, 'secret')} redacted.`)] : []),
    ],
    json: { is, fact, dryRun: hand.isDryRun === true },
  }
}

/** A fact that holds no more leaves the permanent memory that grew from it as it is. */
function grownLines({ permanent }: HandMemory['facts'], { id }: Fact): HandLine[] {
  return allPermanent(permanent)
    .filter(({ status, facts }) => status === 'active' && facts.includes(id))
    .map((item) =>
      dimLine(`${item.id} grew from it and still holds. To retire it: memory-keeper rules remove ${item.id}`),
    )
}

type Typed = (text: string) => string

function make(store: Config, memory: HandMemory, change: FactChange, hand: Hand, typed: Typed): Made {
  const { facts } = memory
  const judged = { by: hand.by, at: hand.now, why: null, other: null }
  switch (change.do) {
    case 'add-fact':
      return add(store, memory, change, hand, typed)
    case 'edit-fact':
      return edit(store, memory, change, hand, typed)
    case 'resolve': {
      const before = findFact(facts, change.id)
      const resolution = optional(typed(change.resolution ?? ''))
      return { ...done(resolveIssue(facts, change.id, resolution, judged)), said: resolvedAs(before) }
    }
    case 'reopen':
      return { ...done(reopenIssue(facts, change.id, judged)), said: 'open again' }
    case 'reject': {
      const why = optional(typed(change.why ?? ''))
      const said = 'rejected: it is not told any more, also when it is said again'
      return { ...done(rejectFact(facts, change.id, { ...judged, why })), said }
    }
    case 'supersede': {
      const verdict = { ...judged, why: optional(typed(change.why ?? '')), other: change.other }
      return { ...done(supersedeFact(facts, change.id, verdict)), said: `superseded by ${change.other}` }
    }
    case 'restore':
      return { ...done(reviveFact(facts, change.id, judged)), said: 'back: it holds again' }
    case 'pin':
      return { ...done(pinFact(facts, change.id)), said: 'pinned: every session is told of it first' }
    case 'unpin':
      return { ...done(unpinFact(facts, change.id)), said: 'pinned no more' }
  }
}

function add(store: Config, memory: HandMemory, change: AddFact, hand: Hand, typed: Typed): Made {
  const { concept } = change
  const text = sentence(typed(change.text), 'A fact')
  const type = typeOf(change.type)
  const { concepts } = memory
  const named = concept === undefined ? { concepts, id: null } : conceptFor(store, concepts, concept)
  const own: OwnFact = {
    type,
    text,
    reason: optional(typed(change.reason ?? '')),
    files: filesOf(change.files ?? [], typed),
    concept: named.id,
    ...statusOf(type, change.status, optional(typed(change.resolution ?? ''))),
    ...(change.isAnyway ? ({ anyway: true } as const) : {}),
  }
  const added = addOwnFact(memory.facts, own, hand.now, hand.by)
  return { ...added, concepts: named.concepts, lines: [dimLine(addedAs(added, hand))] }
}

function addedAs({ is, fact }: Added, { isDryRun, by }: Hand): string {
  const isNow = isDryRun ? 'would be' : 'is'
  switch (is) {
    case 'added':
      return `${isDryRun ? 'would be ' : ''}added; it is ${fact.author === 'user' ? 'your own word' : 'Claude’s word, not yours'}`
    case 'known':
      return `is there already${by === 'agent' ? '' : `; it ${isDryRun ? 'would count' : 'counts'} as said again`}. For another one: --anyway`
    case 'restored':
      return `was rejected; it ${isNow} back`
    case 'resolved':
      return `was open; it ${isNow} resolved: ${fact.resolution ?? ''}`
    case 'rejected':
      throw new KeeperError(
        'not-yours',
        `${fact.id} was rejected, and only the user brings it back. Ask them to type: /memory-keeper:run facts restore ${fact.id}`,
      )
  }
}

function edit(
  store: Config,
  memory: HandMemory,
  { id, text, reason, files, concept }: Extract<FactChange, { do: 'edit-fact' }>,
  { by, now }: Hand,
  typed: Typed,
): Made {
  if ([text, reason, files, concept].every((one) => one === undefined)) {
    throw new KeeperError(
      'usage',
      `Say what changes: memory-keeper facts edit ${shown(id)} --text "…" (or --reason, --file, --concept)`,
    )
  }
  const named = concept === undefined ? null : conceptFor(store, memory.concepts, concept)
  const asked: FactEdit = {
    ...(text === undefined ? {} : { text: sentence(typed(text), 'A fact', `facts edit ${shown(id)} --text`) }),
    ...(reason === undefined ? {} : { reason: optional(typed(reason)) }),
    ...(files === undefined ? {} : { files: filesOf(files, typed) }),
    ...(named === null ? {} : { concept: named.id }),
  }
  const edited = done(editFact(memory.facts, id, asked, { by, at: now, why: null, other: null }))
  return { ...edited, ...(named === null ? {} : { concepts: named.concepts }), said: 'changed' }
}

function done(changed: Changed): Pick<Made, 'facts' | 'fact'> {
  if (changed.is === 'changed') return { facts: changed.facts, fact: changed.fact }
  throw new KeeperError(changed.code, shown(changed.problem))
}

function resolvedAs(before: Fact | null): string {
  if (before === null || before.status === 'open') return 'resolved'
  return `resolved already; the resolution was updated${before.resolution === null ? '' : `, it was: ${before.resolution}`}`
}

/** `command`: for the example. */
function sentence(text: string, what: string, command = 'facts add decision'): string {
  if (!/\p{L}/u.test(text))
    throw new KeeperError('usage', `${what} needs words: memory-keeper ${command} "We deploy on Tuesdays only."`)
  if (text.length <= MAX_CHARS) return text
  throw new KeeperError(
    'usage',
    `${what} has at most ${MAX_CHARS} characters, this one ${text.length}: it is told to later sessions. Longer texts belong on a page: memory-keeper page set decisions --append --text "…"`,
  )
}

function optional(text: string): string | null {
  if (text.length > MAX_CHARS) sentence(text, 'A reason or resolution')
  return text === '' ? null : text
}

function filesOf(given: readonly string[], typed: Typed): string[] {
  return given.map(typed).filter((one) => one !== '')
}

function typeOf(given: string): FactType {
  const type = FACT_TYPES.find((one) => one === given.trim().toLowerCase())
  if (type !== undefined) return type
  throw new KeeperError(
    'usage',
    `A fact is a decision, a pattern or an issue: memory-keeper facts add decision "…". "${shown(given)}" is none of them.`,
  )
}

function statusOf(
  type: FactType,
  status: string | undefined,
  resolution: string | null,
): Pick<OwnFact, 'status' | 'resolution'> {
  const known = STATUSES.find((one) => one === status)
  const problem =
    type !== 'issue' && (status !== undefined || resolution !== null)
      ? `Only issues are open or resolved: --status and --resolution do not go with a ${type}.`
      : status !== undefined && known === undefined
        ? `--status takes ${STATUSES.join(' or ')}; "${shown(status)}" is neither.`
        : known === 'open' && resolution !== null
          ? 'An open issue has no resolution yet: leave out --resolution, or say --status resolved.'
          : null
  if (problem !== null) throw new KeeperError('usage', problem)
  if (type !== 'issue') return { status: null, resolution: null }
  return { status: known ?? (resolution === null ? 'open' : 'resolved'), resolution }
}
