/** Staleness from git, from the repository to facts.json: lazily, and never at the cost of a fact. */

import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { type CareWorld, markStale } from '../../../../src/core/knowledge/disk/fact-care.ts'
import { readFacts } from '../../../../src/core/knowledge/disk/knowledge.ts'
import type { Fact } from '../../../../src/core/knowledge/item.ts'
import { fact, factsWith, judgedBy, listed } from '../../../support/fact.ts'
import { gitIn, hasGit } from '../../../support/git.ts'
import { makeProject, storeOf, type TestProject, write } from '../../../support/project.ts'
import { remember } from '../../../support/remembered.ts'

const DAY_MS = 86_400_000
const BEGAN = Date.parse('2026-01-13T09:00:00.000Z')
const dayAt = (day: number): string => new Date(BEGAN + day * DAY_MS).toISOString()

const world: CareWorld = {
  env: { PATH: process.env.PATH, HOME: '/nowhere' },
  platform: process.platform,
  now: () => dayAt(30),
  waitMs: 1_000,
}

function commit(project: TestProject, day: number, files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) write(path.join(project.root, name), text)
  const date = `${Math.floor((BEGAN + day * DAY_MS) / 1000)} +0000`
  gitIn(project.root)('add', '-A', ...Object.keys(files))
  gitIn(project.root, { GIT_COMMITTER_DATE: date, GIT_AUTHOR_DATE: date })('commit', '-q', '-m', `day ${day}`)
}

/** Said on day 0; the repository is older. */
function project(...facts: Partial<Fact>[]): TestProject {
  const made = makeProject()
  gitIn(made.root)('init', '-q', '-b', 'main')
  commit(made, -10, { 'src/price.ts': '1', 'src/auth.ts': '1' })
  const all = facts.map((one, i) => fact({ id: `d00${i + 1}`, text: `Fact number ${i} of them.`, ...one }))
  return remember({ facts: factsWith(...all) }, made)
}

const statesOf = (one: TestProject): string[] => listed(readFacts(storeOf(one))).decisions.map(({ state }) => state)
/** How many facts changed their state; null: nothing was checked. */
function care(one: TestProject, more: Partial<CareWorld> = {}): { stale: number; fresh: number } | null {
  const before = statesOf(one)
  if (!markStale(storeOf(one), { ...world, ...more })) return null
  const changed = statesOf(one).filter((state, i) => state !== before[i])
  const stale = changed.filter((state) => state === 'stale').length
  return { stale, fresh: changed.length - stale }
}

describe.skipIf(!hasGit)('a later commit', () => {
  it('makes the facts about its files stale, and no others', () => {
    const one = project({ files: ['src/price.ts'] }, { files: ['src/auth.ts'] }, { files: [] })
    commit(one, 5, { 'src/price.ts': '2' })

    expect(care(one)).toEqual({ stale: 1, fresh: 0 })
    expect(statesOf(one)).toEqual(['stale', 'fresh', 'fresh'])
    expect(listed(readFacts(storeOf(one))).decisions[0]?.judged).toMatchObject({
      by: 'git',
      at: dayAt(5),
      why: expect.stringMatching(/^src\/price\.ts changed in [0-9a-f]{7}$/),
    })
  })

  it('that is taken back makes them fresh again', () => {
    const one = project({ files: [`${'src/price.ts'}:12`] })
    commit(one, 5, { 'src/price.ts': '2' })
    care(one)
    gitIn(one.root)('reset', '-q', '--hard', 'HEAD~1')

    expect(care(one)).toEqual({ stale: 0, fresh: 1 })
    expect(statesOf(one)).toEqual(['fresh'])
  })

  it('stays known when the clock of a later one was wrong', () => {
    const one = project({ files: ['src/price.ts'] })
    commit(one, 5, { 'src/price.ts': '2' })
    care(one)
    for (let n = 0; n < 10; n++) commit(one, -30, { 'src/other.ts': `${n}` })

    expect(care(one)).toEqual({ stale: 0, fresh: 0 })
    expect(statesOf(one)).toEqual(['stale'])
  })

  it('is seen below any number of wrong clocks', () => {
    const one = project({ files: ['src/price.ts'] })
    commit(one, 5, { 'src/price.ts': '2' })
    for (let n = 0; n < 10; n++) commit(one, -30, { 'src/other.ts': `${n}` })

    expect(care(one)).toEqual({ stale: 1, fresh: 0 })
  })

  it('counts whatever order of files the repository wants', () => {
    const one = project({ files: ['src/price.ts'] })
    commit(one, 5, { 'src/price.ts': '2' })
    gitIn(one.root)('config', 'diff.orderFile', '/nonexistent/order')

    expect(care(one)).toEqual({ stale: 1, fresh: 0 })
  })

  it('within the session that said it does not count', () => {
    const one = project({ files: ['src/price.ts'], session: '1a2b3c4d' })
    const entries = [0, 1.5].map((day) => ({ role: 'user' as const, ts: dayAt(day), text: `day ${day}` }))
    remember({ sessions: { '1a2b3c4d': { day: '2026-01-13', entries } } }, one)
    commit(one, 1.55, { 'src/price.ts': '2' })

    expect(care(one)).toEqual({ stale: 0, fresh: 0 })
    commit(one, 2, { 'src/price.ts': '3' })
    expect(care(one)).toEqual({ stale: 1, fresh: 0 })
  })

  it('leaves what a person judged alone', () => {
    const one = project(
      { files: ['src/price.ts'], state: 'rejected', judged: judgedBy('user') },
      { files: ['src/price.ts'], state: 'superseded', judged: judgedBy('user') },
      { files: ['src/auth.ts'] },
    )
    commit(one, 5, { 'src/price.ts': '2' })

    expect(care(one)).toEqual({ stale: 0, fresh: 0 })
    expect(statesOf(one)).toEqual(['rejected', 'superseded', 'fresh'])
  })
})

