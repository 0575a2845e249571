/** The context of a session: its entries and those of the sessions it continues. Nothing of it is recalled into it, nor what is about it. */

import type { Store } from '../../../kernel/memory/disk/store.ts'
import { LEGACY, UNAUDITED, type Unit } from '../../../kernel/memory/document.ts'
import { type State, sessionIn } from '../../../kernel/memory/state.ts'
import { id8OfFile } from '../../../kernel/platform/layout.ts'
import { entriesAtEnd } from '../../../kernel/sessions/disk/session-end.ts'
import { readStarts } from '../../receipts/disk/journal.ts'
import { type Origin, originOf } from '../../receipts/receipt.ts'
import type { SearchIndex } from '../../search/disk/memory-index.ts'

/** The session and those it continues. */
export type RecallContext = readonly { session: string; id8: string }[]

/** The origin of a session whose transcript could not be read yet; null: it is read, or it is new. */
export function unreadOrigin(store: Store, state: State, session: string, host: number): Origin | null {
  const known = sessionIn(state, session)
  const isRead = known !== undefined && (known.head !== '' || known.entries > 0)
  return isRead || session === '' ? null : originOf(readStarts(store), session, host)
}

export function recallContext(state: State, session: string, origin: Origin | null): RecallContext {
  const chain: { session: string; id8: string }[] = []
  const visited = new Set<string>()
  for (let id: string | undefined = session; id !== undefined && !visited.has(id); ) {
    visited.add(id)
    const known = sessionIn(state, id)
    const id8 = known === undefined ? null : id8OfFile(known.file)
    if (id8 !== null) chain.push({ session: id, id8 })
    id = known?.forkOf?.session ?? (id === session ? origin?.from : null) ?? undefined
  }
  return chain
}

/** Returns a test whether a document is useful to the session; undefined: all are. */
export function wantedIn(index: SearchIndex, context: RecallContext): ((doc: number) => boolean) | undefined {
  // A filter costs time: at the beginning of a session there is nothing to leave out.
  if (context.length === 0) return undefined
  return (doc) => {
    const { session } = index.placeOf(doc)
    return !context.some(({ id8 }) => id8 === session)
  }
}

/** Null for what is about the session's own context, and for what nobody has audited. */
export function recallableUnit(context: RecallContext, unit: Unit | null): Unit | null {
  if (unit === null || unit.state === LEGACY || unit.state === UNAUDITED) return null
  return context.some(({ id8 }) => unit.about.startsWith(`${id8}#`)) ? null : unit
}

/** Of a longer session only the end is read. */
const MOST_SAID_BYTES = 1024 * 1024

/** What people and Claude said in it since its last compaction, without the prompt, which the host may have written already. */
export function saidInContext(store: Store, state: State, context: RecallContext, prompt: string): string[] {
  const starts = readStarts(store)
  return context.flatMap(({ session }) => {
    const known = sessionIn(state, session)
    // The transcript may record a compaction only after the next prompt.
    const since = starts.findLast((start) => start.session === session && start.source === 'compact')?.at ?? ''
    const entries = known === undefined ? [] : entriesAtEnd(store, known, MOST_SAID_BYTES)
    const from = entries.findLastIndex(({ entry }) => entry.role === 'summary')
    return entries.slice(Math.max(from, 0)).flatMap(({ entry }) => {
      if (!('text' in entry) || entry.role === 'subagent' || entry.ts < since) return []
      return entry.text.trim() === prompt.trim() ? [] : [entry.text]
    })
  })
}
