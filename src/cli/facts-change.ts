/** `facts add`, `edit`, `resolve`, `reopen`, `reject`, `supersede`, `restore`: facts by hand. What a person says needs no proof. */
import type { Concepts } from '../core/concept.ts'
import { refreshConcepts } from '../core/concept-refresh.ts'
import { KeeperError } from '../core/error.ts'
import type { Fact, Facts } from '../core/fact.ts'
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
import { findFact } from '../core/fact-list.ts'
import { addOwnFact } from '../core/fact-own.ts'
import type { Judged } from '../core/judged.ts'
import { type Followed, followFacts } from '../core/permanent-follow.ts'
import { readConcepts, readFacts, writeConcepts, writeFacts } from '../store/knowledge.ts'
import { readStanding } from '../store/standing.ts'
import { COMMAND_WAIT_MS, type Store } from '../store/store.ts'
import { type Context, underLock } from './context.ts'
import { handOf, mayAdd, mayChange } from './facts-hand.ts'
import { againstIt, saidAdded, saidAgainst } from './facts-said.ts'
import { conceptFor, filesOf, optional, sentence, statusOf, typeOf, typing } from './facts-typed.ts'
import { bold, dim, harmless } from './output.ts'
import { followedIds, followedLines } from './permanent-text.ts'

interface AddOptions {
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
    ...statusOf(known, options.status, optional(typed(options.resolution ?? ''))),
    ...(options.anyway ? ({ anyway: true } as const) : {}),
  }
  return change(mayAdd(context, own), (facts, concepts, now) => {
    const named =
      options.concept === undefined ? { concepts, id: null } : conceptFor(context.store, concepts, options.concept)
    const added = addOwnFact(facts, { ...own, concept: named.id }, now, handOf(context))
    const { facts: after, fact, is } = added
    const said = [...saidAdded(added, context), ...saidAgainst(added, context), ...redacted()]
    return { facts: after, concepts: named.concepts, fact, is, said, against: againstIt(added) }
  })
}

interface EditOptions {
  text?: string
  reason?: string
  file?: readonly string[]
  concept?: string
}

export function runFactsEdit(given: Context, id: string, options: EditOptions): number {
  const context = mayChange(given, id, 'edit', options.text)
  const { typed, redacted } = typing(context)
  const { text, reason, file, concept } = options
  if ([text, reason, file, concept].every((one) => one === undefined)) {
    throw new KeeperError(
      'usage',
      `Say what changes: memory-keeper facts edit ${harmless(id)} --text "…" (or --reason, --file, --concept)`,
    )
  }
  const asked: FactEdit = {
    ...(text === undefined ? {} : { text: sentence(typed(text), 'A fact', `facts edit ${harmless(id)} --text`) }),
    ...(reason === undefined ? {} : { reason: optional(typed(reason)) }),
    ...(file === undefined ? {} : { files: filesOf(file, typed) }),
  }
  return change(context, (facts, concepts, now) => {
    const named = concept === undefined ? null : conceptFor(context.store, concepts, concept)
    const edit: FactEdit = { ...asked, ...(named === null ? {} : { concept: named.id }) }
    const done = changedOr(editFact(facts, id, edit, byHand(context, now)))
    return {
      ...done,
      concepts: named?.concepts ?? concepts,
      said: [...said(context, done.fact, 'changed'), ...redacted()],
    }
  })
}

export function runFactsResolve(given: Context, id: string, words: string): number {
  const context = mayChange(given, id, 'resolve')
  const { typed, redacted } = typing(context)
  const resolution = optional(typed(words))
  const what = ({ status, resolution: before }: Fact): string =>
    status === 'open'
      ? 'resolved'
      : `resolved already; how is said anew${before === null ? '' : `, it was: ${harmless(before)}`}`
  return judge(context, (facts, now) => resolveIssue(facts, id, resolution, byHand(context, now)), what, redacted)
}

export function runFactsReopen(given: Context, id: string): number {
  const context = mayChange(given, id, 'reopen')
  return judge(context, (facts, now) => reopenIssue(facts, id, byHand(context, now)), 'open again')
}

