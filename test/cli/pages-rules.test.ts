/** `rules`, `page` and `init` as people and skills use them. */
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { PAGE_TEMPLATES } from '../../src/pages/page.ts'
import { BUILT_IN_RULES, parseRules } from '../../src/pages/rule.ts'
import { runCommand, runCommandJson } from '../support/process.ts'
import { append, linesFor, makeProject, sessionId, type TestProject, treeOf, turn, write } from '../support/project.ts'

const SECRET = `gh${'p_'}aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hI6`

const read = (project: TestProject, name: string): string => fs.readFileSync(path.join(project.memory, name), 'utf8')

/** A memory that is ours. */
function kept(files: Record<string, string> = {}): TestProject {
  const project = makeProject()
  expect(runCommand(project, ['config', 'set', 'saveInterval', '25']).code).toBe(0)
  for (const [name, text] of Object.entries(files)) write(path.join(project.memory, name), text)
  return project
}

describe('rules list', () => {
  it('shows the built-in rules, and writes nothing', () => {
    const project = makeProject()

    expect(runCommandJson(project, ['rules', 'list']).json).toEqual({
      rules: BUILT_IN_RULES,
      from: 'built-in',
      told: true,
      permanent: [],
      proposed: [],
      retired: [],
    })
    expect(runCommand(project, ['rules', 'list']).out).toContain(`1  ${BUILT_IN_RULES[0]}`)
    expect(treeOf(project.root)).toEqual({})
  })

  it('shows the own ones, harmless for the terminal, and that they are switched off', () => {
    const project = kept({ 'rules.md': '- one \u001b]0;title\u0007\n' })
    runCommand(project, ['config', 'set', 'rules', 'false'])
    const { out } = runCommand(project, ['rules', 'list'])

    expect(out).toContain('1  one ]0;title')
    expect(out).not.toContain('\u001b]')
    expect(out).toContain('memory-keeper config set rules true')
  })

  it('says that a file without rules means none', () => {
    expect(runCommandJson(kept({ 'rules.md': '# Rules\n' }), ['rules', 'list']).json.rules).toEqual([])
  })
})

describe('rules add', () => {
  it('keeps the built-in rules beside the first own one, and says so', () => {
    const project = makeProject()
    const ran = runCommand(project, ['rules', 'add', 'Never', 'push', 'to', 'main.'])

    expect(ran).toMatchObject({ code: 0, err: '' })
    expect(ran.out).toContain('8 built-in rules stay')
    expect(parseRules(read(project, 'rules.md'))).toEqual([...BUILT_IN_RULES, 'Never push to main.'])
  })

  it('adds one line to a file of the user, and changes nothing else', () => {
    const before = '# Ours\r\n<!-- why -->\r\n1. first'
    const project = kept({ 'rules.md': before })
    const { json } = runCommandJson(project, ['rules', 'add', 'second'])

    expect(json).toMatchObject({ rule: 'second', rules: ['first', 'second'], claudeMd: 'same', dryRun: false })
    expect(read(project, 'rules.md')).toBe(`${before}\r\n- second\r\n`)
  })

  it('adds no rule twice', () => {
    const project = kept({ 'rules.md': '- Run tests.\n' })

    expect(runCommand(project, ['rules', 'add', 'run  TESTS.']).out).toContain('already')
    expect(read(project, 'rules.md')).toBe('- Run tests.\n')
  })

  it('redacts a secret', () => {
    const project = makeProject()
    runCommand(project, ['rules', 'add', `Use ${SECRET} for the API.`])

    expect(read(project, 'rules.md')).toContain('Use [redacted:')
    expect(read(project, 'rules.md')).not.toContain(SECRET)
  })

  it.each([[['---']], [['x'.repeat(501)]], [['<!-- -->']]])('refuses %j', (words) => {
    const project = makeProject()

    expect(runCommand(project, ['rules', 'add', '--', ...words]).code).toBe(2)
    expect(treeOf(project.root)).toEqual({})
  })

  it('leaves a file alone that would not come back the same', () => {
    const project = kept()
    fs.writeFileSync(path.join(project.memory, 'rules.md'), Buffer.from([0x2d, 0x20, 0xff, 0x0a]))

    expect(runCommandJson(project, ['rules', 'add', 'x']).json.error.code).toBe('not-text')
    expect(fs.readFileSync(path.join(project.memory, 'rules.md'))).toEqual(Buffer.from([0x2d, 0x20, 0xff, 0x0a]))
  })
})

