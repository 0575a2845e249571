/** The way out: what we added goes, the memory stays unless it is to go too, and nothing of anybody else is touched. */
import path from 'node:path'
import { keptFile } from '../../briefing/disk/briefing-kept.ts'
import { peopleIn, readSharing } from '../../copies/disk/shared.ts'
import { BACKUPS_DIR } from '../../memory/disk/migrate-backup.ts'
import { COMMAND_WAIT_MS, type Store } from '../../memory/disk/store.ts'
import { hasClaudeMdSection, removeClaudeMdSection } from '../../pages/disk/claude-md.ts'
import { disk, list, removeEmptyDir, removeTree, statOf } from '../../platform/disk/files.ts'
import { withLock } from '../../platform/disk/lock.ts'
import {
  BUNDLE_KEY_FILE,
  CONFIG_FILE,
  DELTA_FILE,
  FINISHERS_DIR,
  GITATTRIBUTES_FILE,
  GITIGNORE_FILE,
  HEADLESS_CHILD_FILE,
  HEADLESS_HEALTH_FILE,
  HEADLESS_LOCK,
  JOURNAL_DIR,
  LOCK_FILE,
  LOGS_DIR,
  MODEL_CALLS_FILE,
  NOTICES_FILE,
  PAUSED_DIR,
  PROJECTS_DIR,
  SERVERS_DIR,
  SESSIONS_DIR,
  SETTLED_DIR,
  SHARED_DIR,
  STATE_FILE,
  TRUST_DIR,
  VAULT_DIR,
} from '../../platform/layout.ts'
import { indexDir } from '../../search/disk/index/index.ts'
import { rowsFile } from '../../sessions/disk/sessions.ts'
import { isOnlyGits } from '../../trust/disk/trust.ts'
import { knownProjects } from './projects.ts'

export interface UninstallOptions {
  /** The memory too. */
  isPurge: boolean
  /** Of every project of this user, and what belongs to none. */
  isAll: boolean
}

export interface Removal {
  path: string
  what: string
}

export interface UninstallPlan {
  removals: Removal[]
  /** CLAUDE.md files with a section of ours. */
  sections: string[]
  /** What stays, and why. */
  kept: Removal[]
  stores: Store[]
}

export function planUninstall(store: Store, options: UninstallOptions): UninstallPlan {
  const others = knownProjects(store)
  const stores = options.isAll ? [store, ...others] : [store]
  const parts = stores.map((one) => planProject(one, options))
  // Where no other project is left, what all of them share goes too.
  const isLast = options.isAll || others.length === 0
  const gone = parts.flatMap((part) => part.removals)
  const shared = isLast ? planShared(store, options, gone) : { removals: [], kept: sharedKept(store, others.length) }
  const removals = once([...gone, ...shared.removals])
  return {
    removals: removals.filter(({ path: file }) => !removals.some((other) => goesWith(file, other.path))),
    sections: stores.filter(hasClaudeMdSection).map((one) => path.join(one.places.project.root, 'CLAUDE.md')),
    kept: once([...parts.flatMap((part) => part.kept), ...shared.kept]),
    stores,
  }
}

/** Each project under its lock; what could not be removed is told. */
export function performUninstall(plan: UninstallPlan): { failed: Removal[]; sections: string[] } {
  const sections = plan.stores.filter((one) => hasClaudeMdSection(one) && !removeClaudeMdSection(one))
  const failed = plan.removals.flatMap((removal) => {
    const lock = plan.stores.map(({ dir }) => dir).find((dir) => removal.path === dir || isInside(removal.path, dir))
    const work = (): Removal[] => (!isThroughLink(plan.stores, removal.path) && remove(removal.path) ? [] : [removal])
    const file = lock === undefined ? '' : path.join(lock, LOCK_FILE)
    const canLock = lock !== undefined && statOf(lock)?.kind === 'dir' && (statOf(file)?.kind ?? 'file') === 'file'
    return canLock ? (withLock(file, COMMAND_WAIT_MS, work)?.value ?? [removal]) : work()
  })
  // What we made and is empty now: the memory, and the host's directory in a project that had none.
  for (const store of plan.stores) {
    const { dir, places } = store
    const { inProject, vault, atHome, trustRecord, keeperDir, cacheDir } = places
    const cached = cachedFiles(store).filter((file) => file !== '')
    for (const file of cached) removeEmptyDir(path.dirname(file))
    if (cacheDir !== '') removeEmptyDir(cacheDir)
    const above = [inProject, vault, atHome, trustRecord].map((one) => path.dirname(one))
    for (const one of [dir, ...above, path.join(keeperDir, BACKUPS_DIR), keeperDir])
      if (!isThroughLink([store], one)) removeEmptyDir(one)
  }
  return { failed, sections: sections.map(({ places }) => path.join(places.project.root, 'CLAUDE.md')) }
}

