/** What code noted in place of a model: small pieces, and pieces of a time in which no model answered. A model reads them later. */
import fs from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readFacts } from '../../../../src/core/knowledge/disk/knowledge.ts'
import { readCalls, readHealth } from '../../../../src/core/model/disk/model-calls.ts'
import { writeNotes } from '../../../../src/core/notes/disk/background.ts'
import { handOut } from '../../../../src/core/notes/disk/handout.ts'
import { repairMemory } from '../../../../src/core/notes/disk/memory.ts'
import { noteByCode } from '../../../../src/core/notes/disk/notes.ts'
import { handedPiece, type Sound, savePieceOf } from '../../../../src/core/notes/disk/piece.ts'
import { rewriteNotes } from '../../../../src/core/notes/disk/rewrite.ts'
import { cutSession } from '../../../../src/core/notes/pending.ts'
import { beginOf, withoutUnread, withUnread } from '../../../../src/core/notes/unread.ts'
import { type Store, stateEffect } from '../../../../src/kernel/memory/disk/store.ts'
import { notesIn } from '../../../../src/kernel/memory/note.ts'
import { newSession, type SessionState } from '../../../../src/kernel/memory/session-state.ts'
import { EMPTY_STATE, sessionIn, withSessions } from '../../../../src/kernel/memory/state.ts'
import { deltaId } from '../../../../src/kernel/memory/work-item.ts'
import { captureSession } from '../../../../src/kernel/sessions/disk/capture.ts'
import { type Answer, type Stage, stageIn } from '../../../support/claude.ts'
import { decide, STORAGE } from '../../../support/decided.ts'
import { listed } from '../../../support/fact.ts'
import { locked, notesOf } from '../../../support/notes.ts'
import { envOf, runCommand } from '../../../support/process.ts'
import {
  append,
  fastDir,
  linesFor,
  NOW,
  now,
  quietProject,
  sessionId,
  type TestProject,
} from '../../../support/project.ts'
import { namesOf } from '../../../support/work.ts'
import { finishHere } from '../../../support/world.ts'

const BROKEN: Answer = { failsWith: 'API Error: 529 overloaded', status: 529 }
const NEXT_DAY = '2026-01-14T12:00:00.000Z'
const CORRECTION = 'No, keep them in SQLite.'
const DECIDED: Answer = {
  object: {
    note: [{ sentence: 'The user decided to keep the invoices in PostgreSQL.', entry: 0 }],
    stands: { text: 'All amounts are stored in cents now.', entry: 6 },
    facts: [STORAGE],
    rules: [],
    settles: [],
  },
}
/** The decision is the first fact that a model stored. */
const corrected = (id: string, entry = 0): Answer => ({
  object: {
    note: [{ sentence: 'The user wants to keep them in SQLite.', entry, user: entry }],
    stands: { text: 'They are kept in SQLite.', entry },
    facts: [
      {
        type: 'decision',
        text: 'The invoices are kept in SQLite.',
        quote: 'keep them in SQLite',
        entry,
        supersedes: [id],
      },
    ],
    rules: [],
    settles: [],
  },
})

function stage(answers: readonly Answer[], settings: object = {}): Stage {
  return stageIn(quietProject({ summarizer: 'headless', ...settings }, fastDir()), answers)
}

/** A prompt, whose note is due. */
function say(store: Store, project: TestProject, session: string, at: number, text: string, from?: number): void {
  append(project.transcriptOf(session), linesFor(session, project.root, {}, from).prompt(at, text))
  captureSession(store, { session, transcript: project.transcriptOf(session), host: 1 }, { waitMs: 5000, now })
  locked(store, () => store.perform([stateEffect(cutSession(store.readState(), session))]))
}

function end(store: Store, session: string): void {
  const state = store.readState()
  const known = sessionIn(state, session)
  if (known !== undefined)
    locked(store, () => store.perform([stateEffect(withSessions(state, [[session, { ...known, isEnded: true }]]))]))
}

async function finish({ store, around }: Stage, at = NOW): Promise<void> {
  if (await writeNotes(store, { ...around, now: () => at })) await rewriteNotes(store, { ...around, now: () => at })
}

const decisions = (store: Store): string[] =>
  listed(readFacts(store))
    .decisions.filter(({ by }) => by === 'headless')
    .map(({ text, state }) => `${state}: ${text}`)
const OVERTURNED = ['superseded: Invoices are kept in PostgreSQL.', 'fresh: The invoices are kept in SQLite.']

