/** `search`: everything that is remembered, ranked; for people, for programs, and many questions at once. */

import type { ExitCode } from '../../memory/commands/command.ts'
import { type Context, limitOf, wholeNumber } from '../../memory/commands/context.ts'
import { count, dim, harmless, warning } from '../../memory/commands/output.ts'
import { showLate } from '../../memory/commands/progress.ts'
import { tokenise } from '../../text/words.ts'
import type { Layer } from '../corpus.ts'
import { openEmbedder } from '../disk/embedder.ts'
import { lookUp } from '../disk/lookup.ts'
import { type Found, type Hit, openSearcher, operatorsOf, type Searcher, type SearchRequest } from '../disk/search.ts'
import { findAgain } from '../disk/search-rerank.ts'
import { ALL_KINDS, hasNoFilter, parseKinds, parseLayers } from '../operators.ts'
import { runBatch } from './search-batch.ts'
import { hitJson, type Neighbour, neighboursOf, renderHit } from './search-hit.ts'
import { nothingFound, nothingYet, notTrusted } from './search-nothing.ts'

export interface SearchOptions {
  deep?: boolean
  layer?: string
  type?: string
  since?: string
  until?: string
  session?: string
  file?: string
  limit?: string
  context?: string
  batch?: string
}

const LIMIT = 10
const QUICK: readonly Layer[] = ['L2', 'L3']
/** Notes, facts and summaries that are fewer, or in which less of the question stands, are not what was looked for. */
const ENOUGH_HITS = 3
const ENOUGH_COVERED = 0.8
const SHOWN_MISSING = 5
/** No id is longer. */
const ID_CHARS = 200

export function runSearch(context: Context, words: readonly string[], options: SearchOptions): ExitCode {
  const { store, world } = context
  const began = Date.parse(world.now())
  const around = wholeNumber('--context', options.context ?? '0')
  const request = requestOf(words.join(' ').trim(), options)
  const searcher = openFor(context)
  const tellAll = (found: FoundWell): number => {
    tell(context, searcher, request, found, {
      around,
      tookMs: Math.max(0, Date.parse(world.now()) - began),
    })
    return 0
  }
  const { embedderKey: key, fetch, now } = world
  let later: Promise<number> | null = null
  try {
    if (options.batch !== undefined) return runBatch(context, searcher, options.batch, request)
    const found = isQuick(context, request, options)
      ? findQuickly(searcher, request, options.limit === undefined ? ENOUGH_HITS : request.limit)
      : { ...searcher.find(request), depth: 'asked' as const }
    const embedder = openEmbedder(store.config, { key, fetch, now })
    if (embedder === null) return tellAll(found)
    // What an embedder is asked for is in the same layers.
    const again = { ...request, ...(found.depth === 'quick' ? { layers: QUICK } : {}) }
    later = findAgain(searcher, again, embedder).then((other) => tellAll({ ...other, depth: found.depth }))
    return later.finally(() => searcher.close())
  } finally {
    if (later === null) searcher.close()
  }
}

function openFor({ store, world, out }: Context): Searcher {
  const { cacheDir } = store.places
  return openSearcher(store, {
    cacheDir,
    now: world.now,
    onProgress: showLate(world, out, 'read for the search index'),
  })
}

function requestOf(query: string, options: SearchOptions): SearchRequest & { limit: number } {
  const { layer, type, since, until, session, file, limit } = options
  return {
    query,
    limit: limit === undefined ? LIMIT : limitOf(limit),
    ...(layer === undefined ? {} : { layers: parseLayers(layer) }),
    ...(type === undefined ? {} : { kinds: [...parseKinds(type)] }),
    ...(since === undefined ? {} : { since }),
    ...(until === undefined ? {} : { until }),
    ...(session === undefined ? {} : { session }),
    ...(file === undefined ? {} : { file }),
  }
}

/** Who names a layer, a type or a session has said where to look; who asks for nothing is to hear that. */
function isQuick({ world }: Context, request: SearchRequest, { deep }: SearchOptions): boolean {
  if (deep === true || request.layers !== undefined) return false
  const asked = operatorsOf(request, Date.parse(world.now()))
  if (asked.kinds.size < ALL_KINDS.size || asked.session !== null) return false
  return !hasNoFilter(asked) || tokenise(asked.words).length > 0
}

