/**
 * Three machines that work, go offline, forget and meet again in any order end with the same memory. With a git in memory, and with
 * the real one; more histories by hand: RUNS=100 npx vitest run test/extras/sync/disk/histories.test.ts
 */
import fs from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { performForget } from '../../../../src/core/forget/disk/forget.ts'
import { readFacts } from '../../../../src/core/knowledge/disk/knowledge.ts'
import { readOthers } from '../../../../src/core/others/disk/others.ts'
import { listed } from '../../../support/fact.ts'
import { gitIn, hasGit } from '../../../support/git.ts'
import { type Machine, machines, machinesInMemory } from '../../../support/machines.ts'
import { setAtHome, textsIn, treeOf, write } from '../../../support/project.ts'

interface Step {
  machine: number
  /** `cable`: the machine goes offline, or comes back. */
  does: 'decide' | 'forget' | 'forgetEntry' | 'sync' | 'cable'
  /** Which of what it sees is forgotten. */
  which: number
}

const step: fc.Arbitrary<Step> = fc.record({
  machine: fc.nat(2),
  does: fc.constantFrom('decide', 'decide', 'forget', 'forgetEntry', 'sync', 'sync', 'sync', 'cable'),
  which: fc.nat(9),
})

/** Minutes by which the clock of each machine is wrong. */
const clocks = fc.tuple(fc.integer({ min: -90, max: 90 }), fc.constant(0), fc.integer({ min: -90, max: 90 }))

const ORDERS = [
  [0, 1, 2],
  [2, 1, 0],
  [1, 0, 2],
]

/** A session that two of the machines captured. */
const SESSION = 'sessions/20260101_090000_5e551011.l1.jsonl'
const SAID = ['Please hang the paper lanterns.', 'The window is broken.', 'Buy seventeen candles.']

const NAMES = ['desk', 'laptop', 'shed']

/** The machines, and what brings the remote away or back. */
interface World {
  all: Machine[]
  setAway: (isAway: boolean) => void
  /** Everything that git has of a machine, and at the remote. */
  objects: () => string
}

function worldInMemory(): World {
  const { all, remote } = machinesInMemory(...NAMES)
  const branches = (): string => all.flatMap(({ id }) => [...remote.branch(id).values()]).join('\n')
  const setAway = (isAway: boolean): void => {
    remote.isAway = isAway
  }
  return { all, setAway, objects: branches }
}

function worldOfGit(): World {
  const { all, remote } = machines(...NAMES)
  const [here, away] = [remote, `${remote}.away`]
  const setAway = (isAway: boolean): void => {
    if (fs.existsSync(isAway ? here : away)) fs.renameSync(isAway ? here : away, isAway ? away : here)
  }
  const repositories = all.map(({ project }) => path.join(project.keeper, 'sync', 'repo.git'))
  const objects = (): string =>
    [
      // A hosting service may keep what no branch has any more; our own repositories keep nothing of it.
      gitIn(remote)('log', '--all', '--patch', '--format=%H'),
      ...repositories.map((dir) => gitIn(dir)('cat-file', '--batch-all-objects', '--batch')),
    ].join('\n')
  return { all, setAway, objects }
}

function capture(one: Machine): void {
  one.store().prepare()
  const lines = SAID.map((text, n) => JSON.stringify({ role: 'user', ts: `2026-01-01T09:0${n}:00.000Z`, text }))
  write(path.join(one.project.memory, SESSION), `${lines.join('\n')}\n`)
}

/** Of the session: one's own, or as another machine sent it. */
function entriesOf(one: Machine): string[] {
  const own = textsIn(one.project.memory)
  return own.length > 0 ? own : textsIn(one.project.places.others)
}

/** What a machine remembers by itself and of the others, with the id by which it can be forgotten. */
function remembered(one: Machine): Map<string, string> {
  const own = listed(readFacts(one.store())).decisions.map(({ id, text }): [string, string] => [text, id])
  const others = readOthers(one.project.places, 'machine').map(({ who, id, text }): [string, string] => [
    text,
    `${who}:${id}`,
  ])
  const all = [...own, ...others]
  expect(new Set(all.map(([text]) => text)).size).toBe(all.length)
  return new Map(all)
}

