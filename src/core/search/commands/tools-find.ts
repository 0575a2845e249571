/** `search_memory`: one line per hit, all of them within a few hundred tokens. */

import { fenced, fine, IS_DATA, type ToolAnswer, wrong } from '../../../kernel/memory/commands/answer.ts'
import type { Store } from '../../../kernel/memory/disk/store.ts'
import { BY_CLAUDE } from '../../../kernel/memory/note.ts'
import { KeeperError } from '../../../kernel/platform/error.ts'
import { dayOf, textOnOneLine } from '../../../kernel/text/memory-words.ts'
import { cut } from '../../../kernel/text/shorten.ts'
import { estimateTokens } from '../../../kernel/text/tokens.ts'
import type { Found, Hit } from '../disk/search.ts'
import { snippetOf } from '../snippet.ts'
import type { ServedMemory } from './served-memory.ts'

const DEFAULT_LIMIT = 8
const MAX_TOKENS = 1_200
const FENCE_TOKENS = 30
/** Tried in this order: shorter lines for all hits are better than fewer hits. */
const SNIPPET_CHARS = [160, 110, 70] as const
const MAX_ALSO = 3
const MAX_MISSING = 5
const MISSING_CHARS = 60

export interface FindRequest {
  /** May contain operators. */
  query: string
  limit?: number | undefined
}

export async function searchMemory(memory: ServedMemory, request: FindRequest): Promise<ToolAnswer> {
  const found = await find(memory, request)
  if (found.hits.length > 0) return fine(renderFound(memory.store(), found))
  return fine([...about(found), nothingFound(memory, request)].join('\n'))
}

/** An error for the user becomes an answer for the model; any other error is a bug. */
export async function explained(answer: Promise<ToolAnswer>): Promise<ToolAnswer> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof KeeperError) return wrong(error.message)
    throw error
  }
}

async function find(memory: ServedMemory, { query, limit }: FindRequest): Promise<Found> {
  const request = { query, limit: limit ?? DEFAULT_LIMIT, isSpread: limit === undefined }
  const again = async (): Promise<Found> => {
    const searcher = await memory.freshSearcher()
    return memory.reorder()?.(searcher, request) ?? searcher.find(request)
  }
  try {
    return await again()
  } catch (error) {
    if (error instanceof KeeperError) throw error
    // The index may have been deleted or replaced while the server runs: open it again.
    memory.forgetSearcher()
    return again()
  }
}

function renderFound(store: Store, found: Found): string {
  const head = `Best first. ${IS_DATA}`
  const last = 'Read one with get_memory and its id (several with commas); timeline tells what happened around an id.'
  const room = MAX_TOKENS - estimateTokens([...about(found), head, last].join('\n')) - FENCE_TOKENS
  const lines = fitting(found.hits, room)
  const left = found.hits.length - lines.length
  const more = left > 0 ? [`${left} more do not fit here: ask with other words or filters.`] : []
  return [...about(found), fenced(store, [head, ...lines]), ...more, last].join('\n')
}

/** Always at least the first hit. */
function fitting(hits: readonly Hit[], room: number): string[] {
  const doesFit = (lines: readonly string[]): boolean => estimateTokens(lines.join('\n')) <= room
  const all = SNIPPET_CHARS.map((chars) => hits.map((hit) => renderHit(hit, chars)))
  const lines = all.find(doesFit) ?? all.at(-1) ?? []
  while (lines.length > 1 && !doesFit(lines)) lines.pop()
  return lines
}

function renderHit({ id, date, kind, state, by, snippet, marks, also }: Hit, chars: number): string {
  const isPlain = state === '' || state === 'fresh' || state === BY_CLAUDE
  const what = `${isPlain ? kind : `${kind}, ${textOnOneLine(state)}`} (${textOnOneLine(by)})`
  const matches = marks.map(([from, to], i) => ({ from, to, what: i, weight: to - from }))
  const text = textOnOneLine(snippetOf(snippet, () => matches, chars).snippet)
  // An id may be a file name that someone else chose.
  const others = also.length === 0 ? '' : ` [also ${also.slice(0, MAX_ALSO).map(textOnOneLine).join(', ')}]`
  return `${[textOnOneLine(id), dayOf(date), what].filter((word) => word !== '').join(' ')}: ${text}${others}`
}

/** One line each: corrected words, words without a match, and news about the index. */
function about({ corrected, missing, news }: Found): string[] {
  const taken = corrected.map(({ from, to }) => `"${textOnOneLine(from)}" (searched "${textOnOneLine(to)}" instead)`)
  const named = missing.slice(0, MAX_MISSING).map((word) => `"${cut(textOnOneLine(word), MISSING_CHARS)}"`)
  const more = missing.length - named.length
  return [
    ...(taken.length > 0 ? [`No match for ${taken.join(', ')}.`] : []),
    ...(named.length > 0
      ? [`No match for ${named.join(', ')}${more > 0 ? ` and ${more} more of the words` : ''}.`]
      : []),
    ...(news.length > 0 ? [textOnOneLine(news.join(' '))] : []),
  ]
}

function nothingFound(memory: ServedMemory, request: FindRequest): string {
  const live = memory.searcher().index.columns.live
  if (live === 0) return 'Nothing is remembered in this project yet.'
  return [
    `Nothing found for: ${textOnOneLine(request.query)}. Searched ${live} memories.`,
    'Try fewer or other words, the name of a file, command or error, or no filters. timeline tells what happened on a day, memory_status lists the sessions.',
  ].join('\n')
}
