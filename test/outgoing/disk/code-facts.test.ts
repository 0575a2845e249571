/** Facts that code finds in history and ahead of notes. */
import { describe, expect, it } from 'vitest'
import { readFacts } from '../../../src/knowledge/disk/knowledge.ts'
import { allFacts } from '../../../src/knowledge/fact.ts'
import { type Store, stateEffect } from '../../../src/memory/disk/store.ts'
import { allSessions } from '../../../src/memory/state.ts'
import { noteByCode } from '../../../src/notes/disk/notes.ts'
import { settleHistory } from '../../../src/notes/pending.ts'
import { factsAhead, factsOfHistory } from '../../../src/outgoing/disk/code-facts.ts'
import { catchUp } from '../../../src/sessions/disk/catch-up.ts'
import { locked } from '../../support/notes.ts'
import { append, linesFor, NOW, now, quietProject, sessionId, storeOf, treeOf } from '../../support/project.ts'

const DAY_MS = 86_400_000
const SAID = [
  "Let's use MySQL for the orders.",
  "Let's use Postgres for the orders instead of MySQL.",
  'Never touch the legacy folder.',
]
const OPTIONS = { now, isLate: () => false, waitMs: 5_000 }

/** A session a day, in each of which one thing is decided; the newest entries are noted, the rest is history. */
function imported(firstRunMaxEntries: number): Store {
  const project = quietProject()
  SAID.forEach((said, i) => {
    const session = sessionId(i + 1)
    const began = Date.parse(NOW) - (10 - i) * DAY_MS
    const lines = linesFor(session, project.root, {}, began)
    append(project.transcriptOf(session), lines.prompt(1, said) + lines.answer(2, 'Understood.'))
  })
  const store = storeOf(project)
  catchUp(store, { waitMs: 5_000, now, look: 'all' })
  locked(store, () => store.perform([stateEffect(settleHistory(store.readState(), NOW, firstRunMaxEntries))]))
  return store
}

const told = (store: Store): string[] => {
  const all = allFacts(readFacts(store))
  const textOf = (id: string): string => all.find((fact) => fact.id === id)?.text ?? 'nothing'
  return all.map(({ text, state, contradictedBy }) => {
    expect(state).toBe('fresh')
    return contradictedBy === undefined ? text : `${text} But: ${textOf(contradictedBy)}`
  })
}

/** What was only said supersedes nothing: the earlier decision is shown with the one that contradicts it. */
const CONTRADICTED = `${SAID[0]} But: ${SAID[1]}`

describe('history that nobody notes', () => {
  it('gives its facts once, without a note', () => {
    const store = imported(0)

    expect(factsOfHistory(store, OPTIONS)).toBe(3)
    expect(told(store)).toEqual([CONTRADICTED, SAID[1], SAID[2]])
    expect(store.readState().lastMemoryUpdateTs).toBeNull()
    const before = treeOf(store.dir)
    expect(factsOfHistory(store, OPTIONS)).toBe(0)
    expect(treeOf(store.dir)).toEqual(before)
  })

  it('is left to later where there is no time, and to notes where they are owed', () => {
    const store = imported(2)

    expect(factsOfHistory(store, { ...OPTIONS, isLate: () => true })).toBe(0)
    expect(told(store)).toEqual([])
    expect(factsOfHistory(store, OPTIONS)).toBe(2)
    expect(told(store)).toEqual([CONTRADICTED, SAID[1]])
  })

  it('counts for a session that is noted from its middle on', () => {
    const store = imported(1)
    const [[id] = ['']] = allSessions(store.readState()).filter(([, { watermark }]) => watermark === 1)
    locked(store, () => {
      const state = store.readState()
      const sessions = { ...state.sessions, [id]: { ...state.sessions[id], due: 2 } }
      store.perform([stateEffect({ ...state, sessions })])
      noteByCode(store, NOW)
    })

    expect(told(store)).toEqual([SAID[2]])
  })
})

describe('facts ahead of notes', () => {
  it('are those of the newest session first', () => {
    const store = imported(100)
    locked(store, () => {
      const state = store.readState()
      const owed = allSessions(state).map(([id, session]) => [id, { ...session, due: session.entries }] as const)
      store.perform([stateEffect({ ...state, sessions: { ...state.sessions, ...Object.fromEntries(owed) } })])
      let looks = 0
      factsAhead(
        store,
        () => true,
        () => looks++ >= 2,
        NOW,
      )
    })

    expect(told(store)).toEqual([SAID[1], SAID[2]])
    locked(store, () => noteByCode(store, NOW))
    expect(told(store).toSorted()).toEqual([CONTRADICTED, SAID[1], SAID[2]].toSorted())
  })
})
