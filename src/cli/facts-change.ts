/** `facts add`, `edit`, `resolve`, `reopen`, `reject`, `supersede`, `restore`: facts by hand. What a person says needs no proof. */

import type { Concepts } from '../core/concept.ts'
import { addConcept, findConcept } from '../core/concept-assign.ts'
import { KeeperError } from '../core/error.ts'
import type { Fact, Facts, FactType } from '../core/fact.ts'
import {
  type Changed,
  editFact,
  type FactEdit,
  rejectFact,
  reopenIssue,
  resolveIssue,
  reviveFact,
  supersedeFact,
} from '../core/fact-change.ts'
import { FACT_TYPES } from '../core/fact-draft.ts'
import { type Added, addOwnFact } from '../core/fact-own.ts'
import type { Judged } from '../core/judged.ts'
import { redactorFor } from '../core/redact.ts'
import { readConcepts, readFacts, writeConcepts, writeFacts } from '../store/knowledge.ts'
import { COMMAND_WAIT_MS, type Store } from '../store/store.ts'
import { type Context, underLock } from './context.ts'
import { conceptGiven, noConcept } from './facts.ts'
import { bold, count, dim, harmless } from './output.ts'

/** It is told to later sessions: longer texts belong on a page. */
const MAX_CHARS = 500

export interface AddOptions {
  reason?: string
  file?: readonly string[]
  concept?: string
  status?: string
  resolution?: string
  anyway?: boolean
}

export function runFactsAdd(context: Context, type: string, words: string, options: AddOptions): number {
  const { typed, redacted } = typing(context)
  const text = sentence(typed(words), 'A fact')
  const known = typeOf(type)
  const own = {
    type: known,
    text,
    reason: optional(typed(options.reason ?? '')),
    files: filesOf(options.file ?? [], typed),
    ...statusOf(known, options, optional(typed(options.resolution ?? ''))),
    ...(options.anyway ? ({ anyway: true } as const) : {}),
  }
  return change(context, (facts, concepts, now) => {
    const named =
      options.concept === undefined ? { concepts, id: null } : conceptFor(context, concepts, options.concept)
    const added = addOwnFact(facts, { ...own, concept: named.id }, now)
    const { facts: after, fact, is } = added
    return { facts: after, concepts: named.concepts, fact, is, said: [...saidAdded(added, context), ...redacted()] }
  })
}

function saidAdded({ is, fact }: Added, { isDryRun }: Context): string[] {
  const what = `${bold(fact.id)} ${harmless(fact.text)}`
  const would = isDryRun ? 'would be ' : ''
  switch (is) {
    case 'added':
      return [what, dim(`${would}added; it is your own word`)]
    case 'known':
      return [
        what,
        dim(`is there already; it ${isDryRun ? 'would count' : 'counts'} as said again. For another one: --anyway`),
      ]
    case 'restored':
      return [what, dim(`was rejected; it ${would === '' ? 'is' : 'would be'} back`)]
    case 'resolved':
      return [
        what,
        dim(`was open; it ${would === '' ? 'is' : 'would be'} resolved: ${harmless(fact.resolution ?? '')}`),
      ]
  }
}

export interface EditOptions {
  text?: string
  reason?: string
  file?: readonly string[]
  concept?: string
}

export function runFactsEdit(context: Context, id: string, options: EditOptions): number {
  const { typed, redacted } = typing(context)
  const { text, reason, file, concept } = options
  if ([text, reason, file, concept].every((one) => one === undefined)) {
    throw new KeeperError(
      'usage',
      `Say what changes: memory-keeper facts edit ${harmless(id)} --text "…" (or --reason, --file, --concept)`,
    )
  }
  return change(context, (facts, concepts, now) => {
    const isTaken = concept === undefined || concept.trim() === '' || concept === 'none'
    const named = isTaken ? { concepts, id: null } : conceptFor(context, concepts, concept)
    const edit: FactEdit = {
      ...(text === undefined ? {} : { text: sentence(typed(text), 'A fact') }),
      ...(reason === undefined ? {} : { reason: optional(typed(reason)) }),
      ...(file === undefined ? {} : { files: filesOf(file, typed) }),
      ...(concept === undefined ? {} : { concept: named.id }),
    }
    const done = changedOr(editFact(facts, id, edit, byUser(now)))
    return {
      ...done,
      concepts: named.concepts,
      said: [...said(context, done.fact, 'changed; it is yours now'), ...redacted()],
    }
  })
}

export function runFactsResolve(context: Context, id: string, words: string): number {
  const { typed, redacted } = typing(context)
  const resolution = optional(typed(words))
  return judge(context, (facts, now) => resolveIssue(facts, id, resolution, byUser(now)), 'resolved', redacted)
}

export function runFactsReopen(context: Context, id: string): number {
  return judge(context, (facts, now) => reopenIssue(facts, id, byUser(now)), 'open again')
}

export function runFactsReject(context: Context, id: string, options: { why?: string }): number {
  const { typed, redacted } = typing(context)
  const why = optional(typed(options.why ?? ''))
  const what = 'rejected: it is not told any more, also when it is said again'
  return judge(context, (facts, now) => rejectFact(facts, id, { ...byUser(now), why }), what, redacted)
}

