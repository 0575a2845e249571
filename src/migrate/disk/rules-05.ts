/** Takes over the rules of 0.5.x once: its standing.json goes into the backup, its rules into facts.json. */
import path from 'node:path'
import { readFacts, writeFacts } from '../../knowledge/disk/knowledge.ts'
import { backUp } from '../../memory/disk/migrate-backup.ts'
import type { Store } from '../../memory/disk/store.ts'
import { keptCopy } from '../../memory/disk/vault-copy.ts'
import { readRules } from '../../pages/disk/rules.ts'
import { disk, readOwnText } from '../../platform/disk/files.ts'
import { FACTS_FILE, STANDING_FILE } from '../../platform/layout.ts'
import { parseStanding, withEarlierRules } from '../rules-05.ts'

/**
 * 0.5.x wrote standing.json in every memory with a session, and nothing writes it today. It is removed last: killed before,
 * all of it runs again, and equal rules are not added twice. Call it under the lock.
 */
export function takeOverRules(store: Store, now: string): void {
  const text = store.ownership === 'foreign' ? null : readOwnText(path.join(store.dir, STANDING_FILE))
  if (text === null) return
  backUp(store, [STANDING_FILE, FACTS_FILE], [], now)
  const before = readFacts(store)
  writeFacts(store, before, withEarlierRules(before, parseStanding(text), readRules(store), now), now)
  const { vault } = store.places
  // Otherwise the copies would count as a loss of the file.
  if (store.dir === store.places.inProject)
    for (const copy of [path.join(vault, STANDING_FILE), keptCopy(vault, STANDING_FILE)]) disk.remove(copy)
  store.perform([{ do: 'remove', path: STANDING_FILE }])
}
