/** Reflection on thousands of facts beside others: short holds of the lock, progress each time, and an end. */
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { readFacts, writeFacts } from '../../../src/knowledge/disk/knowledge.ts'
import type { Store } from '../../../src/memory/disk/store.ts'
import { reflectAll } from '../../../src/outgoing/disk/reflection-all.ts'
import { reflectedIn } from '../../../src/outgoing/reflection-marks.ts'
import { fact, factsWith } from '../../support/fact.ts'
import { fastDir, NOW, quietProject, storeOf } from '../../support/project.ts'
import { remember } from '../../support/remembered.ts'

function world(recurring: number): Store {
  const facts = Array.from({ length: recurring }, (_, i) =>
    fact({ id: `d${String(i + 1).padStart(3, '0')}`, text: `Thing${i} is kept.`, also: ['aaaaaaaa#1', 'bbbbbbbb#2'] }),
  )
  return storeOf(remember({ facts: factsWith(...facts) }, quietProject({}, fastDir())))
}

/** Each look at this clock is ten seconds later than the one before. */
function slowClock(): () => number {
  let ms = 0
  return () => (ms += 10_000)
}

const weighedIn = (store: Store): number =>
  Object.entries(reflectedIn(readFacts(store))).filter(([key, mark]) => /^d\d/.test(key) && mark !== '').length

/** The same memory, and how often its lock is taken; `meanwhile` is done by others before that. */
function watched(
  store: Store,
  meanwhile: (n: number) => void = () => undefined,
): { store: Store; holds: () => number } {
  let holds = 0
  const whileLocked: Store['whileLocked'] = (waitMs, work) => {
    meanwhile(++holds)
    return store.whileLocked(waitMs, work)
  }
  return { store: Object.assign(Object.create(store) as Store, { whileLocked }), holds: () => holds }
}

const options = { now: () => NOW, isLate: () => false, waitMs: 100 }

describe('reflection on all there is', () => {
  it('comes to its end however slow the machine is, and takes the lock only to write', () => {
    const { store, holds } = watched(world(90))

    expect(reflectAll(store, { ...options, elapsedMs: slowClock() }).isComplete).toBe(true)
    expect(weighedIn(store)).toBe(90)
    expect(holds()).toBeLessThanOrEqual(5)
  })

  it('takes no lock where nothing is new', () => {
    const { store, holds } = watched(world(30))
    reflectAll(store, { ...options, elapsedMs: () => 0 })
    const before = holds()
    reflectAll(store, { ...options, elapsedMs: () => 0 })

    expect(holds()).toBe(before)
  })

  it('begins anew with what others wrote meanwhile, and loses nothing of it', () => {
    const base = world(30)
    const { store } = watched(base, (n) => {
      if (n > 1) return
      const facts = readFacts(base)
      writeFacts(base, facts, factsWith(...facts.decisions, fact({ id: 'd099', text: 'Said meanwhile.' })), NOW)
    })

    expect(reflectAll(store, { ...options, elapsedMs: () => 0 }).isComplete).toBe(true)
    expect(readFacts(base).decisions).toHaveLength(31)
    expect(weighedIn(base)).toBe(30)
  })

  it('stops when others write each time, or hold the lock', () => {
    const base = world(30)
    const { store, holds } = watched(base, (n) => {
      const facts = readFacts(base)
      writeFacts(base, facts, factsWith(...facts.decisions, fact({ id: `d10${n}`, text: `Said then ${n}.` })), NOW)
    })
    expect(reflectAll(store, { ...options, elapsedMs: () => 0 }).isComplete).toBe(false)
    expect(holds()).toBe(2)

    const busy = world(30)
    const before = fs.readFileSync(path.join(busy.dir, 'facts.json'), 'utf8')
    busy.whileLocked(100, () => reflectAll(busy, { ...options, waitMs: 10, elapsedMs: () => 0 }))
    expect(fs.readFileSync(path.join(busy.dir, 'facts.json'), 'utf8')).toBe(before)
  })
})
