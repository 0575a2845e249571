/** Another program wrote the state anew and dropped what it does not know, as the plugin of the same name does: nothing is lost, done twice or told again. */
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import type { StoredSession } from '../../../src/memory/state.ts'
import { waitingMemory } from '../../../src/migrate/disk/migrate.ts'
import { waitsForMigration } from '../../../src/migrate/disk/migrate-files.ts'
import { allNotesOf } from '../../support/notes.ts'
import {
  append,
  dialog,
  linesFor,
  NOW,
  quietProject,
  readStateIn,
  sessionId,
  storeOf,
  story,
  type TestProject,
  textsIn,
  turns,
  write,
} from '../../support/project.ts'
import { begin, finishHere, prompt, stop } from '../../support/world.ts'

const BEGAN_MS = Date.parse('2026-01-13T09:00:00.000Z')
const instant = (minute: number): string => new Date(BEGAN_MS + minute * 60_000).toISOString()

const stateFile = (project: TestProject): string => path.join(project.memory, 'memory-index.json')
const stateOf = (project: TestProject): Record<string, unknown> =>
  JSON.parse(fs.readFileSync(stateFile(project), 'utf8'))

/** What the original knows of the state. */
const KNOWN = ['current', 'rotatedFiles', 'stats', 'counter', 'lastMemoryUpdateTs', 'deltaCreatedAtMemoryMtime']

function strip(project: TestProject, version: number): void {
  const before = stateOf(project)
  const kept = Object.fromEntries(KNOWN.map((name) => [name, before[name]]))
  write(stateFile(project), JSON.stringify({ version, ...kept, rulesInjectionCount: 4 }, null, 2))
}

type Strip = (project: TestProject) => void
const asVersion1: Strip = (project) => strip(project, 1)
const STRIPS: readonly (readonly [string, Strip])[] = [
  ['as version 1', asVersion1],
  ['with our version', (project) => strip(project, 3)],
  ['as an empty object', (project) => write(stateFile(project), '{}')],
]

interface Lived {
  project: TestProject
  notices: string[]
}

/** Three sessions of three turns each, on two days, noted by code, then two starts. `strip` may happen at these places. */
async function live(stripped: Strip, isPlace: (place: string) => boolean): Promise<Lived> {
  const project = quietProject({ saveInterval: 4, rotationThresholdTokens: 1000, carryoverTokens: 0 })
  const notices: string[] = []
  const pass = (place: string): void => {
    if (isPlace(place) && fs.existsSync(stateFile(project))) stripped(project)
  }
  const start = (n: number, minute: number): void =>
    void notices.push(begin(project, sessionId(n), 'startup', { now: () => instant(minute) }).notice)
  const session = async (n: number, minute: number): Promise<void> => {
    start(n, minute)
    const id = sessionId(n)
    const file = project.transcriptOf(id)
    const lines = linesFor(id, project.root, {}, BEGAN_MS + minute * 60_000)
    for (let turn = 0; turn < 3; turn++) {
      const world = { now: () => instant(minute + 1 + turn) }
      const at = turn * 100
      prompt(project, { prompt: `question ${turn}` }, world, id)
      const asked = dialog(lines, at + 50, `Which store ${n} ${turn}?`, `Postgres ${n}${turn}`)
      append(file, story(lines, at) + asked + turns(lines, at + 60, at + 62))
      fs.utimesSync(file, Date.parse(world.now()) / 1000, Date.parse(world.now()) / 1000)
      pass(`turn ${turn} of ${n}`)
      for (const job of stop(project, {}, world, id).started) await finishHere(project, job, world)
    }
    pass(`end of ${n}`)
    await finishHere(project, { for: 'end', session: id }, { now: () => instant(minute + 5) })
    pass(`after ${n}`)
  }
  await session(1, 0)
  await session(2, 120)
  await session(3, 24 * 60)
  for (const n of [4, 5]) {
    const minute = n * 24 * 60
    pass(`before ${n}`)
    start(n, minute)
    await finishHere(project, { for: 'catch-up' }, { now: () => instant(minute) })
  }
  return { project, notices }
}

/** Without what depends on the project's place. */
function whereItStands({ transcript: _, anchor: __, head: ___, ...stands }: StoredSession): object {
  return stands
}

/** Everything that must be as if nobody had touched the state. */
function outcomeOf({ project, notices }: Lived): object {
  const { sessions, rotatedFiles, beganAt, earlierRules, settledDirs } = readStateIn(project.memory)
  const facts = JSON.parse(fs.readFileSync(path.join(project.memory, 'facts.json'), 'utf8'))
  const told = JSON.stringify({
    texts: textsIn(project.memory).toSorted(),
    notes: allNotesOf(project).map(({ id, text }) => `${id} ${text}`),
    sessions: Object.values(sessions).map(whereItStands),
    inState: Object.keys((stateOf(project).sessions ?? {}) as object),
    rotatedFiles,
    beganAt,
    earlierRules,
    settledDirs: settledDirs.length,
    facts: facts.decisions.map(({ text, session }: { text: string; session: string }) => `${session} ${text}`),
    notices,
    waiting: [waitingMemory(storeOf(project), NOW), waitsForMigration(storeOf(project))],
  })
  return JSON.parse(told.replaceAll(project.base, ''))
}

describe('a state that another program wrote anew', async () => {
  const control = outcomeOf(
    await live(
      () => undefined,
      () => false,
    ),
  )

  it('is compared with sessions, notes, archives and decisions', () => {
    expect(control).toMatchObject({ notices: ['', '', '', '', ''], waiting: [null, null], inState: [] })
    expect((control as { sessions: object[] }).sessions).toHaveLength(3)
    expect((control as { notes: string[] }).notes).toHaveLength(9)
    expect((control as { facts: string[] }).facts).toHaveLength(9)
    expect((control as { rotatedFiles: object[] }).rotatedFiles).toHaveLength(2)
  })

  describe.each(STRIPS)('%s is rebuilt, with what follows from it,', (_, stripped) => {
    it.each(['turn 2 of 1', 'after 1', 'turn 0 of 2', 'turn 2 of 2', 'end of 2', 'after 3', 'before 5'])(
      'when that happened at %s',
      async (place) => {
        expect(outcomeOf(await live(stripped, (one) => one === place))).toEqual(control)
      },
    )

    it('when that happened again and again', async () => {
      expect(outcomeOf(await live(stripped, (one) => one !== 'turn 0 of 1' && one !== 'turn 1 of 1'))).toEqual(control)
    })
  })
})
