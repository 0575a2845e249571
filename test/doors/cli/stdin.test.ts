/** `--stdin`: a text that no shell changes. */
import { describe, expect, it } from 'vitest'
import { readRulesFile } from '../../../src/core/pages/disk/rules.ts'
import { COMMANDS } from '../../../src/doors/cli/commands.ts'
import { runCommand, runCommandJson } from '../../support/process.ts'
import { makeProject, storeOf, type TestProject } from '../../support/project.ts'

/** What cmd.exe, PowerShell and sh would each read something else into. */
const TEXT = `Use %PATH%, not "$HOME" or '\`pwd\`'; 100% ^& --all`
/** As a pipe of PowerShell ends it. */
const PIPED = `\ufeff${TEXT}\r\n`

const withStdin = (project: TestProject, line: string, stdin = PIPED) =>
  runCommand(project, [...line.split(' '), '--stdin'], {}, stdin)

describe('--stdin', () => {
  it.each([
    ['rules add', ['rules', 'list']],
    ['remember', ['notes', 'list']],
    ['lesson add', ['page', 'get', 'lessons']],
    ['facts add decision', ['facts', 'list']],
    ['page set project', ['page', 'get', 'project']],
    ['note', ['notes', 'list']],
  ])('is the text of %s, letter by letter', (line, listing) => {
    const project = makeProject()
    expect(withStdin(project, line)).toMatchObject({ err: '', code: 0 })

    expect(JSON.stringify(runCommandJson(project, listing).json)).toContain(JSON.stringify(TEXT).slice(1, -1))
  })

  it('is the value of the option that takes a text', () => {
    const project = makeProject()
    runCommand(project, ['facts', 'add', 'decision', 'We deploy on Tuesdays.'])
    expect(withStdin(project, 'facts edit d001')).toMatchObject({ err: '', code: 0 })
    expect(runCommandJson(project, ['facts', 'list']).json.facts[0].text).toBe(TEXT)

    expect(withStdin(project, 'forget --yes', '%PATH%, not')).toMatchObject({ err: '', code: 0 })
    expect(runCommandJson(project, ['facts', 'list']).json.facts).toEqual([])
  })

  it('is a query that begins with a dash', () => {
    const project = makeProject()
    runCommand(project, ['facts', 'add', 'decision', 'The flag is --verbose-all.'])

    expect(withStdin(project, 'search', '"--verbose-all"').out).toContain('The flag is')
  })

  it('without a text is wrong usage, and nothing is written', () => {
    const project = makeProject()

    expect(withStdin(project, 'rules add', '\ufeff \r\n')).toMatchObject({ code: 2 })
    expect(runCommandJson(project, ['rules', 'add', '--stdin']).json.error.code).toBe('usage')
    expect(readRulesFile(storeOf(project))).toBeNull()
  })

  it('behind two dashes is a word', () => {
    const project = makeProject()
    runCommand(project, ['rules', 'add', '--', 'Say', '--stdin'], {}, 'never read')

    expect(runCommand(project, ['rules', 'list']).out).toContain('Say --stdin')
  })

  it('is there for every command that takes a text, and for no other', () => {
    const takesText = COMMANDS.filter(
      ({ usage, options = [] }) =>
        (usage.endsWith('...]') && !usage.includes('[id')) ||
        usage.endsWith('...>') ||
        usage.endsWith('<value>') ||
        options.some(({ flags }) => /^--(?:text|query|why) </.test(flags)),
    )

    expect(COMMANDS.filter(({ stdin }) => stdin !== undefined).map(({ usage }) => usage)).toEqual(
      takesText.map(({ usage }) => usage),
    )
  })
})
