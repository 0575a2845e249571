/** The hook program as the host runs it: real stdin, one process per event. */
import { spawn, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  CLI,
  envOf,
  HOOK,
  KEEPER,
  payloadOf,
  processesWith,
  type Ran,
  runCli,
  runHook,
  runNode,
  until,
} from '../../support/process.ts'
import {
  agentPath,
  append,
  entriesIn,
  linesFor,
  linesNow,
  makeProject,
  quietProject,
  readStateIn,
  sessionId,
  type TestProject,
  tempDir,
  textsIn,
  treeOf,
  turn,
  turns,
  write,
} from '../../support/project.ts'
import { begin, hookHere, stop as stopHere } from '../../support/world.ts'

const SESSION = sessionId(1)
const SILENT: Ran = { out: '', err: '', code: 0 }

function stop(project: TestProject, more: object = {}, env = {}): Ran {
  return runHook(project, { hook_event_name: 'Stop', session_id: SESSION, stop_hook_active: false, ...more }, env)
}

function projectWith(text: (lines: ReturnType<typeof linesFor>) => string, settings: object = {}): TestProject {
  const project = quietProject(settings)
  append(project.transcriptOf(SESSION), text(linesFor(SESSION, project.root)))
  return project
}

describe('every event', () => {
  const EVENTS: Record<string, object> = {
    'SessionStart startup': { source: 'startup' },
    'SessionStart resume': { source: 'resume' },
    'SessionStart clear': { source: 'clear' },
    'SessionStart compact': { source: 'compact' },
    'SessionStart fork': { source: 'fork' },
    UserPromptSubmit: { prompt: 'go on', prompt_id: 'd5248643-3b4a-45a9-a3d2-f37f43d07521' },
    Stop: { stop_hook_active: false, last_assistant_message: 'answer 0', background_tasks: [], session_crons: [] },
    'PreCompact auto': { trigger: 'auto', custom_instructions: null },
    'PreCompact manual': { trigger: 'manual', custom_instructions: '' },
    SubagentStop: {
      agent_id: 'ad53dcaa',
      agent_type: 'probe',
      stop_hook_active: false,
      last_assistant_message: 'done',
    },
    SessionEnd: { reason: 'prompt_input_exit' },
    PreToolUse: { tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: 'toolu_1' },
    PermissionRequest: { tool_name: 'Bash', tool_input: { command: 'ls' }, permission_suggestions: [] },
    'PreToolUse of an agent': { tool_name: 'Agent', tool_input: { prompt: 'look', description: 'look' } },
    PostToolUseFailure: {
      tool_name: 'Bash',
      tool_input: { command: 'ls' },
      error: 'Exit code 1',
      is_interrupt: false,
    },
  }
  /** What was captured may be told at once: at a start and before a compaction. */
  const speaks = (event: string): boolean => /SessionStart (?!clear)|PreCompact/.test(event)
  const captures = (event: string): boolean =>
    !/startup|clear|PreToolUse|PermissionRequest|PostToolUseFailure/.test(event)

  it.each(Object.keys(EVENTS))('%s captures what there is and exits with 0', async (event) => {
    const project = projectWith((lines) => turn(lines, 0))
    const [name = ''] = event.split(' ')
    const ran = runHook(project, { hook_event_name: name, session_id: SESSION, ...EVENTS[event] })

    expect(ran).toMatchObject({ err: '', code: 0 })
    expect(speaks(event) || ran.out === '').toBe(true)
    const expected = captures(event) ? ['question 0', 'echo 0', 'answer 0'] : []
    // The finisher that the hook starts captures the end of a session.
    if (name === 'SessionEnd') await until(() => textsIn(project.memory).length === expected.length)
    expect(textsIn(project.memory)).toEqual(expected)
    await until(() => (processesWith(project.root) ?? []).length === 0)
  })

  it('at a start captures what earlier sessions left behind, not the one that starts', () => {
    const project = projectWith((lines) => turn(lines, 0))
    const earlier = sessionId(2)
    append(project.transcriptOf(earlier), turn(linesFor(earlier, project.root), 5))
    begin(project, SESSION)

    expect(textsIn(project.memory)).toEqual(['question 5', 'echo 5', 'answer 5'])
  })

  it('keeps the answer that the host names, also when there is no transcript at all', () => {
    const project = quietProject()
    stop(project, { last_assistant_message: 'only this' })

    expect(textsIn(project.memory)).toEqual(['only this'])
  })

  it('of a subagent brings its transcript in', () => {
    const project = projectWith((lines) => lines.prompt(0, 'ask a helper'))
    const side = linesFor(SESSION, project.root, { isSidechain: true, agentId: 'ad53dcaa' })
    write(agentPath(project.transcriptOf(SESSION), 'ad53dcaa'), side.prompt(1, 'help') + side.answer(2, 'I helped'))
    hookHere(project, { hook_event_name: 'SubagentStop', session_id: SESSION, agent_id: 'ad53dcaa' })

    expect(entriesIn(project.memory)).toMatchObject([
      { role: 'user', text: 'ask a helper' },
      { role: 'subagent', agent: 'ad53dcaa', text: 'I helped' },
    ])
  })
})

