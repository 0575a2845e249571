/** What code noted in place of a model: small pieces, and pieces of a time in which no model answered. A model reads them later. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readFacts } from '../../../src/knowledge/disk/knowledge.ts'
import { type Store, stateEffect } from '../../../src/memory/disk/store.ts'
import { EMPTY_STATE, sessionIn, withSessions } from '../../../src/memory/state.ts'
import { readCalls } from '../../../src/model/disk/model-calls.ts'
import { writeNotes } from '../../../src/notes/disk/background.ts'
import { noteByCode } from '../../../src/notes/disk/notes.ts'
import { rewriteNotes } from '../../../src/notes/disk/rewrite.ts'
import { cutSession } from '../../../src/notes/pending.ts'
import { beginOf, withoutUnread, withUnread } from '../../../src/notes/unread.ts'
import { deltaId } from '../../../src/sessions/delta.ts'
import { captureSession } from '../../../src/sessions/disk/capture.ts'
import { type Answer, type Stage, stageIn } from '../../support/claude.ts'
import { decide, STORAGE } from '../../support/decided.ts'
import { locked, notesOf } from '../../support/notes.ts'
import {
  append,
  fastDir,
  linesFor,
  NOW,
  now,
  quietProject,
  sessionId,
  type TestProject,
} from '../../support/project.ts'

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
  await writeNotes(store, { ...around, now: () => at })
  await rewriteNotes(store, { ...around, now: () => at })
}

const decisions = (store: Store): string[] =>
  readFacts(store)
    .decisions.filter(({ author }) => author === 'headless')
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
    expect(store.readState().unread).toEqual([])
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
    expect(store.readState().unread).toEqual(['00000002-0-1'])

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
    expect(store.readState().unread).toEqual([])
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
    expect(made.store.readState().unread).toEqual([])
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

    expect(store.readState().unread).toEqual(['00000001-0-7'])
    expect(decisions(store)).toEqual([])

    await finish(made, NEXT_DAY)
    expect(decisions(store)).toEqual(['fresh: Invoices are kept in PostgreSQL.'])
    expect(notesOf(project).map(({ from, to, author }) => [from, to, author])).toEqual([[0, 7, 'headless']])
    expect(readCalls(project.keeper).map(({ kind, history }) => [kind, history === true])).toEqual([
      ['note', false],
      ['note', true],
      ['audit', false],
    ])
    expect(claude.calls()).toHaveLength(2)
    await finish(made, NEXT_DAY)
    expect(claude.calls()).toHaveLength(2)
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

    expect(store.readState().unread).toEqual(['00000003-0-7'])
    await finish(made, NEXT_DAY)
    expect(store.readState().unread).toEqual([])
    expect(claude.calls()).toHaveLength(3)
  })

  it('keeps a note that a person changed meanwhile, and its facts are stored all the same', async () => {
    const made = stage([BROKEN, DECIDED])
    const { store, project } = made
    decide(store, project)
    end(store, sessionId(1))
    await finish(made)
    locked(store, () => noteByCode(store, NOW))
    const file = `${project.memory}/memory.md`
    const fs = await import('node:fs')
    fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace('PostgreSQL', 'the cellar'))
    await finish(made, NEXT_DAY)

    expect(fs.readFileSync(file, 'utf8')).toContain('the cellar')
    expect(decisions(store)).toEqual(['fresh: Invoices are kept in PostgreSQL.'])
  })
})

describe('ranges that no model has read', () => {
  const range = fc.tuple(fc.nat(20), fc.integer({ min: 1, max: 5 })).map(([from, size]) => ({
    session: 'aaaaaaaa',
    ...{ from, to: from + size },
  }))

  it('are kept once, and go with a piece that covers them', () => {
    fc.assert(
      fc.property(fc.array(range), range, (ranges, piece) => {
        const state = ranges.reduce((some, one) => withUnread(some, one), EMPTY_STATE)
        const left = withoutUnread(state, piece).unread
        const names = ranges.map(({ session, from, to }) => deltaId(session, from, to))
        const isOutside = ranges.filter(({ from, to }) => from < piece.from || to > piece.to)

        expect([...state.unread].sort()).toEqual([...new Set(names)].sort())
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
