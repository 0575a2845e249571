/** `migrate --with-rules` and `--clean-claude-md`: what the original plugin left for Claude is shown, and used only on the user's word. */
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { readFacts } from '../../../src/core/knowledge/disk/knowledge.ts'
import { readRules, readRulesFile } from '../../../src/core/pages/disk/rules.ts'
import { parseRules } from '../../../src/core/pages/rule.ts'
import { listed } from '../../support/fact.ts'
import { type Env, type Ran, runCommand, runCommandJson } from '../../support/process.ts'
import { makeProject, setAtHome, storeOf, type TestProject, treeOf, write } from '../../support/project.ts'

const END = '---Add your project-specific rules below this line---'
const SECTION = `## CRITICAL RULES (auto-injected every prompt)
- NEVER drop a table without a backup.
- Cut no corners.
- Ask when a name is unclear.

${END}
`
const OURS = '# Shop\r\n\r\nPnpm only.\n'
const AFTER = '\n- Use tabs.'

function withOriginal(): TestProject {
  const project = makeProject()
  write(path.join(project.root, 'CLAUDE.md'), OURS + SECTION + AFTER)
  write(path.join(project.root, '.claude/workflow/workflow.md'), '# Workflow\n\n1. Plan.\n2. Build.\n')
  write(path.join(project.root, '.claude/lessons/README.md'), '# Lessons\n\n<!-- One file each. -->\n')
  write(path.join(project.root, '.claude/lessons/a.md'), '# Never mock the clock\n\nIt hid a bug for a week.\n')
  write(path.join(project.root, '.claude/lessons/b.md'), '- Run the migrations before the tests.\n')
  return project
}

const migrate = (project: TestProject, ...flags: string[]): Ran => runCommand(project, ['migrate', ...flags])
const claudeMd = (project: TestProject, name = 'CLAUDE.md'): string =>
  fs.readFileSync(path.join(project.root, name), 'utf8')
const ownRulesOf = (project: TestProject): string[] => parseRules(readRulesFile(storeOf(project)) ?? '')
const page = (project: TestProject, name: string): string =>
  fs.readFileSync(path.join(project.memory, `${name}.md`), 'utf8')
const proposed = (project: TestProject): string[] =>
  listed(readFacts(storeOf(project))).permanent.rules.flatMap(({ state, text }) => (state === 'proposed' ? [text] : []))

describe('migrate without a word about it', () => {
  it.each([[[]], [['--dry-run']]])(
    'shows what the original left, says how to use it, and changes nothing: %j',
    (flags) => {
      const project = withOriginal()
      const before = treeOf(project.base)
      const { out, code } = migrate(project, ...flags)

      expect(code).toBe(0)
      expect(out).toContain('CLAUDE.md, lines 4 to 9: 2 rules')
      expect(out).toContain('    - NEVER drop a table without a backup.')
      expect(out).toContain('.claude/workflow/workflow.md: 3 lines')
      expect(out).toContain('.claude/lessons/a.md: 1 lesson')
      expect(out).not.toContain('README.md')
      expect(out).toContain('memory-keeper migrate --with-rules')
      expect(out).toContain('memory-keeper migrate --clean-claude-md')
      expect(out).not.toContain('Nothing to migrate')
      expect(treeOf(project.base)).toEqual(before)
    },
  )

  it('shows 30 lines of a long section, without terminal codes, and --json all of them', () => {
    const project = makeProject()
    const many = Array.from({ length: 50 }, (_, i) => `- Rule number ${i}.\u001b[31m`).join('\n')
    write(path.join(project.root, 'CLAUDE.md'), `## CRITICAL RULES\n${many}\n${END}\n`)
    const { out } = migrate(project)

    expect(out).toContain('CLAUDE.md, lines 1 to 52: 50 rules')
    expect(out).toContain('and 22 more lines')
    expect(out).not.toContain('\u001b[31m')
    const { json } = runCommandJson(project, ['migrate'])
    expect(json.original).toMatchObject({ found: [{ file: 'CLAUDE.md', lines: [1, 52] }], taken: null, cut: null })
  })

  it('says that a section without its last line stays', () => {
    const project = makeProject()
    const text = '## CRITICAL RULES\n- Ask first.\n\n# Shop\n- Use tabs.\n'
    write(path.join(project.root, 'CLAUDE.md'), text)
    const { out } = migrate(project, '--clean-claude-md')

    expect(out).toContain('The section in CLAUDE.md stays: it has no last line')
    expect(out).toContain('nobody knows where your own text begins')
    expect(out).not.toContain('There is no section')
    expect(claudeMd(project)).toBe(text)
  })

  it('names each list item of a section without its last line, since some may be yours', () => {
    const project = makeProject()
    const own = Array.from({ length: 40 }, (_, i) => `Some text of mine, line ${i}.`).join('\n')
    write(
      path.join(project.root, 'CLAUDE.md'),
      `## CRITICAL RULES\n- Ask first.\n\n${own}\n- Use tabs.\n  Not spaces.\n\n# Shop\n- Sell.\n`,
    )
    const before = treeOf(project.base)

    for (const flags of [[], ['--dry-run'], ['--dry-run', '--with-rules']]) {
      const { out } = migrate(project, ...flags)
      expect(out).toContain('list items of your own may be among the 2 rules that --with-rules takes in:')
      expect(out).toContain('    - Ask first.\n    - Use tabs. Not spaces.\n')
      expect(out).not.toContain('Sell')
    }
    expect(treeOf(project.base)).toEqual(before)
  })
})

