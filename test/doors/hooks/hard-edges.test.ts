/** Files of a project that are no files: a hook neither waits for them nor fills the memory with them, and tells nothing of them. */
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { gitIn, hasGit } from '../../support/git.ts'
import { buildModule } from '../../support/module.ts'
import { ATTACKS, type Field, GROUPS, leaks, logIn, plant, SECRET } from '../../support/planted.ts'
import { CLI, type Env, envOf, HOOK, KEEPER, payloadOf } from '../../support/process.ts'
import {
  append,
  linesFor,
  makeProject,
  sessionId,
  setAtHome,
  type TestProject,
  turns,
  write,
} from '../../support/project.ts'

const SESSION = sessionId(1)
/** Far more than one of our programs needs, far less than the planted files hold. */
const MOST_KB = 400_000
const HANGS_AFTER_MS = 40_000
/** More than a program that reads it in pieces takes in all. */
const LINE_BYTES = 2 ** 28

/** What the programs do in a session, one group of planted files after the other in one process: a start takes longer than a session. */
const SESSIONS = `
import fs from 'node:fs'
import { refused } from './src/kernel/platform/disk/plain-file.ts'
import { logFailure } from './src/kernel/platform/disk/log.ts'
import { GROUPS, leaks, logIn, plant } from './test/support/planted.ts'
import { envOf, runCommand } from './test/support/process.ts'
import { projectAt } from './test/support/project.ts'
import { finishHere, hookHere } from './test/support/world.ts'
const { field, attack, session } = JSON.parse(fs.readFileSync(0, 'utf8'))
const project = projectAt(field.project.root, field.project.home)
const env = envOf(project, { PATH: process.env.PATH, PLANTED: process.env.PLANTED })
const now = () => new Date().toISOString()
const hook = (more) => hookHere(project, { session_id: session, ...more }, { now }).out
const steps = [
  () => hook({ hook_event_name: 'SessionStart', source: 'startup' }),
  () => hook({ hook_event_name: 'UserPromptSubmit', prompt: 'what was question 2 about?' }),
  () => finishHere(project, { for: 'end', session }, { now, env }).then(() => ''),
  () => { const { out, err } = runCommand(project, ['search', '--deep', 'question'], env); return out + err },
]
// As every program begins, and as it ends.
const attempt = async (step) => {
  refused.files.clear()
  refused.note = null
  try { return await step() } catch (error) { logFailure(project.keeper, now(), 'test', error); return '' }
}
for (const [group, { files }] of Object.entries(GROUPS)) {
  plant({ ...field, project }, attack, files)
  const said = []
  for (const step of steps) said.push(await attempt(step))
  const kb = process.resourceUsage().maxRSS
  console.log(JSON.stringify({ group, said, kb, leaks: leaks(project.base), log: logIn(project) }))
}
`

interface Ended {
  code: number | null
  out: string
  err: string
  /** At its most. */
  kb: number
}

/** What is left of a session in a project with planted files. */
interface Left {
  group: string
  said: string[]
  kb: number
  leaks: string[]
  log: string
}

let field: Field
let project: TestProject
let probe: string
let sessions: string

beforeAll(async () => {
  project = makeProject('app')
  setAtHome(project, { summarizer: 'extractive', claudeMdSync: true })
  if (hasGit) {
    const git = gitIn(project.root)
    git('init', '-q', '-b', 'main')
    write(path.join(project.root, 'package.json'), '{\n  "version": "1.0.0"\n}\n')
    git('add', 'package.json')
    git('commit', '-q', '-m', 'first')
    git('worktree', 'add', '-q', path.join(project.base, 'tree'))
  }
  append(project.transcriptOf(SESSION), turns(linesFor(SESSION, project.root), 0, 6))
  // Reports the memory that a program took at its most.
  probe = path.join(project.base, 'probe.cjs')
  write(
    probe,
    "process.on('exit', () => require('fs').writeFileSync(process.env.PROBE, String(process.resourceUsage().maxRSS)))\n",
  )
  hook('Stop')
  finisher()
  write(path.join(project.memory, 'project.md'), '# Project\n\nIt is a test.\n')
  write(path.join(project.memory, 'rules.md'), '- be kind\n')
  write(path.join(project.memory, 'shared', 'bob', 'memory.md'), '# bob\n')
  write(path.join(project.memory, 'shared', 'bob', 'facts.jsonl'), '')
  fs.rmSync(path.join(project.keeper, 'logs'), { recursive: true, force: true })
  const [session = ''] = fs
    .readdirSync(path.join(project.memory, 'sessions'))
    .filter((name) => name.endsWith('.l1.jsonl'))
  const special = { TRANSCRIPT: project.transcriptOf(SESSION), SESSION: path.join(project.memory, 'sessions', session) }
  field = { project, template: `${project.base}-template`, special }
  fs.cpSync(project.base, field.template, { recursive: true })
  sessions = await buildModule(SESSIONS)
})
afterAll(() => fs.rmSync(field.template, { recursive: true, force: true }))

