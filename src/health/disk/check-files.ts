/** The checks of the machine and the files: node, disk, who may read and write, what is broken or left behind. */
import path from 'node:path'
import { onlyInVault, renderLoss } from '../../copies/disk/vault.ts'
import { lossesIn } from '../../copies/disk/vault-restore.ts'
import { secretsInFiles } from '../../forget/disk/scrub.ts'
import { readSettled, settledNames, settledPath } from '../../memory/disk/settled.ts'
import type { Store } from '../../memory/disk/store.ts'
import { strays, writtenDirs } from '../../memory/disk/strays.ts'
import { freeBytes, isWritable, list, modeOf, readOwnText, sizeOf, statOf } from '../../platform/disk/files.ts'
import { holderOf, lockName } from '../../platform/disk/lock.ts'
import {
  GITIGNORE_FILE,
  HEADLESS_LOCK,
  LOCK_FILE,
  LOG_FILE,
  LOGS_DIR,
  MODEL_CALLS_FILE,
  SESSIONS_DIR,
  STATE_FILE,
} from '../../platform/layout.ts'
import { createRedactor, redactorFor } from '../../redact/redact.ts'
import { indexLock } from '../../search/disk/index/index.ts'
import { bytes, count } from '../../text/figures.ts'
import { bad, type Found, few, ok, warn } from './check.ts'
import { goneProjects, staleCaches } from './projects.ts'

const LOW_DISK_BYTES = 200_000_000

export function checkNode({ nodeVersion }: { nodeVersion: string }): Found {
  const [major = 0, minor = 0] = nodeVersion.replace(/^v/, '').split('.').map(Number)
  const enough = major > 20 || (major === 20 && minor >= 19)
  return enough ? ok(nodeVersion) : bad(`${nodeVersion} is too old`, 'install Node 20.19 or newer')
}

export function checkWritable(store: Store): Found {
  const { keeperDir } = store.places
  if (!isWritable(nearest(keeperDir))) {
    return bad(
      `${keeperDir} cannot be written: settings, vault and the record of what is yours have no place`,
      'make it writable, or set CLAUDE_CONFIG_DIR to a directory that is',
    )
  }
  const dir = statOf(store.dir) === null ? store.places.project.root : store.dir
  if (isWritable(dir)) return ok('yes')
  return warn(`${dir} cannot be written`, `make it writable; until then sessions are kept in ${store.places.atHome}`)
}

/** The directory itself, or the one above it that is there. */
function nearest(dir: string): string {
  return statOf(dir) !== null || path.dirname(dir) === dir ? dir : nearest(path.dirname(dir))
}

export function checkDisk(store: Store): Found {
  const free = freeBytes(statOf(store.dir) === null ? store.places.project.root : store.dir)
  if (free === null || free > LOW_DISK_BYTES) return ok(free === null ? 'unknown' : `${bytes(free)} free`)
  return bad(
    `only ${bytes(free)} free`,
    'make room: what cannot be written is captured later, as long as the transcript is there',
  )
}

export function checkState(store: Store): Found {
  const why = store.whyReadOnly()
  const isReadable = store.isStateReadable()
  if (why !== null)
    return bad(
      why,
      isReadable
        ? 'claude plugin update, then start a session'
        : `chmod u+rw ${path.join(store.dir, STATE_FILE)}; or delete it, then memory-keeper restore`,
    )
  const broken = list(store.dir).filter((name) => name.startsWith(`${STATE_FILE}.broken-`))
  const lines = settledNames(store.dir).reduce((sum, name) => sum + readSettled(store.dir, name).bad.length, 0)
  if (lines > 0)
    return warn(
      `${count(lines, 'line')} in ${path.join(store.dir, settledPath(''))} cannot be read`,
      'memory-keeper import reads these sessions again; then delete the lines',
    )
  if (broken.length === 0) return ok('readable')
  return warn(`was broken once: ${broken.join(', ')}`, 'memory-keeper verify; then delete the files set aside')
}

/** The locks of this memory, its index, and what all projects share. */
export function checkLock(store: Store): Found {
  const { keeperDir, trustRecord, cacheDir } = store.places
  const files = [
    path.join(store.dir, LOCK_FILE),
    `${trustRecord}.lock`,
    path.join(keeperDir, `${MODEL_CALLS_FILE}.lock`),
    path.join(keeperDir, `${HEADLESS_LOCK}.guard`),
    ...(cacheDir === '' ? [] : [indexLock(store, cacheDir)]),
  ]
  const held = files.flatMap((file) => {
    const holder = holderOf(file)
    return holder === null ? [] : [{ file, holder, said: `${file} is held by ${lockName(holder)}` }]
  })
  const stuck = held.filter(({ holder }) => holder.isStuck)
  const finding = (stuck.length === 0 ? held : stuck).map(({ said }) => said).join('; ') || 'free'
  if (stuck.length === 0) return ok(finding)
  return bad(
    `${finding}: in another container or on another machine, so nobody here can tell whether it still runs. Nothing is written meanwhile`,
    `if no session or command runs there any more, delete ${stuck.map(({ file }) => file).join(' and ')}`,
  )
}

