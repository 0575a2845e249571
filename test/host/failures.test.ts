/** When things break: a killed host, a lost directory, a server that is gone or slow, no node. Nothing is lost, nobody is disturbed. */
import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect } from 'vitest'
import {
  allTold,
  expectComplete,
  expectNothingLeft,
  expectQuiet,
  expectUntouched,
  memoryDir,
  memoryOf,
  onlySession,
  patient,
  told,
} from './support/memory.ts'
import { killProcess } from './support/processes.ts'
import { story } from './support/story.ts'
import { says, uses } from './support/turn.ts'
import type { World } from './support/world.ts'

const plugin = resolve(import.meta.dirname, '..', '..', 'plugin')

story('a host that is killed in the middle of an answer and resumed loses nothing', patient, async (world) => {
  world.model.script([
    uses('Bash', { command: 'echo before' }),
    says('word '.repeat(200), { pieceDelayMs: 200 }),
    says('Here I am.'),
  ])
  const talk = world.stream()
  const isLost = talk.say('talk long')
  await world.until('the answer', () => world.requests.length === 2 && world.model.pending() > 0)
  await world.until('the result', () =>
    world.transcripts().some((path) => world.read(path).includes('"stdout":"before"')),
  )
  await talk.kill()
  const { sessionId } = await isLost

  const resumed = await world.print('go on', { resume: sessionId })
  expect([resumed.result, resumed.stderr]).toEqual(['Here I am.', ''])
  await expectComplete(world, 1)
  // What the host puts into Claude's mouth before it goes on stands in the transcript as Claude's, and is kept as such.
  expect(told(world, sessionId).filter((entry) => entry !== 'assistant: No response requested.')).toEqual([
    'user: talk long',
    'Bash ok: echo before → before',
    'user: go on',
    'assistant: Here I am.',
  ])
})

story('the next start brings the memory back after git clean, and says so', patient, async (world) => {
  world.model.script([says('Noted.'), says('Welcome back.'), says('Again.')])
  const first = await world.print('the harbour code is 4711-B')
  await expectNothingLeft(world)
  execFileSync('git', ['clean', '-fdxq'], { cwd: world.projectDir })
  expect(existsSync(memoryDir(world))).toBe(false)

  const terminal = await world.terminal()
  expect(unwrapped(terminal.screen())).toMatch(
    /SessionStart:startup says: Memory Keeper: this project's memory was gone; \d+ files are restored from the vault\./,
  )
  await terminal.say('hello')
  await terminal.exit()
  await expectComplete(world, 2)
  expect(told(world, first.sessionId)).toEqual(['user: the harbour code is 4711-B', 'assistant: Noted.'])

  const later = await world.terminal()
  expectQuiet(later.screen())
  await later.exit()
  expectUntouched(world)
})

/** The screen breaks long lines. */
function unwrapped(screen: string): string {
  return screen.replace(/\s+/g, ' ')
}

function isServer({ command }: { command: string }): boolean {
  return command.includes('mcp.cjs')
}

story('capture works in silence without the MCP server, disabled or killed', patient, async (world) => {
  const terminal = await world.terminal()
  world.model.script([
    uses('Bash', { command: 'echo killed' }),
    says('one'),
    uses('Bash', { command: 'echo disabled' }),
    says('two'),
    uses('Bash', { command: 'echo strict' }),
    says('three'),
  ])
  for (const { pid } of await world.until('the server', () => foundServers(world))) killProcess(pid)
  await world.until('the server to be gone', () => !world.processes().some(isServer))
  await terminal.say('first')
  expectQuiet(terminal.screen())

  await terminal.say('/mcp disable plugin:memory-keeper:memory')
  await terminal.say('/clear')
  await terminal.say('second')
  expectQuiet(terminal.screen())
  await terminal.exit()
  expect(world.processes().some(isServer)).toBe(false)

  const strict = await world.print('third', { args: ['--strict-mcp-config'] })
  expect([strict.result, strict.stderr]).toEqual(['three', ''])
  await expectComplete(world, 3)
  const tools = allTold(memoryDir(world))
    .flat()
    .filter((entry) => entry.startsWith('Bash'))
  expect(tools).toEqual([
    'Bash ok: echo killed → killed',
    'Bash ok: echo disabled → disabled',
    'Bash ok: echo strict → strict',
  ])
})

function foundServers(world: World) {
  const servers = world.processes().filter(isServer)
  return servers.length > 0 && servers
}

