/** Changes of facts and concepts by hand: what is typed is checked and redacted; a person's word needs no proof. */
import { addConcept, type Concept, findConcept, mergeConcepts, renameConcept } from '../../knowledge/concept.ts'
import { refreshConcepts } from '../../knowledge/concept-refresh.ts'
import type { Knowledge } from '../../knowledge/disk/knowledge.ts'
import { allFacts, type Fact, type Facts } from '../../knowledge/fact.ts'
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
import { FACT_TYPES } from '../../knowledge/fact-draft.ts'
import { findFact, isLive } from '../../knowledge/fact-list.ts'
import { allPermanent, type Judged } from '../../knowledge/permanent.ts'
import type { Store } from '../../memory/disk/store.ts'
import { KeeperError } from '../../platform/error.ts'
import { count } from '../../text/figures.ts'
import { shown } from '../../text/shorten.ts'
import { type Decided, dimLine, type Edit, type Hand, type HandLine } from './hand-memory.ts'

/** A fact is injected into later sessions: longer texts belong on a page. */
const MAX_CHARS = 500

/** Of an issue. */
export const STATUSES = ['open', 'resolved'] as const

interface WithId {
  id: string
}

interface FactFields {
  reason?: string | undefined
  /** All of them. */
  files?: readonly string[] | undefined
  /** An id or a name; a new name makes a new concept. */
  concept?: string | undefined
}

interface AddFact extends FactFields {
  /** decision, pattern or issue. */
  type: string
  text: string
  status?: string | undefined
  resolution?: string | undefined
  /** Add it although another fact seems to say the same. */
  isAnyway?: boolean | undefined
}

export const FACT_CHANGES = {
  'add-fact': (edit: Edit, given: AddFact): Decided => {
    const text = sentence(edit.typed(given.text), 'A fact')
    const type = FACT_TYPES.find((one) => one === given.type.trim().toLowerCase())
    if (type === undefined)
      throw usage(
        `A fact is a decision, a pattern or an issue: memory-keeper facts add decision "…". "${shown(given.type)}" is none of them.`,
      )
    const { concepts, id } = conceptFor(edit, given.concept)
    const own: OwnFact = {
      type,
      text,
      reason: optional(edit, given.reason),
      files: filesOf(edit, given.files ?? []),
      concept: id,
      ...statusOf(type, given.status, optional(edit, given.resolution)),
      ...(given.isAnyway ? ({ anyway: true } as const) : {}),
    }
    const added = addOwnFact(edit.memory.facts, own, edit.hand.now, edit.hand.by)
    return decided(edit, 'add', { ...added, concepts }, added.fact, addedAs(added, edit.hand), added.is)
  },
  'edit-fact': (edit: Edit, { id, text, ...given }: WithId & FactFields & { text?: string | undefined }): Decided => {
    if ([text, given.reason, given.files, given.concept].every((one) => one === undefined))
      throw usage(`Say what changes: memory-keeper facts edit ${shown(id)} --text "…" (or --reason, --file, --concept)`)
    const named = conceptFor(edit, given.concept)
    const asked = {
      ...(text === undefined ? {} : { text: sentence(edit.typed(text), 'A fact', `facts edit ${shown(id)} --text`) }),
      ...(given.reason === undefined ? {} : { reason: optional(edit, given.reason) }),
      ...(given.files === undefined ? {} : { files: filesOf(edit, given.files) }),
      ...(named.id === null ? {} : { concept: named.id }),
    }
    return judge(edit, 'edit', (facts, by) => editFact(facts, id, asked, by), 'changed', named.concepts)
  },
  resolve: (edit: Edit, { id, resolution }: WithId & { resolution?: string | undefined }): Decided => {
    const how = optional(edit, resolution)
    const said = resolvedAs(findFact(edit.memory.facts, id))
    return judge(edit, 'resolve', (facts, by) => resolveIssue(facts, id, how, by), said)
  },
  reopen: (edit: Edit, { id }: WithId): Decided =>
    judge(edit, 'reopen', (facts, by) => reopenIssue(facts, id, by), 'open again'),
  reject: (edit: Edit, given: WithId & { why?: string | undefined }): Decided => {
    const why = optional(edit, given.why)
    const said = 'rejected: it is not told any more, also when it is said again'
    return judge(edit, 'reject', (facts, by) => rejectFact(facts, given.id, { ...by, why }), said)
  },
  /** `other`: the fact that replaces it. */
  supersede: (edit: Edit, { id, other, ...given }: WithId & { other: string; why?: string | undefined }): Decided => {
    const why = optional(edit, given.why)
    const said = `superseded by ${other}`
    return judge(edit, 'supersede', (facts, by) => supersedeFact(facts, id, { ...by, why, other }), said)
  },
  restore: (edit: Edit, { id }: WithId): Decided =>
    judge(edit, 'restore', (facts, by) => reviveFact(facts, id, by), 'back: it holds again'),
  pin: (edit: Edit, { id }: WithId): Decided =>
    judge(edit, 'pin', (facts) => pinFact(facts, id), 'pinned: every session is told of it first'),
  unpin: (edit: Edit, { id }: WithId): Decided =>
    judge(edit, 'unpin', (facts) => unpinFact(facts, id), 'pinned no more'),
  'merge-concepts': (edit: Edit, given: { from: string; into: string }): Decided => {
    const { store, memory, hand } = edit
    const from = conceptOf(store, memory, given.from)
    const into = conceptOf(store, memory, given.into)
    if (from.id === into.id)
      throw new KeeperError(
        'same-concept',
        `${shown(given.from)} and ${shown(given.into)} are one concept: ${from.id} ${shown(from.name)}. memory-keeper concepts list shows all of them.`,
      )
    const moved = allFacts(memory.facts).filter(({ concept }) => concept === from.id).length
    const { concepts, facts } = mergeConcepts(memory.concepts, memory.facts, from.id, into.id)
    const verb = hand.isDryRun ? 'Would move' : 'Moved'
    return {
      after: { facts, concepts: refreshConcepts(concepts, facts) },
      what: `merge ${from.id} into ${into.id}`,
      lines: [
        `${verb} ${count(moved, 'fact')} from ${from.id} ${from.name} to ${into.id} ${into.name}`,
        dimLine(`"${from.name}" finds ${into.id} from now on.`),
      ],
      json: { from: from.id, into: into.id, facts: moved },
    }
  },
  'rename-concept': (edit: Edit, given: WithId & { name: string }): Decided => {
    const { store, memory, hand } = edit
    const concept = conceptOf(store, memory, given.id)
    const name = edit.typed(given.name)
    checkName(store, memory, concept, name)
    return {
      after: { concepts: renameConcept(memory.concepts, concept.id, name) },
      what: `rename ${concept.id}: ${name}`,
      lines: [
        `${hand.isDryRun ? 'Would call' : 'Called'} ${concept.id} ${name}; it was ${concept.name}`,
        dimLine('The old name still finds it.'),
      ],
      json: { id: concept.id, name, before: concept.name },
    }
  },
}

