/** Git's index as real git writes it, in every version and form, and as nobody should write it. */
import fs from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readTracked, type TrackedFile } from '../../../../src/kernel/trust/disk/git-index.ts'
import { gitIn, hasGit } from '../../../support/git.ts'
import { tempDir, write } from '../../../support/project.ts'

const MEMORY = ['.claude', 'memory']

function ask(root: string, more: Partial<Parameters<typeof readTracked>[0]> = {}): TrackedFile[] | null {
  const file = path.join(root, '.git', 'index')
  return readTracked({ file, below: MEMORY, outside: 0, isSha256: false, ...more })
}

function repository(files: readonly string[], ...init: string[]): { root: string; git: (...args: string[]) => string } {
  const root = tempDir()
  const git = gitIn(root)
  git('init', '-q', ...init)
  for (const file of files) write(path.join(root, file), `${file}\n`)
  git('add', '-f', '.')
  return { root, git }
}

/** What git itself says. */
function told(git: (...args: string[]) => string): TrackedFile[] {
  return git('ls-files', '-s', '-z', '.claude/memory')
    .split('\0')
    .filter((line) => line !== '')
    .map((line) => {
      const [, id = '', , name = ''] = /^\d+ ([0-9a-f]+) (\d)\t(.*)$/s.exec(line) ?? []
      return { path: name.replace(/^\.claude\/memory\//, ''), id }
    })
}

function sorted(files: readonly TrackedFile[] | null): TrackedFile[] | null {
  return files?.toSorted((a, b) => (a.path < b.path ? -1 : 1)) ?? null
}

const MANY = Array.from({ length: 150 }, (_, n) => `src/part${n % 7}/file${n}.ts`)
const PLANTED = [
  '.claude/memory/rules.md',
  '.claude/memory/sessions/a.l1.jsonl',
  `.claude/memory/${'x'.repeat(200)}.md`,
]

describe.skipIf(!hasGit)('the index of real git', () => {
  it.each(['2', '3', '4'])('of version %s tells which files of the memory are tracked, and as what', (version) => {
    const { root, git } = repository([...MANY, ...PLANTED, '.claude/settings.json', '.claude/memory.md', 'zz'])
    git('update-index', '--index-version', version)
    // An extended entry, which makes a version 3 of it.
    if (version !== '2') git('update-index', '--skip-worktree', '.claude/memory/rules.md')
    if (version !== '2') expect(fs.readFileSync(path.join(root, '.git', 'index')).readUInt32BE(4)).toBe(Number(version))

    expect(ask(root)).toHaveLength(3)
    expect(sorted(ask(root))).toEqual(sorted(told(git)))
  })

  it.each(['2', '4'])('that is split, of version %s, knows what was added, changed and removed since', (version) => {
    const { root, git } = repository([...MANY, ...PLANTED])
    git('config', 'splitIndex.maxPercentChange', '100')
    git('update-index', '--index-version', version)
    git('update-index', '--split-index')
    expect(fs.readdirSync(path.join(root, '.git')).some((name) => name.startsWith('sharedindex.'))).toBe(true)
    expect(sorted(ask(root))).toEqual(sorted(told(git)))
    write(path.join(root, '.claude/memory/rules.md'), 'changed\n')
    write(path.join(root, '.claude/memory/facts.json'), '{}\n')
    write(path.join(root, MANY[3] ?? ''), 'changed, too\n')
    git('rm', '-q', '--cached', '.claude/memory/sessions/a.l1.jsonl', ...MANY.slice(90, 140))
    git('add', '-f', '.claude/memory/rules.md', '.claude/memory/facts.json', MANY[3] ?? '')

    expect(ask(root)?.map((file) => file.path)).not.toContain('sessions/a.l1.jsonl')
    expect(sorted(ask(root))).toEqual(sorted(told(git)))
    for (const name of fs.readdirSync(path.join(root, '.git')))
      if (name.startsWith('sharedindex.')) fs.rmSync(path.join(root, '.git', name))
    expect(ask(root)).toBeNull()
  })

  it('with long ids tells the same', () => {
    const { root, git } = repository([...MANY, ...PLANTED], '--object-format=sha256')

    expect(ask(root, { isSha256: true })?.[0]?.id).toHaveLength(64)
    expect(sorted(ask(root, { isSha256: true }))).toEqual(sorted(told(git)))
  })

  it('tells all sides of a merge that stopped', () => {
    const { root, git } = repository(['.claude/memory/memory.md'])
    git('commit', '-qm', 'first')
    git('checkout', '-qb', 'other')
    write(path.join(root, '.claude/memory/memory.md'), 'theirs\n')
    git('commit', '-qam', 'theirs')
    git('checkout', '-q', '-')
    write(path.join(root, '.claude/memory/memory.md'), 'ours\n')
    git('commit', '-qam', 'ours')
    expect(() => git('merge', 'other')).toThrow()

    expect(ask(root)?.map((file) => file.path)).toEqual(['memory.md', 'memory.md', 'memory.md'])
  })

  it('finds the memory in whatever case and with signs that some file systems do not see', () => {
    const { root, git } = repository(['README.md'])
    const ours = [
      '.CLAUDE/Memory/a',
      '.claude/MEMORY/b',
      '.cla\u200cude/memory/c',
      '.claude./memory /d',
      'CLAUDE~1/memory/e',
    ]
    const others = ['.claude/memory2/f', '.claudia/memory/g', 'x.claude/memory/h', 'claude/memory/i']
    const id = git('hash-object', '-w', 'README.md').trim()
    const unprotected = ['-c', 'core.protectHFS=false', '-c', 'core.protectNTFS=false']
    const added = [...ours, ...others].flatMap((name) => ['--cacheinfo', `100644,${id},${name}`])
    git(...unprotected, 'update-index', '--add', ...added)

    expect(sorted(ask(root))?.map((file) => file.path)).toEqual(['a', 'b', 'c', 'd', 'e'])
  })

  it('tells of links and submodules in the place of the memory, and of links on the way to it', () => {
    const { root, git } = repository(['README.md'])
    const id = git('hash-object', '-w', 'README.md').trim()
    const put = (mode: string, name: string): void => {
      git('rm', '-rq', '--cached', '--ignore-unmatch', '.claude')
      git('update-index', '--add', '--cacheinfo', `${mode},${id},${name}`)
    }
    put('160000', '.claude/memory')
    expect(ask(root)).toEqual([{ path: '', id, isLink: true }])
    put('120000', '.claude')
    expect(ask(root)).toEqual([{ path: '', id, isLink: true }])
    // Its own index says what is in it.
    put('160000', '.claude')
    expect(ask(root)).toEqual([])
    put('120000', '.claude/memory/shared')
    expect(ask(root)).toEqual([{ path: 'shared', id, isLink: true }])
    put('100755', '.claude/memory/shared/run')
    expect(ask(root)).toEqual([{ path: 'shared/run', id }])
  })

  it('of a repository around the project tells of the project only', () => {
    const { root, git } = repository(['apps/web/.claude/memory/rules.md', '.claude/memory/rules.md', 'apps/api/x'])
    const below = ['apps', 'web', ...MEMORY]
    expect(ask(root, { below, outside: 2 })?.map((file) => file.path)).toEqual(['rules.md'])
    git('rm', '-rq', '--cached', 'apps/web')
    git('update-index', '--add', '--cacheinfo', `160000,${git('hash-object', 'apps/api/x').trim()},apps/web`)

    expect(ask(root, { below, outside: 2 })).toEqual([])
  })

  it('agrees with git about any set of names', () => {
    const { root, git } = repository(['README.md'])
    const id = git('hash-object', '-w', 'README.md').trim()
    const parts = ['.claude', 'memory', 'a', 'b.md', 'ünï', '日本', 'x'.repeat(300), '.claude-x', 'memory_1.md']
    const part = fc.constantFrom(...parts)
    const name = fc.array(part, { minLength: 1, maxLength: 4 }).map((all) => [...all, 'leaf'].join('/'))
    fc.assert(
      fc.property(fc.uniqueArray(name, { maxLength: 12 }), fc.constantFrom('2', '4'), (names, version) => {
        fs.rmSync(path.join(root, '.git', 'index'), { force: true })
        git('update-index', '--index-version', version)
        git('update-index', '--add', ...names.flatMap((one) => ['--cacheinfo', `100644,${id},${one}`]))

        expect(sorted(ask(root))).toEqual(sorted(told(git)))
      }),
      { numRuns: 25 },
    )
  })
})

describe('an index', () => {
  it('that is not there tracks nothing', () => {
    expect(ask(tempDir())).toEqual([])
  })

  it('that is none is not understood, and never an error', () => {
    const root = tempDir()
    const file = path.join(root, '.git', 'index')
    const looks = (text: Buffer): TrackedFile[] | null => {
      write(file, text)
      return ask(root)
    }
    const header = Buffer.from('DIRC\0\0\0\x02\0\0\0\x01', 'latin1')
    expect(looks(Buffer.from('what is this?'))).toBeNull()
    expect(looks(Buffer.concat([Buffer.from('DIRC\0\0\0\x05\0\0\0\0', 'latin1'), Buffer.alloc(20)]))).toBeNull()
    expect(looks(Buffer.concat([header, Buffer.alloc(30)]))).toBeNull()
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), fc.constantFrom(2, 3, 4), fc.nat(9), (bytes, version, count) => {
        const head = Buffer.from(header)
        head[7] = version
        head[11] = count
        const found = looks(Buffer.concat([head, bytes]))

        expect(found === null || Array.isArray(found)).toBe(true)
      }),
    )
  })

  it.skipIf(!hasGit)('that was cut anywhere is not understood, or tells no name that is not in it', () => {
    const { root } = repository([...MANY.slice(0, 20), ...PLANTED])
    const file = path.join(root, '.git', 'index')
    const whole = fs.readFileSync(file)
    const names = new Set(ask(root)?.map((one) => one.path))
    fc.assert(
      fc.property(fc.nat(whole.length - 1), (length) => {
        fs.writeFileSync(file, whole.subarray(0, length))

        for (const one of ask(root) ?? []) expect(names).toContain(one.path)
      }),
    )
  })
})
