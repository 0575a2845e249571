/** Changes by hand on disk: what each does, that undo takes exactly it back, and that a kill anywhere costs neither. */
import fs from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Change, changeByHand, type Hand } from '../../../src/edit/disk/by-hand.ts'
import { listUndo, skipLast, undoLast } from '../../../src/edit/disk/undo.ts'
import {
  type Concepts,
  type Founded,
  formatConcepts,
  mergeConcepts,
  NO_CONCEPTS,
} from '../../../src/knowledge/concept.ts'
import { addConcept } from '../../../src/knowledge/concept-assign.ts'
import { readConcepts, readFacts, writeBoth } from '../../../src/knowledge/disk/knowledge.ts'
import { allFacts, type Facts, formatFacts } from '../../../src/knowledge/fact.ts'
import { mapFacts } from '../../../src/knowledge/fact-list.ts'
import { addPermanent } from '../../../src/knowledge/permanent-change.ts'
import { openStore, type Store } from '../../../src/memory/disk/store.ts'
import { formatNote, type Note, notesIn } from '../../../src/memory/note.ts'
import { readStanding } from '../../../src/outgoing/disk/standing.ts'
import { formatStanding } from '../../../src/outgoing/standing-list.ts'
import { locate } from '../../../src/platform/disk/locate.ts'
import { fact, factsWith, SAID } from '../../support/fact.ts'
import { anyKill, type Kill, Killed, killingDisk } from '../../support/killing-disk.ts'
import { fastDir, makeProject, NOW, now, setAtHome, storeOf, type TestProject, treeOf } from '../../support/project.ts'
import { remember } from '../../support/remembered.ts'

const HAND: Hand = { by: 'user', now: NOW }
const NOTE: Note = {
  id: 'n-20260112_100000-abcdef',
  at: SAID,
  session: null,
  from: 0,
  to: 0,
  author: 'user',
  text: 'Mine.',
}
const TOLD: Note = { ...NOTE, id: 'n-1a2b3c4d-0-3', session: '1a2b3c4d', to: 3, author: 'agent', text: 'They met.' }

/** Facts, a proposal, an instruction, notes, lessons: something of everything that a hand can change. */
function known(project = makeProject()): TestProject {
  const { concepts } = ['Money', 'Deployment', 'Speed'].reduce((made, name) => addConcept(made.concepts, name), {
    concepts: NO_CONCEPTS,
    id: '',
  })
  const facts = factsWith(
    fact({ concept: 'c001' }),
    fact({ id: 'd002', text: 'We deploy on Tuesdays.', concept: 'c002' }),
    fact({ type: 'issue', id: 'i003', text: 'The import is slow.' }),
    fact({ type: 'issue', id: 'i004', text: 'The login fails.', status: 'resolved', resolution: 'a cookie' }),
    fact({
      id: 'd005',
      text: 'Use tabs.',
      state: 'rejected',
      judged: { by: 'user', at: SAID, why: null, other: null },
    }),
    fact({ type: 'pattern', id: 'p006', text: 'Queries go through one file.', pinned: true }),
  )
  const item = {
    text: 'Ask before a push.',
    at: SAID,
    by: 'code',
    concept: 'c002',
    usedAt: SAID,
    evidence: [],
  } as const
  const proposed = addPermanent(facts, 'rules', { ...item, evidence: [], status: 'proposed', facts: ['d002'] })
  const both = addPermanent(proposed, 'rules', {
    ...item,
    evidence: [],
    text: 'Tests first.',
    status: 'active',
    facts: [],
  })
  const standing = formatStanding({
    read: {},
    standing: [
      {
        id: 't001',
        kind: 'always',
        text: 'Always run the linter.',
        at: SAID,
        session: '1a2b3c4d',
        entry: 2,
        times: 1,
        status: 'candidate',
      },
    ],
  })
  return remember(
    {
      files: {
        'facts.json': formatFacts(both),
        'concepts.json': formatConcepts(concepts),
        'standing.json': standing,
        'memory.md': `# Memory\n\n${formatNote(NOTE, 'UTC')}## By hand\n\nMy words.\n\n${formatNote(TOLD, 'UTC')}`,
        'rules.md': '- Be kind.\n- Be brief.\n',
        'lessons.md': '# Lessons\n\n## Mistakes\n\n- Look first.\n',
      },
    },
    project,
  )
}

/** What people keep; what concepts say is made anew from facts, the journal and the state are ours. */
function kept(project: TestProject): Record<string, string> {
  const ours = /^(?:journal|\.owner|\.gitignore|memory-index\.json|concepts\.json|\.lock|logs|.*\.tmp$)/
  const files = Object.entries(treeOf(project.memory)).filter(([name]) => !ours.test(name))
  return Object.fromEntries([...files, ['concepts', JSON.stringify(conceptsIn(project))]])
}

/** Which there are, in their order, and what finds them. */
function conceptsIn(project: TestProject): object[] {
  return readConcepts(storeOf(project)).concepts.map(({ id, name, aliases, merged, founded }: Founded) => ({
    id,
    name,
    aliases,
    merged,
    founded,
  }))
}

