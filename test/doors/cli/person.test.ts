/** What a person runs into: a pipe that closes, a narrow screen, damaged files, advice that must lead somewhere. */
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { SETTINGS } from '../../../src/kernel/platform/config.ts'
import { atTerminal, CLI, envOf, ROOT, runCommand, runCommandJson } from '../../support/process.ts'
import {
  append,
  linesFor,
  makeProject,
  projectAt,
  sessionId,
  type TestProject,
  treeOf,
  turns,
} from '../../support/project.ts'
import { begin } from '../../support/world.ts'

const SESSION = sessionId(1)

function imported(count = 3): TestProject {
  const project = makeProject()
  append(project.transcriptOf(SESSION), turns(linesFor(SESSION, project.root), 0, count))
  runCommand(project, ['import'])
  return project
}

function sessionPath(project: TestProject): string {
  const dir = path.join(project.memory, 'sessions')
  return path.join(dir, fs.readdirSync(dir)[0] ?? '')
}

describe('the program', () => {
  it.skipIf(process.platform === 'win32')('says nothing when nobody reads on', () => {
    const project = imported(900)
    const { stdout, stderr } = spawnSync('sh', ['-c', '"$0" "$1" show 00000001 | head -n 1', process.execPath, CLI], {
      cwd: project.root,
      env: envOf(project, { PATH: process.env.PATH, CLAUDE_PROJECT_DIR: undefined, NO_COLOR: '1' }),
      encoding: 'utf8',
    })

    expect([stdout, stderr]).toEqual([expect.stringMatching(/^Session 00000001 has 2700 entries/), ''])
  })

  it('lists sessions in the columns there are', () => {
    const project = makeProject()
    const lines = linesFor(SESSION, project.root)
    append(project.transcriptOf(SESSION), lines.prompt(0, '가나다라마바사아자차카타파하 '.repeat(20)))
    append(project.transcriptOf(SESSION), turns(lines, 1, 120))
    runCommand(project, ['import'])
    for (const columns of [100, 80, 72, 40]) {
      const [row = ''] = atTerminal(project, ['sessions'], { NO_COLOR: '1' }, { columns }).out.split('\n')
      expect(row.replace(/[가-힣]/g, 'ww').length).toBeLessThanOrEqual(columns)
      expect(row).toMatch(/^00000001 .*가.*…$/)
    }
  })

  it.each(['dedupe', 'scrub', 'reset', 'sessions', 'status', 'doctor', 'verify', 'final', 'compress'])(
    '%s makes no directory where nothing is remembered',
    (command) => {
      const project = makeProject()

      expect(runCommand(project, [command]).code).toBe(0)
      expect(treeOf(project.root)).toEqual({})
    },
  )
})

