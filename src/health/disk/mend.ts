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
import { type Leftover, staleCaches } from './projects.ts'

export interface Mended {
  mend: MendName
  /** What was done, or would be. */
  said: string
}

interface Mend {
  mend: MendName
  /** What would be done. */
  would: (store: Store, now: string) => string
  perform: (store: Store, now: () => string) => string
}

const closed = (n: number): string => `${count(n, 'file or directory', 'files and directories')} to other users`

/** In this order: files come back before what they say is compared with the transcripts. */
const MENDS: readonly Mend[] = [
  {
    mend: 'strays',
    would: (store, now) =>
      `would remove ${count(strays(writtenDirs(store), Date.parse(now)).length, 'temporary file')}`,
    perform: (store, now) => {
      const found = strays(writtenDirs(store), Date.parse(now()))
      for (const file of found) disk.remove(file)
      return `removed ${count(found.length, 'temporary file')}: ${found.map((file) => path.basename(file)).join(', ')}`
    },
  },
  {
    mend: 'caches',
    would: (store) => `would remove ${saidOf(staleCaches(store))}`,
    perform: (store) => {
      const found = staleCaches(store)
      for (const { path: file } of found) statOf(file)?.kind === 'dir' ? removeTree(file) : disk.remove(file)
      return `removed ${saidOf(found)}`
    },
  },
  {
    mend: 'restore',
    would: (store) => `would bring back ${count(lostFiles(store).length, 'file')} from the vault`,
    perform: (store) => {
      const { length } = lostFiles(store)
      const done = store.whileLocked(COMMAND_WAIT_MS, () => restoreAll(store))
      return done === null ? BUSY : `brought back ${count(length, 'file')} from the vault`
    },
  },
  {
    mend: 'import',
    would: () => 'would capture what is missing (memory-keeper import)',
    perform: (store, now) => {
      const { sessions, entries } = catchUp(store, { waitMs: COMMAND_WAIT_MS, now, look: 'anew' })
      return `captured ${count(entries, 'entry', 'entries')} of ${count(sessions, 'session')}`
    },
  },
  {
    mend: 'index',
    would: () => 'would make the search index anew (memory-keeper reindex)',
    perform: (store, now) => {
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
  },
  {
    mend: 'modes',
    would: (store) => `would close ${closed(openToOthers(store).length)}`,
    perform: (store) => {
      const open = openToOthers(store)
      // Files in a directory that was closed first are out of reach already.
      for (const file of open) setMode(file, statOf(file)?.kind === 'dir' ? 0o700 : 0o600)
      return `closed ${closed(open.length)}`
    },
  },
]

/** With `isDryRun` only says what would be done. */
export function mendHealth(
  store: Store,
  checks: readonly Check[],
  { now, isDryRun }: { now: () => string; isDryRun: boolean },
): Mended[] {
  const asked = new Set(checks.flatMap(({ verdict, mend }) => (verdict === 'ok' ? [] : (mend ?? []))))
  return MENDS.filter(({ mend }) => asked.has(mend)).map(({ mend, would, perform }) => ({
    mend,
    said: isDryRun ? would(store, now()) : perform(store, now),
  }))
}

function saidOf(found: readonly Leftover[]): string {
  const size = found.reduce((sum, one) => sum + one.bytes, 0)
  return `${count(found.length, 'index or file', 'indexes and files')} in the cache that nothing uses (${bytes(size)})`
}

const BUSY = 'nothing was brought back: another process uses the memory; try again in a moment'

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