interface FoundWell extends Found {
  /** Quick: only notes, facts and summaries were searched. Deeper: sessions too, since those said too little. */
  depth: 'asked' | 'quick' | 'deeper'
}

/** `atLeast`: with fewer hits the sessions are searched too; who says a limit wants as many. */
function findQuickly(searcher: Searcher, request: SearchRequest, atLeast: number): FoundWell {
  const found = searcher.find({ ...request, layers: QUICK })
  if (isGood(found, atLeast)) return { ...found, depth: 'quick' }
  return { ...searcher.find(request), depth: 'deeper' }
}

/** Summaries of whole sessions only say where it may stand. */
function isGood({ hits, covered, holdsNames }: Found, atLeast: number): boolean {
  const isTold = hits.some(({ kind }) => kind !== 'session')
  return hits.length >= atLeast && covered >= ENOUGH_COVERED && holdsNames && isTold
}

interface Telling {
  around: number
  tookMs: number
}

function tell(
  context: Context,
  searcher: Searcher,
  request: SearchRequest,
  found: FoundWell,
  { around, tookMs }: Telling,
): void {
  const { store, out, world } = context
  const { hits, engine, corrected, missing, deep } = found
  const isEmpty = searcher.index.columns.live === 0
  const news = [...found.news, ...(isEmpty ? [nothingYet(store)] : [])]
  const neighbours = (hit: Hit): Neighbour[] =>
    around === 0 || hit.entry === null ? [] : neighboursOf(searcher, hit, around)
  out.json({
    hits: hits.map((hit) => ({
      ...hitJson(hit),
      ...(around === 0 ? {} : { context: neighbours(hit).map(({ isHit: _, ...one }) => one) }),
    })),
    took_ms: tookMs,
    engine,
    deep,
    news,
    corrected,
    missing,
  })
  if (out.isJson) return
  for (const line of news) out.warn(dim(harmless(line)))
  const isId = isKnownId(context, request.query)
  out.say(...firstLines(found, request.query, isId))
  for (const hit of hits) out.say(...renderHit(hit, neighbours(hit), world.columns), '')
  const hasEntry = hits.some(({ entry }) => entry !== null)
  if (around > 0 && hits.length > 0 && !hasEntry) out.say(dim(deep ? NO_ENTRIES : CONTEXT_OF_ENTRIES))
  if (hits.length > 0) out.say(...lastLines(found))
  else if (!isEmpty && !isId) out.say(...whyNothing(context, request))
}

const CONTEXT_OF_ENTRIES = '--context goes with entries: add --deep.'
const NO_ENTRIES = '--context goes with entries, and none is among the hits.'

function isKnownId({ store }: Context, query: string): boolean {
  if (query === '' || query.length > ID_CHARS || /\s/.test(query)) return false
  return (lookUp(store, query, 0)?.parts.length ?? 0) > 0
}

function firstLines({ corrected, missing }: FoundWell, query: string, isId: boolean): string[] {
  const shown = missing.slice(0, SHOWN_MISSING).map((word) => `"${harmless(word)}"`)
  const rest = missing.length - shown.length
  return [
    ...(isId ? [`This is an id. To open it: memory-keeper show ${harmless(query)}`] : []),
    ...corrected.map(({ from, to }) =>
      warning(`Nobody wrote "${harmless(from)}"; looked for ${harmless(to)} instead.`),
    ),
    ...(shown.length === 0 || isId
      ? []
      : [warning(`Nobody wrote ${shown.join(', ')}${rest > 0 ? ` and ${rest} more of the words` : ''}.`)]),
  ]
}

const SEARCHED = {
  quick: 'Sessions were not searched: --deep adds them.',
  deeper: 'Few notes, facts or summaries tell of it; the sessions were searched too.',
} as const

function lastLines({ hits, depth }: FoundWell): string[] {
  const id = harmless(hits[0]?.id ?? '')
  return [
    dim(`${count(hits.length, 'hit')}. To open one: memory-keeper show ${id}`),
    ...(depth === 'asked' ? [] : [dim(SEARCHED[depth])]),
  ]
}

function whyNothing({ store, world }: Context, request: SearchRequest): string[] {
  const lines = [nothingFound(request.query, operatorsOf(request, Date.parse(world.now()))), notTrusted(store)]
  return lines.filter((line) => line !== null)
}
