/** Asks git when files changed: bounded in time and size, offline, and without starting any other program. */
import path from 'node:path'
import { statOf } from '../../../kernel/platform/disk/files.ts'
import { findProgram } from '../../../kernel/trust/disk/find-program.ts'
import { gitWorktrees, isShallow, type Repository } from '../../../kernel/trust/disk/git-head.ts'
import type { Commit, FileHistory } from '../fact-stale.ts'

/** The default time limit. */
export const LONGEST_MS = 1_500
const MAX_BYTES = 8 * 1024 * 1024

export interface GitWorld {
  env: Readonly<Record<string, string | undefined>>
  platform: string
  timeoutMs?: number
}

/** Null: nothing is known. `since`: an ISO time; earlier commits do not matter. */
export function readHistory(repository: Repository, since: string, world: GitWorld): FileHistory | null {
  // The first commit of a shallow history seems to create every file.
  if (isShallow(repository)) return null
  const git = findGit(world, repository)
  if (git === null) return null
  const run = (args: readonly string[]): Output | null => runGit(git, repository, args, world)
  // `--since` alone stops at the first commit with a wrong clock. Before git 2.37 all commits are listed instead.
  const log = run([...LOG, `--since-as-filter=${since}`, 'HEAD']) ?? run([...LOG, 'HEAD'])
  if (log === null) return null
  const commits = parseLog(log).filter(({ at }) => Date.parse(at) >= Date.parse(since))
  const isNeeded = commits.some(({ files }) => files.length > 0)
  const tree = isNeeded ? run(['ls-tree', '-r', '-z', '--name-only', '--full-tree', 'HEAD']) : null
  const tracked = tree?.isWhole ? tree.text.split('\0').filter((one) => one !== '') : null
  return { commits, isComplete: log.isWhole, tracked, roots: gitWorktrees(repository), platform: world.platform }
}

/** Git's answer to a question, with the same limits and safety; null: no answer. */
export function askGit(repository: Repository, args: readonly string[], world: GitWorld): string | null {
  const git = findGit(world, repository)
  const said = git === null ? null : runGit(git, repository, args, world)
  return said?.isWhole ? said.text : null
}

/** The repository itself may set each of these: everything that would start a program or change the output is switched off. */
const SAFE = [
  'core.fsmonitor=false',
  'core.hooksPath=/dev/null',
  'log.showSignature=false',
  'diff.external=',
  'protocol.allow=never',
  'safe.bareRepository=explicit',
]

/** A header after an empty name, which no file has, then the names. Merges contribute no changes of their own. */
const LOG = [
  'log',
  '-z',
  '--name-only',
  '--format=%x00%H %ct %at %P',
  '--no-merges',
  '--no-renames',
  '--no-ext-diff',
  '--no-textconv',
  '--no-show-signature',
  '--no-relative',
  '--no-color',
  '--no-decorate',
  '--no-notes',
  '--no-mailmap',
  // A repository may name an order file that does not exist.
  '-O/dev/null',
]

interface Output {
  text: string
  isWhole: boolean
}

function runGit(git: string, repository: Repository, args: readonly string[], world: GitWorld): Output | null {
  // Loaded here: most processes that load this file start no child.
  const { spawnSync } = process.getBuiltinModule('node:child_process')
  const safe = SAFE.flatMap((setting) => ['-c', setting])
  const done = spawnSync(git, ['--no-pager', '--no-optional-locks', ...safe, ...args], {
    cwd: repository.root,
    env: envFor(repository, world),
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: world.timeoutMs ?? LONGEST_MS,
    maxBuffer: MAX_BYTES,
    killSignal: 'SIGKILL',
    windowsHide: true,
    encoding: 'utf8',
  })
  const wasCut = done.error !== undefined
  // Output before the limit is valid as far as it goes; output of a failed git is not.
  if (wasCut && (typeof done.stdout !== 'string' || done.stdout === '')) return null
  if (!wasCut && done.status !== 0) return null
  return { text: done.stdout, isWhole: !wasCut }
}

/** Drops the caller's git variables: they may point into another repository. */
function envFor({ root }: Repository, { env }: GitWorld): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(([name]) => !/^GIT_/i.test(name))
  return {
    ...Object.fromEntries(kept),
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_CEILING_DIRECTORIES: path.dirname(root),
  }
}

function parseLog({ text, isWhole }: Output): Commit[] {
  const commits: (Commit & { isRoot: boolean; files: string[] })[] = []
  let isHeader = false
  for (const token of text.split('\0')) {
    const last = commits.at(-1)
    if (token === '') isHeader = true
    else if (isHeader) {
      isHeader = false
      const commit = parseHeader(token)
      if (commit !== null) commits.push(commit)
    } else last?.files.push(last.files.length === 0 ? token.replace(/^\n/, '') : token)
  }
  // If the output was cut, the last name may be cut too.
  if (!isWhole) commits.pop()
  // The very first commit adds files; it changes none.
  return commits.filter(({ isRoot }) => !isRoot).map(({ isRoot: _, ...commit }) => commit)
}

function parseHeader(line: string): (Commit & { isRoot: boolean; files: string[] }) | null {
  const [hash = '', at, writtenAt, parent = ''] = line.trim().split(' ')
  const time = (seconds: string | undefined): string | null => {
    const ms = Number(seconds) * 1000
    return seconds !== undefined && Math.abs(ms) < 8e15 ? new Date(ms).toISOString() : null
  }
  const committed = time(at)
  const written = time(writtenAt)
  if (!/^[0-9a-f]{40,64}$/.test(hash) || committed === null || written === null) return null
  return { hash, at: committed, writtenAt: written, isRoot: parent === '', files: [] }
}

function findGit({ env, platform }: GitWorld, repository: Repository): string | null {
  const git = findProgram('git', { env, platform, roots: gitWorktrees(repository) })
  return git === null || isStandIn(git, platform) ? null : git
}

/** Without the developer tools, the git of macOS only opens a window that offers to install them. */
function isStandIn(file: string, platform: string): boolean {
  if (platform !== 'darwin' || file !== '/usr/bin/git') return false
  return ['/Library/Developer/CommandLineTools', '/var/db/xcode_select_link'].every((one) => statOf(one) === null)
}
