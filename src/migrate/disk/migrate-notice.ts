/** Whether the memory of an earlier version waits to be taken over: asked at every start, so it looks at names and beginnings of files, and reads no session. */
import path from 'node:path'
import type { Store } from '../../memory/disk/store.ts'
import { list, readOwnText, readPart, statOf } from '../../platform/disk/files.ts'
import { isObject, parseObject } from '../../platform/json.ts'
import { CONCEPTS_FILE, FACTS_FILE, MEMORY_FILE, SESSIONS_DIR, STATE_FILE } from '../../platform/layout.ts'
import { isTrustRefused } from '../../trust/disk/trust.ts'
import { type LegacyKind, legacyKindOf } from '../legacy.ts'
import { homeOrigin } from './migrate-files.ts'
import { takenOver } from './migrate-record.ts'

/** Kinds that no memory has any more once it is migrated. */
const OLD: ReadonlySet<LegacyKind> = new Set([
  'counter',
  'marker',
  'lines',
  'talk',
  'session-facts',
  'session-summary',
  'week',
])
/** A thousand sessions of ours are told at a glance. */
const OURS = /^\d{8}_\d{6}_[0-9a-z]{8}\./
/** The versions of this program's own files; an earlier one of theirs is an earlier version's. */
const STATE_VERSION = 2
const FACTS_VERSION = 4
const HEAD_BYTES = 4096
/** As v13 dated a note, and we never do. */
const OLD_NOTE = /^## \d{4}-\d\d-\d\d_\d{4}\b/m

/** The line that a user is told once; null: nothing waits. */
export function waitsForMigration(store: Store): string | null {
  const dir = earlierMemory(store)
  if (dir === null) return null
  return `Memory Keeper: an earlier version kept a memory of this project (${dir}). To see what would be taken over, type: /memory-keeper:run migrate --dry-run`
}

/** Where it lies; null: there is none, it is taken over, or nobody trusts it. */
export function earlierMemory(store: Store): string | null {
  if (store.ownership === 'foreign') return null
  const atHome = homeOrigin(store)
  if (atHome !== null && takenOver(store, atHome) === null) return atHome
  return isEarlier(store.dir) ? store.dir : null
}

/** Whether files in it are as an earlier version wrote them; also where this version has written beside them since. */
export function isEarlier(dir: string): boolean {
  try {
    return looksEarlier(dir)
  } catch (error) {
    if (isTrustRefused(error)) return false
    throw error
  }
}

function looksEarlier(dir: string): boolean {
  if (statOf(dir)?.kind !== 'dir') return false
  const names = ['', SESSIONS_DIR].flatMap((folder) => list(path.join(dir, folder)))
  return (
    names.some((name) => !OURS.test(name) && OLD.has(legacyKindOf(name))) ||
    isBelow(
      versionIn(dir, STATE_FILE, /"version"\s*:\s*(\d+)/, (raw) => raw.version),
      STATE_VERSION,
    ) ||
    isBelow(versionIn(dir, FACTS_FILE, /"_meta"\s*:\s*\{[^}]*"version"\s*:\s*(\d+)/, metaVersion), FACTS_VERSION) ||
    isBelow(
      versionIn(dir, CONCEPTS_FILE, /^\s*\{\s*"version"\s*:\s*(\d+)/, (raw) => raw.version),
      1,
    ) ||
    OLD_NOTE.test(readOwnText(path.join(dir, MEMORY_FILE)) ?? '')
  )
}

function isBelow(version: number | null, ours: number): boolean {
  return version !== null && version < ours
}

/** 0: it says none. Null: there is no such file, or it cannot be read. Ours say it at once, and no more of them is read. */
function versionIn(
  dir: string,
  name: string,
  atOnce: RegExp,
  field: (raw: Record<string, unknown>) => unknown,
): number | null {
  const file = path.join(dir, name)
  if (statOf(file)?.kind !== 'file') return null
  const head = atOnce.exec(readPart(file, 0, HEAD_BYTES)?.toString() ?? '')?.[1]
  if (head !== undefined) return Number(head)
  const raw = parseObject(readOwnText(file) ?? '')
  if (raw === null) return null
  const version = field(raw)
  return typeof version === 'number' ? version : 0
}

function metaVersion(raw: Record<string, unknown>): unknown {
  return isObject(raw._meta) ? raw._meta.version : undefined
}
