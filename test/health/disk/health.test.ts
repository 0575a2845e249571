/** The doctor's checks, and what it mends by itself. */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Check, HealthWorld } from '../../../src/health/disk/check.ts'
import { checkHealth } from '../../../src/health/disk/health.ts'
import { mendHealth, probeServer } from '../../../src/health/disk/mend.ts'
import { readFacts } from '../../../src/knowledge/disk/knowledge.ts'
import { formatFacts } from '../../../src/knowledge/fact.ts'
import { fact, factsWith } from '../../support/fact.ts'
import { runCommand } from '../../support/process.ts'
import {
  append,
  entriesIn,
  linesFor,
  quietProject,
  sessionId,
  storeOf,
  type TestProject,
  turns,
  write,
} from '../../support/project.ts'
import { stop } from '../../support/world.ts'

const SESSION = sessionId(1)
const DAY_MS = 24 * 60 * 60_000
const world = (at = new Date().toISOString()): HealthWorld => ({
  now: at,
  nodeVersion: 'v22.0.0',
  version: '0.5.0',
  programs: null,
})

function remembering(): TestProject {
  const project = quietProject()
  append(project.transcriptOf(SESSION), turns(linesFor(SESSION, project.root), 0, 3))
  stop(project, {}, { now: () => new Date().toISOString() })
  return project
}

function check(project: TestProject, name: string, given = world()): Check {
  const found = checkHealth(storeOf(project), given).find((one) => one.name === name)
  if (found === undefined) throw new Error(`no check ${name}`)
  return found
}

const ID = 'memory-keeper@memory-keeper'

function installed(project: TestProject, plugins: Record<string, object[]>, settings: object = {}): void {
  const host = path.join(project.home, '.claude')
  write(path.join(host, 'plugins', 'installed_plugins.json'), JSON.stringify({ version: 2, plugins }))
  const enabledPlugins = Object.fromEntries(Object.keys(plugins).map((id) => [id, true]))
  write(path.join(host, 'settings.json'), JSON.stringify({ enabledPlugins, ...settings }))
}

const one = (more: object = {}): object => ({ scope: 'user', installPath: '/cache/x', version: '0.5.0', ...more })

