/** What a start asks `migrate`: whether something of 0.5 or 0.6 is to be taken over, what became of it, and whether there is an older memory. */
import path from 'node:path'
import type { Extra, Finding, FindingInput, FindingRow } from '../../core/extra.ts'
import type { Store } from '../../kernel/memory/disk/store.ts'
import type { EarlierRules } from '../../kernel/memory/state.ts'
import { statOf } from '../../kernel/platform/disk/files.ts'
import { HOME_MARK_FILE } from '../../kernel/platform/layout.ts'
import { factsOf05, isToRead } from './disk/due.ts'
import { earlierMemory } from './disk/migrate-files.ts'
import { STANDING_FILE } from './files.ts'

export const migrateAtStart: Extra = {
  name: 'migrate',
  isDue: (store) =>
    store.ownership !== 'foreign' && store.isPrepared() && (hasEarlierFiles(store) || hasSessionsAtHome(store)),
  findings: findingsWith(earlierMemory),
}

/** Rules of 0.6 that were not read yet, or standing.json and facts.json of 0.5, which this version never writes. */
function hasEarlierFiles(store: Store): boolean {
  const hasStanding = statOf(path.join(store.dir, STANDING_FILE))?.kind === 'file'
  return hasStanding || isToRead(store, store.readState()) || factsOf05(store).length > 0
}

const MOVED: Readonly<Partial<Record<EarlierRules, string>>> = {
  dropped:
    'the copies of the built-in rules were removed from rules.md, which holds only your own rules now; a backup was made. The setting builtinRules decides about the built-in ones. To switch all of them off: memory-keeper config set builtinRules off',
  switched:
    'rules.md holds only your own rules now and no longer replaces the built-in ones. Yours had none of them, so builtinRules is off in this project. To have them as well: memory-keeper config set builtinRules prompt',
}

/** What became of the rules.md of 0.6. */
function movedRules(store: Store): Finding[] {
  const text = MOVED[store.readState().earlierRules ?? 'kept']
  return text === undefined ? [] : [{ verdict: 'news', finding: text, about: 'rules of 0.6' }]
}

/** `find`: the memory that `migrate` would convert; a start looks at names only. */
export function findingsWith(find: (store: Store, now: string) => string | null): FindingRow[] {
  const look = ({ store, now }: FindingInput): Finding => {
    const dir = find(store, now)
    if (dir === null) return { verdict: 'ok', finding: 'none of an earlier version' }
    const fix = 'memory-keeper migrate --dry-run shows what would be converted'
    return { verdict: 'asks', finding: `there is a memory of an earlier version for this project (${dir})`, fix }
  }
  return [
    ['earlier memory', look, 'start'],
    ['rules of 0.6', ({ store }) => movedRules(store), 'start'],
  ]
}

/** 0.6 captured sessions there while the state of the project's memory could not be read. */
function hasSessionsAtHome({ dir, places }: Store): boolean {
  return dir === places.inProject && statOf(path.join(places.atHome, HOME_MARK_FILE)) !== null
}
