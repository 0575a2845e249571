/** `rules`: all rules with their source and state; `reflect` and `lesson` beside it. */

import path from 'node:path'
import { readFacts } from '../../knowledge/disk/knowledge.ts'
import { type Reflected, reflectAll, upcomingReflection } from '../../knowledge/disk/reflection.ts'
import type { Facts } from '../../knowledge/fact.ts'
import { isLive } from '../../knowledge/fact-list.ts'
import {
  allPermanent,
  KIND_NAMES,
  PERMANENT_KINDS,
  type PermanentItem,
  type PermanentKind,
  type Proof,
  proposedIn,
  sessionsOf,
} from '../../knowledge/permanent.ts'
import { unusedIn } from '../../knowledge/reflection.ts'
import { type Command, inProject } from '../../memory/commands/command.ts'
import type { Context } from '../../memory/commands/context.ts'
import { bold, count, dim, harmless, oneLine, warning } from '../../memory/commands/output.ts'
import { COMMAND_WAIT_MS, type Store } from '../../memory/disk/store.ts'
import { readRules, readRulesFile } from '../../pages/disk/rules.ts'
import { KeeperError } from '../../platform/error.ts'
import { RULES_FILE } from '../../platform/layout.ts'
import { dayOf } from '../../text/memory-words.ts'
import { entryId } from '../../transcript/session.ts'
import { changeOfId, perform } from './by-hand.ts'

type Item = PermanentItem & { kind: PermanentKind }

const MAX_QUOTES = 3

function runRulesList(context: Context): number {
  const { store, out, world } = context
  const rules = readRules(store)
  const isBuiltIn = readRulesFile(store) === null
  const isTold = store.config.rules
  const facts = readFacts(store)
  const learned = facts.permanent.rules.filter(({ status }) => status === 'active')
  const proposed = proposedIn(facts)
  const retired = facts.permanent.rules.filter(({ status }) => status === 'declined' || status === 'superseded')
  const file = path.join(store.dir, RULES_FILE)
  out.json({ rules, from: isBuiltIn ? 'built-in' : file, told: isTold, permanent: learned, proposed, retired })
  out.say(
    bold(isBuiltIn ? 'Built in' : 'Yours'),
    ...rules.map((rule, i) => `${String(i + 1).padStart(4)}  ${harmless(rule)}`),
    ...(rules.length === 0 ? [`No rules: ${file} has none.`] : []),
    dim(isBuiltIn ? 'To add your own: memory-keeper rules add "…"' : file),
  )
  if (!isTold) out.say(warning('Rules are switched off. To inject them: memory-keeper config set rules true'))
  const lines = (item: Item): string[] => itemLines(context, item)
  const ofRules = (items: readonly PermanentItem[]): Item[] => items.map((item) => ({ ...item, kind: 'rules' }))
  out.say(
    ...section('Learned, active', ofRules(learned), lines),
    ...section('Learned, proposed: they wait for your yes', proposed, lines),
    ...section('Retired', ofRules(retired), ({ id, status, text }) => [
      dim(`  ${id}  ${status}: ${oneLine(text, world.columns - 24)}`),
    ]),
    ...nextSteps(facts),
  )
  return 0
}

function section<T>(title: string, items: readonly T[], render: (item: T) => string[]): string[] {
  return items.length === 0 ? [] : ['', bold(title), ...items.flatMap(render)]
}

function itemLines({ world }: Context, { id, kind, text, evidence, judged, facts }: Item): string[] {
  const sessions = sessionsOf(evidence.filter(({ session }) => session !== ''))
  const said = sessions === 0 ? '' : `; said in ${count(sessions, 'session')}`
  const grown = facts.length === 0 ? '' : ` (from ${facts.join(', ')}${said})`
  const verdict = judged === undefined ? [] : [`judged by ${judged.by}${judged.why ? `: ${judged.why}` : ''}`]
  return [
    `  ${id}  ${KIND_NAMES[kind]}: ${oneLine(text, world.columns - 24)}${dim(harmless(grown))}`,
    ...evidence
      .slice(-MAX_QUOTES)
      .map((proof) => dim(`        ${placeOf(proof)}"${oneLine(proof.quote, world.columns - 32)}"`)),
    ...verdict.map((line) => dim(`        ${oneLine(line, world.columns - 8)}`)),
  ]
}

/** Memories of earlier versions knew no entries. */
function placeOf({ session, entry }: Proof): string {
  return session === '' || entry < 0 ? '' : `${entryId(session, entry)}  `
}

function nextSteps(facts: Facts): string[] {
  const [waiting] = proposedIn(facts)
  const [holds] = allPermanent(facts.permanent).filter(({ status }) => status === 'active')
  if (waiting !== undefined) return [dim(`memory-keeper rules accept ${waiting.id}   (or decline)`)]
  return holds === undefined ? [] : [dim(`To retire one: memory-keeper rules remove ${holds.id} --why "…"`)]
}

