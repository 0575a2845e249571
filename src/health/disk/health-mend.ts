/** What `doctor --fix` does by itself: only what loses nothing and can be done again. */
import path from 'node:path'
import { lostFiles, restoreAll } from '../../copies/disk/vault-restore.ts'
import { COMMAND_WAIT_MS, type Store } from '../../memory/disk/store.ts'
import { strays, writtenDirs } from '../../memory/disk/strays.ts'
import { disk, removeTree, setMode, statOf } from '../../platform/disk/files.ts'
import { openIndex, removeIndex } from '../../search/disk/index/index.ts'
import { catchUp } from '../../sessions/disk/catch-up.ts'
import { bytes, count } from '../../text/figures.ts'
import type { Check, MendName } from './check.ts'
import { type Leftover, staleCaches } from './gone-projects.ts'
import { openToOthers } from './health-files.ts'

export interface Mended {
  mend: MendName
  /** What was done, or would be. */
  said: string
}

/** In this order: files come back before what they say is compared with the transcripts. */
const ORDER: readonly MendName[] = ['strays', 'caches', 'restore', 'import', 'index', 'modes']

/** With `isDryRun` only says what would be done. */
export function mendHealth(
  store: Store,
  checks: readonly Check[],
  { now, isDryRun }: { now: () => string; isDryRun: boolean },
): Mended[] {
  const asked = new Set(checks.flatMap(({ verdict, mend }) => (verdict === 'ok' ? [] : (mend ?? []))))
  return ORDER.filter((mend) => asked.has(mend)).map((mend) => ({
    mend,
    said: isDryRun ? wouldDo(store, mend, now()) : MENDS[mend](store, now),
  }))
}

function wouldDo(store: Store, mend: MendName, now: string): string {
  switch (mend) {
    case 'modes':
      return `would close ${count(openToOthers(store).length, 'file or directory', 'files and directories')} to other users`
    case 'strays':
      return `would remove ${count(strays(writtenDirs(store), Date.parse(now)).length, 'temporary file')}`
    case 'caches':
      return `would remove ${saidOf(staleCaches(store))}`
    case 'restore':
      return `would bring back ${count(lostFiles(store).length, 'file')} from the vault`
    case 'import':
      return 'would capture what is missing (memory-keeper import)'
    case 'index':
      return 'would make the search index anew (memory-keeper reindex)'
  }
}

const MENDS: Readonly<Record<MendName, (store: Store, now: () => string) => string>> = {
  modes: (store) => {
    const open = openToOthers(store)
    for (const file of open) setMode(file, statOf(file)?.kind === 'dir' ? 0o700 : 0o600)
    // Files in a directory that was closed first are out of reach already.
    return `closed ${count(open.length, 'file or directory', 'files and directories')} to other users`
  },
  strays: (store, now) => {
    const found = strays(writtenDirs(store), Date.parse(now()))
    for (const file of found) disk.remove(file)
    return `removed ${count(found.length, 'temporary file')}: ${found.map((file) => path.basename(file)).join(', ')}`
  },
  caches: (store) => {
    const found = staleCaches(store)
    for (const { path: file } of found) {
      if (statOf(file)?.kind === 'dir') removeTree(file)
      else disk.remove(file)
    }
    return `removed ${saidOf(found)}`
  },
  restore: (store) => {
    const { length } = lostFiles(store)
    const done = store.whileLocked(COMMAND_WAIT_MS, () => restoreAll(store))
    return done === null ? BUSY : `brought back ${count(length, 'file')} from the vault`
  },
  import: (store, now) => {
    const { sessions, entries } = catchUp(store, { waitMs: COMMAND_WAIT_MS, now, look: 'anew' })
    return `captured ${count(entries, 'entry', 'entries')} of ${count(sessions, 'session')}`
  },
  index: (store, now) => {
    const { cacheDir } = store.places
    removeIndex(store, cacheDir)
    const index = openIndex(store, { cacheDir, now })
    try {
      index.refresh()
      return `made the search index anew: ${count(index.columns.live, 'document')}`
    } finally {
      index.close()
    }
  },
}

function saidOf(found: readonly Leftover[]): string {
  const size = found.reduce((sum, one) => sum + one.bytes, 0)
  return `${count(found.length, 'index or file', 'indexes and files')} in the cache that nothing uses (${bytes(size)})`
}

const BUSY = 'nothing was brought back: another process uses the memory; try again in a moment'