story(
  'capture works in silence while the MCP server takes eight seconds to start',
  { ...patient, plugin: false },
  async (world) => {
    const copy = join(world.dir, 'plugin')
    cpSync(plugin, copy, { recursive: true })
    writeFileSync(join(copy, 'slow.cjs'), `setTimeout(() => require('./dist/mcp.cjs'), 8000)\n`)
    const server = { command: 'node', args: ['$' + '{CLAUDE_PLUGIN_ROOT}/slow.cjs'] }
    writeFileSync(join(copy, '.mcp.json'), JSON.stringify({ mcpServers: { memory: server } }))
    const terminal = await world.terminal({ args: ['--plugin-dir', copy] })
    world.model.script([uses('Bash', { command: 'echo quick' }), says('Done.')])
    await terminal.say('quickly')
    expectQuiet(terminal.screen())
    await terminal.exit()

    await expectComplete(world, 1)
    expect(told(world, onlySession(world))).toEqual([
      'user: quickly',
      'Bash ok: echo quick → quick',
      'assistant: Done.',
    ])
  },
)

/** A PATH with all the programs of the machine, but another `node` or none. */
function pathWith(world: World, node: string | null): { PATH: string } {
  const bin = join(world.dir, node === null ? 'without-node' : 'with-another-node')
  mkdirSync(bin)
  for (const name of readdirSync('/usr/bin'))
    if (!/^(?:node|nodejs)$/.test(name)) symlinkSync(join('/usr/bin', name), join(bin, name))
  if (node !== null) {
    writeFileSync(join(bin, 'node'), node)
    chmodSync(join(bin, 'node'), 0o755)
  }
  return { PATH: `${join(world.dir, 'bin')}:${bin}` }
}

const UNCONNECTED = 'The following MCP servers are configured but failed to connect'

story('sessions work where node is missing or fails, and are captured later', patient, async (world) => {
  const reason = 'Error occurred while executing hook command: Executable not found in $PATH: "node"'
  expect(await withoutNode(world, null, `Failed with non-blocking status code: ${reason}`)).toBe(
    `SessionEnd hook [node \${CLAUDE_PLUGIN_ROOT}/dist/hook.cjs] failed: ${reason}\n`,
  )
  expect(
    await withoutNode(world, '#!/bin/sh\nexit 1\n', 'Failed with non-blocking status code: No stderr output'),
  ).toBe('')

  world.model.script([says('Well.')])
  await world.print('with node again')
  await expectComplete(world, 5)
  const [print, terminal] = [
    ['user: print', 'Bash ok: echo here → here', 'assistant: In print.'],
    ['user: terminal', 'assistant: In the terminal.'],
  ]
  expect(allTold(memoryDir(world))).toEqual([
    ...[print, terminal, print, terminal],
    ['user: with node again', 'assistant: Well.'],
  ])
})

/** A session in print mode and one in a terminal. Gives what the first one complains about. */
async function withoutNode(world: World, node: string | null, reason: string): Promise<string> {
  const env = pathWith(world, node)
  const before = world.requests.length
  world.model.script([uses('Bash', { command: 'echo here' }), says('In print.'), says('In the terminal.')])
  const print = await world.print('print', { env })
  expect([print.exitCode, print.result]).toEqual([0, 'In print.'])
  // The host tells the model that the server is not there.
  expect(world.requests[before]?.text).toContain(UNCONNECTED)

  const terminal = await world.terminal({ env })
  await terminal.say('terminal')
  expect(terminal.screen()).toContain('In the terminal.')
  expectHookErrors(terminal.screen(), reason)
  expect(await terminal.exit()).toBe(0)
  await expectNothingLeft(world)
  expect(memoryOf(memoryDir(world))).toEqual([])
  return print.stderr
}

/** The host cannot run our hooks, and says so itself: at the start, with each prompt and at the end of each turn. */
function expectHookErrors(screen: string, reason: string): void {
  // The screen pads with spaces that do not break.
  const lines = screen.split('\n').map((line) => line.trim().replace(/\s+/g, ' '))
  expect(lines.filter((line) => /hook error|stop hook|non-blocking/.test(line))).toEqual([
    '⎿ SessionStart:startup hook error',
    `⎿ ${reason}`,
    '⎿ UserPromptSubmit hook error',
    `⎿ ${reason}`,
    '● Ran 1 stop hook',
    `⎿ Stop hook error: ${reason}`,
    'Stop hook error occurred · ctrl+o to see',
  ])
}
