/** `recall`, as people use it. */
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { runCommand, runCommandJson } from '../../support/process.ts'
import { append, linesFor, makeProject, quietProject, sessionId, type TestProject } from '../../support/project.ts'
import { ASKED, prompt, stop, talk } from '../../support/world.ts'

const SAID = 'We settled on exponential backoff with seven attempts for the Stripe webhook retries.'

function remembering(): TestProject {
  const project = quietProject()
  talk(project, sessionId(1), [
    ['Add a dark theme.', 'The dark theme is in place.'],
    ['How do we retry failed webhooks?', SAID],
    ['Rename the customer table.', 'The table is called clients now.'],
    ['Never push to main without asking.', 'Understood.'],
    ['The footer shows the wrong year.', 'It reads the year from the date now.'],
  ])
  return project
}

describe('recall explain', () => {
  it('shows the verdict, the scores and what would be told, and writes no receipt', () => {
    const project = remembering()
    const { out, code } = runCommand(project, ['recall', 'explain', ...ASKED.split(' ')])

    expect(code).toBe(0)
    expect(out).toMatch(/^It would be injected\. .+\.\n/)
    expect(out).toMatch(/evidence \d\.\d\d, more than \d\.\d\d needed/)
    expect(out).toMatch(/2026-01-13 00000001#3 Claude: We settled on exponential backoff/)
    expect(fs.existsSync(path.join(project.memory, 'journal', 'recalls.jsonl'))).toBe(false)
  })

  it('says why it would be silent', () => {
    const project = remembering()

    expect(runCommand(project, ['recall', 'explain', 'what a lovely garden with roses']).out).toMatch(/^Silent\. \w/)
    expect(runCommand(project, ['recall', 'explain', '/clear']).out).toContain('nothing to search for')
    expect(runCommand(project, ['recall', 'explain', 'ok']).out).toContain('It has the form of nothing')
    expect(runCommandJson(project, ['recall', 'explain', 'ok']).json).toMatchObject({ fires: false, picks: [] })
  })

  it('leaves out what a session was shown, and says so', () => {
    const project = remembering()
    prompt(project, { prompt: ASKED }, {}, sessionId(2))
    append(project.transcriptOf(sessionId(2)), linesFor(sessionId(2), project.root).prompt(0, ASKED))
    stop(project, {}, {}, sessionId(2))

    const { json } = runCommandJson(project, ['recall', 'explain', ASKED, '--session', '00000002'])
    expect(json.picks.find(({ id }: { id: string }) => id === 'L1:00000001#3')).toMatchObject({ verdict: 'shown' })
    expect(runCommand(project, ['recall', 'explain', ASKED, '--session', '00000002']).out).toContain(
      'was shown it already',
    )
    expect(runCommandJson(project, ['recall', 'explain', ASKED]).json).toMatchObject({ fires: true, isOn: true })
    expect(runCommand(project, ['recall', 'explain', ASKED, '--session', 'ffffffff']).code).toBe(1)
  })

  it('says that it is switched off', () => {
    const project = remembering()
    runCommand(project, ['config', 'set', 'recall', 'false'])

    expect(runCommand(project, ['recall', 'explain', ASKED]).out).toContain('memory-keeper config set recall true')
  })

  it('answers in a project without a memory, and makes none', () => {
    const project = makeProject()

    expect(runCommand(project, ['recall', 'explain', ASKED])).toMatchObject({ code: 0 })
    expect(fs.existsSync(project.memory)).toBe(false)
  })
})

describe('recall list and status', () => {
  it('tell what went with prompts', () => {
    const project = remembering()
    expect(runCommand(project, ['recall', 'list']).out).toContain('No prompt has been checked yet')
    prompt(project, { prompt: ASKED }, {}, sessionId(2))
    prompt(project, { prompt: 'what a lovely garden with roses' }, {}, sessionId(3))

    const { out } = runCommand(project, ['recall', 'list'])
    expect(out).toMatch(/2026-01-13 09:10 {2}00000002 {2}question, \d+ tokens/)
    expect(out).toContain('L1:00000001#3')
    expect(out).toContain('2 prompts, 1 recall')
    expect(runCommandJson(project, ['recall', 'list', '--limit', '1']).json).toMatchObject({ fired: 1, silent: 1 })
    expect(runCommandJson(project, ['status']).json.recalls).toMatchObject({ all: 2, fired: 1 })
    expect(runCommand(project, ['status']).out).toMatch(
      /recall +on, 1 of 2 prompts today \(1 question\)|recall +on, 0 of 0 prompts today/,
    )
  })
})
