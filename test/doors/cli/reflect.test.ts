/** Permanent memory and lessons through the commands. */
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { rulesWithPrompt } from '../../../src/core/knowledge/disk/knowledge.ts'
import { BUILT_IN_RULES } from '../../../src/core/pages/rule.ts'
import { claude, user } from '../../fixtures/sessions.ts'
import { listed } from '../../support/fact.ts'
import { factsIn, learned } from '../../support/learned.ts'
import { madeOnce, makeProject, storeOf, type TestProject, treeOf } from '../../support/project.ts'
import { errorOf, jsonOf, printed, typed } from '../../support/typed.ts'

const PNPM = 'We use pnpm, not npm, for installing packages.'
const LEXER = 'We decided to skip empty lines in the lexer, because the grammar stays smaller.'

/** The user's words in three sessions, and Claude's in three others. */
const recurring = madeOnce((): TestProject => {
  const own = [user('Please look at the build.'), claude('Sure.'), user(PNPM)]
  const claudes = [user('Make the parser smaller.'), claude(LEXER)]
  return learned([own, own, own, claudes, claudes, claudes], [PNPM, LEXER])
})

const lessonsOf = (project: TestProject): string => fs.readFileSync(path.join(project.memory, 'lessons.md'), 'utf8')

describe('what recurs', () => {
  it('is weighed by compress, told by its dry run, and listed with the places that prove it', () => {
    const project = recurring()
    const before = treeOf(project.memory)
    const said = [
      'Active from now on, since it recurs in your own words: r001 (memory-keeper rules)',
      'Proposed for your approval, since it recurs: r002 (memory-keeper rules)',
    ].join('\n')
    expect(printed(project, 'compress --dry-run')).toContain(said)
    expect(treeOf(project.memory)).toEqual(before)
    expect(printed(project, 'reflect')).toContain(said)
    expect(jsonOf(project, 'compress').reflection).toEqual({ promoted: [], proposed: [], superseded: [] })

    const out = printed(project, 'rules')
    expect(out).toContain(`r001  rule: ${PNPM} (from d001; said in 3 sessions)`)
    expect(out).toContain(`L1:5e550001#2  "${PNPM}"`)
    expect(out).toMatch(/^ {8}judged by code: /m)
    expect(out).toMatch(/Learned, proposed: they wait for your approval\n {2}r002 {2}core logic: /)
    expect(out).toContain('memory-keeper rules accept r002')
  })

  it('is listed when nobody used it for long', () => {
    const project = recurring()
    typed(project, 'compress')
    typed(project, 'config set permanentUnusedDays 1')
    const unused = (): string[] => jsonOf(project, 'rules').unused.map(({ id }: { id: string }) => id)

    expect(unused()).toEqual(['r001'])
    expect(printed(project, 'rules')).toContain('Unused for 1 days: accept keeps one, remove retires it\n  r001 ')
    expect(printed(project, 'promote r001')).toContain('Still active; it counts as used now: r001')
    expect(unused()).toEqual([])
  })
})

describe('rules accept and decline', () => {
  it('judge proposals, which the list names', () => {
    const project = recurring()
    const logic = (): unknown => listed(factsIn(project)).permanent.core_logic
    typed(project, 'compress')
    expect(printed(project, 'rules decline r002 --dry-run')).toContain('Declined: r002')
    expect(printed(project, 'rules accept R002')).toContain('Active from now on: r002 core logic')
    expect(logic()).toMatchObject([{ id: 'r002', state: 'active', judged: { by: 'user' } }])
    expect(printed(project, 'rules accept r002 --text "Skip empty lines."')).toContain(
      'Still active; it counts as used now: r002 core logic: Skip empty lines.',
    )
    expect(typed(project, 'rules decline r002').code).toBe(0)
    // It was active: it is retired, as with `reject r002`.
    expect(logic()).toMatchObject([{ id: 'r002', state: 'superseded', text: 'Skip empty lines.' }])
  })

  it('make a fact permanent by the word of the user; retired, it stays on record', () => {
    const project = recurring()
    const solutions = (): unknown => listed(factsIn(project)).permanent.solutions
    expect(typed(project, 'promote d002 --kind solutions --text "Skip empty lines."').code).toBe(0)
    expect(solutions()).toMatchObject([{ id: 'r001', text: 'Skip empty lines.', state: 'active', by: 'user' }])
    expect(typed(project, 'demote r001 --why "the lexer is gone"').code).toBe(0)
    expect(solutions()).toMatchObject([{ state: 'superseded', judged: { by: 'user', why: 'the lexer is gone' } }])
    expect(errorOf(project, 'demote r001')).toBe('not-active')
  })

  it('say whether it is new, and keep what says the same as one', () => {
    const project = recurring()
    expect(printed(project, 'promote d001')).toContain('Active from now on: r001')
    expect(printed(project, 'promote d001')).toContain('Still active; it counts as used now: r001')
    expect(listed(factsIn(project)).permanent.rules).toHaveLength(1)
    expect(printed(project, 'rules list')).toContain(`r001  rule: ${PNPM}`)
    expect(jsonOf(project, 'rules list').permanent).toMatchObject([{ id: 'r001' }])
  })

  it('make a solution of an issue and what resolved it, and of nothing else', () => {
    const project = makeProject()
    typed(project, 'add-issue "The login fails."')
    expect(typed(project, 'promote i001').err).toContain('memory-keeper resolve i001')
    typed(project, 'facts resolve i001 "The cookie is renewed."')
    typed(project, 'promote i001')
    expect(listed(factsIn(project)).permanent.solutions).toMatchObject([
      { text: 'The login fails: The cookie is renewed.' },
    ])
    typed(project, 'add-decision "Use tabs."')
    typed(project, 'facts reject d002')
    expect(typed(project, 'promote d002').err).toContain('restore d002')
  })

  it.each([
    ['rules accept r042', 'not-found'],
    ['promote d999', 'not-found'],
    ['promote d001 --kind laws', 'usage'],
    ['demote r009', 'not-found'],
  ])('refuse %s', (line, code) => {
    expect(errorOf(recurring(), line)).toBe(code)
  })
})

