/** The way out: what we added goes, and nothing else; with --purge no file of ours is left. */
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Json, runCommand, runCommandJson } from '../../../support/process.ts'
import {
  append,
  dialog,
  linesFor,
  madeOnce,
  makeProject,
  projectAt,
  sessionId,
  story,
  type TestProject,
  treeOf,
  turns,
  write,
} from '../../../support/project.ts'
import { hookHere, stop } from '../../../support/world.ts'

const SESSION = sessionId(1)

/** Somebody's project with a memory, a search, a section in CLAUDE.md, copies and settings. */
function liveIn(project: TestProject): TestProject {
  write(path.join(project.root, 'CLAUDE.md'), '# Mine\n')
  write(path.join(project.root, '.claude', 'settings.json'), '{}')
  append(
    project.transcriptOf(SESSION),
    story(linesFor(SESSION, project.root)) + dialog(linesFor(SESSION, project.root), 20, 'Where?', 'In the lexer'),
  )
  runCommand(project, ['config', 'set', 'summarizer', 'extractive'])
  stop(project)
  hookHere(project, { hook_event_name: 'SessionStart', session_id: sessionId(9), source: 'startup' })
  runCommand(project, ['final'])
  runCommand(project, ['page', 'set', 'project', '--text', 'A parser.'])
  runCommand(project, ['config', 'set', 'claudeMdSync', 'true'])
  runCommand(project, ['search', 'parser'])
  runCommand(project, ['status'])
  return project
}

const lived = madeOnce(() => liveIn(makeProject()))

const uninstall = (project: TestProject, ...args: string[]): Json =>
  runCommandJson(project, ['uninstall', ...args]).json
const ours = (tree: Record<string, string>): string[] =>
  Object.keys(tree).filter((name) => name.includes('memory') && !name.includes('projects/-'))

