/** What a repository's own files tell without git: where it is, what is checked out, its worktrees. */
import path from 'node:path'
import { factsOf, list, readPart } from './files.ts'

/** All of these files are a line or two; only the list of packed branches may be long. */
const SMALL = 4096
const MAX_PACKED = 16 * 1024 * 1024

export interface Repository {
  root: string
  /** HEAD is here; a linked worktree has its own. */
  gitDir: string
  /** Branches are here. */
  commonDir: string
}

/** Null: the project's root holds no repository. */
export function repositoryAt(root: string): Repository | null {
  const dotGit = path.join(root, '.git')
  const kind = factsOf(dotGit)?.kind
  if (kind === 'dir') return { root, gitDir: dotGit, commonDir: dotGit }
  if (kind !== 'file') return null
  const named = /^gitdir: (.+)$/m.exec(textOf(dotGit) ?? '')?.[1]?.trim()
  if (!named) return null
  const gitDir = path.resolve(root, named)
  if (factsOf(gitDir)?.kind !== 'dir') return null
  const common = textOf(path.join(gitDir, 'commondir'))?.trim()
  return { root, gitDir, commonDir: common ? path.resolve(gitDir, common) : gitDir }
}

/** The commit that is checked out; null: there is none, or these files do not tell. */
export function headOf({ gitDir, commonDir }: Repository): string | null {
  const head = textOf(path.join(gitDir, 'HEAD'))?.trim() ?? ''
  if (isHash(head)) return head
  const ref = /^ref: (refs\/[^\s\\]+)$/.exec(head)?.[1]
  if (ref === undefined || ref.split('/').includes('..')) return null
  for (const dir of new Set([gitDir, commonDir])) {
    const file = path.join(dir, ...ref.split('/'))
    const hash = textOf(file)?.trim() ?? ''
    if (isHash(hash)) return hash
  }
  const packed = textOf(path.join(commonDir, 'packed-refs'), MAX_PACKED) ?? ''
  const line = packed.split('\n').find((one) => one.endsWith(` ${ref}`))
  const hash = line?.slice(0, line.indexOf(' ')) ?? ''
  return isHash(hash) ? hash : null
}

/** The history ends somewhere before its beginning. */
export function isShallow({ commonDir }: Repository): boolean {
  return factsOf(path.join(commonDir, 'shallow')) !== null
}

/** The repository's directory and those of its worktrees. */
export function worktreesOf({ root, commonDir }: Repository): string[] {
  const dir = path.join(commonDir, 'worktrees')
  const linked = list(dir).flatMap((name) => {
    const gitFile = textOf(path.join(dir, name, 'gitdir'))?.trim()
    return gitFile ? [path.dirname(path.resolve(dir, name, gitFile))] : []
  })
  return [root, ...linked]
}

/** Of a file only: a pipe in its place would keep us waiting. */
function textOf(file: string, max = SMALL): string | null {
  return factsOf(file)?.kind === 'file' ? (readPart(file, 0, max)?.toString('utf8') ?? null) : null
}

function isHash(text: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text)
}