describe.skipIf(!hasGit)('git is asked', () => {
  /** Counts how often git was started: a git of the test's own, which starts the real one. */
  function counted(one: TestProject): { env: CareWorld['env']; times: () => number } {
    const log = path.join(one.base, 'git-log')
    const bin = path.join(one.base, 'bin')
    const real = gitIn(one.root)('--exec-path').trim()
    write(path.join(bin, 'git'), `#!/bin/sh\necho "$*" >> '${log}'\nexec '${path.join(real, 'git')}' "$@"\n`)
    fs.chmodSync(path.join(bin, 'git'), 0o755)
    return {
      env: { ...world.env, PATH: `${bin}:${world.env.PATH}` },
      times: () => (fs.existsSync(log) ? fs.readFileSync(log, 'utf8').split(' log ').length - 1 : 0),
    }
  }

  it.skipIf(process.platform === 'win32')('once per commit and facts, not again', () => {
    const one = project({ files: ['src/price.ts'] })
    commit(one, 5, { 'src/price.ts': '2' })
    const { env, times } = counted(one)
    care(one, { env })

    expect(care(one, { env })).toBeNull()
    expect(times()).toBe(1)
    commit(one, 6, { 'src/auth.ts': '2' })
    care(one, { env })
    expect(times()).toBe(2)
    fs.rmSync(path.join(one.memory, 'journal', 'git-check.json'))
    care(one, { env })
    expect(times()).toBe(3)
    remember({ facts: factsWith(fact({ files: ['src/auth.ts'] })) }, one)
    expect(care(one, { env })).toEqual({ stale: 1, fresh: 0 })
    expect(times()).toBe(4)
  })

  it.skipIf(process.platform === 'win32')('not at all where no fact names a file', () => {
    const one = project({ files: [] }, { files: ['src/price.ts'], state: 'rejected', judged: judgedBy('user') })
    const { env, times } = counted(one)

    expect(care(one, { env })).toBeNull()
    expect(times()).toBe(0)
  })
})

describe('nothing changes and nothing fails', () => {
  const bytes = (one: TestProject): string => fs.readFileSync(path.join(one.memory, 'facts.json'), 'utf8')

  it('without a repository', () => {
    const one = remember({ facts: factsWith(fact({ files: ['src/price.ts'] })) })
    const before = bytes(one)

    expect(care(one)).toBeNull()
    expect(bytes(one)).toBe(before)
  })

  it('without facts', () => {
    const one = makeProject()

    expect(care(one)).toBeNull()
    expect(fs.existsSync(one.memory)).toBe(false)
  })

  it.skipIf(!hasGit)('without git, with a repository that is broken, and while the lock is held', () => {
    const one = project({ files: ['src/price.ts'] })
    commit(one, 5, { 'src/price.ts': '2' })
    const before = bytes(one)

    expect(care(one, { env: {} })).toBeNull()
    storeOf(one).whileLocked(0, () => expect(care(one, { waitMs: 0 })).toBeNull())
    fs.rmSync(path.join(one.root, '.git', 'HEAD'))
    fs.mkdirSync(path.join(one.root, '.git', 'HEAD'))
    expect(care(one)).toBeNull()
    expect(bytes(one)).toBe(before)
  })

  it.skipIf(!hasGit)('with facts whose times are none', () => {
    const one = project({ files: ['src/price.ts'], at: 'some day' }, { files: ['src/price.ts'], at: '' })
    commit(one, 5, { 'src/price.ts': '2' })

    expect(care(one)).toBeNull()
    expect(statesOf(one)).toEqual(['fresh', 'fresh'])
  })
})
