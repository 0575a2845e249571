/** Which project a directory belongs to, and that two projects share nothing. */
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { openStore } from '../../../../src/kernel/memory/disk/store.ts'
import { findProject, findSurroundings, locate, worktreesOf } from '../../../../src/kernel/platform/disk/locate.ts'
import { catchUp } from '../../../../src/kernel/sessions/disk/catch-up.ts'
import {
  linesFor,
  makeProject,
  now,
  projectAt,
  sessionId,
  tempDir,
  textsIn,
  turns,
  write,
} from '../../../support/project.ts'

const IDENTITY = ['-c', 'user.name=t', '-c', 'user.email=t@example.org', '-c', 'protocol.file.allow=always']

function git(cwd: string, ...args: string[]): void {
  execFileSync('git', [...IDENTITY, ...args], { cwd, stdio: 'pipe' })
}

function makeRepository(name = 'app', base = tempDir()): string {
  const root = path.join(base, name)
  fs.mkdirSync(root, { recursive: true })
  git(root, 'init', '-q')
  git(root, 'commit', '-q', '--allow-empty', '-m', 'first')
  return root
}

const rootOf = (dir: string): string => findProject(dir).root

describe('the project of a directory', () => {
  it('is its git root, from any depth and by way of a symbolic link; the directory itself without git', () => {
    const root = makeRepository()
    const [deep, link] = [path.join(root, 'a', 'b'), path.join(path.dirname(root), 'link')]
    const plain = path.join(tempDir(), 'plain', 'deep')
    for (const dir of [deep, plain]) fs.mkdirSync(dir, { recursive: true })
    fs.symlinkSync(root, link)

    expect([root, deep].map(rootOf)).toEqual([root, root])
    expect(findProject(link)).toEqual(findProject(root))
    expect(rootOf(plain)).toBe(plain)
  })

  it('is the main root for a worktree, with absolute and with relative paths', () => {
    const root = makeRepository()
    const worktree = path.join(path.dirname(root), 'tree')
    git(root, 'worktree', 'add', '-q', worktree)
    expect(rootOf(worktree)).toBe(root)

    fs.writeFileSync(path.join(worktree, '.git'), 'gitdir: ../app/.git/worktrees/tree\n')
    fs.writeFileSync(path.join(root, '.git', 'worktrees', 'tree', 'gitdir'), '../../../../tree/.git\n')
    expect(rootOf(worktree)).toBe(root)
  })

  it('is a submodule itself, not the repository around it', () => {
    const base = tempDir()
    const inner = makeRepository('inner', base)
    const outer = makeRepository('outer', base)
    git(outer, 'submodule', '--quiet', 'add', inner, 'part')

    expect(rootOf(path.join(outer, 'part'))).toBe(path.join(outer, 'part'))
  })

  it('is not another project that a planted .git file names', () => {
    const victim = makeRepository('victim')
    git(victim, 'worktree', 'add', '-q', path.join(path.dirname(victim), 'tree'))
    const hostile = path.join(tempDir(), 'hostile')
    write(path.join(hostile, '.git'), `gitdir: ${victim}/.git/worktrees/tree\n`)
    expect(rootOf(hostile)).toBe(hostile)

    write(path.join(hostile, '.git'), `gitdir: ${victim}/.git\n`)
    expect(rootOf(hostile)).toBe(hostile)

    // A worktree directory of its own, which names the other one as its main one.
    write(path.join(hostile, '.git'), 'gitdir: wt\n')
    write(path.join(hostile, 'wt', 'gitdir'), `${hostile}/.git\n`)
    write(path.join(hostile, 'wt', 'commondir'), `${victim}/.git\n`)
    expect(rootOf(hostile)).toBe(hostile)
  })

  it('has a key that is a short plain file name, whatever the directory is called, and no other project has it', () => {
    const base = tempDir()
    for (const name of ['C:\\Users\\me', 'my app (1)', '한글 프로젝트', 'con', 'a:b*c?']) {
      const dir = path.join(base, name)
      fs.mkdirSync(dir)
      expect(findProject(dir).key).toMatch(/^[\p{L}\p{N}._-]+-[0-9a-f]{10}$/u)
    }
    for (const name of ['n'.repeat(240), '프'.repeat(80)]) {
      const { trustRecord } = locate(path.join(base, name), { home: '/home/ada', configDir: undefined })
      expect(Buffer.byteLength(path.basename(trustRecord))).toBeLessThan(225)
    }
    expect(findProject(makeRepository()).key).not.toBe(findProject(makeRepository()).key)
  })

  it('keeps its home files where CLAUDE_CONFIG_DIR says', () => {
    const places = locate(tempDir(), { home: '/home/me', configDir: '/else/where' })

    expect(places.homeDir).toBe('/else/where/memory-keeper')
    expect(places.vault.startsWith('/else/where/memory-keeper/vault/')).toBe(true)
  })
})

