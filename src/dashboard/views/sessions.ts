/** The list of sessions, and one of them with its entries, notes and facts. */
import { readFacts } from '../../knowledge/disk/knowledge.ts'
import { allFacts, type Fact } from '../../knowledge/fact.ts'
import { KeeperError } from '../../platform/error.ts'
import { id8OfFile } from '../../platform/layout.ts'
import { findSessionFile, sessionRowsOf } from '../../sessions/disk/sessions.ts'
import type { RowOfSession } from '../../sessions/session-row.ts'
import { cut } from '../../text/shorten.ts'
import { type Entry, entryId, outcomeOf, type Tombstone, whyNotUsers } from '../../transcript/session.ts'
import type { EntryItem, SessionItem, SessionList, SessionPage } from '../api.ts'
import { type Asked, listedFiles, type Memory, numberIn } from './memory.ts'

const LIST = { usual: 200, most: 1_000 }
const PAGE = { usual: 400, most: 2_000 }
const SHOWN_FILES = 8
/** More of one entry is shown where it is opened alone. */
const MOST_CHARS = 40_000

export function viewSessions(memory: Memory, { query }: Asked): SessionList {
  const offset = numberIn(query, 'offset', { usual: 0, most: Number.MAX_SAFE_INTEGER })
  const store = memory.store()
  const ids = listedFiles(store)
    .toReversed()
    .map((file) => id8OfFile(file) ?? '')
  const shown = ids.slice(offset, offset + numberIn(query, 'limit', LIST))
  const rows = sessionRowsOf(store, new Set(shown))
  return { total: ids.length, offset, sessions: shown.flatMap((id) => rows.get(id) ?? []).map(itemOf) }
}

export function viewSession(memory: Memory, { name, query }: Asked): SessionPage {
  const store = memory.store()
  const file = findSessionFile(store, name)
  const row = sessionRowsOf(store, new Set([name])).get(name)
  if (file === null || row === undefined)
    throw new KeeperError('not-found', 'This session is not remembered, or not any more.')
  const from = numberIn(query, 'from', { usual: 0, most: Number.MAX_SAFE_INTEGER })
  const limit = numberIn(query, 'limit', PAGE)
  return {
    session: itemOf(row),
    from,
    entries: entryItems(memory.entriesOf(file), name, from, from + limit),
    notes: memory.notes().filter(({ source }) => source?.session === name),
    facts: allFacts(readFacts(store))
      .filter((fact) => isSaidIn(fact, name))
      .map(({ id }) => id),
  }
}

/** From, up to and not including. */
export function entryItems(
  entries: readonly (Entry | Tombstone)[],
  id8: string,
  from: number,
  to: number,
): EntryItem[] {
  const first = Math.max(0, from)
  return entries.slice(first, Math.max(first, to)).map((entry, i) => entryItem(entry, id8, first + i))
}

function entryItem(entry: Entry | Tombstone, id8: string, n: number): EntryItem {
  const id = entryId(id8, n)
  if (entry.role === 'tombstone') return { n, id, role: 'tombstone', at: '', text: '' }
  const who = entry.role === 'subagent' ? { agent: entry.agent } : entry.role === 'teammate' ? { from: entry.from } : {}
  const notUsers = entry.role === 'user' ? whyNotUsers(entry) : ''
  const item = { n, id, role: entry.role, at: entry.ts, ...who, ...(notUsers === '' ? {} : { notUsers }) }
  if ('text' in entry) return { ...item, text: shortened(entry.text) }
  const { name, cmd, output = '' } = entry
  return {
    ...item,
    text: '',
    tool: { name, cmd: shortened(cmd), outcome: outcomeOf(entry), output: shortened(output) },
  }
}

function shortened(text: string): string {
  if (text.length <= MOST_CHARS) return text
  const kept = cut(text, MOST_CHARS)
  return `${kept}… (${text.length - kept.length} more characters)`
}

function itemOf({ fileCounts, quarters: _, ...row }: RowOfSession): SessionItem {
  return { ...row, files: fileCounts.slice(0, SHOWN_FILES).map(([file]) => file) }
}

function isSaidIn({ session, also = [] }: Fact, id8: string): boolean {
  return session === id8 || also.some((place) => place.startsWith(`${id8}#`))
}
