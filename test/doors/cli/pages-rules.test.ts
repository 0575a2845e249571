/** `rules`, `page` and `init` as people and skills use them. */
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { PAGE_TEMPLATES } from '../../../src/core/pages/page.ts'
import { BUILT_IN_RULES, parseRules } from '../../../src/core/pages/rule.ts'
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
import { errorOf, jsonOf, printed, typed } from '../../support/typed.ts'

const SECRET = `gh${'p_'}aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hI6`

const read = (project: TestProject, name: string): string => fs.readFileSync(path.join(project.memory, name), 'utf8')

/** A memory that is ours. */
function kept(files: Record<string, string> = {}): TestProject {
  const project = makeProject()
  expect(typed(project, 'config set saveInterval 25').code).toBe(0)
  for (const [name, text] of Object.entries(files)) write(path.join(project.memory, name), text)
  return project
}

describe('rules list', () => {
  it('shows the built-in rules, and writes nothing', () => {
    const project = makeProject()
    const none = { permanent: [], proposed: [], retired: [], unused: [] }

    const file = path.join(project.memory, 'rules.md')
    expect(jsonOf(project, 'rules list')).toEqual({ rules: [], builtIn: BUILT_IN_RULES, file, told: true, ...none })
    expect(printed(project, 'rules list')).toContain(`Built in\n      ${BUILT_IN_RULES[0]}\n`)
    expect(treeOf(project.root)).toEqual({})
  })

  it('shows the own ones, harmless for the terminal, and that they are switched off', () => {
    const project = kept({ 'rules.md': '- one \u001b]0;title\u0007\n' })
    typed(project, 'config set rules false')
    const out = printed(project, 'rules list')

    expect(out).toContain('1  one ]0;title')
    expect(out).not.toContain('\u001b]')
    expect(out).toContain('memory-keeper config set rules true')
    expect(jsonOf(kept({ 'rules.md': '# Rules\n' }), 'rules list').rules).toEqual([])
  })
})

describe('rules add', () => {
  it('writes only the own one and changes nothing about the built-in ones, and redacts a secret', () => {
    const project = makeProject()
    const ran = typed(project, 'rules add Never push to main.')

    expect(ran).toMatchObject({ code: 0, err: '', out: expect.stringContaining('Added: Never push to main.') })
    expect(parseRules(read(project, 'rules.md'))).toEqual(['Never push to main.'])
    expect(jsonOf(project, 'rules list').builtIn).toEqual(BUILT_IN_RULES)
    expect(printed(project, 'rules add "Cut no corners."')).toContain('It is a built-in rule already.')
    expect(printed(project, `rules add Use ${SECRET} for the API.`)).toContain('1 secret redacted')
    expect(read(project, 'rules.md')).toContain('Use [redacted:')
    expect(read(project, 'rules.md')).not.toContain(SECRET)
  })

  it('adds one line to a file of the user, once, and changes nothing else', () => {
    const before = '# Ours\r\n<!-- why -->\r\n1. first'
    const project = kept({ 'rules.md': before })
    const after = `${before}\r\n- second\r\n`

    expect(jsonOf(project, 'rules add second')).toMatchObject({
      ...{ rule: 'second', rules: ['first', 'second'], claudeMd: 'same' },
    })
    expect(read(project, 'rules.md')).toBe(after)
    expect(printed(project, 'rules add " SECOND"')).toContain('already')
    expect(read(project, 'rules.md')).toBe(after)
  })

  it.each(['---', 'x'.repeat(501), '"<!-- -->"'])('refuses %s', (words) => {
    const project = makeProject()

    expect(typed(project, `rules add -- ${words}`).code).toBe(2)
    expect(treeOf(project.root)).toEqual({})
  })

  it('leaves a file alone that would not come back the same', () => {
    const project = kept()
    const bytes = Buffer.from([0x2d, 0x20, 0xff, 0x0a])
    write(path.join(project.memory, 'rules.md'), bytes)

    expect(errorOf(project, 'rules add x')).toBe('not-text')
    expect(fs.readFileSync(path.join(project.memory, 'rules.md'))).toEqual(bytes)
  })

  it('is not written to when it is too long to be read as a whole', () => {
    const long = '- A rule.\n'.repeat(7000)
    const project = kept({ 'rules.md': long })
    expect(errorOf(project, 'rules add x')).toBe('not-text')
    expect(read(project, 'rules.md')).toBe(long)
  })
})

describe('rules remove', () => {
  it('takes a rule by its number as listed, or by words, and says what to do about a built-in one', () => {
    const project = kept({ 'rules.md': '# R\n- alpha one\n- beta two\n- gamma three\n' })

    expect(printed(project, 'rules remove 2')).toContain('Removed: beta two')
    expect(jsonOf(project, 'rules remove three gamma').rules).toEqual(['alpha one'])
    expect(read(project, 'rules.md')).toBe('# R\n- alpha one\n')
    expect(errorOf(makeProject(), 'rules remove corners')).toBe('built-in')
  })

  it.each([
    ['9', 'no-rule'],
    ['0', 'no-rule'],
    ['nowhere', 'no-rule'],
    ['run', 'ambiguous'],
  ])('refuses %s', (given, code) => {
    const project = kept({ 'rules.md': '- run tests\n- run lint\n' })

    const { error } = jsonOf(project, `rules remove ${given}`)
    expect(error.code).toBe(code)
    expect(error.message).toContain(code === 'ambiguous' ? 'The rules 1, 2 contain run.' : 'memory-keeper rules list')
    expect(read(project, 'rules.md')).toBe('- run tests\n- run lint\n')
  })
})

