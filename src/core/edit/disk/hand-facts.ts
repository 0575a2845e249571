/** Changes of facts and concepts by hand: typed text is checked and redacted; a person's statement needs no proof. */

import type { Store } from '../../../kernel/memory/disk/store.ts'
import { KeeperError } from '../../../kernel/platform/error.ts'
import { count } from '../../../kernel/text/figures.ts'
import { dayOf } from '../../../kernel/text/memory-words.ts'
import { shown } from '../../../kernel/text/shorten.ts'
import { addConcept, type Concept, findConcept, mergeConcepts, renameConcept } from '../../knowledge/concept.ts'
import { refreshConcepts } from '../../knowledge/concept-refresh.ts'
import type { Knowledge } from '../../knowledge/disk/knowledge.ts'
import {
  type Added,
  addOwnFact,
  type Changed,
  editFact,
  type OwnFact,
  pinFact,
  rejectFact,
  reopenIssue,
  resolveIssue,
  reviveFact,
  supersedeFact,
  unpinFact,
} from '../../knowledge/fact-change.ts'
import { authorOfFact, FACT_KINDS, type Fact, isLive, type Judged, kindOfItem, withPast } from '../../knowledge/item.ts'
import { filed } from '../../knowledge/item-fields.ts'
import { allFacts, allPermanent, findFact, type Items, replaceItem } from '../../knowledge/items.ts'
import type { Decided, Edit, Hand } from './hand-memory.ts'

/** A fact is injected into later sessions: longer texts belong on a page. */
const MAX_CHARS = 500

interface WithId {
  id: string
}

interface FactFields {
  reason?: string | undefined
  /** Replaces the whole list. */
  files?: readonly string[] | undefined
  /** An id or a name; a new name creates a concept. */
  concept?: string | undefined
}

interface AddFact extends FactFields {
  /** decision, pattern or issue. */
  type: string
  text: string
  /** Add it although another fact seems to say the same. */
  isAnyway?: boolean | undefined
}

/** Reopens a resolved issue; makes a rejected, superseded or stale fact current again. */
const restore = (edit: Edit, { id }: WithId): Decided => {
  const fact = findFact(edit.memory.facts, id)
  if (fact?.status === 'resolved' && isLive(fact))
    return judge(edit, 'reopen', (facts, by) => reopenIssue(facts, id, by), 'open again')
  return judge(edit, 'restore', (facts, by) => reviveFact(facts, id, by), 'restored: it is current again')
}

