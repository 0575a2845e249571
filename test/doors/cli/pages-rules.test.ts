/** `rules`, `page` and `init` as people and skills use them. */
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { PAGE_TEMPLATES } from '../../../src/core/pages/page.ts'
import { BUILT_IN_RULES } from '../../../src/core/pages/rule.ts'
import { runCommand, runCommandJson } from '../../support/process.ts'
import {
  append,
  linesFor,
  makeProject,
  sessionId,
  type TestProject,
  treeOf,
  turn,
  write,
} from '../../support/project.ts'
import { jsonOf, printed, typed } from '../../support/typed.ts'

const read = (project: TestProject, name: string): string => fs.readFileSync(path.join(project.memory, name), 'utf8')

/** A memory that is ours. */
function kept(files: Record<string, string> = {}): TestProject {
  const project = makeProject()
  expect(typed(project, 'config set saveInterval 25').code).toBe(0)
  for (const [name, text] of Object.entries(files)) write(path.join(project.memory, name), text)
  return project
}

describe('rules list', () => {
  it('rules list shows the built-in rules, and writes nothing', () => {
    const project = makeProject()
    const none = { permanent: [], proposed: [], retired: [], unused: [] }

    const file = path.join(project.memory, 'rules.md')
    expect(jsonOf(project, 'rules list')).toEqual({ rules: [], builtIn: BUILT_IN_RULES, file, told: true, ...none })
    expect(printed(project, 'rules list')).toContain(`Built in\n      ${BUILT_IN_RULES[0]}\n`)
    expect(treeOf(project.root)).toEqual({})
  })

  it('rules list shows the own ones, harmless for the terminal, and that they are switched off', () => {
    const project = kept({ 'rules.md': '- one \u001b]0;title\u0007\n' })
    typed(project, 'config set rules false')
    const out = printed(project, 'rules list')

    expect(out).toContain('1  one ]0;title')
    expect(out).not.toContain('\u001b]')
    expect(out).toContain('memory-keeper config set rules true')
    expect(jsonOf(kept({ 'rules.md': '# Rules\n' }), 'rules list').rules).toEqual([])
  })
})

describe('rules with claudeMdSync', () => {
  it('rules reach CLAUDE.md at once, by commands and settings', () => {
    const project = kept({ 'rules.md': '- one\n' })
    const file = path.join(project.root, 'CLAUDE.md')
    const claudeMd = (): string => fs.readFileSync(file, 'utf8')
    write(file, 'mine')
    typed(project, 'config set claudeMdSync true')
    expect(claudeMd()).toContain('- Cut no corners.\n')
    typed(project, 'config set builtinRules off')
    expect(claudeMd()).not.toContain('- Cut no corners.\n')

    expect(jsonOf(project, 'rules add two').claudeMd).toBe('written')
    expect(claudeMd()).toMatch(/^mine\n<!-- [\s\S]*- one\n- two\n<!-- memory-keeper:end -->\n$/)
    typed(project, 'rules remove one')
    expect(claudeMd()).not.toContain('- one')
    expect(jsonOf(project, 'rules remove two').claudeMd).toBe('removed')
    expect(claudeMd()).toBe('mine')
  })
})

describe('page get and list', () => {
  it('page list has pages only, sorted, with what they are about', () => {
    const others = ['memory.md', 'memory_20260113_120000.md', 'rules.md', 'not a page.md'].map((name) => [name, 'x'])
    const project = kept({
      'zeta.md': 'last\n',
      'alpha.md': '# Alpha\n\nThe first page.\n',
      'project.md': PAGE_TEMPLATES.project ?? '',
      ...Object.fromEntries(others),
    })

    expect(jsonOf(project, 'page list').pages).toEqual([
      { name: 'alpha', bytes: 25, isEmpty: false, about: 'The first page.' },
      { name: 'project', bytes: PAGE_TEMPLATES.project?.length, isEmpty: true, about: '' },
      { name: 'zeta', bytes: 5, isEmpty: false, about: 'last' },
    ])
    expect(printed(makeProject(), 'page list')).toContain('memory-keeper init')
  })

  it('page commands have the names of the seeds', () => {
    const project = makeProject()
    typed(project, 'memory-set project --text "A shop."')

    expect(printed(project, 'memory-get project')).toBe('A shop.\n')
    expect(jsonOf(project, 'memory-list')).toEqual(jsonOf(project, 'page list'))
  })
})

describe('init', () => {
  it('init makes the memory with its templates, and says what to do next', () => {
    const project = makeProject()
    const ran = runCommand(project, ['init'])

    expect(ran).toMatchObject({ code: 0, err: '' })
    for (const [name, text] of Object.entries(PAGE_TEMPLATES)) expect(read(project, `${name}.md`)).toBe(text)
    expect(read(project, '.gitignore')).toBe('*\n')
    for (const said of ['statusLine', 'memory-keeper uninstall', 'memory-keeper doctor'])
      expect(ran.out).toContain(said)
  })

  it('init says how many earlier sessions there are, and of none nothing', () => {
    const project = makeProject()
    expect(runCommand(project, ['init', '--dry-run']).out).not.toContain('memory-keeper import')
    for (const n of [1, 2]) append(project.transcriptOf(sessionId(n)), turn(linesFor(sessionId(n), project.root), n))

    expect(runCommand(project, ['init']).out).toMatch(/memory-keeper import +import 2 earlier sessions/)
    expect(runCommandJson(project, ['init']).json.earlierSessions).toBe(2)
  })

  it('overwrites nothing, and does nothing the second time', () => {
    const project = kept({ 'project.md': 'mine' })

    expect(runCommandJson(project, ['init']).json).toMatchObject({
      isNew: false,
      written: ['architecture', 'conventions', 'lessons', 'workflow'],
      kept: ['project'],
    })
    const before = treeOf(project.root)
    expect(runCommandJson(project, ['init', '--force']).json).toMatchObject({ isNew: false, written: [] })
    expect(treeOf(project.root)).toEqual(before)
    expect(read(project, 'project.md')).toBe('mine')
  })

  it('refuses the home directory unless it is meant', () => {
    const project = makeProject()
    const atHome = ['--project', project.home]

    expect(runCommandJson(project, ['init', ...atHome]).json.error.code).toBe('no-project')
    expect(treeOf(project.home)).toEqual({})
    expect(runCommandJson(project, ['init', '--force', ...atHome]).code).toBe(0)
  })

  it("init refuses a stranger's memory", () => {
    const project = makeProject()
    write(path.join(project.memory, 'project.md'), 'strange')

    expect(runCommandJson(project, ['init']).json.error.code).toBe('foreign')
  })
})
