/** Tiers on disk: old summaries by week and month, old sessions compressed, nobody's words lost. */
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { changeByHand } from '../../../../src/core/edit/disk/by-hand.ts'
import { undoLast } from '../../../../src/core/edit/disk/undo.ts'
import { summariseSession } from '../../../../src/core/notes/disk/summaries.ts'
import {
  type Aged,
  ageTiers,
  planTiers,
  renderAgain,
  rendersOf,
  unsummarised,
} from '../../../../src/core/notes/disk/tiers.ts'
import { partsOf } from '../../../../src/core/notes/tier.ts'
import { lookUp } from '../../../../src/core/search/disk/lookup.ts'
import { openIndex } from '../../../../src/core/search/disk/memory-index.ts'
import { missingFrom } from '../../../../src/core/vault/disk/vault.ts'
import { fillVault, lossesIn } from '../../../../src/core/vault/disk/vault-restore.ts'
import type { Store } from '../../../../src/kernel/memory/disk/store.ts'
import { readSession } from '../../../../src/kernel/sessions/disk/lineage.ts'
import { addSession, fileOf, id8Of, type OldSession } from '../../../support/old-sessions.ts'
import {
  fastDir,
  makeProject,
  now,
  sessionId,
  setAtHome,
  storeOf,
  type TestProject,
  treeOf,
  write,
} from '../../../support/project.ts'

const WORDS = ['parser', 'lexer', 'printer', 'router']
/** Two in the third week, one in a week that spans two years, one in the last days of January. */
const DAYS = ['2026-01-12', '2026-01-13', '2025-12-30', '2026-01-29']
const SESSIONS: OldSession[] = DAYS.map((day, n) => ({ n, at: `${day}T10:00:00.000Z`, word: WORDS[n] ?? '' }))

function filled(settings: object = {}): { project: TestProject; store: Store } {
  const project = makeProject('app', fastDir())
  setAtHome(project, settings)
  const store = storeOf(project)
  for (const session of SESSIONS) addSession(store, session)
  return { project, store }
}

function age(store: Store, day: string): Aged {
  return ageTiers(store, { now: `${day}T12:00:00.000Z`, isLate: () => false })
}

function names(store: Store): string[] {
  return Object.keys(treeOf(path.join(store.dir, 'sessions'))).filter((name) => name !== 'archive')
}

function read(store: Store, name: string): string {
  return fs.readFileSync(path.join(store.dir, 'sessions', name), 'utf8')
}

function toldIn(text: string): string[] {
  return partsOf(text).parts.map(({ id8 }) => id8)
}

