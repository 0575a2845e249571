/** `migrate` and `import --from` as a person types them: plan, report, and nothing to do the second time. */
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { type CliWorld, openContext } from '../../src/cli/context.ts'
import { runImport } from '../../src/cli/import.ts'
import { runMigrate } from '../../src/cli/migrate.ts'
import { waitsForMigration } from '../../src/store/migrate-notice.ts'
import { putAtHome, putInPlace } from '../support/legacy.ts'
import { makeProject, now, storeOf, type TestProject, textsIn, treeOf, write } from '../support/project.ts'

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

describe('migrate', () => {
  it('shows file by file what would happen, and does nothing', () => {
    const project = makeProject()
    putAtHome(project, 'v4')
    const before = treeOf(project.base)

    const { code, out } = run(project, { dryRun: true }, (context) => runMigrate(context, SEOUL))

    expect(code).toBe(0)
    expect(out).toContain('as v4 kept it')
    expect(out).toMatch(/sessions\/week-49\.md +→ sessions\/week-2025-49\.md/)
    expect(out).toMatch(/memory\.md +→ memory\.md +3 notes, 3 facts/)
    expect(out).toContain('Would take over 3 notes, 9 facts, 0 concepts, 2 sessions (6 entries), 0 new archives.')
    expect(treeOf(project.base)).toEqual(before)
  })

  it('reports what it did and where the backup is, and has nothing to do again', () => {
    const project = makeProject()
    putInPlace(project, 'v13')

    const first = run(project, {}, (context) => runMigrate(context, SEOUL))
    const again = run(project, {}, (context) => runMigrate(context, SEOUL))

    expect(first.out).toContain('Took over 7 notes')
    const backup = /a list of what is new: (.+)/.exec(first.out)?.[1] ?? ''
    expect(fs.existsSync(path.join(backup, 'memory.md'))).toBe(true)
    expect(again.out).toBe('Nothing to migrate: this memory is of the current version.\n')
  })

  it('prints all of it as JSON', () => {
    const project = makeProject()
    const dir = putAtHome(project, 'broken')

    const { out } = run(project, { json: true }, (context) => runMigrate(context, { ...SEOUL, from: dir }))

    const { migrations } = JSON.parse(out) as { migrations: { from: string; left: string[] }[] }
    expect(migrations).toMatchObject([{ from: dir, left: ['concepts.json', 'sessions/2025-09-01_1200.l2.json'] }])
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

  it('takes times only when nothing else is wanted', () => {
    const project = makeProject()
    putInPlace(project, 'v12')

    run(project, {}, (context) => runMigrate(context, SEOUL, 'times'))

    expect(fs.readFileSync(path.join(project.memory, 'memory.md'), 'utf8')).toContain(
      '## 2026-01-02 01:00:00 UTC (2026-01-02 10:00:00 +09:00)\nInvoices',
    )
    expect(fs.existsSync(path.join(project.memory, 'sessions', '2026-01-02_1000.l2.json'))).toBe(true)
  })

  it('names sessions that lie beside the memory, and takes them only when they are named', () => {
    const project = makeProject()
    putInPlace(project, 'v13')
    const beside = path.join(project.root, '.claude', 'sessions')
    write(
      path.join(beside, '2026-01-09_0800.l1.jsonl'),
      '{"role":"user","ts":"2026-01-09T08:00:00.000Z","text":"said beside"}\n',
    )

    expect(run(project, {}, (context) => runMigrate(context, SEOUL)).out).toContain(`migrate --from ${beside}`)
    expect(textsIn(project.memory)).not.toContain('said beside')
    run(project, {}, (context) => runMigrate(context, { ...SEOUL, from: beside }))
    expect(textsIn(project.memory)).toContain('said beside')
  })

  it('has nothing to do where there is no memory at all', () => {
    const project = makeProject()

    expect(run(project, {}, (context) => runMigrate(context, {})).out).toContain('Nothing to migrate')
    expect(fs.existsSync(project.memory)).toBe(false)
  })
})

describe('the line about a memory that waits', () => {
  it('is there until it is taken over', () => {
    const project = makeProject()
    expect(waitsForMigration(storeOf(project))).toBeNull()
    putAtHome(project, 'v3')
    expect(waitsForMigration(storeOf(project))).toContain('memory-keeper migrate --dry-run')

    run(project, {}, (context) => runMigrate(context, SEOUL))

    expect(waitsForMigration(storeOf(project))).toBeNull()
  })
})

describe('import from neighbours', () => {
  it('brings what is there, and says so', () => {
    const project = makeProject()
    write(path.join(project.root, 'memory-bank', 'progress.md'), 'Half of the parts are printed.\n')

    const plan = run(project, { dryRun: true }, (context) => runImport(context, { neighbours: true }))
    const first = run(project, {}, (context) => runImport(context, { from: 'memory-bank' }))
    const again = run(project, {}, (context) => runImport(context, { neighbours: true }))

    expect(plan.out).toContain('would bring 1 page: progress.md')
    expect(first.out).toContain('brought 1 page: progress.md')
    expect(again.out).toContain('nothing new')
  })

  it('takes no other names, and no transcripts beside', () => {
    const project = makeProject()

    for (const options of [{ from: 'elsewhere' }, { from: 'claude-mem', all: true }])
      expect(() => run(project, {}, (context) => runImport(context, options))).toThrowError(
        expect.objectContaining({ code: 'usage' }),
      )
    expect(() => run(project, {}, (context) => runImport(context, { from: 'memory-bank' }))).toThrowError(
      expect.objectContaining({ code: 'no-neighbour' }),
    )
  })
})
