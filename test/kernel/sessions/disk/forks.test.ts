/** Forks. That of a compacted session: its transcript begins with the summary and what the compaction kept, and every entry is stored once. */
import fs from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { captureSession } from '../../../../src/kernel/sessions/disk/capture.ts'
import { catchUp } from '../../../../src/kernel/sessions/disk/catch-up.ts'
import { verifySession } from '../../../../src/kernel/sessions/disk/verify.ts'
import { entryKey } from '../../../../src/kernel/transcript/session.ts'
import { isComplete } from '../../../../src/kernel/transcript/verify.ts'
import {
  append,
  entriesIn,
  fastDir,
  linesFor,
  makeProject,
  now,
  readStateIn,
  sessionId,
  storeOf,
  type TestProject,
  textsIn,
  turn,
  turns,
  write,
} from '../../../support/project.ts'

const SESSION = sessionId(1)
const FORK = sessionId(2)
const FORK_OF_FORK = sessionId(3)
const CWD = '/made/up'
const [lines, forkLines, lastLines] = [SESSION, FORK, FORK_OF_FORK].map((session) => linesFor(session, CWD)) as [
  ReturnType<typeof linesFor>,
  ReturnType<typeof linesFor>,
  ReturnType<typeof linesFor>,
]

function summary(of: typeof lines, at: number): string {
  return of.prompt(at, `This session is being continued from a previous conversation, number ${at}.`)
}

/** The compaction keeps the last turn before it: the session has it in front of the summary, its fork behind it. */
const kept = turn(lines, 2)
const compacted = turns(lines, 0, 3) + summary(lines, 50) + turn(lines, 6)
const forked = summary(lines, 50) + kept + turn(lines, 6)

function capture(project: TestProject, session: string): void {
  const source = { session, transcript: project.transcriptOf(session) }
  expect(captureSession(storeOf(project), source, { waitMs: 1000, now }).complete).toBe(true)
}

function asked(project: TestProject): string[] {
  return textsIn(project.memory)
    .filter((told) => told.startsWith('question'))
    .toSorted()
}

function expectOnce(project: TestProject, questions: readonly number[]): void {
  expect(asked(project)).toEqual(questions.map((n) => `question ${n}`))
  const keys = entriesIn(project.memory).map(entryKey)
  expect(keys).toHaveLength(new Set(keys).size)
}

describe('a fork of a compacted session', () => {
  it('stores only what is new in it, and names the session that it continues', () => {
    const project = makeProject('app', fastDir())
    write(project.transcriptOf(SESSION), compacted)
    capture(project, SESSION)
    write(project.transcriptOf(FORK), forked + turn(forkLines, 8))
    capture(project, FORK)

    expectOnce(project, [0, 1, 2, 6, 8])
    expect(readStateIn(project.memory).sessions[FORK]?.forkOf).toEqual({ session: SESSION })
  })

  it('may be forked itself, before and after another compaction', () => {
    const project = makeProject('app', fastDir())
    write(project.transcriptOf(SESSION), compacted)
    const middle = forked + turn(forkLines, 8)
    write(project.transcriptOf(FORK), middle + summary(forkLines, 100))
    for (const session of [SESSION, FORK]) capture(project, session)
    // The second compaction keeps a turn that the first session holds.
    write(project.transcriptOf(FORK_OF_FORK), summary(forkLines, 100) + turn(lines, 6) + turn(lastLines, 9))
    capture(project, FORK_OF_FORK)
    const other = sessionId(4)
    write(project.transcriptOf(other), middle + turn(linesFor(other, CWD), 9).replaceAll(' 9', ' 5'))
    capture(project, other)

    expectOnce(project, [0, 1, 2, 5, 6, 8, 9])
    expect(readStateIn(project.memory).sessions[other]?.forkOf).toEqual({ session: FORK })
  })

  const visit = fc.record({
    session: fc.constantFrom(SESSION, FORK, FORK_OF_FORK),
    part: fc.constantFrom(0, 1),
    before: fc.constantFrom('nothing', 'nothing', 'nothing', 'state deleted'),
  })

  it('stores every entry once, in whatever order the three grow and are captured and whatever is lost between', () => {
    const own = new Map([
      [SESSION, [compacted, turn(lines, 7)]],
      [FORK, [forked + turn(forkLines, 8), turn(forkLines, 9)]],
      [FORK_OF_FORK, [forked + turn(forkLines, 8), turn(lastLines, 5)]],
    ])
    fc.assert(
      fc.property(fc.array(visit, { maxLength: 6 }), (visits) => {
        const project = makeProject('app', fastDir())
        const grow = (session: string, parts: number): void => {
          const text = (own.get(session) ?? []).slice(0, parts).join('')
          const file = project.transcriptOf(session)
          if (text.length > (fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0)) write(file, text)
        }
        for (const { session, part, before } of visits) {
          // What a fork copies was written before.
          grow(SESSION, 1)
          if (session !== SESSION) grow(FORK, 1)
          grow(session, part + 1)
          if (before === 'state deleted') fs.rmSync(path.join(project.memory, 'memory-index.json'), { force: true })
          capture(project, session)
        }
        for (const session of own.keys()) grow(session, 2)
        expect(catchUp(storeOf(project), { waitMs: 1000, now, look: 'all' }).complete).toBe(true)
        for (const session of own.keys()) capture(project, session)

        expectOnce(project, [0, 1, 2, 5, 6, 7, 8, 9])
        for (const session of own.keys()) {
          const store = storeOf(project)
          const verified = verifySession(store, store.readState(), session, project.transcriptOf(session))
          expect(isComplete(verified)).toBe(true)
        }
      }),
      { numRuns: Number(process.env.RUNS ?? 40) },
    )
  })
})

describe('a fork of a session that was killed inside a tool use', () => {
  const begun = turn(lines, 0) + lines.prompt(20, 'question 1') + lines.use(21, 'killed', 'Bash', { command: 'wait' })

  it.each([
    ['is gone', ''],
    ['goes on', lines.result(30, 'killed', 'waited') + turn(lines, 5)],
  ])('leaves it to the session that began it, when that one %s', (_, later) => {
    const project = makeProject('app', fastDir())
    write(project.transcriptOf(SESSION), begun)
    capture(project, SESSION)
    write(project.transcriptOf(FORK), begun + forkLines.result(24, 'killed', 'interrupted', true) + turn(forkLines, 8))
    capture(project, FORK)
    append(project.transcriptOf(SESSION), later)
    capture(project, SESSION)
    capture(project, FORK)

    expectOnce(project, later === '' ? [0, 1, 8] : [0, 1, 5, 8])
    const waits = entriesIn(project.memory).filter((entry) => 'cmd' in entry && entry.cmd.includes('wait'))
    expect(waits).toMatchObject([later === '' ? { open: true } : { ok: true }])
  })
})
