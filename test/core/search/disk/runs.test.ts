/** Commands of sessions: earlier failures with the same error, and commands by their words. */
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { openIndex } from '../../../../src/core/search/disk/memory-index.ts'
import {
  type EarlierFailure,
  type EarlierRun,
  earlierFailures,
  earlierRuns,
  type FoundRuns,
  MOST_COMPARED,
} from '../../../../src/core/search/disk/runs.ts'
import { operatorsOf } from '../../../../src/core/search/disk/search.ts'
import type { Entry } from '../../../../src/kernel/transcript/session.ts'
import { bash, claude, edit, read, used, user } from '../../../fixtures/sessions.ts'
import { makeProject, NOW, now, storeOf, type TestProject } from '../../../support/project.ts'
import { remember } from '../../../support/remembered.ts'
import { refused } from '../../../support/story.ts'

const ERROR = 'Exit code 1\nsrc/lamp.ts:12:5 - error TS2339: Property wick does not exist on type Lamp.'
const AGAIN = 'app/src/lamp.ts:40:1 - error TS2339: Property wick does not exist on type Lamp.'

interface Filters {
  since?: string
  until?: string
  session?: string
  limit?: number
}

function inIndex<T>(project: TestProject, look: (index: ReturnType<typeof openIndex>) => T): T {
  const index = openIndex(storeOf(project), { cacheDir: path.join(project.base, 'cache'), now })
  try {
    index.refresh()
    return look(index)
  } finally {
    index.close()
  }
}

const filters = (given: Filters): ReturnType<typeof operatorsOf> =>
  operatorsOf({ query: '', ...given }, { now: Date.parse(NOW) })

const failures = (project: TestProject, output: string, given: Filters = {}): FoundRuns<EarlierFailure> =>
  inIndex(project, (index) => earlierFailures(index, { command: '', output }, filters(given), given.limit ?? 10))

const runs = (project: TestProject, words: string, given: Filters = {}): FoundRuns<EarlierRun> =>
  inIndex(project, (index) => earlierRuns(index, words, filters(given), given.limit ?? 10))

const WORKED: Entry[] = [
  user('Give the lamp a wick.'),
  bash('npm run types', false, ERROR),
  read('src/lamp.ts'),
  ...refused('Bash', 'git checkout -- src/lamp.ts', 'no'),
  edit('src/lamp.ts'),
  edit('src/lamp.ts'),
  bash('npm run types', false, ERROR),
  bash('git diff', true, 'diff'),
  bash('npm run types && npm test', true, '12 passed'),
]

function lamps(): TestProject {
  return remember({
    sessions: {
      aaaa1111: { day: '2026-01-05', entries: WORKED },
      bbbb2222: {
        day: '2026-01-08',
        entries: [bash('npx tsc', false, ERROR.replace('12:5', '99:1')), claude('I stop here.')],
      },
      cccc3333: {
        day: '2026-01-09',
        entries: [bash('npx tsc', true, 'no wick is missing'), used('Bash', 'npx tsc', null)],
      },
      dddd4444: { day: '2026-01-10', entries: refused('Bash', 'npx tsc --noEmit') },
    },
  })
}

