/** Rules, lessons and permanent items changed by hand: what each change makes of them, and what is refused. */

import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Change, changeByHand, type Hand } from '../../../../src/core/edit/disk/by-hand.ts'
import { listUndo, undoLast } from '../../../../src/core/edit/disk/undo.ts'
import { readFacts } from '../../../../src/core/knowledge/disk/knowledge.ts'
import type { PermanentItem } from '../../../../src/core/knowledge/item.ts'
import { allPermanent, findPermanent } from '../../../../src/core/knowledge/items.ts'
import { readRules } from '../../../../src/core/pages/disk/rules.ts'
import { BUILT_IN_RULES, parseRules } from '../../../../src/core/pages/rule.ts'
import { AGENT, HAND, known } from '../../../support/by-hand.ts'
import { makeProject, NOW, setAtHome, storeOf, type TestProject, treeOf, write } from '../../../support/project.ts'

type Done = { said: string[]; json: Record<string, unknown> }
const done = (project: TestProject, change: Change, hand: Hand = HAND): Done =>
  changeByHand(storeOf(project), change, hand)
const read = (project: TestProject, name: string): string => fs.readFileSync(path.join(project.memory, name), 'utf8')
const rulesOf = (project: TestProject): string[] => parseRules(read(project, 'rules.md'))
const item = (project: TestProject, id: string): PermanentItem | null => findPermanent(readFacts(storeOf(project)), id)
const last = (project: TestProject): string | undefined => listUndo(storeOf(project))[0]?.what
const [BUILT_IN = ''] = BUILT_IN_RULES
const WORDS = 'x'.repeat(500)

describe('a change of a rule, a lesson or a permanent item', () => {
  it.each<[string, Change, string, string | RegExp]>([
    ['a rule without words', { do: 'add-rule', text: ' -- ' }, 'usage', 'A rule needs words: memory-keeper rules add'],
    ['a rule that is a comment', { do: 'add-rule', text: '<!-- -->' }, 'usage', 'A rule needs words'],
    [
      'a rule of 501 characters',
      { do: 'add-rule', text: `${WORDS}x` },
      'usage',
      'at most 500 characters, this one 501',
    ],
    ['an edit to no rule', { do: 'edit-rule', rule: 'Be kind.', text: '' }, 'usage', 'A rule needs words'],
    ['an edit of no rule', { do: 'edit-rule', rule: 'Be bold.', text: 'Be wise.' }, 'no-rule', 'no rule Be bold.'],
    ['an edit of a built-in rule', { do: 'edit-rule', rule: BUILT_IN, text: 'No.' }, 'built-in', 'rules init'],
    ['removing no rule', { do: 'remove-rule', which: 'nowhere' }, 'no-rule', 'memory-keeper rules list shows them all'],
    ['removing rule 0', { do: 'remove-rule', which: '0' }, 'no-rule', 'There is no rule 0'],
    ['removing rule 3 of 2', { do: 'remove-rule', which: '3' }, 'no-rule', 'There is no rule 3'],
    [
      'removing by a word of two rules',
      { do: 'remove-rule', which: 'be' },
      'ambiguous',
      /^The rules 1, 2 contain be\. .* remove 1$/,
    ],
    ['removing a built-in rule', { do: 'remove-rule', which: 'corners' }, 'built-in', 'config set builtinRules off'],
    [
      'a lesson without words',
      { do: 'add-lesson', text: ' ' },
      'usage',
      'A lesson needs words: memory-keeper lesson add',
    ],
    ['a lesson of 501 characters', { do: 'add-lesson', text: `${WORDS}x` }, 'usage', 'A lesson has at most 500'],
    ['a proposal without words', { do: 'propose-rule', text: '' }, 'usage', 'A rule needs words'],
    ['accepting nothing', { do: 'accept', id: 'r099' }, 'not-found', 'There is no fact or rule r099'],
    ['accepting a rejected fact', { do: 'accept', id: 'd005' }, 'not-live', 'restore d005'],
    ['accepting an open issue', { do: 'accept', id: 'i003' }, 'no-solution', /^i003 is open\. .* resolve i003 "how"$/],
    [
      'accepting as another kind',
      { do: 'accept', id: 'r001', kind: 'rule' },
      'usage',
      'rules, solutions, core_logic, not rule',
    ],
    ['accepting in no words', { do: 'accept', id: 'r001', text: '-' }, 'usage', 'A rule needs words'],
    ['declining nothing', { do: 'decline', id: 'd001' }, 'not-found', 'There is no rule d001'],
    ['retiring what is only proposed', { do: 'demote', id: 'r001' }, 'not-active', 'r001 is proposed, not active'],
    ['retiring nothing', { do: 'demote', id: 'r099' }, 'not-found', 'There is no rule r099'],
  ])('a change by hand refuses %s, and writes nothing', (_, change, code, message) => {
    const project = known()
    const before = treeOf(project.base)
    const why = typeof message === 'string' ? expect.stringContaining(message) : expect.stringMatching(message)

    for (const isDryRun of [true, false])
      expect(() => done(project, change, { ...HAND, isDryRun })).toThrow(
        expect.objectContaining({ code, message: why }),
      )
    // What 0.6 left in rules.md is looked for once, whatever comes of the change.
    expect(withoutState(treeOf(project.base))).toEqual(before)
  })
})

