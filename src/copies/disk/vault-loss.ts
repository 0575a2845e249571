/** What a file of the project has lost against its copies in the vault. */
import path from 'node:path'
import type { Store } from '../../memory/disk/store.ts'
import { against, type FoundCopy, isCopied, isGuarded, isLost, keptCopy } from '../../memory/disk/vault-copy.ts'
import { list, statOf } from '../../platform/disk/files.ts'
import { GITIGNORE_FILE, KEPT_DIR, NOTICES_FILE } from '../../platform/layout.ts'
import { count } from '../../text/figures.ts'

export interface Loss {
  /** Below the memory directory. */
  name: string
  found: FoundCopy
}

/** The program makes them again. */
const REMADE: readonly string[] = [GITIGNORE_FILE, NOTICES_FILE]

/** Of the files that stand directly in the memory: a start must not look at those of a thousand sessions. */
export function topLosses(store: Store): Loss[] {
  const { vault } = store.places
  return lossesAmong(store, [...plainFilesIn(vault), ...plainFilesIn(path.join(vault, KEPT_DIR))])
}

export function lossesAmong(store: Store, names: readonly string[]): Loss[] {
  if (store.dir !== store.places.inProject || store.ownership === 'foreign') return []
  return [...new Set(names)].flatMap((name): Loss[] => {
    const found = isGuarded(name) && !REMADE.includes(name) ? lossOf(store, name) : null
    return found === null ? [] : [{ name, found }]
  })
}

function plainFilesIn(dir: string): string[] {
  return list(dir).filter((name) => statOf(path.join(dir, name))?.kind === 'file')
}

function lossOf({ dir, places: { vault } }: Store, name: string): FoundCopy | null {
  const copies = [...(isCopied({ dir, vault }, name) ? [] : [path.join(vault, name)]), keptCopy(vault, name)]
  const lost = copies.find((copy) => isLost(dir, name, copy))
  return lost === undefined ? null : against(dir, name, lost)
}

/** For people: `memory.md lost 3 notes`. */
export function renderLoss({ name, found }: Loss): string {
  switch (found.is) {
    case 'gone':
      return `${name} is gone`
    case 'unread':
      return `${name} cannot be read`
    case 'empty':
      return `${name} is empty`
    case 'garbled':
      return `${name} is garbled`
    case 'text':
      return `${name} lost ${found.notes > 0 ? count(found.notes, 'note') : `${found.lost} of ${count(found.of, 'line')}`}`
  }
}