describe.skipIf(process.platform === 'win32')('a correction in a short session', () => {
  it('is read by a model when its session is over, beside what is known, and takes the decision back', async () => {
    const made = stage([DECIDED, corrected('d001')])
    const { store, project, claude } = made
    decide(store, project)
    await finish(made)
    say(store, project, sessionId(2), 1, CORRECTION)
    end(store, sessionId(2))
    await finish(made)
    const [, second, ...others] = claude.calls()

    expect(others).toEqual([])
    expect(second?.stdin).toContain(`#0 [User]: ${CORRECTION}`)
    // It shares no word with the decision.
    expect(second?.stdin).toMatch(/This piece is of 2026-01-13\.\n/)
    expect(second?.stdin).toMatch(/d001 decision of c001 of 2026-01-13: Invoices are kept in PostgreSQL\./)
    expect(decisions(store)).toEqual(OVERTURNED)
    expect(namesOf(store.readState(), 'read')).toEqual([])
    expect(notesOf(project).map(({ author }) => author)).toEqual(['headless', 'headless'])
  })

  it('waits noted by code while its session goes on, and the next piece begins with it', async () => {
    const made = stage([DECIDED, corrected('d001')])
    const { store, project, claude } = made
    decide(store, project)
    await finish(made)
    say(store, project, sessionId(2), 1, CORRECTION)
    const then = sessionIn(store.readState(), sessionId(2))?.refine.ts
    await finish(made, then)

    expect(claude.calls()).toHaveLength(1)
    expect(notesOf(project).map(({ author }) => author)).toEqual(['headless', 'extractive'])
    expect(namesOf(store.readState(), 'read')).toEqual(['00000002-0-1'])

    say(store, project, sessionId(2), 2, `Now the export. ${'It has to be faster than it is today. '.repeat(12)}`)
    await finish(made, then)
    expect(claude.calls()[1]?.stdin).toMatch(
      new RegExp(`#0 \\[User\\]: ${CORRECTION}\\s+#1 \\[User\\]: Now the export`),
    )
    expect(decisions(store)).toEqual(OVERTURNED)
    // The model's note covers what code had noted.
    expect(notesOf(project).map(({ from, to, author }) => [from, to, author])).toEqual([
      [0, 7, 'headless'],
      [0, 2, 'headless'],
    ])
    expect(namesOf(store.readState(), 'read')).toEqual([])
  })

  it.each(['thanks', '/clear', 'ok'])('is no correction that says only %j: no call is made', async (words) => {
    const made = stage([DECIDED])
    say(made.store, made.project, sessionId(2), 1, words)
    end(made.store, sessionId(2))
    await finish(made)

    expect(made.claude.calls()).toEqual([])
  })

  it('stays with code where the user wants no model', async () => {
    const made = stage([DECIDED], { summarizer: 'extractive' })
    say(made.store, made.project, sessionId(2), 1, CORRECTION)
    end(made.store, sessionId(2))
    await finish(made)

    expect(made.claude.calls()).toEqual([])
    expect(namesOf(made.store.readState(), 'read')).toEqual([])
  })
})

const EXPORT = `Now the export. ${'It has to be faster than it is today. '.repeat(12)}`

/** A small piece that code noted, in a session that goes on. */
async function begun(answers: readonly Answer[]): Promise<Stage & { then: string }> {
  const made = stage(answers)
  say(made.store, made.project, sessionId(2), 1, CORRECTION)
  const then = sessionIn(made.store.readState(), sessionId(2))?.refine.ts ?? NOW
  await finish(made, then)
  expect(namesOf(made.store.readState(), 'read')).toEqual(['00000002-0-1'])
  return { ...made, then }
}

describe.skipIf(process.platform === 'win32')('a piece that begins with an unread one', () => {
  const soundOf = (text: string): Sound => ({
    ...{ note: [{ text, entry: 1 }], stands: null, rules: [], settles: [], checked: null, refused: [] },
  })

  /** While the call runs, the next session begins, and code notes what is left of this one. */
  async function racedBy(text: string) {
    const made = await begun([DECIDED])
    const { store, project, then } = made
    say(store, project, sessionId(2), 2, EXPORT)
    const delta = locked(store, () => handOut(store, 'headless', 60_000, then)) ?? expect.fail()
    const piece = locked(store, () => handedPiece(store, delta, then)) ?? expect.fail()
    end(store, sessionId(2))
    locked(store, () => noteByCode(store, then))
    const fresh = locked(store, () => savePieceOf(store, piece, soundOf(text), then))
    const notes = notesOf(project).map(({ from, to, author }) => [from, to, author])
    return { piece, fresh, notes, unread: namesOf(store.readState(), 'read') }
  }

  it('and that code noted while the call ran has the note of the model for its own range', async () => {
    const { piece, fresh, notes, unread } = await racedBy('The user wants the export to be faster than it is today.')

    expect(piece.range).toMatchObject({ from: 0, to: 2 })
    expect(notes).toEqual([
      [0, 1, 'extractive'],
      [1, 2, 'headless'],
    ])
    expect(fresh).toMatchObject({ id: '00000002-1-2', range: { from: 1, to: 2 }, sentences: [{ entry: 1 }] })
    expect(unread).toEqual(['00000002-0-1'])
  })

  it('stays unread where its note could not be saved', async () => {
    const { fresh, notes, unread } = await racedBy('The user wants them kept in invoices_old.db.')

    expect(notes).toEqual([
      [0, 1, 'extractive'],
      [1, 2, 'extractive'],
    ])
    expect(fresh.sentences).toEqual([])
    expect(unread).toEqual(['00000002-0-1', '00000002-1-2'])
  })
})

