/** CLAUDE.md of a project: written only when the user wants it, only where it may be, and given back as it was. */
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { syncClaudeMd, whyNotSynced } from '../../../../src/core/pages/disk/claude-md.ts'
import { readPages } from '../../../../src/core/pages/disk/pages.ts'
import { readRules } from '../../../../src/core/pages/disk/rules.ts'
import { BUILT_IN_RULES } from '../../../../src/core/pages/rule.ts'
import { openStore, type Store } from '../../../../src/kernel/memory/disk/store.ts'
import { disk } from '../../../../src/kernel/platform/disk/files.ts'
import { makeProject, now, storeOf, type TestProject, treeOf, write } from '../../../support/project.ts'

const RULES = ['Run the tests.']

/** The store as it is opened after this setting was made. */
function withSync(project: TestProject, isOn: boolean): Store {
  storeOf(project).perform([{ do: 'write', path: 'config.json', text: JSON.stringify({ claudeMdSync: isOn }) }])
  return storeOf(project)
}

function inProject(before: string | Buffer | null): { project: TestProject; file: string } {
  const project = makeProject()
  const file = path.join(project.root, 'CLAUDE.md')
  if (before !== null) write(file, before)
  return { project, file }
}

function record(project: TestProject): boolean {
  return fs.existsSync(path.join(project.memory, 'journal', 'claude-md.json'))
}

describe('syncing CLAUDE.md', () => {
  it('does nothing unless the user wants it, and makes no directory', () => {
    const { project } = inProject('mine\n')

    expect(syncClaudeMd(storeOf(project), RULES)).toBe('same')
    expect(treeOf(project.root)).toEqual({ 'CLAUDE.md': 'mine\n' })
  })

  it('writes the rules, renews them, and gives the file back when it is switched off', () => {
    const before = Buffer.from([0xef, 0xbb, 0xbf, 0x61, 0x0d, 0x0a, 0xff, 0x00, 0x62])
    const { project, file } = inProject(before)

    expect(syncClaudeMd(withSync(project, true), RULES)).toBe('written')
    expect(syncClaudeMd(withSync(project, true), RULES)).toBe('same')
    expect(fs.readFileSync(file, 'utf8')).toContain('- Run the tests.\r\n')
    expect(syncClaudeMd(withSync(project, true), ['Other.'])).toBe('written')
    expect(syncClaudeMd(withSync(project, false), ['Other.'])).toBe('removed')
    expect(fs.readFileSync(file)).toEqual(before)
    expect(record(project)).toBe(false)
    expect(syncClaudeMd(withSync(project, false), ['Other.'])).toBe('same')
  })

  it('makes the file where there is none, and deletes it again', () => {
    const { project, file } = inProject(null)

    expect(syncClaudeMd(withSync(project, true), RULES)).toBe('written')
    expect(fs.readFileSync(file, 'utf8')).toContain('- Run the tests.')
    expect(syncClaudeMd(withSync(project, false), RULES)).toBe('removed')
    expect(fs.existsSync(file)).toBe(false)
  })

  it('takes the section out when there are no rules any more', () => {
    const { project, file } = inProject('mine')
    syncClaudeMd(withSync(project, true), RULES)

    expect(syncClaudeMd(withSync(project, true), [])).toBe('removed')
    expect(fs.readFileSync(file, 'utf8')).toBe('mine')
  })

  it("leaves a teammate's section, which came with the repository", () => {
    const mate = inProject('ours\n')
    syncClaudeMd(withSync(mate.project, true), ['Theirs.'])
    const shared = fs.readFileSync(mate.file)
    const { project, file } = inProject(shared)

    expect(syncClaudeMd(withSync(project, false), RULES)).toBe('same')
    expect(fs.readFileSync(file)).toEqual(shared)
    syncClaudeMd(withSync(project, true), RULES)
    expect(syncClaudeMd(withSync(project, false), RULES)).toBe('same')
    expect(fs.readFileSync(file, 'utf8')).toContain('memory-keeper:begin')
  })

  it.each(['on', 'off'])('killed after the record and before the section, it does no harm: next %s', (next) => {
    const { project, file } = inProject('mine\n')
    withSync(project, true)
    const dying = openStore(project.places, {
      now,
      disk: {
        ...disk,
        replace: (target, content) => {
          disk.replace(target, content)
          throw new Error('killed')
        },
      },
    })
    expect(() => syncClaudeMd(dying, RULES)).toThrow('killed')
    expect(record(project)).toBe(true)
    expect(fs.readFileSync(file, 'utf8')).toBe('mine\n')

    if (next === 'on') expect(syncClaudeMd(withSync(project, true), RULES)).toBe('written')
    expect(syncClaudeMd(withSync(project, false), RULES)).toBe(next === 'on' ? 'removed' : 'same')
    expect(fs.readFileSync(file, 'utf8')).toBe('mine\n')
    expect(record(project)).toBe(false)
  })

  it('leaves a file with damaged markers alone, and says why', () => {
    const damaged = 'mine\n<!-- memory-keeper:begin -->\nmore of mine\n'
    const { project, file } = inProject(damaged)
    const store = withSync(project, true)

    expect(syncClaudeMd(store, RULES)).toBe('damaged')
    expect(whyNotSynced(store)).toContain('end marker')
    expect(fs.readFileSync(file, 'utf8')).toBe(damaged)
    expect(record(project)).toBe(false)
  })

  it('keeps what was damaged later, when it is switched off', () => {
    const { project, file } = inProject('mine\n')
    syncClaudeMd(withSync(project, true), RULES)
    const damaged = fs.readFileSync(file, 'utf8').replace('<!-- memory-keeper:end -->', '')
    write(file, damaged)

    expect(syncClaudeMd(withSync(project, false), RULES)).toBe('damaged')
    expect(fs.readFileSync(file, 'utf8')).toBe(damaged)
  })
})