/** Without the state, which remembers that rules.md was looked at. */
function withoutState(tree: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(tree).filter(([name]) => !name.endsWith('memory-index.json')))
}

describe('a rule', () => {
  it('a new rule stands behind the others, and nothing else in the file changes', () => {
    const project = known()
    write(path.join(project.memory, 'rules.md'), '# Ours\r\n\r\n1. Be kind.\r\nBe brief.')
    const { said, json } = done(project, { do: 'add-rule', text: ' - Be  early. ' })

    const file = path.join(project.memory, 'rules.md')
    expect(read(project, 'rules.md')).toBe('# Ours\r\n\r\n1. Be kind.\r\nBe brief.\r\n- Be early.\r\n')
    expect(said).toEqual(['Added: Be early.', `3 rules of yours in ${file}`])
    expect(json).toMatchObject({
      rule: 'Be early.',
      rules: ['Be kind.', 'Be brief.', 'Be early.'],
      file,
      claudeMd: 'same',
    })
    expect(last(project)).toBe('rule added: Be early.')
  })

  it('the first rule makes the file', () => {
    const project = makeProject()
    expect(done(project, { do: 'add-rule', text: 'Be early.' }).said[1]).toMatch(/^1 rule of yours in /)
    expect(rulesOf(project)).toEqual(['Be early.'])
  })

  it('a rule of 500 characters is kept', () => {
    const project = known()
    done(project, { do: 'add-rule', text: ` ${WORDS} ` })
    expect(rulesOf(project)).toContain(WORDS)
  })

  it.each([
    ['BE KIND.', 'It is a rule already.'],
    [BUILT_IN.toUpperCase(), 'It is a built-in rule already.'],
  ])('%s is not added a second time', (text, why) => {
    const project = known()
    const before = read(project, 'rules.md')

    expect(done(project, { do: 'add-rule', text }).said[0]).toBe(why)
    expect(read(project, 'rules.md')).toBe(before)
    expect(listUndo(storeOf(project))).toEqual([])
  })

  it('a built-in rule can be the user’s own while the built-in ones are off', () => {
    const project = makeProject()
    setAtHome(project, { builtinRules: 'off' })
    done(project, { do: 'add-rule', text: BUILT_IN })
    expect(rulesOf(project)).toEqual([BUILT_IN])
  })

  it('a built-in rule makes no file', () => {
    const project = makeProject()
    done(project, { do: 'add-rule', text: BUILT_IN })
    expect(fs.existsSync(path.join(project.memory, 'rules.md'))).toBe(false)
  })

  it.each([
    ['1', 'Be kind.'],
    [' 2 ', 'Be brief.'],
    ['BRIEF', 'Be brief.'],
    ['be kind.', 'Be kind.'],
  ])('remove %s takes out "%s"', (which, rule) => {
    const project = known()
    const { said, json } = done(project, { do: 'remove-rule', which })

    expect(rulesOf(project)).toEqual(['Be kind.', 'Be brief.'].filter((one) => one !== rule))
    expect(said[0]).toBe(`Removed: ${rule}`)
    expect(json).toMatchObject({ rule })
    expect(last(project)).toBe(`rule removed: ${rule}`)
  })

  it('an edited rule keeps its place', () => {
    const project = known()
    expect(done(project, { do: 'edit-rule', rule: 'Be kind.', text: '* Be  nice.' }).said[0]).toBe('Changed: Be nice.')
    expect(rulesOf(project)).toEqual(['Be nice.', 'Be brief.'])
    expect(last(project)).toBe('rule edited: Be nice.')
  })

  it('a file that is not UTF-8, or longer than 64 KB, is left as it is', () => {
    for (const bytes of [Buffer.from([0x2d, 0x20, 0xff, 0x0a]), Buffer.from('- A rule.\n'.repeat(7000))])
      for (const change of [
        { do: 'add-rule', text: 'Be early.' },
        { do: 'remove-rule', which: '1' },
        { do: 'edit-rule', rule: 'A rule.', text: 'Be early.' },
        { do: 'init-rules' },
      ] as const) {
        const project = known()
        const file = path.join(project.memory, 'rules.md')
        write(file, bytes)
        expect(() => done(project, change)).toThrow(expect.objectContaining({ code: 'not-text' }))
        expect(fs.readFileSync(file).equals(bytes)).toBe(true)
      }
  })

  it('a file of 0.6 is read before it is changed, so that a new rule is no part of it', () => {
    const project = known()
    const made =
      '<!-- Injected with every prompt, one rule per list item. Edit them here, or with: memory-keeper rules add, remove.\n     Without this file the built-in rules apply; with no rule in it, none. -->'
    write(path.join(project.memory, 'rules.md'), `# Rules\n\n${made}\n\n- ${BUILT_IN}\n- Be kind.\n`)
    done(project, { do: 'add-rule', text: 'Be early.' }, { ...HAND, isDryRun: true })
    expect(rulesOf(project)).toEqual([BUILT_IN, 'Be kind.'])
    expect(done(project, { do: 'add-rule', text: 'Be early.' }).json.rules).toEqual(['Be kind.', 'Be early.'])

    expect(rulesOf(project)).toEqual(['Be kind.', 'Be early.'])
    undoLast(storeOf(project), HAND)
    expect(rulesOf(project)).toEqual(['Be kind.'])
  })
})

