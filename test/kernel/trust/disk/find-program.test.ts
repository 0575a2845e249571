/** Programs are never taken from inside the project, however PATH leads there. */
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { readHistory } from '../../../../src/core/knowledge/disk/git-history.ts'
import { findClaude } from '../../../../src/core/model/disk/headless.ts'
import { findProgram, type ProgramSearch, projectRoots } from '../../../../src/kernel/trust/disk/find-program.ts'
import { repositoryAt } from '../../../../src/kernel/trust/disk/git-head.ts'
import { gitIn, hasGit } from '../../../support/git.ts'
import { tempDir } from '../../../support/project.ts'

function makeProgram(file: string): string {
  fs.mkdirSync(path.dirname(file), { recursive: true })
  fs.writeFileSync(file, `#!/bin/sh\necho hostile > ${JSON.stringify(`${file}.ran`)}\n`, { mode: 0o755 })
  return file
}

describe.skipIf(process.platform === 'win32')('a program', () => {
  const base = tempDir()
  const root = path.join(base, 'app')
  const own = makeProgram(path.join(base, 'usr', 'git'))
  const hostile = makeProgram(path.join(root, 'bin', 'git'))
  fs.symlinkSync(path.join(root, 'bin'), path.join(base, 'linked-dir'))
  fs.mkdirSync(path.join(base, 'linked-file'))
  fs.symlinkSync(hostile, path.join(base, 'linked-file', 'git'))
  const search = (PATH: string, more: Partial<ProgramSearch> = {}): ProgramSearch => ({
    env: { PATH },
    platform: process.platform,
    roots: [root],
    ...more,
  })
  const behind = (dir: string): string => `${dir}:${path.dirname(own)}`

  it.each([
    ['the project', path.join(root, 'bin')],
    ['the project, the long way round', path.join(root, 'src', '..', 'bin')],
    ['a relative directory', 'bin'],
    ['the current directory', '.'],
    ['an empty entry', ''],
    ['a link to a directory in the project', path.join(base, 'linked-dir')],
    ['a directory with a link to a program in the project', path.join(base, 'linked-file')],
  ])('is not taken from %s', (_, dir) => {
    expect(findProgram('git', search(dir))).toBeNull()
    expect(findProgram('git', search(behind(dir)))).toBe(own)
  })

  it('is not taken from a project that is reached by a link', () => {
    fs.symlinkSync(root, path.join(base, 'way'))

    expect(findProgram('git', search(path.join(root, 'bin'), { roots: [path.join(base, 'way')] }))).toBeNull()
  })

  it('that is named by its path counts only where that is whole and outside of the project', () => {
    expect(findProgram(own, search(''))).toBe(own)
    expect(findProgram(hostile, search(''))).toBeNull()
    expect(findProgram('./git', search(''))).toBeNull()
    expect(findProgram('bin/git', search(''))).toBeNull()
  })

  it("is taken from below the user's home, where that itself is the project", () => {
    const env = { PATH: path.join(root, 'bin'), HOME: path.join(root, 'me') }

    expect(findProgram('git', search('', { env }))).toBe(hostile)
  })

  it.skipIf(!hasGit)('is not taken from a worktree of the project', () => {
    const repo = path.join(base, 'repo')
    fs.mkdirSync(repo)
    const git = gitIn(repo)
    git('init', '-q', '-b', 'main')
    git('commit', '-q', '--allow-empty', '-m', 'first')
    git('worktree', 'add', '-q', path.join(base, 'tree'))
    const tree = makeProgram(path.join(base, 'tree', 'bin', 'git'))
    const PATH = path.dirname(tree)

    expect(findProgram('git', search(PATH, { roots: projectRoots(repo) }))).toBeNull()
    const repository = repositoryAt(repo)
    if (repository === null) throw new Error('no repository')
    const since = '2000-01-01T00:00:00.000Z'
    expect(readHistory(repository, since, { env: { PATH }, platform: process.platform })).toBeNull()
    expect(fs.existsSync(`${tree}.ran`)).toBe(false)
  })

  it('named claude is not taken from the project either', () => {
    makeProgram(path.join(root, 'bin', 'claude'))
    const outside = makeProgram(path.join(base, 'usr', 'claude'))

    expect(findClaude(search(path.join(root, 'bin')), null)).toBeNull()
    expect(findClaude(search(behind(path.join(root, 'bin'))), null)?.command).toBe(outside)
  })
})

describe('on Windows', () => {
  const find = (name: string, files: readonly string[], Path: string): string | null =>
    findProgram(
      name,
      { env: { Path, PATHEXT: '.BAT;.CMD;.EXE' }, platform: 'win32', roots: ['C:\\src\\app'] },
      { isProgram: (file) => files.includes(file), realPath: (file) => file },
    )

  it('a program has its ending, and a batch file is none', () => {
    expect(find('git', ['C:\\tools\\git.cmd', 'C:\\tools\\git.bat', 'C:\\tools\\git'], 'C:\\tools')).toBeNull()
    expect(find('git', ['C:\\tools\\git.exe'], '"C:\\tools"')).toBe('C:\\tools\\git.exe')
    expect(find('more.com', ['C:\\Windows\\more.com'], 'C:\\Windows')).toBe('C:\\Windows\\more.com')
  })

  it('no program is taken from the project, the current directory or the current drive', () => {
    const files = ['git.exe', '.\\git.exe', '\\tools\\git.exe', 'C:\\src\\app\\git.exe', 'c:\\SRC\\app\\bin\\git.exe']

    for (const dir of ['', '.', '\\tools', 'C:\\src\\app', 'c:\\SRC\\app\\bin'])
      expect(find('git', files, dir)).toBeNull()
  })
})