describe('what the hook cannot use', () => {
  const project = quietProject()
  append(project.transcriptOf(SESSION), turn(linesFor(SESSION, project.root), 0))
  const before = treeOf(project.base)
  const hooked = (more: object): string =>
    JSON.stringify(payloadOf(project, { hook_event_name: 'Stop', session_id: SESSION, ...more }))

  it.each([
    ['an empty object', '{}'],
    ['an unknown event', hooked({ hook_event_name: 'SomethingNew' })],
    ['an event without a session', hooked({ session_id: undefined })],
    ['an event without a transcript', hooked({ transcript_path: undefined })],
    ['fields of the wrong kind', hooked({ session_id: 5, transcript_path: ['x'], cwd: {} })],
    ['an event inside a subagent', hooked({ agent_id: 'ad53dcaa' })],
  ])('%s is passed over without a word and without a file', (_, stdin) => {
    expect(hookHere(project, stdin)).toMatchObject({ out: '', started: [] })
    expect(treeOf(project.base)).toEqual(before)
  })

  it('is passed over by the program: nothing, no JSON, garbage, events of our own child', () => {
    const garbage = `{"hook_event_name":"Stop","x":"${'\u0000é'.repeat(200_000)}`
    for (const stdin of ['', 'hello {', garbage]) expect(runHook(project, stdin)).toEqual(SILENT)
    for (const event of ['SessionStart', 'UserPromptSubmit', 'Stop', 'SessionEnd']) {
      const stdin = hooked({ hook_event_name: event, source: 'startup' })
      expect(runHook(project, stdin, { MEMORY_KEEPER_CHILD: '1' })).toEqual(SILENT)
    }
    expect(treeOf(project.base)).toEqual(before)
  })
})

describe('a place that cannot be written', () => {
  const atHome = (project: TestProject): string[] => textsIn(project.places.atHome)

  it('is remembered at home when a file stands where .claude should be', () => {
    const project = projectWith((lines) => turn(lines, 0))
    fs.writeFileSync(path.join(project.root, '.claude'), 'a file')

    expect(stop(project)).toEqual(SILENT)
    expect(stop(project)).toEqual(SILENT)
    expect(atHome(project)).toEqual(['question 0', 'echo 0', 'answer 0'])
    expect(readStateIn(project.places.atHome).counter).toBe(1)
    expect(fs.readFileSync(path.join(project.root, '.claude'), 'utf8')).toBe('a file')
    expect(runCli(project, ['verify']).code).toBe(0)
  })

  it('is remembered at home when the project is read-only', ({ skip }) => {
    const project = projectWith((lines) => turn(lines, 0))
    const dir = project.root
    if (!shell(`mount --bind ${dir} ${dir} && mount -o remount,bind,ro ${dir}`)) return skip('no right to mount here')
    try {
      expect(stop(project)).toEqual(SILENT)
      expect(atHome(project)).toEqual(['question 0', 'echo 0', 'answer 0'])
    } finally {
      shell(`umount ${dir}`)
    }
  })

  it('whose memory is read-only is not told that nothing was lost of a note', ({ skip }) => {
    const project = projectWith((lines) => turn(lines, 0))
    stop(project)
    const dir = project.root
    if (!shell(`mount --bind ${dir} ${dir} && mount -o remount,bind,ro ${dir}`)) return skip('no right to mount here')
    try {
      const { err, code } = runNode([CLI, 'note', '--text', 'A note.', '--project', dir], dir, envOf(project))
      expect(code).toBe(1)
      expect(err).toContain('EROFS')
      expect(err).toContain('may not be saved')
      expect(err).not.toContain('othing was lost')
    } finally {
      shell(`umount ${dir}`)
    }
  })

  it('is remembered at home when the memory is that of another user', ({ skip }) => {
    if (process.getuid?.() !== 0) return skip('only root can be somebody else')
    const project = projectWith((lines) => turn(lines, 0))
    write(path.join(project.memory, '.owner'), 'token')
    fs.chmodSync(project.memory, 0o700)
    shell(`chmod 755 ${project.base} && chown -R 1234:1234 ${project.home}`)
    const stdin = JSON.stringify(payloadOf(project, { hook_event_name: 'Stop', session_id: SESSION }))
    const env = envOf(project)
    const { stdout, stderr } = spawnSync(process.execPath, [HOOK], { env, input: stdin, uid: 1234, gid: 1234 })

    expect(`${stdout}${stderr}`).toBe('')
    expect(atHome(project)).toEqual(['question 0', 'echo 0', 'answer 0'])
  })

  it('that holds a transcript of another user does not keep us from the others', ({ skip }) => {
    if (process.getuid?.() !== 0) return skip('only root can be somebody else')
    const project = projectWith((lines) => turn(lines, 0))
    write(project.transcriptOf(sessionId(2)), turn(linesFor(sessionId(2), project.root), 1))
    shell(`chmod 755 ${project.base} && chown -R 1234:1234 ${project.home} ${project.root}`)
    fs.chownSync(project.transcriptOf(sessionId(2)), 0, 0)
    fs.chmodSync(project.transcriptOf(sessionId(2)), 0o600)
    const env = envOf(project)
    spawnSync(process.execPath, [KEEPER, 'catch-up', project.root], { env, uid: 1234, gid: 1234 })

    expect(textsIn(project.memory)).toEqual(['question 0', 'echo 0', 'answer 0'])
  })

  it('that is full loses nothing once there is room again', async ({ skip }) => {
    const project = quietProject({ saveInterval: 1000 })
    append(project.transcriptOf(SESSION), turns(linesNow(SESSION, project.root), 0, 3))
    if (!shell(`mount -t tmpfs -o size=64k tmpfs ${project.root}`)) return skip('no right to mount here')
    try {
      stop(project)
      const filler = path.join(project.root, 'filler')
      expect(() => fs.writeFileSync(filler, Buffer.alloc(100_000))).toThrow('ENOSPC')
      append(project.transcriptOf(SESSION), turns(linesNow(SESSION, project.root), 3, 200))
      expect(stop(project)).toEqual(SILENT)
      expect(stop(project)).toEqual(SILENT)
      expect(textsIn(project.memory).length).toBeLessThan(600)
      fs.rmSync(filler)
      shell(`mount -o remount,size=8m ${project.root}`)
      // A hook that could not write has started a finisher, which may hold the lock.
      await until(() => (processesWith(project.root) ?? []).length === 0)

      expect(stop(project)).toEqual(SILENT)
      expect(textsIn(project.memory)).toHaveLength(600)
      expect(readStateIn(project.memory).counter).toBe(200)
    } finally {
      await until(() => (processesWith(project.root) ?? []).length === 0)
      shell(`umount ${project.root}`)
    }
  })
})

