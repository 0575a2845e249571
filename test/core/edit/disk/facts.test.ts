/** Facts and concepts changed by hand: what each change makes of them, and what is refused. */

import fs from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type Change, changeByHand, type Hand } from '../../../../src/core/edit/disk/by-hand.ts'
import { conceptOf } from '../../../../src/core/edit/disk/hand-facts.ts'
import { listUndo } from '../../../../src/core/edit/disk/undo.ts'
import { readBoth, readFacts } from '../../../../src/core/knowledge/disk/knowledge.ts'
import { formatItems } from '../../../../src/core/knowledge/facts-file.ts'
import type { Fact } from '../../../../src/core/knowledge/item.ts'
import { allFacts } from '../../../../src/core/knowledge/items.ts'
import { AGENT, HAND, known } from '../../../support/by-hand.ts'
import { fact, factsWith, judgedBy, listed, SAID } from '../../../support/fact.ts'
import { makeProject, NOW, storeOf, type TestProject, treeOf } from '../../../support/project.ts'
import { remember } from '../../../support/remembered.ts'

const WORDS = 'x'.repeat(500)
const NEW = { do: 'add-fact', type: 'decision', text: 'We pay in euros.' } as const

const done = (project: TestProject, change: Change, hand: Hand = HAND): { said: string[]; json: { fact: Fact } } =>
  changeByHand(storeOf(project), change, hand) as never
const one = (project: TestProject, id: string): Fact | undefined =>
  allFacts(readFacts(storeOf(project))).find((each) => each.id === id)

describe('a change of a fact or a concept', () => {
  it.each<[string, Change, string, string | RegExp]>([
    ['a fact of another type', { ...NEW, type: 'rule' }, 'usage', '"rule" is none of them'],
    ['a fact without words', { ...NEW, text: '12 + 3 …' }, 'usage', 'A fact needs words: memory-keeper facts add'],
    ['a fact of 501 characters', { ...NEW, text: `${WORDS}x` }, 'usage', 'at most 500 characters, this one 501'],
    ['a reason of 501 characters', { ...NEW, reason: `${WORDS}x` }, 'usage', 'A reason or resolution has at most 500'],
    ['a concept without a name', { ...NEW, concept: ' ' }, 'usage', '--concept takes an id (c001) or a name'],
    ['a concept that does not exist', { ...NEW, concept: 'c077' }, 'not-found', 'There is no concept c077.'],
    ['an edit of nothing', { do: 'edit-fact', id: 'd001' }, 'usage', /edit d001 --text .* --reason, --file, --concept/],
    ['an edit to no words', { do: 'edit-fact', id: 'd001', text: '?' }, 'usage', 'memory-keeper edit d001 --text "We'],
    ['an edit to 501 characters', { do: 'edit-fact', id: 'd001', text: `${WORDS}x` }, 'usage', 'at most 500'],
    [
      'an edit that is none',
      { do: 'edit-fact', id: 'd001', text: 'Prices are kept in cents.' },
      'already',
      'd001 is so',
    ],
    [
      'an edit of a rejected fact',
      { do: 'edit-fact', id: 'd005', text: 'Use spaces.' },
      'not-live',
      'd005 is rejected',
    ],
    ['an edit of no fact', { do: 'edit-fact', id: 'd099', text: 'Any words.' }, 'not-found', 'There is no fact d099'],
    ['a resolution of 501 characters', { do: 'resolve', id: 'i003', resolution: `${WORDS}x` }, 'usage', 'at most 500'],
    ['resolving a decision', { do: 'resolve', id: 'd001' }, 'not-an-issue', 'd001 is a decision'],
    ['resolving twice', { do: 'resolve', id: 'i004' }, 'already', 'restore i004'],
    ['restoring what is current', { do: 'restore', id: 'd001' }, 'already', 'nothing to restore'],
    ['restoring no fact', { do: 'restore', id: 'x' }, 'not-found', 'There is no fact x'],
    ['rejecting twice', { do: 'reject', id: 'd005' }, 'already', 'restore d005'],
    ['a why of 501 characters', { do: 'reject', id: 'd001', why: `${WORDS}x` }, 'usage', 'at most 500'],
    ['replacing by itself', { do: 'reject', id: 'd001', other: 'd001' }, 'not-other', 'cannot take its own place'],
    [
      'replacing by a rejected fact',
      { do: 'reject', id: 'd001', other: 'd005' },
      'not-other',
      'd005 is rejected itself',
    ],
    ['replacing by no fact', { do: 'reject', id: 'd001', other: 'd099' }, 'not-found', 'There is no fact d099'],
    ['replacing by nothing', { do: 'reject', id: 'd001', other: '' }, 'not-found', 'There is no fact'],
    ['pinning twice', { do: 'pin', id: 'p006' }, 'already', 'memory-keeper unpin p006'],
    ['pinning what is rejected', { do: 'pin', id: 'd005' }, 'not-live', 'restore d005'],
    ['unpinning what is not pinned', { do: 'unpin', id: 'd001' }, 'already', 'memory-keeper pin d001'],
    [
      'merging a concept with itself',
      { do: 'merge-concepts', from: 'Money', into: 'C001' },
      'same-concept',
      'c001 Money',
    ],
    [
      'merging no concept',
      { do: 'merge-concepts', from: 'c099', into: 'c001' },
      'not-found',
      'There is no concept c099',
    ],
    ['merging into no concept', { do: 'merge-concepts', from: 'c001', into: 'Gardening' }, 'not-found', 'Gardening'],
    ['renaming no concept', { do: 'rename-concept', id: 'c099', name: 'Any' }, 'not-found', 'concepts list shows them'],
    ['renaming to nothing', { do: 'rename-concept', id: 'c001', name: ' \n' }, 'usage', 'edit c001 Payments'],
    ['a taken name', { do: 'rename-concept', id: 'c002', name: 'MONEY' }, 'name-taken', 'concepts merge c002 c001'],
  ])('a change by hand refuses %s, and writes nothing', (_, change, code, message) => {
    const project = known()
    const before = treeOf(project.base)
    const why = typeof message === 'string' ? expect.stringContaining(message) : expect.stringMatching(message)

    for (const isDryRun of [true, false])
      expect(() => done(project, change, { ...HAND, isDryRun })).toThrow(
        expect.objectContaining({ code, message: why }),
      )
    expect(treeOf(project.base)).toEqual(before)
  })

  it('a refused change and a dry run make no directory', () => {
    const project = makeProject()
    expect(() => done(project, { do: 'pin', id: 'd001' })).toThrow(expect.objectContaining({ code: 'not-found' }))
    done(project, NEW, { ...HAND, isDryRun: true })

    expect(fs.existsSync(project.memory)).toBe(false)
  })

  it('a refusal shows control characters of a given id harmlessly', () => {
    expect(() => done(known(), { do: 'pin', id: 'd\u001b[2J' })).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('\u001b') }),
    )
  })
})