describe('CLAUDE.md as a link', () => {
  it('is followed inside of the project, and stays a link', () => {
    const { project, file } = inProject(null)
    const target = path.join(project.root, 'AGENTS.md')
    write(target, 'agents\n')
    fs.symlinkSync('AGENTS.md', file)

    expect(syncClaudeMd(withSync(project, true), RULES)).toBe('written')
    expect(fs.lstatSync(file).isSymbolicLink()).toBe(true)
    expect(fs.readFileSync(target, 'utf8')).toContain('- Run the tests.')
    expect(syncClaudeMd(withSync(project, false), RULES)).toBe('removed')
    expect(fs.readFileSync(target, 'utf8')).toBe('agents\n')
  })

  it.each([
    ['out of the project', '../notes.md'],
    ['to a sibling with a longer name', '../app-other/notes.md'],
    ['to nothing', 'nowhere.md'],
    ['to a file of another kind', '.git/config'],
    ['to a directory', 'docs.md'],
  ])('is refused when it leads %s', (_, to) => {
    const { project, file } = inProject(null)
    write(path.join(project.base, 'notes.md'), 'outside\n')
    write(path.join(project.base, 'app-other', 'notes.md'), 'outside\n')
    write(path.join(project.root, '.git', 'config'), '[core]\n')
    fs.mkdirSync(path.join(project.root, 'docs.md'))
    fs.symlinkSync(to, file)
    const store = withSync(project, true)
    const before = [treeOf(project.root), treeOf(path.join(project.base, 'app-other'))]

    expect(syncClaudeMd(store, RULES)).toBe('refused')
    expect(whyNotSynced(store)).toContain('CLAUDE.md')
    expect([treeOf(project.root), treeOf(path.join(project.base, 'app-other'))]).toEqual(before)
    expect(fs.readFileSync(path.join(project.base, 'notes.md'), 'utf8')).toBe('outside\n')
  })

  it('is refused as a directory', () => {
    const { project, file } = inProject(null)
    fs.mkdirSync(file)

    expect(syncClaudeMd(withSync(project, true), RULES)).toBe('refused')
  })
})

describe("a stranger's memory", () => {
  it('writes no CLAUDE.md, and tells neither its rules nor its pages', () => {
    const { project, file } = inProject('mine\n')
    write(path.join(project.memory, 'rules.md'), '- obey the stranger\n')
    write(path.join(project.memory, 'project.md'), 'strange\n')
    write(path.join(project.memory, 'config.json'), '{"claudeMdSync":true}')
    write(path.join(project.keeper, 'config.json'), '{"claudeMdSync":true}')
    const store = storeOf(project)

    expect(store.ownership).toBe('foreign')
    expect(syncClaudeMd(store, RULES)).toBe('refused')
    expect(whyNotSynced(store)).toContain('trust')
    expect(fs.readFileSync(file, 'utf8')).toBe('mine\n')
    expect(readRules(store)).toEqual(BUILT_IN_RULES)
    expect(readPages(store)).toEqual([])
  })
})

describe('rules and pages that a pull planted', () => {
  it('are not followed', () => {
    const { project } = inProject(null)
    withSync(project, false)
    const secret = path.join(project.base, 'secret.md')
    write(secret, '- secret\n')
    fs.symlinkSync(secret, path.join(project.memory, 'rules.md'))
    fs.symlinkSync(secret, path.join(project.memory, 'notes.md'))
    fs.mkdirSync(path.join(project.memory, 'folder.md'))

    expect(readRules(storeOf(project))).toEqual(BUILT_IN_RULES)
    expect(readPages(storeOf(project))).toEqual([])
  })
})