export function runFactsSupersede(context: Context, id: string, options: { by?: string; why?: string }): number {
  const { by } = options
  if (by === undefined) {
    throw new KeeperError(
      'usage',
      `Name the fact in its place: memory-keeper facts supersede ${harmless(id)} --by d002. If nothing is: memory-keeper facts reject ${harmless(id)}`,
    )
  }
  const { typed, redacted } = typing(context)
  const why = optional(typed(options.why ?? ''))
  const judged = (now: string): Judged => ({ ...byUser(now), why, other: by })
  return judge(
    context,
    (facts, now) => supersedeFact(facts, id, judged(now)),
    `superseded by ${harmless(by)}`,
    redacted,
  )
}

export function runFactsRestore(context: Context, id: string): number {
  return judge(context, (facts, now) => reviveFact(facts, id, byUser(now)), 'back: it holds again')
}

function judge(
  context: Context,
  decide: (facts: Facts, now: string) => Changed,
  what: string,
  redacted: () => string[] = () => [],
): number {
  return change(context, (facts, concepts, now) => {
    const done = changedOr(decide(facts, now))
    return { ...done, concepts, said: [...said(context, done.fact, what), ...redacted()] }
  })
}

interface Done {
  facts: Facts
  concepts: Concepts
  fact: Fact
  is?: string
  said: string[]
}

/** Concepts before the facts that name them. */
function change(context: Context, decide: (facts: Facts, concepts: Concepts, now: string) => Done): number {
  const { store, out, isDryRun, world } = context
  const work = (): Done => {
    const now = world.now()
    const [facts, concepts] = [readFacts(store), readConcepts(store)]
    const done = decide(facts, concepts, now)
    if (isDryRun) return done
    writeConcepts(store, concepts, done.concepts, now)
    writeFacts(store, facts, done.facts, now)
    return done
  }
  const { fact, is = 'changed', said: lines } = isDryRun ? work() : underLock(store, COMMAND_WAIT_MS, work)
  out.json({ is, fact, dryRun: isDryRun })
  out.say(...lines)
  return 0
}

function said({ isDryRun }: Context, fact: Fact, what: string): string[] {
  return [`${bold(fact.id)} ${harmless(fact.text)}`, dim(`${isDryRun ? 'would be ' : ''}${what}`)]
}

function changedOr(done: Changed): { facts: Facts; fact: Fact } {
  if (done.is === 'changed') return done
  throw new KeeperError(done.code, harmless(done.problem))
}

function byUser(at: string): Judged {
  return { by: 'user', at, why: null, other: null }
}

/** What a person types may hold a secret like anything else. */
function typing({ store }: Context): { typed: (text: string) => string; redacted: () => string[] } {
  const redact = redactorFor(store.config)
  let secrets = 0
  return {
    typed: (text) => {
      const done = redact(text)
      secrets += done.count
      return done.text.replace(/\s+/g, ' ').trim()
    },
    redacted: () => (secrets > 0 ? [dim(`${count(secrets, 'secret')} redacted.`)] : []),
  }
}

function sentence(text: string, what: string): string {
  if (!/\p{L}/u.test(text))
    throw new KeeperError('usage', `${what} needs words: memory-keeper add-decision "We deploy on Tuesdays only."`)
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

function filesOf(given: readonly string[], typed: (text: string) => string): string[] {
  return given.map(typed).filter((one) => one !== '')
}

function typeOf(given: string): FactType {
  const type = FACT_TYPES.find((one) => one === given.trim().toLowerCase())
  if (type !== undefined) return type
  throw new KeeperError(
    'usage',
    `A fact is a decision, a pattern or an issue: memory-keeper facts add decision "…". "${harmless(given)}" is none of them.`,
  )
}

function statusOf(
  type: FactType,
  { status }: AddOptions,
  resolution: string | null,
): { status: Fact['status']; resolution: string | null } {
  if (type !== 'issue') {
    if (status === undefined && resolution === null) return { status: null, resolution: null }
    throw new KeeperError(
      'usage',
      `Only issues are open or resolved: --status and --resolution do not go with a ${type}.`,
    )
  }
  if (status !== undefined && status !== 'open' && status !== 'resolved') {
    throw new KeeperError('usage', `--status takes open or resolved; "${harmless(status)}" is neither.`)
  }
  if (status === 'open' && resolution !== null) {
    throw new KeeperError(
      'usage',
      'An open issue has no resolution yet: leave out --resolution, or say --status resolved.',
    )
  }
  return { status: status ?? (resolution === null ? 'open' : 'resolved'), resolution }
}

/** By id, or by name; a new name begins a new one. */
function conceptFor(
  { store }: { store: Store },
  concepts: Concepts,
  given: string,
): { concepts: Concepts; id: string } {
  const name = redactorFor(store.config)(given).text
  const found = findConcept(concepts, conceptGiven(name), Number(store.config.conceptSimilarity))
  switch (found.is) {
    case 'known':
    case 'similar':
      return { concepts, id: found.id }
    case 'new':
      return addConcept(concepts, found.name)
    case 'unknown':
      throw noConcept(given, found.closest)
    case 'none':
      throw new KeeperError('usage', '--concept takes an id (c001) or a name.')
  }
}
