/** Search while typing, and any item by its id with its neighbours. */

import { type LookedUp, lookUp } from '../../../../core/search/disk/lookup.ts'
import type { Found, Searcher, SearchRequest } from '../../../../core/search/disk/search.ts'
import { KeeperError } from '../../../../kernel/platform/error.ts'
import { findSessionFile } from '../../../../kernel/sessions/disk/sessions.ts'
import { parseEntryId } from '../../../../kernel/transcript/session.ts'
import { ownerInId } from '../../../../kernel/trust/share-files.ts'
import type { EntryItem, ItemView, SearchView } from '../api.ts'
import { type Asked, numberIn, textIn } from './asked.ts'
import type { Memory } from './memory.ts'
import { entryItems } from './sessions.ts'

const LIMIT = { usual: 30, most: 100 }
/** The maximum length of an id. */
const ID_CHARS = 300
/** A whole session is opened as such, not as one text. */
const MOST_CHARS = 400_000
const BEFORE = 3
const BEHIND = 6

export async function viewSearch(memory: Memory, { query }: Asked): Promise<SearchView> {
  const request = requestOf(query)
  const { searcher, isComplete } = await memory.search.searcher()
  const began = performance.now()
  const { hits, corrected, missing } = await find(memory, searcher, request)
  return {
    hits: hits.map(({ id, layer, kind, date, session, entry, snippet, marks, state, also }) => {
      const owner = ownerInId(id)
      return { id, owner, layer, kind, date, session, entry, snippet, marks: [...marks], state, also: [...also] }
    }),
    ms: Math.round((performance.now() - began) * 10) / 10,
    corrected: corrected.map(({ from, to }) => ({ typed: from, taken: to })),
    missing: [...missing],
    isComplete,
  }
}

async function find(memory: Memory, searcher: Searcher, request: SearchRequest): Promise<Found> {
  try {
    return searcher.find(request)
  } catch (error) {
    if (error instanceof KeeperError) throw error
    // The index may have been deleted or replaced while the server runs for hours: open it again.
    memory.search.forget()
    return (await memory.search.searcher()).searcher.find(request)
  }
}

function requestOf(query: URLSearchParams): SearchRequest {
  return {
    query: query.get('q') ?? '',
    limit: numberIn(query, 'limit', LIMIT),
    layers: textIn(query, 'layer'),
    kinds: textIn(query, 'type'),
    since: textIn(query, 'since'),
    until: textIn(query, 'until'),
    session: textIn(query, 'session'),
    file: textIn(query, 'file'),
  }
}

export function viewItem(memory: Memory, { name: id }: Asked): ItemView {
  const found = id.length > ID_CHARS ? null : lookUp(memory.store(), id, 0)
  if (found === null) throw new KeeperError('not-found', 'Nothing has this id.')
  const place = placeOf(id, found)
  const around = place === null ? [] : entriesAround(memory, place.id8, place.n)
  return { id, title: found.title, text: textOf(id, found), around, session: place?.id8 ?? null }
}

/** The text of the item, without the entries that prove it, which are shown around it. */
function textOf(id: string, { parts }: LookedUp): string {
  const isEntry = parseEntryId(id) !== null && parts.every((part) => part.id.startsWith('L1:'))
  const own = isEntry ? parts : parts.filter((part) => !part.id.startsWith('L1:'))
  let text = ''
  for (const part of own) {
    text += `${text === '' ? '' : '\n\n'}${part.text}`
    if (text.length > MOST_CHARS) return `${text.slice(0, MOST_CHARS)}…`
  }
  return text
}

/** The entry that this item is, was derived from, or covers. */
function placeOf(id: string, { parts, source }: LookedUp): { id8: string; n: number } | null {
  const named = [...parts.map((part) => part.id), source ?? '', id].join(' ')
  const [, id8, n] = /L1:([0-9a-z]{8})(?:#(\d+))?/.exec(named) ?? []
  return id8 === undefined ? null : { id8, n: Number(n ?? 0) }
}

function entriesAround(memory: Memory, id8: string, n: number): EntryItem[] {
  const file = findSessionFile(memory.store(), id8)
  return file === null ? [] : entryItems(memory.entriesOf(file), id8, n - BEFORE, n + BEHIND)
}