describe('advice', () => {
  it('after verify mends what is damaged, wherever the transcript lies', () => {
    const project = makeProject()
    const elsewhere = path.join(project.base, 'with space', `${SESSION}.jsonl`)
    append(elsewhere, turns(linesFor(SESSION, project.root), 0, 3))
    runCommand(project, ['import', '--transcript', elsewhere])
    fs.rmSync(sessionPath(project))
    const ran = runCommand(project, ['verify'])

    expect(ran.out).toContain(`→ memory-keeper import --transcript "${elsewhere}"`)
    expect(ran.out).toContain('and 4 more')
    expect(runCommand(project, ['status']).out).toContain('memory-keeper verify shows what is missing')
    expect(runCommand(project, ['import', '--transcript', elsewhere]).out).toMatch(
      /^1 session, 9 entries captured again\.\n/,
    )
    expect(runCommand(project, ['verify']).code).toBe(0)
    expect(runCommand(project, ['doctor']).out).toContain('session files: whole')
  })

  it('after the first import leads to notes, and is not repeated', () => {
    const project = makeProject()
    append(project.transcriptOf(SESSION), turns(linesFor(SESSION, project.root), 0, 3))
    expect(runCommand(project, ['import']).out).toMatch(/\nNext: memory-keeper final .*\n$/)

    expect(runCommandJson(project, ['final']).json.notes).toHaveLength(1)
    append(project.transcriptOf(SESSION), turns(linesFor(SESSION, project.root), 5, 7))
    const { out } = runCommand(project, ['import'])
    expect(out).toContain('1 session, 6 entries')
    expect(out).not.toContain('Next:')
  })

  it('before the first import is one line', () => {
    const project = makeProject()
    for (const n of [1, 2, 3])
      append(project.transcriptOf(sessionId(n)), turns(linesFor(sessionId(n), project.root), n * 10, n * 10 + 3))

    expect(runCommand(project, ['verify'])).toEqual({
      out: '3 transcripts, none captured yet: memory-keeper import\n',
      err: '',
      code: 1,
    })
    expect(runCommandJson(project, ['verify']).json).toMatchObject({
      complete: false,
      prompts: { present: 9, captured: 0 },
    })
    runCommand(project, ['import'])
    expect(runCommand(project, ['verify']).code).toBe(0)
  })

  it('names the vault when the memory is gone', () => {
    const project = imported()
    runCommand(project, ['final'])
    fs.rmSync(project.memory, { recursive: true })

    for (const command of ['status', 'sessions', 'doctor'])
      expect(runCommand(project, [command]).out).toContain('memory-keeper restore')
    expect(runCommand(project, ['restore']).code).toBe(0)
    expect(runCommand(project, ['status']).out).not.toContain('memory-keeper restore')
  })

  it('to restore does not bring back what dedupe removed', () => {
    const project = imported()
    const file = sessionPath(project)
    fs.copyFileSync(file, file.replace('00000001', 'aaaaaaaa'))
    runCommand(project, ['final'])

    expect(runCommandJson(project, ['dedupe']).json.removed).toHaveLength(1)
    expect(runCommandJson(project, ['restore', '--dry-run']).json.restored).toEqual([])
    fs.rmSync(project.memory, { recursive: true })
    runCommand(project, ['restore'])
    expect(runCommand(project, ['verify']).code).toBe(0)
    expect(runCommandJson(project, ['sessions']).json.sessions).toHaveLength(1)
  })

  it('of a doctor survives a file that cannot be read', () => {
    const project = imported()
    const file = sessionPath(project)
    fs.rmSync(file)
    fs.mkdirSync(file)
    const { json, code } = runCommandJson(project, ['doctor'])

    expect(code).toBe(1)
    expect(json.checks).toContainEqual(expect.objectContaining({ name: 'session files', verdict: 'problem' }))
  })

  it('of a dry run tells what the real run does', () => {
    const project = imported()
    const other = projectAt(path.join(project.base, 'other'), project.home)
    append(other.transcriptOf(sessionId(2)), turns(linesFor(sessionId(2), other.root), 0, 1))
    const plan = (...args: string[]): unknown => runCommandJson(project, ['import', '--dry-run', ...args]).json.sessions

    expect([plan(), plan('--all')]).toEqual([0, 1])
    runCommand(project, ['import', '--all'])
    expect(plan('--all')).toBe(0)
    fs.writeFileSync(sessionPath(project), '')
    expect(plan()).toBe(1)
    expect(runCommand(project, ['import', '--dry-run', '--transcript', '/not/there']).code).toBe(1)
  })
})

describe('config', () => {
  it('has no setting that nothing reads', () => {
    const sources = fs
      .readdirSync(path.join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => fs.readFileSync(path.join(ROOT, 'src', name), 'utf8'))
      .join('\n')
    const isRead = (name: string): boolean =>
      new RegExp(`\\bconfig\\.${name}\\b|\\{[^{}]*\\b${name}\\b[^{}]*\\} = store\\.config`).test(sources)

    expect(Object.keys(SETTINGS).filter((name) => !isRead(name))).toEqual([])
  })

  it.each(['[', 'a*'])('refuses a pattern that would be ignored: %s', (pattern) => {
    const project = makeProject()

    expect(runCommand(project, ['config', 'set', 'redactPatterns', pattern])).toMatchObject({ code: 2, out: '' })
    expect(treeOf(project.base)).toEqual(treeOf(makeProject().base))
  })
})