describe('the cache directory', () => {
  const home = os.homedir()
  const cacheOf = (env: NodeJS.ProcessEnv, platform: NodeJS.Platform): string | undefined =>
    findSurroundings(env, platform)?.cacheDir

  it.each<[NodeJS.Platform, NodeJS.ProcessEnv, string]>([
    ['linux', {}, path.join(home, '.cache', 'memory-keeper')],
    ['linux', { XDG_CACHE_HOME: '/var/cache/ada' }, '/var/cache/ada/memory-keeper'],
    ['linux', { XDG_CACHE_HOME: 'relative' }, path.join(home, '.cache', 'memory-keeper')],
    ['linux', { XDG_CACHE_HOME: '' }, path.join(home, '.cache', 'memory-keeper')],
    ['darwin', {}, path.join(home, 'Library', 'Caches', 'memory-keeper')],
    ['win32', {}, path.join(home, 'AppData', 'Local', 'memory-keeper')],
    ['win32', { LOCALAPPDATA: '/users/ada/local', XDG_CACHE_HOME: '/x' }, '/users/ada/local/memory-keeper'],
  ])('on %s with %j is %s', (platform, env, expected) => {
    expect(cacheOf(env, platform)).toBe(expected)
  })

  it('is told with the places of a project; without one it is empty', () => {
    expect(locate(tempDir(), { home, configDir: undefined, cacheDir: '/c' }).cacheDir).toBe('/c')
    expect(locate(tempDir(), { home, configDir: undefined }).cacheDir).toBe('')
  })
})

describe('projects that the host does not tell apart', () => {
  it('never share sessions', () => {
    const base = tempDir()
    const home = path.join(base, 'home')
    const dashed = path.join(base, 'b-c')
    const nested = path.join(base, 'b', 'c')
    for (const dir of [home, dashed, nested]) fs.mkdirSync(dir, { recursive: true })
    const one = projectAt(dashed, home)
    const other = projectAt(nested, home)
    expect(one.transcriptOf(sessionId(1))).toBe(other.transcriptOf(sessionId(1)))
    write(one.transcriptOf(sessionId(1)), turns(linesFor(sessionId(1), dashed), 0, 1))
    write(one.transcriptOf(sessionId(2)), turns(linesFor(sessionId(2), nested), 7, 8))

    for (const project of [one, other]) {
      for (let times = 0; times < 2; times++)
        catchUp(openStore(locate(project.root, project.around), { now }), { waitMs: 1000, now, look: 'all' })
    }

    expect(textsIn(one.memory)).toEqual(['question 0', 'echo 0', 'answer 0'])
    expect(textsIn(other.memory)).toEqual(['question 7', 'echo 7', 'answer 7'])
  })

  it('take in the sessions of their subdirectories and worktrees', () => {
    const project = makeProject()
    git(project.root, 'init', '-q')
    git(project.root, 'commit', '-q', '--allow-empty', '-m', 'first')
    const tree = path.join(project.root, '.claude', 'worktrees', 'feature')
    git(project.root, 'worktree', 'add', '-q', tree)
    const sub = path.join(project.root, 'packages', 'one')
    fs.mkdirSync(sub, { recursive: true })
    for (const [n, dir] of [project.root, tree, sub].entries()) {
      const session = sessionId(n + 1)
      write(projectAt(dir, project.home).transcriptOf(session), turns(linesFor(session, dir), n, n + 1))
    }

    catchUp(openStore(locate(tree, project.around), { now }), { waitMs: 1000, now, look: 'all' })

    expect(
      textsIn(project.memory)
        .filter((text) => text.startsWith('question'))
        .sort(),
    ).toEqual(['question 0', 'question 1', 'question 2'])
  })
})

/** A project with a worktree beside it, as `git worktree add ../feature` makes one. */
function withSibling(): { project: ReturnType<typeof makeProject>; tree: string } {
  const project = makeProject()
  git(project.root, 'init', '-q')
  git(project.root, 'commit', '-q', '--allow-empty', '-m', 'first')
  const tree = path.join(project.base, 'feature')
  git(project.root, 'worktree', 'add', '-q', tree)
  return { project, tree }
}

