/** A memory whose state a newer version wrote: it is read, and nothing of it is written. */
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Check } from '../../../../src/core/health/disk/check.ts'
import { allFindings } from '../../../../src/core/health/disk/health.ts'
import { addOwnNote } from '../../../../src/core/notes/disk/notes.ts'
import { frameFor } from '../../../../src/kernel/memory/disk/frame-key.ts'
import { stateEffect } from '../../../../src/kernel/memory/disk/store.ts'
import { EMPTY_STATE, formatState } from '../../../../src/kernel/memory/state.ts'
import { runCommand } from '../../../support/process.ts'
import {
  append,
  linesFor,
  quietProject,
  readStateIn,
  sessionId,
  storeOf,
  type TestProject,
  textsIn,
  treeOf,
  turns,
} from '../../../support/project.ts'
import { begin, finishHere, hookHere, stop, work } from '../../../support/world.ts'

const SESSION = sessionId(1)
const NOTE = 'The release waits for the certificate of the build server.'

const NEWER = EMPTY_STATE.version + 1

/** One session and one note; then a newer version has written the state. */
function newer(): TestProject {
  const project = quietProject()
  work(project, 0, 2)
  const store = storeOf(project)
  store.whileLocked(1000, () => addOwnNote(store, NOTE, '2026-01-12T18:00:00.000Z'))
  setVersion(project, NEWER)
  append(project.transcriptOf(SESSION), turns(linesFor(SESSION, project.root), 2, 4))
  return project
}

function setVersion(project: TestProject, version: number): void {
  const file = path.join(project.memory, 'memory-index.json')
  fs.writeFileSync(file, `${JSON.stringify({ ...JSON.parse(fs.readFileSync(file, 'utf8')), version, added: [1] })}\n`)
}

describe('a memory of a newer version', () => {
  it('is read, and refuses every write', () => {
    const project = newer()
    const before = treeOf(project.memory)
    const store = storeOf(project)

    expect(Object.keys(store.readState().sessions)).toEqual([SESSION])
    const writes = [
      () => store.perform([stateEffect({ ...store.readState(), counter: 9 })]),
      () => store.perform([{ do: 'append', path: 'memory.md', text: 'more' }]),
      () => store.whileLocked(0, () => 'in'),
    ]
    for (const one of writes) expect(one).toThrow(expect.objectContaining({ code: 'newer' }))
    expect(treeOf(project.memory)).toEqual(before)
  })

  it('refuses a program that opened it before', () => {
    const project = quietProject()
    work(project, 0, 2)
    const store = storeOf(project)
    store.whileLocked(0, () => store.perform([stateEffect({ ...store.readState(), counter: 7 })]))
    setVersion(project, NEWER)
    const before = treeOf(project.memory)

    expect(() => store.whileLocked(0, () => 'in')).toThrow(expect.objectContaining({ code: 'newer' }))
    expect(treeOf(project.memory)).toEqual(before)
  })

  it('keeps its version where its state is copied', () => {
    expect(JSON.parse(formatState(readStateIn(newer().memory)))).toMatchObject({ version: NEWER, added: [1] })
  })

  it('is told of at a start, with what is remembered, and no hook writes or starts anything', async () => {
    const project = newer()
    // The key of the frames is made at home with the first text, whatever the memory is.
    frameFor(project.places)('memory-keeper', [])
    const before = treeOf(project.base)
    const memory = treeOf(project.memory)
    const started = begin(project, SESSION)
    const prompted = hookHere(project, { hook_event_name: 'UserPromptSubmit', session_id: SESSION, prompt: 'go on' })
    const ended = hookHere(project, { hook_event_name: 'SessionEnd', session_id: SESSION, reason: 'other' })

    expect(started.notice).toMatch(/^Memory Keeper: The memory in .* was written by a newer Memory Keeper/)
    expect(started.notice).toContain(`(version ${NEWER} of`)
    expect(started.notice.split('\n')).toHaveLength(1)
    expect(started.context).toContain(NOTE)
    for (const { out } of [prompted, ended, stop(project)]) expect(out).toBe('')
    expect([started, prompted, ended].flatMap((one) => one.started)).toEqual([])
    expect(treeOf(project.base)).toEqual(before)
    await expect(finishHere(project, { for: 'catch-up' })).rejects.toThrow(expect.objectContaining({ code: 'newer' }))
    expect(treeOf(project.memory)).toEqual(memory)
  })

  it('has everything that was said meanwhile once it may be written again', () => {
    const project = newer()
    stop(project)
    expect(textsIn(project.memory)).toHaveLength(6)
    setVersion(project, EMPTY_STATE.version)
    stop(project)

    expect(textsIn(project.memory)).toHaveLength(12)
  })

  it('is a problem for doctor, and the reason why a command fails', () => {
    const project = newer()
    const world = { now: new Date().toISOString(), nodeVersion: 'v22.0.0' }
    const state = allFindings(storeOf(project), world).find(({ name }) => name === 'state') as Check
    const before = treeOf(project.memory)
    const ran = runCommand(project, ['remember', 'The port is 8080.'])

    expect(state).toMatchObject({ verdict: 'problem', fix: expect.stringContaining('plugin update') })
    expect(ran).toMatchObject({ code: 1, err: expect.stringContaining('newer Memory Keeper') })
    expect(treeOf(project.memory)).toEqual(before)
    expect(runCommand(project, ['search', 'certificate']).out).toContain('certificate of the build server')
  })
})
