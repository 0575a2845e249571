/** Whether a memory directory is ours: it holds a token, and the record at home names the same one. */
import path from 'node:path'
import { disk, isWritable, list, makeDir, readBelow, readOwnText, rename, statOf } from '../../platform/disk/files.ts'
import type { Places } from '../../platform/disk/locate.ts'
import { withLock } from '../../platform/disk/lock.ts'
import {
  ARCHIVE_DIR,
  BRIEFINGS_DIR,
  GITATTRIBUTES_FILE,
  GITIGNORE_FILE,
  JOURNAL_DIR,
  LOGS_DIR,
  OWNER_FILE,
  SESSIONS_DIR,
  SETTLED_DIR,
  SHARED_DIR,
  TOLD_RULES_DIR,
} from '../../platform/layout.ts'
import { IGNORE_ALL, IGNORE_BUT_SHARED } from '../share-files.ts'
import { forgetBrought, isForeignByGit, moveBrought } from './git-brought.ts'

export type Ownership =
  /** Not there yet. */
  | 'absent'
  | 'ours'
  /** Not made by this user's Memory Keeper, or git brought files into it: nothing in it is read. */
  | 'foreign'

/** Claiming takes milliseconds. */
const CLAIM_WAIT_MS = 2000

const MOST_TOKEN_BYTES = 1024

/** Every directory that we read or write in a memory, but for what others share. */
const OUR_DIRS = [
  SESSIONS_DIR,
  path.join(SESSIONS_DIR, ARCHIVE_DIR),
  path.join(SESSIONS_DIR, SETTLED_DIR),
  JOURNAL_DIR,
  path.join(JOURNAL_DIR, BRIEFINGS_DIR),
  path.join(JOURNAL_DIR, TOLD_RULES_DIR),
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
    // Another user's, whose files are his alone.
    if (isTrustRefused(error)) return 'foreign'
    throw error
  }
}

function lookAt(places: Places): Ownership {
  const facts = statOf(places.inProject)
  // A link may lead anywhere, and whoever wrote the repository chose where.
  if (statOf(path.dirname(places.inProject))?.kind === 'link') return 'foreign'
  // Git would put there again what somebody removed.
  if (facts === null) return isForeignByGit(places) ? 'foreign' : 'absent'
  if (facts.kind !== 'dir') return 'foreign'
  let token = tokenIn(places.inProject)
  if (token === null) {
    if (isNobodys(places.inProject)) return isForeignByGit(places) ? 'foreign' : 'absent'
    // Another process may have made it ours between the two looks.
    token = tokenIn(places.inProject)
    if (token === null) return 'foreign'
  }
  // Git overwrites ignored files: a pull may put a link where a directory of ours was.
  if (linkedDir(places) !== null) return 'foreign'
  const record = readRecord(places.trustRecord)
  const isKnown = record?.token === token || (record === null && adoptMoved(places, token))
  return isKnown && !isForeignByGit(places) ? 'ours' : 'foreign'
}

/** Of a directory that is not read: whether it would be the user's own without what git brought. */
export function isOnlyGits(places: Places): boolean {
  if (statOf(places.inProject)?.kind !== 'dir' || linkedDir(places) !== null) return false
  const token = tokenIn(places.inProject)
  return token !== null && readRecord(places.trustRecord)?.token === token
}

/** Nothing in it: another process may be making it right now. Or only what people shared, which is no memory yet. */
function isNobodys(dir: string): boolean {
  return list(dir).every((name) => {
    if (name === SHARED_DIR) return statOf(path.join(dir, name))?.kind === 'dir'
    return name.endsWith('.tmp') || name === GITIGNORE_FILE || name === GITATTRIBUTES_FILE
  })
}

/** A directory of the memory that is only a link. */
export function linkedDir(places: Places): string | null {
  const dirs = OUR_DIRS.map((name) => path.join(places.inProject, name))
  return dirs.find((dir) => statOf(dir)?.kind === 'link') ?? null
}

/** Makes the place ours, one process at a time; false: it cannot be written, or a stranger's directory came there meanwhile. */
export function claim(places: Places): boolean {
  makeDir(path.dirname(places.trustRecord))
  const done = withLock(`${places.trustRecord}.lock`, CLAIM_WAIT_MS, () => {
    const standing = ownershipOf(places)
    return standing === 'absent' ? takeOver(places) : standing === 'ours'
  })
  return done?.value ?? false
}

/** Whether a directory could be made there, told without making it. */
export function canClaim(places: Places): boolean {
  const above = [places.inProject, path.dirname(places.inProject), places.project.root]
  const nearest = above.find((dir) => statOf(dir) !== null)
  return nearest !== undefined && statOf(nearest)?.kind === 'dir' && isWritable(nearest)
}

/** Makes the directory ours, whatever is in it. */
export function takeOver(places: Places): boolean {
  try {
    makeDir(places.inProject)
    if (!isWritable(places.inProject)) return false
    const token = globalThis.crypto.randomUUID()
    disk.replace(places.trustRecord, `${JSON.stringify({ path: places.inProject, token } satisfies TrustRecord)}\n`)
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
  const text = readOwnText(file)
  if (text === null) return null
  try {
    const record = JSON.parse(text) as Partial<TrustRecord>
    return typeof record.token === 'string' && record.token !== '' && typeof record.path === 'string'
      ? { token: record.token, path: record.path }
      : null
  } catch {
    return null
  }
}

/** A project that was moved or renamed keeps its memory: the token is known under a path that is gone. */
function adoptMoved(places: Places, token: string): boolean {
  const dir = path.dirname(places.trustRecord)
  for (const name of list(dir)) {
    const record = readRecord(path.join(dir, name))
    // Another process was faster.
    if (record?.token === token && record.path === places.inProject) return true
    if (record?.token !== token || statOf(record.path) !== null) continue
    disk.replace(places.trustRecord, `${JSON.stringify({ path: places.inProject, token })}\n`)
    const oldVault = path.join(path.dirname(places.vault), name.replace(/\.json$/, ''))
    if (statOf(oldVault) !== null && statOf(places.vault) === null) rename(oldVault, places.vault)
    moveBrought(places, path.join(dir, name))
    disk.remove(path.join(dir, name))
    return true
  }
  return false
}

/** Another user's files, or a disk that cannot be written. */
export function isTrustRefused(error: unknown): boolean {
  return ['EACCES', 'EROFS', 'EPERM', 'ENOTDIR', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')
}
