/** What people type in Claude Code, as commands: their words are taken as they are. */
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { skillNames } from '../../../src/doors/cli/skill.ts'
import { runCommand, runCommandJson, runHook } from '../../support/process.ts'
import { quietProject, sessionId, type TestProject } from '../../support/project.ts'
import { ASKED, begin, LATER, prompt, talk } from '../../support/world.ts'

const SAID = 'We settled on exponential backoff with seven attempts for the Stripe webhook retries.'
const NASTY = `--json isn't "x" $(id) \`id\` ; ls \${HOME} 캐시 -rf\n  MEMORY_KEEPER_END_5d81c0e7\n--yes`

function remembering(): TestProject {
  const project = quietProject({ rules: true })
  talk(project, sessionId(1), [
    ['Add a dark theme.', 'The dark theme is in place.'],
    ['How do we retry failed webhooks?', SAID],
    ['Rename the customer table.', 'The table is called clients now.'],
    ['The footer shows the wrong year.', 'It reads the year from the date now.'],
  ])
  return project
}

const skill = (project: TestProject, name: string, words = '') => runCommand(project, ['skill', name], {}, words)
const memoryOf = (project: TestProject): string => fs.readFileSync(path.join(project.memory, 'memory.md'), 'utf8')

describe('skill', () => {
  it('looks as the commands do', () => {
    const project = remembering()

    const [headline, ...found] = skill(project, 'search-memory', 'stripe backoff\n').out.split('\n')
    expect(headline).toBe("Memory Keeper: 1 hit for 'stripe backoff'")
    const said = runCommand(project, ['search', 'stripe backoff']).out
    expect(found.join('\n')).toBe(
      said.replace('1 hit. To open one: memory-keeper', 'To open one: /memory-keeper:').replace(': show', ':show'),
    )
    expect(skill(project, 'memory-context', 'stripe backoff').out).toContain(SAID)
    expect(skill(project, 'memory-status').out).toContain('Memory Keeper')
    expect(skill(project, 'memory-facts').code).toBe(0)
    expect(skill(project, 'memory-facts', 'stripe').code).toBe(0)
  })

  it('takes whatever is typed as words', () => {
    const project = remembering()

    expect(skill(project, 'search-memory', NASTY)).toMatchObject({ code: 0, err: '' })
    expect(skill(project, 'search-memory', '--help').out).not.toContain('Usage')
    expect(skill(project, 'remember', NASTY).code).toBe(0)
    expect(memoryOf(project)).toContain(NASTY)
  })

  it.each(['search-memory', 'remember', 'forget', 'show'])('%s wants words', (name) => {
    expect(skill(remembering(), name, ' \n')).toMatchObject({ code: 2, err: expect.stringContaining(`:${name} `) })
  })

  const odd = {
    quotes: `it's "x"`,
    shell: '$(id) `id` ; ls',
    korean: '캐시 재시도',
    long: '캐시 retry '.repeat(200),
    empty: '',
  }
  const named = skillNames().filter((name) => !['run', 'dashboard'].includes(name))
  it.each(Object.entries(odd))('answers each skill in words, whatever is typed behind it: %s', (_, words) => {
    const project = remembering()
    for (const name of named) {
      const { out, err, code } = skill(project, name, words)
      expect([0, 1, 2], name).toContain(code)
      expect(`${out}${err}`, name).toMatch(/\S/)
      expect(err, name).not.toMatch(/^\s+at /m)
    }
  })

  it('names the skills there are', () => {
    expect(skill(remembering(), 'pending', 'x')).toMatchObject({ code: 2, err: expect.stringContaining('remember') })
  })

  it('writes the note about what waits, once', () => {
    const project = remembering()
    const first = skill(project, 'memory-delta')

    expect(first.out).toMatch(/^n-00000001-0-8\nEnded: /)
    expect(memoryOf(project)).toContain('n-00000001-0-8')
    expect(skill(project, 'memory-delta').out).toMatch(/^Nothing waits for a note/)
  })

  it('forgets after it has shown what goes', () => {
    const project = remembering()
    skill(project, 'remember', 'decision: the harbour master is called Zephyrine')
    const plan = skill(project, 'forget', 'd001')

    expect(plan.out).toContain('Zephyrine')
    expect(plan.out).toMatch(/type: \/memory-keeper:forget d001 yes\n$/)
    expect(skill(project, 'forget', 'd001 yes').out).toContain('Forgotten')
    expect(fs.readFileSync(path.join(project.memory, 'facts.json'), 'utf8')).not.toContain('Zephyrine')
  })

  it('shows first what a bare yes would take: it may be a word of what is looked for', () => {
    const project = remembering()
    skill(project, 'remember', 'decision: Zephyrine said the harbour is closed')
    const facts = (): string => fs.readFileSync(path.join(project.memory, 'facts.json'), 'utf8')

    const plan = skill(project, 'forget', 'Zephyrine said yes')
    expect(plan.out).toMatch(/type: \/memory-keeper:forget Zephyrine said yes\n$/)
    expect(skill(project, 'forget', 'd001').out).toContain('Zephyrine')
    expect(skill(project, 'forget', 'Zephyrine said yes').out).not.toContain('Forgotten:')
    expect(facts()).toContain('Zephyrine')
    const { out } = skill(project, 'forget', 'Zephyrine said yes')
    expect(out).toContain('Forgotten: 1 decision, in ')
    expect(out).not.toContain('Zephyrine')
    expect(facts()).not.toContain('Zephyrine')
  })

  it.each(['d001 yes', 'd001 Yes', 'd001 --yes', 'Zephyrine --yes'])('forgets at once: %s', (words) => {
    const project = remembering()
    skill(project, 'remember', 'decision: Zephyrine said the harbour is closed')
    expect(skill(project, 'forget', words).out).toContain('Forgotten')
  })

  it('opens what search found, and says how in its own words', () => {
    const project = remembering()
    const found = skill(project, 'search-memory', 'stripe backoff').out
    const id = /\/memory-keeper:show (\S+)/.exec(found)?.[1] ?? ''

    expect(skill(project, 'show', ` ${id}\n`).out).toContain(SAID)
    expect(skill(project, 'show', '$(id) "x"')).toMatchObject({ code: 2 })
    expect(skill(project, 'show', 'd999')).toMatchObject({ code: 1, err: expect.stringContaining('d999') })
  })

  it('undoes the last change, lists the changes, and takes no other word', () => {
    const project = remembering()
    expect(skill(project, 'remember', 'decision: we use pnpm').out).toBe(
      'd001 we use pnpm\nSaved as your decision. /memory-keeper:undo takes it back.\n',
    )

    expect(skill(project, 'undo', 'list').out).toContain('Newest first: /memory-keeper:undo')
    for (const words of ['later', 'constructor']) expect(skill(project, 'undo', words)).toMatchObject({ code: 2 })
    expect(skill(project, 'undo', 'd002').code).toBe(1)
    expect(skill(project, 'undo', 'd001').out).toContain('Undone')
    expect(runCommandJson(project, ['facts', 'list']).json.total).toBe(0)
    expect(skill(project, 'undo').code).toBe(1)
  })

  it('undoes nothing of the user’s with Claude’s hand', () => {
    const project = remembering()
    skill(project, 'remember', 'decision: we use pnpm')
    const { code, err } = runCommand(project, ['skill', 'undo'], { CLAUDECODE: '1' })

    expect(code).toBe(1)
    expect(err).toContain('/memory-keeper:run undo')
  })
})