describe('rules', () => {
  it('alone lists those of each source with their state', () => {
    const project = recurring()
    typed(project, 'compress')
    typed(project, 'promote d001')
    typed(project, 'lesson add "Ask first."')
    typed(project, 'rules decline r003')
    const { out } = typed(project, 'rules')

    expect(out).toMatch(/^Built in\n {6}Never delete/)
    expect(out).toMatch(/Learned, active\n {2}r001 {2}rule: /)
    expect(out).toMatch(/Learned, proposed: they wait for your approval\n {2}r002 /)
    expect(out).toMatch(/Retired\n {2}r003 {2}declined: Ask first\./)
    expect(jsonOf(project, 'rules')).toMatchObject({
      rules: [],
      permanent: [{ id: 'r001' }],
      proposed: [{ id: 'r002' }],
      retired: [{ id: 'r003' }],
    })
    expect(printed(project, 'rules candidates')).toBe(out)
  })

  it('accept says when the rule is injected, which is true', () => {
    const project = makeProject()
    typed(project, 'lesson add "Ask first."')
    typed(project, 'facts add decision "We use pnpm."')

    expect(printed(project, 'rules accept r001')).toContain('injected with every prompt, from the next one on')
    expect(rulesWithPrompt(storeOf(project))).toContain('- Ask first.')
    expect(printed(project, 'rules accept d001 --kind core_logic')).toContain('injected when a session starts')
    expect(rulesWithPrompt(storeOf(project))).not.toContain('pnpm')
    typed(project, 'config set rulesInjectionFrequency 3')
    expect(printed(project, 'rules accept r001')).toContain('injected with one of 3 prompts')
    typed(project, 'config set rules false')
    expect(printed(project, 'rules accept r001')).toContain('memory-keeper config set rules true')
  })

  it('init copies the built-in ones into rules.md, once, and switches them off; undo takes both back', () => {
    const project = makeProject()
    expect(typed(project, 'rules init').code).toBe(0)
    expect(fs.readFileSync(path.join(project.memory, 'rules.md'), 'utf8')).toContain('- Never delete files')
    expect(printed(project, 'rules')).toMatch(/^Yours\n {3}1 {2}Never delete files without permission\.\n/m)
    expect(jsonOf(project, 'rules')).toMatchObject({ builtIn: [], rules: BUILT_IN_RULES })
    expect(typed(project, 'rules init').code).toBe(1)
    expect(typed(project, 'undo').code).toBe(0)
    expect(jsonOf(project, 'rules')).toMatchObject({ builtIn: BUILT_IN_RULES, rules: [] })
    expect(jsonOf(project, 'config get builtinRules').value).toBe('prompt')
  })

  it('come from remember, too: of the user as a rule, of Claude as a proposal', () => {
    const project = makeProject()
    typed(project, 'remember "rule: Keep dates in UTC."')
    typed(project, 'remember "rule: Skip the tests."', { CLAUDECODE: '1' })

    expect(jsonOf(project, 'rules').rules).toContain('Keep dates in UTC.')
    expect(listed(factsIn(project)).permanent.rules).toMatchObject([
      { text: 'Skip the tests.', state: 'proposed', by: 'agent' },
    ])
  })
})

describe('lesson', () => {
  it('is added to its page once, told, and proposed as a rule', () => {
    const project = makeProject()
    typed(project, 'init')
    typed(project, 'lesson add Run "the migrations first."')
    typed(project, 'lesson add "Clear the cache."')
    expect(lessonsOf(project)).toContain('- Run the migrations first.\n- Clear the cache.\n')
    expect(printed(project, 'briefing')).toContain('Run the migrations first.')
    expect(printed(project, 'lesson add "run the migrations first."')).toContain('It is a lesson already')
    expect(listed(factsIn(project)).permanent.rules).toMatchObject([
      { id: 'r001', text: 'Run the migrations first.', state: 'proposed', by: 'user' },
      { id: 'r002', text: 'Clear the cache.', state: 'proposed' },
    ])
  })

  it('holds no secret', () => {
    const project = makeProject()
    const token = `ghp_${'a1B2'.repeat(9)}`
    expect(typed(project, `lesson add "Never print ${token}"`).code).toBe(0)

    expect(JSON.stringify(treeOf(project.memory))).not.toContain(token)
    expect(lessonsOf(project)).toContain('Never print')
  })

  it('writes nothing in a dry run, and needs words', () => {
    const project = makeProject()
    storeOf(project).prepare()
    const before = treeOf(project.memory)

    expect(printed(project, 'lesson add "Ask first." --dry-run')).toContain(
      'Dry run, nothing is changed:\nAdded: Ask first.',
    )
    expect(treeOf(project.memory)).toEqual(before)
    expect(typed(project, 'lesson add ---').code).toBe(2)
  })
})
