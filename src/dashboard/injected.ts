/** The view of what sessions were told: the words themselves, what they cost, and why they were chosen. */

import type { Store } from '../memory/disk/store.ts'
import { KeeperError } from '../platform/error.ts'
import { listReceipts, readReceipts, type ToldRow } from '../receipts/disk/receipts.ts'
import { sessionRowsOf } from '../sessions/disk/session-rows.ts'
import type { InjectedList, InjectedPage, InjectedRow } from './api.ts'
import { type Asked, numberIn } from './asked.ts'
import type { Memory } from './memory.ts'

const LIST = { usual: 100, most: 500 }

export function viewInjected(memory: Memory, { query }: Asked): InjectedList {
  const store = memory.store()
  const told = listReceipts(store)
  const offset = numberIn(query, 'offset', { usual: 0, most: Number.MAX_SAFE_INTEGER })
  const shown = told.slice(offset, offset + numberIn(query, 'limit', LIST))
  return { total: told.length, sessions: withGoals(store, shown) }
}

export function viewInjectedOne(memory: Memory, { name }: Asked): InjectedPage {
  const store = memory.store()
  const told = readReceipts(store, name)
  if (told === null) throw new KeeperError('not-found', 'It is not known what this session was told.')
  const [row = { ...told.row, goal: '' }] = withGoals(store, [told.row])
  return { ...told, row }
}

function withGoals(store: Store, told: readonly ToldRow[]): InjectedRow[] {
  const rows = sessionRowsOf(store, new Set(told.map(({ id }) => id)))
  return told.map(({ session: _, ...row }) => ({ ...row, goal: rows.get(row.id)?.goal ?? '' }))
}
