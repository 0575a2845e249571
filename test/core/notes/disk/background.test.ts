/** Notes and summaries by the headless child, played by a small program: what is kept of it, and what its failures cost. */
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { wayIn } from '../../../../src/core/model/disk/model-call.ts'
import { endPauseAtStart, readCalls, readHealth } from '../../../../src/core/model/disk/model-calls.ts'
import { writeNotes } from '../../../../src/core/notes/disk/background.ts'
import { noteByCode } from '../../../../src/core/notes/disk/notes.ts'
import { type Store, stateEffect } from '../../../../src/kernel/memory/disk/store.ts'
import { type Note, notesIn } from '../../../../src/kernel/memory/note.ts'
import { owedSessions, withSummary, workOf } from '../../../../src/kernel/memory/work.ts'
import { newItem } from '../../../../src/kernel/memory/work-item.ts'
import { type Answer, type Stage, stageIn } from '../../../support/claude.ts'
import { FALSE_NOTE, locked, memoryOf, owe, TRUE_NOTE } from '../../../support/notes.ts'
import {
  append,
  linesFor,
  NOW,
  now,
  quietProject,
  sessionId,
  storeOf,
  type TestProject,
  treeOf,
  write,
} from '../../../support/project.ts'

const SESSION = sessionId(1)
const GOOD: Answer = { note: TRUE_NOTE }
const FALSE: Answer = { note: FALSE_NOTE }
const TOO_LONG: Answer = { failsWith: 'Prompt is too long', status: 400 }
const BROKEN: Answer = { failsWith: 'API Error: 529 overloaded', status: 529 }

/** Two turns wait for their note, and the user knows of the child. */
function stage(answers: readonly Answer[], settings: object = {}): Stage {
  const project = quietProject({ summarizer: 'auto', ...settings })
  owe(storeOf(project), project, 0, 20)
  return stageIn(project, answers)
}

function notesOf(project: TestProject): Note[] {
  return notesIn(memoryOf(project))
}

function isOwed(store: Store): boolean {
  return owedSessions(store.readState()).length > 0
}

