/** `search_memory`: one line for each thing found, all of them within a few hundred tokens. */

import { fenced, fine, IS_DATA, type ToolAnswer, wrong } from '../../memory/commands/answer.ts'
import { KeeperError } from '../../platform/error.ts'
import { dayOf, textOnOneLine } from '../../text/memory-words.ts'
import { estimateTokens } from '../../text/tokens.ts'
import type { Found, Hit, SearchRequest } from '../disk/search.ts'
import { findAgain } from '../disk/search-rerank.ts'
import { parseKinds, parseLayers } from '../operators.ts'
import type { ServedMemory } from './held-memory.ts'

const DEFAULT_LIMIT = 8
const MAX_TOKENS = 1_200
/** Tried one after the other: a shorter line for every hit is worth more than a hit less. */
const SNIPPET_CHARS = [160, 110, 70] as const
const MAX_ALSO = 3

export interface FindRequest {
  query: string
  layers?: readonly string[] | undefined
  types?: readonly string[] | undefined
  since?: string | undefined
  until?: string | undefined
  session?: string | undefined
  file?: string | undefined
  limit?: number | undefined
}

export async function searchMemory(memory: ServedMemory, request: FindRequest): Promise<ToolAnswer> {
  const found = await find(memory, requestOf(request))
  if (found.hits.length > 0) return fine(renderFound(request, found))
  return fine([...about(found), nothingFound(memory, request)].join('\n'))
}

/** What a person must know is what the model must know as well; everything else is a fault and told as one. */
export async function explained(answer: Promise<ToolAnswer>): Promise<ToolAnswer> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof KeeperError) return wrong(error.message)
    throw error
  }
}

async function find(memory: ServedMemory, request: Limited): Promise<Found> {
  try {
    return await findAgain(await memory.freshSearcher(), request, memory.embedder())
  } catch (error) {
    if (error instanceof KeeperError) throw error
    // The index may have been removed or replaced below a server that runs for days: a new look decides.
    memory.forgetSearcher()
    return findAgain(await memory.freshSearcher(), request, memory.embedder())
  }
}

type Limited = SearchRequest & { limit: number }

function requestOf({ query, layers, types, since, until, session, file, limit }: FindRequest): Limited {
  return {
    query,
    limit: limit ?? DEFAULT_LIMIT,
    ...(layers?.length ? { layers: parseLayers(layers.join(',')) } : {}),
    ...(types?.length ? { kinds: [...parseKinds(types.join(','))] } : {}),
    ...(since ? { since } : {}),
    ...(until ? { until } : {}),
    ...(session ? { session } : {}),
    ...(file ? { file } : {}),
  }
}

function renderFound(request: FindRequest, found: Found): string {
  const head = `Best first${filtersOf(request)}. ${IS_DATA}`
  const last = 'Read one with get_memory and its id (several with commas); timeline tells what happened around an id.'
  const around = [...about(found), head, last]
  const room = MAX_TOKENS - estimateTokens(around.join('\n')) - FENCE_TOKENS
  const { lines, left } = fitting(found.hits, room)
  const more = left > 0 ? [`${left} more do not fit here: ask with other words or filters.`] : []
  return [...about(found), fenced([head, ...lines]), ...more, last].join('\n')
}

const FENCE_TOKENS = 30

/** The first hit always goes. */
function fitting(hits: readonly Hit[], room: number): { lines: string[]; left: number } {
  let lines: string[] = []
  for (const chars of SNIPPET_CHARS) {
    lines = hits.map((hit) => renderHit(hit, chars))
    if (estimateTokens(lines.join('\n')) <= room) return { lines, left: 0 }
  }
  while (lines.length > 1 && estimateTokens(lines.join('\n')) > room) lines.pop()
  return { lines, left: hits.length - lines.length }
}

