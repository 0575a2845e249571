/** Notes and pages changed by hand: what each change makes of them, and what is refused. */
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Change, changeByHand, type Hand, writtenNote } from '../../../../src/core/edit/disk/by-hand.ts'
import { listUndo, undoLast } from '../../../../src/core/edit/disk/undo.ts'
import { missingNotes } from '../../../../src/core/notes/disk/note-list.ts'
import { removeNoteFrom } from '../../../../src/core/notes/note-check.ts'
import { withUnread } from '../../../../src/core/notes/unread.ts'
import { stateEffect } from '../../../../src/kernel/memory/disk/store.ts'
import { allSessions, type State, withSessions } from '../../../../src/kernel/memory/state.ts'
import { AGENT, HAND, known, NOTE, TOLD } from '../../../support/by-hand.ts'
import {
  append,
  linesFor,
  makeProject,
  NOW,
  quietProject,
  readStateIn,
  sessionId,
  storeOf,
  type TestProject,
  treeOf,
  turns,
  write,
} from '../../../support/project.ts'
import { allDue, namesOf } from '../../../support/work.ts'
import { finishHere, stop } from '../../../support/world.ts'

type Done = { said: string[]; json: Record<string, unknown> }
const done = (project: TestProject, change: Change, hand: Hand = HAND): Done =>
  changeByHand(storeOf(project), change, hand)
const read = (project: TestProject, name: string): string => fs.readFileSync(path.join(project.memory, name), 'utf8')
const last = (project: TestProject): string | undefined => listUndo(storeOf(project))[0]?.what
const PAGE = { do: 'set-page', name: 'project', text: 'A shop.', how: 'replace' } as const

describe('a change of a note or a page', () => {
  it.each<[string, Change, string, string]>([
    ['an empty note', { do: 'add-note', text: ' \n\u001b[0m' }, 'empty-note', 'The text is empty: nothing was changed'],
    [
      'a note of 20,001 characters',
      { do: 'add-note', text: 'x'.repeat(20_001) },
      'too-large',
      'memory-keeper page set NAME',
    ],
    ['an edit to nothing', { do: 'edit-note', id: NOTE.id, text: '' }, 'empty-note', 'The text is empty'],
    [
      'an edit to 20,001 characters',
      { do: 'edit-note', id: NOTE.id, text: 'x'.repeat(20_001) },
      'too-large',
      '20,001 characters',
    ],
    [
      'an edit of no note',
      { do: 'edit-note', id: 'n-ffffffff-0-1', text: 'Words.' },
      'not-found',
      'memory-keeper notes list',
    ],
    ['removing no note', { do: 'remove-note', id: 'd001' }, 'not-found', 'There is no note d001.'],
    [
      'a page of more than 64 KB',
      { ...PAGE, text: 'é'.repeat(32_768) },
      'too-large',
      'project.md would have 65537 bytes',
    ],
    [
      'more than 64 KB with what is there',
      { ...PAGE, name: 'lessons', how: 'append', text: 'x'.repeat(65_520) },
      'too-large',
      'lessons.md',
    ],
  ])('a change by hand refuses %s, and writes nothing', (_, change, code, message) => {
    const project = known()
    const before = treeOf(project.base)
    for (const isDryRun of [true, false])
      expect(() => done(project, change, { ...HAND, isDryRun })).toThrow(
        expect.objectContaining({ code, message: expect.stringContaining(message) }),
      )
    expect(treeOf(project.base)).toEqual(before)
  })
})