describe.skipIf(process.platform === 'win32')('a note by the child', () => {
  it('is asked for once, with the delta and nothing else, and kept', async () => {
    const { project, store, claude, around } = stage([GOOD])
    await writeNotes(store, around)
    const [call, ...others] = claude.calls()

    expect(notesOf(project)).toMatchObject([
      { id: 'n-00000001-0-60', from: 0, to: 60, author: 'headless', text: TRUE_NOTE },
    ])
    expect(others).toEqual([])
    expect(call?.stdin).toContain('[User]: question 19')
    expect(call?.argv).toContain('--no-session-persistence')
    expect(isOwed(store)).toBe(false)
    expect(fs.existsSync(path.join(project.memory, 'delta_temp.txt'))).toBe(false)
    expect(claude.audits()).toHaveLength(1)
    expect(readCalls(project.keeper)).toMatchObject([
      { kind: 'note', ok: true, tokens: { input: 900, output: 80 }, costUsd: 0.002 },
      { kind: 'audit', ok: true },
    ])
  })

  it.each<[string, Answer[], Partial<Note>, again: string]>([
    [
      'names what never occurred is asked for again, with those names',
      [FALSE, GOOD],
      { author: 'headless', text: TRUE_NOTE },
      'does not contain: src/never-there.ts, 7331 ms',
    ],
    ['does so twice is written by code', [FALSE], { from: 0, to: 60, author: 'extractive' }, 'does not contain'],
    [
      'is none is asked for again',
      [{ note: "I'm sorry, but I cannot help with that." }, GOOD],
      { author: 'headless', text: TRUE_NOTE },
      'refused',
    ],
  ])('that %s', async (_, answers, note, again) => {
    const { project, store, claude, around } = stage(answers)
    await writeNotes(store, around)
    const [first, second, ...others] = claude.calls().map(({ argv }) => argv.at(-1))

    expect(notesOf(project)).toMatchObject([note])
    expect(memoryOf(project)).not.toContain('never-there')
    expect(first).not.toContain('refused')
    expect(second).toContain(again)
    expect(others).toEqual([])
    expect(isOwed(store)).toBe(false)
  })

  it('that comes late and names what never occurred is asked for twice at most', async () => {
    const { project, store, claude, around } = stage([FALSE])
    // While the child answers, a session starts and code writes the note.
    let isNoted = false
    const meanwhile = (): string => {
      if (claude.calls().length === 1 && !isNoted) {
        isNoted = true
        locked(store, () => noteByCode(store, NOW))
      }
      return now()
    }
    await writeNotes(store, { ...around, now: meanwhile })

    expect(claude.calls()).toHaveLength(2)
    expect(notesOf(project)).toMatchObject([{ author: 'extractive' }])
  })

  it('of a piece that is too long is asked for in smaller ones', async () => {
    const { project, store, claude, around } = stage([TOO_LONG, GOOD])
    const long = 'The parser reads one line after the other and hands each of them to the lexer. '.repeat(100)
    const lines = linesFor(SESSION, project.root)
    for (let n = 0; n < 8; n++) append(project.transcriptOf(SESSION), lines.answer(1000 + n, `${n}. ${long}`))
    owe(store, project, 200, 201)
    await writeNotes(store, around)
    const ranges = notesOf(project).map(({ from, to }) => [from, to])

    const asked = notesOf(project).filter(({ author }) => author === 'headless')
    expect(claude.calls()).toHaveLength(asked.length + 1)
    expect(asked.length).toBeGreaterThan(1)
    expect(ranges.flat()).toEqual([0, ...ranges.slice(1).flatMap(([from]) => [from, from]), 71])
    const longest = Math.max(
      ...claude
        .calls()
        .slice(1)
        .map(({ stdin }) => stdin.length),
    )
    expect(longest).toBeLessThanOrEqual((claude.calls()[0]?.stdin.length ?? 0) * 0.6)
    expect(readHealth(project.keeper).failuresInRow).toBe(0)
  })

  it('that is too long however short it is keeps nobody busy, and waits for code', async () => {
    const { project, store, claude, around } = stage([TOO_LONG])
    await writeNotes(store, around)
    expect(claude.calls()).toHaveLength(2)
    expect(isOwed(store)).toBe(true)
    locked(store, () => noteByCode(store, NOW))

    expect(notesOf(project)).toMatchObject([{ from: 0, to: 60, author: 'extractive' }])
  })

  it('is asked for in every session that owes one, one after the other', async () => {
    const { project, store, claude, around } = stage([GOOD])
    owe(store, project, 0, 20, sessionId(2))
    await writeNotes(store, around)

    expect(notesOf(project).map(({ session }) => session)).toEqual(['00000001', '00000002'])
    expect(claude.calls()).toHaveLength(2)
  })

  it('is asked for once by two who want it at the same time', async () => {
    const { project, store, claude, around } = stage([GOOD])
    await Promise.all([writeNotes(store, around), writeNotes(storeOf(project), around)])

    expect(notesOf(project)).toHaveLength(1)
    expect(claude.calls()).toHaveLength(1)
  })

  it('of next to nothing is not worth a call', async () => {
    const { project, store, claude, around } = stage([GOOD])
    await writeNotes(store, around)
    append(project.transcriptOf(SESSION), linesFor(SESSION, project.root).answer(5000, 'Done.'))
    owe(store, project, 0, 0)
    await writeNotes(store, around)

    expect(notesOf(project)).toMatchObject([{ author: 'headless' }, { from: 60, to: 61, author: 'extractive' }])
    expect(claude.calls()).toHaveLength(1)
  })
})

