/** `reflect`, `promote`, `demote`: what holds for good, what might, why, and what became of it. */
import { KeeperError } from '../core/error.ts'
import type { Facts } from '../core/fact.ts'
import { isLive } from '../core/fact-list.ts'
import { dayOf } from '../core/memory-words.ts'
import { allPermanent, PERMANENT_KINDS, type PermanentItem, type PermanentKind, type Proof } from '../core/permanent.ts'
import { proposedIn } from '../core/proposal.ts'
import { sessionsOf } from '../core/recurring.ts'
import { redactorFor } from '../core/redact.ts'
import { opposedIn, unusedIn } from '../core/reflection-review.ts'
import { cleanRule, isRule } from '../core/rule.ts'
import { entryId } from '../core/session.ts'
import type { Standing } from '../core/standing-list.ts'
import { readFacts } from '../store/knowledge.ts'
import { findItem, type Planned, planPromotion, planVerdict } from '../store/permanent.ts'
import { type Reflected, upcomingReflection } from '../store/reflection.ts'
import { reflectAll } from '../store/reflection-all.ts'
import { currentStanding, upcomingStanding } from '../store/standing-collect.ts'
import { COMMAND_WAIT_MS, type Store } from '../store/store.ts'
import { type Context, underLock } from './context.ts'
import { bold, count, dim, harmless, oneLine } from './output.ts'
import { KIND_NAMES } from './permanent-text.ts'
import { needUsersYes, refuseOwnWords } from './users-yes.ts'

type Item = PermanentItem & { kind: PermanentKind }

const MAX_QUOTES = 3

export function runReflect(context: Context): number {
  const { store, out, world, isDryRun } = context
  const { changed, facts, standing } = isDryRun ? upcoming(context) : runReflection(context)
  const unused = unusedIn(facts, world.now(), Number(store.config.permanentUnusedDays)).filter(
    ({ id }) => !changed.promoted.includes(id),
  )
  const opposed = opposedIn(facts, standing)
  out.json({
    changed,
    permanent: allPermanent(facts.permanent),
    waiting: proposedIn(facts).map(({ id }) => id),
    unused: unused.map(({ id }) => id),
    contradicted: opposed.map(({ item, by, text }) => ({ id: item.id, by, text })),
    dryRun: isDryRun,
  })
  out.say(
    ...changedLines(changed, isDryRun),
    ...section('Holds for good', active(facts), (item) => itemLines(context, item)),
    ...section('Waits for your yes', proposedIn(facts), (item) => itemLines(context, item)),
    ...section('Contradicted since, by somebody else than you: judge it', opposed, ({ item, by, text }) => [
      `  ${item.id}  ${oneLine(item.text, world.columns - 8)}`,
      dim(`        ${by} says: ${oneLine(text, world.columns - 20)}`),
    ]),
    ...section(`Unused for ${String(store.config.permanentUnusedDays)} days: does it still hold?`, unused, (item) => [
      `  ${item.id}  last used ${dayOf(item.usedAt) || 'never'}  ${oneLine(item.text, world.columns - 36)}`,
      dim(`        Yes: memory-keeper promote ${item.id}   No: memory-keeper demote ${item.id}`),
    ]),
    ...nextSteps(facts),
  )
  return 0
}

export function runPromote(context: Context, id: string, options: { kind?: string; text?: string }): number {
  refuseOwnWords(context, options)
  needUsersYes(context, id, 'accept')
  const { store, world } = context
  const text = options.text === undefined ? undefined : checkedText(context, options.text)
  const kind = options.kind === undefined ? undefined : checkedKind(options.kind)
  const to = { id, ...(kind === undefined ? {} : { kind }), ...(text === undefined ? {} : { text }) }
  return perform(context, () => planPromotion(store, to, world.now()), HOLDS)
}

export function runDemote(context: Context, id: string, options: { why?: string }): number {
  const { store, world } = context
  needUsersYes(context, id, 'demote')
  const why = options.why === undefined ? null : redactorFor(store.config)(options.why).text
  const { status } = findItem(store, id)
  if (status !== 'active') throw new KeeperError('not-active', `${id} is ${status}: it holds for nobody.`)
  const words = { did: 'Holds no more', would: 'Would hold no more' }
  return perform(context, () => planVerdict(store, id, 'superseded', why, world.now()), words)
}

/** `rules accept r001`. */
export function runAccept(context: Context, given: string, options: { text?: string }): number {
  const { id } = findItem(context.store, given)
  return runPromote(context, id, options)
}

/** `rules decline r001`. */
export function runDecline(context: Context, id: string): number {
  const { store, world } = context
  needUsersYes(context, id, 'decline')
  const words = { did: 'Declined', would: 'Would decline' }
  return perform(context, () => planVerdict(store, id, 'declined', null, world.now()), words)
}

interface Reflection {
  changed: Reflected
  facts: Facts
  standing: readonly Standing[]
}

/** In pieces: whoever else writes gets in between. */
function runReflection({ store, world }: Context): Reflection {
  const { standing } = currentStanding(store, world.now)
  return { changed: reflectNow(store, world.now), facts: readFacts(store), standing }
}

