/** `facts list`, `facts show`: what was decided, learned and is open, by what it is about and whether it still holds. */

import type { Concepts } from '../../knowledge/concept.ts'
import { markStale } from '../../knowledge/disk/fact-care.ts'
import { readConcepts, readFacts } from '../../knowledge/disk/knowledge.ts'
import { allFacts, type Fact, type FactState, type FactType, isLegacy } from '../../knowledge/fact.ts'
import { FACT_TYPES } from '../../knowledge/fact-draft.ts'
import { findFact, isLive, isPinned, pastOf } from '../../knowledge/fact-list.ts'
import { type Context, limitOf, wholeNumber } from '../../memory/commands/context.ts'
import { bold, count, dim, harmless, oneLine, table, warning } from '../../memory/commands/output.ts'
import { HOOK_WAIT_MS, type Store } from '../../memory/disk/store.ts'
import { isWritable } from '../../platform/disk/files.ts'
import { KeeperError } from '../../platform/error.ts'
import { notTrusted, renderFound } from '../../search/commands/search-text.ts'
import { lookUp } from '../../search/disk/lookup.ts'
import { dayOf } from '../../text/memory-words.ts'
import { entryId } from '../../transcript/session.ts'
import { conceptOf, STATUSES } from '../disk/hand-facts.ts'
import { listed, minute } from './by-hand.ts'

/** Below so many columns, who said it and the concept are left out. */
const NARROW = 100
const MAX_CONCEPT = 20
/** A person reads at most so many at once; programs get all. */
const SHOWN = 50
const SHOWN_PLACES = 8

const SPEAKERS = { user: 'you', assistant: 'Claude', tool: 'a tool' } as const
const AUTHORS = { agent: 'Claude, as agent', headless: 'Claude, in the background', extractive: 'code', user: 'you' }
const JUDGES: Readonly<Record<string, string>> = { ...AUTHORS, code: 'code', git: 'git' }

const STATES: readonly FactState[] = ['fresh', 'stale', 'superseded', 'rejected']

/** What `--state` takes. */
export const STATE_WORDS = [...STATES, 'all'] as const

interface FactFilters {
  type?: string
  concept?: string
  state?: string
  status?: string
  file?: string
  session?: string
  limit?: string
}

export function runFactsList(context: Context, options: FactFilters): number {
  const { store, out, world } = context
  lookAfter(context)
  const concepts = readConcepts(store)
  const all = allFacts(readFacts(store)).toSorted(newestFirst)
  const fitting = all.filter(fits(options, concepts, store))
  const states = options.state === undefined ? null : statesOf(options.state)
  const listed = fitting.filter((fact) => (states === null ? isLive(fact) : states.has(fact.state)))
  const shown = listed.slice(0, options.limit === undefined && !out.isJson ? SHOWN : limitOf(options.limit))
  const hidden = states === null ? fitting.length - listed.length : 0
  out.json({
    facts: shown.map((fact) => ({ ...fact, conceptName: conceptName(fact, concepts), source: factSource(fact) })),
    total: listed.length,
    hidden,
  })
  if (all.length === 0) out.say(notTrusted(store) ?? NONE_YET)
  else if (listed.length === 0) out.say(`No fact fits.${hidden > 0 ? '' : ' Fewer filters find more.'}`)
  out.say(...renderRows(shown, concepts, world.columns))
  const left = listed.length - shown.length
  const told = [
    ...(left > 0
      ? [`${count(left, 'more fact')}: --limit ${listed.length} shows all, --type and --concept find some.`]
      : []),
    ...(hidden > 0 ? [`${hidden} rejected or superseded: --state all shows them.`] : []),
  ]
  if (told.length > 0) out.say(dim(told.join(' ')))
  return 0
}

/** Somebody waits for the answer: git has a moment, once per commit. */
const GIT_MS = 400

/** What is shown as fresh is so by git's word of now, where that is to be had quickly. */
function lookAfter({ store, world: { env, platform, now } }: Context): void {
  if (!isWritable(store.dir)) return
  markStale(store, { env, platform, now, waitMs: HOOK_WAIT_MS, timeoutMs: GIT_MS })
}

