/** `rules candidates`, `accept`, `decline`: what you said for good, found by code, and what becomes of it. */
import { KeeperError } from '../core/error.ts'
import { dayOf } from '../core/memory-words.ts'
import { entryId } from '../core/session.ts'
import { judgeStanding, type Standing, type StandingList, standingToTell } from '../core/standing-list.ts'
import { readStanding, writeStanding } from '../store/standing.ts'
import { collectStanding } from '../store/standing-collect.ts'
import { COMMAND_WAIT_MS, type Store } from '../store/store.ts'
import { type Context, underLock } from './context.ts'
import { count, dim, harmless, oneLine, table } from './output.ts'
import { runRulesAdd } from './rules.ts'

export function runRulesCandidates({ store, out, world }: Context): number {
  const list = upToDate(store)
  const waiting = standingToTell(list)
  const countOf = (status: Standing['status']): number => list.standing.filter((one) => one.status === status).length
  out.json({
    candidates: waiting,
    accepted: countOf('accepted'),
    declined: countOf('declined'),
    superseded: countOf('superseded'),
  })
  if (waiting.length === 0) {
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
export function runRulesAccept(context: Context, id: string): number {
  const { text } = candidate(context.store, id)
  const code = runRulesAdd(context, text)
  if (!context.isDryRun) judge(context.store, id, 'accepted')
  return code
}

export function runRulesDecline({ store, out, isDryRun }: Context, id: string): number {
  const { text } = candidate(store, id)
  if (!isDryRun) judge(store, id, 'declined')
  out.json({ id, text, status: 'declined', dryRun: isDryRun })
  out.say(
    `${isDryRun ? 'Would decline' : 'Declined'}: ${harmless(text)}`,
    dim('It is not told any more, also when you say it again.'),
  )
  return 0
}

function judge(store: Store, id: string, status: 'accepted' | 'declined'): void {
  underLock(store, COMMAND_WAIT_MS, () => {
    const list = judgeStanding(readStanding(store), id, status)
    if (list !== null) writeStanding(store, list)
  })
}

function candidate(store: Store, given: string): Standing {
  const id = given.trim().toLowerCase()
  const found = readStanding(store).standing.find((one) => one.id === id)
  if (found !== undefined) return found
  throw new KeeperError(
    'not-found',
    `There is no candidate ${harmless(given)}. memory-keeper rules candidates lists them.`,
  )
}

/** With what the sessions said since; while somebody else writes, what is known. */
function upToDate(store: Store): StandingList {
  if (store.isPrepared()) store.whileLocked(COMMAND_WAIT_MS, () => collectStanding(store, () => false))
  return readStanding(store)
}

function placeOf(one: Standing | undefined): string {
  return one === undefined ? '' : entryId(one.session, one.entry)
}
