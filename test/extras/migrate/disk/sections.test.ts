/** What v3 and v4 decided and left open, after `migrate`: told with its version until somebody accepts, rejects or replaces it. */

import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { previewBriefing } from '../../../../src/core/briefing/disk/briefing.ts'
import { MANY_FACTS_CHARS, newestFacts } from '../../../../src/core/briefing/newest-facts.ts'
import { readFacts, writeFacts } from '../../../../src/core/knowledge/disk/knowledge.ts'
import { type Fact, isLive } from '../../../../src/core/knowledge/item.ts'
import { addItem, allFacts } from '../../../../src/core/knowledge/items.ts'
import { listArchives, readSummary } from '../../../../src/core/notes/disk/memory.ts'
import { listNotes } from '../../../../src/core/notes/disk/note-list.ts'
import { readUnits } from '../../../../src/core/search/disk/source-documents.ts'
import { listSources } from '../../../../src/core/search/disk/sources.ts'
import { performMigration } from '../../../../src/extras/migrate/disk/migrate.ts'
import { findOrigins } from '../../../../src/extras/migrate/disk/migrate-files.ts'
import { summaryFileOf } from '../../../../src/kernel/platform/layout.ts'
import { NO_TIME } from '../../../../src/kernel/platform/time.ts'
import { listed } from '../../../support/fact.ts'
import { migrateAll, putAtHome, putInPlace, SEOUL, storeFor } from '../../../support/legacy.ts'
import { runCommand } from '../../../support/process.ts'
import {
  append,
  dialog,
  fastDir,
  linesFor,
  NOW,
  quietProject,
  sessionId,
  storeOf,
  type TestProject,
  write,
} from '../../../support/project.ts'
import { finishHere, LATER, stop } from '../../../support/world.ts'

const PLACES = { 'at home': putAtHome, 'in place': putInPlace }
type Put = (project: TestProject, fixture: string) => string

function migratedWith(put: Put, fixture: string, prepare: (dir: string) => void = () => undefined): TestProject {
  const project = quietProject({}, fastDir())
  prepare(put(project, fixture))
  migrateAll(project)
  return project
}

const told = (project: TestProject): string => previewBriefing(storeOf(project), null)?.text ?? ''
const factsOf = (project: TestProject): Fact[] => allFacts(readFacts(storeOf(project)))

/** The lines of one section of the briefing. */
function sectionOf(text: string, title: string): string[] {
  const lines = text.split('\n')
  const from = lines.indexOf(`## ${title}`) + 1
  const to = lines.findIndex((line, i) => i >= from && (line.startsWith('## ') || line.startsWith('</')))
  return from === 0 ? [] : lines.slice(from, to)
}

/** A session with decisions of its own, told by code, that ends. */
async function endSession(project: TestProject, n: number, decisions = 1): Promise<void> {
  const session = sessionId(n)
  const lines = linesFor(session, project.root)
  append(
    project.transcriptOf(session),
    [
      lines.prompt(1, `Please build part ${n} of the booking page and show me how it looks with its tests.`),
      ...Array.from({ length: decisions }, (_, k) =>
        dialog(
          lines,
          2 + 2 * k,
          `Which colour does part ${n} of page ${k} get?`,
          `Shade number ${k * 100 + n} of the harbour's palette`,
        ),
      ),
      lines.answer(
        4 + 2 * decisions,
        `Part ${n} has shade ${n} now, and all ${n + 10} tests of the booking page pass.`,
      ),
    ].join(''),
  )
  stop(project, {}, {}, session)
  await finishHere(project, { for: 'end', session }, { now: () => LATER })
}

const DECISIONS = [
  'Berths are booked in half-hour slots because the tide tables come in half hours',
  "The harbour master's list is the source of truth, never the web form",
  'Tide data is cached for six hours',
]
const ISSUE = 'Importer stalls when the tide server answers 503'
const STATE = 'booking page works, payments are missing'