export const FACT_CHANGES = {
  'add-fact': (edit: Edit, given: AddFact): Decided => {
    const text = sentence(edit.typed(given.text), 'A fact')
    const kind = kindOfItem(FACT_KINDS, given.type.trim().toLowerCase())
    if (kind === undefined)
      throw usage(
        `A fact is a decision, a pattern or an issue: memory-keeper facts add decision "…". "${shown(given.type)}" is none of them.`,
      )
    const { concepts, id } = conceptFor(edit, given.concept)
    const own: OwnFact = {
      kind,
      text,
      reason: optional(edit, given.reason),
      files: filesOf(edit, given.files ?? []),
      concept: id,
      status: null,
      resolution: null,
      ...(given.isAnyway ? ({ anyway: true } as const) : {}),
    }
    const added = addOwnFact(edit.memory.facts, own, edit.hand.now, edit.hand.by)
    return decided(edit, 'add', { ...added, concepts }, added.fact, addedAs(added, edit.hand), added.is)
  },
  'edit-fact': (edit: Edit, { id, text, ...given }: WithId & FactFields & { text?: string | undefined }): Decided => {
    if ([text, given.reason, given.files, given.concept].every((one) => one === undefined))
      throw usage(`Say what changes: memory-keeper edit ${shown(id)} --text "…" (or --reason, --file, --concept)`)
    const named = conceptFor(edit, given.concept)
    const asked = {
      ...(text === undefined ? {} : { text: sentence(edit.typed(text), 'A fact', `edit ${shown(id)} --text`) }),
      ...(given.reason === undefined ? {} : { reason: optional(edit, given.reason) }),
      ...(given.files === undefined ? {} : { files: filesOf(edit, given.files) }),
      ...(named.id === null ? {} : { concept: named.id }),
    }
    return judge(edit, 'edit', (facts, by) => editFact(facts, id, asked, by), 'changed', named.concepts)
  },
  resolve: (edit: Edit, { id, resolution }: WithId & { resolution?: string | undefined }): Decided => {
    const how = optional(edit, resolution)
    const before = findFact(edit.memory.facts, id)
    const was = before?.status === 'resolved' ? ` again; the resolution was: ${before.resolution ?? 'not given'}` : ''
    return judge(edit, 'resolve', (facts, by) => resolveIssue(facts, id, how, by), `resolved${was}`)
  },
  reopen: restore,
  restore,
  /** `other`: the fact that replaces it. */
  reject: (
    edit: Edit,
    { id, other = null, ...given }: WithId & { why?: string | undefined; other?: string | undefined | null },
  ): Decided => {
    const why = optional(edit, given.why)
    if (other !== null)
      return judge(
        edit,
        'supersede',
        (facts, by) => supersedeFact(facts, id, { ...by, why, other }),
        `superseded by ${other}`,
      )
    const said = 'rejected: it is no longer injected, even if it is said again'
    return judge(edit, 'reject', (facts, by) => rejectFact(facts, id, { ...by, why }), said)
  },
  pin: (edit: Edit, { id }: WithId): Decided =>
    judge(edit, 'pin', (facts) => pinFact(facts, id), 'pinned: it comes first in every briefing'),
  unpin: (edit: Edit, { id }: WithId): Decided =>
    judge(edit, 'unpin', (facts) => unpinFact(facts, id), 'pinned no more'),
  'merge-concepts': (edit: Edit, given: { from: string; into: string }): Decided => {
    const { store, memory } = edit
    const from = conceptOf(store, memory, given.from)
    const into = conceptOf(store, memory, given.into)
    if (from.id === into.id)
      throw new KeeperError(
        'same-concept',
        `${shown(given.from)} and ${shown(given.into)} are one concept: ${from.id} ${shown(from.name)}. memory-keeper concepts list shows all of them.`,
      )
    const moved = allFacts(memory.facts).filter(({ concept }) => concept === from.id).length
    const { concepts, facts } = mergeConcepts(memory.concepts, memory.facts, from.id, into.id)
    return {
      after: { facts, concepts: refreshConcepts(concepts, facts) },
      what: `merge ${from.id} into ${into.id}`,
      said: [
        `Moved ${count(moved, 'fact')} from ${from.id} ${from.name} to ${into.id} ${into.name}`,
        `"${from.name}" finds ${into.id} from now on.`,
      ],
      json: { from: from.id, into: into.id, facts: moved },
    }
  },
  'rename-concept': (edit: Edit, given: WithId & { name: string }): Decided => {
    const { store, memory } = edit
    const concept = conceptOf(store, memory, given.id)
    const name = edit.typed(given.name)
    if (name === '') throw usage(`Give the new name: memory-keeper edit ${concept.id} Payments`)
    const taken = memory.concepts.concepts.find(
      (one) => one !== concept && one.name.toLowerCase() === name.toLowerCase(),
    )
    if (taken !== undefined)
      throw new KeeperError(
        'name-taken',
        `${taken.id} is called ${shown(name)}. If they are one: memory-keeper concepts merge ${concept.id} ${taken.id}`,
      )
    return {
      after: { concepts: renameConcept(memory.concepts, concept.id, name) },
      what: `rename ${concept.id}: ${name}`,
      said: [`Called ${concept.id} ${name}; it was ${concept.name}`, 'The old name still finds it.'],
      json: { id: concept.id, name, before: concept.name },
    }
  },
}

/** Said by the user now: from now on it ages like any other fact. */
export function acceptEarlier(edit: Edit, fact: Fact): Decided {
  const { facts, concepts } = edit.memory
  const was = `accepted; it was ${authorOfFact(fact)}${fact.at === '' ? '' : `, of ${dayOf(fact.at)}`}`
  const own: Fact = withPast({ ...fact, by: 'user', at: edit.hand.now }, { by: 'user', at: edit.hand.now }, was)
  const said = 'yours from now on: it is told as your own statement'
  return decided(edit, 'accept', { facts: replaceItem(facts, fact, own), concepts }, own, said)
}

