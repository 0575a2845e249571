/** Standing instructions through the commands: known as soon as they are asked for, and declined for good. */
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { claude, user } from '../fixtures/sessions.ts'
import { learned } from '../support/learned.ts'
import { runCommand, runCommandJson } from '../support/process.ts'
import { append, linesFor, quietProject, sessionId, type TestProject } from '../support/project.ts'

const LEGACY = 'never touch the legacy folder'
const LINTER = 'Always run the linter before you commit.'

/** A transcript that nobody has captured yet. */
function written(): TestProject {
  const project = quietProject()
  const lines = linesFor(sessionId(1), project.root)
  const turns = [
    ['Add a dark theme to the settings page.', 'The dark theme is in place.'],
    [`Rename the customer table. Also, ${LEGACY}.`, 'The table is called clients now.'],
    [LINTER, 'Understood.'],
    ["Let's use Postgres instead of SQLite for the queue, because it locks rows.", 'The queue uses Postgres now.'],
  ]
  turns.forEach(([asked = '', answered = ''], i) => {
    append(project.transcriptOf(sessionId(1)), lines.prompt(i * 10, asked) + lines.answer(i * 10 + 1, answered))
  })
  return project
}

const standingOf = (project: TestProject): { id: string; text: string; status: string }[] =>
  JSON.parse(fs.readFileSync(path.join(project.memory, 'standing.json'), 'utf8')).standing

const idOf = (project: TestProject, text: string): string =>
  standingOf(project).find((one) => one.text.includes(text))?.id ?? ''

describe('collecting', () => {
  it.each([['import'], ['final']])('is done by %s', (command) => {
    const project = written()
    runCommand(project, [command])

    expect(standingOf(project).map(({ text }) => text)).toEqual(expect.arrayContaining([LINTER]))
    expect(runCommand(project, ['status']).out).toContain('2 instructions: memory-keeper rules candidates')
  })

  it.each([[['rules', 'accept', 't001']], [['rules', 'decline', 't001']], [['briefing']]])(
    'is done before %j answers',
    (command) => {
      const project = written()
      runCommand(project, ['final'])
      fs.rmSync(path.join(project.memory, 'standing.json'))

      expect(runCommand(project, command).code).toBe(0)
      expect(standingOf(project)).toHaveLength(2)
    },
  )

  it('writes nothing in a dry run, which knows them all the same', () => {
    const project = written()
    runCommand(project, ['import'])
    fs.rmSync(path.join(project.memory, 'standing.json'))

    const { out, code } = runCommand(project, ['rules', 'accept', 't001', '--dry-run'])
    expect(code).toBe(0)
    expect(out).toContain('Would add: ')
    expect(out).not.toContain('Added')
    expect(runCommand(project, ['rules', 'decline', 't001', '--dry-run']).out).toContain('Would decline: ')
    expect(fs.existsSync(path.join(project.memory, 'standing.json'))).toBe(false)
  })

  it('is done in a memory at home too', () => {
    const project = written()
    runCommand(project, ['config', 'set', 'storage', 'home'])
    runCommand(project, ['import'])
    const { memory } = runCommandJson(project, ['status']).json
    fs.rmSync(path.join(memory, 'standing.json'))

    expect(runCommandJson(project, ['rules', 'candidates']).json.candidates).toHaveLength(2)
  })
})

describe('accepting', () => {
  it('takes other words for the rule', () => {
    const project = written()
    runCommand(project, ['final'])
    runCommand(project, ['rules', 'accept', idOf(project, 'linter'), '--text', 'Run the linter.'])

    expect(runCommandJson(project, ['rules', 'list']).json.rules.at(-1)).toBe('Run the linter.')
    expect(standingOf(project).find(({ text }) => text === LINTER)?.status).toBe('accepted')
  })
})

describe('declining', () => {
  it('refuses what is a rule by now, names it, and works once that is removed', () => {
    const project = written()
    runCommand(project, ['final'])
    const id = idOf(project, 'linter')
    runCommand(project, ['rules', 'accept', id])
    const rules = runCommandJson(project, ['rules', 'list']).json.rules as string[]

    const refused = runCommand(project, ['rules', 'decline', id])
    expect(refused.code).toBe(1)
    expect(refused.err).toContain(`${id} is rule ${rules.length}: ${LINTER}`)
    expect(refused.err).toContain(`memory-keeper rules remove ${rules.length}`)
    expect(standingOf(project).find((one) => one.id === id)?.status).toBe('accepted')

    runCommand(project, ['rules', 'remove', String(rules.length)])
    expect(runCommandJson(project, ['rules', 'decline', id]).json).toMatchObject({ id, status: 'declined' })
  })

  it('takes it out of the decisions that are told as well, and no other', () => {
    const project = written()
    runCommand(project, ['final'])
    const facts = JSON.parse(fs.readFileSync(path.join(project.memory, 'facts.json'), 'utf8'))
    expect(facts.decisions.map(({ text }: { text: string }) => text)).toEqual(
      expect.arrayContaining([expect.stringMatching(new RegExp(LEGACY, 'i'))]),
    )
    const decisions = (): string =>
      /## Core Decisions[\s\S]*?(?=\n## |$)/.exec(runCommandJson(project, ['briefing']).json.text)?.[0] ?? ''
    runCommand(project, ['rules', 'decline', idOf(project, 'legacy')])

    expect(decisions()).not.toContain('legacy')
    expect(decisions()).toContain('Postgres')
    expect(runCommandJson(project, ['briefing']).json.text).toContain(LINTER)
  })
})

describe('an instruction that holds for good', () => {
  it('is a candidate no more, and told once', () => {
    const project = written()
    runCommand(project, ['final'])
    const id = idOf(project, 'linter')
    runCommand(project, ['promote', id])
    const text = (): string => runCommandJson(project, ['briefing']).json.text

    expect(standingOf(project).find((one) => one.id === id)?.status).toBe('accepted')
    expect(runCommandJson(project, ['rules', 'candidates']).json.candidates).toHaveLength(1)
    expect(text().match(/^- [a-z]\d+ .*run the linter/gm)).toEqual([expect.stringMatching(/^- r001 Rule: /)])
  })

  it('because it recurs is told as what it became', () => {
    const session = [user('Please look at the build.'), claude('Sure.'), user(LINTER)]
    const project = learned([session, session, session])
    expect(runCommandJson(project, ['rules', 'candidates']).json.candidates).toHaveLength(1)
    runCommand(project, ['reflect'])

    const { candidates, permanent } = runCommandJson(project, ['rules', 'candidates']).json
    expect([candidates, permanent]).toEqual([[], ['t001']])
    expect(runCommand(project, ['rules', 'candidates']).out).toContain('Held for good already: t001')
    expect(runCommandJson(project, ['briefing']).json.text.split('run the linter')).toHaveLength(2)
  })
})
