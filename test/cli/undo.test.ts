/** `undo`, `pin`, `export`, `import-bundle`: what a person sees, and what Claude may not do in their place. */
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { readFacts } from '../../src/knowledge/disk/knowledge.ts'
import { formatFacts } from '../../src/knowledge/fact.ts'
import { fact, factsWith, SAID } from '../support/fact.ts'
import { type Env, type Json, type Ran, runCommand, runCommandJson } from '../support/process.ts'
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
} from '../support/project.ts'
import { stop } from '../support/world.ts'

const SESSION = sessionId(1)
const INSIDE = { CLAUDECODE: '1' }

const run = (project: TestProject, args: string[], env: Env = {}): Ran => runCommand(project, args, env)
const json = (project: TestProject, ...args: string[]): Json => runCommandJson(project, args).json
const errorOf = (project: TestProject, args: string[], env: Env = {}): string =>
  runCommandJson(project, args, env).json.error?.code ?? 'none'

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
  it('lists what could be taken back, and takes the last of it back', () => {
    const project = known()
    run(project, ['facts', 'reject', 'd001', '--why', 'only an idea'])
    run(project, ['rules', 'add', 'Be early.'])
    const before = treeOf(project.memory)

    expect(run(project, ['undo', '--list']).out).toMatch(
      /^\S+ \S+ {2}you {2}rule added: Be early\.\n\S+ \S+ {2}you {2}reject d001\n/,
    )
    expect(json(project, 'undo', '--list').changes).toMatchObject([
      { by: 'user', files: ['rules.md'], state: 'done' },
      { files: ['facts.json'] },
    ])
    expect(run(project, ['undo', '--dry-run']).out).toMatch(/^Would take back: rule added/)
    expect(treeOf(project.memory)).toEqual(before)
    expect(run(project, ['undo'])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^Taken back: rule added/),
    })
    expect(fs.existsSync(path.join(project.memory, 'rules.md'))).toBe(false)
    expect(json(project, 'undo').undone).toMatchObject({ what: 'reject d001' })
    expect(readFacts(storeOf(project)).decisions[0]?.state).toBe('fresh')
    expect(errorOf(project, ['undo'])).toBe('nothing')
    expect(run(project, ['undo', '--list']).out).toMatch(
      /rule added: Be early\. {2}undone; .*\n.*reject d001 +undone; /,
    )
    expect(run(project, ['undo', '--redo', '--dry-run']).out).toMatch(/^Would do again: reject d001\n/)
    expect(json(project, 'undo', '--redo').redone).toMatchObject({ what: 'reject d001' })
    expect(readFacts(storeOf(project)).decisions[0]?.state).toBe('rejected')
    expect(run(known(), ['undo', '--list']).out).toContain('Nothing was changed by hand')
  })

  it('takes back a page: one that was written anew, one that was added to, and one that is new', () => {
    const project = known()
    const page = path.join(project.memory, 'project.md')
    write(page, '# Shop\nA shop without a last line break.')
    const before = treeOf(project.memory)
    run(project, ['pin', 'd001'])
    run(project, ['page', 'set', 'project', '--text', 'Another one.'])
    run(project, ['page', 'set', 'project', '--append', '--text', 'More.'])
    run(project, ['memory-set', 'fresh', '--text', 'New.'])

    expect(json(project, 'undo', '--list').changes.map(({ what }: Json) => what)).toEqual([
      'page fresh: written',
      'page project: text added',
      'page project: written',
      'pin d001',
    ])
    expect(run(project, ['undo']).out).toMatch(/^Taken back: page fresh: written\n.*as before it again: fresh\.md\n$/)
    expect(fs.existsSync(path.join(project.memory, 'fresh.md'))).toBe(false)
    run(project, ['undo'])
    expect(fs.readFileSync(page, 'utf8')).toBe('Another one.\n')
    run(project, ['undo'])
    expect(treeOf(project.memory)['project.md']).toEqual(before['project.md'])
    run(project, ['page', 'set', 'project', '--text', 'Once more.'])
    fs.appendFileSync(page, 'By hand.\n')
    expect(run(project, ['undo']).err).toContain('nothing was written: project.md changed since. Correct it by hand')
  })

  it('lists changes of an earlier version, which cannot be undone', () => {
    const project = known()
    const earlier = { version: 1, at: SAID, by: 'user', what: 'rename c001: Prices', touched: [] }
    append(path.join(project.memory, 'journal', 'undo.jsonl'), `${JSON.stringify(earlier)}\n`)

    expect(run(project, ['undo', '--list']).out).toContain('made by an earlier version; cannot be undone')
    expect(run(project, ['undo']).err).toContain('1 change made by an earlier version cannot be undone.')
  })

  it('takes back what was done to concepts', () => {
    const project = known()
    run(project, ['facts', 'add', 'decision', 'Rounding is half up.', '--concept', 'Money'])
    run(project, ['facts', 'add', 'decision', 'The login has a cookie.', '--concept', 'Login'])
    const names = (): string[] => json(project, 'concepts', 'list').concepts.map(({ name }: Json) => name)
    run(project, ['concepts', 'rename', 'Money', 'Prices'])
    run(project, ['concepts', 'merge', 'Login', 'Prices'])
    expect(names()).toEqual(['Prices'])

    expect(run(project, ['undo']).out).toMatch(/^Taken back: merge c002 into c001\n/)
    expect(names()).toEqual(['Prices', 'Login'])
    expect(run(project, ['undo']).out).toMatch(/^Taken back: rename c001: Prices\n/)
    expect(names()).toEqual(['Money', 'Login'])
    expect(errorOf(project, ['concepts', 'show', 'Prices'])).toBe('not-found')
  })

  it('says what was changed since, and how to go on', () => {
    const project = known()
    run(project, ['rules', 'add', 'Be early.'])
    run(project, ['facts', 'edit', 'd001', '--text', 'Prices are kept in whole cents.'])
    const facts = readFacts(storeOf(project))
    const [first, ...rest] = facts.decisions
    write(
      path.join(project.memory, 'facts.json'),
      formatFacts({ ...facts, decisions: [fact({ ...first, text: 'Otherwise.' }), ...rest] }),
    )
    const { err, code } = run(project, ['undo'])

    expect([code, err]).toEqual([
      1,
      expect.stringMatching(/edit d001.*nothing was written: facts\.json changed since.*undo --skip/s),
    ])
    expect(run(project, ['undo', '--skip', '--dry-run']).out).toContain('Would stay as it is: edit d001')
    expect(run(project, ['undo', '--skip']).out).toContain('Stays as it is: edit d001')
    expect(run(project, ['undo']).out).toContain('Taken back: rule added: Be early.')
    expect(errorOf(project, ['undo', '--skip'])).toBe('nothing')
  })
})