function run(args: readonly string[], stdin = ''): Ended {
  const seen = path.join(project.base, 'probe')
  fs.rmSync(seen, { force: true })
  // Not in the project: with --require, node itself reads a package.json there.
  const ended = spawned(args, project.base, { NODE_OPTIONS: `--require=${probe}`, PROBE: seen }, stdin)
  return { ...ended, kb: fs.existsSync(seen) ? Number(fs.readFileSync(seen, 'utf8')) : Number.POSITIVE_INFINITY }
}

function hook(event: string, more: object = {}): Ended {
  const payload = payloadOf(project, { hook_event_name: event, session_id: SESSION, ...more })
  return run([HOOK], JSON.stringify(payload))
}

function finisher(): Ended {
  return run([KEEPER, 'end', project.root, SESSION])
}

function runSessions(attack: string): Ended {
  // Without the probe: its file lies where everything is planted anew.
  return spawned([sessions], os.tmpdir(), {}, JSON.stringify({ field, attack, session: SESSION }))
}

function spawned(args: readonly string[], cwd: string, more: Env, input: string): Ended {
  const env = envOf(project, { PLANTED: SECRET, PATH: process.env.PATH, ...more })
  const limits = { timeout: HANGS_AFTER_MS, killSignal: 'SIGKILL' } as const
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd, env, input, encoding: 'utf8', ...limits })
  return { code: status, out: stdout, err: stderr, kb: 0 }
}

function expectHarmless(out: string): void {
  expect(out).not.toContain(SECRET)
  expect(out).not.toMatch(/\\u0000|\u0000/)
}

function expectBounded({ code, out, err, kb }: Ended): void {
  expect({ code, err }).not.toMatchObject({ code: null })
  expect(kb).toBeLessThan(MOST_KB)
  expect(err).not.toContain(SECRET)
  expectHarmless(out)
}

function expectCalm(ended: Ended): void {
  expect(ended).toMatchObject({ code: 0, err: '' })
  expectBounded(ended)
}

describe.skipIf(process.platform === 'win32' || !hasGit)('a session in a project where a file is replaced', () => {
  describe.each(Object.keys(ATTACKS))('by %s', (attack) => {
    let ended: Ended
    let left: Left[]

    beforeAll(() => {
      ended = runSessions(attack)
      left = ended.out
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Left)
    })

    it.each(Object.keys(GROUPS))('begins and ends as ever: %s', (group) => {
      const own = left.find((one) => one.group === group)
      if (own === undefined) throw new Error(`no session came to its end: ${JSON.stringify(ended)}`)

      expect(own.kb).toBeLessThan(MOST_KB)
      for (const out of own.said) expectHarmless(out)
      expect(own.leaks).toEqual([])
      for (const name of GROUPS[group]?.logged ?? []) expect(own.log).toContain(name)
    })

    it('is over after all of them, and complains of nothing', () => {
      expect(ended).toMatchObject({ code: 0, err: '' })
    })
  })

  // What never ends, and what does not let itself be opened: the others are no different for the programs.
  it.each(['a pipe', 'a link to /dev/zero'])('by %s begins and ends as ever in the programs themselves', (attack) => {
    const { files, logged } = GROUPS['texts and knowledge'] ?? { files: [], logged: [] }
    plant(field, attack, files)

    expectCalm(hook('SessionStart', { source: 'startup' }))
    expectCalm(hook('UserPromptSubmit', { prompt: 'what was question 2 about?' }))
    expectCalm(finisher())
    expectBounded(run([CLI, 'search', '--deep', 'question', '--project', project.root]))
    expect(leaks(project.base)).toEqual([])
    for (const name of logged) expect(logIn(project)).toContain(name)
  })

  it.each(Object.keys(ATTACKS).filter((attack) => !attack.includes('sparse')))(
    'takes no transcript that is %s',
    (attack) => {
      plant(field, attack, [])
      const file = path.join(project.base, 'given.jsonl')
      ATTACKS[attack]?.(file)
      const before = fs.readdirSync(path.join(project.memory, 'sessions'))
      const ended = run([CLI, 'import', '--transcript', file, '--project', project.root])

      expectBounded(ended)
      expect(fs.readdirSync(path.join(project.memory, 'sessions'))).toEqual(before)
    },
  )

  it('streams a transcript that is one endless line', () => {
    plant(field, '', [])
    const file = path.join(project.base, 'given.jsonl')
    fs.writeFileSync(file, '')
    fs.truncateSync(file, LINE_BYTES)
    const ended = run([CLI, 'import', '--transcript', file, '--project', project.root])

    expectCalm(ended)
    expect(ended.kb * 1024).toBeLessThan(LINE_BYTES)
  })
})