function judge(
  edit: Edit,
  act: string,
  change: (facts: Facts, judged: Judged) => Changed,
  said: string,
  concepts = edit.memory.concepts,
): Decided {
  const { by, now, isDryRun } = edit.hand
  const done = change(edit.memory.facts, { by, at: now, why: null, other: null })
  if (done.is === 'refused') throw new KeeperError(done.code, shown(done.problem))
  return decided(edit, act, { facts: done.facts, concepts }, done.fact, `${isDryRun ? 'would be ' : ''}${said}`)
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
    lines: [
      { text: `${fact.id} ${fact.text}`, head: fact.id },
      dimLine(said),
      ...(isLive(fact) ? [] : grownLines(memory.facts, fact)),
    ],
    json: { is, fact },
  }
}

/** A rejected or superseded fact leaves the permanent memory that grew from it as it is. */
function grownLines({ permanent }: Facts, { id }: Fact): HandLine[] {
  return allPermanent(permanent)
    .filter(({ status, facts }) => status === 'active' && facts.includes(id))
    .map((item) =>
      dimLine(`${item.id} grew from it and still holds. To retire it: memory-keeper rules remove ${item.id}`),
    )
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

function resolvedAs(before: Fact | null): string {
  if (before === null || before.status === 'open') return 'resolved'
  return `resolved already; the resolution was updated${before.resolution === null ? '' : `, it was: ${before.resolution}`}`
}

/** `command`: for the example. */
function sentence(text: string, what: string, command = 'facts add decision'): string {
  if (!/\p{L}/u.test(text)) throw usage(`${what} needs words: memory-keeper ${command} "We deploy on Tuesdays only."`)
  if (text.length <= MAX_CHARS) return text
  throw usage(
    `${what} has at most ${MAX_CHARS} characters, this one ${text.length}: it is told to later sessions. Longer texts belong on a page: memory-keeper page set decisions --append --text "…"`,
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

function statusOf(
  type: OwnFact['type'],
  given: string | undefined,
  resolution: string | null,
): Pick<OwnFact, 'status' | 'resolution'> {
  const status = STATUSES.find((one) => one === given)
  if (type !== 'issue') {
    if (given === undefined && resolution === null) return { status: null, resolution }
    throw usage(`Only issues are open or resolved: --status and --resolution do not go with a ${type}.`)
  }
  if (given !== undefined && status === undefined)
    throw usage(`--status takes ${STATUSES.join(' or ')}; "${shown(given)}" is neither.`)
  if (status === 'open' && resolution !== null)
    throw usage('An open issue has no resolution yet: leave out --resolution, or say --status resolved.')
  return { status: status ?? (resolution === null ? 'open' : 'resolved'), resolution }
}

function usage(problem: string): KeeperError {
  return new KeeperError('usage', problem)
}

type Configured = Pick<Store, 'config'>
type WithConcepts = Pick<Knowledge, 'concepts'>

/** By its id, a name it has or had, or a similar name. */
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

/** By its id or its name; a new name makes a new concept. */
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

function checkName({ config }: Configured, { concepts }: WithConcepts, concept: Concept, name: string): void {
  if (name === '') throw usage(`Give the new name: memory-keeper concepts rename ${concept.id} Payments`)
  if (name === concept.name)
    throw new KeeperError('already', `${concept.id} is called ${shown(name)} already: there is nothing to change.`)
  const others = { ...concepts, concepts: concepts.concepts.filter((one) => one !== concept) }
  const found = findConcept(others, { name }, config.conceptSimilarity)
  if (found.is !== 'known' && found.is !== 'similar') return
  const other = others.concepts.find(({ id }) => id === found.id)
  throw new KeeperError(
    'name-taken',
    `${found.id} is called ${shown(other?.name ?? '')}, which is too much like "${shown(name)}". If they are one: memory-keeper concepts merge ${concept.id} ${found.id}`,
  )
}
