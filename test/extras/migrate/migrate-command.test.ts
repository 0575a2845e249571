/** `migrate` and `import --from` as a person types them: plan, report, and nothing to do the second time. */

import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { runStatus } from '../../../src/core/health/commands/status.ts'
import { formatConcepts, NO_CONCEPTS } from '../../../src/core/knowledge/concept.ts'
import { readFacts, writeFacts } from '../../../src/core/knowledge/disk/knowledge.ts'
import { formatItems } from '../../../src/core/knowledge/facts-file.ts'
import { NO_ITEMS } from '../../../src/core/knowledge/items.ts'
import { addOwnNote } from '../../../src/core/notes/disk/notes.ts'
import { runTrust } from '../../../src/core/vault/commands/trust.ts'
import { takeNotices } from '../../../src/doors/hooks/notices.ts'
import { runImportFrom, runMigrate } from '../../../src/extras/migrate/commands/migrate.ts'
import { earlierMemory } from '../../../src/extras/migrate/disk/migrate-files.ts'
import { type CliWorld, openContext } from '../../../src/kernel/memory/commands/context.ts'
import { notesIn } from '../../../src/kernel/memory/note.ts'
import { offsetIn, offsetZone } from '../../../src/kernel/platform/time.ts'
import { takeOver } from '../../../src/kernel/trust/disk/trust.ts'
import { fact, itemsOf, listed } from '../../support/fact.ts'
import { FIXTURES, putAtHome, putInPlace } from '../../support/legacy.ts'
import { makeProject, now, storeOf, type TestProject, treeOf, write } from '../../support/project.ts'

interface Ran {
  code: number
  out: string
}

