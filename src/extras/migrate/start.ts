/** What a start asks `migrate`: whether rules of 0.5 or 0.6 are to be read, whether 0.6 left sessions at home, and whether there is an earlier memory. */
import path from 'node:path'
import type { Extra } from '../../core/extra.ts'
import type { Store } from '../../kernel/memory/disk/store.ts'
import { statOf } from '../../kernel/platform/disk/files.ts'
import { HOME_MARK_FILE, STANDING_FILE } from '../../kernel/platform/layout.ts'
import { isToRead } from './disk/earlier-rules.ts'
import { waitsForMigration } from './disk/migrate-files.ts'

export const migrateAtStart: Extra = {
  name: 'migrate',
  isDue: (store) =>
    store.ownership !== 'foreign' && store.isPrepared() && (hasEarlierRules(store) || hasSessionsAtHome(store)),
  notices: (store) => {
    const text = waitsForMigration(store)
    return text === null ? [] : [{ text, about: text }]
  },
}

/** Rules of 0.6 that were not read yet, or standing.json of 0.5, which this version never writes. */
function hasEarlierRules(store: Store): boolean {
  return isToRead(store, store.readState()) || statOf(path.join(store.dir, STANDING_FILE))?.kind === 'file'
}

/** 0.6 captured sessions there while the state of the project's memory could not be read. */
function hasSessionsAtHome({ dir, places }: Store): boolean {
  return dir === places.inProject && statOf(path.join(places.atHome, HOME_MARK_FILE)) !== null
}