describe('the check of', () => {
  it('the plugin says whether it is installed and switched on', () => {
    const fresh = quietProject()
    expect(check(fresh, 'plugin')).toMatchObject({
      verdict: 'warning',
      fix: expect.stringContaining('claude plugin install'),
    })
    const project = remembering()
    expect(check(project, 'plugin')).toMatchObject({ verdict: 'ok', finding: expect.stringContaining('--plugin-dir') })

    installed(project, { [ID]: [one()] })
    expect(check(project, 'plugin')).toMatchObject({ verdict: 'ok', finding: `${ID} 0.5.0, installed and switched on` })

    write(
      path.join(project.root, '.claude', 'settings.local.json'),
      JSON.stringify({ enabledPlugins: { [ID]: false } }),
    )
    const later = world(new Date(Date.now() + 30 * DAY_MS).toISOString())
    expect(check(project, 'plugin', later)).toMatchObject({ verdict: 'problem', fix: `claude plugin enable ${ID}` })
  })

  it('the plugin counts an installation for another project as none', () => {
    const project = quietProject()
    installed(project, { [ID]: [one({ scope: 'project', projectPath: '/elsewhere' })] })

    expect(check(project, 'plugin').finding).toContain('not installed')
  })

  it.each([
    ['no JSON', '[7', 'not installed'],
    ['another shape', '{"plugins": 7}', 'not installed'],
    [
      'one object in place of a list',
      `{"plugins": {"${ID}": {"scope": "user", "version": "0.5.0"}}}`,
      '0.5.0, installed',
    ],
  ])('the plugin survives a list of plugins that is %s', (_, text, finding) => {
    const project = quietProject()
    const host = path.join(project.home, '.claude')
    write(path.join(host, 'plugins', 'installed_plugins.json'), text)
    write(path.join(host, 'settings.json'), `\uFEFF{"enabledPlugins": {"${ID}": true}}`)

    expect(check(project, 'plugin').finding).toContain(finding)
  })

  it('settings that are no JSON names the file', () => {
    const project = quietProject()
    const file = path.join(project.home, '.claude', 'settings.json')
    write(file, '{"enabledPlugins": ')

    expect(check(project, 'plugin')).toMatchObject({ verdict: 'problem', finding: expect.stringContaining(file) })
  })

  it('one installation sees two marketplaces, and two versions', () => {
    const project = quietProject()
    expect(check(project, 'one installation').verdict).toBe('ok')

    installed(project, { [ID]: [one()], 'memory-keeper@fork': [one()] })
    expect(check(project, 'one installation')).toMatchObject({
      verdict: 'warning',
      fix: 'keep one: claude plugin uninstall memory-keeper@fork',
    })
    installed(project, { [ID]: [one(), one({ scope: 'local', version: '0.4.0', projectPath: project.root })] })
    expect(check(project, 'one installation')).toMatchObject({ verdict: 'warning' })
    installed(project, { [ID]: [one(), one({ scope: 'local', projectPath: project.root })] })
    expect(check(project, 'one installation').verdict).toBe('ok')
  })

  it('hooks sees that the host was used while none ran', () => {
    const project = remembering()
    expect(check(project, 'hooks').verdict).toBe('ok')

    const journal = path.join(project.memory, 'journal', 'hooks.jsonl')
    write(journal, `${JSON.stringify({ at: '2026-01-01T00:00:00.000Z', event: 'Stop', ms: 3 })}\n`)
    expect(check(project, 'hooks')).toMatchObject({
      verdict: 'warning',
      finding: expect.stringContaining('used here since'),
    })
  })

  it('deletion tells only of what is not captured', () => {
    const project = remembering()
    const file = project.transcriptOf(sessionId(2))
    append(file, turns(linesFor(sessionId(2), project.root), 4, 6))
    const days = (n: number): void => {
      const at = new Date(Date.now() - n * DAY_MS)
      for (const one of [file, project.transcriptOf(SESSION)]) fs.utimesSync(one, at, at)
    }
    days(22)
    expect(check(project, 'deletion by the host').verdict).toBe('ok')
    days(24)
    expect(check(project, 'deletion by the host')).toMatchObject({
      verdict: 'problem',
      finding: expect.stringMatching(/^1 transcript not captured/),
      mend: 'import',
    })
    write(path.join(project.home, '.claude', 'settings.json'), '{"cleanupPeriodDays": 365}')
    expect(check(project, 'deletion by the host').verdict).toBe('ok')
    write(path.join(project.home, '.claude', 'settings.json'), '{}')
    runCommand(project, ['import'])
    days(24)
    expect(check(project, 'deletion by the host').verdict).toBe('ok')
  })

  it('shared memory tells of what teammates share and nobody looked at', () => {
    const project = remembering()
    expect(check(project, 'shared memory').verdict).toBe('ok')
    write(path.join(project.memory, 'shared', 'ann', 'memory.md'), 'from Ann')

    expect(check(project, 'shared memory')).toMatchObject({
      verdict: 'warning',
      finding: expect.stringContaining('ann'),
      fix: expect.stringContaining('memory-keeper trust'),
    })
  })

  it('facts says what is broken, where, what is kept, and what to do', () => {
    const project = quietProject()
    const file = path.join(project.memory, 'facts.json')
    const all = factsWith(
      fact(),
      fact({ id: 'd002', text: 'We deploy on Tuesdays.' }),
      fact({ id: 'd003', text: 'Ask.' }),
    )
    storeOf(project).perform([{ do: 'write', path: 'facts.json', text: formatFacts(all) }])
    expect(check(project, 'facts')).toMatchObject({ verdict: 'ok' })

    const broken = formatFacts(all).replace('"text":"We deploy', '"text" "We deploy')
    write(file, broken)
    expect(check(project, 'facts')).toMatchObject({
      verdict: 'problem',
      finding: expect.stringMatching(/facts\.json is no valid JSON; kept and told: 2 of it$/),
      fix: expect.stringMatching(/facts\.json\.broken-….*memory-keeper update-concepts$/),
    })
    expect(check(project, 'facts').finding).toContain(file)

    expect(runCommand(project, ['update-concepts']).code).toBe(0)
    expect(check(project, 'facts')).toMatchObject({ verdict: 'warning', finding: expect.stringContaining('.broken-') })
    expect(readFacts(storeOf(project)).decisions.map(({ id }) => id)).toEqual(['d001', 'd003'])
    const [aside = ''] = fs.readdirSync(project.memory).filter((name) => name.startsWith('facts.json.broken-'))
    expect(fs.readFileSync(path.join(project.memory, aside), 'utf8')).toBe(broken)
  })

  it('facts says what only the copy in the vault still has, of a file that just ends', () => {
    const project = quietProject()
    const all = formatFacts(factsWith(fact(), fact({ id: 'd002', text: 'We deploy on Tuesdays.' })))
    const store = storeOf(project)
    store.perform([{ do: 'write', path: 'facts.json', text: all }])
    write(path.join(store.places.vault, 'facts.json'), all)
    write(path.join(project.memory, 'facts.json'), all.slice(0, all.indexOf('"d002"')))

    expect(check(project, 'facts').finding).toMatch(
      /is no valid JSON; kept and told: 1 of it, 1 other from your copy in the vault$/,
    )
    write(path.join(project.memory, 'facts.json'), '[]')
    expect(check(project, 'facts').finding).toContain('is no valid JSON; kept and told: 0 of it')
  })

  it.skipIf(process.platform === 'win32')('permissions sees what others can read, and mends it', () => {
    const project = remembering()
    expect(check(project, 'permissions').verdict).toBe('ok')
    const sessions = path.join(project.memory, 'sessions')
    const [name = ''] = fs.readdirSync(sessions)
    for (const [file, mode] of [
      [project.memory, 0o755],
      [sessions, 0o750],
      [path.join(sessions, name), 0o644],
    ] as const)
      fs.chmodSync(file, mode)
    const found = check(project, 'permissions')
    expect(found).toMatchObject({ verdict: 'warning', mend: 'modes' })
    expect(found.finding).toContain(name)

    const mended = mendHealth(storeOf(project), [found], { now: () => new Date().toISOString(), isDryRun: false })
    expect(mended).toMatchObject([{ mend: 'modes' }])
    expect(fs.statSync(path.join(sessions, name)).mode & 0o777).toBe(0o600)
    expect(fs.statSync(sessions).mode & 0o777).toBe(0o700)
    expect(check(project, 'permissions').verdict).toBe('ok')
  })
})

