/** What is typed behind `/memory-keeper:run`: a command line that runs as it would in a terminal, and never waits. */
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Env, type Ran, runCommand } from '../../support/process.ts'
import { append, linesFor, makeProject, quietProject, sessionId, type TestProject } from '../../support/project.ts'
import { stop } from '../../support/world.ts'

const INSIDE = { CLAUDECODE: '1' }

function working(): TestProject {
  const project = quietProject()
  const lines = linesFor(sessionId(1), project.root)
  append(project.transcriptOf(sessionId(1)), lines.prompt(1, 'Hello there.') + lines.answer(2, 'Hello.'))
  stop(project)
  return project
}

const type = (project: TestProject, line: string, env: Env = {}): Ran =>
  runCommand(project, ['skill', 'run'], env, line)
const rulesOf = (project: TestProject): string => fs.readFileSync(path.join(project.memory, 'rules.md'), 'utf8')

describe('a typed line', () => {
  it('does and says what the command does and says', () => {
    const project = working()

    expect(type(project, 'rules add "Run the tests first."\n')).toMatchObject({ code: 0, err: '' })
    expect(rulesOf(project)).toContain('- Run the tests first.')
    expect(type(project, 'rules list').out).toBe(runCommand(project, ['rules', 'list']).out)
    expect(type(project, 'memory-keeper config set summarizer agent').code).toBe(0)
    expect(runCommand(project, ['config', 'get', 'summarizer']).out).toBe('agent\n')
    expect(type(project, 'undo').out).toContain('rule added: Run the tests first.')
    expect(type(project, 'rules list').out).not.toContain('Run the tests first.')
  })

  it('is about the project of the session, or the one it names', () => {
    const project = working()
    const other = makeProject('other', project.base)
    const typed = runCommand(other, ['skill', 'run', '--project', project.root], {}, 'rules add "Be early."')

    expect(typed.code).toBe(0)
    expect(rulesOf(project)).toContain('Be early.')
    expect(type(other, `rules list --project "${project.root}"`).out).toContain('Be early.')
  })

  it('is no order where nobody proves it: it is refused with the way that remains', () => {
    const project = working()
    const { code, err } = type(project, 'rules add "Be early."', INSIDE)

    expect(code).toBe(1)
    expect(err).toContain('Run it in a terminal of your own: memory-keeper rules add "Be early."')
    expect(fs.existsSync(path.join(project.memory, 'rules.md'))).toBe(false)
    expect(type(project, 'rules list', INSIDE).code).toBe(0)
  })

  it.each(['', ' \n', 'memory-keeper'])('that is empty gets a short help: %j', (line) => {
    const { code, out } = type(working(), line)

    expect(code).toBe(0)
    expect(out).toContain('/memory-keeper:run config set summarizer extractive\n')
    expect(out.split('\n').length).toBeLessThan(10)
  })

  it.each([
    ['rules add "Run', /quote is not closed/],
    ['rulez list', /unknown command 'rulez'/],
    ['config set nothing 1', /no setting "nothing"/],
  ])('that is wrong says so: %s', (line, says) => {
    expect(type(working(), line)).toMatchObject({ code: 2, err: expect.stringMatching(says) })
  })

  it.each(['dashboard --open', 'demo', '--no-color dashboard'])('never waits: %s', (line) => {
    const { code, err } = type(working(), line)

    expect(code).toBe(2)
    expect(err).toContain(`Run it in a terminal of your own: memory-keeper ${line}`)
  })

  it.each(['page set project', 'note', 'remember', 'notes edit n-1'])('reads no text from stdin: %s', (line) => {
    expect(type(working(), line)).toMatchObject({ code: 2, out: '' })
  })

  it('lists the commands with --help', () => {
    expect(type(working(), '--help').out).toContain('rules')
  })
})