describe('rules with claudeMdSync', () => {
  it('reach CLAUDE.md at once', () => {
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

  it('say why CLAUDE.md was left alone; the rule is kept', () => {
    const project = kept()
    write(path.join(project.root, 'CLAUDE.md'), '<!-- memory-keeper:end -->\n')
    typed(project, 'config set claudeMdSync true')

    expect(typed(project, 'rules add kept')).toMatchObject({
      code: 0,
      out: expect.stringContaining('begin marker is missing'),
    })
    expect(parseRules(read(project, 'rules.md'))).toContain('kept')
  })
})

describe('page set', () => {
  it('takes the text from the option, from a file and from stdin', () => {
    const project = makeProject()
    write(path.join(project.root, 'notes.txt'), 'from a file\n')
    typed(project, 'page set one --text given')
    typed(project, 'page set two --file notes.txt')
    expect(typed(project, 'page set 세번째', {}, 'piped\n')).toMatchObject({ code: 0, err: '' })

    const texts = ['one', 'two', '세번째'].map((name) => read(project, `${name}.md`))
    expect(texts).toEqual(['given\n', 'from a file\n', 'piped\n'])
  })

  it('replaces a page, or adds to it in a line of its own', () => {
    const project = kept({ 'Notes.md': 'by hand\r\nlast' })
    typed(project, 'page set notes --append --text more')
    expect(read(project, 'Notes.md')).toBe('by hand\r\nlast\nmore\n')

    typed(project, 'page set notes.md --text new')
    expect(read(project, 'Notes.md')).toBe('new\n')
    expect(fs.existsSync(path.join(project.memory, 'notes.md'))).toBe(false)
  })

  it('redacts secrets and private parts', () => {
    const project = makeProject()

    expect(jsonOf(project, `page set x --text "key ${SECRET} <private>home</private> end"`).redactions).toBe(2)
    expect(read(project, 'x.md')).toMatch(/^key \[redacted:[^\]]+\] .*end\n$/)
    expect(read(project, 'x.md')).not.toContain('home')
  })

  it.each([
    ['../x --text x', 'usage'],
    ['rules --text x', 'usage'],
    ['x --text " "', 'empty-page'],
    ['x --text a --file b', 'usage'],
    ['x --file none.md', 'no-file'],
    ['x --file .', 'no-file'],
    ['x --file image.png', 'not-text'],
  ])('refuses %s', (line, code) => {
    const project = makeProject()
    write(path.join(project.root, 'image.png'), Buffer.from([0x89, 0x50, 0, 0]))
    const before = treeOf(project.root)

    expect(errorOf(project, `page set ${line}`)).toBe(code)
    expect(treeOf(project.root)).toEqual(before)
  })
})

it('page set refuses more than 64 KB', () => {
  expect(errorOf(makeProject(), `page set x --text ${'x'.repeat(70_000)}`)).toBe('too-large')
})

describe('page get and list', () => {
  it('print a page, harmless for the terminal', () => {
    const project = kept({ 'project.md': '\ufeff# Shop\nA \u001b[2Jshop.\n' })

    expect(printed(project, 'page get project')).toBe('# Shop\nA �[2Jshop.\n')
    expect(jsonOf(project, 'page get Project.md')).toEqual({
      ...{ name: 'project', text: '# Shop\nA \u001b[2Jshop.\n', bytes: 22 },
    })
    expect(jsonOf(kept({ 'one.md': 'x' }), 'page get other').error).toMatchObject({
      ...{ code: 'no-page', message: expect.stringContaining('There are: one.') },
    })
  })

  it('list pages only, sorted, with what they are about', () => {
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

  it('use the first 64 KB of a page that somebody made too long, and say so', () => {
    const ran = typed(kept({ 'long.md': '가'.repeat(30_000) }), 'page get long')

    expect(ran.out).toBe(`${'가'.repeat(21_845)}\n`)
    expect(ran.err).toContain('64 KB')
  })

  it('have the names of the seeds', () => {
    const project = makeProject()
    typed(project, 'memory-set project --text "A shop."')

    expect(printed(project, 'memory-get project')).toBe('A shop.\n')
    expect(jsonOf(project, 'memory-list')).toEqual(jsonOf(project, 'page list'))
  })
})

describe('init', () => {
  it('makes the memory with its templates, and says what to do next', () => {
    const project = makeProject()
    const ran = runCommand(project, ['init'])

    expect(ran).toMatchObject({ code: 0, err: '' })
    for (const [name, text] of Object.entries(PAGE_TEMPLATES)) expect(read(project, `${name}.md`)).toBe(text)
    expect(read(project, '.gitignore')).toBe('*\n')
    for (const said of ['statusLine', 'memory-keeper uninstall', 'memory-keeper doctor'])
      expect(ran.out).toContain(said)
  })

  it('says how many earlier sessions there are, and of none nothing', () => {
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

  it("refuses a stranger's memory", () => {
    const project = makeProject()
    write(path.join(project.memory, 'project.md'), 'strange')

    expect(runCommandJson(project, ['init']).json.error.code).toBe('foreign')
  })
})
