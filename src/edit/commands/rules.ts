/** `rules`: what Claude is told with every prompt. */

import path from 'node:path'
import { toldAsPermanent } from '../../briefing/briefing-facts.ts'
import { readFacts } from '../../knowledge/disk/knowledge.ts'
import { proposedIn } from '../../knowledge/proposal.ts'
import { type Command, inProject } from '../../memory/commands/command.ts'
import type { Context } from '../../memory/commands/context.ts'
import { count, dim, harmless, oneLine, table, warning } from '../../memory/commands/output.ts'
import type { Store } from '../../memory/disk/store.ts'
import { currentStanding } from '../../outgoing/disk/standing-collect.ts'
import { sessionsOf } from '../../outgoing/recurring.ts'
import { type Standing, standingToTell } from '../../outgoing/standing-list.ts'
import { readRules, readRulesFile } from '../../pages/disk/rules.ts'
import { RULES_FILE } from '../../platform/layout.ts'
import { dayOf } from '../../text/memory-words.ts'
import { entryId } from '../../transcript/session.ts'
import { isPermanentId } from '../disk/hand-verdicts.ts'
import { perform } from './by-hand.ts'
import { runAccept } from './reflect.ts'

function runRulesList({ store, out }: Context): number {
  const rules = readRules(store)
  const isBuiltIn = readRulesFile(store) === null
  const isTold = store.config.rules
  const permanent = readFacts(store).permanent.rules.filter(({ status }) => status === 'active')
  out.json({ rules, from: isBuiltIn ? 'built-in' : fileOf(store), told: isTold, permanent })
  out.say(
    ...rules.map((rule, i) => `${String(i + 1).padStart(2)}  ${harmless(rule)}`),
    ...(rules.length === 0 ? [`No rules: ${fileOf(store)} has none.`] : []),
    dim(isBuiltIn ? 'Built in. Your own: memory-keeper rules add "…"' : fileOf(store)),
  )
  if (!isTold) out.say(warning('Rules are switched off. To tell them: memory-keeper config set rules true'))
  if (permanent.length === 0) return 0
  out.say(
    '',
    ...permanent.map(({ id, text }) => `${harmless(id)}  ${harmless(text)}`),
    dim(
      `${permanent.length === 1 ? 'It holds' : 'They hold'} for good, told when a session begins: memory-keeper reflect shows why, demote ${harmless(permanent[0]?.id ?? '')} takes one back.`,
    ),
  )
  return 0
}

function runRulesAdd(context: Context, given: string): number {
  return perform(context, { do: 'add-rule', text: given })
}

function runRulesRemove(context: Context, which: string): number {
  return perform(context, { do: 'remove-rule', which })
}

function fileOf(store: Store): string {
  return path.join(store.dir, RULES_FILE)
}

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

/** An instruction becomes a rule; a proposal holds for good. */
export function runRulesAccept(context: Context, id: string, { text }: { text?: string } = {}): number {
  if (isPermanentId(id)) return runAccept(context, id, text === undefined ? {} : { text })
  lookAhead(context)
  return perform(context, { do: 'accept', id, ...(text === undefined ? {} : { text }) })
}

export function runRulesDecline(context: Context, id: string): number {
  lookAhead(context)
  return perform(context, { do: 'decline', id })
}

/** What a long history says is collected in pieces: whoever else writes gets in between. */
function lookAhead({ store, world, isDryRun }: Context): void {
  if (!isDryRun) currentStanding(store, world.now)
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

function placeOf(one: Standing | undefined): string {
  return one === undefined ? '' : entryId(one.session, one.entry)
}

export const RULES_COMMANDS: readonly Command[] = [
  {
    usage: 'rules list',
    about: 'what Claude is told with every prompt',
    example: 'memory-keeper rules list',
    run: inProject(runRulesList),
  },
  {
    usage: 'rules add <rule...>',
    about: 'add a rule of your own',
    writes: true,
    example: 'memory-keeper rules add "Run the tests before you say that something works."',
    run: inProject((context, _, words) => runRulesAdd(context, words.join(' '))),
  },
  {
    usage: 'rules remove <number-or-words...>',
    about: 'remove a rule, by its number or by words that only it contains',
    writes: true,
    example: 'memory-keeper rules remove 3',
    run: inProject((context, _, words) => runRulesRemove(context, words.join(' '))),
  },
]