export function runFactsReject(given: Context, id: string, options: { why?: string }): number {
  const context = mayChange(given, id, 'reject')
  const { typed, redacted } = typing(context)
  const why = optional(typed(options.why ?? ''))
  const what = 'rejected: it is not told any more, also when it is said again'
  return judge(context, (facts, now) => rejectFact(facts, id, { ...byHand(context, now), why }), what, redacted)
}

export function runFactsSupersede(given: Context, id: string, options: { by?: string; why?: string }): number {
  const context = mayChange(given, id, 'supersede')
  const { by } = options
  if (by === undefined) {
    throw new KeeperError(
      'usage',
      `Name the fact in its place: memory-keeper facts supersede ${harmless(id)} --by ID (memory-keeper facts list shows them). If nothing is: memory-keeper facts reject ${harmless(id)}`,
    )
  }
  const { typed, redacted } = typing(context)
  const why = optional(typed(options.why ?? ''))
  const judged = (now: string): Judged => ({ ...byHand(context, now), why, other: by })
  return judge(
    context,
    (facts, now) => supersedeFact(facts, id, judged(now)),
    `superseded by ${harmless(by)}`,
    redacted,
  )
}

export function runFactsRestore(given: Context, id: string): number {
  const context = mayChange(given, id, 'restore')
  return judge(context, (facts, now) => reviveFact(facts, id, byHand(context, now)), 'back: it holds again')
}

function judge(
  context: Context,
  decide: (facts: Facts, now: string) => Changed,
  what: string | ((before: Fact) => string),
  redacted: () => string[] = () => [],
): number {
  return change(context, (facts, concepts, now) => {
    const done = changedOr(decide(facts, now))
    const became = typeof what === 'string' ? what : what(findFact(facts, done.fact.id) ?? done.fact)
    return { ...done, concepts, said: [...said(context, done.fact, became), ...redacted()] }
  })
}

interface Done {
  facts: Facts
  concepts: Concepts
  fact: Fact
  is?: string
  said: string[]
  against?: ReturnType<typeof againstIt>
}

interface Planned {
  facts: Facts
  concepts: Concepts
  done: Done
  followed: Followed
  refreshed: Concepts
  now: string
}

/** What concepts say of their facts, and what grew from these, is right at once. */
function change(context: Context, decide: (facts: Facts, concepts: Concepts, now: string) => Done): number {
  const { store, out, isDryRun, world } = context
  const plan = (): Planned => {
    const now = world.now()
    const [facts, concepts] = [readFacts(store), readConcepts(store)]
    const done = decide(facts, concepts, now)
    const followed = followFacts(facts, done.facts, readStanding(store).standing, byHand(context, now))
    return { facts, concepts, done, followed, refreshed: refreshConcepts(done.concepts, followed.facts), now }
  }
  // Comparing with thousands of facts takes longer than a hook waits for the lock.
  const ahead = plan()
  const { done, followed } = isDryRun ? ahead : underLock(store, COMMAND_WAIT_MS, () => write(store, ahead, plan))
  const { fact, is = 'changed', against } = done
  out.json({
    is,
    fact,
    ...(against === undefined ? {} : { against }),
    permanent: followedIds(followed),
    dryRun: isDryRun,
  })
  out.say(...done.said, ...followedLines(followed, isDryRun))
  return 0
}

/** Planned again where somebody wrote meanwhile. Concepts before the facts that name them. */
function write(store: Store, ahead: Planned, plan: () => Planned): Planned {
  const isSame = readFacts(store) === ahead.facts && readConcepts(store) === ahead.concepts
  const planned = isSame ? ahead : plan()
  const { facts, concepts, refreshed, followed, now } = planned
  writeConcepts(store, concepts, refreshed, now)
  writeFacts(store, facts, followed.facts, now)
  return planned
}

function said({ isDryRun }: Context, fact: Fact, what: string): string[] {
  return [`${bold(fact.id)} ${harmless(fact.text)}`, dim(`${isDryRun ? 'would be ' : ''}${what}`)]
}

function changedOr(done: Changed): { facts: Facts; fact: Fact } {
  if (done.is === 'changed') return done
  throw new KeeperError(done.code, harmless(done.problem))
}

function byHand(context: Context, at: string): Judged {
  return { by: handOf(context), at, why: null, other: null }
}