describe('uninstall', () => {
  it('shows what would go and removes nothing without a yes', () => {
    const project = lived()
    const before = treeOf(project.base)

    const ran = runCommand(project, ['uninstall', '--purge', '--all'])
    expect(ran).toMatchObject({ code: 0, err: '' })
    expect(ran.out).toContain('Nothing was removed yet')
    expect(ran.out).toContain('claude plugin uninstall memory-keeper@memory-keeper')
    runCommand(project, ['uninstall', '--yes', '--dry-run'])
    expect(treeOf(project.base)).toEqual(before)
  })

  it('takes out what we added and keeps the memory, which is ours again after an installation', () => {
    const project = lived()
    expect(fs.readFileSync(path.join(project.root, 'CLAUDE.md'), 'utf8')).toContain('memory-keeper:begin')
    const [memory, entries] = ['memory.md', 'facts.json'].map((name) =>
      fs.readFileSync(path.join(project.memory, name), 'utf8'),
    )

    write(path.join(project.memory, 'sessions', 'settled', '2026-01.jsonl'), '{"id":"a","transcript":"/t"}\n')
    expect(uninstall(project, '--yes')).toMatchObject({ done: true, failed: [] })
    expect(fs.readFileSync(path.join(project.root, 'CLAUDE.md'), 'utf8')).toBe('# Mine\n')
    for (const gone of ['memory-index.json', 'sessions/settled', 'journal', 'logs', 'notices.json', '.lock'])
      expect(fs.existsSync(path.join(project.memory, gone)), gone).toBe(false)
    expect(fs.existsSync(path.join(project.home, '.cache', 'memory-keeper'))).toBe(false)
    expect(fs.readdirSync(path.join(project.memory, 'sessions')).length).toBeGreaterThan(0)

    // Installed again.
    runCommand(project, ['config', 'set', 'claudeMdSync', 'false'])
    append(project.transcriptOf(SESSION), turns(linesFor(SESSION, project.root), 10, 12))
    stop(project)
    expect(runCommandJson(project, ['status']).json).toMatchObject({ standing: 'ours', sessions: 1 })
    expect(runCommand(project, ['verify']).code).toBe(0)
    expect(fs.readFileSync(path.join(project.memory, 'memory.md'), 'utf8')).toBe(memory)
    expect(fs.readFileSync(path.join(project.memory, 'facts.json'), 'utf8')).toBe(entries)
  })

  it('with --purge leaves nothing of this project, and other projects alone', () => {
    const project = lived()
    const other = liveIn(projectAt(path.join(project.base, 'other'), project.home))
    const otherMemory = treeOf(other.memory)

    expect(uninstall(project, '--purge', '--yes')).toMatchObject({ done: true, failed: [] })
    expect(fs.existsSync(project.memory)).toBe(false)
    expect(Object.keys(treeOf(project.keeper)).filter((name) => name.includes(project.places.project.key))).toEqual([])
    expect(fs.readFileSync(path.join(project.root, '.claude', 'settings.json'), 'utf8')).toBe('{}')
    expect(treeOf(other.memory)).toEqual(otherMemory)
    expect(runCommandJson(other, ['status']).json).toMatchObject({ standing: 'ours', sessions: 1 })
  })

  it('with --purge --all leaves no file of ours anywhere', () => {
    const project = lived()
    const other = liveIn(projectAt(path.join(project.base, 'other'), project.home))
    runCommand(other, ['scrub'])

    expect(uninstall(project, '--purge', '--all', '--yes')).toMatchObject({ done: true, failed: [], kept: [] })
    expect(ours(treeOf(project.base))).toEqual([])
    for (const one of [project, other])
      expect(fs.readFileSync(path.join(one.root, 'CLAUDE.md'), 'utf8')).toBe('# Mine\n')
    // What the host wrote is the host's.
    expect(fs.existsSync(project.transcriptOf(SESSION))).toBe(true)
  })

  it('removes the memory of a project that is stored at home, and its section', () => {
    const project = makeProject()
    runCommand(project, ['config', 'set', 'storage', 'home'])
    liveIn(project)
    const other = makeProject('second', project.base)
    expect(fs.readFileSync(path.join(project.root, 'CLAUDE.md'), 'utf8')).toContain('memory-keeper:begin')

    uninstall(other, '--purge', '--all', '--yes')
    expect(fs.readFileSync(path.join(project.root, 'CLAUDE.md'), 'utf8')).toBe('# Mine\n')
    expect(ours(treeOf(project.base))).toEqual([])
  })

  it("leaves a stranger's memory, and what came with the repository", () => {
    const project = makeProject()
    write(path.join(project.memory, 'memory.md'), 'strange')

    const plan = uninstall(project, '--purge', '--yes')
    expect(plan.kept).toMatchObject([{ path: project.memory }])
    expect(fs.readFileSync(path.join(project.memory, 'memory.md'), 'utf8')).toBe('strange')
  })

  it('leaves what a team shares', () => {
    const project = lived()
    write(path.join(project.memory, 'shared', 'ann', 'memory.md'), 'from Ann')

    const { kept } = uninstall(project, '--purge', '--yes')
    expect(kept).toMatchObject([
      { path: path.join(project.memory, 'shared') },
      { path: project.keeper, what: 'your settings and copies (config.json)' },
    ])
    expect(fs.readdirSync(project.memory).sort()).toEqual(['.gitignore', 'shared'])
  })

  it('says of what is not read why it stays', () => {
    const project = lived()
    runCommand(project, ['untrust'])

    expect(uninstall(project, '--purge').kept[0]).toMatchObject({
      path: project.memory,
      what: expect.stringContaining('or you untrusted it'),
    })
  })

  it('where there is nothing says so', () => {
    const project = makeProject()

    expect(runCommand(project, ['uninstall', '--yes']).out).toContain('Nothing of ours is there to remove.')
    expect(treeOf(project.base)).toEqual({ app: 'directory', home: 'directory' })
  })
})

