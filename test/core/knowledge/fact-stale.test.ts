/** Stale facts: a later commit to their file makes them so, the work they were said with does not. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Commit, type FileHistory, judgeStaleness, type SpanOf } from '../../../src/core/knowledge/fact-stale.ts'
import type { Fact } from '../../../src/core/knowledge/item.ts'
import { allFacts, type Items } from '../../../src/core/knowledge/items.ts'
import { fact, factsWith, judgedBy, SAID, someFacts } from '../../support/fact.ts'

const hours = (count: number): string => new Date(Date.parse(SAID) + count * 3_600_000).toISOString()
const nobody: SpanOf = () => null

function commit(at: string, files: string[], writtenAt = at): Commit {
  return { hash: '1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d', at, writtenAt, files }
}

function history(commits: Commit[], more: Partial<FileHistory> = {}): FileHistory {
  return {
    commits,
    isComplete: true,
    tracked: ['src/price.ts', 'src/db/price.ts', 'src/auth.ts'],
    roots: ['/repo'],
    platform: 'linux',
    ...more,
  }
}

function staleness(one: Partial<Fact>, seen: FileHistory, spanOf = nobody): Fact {
  const [judged] = allFacts(judgeStaleness(factsWith(fact({ files: ['src/price.ts'], ...one })), seen, spanOf))
  if (judged === undefined) throw new Error('the fact is gone')
  return judged
}

const LATE = history([commit(hours(100), ['src/price.ts', 'src/other.ts'])])

describe('a commit to its file', () => {
  it('days later makes a fact stale, and says which file and commit', () => {
    expect(staleness({}, LATE)).toMatchObject({
      state: 'stale',
      judged: { by: 'git', at: hours(100), why: 'src/price.ts changed in 1a2b3c4', other: null },
    })
  })

  it.each([
    ['before it was said', hours(-5)],
    ['within the same work', hours(0.2)],
    ['on the same day', hours(11)],
  ])('%s does not', (_, at) => {
    expect(staleness({}, history([commit(at, ['src/price.ts'])])).state).toBe('fresh')
  })

  it('of the session that said the fact leaves it fresh, though the session went on until the next day', () => {
    const spanOf: SpanOf = (session) => (session === '1a2b3c4d' ? { from: hours(-1), to: hours(30) } : null)

    expect(staleness({}, history([commit(hours(31), ['src/price.ts'])]), spanOf).state).toBe('fresh')
    expect(staleness({}, history([commit(hours(33), ['src/price.ts'])]), spanOf).state).toBe('stale')
  })

  it('counts after three days, however long the session goes on', () => {
    expect(staleness({}, LATE, () => ({ from: SAID, to: hours(500) })).state).toBe('stale')
  })

  it('that was written with the fact and rebased days later leaves it fresh; older work that arrives later does not', () => {
    expect(staleness({}, history([commit(hours(100), ['src/price.ts'], hours(1))])).state).toBe('fresh')
    expect(staleness({}, history([commit(hours(100), ['src/price.ts'], hours(-100))])).state).toBe('stale')
  })

  it('counts from when the fact was last said, and from the session that said it last', () => {
    const spanOf: SpanOf = (session) => (session === 'bbbbbbbb' ? { from: hours(90), to: hours(140) } : null)
    const seen = history([commit(hours(141), ['src/price.ts'])])
    const again = { lastAt: hours(95), also: ['bbbbbbbb#3'] }

    expect(staleness({ lastAt: hours(95) }, LATE).state).toBe('fresh')
    expect(staleness(again, seen, spanOf).state).toBe('fresh')
    expect(staleness(again, seen).state).toBe('stale')
  })

  it('to another file leaves the fact fresh', () => {
    expect(staleness({}, history([commit(hours(100), ['src/auth.ts', 'other/src/price.ts.bak'])])).state).toBe('fresh')
  })
})

describe('a file', () => {
  it.each([
    'src/price.ts',
    './src/price.ts',
    'src\\price.ts',
    'src/price.ts:12',
    'src/price.ts:12:3',
    'src/price.ts#L3-L9',
    '/repo/src/price.ts',
    '/repo-two/src/price.ts',
  ])('is the same when it is named %s', (name) => {
    const seen = history(LATE.commits as Commit[], { roots: ['/repo', '/repo-two'] })

    expect(staleness({ files: [name] }, seen).state).toBe('stale')
  })

  it.each(['/elsewhere/src/price.ts', '../src/price.ts', 'src/', '~/src/price.ts', '', 'https://x.io/src/price.ts'])(
    'named %j is none of this repository',
    (name) => {
      expect(staleness({ files: [name] }, LATE).state).toBe('fresh')
    },
  )

  it('named by the end of its path counts where that is one file only', () => {
    const changed = history([commit(hours(100), ['src/auth.ts', 'src/price.ts'])])

    expect(staleness({ files: ['auth.ts'] }, changed).state).toBe('stale')
    expect(staleness({ files: ['uth.ts'] }, changed).state).toBe('fresh')
    expect(staleness({ files: ['price.ts'] }, changed).state).toBe('fresh')
    expect(staleness({ files: ['auth.ts'] }, { ...changed, tracked: null }).state).toBe('fresh')
  })

  it('named by what several end in counts when all of them changed', () => {
    const both = history([commit(hours(100), ['src/db/price.ts']), commit(hours(200), ['src/price.ts'])])

    expect(staleness({ files: ['price.ts'] }, both).state).toBe('stale')
  })

  it.each([
    'c:\\work\\app\\src\\price.ts',
    'C:/Work/App/src/price.ts:12',
    '/c/work/app/src/price.ts',
    '/mnt/c/work/app/src/price.ts#L3-L9',
    'file:///C:/work/app/src/price.ts',
    'C:\\\\work\\\\app\\\\src\\\\price.ts',
    '\\\\?\\C:\\work\\app\\src\\price.ts',
  ])('on Windows is the same when it is named %s', (name) => {
    const seen = history(LATE.commits as Commit[], { roots: ['C:\\work\\app'], platform: 'win32' })

    expect(staleness({ files: [name] }, seen).state).toBe('stale')
  })

  it.each(['c:\\work\\app-old\\src\\price.ts', 'd:\\work\\app\\src\\price.ts', 'C:\\work\\app'])(
    'on Windows %j is none of it',
    (name) => {
      const seen = history(LATE.commits as Commit[], { roots: ['C:\\work\\app'], platform: 'win32' })

      expect(staleness({ files: [name] }, seen).state).toBe('fresh')
    },
  )

  it('is found in any case on macOS, and only in its own on Linux', () => {
    const on = (platform: string): FileHistory =>
      history(LATE.commits as Commit[], { roots: ['/Users/me/app'], platform })
    const files = ['/users/me/App/src/price.ts']

    expect([staleness({ files }, on('darwin')).state, staleness({ files }, on('linux')).state]).toEqual([
      'stale',
      'fresh',
    ])
  })
})

describe('a stale fact', () => {
  const stale: Partial<Fact> = { state: 'stale', judged: judgedBy('git', { why: 'as it was judged' }) }

  it('stays as it was judged while git still says so', () => {
    const kept = fact({ files: ['src/price.ts'], ...stale })

    expect(staleness(stale, LATE)).toEqual(kept)
  })

  it('is fresh when the commit is gone, or it was said again since', () => {
    for (const one of [staleness(stale, history([])), staleness({ ...stale, lastAt: hours(99) }, LATE)]) {
      expect(one.state).toBe('fresh')
      expect(one.judged).toBeUndefined()
    }
  })

  it('stays stale where only a part of the history is known, or somebody else made it stale', () => {
    expect(staleness(stale, history([], { isComplete: false })).state).toBe('stale')
    expect(staleness({ state: 'stale', judged: judgedBy('user') }, history([])).state).toBe('stale')
  })
})

it('a commit changes only the state of live facts that name files, and only once', () => {
  const someCommit = fc.record({
    hash: fc.constant('0'.repeat(40)),
    at: fc.integer({ min: -50, max: 500 }).map(hours),
    writtenAt: fc.integer({ min: -50, max: 500 }).map(hours),
    files: fc.array(fc.constantFrom('src/a.ts', 'src/b.ts', 'lib/b.ts', 'src/c.ts', 'src/d.ts'), { maxLength: 3 }),
  })
  const bare = (facts: Items): unknown => allFacts(facts).map(({ state: _, judged: __, ...rest }) => rest)
  fc.assert(
    fc.property(someFacts, fc.array(someCommit, { maxLength: 6 }), (facts, commits) => {
      const seen = history(commits)
      const once = judgeStaleness(facts, seen, nobody)

      expect(bare(once)).toEqual(bare(facts))
      allFacts(once).forEach((one, i) => {
        const before = allFacts(facts)[i]
        if (before?.files.length === 0 && before.state === 'fresh') expect(one).toBe(before)
        if (before?.state === 'rejected' || before?.state === 'superseded') expect(one).toBe(before)
      })
      expect(judgeStaleness(once, seen, nobody)).toBe(once)
    }),
  )
})
