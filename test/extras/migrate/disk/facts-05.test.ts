/** The facts.json of 0.5: whatever opens the memory first writes it in today's form, once, after a backup. */

import fs from 'node:fs'
import path from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { takeFirstSteps } from '../../../../src/core/extra.ts'
import { readFacts } from '../../../../src/core/knowledge/disk/knowledge.ts'
import { parseItems } from '../../../../src/core/knowledge/facts-file.ts'
import { isLegacy } from '../../../../src/core/knowledge/item.ts'
import { allFacts } from '../../../../src/core/knowledge/items.ts'
import { openTools } from '../../../../src/doors/mcp/tools.ts'
import { takeOverFacts } from '../../../../src/extras/migrate/disk/facts-05.ts'
import { openStore, type Store } from '../../../../src/kernel/memory/disk/store.ts'
import { keptCopy } from '../../../../src/kernel/memory/disk/vault-copy.ts'
import { disk } from '../../../../src/kernel/platform/disk/files.ts'
import { listed } from '../../../support/fact.ts'
import { runCommand } from '../../../support/process.ts'
import { type TestProject, treeOf } from '../../../support/project.ts'
import { RELEASED_NOW, releasedProject } from '../../../support/released.ts'
import { begin, finishHere } from '../../../support/world.ts'

const LEGACY = ['d001', 'd002', 'd003', 'd004', 'd008', 'd009']
const now = (): string => RELEASED_NOW

let project: TestProject
let file: string
let before: string
beforeEach(() => {
  project = releasedProject()
  file = path.join(project.memory, 'facts.json')
  before = fs.readFileSync(file, 'utf8')
})

const open = (): Store => openStore(project.places, { now })
const inVault = (): string => path.join(project.places.vault, 'facts.json')
/** The version of a facts.json, and which of its facts no session is given. */
function formOf(name: string): [version: number | undefined, legacy: string[]] {
  const facts = parseItems(fs.readFileSync(name, 'utf8'))
  const legacy = facts === null ? [] : allFacts(facts).filter(isLegacy)
  return [facts?._meta.version, legacy.map(({ id }) => id)]
}
const TODAY = [5, LEGACY]
const backups = (): string[] => {
  const dir = path.join(project.keeper, 'backups')
  const all = fs.existsSync(dir) ? fs.readdirSync(dir, { recursive: true }).map(String) : []
  return all.filter((name) => path.basename(name) === 'facts.json').map((name) => path.join(dir, name))
}

describe('a facts.json of 0.5 is written in today’s form before anything of it is told', () => {
  it('by a start', () => {
    expect(formOf(file)).toEqual([4, []])
    const { context } = begin(project, 'b1000001-0000-4000-8000-000000000001', 'startup', { now })

    expect(context).toContain('The nightly export runs at 02:30')
    expect(context).not.toContain('in integer cents, because')
    expect(formOf(file)).toEqual(TODAY)
    expect(formOf(inVault())).toEqual(TODAY)
  })

  it('by a command that comes before any session', () => {
    expect(runCommand(project, ['facts', 'list']).out).toMatch(/d002 .*legacy/)
    expect(formOf(file)).toEqual(TODAY)
  })

  it('by a tool that Claude calls before any session', () => {
    const world = { now, build: async () => undefined, embedderKey: '', fetch }
    const tools = openTools({ ...world, startDir: project.root, around: project.around })

    expect(tools.get({ id: 'd002' }).text).toContain('legacy')
    expect(formOf(file)).toEqual(TODAY)
  })

  it('by the finisher, before its notes', async () => {
    await finishHere(project, { for: 'catch-up' }, { now })

    expect(formOf(file)).toEqual(TODAY)
    expect(formOf(inVault())).toEqual(TODAY)
  })
})