const NONE_YET =
  'No facts yet. They come with notes, as you work; to add one: memory-keeper facts add decision "…" --reason "…"'

function renderRows(facts: readonly Fact[], concepts: Concepts, columns: number): string[] {
  if (facts.length === 0) return []
  const isNarrow = columns < NARROW
  const rows = facts.map((fact) => ({
    cells: [
      bold(harmless(fact.id)),
      harmless(dayOf(fact.lastAt ?? fact.at)),
      ...(isNarrow ? [] : [speakerName(fact), dim(oneLine(conceptName(fact, concepts) ?? '–', MAX_CONCEPT))]),
      fact.state === 'fresh' ? stateMark(fact) : warning(stateMark(fact)),
    ],
    text: fact.text,
  }))
  const titles = ['id', 'last said', 'said by', 'concept', ''].map((title) => dim(title))
  return listed([...(isNarrow ? [] : [{ cells: titles, text: '' }]), ...rows], columns)
}

function newestFirst(a: Fact, b: Fact): number {
  const [one, other] = [a.lastAt ?? a.at, b.lastAt ?? b.at]
  if (one !== other) return one < other ? 1 : -1
  return Number(/\d+$/.exec(b.id)?.[0] ?? 0) - Number(/\d+$/.exec(a.id)?.[0] ?? 0)
}

function fits(options: FactFilters, concepts: Concepts, store: Store): (fact: Fact) => boolean {
  const types = options.type === undefined ? null : oneOf<FactType>('--type', options.type, FACT_TYPES)
  const status = options.status === undefined ? null : oneOf('--status', options.status, STATUSES)
  const concept = options.concept === undefined ? null : conceptOf(store, { concepts }, options.concept).id
  const file = options.file?.replaceAll('\\', '/').toLowerCase() ?? null
  const session = options.session?.replace(/^L1:/i, '').slice(0, 8).toLowerCase() ?? null
  return (fact) =>
    (types === null || types.has(fact.type)) &&
    (status === null || (fact.status !== null && status.has(fact.status))) &&
    (concept === null || fact.concept === concept) &&
    (file === null || fact.files.some((one) => one.replaceAll('\\', '/').toLowerCase().includes(file))) &&
    (session === null ||
      fact.session === session ||
      otherPlaces(fact).some((place) => place.startsWith(`L1:${session}#`)))
}

function statesOf(given: string): ReadonlySet<FactState> {
  const named = oneOf('--state', given, STATE_WORDS)
  return new Set(STATES.filter((one) => named.has(one) || named.has('all')))
}

/** Several of them with commas between; plurals are understood. */
function oneOf<T extends string>(option: string, given: string, known: readonly T[]): ReadonlySet<T> {
  const named = given.split(',').map((one) => one.trim().toLowerCase())
  const found = named.map((one) => known.find((each) => one === each || one === `${each}s`))
  const wrong = named.find((_, i) => found[i] === undefined)
  if (wrong === undefined) return new Set(found.flatMap((one) => (one === undefined ? [] : [one])))
  throw new KeeperError('usage', `${option} takes ${known.join(', ')}; "${harmless(wrong)}" is none of them.`)
}

export function runFactsShow(context: Context, given: string, options: { context?: string }): number {
  const around = wholeNumber('--context', options.context ?? '0')
  const { store, out } = context
  lookAfter(context)
  const fact = findFact(readFacts(store), given)
  if (fact === null)
    throw new KeeperError(
      'not-found',
      `There is no fact ${harmless(given.trim())}. memory-keeper facts list --state all shows them.`,
    )
  const concepts = readConcepts(store)
  const source = factSource(fact)
  const proof = source === null || around === 0 ? null : lookUp(store, source, around)
  out.json({
    fact,
    conceptName: conceptName(fact, concepts),
    source,
    also: otherPlaces(fact),
    ...(proof === null ? {} : { context: proof.parts }),
  })
  out.say(...renderFact(fact, concepts), ...(proof === null ? [] : ['', ...renderFound(proof)]))
  return 0
}

/** Whose words prove it; a dash where nobody noted it. */
function speakerName({ author, evidence }: Fact): string {
  return author === 'user' ? 'you' : evidence.by === undefined ? '–' : SPEAKERS[evidence.by]
}