describe.each(Object.entries(PLACES))('a memory of v3 %s', (_, put) => {
  it('tells its decisions and issues after 25 further sessions, and its state until the first has ended', async () => {
    const project = migratedWith(put, 'v3')
    const first = told(project)
    expect(sectionOf(first, 'Current State').join('\n')).toContain(
      `(from v3): Last updated: 2025-11-20 18:40; Status: ${STATE}`,
    )

    await endSession(project, 1)
    expect(told(project)).not.toContain(STATE)
    for (let n = 2; n <= 25; n++) await endSession(project, n, 4)
    const after = told(project)

    // More than the room holds, and more than are chosen for it.
    const newer = factsOf(project).filter((one) => one.source === undefined && one.kind === 'decision' && isLive(one))
    expect(newer.length).toBeGreaterThan(80)
    expect(sectionOf(after, 'Core Decisions').filter((line) => line.includes('Shade number')).length).toBeLessThan(40)
    for (const text of [first, after]) {
      const decided = sectionOf(text, 'Core Decisions')
      for (const one of DECISIONS) expect(decided.filter((line) => line.includes(`(from v3): ${one}`))).toHaveLength(1)
      expect(sectionOf(text, 'Known Issues').filter((line) => line.includes(`(from v3): ${ISSUE}`))).toHaveLength(1)
      // Once each, whatever stands in memory.md or in an archive.
      for (const one of [...DECISIONS, ISSUE]) expect(text.split(one)).toHaveLength(2)
      expect(text).not.toContain('by the user): Core Decisions')
      expect(text).not.toContain('Map tiles flicker')
    }
    expect(sectionOf(after, 'Core Decisions').some((line) => line.includes('Shade number'))).toBe(true)
    if (process.env.SHOW !== undefined) console.log(`${first}\n\n${after}`)
  })

  it('is the user’s once accepted, gone once rejected, and the same in the user’s words', async () => {
    const project = migratedWith(put, 'v3')
    const [first, second, third] = factsOf(project).map(({ id }) => id)

    expect(runCommand(project, ['rules', 'accept', first ?? ''])).toMatchObject({
      code: 0,
      out: expect.stringContaining('yours'),
    })
    expect(runCommand(project, ['facts', 'reject', second ?? ''])).toMatchObject({ code: 0 })
    expect(
      runCommand(project, ['facts', 'edit', third ?? '', '--text', 'Tide data is cached for a day.']),
    ).toMatchObject({ code: 0 })
    await endSession(project, 1)
    const text = told(project)

    expect(text).toContain(`(the user): ${DECISIONS[0]}`)
    expect(text).not.toContain(DECISIONS[1])
    expect(text).toContain('(the user): Tide data is cached for a day.')
    expect(text).not.toContain(DECISIONS[2])
    // No rule has grown from it.
    expect(listed(readFacts(storeOf(project))).permanent.rules).toEqual([])
    expect(runCommand(project, ['rules', 'accept', first ?? '']).out).toContain('Active from now on')
    expect(runCommand(project, ['undo'])).toMatchObject({ code: 0 })
  })

  it('is told no more once a newer decision stands in its place', async () => {
    const project = migratedWith(put, 'v3')
    const [first] = factsOf(project).map(({ id }) => id)
    await endSession(project, 1)
    runCommand(project, ['facts', 'add', 'decision', 'Berths are booked by the full hour.'])
    const newer = factsOf(project).find(({ text }) => text.includes('full hour'))?.id ?? ''
    expect(told(project)).toContain(DECISIONS[0])
    expect(runCommand(project, ['facts', 'reject', first ?? '', '--by', newer])).toMatchObject({ code: 0 })
    const text = told(project)

    expect(text).toContain('(the user): Berths are booked by the full hour.')
    expect(text).not.toContain(DECISIONS[0])
    expect(text).toContain(DECISIONS[1])
  })

  it('does not come back with the next migration, whatever became of it', () => {
    const project = migratedWith(put, 'v3')
    const [first, second, third] = factsOf(project).map(({ id }) => id)
    runCommand(project, ['rules', 'accept', first ?? ''])
    runCommand(project, ['facts', 'reject', second ?? ''])
    runCommand(project, ['facts', 'edit', third ?? '', '--text', 'Tide data is cached for a day.'])
    const before = factsOf(project)

    expect(migrateAll(project).effects).toBe(0)
    // The same directory, written since: only what is new comes.
    const dir = put === putAtHome ? path.join(project.keeper, 'projects', 'app') : project.memory
    const memory = path.join(dir, 'memory.md')
    fs.writeFileSync(memory, fs.readFileSync(memory, 'utf8').replace('- Berths', '- Buoys are red\n- Berths'))
    migrateAll(project)

    const added = factsOf(project).filter(({ id }) => !before.some((one) => one.id === id))
    expect(added.map(({ text }) => text)).toEqual(['Buoys are red'])
    expect(factsOf(project).filter(({ id }) => !added.some((one) => one.id === id))).toEqual(before)
  })
})