describe('a note of one’s own', () => {
  it('a note of the user is saved without a check, and its id comes first', () => {
    const project = known()
    const { said, json } = done(project, { do: 'add-note', text: ' We deploy `unheard.of`\n\ton Tuesdays. ' })

    const note = { session: null, author: 'user', at: NOW, text: 'We deploy `unheard.of`\n\ton Tuesdays.' }
    expect(json).toMatchObject({ replaced: false, note })
    expect(said).toEqual([(json.note as { id: string }).id, 'saved in memory.md'])
    expect(read(project, 'memory.md')).toContain(`<!-- note ${said[0]} author=user`)
    expect(last(project)).toBe(`add ${said[0]}`)
    expect(readStateIn(project.memory).lastMemoryUpdateTs).toBe(NOW)
  })

  it('a note of Claude is Claude’s, and waits for the audit', () => {
    const project = known()
    expect(done(project, { do: 'add-note', text: 'The build is slow.' }, AGENT).json.note).toMatchObject({
      author: 'agent',
      unaudited: true,
    })
    expect(read(project, 'memory.md')).toMatch(/<!-- note \S+ author=agent[^\n]*\n[^\n]*The build is slow\./)
    expect(listUndo(storeOf(project))[0]?.by).toBe('agent')
    expect(done(project, { do: 'add-note', text: 'The build is slow.' }, AGENT).json.known).toBe(true)
    expect(done(project, { do: 'add-note', text: 'The build is slow.' }).json.known).toBeUndefined()
  })

  it('a note that is there word for word is not added again', () => {
    const project = known()
    const before = read(project, 'memory.md')
    expect(done(project, { do: 'add-note', text: '\nMine. ' })).toMatchObject({
      said: [NOTE.id, 'already says exactly this: nothing was added'],
      json: { note: { id: NOTE.id }, known: true, replaced: false },
    })
    expect(read(project, 'memory.md')).toBe(before)
    expect(listUndo(storeOf(project))).toEqual([])
  })

  it.each([
    ['One\r\nTwo\rThree', 'One\nTwo\nThree'],
    ['\u001b[1;31mred\u001b[0m', 'red'],
    ['One\u0000\u0007\u009b\u007f', 'One'],
    ['One\n\tTwo', 'One\n\tTwo'],
    ['x'.repeat(20_000), 'x'.repeat(20_000)],
  ])('the text %j of a note keeps line breaks and tabs, and no other control character', (given, text) => {
    expect(writtenNote(given)).toBe(text)
  })

  it('an edited note is the user’s, at its place, by either form of its id', () => {
    const project = known()
    const { said, json } = done(project, {
      do: 'edit-note',
      id: 'n-1a2b3c4d-0-3',
      text: ' They met at noon.\u001b[0m ',
    })
    expect(said).toEqual([TOLD.id, 'changed; it is yours now, and no model replaces it'])
    expect(json.note).toMatchObject({ id: TOLD.id, author: 'user', text: 'They met at noon.', session: '1a2b3c4d' })
    done(project, { do: 'edit-note', id: '1a2b3c4d-0-3', text: 'They met at one.' })

    expect(read(project, 'memory.md')).toMatch(/Mine\.[\s\S]*My words\.[\s\S]*author=user[\s\S]*They met at one\.\n/)
    expect(read(project, 'memory.md')).not.toMatch(/noon|author=agent/)
    expect(last(project)).toBe(`edit ${TOLD.id}`)
  })

  it('a removed note is gone, everything else in memory.md stays', () => {
    const project = known()
    expect(done(project, { do: 'remove-note', id: NOTE.id })).toMatchObject({
      said: [NOTE.id, 'deleted from memory.md', 'It is about no session: only memory-keeper undo restores it.'],
      json: { removed: { id: NOTE.id } },
    })
    expect(read(project, 'memory.md')).toMatch(/^# Memory\n\n## By hand\n\nMy words\.\n[\s\S]*They met\.\n/)
    expect(last(project)).toBe(`remove ${NOTE.id}`)
  })

  it('a note in an archive is not changed, and the archive is named', () => {
    const project = known()
    fs.renameSync(path.join(project.memory, 'memory.md'), path.join(project.memory, 'memory_20260113_100000.md'))
    for (const change of [
      { do: 'edit-note', id: NOTE.id, text: 'Ours.' },
      { do: 'remove-note', id: NOTE.id },
    ] as const)
      expect(() => done(project, change)).toThrow(
        expect.objectContaining({ code: 'archived', message: expect.stringContaining('memory_20260113_100000.md') }),
      )
  })
})

describe('a removed note about a session', () => {
  const SESSION = sessionId(1)
  const NOTED = 'n-00000001-0-6'

  /** Two turns in each session, noted by code. */
  async function noted(...sessions: string[]): Promise<TestProject> {
    const project = quietProject({ saveInterval: 2 })
    for (const [n, session] of sessions.entries()) {
      append(project.transcriptOf(session), turns(linesFor(session, project.root), 10 * n, 10 * n + 2))
      stop(project, {}, {}, session)
      await finishHere(project, { for: 'note' })
    }
    expect(read(project, 'memory.md').match(/<!-- note /g)).toHaveLength(sessions.length)
    return project
  }

  function mark(project: TestProject, change: (state: State) => State): void {
    const store = storeOf(project)
    store.perform([stateEffect(change(store.readState()))])
  }

  /** As after a kill between memory.md and the state. */
  function unmarked(state: State): State {
    const behind = allSessions(state).map(([id, session]) => [id, { ...session, watermark: 0 }] as const)
    return allDue(withSessions(state, behind))
  }

  it('the entries of a removed note count as noted, no model reads them, and no doctor misses the note', async () => {
    const project = await noted(SESSION)
    mark(project, (state) => withUnread(state, { session: '00000001', from: 0, to: 6 }))
    const { said } = done(project, { do: 'remove-note', id: NOTED })

    expect(said[2]).toMatch(/^Its entries still count as noted: .* memory-keeper show 00000001-0-6$/)
    expect(namesOf(storeOf(project).readState(), 'read')).toEqual([])
    expect(missingNotes(storeOf(project))).toEqual([])
    await finishHere(project, { for: 'note' })
    await finishHere(project, { for: 'end', session: SESSION })
    expect(read(project, 'memory.md')).not.toContain(NOTED)
  })

  it('a removed note takes nothing off what waits for another session, or is missing there', async () => {
    const project = await noted(SESSION, sessionId(2))
    mark(project, (state) => withUnread(state, { session: '00000001', from: 0, to: 6 }))
    const { note } = done(project, { do: 'add-note', text: 'Mine.' }).json as { note: { id: string } }
    write(path.join(project.memory, 'memory.md'), removeNoteFrom(read(project, 'memory.md'), NOTED) ?? '')
    for (const id of [note.id, 'n-00000002-0-6']) done(project, { do: 'remove-note', id })

    expect(namesOf(storeOf(project).readState(), 'read')).toEqual(['00000001-0-6'])
    expect(missingNotes(storeOf(project))).toMatchObject([{ id8: '00000001', from: 0, to: 6 }])
  })

  it('a note that the state does not know yet is not written again when it is removed', async () => {
    const project = await noted(SESSION)
    mark(project, unmarked)
    done(project, { do: 'remove-note', id: NOTED })
    expect(readStateIn(project.memory).sessions[SESSION]).toMatchObject({ watermark: 6 })
  })

  it('a dry run of removing a note repairs no state', async () => {
    const project = await noted(SESSION)
    mark(project, unmarked)
    const before = treeOf(project.base)
    done(project, { do: 'remove-note', id: NOTED }, { ...HAND, isDryRun: true })
    expect(treeOf(project.base)).toEqual(before)
  })
})

describe('a page', () => {
  it('a new page has the text, with a line end', () => {
    const project = makeProject()
    const file = path.join(project.memory, 'project.md')
    expect(done(project, PAGE)).toMatchObject({
      said: [`Wrote ${file} (8 B).`],
      json: { name: 'project', file, bytes: 8, redactions: 0 },
    })
    expect(read(project, 'project.md')).toBe('A shop.\n')
    expect(last(project)).toBe('page project: written')
  })

  it.each([
    ['by hand\r\nlast', 'by hand\r\nlast\nA shop.\n'],
    ['ends.\n', 'ends.\nA shop.\n'],
    ['', 'A shop.\n'],
  ])('text is added to the page %j in a line of its own', (before, after) => {
    const project = known()
    write(path.join(project.memory, 'project.md'), before)
    done(project, { ...PAGE, how: 'append' })
    expect(read(project, 'project.md')).toBe(after)
    expect(last(project)).toBe('page project: text added')
    undoLast(storeOf(project), HAND)
    expect(read(project, 'project.md')).toBe(before)
  })

  it('a page that is replaced keeps nothing of its text', () => {
    const project = known()
    done(project, { ...PAGE, name: 'lessons', text: 'One.\n' })
    expect(read(project, 'lessons.md')).toBe('One.\n')
  })

  it('a page in capitals stays the only one', () => {
    const project = known()
    write(path.join(project.memory, 'Project.md'), 'Old.\n')
    done(project, PAGE)
    expect(read(project, 'Project.md')).toBe('A shop.\n')
    expect(fs.readdirSync(project.memory)).not.toContain('project.md')
  })

  it('a page may have 64 KB', () => {
    const project = known()
    expect(done(project, { ...PAGE, text: 'x'.repeat(65_535) }).json.bytes).toBe(65_536)
  })
})
