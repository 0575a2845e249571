/**
 * What the tools of the MCP server do: read with the first call of one, since the host waits for the greeting. Run by itself
 * it brings the index of a project up to date: the memory that a long build takes goes with the process.
 */
import path from 'node:path'
import { openStore } from '../memory/disk/store.ts'
import { findSurroundings, locate } from '../platform/disk/locate.ts'
import { openIndex } from '../search/disk/index/index.ts'

export { openTools } from '../mcp/tools.ts'

const [startDir] = process.argv.slice(2)
if (path.basename(process.argv[1] ?? '') === path.basename(__filename) && startDir !== undefined) build(startDir)

function build(dir: string): void {
  const around = findSurroundings(process.env, process.platform)
  if (around === null) return
  const server = process.ppid
  const now = (): string => new Date().toISOString()
  const store = openStore(locate(dir, around), { now })
  // Nobody waits for it any more: the next search goes on where it stopped.
  const onProgress = (): void => {
    if (process.ppid !== server) process.exit(0)
  }
  const index = openIndex(store, { cacheDir: store.places.cacheDir, now, onProgress })
  index.refresh()
  index.close()
}
