/** Git as a source: what it tells of real repositories, and that no repository makes it start anything. */
import { execFileSync, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { type GitWorld, readHistory } from '../../../../src/core/knowledge/disk/git-history.ts'
import type { FileHistory } from '../../../../src/core/knowledge/fact-stale.ts'
import { once } from '../../../../src/kernel/text/once.ts'
import { headOf, repositoryAt } from '../../../../src/kernel/trust/disk/git-head.ts'
import { GIT, gitIn, hasGit } from '../../../support/git.ts'
import { tempDir, write } from '../../../support/project.ts'

const SINCE = '2026-01-01T00:00:00.000Z'
const DAY = 86_400
const BEGAN = Date.parse('2026-01-05T12:00:00Z') / 1000

const world: GitWorld = { env: { PATH: process.env.PATH, HOME: '/nowhere' }, platform: process.platform }

function historyOf(root: string, more: Partial<GitWorld> = {}, since = SINCE): FileHistory | null {
  const repository = repositoryAt(root)
  return repository === null ? null : readHistory(repository, since, { ...world, ...more })
}

/** A copy: seven starts of git for each test take longer than the tests. */
function repository(): string {
  const dir = path.join(tempDir(), 'repo')
  fs.cpSync(model(), dir, { recursive: true })
  return dir
}

/** Three commits, a day apart: one.txt begins, then two files change, then one is removed. */
const model = once(() => {
  const dir = path.join(tempDir(), 'repo')
  fs.mkdirSync(dir)
  const git = gitIn(dir)
  git('init', '-q', '-b', 'main')
  commitAt(dir, 0, { 'one.txt': 'a', 'src/two words.ts': 'b' })
  commitAt(dir, 1, { 'one.txt': 'aa', 'src/두 번째.ts': 'c' })
  fs.rmSync(path.join(dir, 'one.txt'))
  commitAt(dir, 2, {})
  return dir
})

function commitAt(dir: string, day: number, files: Record<string, string>, writtenDay = day): void {
  for (const [name, text] of Object.entries(files)) write(path.join(dir, name), text)
  gitIn(dir)('add', '-A')
  gitIn(dir, {
    GIT_COMMITTER_DATE: `${BEGAN + day * DAY} +0900`,
    GIT_AUTHOR_DATE: `${BEGAN + writtenDay * DAY} -0500`,
  })('commit', '-q', '--allow-empty', '-m', `day ${day}`)
}

const dayAt = (day: number): string => new Date((BEGAN + day * DAY) * 1000).toISOString()

describe.skipIf(!hasGit)('the history', () => {
  it('tells which files changed when, the newest first, without the commit that took them in', () => {
    const root = repository()
    const seen = historyOf(root)

    expect(seen?.isComplete).toBe(true)
    expect(seen?.commits.map(({ at, files }) => ({ at, files }))).toEqual([
      { at: dayAt(2), files: ['one.txt'] },
      { at: dayAt(1), files: ['one.txt', 'src/두 번째.ts'] },
    ])
    expect(seen?.tracked).toEqual(['src/two words.ts', 'src/두 번째.ts'])
    expect(seen?.commits[0]?.hash).toBe(headOf(repositoryAt(root) ?? fail()))
  })

  it('tells when a commit was written and when it came here, and begins where it is asked to', () => {
    const root = repository()
    commitAt(root, 9, { 'src/two words.ts': 'x' }, 3)
    const seen = historyOf(root, {}, dayAt(5))

    expect(seen?.commits).toHaveLength(1)
    expect(seen?.commits[0]).toMatchObject({ at: dayAt(9), writtenAt: dayAt(3) })
  })

  it.skipIf(process.platform === 'win32')('is the same from a git that cannot filter by time', () => {
    const root = repository()
    const bin = path.join(path.dirname(root), 'old git')
    const real = execFileSync('/bin/sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim()
    write(path.join(bin, 'git'), `#!/bin/sh\ncase "$*" in *--since-as-filter*) exit 128;; esac\nexec '${real}' "$@"\n`)
    fs.chmodSync(path.join(bin, 'git'), 0o755)

    expect(historyOf(root, { env: { ...process.env, PATH: bin } })).toEqual(historyOf(root))
  })

  it('takes names as they are, whatever they look like', () => {
    const root = repository()
    const odd =
      process.platform === 'win32' ? ['a b'] : ['\n', '\u0001x', `${'0'.repeat(40)} 1 1 ${'0'.repeat(40)}`, '"q"', '-z']
    commitAt(root, 3, Object.fromEntries(odd.map((name) => [name, 'x'])))

    expect(historyOf(root)?.commits[0]?.files.toSorted()).toEqual(odd.toSorted())
  })

  it('is that of the worktree’s own branch, and knows all worktrees', () => {
    const root = repository()
    const other = path.join(path.dirname(root), 'other tree')
    gitIn(root)('worktree', 'add', '-q', '-b', 'side', other)
    commitAt(other, 4, { 'side.txt': 'x' })

    expect(historyOf(other)?.commits[0]?.files).toEqual(['side.txt'])
    expect(headOf(repositoryAt(other) ?? fail())).toBe(gitIn(other)('rev-parse', 'HEAD').trim())
    expect(historyOf(root)?.commits[0]?.files).toEqual(['one.txt'])
    expect(historyOf(root)?.roots.map((one) => fs.realpathSync(one))).toEqual(
      [root, other].map((one) => fs.realpathSync(one)),
    )
  })
})

describe.skipIf(!hasGit)('the commit that is checked out', () => {
  it.each([
    ['a branch', []],
    ['a packed branch', [['pack-refs', '--all']]],
    ['a commit by itself', [['checkout', '-q', '--detach']]],
    ['a branch with a slash', [['checkout', '-q', '-b', 'fix/a.b/c']]],
  ])('is read from files: %s', (_, commands) => {
    const root = repository()
    for (const args of commands) gitIn(root)(...args)

    expect(headOf(repositoryAt(root) ?? fail())).toBe(gitIn(root)('rev-parse', 'HEAD').trim())
  })

  it('is unknown before the first commit, and where the name leads elsewhere', () => {
    const root = path.join(tempDir(), 'empty')
    fs.mkdirSync(root)
    gitIn(root)('init', '-q')

    expect(headOf(repositoryAt(root) ?? fail())).toBeNull()
    write(path.join(root, '.git', 'HEAD'), 'ref: refs/../../secret\n')
    write(path.join(root, 'secret'), `${'a'.repeat(40)}\n`)
    expect(headOf(repositoryAt(root) ?? fail())).toBeNull()
    fs.rmSync(path.join(root, '.git', 'HEAD'))
    fs.mkdirSync(path.join(root, '.git', 'HEAD'))
    expect(headOf(repositoryAt(root) ?? fail())).toBeNull()
  })
})

describe('nothing is known', () => {
  it('without a repository', () => {
    expect(repositoryAt(tempDir())).toBeNull()
  })

  it.skipIf(!hasGit)('without git on PATH, or with one only inside the project or at a relative path', () => {
    const root = repository()
    const bin = path.join(root, 'node_modules', '.bin')
    write(path.join(bin, 'git'), '#!/bin/sh\ntouch ran\n')
    fs.chmodSync(path.join(bin, 'git'), 0o755)

    for (const PATH of ['', bin, './node_modules/.bin', path.join(root, 'nowhere')]) {
      expect(historyOf(root, { env: { PATH } })).toBeNull()
    }
    expect(fs.existsSync(path.join(root, 'ran'))).toBe(false)
  })

  it.skipIf(!hasGit)('of a shallow clone, an empty repository and a broken one', () => {
    const root = repository()
    const shallow = path.join(path.dirname(root), 'shallow')
    gitIn(path.dirname(root))('clone', '-q', '--depth', '1', `file://${root}`, shallow)
    const empty = path.join(path.dirname(root), 'empty')
    fs.mkdirSync(empty)
    gitIn(empty)('init', '-q')
    const broken = path.join(path.dirname(root), 'broken')
    fs.mkdirSync(path.join(broken, '.git'), { recursive: true })

    expect(historyOf(shallow)).toBeNull()
    expect(historyOf(empty)).toBeNull()
    expect(historyOf(broken)).toBeNull()
  })

  it.skipIf(!hasGit)('of a repository around a project that has none', () => {
    const root = repository()
    fs.mkdirSync(path.join(root, 'inner', '.git'), { recursive: true })

    expect(historyOf(path.join(root, 'inner'))).toBeNull()
  })

  it.skipIf(!hasGit)('when git does not answer in time', () => {
    expect(historyOf(repository(), { timeoutMs: 1 })?.isComplete ?? false).toBe(false)
  })
})

/** Every program a repository can name leaves a mark when it is started. */
describe.skipIf(!hasGit || process.platform === 'win32')('a hostile repository', () => {
  function hostile(): { root: string; mark: string; settings: string[] } {
    const root = repository()
    const mark = path.join(path.dirname(root), 'was started')
    const program = path.join(root, 'evil.sh')
    write(program, `#!/bin/sh\ntouch '${mark}'\n`)
    fs.chmodSync(program, 0o755)
    write(path.join(root, '.gitattributes'), '* diff=evil filter=evil\n')
    for (const hook of ['post-index-change', 'reference-transaction', 'pre-auto-gc']) {
      fs.copyFileSync(program, path.join(root, '.git', 'hooks', hook))
      fs.chmodSync(path.join(root, '.git', 'hooks', hook), 0o755)
    }
    commitAt(root, 3, { 'one.txt': 'evil' })
    sign(root)
    // Our own commits started the hooks.
    fs.rmSync(mark, { force: true })
    return { root, mark, settings: [...PROGRAMS.map((name) => `${name}=${program}`), ...SETTINGS] }
  }

  /** `core.pager=less`, `diff.evil.command=evil.sh`: as git writes them into its file. */
  function configure(root: string, settings: readonly string[]): void {
    for (const one of settings) {
      const [, section, sub, key, value] = /^(\w+)(?:\.(\w+))?\.([\w-]+)=(.*)$/.exec(one) ?? []
      const head = sub === undefined ? section : `${section} "${sub}"`
      fs.appendFileSync(path.join(root, '.git', 'config'), `[${head}]\n\t${key} = "${value}"\n`)
    }
  }

  /** The last commit anew, with what looks like a signature: showing it asks the program that is set for it. */
  function sign(root: string): void {
    const [head = '', ...body] = gitIn(root)('cat-file', 'commit', 'HEAD').split('\n\n')
    const signature = 'gpgsig -----BEGIN PGP SIGNATURE-----\n \n AAAA\n -----END PGP SIGNATURE-----'
    const made = spawnSync(GIT, ['hash-object', '-t', 'commit', '-w', '--stdin'], {
      cwd: root,
      input: `${head}\n${signature}\n\n${body.join('\n\n')}`,
      encoding: 'utf8',
    })
    gitIn(root)('update-ref', 'HEAD', made.stdout.trim())
  }

  const PROGRAMS = [
    ...'core.fsmonitor core.pager pager.log core.sshCommand core.askPass core.editor core.gitProxy'.split(' '),
    ...'core.alternateRefsCommand diff.external diff.evil.command diff.evil.textconv filter.evil.clean'.split(' '),
    ...'filter.evil.smudge filter.evil.process gpg.program gpg.ssh.program gpg.x509.program'.split(' '),
    ...'credential.helper trace2.eventTarget uploadpack.packObjectsHook alias.log alias.ls-tree'.split(' '),
  ]
  const SETTINGS = [
    ...'log.showSignature=true core.untrackedCache=true diff.relative=true color.ui=always'.split(' '),
    ...'format.pretty=oneline log.follow=true log.decorate=full core.quotePath=true'.split(' '),
  ]

  it('starts nothing and tells the same', () => {
    const { root, mark, settings } = hostile()
    const honest = historyOf(root)
    configure(root, settings)
    const seen = historyOf(root)

    expect(fs.existsSync(mark)).toBe(false)
    expect(seen).toEqual(honest)
    expect(seen?.commits[0]?.files).toContain('one.txt')
  })

  it('would have started something: the marks work', () => {
    const { root, mark, settings } = hostile()
    configure(root, settings)
    for (const args of [['log', '-1'], ['diff', 'HEAD~1', 'HEAD'], ['status']]) {
      fs.rmSync(mark, { force: true })
      spawnSync(GIT, args, { cwd: root, stdio: 'ignore' })
      expect(fs.existsSync(mark), args.join(' ')).toBe(true)
    }
  })

  it('whose objects are elsewhere is not fetched from there', () => {
    const { root, mark } = hostile()
    const program = path.join(root, 'evil.sh')
    const partial = path.join(path.dirname(root), 'partial')
    gitIn(root)('config', 'uploadpack.allowFilter', 'true')
    gitIn(path.dirname(root))('clone', '-q', '--no-checkout', '--filter=tree:0', `file://${root}`, partial)
    fs.rmSync(mark, { force: true })
    gitIn(partial)('config', 'remote.origin.uploadpack', program)
    gitIn(partial)('config', 'remote.origin.url', `ext::${program}`)
    gitIn(partial)('config', 'protocol.ext.allow', 'always')

    expect(historyOf(partial)).toBeNull()
    expect(fs.existsSync(mark)).toBe(false)
  })

  it('cannot point us elsewhere through the environment', () => {
    const { root } = hostile()
    const other = repository()
    const env = { ...world.env, GIT_DIR: path.join(other, '.git'), GIT_EXTERNAL_DIFF: 'false', GIT_TRACE: '1' }

    expect(historyOf(root, { env })).toEqual(historyOf(root))
  })
})

function fail(): never {
  throw new Error('there is no repository')
}
