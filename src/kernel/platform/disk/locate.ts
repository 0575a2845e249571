/** Finds the project of a directory and the place of its memory. Git is read as files: no process is started. */
import os from 'node:os'
import path from 'node:path'
import { fingerprint } from '../../text/fingerprint.ts'
import { HOME_DIR, MEMORY_DIR, OTHERS_DIR, PROJECTS_DIR, TRUST_DIR, VAULT_DIR } from '../layout.ts'
import { codeOf, list, readBelow, realPath, statOf } from './files.ts'

/** The relevant environment; only `bin/` reads it. */
export interface Surroundings {
  home: string
  configDir: string | undefined
  /** For files that can be rebuilt, on a local disk; empty or absent: no such place. */
  cacheDir?: string
}

/** Null if the user has no home directory: then there is no safe place for a memory. */
export function findSurroundings(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): Surroundings | null {
  const configDir = env.CLAUDE_CONFIG_DIR ? path.resolve(env.CLAUDE_CONFIG_DIR) : undefined
  const home = findHome()
  return home === '' && !configDir ? null : { home, configDir, cacheDir: cacheDirOf(env, platform, home) }
}

function findHome(): string {
  try {
    return os.homedir()
  } catch {
    // The system does not know this user.
    return ''
  }
}

/** The system's cache directory of the user. A relative path is ignored: it would differ in every directory. */
function cacheDirOf(env: NodeJS.ProcessEnv, platform: NodeJS.Platform, home: string): string {
  const below = (...names: string[]): string => (home === '' ? '' : path.join(home, ...names))
  const named = platform === 'win32' ? env.LOCALAPPDATA : env.XDG_CACHE_HOME
  const usual =
    platform === 'win32'
      ? below('AppData', 'Local')
      : platform === 'darwin'
        ? below('Library', 'Caches')
        : below('.cache')
  const dir = named !== undefined && path.isAbsolute(named) ? named : usual
  return dir === '' ? '' : path.join(dir, HOME_DIR)
}

const LONGEST_NAME = 50
/** A repository may come from anyone: further worktrees, and git files of more bytes, are not read. */
const MOST_WORKTREES = 1000
const MOST_BYTES = 64 * 1024

interface Project {
  /** The main git root, else the launch directory; links are followed. */
  root: string
  /** `<name>-<hash>`: the project's name below home. */
  key: string
}

export interface Places {
  project: Project
  /** `~/.claude` or CLAUDE_CONFIG_DIR. */
  hostDir: string
  /** `~/.claude/memory-keeper`. */
  homeDir: string
  inProject: string
  atHome: string
  vault: string
  trustRecord: string
  /** Memory of others: `copies/disk/others.ts`. */
  others: string
  /** For the search index of all projects; empty: the index is kept in memory only. */
  cacheDir: string
}

export function locate(startDir: string, around: Surroundings): Places {
  const project = findProject(startDir)
  const hostDir = around.configDir || path.join(around.home, '.claude')
  const homeDir = path.join(hostDir, HOME_DIR)
  return {
    project,
    hostDir,
    homeDir,
    inProject: path.join(project.root, ...MEMORY_DIR),
    atHome: path.join(homeDir, PROJECTS_DIR, project.key),
    vault: path.join(homeDir, VAULT_DIR, project.key),
    trustRecord: path.join(homeDir, TRUST_DIR, `${project.key}.json`),
    others: path.join(homeDir, OTHERS_DIR, project.key),
    cacheDir: around.cacheDir ?? '',
  }
}

export function findProject(startDir: string): Project {
  const root = findRoot(realPath(startDir))
  const last = path.basename(root)
  // A pattern with the letters of all languages costs every hook half a millisecond.
  const name = /^[\w.-]+$/.test(last) ? last : last.replace(/[^\p{L}\p{N}._-]+/gu, '-') || 'root'
  // File names have at most 255 bytes: up to four per letter, and room for suffixes.
  const short = Array.from(name).slice(0, LONGEST_NAME).join('')
  return { root, key: `${short}-${fingerprint(root).slice(0, 10)}` }
}

function findRoot(start: string): string {
  for (let dir = start; ; dir = path.dirname(dir)) {
    const git = path.join(dir, '.git')
    const stat = statOf(git)
    if (stat?.kind === 'dir') return dir
    if (stat?.kind === 'file') return mainRootOf(git) ?? dir
    if (dir === path.dirname(dir)) return start
  }
}

/**
 * The main root of the worktree that this `.git` file belongs to; null for a submodule or a doubtful file. Anyone can
 * write a `.git` file that names another project: it is followed only if that project's git names this worktree too.
 */
function mainRootOf(gitFile: string): string | null {
  const named = /^gitdir: (.+)$/m.exec(gitText(gitFile))?.[1]?.trim()
  if (!named) return null
  const worktreeDir = path.resolve(path.dirname(gitFile), named)
  const back = gitText(path.join(worktreeDir, 'gitdir'))
  if (back === '' || realPath(path.resolve(worktreeDir, back)) !== realPath(gitFile)) return null
  const common = gitText(path.join(worktreeDir, 'commondir'))
  if (common === '') return null
  const mainGit = realPath(path.resolve(worktreeDir, common))
  // A worktree's directory is inside its main repository; one elsewhere could claim any project.
  if (path.dirname(realPath(worktreeDir)) !== path.join(mainGit, 'worktrees')) return null
  return path.basename(mainGit) === '.git' ? path.dirname(mainGit) : null
}

/** The worktrees that the project's git names and that name the project. */
export function worktreesOf(root: string): string[] {
  const dir = path.join(root, '.git', 'worktrees')
  if (statOf(dir)?.kind !== 'dir') return []
  return list(dir)
    .slice(0, MOST_WORKTREES)
    .flatMap((name) => {
      const named = gitText(path.join(dir, name, 'gitdir'))
      const gitFile = path.resolve(dir, name, named)
      return named !== '' && mainRootOf(gitFile) === root ? [realPath(path.dirname(gitFile))] : []
    })
}

/** One of git's small files; empty for a link, a pipe, a larger file or a binary file. */
function gitText(file: string): string {
  const text = unlessRefused(() => readBelow(path.dirname(file), path.basename(file), MOST_BYTES))
  return text?.includes('\0') ? '' : (text?.trim() ?? '')
}

/** Null for a file that this user may not read: it must not stop the rest. */
export function unlessRefused<T>(read: () => T): T | null {
  try {
    return read()
  } catch (error) {
    if (['EACCES', 'EPERM'].includes(codeOf(error))) return null
    throw error
  }
}