describe('migrate --with-rules', () => {
  it('makes rules of the section, pages of workflow and lessons, and proposes the lessons', () => {
    const project = withOriginal()
    const { out, code } = migrate(project, '--with-rules')

    expect(code).toBe(0)
    expect(out).toContain(
      'Took in 2 rules into rules.md, the page workflow.md, the page lessons.md, 2 lessons as proposed rules.',
    )
    expect(ownRulesOf(project)).toEqual(['NEVER drop a table without a backup.', 'Ask when a name is unclear.'])
    expect(page(project, 'workflow')).toBe('# Workflow\n\n1. Plan.\n2. Build.\n')
    expect(page(project, 'lessons')).toContain('It hid a bug for a week.\n\n- Run the migrations before the tests.')
    expect(proposed(project)).toEqual(['Never mock the clock', 'Run the migrations before the tests.'])
    expect(claudeMd(project)).toBe(OURS + SECTION + AFTER)
  })

  it('adds nothing the second time, not even what was removed since', () => {
    const project = withOriginal()
    migrate(project, '--with-rules')
    runCommand(project, ['rules', 'remove', '1'])
    fs.rmSync(path.join(project.memory, 'workflow.md'))
    const before = treeOf(project.root)
    const { out } = migrate(project, '--with-rules')

    expect(out).toContain('taken in before')
    expect(out).toContain('Nothing to take in')
    expect(treeOf(project.root)).toEqual(before)
  })

  it('takes in what was written since, and doubles no rule', () => {
    const project = withOriginal()
    runCommand(project, ['rules', 'add', 'never drop a table without a backup.'])
    migrate(project, '--with-rules')
    write(path.join(project.root, 'CLAUDE.md'), SECTION.replace('- Cut', '- Squash commits.\n- Cut'))
    migrate(project, '--with-rules')

    expect(ownRulesOf(project)).toEqual([
      'never drop a table without a backup.',
      'Ask when a name is unclear.',
      'Squash commits.',
    ])
  })

  it('writes nothing with --dry-run, and says what it would do', () => {
    const project = withOriginal()
    const before = treeOf(project.base)
    expect(migrate(project, '--with-rules', '--clean-claude-md', '--dry-run').out).toMatch(
      /Would take in 2 rules[\s\S]*Would take the section out of CLAUDE\.md/,
    )
    expect(treeOf(project.base)).toEqual(before)
  })

  it('names with --dry-run the rules that it would take', () => {
    const { out } = migrate(withOriginal(), '--with-rules', '--dry-run')
    expect(out).toMatch(
      /Would take in 2 rules.*\n {4}- NEVER drop a table without a backup\.\n {4}- Ask when a name is unclear\.\n/,
    )
  })

  it('leaves a page of that name as it is, and replaces a template', () => {
    const project = withOriginal()
    runCommand(project, ['init'])
    runCommand(project, ['page', 'set', 'workflow', '--text', 'We pair.'])
    migrate(project, '--with-rules')

    expect(page(project, 'workflow')).toBe('We pair.\n')
    expect(page(project, 'workflow-earlier')).toBe('# Workflow\n\n1. Plan.\n2. Build.\n')
    expect(page(project, 'lessons')).toContain('Never mock the clock')
    expect(fs.existsSync(path.join(project.memory, 'lessons-earlier.md'))).toBe(false)
  })

  it('appends lessons to the page that is there, each once', () => {
    const project = withOriginal()
    runCommand(project, ['page', 'set', 'lessons', '--text', '- Ours.'])
    migrate(project, '--with-rules')
    write(path.join(project.root, '.claude/lessons/c.md'), '- Pin the image.\n')
    expect(migrate(project, '--with-rules').out).toContain('Took in the page lessons.md, 1 lesson as proposed rules.')

    const text = page(project, 'lessons')
    expect(text.startsWith('- Ours.\n\n# Never mock the clock\n')).toBe(true)
    expect(text.endsWith('before the tests.\n\n- Pin the image.\n')).toBe(true)
    expect(text.split('Never mock the clock')).toHaveLength(2)
  })

  it('redacts secrets in all that it takes in and shows', () => {
    const project = makeProject()
    const secret = `ghp_${'a1B2c3D4'.repeat(4)}aBcD`
    write(path.join(project.root, 'CLAUDE.md'), `## CRITICAL RULES\n- Push with ${secret}.\n${END}\n`)
    write(path.join(project.root, '.claude/workflow/workflow.md'), `Use ${secret}.\n`)
    const { out } = migrate(project, '--with-rules')

    expect(out).toContain('[redacted')
    expect(ownRulesOf(project)[0]).toContain('[redacted')
    expect(out + JSON.stringify(treeOf(project.memory))).not.toContain(secret)
  })

  it('makes a backup of the files that it changes', () => {
    const project = withOriginal()
    runCommand(project, ['rules', 'add', 'Use tabs.'])
    const [, backup = ''] = /Backup: (\S+)/.exec(migrate(project, '--with-rules').out) ?? []
    expect(fs.readFileSync(path.join(backup, 'rules.md'), 'utf8')).toContain('Use tabs.')
    expect(JSON.parse(fs.readFileSync(path.join(backup, 'manifest.json'), 'utf8'))).toMatchObject({
      memory: project.memory,
      made: expect.arrayContaining(['workflow.md', 'lessons.md']),
    })
  })

  it('lets the section of claudeMdSync follow, outside of the original one', () => {
    const project = withOriginal()
    runCommand(project, ['config', 'set', 'claudeMdSync', 'true'])
    migrate(project, '--with-rules', '--clean-claude-md')

    const text = claudeMd(project)
    expect(text.startsWith(OURS + AFTER)).toBe(true)
    expect(text).not.toContain('CRITICAL RULES')
    expect(readRules(storeOf(project)).every((rule) => text.includes(`- ${rule}`))).toBe(true)
  })

  it('reads the rules.md of 0.6 first, as rules add does', () => {
    const project = withOriginal()
    const head =
      '<!-- Injected with every prompt, one rule per list item. Edit them here, or with: memory-keeper rules add, remove.'
    const tail = '     Without this file the built-in rules apply; with no rule in it, none. -->'
    runCommand(project, ['page', 'set', 'project', '--text', 'A shop.'])
    write(path.join(project.memory, 'rules.md'), `# Rules\n\n${head}\n${tail}\n\n- Answer in Korean.\n`)
    migrate(project, '--with-rules')

    // It stood in the place of the built-in ones, which stay off: with one rule more it would not be told from a new file.
    expect(runCommand(project, ['config', 'get', 'builtinRules']).out).toBe('off\n')
    expect(ownRulesOf(project)).toHaveLength(3)
  })

  it('follows no directory that is a link', () => {
    const project = makeProject()
    const outside = path.join(project.base, 'elsewhere')
    write(path.join(outside, 'workflow.md'), 'Not yours.\n')
    write(path.join(outside, 'a.md'), '- Not yours, too.\n')
    fs.mkdirSync(path.join(project.root, '.claude'))
    for (const name of ['workflow', 'lessons']) fs.symlinkSync(outside, path.join(project.root, '.claude', name))
    expect(migrate(project, '--with-rules').out).not.toContain('Not yours')
    expect(JSON.stringify(treeOf(project.memory))).not.toContain('Not yours')
  })

  it('leaves links and files that are too large, and says so', () => {
    const project = makeProject()
    const outside = path.join(project.base, 'secret.md')
    write(outside, 'Not yours.\n')
    fs.mkdirSync(path.join(project.root, '.claude/workflow'), { recursive: true })
    fs.symlinkSync(outside, path.join(project.root, '.claude/workflow/workflow.md'))
    write(path.join(project.root, '.claude/lessons/big.md'), '- Words.\n'.repeat(10_000))
    const { out } = migrate(project, '--with-rules')

    expect(out).toContain('.claude/workflow/workflow.md is not a plain file.')
    expect(out).toContain('.claude/lessons/big.md has 90000 bytes')
    expect(JSON.stringify(treeOf(project.memory))).not.toContain('Not yours')
  })

  it('refuses as a whole when the lessons are too much for a page', () => {
    const project = withOriginal()
    for (const n of [1, 2]) write(path.join(project.root, `.claude/lessons/big${n}.md`), '- Words.\n'.repeat(5000))
    const before = treeOf(project.base)
    expect(migrate(project, '--with-rules')).toMatchObject({
      code: 1,
      err: expect.stringContaining('larger than a page'),
    })
    expect(treeOf(project.base)).toEqual(before)
  })
})