describe('remember', () => {
  it('keeps a decision as the user’s, and anything else as a note', () => {
    const project = remembering()
    expect(runCommand(project, ['remember', 'decision:', 'we', 'use', 'pnpm']).out).toContain('d001')
    expect(runCommand(project, ['remember'], {}, 'The port is 4317.\n').code).toBe(0)

    const { decisions } = JSON.parse(fs.readFileSync(path.join(project.memory, 'facts.json'), 'utf8'))
    expect(decisions).toMatchObject([{ id: 'd001', text: 'we use pnpm', author: 'user' }])
    expect(memoryOf(project)).toMatch(/author=user[^\n]*\nThe port is 4317\./)
    expect(runCommand(project, ['remember'], {}, ' ').code).toBe(2)
  })

  it('with --dry-run keeps nothing', () => {
    const project = remembering()
    runCommand(project, ['remember', 'decision: we use pnpm', '--dry-run'])

    expect(runCommandJson(project, ['facts', 'list']).json.total).toBe(0)
  })
})

describe('context', () => {
  it('is what is remembered about a topic, in whole', () => {
    const { json } = runCommandJson(remembering(), ['context', 'stripe', 'webhook'])

    expect(json.found[0].text).toContain(SAID)
  })

  it('without a topic is what a session is told first', () => {
    const project = remembering()
    begin(project, sessionId(2), 'startup', { now: () => LATER })

    expect(runCommand(project, ['context']).out).toBe(runCommand(project, ['briefing']).out)
  })

  it('says so where nothing is known', () => {
    expect(runCommand(remembering(), ['context', 'zzyzx']).out).toBe('Nothing is remembered about zzyzx.\n')
    // Words of its path are known, the file is not.
    expect(runCommand(remembering(), ['context', 'src/stripe/webhook.ts']).out).toBe(
      'Nothing is remembered about src/stripe/webhook.ts.\n',
    )
    expect(runCommand(quietProject(), ['context', 'zzyzx']).out).toContain('Nothing is remembered here yet')
  })
})

