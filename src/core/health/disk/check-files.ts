/** The checks of the machine and the files: Node, permissions, broken files. */
import path from 'node:path'
import { IN_MEMORY } from '../../../kernel/memory/disk/our-files.ts'
import { readSettled, settledNames, settledPath } from '../../../kernel/memory/disk/settled.ts'
import type { Store } from '../../../kernel/memory/disk/store.ts'
import {
  codeOf,
  isWritable,
  list,
  modeOf,
  openToRead,
  readOwnText,
  refused,
  statOf,
  unlessFails,
} from '../../../kernel/platform/disk/files.ts'
import { holderOf, lockName } from '../../../kernel/platform/disk/lock.ts'
import {
  GITATTRIBUTES_FILE,
  GITIGNORE_FILE,
  HEADLESS_LOCK,
  isSetAside,
  KEPT_DIR,
  LOCK_FILE,
  LOG_FILE,
  LOGS_DIR,
  MODEL_CALLS_FILE,
  SESSIONS_DIR,
  SHARED_DIR,
  STATE_FILE,
} from '../../../kernel/platform/layout.ts'
import { createRedactor, redactorFor } from '../../../kernel/redact/redact.ts'
import { count } from '../../../kernel/text/figures.ts'
import { secretsInFiles } from '../../forget/disk/scrub.ts'
import { indexLock } from '../../search/disk/memory-index.ts'
import { onlyInVault } from '../../vault/disk/vault.ts'
import { type CheckRow, type Examined, few, type MendableFinding, ok, problem, warn } from './check.ts'
import { undecodedAside } from './start-findings.ts'

export const FILE_CHECKS: readonly CheckRow[] = [
  ['state', ({ store }) => checkState(store)],
  ['readable', ({ store }) => checkReadable(store)],
  [
    'set aside',
    ({ store }) => {
      const folders = [...IN_MEMORY.map((folder) => path.join(store.dir, folder)), store.places.homeDir]
      const files = folders.flatMap((folder) => list(folder).map((name) => path.join(folder, name)))
      const isNamed = new Set(undecodedAside(store))
      const aside = files.filter((file) => isSetAside(file) && !isNamed.has(file))
      if (aside.length === 0) return ok('nothing')
      return warn(
        `${count(aside.length, 'file')} that could not be read: ${few(aside)}`,
        'copy what you need from it, then delete it; after a broken state: memory-keeper verify',
      )
    },
  ],
  ['lost sessions', ({ store }) => checkLostSessions(store), 'status'],
  [
    'secrets',
    ({ store }) => {
      const files = secretsInFiles(store, redactorFor({ ...store.config, redaction: true }))
      if (files.length === 0) return ok('none found in the files')
      return problem(`${count(files.length, 'file')} with what looks like a secret`, 'memory-keeper scrub')
    },
  ],
  [
    'permissions',
    ({ store }) => {
      if (!hasModes(store)) return ok(UNSEEN_MODES)
      const open = openToOthers(store)
      if (open.length === 0) return ok('only you can read the files')
      return warn(
        `other users of this machine can read ${few(open)}`,
        'memory-keeper doctor --fix takes that right from them (chmod go-rwx)',
        'modes',
      )
    },
  ],
  [
    'writable',
    ({ store }) => {
      const { dir, places } = store
      if (!isWritable(nearest(places.homeDir)))
        return problem(
          `${places.homeDir} cannot be written: settings, vault and trust records cannot be stored`,
          'make it writable, or set CLAUDE_CONFIG_DIR to a directory that is',
        )
      const place = statOf(dir) === null ? places.project.root : dir
      // Without permission bits Node only sees whether it is marked.
      if (isWritable(place)) return ok(hasModes(store) ? 'yes' : 'not marked as read-only')
      return warn(`${place} cannot be written`, `make it writable; until then sessions are saved in ${places.atHome}`)
    },
  ],
  [
    'redactPatterns',
    ({ store: { config } }) => {
      const { badPatterns } = createRedactor({ enabled: true, extraPatterns: config.redactPatterns })
      if (badPatterns.length === 0) return ok(config.redactPatterns.length === 0 ? 'none' : 'valid')
      return warn(`cannot be used: ${few(badPatterns)}`, 'memory-keeper config set redactPatterns changes them')
    },
  ],
  ['lock', ({ store }) => checkLock(store)],
  [
    'log',
    ({ store }) => {
      const file = path.join(store.places.homeDir, LOGS_DIR, LOG_FILE)
      const last = failuresIn(readOwnText(file) ?? '').at(-1)
      if (!last) return ok('nothing went wrong')
      return warn(`last entry: ${last}`, `read ${file}; delete it when the problem is solved`)
    },
  ],
  ['node', checkNode],
]