describe('the worktrees of a project', () => {
  it('are those that its git names and that point back', () => {
    const { project, tree } = withSibling()
    const moved = path.join(project.base, 'moved')
    git(project.root, 'worktree', 'add', '-q', moved)
    fs.renameSync(moved, path.join(project.base, 'away'))

    expect(worktreesOf(project.root)).toEqual([tree])
    expect(worktreesOf(tree)).toEqual([])
    expect(worktreesOf(tempDir())).toEqual([])
  })

  it('are never another project that a planted file names, nor anything that is no plain file', () => {
    const victim = makeRepository('victim')
    const hostile = makeRepository('hostile')
    const names = path.join(hostile, '.git', 'worktrees')
    write(path.join(names, 'a', 'gitdir'), `${victim}/.git\n`)
    write(path.join(names, 'b', 'gitdir'), '\n')
    write(path.join(names, 'c', 'gitdir'), 'x'.repeat(200_000))
    write(path.join(names, 'g', 'gitdir'), `${'x'.repeat(5_000)}\n`)
    write(path.join(names, 'h', 'gitdir'), `${victim}/\0/.git\n`)
    write(path.join(names, 'd', 'gitdir', 'file'), '')
    write(path.join(names, 'e'), 'no directory')
    fs.mkdirSync(path.join(names, 'f'))
    fs.symlinkSync(path.join(names, 'a', 'gitdir'), path.join(names, 'f', 'gitdir'))

    expect(worktreesOf(hostile)).toEqual([])
  })

  it('are found although another one lies where nobody may look', ({ skip }) => {
    if (process.platform === 'win32' || process.getuid?.() === 0) skip('nothing is closed to this user')
    const { project, tree } = withSibling()
    const closed = path.join(project.base, 'closed')
    git(project.root, 'worktree', 'add', '-q', path.join(closed, 'tree'))
    fs.chmodSync(closed, 0)
    const found = worktreesOf(project.root)
    fs.chmodSync(closed, 0o700)

    expect(found).toEqual([tree])
  })

  it.skipIf(process.platform === 'win32')('are found although a pipe lies in the place of a file', () => {
    const { project, tree } = withSibling()
    const dir = path.join(project.root, '.git', 'worktrees', 'piped')
    fs.mkdirSync(dir)
    execFileSync('mkfifo', [path.join(dir, 'gitdir')])

    expect(worktreesOf(project.root)).toEqual([tree])
  })
})

describe('a session in a worktree beside the project', () => {
  const [KILLED, LATER] = [sessionId(1), sessionId(2)] as const

  function caughtUp(project: ReturnType<typeof makeProject>): string[] {
    catchUp(openStore(locate(project.root, project.around), { now }), { waitMs: 1000, now, look: 'unfinished' })
    return fs.existsSync(project.memory) ? textsIn(project.memory).filter((text) => text.startsWith('question')) : []
  }

  it('is caught up by a start in the main checkout', () => {
    const { project, tree } = withSibling()
    const src = path.join(tree, 'src')
    fs.mkdirSync(src)
    write(projectAt(tree, project.home).transcriptOf(KILLED), turns(linesFor(KILLED, tree), 0, 1))
    write(projectAt(src, project.home).transcriptOf(LATER), turns(linesFor(LATER, src), 1, 2))

    expect(caughtUp(project)).toEqual(['question 0', 'question 1'])
  })

  it('is caught up after the worktree was removed, when the project has another session from there', () => {
    const { project, tree } = withSibling()
    const beside = projectAt(tree, project.home)
    write(beside.transcriptOf(KILLED), turns(linesFor(KILLED, tree), 0, 1))
    caughtUp(project)
    write(beside.transcriptOf(LATER), turns(linesFor(LATER, tree), 1, 2))
    const stranger = sessionId(3)
    write(beside.transcriptOf(stranger), turns(linesFor(stranger, path.join(project.base, 'gone')), 5, 6))
    git(project.root, 'worktree', 'remove', '--force', tree)

    expect(caughtUp(project)).toEqual(['question 0', 'question 1'])
  })
})

describe('a project whose path is longer than the host’s names of directories', () => {
  it('finds its sessions and those of its subdirectories', () => {
    const base = tempDir()
    const root = path.join(base, 'x'.repeat(120), 'y'.repeat(120))
    const sub = path.join(root, 'packages', 'one')
    fs.mkdirSync(sub, { recursive: true })
    git(root, 'init', '-q')
    const project = projectAt(root, path.join(base, 'home'))
    const stranger = path.join(path.dirname(root), 'y'.repeat(121))
    fs.mkdirSync(stranger)
    for (const [n, dir] of [root, sub, stranger].entries())
      write(
        projectAt(dir, project.home).transcriptOf(sessionId(n + 1)),
        turns(linesFor(sessionId(n + 1), dir), n, n + 1),
      )
    catchUp(openStore(project.places, { now }), { waitMs: 1000, now, look: 'all' })

    expect(textsIn(project.memory).filter((text) => text.startsWith('question'))).toEqual(['question 0', 'question 1'])
  })
})
