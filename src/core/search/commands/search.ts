/** `search`: searches the whole memory and ranks the hits; for people, for programs, and many queries at once (`--batch`). */

import path from 'node:path'
import type { ExitCode } from '../../../kernel/memory/commands/command.ts'
import { type CliWorld, type Context, limitOf, typed } from '../../../kernel/memory/commands/context.ts'
import { count, dim, harmless, oneLine, warning } from '../../../kernel/memory/commands/output.ts'
import { showLate } from '../../../kernel/memory/commands/progress.ts'
import { readText } from '../../../kernel/platform/disk/files.ts'
import { KeeperError } from '../../../kernel/platform/error.ts'
import { tokenise } from '../../../kernel/text/words.ts'
import { openReorder } from '../../extra.ts'
import { lookUp } from '../disk/lookup.ts'
import { type Found, openSearcher, operatorsOf, type Searcher, type SearchRequest } from '../disk/search.ts'
import { ALL_KINDS, type AskedAt, hasNoFilter } from '../operators.ts'
import { hitJson, INDENT, nothingFound, nothingYet, notTrusted, renderHit } from './search-text.ts'

export interface SearchOptions {
  deep?: boolean
  layer?: string
  type?: string
  since?: string
  until?: string
  session?: string
  file?: string
  limit?: string
  batch?: string
}

type Limited = SearchRequest & { limit: number }

const LIMIT = 10
const QUICK = 'L2,L3'
/** With fewer hits in notes, facts and summaries, or a smaller share of the question in them, sessions are searched too. */
const ENOUGH_HITS = 3
const ENOUGH_COVERED = 0.8
const SHOWN_MISSING = 5
const SHOWN_QUERY = 60
/** The maximum length of an id. */
const ID_CHARS = 200

export function runSearch(context: Context, words: readonly string[], options: SearchOptions): ExitCode {
  const { store, world, out } = context
  const { layer: layers, type: kinds, since, until, session, file } = options
  const limit = options.limit === undefined ? LIMIT : limitOf(options.limit)
  const filters = { layers, kinds, since, until, session, file }
  const isSpread = options.limit === undefined && options.batch === undefined
  const request: Limited = { query: words.join(' ').trim(), limit, isSpread, ...filters }
  const { embedderKey: key, fetch, now } = world
  const began = Date.parse(now())
  const onProgress = showLate(world, out, 'read for the search index')
  const searcher = openSearcher(store, { cacheDir: store.places.cacheDir, now, onProgress })
  const print = (found: FoundWell): number => {
    tell(context, searcher, request, found, Math.max(0, Date.parse(now()) - began))
    return 0
  }
  let later: Promise<number> | null = null
  try {
    if (options.batch !== undefined) return runBatch(context, searcher, options.batch, request)
    const found = isQuick(context, request, options)
      ? findQuickly(searcher, request, options.limit === undefined ? ENOUGH_HITS : limit)
      : { ...searcher.find(request), depth: 'asked' as const }
    const reorder = openReorder(store.config, { key, fetch, now })
    if (reorder === null) return print(found)
    const again = found.depth === 'quick' ? { ...request, layers: QUICK } : request
    later = reorder(searcher, again).then((other) => print({ ...other, depth: found.depth }))
    return later.finally(() => searcher.close())
  } finally {
    if (later === null) searcher.close()
  }
}