const CHANGES: readonly [string, Change][] = [
  ['a fact that is added', { do: 'add-fact', type: 'decision', text: 'We pay in euros.', concept: 'Payments' }],
  ['a fact that overrules another', { do: 'add-fact', type: 'decision', text: 'We do not deploy on Tuesdays.' }],
  [
    'a fact that is said again',
    { do: 'add-fact', type: 'decision', text: 'Prices are kept in cents.', reason: 'rounding' },
  ],
  ['a fact that is edited', { do: 'edit-fact', id: 'd001', text: 'Prices are kept in whole cents.', files: ['a.ts'] }],
  ['a fact that is rejected', { do: 'reject', id: 'd002', why: 'only an idea' }],
  ['a fact that is superseded', { do: 'supersede', id: 'd001', other: 'd002' }],
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
  ['a lesson that is added', { do: 'add-lesson', text: 'Measure twice.', isRule: true }],
  ['a lesson that is removed', { do: 'remove-lesson', number: '1' }],
  ['a page that is written', { do: 'set-page', name: 'project', text: 'A shop.', how: 'replace' }],
  ['a page that is added to', { do: 'set-page', name: 'lessons', text: 'More.', how: 'append' }],
  ['an instruction that is accepted', { do: 'accept', id: 't001' }],
  ['an instruction that is declined', { do: 'decline', id: 't001' }],
  ['a proposal that is accepted', { do: 'accept', id: 'r001' }],
  ['a proposal that is declined', { do: 'decline', id: 'r001' }],
  ['an instruction that is promoted', { do: 'promote', id: 't001', kind: 'core_logic' }],
  ['what held, demoted', { do: 'demote', id: 'r002', why: 'we moved on' }],
]