interface Part {
  removals: Removal[]
  kept: Removal[]
}

function planProject(store: Store, { isPurge }: UninstallOptions): Part {
  const { inProject, atHome, vault, trustRecord, keeperDir, project } = store.places
  const own = store.ownership === 'ours' ? [inProject] : []
  const dirs = [...own, atHome].filter((dir) => statOf(dir)?.kind === 'dir')
  const derived = present(cachedFiles(store).map((file) => [file, 'what makes searching fast']))
  const foreign = store.ownership === 'foreign' ? [{ path: inProject, what: whyKept(store) }] : []
  if (!isPurge) {
    const removals = dirs.flatMap((dir) => present(STATE.map(([name, what]) => [path.join(dir, name), what])))
    const left = dirs.flatMap((dir) =>
      strayNames(dir).map((name) => ({ path: path.join(dir, name), what: 'left over' })),
    )
    const kept = present([
      ...dirs.map((dir): Named => [dir, 'the memory: sessions, notes, facts, pages']),
      [vault, 'its copy'],
      [trustRecord, 'the record that this memory is yours: with it, it is read again after an installation'],
    ])
    return { removals: [...removals, ...left, ...derived], kept: [...kept, ...foreign] }
  }
  const backups = list(path.join(keeperDir, BACKUPS_DIR)).filter((name) => name.startsWith(`${project.key}-`))
  const records = list(path.dirname(trustRecord)).filter((name) => name.startsWith(`${project.key}.`))
  const team = peopleIn(store.places).length === 0 ? [] : own
  const removals = [
    ...dirs.flatMap((dir) => (team.includes(dir) ? allBut(dir, TEAM) : [{ path: dir, what: 'the memory' }])),
    ...(team.length === 0 ? [] : ownShare(store)),
    ...present([
      [vault, 'its copy'],
      ...backups.map((name): Named => [path.join(keeperDir, BACKUPS_DIR, name), 'a backup']),
      ...records.map((name): Named => [path.join(path.dirname(trustRecord), name), 'a record that it is yours']),
    ]),
    ...derived,
  ]
  const kept = team.map((dir) => ({
    path: path.join(dir, SHARED_DIR),
    what: 'shared with your team: git rm -r removes it',
  }))
  return { removals, kept: [...kept, ...foreign] }
}

/** It is not read: so nobody can tell whose it is. */
function whyKept({ places }: Store): string {
  return isOnlyGits(places)
    ? 'git brought files into it that you have not said yes to: memory-keeper trust shows them'
    : 'not trusted: it came with the repository, or you untrusted it. memory-keeper trust shows it'
}

type Named = readonly [file: string, what: string]

const STATE: readonly Named[] = [
  [STATE_FILE, 'how far each transcript is captured'],
  [path.join(SESSIONS_DIR, SETTLED_DIR), 'the same of sessions that nothing is left to do about'],
  [JOURNAL_DIR, 'what was told, hook times, changes for undo'],
  [LOGS_DIR, 'logs'],
  [NOTICES_FILE, 'which notices were shown'],
  [DELTA_FILE, 'what waits for a note'],
]

/** For all projects of this machine. */
const MACHINE: readonly Named[] = [
  [LOGS_DIR, 'logs'],
  [NOTICES_FILE, 'which notices were shown'],
  [MODEL_CALLS_FILE, 'what background calls cost'],
  [HEADLESS_HEALTH_FILE, 'how background calls fare'],
  [HEADLESS_CHILD_FILE, 'the background call that runs'],
  [HEADLESS_LOCK, 'a lock'],
  [FINISHERS_DIR, 'work that waits'],
  [SERVERS_DIR, 'where running servers can be asked'],
  [PAUSED_DIR, 'when nothing was to be recorded'],
]

/** Empty where there is no place for one. */
function cachedFiles(store: Store): string[] {
  return [indexDir(store, store.places.cacheDir), rowsFile(store) ?? '', keptFile(store) ?? '']
}