describe('rules init', () => {
  it('the built-in rules become the user’s once, and are switched off in this project only', () => {
    const project = known()
    write(path.join(project.memory, 'rules.md'), `- Be kind.\n- ${BUILT_IN.toLowerCase()}\n`)
    write(path.join(project.memory, 'config.json'), '{"saveInterval":30}')
    const before = [read(project, 'rules.md'), read(project, 'config.json')]
    const { said } = done(project, { do: 'init-rules' })

    expect(rulesOf(project)).toEqual(['Be kind.', BUILT_IN.toLowerCase(), ...BUILT_IN_RULES.slice(1)])
    expect(JSON.parse(read(project, 'config.json'))).toEqual({ saveInterval: 30, builtinRules: 'off' })
    expect(said.join('\n')).toMatch(/^9 rules of yours in .*\nThe built-in rules are yours now.*\nbuiltinRules = "off"/)
    expect(readRules(storeOf(project))).toHaveLength(9)
    expect(() => done(project, { do: 'init-rules' })).toThrow(
      expect.objectContaining({ code: 'exists', message: expect.stringContaining('has all built-in rules already') }),
    )
    undoLast(storeOf(project), HAND)
    expect([read(project, 'rules.md'), read(project, 'config.json')]).toEqual(before)
  })

  it('a memory without rules.md gets one with a heading', () => {
    const project = makeProject()
    done(project, { do: 'init-rules' })
    expect(read(project, 'rules.md')).toMatch(/^# Rules\n/)
    expect(rulesOf(project)).toEqual(BUILT_IN_RULES)
    expect(last(project)).toBe('rules init')
  })

  it('built-in rules that are all there already are only switched off', () => {
    const project = known()
    write(path.join(project.memory, 'rules.md'), BUILT_IN_RULES.map((rule) => `- ${rule}\n`).join(''))
    const before = read(project, 'rules.md')
    setAtHome(project, {})
    write(path.join(project.memory, 'config.json'), '{}')
    done(project, { do: 'init-rules' })
    expect(JSON.parse(read(project, 'config.json'))).toEqual({ builtinRules: 'off' })
    expect(read(project, 'rules.md').length).toBeGreaterThanOrEqual(before.length)
  })

  it('a config that is no JSON is left as it is, and so are the rules', () => {
    const project = known()
    write(path.join(project.memory, 'config.json'), '{"saveInterval":')
    const before = treeOf(project.memory)
    expect(() => done(project, { do: 'init-rules' })).toThrow(expect.objectContaining({ code: 'broken-config' }))
    expect(withoutState(treeOf(project.memory))).toEqual(before)
  })
})

describe('rules in CLAUDE.md', () => {
  it('every change of rules.md reaches CLAUDE.md and says so, and no other change does', () => {
    const project = makeProject()
    setAtHome(project, { claudeMdSync: true })
    known(project)
    const file = path.join(project.root, 'CLAUDE.md')
    const claudeMd = (): string => fs.readFileSync(file, 'utf8')

    const { said, json } = done(project, { do: 'add-rule', text: 'Be early.' })
    expect([said.at(-1), json.claudeMd]).toEqual(['CLAUDE.md: rules written.', 'written'])
    expect(claudeMd()).toMatch(/Cut no corners\.[\s\S]*Be kind\.[\s\S]*Be early\./)
    const before = claudeMd().replace('Be early.', 'Be late.')
    write(file, before)
    const lesson = done(project, { do: 'add-lesson', text: 'Look twice.' })
    expect(lesson.said.join()).not.toContain('CLAUDE.md')
    expect(lesson.json).not.toHaveProperty('claudeMd')
    expect(claudeMd()).toBe(before)
    undoLast(storeOf(project), HAND)
    expect(undoLast(storeOf(project), { isDryRun: true }).said).toHaveLength(2)
    expect(claudeMd()).toBe(before)
    expect(undoLast(storeOf(project), HAND).said.at(-1)).toBe('CLAUDE.md: rules written.')
    expect(claudeMd()).not.toContain('Be early.')
  })

  it('rules init writes each built-in rule once', () => {
    const project = makeProject()
    setAtHome(project, { claudeMdSync: true })
    done(known(project), { do: 'init-rules' })
    const text = fs.readFileSync(path.join(project.root, 'CLAUDE.md'), 'utf8')
    expect(text.match(/Cut no corners\./g)).toHaveLength(1)
    expect(text).toMatch(/Be kind\.[\s\S]*Cut no corners\./)
  })

  it('the last rule takes the section with it', () => {
    const project = makeProject()
    setAtHome(project, { claudeMdSync: true, builtinRules: 'off' })
    done(project, { do: 'add-rule', text: 'Be early.' })
    const { said, json } = done(project, { do: 'remove-rule', which: '1' })
    expect([said.at(-1), json.claudeMd]).toEqual(['CLAUDE.md: rules removed.', 'removed'])
  })

  it('a damaged CLAUDE.md is left alone with the reason, and the rule is kept', () => {
    const project = makeProject()
    setAtHome(project, { claudeMdSync: true })
    write(path.join(project.root, 'CLAUDE.md'), '<!-- memory-keeper:end -->\n')
    const { said, json } = done(known(project), { do: 'add-rule', text: 'Be early.' })

    expect(json.claudeMd).toBe('damaged')
    expect(said.at(-1)).toContain('begin marker is missing')
    expect(rulesOf(project)).toContain('Be early.')
  })
})

describe('a lesson', () => {
  it('a new lesson stands in its section and is proposed as a rule', () => {
    const project = known()
    const { said, json } = done(project, { do: 'add-lesson', text: ' - Cut  once. ' })

    const file = path.join(project.memory, 'lessons.md')
    expect(read(project, 'lessons.md')).toBe('# Lessons\n\n## Mistakes\n\n- Look first.\n- Cut once.\n')
    expect(said).toEqual(['Added: Cut once.', `in ${file}`, expect.stringContaining('memory-keeper rules accept r003')])
    expect(json).toMatchObject({ lesson: 'Cut once.', isNew: true, file, rule: 'r003' })
    expect(item(project, 'r003')).toMatchObject({
      text: 'Cut once.',
      state: 'proposed',
      by: 'user',
      at: NOW,
      askedAt: NOW,
    })
    expect(last(project)).toBe('add lesson: Cut once.')
  })

  it('a known lesson is not written again, and is proposed if it was not', () => {
    const project = known()
    const before = read(project, 'lessons.md')
    const { said, json } = done(project, { do: 'add-lesson', text: 'LOOK FIRST.' })

    expect(read(project, 'lessons.md')).toBe(before)
    expect(said[0]).toBe('It is a lesson already: LOOK FIRST.')
    expect(json).toMatchObject({ isNew: false, rule: 'r003' })
    expect(done(project, { do: 'add-lesson', text: 'Look first.' }).said).toHaveLength(2)
    expect(allPermanent(readFacts(storeOf(project)))).toHaveLength(3)
  })

  it('the first lesson makes the page from its template', () => {
    const project = makeProject()
    done(project, { do: 'add-lesson', text: 'Cut once.' })
    expect(read(project, 'lessons.md')).toMatch(/## Mistakes not to repeat\n[\s\S]*- Cut once\.\n\n## What worked/)
  })

  it('a page of lessons in capitals stays the only one', () => {
    const project = known()
    fs.renameSync(path.join(project.memory, 'lessons.md'), path.join(project.memory, 'Lessons.md'))
    done(project, { do: 'add-lesson', text: 'Cut once.' })
    expect(read(project, 'Lessons.md')).toContain('- Cut once.')
    expect(fs.readdirSync(project.memory)).not.toContain('lessons.md')
    undoLast(storeOf(project), HAND)
    expect(read(project, 'Lessons.md')).not.toContain('Cut once.')
  })

  it('a full page of lessons is refused, and nothing is proposed', () => {
    const project = known()
    write(path.join(project.memory, 'lessons.md'), 'x'.repeat(65_530))
    expect(() => done(project, { do: 'add-lesson', text: 'Cut once.' })).toThrow(
      expect.objectContaining({ code: 'too-large' }),
    )
    expect(item(project, 'r003')).toBeNull()
  })
})

describe('a proposed rule', () => {
  it('a proposal of Claude waits for the user, and is made once', () => {
    const project = known()
    const { said } = done(project, { do: 'propose-rule', text: 'Be early.' }, AGENT)
    expect(said).toEqual(['Proposed as a rule. To inject it into every session: memory-keeper rules accept r003'])
    expect(item(project, 'r003')).toMatchObject({ state: 'proposed', by: 'agent', text: 'Be early.' })
    expect(item(project, 'r003')).not.toHaveProperty('askedAt')
    expect(last(project)).toBe('propose r003')

    expect(done(project, { do: 'propose-rule', text: 'Be early!' }, AGENT)).toMatchObject({
      said: ['r003 already says so.'],
      json: { id: 'r003' },
    })
    expect(rulesOf(project)).toEqual(['Be kind.', 'Be brief.'])
  })

  it.each([
    [{}, 'rules', 'Ask before a push.'],
    [{ kind: 'solutions' }, 'solutions', 'Ask before a push.'],
    [{ text: ' - Ask  first. ' }, 'rules', 'Ask first.'],
  ] as const)('an accepted proposal with %j is active', (more, kind, text) => {
    const project = known()
    const { said, json } = done(project, { do: 'accept', id: ' R001 ', ...more })

    const name = kind === 'rules' ? 'rule' : 'solution'
    expect(said[0]).toBe(`Active from now on: r001 ${name}: ${text}`)
    expect(json).toMatchObject({ id: 'r001', kind, text, status: 'active' })
    expect(item(project, 'r001')).toMatchObject({
      kind,
      text,
      state: 'active',
      usedAt: NOW,
      judged: { by: 'user', at: NOW },
    })
    expect(last(project)).toBe('accept r001')
  })

  it('an active rule that is accepted again stays active and counts as used now', () => {
    const project = known()
    expect(done(project, { do: 'accept', id: 'r002' }).said[0]).toBe(
      'Still active; it counts as used now: r002 rule: Tests first.',
    )
    expect(item(project, 'r002')).toMatchObject({ state: 'active', usedAt: NOW })
  })

  it.each([
    [{}, 'rules', 'It is injected with one of 10 prompts, also in running sessions, and when a session starts.'],
    [
      { rulesInjectionFrequency: 1 },
      'rules',
      'It is injected with every prompt, from the next one on, and when a session starts.',
    ],
    [{ rules: false }, 'rules', 'Rules are switched off. To inject them: memory-keeper config set rules true'],
    [{ rules: false }, 'core_logic', 'It is injected when a session starts, from the next one on.'],
  ])('accept with the settings %j says when an item of %s is injected', (settings, kind, when) => {
    const project = makeProject()
    setAtHome(project, { rulesInjectionFrequency: 10, ...settings })
    expect(done(known(project), { do: 'accept', id: 'r001', kind }).said[1]).toBe(when)
  })

  it('a declined proposal keeps who declined it', () => {
    const project = known()
    expect(done(project, { do: 'decline', id: 'R001' }).said).toEqual(['Declined: r001 rule: Ask before a push.'])
    expect(item(project, 'r001')).toMatchObject({ state: 'declined', judged: { by: 'user', at: NOW, why: null } })
  })

  it('a retired rule keeps the reason', () => {
    const project = known()
    expect(done(project, { do: 'demote', id: 'r002', why: 'we moved on' }).said).toEqual([
      'Retired: r002 rule: Tests first.',
    ])
    expect(item(project, 'r002')).toMatchObject({ state: 'superseded', judged: { by: 'user', why: 'we moved on' } })
    expect(last(project)).toBe('demote r002')
    expect(() => done(project, { do: 'demote', id: 'r002' })).toThrow(expect.objectContaining({ code: 'not-active' }))
  })
})

describe('a fact that becomes permanent', () => {
  it('a decision becomes an active rule of the user with its place and its concept', () => {
    const project = known()
    expect(done(project, { do: 'accept', id: 'd001' }).said[0]).toBe(
      'Active from now on: r003 rule: Prices are kept in cents.',
    )
    expect(item(project, 'r003')).toMatchObject({
      ...{ kind: 'rules', state: 'active', by: 'user', facts: ['d001'], concept: 'c001', usedAt: NOW, at: NOW },
      ...{ evidence: [{ session: '1a2b3c4d', entry: 4 }], judged: { by: 'user', at: NOW } },
    })
  })

  it.each([
    ['p006', {}, 'solutions', 'Queries go through one file.'],
    ['d001', { kind: 'core_logic' }, 'core_logic', 'Prices are kept in cents.'],
    ['d001', { text: 'Use integers.' }, 'rules', 'Use integers.'],
    ['i004', {}, 'solutions', 'The login fails: a cookie'],
  ])('%s with %j is kept as one of %s', (id, more, kind, text) => {
    const project = known()
    done(project, { do: 'accept', id, ...more })
    expect(item(project, 'r003')).toMatchObject({ kind, text, state: 'active' })
  })

  it('the item that came from the fact becomes active in place of a second one', () => {
    const project = known()
    expect(done(project, { do: 'accept', id: 'd002' }).said[0]).toMatch(/^Active from now on: r001 rule: /)
    expect(item(project, 'r001')).toMatchObject({
      state: 'active',
      facts: ['d002'],
      evidence: [{ session: '1a2b3c4d' }],
    })
    expect(item(project, 'r003')).toBeNull()
  })

  it('a resolved issue without a resolution needs the words of the solution', () => {
    const project = known()
    done(project, { do: 'resolve', id: 'i003' })
    expect(() => done(project, { do: 'accept', id: 'i003' })).toThrow(
      expect.objectContaining({
        code: 'no-solution',
        message: expect.stringContaining('resolved, but without a resolution'),
      }),
    )
    done(project, { do: 'accept', id: 'i003', text: 'Import in batches.' })
    expect(item(project, 'r003')).toMatchObject({ kind: 'solutions', text: 'Import in batches.' })
  })

  it('a resolution in the words of the issue is not told twice', () => {
    const project = known()
    done(project, { do: 'resolve', id: 'i003', resolution: 'The import is slow.' })
    done(project, { do: 'accept', id: 'i003' })
    expect(item(project, 'r003')).toMatchObject({ text: 'The import is slow.' })
  })
})