/** Somebody else's files beside the project; whatever links there, they stay. */
function beside(project: TestProject): { dir: string; isWhole: () => boolean } {
  const dir = path.join(project.base, 'Documents')
  write(path.join(dir, 'thesis.txt'), 'years of work')
  write(path.join(dir, 'sub', 'alice', 'chapter.txt'), 'more')
  const before = JSON.stringify(treeOf(dir))
  return { dir, isWhole: () => JSON.stringify(treeOf(dir)) === before }
}

function linkAt(place: string, to: string): void {
  fs.rmSync(place, { recursive: true, force: true })
  fs.mkdirSync(path.dirname(place), { recursive: true })
  fs.symlinkSync(to, place)
}

const WAYS = [['--purge'], ['--purge', '--all']]

describe('a link below a project', () => {
  const places =
    `shared shared/bob shared/alice sessions sessions/archive journal journal/briefings logs notes memory.md
    memory-index.json notices.json .lock .gitignore x.1234.tmp . ..`.split(/\s+/)
  it.each(places)('at %s leads nobody out of it', (name) => {
    for (const { team, way } of [
      { team: true, way: ['--purge'] },
      { team: false, way: ['--purge', '--all'] },
      { team: false, way: [] },
    ]) {
      const project = lived()
      const { dir, isWhole } = beside(project)
      runCommand(project, ['share', '--as', 'bob'])
      if (team) write(path.join(project.memory, 'shared', 'ann', 'memory.md'), 'from Ann')
      linkAt(path.join(project.memory, name), dir)
      runCommand(project, ['uninstall', ...way, '--yes'])

      expect(isWhole(), `${name} ${way.join(' ')}`).toBe(true)
    }
  })

  it('is told of neither as ours nor as large', () => {
    const project = lived()
    const { dir } = beside(project)
    runCommand(project, ['share', '--as', 'bob'])
    write(path.join(project.memory, 'shared', 'ann', 'memory.md'), 'from Ann')
    linkAt(path.join(project.memory, 'shared', 'bob'), dir)

    expect(runCommand(project, ['uninstall', '--purge']).out).not.toContain('what you share')
  })
})

describe('a link at home', () => {
  it.each(['.claude/memory-keeper', '.cache/memory-keeper'])(
    'at %s gives up what is ours, and nothing else',
    (name) => {
      const project = lived()
      const { dir } = beside(project)
      const place = path.join(project.home, name)
      for (const one of fs.readdirSync(place)) fs.renameSync(path.join(place, one), path.join(dir, one))
      linkAt(place, dir)

      expect(uninstall(project, '--purge', '--all', '--yes')).toMatchObject({ failed: [], kept: [{ path: place }] })
      expect(fs.readdirSync(dir).sort()).toEqual(['sub', 'thesis.txt'])
    },
  )

  it.each(['vault', 'projects', 'trust', 'backups', 'logs'])('at %s leaves what others keep where it leads', (name) => {
    for (const way of WAYS) {
      const project = lived()
      const { dir, isWhole } = beside(project)
      linkAt(path.join(project.keeper, name), dir)
      runCommand(project, ['uninstall', ...way, '--yes'])

      expect(isWhole(), way.join(' ')).toBe(true)
    }
  })
})

it('uninstall believes no record that names a strange place', () => {
  const project = liveIn(makeProject())
  const { dir } = beside(project)
  const memory = path.join(dir, '.claude', 'memory')
  write(path.join(memory, 'memory.md'), 'somebody else’s')
  write(path.join(memory, '.owner'), 'token\n')
  const before = treeOf(dir)
  const strange = ['/', '', '.', '/.claude/memory', dir, project.home, '../.claude/memory', `${dir}/../..`, memory]
  for (const [n, place] of strange.entries())
    for (const token of ['other', ''])
      write(path.join(project.keeper, 'trust', `x${n}-${token}.json`), JSON.stringify({ path: place, token }))
  write(path.join(project.keeper, 'trust', 'broken.json'), '{')
  runCommand(project, ['uninstall', '--purge', '--all', '--yes'])

  expect(treeOf(dir)).toEqual(before)
  expect(ours(treeOf(project.base)).filter((name) => !name.startsWith('Documents'))).toEqual([])
})