describe('summaries', () => {
  it('are combined by week when they are older than seven days, and go then', () => {
    const { store } = filled()

    expect(age(store, '2026-01-20')).toEqual({
      weeks: ['week-2026-01.md', 'week-2026-03.md'],
      months: [],
      compressed: [],
    })
    // Noon of the eighth day after the one, of the seventh after the other.
    expect(toldIn(read(store, 'week-2026-03.md'))).toEqual([id8Of(0), id8Of(1)])
    expect(names(store).filter((name) => name.endsWith('.md'))).toEqual([
      fileOf(SESSIONS[3] as OldSession).replace('.l1.jsonl', '.md'),
      'week-2026-01.md',
      'week-2026-03.md',
    ])
  })

  it('stay as they are for seven days', () => {
    const { store } = filled()

    age(store, '2026-01-19')
    expect(names(store)).toContain('20260113_100000_00000001.md')
    expect(names(store)).not.toContain('20260112_100000_00000000.md')
  })

  it('go to the month in which their session began when all of their week is older than thirty days', () => {
    const { store } = filled()
    age(store, '2026-01-20')

    expect(age(store, '2026-02-17')).toMatchObject({ weeks: ['week-2026-05.md'], months: ['archive/2025-12.md'] })
    expect(names(store)).toContain('week-2026-03.md')
    // The week ends on the 18th at midnight.
    expect(age(store, '2026-02-18').months).toEqual(['archive/2026-01.md'])
    expect(toldIn(read(store, 'archive/2026-01.md'))).toEqual([id8Of(0), id8Of(1)])
    expect(names(store)).not.toContain('week-2026-03.md')
  })

  it('go to their months at once when they are that old, and the two months of one week get each its own', () => {
    const { store } = filled()
    addSession(store, { n: 9, at: '2026-01-02T10:00:00.000Z', word: 'loader' })

    expect(age(store, '2026-06-01')).toMatchObject({ weeks: [], months: ['archive/2025-12.md', 'archive/2026-01.md'] })
    expect(toldIn(read(store, 'archive/2025-12.md'))).toEqual([id8Of(2)])
    expect(read(store, 'archive/2026-01.md')).toContain('loader')
    expect(names(store).filter((name) => name.endsWith('.md'))).toEqual(['archive/2025-12.md', 'archive/2026-01.md'])
  })

  it('are told sentence by sentence, each with its day and a link that opens the entry', () => {
    const { store } = filled()
    age(store, '2026-06-01')
    const lines = read(store, 'archive/2026-01.md')
      .split('\n')
      .filter((line) => line.startsWith('- '))

    expect(lines.length).toBeGreaterThanOrEqual(3)
    for (const line of lines) {
      const [, word = '', link = ''] =
        /^- 2026-01-\d\d .*\b(parser|lexer|router)\b.* \[(L1:[0-9a-f]{8}#\d)\]$/.exec(line) ?? []
      expect(lookUp(store, `[${link}]`, 0)?.parts[0]?.text).toContain(word)
    }
  })

  it('are shorter by month than by week', () => {
    const { store } = filled()
    age(store, '2026-01-20')
    const week = read(store, 'week-2026-03.md')
    age(store, '2026-06-01')

    expect(read(store, 'archive/2026-01.md').match(/\[L1:00000000#/g)?.length).toBeLessThan(
      week.match(/\[L1:00000000#/g)?.length ?? 0,
    )
  })

  it('of a session that runs, or that they do not tell all of, are left alone', () => {
    const store = storeOf(makeProject('app', fastDir()))
    addSession(
      store,
      { n: 1, at: '2025-11-01T10:00:00.000Z', word: 'parser' },
      {
        isLive: true,
        pid: process.pid,
        refine: {
          ts: '2026-01-31T11:59:00.000Z',
          base: '',
          branch: '',
          slug: '',
          tree: '',
          orphan: '',
          tools: {},
          queue: [],
          said: [],
          answer: null,
        },
      },
    )
    addSession(store, { n: 2, at: '2025-11-02T10:00:00.000Z', word: 'lexer' })
    const state = JSON.parse(fs.readFileSync(path.join(store.dir, 'memory-index.json'), 'utf8'))
    state.sessions[sessionId(2)].entries = 5
    write(path.join(store.dir, 'memory-index.json'), JSON.stringify(state))
    const before = treeOf(store.dir)

    expect(age(store, '2026-01-31')).toEqual({ weeks: [], months: [], compressed: [] })
    expect(treeOf(store.dir)).toEqual(before)
  })

  it('count from the last entry: a session that went on yesterday is not old', () => {
    const store = storeOf(makeProject('app', fastDir()))
    addSession(store, { n: 1, at: '2025-12-01T10:00:00.000Z', word: 'parser', hours: 24 * 60 })

    expect(age(store, '2026-01-31')).toEqual({ weeks: [], months: [], compressed: [] })
  })

  it('of sessions that the state does not know are combined as well', () => {
    const { store } = filled()
    fs.rmSync(path.join(store.dir, 'memory-index.json'))

    expect(age(store, '2026-06-01').months).toEqual(['archive/2025-12.md', 'archive/2026-01.md'])
  })

  it('follow the settings', () => {
    const { store } = filled({ weeklyAfterDays: 1, monthlyAfterDays: 3 })

    expect(age(store, '2026-01-30')).toMatchObject({
      weeks: ['week-2026-05.md'],
      months: ['archive/2025-12.md', 'archive/2026-01.md'],
    })
  })
})

describe('a session that goes on after it went into a tier', () => {
  it('gets a new summary, which later takes the place of what the tier says', () => {
    const { store } = filled()
    age(store, '2026-06-01')
    expect(unsummarised(store, { now: '2026-06-01T12:00:00.000Z', isAlive: () => false })).toEqual([])
    // It goes on in May: its file is plain again, and has one entry more.
    const [first] = SESSIONS as [OldSession]
    fs.rmSync(path.join(store.dir, 'sessions', 'archive', `${fileOf(first)}.gz`))
    addSession(store, { ...first, word: 'compiler' }, {})

    expect(age(store, '2026-06-02')).toMatchObject({ weeks: [], months: ['archive/2026-01.md'] })
    const text = read(store, 'archive/2026-01.md')
    expect(toldIn(text)).toEqual([id8Of(0), id8Of(1), id8Of(3)])
    expect(text).toContain('compiler')
    expect(text).not.toContain('parser')
  })
})

describe("a file with a person's words", () => {
  it('is neither replaced nor deleted, be it a summary, a week or a month', () => {
    const { store } = filled()
    age(store, '2026-01-20')
    const summary = path.join(store.dir, 'sessions', '20260129_100000_00000003.md')
    fs.appendFileSync(summary, '\nMary has the key of the parser.\n')
    const week = path.join(store.dir, 'sessions', 'week-2026-03.md')
    const edited = read(store, 'week-2026-03.md').replace('- 2026-01-12 User:', '- 2026-01-12 Mary asked:')
    fs.writeFileSync(week, edited)
    summariseSession(store, sessionId(3))
    expect(age(store, '2026-06-01').months).toEqual(['archive/2025-12.md', 'archive/2026-01.md'])

    expect(fs.readFileSync(summary, 'utf8')).toContain('Mary has the key of the parser.')
    expect(read(store, 'week-2026-03.md')).toBe(edited)
    const month = path.join(store.dir, 'sessions', 'archive', '2026-01.md')
    fs.appendFileSync(month, 'It was cold.\n')
    addSession(store, { n: 8, at: '2026-01-30T10:00:00.000Z', word: 'loader' })
    age(store, '2026-06-01')
    expect(read(store, 'archive/2026-01.md')).toContain('It was cold.')
    expect(names(store)).toContain('20260130_100000_00000008.md')
  })

  it('of another origin stays whole', () => {
    const { store } = filled()
    write(path.join(store.dir, 'sessions', 'week-2026-03.md'), '# Our week\n\nThe printer burned.\n')
    age(store, '2026-01-20')
    age(store, '2026-06-01')

    expect(read(store, 'week-2026-03.md')).toBe('# Our week\n\nThe printer burned.\n')
  })
})

describe('a week or month without its sessions', () => {
  it('is never replaced or deleted: it may be all that is left of them', () => {
    const { store } = filled()
    age(store, '2026-01-20')
    fs.rmSync(path.join(store.dir, 'sessions', fileOf(SESSIONS[0] as OldSession)))
    const week = read(store, 'week-2026-03.md')
    age(store, '2026-06-01')

    expect(read(store, 'week-2026-03.md')).toBe(week)
    fs.rmSync(path.join(store.dir, 'sessions', 'archive', `${fileOf(SESSIONS[2] as OldSession)}.gz`))
    const month = read(store, 'archive/2025-12.md')
    addSession(store, { n: 8, at: '2025-12-20T10:00:00.000Z', word: 'loader' })
    age(store, '2026-06-01')
    expect(read(store, 'archive/2025-12.md')).toBe(month)
  })
})

describe('a deleted render', () => {
  it('is made again: a summary, a week, a month', () => {
    const { store } = filled()
    const again = (day: string): void => {
      const { dir } = store
      const before = treeOf(path.join(dir, 'sessions'))
      const all = SESSIONS.flatMap((session) => rendersOf(fileOf(session)))
      for (const name of all) fs.rmSync(path.join(dir, 'sessions', name), { force: true })
      renderAgain(store, new Set(all), `${day}T12:00:00.000Z`)
      expect(treeOf(path.join(dir, 'sessions'))).toEqual(before)
    }
    for (const day of ['2026-02-01', '2026-02-18', '2026-06-01']) {
      age(store, day)
      again(day)
    }
  })

  it('is made again by the finisher, too', () => {
    const { store } = filled()
    age(store, '2026-06-01')
    const month = read(store, 'archive/2026-01.md')
    fs.rmSync(path.join(store.dir, 'sessions', 'archive', '2026-01.md'))

    expect(age(store, '2026-06-01').months).toEqual(['archive/2026-01.md'])
    expect(read(store, 'archive/2026-01.md')).toBe(month)
  })
})

describe('what a model wrote about a session', () => {
  it('is told by its week and month as the note says it then', () => {
    const { store } = filled()
    const note = (text: string): string =>
      `## 2026-01-12 11:00:00 UTC\n<!-- note n-00000000-0-4 session=00000000 entries=0-4 author=headless at=2026-01-12T11:00:00.000Z -->\n${text}\n\n`
    write(path.join(store.dir, 'memory.md'), note('The grammar is smaller.'))
    age(store, '2026-01-20')
    expect(read(store, 'week-2026-03.md')).toContain('- 2026-01-12 The grammar is smaller. [L1:00000000]')
    write(path.join(store.dir, 'memory.md'), note('The grammar grew.'))
    age(store, '2026-06-01')

    expect(read(store, 'archive/2026-01.md')).toContain('The grammar grew.')
    expect(read(store, 'archive/2026-01.md')).not.toContain('smaller.')
  })
})

describe('a note that a person changes', () => {
  const note = (n: number): string =>
    `## 2026-01-12 11:00:00 UTC\n<!-- note n-${id8Of(n)}-0-4 session=${id8Of(n)} entries=0-4 author=headless at=2026-01-12T11:00:00.000Z -->\nThe grammar of ${WORDS[n]} is smaller.\n\n`

  it('is told as it is then by what is made from it, and so is its undo by what the finisher makes', () => {
    const { store } = filled()
    write(path.join(store.dir, 'memory.md'), note(0) + note(3))
    for (const n of [0, 3]) summariseSession(store, sessionId(n))
    const at = '2026-02-01T12:00:00.000Z'
    const hand = { by: 'user', now: at } as const
    ageTiers(store, { now: at, isLate: () => false })
    store.whileLocked(100, () => fillVault(store))
    const before = treeOf(path.join(store.dir, 'sessions'))
    for (const n of [0, 3]) changeByHand(store, { do: 'edit-note', id: `n-${id8Of(n)}-0-4`, text: 'Grown.' }, hand)

    for (const name of ['week-2026-03.md', '20260129_100000_00000003.md']) {
      expect(read(store, name)).toContain('Grown.')
      expect(read(store, name)).not.toContain('smaller.')
    }
    store.whileLocked(100, () => fillVault(store))
    expect(lossesIn(store)).toEqual([])
    for (const _ of [0, 3]) undoLast(store, {})
    for (const id of unsummarised(store, { now: at, isAlive: () => false })) summariseSession(store, id)
    ageTiers(store, { now: at, isLate: () => false })
    expect(treeOf(path.join(store.dir, 'sessions'))).toEqual(before)
  })
})

describe('what went into a tier', () => {
  it('is found by its words, with the day of the session, and leads to it', () => {
    const { project, store } = filled()
    age(store, '2026-06-01')
    const index = openIndex(store, { cacheDir: project.places.cacheDir, now })
    index.refresh()
    const docs = Array.from({ length: index.columns.count }, (_, doc) => doc).filter(
      (doc) => index.columns.dead[doc] !== 1,
    )
    const units = docs.flatMap((doc) => index.unitOf(doc) ?? [])
    index.close()

    expect(units.find(({ id }) => id === '2026-01.md#00000001')).toMatchObject({
      kind: 'tier',
      at: '2026-01-13T10:00:00.000Z',
      about: '00000001#0-3',
      text: expect.stringContaining('lexer'),
    })
    expect(lookUp(store, '2026-01.md#00000001', 0)?.parts[0]?.text).toContain('lexer')
    // Its entries are compressed, and still found one by one.
    expect(units.filter(({ id }) => id.startsWith('L1:00000001#'))).toHaveLength(4)
  })

  it('leaves the facts as they are, with entries that prove them', () => {
    const { store } = filled()
    const fact = {
      id: 'd001',
      text: 'We skip empty lines.',
      at: '2025-12-30T11:00:00.000Z',
      session: id8Of(2),
      evidence: { entry: 3, quote: 'skip empty lines' },
    }
    const facts = JSON.stringify({ decisions: [fact] })
    write(path.join(store.dir, 'facts.json'), facts)
    age(store, '2026-06-01')

    expect(fs.readFileSync(path.join(store.dir, 'facts.json'), 'utf8')).toBe(facts)
    expect(lookUp(store, 'd001', 0)?.parts.map(({ id }) => id)).toContain(`L1:${id8Of(2)}#3`)
  })

  it('is not summarised again, and not brought back by the vault', () => {
    const { project, store } = filled()
    store.whileLocked(100, () => fillVault(store))
    age(store, '2026-01-20')
    store.whileLocked(100, () => fillVault(store))
    age(store, '2026-06-01')
    expect(missingFrom(store, project.places.vault)).toEqual([])
    store.whileLocked(100, () => fillVault(store))

    const kept = (dir: string): string[] => Object.keys(treeOf(path.join(dir, 'sessions')))
    expect(kept(project.places.vault)).toEqual(kept(store.dir))
    const told = ['archive/2025-12.md', 'archive/2026-01.md'].flatMap((name) => toldIn(read(store, name)))
    expect(told.sort()).toEqual(SESSIONS.map(({ n }) => id8Of(n)))
  })
})

describe('the plan', () => {
  it('says what will be done, and does nothing', () => {
    const { store } = filled()
    age(store, '2026-01-20')
    const before = treeOf(store.dir)
    const plan = planTiers(store, { now: '2026-06-01T12:00:00.000Z', isAlive: () => false })

    expect(plan.weeks).toMatchObject([
      { week: { file: 'week-2026-01.md' }, months: ['archive/2025-12.md'] },
      { week: { file: 'week-2026-03.md' }, months: ['archive/2026-01.md'] },
    ])
    expect(
      plan.tiers.map(({ period, sessions, summaries }) => [period.file, sessions.length, summaries.length]),
    ).toEqual([
      ['archive/2025-12.md', 1, 0],
      ['archive/2026-01.md', 3, 1],
    ])
    expect(plan.compressed).toHaveLength(4)
    expect(treeOf(store.dir)).toEqual(before)
  })
})

describe('too little time', () => {
  it('leaves the rest for the next time', () => {
    const { store } = filled()
    let asked = 0
    ageTiers(store, { now: '2026-06-01T12:00:00.000Z', isLate: () => asked++ > 0 })
    expect(names(store).filter((name) => name.endsWith('.md')).length).toBeGreaterThan(2)
    age(store, '2026-06-01')

    expect(names(store).filter((name) => name.endsWith('.md'))).toEqual(['archive/2025-12.md', 'archive/2026-01.md'])
    expect(SESSIONS.map((session) => readSession(store, fileOf(session)).length)).toEqual([4, 4, 4, 4])
  })
})
