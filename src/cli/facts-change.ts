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
import { type Added, addOwnFact } from '../core/fact-own.ts'
import type { Judged } from '../core/judged.ts'
import { readConcepts, readFacts, writeConcepts, writeFacts } from '../store/knowledge.ts'
import { COMMAND_WAIT_MS } from '../store/store.ts'
import { type Context, underLock } from './context.ts'
import { conceptFor, filesOf, handOf, optional, sentence, statusOf, typeOf, typing } from './facts-typed.ts'
import { bold, dim, harmless } from './output.ts'

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
  return change(context, (facts, concepts, now) => {
    const named =
      options.concept === undefined ? { concepts, id: null } : conceptFor(context.store, concepts, options.concept)
    const added = addOwnFact(facts, { ...own, concept: named.id }, now, handOf(context))
    const { facts: after, fact, is } = added
    return { facts: after, concepts: named.concepts, fact, is, said: [...saidAdded(added, context), ...redacted()] }
  })
}

function saidAdded({ is, fact }: Added, { isDryRun }: Context): string[] {
  const what = `${bold(fact.id)} ${harmless(fact.text)}`
  const would = isDryRun ? 'would be ' : ''
  switch (is) {
    case 'added':
      return [
        what,
        dim(`${would}added; it is ${fact.author === 'user' ? 'your own word' : 'Claude’s word, not yours'}`),
      ]
    case 'known':
      return [
        what,
        dim(`is there already; it ${isDryRun ? 'would count' : 'counts'} as said again. For another one: --anyway`),
      ]
    case 'restored':
      return [what, dim(`was rejected; it ${would === '' ? 'is' : 'would be'} back`)]
    case 'rejected':
      throw new KeeperError(
        'not-yours',
        `${fact.id} was rejected, and only the user brings it back, in a terminal: memory-keeper facts restore ${fact.id}`,
      )
    case 'resolved':
      return [
        what,
        dim(`was open; it ${would === '' ? 'is' : 'would be'} resolved: ${harmless(fact.resolution ?? '')}`),
      ]
  }
}

interface EditOptions {
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
    const named = concept === undefined ? null : conceptFor(context.store, concepts, concept)
    const edit: FactEdit = {
      ...(text === undefined ? {} : { text: sentence(typed(text), 'A fact') }),
      ...(reason === undefined ? {} : { reason: optional(typed(reason)) }),
      ...(file === undefined ? {} : { files: filesOf(file, typed) }),
      ...(named === null ? {} : { concept: named.id }),
    }
    const done = changedOr(editFact(facts, id, edit, byHand(context, now)))
    return {
      ...done,
      concepts: named?.concepts ?? concepts,
      said: [...said(context, done.fact, 'changed'), ...redacted()],
    }
  })
}

export function runFactsResolve(context: Context, id: string, words: string): number {
  const { typed, redacted } = typing(context)
  const resolution = optional(typed(words))
  return judge(context, (facts, now) => resolveIssue(facts, id, resolution, byHand(context, now)), 'resolved', redacted)
}

export function runFactsReopen(context: Context, id: string): number {
  return judge(context, (facts, now) => reopenIssue(facts, id, byHand(context, now)), 'open again')
}

export function runFactsReject(context: Context, id: string, options: { why?: string }): number {
  const { typed, redacted } = typing(context)
  const why = optional(typed(options.why ?? ''))
  const what = 'rejected: it is not told any more, also when it is said again'
  return judge(context, (facts, now) => rejectFact(facts, id, { ...byHand(context, now), why }), what, redacted)
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
  const judged = (now: string): Judged => ({ ...byHand(context, now), why, other: by })
  return judge(
    context,
    (facts, now) => supersedeFact(facts, id, judged(now)),
    `superseded by ${harmless(by)}`,
    redacted,
  )
}

export function runFactsRestore(context: Context, id: string): number {
  return judge(context, (facts, now) => reviveFact(facts, id, byHand(context, now)), 'back: it holds again')
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

/** Concepts before the facts that name them; what they say of their facts is right at once. */
function change(context: Context, decide: (facts: Facts, concepts: Concepts, now: string) => Done): number {
  const { store, out, isDryRun, world } = context
  const work = (): Done => {
    const now = world.now()
    const [facts, concepts] = [readFacts(store), readConcepts(store)]
    const done = decide(facts, concepts, now)
    if (isDryRun) return done
    writeConcepts(store, concepts, refreshConcepts(done.concepts, done.facts), now)
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

function byHand(context: Context, at: string): Judged {
  return { by: handOf(context), at, why: null, other: null }
}