describe('pin', () => {
  it('has a fact told first, shows it, and takes it off again', () => {
    const project = known()
    const told = (): string[] => run(project, ['briefing']).out.match(/d00\d(?= 2026)/g) ?? []
    expect(told()).toEqual(['d002', 'd001'])

    expect(run(project, ['pin', 'D001']).out).toBe(
      'd001 Prices are kept in cents.\npinned: every session is told of it first\n',
    )
    expect(told()).toEqual(['d001', 'd002'])
    expect(run(project, ['briefing', '--explain']).out + run(project, ['facts', 'list']).out).toContain('pinned')
    expect(run(project, ['facts', 'show', 'd001']).out).toContain('told first in every briefing')
    expect(json(project, 'search', 'prices in cents').hits[0]).toMatchObject({ id: 'd001', state: 'pinned' })
    expect(errorOf(project, ['pin', 'd001'])).toBe('already')
    run(project, ['unpin', 'd001'])
    expect(told()).toEqual(['d002', 'd001'])
    expect(errorOf(project, ['unpin', 'd001'])).toBe('already')
    expect(errorOf(project, ['pin', 'd999'])).toBe('not-found')
  })
})

describe('export and import-bundle', () => {
  it('carry a memory from one project to another, after a yes', () => {
    const from = known()
    const file = path.join(from.base, 'memory.json')
    const { out } = run(from, ['export', '--out', file])
    const to = makeProject('other', from.base)

    expect(out).toMatch(/^Wrote \d+ files to .*memory\.json/)
    expect(errorOf(from, ['export', '--out', file])).toBe('exists')
    expect(run(to, ['import-bundle', file])).toMatchObject({
      code: 1,
      out: expect.stringMatching(/Your own bundle.*1 session.*facts\.json.*--yes/s),
    })
    expect(run(to, ['import-bundle', file, '--dry-run', '--yes'])).toMatchObject({ code: 0 })
    expect(fs.existsSync(path.join(to.memory, 'facts.json'))).toBe(false)
    expect(run(to, ['import-bundle', file, '--yes'])).toMatchObject({ code: 0, out: expect.stringContaining('Added.') })
    expect(run(to, ['export']).out).toBe(fs.readFileSync(file, 'utf8'))
    expect(run(to, ['import-bundle', file, '--yes']).out).toContain('added before')
  })

  it('print a next step that adds it where it was asked for', () => {
    const from = known()
    const file = path.join(from.base, 'memory.json')
    run(from, ['export', '--out', file])
    const to = makeProject('the other', from.base)

    expect(run(from, ['import-bundle', file, '--project', to.root]).out).toContain(
      `To add it: memory-keeper import-bundle ${file} --project "${to.root}" --yes`,
    )
    expect(run(to, ['import-bundle', file]).out).toContain(`import-bundle ${file} --yes`)
  })

  it('are refused inside Claude Code, and where nothing is remembered', () => {
    const from = known()
    const file = path.join(from.base, 'memory.json')
    run(from, ['export', '--out', file])

    expect(errorOf(makeProject('other', from.base), ['import-bundle', file, '--yes'], INSIDE)).toBe('not-asked')
    expect(errorOf(makeProject('empty', tempDir()), ['export'])).toBe('nothing')
    expect(errorOf(from, ['import-bundle', path.join(from.base, 'none.json')])).toBe('no-bundle')
  })
})