describe.skipIf(process.platform === 'win32')('a note by code that a person', () => {
  const FASTER: Answer = {
    object: {
      note: [{ sentence: 'The user wants the export to be faster than it is today.', entry: 1 }],
      ...{ stands: { text: '', entry: 0 }, facts: [], rules: [], settles: [] },
    },
  }
  const inEditor = ({ project }: Stage, change: (text: string) => string): void => {
    const file = `${project.memory}/memory.md`
    fs.writeFileSync(file, change(fs.readFileSync(file, 'utf8')))
  }
  const byCommand = ({ project }: Stage, ...words: string[]): void =>
    expect(runCommand(project, ['notes', ...words]).code).toBe(0)

  it.each<[string, (made: Stage) => void, string[]]>([
    ['removed', (made) => byCommand(made, 'remove', 'n-00000002-0-1'), []],
    ['deleted in an editor', (made) => inEditor(made, () => '# Memory\n\n'), []],
    ['edited', (made) => byCommand(made, 'edit', 'n-00000002-0-1', '--text', 'I meant MySQL.'), ['I meant MySQL.']],
  ])('%s is not written again, and its entries are not read', async (_, change, left) => {
    const made = await begun([FASTER])
    const { store, project, claude, then } = made
    change(made)
    say(store, project, sessionId(2), 2, EXPORT)
    await finish(made, then)
    end(store, sessionId(2))
    await finish(made, then)

    expect(claude.calls().map(({ stdin }) => stdin.includes(CORRECTION))).toEqual([false])
    expect(notesOf(project).map(({ text }) => text)).toEqual([
      ...left,
      'The user wants the export to be faster than it is today.',
    ])
    expect(namesOf(store.readState(), 'read')).toEqual([])
  })

  it('removed is not unread any more', async () => {
    const made = await begun([FASTER])
    byCommand(made, 'remove', 'n-00000002-0-1')

    expect(namesOf(made.store.readState(), 'read')).toEqual([])
  })
})

describe.skipIf(process.platform === 'win32')('a kill between memory.md and the state', () => {
  it('leaves a piece that code noted unread', async () => {
    const made = stage([corrected('d001')])
    const { store, project, claude } = made
    say(store, project, sessionId(2), 1, CORRECTION)
    end(store, sessionId(2))
    const dying: Store = {
      ...store,
      perform: (effects) => {
        store.perform(effects)
        if (effects.some((effect) => 'path' in effect && effect.path === 'memory.md')) throw new Error('killed')
      },
    }
    expect(() => locked(store, () => noteByCode(dying, NOW))).toThrow('killed')
    await finish(made)

    expect(claude.calls()[0]?.stdin).toContain(CORRECTION)
    expect(notesOf(project).map(({ from, to, author }) => [from, to, author])).toEqual([[0, 1, 'headless']])
    expect(namesOf(store.readState(), 'read')).toEqual([])
  })
})

describe.skipIf(process.platform === 'win32')('a correction of yesterday', () => {
  it('that is read after a decision of today does not take it back', async () => {
    const made = stage([DECIDED, corrected('d001')])
    const { store, project, claude } = made
    say(store, project, sessionId(2), 1, CORRECTION, Date.parse(NOW) - 24 * 60 * 60_000)
    end(store, sessionId(2))
    locked(store, () => noteByCode(store, NOW))
    decide(store, project)
    end(store, sessionId(1))
    await finish(made)

    expect(claude.calls()).toHaveLength(2)
    expect(decisions(store)).toEqual([
      'fresh: Invoices are kept in PostgreSQL.',
      'fresh: The invoices are kept in SQLite.',
    ])
  })
})

