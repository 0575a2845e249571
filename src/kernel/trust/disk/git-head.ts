/** Reads a repository's own files without git: its location, HEAD, and its worktrees. */
import path from 'node:path'
import { list, readBelow, realPath, statOf } from '../../platform/disk/files.ts'
import type { Redactor } from '../../redact/redact.ts'
import { once } from '../../text/once.ts'
import { originIn } from '../project-key.ts'

/** These files have one or two lines; only the list of packed branches may be long. */
const SMALL = 4096
const MAX_PACKED = 16 * 1024 * 1024
const MAX_CONFIG = 256 * 1024

export interface Repository {
  root: string
  /** Contains HEAD; a linked worktree has its own. */
  gitDir: string
  /** Contains the branches. */
  commonDir: string
}

/** Null: the project's root has no repository, or `.git` is a link. */
export function repositoryAt(root: string): Repository | null {
  const kind = statOf(path.join(root, '.git'))?.kind
  const gitDir = kind === 'link' ? null : gitDirIn(root)
  if (gitDir === null || statOf(gitDir)?.kind !== 'dir') return null
  return { root, gitDir, commonDir: kind === 'dir' ? gitDir : commonDirOf(gitDir) }
}

/** Null: no repository begins there. A `.git` file or link points elsewhere; git itself never checks one out. */
export function gitDirIn(dir: string): string | null {
  const dotGit = path.join(dir, '.git')
  const kind = statOf(dotGit)?.kind
  if (kind === undefined || kind === 'dir') return kind === undefined ? null : dotGit
  const target = kind === 'link' ? realPath(dotGit) : dotGit
  if (statOf(target)?.kind !== 'file') return kind === 'link' ? target : null
  const named = /^gitdir: (.+)$/m.exec(textOf(path.dirname(target), path.basename(target)))?.[1]?.trim()
  return named ? path.resolve(path.dirname(target), named) : null
}

/** The directory that a linked worktree shares with its repository. */
export function commonDirOf(gitDir: string): string {
  return path.resolve(gitDir, textOf(gitDir, 'commondir'))
}

/** The commit that is checked out; null: there is none, or these files do not name it. */
export function headOf({ gitDir, commonDir }: Repository): string | null {
  const head = readHead(gitDir, 'HEAD')
  if (head === null || 'hash' in head) return head?.hash ?? null
  const ref = `refs/heads/${head.branch}`
  return refsIn({ gitDir, commonDir }, [ref]).get(ref) ?? null
}

/** The branch that is checked out; null: HEAD names a commit, or nothing. */
export function branchOf({ gitDir }: Pick<Repository, 'gitDir'>): string | null {
  const head = readHead(gitDir, 'HEAD')
  return head !== null && 'branch' in head ? head.branch : null
}

/** The commits of these refs (`refs/heads/main`); one that does not exist is left out. */
function refsIn({ gitDir, commonDir }: Omit<Repository, 'root'>, names: readonly string[]): Map<string, string> {
  const packed = once(() => textOf(commonDir, 'packed-refs', MAX_PACKED).split('\n'))
  const dirs = new Set([gitDir, commonDir])
  const hashOf = (ref: string): string | undefined => {
    const loose = [...dirs].map((dir) => textOf(dir, ref)).find(isHash)
    if (loose !== undefined) return loose
    const line = packed().find((one) => one.endsWith(` ${ref}`)) ?? ''
    const hash = line.slice(0, line.indexOf(' '))
    return isHash(hash) ? hash : undefined
  }
  const found = names.map((ref) => [ref, hashOf(ref)] as const)
  return new Map(found.filter((pair): pair is [string, string] => pair[1] !== undefined))
}

const MOST_REMOTES = 20

/**
 * The remote-tracking refs that a push of this branch may change, with their commits: of its own name, of its upstream, and of the
 * branch into which it may have been merged. As text, in a fixed order; empty: there are none.
 */