describe('earlier failures', () => {
  it('are those with the same error, newest first, the same command in the same session once', () => {
    expect(failures(lamps(), AGAIN).runs).toMatchObject([
      { id: 'L1:bbbb2222#0', session: 'bbbb2222', entry: 0, command: 'npx tsc', next: [], passedLater: null },
      { id: 'L1:aaaa1111#7', command: 'npm run types', passedLater: 'L1:aaaa1111#9' },
    ])
    expect(failures(lamps(), AGAIN).runs[0]?.line).toContain('lamp.ts:99:1')
    expect(failures(lamps(), AGAIN.replace('lamp.ts', 'candle.ts')).runs).toEqual([])
  })

  it('tell what was run and edited next there, without what the user refused', () => {
    const [, { next } = { next: [] }] = failures(lamps(), AGAIN).runs

    expect(next).toEqual([
      { id: 'L1:aaaa1111#8', tool: 'Bash', command: 'git diff' },
      { id: 'L1:aaaa1111#9', tool: 'Bash', command: 'npm run types && npm test' },
    ])
    const project = remember({ sessions: { aaaa1111: { day: '2026-01-05', entries: WORKED.slice(0, 7) } } })
    expect(failures(project, AGAIN).runs[0]?.next).toEqual([
      { id: 'L1:aaaa1111#5', tool: 'Edit', command: 'src/lamp.ts' },
    ])
  })

  it('are found with the filters of a search', () => {
    expect(failures(lamps(), AGAIN, { since: '2026-01-07' }).runs.map(({ session }) => session)).toEqual(['bbbb2222'])
    expect(failures(lamps(), AGAIN, { until: '2026-01-07' }).runs.map(({ session }) => session)).toEqual(['aaaa1111'])
    expect(failures(lamps(), AGAIN, { session: 'aaaa1111' }).runs.map(({ session }) => session)).toEqual(['aaaa1111'])
    expect(failures(lamps(), AGAIN, { limit: 1 }).runs).toHaveLength(1)
  })

  it('are not told by a line that a command prints as well when it passes', () => {
    const log = (more: string): string => `WARN failed to reach the lamp server\n${more}`
    const asked = log('and a wick that is new today')
    const lit = (passing: Entry[]): FoundRuns<EarlierFailure> =>
      failures(
        remember({
          sessions: {
            aaaa1111: { day: '2026-01-05', entries: [bash('make light', false, log('one wick')), ...passing] },
          },
        }),
        asked,
      )

    expect(lit([]).runs).toHaveLength(1)
    expect(lit([bash('make light', true, log('two wicks'))]).runs).toEqual([])
    // A pipe and || hide how it ended, and who looks prints what others did.
    for (const cmd of ['make light | tail', 'make light || true', 'cat lamp.log'])
      expect(lit([bash(cmd, true, log('two wicks'))]).runs).toHaveLength(1)
  })

  it('are never those of another project', () => {
    const project = lamps()
    const other = makeProject('other', project.base)
    storeOf(other).prepare()

    expect(failures(other, AGAIN).runs).toEqual([])
  })

  it('of which there are too many are compared from the newest on, and the rest is said to be unread', () => {
    const other = Array.from({ length: MOST_COMPARED }, (_, n) =>
      bash(`npx tsc ${n}`, false, 'src/wick.ts:1 - error TS2339: Property lamp does not exist on type Lamp.ts'),
    )
    const project = remember({
      sessions: {
        aaaa1111: { day: '2026-01-05', entries: WORKED },
        bbbb2222: { day: '2026-01-08', entries: other },
      },
    })

    expect(failures(project, AGAIN)).toEqual({ runs: [], isCut: true })
    expect(failures(project, AGAIN, { session: 'aaaa1111' })).toMatchObject({
      runs: [{ session: 'aaaa1111' }],
      isCut: false,
    })
  })

  it('are found by a paste of a megabyte, and by none that says nothing', () => {
    const noise = Array.from({ length: 20_000 }, (_, n) => `lamp number ${n} was lit by hand and burns`).join('\n')

    expect(failures(lamps(), `${noise}\n${AGAIN}\n`).runs).toHaveLength(2)
    expect(failures(lamps(), 'x'.repeat(1_000_000)).runs).toEqual([])
    expect(failures(lamps(), '\u001b[2J\u0000 <memory-keeper-abcdefgh> ``` "').runs).toEqual([])
  })
})

describe('commands by their words', () => {
  const deploys = (): TestProject =>
    remember({
      sessions: {
        aaaa1111: {
          day: '2026-01-05',
          entries: [
            bash('go test ./lamp', false, 'no'),
            bash('npm test -- lamp', true, 'ok'),
            bash('make deploy \\\n  STAGE=live', true, 'done'),
            bash('npm run migrate', true, 'deploy was mentioned here only'),
            bash('npm run serve &', true),
          ],
        },
        bbbb2222: {
          day: '2026-01-08',
          entries: [
            bash('make deploy \\\n  STAGE=live', false, 'broken'),
            ...refused('Bash', 'make deploy STAGE=shop'),
            used('Bash', 'make deploy STAGE=killed', null),
            used('Grep', 'deploy src'),
            bash('memory-keeper search --commands deploy', true, 'hits'),
          ],
        },
      },
    })

  it('are those that ran, each once as it ran last, newest first', () => {
    expect(runs(deploys(), 'deploy').runs).toEqual([
      {
        id: 'L1:bbbb2222#0',
        session: 'bbbb2222',
        entry: 0,
        date: '2026-01-08T09:00:00.000Z',
        command: 'make deploy \\ STAGE=live',
        outcome: 'failed',
        times: 2,
      },
    ])
  })

  it('contain every word, also one that a search leaves out', () => {
    const found = (words: string): string[] => runs(deploys(), words).runs.map(({ command }) => command)

    expect(found('test')).toEqual(['npm test -- lamp', 'go test ./lamp'])
    expect(found('go test')).toEqual(['go test ./lamp'])
    expect(found('lamp -- test')).toEqual(['npm test -- lamp', 'go test ./lamp'])
    expect(found('test wick')).toEqual([])
    expect(found('type:prompt -serve')).toEqual([])
  })

  it('in the background are told as the host reported their start', () => {
    expect(runs(deploys(), 'serve').runs).toMatchObject([{ command: 'npm run serve &', outcome: 'ok', times: 1 }])
  })
})
