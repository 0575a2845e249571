/** Which file a program is: looked up on PATH by whole paths only, and never inside the project, which may bring programs of its own. */
import path from 'node:path'
import { isProgram, realPath } from '../../platform/disk/files.ts'
import { gitWorktrees, repositoryAt } from './git-head.ts'

export interface ProgramSearch {
  env: Readonly<Record<string, string | undefined>>
  platform: string
  /** The project and its worktrees: nothing is started from there. */
  roots: readonly string[]
}

/** What is asked of the disk. */
export interface ProgramLooks {
  isProgram(file: string): boolean
  realPath(file: string): string
}

const DISK: ProgramLooks = { isProgram, realPath }

/** The roots that a project's own programs may lie in. */
export function projectRoots(root: string): string[] {
  const repository = repositoryAt(root)
  return repository === null ? [root] : gitWorktrees(repository)
}

/** `name`: as on a command line. A relative path is not looked for: it leads into whatever directory we stand in. */
export function findProgram(name: string, search: ProgramSearch, disk: ProgramLooks = DISK): string | null {
  const isWindows = search.platform === 'win32'
  const paths = pathsOf(search.platform)
  const isPath = name.includes('/') || (isWindows && name.includes('\\'))
  // A batch file needs a shell, which would read our arguments as its language.
  const names = isWindows && !/\.(?:exe|com)$/i.test(name) ? [`${name}.exe`, `${name}.com`] : [name]
  const files = isPath
    ? names.filter((one) => isWhole(one, search.platform))
    : programDirs(search, disk).flatMap((dir) => names.map((one) => paths.join(dir, one)))
  return files.find((file) => disk.isProgram(file) && !isInProject(file, search, disk)) ?? null
}

/** The directories on PATH that programs may be taken from. */
export function programDirs(search: ProgramSearch, disk: ProgramLooks = DISK): string[] {
  const { env, platform } = search
  const isWindows = platform === 'win32'
  // Windows spells it `Path`, and a copy of its environment no longer ignores case.
  const name = isWindows ? Object.keys(env).find((key) => key.toUpperCase() === 'PATH') : 'PATH'
  return (env[name ?? 'PATH'] ?? '')
    .split(isWindows ? ';' : ':')
    .map((dir) => (isWindows ? dir.trim().replace(/^"(.*)"$/, '$1') : dir))
    .filter((dir) => isWhole(dir, platform) && !isInProject(dir, search, disk))
}

/** By its path, or by what a link leads to. A project that holds the user's home is no repository of somebody else's. */
export function isInProject(file: string, { env, platform, roots }: ProgramSearch, disk: ProgramLooks = DISK): boolean {
  const home = env.HOME ?? env.USERPROFILE ?? ''
  const real = disk.realPath(file)
  return roots.some((root) => {
    if (home !== '' && isBelow(root, disk.realPath(home), platform)) return false
    return isBelow(root, file, platform) || isBelow(disk.realPath(root), real, platform)
  })
}

/** On Windows with a drive or a server: `\tools` is on whatever drive is the current one. */
function isWhole(file: string, platform: string): boolean {
  return platform === 'win32' ? /^[a-z]:[\\/]|^\\\\[^\\]/i.test(file) : file.startsWith('/')
}

function isBelow(root: string, file: string, platform: string): boolean {
  const paths = pathsOf(platform)
  const way = paths.relative(root, file)
  return way !== '..' && !way.startsWith(`..${paths.sep}`) && !paths.isAbsolute(way)
}

function pathsOf(platform: string): typeof path.posix {
  return platform === 'win32' ? path.win32 : path.posix
}