function planShared(store: Store, { isPurge, isAll }: UninstallOptions, gone: readonly Removal[]): Part {
  const { keeperDir, cacheDir } = store.places
  const cache = cacheDir === '' ? [] : whole(cacheDir, IN_CACHE, 'what makes searching fast')
  if (isPurge && isAll) {
    const settings = whole(keeperDir, AT_HOME, 'settings, records, copies and logs')
    const links = [keeperDir, cacheDir].filter((dir) => dir !== '' && statOf(dir)?.kind === 'link')
    return {
      removals: [...settings, ...cache],
      kept: links.map((dir) => ({ path: dir, what: 'a link that you made' })),
    }
  }
  const removals = present(MACHINE.map(([name, what]) => [path.join(keeperDir, name), what]))
  const isGone = (file: string): boolean =>
    gone.some((one) => one.path === file) ||
    (statOf(file)?.kind === 'dir' && list(file).every((name) => isGone(path.join(file, name))))
  const others = list(keeperDir).filter((name) => !MACHINE.some(([own]) => own === name))
  const rest = others.filter((name) => !isGone(path.join(keeperDir, name)))
  const kept = rest.length === 0 ? [] : [{ path: keeperDir, what: `your settings and copies (${rest.join(', ')})` }]
  return { removals: [...removals, ...(isAll ? cache : [])], kept }
}

/** What may lie in our directories at home, by name. */
const IN_CACHE: readonly string[] = ['index', 'rows', 'briefings', 'compiled']
const AT_HOME: readonly string[] = [
  ...MACHINE.map(([name]) => name),
  ...[BACKUPS_DIR, BUNDLE_KEY_FILE, CONFIG_FILE, PROJECTS_DIR, TRUST_DIR, VAULT_DIR],
]

/** A directory of ours. Where the user put a link in its place: what is ours where it leads to, which may hold other things. */
function whole(dir: string, names: readonly string[], what: string): Removal[] {
  const isLink = statOf(dir)?.kind === 'link'
  return present(isLink ? names.map((name) => [path.join(dir, name), what]) : [[dir, what]])
}

function sharedKept({ places }: Store, others: number): Removal[] {
  return present([[places.keeperDir, `for your ${others} other ${others === 1 ? 'project' : 'projects'}: --all`]])
}

const TEAM: readonly string[] = [SHARED_DIR, GITIGNORE_FILE, GITATTRIBUTES_FILE]

/** The folder that others read from us; what is committed is git's to remove. */
function ownShare({ places }: Store): Removal[] {
  const { as } = readSharing(places)
  const dir = as === null ? '' : path.join(places.inProject, SHARED_DIR, as)
  // A pull may put a link there: it is git's.
  return dir !== '' && statOf(dir)?.kind === 'dir' ? [{ path: dir, what: 'what you share' }] : []
}

function allBut(dir: string, names: readonly string[]): Removal[] {
  return list(dir)
    .filter((name) => !names.includes(name))
    .map((name) => ({ path: path.join(dir, name), what: 'the memory' }))
}

/** Set aside because they were broken, or left by a killed writer. */
function strayNames(dir: string): string[] {
  return list(dir).filter((name) => name.startsWith(`${STATE_FILE}.broken-`) || /\.\d+\.tmp$/.test(name))
}

function present(named: readonly Named[]): Removal[] {
  return named.flatMap(([file, what]) => (file === '' || statOf(file) === null ? [] : [{ path: file, what }]))
}

function once(all: readonly Removal[]): Removal[] {
  return all.filter((one, i) => all.findIndex((other) => other.path === one.path) === i)
}

/** Whether the one goes with the other: a link on the way keeps it apart. */
function goesWith(file: string, dir: string): boolean {
  return isInside(file, dir) && !isLinked(dir, file)
}

function isInside(file: string, dir: string): boolean {
  return file.startsWith(dir + path.sep)
}

/** A link is only unlinked: where it leads to, nothing is ours. */
function remove(file: string): boolean {
  try {
    if (statOf(file)?.kind === 'dir') removeTree(file)
    else disk.remove(file)
    return statOf(file) === null
  } catch (error) {
    if (!/^E[A-Z]+$/.test(String((error as NodeJS.ErrnoException).code))) throw error
    return false
  }
}

/** Whether a link below a project leads there: a repository chooses where its links lead. */
function isThroughLink(stores: readonly Store[], file: string): boolean {
  const roots = stores
    .map(({ places }) => places)
    .filter(({ inProject }) => inProject === file || isInside(file, inProject))
  return roots.some(({ project }) => isLinked(project.root, file))
}

function isLinked(root: string, file: string): boolean {
  const above = path.dirname(file)
  return isInside(above, root) && (statOf(above)?.kind === 'link' || isLinked(root, above))
}