describe('a fact that is added by hand', () => {
  it('a fact of the user has the words, reason, files and concept that were given, and needs no proof', () => {
    const project = known()
    const { said, json } = done(project, {
      ...{ do: 'add-fact', type: ' Decision ', text: ' We pay  in euros. ' },
      ...{ reason: 'The bank wants it.', files: ['a.ts', ' ', 'a.ts', 'b.ts'], concept: 'money' },
    })

    expect(said).toEqual(['d007 We pay in euros.', 'added as your own statement'])
    expect(json).toMatchObject({ is: 'added', redactions: 0 })
    expect(json.fact).toMatchObject({
      ...{ id: 'd007', type: 'decision', text: 'We pay in euros.', reason: 'The bank wants it.', concept: 'c001' },
      ...{ files: ['a.ts', 'b.ts'], author: 'user', at: NOW, status: null, session: '', state: 'fresh' },
    })
    expect(one(project, 'd007')).toMatchObject({ text: 'We pay in euros.', by: 'user' })
  })

  it.each([
    ['decision', null],
    ['pattern', null],
    ['issue', 'open'],
  ])('a new %s has the status %s, and no reason, file or concept unless they are given', (type, status) => {
    const { fact: added } = done(known(), { ...NEW, type }).json
    expect(added).toMatchObject({ type, status, resolution: null, reason: null, files: [], concept: null })
  })

  it('a fact may have 500 characters, and a reason as long', () => {
    expect(done(known(), { ...NEW, text: WORDS, reason: WORDS }).json.fact).toMatchObject({
      text: WORDS,
      reason: WORDS,
    })
  })

  it.each([
    ['c002', 'c002'],
    ['C002', 'c002'],
    ['deployments', 'c002'],
    ['Payments', 'c004'],
  ])('a fact with --concept %s belongs to %s', (concept, id) => {
    const project = known()
    done(project, { ...NEW, concept })

    expect(one(project, 'd007')?.concept).toBe(id)
    const { concepts } = readBoth(storeOf(project)).concepts
    expect(concepts.map(({ name }) => name)).toEqual([
      ...['Money', 'Deployment', 'Speed'],
      ...(id === 'c004' ? ['Payments'] : []),
    ])
    expect(concepts.find((each) => each.id === id)?.summary).toContain('We pay in euros.')
  })

  it('a fact given again counts as said again, and is another one only if that is wanted', () => {
    const project = known()
    const again = { ...NEW, text: 'Prices are kept in cents.' }
    const said = [
      'd001 Prices are kept in cents.',
      'already exists; it counts as said again. To add it anyway: --anyway',
    ]
    expect(done(project, again)).toMatchObject({ said, json: { is: 'known', fact: { id: 'd001', lastAt: NOW } } })

    expect(done(project, { ...again, isAnyway: true }).json).toMatchObject({ is: 'added', fact: { id: 'd007' } })
  })

  it('the user’s words bring back the fact that was rejected', () => {
    const { said, json } = done(known(), { ...NEW, text: 'Use tabs.' })
    expect(json).toMatchObject({ is: 'restored', fact: { id: 'd005', state: 'fresh' } })
    expect(said[1]).toBe('was rejected; it is back')
  })
})