describe('a lock', () => {
  const held = (project: TestProject, owner: object, ageSeconds = 0): string => {
    const file = path.join(project.memory, '.lock')
    write(file, JSON.stringify(owner))
    const then = Date.now() / 1000 - ageSeconds
    fs.utimesSync(file, then, then)
    return file
  }
  const elsewhere = { pid: 7, host: 'another-machine', start: '1', boot: 'another-boot', space: 'pid:[1]' }

  it('that is free or held by somebody who can be judged is no problem', () => {
    const project = remembering()
    expect(check(project, 'lock')).toMatchObject({ verdict: 'ok', finding: 'free' })
    held(project, { pid: process.pid, host: os.hostname() })

    expect(check(project, 'lock')).toMatchObject({
      verdict: 'ok',
      finding: expect.stringContaining(`process ${process.pid} on ${os.hostname()}`),
    })
  })

  it('of an owner that nobody can judge is a problem once it is held for long, and the log tells of it once', () => {
    const project = remembering()
    const log = path.join(project.keeper, 'logs', 'memory-keeper.log')
    held(project, elsewhere)
    expect(check(project, 'lock').verdict).toBe('ok')
    expect(storeOf(project).whileLocked(0, () => 'in')).toBeNull()
    expect(fs.existsSync(log)).toBe(false)
    const file = held(project, elsewhere, 7200)

    expect(check(project, 'lock')).toMatchObject({
      verdict: 'problem',
      finding: expect.stringContaining('process 7 on another-machine, pid namespace pid:[1], since '),
      fix: expect.stringContaining(`delete ${file}`),
    })
    for (const _ of [1, 2]) expect(storeOf(project).whileLocked(0, () => 'in')).toBeNull()
    const lines = fs.readFileSync(log, 'utf8').trim().split('\n')
    expect(lines).toEqual([expect.stringContaining(`${file} waits for process 7 on another-machine`)])
  })

  it('of the search index is looked at, too', () => {
    const project = remembering()
    runCommand(project, ['search', 'question'])
    const index = path.join(project.home, '.cache', 'memory-keeper', 'index')
    const file = path.join(index, fs.readdirSync(index)[0] ?? '', 'lock')
    write(file, JSON.stringify(elsewhere))
    fs.utimesSync(file, 0, 0)

    expect(check(project, 'lock')).toMatchObject({ verdict: 'problem', fix: expect.stringContaining(file) })
  })
})