describe.skipIf(process.platform === 'win32')('a session that code noted while no model answered', () => {
  it('is read once a model answers again, within the share of history', async () => {
    const made = stage([BROKEN, DECIDED])
    const { store, project, claude } = made
    decide(store, project)
    end(store, sessionId(1))
    await finish(made)
    locked(store, () => noteByCode(store, NOW))

    expect(namesOf(store.readState(), 'read')).toEqual(['00000001-0-7'])
    expect(decisions(store)).toEqual([])

    await finish(made, NEXT_DAY)
    expect(decisions(store)).toEqual(['fresh: Invoices are kept in PostgreSQL.'])
    expect(notesOf(project).map(({ from, to, author }) => [from, to, author])).toEqual([[0, 7, 'headless']])
    expect(readCalls(project.keeper).map(({ kind, history }) => [kind, history === true])).toEqual([
      ['note', false],
      ['note', true],
      ['audit', true],
    ])
    expect(claude.calls()).toHaveLength(2)
    await finish(made, NEXT_DAY)
    expect(claude.calls()).toHaveLength(2)
  })

  it('is read also where the share of history is less than one call', async () => {
    const made = stage([DECIDED], { modelCallsPerDay: 3 })
    decide(made.store, made.project)
    end(made.store, sessionId(1))
    locked(made.store, () => noteByCode(made.store, NOW))
    await finish(made)

    expect(made.claude.calls()).toHaveLength(1)
    expect(namesOf(made.store.readState(), 'read')).toEqual([])
  })

  it('is read on the next day where the day’s calls were used up', async () => {
    const made = stage([DECIDED], { modelCallsPerDay: 4 })
    const { store, project, claude } = made
    // A note and its audit for each; the third is not asked for.
    for (const n of [1, 2, 3]) {
      decide(store, project, sessionId(n))
      end(store, sessionId(n))
      await finish(made)
    }

    expect(namesOf(store.readState(), 'read')).toEqual(['00000003-0-7'])
    await finish(made, NEXT_DAY)
    expect(namesOf(store.readState(), 'read')).toEqual([])
    expect(claude.calls()).toHaveLength(3)
  })

  it('is not read any more where a person changed its note meanwhile', async () => {
    const made = stage([BROKEN, DECIDED])
    const { store, project, claude } = made
    decide(store, project)
    end(store, sessionId(1))
    await finish(made)
    locked(store, () => noteByCode(store, NOW))
    const file = `${project.memory}/memory.md`
    fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace('PostgreSQL', 'the cellar'))
    await finish(made, NEXT_DAY)

    expect(fs.readFileSync(file, 'utf8')).toContain('the cellar')
    expect(claude.calls()).toHaveLength(1)
    expect(namesOf(store.readState(), 'read')).toEqual([])
  })

  it('is read where its note has gone into an archive, and the note of the model takes its place there', async () => {
    const made = stage([DECIDED])
    const { store, project } = made
    decide(store, project)
    end(store, sessionId(1))
    locked(store, () => noteByCode(store, NOW))
    const archive = 'memory_20260113_120000.md'
    fs.renameSync(`${project.memory}/memory.md`, `${project.memory}/${archive}`)
    fs.writeFileSync(`${project.memory}/memory.md`, '# Memory\n\n')
    locked(store, () => repairMemory(store, NOW))
    await finish(made)

    const kept = notesIn(fs.readFileSync(`${project.memory}/${archive}`, 'utf8'))
    expect(kept.map(({ id, author, unaudited }) => [id, author, unaudited])).toEqual([
      ['n-00000001-0-7', 'headless', undefined],
    ])
    expect(notesOf(project)).toEqual([])
    expect(namesOf(store.readState(), 'read')).toEqual([])
  })
})