function shell(command: string): boolean {
  return spawnSync('sh', ['-c', command]).status === 0
}

describe('a broken state', () => {
  it.each(['{"version":2,"sess', '', 'null', '[]'])(
    'that reads %j is set aside and rebuilt without doubling',
    (broken) => {
      const project = projectWith((lines) => turns(lines, 0, 3))
      const side = linesFor(SESSION, project.root, { isSidechain: true, agentId: 'ad53dcaa' })
      write(agentPath(project.transcriptOf(SESSION), 'ad53dcaa'), side.answer(500, 'I helped'))
      stopHere(project)
      const whole = textsIn(project.memory)
      write(path.join(project.memory, 'memory-index.json'), broken)

      expect(stopHere(project).out).toBe('')
      append(project.transcriptOf(SESSION), turn(linesFor(SESSION, project.root), 3))
      expect(stopHere(project).out).toBe('')
      expect(textsIn(project.memory)).toEqual([...whole, 'question 3', 'echo 3', 'answer 3'])
      const aside = fs.readdirSync(project.memory).filter((name) => /^memory-index\.json\.broken-\d{14}$/.test(name))
      expect(aside).toHaveLength(1)
      expect(fs.readFileSync(path.join(project.memory, aside[0] ?? ''), 'utf8')).toBe(broken)
    },
  )
})