describe.skipIf(process.platform === 'win32')('a child that fails', () => {
  it.each<[string, Answer, { failuresInRow: number; last: object | null }]>([
    ['overloaded', BROKEN, { failuresInRow: 1, last: { why: 'overloaded' } }],
    ['killed', { dies: 137 }, { failuresInRow: 0, last: null }],
    ['failed', { dies: 1 }, { failuresInRow: 1, last: { why: 'failed' } }],
  ])('(%s) costs nothing: the delta waits, and the next one writes its note', async (_, answer, health) => {
    const { project, store, claude, around } = stage([answer, GOOD])
    await writeNotes(store, around)
    expect(notesOf(project)).toEqual([])
    expect(isOwed(store)).toBe(true)
    expect(readHealth(project.keeper)).toMatchObject({ ...health, pausedUntil: null })
    await writeNotes(store, around)

    expect(notesOf(project)).toMatchObject([{ from: 0, to: 60, author: 'headless' }])
    expect(claude.calls()).toHaveLength(2)
    expect(readHealth(project.keeper).failuresInRow).toBe(0)
  })

  it('that is not there costs nothing either', async () => {
    const { project, store, around } = stage([GOOD])
    await writeNotes(store, { ...around, env: { PATH: '/nowhere' } })

    expect([notesOf(project), isOwed(store)]).toEqual([[], true])
    expect(readHealth(project.keeper).last?.why).toBe('not-found')
  })

  it('because it is killed twice is asked again', async () => {
    const { project, store, claude, around } = stage([{ dies: 137 }, { dies: 143 }, GOOD])
    for (const _ of [1, 2, 3]) await writeNotes(store, around)

    expect(claude.calls()).toHaveLength(3)
    expect(notesOf(project)).toMatchObject([{ from: 0, to: 60, author: 'headless' }])
  })

  it('because of the login hands the work to the agent until the next start', async () => {
    const { project, store, around } = stage([{ failsWith: 'Invalid API key', status: 401 }, GOOD])
    await writeNotes(store, around)
    expect(readHealth(project.keeper).last).toMatchObject({ why: 'login' })
    expect(wayIn(store, NOW)).toBe('agent')
    endPauseAtStart(project.keeper)
    await writeNotes(store, around)

    expect(notesOf(project)).toMatchObject([{ from: 0, to: 60, author: 'headless' }])
  })

  it('twice in a row hands the work to the agent for minutes', async () => {
    const { project, store, claude, around } = stage([BROKEN])
    await writeNotes(store, around)
    expect(wayIn(store, NOW)).toBe('headless')
    await writeNotes(store, around)
    expect(wayIn(store, NOW)).toBe('agent')
    expect(fs.readFileSync(path.join(project.memory, 'delta_temp.txt'), 'utf8')).toMatch(/^# Delta 00000001-0-60:/)
    await writeNotes(store, around)

    expect(claude.calls()).toHaveLength(2)
    expect(wayIn(store, '2026-01-13T12:04:59.000Z')).toBe('agent')
    expect(wayIn(store, '2026-01-13T12:05:00.000Z')).toBe('headless')
  })

  it('twice in a row leaves the notes to code where the user wants no agent', async () => {
    const { project, store, around } = stage([BROKEN], { summarizer: 'headless' })
    for (let n = 0; n < 3; n++) await writeNotes(store, around)

    expect(notesOf(project)).toMatchObject([{ from: 0, to: 60, author: 'extractive' }])
  })

  it('leaves no word of the session in the files that tell of it', async () => {
    const { project, store, around } = stage([{ failsWith: 'question 19 could not be answered', status: null }])
    await writeNotes(store, around)

    expect(JSON.stringify(treeOf(project.keeper))).not.toContain('question')
  })
})

describe.skipIf(process.platform === 'win32')('the limits of a day', () => {
  it('count over all sessions, and begin anew on the next day', async () => {
    const { project, store, claude, around } = stage([GOOD], { modelCallsPerDay: 1 })
    await writeNotes(store, around)
    owe(store, project, 20, 40)
    await writeNotes(store, around)
    owe(store, project, 40, 60)
    await writeNotes(store, { ...around, now: () => '2026-01-14T00:00:01.000Z' })

    expect(notesOf(project).map(({ author }) => author)).toEqual(['headless', 'extractive', 'headless'])
    expect(claude.calls()).toHaveLength(2)
  })
})

describe('no child is started', () => {
  const byCode = [{ from: 0, to: 60, author: 'extractive' }]
  const unnoticed = ({ project }: Stage): void => fs.rmSync(path.join(project.keeper, 'notices.json'))

  it.each<[string, { settings?: object; before?: (made: Stage) => void; more?: object; notes?: object[] }]>([
    ['where the user was not told of it: code writes the note', { before: unnoticed, notes: byCode }],
    ['by a user of extractive', { settings: { summarizer: 'extractive' }, notes: byCode }],
    ['by a user of agent', { settings: { summarizer: 'agent' } }],
    ['by a child of ours', { more: { env: { MEMORY_KEEPER_CHILD: '1' } } }],
    ['by somebody who has no time left', { more: { isLate: () => true } }],
    [
      'when the calls of the day are used up: code writes the note',
      { settings: { modelCallsPerDay: 0 }, notes: byCode },
    ],
    ['when its tokens are used up: code writes the note', { settings: { modelTokensPerDay: 100 }, notes: byCode }],
  ])('%s', async (_, { settings = {}, before, more, notes = [] }) => {
    const made = stage([GOOD], settings)
    before?.(made)
    await writeNotes(made.store, { ...made.around, ...more })

    expect(made.claude.calls()).toEqual([])
    expect(notesOf(made.project)).toMatchObject(notes)
    expect(isOwed(made.store)).toBe(notes.length === 0)
  })
})

const ARCHIVE = 'memory_20260113_080000.md'
const SUMMARY = {
  themes: [{ name: 'Parser', summary: 'The parser accepts empty lines.' }],
  keyDecisions: [{ decision: 'Empty lines are skipped in the lexer.', reason: 'The grammar stays smaller.' }],
  issues: [],
  overallSummary: 'The parser learned to accept empty lines.',
}

/** An archive waits for its summary, and no note is owed. */
async function archived(answers: readonly Answer[], settings: object = {}): Promise<Stage> {
  const staged = stage(answers, settings)
  const { project, store } = staged
  locked(store, () => noteByCode(store, NOW))
  const notes =
    '## 2026-01-12\nThe parser accepts empty lines now; they are skipped in the lexer, the grammar stays smaller.\n'
  write(path.join(project.memory, ARCHIVE), notes)
  const entry = { file: ARCHIVE, rotatedAt: NOW, tokenCount: 30, summary: ARCHIVE.replace('.md', '.summary.json') }
  const state = { ...store.readState(), rotatedFiles: [{ ...entry, summaryGenerated: false }] }
  store.perform([stateEffect(withSummary(state, ARCHIVE, false))])
  return staged
}

function summaryOf(project: TestProject): { overallSummary: string; sourceFile: string } | null {
  const file = path.join(project.memory, ARCHIVE.replace('.md', '.summary.json'))
  return fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : null
}

describe.skipIf(process.platform === 'win32')('the summary of an archive', () => {
  it('is asked for once, checked and kept', async () => {
    const { project, store, claude, around } = await archived([{ note: JSON.stringify(SUMMARY) }])
    await writeNotes(store, around)
    await writeNotes(store, around)

    expect(summaryOf(project)).toEqual({ sourceFile: ARCHIVE, generatedAt: NOW, ...SUMMARY })
    expect(store.readState().rotatedFiles).toMatchObject([{ file: ARCHIVE, summaryGenerated: true }])
    expect(claude.calls()).toHaveLength(1)
    expect(claude.calls()[0]?.stdin).toContain('skipped in the lexer')
    expect(readCalls(project.keeper)).toMatchObject([
      { kind: 'summary', ok: true },
      { kind: 'audit', ok: true },
    ])
  })

  it.each<[string, string | Answer]>([
    ['names what never occurred', JSON.stringify({ ...SUMMARY, overallSummary: 'It is in `src/never-there.ts`.' })],
    ['is no JSON', 'The parser learned to accept empty lines.'],
    ['lacks a part', JSON.stringify({ ...SUMMARY, themes: undefined })],
    ['is too long to be read', TOO_LONG],
  ])('that %s is refused, and tried twice at most', async (_, answer) => {
    const { project, store, claude, around } = await archived([typeof answer === 'string' ? { note: answer } : answer])
    for (let n = 0; n < 4; n++) await writeNotes(store, around)

    expect(summaryOf(project)).toBeNull()
    expect(store.readState().rotatedFiles).toMatchObject([{ summaryGenerated: false }])
    expect(workOf(store.readState(), 'summary')).toMatchObject([{ about: ARCHIVE, tries: 2 }])
    expect(claude.calls()).toHaveLength(2)
  })

  it('of an archive that is gone keeps no other one waiting', async () => {
    const { project, store, claude, around } = await archived([{ note: JSON.stringify(SUMMARY) }])
    const state = store.readState()
    const gone = newItem({ kind: 'summary', about: 'memory_20260101_000000.md' })
    store.perform([stateEffect({ ...state, work: [gone, ...state.work] })])
    await writeNotes(store, around)

    expect(claude.calls()).toHaveLength(1)
    expect(summaryOf(project)?.overallSummary).toBe(SUMMARY.overallSummary)
  })

  it('of a child that fails is tried again later', async () => {
    const { project, store, around } = await archived([BROKEN, { note: JSON.stringify(SUMMARY) }])
    await writeNotes(store, around)
    expect(summaryOf(project)).toBeNull()
    await writeNotes(store, around)

    expect(summaryOf(project)?.overallSummary).toBe(SUMMARY.overallSummary)
  })

  it('is left to code when no call is left for the day', async () => {
    const { store, claude, around } = await archived([GOOD], { modelCallsPerDay: 0 })
    await writeNotes(store, around)

    expect(claude.calls()).toEqual([])
    expect(store.readState().rotatedFiles).toMatchObject([{ summaryGenerated: false }])
  })
})
