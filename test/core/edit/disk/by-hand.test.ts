/** Changes by hand on disk: what each does, that undo takes exactly it back, and that a kill anywhere costs neither. */

import fs from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Change, changeByHand } from '../../../../src/core/edit/disk/by-hand.ts'
import { listUndo, undoLast } from '../../../../src/core/edit/disk/undo.ts'
import { readFacts } from '../../../../src/core/knowledge/disk/knowledge.ts'
import { formatItems } from '../../../../src/core/knowledge/facts-file.ts'
import { openStore, type Store } from '../../../../src/kernel/memory/disk/store.ts'
import { locate } from '../../../../src/kernel/platform/disk/locate.ts'
import { HAND, known, NOTE, TOLD } from '../../../support/by-hand.ts'
import { listed, SAID } from '../../../support/fact.ts'
import { anyKill, type Kill, Killed, killingDisk } from '../../../support/killing-disk.ts'
import { buildModule } from '../../../support/module.ts'
import { envOf, start } from '../../../support/process.ts'
import {
  fastDir,
  makeProject,
  NOW,
  now,
  setAtHome,
  storeOf,
  type TestProject,
  treeOf,
  write,
} from '../../../support/project.ts'

const NOTHING = expect.objectContaining({ code: 'nothing' })
/** All that undo restores, byte for byte: everything but our own records. The number of a fact that was added stays given. */
function kept(project: TestProject): Record<string, string> {
  const ours = /^(?:journal|\.owner|\.gitignore|memory-index\.json|\.lock|logs|.*\.tmp$)/
  const files = Object.entries(treeOf(project.memory)).filter(([name]) => !ours.test(name))
  return Object.fromEntries(files.map(([name, text]) => [name, text.replace(/"counter":\d+/, '')]))
}

const CHANGES: readonly [string, Change][] = [
  ['a fact that is added', { do: 'add-fact', type: 'decision', text: 'We pay in euros.', concept: 'Payments' }],
  ['a fact that is said again', { do: 'add-fact', type: 'decision', text: 'Prices are kept in cents.', reason: 'x' }],
  ['a fact that is edited', { do: 'edit-fact', id: 'd001', text: 'Prices are kept in whole cents.', files: ['a.ts'] }],
  ['a fact that is rejected', { do: 'reject', id: 'd002', why: 'only an idea' }],
  ['a fact that is superseded', { do: 'reject', id: 'd001', other: 'd002' }],
  ['a fact that is restored', { do: 'restore', id: 'd005' }],
  ['an issue that is resolved', { do: 'resolve', id: 'i003', resolution: 'in batches' }],
  ['an issue that is reopened', { do: 'reopen', id: 'i004' }],
  ['a pin', { do: 'pin', id: 'd001' }],
  ['a pin taken off', { do: 'unpin', id: 'p006' }],
  ['a concept that is renamed', { do: 'rename-concept', id: 'c001', name: 'Prices' }],
  ['a concept that is merged', { do: 'merge-concepts', from: 'c002', into: 'c001' }],
  ['a concept without facts that is merged', { do: 'merge-concepts', from: 'Speed', into: 'Money' }],
  ['a note that is added', { do: 'add-note', text: 'Remember the milk.' }],
  ['a note that is edited', { do: 'edit-note', id: TOLD.id, text: 'They met at noon.' }],
  ['a note that is removed', { do: 'remove-note', id: NOTE.id }],
  ['a rule that is added', { do: 'add-rule', text: 'Be early.' }],
  ['a rule that is removed', { do: 'remove-rule', which: '1' }],
  ['a lesson that is proposed as a rule', { do: 'add-lesson', text: 'Cut once.' }],
  ['a page that is written', { do: 'set-page', name: 'project', text: 'A shop.', how: 'replace' }],
  ['a page that is added to', { do: 'set-page', name: 'lessons', text: 'More.', how: 'append' }],
  ['a proposal that is accepted', { do: 'accept', id: 'r001' }],
  ['a proposal that is declined', { do: 'decline', id: 'r001' }],
  ['what held, demoted', { do: 'demote', id: 'r002', why: 'we moved on' }],
]