describe('the finisher', () => {
  it('is started at the end of a session, does what was left, and ends by itself', async () => {
    const project = projectWith((lines) => turn(lines, 0))
    const earlier = sessionId(2)
    append(project.transcriptOf(earlier), turn(linesFor(earlier, project.root), 5))

    expect(runHook(project, { hook_event_name: 'SessionEnd', session_id: SESSION, reason: 'other' })).toEqual(SILENT)
    await until(() => fs.existsSync(path.join(project.places.vault, 'memory-index.json')))
    await until(() => (processesWith(project.root) ?? []).length === 0)
    expect(textsIn(project.places.vault).sort()).toEqual(textsIn(project.memory).sort())
    expect(textsIn(project.memory)).toHaveLength(6)
  })

  it('takes over when a hook finds the lock held', async () => {
    const project = quietProject()
    append(project.transcriptOf(SESSION), turn(linesNow(SESSION, project.root), 0))
    stop(project)
    append(project.transcriptOf(SESSION), turn(linesNow(SESSION, project.root), 1))
    const lock = path.join(project.memory, '.lock')
    fs.writeFileSync(lock, JSON.stringify({ pid: process.pid, host: (await import('node:os')).hostname() }))

    expect(stop(project)).toEqual(SILENT)
    expect(textsIn(project.memory)).toHaveLength(3)
    fs.rmSync(lock)
    await until(() => textsIn(project.memory).length === 6)
    await until(() => (processesWith(project.root) ?? []).length === 0)
    expect(readStateIn(project.memory).counter).toBe(2)
  })

  it('that cannot be started costs nothing', () => {
    const project = projectWith((lines) => turn(lines, 0))
    const payload = { hook_event_name: 'SessionEnd', session_id: SESSION, reason: 'other' }

    expect(runHook(project, payload, { TMPDIR: path.join(project.base, 'not-there') })).toEqual(SILENT)
    expect(textsIn(project.memory)).toHaveLength(3)
  })
})

describe('an unusual environment', () => {
  const payload = (project: TestProject): string =>
    JSON.stringify(payloadOf(project, { hook_event_name: 'Stop', session_id: SESSION }))

  it('without git in the path works', () => {
    const project = projectWith((lines) => turn(lines, 0))

    expect(stop(project, {}, { PATH: '/nowhere' })).toEqual(SILENT)
    expect(textsIn(project.memory)).toHaveLength(3)
  })

  it('with CLAUDE_CONFIG_DIR keeps everything there', () => {
    const project = makeProject()
    append(project.transcriptOf(SESSION), turn(linesFor(SESSION, project.root), 0))
    const config = path.join(project.base, 'config')
    stop(project, {}, { CLAUDE_CONFIG_DIR: config })

    expect(fs.readdirSync(path.join(config, 'memory-keeper'))).toEqual(['trust'])
    expect(fs.existsSync(project.keeper)).toBe(false)
  })

  it('with a user whom the system does not know stays silent', ({ skip }) => {
    if (process.getuid?.() !== 0) return skip('only root may be somebody else')
    const project = projectWith((lines) => turn(lines, 0))
    const env = envOf(project, { HOME: undefined })
    const ran = spawnSync(process.execPath, [HOOK], {
      input: payload(project),
      env,
      uid: 54_321,
      gid: 54_321,
      encoding: 'utf8',
    })

    expect({ out: ran.stdout, err: ran.stderr, code: ran.status }).toEqual(SILENT)
  })

  it('takes the project from the payload when the host names none', () => {
    const project = projectWith((lines) => turn(lines, 0))
    const env = envOf(project, { CLAUDE_PROJECT_DIR: undefined })

    expect(runNode([HOOK], tempDir(), env, payload(project))).toEqual(SILENT)
    expect(textsIn(project.memory)).toHaveLength(3)
  })
})

describe('files', () => {
  it('can be read by their owner alone, and git does not see them', () => {
    const project = projectWith((lines) => turn(lines, 0))
    stop(project)
    runHook(project, { hook_event_name: 'SessionStart', session_id: sessionId(9), source: 'startup' })
    runNode([KEEPER, 'catch-up', project.root], project.base, envOf(project))

    for (const dir of [project.memory, project.keeper]) {
      expect(fs.statSync(dir).mode & 0o777).toBe(0o700)
      for (const name of Object.keys(treeOf(dir))) {
        const facts = fs.statSync(path.join(dir, name))
        expect(`${name} ${(facts.mode & 0o777).toString(8)}`).toBe(`${name} ${facts.isDirectory() ? '700' : '600'}`)
      }
    }
    expect(fs.readFileSync(path.join(project.memory, '.gitignore'), 'utf8')).toBe('*\n')
    spawnSync('git', ['init', '-q'], { cwd: project.root })
    expect(spawnSync('git', ['status', '--porcelain'], { cwd: project.root, encoding: 'utf8' }).stdout).toBe('')
  })
})

it('a host that was killed before it read the answer is no failure', async () => {
  const project = projectWith((lines) => turn(lines, 0))
  stop(project)
  const child = spawn(process.execPath, [HOOK], {
    cwd: project.root,
    env: envOf(project),
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  child.stdout.destroy()
  const start = { hook_event_name: 'SessionStart', session_id: sessionId(2), source: 'startup' }
  child.stdin.end(JSON.stringify(payloadOf(project, start)))
  const code = await new Promise((resolve) => child.once('exit', resolve))

  expect(code).toBe(0)
  const log = path.join(project.keeper, 'logs', 'memory-keeper.log')
  expect(fs.existsSync(log) ? fs.readFileSync(log, 'utf8') : '').not.toContain('EPIPE')
})
