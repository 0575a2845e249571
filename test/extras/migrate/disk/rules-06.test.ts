/** The rules.md of 0.6 is read once: it holds only the user's rules afterwards, and what applied before applies still. */
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { rulesAtStart, rulesWithPrompt } from '../../../../src/core/knowledge/disk/knowledge.ts'
import { BUILT_IN_LINE, BUILT_IN_RULES, formatRules, renderRules } from '../../../../src/core/pages/rule.ts'
import { topLosses } from '../../../../src/core/vault/disk/vault.ts'
import { fillVault } from '../../../../src/core/vault/disk/vault-restore.ts'
import { readEarlierRules } from '../../../../src/extras/migrate/disk/rules-06.ts'
import { makeProject, sessionId, setAtHome, storeOf, type TestProject, write } from '../../../support/project.ts'
import { typed } from '../../../support/typed.ts'
import { begin, LATER, work } from '../../../support/world.ts'

const HEAD_06 = [
  '# Rules',
  '',
  '<!-- Injected with every prompt, one rule per list item. Edit them here, or with: memory-keeper rules add, remove.',
  '     Without this file the built-in rules apply; with no rule in it, none. -->',
  '',
  '',
].join('\n')
const HEAD = formatRules([])
const RULES_05 = [
  'Never delete files without permission.',
  'Verify; do not just agree or assume.',
  'Understand first; ask when something is unclear.',
  'Explain your reasoning instead of apologising.',
  'Look things up rather than guess.',
  'Cut no corners.',
  'Take time to think; run `date` for the time, never guess it.',
  'After a restart or compaction, recover context from memory first: its briefing, then its tools.',
]
const listed = (rules: readonly string[]): string => rules.map((rule) => `- ${rule}\n`).join('')
const OWN = 'Answer in Korean.'

/** A memory as 0.6 left it. */
function of06(rules: string | null, config: string | null = null, home: object = {}): TestProject {
  const project = makeProject()
  setAtHome(project, { summarizer: 'extractive', ...home })
  work(project, 0, 1)
  const file = path.join(project.memory, 'memory-index.json')
  const { earlierRules: _, ...state } = JSON.parse(fs.readFileSync(file, 'utf8'))
  write(file, JSON.stringify(state))
  if (rules !== null) write(path.join(project.memory, 'rules.md'), rules)
  if (config !== null) write(path.join(project.memory, 'config.json'), config)
  const store = storeOf(project)
  store.whileLocked(1_000, () => fillVault(store))
  return project
}

const start = (project: TestProject, n = 2) => begin(project, sessionId(n), 'startup', { now: () => LATER })
const text = (project: TestProject, name: string): string | null =>
  fs.existsSync(path.join(project.memory, name)) ? fs.readFileSync(path.join(project.memory, name), 'utf8') : null
const became = (project: TestProject): string | null => storeOf(project).readState().earlierRules
const backups = (project: TestProject): string[] => {
  const dir = path.join(project.keeper, 'backups')
  return fs.existsSync(dir) ? fs.readdirSync(dir, { recursive: true }).map(String) : []
}

describe('a rules.md of 0.6', () => {
  it.each([
    ['0.6', BUILT_IN_RULES],
    ['0.5', RULES_05],
  ])('loses its copies of the built-in rules of %s, after a backup, and nothing else', (_, rules) => {
    const before = `${HEAD_06}<!-- mine -->\n${listed(rules.toReversed())}\n* ${OWN}\n  In every file.\n`
    const project = of06(before)
    const { notice, context } = start(project)

    expect(text(project, 'rules.md')).toBe(`${HEAD}<!-- mine -->\n\n* ${OWN}\n  In every file.\n`)
    expect(text(project, 'config.json')).toBeNull()
    expect(became(project)).toBe('dropped')
    const [copy = ''] = backups(project).filter((file) => file.endsWith('rules.md'))
    expect(fs.readFileSync(path.join(project.keeper, 'backups', copy), 'utf8')).toBe(before)
    expect(notice).toContain('removed from rules.md')
    // Commands as they are typed in Claude Code, wherever in the line they stand.
    expect(notice).toContain('To switch all of them off: /memory-keeper:run config set builtinRules off')
    expect(context).toContain(`- ${OWN} In every file.`)
    expect(context.split('- Cut no corners.')).toHaveLength(2)
    expect(topLosses(storeOf(project))).toEqual([])
    expect(start(project, 3).notice).toBe('')
  })

  it('with the copies stays without them where builtinRules is off', () => {
    const project = of06(HEAD_06 + listed([...BUILT_IN_RULES, OWN]), null, { builtinRules: 'off' })
    start(project)

    expect(rulesAtStart(storeOf(project))).toEqual([OWN])
    expect(rulesWithPrompt(storeOf(project))).toBe(renderRules([OWN]))
  })

  it.each([
    ['rules but no built-in one', `- ${OWN}\n`, [OWN]],
    ['no rule at all', '# Rules\n', []],
  ])('with %s switches the built-in ones off, and says so once', (_, before, rules) => {
    const project = of06(before, '{"saveInterval": 9}')
    const { notice, context } = start(project)

    expect(JSON.parse(text(project, 'config.json') ?? '')).toEqual({ saveInterval: 9, builtinRules: 'off' })
    expect(text(project, 'rules.md')).toBe(before)
    expect(backups(project).some((file) => file.endsWith('config.json'))).toBe(true)
    expect(became(project)).toBe('switched')
    expect(notice).toContain('builtinRules is off in this project')
    expect(context).not.toContain('Cut no corners.')
    expect(rulesAtStart(storeOf(project))).toEqual(rules)
    expect(start(project, 3).notice).toBe('')
  })

  it.each<[string, string | null, object]>([
    ['is not there', null, {}],
    ['is empty', ' \n', {}],
    ['is garbled', '\u0000\u0000', {}],
    ['has no built-in rule while they are off', `- ${OWN}\n`, { builtinRules: 'off' }],
  ])('that %s changes nothing, silently', (_, before, home) => {
    const project = of06(before, null, home)

    expect(start(project).notice).toBe('')
    expect([text(project, 'rules.md'), text(project, 'config.json')]).toEqual([before, null])
    expect(became(project)).toBe('kept')
    expect(backups(project)).toEqual([])
  })
})