/** The best hits of all projects in one list. Scores of two projects are near enough to each other for that. */
export function runSearchEverywhere(
  contexts: readonly Context[],
  options: Omit<SearchOptions, 'batch'>,
  words: readonly string[],
): ExitCode {
  const [first] = contexts as [Context]
  const { out, world } = first
  const { layer: layers, type: kinds, since, until, session, file } = options
  const query = words.join(' ').trim()
  const limit = options.limit === undefined ? LIMIT : limitOf(options.limit)
  const found = contexts.flatMap(({ store }) => {
    const onProgress = showLate(world, out, `read for the search index of ${path.basename(store.places.project.root)}`)
    const searcher = openSearcher(store, { cacheDir: store.places.cacheDir, now: world.now, onProgress })
    try {
      const { hits } = searcher.find({ query, limit, isSpread: true, layers, kinds, since, until, session, file })
      return hits.map((hit) => ({ hit, project: store.places.project.root }))
    } finally {
      searcher.close()
    }
  })
  const best = found.toSorted((a, b) => b.hit.score - a.hit.score).slice(0, limit)
  out.json({ hits: best.map(({ hit, project }) => ({ project, ...hitJson(hit) })), projects: contexts.length })
  for (const { hit, project } of best) out.say(...renderHit(hit, first), dim(`${INDENT}in ${harmless(project)}`), '')
  const searched = `${count(best.length, 'hit')} in ${count(contexts.length, 'project')}.`
  const [top] = best
  out.say(
    dim(
      top === undefined
        ? searched
        : `${searched} To open one: ${typed(world, `show ${top.hit.id} --project ${JSON.stringify(top.project)}`)}`,
    ),
  )
  return 0
}

/** False if the request itself names a layer, a type or a session. */
function isQuick(context: Context, request: SearchRequest, { deep, layer }: SearchOptions): boolean {
  if (deep === true || layer !== undefined) return false
  const asked = operatorsOf(request, askedAt(context))
  if (asked.kinds.size < ALL_KINDS.size || asked.session !== null) return false
  return !hasNoFilter(asked) || tokenise(asked.words).length > 0
}

interface FoundWell extends Found {
  /** Quick: only notes, facts and summaries were searched. Deeper: sessions too, because those contained too little. */
  depth: 'asked' | 'quick' | 'deeper'
}

function findQuickly(searcher: Searcher, request: SearchRequest, atLeast: number): FoundWell {
  const found = searcher.find({ ...request, layers: QUICK })
  const { hits, covered, holdsNames } = found
  // A session's summary only shows where the answer may be.
  const holdsAnswer = hits.some(({ kind }) => kind !== 'session')
  if (hits.length >= atLeast && covered >= ENOUGH_COVERED && holdsNames && holdsAnswer)
    return { ...found, depth: 'quick' }
  return { ...searcher.find(request), depth: 'deeper' }
}

function tell(context: Context, searcher: Searcher, request: SearchRequest, found: FoundWell, tookMs: number): void {
  const { store, out, world } = context
  const { hits, corrected, missing, deep } = found
  const isEmpty = searcher.index.columns.live === 0
  const news = [...found.news, ...(isEmpty ? [nothingYet(store)] : [])]
  out.json({ hits: hits.map(hitJson), took_ms: tookMs, deep, news, corrected, missing })
  if (out.isJson) return
  for (const line of news) out.warn(dim(harmless(line)))
  const isId = isKnownId(context, request.query)
  const headline = `Memory Keeper: ${count(hits.length, 'hit')} for '${oneLine(request.query, SHOWN_QUERY)}'`
  out.say(...(world.isSkill === true ? [headline] : []), ...firstLines(context, found, request.query, isId))
  for (const hit of hits) out.say(...renderHit(hit, context), '')
  if (hits.length > 0) out.say(...lastLines(context, found))
  else if (!isEmpty && !isId) out.say(...whyNothing(context, request))
}

function isKnownId({ store }: Context, query: string): boolean {
  if (query === '' || query.length > ID_CHARS || /\s/.test(query)) return false
  return (lookUp(store, query, 0)?.parts.length ?? 0) > 0
}

