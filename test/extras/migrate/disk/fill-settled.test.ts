/** Sessions that 0.5 settled get a goal and a line about their end. */
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { fillSettled } from '../../../../src/extras/migrate/disk/fill-settled.ts'
import { allSessions } from '../../../../src/kernel/memory/state.ts'
import {
  append,
  fastDir,
  linesFor,
  quietProject,
  sessionId,
  storeOf,
  type TestProject,
} from '../../../support/project.ts'
import { begin, finishHere, LATER } from '../../../support/world.ts'

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

describe('sessions that 0.5 settled', () => {
  const fileOf = (project: TestProject): string => path.join(project.memory, 'sessions', 'settled', '2026-01.jsonl')

  /** As 0.5.x wrote them: without a goal and without a line about their end. */
  async function settled(count: number): Promise<TestProject> {
    const project = history(count)
    await finishHere(project, { for: 'catch-up' }, { now: () => LATER })
    const lines = fs.readFileSync(fileOf(project), 'utf8').trim().split('\n')
    const old = lines.map((line) => {
      const { goal: _, stands: __, ...stored } = JSON.parse(line)
      return `${JSON.stringify(stored)}\n`
    })
    fs.writeFileSync(fileOf(project), old.join(''))
    expect(endsOf(project)).toEqual(Array.from({ length: count }, () => UNTOLD))
    return project
  }

  it('get both from the finisher, once, and the next briefing tells them', async () => {
    const project = await settled(2)
    await finishHere(project, { for: 'catch-up' }, { now: () => LATER })
    expect(endsOf(project)).toEqual([TOLD(1), TOLD(2)])
    expect(begin(project, sessionId(9)).context).toContain('voyage number 2')

    const written = fs.statSync(fileOf(project)).mtimeMs
    fillSettled(storeOf(project), inTime)
    expect(fs.statSync(fileOf(project)).mtimeMs).toBe(written)
  })

  it('are some in one run, the newest first; one with nothing to tell is not read again', async () => {
    const project = await settled(5)
    for (const n of [5, 4]) fs.rmSync(path.join(project.memory, 'sessions', sessionFileOf(project, n)))
    fillSettled(storeOf(project), inTime, 3)
    expect(endsOf(project)).toEqual([UNTOLD, UNTOLD, TOLD(3), UNTOLD, UNTOLD])
    fillSettled(storeOf(project), inTime, 3)

    expect(endsOf(project).slice(0, 3)).toEqual([TOLD(1), TOLD(2), TOLD(3)])
  })

  function sessionFileOf(project: TestProject, n: number): string {
    return allSessions(storeOf(project).readState()).find(([id]) => id === sessionId(n))?.[1].file ?? ''
  }
})