describe.each(CHANGES)('%s', (_, change) => {
  it('changes something, says so, and is as before after undo; a dry run says the same and writes nothing', () => {
    const project = known()
    const before = kept(project)
    const tree = treeOf(project.memory)
    const planned = changeByHand(storeOf(project), change, { ...HAND, isDryRun: true })
    expect(treeOf(project.memory)).toEqual(tree)
    const { said } = changeByHand(storeOf(project), change, HAND)
    const changed = treeOf(project.memory)
    expect(kept(project)).not.toEqual(before)
    expect(said).toEqual(planned.said)
    expect(said.join('')).not.toContain('\u001b')

    expect(undoLast(storeOf(project), { isDryRun: true }).said[0]).toMatch(/^Undone: /)
    expect(treeOf(project.memory)).toEqual(changed)
    expect(undoLast(storeOf(project), HAND).said[0]).toMatch(/^Undone: /)
    expect(kept(project)).toEqual(before)
    expect(listUndo(storeOf(project))).toEqual([])
    expect(() => undoLast(storeOf(project), HAND)).toThrow(NOTHING)
  })
})

/** Each touches another item, note, rule or line. */
const APART: readonly Change[] = [
  { do: 'pin', id: 'd001' },
  { do: 'reject', id: 'd002', why: 'idea' },
  { do: 'resolve', id: 'i003', resolution: 'In batches.' },
  { do: 'edit-fact', id: 'p006', text: 'Queries go through src/db.ts.' },
  { do: 'accept', id: 'r001' },
  { do: 'rename-concept', id: 'c003', name: 'Pace' },
  { do: 'remove-note', id: NOTE.id },
  { do: 'edit-note', id: TOLD.id, text: 'No.' },
  { do: 'remove-rule', which: 'Be kind.' },
  { do: 'edit-rule', rule: 'Be brief.', text: 'Be very brief.' },
  { do: 'set-page', name: 'project', text: 'A shop.', how: 'replace' },
]
const DATA = ['facts.json', 'concepts.json', 'memory.md', 'rules.md', 'project.md']
/** With concepts that say what follows from their facts. */
const begun = (at?: TestProject): TestProject => {
  const project = known(at)
  for (const act of ['pin', 'unpin'] as const) changeByHand(storeOf(project), { do: act, id: 'd001' }, HAND)
  fs.rmSync(path.join(project.memory, 'journal'), { recursive: true })
  return project
}
/** Without the counts of facts, which the first fact of a concept adds. */
const dataOf = (project: TestProject): unknown[] =>
  Object.entries(treeOf(project.memory))
    .filter(([name]) => DATA.includes(name))
    .map(([name, text]) => [name, name.endsWith('.json') ? JSON.parse(text.replaceAll(',"facts":0', '')) : text])