export function reflectNow(store: Store, now: () => string): Reflected {
  const elapsedMs = (): number => Date.parse(now())
  const changed = reflectAll(store, { now, elapsedMs, isLate: () => false, waitMs: COMMAND_WAIT_MS })
  if (changed.isComplete) return changed
  throw new KeeperError(
    'busy',
    `${store.dir} is in use by another process: not all of it is weighed. Try again in a moment: memory-keeper reflect`,
  )
}

function upcoming({ store, world }: Context): Reflection {
  const { standing } = upcomingStanding(store)
  return { ...upcomingReflection(store, world.now(), standing), standing }
}

interface Words {
  did: string
  would: string
  /** Where it was so before. */
  still?: string
}

const HOLDS: Words = { did: 'Holds from now on', would: 'Would hold', still: 'Still holds, and counts as used now' }

function perform({ store, out, isDryRun }: Context, plan: () => Planned, { did, would, still = did }: Words): number {
  const { item, was } = isDryRun
    ? plan()
    : underLock(store, COMMAND_WAIT_MS, () => {
        const planned = plan()
        planned.write()
        return planned
      })
  out.json({ ...item, dryRun: isDryRun })
  const words = isDryRun ? would : was === item.status ? still : did
  out.say(`${words}: ${item.id} ${KIND_NAMES[item.kind]}: ${harmless(item.text)}`)
  if (item.status === 'active')
    out.say(dim('It is told when a session begins. To have it told with every prompt: memory-keeper rules add "…"'))
  return 0
}

function changedLines({ promoted, proposed, superseded }: Reflected, isDryRun: boolean): string[] {
  const verb = ([one, many]: readonly [string, string], ids: readonly string[]): string =>
    isDryRun ? `would ${many === 'are' ? 'be' : many}` : ids.length === 1 ? one : many
  const parts = [
    [promoted, ['holds', 'hold'], 'from now on, in your own words'],
    [proposed, ['is', 'are'], 'proposed'],
    [superseded, ['is', 'are'], 'superseded: you said otherwise since'],
  ] as const
  const lines = parts.flatMap(([ids, words, what]) =>
    ids.length === 0 ? [] : [`${ids.join(', ')} ${verb(words, ids)} ${what}.`],
  )
  return lines.length === 0 && isDryRun ? ['Nothing would change.'] : lines
}

function section<T>(title: string, items: readonly T[], render: (item: T) => string[]): string[] {
  return items.length === 0 ? [] : [bold(title), ...items.flatMap(render), '']
}

function itemLines({ world }: Context, { id, kind, text, evidence, judged, facts }: Item): string[] {
  const grown = facts.length === 0 ? '' : ` (from ${facts.join(', ')}${saidIn(evidence)})`
  const verdict = judged === undefined ? [] : [`judged by ${judged.by}${judged.why ? `: ${judged.why}` : ''}`]
  return [
    `  ${id}  ${KIND_NAMES[kind]}: ${oneLine(text, world.columns - 24)}${dim(harmless(grown))}`,
    ...evidence
      .slice(-MAX_QUOTES)
      .map((proof) => dim(`        ${placeOf(proof)}"${oneLine(proof.quote, world.columns - 32)}"`)),
    ...verdict.map((line) => dim(`        ${oneLine(line, world.columns - 8)}`)),
  ]
}

function saidIn(evidence: readonly Proof[]): string {
  const sessions = sessionsOf(evidence.filter(({ session }) => session !== ''))
  return sessions === 0 ? '' : `; said in ${count(sessions, 'session')}`
}

/** Memories of earlier versions knew no entries. */
function placeOf({ session, entry }: Proof): string {
  return session === '' || entry < 0 ? '' : `${entryId(session, entry)}  `
}

function active({ permanent }: Facts): Item[] {
  return allPermanent(permanent).filter(({ status }) => status === 'active')
}

function nextSteps(facts: Facts): string[] {
  const [waiting] = proposedIn(facts)
  const [holds] = active(facts)
  if (waiting !== undefined) return [dim(`memory-keeper rules accept ${waiting.id}   (or decline)`)]
  if (holds !== undefined) return [dim(`To take one back: memory-keeper demote ${holds.id} --why "…"`)]
  const [own] = [...facts.decisions, ...facts.patterns].filter(isLive)
  const nothing = 'Nothing recurs in enough sessions yet.'
  return [own === undefined ? nothing : `${nothing} To make something hold: memory-keeper promote ${own.id}`]
}

function checkedKind(given: string): PermanentKind {
  const kind = PERMANENT_KINDS.find((one) => one === given)
  if (kind !== undefined) return kind
  throw new KeeperError('usage', `--kind takes ${PERMANENT_KINDS.join(', ')}, not ${harmless(given)}.`)
}

function checkedText({ store }: Context, given: string): string {
  const text = cleanRule(redactorFor(store.config)(given).text)
  if (isRule(text)) return text
  throw new KeeperError('usage', '--text needs words.')
}
