/** A memory with sessions, and what code alone learned from them: facts and standing instructions, as the finisher does. */

import { readFacts } from '../../src/knowledge/disk/knowledge.ts'
import { type Reflected, reflect } from '../../src/knowledge/disk/reflection.ts'
import { type Facts, formatFacts, NO_FACTS } from '../../src/knowledge/fact.ts'
import { addFacts } from '../../src/knowledge/fact-add.ts'
import type { Numbered } from '../../src/notes/digest.ts'
import { correctionsIn } from '../../src/outgoing/correction.ts'
import { extractFacts } from '../../src/outgoing/fact-extract.ts'
import { statedIn } from '../../src/outgoing/standing.ts'
import { formatStanding, parseStanding } from '../../src/outgoing/standing-list.ts'
import { addStated } from '../../src/outgoing/standing-merge.ts'
import { toTell } from '../../src/sessions/delta.ts'
import type { Entry } from '../../src/transcript/session.ts'
import { makeProject, storeOf, type TestProject } from './project.ts'
import { remember } from './remembered.ts'

/** Days after these sessions. */
export const AFTER = '2026-02-01T12:00:00.000Z'

/** One session a day from the first of January on, in this order. */
export function learned(sessions: readonly (readonly Entry[])[], project = makeProject()): TestProject {
  const named = sessions.map((entries, i) => ({
    id8: `5e55000${i + 1}`,
    day: `2026-01-${String(i + 1).padStart(2, '0')}`,
    entries: entries.map((entry, n) => ({
      ...entry,
      ts: `2026-01-${String(i + 1).padStart(2, '0')}T09:${String(n).padStart(2, '0')}:00.000Z`,
    })),
  }))
  let facts = NO_FACTS
  let standing = parseStanding(null)
  for (const { id8, entries } of named) {
    const numbered: Numbered[] = toTell(entries.map((entry, n) => ({ n, entry })))
    facts = addFacts(facts, extractFacts(id8, numbered, 10))
    standing = addStated(standing, id8, [...statedIn(numbered), ...correctionsIn(numbered)], entries.length)
  }
  return remember(
    {
      sessions: Object.fromEntries(named.map(({ id8, day, entries }) => [id8, { day, entries }])),
      files: { 'facts.json': formatFacts(facts), 'standing.json': formatStanding(standing) },
    },
    project,
  )
}

export function reflectOn(project: TestProject, at = AFTER): Reflected {
  const store = storeOf(project)
  const done = store.whileLocked(1_000, () => reflect(store, at))
  if (done === null) throw new Error('the lock is taken')
  return done.value
}

export function factsIn(project: TestProject): Facts {
  return readFacts(storeOf(project))
}
