/** Tiers over any dates: no session is lost, none is told twice, whenever it is killed and however often it runs. */
import fs from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ageTiers } from '../../../../src/core/notes/disk/tiers.ts'
import { partsOf } from '../../../../src/core/notes/tier.ts'
import { periodOf } from '../../../../src/core/notes/tier-period.ts'
import { openStore, type Store } from '../../../../src/kernel/memory/disk/store.ts'
import { readSession } from '../../../../src/kernel/sessions/disk/lineage.ts'
import { anyKill, Killed, killingDisk } from '../../../support/killing-disk.ts'
import { addSession, entriesOf, fileOf, id8Of, type OldSession } from '../../../support/old-sessions.ts'
import { fastDir, makeProject, now, storeOf, treeOf } from '../../../support/project.ts'

const DAY_MS = 24 * 60 * 60_000
/** Years that begin and end in other weeks, one with 53 of them, both changes of the clocks, a leap day. */
const anyAt = fc
  .integer({ min: Date.UTC(2026, 10, 1), max: Date.UTC(2028, 2, 10) })
  .map((ms) => new Date(ms - (ms % 1000)).toISOString())
const edges = fc.constantFrom(
  '2026-12-27T23:59:59.000Z',
  '2026-12-28T00:00:00.000Z',
  '2026-12-31T23:59:59.000Z',
  '2027-01-01T00:00:00.000Z',
  '2027-01-03T23:59:59.000Z',
  '2027-01-04T00:00:00.000Z',
  '2027-03-28T01:00:00.000Z',
  '2027-10-31T01:30:00.000Z',
  '2027-10-31T00:59:59.000Z',
  '2028-02-29T12:00:00.000Z',
)
const LAST = Date.UTC(2028, 5, 1)

/** Each has up to 14 sessions at dates of which half are edges: every edge comes about ten times. */
const MEMORIES = 24

const anySessions = fc
  .array(fc.tuple(fc.oneof(anyAt, edges), fc.constantFrom(1, 1, 30, 24 * 20)), { minLength: 1, maxLength: 14 })
  .map((all) => all.map(([at, hours], n): OldSession => ({ n, at, hours, word: `word${n}` })))

const project = makeProject('app', fastDir())

function memoryWith(sessions: readonly OldSession[]): Store {
  fs.rmSync(project.memory, { recursive: true, force: true })
  const store = storeOf(project)
  for (const session of sessions) addSession(store, session)
  return store
}

/** Where each session is told, and in which words. */
function told(store: Store): Map<string, { in: string; text: string }[]> {
  const found = new Map<string, { in: string; text: string }[]>()
  const add = (id8: string, one: { in: string; text: string }): void => {
    found.set(id8, [...(found.get(id8) ?? []), one])
  }
  for (const [name, text] of Object.entries(treeOf(path.join(store.dir, 'sessions')))) {
    const summary = /^\d{8}_\d{6}_([0-9a-z]{8})\.md$/.exec(name)?.[1]
    if (summary !== undefined) add(summary, { in: 'a summary', text })
    const period = periodOf(name)
    if (period === null) continue
    for (const block of partsOf(text).parts) {
      expect(block.at >= period.from && block.at < period.to).toBe(true)
      add(block.id8, { in: name, text: block.text })
    }
  }
  return found
}

function expectAll(store: Store, sessions: readonly OldSession[]): void {
  const found = told(store)
  for (const session of sessions) {
    const places = found.get(id8Of(session.n)) ?? []
    expect(places.map((place) => place.in)).toHaveLength(1)
    expect(places[0]?.text).toContain(`User: Please make the ${session.word} accept empty lines.`)
    expect(readSession(store, fileOf(session))).toEqual(entriesOf(session))
  }
  expect([...found.keys()].sort()).toEqual(sessions.map(({ n }) => id8Of(n)).sort())
}

