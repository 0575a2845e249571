/** What a session was about and where it stands, by structure, for sessions of which nobody has said so. */
import fs from 'node:fs'
import { describe, expect, it } from 'vitest'
import { fillEnds } from '../../../../src/core/notes/disk/summaries.ts'
import { stateEffect } from '../../../../src/kernel/memory/disk/store.ts'
import { allSessions, withSessions } from '../../../../src/kernel/memory/state.ts'
import { catchUp } from '../../../../src/kernel/sessions/disk/catch-up.ts'
import { locked } from '../../../support/notes.ts'
import {
  append,
  fastDir,
  linesFor,
  now,
  quietProject,
  sessionId,
  storeOf,
  type TestProject,
} from '../../../support/project.ts'

const MORNING = new Date('2026-01-13T09:10:00.000Z')
const inTime = (): boolean => false

/** Sessions that ended hours ago, numbered from 1; the last one happened last. */
function history(count: number): TestProject {
  const project = quietProject({}, fastDir())
  for (let n = 1; n <= count; n++) {
    const lines = linesFor(sessionId(n), project.root)
    const file = project.transcriptOf(sessionId(n))
    append(
      file,
      lines.prompt(n, `Please plan voyage number ${n} to the northern islands`) +
        lines.answer(n + 1, `The ship of voyage ${n} leaves at dawn.`),
    )
    fs.utimesSync(file, MORNING, MORNING)
  }
  return project
}

/** By session number: the goal, and where it stands. */
function endsOf(project: TestProject): [goal: string, stands: string][] {
  return allSessions(storeOf(project).readState())
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([, { goal = '', stands }]) => [goal, stands?.text ?? ''])
}

const TOLD = (n: number): unknown[] => [
  `Please plan voyage number ${n} to the northern islands`,
  expect.stringContaining(`voyage ${n} leaves at dawn`),
]
const UNTOLD = ['', '']

describe('history that was just found', () => {
  function found(count: number): TestProject {
    const project = history(count)
    catchUp(storeOf(project), { waitMs: 5_000, now, look: 'all' })
    expect(endsOf(project)).toEqual(Array.from({ length: count }, () => UNTOLD))
    return project
  }

  it('says what it was about and where it stands: the newest twenty sessions', () => {
    const project = found(22)
    locked(storeOf(project), () => fillEnds(storeOf(project), inTime))

    expect(endsOf(project).slice(0, 2)).toEqual([UNTOLD, UNTOLD])
    expect(endsOf(project).slice(2)).toEqual(Array.from({ length: 20 }, (_, i) => TOLD(i + 3)))
  })

  it('keeps a line that is known, and stops when time is up', () => {
    const project = found(3)
    const store = storeOf(project)
    const sessions = allSessions(store.readState()).map(([id, session]) =>
      id === sessionId(2)
        ? ([id, { ...session, stands: { text: 'Known.', to: 2, by: 'agent' } }] as const)
        : ([id, session] as const),
    )
    let looks = 0
    locked(store, () => {
      store.perform([stateEffect(withSessions(store.readState(), sessions))])
      fillEnds(storeOf(project), () => looks++ > 0)
    })

    expect(endsOf(project)).toEqual([UNTOLD, ['', 'Known.'], TOLD(3)])
  })
})