describe('the sections of an earlier version', () => {
  it('in place stay byte for byte', () => {
    let before = ''
    const project = migratedWith(putInPlace, 'v4', (dir) => {
      before = fs.readFileSync(path.join(dir, 'memory.md'), 'utf8')
    })

    expect(fs.readFileSync(path.join(project.memory, 'memory.md'), 'utf8')).toBe(before)
  })

  it('are told as they stand until `migrate` has run, and what is written below them since is told, too', () => {
    const project = quietProject({}, fastDir())
    putInPlace(project, 'v3')
    const waiting = told(project)
    for (const one of [...DECISIONS, ISSUE]) expect(waiting).toContain(one)
    expect(waiting).not.toContain('by the user')

    migrateAll(project)
    const memory = path.join(project.memory, 'memory.md')
    fs.writeFileSync(
      memory,
      fs.readFileSync(memory, 'utf8').replace('- Berths', '- Buoys are red since spring\n- Berths'),
    )
    const text = told(project)

    expect(text).toContain('Buoys are red since spring')
    expect(text.split(DECISIONS[0] ?? '')).toHaveLength(2)
  })

  it('with translated names, undated or not, are told the same way, and an empty one says nothing', () => {
    const text = told(migratedWith(putAtHome, 'v4-korean'))

    expect(sectionOf(text, 'Core Decisions').join('\n')).toContain('(from v4): 사진은 서버에서만 줄인다')
    expect(sectionOf(text, 'Known Issues').join('\n')).toContain('(from v4): 사파리에서 사진이 옆으로 눕는다')
    expect(text).not.toContain('없음')
    expect(told(migratedWith(putAtHome, 'empty'))).not.toMatch(/from v|permanent decisions/)
  })

  it('join the same decision of facts.json', () => {
    const project = migratedWith(putAtHome, 'v4', (dir) => {
      const memory = path.join(dir, 'memory.md')
      const same = '- Keep stall data in one JSON document per street.\n- Routes'
      fs.writeFileSync(memory, fs.readFileSync(memory, 'utf8').replace('- Routes', same))
    })
    const same = factsOf(project).filter(({ text }) => text.startsWith('Keep stall data'))

    expect(same).toMatchObject([
      { id: 'd001', at: '2025-12-02', source: 'v4', by: 'agent', session: expect.any(String) },
    ])
    expect(told(project)).toContain('(from v4): Keep stall data in one JSON document per street')
  })

  it('leave facts.json that nobody can read as it is', () => {
    const project = migratedWith(putInPlace, 'broken')

    expect(fs.readFileSync(path.join(project.memory, 'facts.json'), 'utf8')).not.toContain('from')
    expect(fs.readFileSync(path.join(project.memory, 'memory.md'), 'utf8')).toContain('Ferries are listed by quay')
  })

  it('from another directory are nobody’s own words, nor is anything else in it', () => {
    const project = quietProject({}, fastDir())
    const dir = path.join(project.base, 'elsewhere')
    fs.cpSync(putAtHome(project, 'v4'), dir, { recursive: true })
    const store = storeFor(project)
    for (const origin of findOrigins(store, dir).origins)
      store.whileLocked(1000, () => performMigration(store, origin, SEOUL))
    const units = listSources(store)
      .filter(({ isLog }) => !isLog)
      .flatMap((source) => readUnits(source) ?? [])

    expect(told(project)).toContain('Lead volunteers carry the green badge.')
    expect(told(project)).not.toContain('the user')
    expect(units.filter(({ by }) => by === 'the user')).toEqual([])
    expect(listNotes(store).notes.map(({ author }) => author)).toEqual(Array(7).fill('agent'))
    for (const one of factsOf(project)) expect(one).toMatchObject({ by: 'agent' })
  })

  it('of a copy that was migrated come as the facts that they are there', () => {
    const before = migratedWith(putInPlace, 'v3')
    runCommand(before, ['facts', 'edit', 'd001', '--text', 'Berths are booked by the hour.'])
    const project = quietProject({}, fastDir())
    const store = storeFor(project)
    for (const origin of findOrigins(store, before.memory).origins)
      store.whileLocked(1000, () => performMigration(store, origin, SEOUL))

    expect(factsOf(project).map(({ text }) => text)).toEqual(factsOf(before).map(({ text }) => text))
  })

  it('with 200 decisions and 200 issues leave room for everything else', async () => {
    const many = (what: string): string =>
      Array.from(
        { length: 200 },
        (_, n) => `- ${what} ${n} is about the ${'long '.repeat(n % 7)}quay and its bollards`,
      ).join('\n')
    const project = migratedWith(putAtHome, 'v3', (dir) =>
      write(
        path.join(dir, 'memory.md'),
        `# Project Memory: harbour\n\n## Core Decisions\n${many('Decision')}\n\n## Current State\n- Status: fine\n\n## Recent Context\n\n## Known Issues\n${many('Trouble')}\n`,
      ),
    )
    for (let n = 1; n <= 4; n++) await endSession(project, n)
    const store = storeOf(project)
    const before = readFacts(store)
    const issue = {
      ...listed(before).issues[0],
      text: 'The tests need a printer.',
      at: NOW,
      source: undefined,
    } as unknown as Fact
    store.whileLocked(1000, () => writeFacts(store, before, addItem<Fact>(before, { ...issue, by: 'user' }).items, NOW))
    const text = told(project)
    const room = (title: string): number => sectionOf(text, title).join('\n').length

    expect(room('Current State')).toBeGreaterThan(600)
    expect(sectionOf(text, 'Core Decisions').some((line) => line.includes('(from v3): Decision'))).toBe(true)
    // The others are told with their sessions.
    expect(sectionOf(text, 'Core Decisions').some((line) => line.includes('Shade number 1'))).toBe(true)
    expect(sectionOf(text, 'Known Issues').some((line) => line.includes('(from v3): Trouble'))).toBe(true)
    expect(sectionOf(text, 'Known Issues').some((line) => line.includes('The tests need a printer.'))).toBe(true)
    expect(text.length).toBeLessThanOrEqual(6_000)
    // Of a large file only a part is read: they are in it.
    const filler = addItem<Fact>(readFacts(store), {
      ...issue,
      kind: 'decision',
      status: null,
      text: 'x'.repeat(MANY_FACTS_CHARS),
    }).items
    const large = Array.from({ length: 400 }, (_, n) => n).reduce(
      (facts, n) => addItem<Fact>(facts, { ...issue, kind: 'decision', status: null, text: `Newer ${n}` }).items,
      filler,
    )
    store.whileLocked(1000, () => writeFacts(store, readFacts(store), large, NOW))
    const read = newestFacts(fs.readFileSync(path.join(project.memory, 'facts.json'), 'utf8'))
    expect(read?.tally).not.toBeNull()
    expect(listed(read?.facts)?.decisions.filter(({ source }) => source === 'v3')).toHaveLength(200)
  })

  it('without any date are told, found and listed', () => {
    const project = migratedWith(putAtHome, 'v3', (dir) =>
      write(
        path.join(dir, 'memory.md'),
        '# Project Memory: harbour\n\n## Core Decisions\n- Berths have numbers\n\n## Current State\n- Status: fine\n\n## Known Issues\n- The quay floods\n',
      ),
    )

    expect(factsOf(project).map(({ at }) => at)).toEqual(['', ''])
    expect(told(project)).toContain('- d001 (from v3): Berths have numbers')
    for (const args of [
      ['facts'],
      ['search', 'berths'],
      ['timeline', '--from', '2025-01-01'],
      ['status'],
      ['doctor'],
      ['show', 'd001'],
    ])
      expect(runCommand(project, args).out).not.toMatch(/Invalid|NaN|undefined/)
    expect(runCommand(project, ['search', 'berths']).out).toContain('Berths have numbers')
    expect(runCommand(project, ['facts']).out).toContain('Berths have numbers')
  })
})

