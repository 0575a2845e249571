/** The projects of this user that have a memory. */
import path from 'node:path'
import { stateIn } from '../../../kernel/memory/disk/settled.ts'
import { openStore, type Store } from '../../../kernel/memory/disk/store.ts'
import { allSessions } from '../../../kernel/memory/state.ts'
import { list, readOwnText, statOf } from '../../../kernel/platform/disk/files.ts'
import { findProject, locate } from '../../../kernel/platform/disk/locate.ts'
import { parseObject } from '../../../kernel/platform/json.ts'
import { MEMORY_DIR, PROJECTS_DIR } from '../../../kernel/platform/layout.ts'
import { launchDirOf } from '../../../kernel/sessions/disk/transcripts.ts'

/** Opens them without changing them; projects whose directory is unknown are left out. */
export function knownProjects({ places }: Store): Store[] {
  const { hostDir, cacheDir, homeDir, trustRecord } = places
  const around = { home: path.dirname(hostDir), configDir: hostDir, cacheDir }
  const roots = [
    ...rootsIn(path.dirname(trustRecord)),
    ...list(path.join(homeDir, PROJECTS_DIR)).flatMap((key) => rootOf(path.join(homeDir, PROJECTS_DIR, key)) ?? []),
  ]
  const found = new Map<string, Store>()
  for (const root of roots) {
    if (statOf(root)?.kind !== 'dir') continue
    const there = locate(root, around)
    // A record is only written for its own place: otherwise it is not a project of ours.
    if (there.project.root !== root) continue
    if (there.project.key !== places.project.key && !found.has(there.project.key))
      found.set(there.project.key, openStore(there, { now: () => new Date(0).toISOString() }))
  }
  return [...found.values()]
}

/** The roots of projects. Each record names a trusted memory directory. */
function rootsIn(dir: string): string[] {
  const below = path.sep + path.join(...MEMORY_DIR)
  return list(dir).flatMap((name) => {
    const memory = name.endsWith('.json') ? parseObject(readOwnText(path.join(dir, name)) ?? '')?.path : undefined
    const isPlace = typeof memory === 'string' && path.isAbsolute(memory) && path.normalize(memory) === memory
    return isPlace && memory.endsWith(below) ? [memory.slice(0, -below.length)] : []
  })
}

/** For a memory stored at home: the project in which its sessions were started. */
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