describe.each(CHANGES)('%s', (_, change) => {
  it('changes something, says so, and is as before after undo', () => {
    const project = known()
    const before = kept(project)
    const { said } = changeByHand(storeOf(project), change, HAND)
    const after = kept(project)
    expect(after).not.toEqual(before)
    expect(said.join('')).not.toContain('\u001b')
    expect(said.length).toBeGreaterThan(0)

    expect(undoLast(storeOf(project), HAND).said[0]).toMatch(/^Taken back: /)
    // The number of what was added stays given.
    const plain = (tree: Record<string, string>): object => ({
      ...tree,
      'facts.json': tree['facts.json']?.replace(/"counter":\d+/, ''),
    })
    expect(plain(kept(project))).toEqual(plain(before))
    expect(listUndo(storeOf(project))).toEqual([])
  })

  it('writes nothing in a dry run, undo neither', () => {
    const project = known()
    const before = treeOf(project.memory)
    const { said } = changeByHand(storeOf(project), change, { ...HAND, isDryRun: true })

    expect(said.join('\n')).toMatch(/[Ww]ould /)
    expect(treeOf(project.memory)).toEqual(before)
    changeByHand(storeOf(project), change, HAND)
    const changed = treeOf(project.memory)
    expect(undoLast(storeOf(project), { ...HAND, isDryRun: true }).said[0]).toMatch(/^Would take back: /)
    expect(treeOf(project.memory)).toEqual(changed)
  })
})

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
    expect(() => undoLast(store, HAND)).toThrow(expect.objectContaining({ code: 'nothing' }))
  })

  it('makes no directory where nothing was changed', () => {
    const project = makeProject()

    expect(() => undoLast(storeOf(project), HAND)).toThrow(expect.objectContaining({ code: 'nothing' }))
    expect(() => skipLast(storeOf(project))).toThrow(expect.objectContaining({ code: 'nothing' }))
    expect(fs.existsSync(project.memory)).toBe(false)
  })

  it('refuses as a whole what somebody changed since, says what, and goes on behind it when told so', () => {
    const project = known()
    const store = storeOf(project)
    changeByHand(store, { do: 'pin', id: 'd001' }, HAND)
    changeByHand(store, { do: 'accept', id: 't001' }, HAND)
    fs.appendFileSync(path.join(project.memory, 'rules.md'), '- Written by hand.\n')
    const before = kept(project)

    expect(() => undoLast(store, HAND)).toThrow(
      expect.objectContaining({
        code: 'changed-since',
        message: expect.stringMatching(/accept t001.*rules\.md was changed.*--skip/),
      }),
    )
    expect(kept(project)).toEqual(before)
    expect(readStanding(store).standing).toMatchObject([{ status: 'accepted' }])
    expect(skipLast(store)).toMatchObject({ what: 'accept t001' })
    undoLast(store, HAND)
    expect(readFacts(store).decisions[0]).not.toHaveProperty('pinned')
  })

  it('gives a concept its name back though it says more by now, and its facts stay', () => {
    const project = known()
    const store = storeOf(project)
    changeByHand(store, { do: 'rename-concept', id: 'Money', name: 'Prices' }, HAND)
    changeByHand(store, { do: 'add-fact', type: 'decision', text: 'We pay in euros.', concept: 'Prices' }, HAND)
    skipLast(store)

    expect(undoLast(store, HAND).said[1]).toMatch(/as before again: c001$/)
    const [money] = readConcepts(store).concepts
    expect(money).toMatchObject({ name: 'Money', aliases: [], summary: expect.stringContaining('euros') })
  })

  it('leaves with the other concept what came into it after a merge', () => {
    const project = known()
    const store = storeOf(project)
    changeByHand(store, { do: 'merge-concepts', from: 'c002', into: 'c001' }, HAND)
    changeByHand(store, { do: 'add-fact', type: 'decision', text: 'We pay in euros.', concept: 'Deployment' }, HAND)
    skipLast(store)
    undoLast(store, HAND)

    expect(allFacts(readFacts(store)).map(({ id, concept }) => [id, concept])).toEqual([
      ['d001', 'c001'],
      ['d002', 'c002'],
      ['d005', null],
      ['d007', 'c001'],
      ['p006', null],
      ['i003', null],
      ['i004', null],
    ])
    expect(readConcepts(store).concepts[1]).toMatchObject({ name: 'Deployment', summary: 'We deploy on Tuesdays.' })
  })

  it.each<[string, (concepts: Concepts, facts: Facts) => { concepts: Concepts; facts: Facts }, RegExp]>([
    [
      'its concept was taken into another one',
      (concepts, facts) => mergeConcepts(concepts, facts, 'c001', 'c003'),
      /nothing was: .*c001 is not there any more since/,
    ],
    [
      'its concept took another one in',
      (concepts, facts) => mergeConcepts(concepts, facts, 'c003', 'c001'),
      /nothing was: c001 was changed \(aliases, merged\) since/,
    ],
    [
      'a fact of it went elsewhere',
      (concepts, facts) => ({
        concepts,
        facts: mapFacts(facts, (one) => (one.id === 'd002' ? { ...one, concept: 'c003' } : one)),
      }),
      /nothing was: d002 was changed \(concept\) since/,
    ],
  ])('refuses to take back a merge where %s since, and changes nothing', (_, change, said) => {
    const project = known()
    const store = storeOf(project)
    changeByHand(store, { do: 'merge-concepts', from: 'c002', into: 'c001' }, HAND)
    const before = { concepts: readConcepts(store), facts: readFacts(store) }
    writeBoth(store, before, change(before.concepts, before.facts), NOW)
    const tree = treeOf(project.memory)

    expect(() => undoLast(store, HAND)).toThrow(
      expect.objectContaining({ code: 'changed-since', message: expect.stringMatching(said) }),
    )
    expect(treeOf(project.memory)).toEqual(tree)
  })

  it('keeps of a fact that was moved by a merge only where it belonged', () => {
    const project = known()
    changeByHand(storeOf(project), { do: 'merge-concepts', from: 'c002', into: 'c001' }, HAND)
    const journal = fs.readFileSync(path.join(project.memory, 'journal', 'undo.jsonl'), 'utf8')

    expect(journal).toContain('{"kind":"fact","id":"d002","from":{"concept":"c002"},"to":{"concept":"c001"}}')
  })

  it('says that a note has gone into an archive since', () => {
    const project = known()
    const store = storeOf(project)
    changeByHand(store, { do: 'edit-note', id: TOLD.id, text: 'They met at noon.' }, HAND)
    const memory = fs.readFileSync(path.join(project.memory, 'memory.md'), 'utf8')
    fs.writeFileSync(path.join(project.memory, 'memory_20260113_120000.md'), memory)
    fs.writeFileSync(path.join(project.memory, 'memory.md'), '# Memory\n\n')

    expect(() => undoLast(store, HAND)).toThrow(/stands in the archive memory_20260113_120000\.md/)
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

it('killed anywhere, a change is there with its way back, or never took place; undo then leads to what was before', () => {
  const base = fastDir()
  const someChange = fc.constantFrom(...CHANGES.map(([, change]) => change))
  let n = 0
  fc.assert(
    fc.property(someChange, anyKill, anyKill, (change, first, second) => {
      const project = known(makeProject(`app${n++}`, base))
      const facts = (tree: Record<string, string>): object => ({
        ...tree,
        'facts.json': tree['facts.json']?.replace(/"counter":\d+/, ''),
      })
      const before = facts(kept(project))
      killedOr(() => changeByHand(killable(project, [first]), change, HAND))
      const isChanged = JSON.stringify(facts(kept(project))) !== JSON.stringify(before)
      if (isChanged) killedOr(() => undoLast(killable(project, [second]), HAND))
      const isLeft = JSON.stringify(facts(kept(project))) !== JSON.stringify(before)
      if (isLeft) undoLast(storeOf(project), HAND)

      expect(facts(kept(project))).toEqual(before)
      expect(notesIn(fs.readFileSync(path.join(project.memory, 'memory.md'), 'utf8'))).toHaveLength(2)
      expect(() => undoLast(storeOf(project), HAND)).toThrow(expect.objectContaining({ code: 'nothing' }))
      fs.rmSync(project.root, { recursive: true })
    }),
    { numRuns: 60 },
  )
})