describe('rules remove', () => {
  it('takes a rule by its number as listed, or by words', () => {
    const project = kept({ 'rules.md': '# R\n- alpha one\n- beta two\n- gamma three\n' })

    expect(runCommand(project, ['rules', 'remove', '2']).out).toContain('Removed: beta two')
    expect(runCommandJson(project, ['rules', 'remove', 'three', 'gamma']).json.rules).toEqual(['alpha one'])
    expect(read(project, 'rules.md')).toBe('# R\n- alpha one\n')
  })

  it('takes a built-in rule and keeps the others', () => {
    const project = makeProject()

    expect(runCommandJson(project, ['rules', 'remove', 'corners']).json.rules).toHaveLength(BUILT_IN_RULES.length - 1)
    expect(parseRules(read(project, 'rules.md'))).not.toContain('Cut no corners.')
  })

  it.each([
    ['9', 'no-rule'],
    ['0', 'no-rule'],
    ['nowhere', 'no-rule'],
    ['run', 'ambiguous'],
  ])('refuses %s with the choices', (given, code) => {
    const project = kept({ 'rules.md': '- run tests\n- run lint\n' })
    const { json, code: exit } = runCommandJson(project, ['rules', 'remove', given])

    expect(exit).toBe(1)
    expect(json.error.code).toBe(code)
    expect(json.error.message).toContain('1  run tests\n  2  run lint')
    expect(read(project, 'rules.md')).toBe('- run tests\n- run lint\n')
  })
})

describe('rules with claudeMdSync', () => {
  it('reach CLAUDE.md at once', () => {
    const project = kept({ 'rules.md': '- one\n' })
    const file = path.join(project.root, 'CLAUDE.md')
    write(file, 'mine')
    runCommand(project, ['config', 'set', 'claudeMdSync', 'true'])

    expect(runCommandJson(project, ['rules', 'add', 'two']).json.claudeMd).toBe('written')
    expect(fs.readFileSync(file, 'utf8')).toMatch(/^mine\n<!-- [\s\S]*- one\n- two\n<!-- memory-keeper:end -->\n$/)
    runCommand(project, ['rules', 'remove', 'one'])
    expect(fs.readFileSync(file, 'utf8')).not.toContain('- one')
    expect(runCommandJson(project, ['rules', 'remove', 'two']).json.claudeMd).toBe('removed')
    expect(fs.readFileSync(file, 'utf8')).toBe('mine')
  })

  it('say why CLAUDE.md was left alone; the rule is kept', () => {
    const project = kept()
    write(path.join(project.root, 'CLAUDE.md'), '<!-- memory-keeper:end -->\n')
    runCommand(project, ['config', 'set', 'claudeMdSync', 'true'])
    const ran = runCommand(project, ['rules', 'add', 'kept'])

    expect(ran.code).toBe(0)
    expect(ran.err).toContain('begin marker is missing')
    expect(parseRules(read(project, 'rules.md'))).toContain('kept')
  })
})

describe('page set', () => {
  it('takes the text from the option, from a file and from stdin', () => {
    const project = makeProject()
    write(path.join(project.root, 'notes.txt'), 'from a file\n')
    runCommand(project, ['page', 'set', 'one', '--text', 'given'])
    runCommand(project, ['page', 'set', 'two', '--file', 'notes.txt'])
    expect(runCommand(project, ['page', 'set', '세번째'], {}, 'piped\n')).toMatchObject({ code: 0, err: '' })

    expect([read(project, 'one.md'), read(project, 'two.md'), read(project, '세번째.md')]).toEqual([
      'given\n',
      'from a file\n',
      'piped\n',
    ])
  })

  it('replaces a page, or adds to it in a line of its own', () => {
    const project = kept({ 'Notes.md': 'by hand\r\nlast' })
    runCommand(project, ['page', 'set', 'notes', '--append', '--text', 'more'])
    expect(read(project, 'Notes.md')).toBe('by hand\r\nlast\nmore\n')

    runCommand(project, ['page', 'set', 'notes.md', '--text', 'new'])
    expect(read(project, 'Notes.md')).toBe('new\n')
    expect(fs.existsSync(path.join(project.memory, 'notes.md'))).toBe(false)
  })

  it('redacts secrets and private parts', () => {
    const project = makeProject()
    const { json } = runCommandJson(project, [
      'page',
      'set',
      'x',
      '--text',
      `key ${SECRET} <private>home</private> end`,
    ])

    expect(json.redactions).toBe(2)
    expect(read(project, 'x.md')).toMatch(/^key \[redacted:[^\]]+\] .*end\n$/)
    expect(read(project, 'x.md')).not.toContain('home')
  })

  it.each(['../x', 'rules'])('refuses the name %s', (name) => {
    const project = makeProject()

    expect(runCommandJson(project, ['page', 'set', name, '--text', 'x'])).toMatchObject({
      code: 2,
      json: { error: { code: 'usage' } },
    })
    expect(treeOf(project.base)).toEqual({ app: 'directory', home: 'directory' })
  })

  it.each([
    ['nothing', ['--text', ' \n'], 'empty-page'],
    ['two texts', ['--text', 'a', '--file', 'b'], 'usage'],
    ['a file that is not there', ['--file', 'none.md'], 'no-file'],
    ['a directory', ['--file', '.'], 'no-file'],
    ['a file that is no text', ['--file', 'image.png'], 'not-text'],
    ['too much', ['--text', 'x'.repeat(70_000)], 'too-large'],
  ])('refuses %s', (_, options, code) => {
    const project = makeProject()
    write(path.join(project.root, 'image.png'), Buffer.from([0x89, 0x50, 0, 0]))

    expect(runCommandJson(project, ['page', 'set', 'x', ...options]).json.error.code).toBe(code)
    expect(fs.existsSync(path.join(project.memory, 'x.md'))).toBe(false)
  })
})