describe('mending', () => {
  const now = (): string => new Date().toISOString()
  const mend = (project: TestProject, isDryRun = false): string[] => {
    const store = storeOf(project)
    return mendHealth(store, checkHealth(store, world()), { now, isDryRun }).map(({ said }) => said)
  }

  it('captures what is missing, sweeps what was left, and makes a damaged index anew', () => {
    const project = remembering()
    runCommand(project, ['search', 'question'])
    append(project.transcriptOf(SESSION), turns(linesFor(SESSION, project.root), 3, 5))
    const stray = path.join(project.memory, 'facts.json.123.tmp')
    write(stray, '')
    fs.utimesSync(stray, new Date(0), new Date(0))
    const index = path.join(project.home, '.cache', 'memory-keeper', 'index')
    const [dir = ''] = fs.readdirSync(index)
    write(path.join(index, dir, 'manifest.json'), '{"version":1,"broken"')
    const before = entriesIn(project.memory).length

    expect(mend(project, true)).toHaveLength(3)
    expect(fs.existsSync(stray)).toBe(true)
    expect(entriesIn(project.memory)).toHaveLength(before)

    expect(mend(project)).toEqual([
      'removed 1 temporary file: facts.json.123.tmp',
      'captured 6 entries of 1 session',
      expect.stringMatching(/^made the search index anew: \d+ documents$/),
    ])
    expect(fs.existsSync(stray)).toBe(false)
    expect(entriesIn(project.memory)).toHaveLength(before + 6)
    expect(mend(project)).toEqual([])
  })

  it('brings back from the vault what is gone', () => {
    const project = remembering()
    runCommand(project, ['final'])
    fs.rmSync(path.join(project.memory, 'memory.md'))

    expect(mend(project)).toEqual([expect.stringMatching(/^brought back \d+ files? from the vault$/)])
    expect(fs.existsSync(path.join(project.memory, 'memory.md'))).toBe(true)
  })

  it('changes nothing where all is well', () => {
    expect(mend(remembering())).toEqual([])
  })
})

describe('the server', () => {
  it('is asked as the host asks it', () => {
    const project = quietProject()
    const programs = path.join(project.base, 'dist')
    expect(probeServer(storeOf(project), { programs, env: {} })).toMatchObject({ verdict: 'problem' })

    const answer = '{"jsonrpc":"2.0","id":1,"result":{"serverInfo":{"name":"x"}}}'
    write(path.join(programs, 'mcp.cjs'), `process.stdin.once('data', () => console.log('${answer}'))`)
    expect(probeServer(storeOf(project), { programs, env: {} })).toMatchObject({ verdict: 'ok' })

    write(path.join(programs, 'mcp.cjs'), 'throw new Error("no such thing")')
    expect(probeServer(storeOf(project), { programs, env: {} }).verdict).toBe('problem')
  })
})