/** Without what harms nothing: an answer to a host that was killed, and one file that another program had open for a moment. */
function failuresIn(log: string): string[] {
  const lines = log.split('\n').filter((line) => line !== '' && !line.includes(' hook: EPIPE '))
  const isRefusal = (line: string): boolean => / lock: E(?:PERM|ACCES|BUSY) /.test(line)
  return lines.filter(isRefusal).length === 1 ? lines.filter((line) => !isRefusal(line)) : lines
}

function checkNode({ nodeVersion }: Examined): MendableFinding {
  const [major = 0, minor = 0] = nodeVersion.replace(/^v/, '').split('.').map(Number)
  const enough = major > 20 || (major === 20 && minor >= 19)
  return enough ? ok(nodeVersion) : problem(`${nodeVersion} is too old`, 'install Node 20.19 or newer')
}

/** The directory itself, or its nearest existing parent. */
function nearest(dir: string): string {
  return statOf(dir) !== null || path.dirname(dir) === dir ? dir : nearest(path.dirname(dir))
}

function checkState(store: Store): MendableFinding {
  const why = store.whyReadOnly()
  if (why !== null)
    return problem(
      why,
      store.isStateReadable()
        ? 'claude plugin update, then start a session'
        : `chmod u+rw ${path.join(store.dir, STATE_FILE)}; or delete it, then memory-keeper restore`,
    )
  const lines = settledNames(store.dir).reduce((sum, name) => sum + readSettled(store.dir, name).bad.length, 0)
  if (lines > 0)
    return warn(
      `${count(lines, 'line')} in ${path.join(store.dir, settledPath(''))} cannot be read`,
      'memory-keeper import reads these sessions again; then delete the lines',
    )
  return ok('readable')
}

function checkReadable({ dir, places }: Store): MendableFinding {
  const { homeDir, trustRecord, vault } = places
  // At home only files have a dot in their names.
  const atHome = [...list(homeDir).filter((name) => name.includes('.')), path.join(LOGS_DIR, LOG_FILE)]
  const unread = [
    ...new Set([dir, vault].flatMap((root) => unreadBelow(root, root))),
    ...[...atHome.map((name) => path.join(homeDir, name)), trustRecord].filter(isUnread),
  ]
  const undecoded = undecodedIn([dir, homeDir])
  if (unread.length === 0 && undecoded.length > 0)
    return problem(
      `not saved in UTF-8: ${few(undecoded)}`,
      'save it in UTF-8; otherwise it is kept as it is (….broken-…) before the next change, and what is no text is lost from the new one',
    )
  if (unread.length === 0) return ok('every file')
  return problem(
    `no file that you can read: ${few(unread)}`,
    'make it readable for you, or delete it: memory-keeper restore restores it from the vault, and memory-keeper import from the transcripts',
  )
}

function undecodedIn(dirs: readonly string[]): string[] {
  const files = dirs.flatMap((dir) => list(dir).map((name) => path.join(dir, name)))
  return files.filter((file) => {
    const isText = file.endsWith('.md') || file.endsWith('.json')
    return isText && unlessFails(() => readOwnText(file), null) !== null && refused.undecoded.has(file)
  })
}

