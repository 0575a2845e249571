/** Files of a project that are no files: a hook neither waits for them nor fills the memory with them, and tells nothing of them. */
import { execFileSync, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { gitIn, hasGit } from '../support/git.ts'
import { CLI, envOf, HOOK, KEEPER, payloadOf } from '../support/process.ts'
import {
  append,
  linesFor,
  makeProject,
  sessionId,
  setAtHome,
  type TestProject,
  turns,
  write,
} from '../support/project.ts'

const SESSION = sessionId(1)
/** In the environment of every program: a link to /proc/self/environ leads to it. */
const SECRET = 'planted-environment-value'
/** Far more than one of our programs needs, far less than the planted files hold. */
const MOST_KB = 400_000
const HANGS_AFTER_MS = 40_000

const ATTACKS: Record<string, (file: string) => void> = {
  'a pipe': (file) => void execFileSync('mkfifo', [file]),
  'a link to /dev/zero': (file) => fs.symlinkSync('/dev/zero', file),
  'a link to /proc/self/environ': (file) => fs.symlinkSync('/proc/self/environ', file),
  'a directory': (file) => fs.mkdirSync(file),
  'a sparse file of eight gigabytes': (file) => {
    fs.writeFileSync(file, '')
    fs.truncateSync(file, 8 * 2 ** 30)
  },
}

const MEMORY = '.claude/memory'

/** Files of a project that hooks, the finisher and commands read, together where one does not keep the others from being read. */
const GROUPS: Record<string, { files: readonly string[]; logged: readonly string[] }> = {
  "git's files": {
    files: [
      '.git/HEAD',
      '.git/config',
      '.git/commondir',
      '.git/packed-refs',
      '.git/refs/heads/main',
      '.git/worktrees/tree/gitdir',
      'package.json',
      'CLAUDE.md',
      '.claude/settings.json',
    ],
    logged: ['.git/HEAD', 'package.json'],
  },
  "git's index": { files: ['.git/index'], logged: ['.git/index'] },
  'the .git file of a worktree': { files: ['../tree/.git', '.git/refs/heads/main'], logged: [] },
  'the token': { files: [`${MEMORY}/.owner`], logged: ['.owner'] },
  'the state': { files: [`${MEMORY}/memory-index.json`], logged: ['memory-index.json'] },
  'settings and lock': { files: [`${MEMORY}/config.json`, `${MEMORY}/.lock`], logged: ['config.json'] },
  'texts and knowledge': {
    files: [
      '.gitignore',
      'memory.md',
      'facts.json',
      'concepts.json',
      'standing.json',
      'forgotten.jsonl',
      'notices.json',
      'rules.md',
      'project.md',
      'delta_temp.txt',
      'journal/hooks.jsonl',
      'journal/recalls.jsonl',
      'journal/recall-texts.jsonl',
      'journal/undo.jsonl',
      'journal/git-check.json',
      'journal/migrated.json',
      'shared/bob/facts.jsonl',
      'shared/bob/memory.md',
    ].map((name) => `${MEMORY}/${name}`),
    logged: ['facts.json', 'rules.md'],
  },
  sessions: { files: ['TRANSCRIPT', 'SESSION'], logged: [] },
}

interface Ended {
  code: number | null
  out: string
  err: string
  /** At its most. */
  kb: number
}

let project: TestProject
let template: string
let probe: string
let special: Record<string, string>

beforeAll(() => {
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
  const [session = ''] = fs
    .readdirSync(path.join(project.memory, 'sessions'))
    .filter((name) => name.endsWith('.l1.jsonl'))
  special = { TRANSCRIPT: project.transcriptOf(SESSION), SESSION: path.join(project.memory, 'sessions', session) }
  template = `${project.base}-template`
  fs.cpSync(project.base, template, { recursive: true })
})
afterAll(() => fs.rmSync(template, { recursive: true, force: true }))

function run(args: readonly string[], stdin = ''): Ended {
  const seen = path.join(project.base, 'probe')
  const env = envOf(project, {
    PLANTED: SECRET,
    NODE_OPTIONS: `--require=${probe}`,
    PROBE: seen,
    PATH: process.env.PATH,
  })
  fs.rmSync(seen, { force: true })
  const done = spawnSync(process.execPath, args, {
    // Not in the project: with --require, node itself reads a package.json there.
    cwd: project.base,
    env,
    input: stdin,
    encoding: 'utf8',
    timeout: HANGS_AFTER_MS,
    killSignal: 'SIGKILL',
  })
  const kb = fs.existsSync(seen) ? Number(fs.readFileSync(seen, 'utf8')) : Number.POSITIVE_INFINITY
  return { code: done.status, out: done.stdout, err: done.stderr, kb }
}

function hook(event: string, more: object = {}): Ended {
  const payload = payloadOf(project, { hook_event_name: event, session_id: SESSION, ...more })
  return run([HOOK], JSON.stringify(payload))
}

function finisher(): Ended {
  return run([KEEPER, 'end', project.root, SESSION])
}

function plant(attack: string, names: readonly string[]): void {
  fs.rmSync(project.base, { recursive: true, force: true })
  fs.cpSync(template, project.base, { recursive: true })
  fs.rmSync(path.join(project.keeper, 'logs'), { recursive: true, force: true })
  for (const name of names) {
    const file = special[name] ?? path.join(project.root, name)
    fs.rmSync(file, { recursive: true, force: true })
    fs.mkdirSync(path.dirname(file), { recursive: true })
    ATTACKS[attack]?.(file)
  }
}

/** Files below that hold what no file of ours may hold. */
function leaks(dir: string): string[] {
  return fs.readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter((name) => {
    const file = path.join(dir, name)
    const facts = fs.lstatSync(file)
    return facts.isFile() && facts.size < 2 ** 26 && fs.readFileSync(file, 'latin1').includes(SECRET)
  })
}

function log(): string {
  const file = path.join(project.keeper, 'logs', 'memory-keeper.log')
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : ''
}

function expectBounded({ code, out, err, kb }: Ended): void {
  expect({ code, err }).not.toMatchObject({ code: null })
  expect(kb).toBeLessThan(MOST_KB)
  expect(out + err).not.toContain(SECRET)
  expect(out).not.toMatch(/\\u0000|\u0000/)
}

function expectCalm(ended: Ended): void {
  expect(ended).toMatchObject({ code: 0, err: '' })
  expectBounded(ended)
}

describe.skipIf(process.platform === 'win32' || !hasGit)('a session in a project where a file is replaced', () => {
  describe.each(Object.keys(ATTACKS))('by %s', (attack) => {
    it.each(Object.keys(GROUPS))('begins and ends as ever: %s', (group) => {
      const { files, logged } = GROUPS[group] ?? { files: [], logged: [] }
      plant(attack, files)

      expectCalm(hook('SessionStart', { source: 'startup' }))
      expectCalm(hook('UserPromptSubmit', { prompt: 'what was question 2 about?' }))
      expectCalm(finisher())
      expectBounded(run([CLI, 'search', '--deep', 'question', '--project', project.root]))
      expect(leaks(project.base)).toEqual([])
      for (const name of logged) expect(log()).toContain(name)
    })
  })

  it.each(Object.keys(ATTACKS).filter((attack) => !attack.includes('sparse')))(
    'takes no transcript that is %s',
    (attack) => {
      plant(attack, [])
      const file = path.join(project.base, 'given.jsonl')
      ATTACKS[attack]?.(file)
      const before = fs.readdirSync(path.join(project.memory, 'sessions'))
      const ended = run([CLI, 'import', '--transcript', file, '--project', project.root])

      expectBounded(ended)
      expect(fs.readdirSync(path.join(project.memory, 'sessions'))).toEqual(before)
    },
  )

  it('streams a transcript that is one endless line', () => {
    plant('', [])
    const file = path.join(project.base, 'given.jsonl')
    fs.writeFileSync(file, '')
    fs.truncateSync(file, 2 ** 29)

    expectCalm(run([CLI, 'import', '--transcript', file, '--project', project.root]))
  })
})