/** Plays one history, lets everybody meet, and looks at what each machine remembers then. */
function play(
  { all, setAway, objects }: World,
  steps: readonly Step[],
  skew: readonly number[],
  order: number[],
): void {
  const captured = [all[0], all[2]] as Machine[]
  captured.forEach(capture)
  for (const { project } of all) setAtHome(project, { summarizer: 'extractive', rules: false, syncSessions: true })
  const offline = new Set<number>()
  const unsaid = new Set<number>()
  const decided = new Set<string>()
  const forgotten = new Set<string>()
  const timeOf = (n: number, who: number): string =>
    new Date(Date.UTC(2026, 0, 13, 12, 3 * n + (skew[who] ?? 0))).toISOString()
  const sync = (who: number, n: number): void => {
    setAway(offline.has(who))
    expect(all[who]?.sync(timeOf(n, who))?.record.problem === '').toBe(!offline.has(who))
  }
  steps.forEach(({ machine: who, does, which }, n) => {
    const one = all[who] as Machine
    const at = timeOf(n, who)
    if (does === 'decide') {
      const text = `${one.name} settled matter number ${n} for good.`
      one.decide(text, at)
      decided.add(text)
    } else if (does === 'cable') {
      if (!offline.delete(who)) offline.add(who)
    } else if (does === 'sync') sync(who, n)
    else if (does === 'forgetEntry') {
      const n = which % SAID.length
      if (!captured.includes(one) || entriesOf(one)[n] === 'tombstone') return
      performForget(one.store(), { what: { is: 'id', id: `L1:5e551011#${n}` } }, at)
      unsaid.add(n)
    } else {
      const seen = [...remembered(one)]
      const [text, id] = seen[which % Math.max(1, seen.length)] ?? []
      if (text === undefined || id === undefined) return
      performForget(one.store(), { what: { is: 'id', id } }, at)
      forgotten.add(text)
    }
  })
  offline.clear()
  // Everybody has met everybody after two rounds; the third one brings back what the second took out.
  for (let round = 0; round < 3; round++) for (const who of order) sync(who, steps.length + round)
  const wanted = [...decided].filter((text) => !forgotten.has(text)).sort()
  const dead = [...forgotten, ...SAID.filter((_, n) => unsaid.has(n))]
  for (const one of all) {
    expect([...remembered(one).keys()].sort()).toEqual(wanted)
    expect(entriesOf(one)).toEqual(SAID.map((text, n) => (unsaid.has(n) ? 'tombstone' : text)))
    const files = JSON.stringify([treeOf(one.project.keeper), treeOf(one.project.memory)])
    for (const text of dead) expect(files).not.toContain(text)
  }
  const kept = objects()
  for (const text of dead) expect(kept).not.toContain(text)
  for (const text of wanted) expect(kept).toContain(text)
}

/** Everything that a history can contain: each machine decides, one is offline meanwhile, what is sent is forgotten by another, and by itself. */
const FULL: Step[] = (
  [
    [0, 'decide'],
    [0, 'sync'],
    [1, 'decide'],
    [1, 'sync'],
    [1, 'cable'],
    [2, 'forgetEntry'],
    [2, 'decide'],
    [2, 'sync'],
    [1, 'forget'],
    [1, 'sync'],
    [0, 'sync'],
    [0, 'forget'],
    [0, 'decide'],
    [1, 'cable'],
  ] as const
).map(([machine, does], n) => ({ machine, does, which: n }))

describe('machines of one user', () => {
  const history = fc.array(step, { minLength: 4, maxLength: 14 })
  const all = (made: () => World, how: fc.Parameters<[Step[], number[], number[]]>): void =>
    fc.assert(
      fc.property<[Step[], number[], number[]]>(history, clocks, fc.constantFrom(...ORDERS), (steps, skew, order) =>
        play(made(), steps, skew, order),
      ),
      { ...how, ...(process.env.RUNS === undefined ? {} : { numRuns: Number(process.env.RUNS) }) },
    )
  const full: [Step[], number[], number[]] = [FULL, [40, 0, -40], [1, 0, 2]]

  it('machines in memory all end with the same memory: nothing lost, nothing back from the dead', () =>
    all(worldInMemory, { numRuns: 8, examples: [full] }))

  // The orders are tried in memory; of the real git one history with every kind of step says whether it does the same.
  it.skipIf(!hasGit)('machines with the real git end with the same memory', { timeout: 3_600_000 }, () =>
    all(worldOfGit, { numRuns: 1, examples: [full] }),
  )
})
