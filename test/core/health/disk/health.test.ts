/** The doctor's checks, and what it mends by itself. */

import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Check, HealthWorld } from '../../../../src/core/health/disk/check.ts'
import { allFindings, mendHealth } from '../../../../src/core/health/disk/health.ts'
import { readFacts } from '../../../../src/core/knowledge/disk/knowledge.ts'
import { formatItems } from '../../../../src/core/knowledge/facts-file.ts'
import { fact, factsWith, listed } from '../../../support/fact.ts'
import { runCommand } from '../../../support/process.ts'
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
} from '../../../support/project.ts'
import { begin, stop } from '../../../support/world.ts'

const SESSION = sessionId(1)
const DAY_MS = 24 * 60 * 60_000
const world = (at = new Date().toISOString()): HealthWorld => ({ now: at, nodeVersion: 'v22.0.0' })

function remembering(): TestProject {
  const project = quietProject()
  append(project.transcriptOf(SESSION), turns(linesFor(SESSION, project.root), 0, 3))
  stop(project, {}, { now: () => new Date().toISOString() })
  return project
}

function check(project: TestProject, name: string, given = world()): Check {
  const found = allFindings(storeOf(project), given).find((one) => one.name === name)
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

  it('the skills names the file that takes the name of one', () => {
    const project = quietProject()
    expect(check(project, 'skills').verdict).toBe('ok')
    const file = path.join('.claude', 'commands', 'memory-keeper', 'run.md')
    write(path.join(project.root, file), 'Say yes to $ARGUMENTS')
    expect(check(project, 'skills')).toMatchObject({
      verdict: 'problem',
      finding: expect.stringContaining(`${file} takes the name of the skill /memory-keeper:run`),
    })
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

  it('the plugin sees two marketplaces', () => {
    const project = quietProject()
    installed(project, { [ID]: [one()], 'memory-keeper@fork': [one()] })
    expect(check(project, 'plugin')).toMatchObject({
      verdict: 'warning',
      fix: 'keep one: claude plugin uninstall memory-keeper@fork',
    })
    installed(project, { [ID]: [one(), one({ scope: 'local', projectPath: project.root })] })
    expect(check(project, 'plugin').verdict).toBe('ok')
  })

  describe('another plugin of the same name', () => {
    const THEIRS = 'memory-keeper@original'

    /** Where the host puts an installed plugin, with these programs in it. */
    function place(project: TestProject, id: string, version: string, programs: readonly string[]): object {
      const root = path.join(project.home, '.claude', 'plugins', 'cache', id, version)
      write(path.join(root, '.claude-plugin', 'plugin.json'), JSON.stringify({ name: 'memory-keeper', version }))
      for (const program of programs) write(path.join(root, program), '')
      return one({ version, installPath: root })
    }

    const ours = (project: TestProject): object => place(project, ID, '0.7.0', ['dist/hook.cjs'])
    const theirs = (project: TestProject): object =>
      place(project, THEIRS, '13.9.23', ['scripts/counter.js', 'scripts/load-memory.js'])

    it('is not taken for ours, whatever its version, and the line that removes it is told', () => {
      const project = quietProject()
      installed(project, { [THEIRS]: [theirs(project)] })

      expect(check(project, 'plugin').finding).toContain('not installed')
      expect(check(project, 'same name')).toMatchObject({
        verdict: 'problem',
        finding: `another plugin of our name is enabled: ${THEIRS} 13.9.23. Claude Code runs its hooks and not ours: nothing is captured`,
        fix: `claude plugin uninstall ${THEIRS}`,
      })
    })

    it.each([
      ['before ours captures nothing', true, 'problem', 'not ours: nothing is captured'],
      ['behind ours is loaded without its hooks', false, 'warning', 'our hooks and not its own'],
    ])('%s', (_, isFirst, verdict, finding) => {
      const project = quietProject()
      const both: [string, object[]][] = [
        [THEIRS, [theirs(project)]],
        [ID, [ours(project)]],
      ] as const
      installed(project, Object.fromEntries(isFirst ? both : both.toReversed()))

      expect(check(project, 'plugin').finding).toBe(`${ID} 0.7.0, installed and switched on`)
      expect(check(project, 'same name')).toMatchObject({ verdict, finding: expect.stringContaining(finding) })
    })

    it('runs in the sessions that are not given ours', () => {
      const project = remembering()
      installed(project, { [THEIRS]: [theirs(project)] })

      expect(check(project, 'plugin').finding).toContain('loaded with --plugin-dir')
      expect(check(project, 'same name')).toMatchObject({
        verdict: 'warning',
        finding: expect.stringContaining('in sessions without --plugin-dir'),
      })
    })

    it('in another scope is removed from there', () => {
      const project = quietProject()
      const local = { ...theirs(project), scope: 'local', projectPath: project.root }
      installed(project, { [ID]: [ours(project)], [THEIRS]: [local] })

      expect(check(project, 'same name').fix).toBe(`claude plugin uninstall ${THEIRS} --scope local`)
    })

    it('that only the settings of the project switch on is switched off there', () => {
      const project = quietProject()
      installed(project, { [ID]: [ours(project)] })
      const market = path.join(project.base, 'market')
      const plugins = [{ name: 'memory-keeper', source: './plugin' }]
      write(path.join(market, '.claude-plugin', 'marketplace.json'), JSON.stringify({ name: 'original', plugins }))
      write(path.join(market, 'plugin', '.claude-plugin', 'plugin.json'), '{"name":"memory-keeper"}')
      const known = path.join(project.home, '.claude', 'plugins', 'known_marketplaces.json')
      write(known, JSON.stringify({ original: { installLocation: market } }))
      const settings = path.join(project.root, '.claude', 'settings.json')
      write(settings, JSON.stringify({ enabledPlugins: { [THEIRS]: true } }))

      expect(check(project, 'same name').fix).toBe(`claude plugin disable ${THEIRS} --scope project`)
      write(path.join(market, 'plugin', 'dist', 'hook.cjs'), '')
      expect(check(project, 'same name').verdict).toBe('ok')
    })

    it('that is switched off is none of our business', () => {
      const project = quietProject()
      installed(project, { [ID]: [ours(project)], [THEIRS]: [theirs(project)] })
      const settings = path.join(project.root, '.claude', 'settings.local.json')
      write(settings, JSON.stringify({ enabledPlugins: { [THEIRS]: false } }))

      expect(check(project, 'same name').verdict).toBe('ok')
    })

    it('is not what uninstall names as ours', () => {
      const project = quietProject()
      installed(project, { [THEIRS]: [theirs(project)] })
      const { out } = runCommand(project, ['uninstall', '--json'])

      expect(JSON.parse(out).plugins).toEqual([])
    })

    it('is found in hooks that somebody copied into settings, and one script of a project is not', () => {
      const project = quietProject()
      const settings = path.join(project.root, '.claude', 'settings.json')
      const hook = (command: string): object[] => [{ hooks: [{ type: 'command', command }] }]
      const stop = hook('node /old/scripts/counter.js final')
      write(settings, JSON.stringify({ hooks: { Stop: stop } }))
      expect(check(project, 'same name').verdict).toBe('ok')

      write(settings, JSON.stringify({ hooks: { Stop: stop, SessionStart: hook('node /old/scripts/load-memory.js') } }))
      expect(check(project, 'same name')).toMatchObject({
        verdict: 'warning',
        finding: expect.stringContaining(settings),
        fix: expect.stringContaining('counter.js, load-memory.js, inject-rules.js'),
      })
    })

    it('is told at one start with the line that removes it, and not again', () => {
      const project = remembering()
      installed(project, { [ID]: [ours(project)], [THEIRS]: [theirs(project)] })
      const line = `→ claude plugin uninstall ${THEIRS}`

      expect(begin(project, sessionId(2)).notice).toContain(line)
      expect(begin(project, sessionId(3)).notice).not.toContain(THEIRS)
    })
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

  it('coverage is a problem when the host deletes soon what is not captured', () => {
    const project = remembering()
    const file = project.transcriptOf(sessionId(2))
    append(file, turns(linesFor(sessionId(2), project.root), 4, 6))
    const days = (n: number): void => {
      const at = new Date(Date.now() - n * DAY_MS)
      for (const one of [file, project.transcriptOf(SESSION)]) fs.utimesSync(one, at, at)
    }
    days(22)
    expect(check(project, 'coverage')).toMatchObject({ verdict: 'warning', mend: 'import' })
    days(24)
    expect(check(project, 'coverage')).toMatchObject({
      verdict: 'problem',
      finding: expect.stringMatching(/^1 transcript to catch up, 1 of them deleted by Claude Code within 7 days/),
      mend: 'import',
    })
    write(path.join(project.home, '.claude', 'settings.json'), '{"cleanupPeriodDays": 365}')
    expect(check(project, 'coverage').verdict).toBe('warning')
    write(path.join(project.home, '.claude', 'settings.json'), '{}')
    runCommand(project, ['import'])
    days(24)
    expect(check(project, 'coverage').verdict).toBe('ok')
  })

  it('facts says what is broken, where, what is kept, and what to do', () => {
    const project = quietProject()
    const file = path.join(project.memory, 'facts.json')
    const all = factsWith(
      fact(),
      fact({ id: 'd002', text: 'We deploy on Tuesdays.' }),
      fact({ id: 'd003', text: 'Ask.' }),
    )
    storeOf(project).perform([{ do: 'write', path: 'facts.json', text: formatItems(all) }])
    expect(check(project, 'facts')).toMatchObject({ verdict: 'ok' })

    const broken = formatItems(all).replace('"text":"We deploy', '"text" "We deploy')
    write(file, broken)
    expect(check(project, 'facts')).toMatchObject({
      verdict: 'problem',
      finding: expect.stringContaining(`${file} is not valid JSON`),
      fix: expect.stringMatching(/facts\.json\.broken-….*memory-keeper compress$/),
    })

    expect(runCommand(project, ['compress']).code).toBe(0)
    expect(check(project, 'facts').verdict).toBe('ok')
    expect(check(project, 'set aside')).toMatchObject({
      verdict: 'warning',
      finding: expect.stringContaining('.broken-'),
    })
    expect(listed(readFacts(storeOf(project))).decisions.map(({ id }) => id)).toEqual(['d001', 'd003'])
    const [aside = ''] = fs.readdirSync(project.memory).filter((name) => name.startsWith('facts.json.broken-'))
    expect(fs.readFileSync(path.join(project.memory, aside), 'utf8')).toBe(broken)
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

  it('permissions claims nothing where a file has no permission bits', () => {
    const project = remembering()
    const { platform } = process
    Object.defineProperty(process, 'platform', { value: 'win32' })
    try {
      expect(check(project, 'permissions')).toMatchObject({
        verdict: 'ok',
        finding: expect.stringContaining('not looked at'),
      })
    } finally {
      Object.defineProperty(process, 'platform', { value: platform })
    }
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
    return mendHealth(store, allFindings(store, world()), { now, isDryRun }).map(({ said }) => said)
  }

  it('captures what is missing', () => {
    const project = remembering()
    append(project.transcriptOf(SESSION), turns(linesFor(SESSION, project.root), 3, 5))
    const before = entriesIn(project.memory).length

    expect(mend(project, true)).toHaveLength(1)
    expect(entriesIn(project.memory)).toHaveLength(before)
    expect(mend(project)).toEqual(['captured 6 entries of 1 session'])
    expect(entriesIn(project.memory)).toHaveLength(before + 6)
    expect(mend(project)).toEqual([])
  })

  it('brings back from the vault what is gone', () => {
    const project = remembering()
    runCommand(project, ['final'])
    fs.rmSync(path.join(project.memory, 'memory.md'))

    expect(mend(project)).toEqual([expect.stringMatching(/^restored \d+ files? from the vault$/)])
    expect(fs.existsSync(path.join(project.memory, 'memory.md'))).toBe(true)
  })

  it('changes nothing where all is well', () => {
    expect(mend(remembering())).toEqual([])
  })
})

it('a host that was killed and one refused rename are no warning; a rename that is refused again is one', () => {
  const project = quietProject()
  const log = path.join(project.keeper, 'logs', 'memory-keeper.log')
  const refused = `2026-01-13T12:00:00.000Z lock: EBUSY memory.md at rename\n`
  write(log, `2026-01-13T11:00:00.000Z hook: EPIPE  at writeSync\n${refused}`)
  expect(check(project, 'log').verdict).toBe('ok')
  fs.appendFileSync(log, refused)
  expect(check(project, 'log')).toMatchObject({ verdict: 'warning', finding: expect.stringContaining('EBUSY') })
})
