/** `facts`: lists decisions, patterns and issues, and changes them by hand; `concepts`: lists and changes concepts. */

import { type Command, inProject, type Option } from '../../../kernel/memory/commands/command.ts'
import { type Context, limitOf, typed } from '../../../kernel/memory/commands/context.ts'
import { bold, count, dim, harmless, oneLine, warning } from '../../../kernel/memory/commands/output.ts'
import { HOOK_WAIT_MS, type Store } from '../../../kernel/memory/disk/store.ts'
import { isWritable } from '../../../kernel/platform/disk/files.ts'
import { KeeperError } from '../../../kernel/platform/error.ts'
import { entryId } from '../../../kernel/transcript/session.ts'
import type { Concepts } from '../../knowledge/concept.ts'
import { markStale } from '../../knowledge/disk/fact-care.ts'
import { readBoth } from '../../knowledge/disk/knowledge.ts'
import {
  FACT_KIND_NAMES,
  type Fact,
  type FactState,
  isLegacy,
  isLive,
  isOfEarlierVersion,
  isOpenIssue,
  isPinned,
  issueWord,
  isTold,
} from '../../knowledge/item.ts'
import { filed } from '../../knowledge/item-fields.ts'
import { allFacts } from '../../knowledge/items.ts'
import { awaitingAudit, awaitingLine } from '../../notes/disk/unaudited.ts'
import { notTrusted } from '../../search/commands/search-text.ts'
import { conceptOf } from '../disk/hand-facts.ts'
import { CONCEPT, FILE, handCommand, printList, REASON } from './by-hand.ts'

/** With fewer columns, speaker and concept are left out. */
const NARROW = 100
const MAX_CONCEPT = 20
const MAX_NAME = 32
/** The number of rows for a person; programs get all. */
const SHOWN = 50

const SPEAKERS = { user: 'you', assistant: 'Claude', tool: 'a tool' } as const
const STATES: readonly FactState[] = ['fresh', 'stale', 'superseded', 'rejected']

interface FactFilters {
  type?: string
  concept?: string
  state?: string
  status?: string
  limit?: string
}

export function runFactsList(context: Context, options: FactFilters): number {
  const { store, out } = context
  lookAfter(context)
  const { facts, concepts } = readBoth(store)
  const all = allFacts(facts).toSorted(newestFirst)
  const fitting = all.filter(fits(options, concepts, store))
  const states = options.state === undefined ? null : statesOf(options.state)
  const listed = fitting.filter((fact) => (states === null ? isLive(fact) : states.has(fact.state)))
  const shown = listed.slice(0, options.limit === undefined && !out.isJson ? SHOWN : limitOf(options.limit))
  const hidden = states === null ? fitting.length - listed.length : 0
  const json = shown.map((fact) => ({
    ...filed(fact),
    conceptName: conceptName(fact, concepts),
    source: factSource(fact),
  }))
  const left = listed.length - shown.length
  const audit = awaitingAudit(store, context.world.now())
  if (context.world.isSkill === true) out.say(`Memory Keeper: ${count(listed.length, 'fact')}`)
  const none = all.length === 0 ? (notTrusted(store) ?? NONE_YET) : 'No fact fits.'
  return printList(context, { facts: json, total: listed.length, hidden, audit }, rowsOf(context, shown, concepts), [
    ...(listed.length === 0 ? [none] : []),
    ...(left > 0 ? [dim(`${count(left, 'more fact')}: --limit ${listed.length} shows all.`)] : []),
    ...(audit === null ? [] : [`${awaitingLine(audit)}.`]),
    ...(hidden > 0 ? [dim(`${hidden} rejected or superseded: --state all shows them.`)] : []),
  ])
}

/** A person waits for the answer: git gets this much time, once per commit. */
const GIT_MS = 400

/** Updates the staleness of facts by git before they are shown, if that is quick. */
export function lookAfter({ store, world: { env, platform, now } }: Context): void {
  if (!isWritable(store.dir)) return
  markStale(store, { env, platform, now, waitMs: HOOK_WAIT_MS, timeoutMs: GIT_MS })
}

const NONE_YET =
  'No facts yet. They come with notes, as you work; to add one: memory-keeper facts add decision "…" --reason "…"'

function rowsOf(
  { world, clock }: Context,
  facts: readonly Fact[],
  concepts: Concepts,
): { cells: string[]; text: string }[] {
  const isNarrow = world.columns < NARROW
  const rows = facts.map((fact) => ({
    cells: [
      bold(harmless(fact.id)),
      harmless(clock.day(fact.lastAt ?? fact.at)),
      ...(isNarrow ? [] : [speakerName(fact), dim(oneLine(conceptName(fact, concepts) ?? '–', MAX_CONCEPT))]),
      fact.state === 'fresh' ? stateMark(fact) : warning(stateMark(fact)),
    ],
    text: fact.text,
  }))
  const titles = ['id', 'last said', 'said by', 'concept', ''].map((title) => dim(title))
  return [...(isNarrow || rows.length === 0 ? [] : [{ cells: titles, text: '' }]), ...rows]
}

function newestFirst(a: Fact, b: Fact): number {
  const [one, other] = [a.lastAt ?? a.at, b.lastAt ?? b.at]
  if (one !== other) return one < other ? 1 : -1
  return Number(/\d+$/.exec(b.id)?.[0] ?? 0) - Number(/\d+$/.exec(a.id)?.[0] ?? 0)
}

