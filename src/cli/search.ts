/** `search`: everything that is remembered, ranked; for people, for programs, and many questions at once. */
import type { Layer } from '../core/query/corpus.ts'
import { ALL_KINDS, hasNoFilter, parseKinds, parseLayers, parseOperators } from '../core/query/operators.ts'
import { tokenise } from '../core/query/words.ts'
import { openEmbedder } from '../store/embedder.ts'
import { type Found, type Hit, openSearcher, type Searcher, type SearchRequest } from '../store/search.ts'
import { findAgain } from '../store/search-rerank.ts'
import type { ExitCode } from './command.ts'
import { type Context, limitOf, wholeNumber } from './context.ts'
import { count, dim, harmless, oneLine, warning } from './output.ts'
import { showLate } from './progress.ts'
import { runBatch } from './search-batch.ts'
import { hitJson, type Neighbour, neighboursOf, renderHit } from './search-hit.ts'

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
const SHOWN_QUERY = 60
const QUICK: readonly Layer[] = ['L2', 'L3']
/** Notes and summaries in which less of the question stands say nothing about it. */
const ENOUGH = 0.5

export function runSearch(context: Context, words: readonly string[], options: SearchOptions): ExitCode {
  const { store, world } = context
  const began = Date.parse(world.now())
  const around = wholeNumber('--context', options.context ?? '0')
  const request = requestOf(words.join(' ').trim(), options)
  const searcher = openFor(context)
  const tellAll = (found: FoundWell): number => {
    tell(context, searcher, request.query, found, {
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
      ? findQuickly(searcher, request)
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
  const asked = parseOperators(request.query, Date.parse(world.now()))
  const isPlaced = request.layers !== undefined || request.kinds !== undefined || request.session !== undefined
  if (deep === true || isPlaced || asked.kinds.size < ALL_KINDS.size || asked.session !== null) return false
  const isFiltered = request.since !== undefined || request.until !== undefined || request.file !== undefined
  return isFiltered || !hasNoFilter(asked) || tokenise(asked.words).length > 0
}

interface FoundWell extends Found {
  /** Quick: only notes, facts and summaries were searched. Deeper: sessions too, since those said too little. */
  depth: 'asked' | 'quick' | 'deeper'
}

function findQuickly(searcher: Searcher, request: SearchRequest): FoundWell {
  const found = searcher.find({ ...request, layers: QUICK })
  if (found.hits.length > 0 && found.covered >= ENOUGH) return { ...found, depth: 'quick' }
  const deeper = searcher.find(request)
  return { ...deeper, depth: deeper.hits.some(({ layer }) => layer === 'L1') ? 'deeper' : 'quick' }
}

interface Telling {
  around: number
  tookMs: number
}

function tell(
  context: Context,
  searcher: Searcher,
  query: string,
  found: FoundWell,
  { around, tookMs }: Telling,
): void {
  const { out } = context
  const { hits, engine, corrected, depth } = found
  const isEmpty = searcher.index.columns.live === 0
  const news = [...found.news, ...(isEmpty ? [NOTHING_YET] : [])]
  const neighbours = (hit: Hit): Neighbour[] => (around === 0 ? [] : neighboursOf(searcher, hit, around))
  out.json({
    hits: hits.map((hit) => ({
      ...hitJson(hit),
      ...(around === 0 ? {} : { context: neighbours(hit).map(({ isHit: _, ...one }) => one) }),
    })),
    took_ms: tookMs,
    engine,
    news,
    corrected,
  })
  if (out.isJson) return
  for (const line of news) out.warn(dim(harmless(line)))
  for (const { from, to } of corrected)
    out.say(warning(`Nobody wrote "${harmless(from)}"; looked for ${harmless(to)} instead.`))
  if (depth === 'deeper')
    out.say(dim('Notes, facts and summaries say little about it; the sessions were searched too.'))
  for (const hit of hits) out.say(...renderHit(hit, neighbours(hit)), '')
  out.say(...lastLines(hits, query, depth, isEmpty))
}

const NOTHING_YET =
  'Nothing is remembered here yet. Sessions are captured as you work; memory-keeper import takes in earlier ones.'

function lastLines(hits: readonly Hit[], query: string, depth: FoundWell['depth'], isEmpty: boolean): string[] {
  const [first] = hits
  if (first !== undefined) {
    const more = depth === 'quick' ? [dim('Sessions were not searched: --deep adds them.')] : []
    return [dim(`${count(hits.length, 'hit')}. To open one: memory-keeper show ${harmless(first.id)}`), ...more]
  }
  if (isEmpty) return []
  return [
    `Nothing found${query === '' ? '' : ` for ${oneLine(query, SHOWN_QUERY)}`}. Try other words for it, fewer filters, or a part of a name.`,
  ]
}