function renderHit({ id, date, kind, state, snippet, marks, also }: Hit, chars: number): string {
  const what = state === '' || state === 'fresh' ? kind : `${kind}, ${state}`
  // An id may be the name of somebody's file.
  const others = also.length === 0 ? '' : ` [also ${also.slice(0, MAX_ALSO).map(textOnOneLine).join(', ')}]`
  return `${[textOnOneLine(id), dayOf(date), what].filter((word) => word !== '').join(' ')}: ${shortenAnswer(snippet, marks, chars)}${others}`
}

/** The part with the most marked characters, cut between words where there are any. */
export function shortenAnswer(snippet: string, marks: readonly (readonly [number, number])[], chars: number): string {
  if (snippet.length <= chars) return snippet
  const room = chars - 2
  const markedFrom = (from: number): number =>
    marks.reduce((sum, [a, b]) => sum + Math.max(0, Math.min(b, from + room) - Math.max(a, from)), 0)
  const starts = [0, ...marks.map(([a]) => Math.max(0, Math.min(a - LEAD_CHARS, snippet.length - room)))]
  const best = starts.reduce((most, from) => (markedFrom(from) > markedFrom(most) ? from : most), 0)
  const from = best === 0 ? 0 : wordStart(snippet, best)
  const to = from + room >= snippet.length ? snippet.length : wordEnd(snippet, from + room)
  const cut = snippet.slice(from, to).trim()
  return `${from > 0 ? '…' : ''}${cut}${to < snippet.length ? '…' : ''}`
}

/** So much is shown before the first match. */
const LEAD_CHARS = 24
const LONGEST_WORD = 20

function wordStart(text: string, at: number): number {
  const space = text.indexOf(' ', at)
  if (space >= 0 && space - at < LONGEST_WORD) return space + 1
  return isInsidePair(text, at) ? at + 1 : at
}

function wordEnd(text: string, at: number): number {
  const space = text.lastIndexOf(' ', at)
  if (at - space < LONGEST_WORD) return space
  return isInsidePair(text, at) ? at - 1 : at
}

function isInsidePair(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code >= 0xdc00 && code < 0xe000
}

/** What was done about the question and the index, a line each. */
function about({ corrected, missing, news }: Found): string[] {
  const taken = corrected.map(({ from, to }) => `"${textOnOneLine(from)}" was taken for "${textOnOneLine(to)}"`)
  return [
    ...(taken.length > 0 ? [`Nobody wrote it like that: ${taken.join(', ')}.`] : []),
    ...(missing.length > 0 ? [`Nobody wrote ${namesOf(missing)}.`] : []),
    ...(news.length > 0 ? [textOnOneLine(news.join(' '))] : []),
  ]
}

function namesOf(words: readonly string[]): string {
  const more = words.length - MAX_MISSING
  const named = words.slice(0, MAX_MISSING).map((word) => `"${textOnOneLine(word).slice(0, MISSING_CHARS)}"`)
  return `${named.join(', ')}${more > 0 ? ` and ${more} more of the words` : ''}`
}

const MAX_MISSING = 5
const MISSING_CHARS = 60

function nothingFound(memory: ServedMemory, request: FindRequest): string {
  const live = memory.searcher().index.columns.live
  if (live === 0) return 'Nothing is remembered in this project yet.'
  const where = request.layers?.length ? request.layers.join(', ') : 'sessions, notes, facts, summaries and pages'
  return [
    `Nothing found for: ${textOnOneLine(request.query)}${filtersOf(request)}. Searched ${live} memories (${where}).`,
    'Try fewer or other words, the name of a file, command or error, or no filters. timeline tells what happened on a day, memory_status lists the sessions.',
  ].join('\n')
}

function filtersOf({ types, since, until, session, file }: FindRequest): string {
  const named = [
    ['types', types?.join(',')],
    ['since', since],
    ['until', until],
    ['session', session],
    ['file', file],
  ].flatMap(([name, value]) => (value ? [`${name} ${textOnOneLine(value)}`] : []))
  return named.length === 0 ? '' : `, with ${named.join(', ')}`
}