function judge(
  edit: Edit,
  act: string,
  change: (facts: Items, judged: Judged) => Changed,
  said: string,
  concepts = edit.memory.concepts,
): Decided {
  const { by, now } = edit.hand
  const done = change(edit.memory.facts, { by, at: now, why: null, other: null })
  if (done.is === 'refused') throw new KeeperError(done.code, shown(done.problem))
  return decided(edit, act, { facts: done.facts, concepts }, done.fact, said)
}

function decided(
  { memory }: Edit,
  act: string,
  { facts, concepts }: Knowledge,
  fact: Fact,
  said: string,
  is = 'changed',
): Decided {
  return {
    after: { facts, concepts: refreshConcepts(concepts, facts) },
    what: `${act} ${fact.id}`,
    said: [`${fact.id} ${fact.text}`, said, ...(isLive(fact) ? [] : grownLines(memory.facts, fact))],
    json: { is, fact: filed(fact) },
  }
}

/** Rejecting or superseding a fact does not change the permanent items derived from it. */
function grownLines(items: Items, { id }: Fact): string[] {
  return allPermanent(items)
    .filter((item) => isLive(item) && item.facts.includes(id))
    .map((item) => `${item.id} came from it and is still active. To retire it: memory-keeper reject ${item.id}`)
}

function addedAs({ is, fact }: Added, { by }: Hand): string {
  if (is === 'rejected')
    throw new KeeperError(
      'not-yours',
      `${fact.id} was rejected, and only the user can restore it. Ask them to type: /memory-keeper:run restore ${fact.id}`,
    )
  if (is === 'known')
    return `already exists${by === 'agent' ? '' : '; it counts as said again'}. To add it anyway: --anyway`
  if (is === 'restored') return 'was rejected; it is back'
  return `added as ${fact.by === 'user' ? 'your own statement' : 'Claude’s statement, not yours: an audit has to confirm it'}`
}

/** `command`: used in the example. */
function sentence(text: string, what: string, command = 'facts add decision'): string {
  if (!/\p{L}/u.test(text)) throw usage(`${what} needs words: memory-keeper ${command} "We deploy on Tuesdays only."`)
  if (text.length <= MAX_CHARS) return text
  throw usage(
    `${what} has at most ${MAX_CHARS} characters, this one ${text.length}: it is injected into later sessions. Longer texts belong on a page: memory-keeper page set decisions --append --text "…"`,
  )
}

function optional(edit: Edit, given = ''): string | null {
  const text = edit.typed(given)
  if (text.length > MAX_CHARS) sentence(text, 'A reason or resolution')
  return text === '' ? null : text
}

function filesOf(edit: Edit, given: readonly string[]): string[] {
  return given.map(edit.typed).filter((one) => one !== '')
}

function usage(problem: string): KeeperError {
  return new KeeperError('usage', problem)
}

type Configured = Pick<Store, 'config'>
type WithConcepts = Pick<Knowledge, 'concepts'>

/** By its id, a current or former name, or a similar name. */
export function conceptOf({ config }: Configured, { concepts }: WithConcepts, given: string): Concept {
  const found = findConcept(concepts, conceptGiven(given), config.conceptSimilarity)
  const id = found.is === 'known' || found.is === 'similar' ? found.id : null
  const concept = concepts.concepts.find((one) => one.id === id)
  if (concept !== undefined) return concept
  const closest = found.is === 'unknown' ? found.closest.map(({ id: near, name }) => `${near} ${shown(name)}`) : []
  const near = closest.length === 0 ? '' : ` Close to it: ${closest.join(', ')}.`
  throw new KeeperError(
    'not-found',
    `There is no concept ${shown(given)}.${near} memory-keeper concepts list shows them.`,
  )
}

/** By its id or its name; a new name creates a concept. */
function conceptFor({ store, memory, typed }: Edit, given?: string): WithConcepts & { id: string | null } {
  if (given === undefined) return { concepts: memory.concepts, id: null }
  const name = typed(given)
  const found = findConcept(memory.concepts, conceptGiven(name), store.config.conceptSimilarity)
  if (found.is === 'none') throw usage('--concept takes an id (c001) or a name.')
  if (found.is === 'new') return addConcept(memory.concepts, found.name)
  return { concepts: memory.concepts, id: conceptOf(store, memory, name).id }
}

function conceptGiven(given: string): { id: string } | { name: string } {
  return /^c\d+$/i.test(given.trim()) ? { id: given.trim().toLowerCase() } : { name: given }
}
