/** Sessions that 0.6 captured at home, while the state of the project's memory could not be read, join that memory: none lost and none twice. */
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { joinSessionsAtHome } from '../../../../src/extras/migrate/disk/home-06.ts'
import { openStore } from '../../../../src/kernel/memory/disk/store.ts'
import { captureAll } from '../../../../src/kernel/sessions/disk/capture.ts'
import { Killed, killingDisk } from '../../../support/killing-disk.ts'
import { runCommandJson } from '../../../support/process.ts'
import {
  append,
  linesFor,
  NOW,
  quietProject,
  readStateIn,
  sessionId,
  type TestProject,
  textsIn,
  turns,
  write,
} from '../../../support/project.ts'
import { begin, finishHere, LATER, stop, work } from '../../../support/world.ts'

const FIRST = sessionId(1)
const SECOND = sessionId(2)

const markOf = (project: TestProject): string => path.join(project.places.atHome, '.meanwhile')

async function finishAll(project: TestProject): Promise<void> {
  await finishHere(project, { for: 'end', session: FIRST }, { now: () => LATER, isAlive: () => false })
}

/** As 0.6 did: whole transcripts into the memory at home, and the mark before. */
function captureAtHome(project: TestProject, isAlone: boolean): void {
  write(markOf(project), `${JSON.stringify({ version: 1, isAlone })}\n`)
  const home = openStore(project.places, { now: () => NOW, atHome: true })
  const sources = [FIRST, SECOND].map((session) => ({ session, transcript: project.transcriptOf(session) }))
  captureAll(home, sources, { waitMs: 1_000, now: () => NOW })
}

/** Two sessions, of which the project has the beginning of one. */
function of06(isAlone = true): TestProject {
  const project = quietProject()
  work(project, 0, 3)
  append(project.transcriptOf(FIRST), turns(linesFor(FIRST, project.root), 3, 5))
  append(project.transcriptOf(SECOND), turns(linesFor(SECOND, project.root), 10, 13))
  captureAtHome(project, isAlone)
  return project
}

function deleteTranscripts(project: TestProject): void {
  for (const session of [FIRST, SECOND]) fs.rmSync(project.transcriptOf(session))
}

function expectJoined(project: TestProject): void {
  expect(textsIn(project.memory)).toHaveLength(8 * 3)
  expect(new Set(textsIn(project.memory)).size).toBe(8 * 3)
  expect(Object.keys(readStateIn(project.memory).sessions).sort()).toEqual([FIRST, SECOND])
}

describe('sessions that 0.6 left at home', () => {
  it('join at the next start, also where the host has deleted the transcripts', () => {
    const project = of06()
    deleteTranscripts(project)
    begin(project, sessionId(5))

    expectJoined(project)
    expect(fs.existsSync(project.places.atHome)).toBe(false)
    begin(project, sessionId(6))
    expectJoined(project)
  })

  it('join in the finisher, which notes them', async () => {
    const project = of06()
    deleteTranscripts(project)
    await finishAll(project)

    expectJoined(project)
    expect(fs.readFileSync(path.join(project.memory, 'memory.md'), 'utf8')).toContain('session=00000002 entries=0-9')
  })

  it('are not doubled where the transcripts are read as well', async () => {
    const project = of06()
    begin(project, sessionId(5))
    await finishAll(project)

    expectJoined(project)
    expect(runCommandJson(project, ['verify'])).toMatchObject({ code: 0, json: { complete: true } })
  })

  it('join again from the beginning after a kill before the files at home were deleted', () => {
    const project = of06()
    deleteTranscripts(project)
    fs.cpSync(project.places.atHome, `${project.places.atHome}.before`, { recursive: true })
    begin(project, sessionId(5))
    fs.cpSync(`${project.places.atHome}.before`, project.places.atHome, { recursive: true })
    begin(project, sessionId(6))

    expectJoined(project)
    expect(fs.existsSync(project.places.atHome)).toBe(false)
  })

  it.each(
    [0, 1, 2, 3, 4, 5].flatMap((after) => (['before', 'partial', 'after'] as const).map((how) => ({ after, how }))),
  )('join whole after a kill $how write $after', (kill) => {
    const project = of06()
    deleteTranscripts(project)
    const store = openStore(project.places, { now: () => NOW, disk: killingDisk([kill]) })
    try {
      store.whileLocked(1_000, () => joinSessionsAtHome(store, NOW))
    } catch (error) {
      if (!(error instanceof Killed)) throw error
    }
    begin(project, sessionId(5))
    work(project, 20, 21, sessionId(6))

    expect(textsIn(project.memory)).toHaveLength(9 * 3)
    for (const session of [FIRST, SECOND]) stop(project, {}, {}, session)
    expect(textsIn(project.memory)).toHaveLength(9 * 3)
    const { sessions } = readStateIn(project.memory)
    expect([sessions[FIRST]?.entries, sessions[SECOND]?.entries]).toEqual([15, 9])
  })

  it('leave a memory at home that was there before', () => {
    const project = of06(false)
    begin(project, sessionId(5))

    expectJoined(project)
    expect(fs.existsSync(path.join(project.places.atHome, 'memory-index.json'))).toBe(true)
    expect(fs.existsSync(markOf(project))).toBe(false)
  })

  it('wait while another process writes at home', () => {
    const project = of06()
    write(path.join(project.places.atHome, '.lock'), `${process.pid}`)
    begin(project, sessionId(5))

    expect(fs.existsSync(markOf(project))).toBe(true)
  })
})
