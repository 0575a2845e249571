/** The projects of this user that have a memory, and the caches of those that are gone. */
import path from 'node:path'
import { stateIn } from '../../memory/disk/settled.ts'
import { openStore, type Store } from '../../memory/disk/store.ts'
import { allSessions } from '../../memory/state.ts'
import { COMPILED_DIR } from '../../platform/disk/compiled.ts'
import { list, readOwnText, realPath, statOf } from '../../platform/disk/files.ts'
import { findProject, locate } from '../../platform/disk/locate.ts'
import { parseObject } from '../../platform/json.ts'
import { MEMORY_DIR, PROJECTS_DIR } from '../../platform/layout.ts'
import { launchDirOf } from '../../sessions/disk/transcripts.ts'
import { fingerprint } from '../../text/fingerprint.ts'

/** Opened, and not changed by it; those whose place nobody knows any more are left out. */
export function knownProjects({ places }: Store): Store[] {
  const { hostDir, cacheDir, keeperDir, trustRecord } = places
  const around = { home: path.dirname(hostDir), configDir: hostDir, cacheDir }
  const roots = [
    ...recordsIn(path.dirname(trustRecord)).values(),
    ...list(path.join(keeperDir, PROJECTS_DIR)).flatMap((key) => rootOf(path.join(keeperDir, PROJECTS_DIR, key)) ?? []),
  ]
  const found = new Map<string, Store>()
  for (const root of roots) {
    if (statOf(root)?.kind !== 'dir') continue
    const there = locate(root, around)
    // Nobody writes a record about another place than its own: such a one is no project of ours.
    if (there.project.root !== root) continue
    if (there.project.key !== places.project.key && !found.has(there.project.key))
      found.set(there.project.key, openStore(there, { now: () => new Date(0).toISOString() }))
  }
  return [...found.values()]
}

/** The roots of projects, by their keys. Each record names the memory directory that is trusted. */
function recordsIn(dir: string): Map<string, string> {
  const roots = new Map<string, string>()
  for (const name of list(dir).filter((one) => one.endsWith('.json'))) {
    const memory = parseObject(readOwnText(path.join(dir, name)) ?? '')?.path
    const below = path.join(...MEMORY_DIR)
    const isPlace = typeof memory === 'string' && path.isAbsolute(memory) && path.normalize(memory) === memory
    if (isPlace && memory.endsWith(path.sep + below))
      roots.set(name.slice(0, -'.json'.length), memory.slice(0, -below.length - 1))
  }
  return roots
}

/** Of a memory stored at home: where its sessions were started. */
function rootOf(dir: string): string | null {
  const state = stateIn(dir)
  if (state === null) return null
  for (const [, { transcript }] of allSessions(state)) {
    const launchDir = transcript === '' ? null : launchDirOf(transcript)
    const project = launchDir === null || statOf(launchDir) === null ? null : findProject(launchDir)
    if (project?.key === path.basename(dir)) return project.root
  }
  return null
}

/** In the user's cache: indexes and rows of no project that exists, and code of other builds than the newest. */
export function staleCaches(store: Store): string[] {
  const { cacheDir } = store.places
  if (cacheDir === '') return []
  const stores = [store, ...knownProjects(store)]
  const memories = stores.flatMap(({ dir, places }) => [dir, places.inProject, places.atHome])
  const used = new Set(memories.map((dir) => fingerprint(realPath(dir))))
  const stale = ['index', 'rows', 'briefings'].flatMap((name) =>
    list(path.join(cacheDir, name))
      .filter((hash) => /^[0-9a-f]{14}$/.test(hash) && !used.has(hash))
      .map((hash) => path.join(cacheDir, name, hash)),
  )
  return [...stale, ...oldBuilds(path.join(cacheDir, COMPILED_DIR))]
}

/** Each program that is compiled has the name of its build; the build that was compiled last is the one in use. */
function oldBuilds(dir: string): string[] {
  const files = list(dir).flatMap((name) => {
    const build = /-([0-9a-f]{12})-v[^-]+-[\w-]+\.bin$/.exec(name)?.[1]
    return build === undefined ? [] : [{ file: path.join(dir, name), build }]
  })
  const timeOf = ({ file }: { file: string }): number => statOf(file)?.mtimeMs ?? 0
  const newest = files.toSorted((a, b) => timeOf(b) - timeOf(a))[0]?.build
  return files.filter(({ build }) => build !== newest).map(({ file }) => file)
}