/** What killed writers left goes later. */
function rendered(store: Store): object {
  const files = Object.entries(treeOf(path.join(store.dir, 'sessions')))
  return Object.fromEntries(files.filter(([name]) => !name.endsWith('.tmp')))
}

function age(store: Store, ms: number): void {
  ageTiers(store, { now: new Date(ms).toISOString(), isLate: () => false })
}

describe('over any dates', () => {
  it('every session is told once, in the period in which it began, and keeps its entries', () => {
    fc.assert(
      fc.property(anySessions, fc.array(anyAt, { maxLength: 4 }), (sessions, days) => {
        const store = memoryWith(sessions)
        for (const day of [...days.map((at) => Date.parse(at)).sort((a, b) => a - b), LAST]) {
          age(store, day)
          expectAll(store, sessions)
        }
        // By then every week is over for long.
        const files = Object.keys(treeOf(path.join(store.dir, 'sessions')))
        expect(files.filter((name) => !/^archive(?:$|\/\d{4}-\d\d\.md$|\/.*\.gz$)/.test(name))).toEqual([])
      }),
      { numRuns: MEMORIES },
    )
  })

  it('a second run changes nothing', () => {
    fc.assert(
      fc.property(anySessions, anyAt, (sessions, day) => {
        const store = memoryWith(sessions)
        age(store, Date.parse(day))
        const before = treeOf(store.dir)
        age(store, Date.parse(day))
        expect(treeOf(store.dir)).toEqual(before)
      }),
      { numRuns: MEMORIES / 2 },
    )
  })

  it('a run every day makes the same files as one at the end', () => {
    fc.assert(
      fc.property(anySessions, (sessions) => {
        const once = memoryWith(sessions)
        age(once, LAST)
        const atTheEnd = rendered(once)
        const daily = memoryWith(sessions)
        const begin = Math.min(...sessions.map(({ at }) => Date.parse(at)))
        for (let day = begin; day < LAST; day += DAY_MS) age(daily, day)
        age(daily, LAST)

        expect(rendered(daily)).toEqual(atTheEnd)
        expectAll(daily, sessions)
      }),
      // A year and a half of days each.
      { numRuns: 4 },
    )
  }, 60_000)

  it('a kill at any write costs nothing and doubles nothing, and a second run makes the same files as one without a kill', () => {
    fc.assert(
      fc.property(
        anySessions,
        fc.array(fc.array(anyKill, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 3 }),
        fc.array(anyAt, { minLength: 2, maxLength: 3 }),
        (sessions, allKills, days) => {
          memoryWith(sessions)
          const sorted = [...days].sort()
          for (const [i, day] of [...sorted, new Date(LAST).toISOString()].entries()) {
            const kills = [...(allKills[i] ?? [])]
            const store = openStore(project.places, { now, disk: killingDisk(kills) })
            for (let isDone = false; !isDone; ) {
              try {
                age(store, Date.parse(day))
                isDone = true
              } catch (error) {
                if (!(error instanceof Killed)) throw error
              }
              expectFindable(storeOf(project), sessions)
            }
            expectAll(storeOf(project), sessions)
          }
          const afterKills = rendered(storeOf(project))
          const store = memoryWith(sessions)
          for (const day of [...sorted, new Date(LAST).toISOString()]) age(store, Date.parse(day))
          expect(afterKills).toEqual(rendered(store))
        },
      ),
      { numRuns: MEMORIES },
    )
  }, 60_000)
})

/** In the middle of it a session may be told in two places, but never in none. */
function expectFindable(store: Store, sessions: readonly OldSession[]): void {
  const found = told(store)
  for (const session of sessions) {
    const places = found.get(id8Of(session.n)) ?? []
    expect(places.length).toBeGreaterThan(0)
    for (const place of places) expect(place.text).toContain(`Please make the ${session.word} accept`)
    expect(readSession(store, fileOf(session))).toEqual(entriesOf(session))
  }
}