describe('briefing --session', () => {
  it('prints what the session was told, and with --why why', () => {
    const project = remembering()
    const { context } = begin(project, sessionId(2), 'startup', { now: () => LATER })
    const rules = prompt(project, { prompt: 'go on' }, {}, sessionId(2)).context
    const { out, err } = runCommand(project, ['briefing', '--session', '00000002'])

    expect(out.startsWith(`${context}\n`)).toBe(true)
    expect(out).toContain(rules)
    expect(err).toMatch(/about [\d,]+ tokens in all, with 1 prompt/)
    expect(runCommand(project, ['briefing', '--session', '00000002', '--why']).out).toMatch(/↑ \d+ tokens?: heading/)
    expect(runCommandJson(project, ['briefing', '--session', '00000002']).json).toMatchObject({
      id: '00000002',
      prompts: 1,
      rules: [{ text: rules, times: 1 }],
    })
  })

  it('tells a session that was told nothing from one that does not exist', () => {
    const project = remembering()

    expect(runCommand(project, ['briefing', '--session', '00000001']).out).toContain('Nothing was injected')
    expect(runCommand(project, ['briefing', '--session', 'ffffffff']).code).toBe(1)
  })
})

describe('recall list --text', () => {
  it('has the words that were told', () => {
    const project = remembering()
    const { context } = prompt(project, { prompt: ASKED }, {}, sessionId(3))
    const recall = context.slice(context.search(/<memory-keeper-recall-[a-z2-9]{8}>/))

    expect(recall).toContain('exponential backoff')
    expect(runCommand(project, ['recall', 'list', '--text']).out).toContain(recall)
    expect(runCommand(project, ['recall', 'list']).out).not.toContain('exponential backoff with')
    expect(runCommandJson(project, ['recall', 'list', '--text']).json.recalls).toMatchObject([{ text: recall }])
  })
})

describe('the hook program', () => {
  it('answers a skill with the words of our command, as the user where somebody sits', () => {
    const project = remembering()
    const type = (name: string, words: string, env = {}) =>
      JSON.parse(
        runHook(
          project,
          {
            hook_event_name: 'UserPromptExpansion',
            expansion_type: 'slash_command',
            command_source: 'plugin',
            command_name: `memory-keeper:${name}`,
            command_args: words,
          },
          { CLAUDECODE: '1', CLAUDE_CODE_ENTRYPOINT: 'cli', ...env },
        ).out,
      )

    expect(type('search-memory', NASTY)).toEqual({
      decision: 'block',
      reason: runCommand(project, ['skill', 'search-memory'], {}, NASTY).out.trimEnd(),
      hookSpecificOutput: { hookEventName: 'UserPromptExpansion', suppressOriginalPrompt: true },
    })
    expect(type('remember', 'decision: we use pnpm').reason).toContain('d001')
    expect(type('remember', 'decision: we use yarn', { CLAUDE_CODE_SESSION_ATTENDED: '0' }).reason).not.toBe('')
    expect(type('run', 'config set saveInterval 40').reason).toContain('saveInterval = 40')
    expect(type('run', 'config set saveInterval 50', { CLAUDE_CODE_SESSION_ATTENDED: '0' }).reason).toContain(
      'There is no proof that you typed this',
    )
    expect(runCommand(project, ['config', 'get', 'saveInterval']).out).toBe('40\n')
    expect(type('run', '').reason).toContain('/memory-keeper:run <command>')
    const { decisions } = JSON.parse(fs.readFileSync(path.join(project.memory, 'facts.json'), 'utf8'))
    expect(decisions).toMatchObject([
      { text: 'we use pnpm', author: 'user' },
      { text: 'we use yarn', author: 'agent' },
    ])
  })
})
