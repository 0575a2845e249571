/**
 * The system's git on a repository of our own. Git never runs in the project and never checks anything out: we list trees and read
 * objects, so that links, names, filters, attributes, hooks and submodules of a foreign tree have no effect.
 */
import path from 'node:path'
import { codeOf, list, makeDir, readOwnText, removeTree, statOf } from '../../../kernel/platform/disk/files.ts'
import { KeeperError } from '../../../kernel/platform/error.ts'
import { once } from '../../../kernel/text/once.ts'
import { findProgram, isInProject, projectRoots } from '../../../kernel/trust/disk/find-program.ts'

export interface GitSurroundings {
  env: Readonly<Record<string, string | undefined>>
  platform: string
  /** The largest file that a fetch may write. */
  mostPackBytes?: number
}

export interface Git {
  /** The bare repository. */
  dir: string
  remote: string
  /** Runs git on the local repository. Throws if git fails or prints more than `mostBytes`. */
  run: (args: readonly string[], input?: Buffer | string, mostBytes?: number) => Buffer
  /** Runs git over the network, with those of the user's settings that git needs to reach a server. */
  reach: (args: readonly string[]) => Buffer
}

/** Limits of one local command, one network command, and a whole sync. A session never waits for any of them. */
const LOCAL_MS = 60_000
const NETWORK_MS = 60_000
const ALL_MS = 180_000
const MOST_OUTPUT = 16 * 1024 * 1024
/** The limit of the pack that a fetch writes. A larger branch is not read. */
const MOST_PACK_BYTES = 512 * 1024 * 1024
const BLOCK_BYTES = 512

/** Switches off every setting that starts a program or makes git read more than we asked for. */
const SAFE = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.attributesFile=/dev/null',
  'core.alternateRefsCommand=',
  'core.protectHFS=true',
  'core.protectNTFS=true',
  'protocol.ext.allow=never',
  'submodule.recurse=false',
  'fetch.recurseSubmodules=false',
  'push.recurseSubmodules=no',
  'push.gpgSign=false',
  'fetch.fsckObjects=true',
  'fetch.unpackLimit=1',
  'fetch.writeCommitGraph=false',
  'gc.auto=0',
  'maintenance.auto=false',
  'uploadpack.packObjectsHook=',
]

/** The user's settings about reaching a server. Git reads none of their other settings. */
const REACHING = /^(?:credential\.|https?\.|url\..*\.(?:insteadof|pushinsteadof)$|core\.sshcommand$|ssh\.variant$)/i
/** The only protocols: `http` and `git` would send the memory unencrypted, `ext` starts programs. */
const PROTOCOLS = 'file:https:ssh'

/** The same for the git that serves a remote directory. The user named that directory, so that its owner does not matter. */
const OTHER_END = `-c core.hooksPath=/dev/null -c core.fsmonitor=false -c receive.autogc=false -c gc.auto=0 -c 'safe.directory=*'`