function runReflect(context: Context): number {
  const { store, out, world, isDryRun } = context
  const upcoming = isDryRun ? upcomingReflection(store, world.now()) : null
  const changed = upcoming?.changed ?? reflectNow(store, world.now)
  const facts = upcoming?.facts ?? readFacts(store)
  const unused = unusedIn(facts, world.now(), store.config.permanentUnusedDays).filter(
    ({ id }) => !changed.promoted.includes(id),
  )
  const active = allPermanent(facts.permanent).filter(({ status }) => status === 'active')
  out.json({
    changed,
    permanent: allPermanent(facts.permanent),
    waiting: proposedIn(facts).map(({ id }) => id),
    unused: unused.map(({ id }) => id),
    dryRun: isDryRun,
  })
  out.say(
    ...changedLines(changed, isDryRun),
    ...section('Active', active, (item) => itemLines(context, item)),
    ...section('Proposed: they wait for your yes', proposedIn(facts), (item) => itemLines(context, item)),
    ...section(`Unused for ${store.config.permanentUnusedDays} days`, unused, (item) => [
      `  ${item.id}  last used ${dayOf(item.usedAt) || 'never'}  ${oneLine(item.text, world.columns - 36)}`,
      dim(
        `        To keep it: memory-keeper rules accept ${item.id}   To retire it: memory-keeper rules remove ${item.id}`,
      ),
    ]),
    ...(active.length + proposedIn(facts).length > 0 ? nextSteps(facts) : [nothingYet(facts)]),
  )
  return 0
}

function nothingYet(facts: Facts): string {
  const own = [...facts.decisions, ...facts.patterns].find(isLive)
  const nothing = 'Nothing recurs in enough sessions yet.'
  return own === undefined ? nothing : `${nothing} To make a fact permanent: memory-keeper rules accept ${own.id}`
}

export function reflectNow(store: Store, now: () => string): Reflected {
  const changed = reflectAll(store, { now, isLate: () => false, waitMs: COMMAND_WAIT_MS })
  if (changed.isComplete) return changed
  throw new KeeperError(
    'busy',
    `${store.dir} is in use by another process. Try again in a moment: memory-keeper reflect`,
  )
}

function changedLines({ promoted, proposed, superseded }: Reflected, isDryRun: boolean): string[] {
  const parts = [
    [promoted, 'active from now on, in your own words'],
    [proposed, 'proposed'],
    [superseded, 'superseded: the facts it grew from are over'],
  ] as const
  const verb = (ids: readonly string[]): string => (isDryRun ? 'would be' : ids.length === 1 ? 'is' : 'are')
  const lines = parts.flatMap(([ids, what]) => (ids.length === 0 ? [] : [`${ids.join(', ')} ${verb(ids)} ${what}.`]))
  return lines.length === 0 && isDryRun ? ['Nothing would change.'] : lines
}

/** Of what was learned: an id, not the number or the words of a rule of the user's. */
const LEARNED = /^\s*r\d+\s*$/i

export const RULES_COMMANDS: readonly Command[] = [
  {
    usage: 'rules list',
    about: 'all rules: built-in or yours, learned ones with their state and evidence',
    example: 'memory-keeper rules',
    run: inProject(runRulesList),
  },
  {
    usage: 'rules add <rule...>',
    about: 'add a rule of your own',
    writes: true,
    example: 'memory-keeper rules add "Run the tests before you say that something works."',
    run: inProject((context, _, words) => perform(context, { do: 'add-rule', text: words.join(' ') })),
  },
  {
    usage: 'rules remove <number-or-words...>',
    about: 'remove a rule of yours, by its number or by words that only it contains; by its id, retire a learned one',
    options: [{ flags: '--why <text>', about: 'of a learned one: the reason' }],
    writes: true,
    example: 'memory-keeper rules remove 3',
    also: ['memory-keeper rules remove r001 --why "we moved to bun"'],
    run: inProject((context, { why }: { why?: string }, words) => {
      const which = words.join(' ')
      return perform(context, LEARNED.test(which) ? { do: 'demote', id: which, why } : { do: 'remove-rule', which })
    }),
  },
  {
    usage: 'rules accept <id>',
    about: 'make a proposed rule active, or a fact permanent',
    options: [
      { flags: '--kind <kind>', about: 'rules, solutions or core_logic', values: PERMANENT_KINDS },
      { flags: '--text <text>', about: 'in these words' },
    ],
    writes: true,
    example: 'memory-keeper rules accept r001',
    also: ['memory-keeper rules accept d012 --kind rules'],
    run: inProject((context, { kind, text }: { kind?: string; text?: string }, [id = '']) =>
      perform(context, { do: 'accept', id, kind, text }),
    ),
  },
  changeOfId('rules decline', 'decline', 'decline a proposed rule; it is not proposed again', 'r001'),
  {
    usage: 'rules init',
    about: 'copy the built-in rules into rules.md, where you can edit them',
    writes: true,
    example: 'memory-keeper rules init',
    run: inProject((context) => perform(context, { do: 'init-rules' })),
  },
  {
    usage: 'reflect',
    about: 'look for what recurs; list what is permanent or proposed, with its evidence',
    writes: true,
    example: 'memory-keeper reflect',
    run: inProject(runReflect),
  },
  {
    usage: 'lesson add <text...>',
    about: 'add a line to the page lessons, and propose it as a rule',
    options: [{ flags: '--rule', about: 'add it to your rules at once' }],
    writes: true,
    example: 'memory-keeper lesson add "Run the migrations before the tests."',
    run: inProject((context, { rule }: { rule?: boolean }, words) =>
      perform(context, { do: 'add-lesson', text: words.join(' '), isRule: rule === true }),
    ),
  },
]
