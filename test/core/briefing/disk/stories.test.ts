/** What a briefing is made of on disk: the newest sessions as stories, and notes wherever memory.md was cut. */
import fs from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { BriefingInput } from '../../../../src/core/briefing/briefing-input.ts'
import { briefSession, gatherBriefing } from '../../../../src/core/briefing/disk/briefing.ts'
import { repairMemory } from '../../../../src/core/notes/disk/memory.ts'
import { formatNote, madeByCode, type Note } from '../../../../src/kernel/memory/note.ts'
import { captureSession } from '../../../../src/kernel/sessions/disk/capture.ts'
import type { TailSession } from '../../../../src/kernel/sessions/disk/tails.ts'
import { locked } from '../../../support/notes.ts'
import {
  append,
  fastDir,
  type Lines,
  linesFor,
  madeOnce,
  NOW,
  now,
  quietProject,
  sessionId,
  storeOf,
  type TestProject,
  write,
} from '../../../support/project.ts'
import { numbered, said, typed } from '../../../support/story.ts'

/** A new session each day; `n` counts days from the first of January. */
function capture(project: TestProject, n: number, tell: (lines: Lines) => string, extra: object = {}): void {
  const session = sessionId(n)
  const lines = linesFor(session, project.root, extra, Date.UTC(2026, 0, n, 9))
  append(project.transcriptOf(session), tell(lines))
  const source = { session, transcript: project.transcriptOf(session), host: 1 }
  captureSession(storeOf(project), source, { waitMs: 1000, now })
}

const work = (n: number) => (lines: Lines) =>
  lines.prompt(0, `Fix part ${n} of the report.`) + lines.answer(60_000, `Part ${n} of the report is fixed for good.`)

type Start = Partial<Parameters<typeof gatherBriefing>[2]>

function gathered(project: TestProject, start: Start = {}): BriefingInput {
  const store = storeOf(project)
  return gatherBriefing(store, store.readState(), { session: sessionId(99), compacted: null, ...start })
}

function told(project: TestProject, start: Start = {}): string {
  return briefSession(storeOf(project), { session: sessionId(99), source: 'startup', ...start }).text ?? ''
}

const idsIn = ({ stories }: BriefingInput): string[] => stories.map(({ story }) => story.id8)