describe('a fact that Claude adds', () => {
  it('a fact of Claude is Claude’s, and waits for the audit', () => {
    const { said, json } = done(known(), NEW, AGENT)
    expect(json.fact).toMatchObject({ author: 'agent', unaudited: true, evidence: { by: 'assistant' } })
    expect(said[1]).toBe('added as Claude’s statement, not yours: an audit has to confirm it')
  })

  it('a fact of Claude never brings back what the user rejected', () => {
    const project = known()
    const before = treeOf(project.base)
    for (const isAnyway of [false, true])
      expect(() => done(project, { ...NEW, text: 'Use tabs.', isAnyway }, AGENT)).toThrow(
        expect.objectContaining({
          code: 'not-yours',
          message: expect.stringContaining('/memory-keeper:run restore d005'),
        }),
      )
    expect(treeOf(project.base)).toEqual(before)
  })

  it('a known fact does not change and does not count as said again when Claude adds it', () => {
    const project = known()
    const before = one(project, 'd001')
    const { said, json } = done(project, { ...NEW, text: 'Prices are kept in cents.', reason: 'evil says so' }, AGENT)

    expect(said[1]).toBe('already exists. To add it anyway: --anyway')
    expect(json).toMatchObject({ is: 'known' })
    expect(one(project, 'd001')).toEqual(before)
    // Only the concept, whose words were not up to date.
    expect(listUndo(storeOf(project)).flatMap(({ files }) => files)).toEqual(['concepts.json'])
  })
})

describe('a fact that is edited by hand', () => {
  it.each<[string, object, Partial<Fact>]>([
    ['text', { text: 'Prices are integers.' }, { text: 'Prices are integers.', reason: 'rounding', files: ['a.ts'] }],
    ['reason', { reason: 'habit' }, { text: 'Prices are kept in cents.', reason: 'habit', files: ['a.ts'] }],
    ['reason, taken away', { reason: '' }, { reason: null, files: ['a.ts'] }],
    ['files', { files: ['b.ts', ''] }, { files: ['b.ts'], reason: 'rounding' }],
    ['files, taken away', { files: [''] }, { files: [] }],
    ['concept', { concept: 'deployment' }, { concept: 'c002', text: 'Prices are kept in cents.' }],
  ])('an edit changes the %s, keeps the rest, and makes the fact the user’s', (_, edit, expected) => {
    const project = known()
    done(project, { do: 'edit-fact', id: 'd001', reason: 'rounding', files: ['a.ts'] })
    const { said } = done(project, { do: 'edit-fact', id: 'D001', ...edit })

    const after = one(project, 'd001')
    expect(after).toMatchObject({
      concept: 'c001',
      ...expected,
      by: 'user',
      evidence: { quote: 'keep prices in cents' },
    })
    expect(said).toEqual([`d001 ${after?.text}`, 'changed'])
  })

  it('the summary of a concept follows the edits and verdicts of its facts', () => {
    const project = known()
    const summary = (): string | undefined => readBoth(storeOf(project)).concepts.concepts[0]?.summary
    done(project, { do: 'edit-fact', id: 'd001', text: 'Prices are integers.' })
    expect(summary()).toContain('Prices are integers.')
    done(project, { do: 'reject', id: 'd001' })
    expect(summary()).not.toContain('integers')
  })
})