export function checkConfig(store: Store): Found {
  const { badPatterns } = createRedactor({
    enabled: true,
    extraPatterns: store.config.redactPatterns,
  })
  const warnings = [
    ...store.configWarnings,
    ...badPatterns.map((pattern) => `redactPatterns: ${pattern} cannot be used`),
  ]
  if (warnings.length === 0) return ok('valid')
  return warn(
    warnings.join('; '),
    'memory-keeper config list shows what is in force, memory-keeper config set changes it',
  )
}

export function checkSecrets(store: Store): Found {
  const files = secretsInFiles(store, redactorFor({ ...store.config, redaction: true }))
  if (files.length === 0) return ok('none found in the files')
  return bad(`${count(files.length, 'file')} with what looks like a secret`, 'memory-keeper scrub')
}

export function checkVault(store: Store): Found {
  const state = sizeOf(path.join(store.places.vault, STATE_FILE))
  if (store.dir !== store.places.inProject) return ok('not needed, memory is stored at home')
  const lost = list(path.join(store.dir, SESSIONS_DIR)).length === 0 ? onlyInVault(store) : 0
  if (lost > 0)
    return warn(
      `${count(lost, 'session')} that the project lost`,
      'memory-keeper restore; the next session does it too',
      'restore',
    )
  const losses = lossesIn(store)
  if (losses.length > 0)
    return bad(
      `it has what files of the project lost: ${losses.map(renderLoss).join(', ')}`,
      'memory-keeper restore brings it back; memory-keeper restore --accept if it is meant to be gone',
      'restore',
    )
  return ok(state === null ? 'still empty, filled when a session ends' : store.places.vault)
}

export function checkLog(store: Store): Found {
  const file = path.join(store.places.keeperDir, LOGS_DIR, LOG_FILE)
  const last = readOwnText(file)?.trim().split('\n').at(-1)
  if (!last) return ok('nothing went wrong')
  return warn(`last entry: ${last}`, `look into ${file}; delete it when it is settled`)
}

/** Others cannot look into a closed directory, whatever the files in it say. */
export function checkModes(store: Store): Found {
  const open = openToOthers(store)
  if (open.length === 0) return ok('only you can read the files')
  return warn(
    `other users of this machine can read ${few(open)}`,
    'memory-keeper doctor --fix takes that right from them (chmod go-rwx)',
    'modes',
  )
}

/** Files and directories of ours that others may read or write; what is shared on purpose is left out. */
export function openToOthers({ dir, ownership, places }: Store): string[] {
  const { keeperDir, inProject, vault, atHome, trustRecord } = places
  const own = [dir, keeperDir, vault, atHome, path.dirname(trustRecord)]
  const roots = own.filter((one) => one !== inProject || ownership === 'ours')
  return [...new Set(roots)].flatMap(openBelow).filter((file, i, all) => all.indexOf(file) === i)
}

const SHARED = new Set(['shared', GITIGNORE_FILE, '.gitattributes'])

function openBelow(dir: string): string[] {
  if (statOf(dir)?.kind !== 'dir' || !isOpen(dir)) return []
  const inside = list(dir).filter((name) => !SHARED.has(name))
  return [
    dir,
    ...inside.flatMap((name) => {
      const file = path.join(dir, name)
      const kind = statOf(file)?.kind
      if (kind === 'dir') return openBelow(file)
      return kind === 'file' && isOpen(file) ? [file] : []
    }),
  ]
}

function isOpen(file: string): boolean {
  return ((modeOf(file) ?? 0) & 0o077) !== 0
}

/** Copies and records are not removed by us: the project may be on a disk that is not there now. */
export function checkGone(store: Store): Found {
  const gone = goneProjects(store)
  const caches = staleCaches(store)
  const size = caches.reduce((sum, one) => sum + one.bytes, 0)
  const named = gone
    .toSorted((a, b) => b.bytes - a.bytes)
    .map(({ key, root, bytes: own }) => `${root ?? key} (${bytes(own)} in ${key})`)
  const kept = gone.length === 0 ? [] : [`copies and records of ${few(named)} in ${store.places.keeperDir}`]
  if (caches.length === 0) return ok(kept.join('') || 'nothing is left of any')
  return warn(
    [`${bytes(size)} of indexes and compiled code that nothing uses`, ...kept].join('; '),
    `memory-keeper doctor --fix removes them from ${store.places.cacheDir}; copies and records stay`,
    'caches',
  )
}

/** What killed writers left. */
export function checkStrays(store: Store, now: string): Found {
  const found = strays(writtenDirs(store), Date.parse(now))
  if (found.length === 0) return ok('nothing')
  return warn(
    `${count(found.length, 'temporary file')} of a writer that was killed`,
    'memory-keeper doctor --fix removes them; so does the end of the next session',
    'strays',
  )
}
