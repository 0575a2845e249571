/** What people look at: one screen each, colours only where they belong, names guessed. */
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { printStatusline } from '../../../src/core/health/commands/statusline.ts'
import { COMMANDS } from '../../../src/doors/cli/commands.ts'
import { GROUPS, helpPlace } from '../../../src/doors/cli/names.ts'
import { wantsColours, width } from '../../../src/kernel/memory/commands/output.ts'
import { atTerminal, runCommand, runCommandJson } from '../../support/process.ts'
import {
  append,
  linesFor,
  makeProject,
  quietProject,
  sessionId,
  type TestProject,
  turns,
  write,
} from '../../support/project.ts'
import { begin, prompt, stop } from '../../support/world.ts'

const SESSION = sessionId(1)
const NOW = '2026-01-13T10:00:00.000Z'
const THEN = { now: () => NOW }

function used(): TestProject {
  const project = quietProject({ rules: true })
  append(project.transcriptOf(SESSION), turns(linesFor(SESSION, project.root), 0, 3))
  stop(project)
  begin(project, sessionId(2))
  prompt(project, { prompt: 'what about the output of question 1?' })
  return project
}

const COLOUR = /\u001b\[/

describe('status', () => {
  it('says whose shared memory waits', () => {
    const project = used()
    const shared = '{"id":"d001","type":"decision","text":"We deploy on Tuesdays.","at":"2026-01-13T09:00:00.000Z"}\n'
    write(path.join(project.memory, 'shared', 'alice', 'facts.jsonl'), shared)

    expect(runCommand(project, ['status']).out).toMatch(
      /teammates +alice shares memory in this repository that you have not seen yet\. .* → memory-keeper trust/,
    )
    expect(runCommand(project, ['trust', '--yes']).code).toBe(0)
    expect(runCommand(project, ['status']).out).not.toContain('alice')
  })

  it('is one screen of 80 columns', () => {
    for (const project of [used(), makeProject()]) {
      const lines = atTerminal(project, ['status'], { NO_COLOR: '1' }).out.trimEnd().split('\n')
      expect(lines.length).toBeLessThanOrEqual(24)
      // A path is told whole, to be copied.
      for (const line of lines.filter((one) => !one.includes(project.root))) expect(width(line)).toBeLessThanOrEqual(80)
    }
  })

  it('says what the last session was told, and what hooks cost', () => {
    const project = used()
    const { json } = runCommandJson(project, ['status'])

    expect(json.injected.lastSession.all).toBeGreaterThan(0)
    expect(json.hooks).toMatchObject({ calls: 3 })
    const { out } = runCommand(project, ['status'])
    expect(out).toMatch(/told +last session [\d,]+ tokens \(.*rules \d+/)
    expect(out).toMatch(/hooks +p50 \d+ ms, p95 \d+ ms in 3 calls/)
    expect(out).toMatch(/rules +8 rules injected with prompts/)
  })
})

describe('search in status and doctor', () => {
  it('tells of the index before it is made and when it is there, without making it', () => {
    const project = used()
    const { dir } = runCommandJson(project, ['status']).json.searchIndex
    expect(runCommand(project, ['status']).out).toMatch(/search index +missing: the next search builds it\n/)
    expect(fs.existsSync(dir)).toBe(false)
    runCommand(project, ['search', 'question'])
    expect(runCommand(project, ['status']).out).toMatch(/search index +\d+ documents?, [\d.]+ k?B/)
    fs.writeFileSync(path.join(dir, 'manifest.json'), '{"broken"')
    expect(runCommand(project, ['status']).out).toContain('damaged: the next search builds it')
  })

  it('says whether recall is on', () => {
    const project = used()
    expect(runCommand(project, ['status']).out).toMatch(/recall +on, \d of \d prompts? today\n/)
    runCommand(project, ['config', 'set', 'recall', 'false'])
    expect(runCommand(project, ['status']).out).toMatch(/recall +off: memory-keeper config set recall true\n/)
  })

  it('an embedder at an address needs a model by name, and is not asked by the doctor', () => {
    const project = makeProject()
    const config = (): { verdict: string; finding: string } =>
      runCommandJson(project, ['doctor']).json.checks.find((check: { name: string }) => check.name === 'embedder')
    runCommand(project, ['config', 'set', 'embedder', 'http://127.0.0.1:9/v1'])
    expect(config()).toMatchObject({ verdict: 'warning', finding: expect.stringContaining('embedderModel is not set') })
    runCommand(project, ['config', 'set', 'embedderModel', 'small'])
    expect(config()).toMatchObject({ verdict: 'ok' })
  })
})

describe('stats', () => {
  it('counts sessions, prompts and tool uses per day, within the columns', () => {
    const project = used()
    write(path.join(project.root, 'x'), '')
    const { out } = atTerminal(project, ['stats'], { NO_COLOR: '1' }, THEN)

    expect(out).toMatch(/sessions +█ +1 on 1 day/)
    expect(out).toMatch(/tool uses +█ +3/)
    for (const line of out.split('\n').slice(1)) expect(width(line)).toBeLessThanOrEqual(80)
    expect(out.split('\n').length).toBeLessThan(26)
  })

  it('tells programs the same', () => {
    const project = used()
    const { out } = atTerminal(project, ['stats', '--json', '--days', '7'], {}, THEN)

    expect(JSON.parse(out)).toMatchObject({
      from: '2026-01-13',
      to: '2026-01-13',
      sessions: 1,
      days: [{ day: '2026-01-13', sessions: 1, prompts: 3, tools: 3 }],
    })
  })

  it('is honest where there is nothing, or nothing lately', () => {
    expect(runCommand(makeProject(), ['stats']).out).toContain('Nothing to count yet')
    const later = { now: () => '2026-06-01T00:00:00.000Z' }
    expect(atTerminal(used(), ['stats'], {}, later).out).toContain('the last one was on 2026-01-13')
  })

  it.each(['0', 'many', '-3', '9999999'])('refuses --days %s', (days) => {
    expect(runCommand(makeProject(), ['stats', `--days=${days}`]).code).toBe(2)
  })
})

describe('the status line', () => {
  const line = (project: TestProject, given: unknown): string =>
    printStatusline(typeof given === 'string' ? given : JSON.stringify(given), {
      around: project.around,
      startDir: project.root,
      now: NOW,
    })

  it('is one short line about the project that the host names', () => {
    const project = used()
    const elsewhere = makeProject('elsewhere', project.base)
    const given = { session_id: SESSION, workspace: { project_dir: project.root, current_dir: '/' }, cwd: '/' }

    expect(line(elsewhere, given)).toBe('memory 1 session\n')
    expect(line(elsewhere, {})).toBe('memory nothing remembered yet\n')
  })

  it('counts notes of today, what waits, and says when the memory is not trusted', () => {
    const project = used()
    runCommand(project, ['note', '--text', 'We deploy on Tuesdays.'])
    const today = new Date().toISOString()
    expect(printStatusline('', { around: project.around, startDir: project.root, now: today })).toContain(
      '1 note today',
    )
    runCommand(project, ['untrust'])
    expect(line(project, '')).toContain('not trusted')
  })

  it.each(['', 'no json', '[]', '{"workspace": 7, "cwd": 9, "session_id": {}}', '{"cwd": "/no/such/place"}'])(
    'survives %j',
    (given) => {
      expect(line(makeProject(), given)).toBe('memory nothing remembered yet\n')
    },
  )

  it('writes nothing, whatever it finds', () => {
    const project = used()
    write(path.join(project.memory, 'memory-index.json'), '{"broken')
    const before = fs.readdirSync(project.memory)

    expect(line(project, '')).toContain('memory 1 session')
    expect(fs.readdirSync(project.memory)).toEqual(before)
  })

  it('is a command too', () => {
    expect(runCommandJson(used(), ['statusline']).json).toMatchObject({ sessions: 1, standing: 'ours' })
  })
})

describe('colours', () => {
  it.each([
    [{}, true, true],
    [{}, false, false],
    [{ CI: '1' }, false, false],
    [{ NO_COLOR: '1' }, true, false],
    [{ NO_COLOR: '' }, true, true],
    [{ FORCE_COLOR: '1' }, false, true],
    [{ FORCE_COLOR: '0' }, true, false],
    [{ FORCE_COLOR: '1', NO_COLOR: '1' }, true, false],
    [{ TERM: 'dumb' }, true, false],
  ])('with %j at a terminal: %s → %s', (env, isTerminal, wanted) => {
    expect(wantsColours(env, isTerminal)).toBe(wanted)
  })

  it('reach a terminal, and nobody else', () => {
    const project = used()
    expect(atTerminal(project, ['status']).out).toMatch(COLOUR)
    expect(atTerminal(project, ['status', '--no-color']).out).not.toMatch(COLOUR)
    // Only the output is a terminal here: an error goes into a pipe.
    const failed = atTerminal(project, ['show', 'ffffffff'])
    expect([failed.code, COLOUR.test(failed.err)]).toEqual([1, false])
  })
})

describe('every command', () => {
  it('stands in the list of --help once, below what it is for', () => {
    const { out } = runCommand(makeProject(), ['--help'])
    const shown = COMMANDS.filter((command) => helpPlace(command) !== null)
    const headings = [...out.matchAll(/^(\S.*):$/gm)].map(([, heading]) => heading)
    expect(headings).toEqual(Object.keys(GROUPS).map((heading) => heading.slice(0, -1)))
    for (const name of new Set(shown.map(({ usage }) => usage.split(' ')[0] ?? '')))
      expect(out.match(new RegExp(`^  ${name}(?:\\||\\s)`, 'gm')), name).toHaveLength(1)
  })

  it.each(COMMANDS.map((command) => [command.usage, command] as const))(
    '%s has examples of its own',
    (usage, command) => {
      const [first = ''] = usage.split(' ')
      for (const example of [command.example, ...(command.also ?? [])]) {
        expect(example).toMatch(/(?:^|\| )memory-keeper /)
        expect(example.split('memory-keeper ')[1]?.split(' ')[0]).toBe(first)
      }
      expect(command.about).not.toMatch(/\.$/)
    },
  )
})

describe('a name that does not exist', () => {
  it('is guessed where one is meant', () => {
    const project = used()
    expect(runCommand(project, ['stauts']).err).toContain('status')
    expect(runCommand(project, ['doctor', '--fx']).err).toContain('--fix')
    expect(runCommand(project, ['config', 'get', 'saveIntervall']).err).toContain('Did you mean saveInterval?')
  })
})
