/** Which repositories of git could write into a memory: told by their files, without git. */
import path from 'node:path'
import { type FileStat, readBelow, realPath, statOf } from '../../platform/disk/files.ts'
import type { Places } from '../../platform/disk/locate.ts'
import type { IndexQuestion } from './git-index.ts'

/** These files are a line or two; a configuration may be longer. */
const SMALL = 65_536

interface GitIndex extends Omit<IndexQuestion, 'isSha256'> {
  facts: FileStat | null
}

/** Of every repository whose working tree holds the memory: its own, those around it, one that begins inside of `.claude`. */
export function indexesOver({ inProject, project }: Places): GitIndex[] {
  const found: GitIndex[] = []
  for (let dir = inProject; ; dir = path.dirname(dir)) {
    const gitDir = gitDirIn(dir)
    if (gitDir !== null) {
      const file = path.join(gitDir, 'index')
      const below = namesFrom(dir, inProject)
      const outside = namesFrom(dir, project.root).length
      found.push({ file, below, outside, facts: statOf(file) })
    }
    if (dir === path.dirname(dir)) return found
  }
}

function namesFrom(dir: string, below: string): string[] {
  const way = path.relative(dir, below)
  return way === '' || way.startsWith('..') ? [] : way.split(path.sep)
}

/** Null: none begins there. A `.git` that is a file or a link leads elsewhere; git itself never checks one out. */
function gitDirIn(dir: string): string | null {
  const dotGit = path.join(dir, '.git')
  const kind = statOf(dotGit)?.kind
  if (kind === undefined || kind === 'dir') return kind === undefined ? null : dotGit
  const target = kind === 'link' ? realPath(dotGit) : dotGit
  if (statOf(target)?.kind !== 'file') return kind === 'link' ? target : null
  const named = /^gitdir: (.+)$/m.exec(smallText(path.dirname(target), path.basename(target)))?.[1]?.trim()
  return named ? path.resolve(path.dirname(target), named) : null
}

/** A worktree has its configuration in the repository that it belongs to. */
export function isSha256(indexFile: string): boolean {
  const gitDir = path.dirname(indexFile)
  const common = smallText(gitDir, 'commondir').trim()
  const config = smallText(common === '' ? gitDir : path.resolve(gitDir, common), 'config')
  return /^[^\S\n]*objectformat\s*=\s*"?sha256/im.test(config)
}

function smallText(dir: string, name: string): string {
  return readBelow(dir, name, SMALL) ?? ''
}