function fits(options: FactFilters, concepts: Concepts, store: Store): (fact: Fact) => boolean {
  const types = options.type === undefined ? null : oneOf('--type', options.type, FACT_KIND_NAMES)
  const status = options.status === undefined ? null : oneOf('--status', options.status, ['open', 'resolved'])
  const concept = options.concept === undefined ? null : conceptOf(store, { concepts }, options.concept).id
  return (fact) =>
    (types === null || types.has(fact.kind)) &&
    (status === null ||
      (isOpenIssue(fact) && status.has('open')) ||
      (fact.status === 'resolved' && status.has('resolved'))) &&
    (concept === null || fact.concept === concept)
}

function statesOf(given: string): ReadonlySet<FactState> {
  const named = oneOf('--state', given, [...STATES, 'all'])
  return new Set(STATES.filter((one) => named.has(one) || named.has('all')))
}

/** Several values separated by commas; accepts plurals. */
function oneOf<T extends string>(option: string, given: string, known: readonly T[]): ReadonlySet<T> {
  const named = given.split(',').map((one) => one.trim().toLowerCase())
  const found = named.map((one) => known.find((each) => one === each || one === `${each}s`))
  const wrong = named.find((_, i) => found[i] === undefined)
  if (wrong === undefined) return new Set(found.flatMap((one) => (one === undefined ? [] : [one])))
  throw new KeeperError('usage', `${option} takes ${known.join(', ')}; "${harmless(wrong)}" is none of them.`)
}

/** Whose words prove it; a dash if unknown. */
function speakerName(fact: Fact): string {
  const { by, evidence, source = '' } = fact
  if (isOfEarlierVersion(fact)) return source
  return by === 'user' ? 'you' : evidence.by === undefined ? '–' : SPEAKERS[evidence.by]
}

/** A warning for the reader; empty if the fact is simply current. */
function stateMark(fact: Fact): string {
  const { state } = fact
  const status = issueWord(fact)
  const held = state === 'stale' && status !== null ? `${state}, ${status}` : state === 'fresh' ? (status ?? '') : state
  const also = isPinned(fact) ? 'pinned' : isLegacy(fact) ? 'legacy' : isTold(fact) ? '' : 'not audited'
  return [also, held].filter((word) => word !== '').join(', ')
}

function conceptName({ concept }: Fact, { concepts }: Concepts): string | null {
  if (concept === null) return null
  return concepts.find(({ id }) => id === concept)?.name ?? concept
}

/** Null: it does not come from a session. */
function factSource({ session, evidence }: Fact): string | null {
  return session === '' || evidence.entry < 0 ? null : entryId(session, evidence.entry)
}

const LIMIT: Option = { flags: '--limit <n>', about: 'at most so many; 50 without this, all of them with --json' }

export const FACT_COMMANDS: readonly Command[] = [
  {
    usage: 'facts list',
    about: 'current decisions, patterns and issues, newest first',
    options: [
      { flags: '--type <types>', about: 'decision, pattern, issue; several with commas' },
      { flags: '--concept <id-or-name>', about: 'of this concept' },
      { flags: '--state <states>', about: 'fresh, stale, superseded, rejected; several with commas, or all' },
      { flags: '--status <status>', about: 'of issues: open (named by you or a model), resolved' },
      LIMIT,
    ],
    example: 'memory-keeper facts list --type issue --status open',
    run: inProject(runFactsList),
  },
  handCommand(
    {
      usage: 'facts add <type> <text...>',
      stdin: 'words',
      about: 'a decision, pattern or issue in your own words',
      options: [REASON, FILE, CONCEPT, { flags: '--anyway', about: 'even if another fact seems to say the same' }],
      example: 'memory-keeper facts add pattern "Prices are kept in cents." --file src/price.ts',
    },
    ([type = '', ...words], { file: files, anyway: isAnyway, reason, concept }) => ({
      do: 'add-fact',
      type,
      text: words.join(' '),
      files,
      isAnyway,
      reason,
      concept,
    }),
  ),
]

function runConceptsList(context: Context, { limit }: { limit?: string }): number {
  const { concepts, facts } = readBoth(context.store)
  const live = allFacts(facts).filter(isLive)
  const all = concepts.concepts
    .map((concept) => {
      const own = live.filter((fact) => fact.concept === concept.id)
      return { ...concept, facts: own.length, open: own.filter(isOpenIssue).length }
    })
    .sort((a, b) => b.facts - a.facts || (a.id < b.id ? -1 : 1))
  const without = live.filter(({ concept }) => concept === null).length
  const shown = all.slice(0, limitOf(limit))
  const rows = shown.map(({ id, name, facts: own, open, summary }) => ({
    cells: [bold(id), oneLine(name, MAX_NAME), count(own, 'fact'), open === 0 ? '' : `${open} open`],
    text: summary,
  }))
  return printList(context, { concepts: shown, without }, rows, [
    all.length === 0
      ? 'No concepts yet. Claude names them with the facts it saves; you do with memory-keeper edit <id> --concept <name>.'
      : dim(
          `${count(all.length, 'concept')}; ${count(without, 'fact')} without one. ${typed(context.world, `show ${shown[0]?.id}`)}`,
        ),
  ])
}

export const CONCEPT_COMMANDS: readonly Command[] = [
  {
    usage: 'concepts list',
    about: 'what facts are about, the largest first; memory-keeper show c001 shows one with its facts',
    options: [{ flags: '--limit <n>', about: 'at most so many' }],
    example: 'memory-keeper concepts list',
    run: inProject(runConceptsList),
  },
  handCommand(
    {
      usage: 'concepts merge <from> <into>',
      about: 'all facts of one concept belong to another; its name still finds them',
      example: 'memory-keeper concepts merge c007 c002',
    },
    ([from = '', into = '']) => ({ do: 'merge-concepts', from, into }),
  ),
]
