/** `rules candidates`, `accept`, `decline`: what you said for good and what recurs, found by code, and what becomes of it. */
import { toldAsPermanent } from '../core/briefing-facts.ts'
import { KeeperError } from '../core/error.ts'
import { dayOf } from '../core/memory-words.ts'
import { proposedIn } from '../core/proposal.ts'
import { sessionsOf } from '../core/recurring.ts'
import { redactorFor } from '../core/redact.ts'
import { cleanRule } from '../core/rule.ts'
import { entryId } from '../core/session.ts'
import { judgeStanding, type Standing, standingToTell } from '../core/standing-list.ts'
import { readFacts } from '../store/knowledge.ts'
import { readRules } from '../store/rules.ts'
import { readStanding, writeStanding } from '../store/standing.ts'
import { currentStanding, upcomingStanding } from '../store/standing-collect.ts'
import { COMMAND_WAIT_MS, type Store } from '../store/store.ts'
import { type Context, underLock } from './context.ts'
import { count, dim, harmless, oneLine, table } from './output.ts'
import { runAccept, runDecline } from './reflect.ts'
import { addRule } from './rules.ts'
import { needUsersYes, refuseOwnWords } from './users-yes.ts'

export function runRulesCandidates({ store, out, world }: Context): number {
  const list = currentStanding(store, world.now)
  const facts = readFacts(store)
  const isPermanent = toldAsPermanent(facts)
  const [waiting, holding] = splitBy(standingToTell(list), (one) => !isPermanent(one))
  const countOf = (status: Standing['status']): number => list.standing.filter((one) => one.status === status).length
  const proposed = proposedIn(facts)
  out.json({
    candidates: waiting,
    permanent: holding.map(({ id }) => id),
    proposed,
    accepted: countOf('accepted'),
    declined: countOf('declined'),
    superseded: countOf('superseded'),
  })
  out.say(...proposedLines(proposed, world.columns), ...holdingLines(holding))
  if (waiting.length === 0) {
    if (proposed.length + holding.length > 0) return 0
    out.say('Nothing you said sounds like a standing instruction ("always …", "never …", "I prefer …", 항상, 절대).')
    return 0
  }
  out.say(
    ...table(waiting.map((one) => [one.id, dayOf(one.at), `${one.times}×`, oneLine(one.text, world.columns - 26)])),
    dim(
      `${count(waiting.length, 'candidate')}. They are told when a session begins. To make one a rule, told with every prompt:`,
    ),
    dim(
      `  memory-keeper rules accept ${waiting[0]?.id}   (or decline; show ${placeOf(waiting[0])} shows where it was said)`,
    ),
  )
  return 0
}

/** The rule first: killed in between, the candidate is still there, and accepting it again adds nothing. */
export function runRulesAccept(context: Context, id: string, options: { text?: string } = {}): number {
  if (isPermanentId(id)) return runAccept(context, id, options)
  refuseOwnWords(context, options)
  needUsersYes(context, id, 'accept')
  const { id: known, text } = candidate(context, id)
  const code = addRule(context, options.text ?? text)
  if (!context.isDryRun) judge(context.store, known, 'accepted')
  return code
}

export function runRulesDecline(context: Context, given: string): number {
  const { store, out, isDryRun } = context
  if (isPermanentId(given)) return runDecline(context, given)
  needUsersYes(context, given, 'decline')
  const { id, text } = candidate(context, given)
  checkNoRule(store, id, text)
  if (!isDryRun) judge(store, id, 'declined')
  out.json({ id, text, status: 'declined', dryRun: isDryRun })
  out.say(
    `${isDryRun ? 'Would decline' : 'Declined'}: ${harmless(text)}`,
    dim('It is not told any more, also when you say it again.'),
  )
  return 0
}

/** What recurs and waits for a yes. */
function proposedLines(proposed: ReturnType<typeof proposedIn>, columns: number): string[] {
  if (proposed.length === 0) return []
  return [
    ...table(
      proposed.map(({ id, at, evidence, text }) => [
        id,
        dayOf(at),
        count(sessionsOf(evidence), 'session'),
        oneLine(text, columns - 34),
      ]),
    ),
    dim(
      `${count(proposed.length, 'proposal')}, told to nobody: memory-keeper rules accept ${proposed[0]?.id}   (or decline; reflect shows the proofs)`,
    ),
  ]
}

/** Told once is enough. */
function holdingLines(holding: readonly Standing[]): string[] {
  const ids = holding.map(({ id }) => id).join(', ')
  return holding.length === 0 ? [] : [dim(`Held for good already: ${ids} (memory-keeper reflect shows as what)`)]
}

function splitBy<T>(all: readonly T[], isFirst: (one: T) => boolean): [T[], T[]] {
  return [all.filter(isFirst), all.filter((one) => !isFirst(one))]
}

function isPermanentId(id: string): boolean {
  return /^\s*r\d+\s*$/i.test(id)
}

/** Declined, it would be told with every prompt all the same. */
function checkNoRule(store: Store, id: string, text: string): void {
  const asRule = cleanRule(redactorFor(store.config)(text).text).toLowerCase()
  const at = readRules(store).findIndex((rule) => rule.toLowerCase() === asRule)
  if (at < 0) return
  throw new KeeperError(
    'is-rule',
    `${id} is rule ${at + 1}: ${harmless(text)}\nTo have it told no more, remove the rule first: memory-keeper rules remove ${at + 1}`,
  )
}

function judge(store: Store, id: string, status: 'accepted' | 'declined'): void {
  underLock(store, COMMAND_WAIT_MS, () => {
    const list = judgeStanding(readStanding(store), id, status)
    if (list !== null) writeStanding(store, list)
  })
}

function candidate({ store, world, isDryRun }: Context, given: string): Standing {
  const id = given.trim().toLowerCase()
  const { standing } = isDryRun ? upcomingStanding(store) : currentStanding(store, world.now)
  const found = standing.find((one) => one.id === id)
  if (found !== undefined) return found
  throw new KeeperError(
    'not-found',
    `There is no candidate ${harmless(given)}. memory-keeper rules candidates lists them.`,
  )
}

function placeOf(one: Standing | undefined): string {
  return one === undefined ? '' : entryId(one.session, one.entry)
}