describe('a verdict on a fact', () => {
  it('resolve stores a resolution, and corrects it', () => {
    const project = known()
    expect(done(project, { do: 'resolve', id: 'i003', resolution: 'in batches' }).said[1]).toBe('resolved')
    expect(one(project, 'i003')).toMatchObject({ status: 'resolved', resolution: 'in batches' })
    expect(done(project, { do: 'resolve', id: 'i003', resolution: 'at night' }).said[1]).toBe(
      'resolved again; the resolution was: in batches',
    )
    expect(one(project, 'i003')).toMatchObject({ resolution: 'at night' })
    done(project, { do: 'restore', id: 'i003' })
    done(project, { do: 'resolve', id: 'i003' })
    expect(one(project, 'i003')).toMatchObject({ status: 'resolved', resolution: null })
    expect(done(project, { do: 'resolve', id: 'i003', resolution: 'x y' }).said[1]).toBe(
      'resolved again; the resolution was: not given',
    )
  })

  it.each(['reopen', 'restore'] as const)('%s opens a resolved issue again', (act) => {
    const project = known()
    expect(done(project, { do: act, id: 'i004' }).said[1]).toBe('open again')
    expect(one(project, 'i004')).toMatchObject({ status: 'open', resolution: null })
    expect(listUndo(storeOf(project))[0]?.what).toBe('reopen i004')
  })

  it.each(['reopen', 'restore'] as const)('%s makes a rejected fact and a rejected resolved issue current', (act) => {
    const project = known()
    done(project, { do: 'reject', id: 'i004' })
    for (const id of ['d005', 'i004']) {
      expect(done(project, { do: act, id }).said[1]).toBe('restored: it is current again')
      expect(one(project, id)).toMatchObject({ state: 'fresh' })
    }
    expect(one(project, 'i004')?.status).toBe('resolved')
    expect(listUndo(storeOf(project))[0]?.what).toBe('restore i004')
  })

  it('reject stores the user’s reason, who gave it and when', () => {
    const project = known()
    expect(done(project, { do: 'reject', id: 'd001', why: ' only\nan idea ' }).said[1]).toContain('no longer injected')
    const judged = { by: 'user', at: NOW, why: 'only an idea', other: null }
    expect(one(project, 'd001')).toMatchObject({ state: 'rejected', judged })
    expect(listUndo(storeOf(project))[0]?.what).toBe('reject d001')
  })

  it('reject with another fact replaces the fact, with the reason', () => {
    const project = known()
    expect(done(project, { do: 'reject', id: 'd001', why: 'moved', other: 'd002' }).said).toEqual([
      'd001 Prices are kept in cents.',
      'superseded by d002',
    ])
    expect(one(project, 'd001')).toMatchObject({ state: 'superseded', judged: { why: 'moved', other: 'd002' } })
    expect(listUndo(storeOf(project))[0]?.what).toBe('supersede d001')
  })

  it('a verdict of Claude is stored as Claude’s', () => {
    const project = known()
    done(project, { do: 'reject', id: 'd001' }, AGENT)
    expect(one(project, 'd001')?.judged).toMatchObject({ by: 'agent' })
    expect(listUndo(storeOf(project))[0]?.by).toBe('agent')
  })

  it('reject names the active permanent items that came from the fact, and only those', () => {
    const project = known()
    done(project, { do: 'accept', id: 'd001' })
    const kept = 'r003 came from it and is still active. To retire it: memory-keeper reject r003'

    expect(done(project, { do: 'edit-fact', id: 'd001', reason: 'habit' }).said).not.toContain(kept)
    expect(done(project, { do: 'reject', id: 'd001' }).said).toEqual([
      'd001 Prices are kept in cents.',
      expect.any(String),
      kept,
    ])
    // r001, which came from it, is only proposed.
    expect(done(project, { do: 'reject', id: 'd002' }).said).toHaveLength(2)
  })
})

describe('a pin', () => {
  it('a pin is put on a fact and taken off, also of a rejected one', () => {
    const project = known()
    expect(done(project, { do: 'pin', id: 'd001' }).said[1]).toBe('pinned: it comes first in every briefing')
    expect(one(project, 'd001')?.pinned).toBe(true)
    done(project, { do: 'reject', id: 'd001' })
    expect(done(project, { do: 'unpin', id: 'd001' }).said[1]).toBe('pinned no more')
    expect(one(project, 'd001')).not.toHaveProperty('pinned')
  })
})

