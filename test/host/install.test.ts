/** How the plugin reaches a user: valid manifests, a marketplace in a directory, a marketplace in a git repository. */
import { execFileSync, spawn } from 'node:child_process'
import { cpSync, mkdirSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { expect } from 'vitest'
import { expectComplete, expectQuiet, onlySession, patient, told } from './support/memory.ts'
import { story } from './support/story.ts'
import { says, uses } from './support/turn.ts'
import type { World } from './support/world.ts'

const repository = resolve(import.meta.dirname, '..', '..')

story('marketplace and plugin are valid for the host', { plugin: false }, async (world) => {
  for (const dir of [repository, join(repository, 'plugin')]) {
    const { exitCode, stdout, stderr } = await world.claude(['plugin', 'validate', dir])
    console.log(stdout.trim())
    expect([exitCode, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/Validation passed/)
    expect(stdout).not.toMatch(/error/i)
  }
})

story('the plugin works when installed from a directory', { ...patient, plugin: 'installed' }, async (world) => {
  await expectWorks(world)
})

story(
  'the plugin works when installed from a git repository, and leaves nothing when removed',
  { ...patient, plugin: false },
  async (world) => {
    const { url, end } = await serveRepository(world)
    try {
      await expectDone(world, ['marketplace', 'add', url])
      await expectDone(world, ['install', 'memory-keeper@memory-keeper'])
    } finally {
      end()
    }
    await expectWorks(world)
    // The programs come from the host's copy, not from this repository.
    const root = world.requests.flatMap(({ toolResults }) => toolResults).join('\n')
    expect(root).toContain(join(world.home, '.claude', 'plugins', 'cache', 'memory-keeper', 'memory-keeper'))

    await expectDone(world, ['uninstall', 'memory-keeper@memory-keeper'])
    const before = told(world, onlySession(world))
    world.model.script([says('Nobody listens.')])
    await world.print('are you there?')
    expect(told(world, onlySession(world))).toEqual(before)
  },
)

async function expectDone(world: World, args: readonly string[]): Promise<void> {
  const { exitCode, stdout, stderr } = await world.claude(['plugin', ...args])
  expect([exitCode, stderr], stdout).toEqual([0, ''])
}

async function expectWorks(world: World): Promise<void> {
  world.model.script([uses('Bash', { command: 'command -v memory-keeper; memory-keeper --version' }), says('Done.')])
  const terminal = await world.terminal()
  await terminal.say('work')
  expect(terminal.screen()).toContain('Done.')
  expectQuiet(terminal.screen())
  await terminal.exit()

  await expectComplete(world, 1)
  expect(world.requests.at(-1)?.toolResults.join()).toMatch(/bin\/memory-keeper\n\d+\.\d+\.\d+/)
  // What our own command prints is not kept: memory must not feed on itself.
  expect(told(world, onlySession(world))).toEqual([
    'user: work',
    'Bash ok: command -v memory-keeper; memory-keeper --version',
    'assistant: Done.',
  ])
  expect(world.requests[0]?.text).toContain('mcp__plugin_memory-keeper_memory__memory_status')
}

/** What a user would clone, served by git itself. */
async function serveRepository(world: World): Promise<{ url: string; end: () => void }> {
  const [source, served] = [join(world.dir, 'source'), join(world.dir, 'served')]
  const env = { HOME: world.home, PATH: '/usr/bin:/bin' }
  const git = (cwd: string, ...args: string[]) => execFileSync('git', args, { cwd, env, stdio: 'pipe' })
  mkdirSync(source)
  for (const name of ['.claude-plugin', 'plugin'])
    cpSync(join(repository, name), join(source, name), { recursive: true })
  git(source, 'init', '--quiet')
  git(source, 'add', '.')
  git(source, 'commit', '--quiet', '-m', 'A release')
  git(world.dir, 'clone', '--quiet', '--bare', source, join(served, 'memory-keeper.git'))

  const server = createServer((request, response) => {
    const { pathname, search } = new URL(request.url ?? '/', 'http://localhost')
    const { headers, method = 'GET' } = request
    const backend = spawn('git', ['http-backend'], {
      env: {
        ...env,
        GIT_PROJECT_ROOT: served,
        GIT_HTTP_EXPORT_ALL: '1',
        PATH_INFO: pathname,
        QUERY_STRING: search.slice(1),
        REQUEST_METHOD: method,
        CONTENT_TYPE: headers['content-type'] ?? '',
        HTTP_CONTENT_ENCODING: headers['content-encoding'] ?? '',
        GIT_PROTOCOL: String(headers['git-protocol'] ?? ''),
      },
    })
    request.pipe(backend.stdin)
    void buffer(backend.stdout).then((answer) => sendAnswer(response, answer))
  })
  await new Promise<void>((started) => server.listen(0, '127.0.0.1', started))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/memory-keeper.git`, end: () => server.close() }
}

/** A CGI program answers with its headers, an empty line and the body. */
function sendAnswer(response: ServerResponse, answer: Buffer): void {
  const end = answer.indexOf('\r\n\r\n')
  const headers = answer
    .toString('latin1', 0, end)
    .split('\r\n')
    .map((line) => line.split(/: (.*)/) as [string, string])
  const status = headers.find(([name]) => name === 'Status')?.[1] ?? '200'
  for (const [name, value] of headers) if (name !== 'Status') response.setHeader(name, value)
  response.writeHead(Number.parseInt(status, 10))
  response.end(answer.subarray(end + 4))
}
