/** Sessions that 0.6 captured, which stored neither interruptions nor the new marks, go on under this version. */
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { captureSession } from '../../../../src/kernel/sessions/disk/capture.ts'
import { verifySession } from '../../../../src/kernel/sessions/disk/verify.ts'
import { type Entry, entryKey, formatEntry, parseSession } from '../../../../src/kernel/transcript/session.ts'
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
  turn,
  write,
} from '../../../support/project.ts'

const [SESSION, FORK] = [sessionId(1), sessionId(2)]
const lines = linesFor(SESSION, '/made/up')
const PLAN = '# Count the wheels\n\n1. A table'
const plan = (at: number): string => {
  const line = JSON.parse(lines.prompt(at, `Implement the following plan:\n\n${PLAN}`)) as object
  return `${JSON.stringify({ ...line, planContent: PLAN, slug: 'merry-cart' })}\n`
}
const interruption = (at: number): string => lines.prompt(at, '[Request interrupted by user]')
const refusal = (at: number): string => {
  const line = JSON.parse(lines.result(at, 'lost', 'The user refused.', true)) as object
  return `${JSON.stringify({ ...line, toolUseResult: 'User rejected tool use' })}\n`
}
const TRANSCRIPT = plan(1) + lines.answer(2, 'I begin.') + interruption(3) + turn(lines, 1) + interruption(900)

function capture(project: TestProject, session = SESSION): void {
  const source = { session, transcript: project.transcriptOf(session) }
  expect(captureSession(storeOf(project), source, { waitMs: 1000, now }).complete).toBe(true)
}

/** Rewrites session file and state as 0.6 would have left them. `first`: an entry that it stored and this version does not. */
function asOlder(project: TestProject, first: Entry[] = []): void {
  const stateFile = path.join(project.memory, 'memory-index.json')
  const state = JSON.parse(fs.readFileSync(stateFile, 'utf8'))
  const session = state.sessions[SESSION]
  const file = path.join(project.memory, 'sessions', session.file)
  const entries = parseSession(fs.readFileSync(file, 'utf8')).entries.flatMap((entry): Entry[] => {
    if (entry.role === 'tombstone') return []
    const { slug: _, tree: __, ...older } = entry
    if (older.role !== 'user') return [older as Entry]
    const { plan: isPlan, via, ...prompt } = older
    return via === 'interrupt' ? [] : [isPlan === true ? { ...prompt, by: 'user' } : (older as Entry)]
  })
  const text = [...first, ...entries].map(formatEntry).join('')
  fs.writeFileSync(file, text)
  const { slug: _, tree: __, orphan: ___, ...refine } = session.refine
  const [head] = [...first, ...entries]
  const older = { entries: first.length + entries.length, bytes: Buffer.byteLength(text), head: head && entryKey(head) }
  state.sessions[SESSION] = { ...session, ...older, refine }
  fs.writeFileSync(stateFile, JSON.stringify(state))
}

const told = (project: TestProject): string[] =>
  entriesIn(project.memory).map((entry) => ('text' in entry ? entry.text.replace(/\n[\s\S]*/, '') : entry.role))

function captured(first: Entry[] = [], before = ''): TestProject {
  const project = makeProject('app', fastDir())
  write(project.transcriptOf(SESSION), before + TRANSCRIPT)
  capture(project)
  asOlder(project, first)
  return project
}

describe('a session that 0.6 captured', () => {
  it('gets the interruptions that come from now on', () => {
    const project = captured()
    const before = told(project)
    expect(before.some((text) => text.includes('interrupted'))).toBe(false)
    append(project.transcriptOf(SESSION), lines.prompt(1000, 'go on') + interruption(1001))
    capture(project)

    expect(told(project)).toEqual([...before, 'go on', '[Request interrupted by user]'])
    expect(
      isComplete(verifySession(storeOf(project), readStateIn(project.memory), SESSION, project.transcriptOf(SESSION))),
    ).toBe(true)
  })

  it.each([
    ['its state is lost', (project: TestProject) => fs.rmSync(path.join(project.memory, 'memory-index.json'))],
    [
      'its transcript is written anew',
      (project: TestProject) => {
        const file = project.transcriptOf(SESSION)
        write(file, `{"type":"mode"}\n${fs.readFileSync(file, 'utf8')}`)
      },
    ],
  ])('doubles no entry and gets none in the wrong place when it is read again because %s', (_, mishap) => {
    const project = captured()
    const before = told(project)
    mishap(project)
    append(project.transcriptOf(SESSION), lines.prompt(1000, 'go on'))
    capture(project)

    // The interruption behind its last entry is new, and in its place.
    expect(told(project)).toEqual([...before, '[Request interrupted by user]', 'go on'])
    const keys = entriesIn(project.memory).map(entryKey)
    expect(keys).toHaveLength(new Set(keys).size)
  })

  it('shares its beginning with a fork, although this version leaves its first entry out', () => {
    const orphan: Entry = { role: 'tool', by: 'tool', ts: '', name: 'tool', cmd: '', ok: false, refused: true }
    const ts = (JSON.parse(refusal(0)) as { timestamp: string }).timestamp
    const project = captured([{ ...orphan, ts }], refusal(0) + interruption(0))
    const before = told(project)
    expect(before[0]).toBe('tool')
    write(
      project.transcriptOf(FORK),
      refusal(0) + interruption(0) + TRANSCRIPT + linesFor(FORK, '/made/up').prompt(1000, 'in the fork'),
    )
    capture(project, FORK)

    expect(readStateIn(project.memory).sessions[FORK]?.forkOf).toEqual({ session: SESSION })
    expect(told(project).toSorted()).toEqual([...before, '[Request interrupted by user]', 'in the fork'].toSorted())
  })
})
