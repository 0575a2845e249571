/** Which view answers which address. Nothing here changes anything. */
import { KeeperError } from '../platform/error.ts'
import { type Asked, parseAsked } from './asked.ts'
import { viewKnowledge } from './views/knowledge.ts'
import type { Memory } from './views/memory.ts'
import { viewCharts, viewInjected, viewInjectedOne, viewOverview } from './views/overview.ts'
import { viewArchive, viewMemory, viewTier } from './views/remembered.ts'
import { viewItem, viewSearch } from './views/search.ts'
import { viewSession, viewSessions } from './views/sessions.ts'

type View = (memory: Memory, asked: Asked) => unknown

/** With a slash: of one thing, whose name follows. */
const VIEWS: Readonly<Record<string, View>> = {
  overview: viewOverview,
  sessions: viewSessions,
  'session/': viewSession,
  memory: viewMemory,
  'archive/': viewArchive,
  'tier/': viewTier,
  knowledge: viewKnowledge,
  search: viewSearch,
  'item/': viewItem,
  injected: viewInjected,
  'injected/': viewInjectedOne,
  health: (memory) => memory.examined.health(),
  charts: viewCharts,
}

export async function answer(memory: Memory, path: string, query: string): Promise<unknown> {
  const read = parseAsked(path, query)
  if (read === null) throw new KeeperError('address', 'This address cannot be read.')
  const view = Object.hasOwn(VIEWS, read.view) ? VIEWS[read.view] : undefined
  if (view === undefined) throw new KeeperError('not-found', 'There is nothing at this address.')
  return view(memory, read.asked)
}
