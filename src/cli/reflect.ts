/** `reflect`, `promote`, `demote`: what holds for good, what might, why, and what became of it. */
import { KeeperError } from '../core/error.ts'
import type { Facts } from '../core/fact.ts'
import { dayOf } from '../core/memory-words.ts'
import { allPermanent, PERMANENT_KINDS, type PermanentItem, type PermanentKind } from '../core/permanent.ts'
import { proposedIn } from '../core/proposal.ts'
import { sessionsOf } from '../core/recurring.ts'
import { redactorFor } from '../core/redact.ts'
import { opposedIn, unusedIn } from '../core/reflection-review.ts'
import { cleanRule, isRule } from '../core/rule.ts'
import { entryId } from '../core/session.ts'
import { readFacts } from '../store/knowledge.ts'
import { findItem, type Planned, planPromotion, planVerdict } from '../store/permanent.ts'
import { type Reflected, reflect } from '../store/reflection.ts'
import { readStanding } from '../store/standing.ts'
import { currentStanding } from '../store/standing-collect.ts'
import { COMMAND_WAIT_MS } from '../store/store.ts'
import { type Context, underLock } from './context.ts'
import { bold, count, dim, harmless, oneLine } from './output.ts'
import { needUsersYes } from './users-yes.ts'

type Item = PermanentItem & { kind: PermanentKind }

const LABELS: Record<PermanentKind, string> = { rules: 'rule', solutions: 'solution', core_logic: 'core logic' }
const MAX_QUOTES = 3

export function runReflect(context: Context): number {
  const { store, out, world, isDryRun } = context
  const changed = isDryRun ? null : runReflection(context)
  const facts = readFacts(store)
  const unused = unusedIn(facts, world.now(), Number(store.config.permanentUnusedDays))
  const opposed = opposedIn(facts, readStanding(store).standing)
  out.json({
    changed,
    permanent: allPermanent(facts.permanent),
    waiting: proposedIn(facts).map(({ id }) => id),
    unused: unused.map(({ id }) => id),
    contradicted: opposed.map(({ item, by, text }) => ({ id: item.id, by, text })),
    dryRun: isDryRun,
  })
  out.say(
    ...changedLines(changed),
    ...section('Holds for good', active(facts), (item) => itemLines(context, item)),
    ...section('Waits for your yes', proposedIn(facts), (item) => itemLines(context, item)),
    ...section('Contradicted since, by somebody else than you: judge it', opposed, ({ item, by, text }) => [
      `  ${item.id}  ${oneLine(item.text, world.columns - 8)}`,
      dim(`        ${by} says: ${oneLine(text, world.columns - 20)}`),
    ]),
    ...section(`Unused for ${String(store.config.permanentUnusedDays)} days: does it still hold?`, unused, (item) => [
      `  ${item.id}  last used ${dayOf(item.usedAt) || 'never'}  ${oneLine(item.text, world.columns - 36)}`,
    ]),
    ...nextSteps(facts),
  )
  return 0
}

export function runPromote(context: Context, id: string, options: { kind?: string; text?: string }): number {
  needUsersYes(context, id)
  const { store, world } = context
  const text = options.text === undefined ? undefined : checkedText(context, options.text)
  const kind = options.kind === undefined ? undefined : checkedKind(options.kind)
  const to = { id, ...(kind === undefined ? {} : { kind }), ...(text === undefined ? {} : { text }) }
  return perform(context, () => planPromotion(store, to, world.now()), 'Holds from now on', 'Would hold')
}

export function runDemote(context: Context, id: string, options: { why?: string }): number {
  const { store, world } = context
  needUsersYes(context, id)
  const why = options.why === undefined ? null : redactorFor(store.config)(options.why).text
  const { status } = findItem(store, id)
  if (status !== 'active') throw new KeeperError('not-active', `${id} is ${status}: it holds for nobody.`)
  return perform(
    context,
    () => planVerdict(store, id, 'superseded', why, world.now()),
    'Holds no more',
    'Would hold no more',
  )
}

/** `rules accept r001`, `rules decline r001`. */
export function runJudge(context: Context, id: string, verdict: 'accept' | 'decline'): number {
  needUsersYes(context, id)
  const { store, world } = context
  const status = verdict === 'accept' ? 'active' : 'declined'
  const [did, would] = verdict === 'accept' ? ['Holds from now on', 'Would hold'] : ['Declined', 'Would decline']
  return perform(context, () => planVerdict(store, id, status, null, world.now()), did, would)
}

/** In pieces: whoever else writes gets in between. */
function runReflection({ store, world }: Context): Reflected {
  currentStanding(store, world.now)
  return underLock(store, COMMAND_WAIT_MS, () => reflect(store, world.now()))
}

function perform({ store, out, isDryRun }: Context, plan: () => Planned, did: string, would: string): number {
  const { item } = isDryRun
    ? plan()
    : underLock(store, COMMAND_WAIT_MS, () => {
        const planned = plan()
        planned.write()
        return planned
      })
  out.json({ ...item, dryRun: isDryRun })
  out.say(`${isDryRun ? would : did}: ${item.id} ${LABELS[item.kind]}: ${harmless(item.text)}`)
  if (item.status === 'active')
    out.say(dim('It is told when a session begins. To have it told with every prompt: memory-keeper rules add "…"'))
  return 0
}

function changedLines(changed: Reflected | null): string[] {
  if (changed === null) return []
  const parts = [
    [changed.promoted, 'hold from now on, in your own words'],
    [changed.proposed, 'are proposed'],
    [changed.superseded, 'are superseded: you said otherwise since'],
  ] as const
  return parts.flatMap(([ids, what]) => (ids.length === 0 ? [] : [`${ids.join(', ')} ${what}.`]))
}

function section<T>(title: string, items: readonly T[], render: (item: T) => string[]): string[] {
  return items.length === 0 ? [] : [bold(title), ...items.flatMap(render), '']
}

function itemLines({ world }: Context, { id, kind, text, evidence, judged, facts }: Item): string[] {
  const proven = evidence.length === 0 ? '' : ` (${count(sessionsOf(evidence), 'session')}: ${facts.join(', ')})`
  const verdict =
    judged === undefined ? [] : [dim(`        judged by ${judged.by}${judged.why ? `: ${judged.why}` : ''}`)]
  return [
    `  ${id}  ${LABELS[kind]}: ${oneLine(text, world.columns - 24)}${dim(proven)}`,
    ...evidence
      .slice(-MAX_QUOTES)
      .map((proof) =>
        dim(`        ${entryId(proof.session, proof.entry)}  "${oneLine(proof.quote, world.columns - 32)}"`),
      ),
    ...verdict.map((line) => oneLine(line, world.columns + 8)),
  ]
}

function active({ permanent }: Facts): Item[] {
  return allPermanent(permanent).filter(({ status }) => status === 'active')
}

function nextSteps(facts: Facts): string[] {
  const [waiting] = proposedIn(facts)
  const [holds] = active(facts)
  if (waiting !== undefined) return [dim(`memory-keeper rules accept ${waiting.id}   (or decline)`)]
  if (holds !== undefined) return [dim(`To take one back: memory-keeper demote ${holds.id} --why "…"`)]
  return ['Nothing recurs in enough sessions yet. To make something hold: memory-keeper promote d001']
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
