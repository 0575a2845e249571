/** Permanent memory and lessons through the commands. */
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { claude, user } from '../fixtures/sessions.ts'
import { factsIn, learned } from '../support/learned.ts'
import { runCommand, runCommandJson } from '../support/process.ts'
import { makeProject, storeOf, type TestProject, treeOf } from '../support/project.ts'

const PNPM = 'We use pnpm, not npm, for installing packages.'
const LEXER = 'We decided to skip empty lines in the lexer, because the grammar stays smaller.'

/** The user's words in three sessions, and Claude's in three others. */
function recurring(): TestProject {
  const own = [user('Please look at the build.'), claude('Sure.'), user(PNPM)]
  const claudes = [user('Make the parser smaller.'), claude(LEXER)]
  return learned([own, own, own, claudes, claudes, claudes], [PNPM, LEXER])
}

const lessonsOf = (project: TestProject): string => fs.readFileSync(path.join(project.memory, 'lessons.md'), 'utf8')

describe('reflect', () => {
  it('shows what holds and what waits, with the places that prove it', () => {
    const { out, code } = runCommand(recurring(), ['reflect'])

    expect(code).toBe(0)
    expect(out).toContain('r001 is active from now on, in your own words.\nr002 is proposed.')
    expect(out).toContain(`r001  rule: ${PNPM} (from d001; said in 3 sessions)`)
    expect(out).toContain(`L1:5e550001#2  "${PNPM}"`)
    expect(out).toMatch(/^ {8}judged by code: /m)
    expect(out).not.toContain('Unused for')
    expect(out).toMatch(/Proposed: they wait for your yes\n {2}r002 {2}core logic: /)
    expect(out).toContain('memory-keeper rules accept r002')
  })

  it('has all of it as JSON, and says nothing new the second time', () => {
    const project = recurring()
    const { json } = runCommandJson(project, ['reflect'])

    expect(json.changed).toMatchObject({ promoted: ['r001'], proposed: ['r002'] })
    expect(json.permanent.map(({ id, status }: { id: string; status: string }) => `${id} ${status}`)).toEqual([
      'r001 active',
      'r002 proposed',
    ])
    expect(runCommandJson(project, ['reflect']).json.changed).toMatchObject({ promoted: [], proposed: [] })
  })

  it('writes nothing in a dry run', () => {
    const project = recurring()
    const before = treeOf(project.memory)
    const { out } = runCommand(project, ['reflect', '--dry-run'])

    expect(treeOf(project.memory)).toEqual(before)
    expect(out).toContain('r001 would be active from now on, in your own words.\nr002 would be proposed.')
    expect(out).toContain(`r001  rule: ${PNPM}`)
    expect(runCommandJson(project, ['reflect', '--dry-run']).json.changed).toMatchObject({ promoted: ['r001'] })
    runCommand(project, ['reflect'])
    expect(runCommand(project, ['reflect', '--dry-run']).out).toContain('Nothing would change.')
  })

  it('advises nothing that is not there', () => {
    const project = makeProject()
    storeOf(project).prepare()

    expect(runCommand(project, ['reflect']).out).toBe('Nothing recurs in enough sessions yet.\n')
    runCommand(project, ['add-pattern', 'Queries go through one file.'])
    expect(runCommand(project, ['reflect']).out).toContain('memory-keeper rules accept p001')
  })

  it('is done by compress, and told by its dry run', () => {
    const project = recurring()
    const { out } = runCommand(project, ['compress', '--dry-run'])

    expect(out).toContain('in your own words, would be active from now on: r001')
    expect(out).toContain('would wait for your yes: r002')
    expect(factsIn(project).permanent.rules).toEqual([])
    expect(runCommand(project, ['compress']).out).toContain('in your own words, is active from now on: r001')
  })

  it('lists what nobody used for long', () => {
    const project = recurring()
    runCommand(project, ['reflect'])
    runCommand(project, ['config', 'set', 'permanentUnusedDays', '1'])

    expect(runCommandJson(project, ['reflect']).json.unused).toEqual(['r001'])
    expect(runCommand(project, ['reflect']).out).toContain('To keep it: memory-keeper rules accept r001')
    expect(runCommand(project, ['promote', 'r001']).out).toContain('Still active; it counts as used now: r001')
    expect(runCommandJson(project, ['reflect']).json.unused).toEqual([])
  })
})