describe('taking it over', () => {
  const take = (store = open()): void => void store.whileLocked(1_000, () => takeOverFacts(store, RELEASED_NOW))

  it('keeps the file as it was in a backup, changes nothing but the marks, and happens once', () => {
    take()
    const after = fs.readFileSync(file, 'utf8')
    expect(backups().map((name) => fs.readFileSync(name, 'utf8'))).toEqual([before])
    const marked = allFacts(parseItems(before) ?? readFacts(open())).map((fact) =>
      LEGACY.includes(fact.id) ? { ...fact, legacy: true } : fact,
    )
    expect(allFacts(readFacts(open()))).toEqual(marked)

    take()
    expect(takeFirstSteps(open(), RELEASED_NOW, 1_000)).toBe(true)
    expect(takeFirstSteps(open(), RELEASED_NOW, 1_000)).toBe(false)
    expect(fs.readFileSync(file, 'utf8')).toContain(
      after.slice(after.indexOf('"decisions"'), after.indexOf('"permanent"')),
    )
    expect(backups().map((name) => fs.readFileSync(name, 'utf8'))[0]).toBe(before)
  })

  it('goes on after a kill before any write: of the backup, the facts, the rules or the state', () => {
    const became = (): unknown[] => [
      formOf(file),
      formOf(inVault()),
      fs.readFileSync(path.join(project.memory, 'rules.md'), 'utf8'),
      fs.existsSync(path.join(project.memory, 'standing.json')),
      listed(readFacts(open())).permanent.rules.map(({ state, text }) => `${state} ${text}`),
      open().readState().earlierRules,
    ]
    takeFirstSteps(open(), RELEASED_NOW, 1_000)
    const whole = became()
    const { replace } = disk
    for (let writes = 0, isKilled = true; isKilled; writes++) {
      project = releasedProject()
      file = path.join(project.memory, 'facts.json')
      before = fs.readFileSync(file, 'utf8')
      isKilled = false
      let left = writes
      disk.replace = (...given) => {
        isKilled ||= left-- <= 0
        // From then on nothing is written.
        if (isKilled) throw new Error('killed')
        replace(...given)
      }
      takeFirstSteps(open(), RELEASED_NOW, 1_000)
      disk.replace = replace
      if (fs.readFileSync(file, 'utf8') !== before)
        expect(backups().map((name) => fs.readFileSync(name, 'utf8'))).toContain(before)
      takeFirstSteps(open(), RELEASED_NOW, 1_000)

      expect(became()).toEqual(whole)
      if (!isKilled) expect(writes).toBeGreaterThan(6)
    }
  })

  it('also writes what the vault has of it, from which a lost file is read', () => {
    fs.mkdirSync(path.dirname(keptCopy(project.places.vault, 'facts.json')), { recursive: true })
    fs.writeFileSync(keptCopy(project.places.vault, 'facts.json'), before)
    fs.rmSync(file)
    take()

    expect(formOf(inVault())).toEqual(TODAY)
    expect(formOf(keptCopy(project.places.vault, 'facts.json'))).toEqual(TODAY)
    expect(
      allFacts(readFacts(open()))
        .filter(isLegacy)
        .map(({ id }) => id),
    ).toEqual(LEGACY)
  })

  it('marks what is left of a broken file, and sets that aside', () => {
    const cut = before.slice(0, before.indexOf('{"id":"d004"'))
    for (const name of [file, inVault()]) fs.writeFileSync(name, cut)
    take()

    expect(formOf(file)).toEqual([5, LEGACY.slice(0, 3)])
    expect(formOf(inVault())).toEqual([5, LEGACY.slice(0, 3)])
    expect(fs.readdirSync(project.memory).some((name) => name.startsWith('facts.json.broken-'))).toBe(true)
  })

  it('is due again when 0.5 or a restore brings such a file back', () => {
    take()
    fs.writeFileSync(file, before)
    begin(project, 'b1000001-0000-4000-8000-000000000001', 'startup', { now })

    expect(formOf(file)).toEqual(TODAY)
  })

  it('leaves a memory alone that is not known to be the user’s, and one of which a command only shows what it would do', () => {
    runCommand(project, ['pin', 'd002', '--dry-run'])
    expect(fs.readFileSync(file, 'utf8')).toBe(before)
    fs.rmSync(path.join(project.memory, '.owner'))
    const tree = treeOf(project.memory)
    runCommand(project, ['facts', 'list'])
    take()

    expect(treeOf(project.memory)).toEqual(tree)
  })
})
