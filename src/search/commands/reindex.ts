/** `reindex`: throws the search index away and makes it anew from the files. */
import path from 'node:path'
import type { Context } from '../../memory/commands/context.ts'
import { bytes, count, dim, good } from '../../memory/commands/output.ts'
import { showLate } from '../../memory/commands/progress.ts'
import { list, sizeOf } from '../../platform/disk/files.ts'
import { indexDir, openIndex, removeIndex } from '../disk/index/index.ts'

export function runReindex(context: Context): number {
  const { store, out, world, isDryRun } = context
  const { cacheDir } = store.places
  const dir = indexDir(store, cacheDir)
  const before = sizeIn(dir)
  if (isDryRun) {
    out.json({ dir, bytes: before, dryRun: true })
    out.say(dir === '' ? NO_PLACE : `${dir} (${bytes(before)}) would be removed and made anew.`)
    return 0
  }
  const began = Date.parse(world.now())
  removeIndex(store, cacheDir)
  const onProgress = showLate(world, out, 'read', { inLines: true })
  const index = openIndex(store, { cacheDir, now: world.now, onProgress })
  try {
    const isWhole = index.refresh()
    const ms = Math.max(0, Date.parse(world.now()) - began)
    const { live } = index.columns
    const { name: engine } = index.engine
    const size = sizeIn(dir)
    out.json({ documents: live, ms, engine, bytes: size, dir, news: index.news, isWhole })
    for (const line of index.news) out.warn(dim(line))
    out.say(
      `${good('done')} ${count(live, 'document')} in ${(ms / 1000).toFixed(1)} s, searched with ${ENGINES[engine]}`,
      dir === '' ? NO_PLACE : dim(`${bytes(size)} in ${dir}`),
    )
    if (!isWhole) out.say('Somebody else writes the index at this moment: what is missing comes with the next search.')
    return 0
  } finally {
    index.close()
  }
}

const NO_PLACE = 'There is no cache directory: the index is made in memory, for each search anew.'
const ENGINES = { fts5: 'FTS5', scan: 'a plain scan, since this Node has no FTS5' } as const

function sizeIn(dir: string): number {
  return dir === '' ? 0 : list(dir).reduce((sum, name) => sum + (sizeOf(path.join(dir, name)) ?? 0), 0)
}