describe('undo', () => {
  it('goes back change by change, the last one first', () => {
    const project = known()
    const store = storeOf(project)
    const trees = [kept(project)]
    for (const change of [
      { do: 'pin', id: 'd001' },
      { do: 'reject', id: 'd001' },
      { do: 'edit-note', id: NOTE.id, text: 'Ours.' },
      { do: 'add-rule', text: 'Be early.' },
    ] as const) {
      changeByHand(store, change, HAND)
      trees.push(kept(project))
    }
    expect(listUndo(store).map(({ what }) => what)).toEqual([
      'rule added: Be early.',
      `edit ${NOTE.id}`,
      'reject d001',
      'pin d001',
    ])
    for (const tree of trees.toReversed().slice(1)) {
      undoLast(store, HAND)
      expect(kept(project)).toEqual(tree)
    }
    expect(() => undoLast(store, HAND)).toThrow(NOTHING)
  })

  it('takes back a change of facts after reflection has counted them, and gives no number twice', () => {
    const project = known()
    const store = storeOf(project)
    const before = kept(project)
    const add = (text: string): unknown =>
      changeByHand(store, { do: 'add-fact', type: 'decision', text }, HAND).json.fact
    expect(add('We pay in euros.')).toMatchObject({ id: 'd007' })
    const facts = readFacts(store)
    const reflected = { upTo: NOW, upToFact: '7', all: 'x' }
    write(
      path.join(project.memory, 'facts.json'),
      formatItems({ ...facts, _meta: { ...facts._meta, reflected } as never }),
    )

    undoLast(store, HAND)
    expect(kept(project)['facts.json']?.replace(/,"reflected":\{.*?\}/, '')).toBe(before['facts.json'])
    expect(readFacts(store)._meta).toMatchObject({ counter: 7, reflected })
    expect(add('We pay in dollars.')).toMatchObject({ id: 'd008' })
  })

  it('takes back the first fact of a memory', () => {
    const project = makeProject()
    const store = storeOf(project)
    changeByHand(store, { do: 'add-fact', type: 'decision', text: 'We pay in euros.' }, HAND)
    undoLast(store, HAND)
    expect(fs.existsSync(path.join(project.memory, 'facts.json'))).toBe(false)
  })

  it('makes no directory where nothing was changed', () => {
    const project = makeProject()

    expect(() => undoLast(storeOf(project), HAND)).toThrow(NOTHING)
    expect(() => undoLast(storeOf(project), {}, { isSkipped: true })).toThrow(NOTHING)
    expect(fs.existsSync(project.memory)).toBe(false)
  })

  it('refuses as a whole where the changed place itself was changed again, says so, and goes on behind it when told so', () => {
    const project = known()
    const store = storeOf(project)
    changeByHand(store, { do: 'pin', id: 'd001' }, HAND)
    changeByHand(store, { do: 'add-rule', text: 'Lint first.' }, HAND)
    const file = path.join(project.memory, 'rules.md')
    fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace('Lint first.', 'Lint first, always.'))
    const before = kept(project)

    expect(() => undoLast(store, HAND)).toThrow(
      expect.objectContaining({
        code: 'changed-since',
        message: expect.stringMatching(/rule added: Lint first.*rules\.md was changed again since.*--skip/),
      }),
    )
    expect(kept(project)).toEqual(before)
    for (const isDryRun of [true, false])
      expect(undoLast(store, { isDryRun }, { isSkipped: true }).undone).toMatchObject({
        what: 'rule added: Lint first.',
      })
    undoLast(store, HAND)
    expect(listed(readFacts(store)).decisions[0]).not.toHaveProperty('pinned')
  })

  it.each(APART)('takes back what %j changed, whatever was changed since by hand', (change) => {
    for (const later of APART.filter((one) => one !== change)) {
      const [both, only] = [begun(), begun()]
      changeByHand(storeOf(both), change, HAND)
      changeByHand(storeOf(both), later, HAND)
      changeByHand(storeOf(only), later, HAND)
      const [, { what = '' } = {}] = listUndo(storeOf(both))
      undoLast(storeOf(both), {}, { isSkipped: true })
      expect(undoLast(storeOf(both), HAND).undone.what).toBe(what)

      expect([later, dataOf(both)]).toEqual([later, dataOf(only)])
    }
  })

  it('takes back the last change of the thing with an id, and keeps the later ones', () => {
    const project = known()
    const store = storeOf(project)
    for (const change of APART) changeByHand(store, change, HAND)
    for (const id of ['D001', 'i003', 'r001', 'c003', NOTE.id, 'rules.md#1', 'page:project']) {
      const count = listUndo(store).length
      undoLast(store, HAND, { id })
      expect(listUndo(store)).toHaveLength(count - 1)
    }
    const { decisions, issues, patterns } = listed(readFacts(store))
    expect(decisions.map(({ id, pinned, state }) => [id, pinned, state]).slice(0, 2)).toEqual([
      ['d001', undefined, 'fresh'],
      ['d002', undefined, 'rejected'],
    ])
    expect(issues[0]?.status).toBe('open')
    expect(patterns[0]?.text).toBe('Queries go through src/db.ts.')
    expect(fs.readFileSync(path.join(project.memory, 'memory.md'), 'utf8')).toMatch(/Mine\.[\s\S]*No\./)
    expect(fs.readFileSync(path.join(project.memory, 'rules.md'), 'utf8')).toBe('- Be brief.\n')
    expect(() => undoLast(store, HAND, { id: 'd009' })).toThrow(expect.objectContaining({ code: 'nothing' }))
  })

  it.each<[string, Change, Change, string]>([
    [
      'a fact',
      { do: 'edit-fact', id: 'd001', text: 'One.' },
      { do: 'edit-fact', id: 'd001', text: 'Two.' },
      'facts.json',
    ],
    [
      'a note',
      { do: 'edit-note', id: TOLD.id, text: 'No.' },
      { do: 'edit-note', id: TOLD.id, text: 'Yes.' },
      'memory.md',
    ],
    [
      'a rule',
      { do: 'add-rule', text: 'Be early.' },
      { do: 'edit-rule', rule: 'Be early.', text: 'Be late.' },
      'rules.md',
    ],
    [
      'a page',
      { do: 'set-page', name: 'project', text: 'A shop.', how: 'replace' },
      { do: 'set-page', name: 'project', text: 'A bank.', how: 'replace' },
      'project.md',
    ],
  ])('refuses to take back %s after a later change of the same place', (_, change, later, file) => {
    const project = known()
    const store = storeOf(project)
    changeByHand(store, change, HAND)
    changeByHand(store, later, HAND)
    undoLast(store, {}, { isSkipped: true })
    const tree = treeOf(project.memory)

    expect(() => undoLast(store, HAND)).toThrow(
      expect.objectContaining({ code: 'changed-since', message: expect.stringContaining(file) }),
    )
    expect(treeOf(project.memory)).toEqual(tree)
  })

  it('lists changes of an earlier version and says that they cannot be undone', () => {
    const project = known()
    const earlier = (what: string): string =>
      `${JSON.stringify({ version: 1, at: SAID, by: 'user', what, touched: [{ kind: 'file', id: 'rules.md', from: null, to: '- Be kind.\n- Be brief.\n' }] })}\n`
    write(path.join(project.memory, 'journal', 'undo.jsonl'), earlier('pin d001') + earlier('rule added: Be kind.'))
    const store = storeOf(project)
    const before = kept(project)

    expect(listUndo(store)).toMatchObject([{ what: 'rule added: Be kind.', isEarlier: true, files: null }, {}])
    expect(() => undoLast(store, HAND)).toThrow(
      expect.objectContaining({
        code: 'nothing',
        message: expect.stringContaining('2 changes made by an earlier version cannot be undone'),
      }),
    )
    changeByHand(store, { do: 'pin', id: 'd001' }, HAND)
    undoLast(store, HAND)
    expect(() => undoLast(store, HAND)).toThrow(NOTHING)
    expect(kept(project)).toEqual(before)
    expect(listUndo(store).map(({ isEarlier }) => isEarlier)).toEqual([true, true])
  })

  it('leaves a note that made memory.md rotate, and says that the file changed', () => {
    const project = makeProject()
    setAtHome(project, { rotationThresholdTokens: 1000, carryoverTokens: 0 })
    const store = storeOf(known(project))
    changeByHand(store, { do: 'add-note', text: 'A long note about the milk. '.repeat(300) }, HAND)

    const archives = fs.readdirSync(project.memory).filter((name) => /^memory_.*\.md$/.test(name))
    expect(archives).toHaveLength(1)
    expect(() => undoLast(store, HAND)).toThrow(expect.objectContaining({ code: 'changed-since' }))
  })

  it('takes the rule out of CLAUDE.md again', () => {
    const project = makeProject()
    setAtHome(project, { claudeMdSync: true })
    const store = storeOf(known(project))
    const claudeMd = (): string => fs.readFileSync(path.join(project.root, 'CLAUDE.md'), 'utf8')
    changeByHand(store, { do: 'add-rule', text: 'Be early.' }, HAND)
    expect(claudeMd()).toContain('Be early.')

    undoLast(store, HAND)
    expect(claudeMd()).not.toContain('Be early.')
    expect(claudeMd()).toContain('Be kind.')
  })

  it('keeps no secret of what was typed', () => {
    const project = known()
    const key = `AKIA${'ABCDEFGHIJKLMNOP'}`
    changeByHand(storeOf(project), { do: 'reject', id: 'd002', why: `it holds ${key}` }, HAND)

    expect(fs.readFileSync(path.join(project.memory, 'journal', 'undo.jsonl'), 'utf8')).not.toContain(key)
  })
})