describe('sessions on disk', () => {
  it('are told newest first, without the one that begins', () => {
    const project = quietProject({}, fastDir())
    for (const n of [2, 4, 3]) capture(project, n, work(n))

    expect(idsIn(gathered(project))).toEqual(['00000004', '00000003', '00000002'])
    expect(idsIn(gathered(project, { session: sessionId(4) }))).toEqual(['00000003', '00000002'])
  })

  it('that programs ran are counted and never told', () => {
    const project = quietProject({}, fastDir())
    capture(project, 2, work(2))
    for (const n of [3, 4]) capture(project, n, work(n), { entrypoint: 'sdk-cli' })

    expect(gathered(project).headless).toBe(2)
    expect(told(project)).toContain('- 2 headless runs: started by programs, no person typed')
    expect(told(project)).not.toContain('Part 3')
  })

  it('that another terminal runs are told so', () => {
    const project = quietProject({}, fastDir())
    capture(project, 2, work(2))

    expect(told(project, { isRunning: () => true })).toContain('[00000002], running now in another terminal, 1 prompt')
    expect(told(project)).not.toContain('running now')
  })

  it('that are not captured yet are told from the ends of their transcripts', () => {
    const project = quietProject({}, fastDir())
    capture(project, 2, work(2))
    const entries = numbered([typed('Fix the dates.'), said('The dates are UTC now.')], '2026-01-03T09:00:00.000Z')
    const tail = (id8: string, isCaptured: boolean): TailSession => {
      const at = '2026-01-03T09:00:00.000Z'
      return { id8, entries, file: `${id8}.jsonl`, at, isWhole: true, branch: '', isCaptured }
    }
    const tails = [tail('abcd0001', false), tail('00000002', true)]

    expect(idsIn(gathered(project, { tails }))).toEqual(['abcd0001', '00000002'])
    expect(told(project, { tails })).toContain('Claude: Part 2 of the report is fixed for good.')
  })

  it('of which only the end is read have the branch of their beginning, and are told so', () => {
    const project = quietProject({}, fastDir())
    const long = (lines: Lines): string =>
      Array.from(
        { length: 120 },
        (_, i) => work(i)(lines) + lines.answer(i, `${'Long words. '.repeat(1_700)}${i}`),
      ).join('')
    capture(project, 2, long, { gitBranch: 'fix/dates' })
    const [{ story } = { story: undefined }] = gathered(project).stories

    expect(story?.branch).toBe('fix/dates')
    expect(story?.prompts).toBeLessThan(120)
    expect(told(project)).toMatch(/^- 01-02 \d\d:\d\d \[00000002\] on fix\/dates, the last \d+ prompts$/m)
  })

  it('tell what was learned in two of them, and what agents reported', () => {
    const project = quietProject({}, fastDir())
    const refusing = (lines: Lines): string =>
      lines.prompt(0, 'Check it.') +
      lines.use(1, 't1', 'Bash', { command: 'mise run test:all' }) +
      lines.result(
        2,
        't1',
        "The user doesn't want to proceed with this tool use. The tool use was rejected. To tell you how to proceed, the user said:\ntoo slow.",
        true,
      ) +
      lines.use(3, 't2', 'Task', { description: 'Where tokens are refreshed', prompt: 'Look.' }) +
      lines.result(4, 't2', '## Refreshing\n\nIn src/refresh.ts.') +
      lines.answer(5, 'I leave the tests to you.')
    capture(project, 2, refusing)
    expect(gathered(project).learned).toEqual([])
    capture(project, 3, refusing)
    const { learned, reports } = gathered(project)

    expect(learned.map(({ text, said: words }) => [text, words])).toEqual([
      ['`mise run test:all` was refused in 2 sessions', 'too slow.'],
    ])
    expect(reports.map(({ source }) => source.slice(0, 8))).toEqual(['00000003', '00000002'])
    expect(reports[0]).toMatchObject({ text: 'Where tokens are refreshed', about: 'refresh.ts; Refreshing' })
  })

  it('leave open what the last one left, and nothing of those before', () => {
    const project = quietProject({}, fastDir())
    const asking = (lines: Lines): string =>
      lines.prompt(0, 'Fix the dates.') + lines.answer(1, 'Dates are fixed. Shall I fix the times?')
    capture(project, 2, asking)

    expect(gathered(project).work.map(({ text }) => text)).toEqual(['Shall I fix the times?'])
    capture(project, 3, work(3))
    expect(gathered(project).work).toEqual([])
  })

  it('are read from their ends if they are long, with the right numbers', () => {
    const project = quietProject({}, fastDir())
    const long = 'All of this was found on the way to it. '.repeat(1_000)
    capture(project, 2, (lines) => {
      const turns = Array.from(
        { length: 70 },
        (_, i) => lines.prompt(10 * i, `Step ${i}.`) + lines.answer(10 * i + 5, long),
      )
      return turns.join('') + lines.prompt(900, 'And the end?') + lines.answer(901, 'That was the very end of it.')
    })
    const [last] = gathered(project).stories

    expect(last?.story.turns.length).toBeLessThan(71)
    expect(last?.story.turns.at(-1)).toMatchObject({ asked: 'And the end?', n: 140, answerN: 141 })
  })
})

describe('a note about a session', () => {
  const about = (text: string, more: Partial<Note> = {}): Note => ({
    id: 'n-00000002-0-2',
    at: NOW,
    session: '00000002',
    from: 0,
    to: 2,
    author: 'headless',
    text,
    ...more,
  })
  const withNote = (note: Note, settings: object = {}): string => {
    const project = quietProject(settings, fastDir())
    capture(project, 2, work(2))
    write(path.join(project.memory, 'memory.md'), formatNote(note, 'UTC'))
    return told(project)
  }

  it('by a model is told instead of the turns, and only there', () => {
    const text = withNote(about('Dates became UTC.'))

    expect(text).toContain('  Note (written by Claude): Dates became UTC.')
    expect(text.split('Dates became UTC.')).toHaveLength(2)
    expect(text).not.toContain('Part 2 of the report is fixed')
  })

  it('by code is not told: the session itself is', () => {
    const text = withNote(madeByCode(about('Ended: dates.')))

    expect(text).toContain('Part 2 of the report is fixed for good.')
    expect(text).not.toContain('Ended: dates.')
  })

  it('by code that a person changed is told', () => {
    expect(withNote({ ...madeByCode(about('Ended: dates.')), text: 'Ended: dates and times.' })).toContain(
      'dates and times',
    )
  })

  const unaudited = (settings: object): string => withNote(about('Dates became UTC.', { unaudited: true }), settings)

  it('that no audit confirmed is not told while an audit can come: the session itself is', () => {
    const text = unaudited({ summarizer: 'agent' })

    expect(text).not.toContain('Dates became UTC.')
    expect(text).toContain('Part 2 of the report is fixed for good.')
  })

  it('that no audit can confirm any more is told in its place, and marked', () => {
    const text = unaudited({ summarizer: 'agent', modelCallsPerDay: 0 })

    expect(text).toContain('  Note (written by Claude): (not audited) Dates became UTC.')
    expect(text).not.toContain('Part 2 of the report is fixed for good.')
  })
})