describe('a concept', () => {
  it('a merged concept gives its facts, permanent items and name to the other', () => {
    const project = known()
    const { said, json } = done(project, { do: 'merge-concepts', from: 'Deployment', into: 'C001' })

    expect(said).toEqual(['Moved 1 fact from c002 Deployment to c001 Money', '"Deployment" finds c001 from now on.'])
    expect(json).toMatchObject({ from: 'c002', into: 'c001', facts: 1 })
    const { facts, concepts } = readBoth(storeOf(project))
    expect(listed(facts).decisions.map(({ concept }) => concept)).toEqual(['c001', 'c001', null])
    expect(listed(facts).permanent.rules.map(({ concept }) => concept)).toEqual(['c001', 'c001'])
    expect(concepts.concepts).toMatchObject([{ id: 'c001', aliases: ['Deployment'], facts: 2 }, { id: 'c003' }])
    expect(concepts.concepts[0]?.summary).toContain('We deploy on Tuesdays.')
    expect(conceptOf(storeOf(project), { concepts }, 'deployment').id).toBe('c001')
    expect(listUndo(storeOf(project))[0]?.what).toBe('merge c002 into c001')
  })

  it('a renamed concept is found by the old name, and its own name in capitals is not taken', () => {
    const project = known()
    const { said, json } = done(project, { do: 'rename-concept', id: 'c001', name: ' Card \n provider ' })
    expect(said).toEqual(['Called c001 Card provider; it was Money', 'The old name still finds it.'])
    expect(json).toMatchObject({ id: 'c001', name: 'Card provider', before: 'Money' })
    done(project, { do: 'rename-concept', id: 'money', name: 'CARD PROVIDER' })

    const { concepts } = readBoth(storeOf(project)).concepts
    expect(concepts[0]).toMatchObject({ id: 'c001', name: 'CARD PROVIDER', aliases: ['Money', 'Card provider'] })
  })

  it('an unknown concept is refused with those that are close', () => {
    const { concepts } = readBoth(storeOf(known()))
    expect(() => conceptOf(storeOf(known()), { concepts }, 'c099')).toThrow(
      expect.objectContaining({
        message: expect.stringMatching(/no concept c099\. Close to it: .*c001 Money.* concepts list/),
      }),
    )
    expect(() => conceptOf(storeOf(known()), { concepts }, 'Gardening')).toThrow(
      expect.objectContaining({ message: 'There is no concept Gardening. memory-keeper concepts list shows them.' }),
    )
  })
})

describe('a fact of an earlier version that is accepted', () => {
  const earlier = (more: Partial<Fact> = {}): TestProject =>
    remember({
      files: {
        'facts.json': formatItems(
          factsWith(fact({ by: 'agent', source: 'v3', evidence: { entry: 4, quote: '' }, ...more })),
        ),
      },
    })

  it('an accepted fact of v3 is the user’s own statement, and its history says what it was', () => {
    const project = earlier()
    const { said } = done(project, { do: 'accept', id: 'd001' })

    expect(said[1]).toBe('yours from now on: it is told as your own statement')
    expect(one(project, 'd001')).toMatchObject({ by: 'user', at: NOW })
    expect(JSON.stringify(one(project, 'd001'))).toMatch(/accepted; it was [^"]+, of 2026-01-13/)
    expect(listed(readFacts(storeOf(project))).permanent.rules).toEqual([])
    expect(listUndo(storeOf(project))[0]?.what).toBe('accept d001')
  })

  it('an accepted fact without a date says none', () => {
    const project = earlier({ at: '' })
    done(project, { do: 'accept', id: 'd001' })
    expect(JSON.stringify(one(project, 'd001'))).not.toContain(', of')
  })

  it.each([{ kind: 'rules' }, { text: 'Prices are integers.' }])(
    'a fact of v3 with %j becomes permanent instead',
    (more) => {
      const project = earlier()
      done(project, { do: 'accept', id: 'd001', ...more })
      expect(listed(readFacts(storeOf(project))).permanent.rules).toMatchObject([{ id: 'r001', state: 'active' }])
      expect(one(project, 'd001')).toMatchObject({ by: 'agent', at: SAID })
    },
  )

  it('a rejected fact of v3 is not accepted', () => {
    expect(() => done(earlier({ state: 'rejected', judged: judgedBy('user') }), { do: 'accept', id: 'd001' })).toThrow(
      expect.objectContaining({ code: 'not-live' }),
    )
  })
})