/** Throws if there is no git. `root`: the project; programs in it are never started. */
export function openGit(dir: string, remote: string, root: string, around: GitSurroundings): Git {
  const roots = projectRoots(root)
  const git = findProgram('git', { ...around, roots })
  if (git === null) throw new KeeperError('no-git', 'Sync needs git, and there is none on your PATH.')
  makeDir(path.dirname(dir))
  const bare = { ...plainEnv(around, roots), GIT_CONFIG_GLOBAL: '/dev/null', GIT_DIR: dir }
  const safe = ['--no-pager', ...SAFE.flatMap((setting) => ['-c', setting])]
  const cwd = path.dirname(dir)
  const began = performance.now()
  const local = (args: readonly string[], more: Partial<Start> = {}): Buffer =>
    spawned(git, [...safe, ...args], { env: bare, cwd, mostMs: LOCAL_MS, ...more })
  if (statOf(path.join(dir, 'HEAD')) === null) {
    removeTree(dir)
    local(['init', '--quiet', '--bare', '--template=', dir], { env: { ...bare, GIT_DIR: undefined } })
  }
  let looked = { text: '', keys: '' }
  const settingsIn = (file: string): string => {
    const text = readOwnText(file) ?? ''
    const list = ['config', '--file', file, '--no-includes', '--list', '--name-only']
    if (text !== looked.text) looked = { text, keys: local(list).toString('utf8') }
    return looked.keys
  }
  const reaching = once((): NodeJS.ProcessEnv => {
    // A directory needs none of the user's settings.
    if (path.isAbsolute(remote)) return bare
    const env = { ...bare, GIT_CONFIG_GLOBAL: undefined, GIT_CONFIG_NOSYSTEM: undefined }
    return { ...bare, ...settingsEnv(local(['config', '--list', '-z', '--show-scope', '--includes'], { env })) }
  })
  return {
    dir,
    remote,
    run: (args, input, mostBytes) => local(args, { input, mostBytes }),
    reach: (args) => {
      if (path.isAbsolute(remote)) refuseDirectory(remote, settingsIn)
      const mostMs = Math.min(NETWORK_MS, Math.ceil(ALL_MS - (performance.now() - began)))
      if (mostMs <= 0) throw new KeeperError('git', `sync did not finish within ${ALL_MS / 1000} seconds`)
      const [program, ...before] = boundedFiles(git, around)
      return spawned(program, [...before, ...safe, ...args], { env: reaching(), cwd, mostMs })
    },
  }
}

/** The environment without variables for git: a project may set some for its sessions. */
function plainEnv({ env, platform }: GitSurroundings, roots: readonly string[]): NodeJS.ProcessEnv {
  const isKept = ([name, value]: [string, string | undefined]): boolean =>
    !/^(?:GIT_|SSH_ASKPASS$|GCM_|LD_|DYLD_)/i.test(name) &&
    !(/^XDG_/.test(name) && isInProject(value ?? '', { env, platform, roots }))
  return {
    ...Object.fromEntries(Object.entries(env).filter(isKept)),
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GCM_INTERACTIVE: 'never',
    GIT_NO_LAZY_FETCH: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_ALLOW_PROTOCOL: PROTOCOLS,
  }
}

/** The user's settings about reaching a server, passed in the environment because some are secrets. */
function settingsEnv(listed: Buffer): NodeJS.ProcessEnv {
  // Git prints pairs: the scope, then key and value together.
  const parts = listed.toString('utf8').split('\0')
  const found = parts.flatMap((scope, i): [string, string][] => {
    const [key = '', ...value] = (parts[i + 1] ?? '').split('\n')
    return i % 2 === 0 && ['system', 'global'].includes(scope) && REACHING.test(key) ? [[key, value.join('\n')]] : []
  })
  const pairs = found.flatMap(([key, value], i) => [
    [`GIT_CONFIG_KEY_${i}`, key],
    [`GIT_CONFIG_VALUE_${i}`, value],
  ])
  const ssh = found.some(([key]) => key.toLowerCase() === 'core.sshcommand')
  return {
    ...Object.fromEntries(pairs),
    GIT_CONFIG_COUNT: String(found.length),
    // Nobody can answer a question that ssh asks.
    ...(ssh ? {} : { GIT_SSH_COMMAND: 'ssh -o BatchMode=yes -o ConnectTimeout=20' }),
  }
}

/** A shell limits the size of files that git writes. Windows has no such limit: there only the time is limited. */
function boundedFiles(
  git: string,
  { platform, mostPackBytes = MOST_PACK_BYTES }: GitSurroundings,
): [string, ...string[]] {
  if (platform === 'win32') return [git]
  return ['/bin/sh', '-c', `ulimit -f ${Math.ceil(mostPackBytes / BLOCK_BYTES)}; exec "$0" "$@"`, git]
}

interface Start {
  env: NodeJS.ProcessEnv
  cwd: string
  mostMs: number
  input?: Buffer | string | undefined
  mostBytes?: number | undefined
}