function firstLines({ world }: Context, { corrected, missing }: FoundWell, query: string, isId: boolean): string[] {
  const shown = missing.slice(0, SHOWN_MISSING).map((word) => `"${oneLine(word, SHOWN_QUERY)}"`)
  const rest = missing.length - shown.length
  return [
    ...(isId ? [`This is an id. To open it: ${typed(world, `show ${harmless(query)}`)}`] : []),
    ...corrected.map(({ from, to }) => warning(`No match for "${harmless(from)}"; searched ${harmless(to)} instead.`)),
    ...(shown.length === 0 || isId
      ? []
      : [warning(`No match for ${shown.join(', ')}${rest > 0 ? ` and ${rest} more of the words` : ''}.`)]),
  ]
}

const DEEPER = 'Few notes, facts or summaries tell of it; the sessions were searched too.'

function quickly(world: CliWorld): string {
  const how = world.isSkill === true ? `${typed(world, 'search --deep')} and the words search them` : '--deep adds them'
  return `Sessions were not searched: ${how}.`
}

function lastLines({ world }: Context, { hits, depth }: FoundWell): string[] {
  const open = `To open one: ${typed(world, `show ${harmless(hits[0]?.id ?? '')}`)}`
  const counted = world.isSkill === true ? open : `${count(hits.length, 'hit')}. ${open}`
  const how = depth === 'asked' ? [] : [dim(depth === 'quick' ? quickly(world) : DEEPER)]
  return [dim(counted), ...how]
}

function askedAt({ store, world }: Context): AskedAt {
  return { now: Date.parse(world.now()), timezone: store.config.timezone }
}

function whyNothing(context: Context, request: SearchRequest): string[] {
  const lines = [nothingFound(request.query, operatorsOf(request, askedAt(context))), notTrusted(context.store)]
  return lines.filter((line) => line !== null)
}

/** JSON lines in and out, in the same order; every line gets hits or an error. `common`: the options of the command. */
function runBatch({ world }: Context, searcher: Searcher, file: string, common: SearchRequest): number {
  const text = file === '-' ? world.readStdin() : readText(file)
  if (text === null)
    throw new KeeperError('no-file', `${file} does not exist. Give a file of JSON lines, or - for stdin.`)
  const lines = text.replace(/^\ufeff/, '').split('\n')
  let failed = 0
  for (const line of lines.filter((one) => one.trim() !== '')) {
    const answer = answerTo(line, searcher, common)
    if ('error' in answer) failed++
    world.streams.out(`${JSON.stringify(answer)}\n`)
  }
  return failed > 0 ? 1 : 0
}

type Answer = { id: unknown; hits: object[] } | { id: unknown; error: string }

function answerTo(line: string, searcher: Searcher, common: SearchRequest): Answer {
  const asked = parseLine(line)
  if (asked === null)
    return { id: null, error: 'expected a JSON object like {"id": 1, "query": "some words"} on the line' }
  const { id = null, query, limit = common.limit, ...filters } = asked
  if (typeof query !== 'string') return { id, error: 'expected "query": a text' }
  if (!Number.isInteger(limit) || Number(limit) < 1) return { id, error: 'expected "limit": a whole number from 1 on' }
  const { layer, type, layers = layer, types: kinds = type, since, until, session, file } = filters
  const wanted = { layers, kinds, since, until, session, file }
  const given = Object.entries(wanted).filter(([, value]) => value !== undefined && value !== null)
  const wrong = given.find(([, value]) => typeof value !== 'string' && !isTexts(value))
  if (wrong !== undefined) return { id, error: `expected "${wrong[0]}": a text or a list of texts` }
  try {
    const texts = Object.fromEntries(given.map(([name, value]) => [name, String(value)]))
    const request = { ...common, ...texts, query: `${query} ${common.query}`.trim(), limit: Number(limit) }
    return { id, hits: searcher.find(request).hits.map(hitJson) }
  } catch (error) {
    if (!(error instanceof KeeperError)) throw error
    return { id, error: error.message }
  }
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === 'string')
}

function parseLine(line: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && !Array.isArray(value) ? (value as Record<string, unknown> | null) : null
  } catch {
    return null
  }
}