describe.skipIf(process.platform === 'win32')('a piece whose call fails', () => {
  const UNREADABLE: Answer = { dies: 0 }
  /** Two sessions that code noted, the first one to be read first. */
  function noted(answers: readonly Answer[]): Stage {
    const made = stage(answers)
    for (const n of [1, 2]) {
      decide(made.store, made.project, sessionId(n))
      end(made.store, sessionId(n))
      locked(made.store, () => noteByCode(made.store, NOW))
    }
    expect(namesOf(made.store.readState(), 'read')).toEqual(['00000001-0-7', '00000002-0-7'])
    return made
  }
  const day = (n: number): string => new Date(Date.parse(NOW) + n * 24 * 60 * 60_000).toISOString()

  it('lets the others come first, and stays with its note by code after the second failure', async () => {
    const made = noted([UNREADABLE, DECIDED, UNREADABLE])
    const { store, claude } = made
    await finish(made)
    expect(namesOf(store.readState(), 'read')).toEqual(['00000002-0-7', '00000001-0-7'])

    // The other one is read, and then this one fails again.
    await finish(made, day(1))
    expect(store.readState().work).toEqual([])
    await finish(made, day(2))
    expect(claude.calls()).toHaveLength(3)
  })

  it.each([
    ['overloaded', BROKEN],
    ['not logged in', { failsWith: 'Not logged in · Please run /login', status: null }],
  ])('because the way to the model is closed (%s) is never given up', async (_, answer: Answer) => {
    const made = noted([answer])
    for (let n = 0; n < 5; n++) await finish(made, day(n))

    expect(namesOf(made.store.readState(), 'read').sort()).toEqual(['00000001-0-7', '00000002-0-7'])
    expect(made.claude.calls()).toHaveLength(5)
  })

  it('is not followed by another call of the same run', async () => {
    const made = stage([BROKEN])
    const { store, project, claude } = made
    decide(store, project, sessionId(1))
    end(store, sessionId(1))
    locked(store, () => noteByCode(store, NOW))
    decide(store, project, sessionId(2))
    await finishHere(project, { for: 'end', session: sessionId(2) }, { env: { ...envOf(project), PATH: claude.bin } })

    expect(claude.calls()).toHaveLength(1)
    expect(readHealth(project.keeper)).toMatchObject({ failuresInRow: 1, pausedUntil: null })
    expect(namesOf(store.readState(), 'read')).toEqual(['00000001-0-7'])
  })
})

describe('ranges that no model has read', () => {
  const range = fc.tuple(fc.nat(20), fc.integer({ min: 1, max: 5 })).map(([from, size]) => ({
    session: 'aaaaaaaa',
    ...{ from, to: from + size },
  }))

  const ofTwo = fc.tuple(fc.constantFrom('aaaaaaaa', 'bbbbbbbb'), fc.nat(400)).map(([session, from]) => ({
    ...{ session, from, to: from + 1 },
  }))

  it('are a hundred at most: imported ones go first, then the oldest', () => {
    const known = (id8: string): SessionState => ({ ...newSession(''), file: `20260113_090000_${id8}.l1.jsonl` })
    const { sessions } = withSessions(EMPTY_STATE, [
      ['a', { ...known('aaaaaaaa'), isLive: true }],
      ['b', known('bbbbbbbb')],
    ])
    fc.assert(
      fc.property(fc.array(ofTwo, { minLength: 90, maxLength: 300, size: 'max' }), (ranges) => {
        const unread = namesOf(ranges.reduce(withUnread, { ...EMPTY_STATE, sessions }), 'read')
        const names = [
          ...new Set(ranges.map((one) => deltaId(one.session, one.from, one.to)).toReversed()),
        ].toReversed()
        const live = names.filter((name) => name.startsWith('aaaaaaaa'))
        const imported = names.filter((name) => name.startsWith('bbbbbbbb'))
        const isLost = names.length > unread.length

        expect(unread.length).toBe(Math.min(100, names.length))
        expect(unread.filter((name) => live.includes(name))).toEqual(live.slice(-100))
        if (isLost) expect(unread.filter((name) => imported.includes(name)).length).toBe(Math.max(0, 100 - live.length))
      }),
      { numRuns: 30 },
    )
  })

  it('are kept once, and go with a piece that covers them', () => {
    fc.assert(
      fc.property(fc.array(range), range, (ranges, piece) => {
        const state = ranges.reduce((some, one) => withUnread(some, one), EMPTY_STATE)
        const left = namesOf(withoutUnread(state, piece), 'read')
        const names = ranges.map(({ session, from, to }) => deltaId(session, from, to))
        const isOutside = ranges.filter(({ from, to }) => from < piece.from || to > piece.to)

        expect(namesOf(state, 'read').sort()).toEqual([...new Set(names)].sort())
        expect([...left].sort()).toEqual(
          [...new Set(isOutside.map((one) => deltaId(one.session, one.from, one.to)))].sort(),
        )
      }),
    )
  })

  it('in a row begin the next piece, as far as they are taken', () => {
    const of = (from: number, to: number) => ({ session: 'aaaaaaaa', from, to })
    const state = [of(0, 2), of(2, 5), of(5, 6), { ...of(3, 6), session: 'bbbbbbbb' }].reduce(withUnread, EMPTY_STATE)

    expect(beginOf(state, of(6, 9), () => true)).toBe(0)
    expect(beginOf(state, of(6, 9), ({ to }) => to > 2)).toBe(2)
    expect(beginOf(state, of(7, 9), () => true)).toBe(7)
  })
})