describe('a rotated memory.md', () => {
  const made = madeOnce(() => {
    const project = quietProject({}, fastDir())
    for (const n of [2, 3, 4, 5]) capture(project, n, n < 4 ? guessing(n) : work(n))
    return project
  })
  const guessing = (n: number) => (lines: Lines) =>
    work(n)(lines) +
    lines.use(70_000, `t${n}`, 'Read', { file_path: 'src/report.ts' }) +
    lines.result(71_000, `t${n}`, 'File does not exist.', true)
  const note = (n: number, text: string, more: Partial<Note> = {}): string =>
    formatNote(
      {
        id: `n-x-${n}`,
        at: `2026-01-0${n}T20:00:00.000Z`,
        session: null,
        from: 0,
        to: 0,
        author: 'user',
        text,
        ...more,
      },
      'UTC',
    )
  const ofModel = (n: number): Partial<Note> => ({ session: `0000000${n}`, to: 2, author: 'headless' })
  const BLOCKS = [
    note(1, 'The first note of the user.'),
    note(2, 'Part two became simpler.', ofModel(2)),
    '## Plans\n\nThe printer moves to the cellar.\n\n',
    note(3, 'Part three became simpler.', ofModel(3)),
    note(4, 'Canary is the beta channel.', { id: 'n-claude-4', author: 'agent' }),
    note(5, 'Part five became simpler.', ofModel(5)),
    note(6, 'The last note of the user.'),
  ]

  /** What is told when it was cut there; without the list of archives. */
  function toldWhenCut(at: readonly number[]): string {
    const project = made()
    const cuts = [0, ...[...new Set(at)].toSorted((a, b) => a - b), BLOCKS.length]
    const files = cuts.slice(1).map((to, i) => BLOCKS.slice(cuts[i], to).join(''))
    for (const [i, text] of files.entries()) {
      const name = i === files.length - 1 ? 'memory.md' : `memory_2026010${i + 1}_090000.md`
      write(path.join(project.memory, name), text)
    }
    const store = storeOf(project)
    locked(store, () => repairMemory(store, NOW))
    expect(store.readState().rotatedFiles).toHaveLength(files.length - 1)
    return told(project).replace(/## Archives\n(?:- .*\n)+/, '')
  }

  it('gives the same bytes for the same sessions and notes, wherever it was cut', () => {
    const whole = toldWhenCut([])
    expect(whole).toContain('Part five became simpler.')
    expect(whole).toContain('[by hand] Note (by the user): Plans; The printer moves to the cellar.')
    expect(whole).toContain('`src/report.ts` does not exist')

    const cuts = fc.array(fc.integer({ min: 1, max: BLOCKS.length - 1 }), { minLength: 1, maxLength: 3 })
    fc.assert(
      fc.property(cuts, (at) => {
        expect(toldWhenCut(at)).toBe(whole)
      }),
      { numRuns: 25 },
    )
  })

  it('gives the same bytes when no note is left in it', () => {
    const whole = toldWhenCut([])
    const project = made()
    write(path.join(project.memory, 'memory_20260101_090000.md'), BLOCKS.join(''))
    const store = storeOf(project)
    locked(store, () => repairMemory(store, NOW))

    expect(fs.existsSync(path.join(project.memory, 'memory.md'))).toBe(false)
    expect(told(project).replace(/## Archives\n(?:- .*\n)+/, '')).toBe(whole)
  })
})