describe('config set storage', () => {
  const set = (project: TestProject, value: string): string =>
    runCommand(project, ['config', 'set', 'storage', value]).err

  it('says which memory is no longer read, and nothing where there is none', () => {
    const project = imported()
    expect(set(project, 'home')).toContain(`The memory in ${project.memory} is not read`)
    expect(runCommandJson(project, ['sessions']).json.sessions).toEqual([])
    runCommand(project, ['import'])
    expect(set(project, 'project')).toContain(`The memory in ${project.places.atHome} is not read`)
    expect(runCommandJson(project, ['sessions']).json.sessions).toHaveLength(1)
    for (const value of ['home', 'project']) expect(set(makeProject(), value)).toBe('')
  })

  it('to the project takes the memory at home along with the next session', () => {
    const project = makeProject()
    set(project, 'home')
    append(project.transcriptOf(SESSION), turns(linesFor(SESSION, project.root), 0, 3))
    runCommand(project, ['import'])
    fs.rmSync(path.join(project.root, '.claude'), { recursive: true, force: true })

    expect(set(project, 'project')).toBe('')
    begin(project, sessionId(2))
    expect(runCommandJson(project, ['sessions']).json.sessions).toHaveLength(1)
  })
})

describe('status', () => {
  it('counts entries as the import did, also while a tool is running', () => {
    const project = makeProject()
    const lines = linesFor(SESSION, project.root)
    append(project.transcriptOf(SESSION), turns(lines, 0, 3))
    append(project.transcriptOf(SESSION), lines.prompt(900, 'go on') + lines.use(901, 'x', 'Bash', { command: 'ls' }))
    const { entries } = runCommandJson(project, ['import']).json

    expect(runCommandJson(project, ['status']).json.entries).toBe(entries)
  })

  it('shows the session that was used last, with the time of its last entry', () => {
    const project = makeProject()
    const [first, second] = [sessionId(1), sessionId(2)]
    append(project.transcriptOf(first), turns(linesFor(first, project.root), 0, 1))
    append(project.transcriptOf(second), turns(linesFor(second, project.root), 1, 2))
    append(project.transcriptOf(first), linesFor(first, project.root).prompt(3_600_000, 'one more thing'))
    runCommand(project, ['import'])

    expect(runCommand(project, ['status']).out).toContain('last session  2026-01-13 10:00  00000001')
  })

  it('says so when there is no transcript to compare with', () => {
    const NONE = 'no transcripts of this project on this machine'
    expect(runCommand(makeProject(), ['status']).out).toContain(`coverage      ${NONE}`)
    const project = imported()
    expect(runCommand(project, ['status']).out).toContain('every transcript on this machine is captured')

    fs.rmSync(project.transcriptOf(SESSION))
    for (const command of ['status', 'doctor']) expect(runCommand(project, [command]).out).toContain(NONE)
  })
})

describe('untrust', () => {
  it('makes nobody say that the memory was never yours', () => {
    const project = imported()
    runCommand(project, ['untrust'])

    for (const command of ['trust', 'status', 'doctor', 'init']) {
      const { out, err } = runCommand(project, [command])
      expect(out + err).toContain('is not trusted')
      expect(out + err).not.toMatch(/not yours|was not made by/)
    }
  })

  it('does not promise what it cannot keep', () => {
    const project = makeProject()
    expect(runCommand(project, ['untrust']).code).toBe(1)

    const full = imported()
    expect(runCommand(full, ['untrust']).out).toContain('is no longer read')
    expect(runCommand(full, ['untrust']).out).toContain('is not trusted and not read')
  })
})