describe('migrate --clean-claude-md', () => {
  it('takes the section out, changes no other byte, and keeps the whole file in a backup', () => {
    const project = withOriginal()
    const { out } = migrate(project, '--clean-claude-md')

    expect(claudeMd(project)).toBe(OURS + AFTER)
    expect(ownRulesOf(project)).toEqual([])
    const [, backup = ''] = /Backup: (\S+)/.exec(out) ?? []
    expect(fs.readFileSync(path.join(backup, 'CLAUDE.md'), 'utf8')).toBe(OURS + SECTION + AFTER)
    expect(JSON.parse(fs.readFileSync(path.join(backup, 'manifest.json'), 'utf8'))).toMatchObject({
      memory: project.root,
      files: ['CLAUDE.md'],
    })
    expect(migrate(project, '--clean-claude-md').out).toContain('There is no section of the original')
  })

  it('does both places that the host reads', () => {
    const project = makeProject()
    write(path.join(project.root, '.claude/CLAUDE.md'), SECTION + AFTER)
    write(path.join(project.root, 'CLAUDE.md'), SECTION.replace('tables', 'rows'))
    expect(migrate(project, '--clean-claude-md').out).toContain('out of CLAUDE.md and .claude/CLAUDE.md')
    expect(claudeMd(project)).toBe('')
    expect(claudeMd(project, '.claude/CLAUDE.md')).toBe(AFTER)
  })

  it('follows a link between the two, and none that leads out', () => {
    const project = makeProject()
    write(path.join(project.root, '.claude/CLAUDE.md'), SECTION + AFTER)
    fs.symlinkSync('.claude/CLAUDE.md', path.join(project.root, 'CLAUDE.md'))
    expect(runCommandJson(project, ['migrate']).json.original).toMatchObject({ found: [{ file: 'CLAUDE.md' }] })
    expect(migrate(project, '--clean-claude-md').code).toBe(0)
    expect(claudeMd(project)).toBe(AFTER)
    expect(fs.lstatSync(path.join(project.root, 'CLAUDE.md')).isSymbolicLink()).toBe(true)

    const other = makeProject()
    const outside = path.join(other.base, 'CLAUDE.md')
    write(outside, SECTION)
    fs.symlinkSync(outside, path.join(other.root, 'CLAUDE.md'))
    expect(migrate(other, '--clean-claude-md').out).toContain('leads out of the project')
    expect(fs.readFileSync(outside, 'utf8')).toBe(SECTION)
    expect(migrate(other).out).toContain('Nothing to migrate')
  })

  it('refuses a read-only file before anything else is done', () => {
    const project = withOriginal()
    fs.chmodSync(path.join(project.root, 'CLAUDE.md'), 0o444)
    const before = treeOf(project.base)
    expect(migrate(project, '--with-rules', '--clean-claude-md')).toMatchObject({
      code: 1,
      err: expect.stringContaining('read-only: nothing was changed'),
    })
    expect(treeOf(project.base)).toEqual(before)
  })
})

