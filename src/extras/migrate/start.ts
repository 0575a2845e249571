/** What a start asks `migrate`: whether something of 0.5 or 0.6 is to be taken over, what became of it, and whether there is an older memory. */
import path from 'node:path'
import type { Extra, Notice } from '../../core/extra.ts'
import type { Store } from '../../kernel/memory/disk/store.ts'
import type { EarlierRules } from '../../kernel/memory/state.ts'
import { statOf } from '../../kernel/platform/disk/files.ts'
import { HOME_MARK_FILE } from '../../kernel/platform/layout.ts'
import { factsOf05, isToRead } from './disk/due.ts'
import { waitsForMigration } from './disk/migrate-files.ts'
import { STANDING_FILE } from './files.ts'

export const migrateAtStart: Extra = {
  name: 'migrate',
  isDue: (store) =>
    store.ownership !== 'foreign' && store.isPrepared() && (hasEarlierFiles(store) || hasSessionsAtHome(store)),
  notices: (store) => {
    const text = waitsForMigration(store)
    return [...(text === null ? [] : [{ text, about: text }]), ...movedRules(store)]
  },
}

/** Rules of 0.6 that were not read yet, or standing.json and facts.json of 0.5, which this version never writes. */
function hasEarlierFiles(store: Store): boolean {
  const hasStanding = statOf(path.join(store.dir, STANDING_FILE))?.kind === 'file'
  return hasStanding || isToRead(store, store.readState()) || factsOf05(store).length > 0
}

const MOVED: Readonly<Partial<Record<EarlierRules, string>>> = {
  dropped:
    'the copies of the built-in rules were removed from rules.md, which holds only your own rules now; a backup was made. The setting builtinRules decides about the built-in ones. To switch all of them off, type: /memory-keeper:run config set builtinRules off',
  switched:
    'rules.md holds only your own rules now and no longer replaces the built-in ones. Yours had none of them, so builtinRules is off in this project. To have them as well, type: /memory-keeper:run config set builtinRules prompt',
}

/** What became of the rules.md of 0.6. */
function movedRules(store: Store): Notice[] {
  const text = MOVED[store.readState().earlierRules ?? 'kept']
  return text === undefined ? [] : [{ text: `Memory Keeper: ${text}`, about: 'rules of 0.6' }]
}

/** 0.6 captured sessions there while the state of the project's memory could not be read. */
function hasSessionsAtHome({ dir, places }: Store): boolean {
  return dir === places.inProject && statOf(path.join(places.atHome, HOME_MARK_FILE)) !== null
}
