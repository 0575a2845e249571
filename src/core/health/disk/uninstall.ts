/** Uninstall: deletes what we added, keeps the memory unless it should be deleted too, and touches nothing of others. */
import path from 'node:path'
import { BACKUPS_DIR } from '../../../kernel/memory/disk/migrate-backup.ts'
import { COMMAND_WAIT_MS, type Store } from '../../../kernel/memory/disk/store.ts'
import { codeOf, disk, list, removeEmptyDir, removeTree, statOf } from '../../../kernel/platform/disk/files.ts'
import { withLock } from '../../../kernel/platform/disk/lock.ts'
import {
  BUNDLE_KEY_FILE,
  CONFIG_FILE,
  FILE_RULES_DIR,
  FINISHERS_DIR,
  FRAME_KEY_FILE,
  GITATTRIBUTES_FILE,
  GITIGNORE_FILE,
  HEADLESS_CHILD_FILE,
  HEADLESS_HEALTH_FILE,
  HEADLESS_LOCK,
  LOCK_FILE,
  LOGS_DIR,
  MODEL_CALLS_FILE,
  NOTICES_FILE,
  OTHERS_DIR,
  PAGE_KEY_FILE,
  PAUSED_DIR,
  PROJECTS_DIR,
  SERVERS_DIR,
  SHARED_DIR,
  STATE_FILE,
  SYNC_DIR,
  TEAM_DIR,
  TRUST_DIR,
  VAULT_DIR,
} from '../../../kernel/platform/layout.ts'
import { rowsFile } from '../../../kernel/sessions/disk/sessions.ts'
import { isOnlyGits } from '../../../kernel/trust/disk/trust.ts'
import { keptFile } from '../../briefing/disk/briefing-kept.ts'
import { extras } from '../../extra.ts'
import { fileKinds, kindInPlace } from '../../files.ts'
import { peopleIn, readSharing } from '../../others/disk/shared.ts'
import { hasClaudeMdSection, removeClaudeMdSection } from '../../pages/disk/claude-md.ts'
import { indexDir } from '../../search/disk/memory-index.ts'
import { knownProjects } from './projects.ts'

export interface UninstallOptions {
  /** Delete the memory too. */
  isPurge: boolean
  /** For every project of this user, and the files that belong to no project. */
  isAll: boolean
}

export interface Removal {
  path: string
  what: string
}

interface Part {
  removals: Removal[]
  /** What stays, and why. */
  kept: Removal[]
}

export interface UninstallPlan extends Part {
  /** CLAUDE.md files with a section of ours. */
  sections: string[]
  stores: Store[]
}

export function planUninstall(store: Store, options: UninstallOptions): UninstallPlan {
  const others = knownProjects(store)
  const stores = options.isAll ? [store, ...others] : [store]
  const parts = stores.map((one) => (options.isPurge ? planPurge(one) : planProject(one)))
  const gone = [...stores.flatMap(writtenOutside), ...parts.flatMap((part) => part.removals)]
  // If no other project is left, the shared files are deleted too.
  const shared = planShared(store, options, gone, options.isAll ? 0 : others.length)
  const removals = once([...gone, ...shared.removals])
  return {
    removals: removals.filter(({ path: file }) => !removals.some((other) => goesWith(file, other.path))),
    sections: stores.filter(hasClaudeMdSection).map((one) => path.join(one.places.project.root, 'CLAUDE.md')),
    kept: once([...parts.flatMap((part) => part.kept), ...shared.kept]),
    stores,
  }
}

/** Each project under its lock; returns what could not be deleted. */
export function performUninstall(plan: UninstallPlan): { failed: Removal[]; sections: string[] } {
  const sections = plan.stores.filter((one) => hasClaudeMdSection(one) && !removeClaudeMdSection(one))
  const failed = plan.removals.flatMap((removal) => {
    const lock = plan.stores.map(({ dir }) => dir).find((dir) => removal.path === dir || isInside(removal.path, dir))
    const work = (): Removal[] => (!isThroughLink(plan.stores, removal.path) && remove(removal.path) ? [] : [removal])
    const file = lock === undefined ? '' : path.join(lock, LOCK_FILE)
    const canLock = lock !== undefined && statOf(lock)?.kind === 'dir' && (statOf(file)?.kind ?? 'file') === 'file'
    return canLock ? (withLock(file, COMMAND_WAIT_MS, work)?.value ?? [removal]) : work()
  })
  for (const store of plan.stores) removeEmptied(store)
  return { failed, sections: sections.map(({ places }) => path.join(places.project.root, 'CLAUDE.md')) }
}