describe('whose word it needs', () => {
  const INSIDE: Env = { CLAUDECODE: '1', CLAUDE_CODE_ENTRYPOINT: 'cli' }

  it.each(['--with-rules', '--clean-claude-md'])('%s is not ordered by Claude', (flag) => {
    const project = withOriginal()
    const before = treeOf(project.base)
    expect(runCommand(project, ['migrate', flag], INSIDE)).toMatchObject({
      code: 1,
      err: expect.stringContaining('Only the user can do this'),
    })
    expect(treeOf(project.base)).toEqual(before)
    expect(runCommand(project, ['migrate', flag, '--dry-run'], INSIDE).code).toBe(0)
  })

  it.each(['--with-rules', '--clean-claude-md', '--dry-run'])(
    '%s reads nothing beside a memory that is not trusted',
    (flag) => {
      const project = withOriginal()
      write(path.join(project.memory, 'memory.md'), '# Memory\n')
      const before = treeOf(project.base)
      const { code, out, err } = migrate(project, flag)
      expect({ code, out }).toEqual({ code: 1, out: '' })
      expect(err).toContain('is not trusted')
      expect(treeOf(project.base)).toEqual(before)
    },
  )

  it('is not heard where the memory is not trusted and empty, and nothing is shown', () => {
    const project = withOriginal()
    write(path.join(project.memory, '.owner'), 'somebody else')
    const before = treeOf(project.base)
    expect(migrate(project).out).toContain('Nothing to migrate')
    for (const flag of ['--with-rules', '--clean-claude-md'])
      expect(migrate(project, flag)).toMatchObject({ code: 1, out: '', err: expect.stringContaining('is not trusted') })
    expect(treeOf(project.base)).toEqual(before)
  })

  it('is needed with storage at home, too', () => {
    const project = withOriginal()
    setAtHome(project, { storage: 'home' })
    expect(migrate(project, '--with-rules').code).toBe(0)
    expect(ownRulesOf(project)).toHaveLength(2)
    expect(fs.existsSync(project.memory)).toBe(false)
  })
})
