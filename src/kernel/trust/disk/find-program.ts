/** Finds a program's file: only absolute directories on PATH, and never inside the project, which may contain programs of its own. */
import path from 'node:path'
import { isProgram, realPath } from '../../platform/disk/files.ts'
import { gitWorktrees, repositoryAt } from './git-head.ts'

export interface ProgramSearch {
  env: Readonly<Record<string, string | undefined>>
  platform: string
  /** The project and its worktrees: no program is started from there. */
  roots: readonly string[]
}

/** The disk access that the search needs. */
export interface ProgramLooks {
  isProgram(file: string): boolean
  realPath(file: string): string
}

const DISK: ProgramLooks = { isProgram, realPath }

/** The roots that may contain a project's own programs. */
export function projectRoots(root: string): string[] {
  const repository = repositoryAt(root)
  return repository === null ? [root] : gitWorktrees(repository)
}

/** `name`: as on a command line. A relative path is refused: it depends on the current directory. */
export function findProgram(name: string, search: ProgramSearch, disk: ProgramLooks = DISK): string | null {
  const isWindows = search.platform === 'win32'
  const paths = pathsOf(search.platform)
  const isPath = name.includes('/') || (isWindows && name.includes('\\'))
  // A batch file needs a shell, which would interpret our arguments.
  const names = isWindows && !/\.(?:exe|com)$/i.test(name) ? [`${name}.exe`, `${name}.com`] : [name]
  const files = isPath
    ? names.filter((one) => isWhole(one, search.platform))
    : programDirs(search, disk).flatMap((dir) => names.map((one) => paths.join(dir, one)))
  return files.find((file) => disk.isProgram(file) && !isInProject(file, search, disk)) ?? null
}

/** The directories on PATH from which programs may be started. */
export function programDirs(search: ProgramSearch, disk: ProgramLooks = DISK): string[] {
  const { env, platform } = search
  const isWindows = platform === 'win32'
  // Windows spells it `Path`, and a copy of the environment is case-sensitive.
  const name = isWindows ? Object.keys(env).find((key) => key.toUpperCase() === 'PATH') : 'PATH'
  return (env[name ?? 'PATH'] ?? '')
    .split(isWindows ? ';' : ':')
    .map((dir) => (isWindows ? dir.trim().replace(/^"(.*)"$/, '$1') : dir))
    .filter((dir) => isWhole(dir, platform) && !isInProject(dir, search, disk))
}

/** Checks the path and the target of a link. A project that contains the user's home counts as the user's own. */
export function isInProject(file: string, { env, platform, roots }: ProgramSearch, disk: ProgramLooks = DISK): boolean {
  const home = env.HOME ?? env.USERPROFILE ?? ''
  const real = disk.realPath(file)
  return roots.some((root) => {
    if (home !== '' && isBelow(root, disk.realPath(home), platform)) return false
    return isBelow(root, file, platform) || isBelow(disk.realPath(root), real, platform)
  })
}

/** On Windows an absolute path needs a drive or a server: `\tools` depends on the current drive. */
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
