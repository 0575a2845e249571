/** Undo on disk: what a record says of a change, what undo says, and what it refuses. */
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Change, changeByHand, type Hand } from '../../../../src/core/edit/disk/by-hand.ts'
import { listUndo, undoLast } from '../../../../src/core/edit/disk/undo.ts'
import { formatUndoRecords, touchedFiles } from '../../../../src/core/edit/undo.ts'
import { AGENT, HAND, known, NOTE } from '../../../support/by-hand.ts'
import { makeProject, NOW, setAtHome, storeOf, type TestProject, treeOf, write } from '../../../support/project.ts'

const done = (project: TestProject, change: Change, hand: Hand = HAND): void =>
  void changeByHand(storeOf(project), change, hand)
const undone = (project: TestProject, how?: 'skip'): string[] =>
  undoLast(storeOf(project), HAND, { isSkipped: how === 'skip' }).said
const journalOf = (project: TestProject): string => path.join(project.memory, 'journal', 'undo.jsonl')
const RULE = { do: 'add-rule', text: 'Be early.' } as const

describe('the record of a change', () => {
  it.each<[Change, string, string[]]>([
    [{ do: 'pin', id: 'd001' }, 'pin d001', ['facts.json', 'concepts.json']],
    [{ do: 'rename-concept', id: 'c001', name: 'Prices' }, 'rename c001: Prices', ['concepts.json']],
    [{ do: 'remove-note', id: NOTE.id }, `remove ${NOTE.id}`, ['memory.md']],
    [RULE, 'rule added: Be early.', ['rules.md']],
    [{ do: 'init-rules' }, 'rules init', ['rules.md', 'config.json']],
    [{ do: 'add-lesson', text: 'Cut once.' }, 'add lesson: Cut once.', ['facts.json', 'lessons.md']],
    [{ do: 'set-page', name: 'project', text: 'A shop.', how: 'replace' }, 'page project: written', ['project.md']],
  ])('the record of %j says when, by whom, what, and names the changed files only', (change, what, files) => {
    for (const hand of [HAND, AGENT]) {
      const project = known()
      done(project, change, hand)
      const [record, ...others] = listUndo(storeOf(project))
      expect(others).toEqual([])
      expect(record).toMatchObject({ at: NOW, by: hand.by, what, isEarlier: false })
      expect(record?.files?.filter((file) => file !== 'standing.json').toSorted()).toEqual(files.toSorted())
    }
  })

  it('the list of changes has the newest first', () => {
    const project = known()
    done(project, RULE)
    done(project, { do: 'pin', id: 'd001' })
    expect(listUndo(storeOf(project)).map(({ what }) => what)).toEqual(['pin d001', 'rule added: Be early.'])
  })

  it('the journal holds the last fifty changes', () => {
    const project = known()
    for (let n = 0; n < 52; n++) done(project, { ...PAGE, text: `Page ${n}.` })
    expect(listUndo(storeOf(project))).toHaveLength(50)
    expect(undone(project)[0]).toBe('Undone: page project: written')
    expect(fs.readFileSync(path.join(project.memory, 'project.md'), 'utf8')).toBe('Page 50.\n')
  })
})

const PAGE = { do: 'set-page', name: 'project', text: 'A shop.', how: 'replace' } as const

