/** The context of a session: its entries and those of the sessions it continues, since the last compaction. */

import type { Store } from '../../memory/disk/store.ts'
import { type State, sessionIn } from '../../memory/state.ts'
import { id8OfFile } from '../../platform/layout.ts'
import { readStarts } from '../../receipts/disk/journal.ts'
import { type Origin, originOf } from '../../receipts/receipt.ts'
import { KINDS, type Kind, type Unit } from '../../search/corpus.ts'
import type { SearchIndex } from '../../search/disk/index/index.ts'
import { readPrompt } from '../prompt.ts'

/** Kinds up to this one are entries. */
const LAST_ENTRY_KIND = KINDS.indexOf('compaction')
const PROMPT = KINDS.indexOf('prompt')
const SESSION = KINDS.indexOf('session')

interface Part {
  session: string
  id8: string
  /** Claude's context contains the entries from here on: since the last compaction. */
  from: number
}

/** The session and those it continues, up to the last compaction. */
export type RecallContext = readonly Part[]

/** The origin of a session whose transcript could not be read yet; null: it is read, or it is new. */
export function unreadOrigin(store: Store, state: State, session: string, host: number): Origin | null {
  const known = sessionIn(state, session)
  const isRead = known !== undefined && (known.head !== '' || known.entries > 0)
  return isRead || session === '' ? null : originOf(readStarts(store), session, host)
}

export function recallContext(index: SearchIndex, state: State, session: string, origin: Origin | null): RecallContext {
  const chain: Part[] = []
  const visited = new Set<string>()
  for (let id: string | undefined = session; id !== undefined && !visited.has(id); ) {
    visited.add(id)
    const known = sessionIn(state, id)
    const id8 = known === undefined ? null : id8OfFile(known.file)
    if (id8 !== null) chain.push({ session: id, id8, from: 0 })
    id = known?.forkOf?.session ?? (id === session ? origin?.from : null) ?? undefined
  }
  return chain.length === 0 ? chain : sinceCompaction(index, chain)
}

function sinceCompaction({ columns, placeOf }: SearchIndex, chain: RecallContext): RecallContext {
  const last = new Map<string, number>()
  for (
    let doc = columns.kind.indexOf(LAST_ENTRY_KIND);
    doc >= 0;
    doc = columns.kind.indexOf(LAST_ENTRY_KIND, doc + 1)
  ) {
    if (doc >= columns.count || columns.dead[doc]) continue
    const { session, n } = placeOf(doc)
    if (session !== null) last.set(session, Math.max(n, last.get(session) ?? 0))
  }
  const context = chain.map((part) => ({ ...part, from: last.get(part.id8) ?? 0 }))
  // After a compaction, the sessions it continues are no longer in the context.
  const compacted = context.findIndex(({ id8 }) => last.has(id8))
  return compacted < 0 ? context : context.slice(0, compacted + 1)
}

/** Returns a test whether a document is useful to the session; undefined: all are. */
export function wantedIn(index: SearchIndex, context: RecallContext): ((doc: number) => boolean) | undefined {
  // A filter costs time: at the beginning of a session there is nothing to leave out.
  if (context.length === 0) return undefined
  const { columns, placeOf } = index
  return (doc) => {
    const { session, n } = placeOf(doc)
    const part = context.find(({ id8 }) => id8 === session)
    if (part === undefined) return true
    const kind = columns.kind[doc] ?? 0
    // Items about a session without a compaction only repeat its context; after a compaction all but its summary are useful.
    if (kind > LAST_ENTRY_KIND) return part.from > 0 && kind !== SESSION
    return n < part.from && !(kind === PROMPT && isQuestion(index.unitOf(doc)?.text ?? ''))
  }
}

/** A question of the same session is not an answer. */
function isQuestion(text: string): boolean {
  return /[?？]\s*$/.test(text) || (readPrompt(text)?.asks ?? null) !== null
}

/** These repeat entries: they are no news to the session itself, even after a compaction. */
const RETELLING: ReadonlySet<Kind> = new Set(['note', 'session', 'tier', 'summary'])

/** Null for an item that is only about the session's own context. */
export function textFor(context: RecallContext, { about, kind, text }: Unit): string | null {
  const [, id8, from] = /^([0-9a-z]{8})#(\d+)/.exec(about) ?? []
  const isOwn = context.some((part) => part.id8 === id8 && (RETELLING.has(kind) || Number(from) >= part.from))
  return isOwn ? null : text
}
