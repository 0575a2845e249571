/** `search`: everything that is remembered, ranked; for people, for programs, and many questions at once (`--batch`). */

import type { ExitCode } from '../../memory/commands/command.ts'
import { type Context, limitOf } from '../../memory/commands/context.ts'
import { count, dim, harmless, warning } from '../../memory/commands/output.ts'
import { showLate } from '../../memory/commands/progress.ts'
import { readText } from '../../platform/disk/files.ts'
import { KeeperError } from '../../platform/error.ts'
import { tokenise } from '../../text/words.ts'
import { findAgain, openEmbedder } from '../disk/embedder.ts'
import { lookUp } from '../disk/lookup.ts'
import { type Found, openSearcher, operatorsOf, type Searcher, type SearchRequest } from '../disk/search.ts'
import { ALL_KINDS, hasNoFilter } from '../operators.ts'
import { hitJson, nothingFound, nothingYet, notTrusted, renderHit } from './search-text.ts'

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
/** With fewer hits in notes, facts and summaries, or less of the question in them, the sessions are searched too. */
const ENOUGH_HITS = 3
const ENOUGH_COVERED = 0.8
const SHOWN_MISSING = 5
/** No id is longer. */
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
    const embedder = openEmbedder(store.config, { key, fetch, now })
    if (embedder === null) return print(found)
    const again = found.depth === 'quick' ? { ...request, layers: QUICK } : request
    later = findAgain(searcher, again, embedder).then((other) => print({ ...other, depth: found.depth }))
    return later.finally(() => searcher.close())
  } finally {
    if (later === null) searcher.close()
  }
}

/** A layer, a type or a session in the request says where to search. */
function isQuick({ world }: Context, request: SearchRequest, { deep, layer }: SearchOptions): boolean {
  if (deep === true || layer !== undefined) return false
  const asked = operatorsOf(request, Date.parse(world.now()))
  if (asked.kinds.size < ALL_KINDS.size || asked.session !== null) return false
  return !hasNoFilter(asked) || tokenise(asked.words).length > 0
}

interface FoundWell extends Found {
  /** Quick: only notes, facts and summaries were searched. Deeper: sessions too, since those contained too little. */
  depth: 'asked' | 'quick' | 'deeper'
}

function findQuickly(searcher: Searcher, request: SearchRequest, atLeast: number): FoundWell {
  const found = searcher.find({ ...request, layers: QUICK })
  const { hits, covered, holdsNames } = found
  // A summary of a whole session only says where something may be.
  const isTold = hits.some(({ kind }) => kind !== 'session')
  if (hits.length >= atLeast && covered >= ENOUGH_COVERED && holdsNames && isTold) return { ...found, depth: 'quick' }
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
  out.say(...firstLines(found, request.query, isId))
  for (const hit of hits) out.say(...renderHit(hit, world.columns), '')
  if (hits.length > 0) out.say(...lastLines(found))
  else if (!isEmpty && !isId) out.say(...whyNothing(context, request))
}

function isKnownId({ store }: Context, query: string): boolean {
  if (query === '' || query.length > ID_CHARS || /\s/.test(query)) return false
  return (lookUp(store, query, 0)?.parts.length ?? 0) > 0
}

function firstLines({ corrected, missing }: FoundWell, query: string, isId: boolean): string[] {
  const shown = missing.slice(0, SHOWN_MISSING).map((word) => `"${harmless(word)}"`)
  const rest = missing.length - shown.length
  return [
    ...(isId ? [`This is an id. To open it: memory-keeper show ${harmless(query)}`] : []),
    ...corrected.map(({ from, to }) => warning(`No match for "${harmless(from)}"; searched ${harmless(to)} instead.`)),
    ...(shown.length === 0 || isId
      ? []
      : [warning(`No match for ${shown.join(', ')}${rest > 0 ? ` and ${rest} more of the words` : ''}.`)]),
  ]
}

const SEARCHED = {
  quick: 'Sessions were not searched: --deep adds them.',
  deeper: 'Few notes, facts or summaries tell of it; the sessions were searched too.',
} as const

function lastLines({ hits, depth }: FoundWell): string[] {
  const open = `${count(hits.length, 'hit')}. To open one: memory-keeper show ${harmless(hits[0]?.id ?? '')}`
  return [dim(open), ...(depth === 'asked' ? [] : [dim(SEARCHED[depth])])]
}

function whyNothing({ store, world }: Context, request: SearchRequest): string[] {
  const lines = [nothingFound(request.query, operatorsOf(request, Date.parse(world.now()))), notTrusted(store)]
  return lines.filter((line) => line !== null)
}

/** JSON lines in and out, in their order; every line gets hits or an error. `common`: the options of the command. */
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