/** What a reader must know before believing it: empty for one that simply holds. */
export function stateMark(fact: Fact): string {
  const { state, status } = fact
  const held = state === 'stale' && status !== null ? `${state}, ${status}` : state === 'fresh' ? (status ?? '') : state
  const also = isPinned(fact) ? 'pinned' : isLegacy(fact) ? 'legacy' : ''
  return [also, held].filter((word) => word !== '').join(', ')
}

function conceptName({ concept }: Fact, { concepts }: Concepts): string | null {
  if (concept === null) return null
  return concepts.find(({ id }) => id === concept)?.name ?? concept
}

/** Null: it was taken from no session. */
function factSource({ session, evidence }: Fact): string | null {
  return session === '' || evidence.entry < 0 ? null : entryId(session, evidence.entry)
}

/** Where else it was said, as ids that `show` opens, the newest first. */
function otherPlaces({ also = [] }: Fact): string[] {
  const places = also.map((one) => /^([0-9a-z]{8})#(\d+)$/.exec(one)).flatMap((match) => (match ? [match] : []))
  return [...new Set(places.map(([, session = '', entry]) => entryId(session, Number(entry))))].toReversed()
}

function renderFact(fact: Fact, concepts: Concepts): string[] {
  const source = factSource(fact)
  const when = fact.at === '' ? '' : `, ${minute(fact.at)} UTC`
  const state = isLegacy(fact) ? 'legacy' : fact.state
  const mark = state === 'fresh' ? '' : `  ${warning(state)}`
  return [
    `${bold(harmless(fact.id))} ${dim(harmless(`${fact.type}${when}; noted by ${AUTHORS[fact.author]}`))}${mark}`,
    harmless(fact.text),
    ...table(detailsOf(fact, concepts)),
    ...historyOf(fact),
    source === null
      ? dim(
          fact.author === 'user'
            ? 'It is your own word: no session proves it.'
            : 'It names no entry it was taken from.',
        )
      : `The source: memory-keeper show ${harmless(source)}`,
  ]
}

function detailsOf(fact: Fact, concepts: Concepts): string[][] {
  const { reason, status, resolution, evidence, files, lastAt, concept } = fact
  const places = otherPlaces(fact)
  const more = places.length - SHOWN_PLACES
  const name = conceptName(fact, concepts)
  const rows: (readonly [string, string | null])[] = [
    ['because', reason],
    ['status', status === 'resolved' && resolution !== null ? `resolved: ${resolution}` : status],
    ['state', stateLine(fact)],
    [
      'pinned',
      fact.pinned !== true ? null : isPinned(fact) ? 'told first in every briefing' : `not told while ${fact.state}`,
    ],
    ['concept', name === null || name === concept ? concept : `${concept} ${name}`],
    [
      'proof',
      evidence.quote === ''
        ? null
        : `"${evidence.quote}"${evidence.by === undefined ? '' : `, said by ${SPEAKERS[evidence.by]}`}`,
    ],
    ['also', places.length === 0 ? null : places.slice(0, SHOWN_PLACES).join(', ') + (more > 0 ? ` +${more}` : '')],
    ['last said', lastAt === undefined || lastAt === fact.at ? null : `${minute(lastAt)} UTC`],
    ['files', files.length === 0 ? null : files.join(', ')],
  ]
  return rows.flatMap(([label, value]) => (value === null ? [] : [[`  ${label}`, harmless(value)]]))
}

/** Null: it simply holds. */
function stateLine({ state, judged }: Fact): string | null {
  if (state === 'fresh') return null
  if (judged === undefined) return state
  const { by, at, why, other } = judged
  const instead = other === null ? '' : ` by ${other}`
  return `${state}${instead}, ${JUDGES[by] ?? by} said so ${minute(at)} UTC${why === null ? '' : `: ${why}`}`
}

function historyOf(fact: Fact): string[] {
  const past = pastOf(fact)
  if (past.length === 0) return []
  const lines = past.map(({ at, by, what }) => harmless(`  ${minute(at)} ${JUDGES[by] ?? by}: ${what}`))
  return [dim('What became of it:'), ...lines.map(dim)]
}
