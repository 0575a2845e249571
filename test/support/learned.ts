/** A memory with sessions, and decisions that were saved from them: each at every place that says it. */

import { readFacts } from '../../src/core/knowledge/disk/knowledge.ts'
import { type Reflected, reflectAll } from '../../src/core/knowledge/disk/reflection.ts'
import { formatItems } from '../../src/core/knowledge/facts-file.ts'
import type { Fact } from '../../src/core/knowledge/item.ts'
import type { Items } from '../../src/core/knowledge/items.ts'
import type { Entry } from '../../src/kernel/transcript/session.ts'
import { fact, factsWith } from './fact.ts'
import { makeProject, storeOf, type TestProject } from './project.ts'
import { remember } from './remembered.ts'

/** Days after these sessions. */
export const AFTER = '2026-02-01T12:00:00.000Z'

/** One session a day from the first of January on, in this order. `texts`: what is a decision wherever it is said. */
export function learned(
  sessions: readonly (readonly Entry[])[],
  texts: readonly string[] = [],
  project = makeProject(),
): TestProject {
  const named = sessions.map((entries, i) => {
    const day = `2026-01-${String(i + 1).padStart(2, '0')}`
    const timed = entries.map((entry, n) => ({ ...entry, ts: `${day}T09:${String(n).padStart(2, '0')}:00.000Z` }))
    return { id8: `5e55000${i + 1}`, day, entries: timed }
  })
  const facts = texts.flatMap((text, i): Fact[] => {
    const places = named.flatMap(({ id8, day, entries }) =>
      entries.flatMap((entry, n) => ('text' in entry && entry.text.includes(text) ? [{ id8, n, day }] : [])),
    )
    const [first, ...others] = places
    if (first === undefined) return []
    return [
      fact({
        id: `d${String(i + 1).padStart(3, '0')}`,
        text,
        at: `${first.day}T09:00:00.000Z`,
        lastAt: `${places.at(-1)?.day}T09:00:00.000Z`,
        session: first.id8,
        evidence: { entry: first.n, quote: text },
        also: others.map(({ id8, n }) => `${id8}#${n}`),
        by: 'agent',
      }),
    ]
  })
  return remember(
    {
      sessions: Object.fromEntries(named.map(({ id8, day, entries }) => [id8, { day, entries }])),
      files: { 'facts.json': formatItems(factsWith(...facts)) },
    },
    project,
  )
}

export function reflectOn(project: TestProject, at = AFTER): Reflected {
  const store = storeOf(project)
  return reflectAll(store, { now: () => at, isLate: () => false, waitMs: 1_000 })
}

export function factsIn(project: TestProject): Items {
  return readFacts(storeOf(project))
}