export function pushedRefs(repository: Repository, branch: string): string {
  const { commonDir } = repository
  const remotes = list(path.join(commonDir, 'refs', 'remotes')).slice(0, MOST_REMOTES)
  const config = textOf(commonDir, 'config', MAX_CONFIG)
  const named = [...remotes, ...remotesIn(config)].filter((name) => isBranch(name) && !/\s/.test(name))
  const refs = [...new Set(named)].slice(0, MOST_REMOTES).flatMap((remote) => {
    const merged = /^ref: refs\/remotes\/(\S{1,250})$/.exec(textOf(commonDir, `refs/remotes/${remote}/HEAD`))?.[1] ?? ''
    const own = [branch, upstreamIn(config, branch), 'main', 'master'].map((name) => `${remote}/${name}`)
    return [...own, merged].filter(isBranch).map((name) => `refs/remotes/${name}`)
  })
  return [...refsIn(repository, [...new Set(refs)].toSorted())].map((pair) => pair.join(' ')).join('\n')
}

/** More loose refs are not looked at: a start waits. */
const MOST_LOOSE = 100

/** Whether a remote-tracking ref of any name is at this commit: it was pushed under that name. */
export function isOnRemote({ commonDir }: Repository, head: string): boolean {
  const packed = textOf(commonDir, 'packed-refs', MAX_PACKED)
  return packed.includes(`${head} refs/remotes/`) || looseBelow(commonDir, 'refs/remotes').some((hash) => hash === head)
}

/** The contents of loose refs, those of the upper folders first. */
function looseBelow(commonDir: string, folder: string): string[] {
  const found: string[] = []
  const folders = [folder]
  let left = MOST_LOOSE
  for (const dir of folders) {
    for (const name of list(path.join(commonDir, dir))) {
      if (left-- <= 0) return found
      const ref = `${dir}/${name}`
      if (statOf(path.join(commonDir, ref))?.kind === 'dir') folders.push(ref)
      else found.push(textOf(commonDir, ref))
    }
  }
  return found
}

/** The names of the remotes in a repository's configuration: their refs may all be packed. */
function remotesIn(config: string): string[] {
  return [...config.matchAll(/^\s*\[remote "([^"\\\n]{1,250})"\]/gm)].map((match) => match[1] ?? '')
}

/** The branch on the server with which this one is pushed; empty: it has no other name there. */
function upstreamIn(config: string, branch: string): string {
  const [, section = ''] = config.split(`[branch "${branch}"]`)
  const [own = ''] = section.split(/^\s*\[/m)
  return /^\s*merge\s*=\s*refs\/heads\/(\S{1,250})\s*$/m.exec(own)?.[1] ?? ''
}

/** The address of the project's git origin; empty: it has none. */
export function originOf(root: string): string {
  const repository = repositoryAt(root)
  return repository === null ? '' : (originIn(textOf(repository.commonDir, 'config', MAX_CONFIG)) ?? '')
}

/** The branch that is checked out, else the commit, for display. Null for a `.git` file, which may name another person's repository. */
export function currentBranch(root: string, redact: Redactor): string | null {
  const head = readHead(root, '.git/HEAD')
  return head === null ? null : redact('branch' in head ? head.branch : head.hash).text
}

/** HEAD names a branch or a commit. Anything else is null. */
function readHead(dir: string, name: string): { branch: string } | { hash: string } | null {
  const head = textOf(dir, name)
  if (isHash(head)) return { hash: head }
  const branch = /^ref: refs\/heads\/(\S{1,250})$/.exec(head)?.[1] ?? ''
  return isBranch(branch) ? { branch } : null
}

/** As git itself allows: https://git-scm.com/docs/git-check-ref-format */
function isBranch(name: string): boolean {
  if (/[\p{C}~^:?*[\\]|\.\.|@\{|^@$|\.$/u.test(name)) return false
  return name.split('/').every((part) => part !== '' && !part.startsWith('.') && !part.endsWith('.lock'))
}

/** The clone does not contain the whole history. */
export function isShallow({ commonDir }: Repository): boolean {
  return statOf(path.join(commonDir, 'shallow')) !== null
}

/** The repository's directory and those of its worktrees. */
export function gitWorktrees({ root, commonDir }: Repository): string[] {
  const dir = path.join(commonDir, 'worktrees')
  const linked = list(dir).flatMap((name) => {
    const gitFile = textOf(commonDir, `worktrees/${name}/gitdir`)
    return gitFile === '' ? [] : [path.dirname(path.resolve(dir, name, gitFile))]
  })
  return [root, ...linked]
}

/** Empty: the file is missing or may not be read. */
function textOf(dir: string, name: string, most = SMALL): string {
  return readBelow(dir, name, most)?.trim() ?? ''
}

function isHash(text: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text)
}
