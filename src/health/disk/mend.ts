/** What `doctor --fix` does by itself: only what loses nothing and can be repeated. Also starts the MCP server to see whether it answers. */

import path from 'node:path'
import { lostFiles, restoreAll } from '../../copies/disk/vault-restore.ts'
import { COMMAND_WAIT_MS, type Store } from '../../memory/disk/store.ts'
import { strays, writtenDirs } from '../../memory/disk/strays.ts'
import { disk, removeTree, setMode, statOf } from '../../platform/disk/files.ts'
import { isObject, parseObject } from '../../platform/json.ts'
import { openIndex, removeIndex } from '../../search/disk/index/index.ts'
import { catchUp } from '../../sessions/disk/catch-up.ts'
import { bytes, count } from '../../text/figures.ts'
import { bad, type Check, type Found, type MendName, ok } from './check.ts'
import { openToOthers } from './check-files.ts'
import { bytesAt } from './numbers.ts'
import { staleCaches } from './projects.ts'

export interface Mended {
  mend: MendName
  /** What was done, or would be. */
  said: string
}

/** What one of them is asked to do: nothing is changed with `isDryRun`. */
interface Asked {
  store: Store
  now: () => string
  isDryRun: boolean
}

const would = (isDryRun: boolean, done: string, planned: string): string => (isDryRun ? `would ${planned}` : done)

/** In this order: files come back before what they say is compared with the transcripts. */
const MENDS: Readonly<Record<MendName, (asked: Asked) => string>> = {
  strays: ({ store, now, isDryRun }) => {
    const found = strays(writtenDirs(store), Date.parse(now()))
    if (!isDryRun) for (const file of found) disk.remove(file)
    const names = found.map((file) => path.basename(file)).join(', ')
    return `${would(isDryRun, 'removed', 'remove')} ${count(found.length, 'temporary file')}: ${names}`
  },
  caches: ({ store, isDryRun }) => {
    const found = staleCaches(store)
    const size = bytes(found.reduce((sum, file) => sum + bytesAt(file), 0))
    if (!isDryRun) for (const file of found) statOf(file)?.kind === 'dir' ? removeTree(file) : disk.remove(file)
    return `${would(isDryRun, 'removed', 'remove')} ${count(found.length, 'index or file', 'indexes and files')} in the cache that nothing uses (${size})`
  },
  restore: ({ store, isDryRun }) => {
    const lost = count(lostFiles(store).length, 'file')
    if (!isDryRun && store.whileLocked(COMMAND_WAIT_MS, () => restoreAll(store)) === null)
      return 'nothing was brought back: another process uses the memory; try again in a moment'
    return `${would(isDryRun, 'brought', 'bring')} back ${lost} from the vault`
  },
  import: ({ store, now, isDryRun }) => {
    if (isDryRun) return 'would capture what is missing (memory-keeper import)'
    const { sessions, entries } = catchUp(store, { waitMs: COMMAND_WAIT_MS, now, look: 'anew' })
    return `captured ${count(entries, 'entry', 'entries')} of ${count(sessions, 'session')}`
  },
  index: ({ store, now, isDryRun }) => {
    if (isDryRun) return 'would make the search index anew (memory-keeper reindex)'
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
  modes: ({ store, isDryRun }) => {
    const open = openToOthers(store)
    if (!isDryRun) for (const file of open) setMode(file, statOf(file)?.kind === 'dir' ? 0o700 : 0o600)
    return `${would(isDryRun, 'closed', 'close')} ${count(open.length, 'file or directory', 'files and directories')} to other users`
  },
}

export function mendHealth(store: Store, checks: readonly Check[], how: Omit<Asked, 'store'>): Mended[] {
  const asked = new Set(checks.flatMap(({ verdict, mend }) => (verdict === 'ok' ? [] : (mend ?? []))))
  const mends = Object.keys(MENDS) as MendName[]
  return mends.filter((mend) => asked.has(mend)).map((mend) => ({ mend, said: MENDS[mend]({ store, ...how }) }))
}

/** Longer than any start takes, also on a busy machine. */
const LONGEST_MS = 5_000

/** `programs`: where our built programs lie. */
export function probeServer(
  store: Store,
  { programs, env }: { programs: string; env: Readonly<Record<string, string | undefined>> },
): Found {
  const file = path.join(programs, 'mcp.cjs')
  if (statOf(file) === null) return failed(`${file} is not there`)
  const { spawnSync } = process.getBuiltinModule('node:child_process')
  const began = performance.now()
  const done = spawnSync(process.execPath, [file], {
    input: `${JSON.stringify(HELLO)}\n`,
    env: { ...env, CLAUDE_PROJECT_DIR: store.places.project.root, MEMORY_KEEPER_CHILD: undefined },
    timeout: LONGEST_MS,
    encoding: 'utf8',
    windowsHide: true,
  })
  const ms = Math.round(performance.now() - began)
  if (isAnswer(done.stdout ?? '')) return ok(`starts and answers (${ms} ms with its end)`)
  const [line = ''] = (done.stderr ?? '').trim().split('\n')
  return failed(line === '' ? `it did not answer within ${LONGEST_MS / 1000} s` : line)
}

const HELLO = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'doctor', version: '1' } },
}

function isAnswer(out: string): boolean {
  return out.split('\n').some((line) => {
    const result = parseObject(line)?.result
    return isObject(result) && result.serverInfo !== undefined
  })
}

function failed(finding: string): Found {
  return bad(
    finding,
    'install the plugin anew: claude plugin uninstall and install; without it Claude cannot search, all else works',
  )
}