describe('an archive that code sums up', () => {
  it('is told by its text and not by its headings', () => {
    const project = migratedWith(putAtHome, 'v4')
    const store = storeOf(project)
    const overall = listArchives(store).map((file) => readSummary(store, summaryFileOf(file))?.overallSummary ?? '')

    expect(overall.join('\n')).toContain('Please move the route planner behind a queue')
    expect(overall.join('\n')).toContain('Shifts change at the full hour.')
    expect(overall.join('\n')).toContain('Routes are computed on the server')
    expect(overall.join('\n')).not.toMatch(/(?:: |^)(?:Raw conversation|Week \d+|Core Decisions|Summary)/m)
  })

  it('has the days of its name and words, and not those of its files', () => {
    const project = migratedWith(putAtHome, 'v4', (dir) => {
      for (const name of ['week-01.md', 'week-49.md']) fs.utimesSync(path.join(dir, 'sessions', name), 1, 1)
    })
    const { notes } = listNotes(storeOf(project))
    const dayOf = (words: string): string => notes.find(({ text }) => text.includes(words))?.at.slice(0, 10) ?? ''

    expect(dayOf('Chose one JSON document per street')).toBe('2025-12-05')
    // Week 1 of 2026 begins after everything else in this memory.
    expect(dayOf('Nothing but holidays')).toBe('2024-12-30')
  })
})

