/** `reflect`, `promote`, `demote`: what holds for good, what might, why, and what became of it. */

import { readFacts } from '../../knowledge/disk/knowledge.ts'
import { findItem } from '../../knowledge/disk/permanent.ts'
import { type Reflected, upcomingReflection } from '../../knowledge/disk/reflection.ts'
import type { Facts } from '../../knowledge/fact.ts'
import { isLive } from '../../knowledge/fact-list.ts'
import {
  allPermanent,
  PERMANENT_KINDS,
  type PermanentItem,
  type PermanentKind,
  type Proof,
} from '../../knowledge/permanent.ts'
import { proposedIn } from '../../knowledge/proposal.ts'
import { type Command, inProject } from '../../memory/commands/command.ts'
import type { Context } from '../../memory/commands/context.ts'
import { bold, count, dim, harmless, oneLine } from '../../memory/commands/output.ts'
import { COMMAND_WAIT_MS, type Store } from '../../memory/disk/store.ts'
import { KIND_NAMES } from '../../outgoing/disk/hand-facts-said.ts'
import { readLessons } from '../../outgoing/disk/lessons.ts'
import { reflectAll } from '../../outgoing/disk/reflection-all.ts'
import { currentStanding, upcomingStanding } from '../../outgoing/disk/standing-collect.ts'
import { sessionsOf } from '../../outgoing/recurring.ts'
import { opposedIn, unusedIn } from '../../outgoing/reflection-review.ts'
import type { Standing } from '../../outgoing/standing-list.ts'
import { KeeperError } from '../../platform/error.ts'
import { dayOf } from '../../text/memory-words.ts'
import { entryId } from '../../transcript/session.ts'
import { perform } from './by-hand.ts'

type Item = PermanentItem & { kind: PermanentKind }

const MAX_QUOTES = 3

function runReflect(context: Context): number {
  const { store, out, world, isDryRun } = context
  const { changed, facts, standing } = isDryRun ? upcoming(context) : runReflection(context)
  const unused = unusedIn(facts, world.now(), store.config.permanentUnusedDays).filter(
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
    ...section(`Unused for ${store.config.permanentUnusedDays} days: does it still hold?`, unused, (item) => [
      `  ${item.id}  last used ${dayOf(item.usedAt) || 'never'}  ${oneLine(item.text, world.columns - 36)}`,
      dim(`        Yes: memory-keeper promote ${item.id}   No: memory-keeper demote ${item.id}`),
    ]),
    ...nextSteps(facts),
  )
  return 0
}

function runPromote(context: Context, id: string, options: { kind?: string; text?: string }): number {
  const { kind, text } = options
  const to = { ...(kind === undefined ? {} : { kind }), ...(text === undefined ? {} : { text }) }
  return perform(context, { do: 'promote', id, ...to })
}

function runDemote(context: Context, id: string, { why }: { why?: string }): number {
  return perform(context, { do: 'demote', id, ...(why === undefined ? {} : { why }) })
}

/** `rules accept r001`. */
export function runAccept(context: Context, id: string, options: { text?: string }): number {
  findItem({ facts: readFacts(context.store) }, id)
  const { text } = options
  return perform(context, { do: 'accept', id, ...(text === undefined ? {} : { text }) })
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

function runLessonList({ store, out }: Context): number {
  const lessons = readLessons(store)
  out.json({ lessons })
  if (lessons.length === 0) out.say('No lessons yet: memory-keeper lesson add "Run the migrations before the tests."')
  else
    out.say(
      ...lessons.map((lesson, i) => `${String(i + 1).padStart(2)}  ${harmless(lesson)}`),
      dim('Told when a session starts. To have one told with every prompt: memory-keeper rules add "…"'),
    )
  return 0
}

function runLessonAdd(context: Context, text: string, options: { rule?: boolean }): number {
  return perform(context, { do: 'add-lesson', text, isRule: options.rule === true })
}

function runLessonRemove(context: Context, number: string): number {
  return perform(context, { do: 'remove-lesson', number })
}

export const REFLECT_COMMANDS: readonly Command[] = [
  {
    usage: 'reflect',
    about: 'look for what recurs; show what holds for good, what waits for your yes, and why',
    writes: true,
    example: 'memory-keeper reflect',
    run: inProject(runReflect),
  },
  {
    usage: 'promote <id>',
    about: 'make a fact, an instruction or a candidate hold for good',
    options: [
      { flags: '--kind <kind>', about: 'rules, solutions or core_logic', values: { of: PERMANENT_KINDS } },
      { flags: '--text <text>', about: 'in these words' },
    ],
    writes: true,
    example: 'memory-keeper promote d012 --kind rules',
    run: inProject((context, options, [id = '']) => runPromote(context, id, options)),
  },
  {
    usage: 'demote <id>',
    about: 'take back what holds for good; it is kept as superseded',
    options: [{ flags: '--why <text>', about: 'the reason' }],
    writes: true,
    example: 'memory-keeper demote r001 --why "we moved to bun"',
    run: inProject((context, options, [id = '']) => runDemote(context, id, options)),
  },
  {
    usage: 'lesson add <text...>',
    about: 'keep a lesson, told when a session starts',
    options: [{ flags: '--rule', about: 'make it a rule, too: told with every prompt' }],
    writes: true,
    example: 'memory-keeper lesson add "Run the migrations before the tests."',
    run: inProject((context, options, words) => runLessonAdd(context, words.join(' '), options)),
  },
  {
    usage: 'lesson list',
    about: 'the lessons with their numbers',
    example: 'memory-keeper lesson list',
    run: inProject(runLessonList),
  },
  {
    usage: 'lesson remove <number>',
    about: 'take a lesson out',
    writes: true,
    example: 'memory-keeper lesson remove 2',
    run: inProject((context, _, [number = '']) => runLessonRemove(context, number)),
  },
]