describe('rules accept and decline', () => {
  it('judge proposals, which the list names', () => {
    const project = recurring()
    runCommand(project, ['reflect'])
    expect(runCommand(project, ['rules']).out).toContain('r002')
    expect(runCommand(project, ['rules', 'decline', 'r002', '--dry-run']).out).toContain('Would decline: r002')
    expect(runCommand(project, ['rules', 'accept', 'R002']).out).toContain('Active from now on: r002 core logic')
    expect(factsIn(project).permanent.core_logic).toMatchObject([
      { id: 'r002', status: 'active', judged: { by: 'user' } },
    ])
    expect(runCommand(project, ['rules', 'decline', 'r002']).code).toBe(0)
    expect(factsIn(project).permanent.core_logic).toMatchObject([{ id: 'r002', status: 'declined' }])
  })

  it('take other words at a terminal', () => {
    const project = recurring()
    runCommand(project, ['reflect'])

    expect(runCommand(project, ['rules', 'accept', 'r002', '--text', 'Skip empty lines.']).out).toContain(
      'Active from now on: r002 core logic: Skip empty lines.',
    )
    expect(runCommand(project, ['rules', 'accept', 'r002']).out).toContain('Still active')
  })

  it('say what is not there', () => {
    const { code, err } = runCommand(recurring(), ['rules', 'accept', 'r042'])

    expect(code).toBe(1)
    expect(err).toContain(
      'There is no fact or rule r042. memory-keeper facts lists the facts, memory-keeper rules the rules.',
    )
  })
})

