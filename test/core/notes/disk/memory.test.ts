/** memory.md after something was lost: what the files prove is told is not told again, and nothing is overwritten. */
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { type HandedOut, handOut } from '../../../../src/core/notes/disk/handout.ts'
import { noteByCode, type Saved, saveNote } from '../../../../src/core/notes/disk/notes.ts'
import type { Store } from '../../../../src/kernel/memory/disk/store.ts'
import { notesIn } from '../../../../src/kernel/memory/note.ts'
import type { SessionState } from '../../../../src/kernel/memory/session-state.ts'
import { sessionIn } from '../../../../src/kernel/memory/state.ts'
import { PIECE_TOKENS } from '../../../../src/kernel/sessions/delta.ts'
import { allNotesOf, locked, memoryOf, owe, TRUE_NOTE } from '../../../support/notes.ts'
import {
  NOW,
  quietProject,
  readStateIn,
  sessionId,
  storeOf,
  type TestProject,
  write,
} from '../../../support/project.ts'

const SESSION = sessionId(1)
const DELTA = '00000001-0-6'

/** Two turns wait for their note. */
function stage(): { project: TestProject; store: Store } {
  const project = quietProject()
  const store = storeOf(project)
  owe(store, project, 0, 2)
  return { project, store }
}

function hand(store: Store): HandedOut | null {
  return locked(store, () => handOut(store, 'agent', PIECE_TOKENS.agent, NOW))
}

function save(store: Store): Saved {
  return locked(store, () => saveNote(store, { delta: DELTA, text: TRUE_NOTE, author: 'agent' }, NOW))
}

function sessionOf(project: TestProject): SessionState | undefined {
  return sessionIn(readStateIn(project.memory), SESSION)
}

describe('what was lost', () => {
  it('is not written again when somebody deleted the note by hand', () => {
    const { project, store } = stage()
    locked(store, () => noteByCode(store, NOW))
    write(path.join(project.memory, 'memory.md'), '# Memory\n')
    owe(store, project, 2, 3)
    locked(store, () => noteByCode(store, NOW))

    expect(allNotesOf(project).map(({ id }) => id)).toEqual(['n-00000001-6-9'])
    expect(save(store).is).toBe('not-open')
  })

  it('is not written again when the whole file was deleted', () => {
    const { project, store } = stage()
    locked(store, () => noteByCode(store, NOW))
    fs.rmSync(path.join(project.memory, 'memory.md'))

    expect(hand(store)).toBeNull()
    expect(locked(store, () => noteByCode(store, NOW))).toEqual([])
    expect(sessionOf(project)?.watermark).toBe(6)
  })

  it('in the state is found again in memory.md', () => {
    const { project, store } = stage()
    hand(store)
    save(store)
    fs.rmSync(path.join(project.memory, 'memory-index.json'))
    owe(storeOf(project), project, 2, 3)

    expect(hand(storeOf(project))).toMatchObject({ id: '00000001-6-9' })
    expect(sessionOf(project)).toMatchObject({ watermark: 6 })
  })

  it('between note and state, by a kill, is taken for told', () => {
    const { project, store } = stage()
    hand(store)
    const before = fs.readFileSync(path.join(project.memory, 'memory-index.json'))
    save(store)
    write(path.join(project.memory, 'memory-index.json'), before)

    expect(hand(storeOf(project))).toBeNull()
    expect(allNotesOf(project)).toHaveLength(1)
    expect(fs.existsSync(path.join(project.memory, 'delta_temp.txt'))).toBe(false)
  })

  it('in facts.json, since it is broken, is set aside and not overwritten', () => {
    const { project, store } = stage()
    write(path.join(project.memory, 'facts.json'), '{"decisions": [{"text": "mine"')
    locked(store, () => noteByCode(store, NOW))
    const aside = fs.readdirSync(project.memory).filter((name) => name.startsWith('facts.json.broken-'))

    expect(aside).toHaveLength(1)
    expect(fs.readFileSync(path.join(project.memory, aside[0] ?? ''), 'utf8')).toContain('mine')
    expect(allNotesOf(project)).toHaveLength(1)
  })

  it.each(['memory.md', 'facts.json', 'delta_temp.txt'])('to a link in place of %s is nothing', (name) => {
    const { project, store } = stage()
    const victim = path.join(project.base, 'victim')
    write(victim, 'precious\n')
    fs.symlinkSync(victim, path.join(project.memory, name))
    hand(store)
    const saved = save(store)

    expect(saved.is).toBe('saved')
    expect(fs.readFileSync(victim, 'utf8')).toBe('precious\n')
    expect(memoryOf(project)).not.toContain('precious')
    expect(notesIn(memoryOf(project))).toHaveLength(1)
  })
})