/** Deletes directories that we created and that are empty now: the memory, and the host's directory in a project that had none. */
function removeEmptied(store: Store): void {
  const { inProject, vault, atHome, trustRecord, others, homeDir, cacheDir } = store.places
  const cached = cachedFiles(store).filter((file) => file !== '')
  for (const dir of [...cached.map((file) => path.dirname(file)), cacheDir]) if (dir !== '') removeEmptyDir(dir)
  const rules = path.join(store.places.project.root, ...FILE_RULES_DIR)
  const above = [rules, inProject, vault, atHome, trustRecord, others].map((one) => path.dirname(one))
  for (const dir of [store.dir, ...above, path.join(homeDir, BACKUPS_DIR), homeDir])
    if (!isThroughLink([store], dir)) removeEmptyDir(dir)
}

function writtenOutside(store: Store): Removal[] {
  const all = extras().flatMap(({ outside }) => outside ?? [])
  return all.flatMap(({ what, places }) => places(store).map((file) => ({ path: file, what })))
}

type Named = readonly [file: string, what: string]

/** What belongs to the program, by the rows of file kinds. */
function ofProgram(): Named[] {
  return fileKinds().flatMap(({ name, title, place, isOurs }): Named[] =>
    place === undefined || isOurs !== true ? [] : [[path.normalize(place), title ?? name]],
  )
}

/** For all projects of this machine. */
const MACHINE: readonly Named[] = [
  [LOGS_DIR, 'logs'],
  [NOTICES_FILE, 'which notices were shown'],
  [MODEL_CALLS_FILE, 'what background calls cost'],
  [HEADLESS_HEALTH_FILE, 'the state of background calls'],
  [HEADLESS_CHILD_FILE, 'the background call that runs'],
  [HEADLESS_LOCK, 'a lock'],
  [FINISHERS_DIR, 'pending work'],
  [SERVERS_DIR, 'where running servers can be asked'],
  [PAUSED_DIR, 'pauses'],
  [PAGE_KEY_FILE, 'the key of the page for your browser'],
  [FRAME_KEY_FILE, 'the key of the frames of remembered text'],
]

/** The names that may be in our directories at home. */
const IN_CACHE: readonly string[] = ['index', 'rows', 'briefings', 'compiled']
const AT_HOME: readonly string[] = [
  ...MACHINE.map(([name]) => name),
  BACKUPS_DIR,
  BUNDLE_KEY_FILE,
  CONFIG_FILE,
  OTHERS_DIR,
  PROJECTS_DIR,
  SYNC_DIR,
  TEAM_DIR,
  TRUST_DIR,
  VAULT_DIR,
]

/** The memory directories that are ours, and a foreign one, which is kept. */
function memoriesOf(store: Store): { dirs: string[]; derived: Removal[]; foreign: Removal[] } {
  const { inProject, atHome } = store.places
  const own = store.ownership === 'ours' ? [inProject] : []
  // It is not read, so that its owner is unknown.
  const why = isOnlyGits(store.places)
    ? 'git brought files into it that you have not accepted: memory-keeper trust shows them'
    : 'not trusted: it came with the repository, or you untrusted it. memory-keeper trust shows it'
  return {
    dirs: [...own, atHome].filter((dir) => statOf(dir)?.kind === 'dir'),
    derived: present(cachedFiles(store).map((file) => [file, 'the search cache'])),
    foreign: store.ownership === 'foreign' ? [{ path: inProject, what: why }] : [],
  }
}

function planProject(store: Store): Part {
  const { dirs, derived, foreign } = memoriesOf(store)
  const removals = dirs.flatMap((dir) => {
    // Files set aside because they were broken, or left by a killed writer.
    const strays = list(dir).filter((name) => name.startsWith(`${STATE_FILE}.broken-`) || /\.\d+\.tmp$/.test(name))
    const names = [...ofProgram(), ...strays.map((name): Named => [name, 'left over'])]
    return present(names.map(([name, what]) => [path.join(dir, name), what]))
  })
  const kept = present([
    ...dirs.map((dir): Named => [dir, 'the memory: sessions, notes, facts, pages']),
    [store.places.vault, 'its copy'],
    [store.places.trustRecord, 'the record that this memory is yours: with it, it is read again after an installation'],
  ])
  return { removals: [...removals, ...derived], kept: [...kept, ...foreign] }
}

const TEAM: readonly string[] = [SHARED_DIR, GITIGNORE_FILE, GITATTRIBUTES_FILE]

