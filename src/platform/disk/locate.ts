/** Which project a directory belongs to, and where its memory lives. Git is read as files: no process is started. */
import os from 'node:os'
import path from 'node:path'
import { fingerprint } from '../../text/fingerprint.ts'
import { HOME_DIR, MEMORY_DIR, PROJECTS_DIR, TRUST_DIR, VAULT_DIR } from '../layout.ts'
import { codeOf, list, readBelow, realPath, statOf } from './files.ts'

/** What the environment says; only `bin/` reads it. */
export interface Surroundings {
  home: string
  configDir: string | undefined
  /** For what can be made again, on local disk; empty or absent: there is no place for it. */
  cacheDir?: string
}

/** Null where the system knows no home for this user: there is no safe place for a memory then. */
export function findSurroundings(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): Surroundings | null {
  const configDir = env.CLAUDE_CONFIG_DIR ? path.resolve(env.CLAUDE_CONFIG_DIR) : undefined
  const home = findHome()
  return home === '' && !configDir ? null : { home, configDir, cacheDir: cacheDirOf(env, platform, home) }
}

function findHome(): string {
  try {
    return os.homedir()
  } catch {
    // A user whom the system does not know.
    return ''
  }
}

/** Where this system keeps a user's caches. A relative path would be another one in every directory: it does not count. */
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
/** A repository may be anybody's: more worktrees, or more bytes in one of git's small files, are not read. */
const MOST_WORKTREES = 1000
const MOST_BYTES = 64 * 1024

interface Project {
  /** The main git root, else the launch directory; links followed. */
  root: string
  /** `<name>-<hash>`: names the project below home. */
  key: string
}

export interface Places {
  project: Project
  /** `~/.claude` or what CLAUDE_CONFIG_DIR says. */
  hostDir: string
  /** `~/.claude/memory-keeper`. */
  keeperDir: string
  inProject: string
  atHome: string
  vault: string
  trustRecord: string
  /** For the search index of all projects; empty: it is kept in memory only. */
  cacheDir: string
}

export function locate(startDir: string, around: Surroundings): Places {
  const project = findProject(startDir)
  const hostDir = around.configDir || path.join(around.home, '.claude')
  const keeperDir = path.join(hostDir, HOME_DIR)
  return {
    project,
    hostDir,
    keeperDir,
    inProject: path.join(project.root, ...MEMORY_DIR),
    atHome: path.join(keeperDir, PROJECTS_DIR, project.key),
    vault: path.join(keeperDir, VAULT_DIR, project.key),
    trustRecord: path.join(keeperDir, TRUST_DIR, `${project.key}.json`),
    cacheDir: around.cacheDir ?? '',
  }
}

export function findProject(startDir: string): Project {
  const root = findRoot(realPath(startDir))
  const last = path.basename(root)
  // The letters of all languages cost every hook half a millisecond.
  const name = /^[\w.-]+$/.test(last) ? last : last.replace(/[^\p{L}\p{N}._-]+/gu, '-') || 'root'
  // File systems take 255 bytes: four for a letter at most, and room for what is put behind the name.
  const short = Array.from(name).slice(0, LONGEST_NAME).join('')
  return { root, key: `${short}-${fingerprint(root).slice(0, 10)}` }
}

function findRoot(start: string): string {
  for (let dir = start; ; dir = path.dirname(dir)) {
    const git = path.join(dir, '.git')
    const facts = statOf(git)
    if (facts?.kind === 'dir') return dir
    if (facts?.kind === 'file') return mainRootOf(git) ?? dir
    if (dir === path.dirname(dir)) return start
  }
}

/**
 * The main root of the worktree that this `.git` file belongs to; null for a submodule or anything doubtful. Anybody can
 * write a `.git` file that names another project: it is followed only when that project's git names this worktree back.
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
  // A worktree's directory lies inside its main repository: one that lies elsewhere may name any project as its own.
  if (path.dirname(realPath(worktreeDir)) !== path.join(mainGit, 'worktrees')) return null
  return path.basename(mainGit) === '.git' ? path.dirname(mainGit) : null
}

/** The worktrees that the project's git names, and that name the project as theirs. */
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

/** One of git's small files; empty for a link, a pipe, a larger file, or one that holds no text. */
function gitText(file: string): string {
  const text = unlessRefused(() => readBelow(path.dirname(file), path.basename(file), MOST_BYTES))
  return text?.includes('\0') ? '' : (text?.trim() ?? '')
}

/** Null for what this user may not read: it must not keep us from the rest. */
export function unlessRefused<T>(read: () => T): T | null {
  try {
    return read()
  } catch (error) {
    if (['EACCES', 'EPERM'].includes(codeOf(error))) return null
    throw error
  }
}