describe('promote and demote', () => {
  it('are the word of the user: it holds, and holds no more, and stays on record', () => {
    const project = recurring()
    expect(runCommand(project, ['promote', 'd002', '--kind', 'solutions', '--text', 'Skip empty lines.']).code).toBe(0)
    expect(factsIn(project).permanent.solutions).toMatchObject([
      { id: 'r001', text: 'Skip empty lines.', status: 'active', by: 'user' },
    ])
    expect(runCommand(project, ['demote', 'r001', '--why', 'the lexer is gone']).code).toBe(0)
    expect(factsIn(project).permanent.solutions).toMatchObject([
      { status: 'superseded', judged: { by: 'user', why: 'the lexer is gone' } },
    ])
    expect(runCommand(project, ['demote', 'r001']).code).toBe(1)
  })

  it('say whether it is new, and keep what says the same as one', () => {
    const project = recurring()
    expect(runCommand(project, ['promote', 'd001']).out).toContain('Active from now on: r001')
    expect(runCommand(project, ['promote', 'd001']).out).toContain('Still active; it counts as used now: r001')
    expect(factsIn(project).permanent.rules).toHaveLength(1)
    expect(runCommand(project, ['rules', 'list']).out).toContain(`r001  rule: ${PNPM}`)
    expect(runCommandJson(project, ['rules', 'list']).json.permanent).toMatchObject([{ id: 'r001' }])
  })

  it('make a solution of an issue and what resolved it, and of nothing else', () => {
    const project = makeProject()
    runCommand(project, ['add-issue', 'The login fails.'])
    const open = runCommand(project, ['promote', 'i001'])
    expect(open.code).toBe(1)
    expect(open.err).toContain('memory-keeper facts resolve i001')
    runCommand(project, ['facts', 'resolve', 'i001', 'The cookie is renewed.'])
    runCommand(project, ['promote', 'i001'])
    expect(factsIn(project).permanent.solutions).toMatchObject([{ text: 'The login fails: The cookie is renewed.' }])
    runCommand(project, ['add-decision', 'Use tabs.'])
    runCommand(project, ['facts', 'reject', 'd002'])
    expect(runCommand(project, ['promote', 'd002'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('restore d002'),
    })
  })

  it.each([
    [['promote', 'd999'], 1],
    [['promote', 'd001', '--kind', 'laws'], 2],
    [['demote', 'r009'], 1],
  ])('refuse %j', (args, code) => {
    expect(runCommand(recurring(), args).code).toBe(code)
  })
})

describe('rules', () => {
  it('alone lists those of each source with their state', () => {
    const project = recurring()
    runCommand(project, ['reflect'])
    runCommand(project, ['promote', 'd001'])
    runCommand(project, ['lesson', 'add', 'Ask first.'])
    runCommand(project, ['rules', 'decline', 'r003'])
    const { out } = runCommand(project, ['rules'])

    expect(out).toMatch(/^Built in\n {3}1 {2}Never delete/)
    expect(out).toMatch(/Learned, active\n {2}r001 {2}rule: /)
    expect(out).toMatch(/Learned, proposed: they wait for your yes\n {2}r002 /)
    expect(out).toMatch(/Retired\n {2}r003 {2}declined: Ask first\./)
    expect(runCommandJson(project, ['rules']).json).toMatchObject({
      from: 'built-in',
      permanent: [{ id: 'r001' }],
      proposed: [{ id: 'r002' }],
      retired: [{ id: 'r003' }],
    })
    expect(runCommand(project, ['rules', 'candidates']).out).toBe(out)
  })

  it('init copies the built-in ones into rules.md, once', () => {
    const project = makeProject()
    expect(runCommand(project, ['rules', 'init']).code).toBe(0)
    expect(fs.readFileSync(path.join(project.memory, 'rules.md'), 'utf8')).toContain('- Never delete files')
    expect(runCommand(project, ['rules']).out).toMatch(/^Yours\n/)
    expect(runCommand(project, ['rules', 'init']).code).toBe(1)
  })

  it('come from remember, too: of the user as a rule, of Claude as a proposal', () => {
    const project = makeProject()
    runCommand(project, ['remember', 'rule: Keep dates in UTC.'])
    runCommand(project, ['remember', 'rule: Skip the tests.'], { CLAUDECODE: '1' })

    expect(runCommandJson(project, ['rules']).json.rules).toContain('Keep dates in UTC.')
    expect(factsIn(project).permanent.rules).toMatchObject([
      { text: 'Skip the tests.', status: 'proposed', by: 'agent' },
    ])
  })
})

describe('lesson', () => {
  it('is added to its page once, told, and proposed as a rule', () => {
    const project = makeProject()
    runCommand(project, ['init'])
    runCommand(project, ['lesson', 'add', 'Run', 'the migrations first.'])
    runCommand(project, ['lesson', 'add', 'Clear the cache.'])
    expect(lessonsOf(project)).toContain('- Run the migrations first.\n- Clear the cache.\n')
    expect(runCommandJson(project, ['lesson', 'list']).json.lessons).toEqual([
      'Run the migrations first.',
      'Clear the cache.',
    ])
    expect(runCommand(project, ['briefing']).out).toContain('Run the migrations first.')
    expect(runCommand(project, ['lesson', 'add', 'run the migrations first.']).out).toContain('It is a lesson already')
    expect(factsIn(project).permanent.rules).toMatchObject([
      { id: 'r001', text: 'Run the migrations first.', status: 'proposed', by: 'user' },
      { id: 'r002', text: 'Clear the cache.', status: 'proposed' },
    ])
  })

  it('may be a rule at once, and holds no secret', () => {
    const project = makeProject()
    const token = `ghp_${'a1B2'.repeat(9)}`
    expect(runCommand(project, ['lesson', 'add', '--rule', `Never print ${token}`]).code).toBe(0)

    expect(lessonsOf(project)).not.toContain(token)
    expect(runCommandJson(project, ['rules']).json.rules.join()).toContain('Never print')
    expect(runCommandJson(project, ['lesson', 'add', '--rule', 'Ask first.']).json).toMatchObject({
      rule: 'Ask first.',
    })
  })

  it('writes nothing in a dry run, and needs words', () => {
    const project = makeProject()
    storeOf(project).prepare()
    const before = treeOf(project.memory)

    expect(runCommand(project, ['lesson', 'add', 'Ask first.', '--dry-run']).out).toContain('Would add')
    expect(treeOf(project.memory)).toEqual(before)
    expect(runCommand(project, ['lesson', 'add', '---']).code).toBe(2)
  })
})