describe('reading such a rules.md', () => {
  const read = (project: TestProject): void => {
    const store = storeOf(project)
    store.whileLocked(1_000, () => readEarlierRules(store, LATER))
  }

  it('happens once: what the user writes later decides nothing', () => {
    const project = of06(null)
    read(project)
    write(path.join(project.memory, 'rules.md'), `- ${OWN}\n`)
    read(project)

    expect(became(project)).toBe('kept')
    expect(text(project, 'config.json')).toBeNull()
    expect(rulesWithPrompt(storeOf(project))).toBe(`${BUILT_IN_LINE}\n${renderRules([OWN])}`)
  })

  it.each([
    ['drop', HEAD_06 + listed([...BUILT_IN_RULES, OWN])],
    ['switch', `- ${OWN}\n`],
  ])('goes on after a kill at any write: %s', (_, before) => {
    const whole = of06(before)
    read(whole)
    for (let writes = 0; writes < 6; writes++) {
      const project = of06(before)
      const store = storeOf(project)
      let left = writes
      const perform: typeof store.perform = (effects) => {
        if (left-- <= 0) throw new Error('killed')
        store.perform(effects)
      }
      try {
        readEarlierRules({ ...store, dir: store.dir, perform }, LATER)
      } catch {}
      read(project)

      for (const name of ['rules.md', 'config.json']) expect(text(project, name)).toBe(text(whole, name))
      expect(became(project)).toBe(became(whole))
    }
  })

  it('waits while the config cannot be read', () => {
    const project = of06(`- ${OWN}\n`, '{broken')
    expect(() => read(project)).toThrow('not valid JSON')

    expect(text(project, 'config.json')).toBe('{broken')
    expect(became(project)).toBeNull()
    write(path.join(project.memory, 'config.json'), '{}')
    read(project)
    expect(became(project)).toBe('switched')
  })

  it('leaves a memory alone that is not known to be the user’s, or that a newer version wrote', () => {
    const project = of06(`- ${OWN}\n`)
    fs.rmSync(path.join(project.memory, '.owner'))
    start(project)
    expect([text(project, 'rules.md'), text(project, 'config.json')]).toEqual([`- ${OWN}\n`, null])

    const newer = of06(`- ${OWN}\n`)
    const file = path.join(newer.memory, 'memory-index.json')
    write(file, JSON.stringify({ ...JSON.parse(fs.readFileSync(file, 'utf8')), version: 99 }))
    const before = text(newer, 'memory-index.json')
    start(newer)
    expect([text(newer, 'config.json'), text(newer, 'memory-index.json')]).toEqual([null, before])
  })

  it('comes before a change by hand: what is added now is not of 0.6', () => {
    const project = of06(null)
    typed(project, `rules add "${OWN}"`)
    start(project)
    expect(rulesAtStart(storeOf(project))).toEqual([...BUILT_IN_RULES, OWN])

    const copied = of06(HEAD_06 + listed([...BUILT_IN_RULES, OWN]))
    typed(copied, 'rules init')
    start(copied)
    expect(rulesAtStart(storeOf(copied))).toEqual([OWN, ...BUILT_IN_RULES])
  })

  it('also happens to a file that 0.6 made before there was any session', () => {
    const project = makeProject()
    typed(project, 'config set saveInterval 25')
    write(path.join(project.memory, 'rules.md'), HEAD_06 + listed([...BUILT_IN_RULES, OWN]))
    work(project, 0, 1)
    start(project)

    expect(became(project)).toBe('dropped')
    expect(text(project, 'rules.md')).toBe(`${HEAD}- ${OWN}\n`)
  })

  it('never happens to a new memory', () => {
    const project = makeProject()
    work(project, 0, 1)
    write(path.join(project.memory, 'rules.md'), `- ${OWN}\n`)
    start(project)

    // Nothing is decided, and no command that only reads has to write that down.
    expect(became(project)).toBe('new')
    expect(text(project, 'rules.md')).toBe(`- ${OWN}\n`)
    expect(text(project, 'config.json')).toBeNull()
  })
})