/** Memory shared with a team is git's to delete; only our own shared folder is deleted. */
function planPurge(store: Store): Part {
  const { inProject, vault, trustRecord, homeDir, project, others } = store.places
  const { dirs, derived, foreign } = memoriesOf(store)
  const isShared = (dir: string): boolean => dir === inProject && peopleIn(store.places).length > 0
  const { as } = readSharing(store.places)
  const share = as === null ? '' : path.join(inProject, SHARED_DIR, as)
  const memory = dirs.flatMap((dir): Named[] => {
    if (!isShared(dir)) return [[dir, 'the memory']]
    const own = list(dir).filter((name) => !TEAM.includes(name))
    // A pull may replace our shared folder by a link, which belongs to git.
    const shared: Named[] = share !== '' && statOf(share)?.kind === 'dir' ? [[share, 'what you share']] : []
    return [...own.map((name): Named => [path.join(dir, name), titleOf(name)]), ...shared]
  })
  const startingWith = (dir: string, start: string, what: string): Named[] =>
    list(dir).flatMap((name) => (name.startsWith(start) ? [[path.join(dir, name), what] as const] : []))
  const removals = present([
    ...memory,
    [vault, 'its copy'],
    [others, 'what your other machines and teammates remember of it'],
    ...startingWith(path.join(homeDir, TEAM_DIR), `${project.key}.`, 'what was exchanged with your team'),
    ...startingWith(path.join(homeDir, BACKUPS_DIR), `${project.key}-`, 'a backup'),
    ...startingWith(path.dirname(trustRecord), `${project.key}.`, 'a record that it is yours'),
  ])
  const kept = dirs.filter(isShared).map((dir) => path.join(dir, SHARED_DIR))
  const team = kept.map((dir) => ({ path: dir, what: 'shared with your team: git rm -r removes it' }))
  return { removals: [...removals, ...derived], kept: [...team, ...foreign] }
}

/** A folder has no kind. */
function titleOf(name: string): string {
  const kind = kindInPlace(name)
  return kind === null ? 'the memory' : `the memory: ${kind.title ?? kind.name}`
}

/** Empty if there is no cache directory. */
function cachedFiles(store: Store): string[] {
  return [indexDir(store, store.places.cacheDir), rowsFile(store) ?? '', keptFile(store) ?? '']
}

/** `others`: how many projects still need it. */
function planShared(
  store: Store,
  { isPurge, isAll }: UninstallOptions,
  gone: readonly Removal[],
  others: number,
): Part {
  const { homeDir, cacheDir } = store.places
  if (others > 0) {
    const why = `for your ${others} other ${others === 1 ? 'project' : 'projects'}: --all`
    return { removals: [], kept: present([[homeDir, why]]) }
  }
  const cache = isAll && cacheDir !== '' ? whole(cacheDir, IN_CACHE, 'the search cache') : []
  if (isPurge && isAll) {
    const settings = whole(homeDir, AT_HOME, 'settings, records, copies and logs')
    const links = [homeDir, cacheDir].filter((dir) => dir !== '' && statOf(dir)?.kind === 'link')
    const kept = links.map((dir) => ({ path: dir, what: 'a link that you made' }))
    return { removals: [...settings, ...cache], kept }
  }
  const removals = present(MACHINE.map(([name, what]) => [path.join(homeDir, name), what]))
  const isGone = (file: string): boolean =>
    [...gone, ...removals].some((one) => one.path === file) ||
    (statOf(file)?.kind === 'dir' && list(file).every((name) => isGone(path.join(file, name))))
  const rest = list(homeDir).filter((name) => !isGone(path.join(homeDir, name)))
  const kept = rest.length === 0 ? [] : [{ path: homeDir, what: `your settings and copies (${rest.join(', ')})` }]
  return { removals: [...removals, ...cache], kept }
}

/** A directory of ours. If the user replaced it by a link: only our files at its target, which may contain other things. */
function whole(dir: string, names: readonly string[], what: string): Removal[] {
  const isLink = statOf(dir)?.kind === 'link'
  return present(isLink ? names.map((name) => [path.join(dir, name), what]) : [[dir, what]])
}

function present(named: readonly Named[]): Removal[] {
  return named.flatMap(([file, what]) => (file === '' || statOf(file) === null ? [] : [{ path: file, what }]))
}

function once(all: readonly Removal[]): Removal[] {
  return all.filter((one, i) => all.findIndex((other) => other.path === one.path) === i)
}

/** Whether deleting the directory also deletes the file: not if a link is in between. */
function goesWith(file: string, dir: string): boolean {
  return isInside(file, dir) && !isLinked(dir, file)
}

function isInside(file: string, dir: string): boolean {
  return file.startsWith(dir + path.sep)
}

/** A link is only unlinked: its target is not ours. */
function remove(file: string): boolean {
  try {
    if (statOf(file)?.kind === 'dir') removeTree(file)
    else disk.remove(file)
    return statOf(file) === null
  } catch (error) {
    if (!/^E[A-Z]+$/.test(codeOf(error))) throw error
    return false
  }
}

/** Whether the path goes through a link below a project: a repository chooses the targets of its links. */
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