function run(
  project: TestProject,
  flags: { json?: boolean; dryRun?: boolean },
  work: (context: ReturnType<typeof openContext>) => unknown,
): Ran {
  let out = ''
  const world: CliWorld = {
    around: project.around,
    cwd: project.root,
    projectDir: undefined,
    now,
    streams: { out: (text) => (out += text), err: () => undefined, isErrTerminal: false },
    columns: 100,
    isStdinTerminal: true,
    readStdin: () => '',
    version: '0.0.0',
    nodeVersion: process.version,
    tempDir: project.base,
    embedderKey: '',
    fetch: globalThis.fetch,
    isOurChild: false,
    env: {},
    platform: process.platform,
  }
  const code = Number(work(openContext(world, flags)))
  return { code, out: out.replace(/\u001b\[[0-9;]*m/g, '') }
}

const SEOUL = { timezone: 'Asia/Seoul' }
const CONCEPT = { id: 'c001', summary: '', files: [], keywords: [], exchanges: [], aliases: [] }

describe('migrate', () => {
  it('names the sessions that 13.5 kept beside the memory, until they are taken', () => {
    const project = makeProject()
    putInPlace(project, 'v13')
    const beside = path.join(path.dirname(project.memory), 'sessions')
    fs.cpSync(path.join(project.memory, 'sessions'), beside, { recursive: true })
    const migrate = (from?: string): string =>
      run(project, {}, (context) => runMigrate(context, { ...SEOUL, ...(from === undefined ? {} : { from }) })).out

    expect(migrate()).toContain(`memory-keeper migrate --from ${beside}`)
    expect(migrate(beside)).not.toContain('--from')
    expect(migrate()).not.toContain(beside)
  })

  it('shows what would happen, and does nothing', () => {
    const project = makeProject()
    putAtHome(project, 'v4')
    const before = treeOf(project.base)

    const { code, out } = run(project, { dryRun: true }, (context) => runMigrate(context, SEOUL))

    expect(code).toBe(0)
    expect(out).toMatch(/Would take over 5 notes, 9 facts: .*facts\.json.*memory_20251214_003000\.md/)
    expect(out).toContain('Times without a zone were read as times in Asia/Seoul')
    expect(out).toContain('without --dry-run does it, with a backup first.')
    expect(out).toContain('2025-10.md')
    expect(out).not.toContain('yours to delete')
    expect(treeOf(project.base)).toEqual(before)
  })

  it('says whose directory may go only when something was taken from it', () => {
    const project = makeProject()
    const dir = putAtHome(project, 'v4')

    expect(run(project, {}, (context) => runMigrate(context, { from: dir })).out).toContain('It is yours to delete.')
    const again = run(project, {}, (context) => runMigrate(context, { from: dir }))
    expect(again.out).toContain('Nothing to migrate.')
  })

  it('says in which zone it read times without one, also where the headings show another than this system has', () => {
    const project = makeProject()
    const at = '2026-02-02T03:00:00.000Z'
    const minutes = offsetIn('')(Date.parse(at)) / 60_000 + 90
    const local = new Date(Date.parse(at) + minutes * 60_000).toISOString()
    const heading = `2026-02-02_0300 (local ${local.slice(5, 10)}_${local.slice(11, 16).replace(':', '')})`
    write(path.join(project.memory, 'memory.md'), `## 2026-01-28_0915\nOlder.\n\n## ${heading}\nNewer.\n`)
    takeOver(project.places)
    const out = (timezone?: string): string =>
      run(project, { dryRun: true }, (context) => runMigrate(context, timezone === undefined ? {} : { timezone })).out

    expect(out()).toContain(`Times without a zone were read as times in ${offsetZone(minutes)};`)
    expect(out('Asia/Seoul')).toContain('Times without a zone were read as times in Asia/Seoul;')
  })

  it('takes no directory that is no memory', () => {
    const project = makeProject()
    const docs = path.join(project.base, 'docs')
    for (const name of ['README.md', '2026-01-14.md', 'week-03.md', 'config.json', 'counter.txt', 'a.json'])
      write(path.join(docs, name), 'words')
    write(path.join(docs, 'facts.json'), '{"elephants": 3}')
    const before = treeOf(project.root)
    const refused = (message: string) =>
      expect.objectContaining({ code: 'no-origin', message: expect.stringContaining(message) })

    expect(() => run(project, {}, (context) => runMigrate(context, { from: docs }))).toThrowError(refused(docs))
    expect(treeOf(project.root)).toEqual(before)
  })

  it('names a few of many files that nobody understands', () => {
    const project = makeProject()
    const dir = putAtHome(project, 'v3')
    for (let n = 10; n < 40; n++) write(path.join(dir, `thing-${n}.bin`), 'x')

    const { out } = run(project, { dryRun: true }, (context) => runMigrate(context, SEOUL))

    expect(out).toContain('30 files not understood, left as they are: thing-10.bin,')
    expect(out).toContain('thing-19.bin and 20 more (--json lists them all)')
    expect(out).not.toContain('thing-20.bin')
  })

  it('says how many permanent memories from elsewhere wait for a yes', () => {
    const project = makeProject()
    putAtHome(project, 'v12')

    expect(run(project, {}, (context) => runMigrate(context, SEOUL)).out).toContain(
      'Next: 4 permanent memories wait for your approval: memory-keeper rules',
    )
  })

  it('reports what it did and where the backup is, and has nothing to do again', () => {
    const project = makeProject()
    putInPlace(project, 'v13')

    const first = run(project, {}, (context) => runMigrate(context, SEOUL))
    const again = run(project, {}, (context) => runMigrate(context, SEOUL))

    expect(first.out).toContain('Took over 7 notes')
    const backup = /Backup: (.+)/.exec(first.out)?.[1] ?? ''
    expect(fs.existsSync(path.join(backup, 'memory.md'))).toBe(true)
    expect(again.out).toContain('Nothing to migrate.')
  })

  it('prints all of it as JSON', () => {
    const project = makeProject()
    const dir = putAtHome(project, 'broken')

    const { out } = run(project, { json: true }, (context) => runMigrate(context, { ...SEOUL, from: dir }))

    const { migrations } = JSON.parse(out) as { migrations: { from: string; left: string[] }[] }
    expect(migrations).toMatchObject([
      { from: dir, left: ['concepts.json', 'facts.json', 'sessions/2025-09-01_1200.l2.json'] },
    ])
  })

  it('says so when there is no such time zone, or no such directory', () => {
    const project = makeProject()

    expect(() => run(project, {}, (context) => runMigrate(context, { timezone: 'Mars/Base' }))).toThrowError(
      expect.objectContaining({ code: 'usage' }),
    )
    expect(() => run(project, {}, (context) => runMigrate(context, { from: 'nowhere' }))).toThrowError(
      expect.objectContaining({ code: 'no-origin' }),
    )
  })

  it('has nothing to do where there is no memory at all', () => {
    const project = makeProject()

    expect(run(project, {}, (context) => runMigrate(context, {})).out).toContain('Nothing to migrate.')
    expect(fs.existsSync(project.memory)).toBe(false)
  })
})

describe('the line about a memory that waits', () => {
  it('is there until it is taken over', () => {
    const project = makeProject()
    expect(earlierMemory(storeOf(project))).toBeNull()
    putAtHome(project, 'v3')
    expect(earlierMemory(storeOf(project))).toContain(project.home)

    run(project, {}, (context) => runMigrate(context, SEOUL))

    expect(earlierMemory(storeOf(project))).toBeNull()
  })

  it.each(['v12', 'v13', 'v4', 'v3'])(
    'is there for a memory of %s in the project, and gone once it is migrated',
    (fixture) => {
      const project = makeProject()
      putInPlace(project, fixture)
      expect(earlierMemory(storeOf(project))).toBe(project.memory)

      run(project, {}, (context) => runMigrate(context, SEOUL))

      expect(earlierMemory(storeOf(project))).toBeNull()
    },
  )

  it.each([
    ['concepts.json', '{"concepts": [], "nextId": 1}'],
    ['facts.json', '{"_meta": {"counter": 1, "version": 3}, "decisions": []}'],
    ['facts.json', '{"decisions": []}'],
    ['memory-index.json', '{"version": 1, "counter": 3}'],
    ['memory.md', '# Memory\n\n## 2026-01-14_1530\nA note.\n'],
    ['sessions/2026-01-02_1000.l2.json', '{}'],
    ['sessions/2026-01-02_1000.l1.jsonl', ''],
  ])('is there for %s: %s', (file, text) => {
    const project = makeProject()
    takeOver(project.places)
    write(path.join(project.memory, file), text)

    expect(earlierMemory(storeOf(project))).toContain(project.memory)
  })

  it('is not there for what this version writes', () => {
    const project = makeProject()
    takeOver(project.places)
    const store = storeOf(project)
    const named = { ...NO_CONCEPTS, concepts: [{ ...CONCEPT, name: 'billing' }] }
    store.perform([
      { do: 'write', path: 'concepts.json', text: formatConcepts(named) },
      { do: 'write', path: 'facts.json', text: formatItems(NO_ITEMS) },
      { do: 'write', path: 'memory-index.json', text: JSON.stringify(store.readState()) },
      { do: 'write', path: 'memory.md', text: '# Memory\n\n## 2026-01-14 06:30:00 UTC\nA note.\n' },
      { do: 'write', path: 'sessions/20260114_063000_1a2b3c4d.l2.json', text: '{}' },
      { do: 'write', path: 'sessions/20260114_063000_1a2b3c4d.md', text: 'x' },
      { do: 'write', path: 'sessions/week-2026-03.md', text: 'x' },
    ])

    expect(earlierMemory(storeOf(project))).toBeNull()
  })
})

describe('a memory of an earlier version that nobody trusts yet', () => {
  function upgraded(fixture: string): TestProject {
    const project = makeProject()
    fs.cpSync(path.join(FIXTURES, fixture), project.memory, { recursive: true })
    return project
  }

  it.each(['v12', 'v13'])('%s is told as such, copied before it is trusted, and has a next step', (fixture) => {
    const project = upgraded(fixture)
    const before = treeOf(project.memory)

    const shown = run(project, {}, (context) => runTrust(context, {}))
    const done = run(project, {}, (context) => runTrust(context, { yes: true }))

    expect([shown.code, done.code]).toEqual([0, 0])
    expect(shown.out).toContain('a memory of an earlier version of Memory Keeper')
    expect(done.out).toContain('Next: memory-keeper migrate --dry-run')
    const backup = /Backup: (.+)/.exec(done.out)?.[1] ?? ''
    const { 'manifest.json': _, ...copied } = treeOf(backup)
    expect(copied).toEqual(before)
  })

  it('loses nothing when this version writes before it is migrated', () => {
    const project = upgraded('v12')
    run(project, {}, (context) => runTrust(context, { yes: true }))
    const store = storeOf(project)
    store.whileLocked(1000, () => {
      const facts = readFacts(store)
      writeFacts(store, facts, { ...facts, _meta: { ...facts._meta, counter: 40 } }, now())
    })

    run(project, {}, (context) => runMigrate(context, SEOUL))

    const { permanent } = listed(readFacts(storeOf(project)))
    expect(permanent.solutions.map(({ text }) => text)).toEqual([
      'Rounding differs by a cent: Round once, at the end, half to even',
    ])
  })

  it('is joined by what this version kept at home meanwhile, behind it and as the user said it', () => {
    const project = upgraded('v12')
    const atHome = storeOf(project)
    atHome.whileLocked(1000, () => {
      addOwnNote(atHome, 'Noted at home.', now())
      const facts = readFacts(atHome)
      const own = fact({ id: 'd003', text: 'Stamps are sold at the counter.', by: 'user' })
      writeFacts(atHome, facts, itemsOf({ ...listed(facts), decisions: [own] }), now())
    })

    run(project, {}, (context) => runTrust(context, { yes: true }))
    const wordsThen = fs.readFileSync(path.join(project.memory, 'memory.md'), 'utf8')
    run(project, {}, (context) => runMigrate(context, SEOUL))

    const store = storeOf(project)
    expect(wordsThen).toContain('Noted at home.')
    const notes = notesIn(fs.readFileSync(path.join(project.memory, 'memory.md'), 'utf8'))
    expect(notes.map(({ text, author }) => [text.split('\n')[0], author])).toEqual([
      [expect.stringContaining('Invoices are numbered'), 'agent'],
      [expect.stringContaining('PDF work'), 'agent'],
      ['Noted at home.', 'user'],
    ])
    expect(listed(readFacts(store)).decisions.map(({ id, text, by }) => [id, text.split(' ')[0], by])).toEqual([
      ['d003', 'Invoices', 'agent'],
      ['d008', 'Stamps', 'user'],
      [expect.stringMatching(/^d0\d\d$/), 'PDF', 'agent'],
    ])
  })

  it('makes no backup of what this version made', () => {
    const project = makeProject()
    write(path.join(project.memory, 'memory-index.json'), '{"version": 2}')
    write(path.join(project.memory, 'facts.json'), formatItems(NO_ITEMS))

    expect(run(project, {}, (context) => runTrust(context, { yes: true })).out).not.toMatch(/Backup|Next/)
    expect(fs.existsSync(path.join(project.keeper, 'backups'))).toBe(false)
  })

  it('shows a few of many sessions', () => {
    const project = upgraded('v12')
    for (let n = 100; n < 150; n++) write(path.join(project.memory, 'sessions', `x-${n}.l1.jsonl`), '')

    const { out } = run(project, {}, (context) => runTrust(context, {}))

    expect(out).toContain('… 34 more files')
    expect(out.split('\n').filter((line) => line.includes('sessions/'))).toHaveLength(20)
  })

  it('is in what status says until it is taken over', () => {
    const project = upgraded('v12')
    const look = (): string => run(project, {}, (context) => runStatus(context)).out

    expect(look()).toContain('memory-keeper trust')
    run(project, {}, (context) => runTrust(context, { yes: true }))
    expect(look()).toContain('memory-keeper migrate --dry-run')
    run(project, {}, (context) => runMigrate(context, SEOUL))
    expect(look()).not.toContain('memory-keeper migrate')
  })

  it('is named in the notice of a start', () => {
    const project = upgraded('v13')
    const [line] = takeNotices(storeOf(project), { restored: null, isAttended: true, now: '2026-01-13T12:00:00.000Z' })

    expect(line).toContain('an earlier version of Memory Keeper created it')
    expect(line).toContain('→ /memory-keeper:run trust')
  })
})

describe('import --from claude-mem', () => {
  it('brings what is there once, and says so', () => {
    const project = makeProject()
    const file = path.join(project.base, 'export.json')
    write(file, JSON.stringify({ observations: [{ title: 'Parts are printed', created_at: '2026-01-02T10:00:00Z' }] }))
    const from = { from: 'claude-mem', path: file }

    const plan = run(project, { dryRun: true }, (context) => runImportFrom(context, from))
    const first = run(project, {}, (context) => runImportFrom(context, from))
    const again = run(project, {}, (context) => runImportFrom(context, from))

    expect(plan.out).toContain('Would take over 1 note:')
    expect(first.out).toContain('Took over 1 note:')
    expect(again.out).toContain('Nothing new')
  })

  it('takes no other names, and no transcripts beside', () => {
    const project = makeProject()

    for (const options of [{ from: 'memory-bank' }, { from: 'claude-mem', all: true }, { path: 'x' }])
      expect(() => run(project, {}, (context) => runImportFrom(context, options))).toThrowError(
        expect.objectContaining({ code: 'usage' }),
      )
    expect(() => run(project, {}, (context) => runImportFrom(context, { from: 'claude-mem' }))).toThrowError(
      expect.objectContaining({ code: 'no-source' }),
    )
  })
})