/** Any directory that is not ours is in place of a file. */
function unreadBelow(root: string, dir: string): string[] {
  if (statOf(dir)?.kind !== 'dir') return []
  return list(dir).flatMap((name) => {
    const file = path.join(dir, name)
    const below = path.relative(root, file)
    if ([SHARED_DIR, KEPT_DIR].includes(below) || isSetAside(name) || name.endsWith('.tmp')) return []
    if (IN_MEMORY.includes(below)) return statOf(file)?.kind === 'dir' ? unreadBelow(root, file) : [file]
    return isUnread(file) ? [file] : []
  })
}

function isUnread(file: string): boolean {
  if (statOf(file) === null || isSetAside(file)) return false
  try {
    const opened = openToRead(file)
    opened?.close()
    // Deleted in between: it does not count as unreadable.
    return opened === null && statOf(file) !== null
  } catch (error) {
    if (codeOf(error) === '') throw error
    return true
  }
}

function checkLostSessions(store: Store): MendableFinding {
  const lost = list(path.join(store.dir, SESSIONS_DIR)).length === 0 ? onlyInVault(store) : 0
  if (lost === 0) return ok('none that the vault has')
  return warn(
    `${count(lost, 'session')} that the project lost`,
    'memory-keeper restore; the next session does it too',
    'restore',
  )
}

/** The locks of this memory, of its index, and of the files shared by all projects. */
function checkLock(store: Store): MendableFinding {
  const { homeDir, trustRecord, cacheDir } = store.places
  const files = [
    path.join(store.dir, LOCK_FILE),
    `${trustRecord}.lock`,
    path.join(homeDir, `${MODEL_CALLS_FILE}.lock`),
    path.join(homeDir, `${HEADLESS_LOCK}.guard`),
    ...(cacheDir === '' ? [] : [indexLock(store, cacheDir)]),
  ]
  const held = files.flatMap((file) => {
    const holder = holderOf(file)
    return holder === null ? [] : [{ file, holder, said: `${file} is held by ${lockName(holder)}` }]
  })
  const stuck = held.filter(({ holder }) => holder.isStuck)
  if (stuck.length === 0) return ok(held.map(({ said }) => said).join('; ') || 'free')
  return problem(
    `${stuck.map(({ said }) => said).join('; ')}: in another container or on another machine, so that it is unknown whether it still runs. Nothing is written meanwhile`,
    `if no session or command runs there any more, delete ${stuck.map(({ file }) => file).join(' and ')}`,
  )
}

const UNSEEN_MODES =
  'not looked at: Node cannot read who may read a file on this system. Usually only you and its administrators can read what is below your home'

/** False: what is there has no permission bits. */
function hasModes({ dir, places }: Store): boolean {
  return ![dir, places.homeDir].some((one) => statOf(one) !== null && modeOf(one) === null)
}

/** Files and directories of ours that other users may read or write; files shared on purpose are left out. */
export function openToOthers({ dir, ownership, places }: Store): string[] {
  const { homeDir, inProject, vault, atHome, trustRecord } = places
  const roots = [dir, homeDir, vault, atHome, path.dirname(trustRecord)]
  return [...new Set(roots.filter((one) => one !== inProject || ownership === 'ours').flatMap(openBelow))]
}

const SHARED = new Set([SHARED_DIR, GITIGNORE_FILE, GITATTRIBUTES_FILE])

/** In a closed directory no other user can read a file, whatever its own mode is. */
function openBelow(file: string): string[] {
  const kind = statOf(file)?.kind
  if ((kind !== 'dir' && kind !== 'file') || ((modeOf(file) ?? 0) & 0o077) === 0) return []
  const names = kind === 'dir' ? list(file).filter((name) => !SHARED.has(name)) : []
  return [file, ...names.flatMap((name) => openBelow(path.join(file, name)))]
}