function killable(project: TestProject, kills: Kill[]): Store {
  return openStore(locate(project.root, project.around), { now, disk: killingDisk(kills) })
}

function killedOr(work: () => void): boolean {
  try {
    work()
    return false
  } catch (error) {
    if (!(error instanceof Killed)) throw error
    return true
  }
}

it('a change killed anywhere is whole with its record, or undo takes back nothing; a killed undo is completed', () => {
  const base = fastDir()
  const someChange = fc.constantFrom(...CHANGES.map(([, change]) => change))
  let n = 0
  fc.assert(
    fc.property(someChange, anyKill, anyKill, (change, first, second) => {
      const project = known(makeProject(`app${n++}`, base))
      const before = kept(project)
      killedOr(() => changeByHand(killable(project, [first]), change, HAND))
      const after = kept(project)
      const isDone = (): boolean => listUndo(storeOf(project)).length > 0
      if (isDone()) {
        killedOr(() => undoLast(killable(project, [second]), HAND))
        if (isDone()) undoLast(storeOf(project), HAND)
        expect(kept(project)).toEqual(before)
      } else {
        expect(() => undoLast(storeOf(project), HAND)).toThrow(NOTHING)
        expect(kept(project)).toEqual(after)
      }
      fs.rmSync(project.root, { recursive: true })
    }),
    { numRuns: 60 },
  )
})

