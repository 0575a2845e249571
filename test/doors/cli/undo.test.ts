/** `undo`, `export`, `import-bundle`: what a person sees, and what Claude may not do in their place. */
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { readFacts } from '../../../src/core/knowledge/disk/knowledge.ts'
import { formatFacts } from '../../../src/core/knowledge/fact.ts'
import { fact, factsWith, SAID } from '../../support/fact.ts'
import {
  append,
  linesFor,
  makeProject,
  quietProject,
  sessionId,
  storeOf,
  type TestProject,
  tempDir,
  treeOf,
  write,
} from '../../support/project.ts'
import { errorOf, jsonOf, printed, typed } from '../../support/typed.ts'
import { stop } from '../../support/world.ts'

const SESSION = sessionId(1)
const INSIDE = { CLAUDECODE: '1' }

/** Two facts, and a session that goes on. */
function known(): TestProject {
  const project = quietProject()
  const lines = linesFor(SESSION, project.root)
  append(project.transcriptOf(SESSION), lines.prompt(1, 'Hello there.') + lines.answer(2, 'Hello.'))
  stop(project)
  const facts = factsWith(fact(), fact({ id: 'd002', text: 'We deploy on Tuesdays.', at: '2026-01-14T09:00:00.000Z' }))
  write(path.join(project.memory, 'facts.json'), formatFacts(facts))
  return project
}

describe('undo', () => {
  const stateOf = (project: TestProject): string | undefined => readFacts(storeOf(project)).decisions[0]?.state

  it('lists what could be taken back, and takes the last of it back', () => {
    const project = known()
    expect(printed(project, 'undo --list')).toContain('There is no change by hand')
    typed(project, 'facts reject d001 --why "only an idea"')
    typed(project, 'rules add "Be early."')

    expect(printed(project, 'undo --list')).toMatch(
      /^\S+ \S+ {2}you +rule added: Be early\.\n\S+ \S+ {2}you +reject d001\n/,
    )
    expect(jsonOf(project, 'undo --list').changes).toMatchObject([
      { by: 'user', files: ['rules.md'], isEarlier: false },
      { files: ['facts.json'] },
    ])
    const before = treeOf(project.memory)
    expect(printed(project, 'undo --dry-run')).toMatch(/^Dry run, nothing is changed:\nUndone: rule added/)
    expect(treeOf(project.memory)).toEqual(before)
    expect(printed(project, 'undo')).toMatch(/^Undone: rule added.*\n.*restored: rules\.md\n$/)
    expect(fs.existsSync(path.join(project.memory, 'rules.md'))).toBe(false)
    expect(jsonOf(project, 'undo').undone).toMatchObject({ what: 'reject d001' })
    expect([stateOf(project), errorOf(project, 'undo')]).toEqual(['fresh', 'nothing'])
    expect(jsonOf(project, 'undo --list').changes).toEqual([])
  })

  it('lists changes of an earlier version, which cannot be undone', () => {
    const project = known()
    const earlier = { version: 1, at: SAID, by: 'user', what: 'rename c001: Prices', touched: [] }
    append(path.join(project.memory, 'journal', 'undo.jsonl'), `${JSON.stringify(earlier)}\n`)

    expect(printed(project, 'undo --list')).toContain('made by an earlier version; cannot be undone')
    expect(typed(project, 'undo').err).toContain('1 change made by an earlier version cannot be undone.')
  })

  it('says what was changed since, and how to go on', () => {
    const project = known()
    typed(project, 'rules add "Be early."')
    typed(project, 'page set project --text "A shop."')
    append(path.join(project.memory, 'project.md'), 'By hand.\n')

    expect(typed(project, 'undo')).toMatchObject({
      code: 1,
      err: expect.stringMatching(/page project.*nothing was written: project\.md changed since.*undo --skip/s),
    })
    expect(printed(project, 'undo --skip --dry-run')).toContain('Kept: page project: written')
    expect(printed(project, 'undo --skip')).toContain('Kept: page project: written')
    expect(printed(project, 'undo')).toContain('Undone: rule added: Be early.')
    expect(errorOf(project, 'undo --skip')).toBe('nothing')
  })
})

describe('undo --limit', () => {
  it.each(['undo --limit 5', 'undo --limit x', 'undo --list --limit x', 'undo --list --limit 0'])(
    '%s is an error',
    (line) => {
      const project = known()
      const before = treeOf(project.memory)

      expect(errorOf(project, line)).toBe('usage')
      expect(treeOf(project.memory)).toEqual(before)
    },
  )
})

describe('export and import-bundle', () => {
  it('carry a memory from one project to another, after a yes', () => {
    const from = known()
    const file = path.join(from.base, 'memory.json')
    const { out } = typed(from, `export --out ${file}`)
    const to = makeProject('other', from.base)

    expect(out).toMatch(/^Wrote \d+ files to .*memory\.json/)
    expect(errorOf(from, `export --out ${file}`)).toBe('exists')
    expect(typed(to, `import-bundle ${file}`)).toMatchObject({
      code: 0,
      out: expect.stringMatching(/Your own bundle.*1 session.*facts\.json.*--yes/s),
    })
    expect(typed(to, `import-bundle ${file} --dry-run --yes`)).toMatchObject({ code: 0 })
    expect(fs.existsSync(path.join(to.memory, 'facts.json'))).toBe(false)
    expect(typed(to, `import-bundle ${file} --yes`)).toMatchObject({ code: 0, out: expect.stringContaining('Added.') })
    expect(typed(to, `export`).out).toBe(fs.readFileSync(file, 'utf8'))
    expect(typed(to, `import-bundle ${file} --yes`).out).toContain('already added')
  })

  it('print a next step that adds it where it was asked for', () => {
    const from = known()
    const file = path.join(from.base, 'memory.json')
    typed(from, `export --out ${file}`)
    const to = makeProject('the other', from.base)

    expect(typed(from, `import-bundle ${file} --project "${to.root}"`).out).toContain(
      `To add it: memory-keeper import-bundle ${file} --project "${to.root}" --yes`,
    )
    expect(typed(to, `import-bundle ${file}`).out).toContain(`import-bundle ${file} --yes`)
  })

  it('are refused inside Claude Code, and where nothing is remembered', () => {
    const from = known()
    const file = path.join(from.base, 'memory.json')
    typed(from, `export --out ${file}`)

    expect(errorOf(makeProject('other', from.base), `import-bundle ${file} --yes`, INSIDE)).toBe('not-asked')
    expect(errorOf(makeProject('empty', tempDir()), 'export')).toBe('nothing')
    expect(errorOf(from, `import-bundle ${path.join(from.base, 'none.json')}`)).toBe('no-bundle')
  })
})