describe('undo', () => {
  it.each([
    [HAND, 'by you'],
    [AGENT, 'by Claude'],
  ])('undo of a change of %j says when, by whom, and what is restored', (hand, by) => {
    const project = known()
    setAtHome(project, { timezone: 'Europe/Berlin' })
    done(project, RULE, hand)
    expect(undone(project)).toEqual([
      'Undone: rule added: Be early.',
      `It was done 2026-01-13 13:00 (Europe/Berlin), ${by}; restored: rules.md`,
    ])
  })

  it('undo removes a file that the change made, and is done where the file is gone already', () => {
    const project = makeProject()
    done(project, PAGE)
    undone(project)
    expect(fs.existsSync(path.join(project.memory, 'project.md'))).toBe(false)
    done(project, PAGE)
    fs.rmSync(path.join(project.memory, 'project.md'))
    // As before the change already: a killed undo.
    expect(undone(project)[0]).toBe('Undone: page project: written')
  })

  it('a change that was too large for the journal is listed, refused, and can be skipped', () => {
    const project = known()
    const notes = fs.readFileSync(path.join(project.memory, 'memory.md'), 'utf8')
    done(project, RULE)
    // Rotation is no part of this: the record alone is too large.
    write(journalOf(project), fs.readFileSync(journalOf(project), 'utf8').replace(/"files":\[.*\]/, '"files":[]'))

    expect(listUndo(storeOf(project))).toMatchObject([{ what: 'rule added: Be early.', files: null, isEarlier: false }])
    const before = treeOf(project.memory)
    expect(() => undone(project)).toThrow(
      expect.objectContaining({
        code: 'changed-since',
        message: expect.stringMatching(
          /rule added: Be early\., 2026-01-13 12:00.*nothing was written: it was too large/,
        ),
      }),
    )
    expect(treeOf(project.memory)).toEqual(before)
    expect(undone(project, 'skip')).toEqual(['Kept: rule added: Be early.'])
    expect(listUndo(storeOf(project))).toEqual([])
    expect(fs.readFileSync(path.join(project.memory, 'memory.md'), 'utf8')).toBe(notes)
  })

  it.each(['PROJECT.MD', 'project.md'])('a page named %s in the journal is a file that a person changes', (name) => {
    const project = known()
    write(path.join(project.memory, name), 'Old.\n')
    done(project, PAGE)
    undone(project)
    expect(fs.readFileSync(path.join(project.memory, name), 'utf8')).toBe('Old.\n')
  })

  it.each([
    'memory-index.json',
    '.owner',
    '../../outside.md',
    'journal/told.md',
    'sessions/week-2026-02.md',
    'memory.md/../../x.md',
  ])('a record that names %s, which no change by hand writes, is refused, and the file stays', (name) => {
    const project = known()
    // Makes the state.
    done(project, { do: 'add-note', text: 'The milk is out.' })
    const file = path.join(project.memory, name)
    if (!fs.existsSync(file)) write(file, 'Not ours to remove.\n')
    // As if a change had made the file: undo would remove it.
    const files = touchedFiles({ [name]: null }, { [name]: fs.readFileSync(file, 'utf8') })
    write(journalOf(project), formatUndoRecords([{ version: 2, at: NOW, by: 'user', what: 'forged', files }]))
    const before = treeOf(project.root)

    expect(() => undone(project)).toThrow(expect.objectContaining({ code: 'changed-since' }))
    expect(treeOf(project.root)).toEqual(before)
  })

  it('several changed files are all named, and none of them is restored', () => {
    const project = known()
    done(project, { do: 'add-lesson', text: 'Cut once.' })
    write(path.join(project.memory, 'lessons.md'), 'By hand.\n')
    const before = treeOf(project.memory)
    expect(() => undone(project)).toThrow(
      expect.objectContaining({
        message: expect.stringContaining('nothing was written: what it wrote in lessons.md was changed again since'),
      }),
    )
    expect(treeOf(project.memory)).toEqual(before)
    fs.rmSync(path.join(project.memory, 'facts.json'))
    expect(() => undone(project)).toThrow(
      expect.objectContaining({
        message: expect.stringContaining('what it wrote in facts.json, lessons.md was changed again since'),
      }),
    )
  })

  it('a dry run of undo and of skip keeps the record', () => {
    const project = known()
    done(project, RULE)
    const before = treeOf(project.base)
    for (const isSkipped of [false, true]) undoLast(storeOf(project), { isDryRun: true }, { isSkipped })
    expect(treeOf(project.base)).toEqual(before)
  })

  it('nothing to undo is said without a word of earlier versions', () => {
    expect(() => undone(known())).toThrow(
      expect.objectContaining({ code: 'nothing', message: 'There is no change by hand to undo.' }),
    )
  })
})