it('a text that nothing dates is shown without a day, before everything else', () => {
  const project = quietProject({}, fastDir())
  const dir = putAtHome(project, 'v3')
  write(path.join(dir, 'memory.md'), '# Project Memory: harbour\n\n## Core Decisions\n- None\n')
  fs.rmSync(path.join(dir, 'sessions'), { recursive: true })
  write(path.join(dir, 'sessions', 'week-49.md'), '# Week 49\n\nRopes were bought.\n')
  migrateAll(project)

  expect(listNotes(storeOf(project)).notes[0]?.file).toBe('memory_19700101_000000.md')
  expect(fs.readFileSync(path.join(project.memory, 'memory_19700101_000000.md'), 'utf8')).toMatch(/^## Undated\n/)
  expect(told(project)).toMatch(/^- \[n-\S+\] Note \(written by Claude\): Week 49; Ropes were bought\.$/m)
})

/** With this memory.md alone, where v3 and v4 kept it. */
function migratedAtHome(memory: string): TestProject {
  return migratedWith(putAtHome, 'empty', (dir) => {
    fs.rmSync(dir, { recursive: true })
    write(path.join(dir, 'memory.md'), memory)
  })
}

describe('a text of the user at home that nothing dates', () => {
  it.each([
    ['below a heading', '# Project Memory: shop\n\n## My own notes\nThe VANILLA server is slow.\n'],
    [
      'beside sections',
      '# Project Memory: shop\n\n## Core Decisions\n- Ropes are listed\n\n## My own notes\nThe VANILLA server is slow.\n',
    ],
    ['above all headings', '# Project Memory: shop\n\nThe VANILLA server is slow.\n'],
  ])('%s does not get the day of the migration', (_, memory) => {
    const project = migratedAtHome(memory)
    const { out } = runCommand(project, ['search', 'VANILLA'])

    expect(out).toContain('undated')
    expect(out).not.toContain(NOW.slice(0, 4))
    expect(listNotes(storeOf(project)).notes.find(({ text }) => text.includes('VANILLA'))?.at).toBe(NO_TIME)
    expect(listArchives(storeOf(project))).toEqual(['memory_19700101_000000.md'])
    expect(told(project)).toMatch(/^- \[n-\S+\] Note \(written by Claude\): .*VANILLA/m)
    for (const args of [['timeline'], ['notes'], ['status'], ['doctor'], ['summary', 'memory_19700101_000000.md']])
      expect(runCommand(project, args).out).not.toMatch(/1970-|Invalid|NaN/)
  })

  it('has the day of what else its memory says, if there is one', () => {
    const project = migratedAtHome(
      '# Project Memory: shop\n\n## Core Decisions\n- [2025-11-03] Ropes are listed\n\n## Current State\n- Last updated: 2025/11/03\n\n## My own notes\nThe VANILLA server is slow.\n',
    )
    expect(
      listNotes(storeOf(project))
        .notes.find(({ text }) => text.includes('VANILLA'))
        ?.at.slice(0, 10),
    ).toBe('2025-11-03')
  })
})

it('a summary that `migrate` writes is found under the time of its archive', () => {
  const project = migratedWith(putAtHome, 'empty', (dir) =>
    write(path.join(dir, 'sessions', '2025-02-03_1000.md'), 'The VANILLA server was tuned.\n'),
  )
  const { out } = runCommand(project, ['search', 'VANILLA'])
  expect(out).toMatch(/summary\.json#1 {2}2025-02-03/)
  expect(out).not.toContain(NOW.slice(0, 10))
})

describe('one section alone, without the title', () => {
  const ALONE = '## Core Decisions\n- Ropes are listed by pier\n'

  it('is one of v3 or v4 where these kept their memories', () => {
    const project = migratedAtHome(ALONE)

    expect(factsOf(project).map(({ text, source }) => [text, source])).toEqual([['Ropes are listed by pier', 'v3']])
    expect(sectionOf(told(project), 'Core Decisions')).toEqual(['- d001 (from v3): Ropes are listed by pier'])
    expect(told(project).split('Ropes are listed')).toHaveLength(2)
    expect(told(project)).not.toContain('the user')
    expect(migrateAll(project).effects).toBe(0)
    // It is known in its archive, too.
    runCommand(project, ['facts', 'edit', 'd001', '--text', 'Ropes are listed by length.'])
    expect(told(project)).not.toContain('by pier')
  })

  it('is one where the user names that directory', () => {
    const project = quietProject({}, fastDir())
    const dir = path.join(project.keeper, 'projects', 'another-name')
    write(path.join(dir, 'memory.md'), ALONE)
    const store = storeFor(project)
    for (const origin of findOrigins(store, dir).origins)
      store.whileLocked(1000, () => performMigration(store, origin, SEOUL))

    expect(factsOf(project)).toHaveLength(1)
  })

  it('is a heading like any other elsewhere', () => {
    const project = migratedWith(putInPlace, 'empty', (dir) => write(path.join(dir, 'memory.md'), ALONE))

    expect(factsOf(project)).toEqual([])
    expect(told(project)).toContain('by the user')
  })
})

describe('the state of v3', () => {
  it('is told until a session that hooks saw has ended, whatever was imported', async () => {
    const project = migratedWith(putAtHome, 'v3', (dir) =>
      write(
        path.join(dir, 'sessions', '2025-11-20_0900.l1.jsonl'),
        '{"role":"user","ts":"2025-11-20T00:00:00Z","text":"Please build the booking page with its tests."}\n{"role":"assistant","ts":"2025-11-20T00:05:00Z","text":"The booking page is there, and all its tests pass now."}\n',
      ),
    )
    expect(told(project)).toContain('The booking page is there')
    expect(told(project)).toContain(STATE)

    const lines = linesFor(sessionId(40), project.root)
    append(
      project.transcriptOf(sessionId(40)),
      lines.prompt(1, 'Please paint the harbour map in blue.') + lines.answer(4, 'The harbour map is blue now.'),
    )
    runCommand(project, ['import'])
    expect(told(project)).toContain('harbour map')
    expect(told(project)).toContain(STATE)

    await endSession(project, 1)
    expect(told(project)).not.toContain(STATE)
  })
})

it('four empty sections give a briefing no heading', () => {
  const project = quietProject({}, fastDir())
  putInPlace(project, 'empty')
  write(
    path.join(project.memory, 'memory.md'),
    '# Project Memory: shop\n\n## Core Decisions\n\n## Current State\n\n## Recent Context\n\n## Known Issues\n',
  )

  expect(told(project)).not.toMatch(/## (?:Recent Context|Core Decisions|Known Issues)/)
})

it('a memory of 13.9.5 has the times of its headings, and what waited for a note comes last', () => {
  const project = migratedWith(putInPlace, 'v13.9')
  const headings = fs.readFileSync(path.join(project.memory, 'memory.md'), 'utf8').match(/^## .*$/gm)

  expect(headings).toEqual([
    '## 2026-01-28 00:15:00 UTC (2026-01-28 09:15:00 +09:00)',
    '## 2026-01-30 10:15:00 UTC (2026-01-30 19:15:00 +09:00)',
    '## 2026-02-02 03:00:00 UTC (2026-02-02 12:00:00 +09:00)',
    '## 2026-02-02 17:30:00 UTC (2026-02-03 02:30:00 +09:00)',
  ])
  const { notes } = listNotes(storeOf(project))
  expect(notes.map(({ text }) => text).join('\n')).not.toContain('local')
  expect(notes.find(({ text }) => text.includes('Print the chart on A1'))?.at).toBe('2026-02-02T17:30:01.000Z')
})
