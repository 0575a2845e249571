/** What this version wrote is continued by the released 0.6.1, and then by this version again: nothing is lost or doubled. */
import { beforeAll, describe, expect, it } from 'vitest'
import { listNotes } from '../../../src/core/notes/disk/note-list.ts'
import { allSessions } from '../../../src/kernel/memory/state.ts'
import { readSessionText } from '../../../src/kernel/sessions/disk/session-archive.ts'
import { type Json, runCommand, runCommandJson } from '../../support/process.ts'
import { append, linesFor, sessionId, storeOf, story, type TestProject } from '../../support/project.ts'
import { RELEASED_NOW, releasedProject } from '../../support/released.ts'
import { type ReleasedProgram, releasedDist, releasedProgram } from '../../support/released-program.ts'
import { hookHere } from '../../support/world.ts'

const dist = releasedDist('0.6.1')
if (dist === null) console.warn('The commit of 0.6.1 is not in this repository: skipped.')

/** Everything that is remembered, as today's version reads it; each line once. */
function remembered(project: TestProject): string[] {
  const { facts } = runCommandJson(project, ['facts', 'list', '--state', 'all', '--limit', '1000']).json as Json
  const { rules, permanent, proposed } = runCommandJson(project, ['rules', 'list']).json as Json
  const sessions = allSessions(storeOf(project).readState())
  return [
    ...facts.map(({ id, text, state, status }: Json) => `${id} ${text} ${state} ${status}`),
    ...rules,
    ...[...permanent, ...proposed].map(({ id, text, status }: Json) => `${id} ${text} ${status}`),
    ...listNotes(storeOf(project)).notes.map(({ id, text }) => `${id} ${text}`),
    ...sessions.flatMap(([id, { file }]) =>
      (readSessionText(project.memory, file) ?? '')
        .trimEnd()
        .split('\n')
        .map((line, n) => `${id}#${n} ${line}`),
    ),
  ]
}

const [ours, theirs] = [sessionId(1), sessionId(2)]

function write(project: TestProject, session: string, at: number): void {
  append(project.transcriptOf(session), story(linesFor(session, project.root), at))
}

function captureHere(project: TestProject, session: string, at: number): void {
  write(project, session, at)
  hookHere(project, { hook_event_name: 'Stop', session_id: session, stop_hook_active: false })
}

describe.skipIf(dist === null)('a memory that 0.6.1 continues', () => {
  let project: TestProject
  let old: ReleasedProgram
  const well = (...args: readonly string[]): Json => {
    const { out, err, code } = old.cli(...args)
    expect([args.join(' '), err, code]).toEqual([args.join(' '), '', 0])
    return args.includes('--json') ? JSON.parse(out) : out
  }

  beforeAll(() => {
    project = releasedProject('0.6.1')
    old = releasedProgram(dist ?? '', project, RELEASED_NOW)
    captureHere(project, ours, 0)
    runCommand(project, ['final'])
    runCommand(project, ['facts', 'add', 'decision', 'Empty lines are skipped in the lexer.', '--concept', 'lexer'])
    runCommand(project, ['rules', 'add', 'Never touch the lexer without a test.'])
    runCommand(project, ['lesson', 'add', 'The parser caches its tokens.'])
    runCommand(project, ['note', '--text', 'The parser belongs to Ines.'])
  })

  it('has for 0.6.1 everything that it has for this version', () => {
    const facts = runCommandJson(project, ['facts', 'list', '--state', 'all']).json.facts
    expect(well('facts', 'list', '--state', 'all', '--json').facts).toEqual(facts)
    expect(well('notes', 'list', '--json').notes.map(({ id }: Json) => id)).toEqual(
      runCommandJson(project, ['notes', 'list']).json.notes.map(({ id }: Json) => id),
    )
    expect(well('rules', 'list', '--json').permanent).toEqual(runCommandJson(project, ['rules', 'list']).json.permanent)
    expect(well('search', 'Ines', '--json').hits.length).toBeGreaterThan(0)
    well('status')
    well('verify')
  })

  it('is not asked again by 0.6.1 about sessions that have their notes', () => {
    const { out } = old.hook({
      hook_event_name: 'UserPromptSubmit',
      session_id: ours,
      prompt: 'Go on with the parser.',
    })
    expect(out).not.toMatch(/a[1-6]00000\d/)
    expect(well('delta', '--json').deltas).toEqual([])
  })

  it('keeps all of it when 0.6.1 writes', () => {
    const before = remembered(project)
    write(project, ours, 100)
    write(project, theirs, 0)
    for (const session of [ours, theirs]) {
      const { err, code } = old.hook({ hook_event_name: 'Stop', session_id: session, stop_hook_active: false })
      expect([err, code]).toEqual(['', 0])
    }
    well('facts', 'add', 'decision', 'The printer in Leipzig is retired.')
    well('note', '--text', 'Leipzig is closed on Mondays.')
    well('final')
    well('compress')
    const after = remembered(project)

    expect(after).toEqual(expect.arrayContaining(before))
    expect(after.length).toBe(new Set(after).size)
    expect(after.some((line) => line.endsWith('Leipzig is closed on Mondays.'))).toBe(true)
  })

  it('is continued by this version, and every entry has one note', () => {
    const before = remembered(project)
    captureHere(project, ours, 200)
    captureHere(project, theirs, 100)
    expect(runCommand(project, ['final']).code).toBe(0)
    expect(runCommand(project, ['verify']).code).toBe(0)
    const after = remembered(project)

    expect(after).toEqual(expect.arrayContaining(before))
    expect(after.length).toBe(new Set(after).size)
    for (const session of [ours, theirs].map((id) => id.slice(0, 8))) {
      const ranges = listNotes(storeOf(project))
        .notes.filter((note) => note.session === session)
        .map(({ from, to }) => [from ?? 0, to ?? 0] as const)
        .toSorted(([a], [b]) => a - b)
      for (const [i, [from]] of ranges.entries()) expect(from).toBe(ranges[i - 1]?.[1] ?? 0)
    }
  })
})