function spawned(program: string, args: readonly string[], start: Start): Buffer {
  const { env, cwd, mostMs, input = '', mostBytes = MOST_OUTPUT } = start
  const { spawnSync } = process.getBuiltinModule('node:child_process')
  const limits = { timeout: mostMs, maxBuffer: mostBytes, killSignal: 'SIGKILL', windowsHide: true } as const
  const done = spawnSync(program, args, { env, cwd, input, stdio: ['pipe', 'pipe', 'pipe'], ...limits })
  if (done.error === undefined && done.status === 0) return done.stdout
  throw new KeeperError('git', whyFailed(codeOf(done.error), done.stderr?.toString('utf8') ?? '', mostMs))
}

/** Git's own reason, in one line and without the address, which may contain a password. */
function whyFailed(code: string, said: string, mostMs: number): string {
  if (code === 'ETIMEDOUT') return `git did not finish within ${Math.round(mostMs / 1000)} seconds`
  if (code === 'ENOBUFS') return 'it is too large'
  const lines = said.split('\n').flatMap((line) => line.trim() || [])
  const telling = lines.find((line) => /^(?:! \[|fatal:|error:|remote: error)/.test(line)) ?? lines[0] ?? 'git failed'
  return telling
    .replace(/[a-z+]+:\/\/[^\s']*@/gi, '…@')
    .replace(/\p{C}/gu, ' ')
    .slice(0, 300)
}

/** Settings that a repository in a directory may have. Any other may start a program on this machine. */
const HARMLESS =
  /^(?:core\.(?:repositoryformatversion|filemode|bare|ignorecase|precomposeunicode|symlinks|logallrefupdates|sharedrepository|compression)|receive\.(?:denynonfastforwards|denydeletes|denycurrentbranch|fsckobjects)|gc\.auto|extensions\.(?:objectformat|refstorage))$/

/** This machine's git opens the repository of a remote directory: its files must be plain, and its settings harmless. */
function refuseDirectory(remote: string, settingsIn: (file: string) => string): void {
  for (const name of ['', 'HEAD', 'config', 'objects', 'refs']) {
    const file = path.join(remote, name)
    const kind = statOf(file)?.kind
    if (kind === undefined) throw new KeeperError('no-remote', `${file} is not there.`)
    if (kind !== (name === 'HEAD' || name === 'config' ? 'file' : 'dir'))
      throw new KeeperError('no-remote', `${file} is a link, or something else that is never used.`)
  }
  const linked = list(path.join(remote, 'objects', 'info')).filter((name) => name.endsWith('alternates'))
  const keys = [...settingsIn(path.join(remote, 'config')).split('\n'), ...linked]
  const bad = keys.find((key) => key !== '' && !HARMLESS.test(key))
  if (bad === undefined) return
  const why = `its repository has ${bad.slice(0, 80)}, which may start programs or read other files`
  throw new KeeperError('bad-remote', `${remote} is not used: ${why}. Take a new directory.`)
}

/** Makes an empty or missing directory a bare repository. Throws if it contains other files. */
export function prepareDirectory(dir: string, root: string, around: GitSurroundings): void {
  const isRepository = statOf(path.join(dir, 'HEAD')) !== null && statOf(path.join(dir, 'objects')) !== null
  const kind = statOf(dir)?.kind ?? 'dir'
  if (kind !== 'dir' || (!isRepository && list(dir).length > 0))
    throw new KeeperError('no-remote', `${dir} is neither empty nor a bare git repository. Give an empty directory.`)
  if (!isRepository) openGit(dir, dir, root, around)
}

/** For a remote directory: how git starts the process that serves it. */
export function otherEnd({ remote }: Git, way: 'upload' | 'receive'): string[] {
  return path.isAbsolute(remote) ? [`--${way}-pack=git ${OTHER_END} ${way}-pack`] : []
}
