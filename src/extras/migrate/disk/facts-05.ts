/** Writes the facts.json of 0.5 in today's form, once: what its code made from wording is marked, and no session is given it. */

import path from 'node:path'
import { readFacts, withoutMark, writeFacts } from '../../../core/knowledge/disk/knowledge.ts'
import { formatItems, parseItems } from '../../../core/knowledge/facts-file.ts'
import { salvageFacts } from '../../../core/knowledge/salvage.ts'
import { backUp } from '../../../kernel/memory/disk/migrate-backup.ts'
import type { Store } from '../../../kernel/memory/disk/store.ts'
import { disk, readOwnText, setAside } from '../../../kernel/platform/disk/files.ts'
import { FACTS_FILE } from '../../../kernel/platform/layout.ts'
import { FACTS_VERSION } from '../files.ts'
import { withWordingMarked } from '../legacy-facts.ts'
import { factsOf05 } from './due.ts'

/** The file first, then the copies: after a kill in between, the copies are still due. Call it under the lock. */
export function takeOverFacts(store: Store, now: string): void {
  if (store.ownership === 'foreign') return
  if (factsOf05(store).includes(path.join(store.dir, FACTS_FILE))) {
    backUp(store, [FACTS_FILE], [], now)
    const before = readFacts(store)
    const { _meta: meta, ...facts } = before
    // What was read may come from the vault's copy: it is written in any case.
    writeFacts(store, { ...facts, _meta: { ...meta, version: FACTS_VERSION } }, withWordingMarked(before), now)
  }
  // The write above has brought the vault's copy along, unless that was newer or broken.
  for (const copy of factsOf05(store)) writeCopy(copy)
}

function writeCopy(copy: string): void {
  const text = withoutMark(readOwnText(copy) ?? '')
  const facts = parseItems(text)
  if (facts === null) setAside(copy)
  disk.replace(copy, formatItems(withWordingMarked(facts ?? salvageFacts(text))))
}