it('an undo of what stands among later changes, killed anywhere, is completed by the next', () => {
  const base = fastDir()
  let n = 0
  fc.assert(
    fc.property(fc.constantFrom(...APART), fc.constantFrom(...APART), anyKill, (change, later, kill) => {
      fc.pre(change !== later)
      const [project, only] = [begun(makeProject(`app${n++}`, base)), begun(makeProject(`app${n++}`, base))]
      changeByHand(storeOf(project), change, HAND)
      changeByHand(storeOf(project), later, HAND)
      changeByHand(storeOf(only), later, HAND)
      undoLast(storeOf(project), {}, { isSkipped: true })
      killedOr(() => undoLast(killable(project, [kill]), HAND))
      if (listUndo(storeOf(project)).length > 0) undoLast(storeOf(project), HAND)

      expect(dataOf(project)).toEqual(dataOf(only))
      for (const { root } of [project, only]) fs.rmSync(root, { recursive: true })
    }),
    { numRuns: 60 },
  )
})

const WRITER = `
import fs from 'node:fs'
import { changeByHand } from './src/core/edit/disk/by-hand.ts'
import { undoLast } from './src/core/edit/disk/undo.ts'
import { openStore } from './src/kernel/memory/disk/store.ts'
import { locate } from './src/kernel/platform/disk/locate.ts'
const job = JSON.parse(fs.readFileSync(0, 'utf8'))
const now = () => new Date().toISOString()
const open = () => openStore(locate(job.root, { home: job.home, configDir: undefined }), { now })
for (const text of job.rules) changeByHand(open(), { do: 'add-rule', text }, { by: 'user', now: now() })
for (let n = 0; n < job.undo; n++) {
  try {
    undoLast(open(), { by: 'user', now: now() })
  } catch (error) {
    if (error.code !== 'nothing') throw error
  }
}
`

it('changes and undos of several processes at once lose no change and no record', async () => {
  const writer = await buildModule(WRITER)
  const project = known()
  const before = kept(project)
  const { home } = project.around
  const jobs = [
    { rules: Array.from({ length: 6 }, (_, n) => `Be early ${n}.`), undo: 0 },
    { rules: Array.from({ length: 6 }, (_, n) => `Be late ${n}.`), undo: 0 },
    { rules: [], undo: 5 },
  ].map((job) => start([writer], project.root, envOf(project), JSON.stringify({ ...job, root: project.root, home })))
  expect(await Promise.all(jobs.map(({ ended }) => ended))).toMatchObject(jobs.map(() => ({ code: 0, err: '' })))

  const store = storeOf(project)
  const done = listUndo(store)
  const rules = fs.readFileSync(path.join(project.memory, 'rules.md'), 'utf8')
  expect(done.map(({ what }) => what.replace('rule added: ', '- ')).toReversed()).toEqual(
    rules.trim().split('\n').slice(2),
  )
  expect(done.length).toBeGreaterThanOrEqual(7)
  for (const _ of done) undoLast(store, HAND)
  expect(kept(project)).toEqual(before)
})
