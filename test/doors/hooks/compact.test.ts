/** Before a compaction: its summariser hears what must survive, and a note becomes due. */
import { describe, expect, it } from 'vitest'
import { sessionIn } from '../../../src/kernel/memory/state.ts'
import { runHook } from '../../support/process.ts'
import {
  append,
  linesFor,
  quietProject,
  readStateIn,
  sessionId,
  storeOf,
  story,
  type TestProject,
  textsIn,
  treeOf,
  turns,
} from '../../support/project.ts'
import { dueOf } from '../../support/work.ts'
import { type Hooked, hookHere, work } from '../../support/world.ts'

const SESSION = sessionId(1)

function compact(project: TestProject, world = {}): Hooked {
  return hookHere(project, { hook_event_name: 'PreCompact', session_id: SESSION, trigger: 'auto' }, world)
}

function workingProject(): TestProject {
  const project = quietProject()
  append(project.transcriptOf(SESSION), story(linesFor(SESSION, project.root)))
  return project
}

describe('the guidance', () => {
  it('is one short line of plain text', () => {
    const { out } = compact(workingProject())

    expect(out).toMatch(/^[A-Z][^\n]{20,120}$/)
    for (const kept of ['paths', 'commands', 'numbers', 'decisions']) expect(out).toContain(kept)
  })

  it('is the same from the real program and where nobody sits, and tells of this session, not of another', () => {
    const project = workingProject()
    work(project, 0, 2, sessionId(2))
    const { out } = compact(project, { isAttended: false })
    const payload = { hook_event_name: 'PreCompact', session_id: SESSION, trigger: 'manual' }

    expect(out).not.toContain('question')
    expect(runHook(project, payload)).toEqual({ out, err: '', code: 0 })
  })

  it('is none where nothing happened, and nothing is written', () => {
    const project = quietProject()
    const before = treeOf(project.base)

    expect(compact(project)).toMatchObject({ out: '', started: [] })
    expect(treeOf(project.base)).toEqual(before)
  })
})

describe('a compaction', () => {
  it('makes a note due about everything up to it in this session, starts its writing once, and adds to a delta that waits', () => {
    const project = workingProject()
    work(project, 0, 2, sessionId(2))

    expect(compact(project).started).toEqual([{ for: 'note' }])
    expect(textsIn(project.memory)).toHaveLength(10)
    expect(sessionIn(readStateIn(project.memory), SESSION)).toMatchObject({ entries: 4, watermark: 0 })
    expect(dueOf(readStateIn(project.memory), SESSION)).toBe(4)
    expect(dueOf(readStateIn(project.memory), sessionId(2))).toBe(0)
    expect(compact(project).started).toEqual([])
    append(project.transcriptOf(SESSION), turns(linesFor(SESSION, project.root), 50, 52))
    expect(compact(project).started).toEqual([{ for: 'note' }])
    expect(sessionIn(readStateIn(project.memory), SESSION)?.watermark).toBe(0)
    expect(dueOf(readStateIn(project.memory), SESSION)).toBe(10)
  })

  it('speaks also while another process holds the memory', () => {
    const project = workingProject()
    work(project, 50, 51)
    const held = storeOf(project).whileLocked(1000, () => compact(project))?.value

    expect(held?.out).toContain('word for word')
    expect(held?.started).toEqual([])
  })
})