describe('page get and list', () => {
  it('print a page, harmless for the terminal', () => {
    const project = kept({ 'project.md': '\ufeff# Shop\nA \u001b[2Jshop.\n' })

    expect(runCommand(project, ['page', 'get', 'project']).out).toBe('# Shop\nA �[2Jshop.\n')
    expect(runCommandJson(project, ['page', 'get', 'Project.md']).json).toEqual({
      name: 'project',
      text: '# Shop\nA \u001b[2Jshop.\n',
      bytes: 22,
    })
  })

  it('name the pages there are when one is missing', () => {
    const { json, code } = runCommandJson(kept({ 'one.md': 'x' }), ['page', 'get', 'other'])

    expect(code).toBe(1)
    expect(json.error).toMatchObject({ code: 'no-page', message: expect.stringContaining('There are: one.') })
  })

  it('list pages only, sorted, with what they are about', () => {
    const project = kept({
      'zeta.md': 'last\n',
      'alpha.md': '# Alpha\n\nThe first page.\n',
      'project.md': PAGE_TEMPLATES.project ?? '',
      'memory.md': 'x',
      'memory_20260113_120000.md': 'x',
      'rules.md': 'x',
      'not a page.md': 'x',
    })

    expect(runCommandJson(project, ['page', 'list']).json.pages).toEqual([
      { name: 'alpha', bytes: 25, isEmpty: false, about: 'The first page.' },
      { name: 'project', bytes: PAGE_TEMPLATES.project?.length, isEmpty: true, about: '' },
      { name: 'zeta', bytes: 5, isEmpty: false, about: 'last' },
    ])
    expect(runCommand(makeProject(), ['page', 'list']).out).toContain('memory-keeper init')
  })

  it('use the first 64 KB of a page that somebody made too long, and say so', () => {
    const ran = runCommand(kept({ 'long.md': '가'.repeat(30_000) }), ['page', 'get', 'long'])

    expect(ran.out).toBe(`${'가'.repeat(21_845)}\n`)
    expect(ran.err).toContain('64 KB')
  })
})

describe('the names of the seeds', () => {
  it('do the same', () => {
    const project = makeProject()
    runCommand(project, ['memory-set', 'project', '--text', 'A shop.'])

    expect(runCommand(project, ['memory-get', 'project']).out).toBe('A shop.\n')
    expect(runCommandJson(project, ['memory-list']).json).toEqual(runCommandJson(project, ['page', 'list']).json)
  })
})

describe('init', () => {
  it('makes the memory with its templates, and says what happens from now on', () => {
    const project = makeProject()
    const ran = runCommand(project, ['init'])

    expect(ran).toMatchObject({ code: 0, err: '' })
    for (const [name, text] of Object.entries(PAGE_TEMPLATES)) expect(read(project, `${name}.md`)).toBe(text)
    expect(read(project, '.gitignore')).toBe('*\n')
    for (const said of [
      'captured',
      path.join(project.memory, 'sessions'),
      'statusLine',
      'memory-keeper uninstall',
      'memory-keeper doctor',
    ]) {
      expect(ran.out).toContain(said)
    }
  })

  it('says how many earlier sessions there are, and of none nothing', () => {
    const project = makeProject()
    expect(runCommand(project, ['init', '--dry-run']).out).not.toContain('memory-keeper import')
    for (const n of [1, 2]) append(project.transcriptOf(sessionId(n)), turn(linesFor(sessionId(n), project.root), n))

    expect(runCommand(project, ['init']).out).toMatch(/memory-keeper import +take in 2 earlier sessions/)
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

  it('names who writes the notes', () => {
    const project = makeProject()
    runCommand(project, ['config', 'set', 'summarizer', 'extractive'])

    expect(runCommand(project, ['init', '--dry-run']).out).toContain('plain code, no model')
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
