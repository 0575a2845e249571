/** Decides whether a memory directory is ours: it contains a token, and the record at home contains the same one. */
import path from 'node:path'
import { disk, isWritable, list, makeDir, readBelow, readOwnText, rename, statOf } from '../../platform/disk/files.ts'
import type { Places } from '../../platform/disk/locate.ts'
import { withLock } from '../../platform/disk/lock.ts'
import { parseObject, textOr } from '../../platform/json.ts'
import {
  ARCHIVE_DIR,
  BRIEFINGS_DIR,
  GITATTRIBUTES_FILE,
  GITIGNORE_FILE,
  INJECTED_RULES_DIR,
  JOURNAL_DIR,
  LOGS_DIR,
  OWNER_FILE,
  SESSIONS_DIR,
  SETTLED_DIR,
  SHARED_DIR,
} from '../../platform/layout.ts'
import { IGNORE_ALL, IGNORE_BUT_SHARED } from '../share-files.ts'
import { forgetBrought, isForeignByGit, moveBrought } from './git-brought.ts'

export type Ownership =
  /** Does not exist yet. */
  | 'absent'
  | 'ours'
  /** Not created by this user's Memory Keeper, or git brought files into it: nothing in it is read. */
  | 'foreign'

/** Claiming takes only milliseconds. */
const CLAIM_WAIT_MS = 2000

const MOST_TOKEN_BYTES = 1024

/** Every directory of a memory that we read or write, except shared memory. */
export const OUR_DIRS: readonly string[] = [
  SESSIONS_DIR,
  path.join(SESSIONS_DIR, ARCHIVE_DIR),
  path.join(SESSIONS_DIR, SETTLED_DIR),
  JOURNAL_DIR,
  path.join(JOURNAL_DIR, BRIEFINGS_DIR),
  path.join(JOURNAL_DIR, INJECTED_RULES_DIR),
  LOGS_DIR,
]

interface TrustRecord {
  path: string
  token: string
}

export function ownershipOf(places: Places): Ownership {
  try {
    return lookAt(places)
  } catch (error) {
    // Another user's directory that we may not read.
    if (isTrustRefused(error)) return 'foreign'
    throw error
  }
}

function lookAt(places: Places): Ownership {
  const stat = statOf(places.inProject)
  // The author of the repository chose the target of a link.
  if (statOf(path.dirname(places.inProject))?.kind === 'link') return 'foreign'
  // Git would restore files that the user deleted.
  if (stat === null) return isForeignByGit(places) ? 'foreign' : 'absent'
  if (stat.kind !== 'dir') return 'foreign'
  let token = tokenIn(places.inProject)
  if (token === null) {
    if (isNobodys(places.inProject)) return isForeignByGit(places) ? 'foreign' : 'absent'
    // Another process may have claimed it between the two checks.
    token = tokenIn(places.inProject)
    if (token === null) return 'foreign'
  }
  // Git overwrites ignored files: a pull may replace a directory of ours by a link.
  if (linkedDir(places) !== null) return 'foreign'
  const record = readRecord(places.trustRecord)
  const isKnown = record?.token === token || (record === null && adoptMoved(places, token))
  return isKnown && !isForeignByGit(places) ? 'ours' : 'foreign'
}

/** For a directory that is not read: whether it would be the user's own without the files that git brought. */
export function isOnlyGits(places: Places): boolean {
  if (statOf(places.inProject)?.kind !== 'dir' || linkedDir(places) !== null) return false
  const token = tokenIn(places.inProject)
  return token !== null && readRecord(places.trustRecord)?.token === token
}

/** Empty (another process may be creating it), or with only shared files, which are not a memory yet. */
function isNobodys(dir: string): boolean {
  return list(dir).every((name) => {
    if (name === SHARED_DIR) return statOf(path.join(dir, name))?.kind === 'dir'
    return name.endsWith('.tmp') || name === GITIGNORE_FILE || name === GITATTRIBUTES_FILE
  })
}

/** A directory of the memory that is a link. */
export function linkedDir(places: Places): string | null {
  const dirs = OUR_DIRS.map((name) => path.join(places.inProject, name))
  return dirs.find((dir) => statOf(dir)?.kind === 'link') ?? null
}

/** Claims the directory, one process at a time; false: it cannot be written, or a foreign directory appeared there. */
export function claim(places: Places): boolean {
  makeDir(path.dirname(places.trustRecord))
  const done = withLock(`${places.trustRecord}.lock`, CLAIM_WAIT_MS, () => {
    const standing = ownershipOf(places)
    return standing === 'absent' ? takeOver(places) : standing === 'ours'
  })
  return done?.value ?? false
}

/** Whether a directory could be created there; creates nothing. */
export function canClaim(places: Places): boolean {
  const above = [places.inProject, path.dirname(places.inProject), places.project.root]
  const nearest = above.find((dir) => statOf(dir) !== null)
  return nearest !== undefined && statOf(nearest)?.kind === 'dir' && isWritable(nearest)
}

/** Makes the directory ours, whatever it contains. */
export function takeOver(places: Places): boolean {
  try {
    makeDir(places.inProject)
    if (!isWritable(places.inProject)) return false
    const token = globalThis.crypto.randomUUID()
    keepRecord(places, token)
    disk.replace(path.join(places.inProject, OWNER_FILE), `${token}\n`)
    const ignore = path.join(places.inProject, GITIGNORE_FILE)
    const isShared = statOf(path.join(places.inProject, SHARED_DIR)) !== null
    if (readOwnText(ignore) === null) disk.replace(ignore, isShared ? IGNORE_BUT_SHARED : IGNORE_ALL)
    return true
  } catch (error) {
    if (isTrustRefused(error)) return false
    throw error
  }
}

export function disown(places: Places): void {
  disk.remove(places.trustRecord)
  forgetBrought(places)
}

function tokenIn(dir: string): string | null {
  return readBelow(dir, OWNER_FILE, MOST_TOKEN_BYTES)?.trim() ?? null
}

function readRecord(file: string): TrustRecord | null {
  const record = parseObject(readOwnText(file) ?? '')
  const [token, at] = [textOr(record?.token, ''), record?.path]
  return token === '' || typeof at !== 'string' ? null : { token, path: at }
}

function keepRecord({ trustRecord, inProject }: Places, token: string): void {
  disk.replace(trustRecord, `${JSON.stringify({ path: inProject, token } satisfies TrustRecord)}\n`)
}

/** A moved or renamed project keeps its memory: its token is recorded for a path that no longer exists. */
function adoptMoved(places: Places, token: string): boolean {
  const dir = path.dirname(places.trustRecord)
  for (const name of list(dir)) {
    const record = readRecord(path.join(dir, name))
    // Another process adopted it first.
    if (record?.token === token && record.path === places.inProject) return true
    if (record?.token !== token || statOf(record.path) !== null) continue
    keepRecord(places, token)
    const oldVault = path.join(path.dirname(places.vault), name.replace(/\.json$/, ''))
    if (statOf(oldVault) !== null && statOf(places.vault) === null) rename(oldVault, places.vault)
    moveBrought(places, path.join(dir, name))
    disk.remove(path.join(dir, name))
    return true
  }
  return false
}

/** Another user's files, or a read-only disk. */
export function isTrustRefused(error: unknown): boolean {
  return ['EACCES', 'EROFS', 'EPERM', 'ENOTDIR', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')
}
