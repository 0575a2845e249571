/** The list of sessions, and one session with its entries, notes and facts. */

import type { Fact } from '../../../../core/knowledge/item.ts'
import { allFacts } from '../../../../core/knowledge/items.ts'
import { isOver } from '../../../../core/notes/pending.ts'
import { allSessions } from '../../../../kernel/memory/state.ts'
import { isAlive } from '../../../../kernel/platform/disk/lock.ts'
import { KeeperError } from '../../../../kernel/platform/error.ts'
import { id8OfFile } from '../../../../kernel/platform/layout.ts'
import { findSessionFile, sessionRowsOf } from '../../../../kernel/sessions/disk/sessions.ts'
import { cut } from '../../../../kernel/text/shorten.ts'
import { type Entry, entryId, outcomeOf, type Tombstone, whyNotUsers } from '../../../../kernel/transcript/session.ts'
import type { EntryItem, SessionItem, SessionList, SessionPage } from '../api.ts'
import { type Asked, numberIn } from './asked.ts'
import { listedFiles, type Memory } from './memory.ts'

const LIST = { usual: 200, most: 1_000 }
const PAGE = { usual: 400, most: 2_000 }
const SHOWN_FILES = 8
/** A longer entry is shown completely when it is opened alone. */
const MOST_CHARS = 40_000

export function viewSessions(memory: Memory, { query }: Asked): SessionList {
  const offset = numberIn(query, 'offset', { usual: 0, most: Number.MAX_SAFE_INTEGER })
  const ids = newestIds(memory)
  return {
    total: ids.length,
    offset,
    sessions: itemsOf(memory, ids.slice(offset, offset + numberIn(query, 'limit', LIST))),
  }
}

export function newestIds(memory: Memory): string[] {
  return listedFiles(memory.store())
    .toReversed()
    .map((file) => id8OfFile(file) ?? '')
}

/** The list items of these sessions (id8); unknown ones are left out. */
export function itemsOf(memory: Memory, ids: readonly string[]): SessionItem[] {
  const rows = sessionRowsOf(memory.store(), new Set(ids))
  const running = runningIn(memory)
  return ids
    .flatMap((id) => rows.get(id) ?? [])
    .map(({ fileCounts, quarters: _, ...row }) => {
      return { ...row, files: fileCounts.slice(0, SHOWN_FILES).map(([file]) => file), isRunning: running.has(row.id) }
    })
}

/** A session that runs is not settled: the state itself contains it. Only those that hooks announced are parsed. */
function runningIn(memory: Memory): ReadonlySet<string> {
  const { sessions } = memory.store().readState()
  const announced = Object.entries(sessions).filter(([, one]) => one.isLive === true && one.isEnded !== true)
  return new Set(
    allSessions({ sessions: Object.fromEntries(announced) }).flatMap(([, session]) =>
      isOver(session, memory.now(), isAlive) ? [] : (id8OfFile(session.file) ?? []),
    ),
  )
}

export function viewSession(memory: Memory, { name, query }: Asked): SessionPage {
  const store = memory.store()
  const file = findSessionFile(store, name)
  const [session] = itemsOf(memory, [name])
  if (file === null || session === undefined)
    throw new KeeperError('not-found', 'This session is not in the memory, or not any more.')
  const from = numberIn(query, 'from', { usual: 0, most: Number.MAX_SAFE_INTEGER })
  const limit = numberIn(query, 'limit', PAGE)
  const entries = memory.entriesOf(file)
  return {
    session,
    from,
    total: entries.length,
    entries: entryItems(entries, name, from, from + limit),
    notes: memory.notes().filter(({ source }) => source?.session === name),
    facts: allFacts(memory.facts())
      .filter((fact) => isSaidIn(fact, name))
      .map(({ id }) => id),
  }
}

/** `to` is exclusive. */
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

function isSaidIn({ session, also = [] }: Fact, id8: string): boolean {
  return session === id8 || also.some((place) => place.startsWith(`${id8}#`))
}
