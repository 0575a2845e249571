/** How the plugin reaches a user: valid manifests, a marketplace in a directory, a marketplace in a git repository. */
import { execFileSync } from 'node:child_process'
import { cpSync, createReadStream, mkdirSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, normalize, resolve } from 'node:path'
import { expect } from 'vitest'
import { expectComplete, expectQuiet, onlySession, patient, told } from './support/memory.ts'
import { story } from './support/story.ts'
import { says, uses } from './support/turn.ts'
import type { World } from './support/world.ts'

const repository = resolve(import.meta.dirname, '..', '..')

story('is valid for the host, marketplace and plugin', { plugin: false }, async (world) => {
  for (const dir of [repository, join(repository, 'plugin')]) {
    const { exitCode, stdout, stderr } = await world.claude(['plugin', 'validate', dir])
    console.log(stdout.trim())
    expect([exitCode, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/Validation passed/)
    expect(stdout).not.toMatch(/error/i)
  }
})

story('works when installed from a directory', { ...patient, plugin: 'installed' }, async (world) => {
  await expectWorks(world)
})

story('works when installed from a git repository, and leaves nothing when removed', { ...patient, plugin: false }, async (world) => {
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
})

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

/** What a user would clone, served as plain files: git's oldest protocol. */
async function serveRepository(world: World): Promise<{ url: string; end: () => void }> {
  const [source, bare] = [join(world.dir, 'source'), join(world.dir, 'served', 'memory-keeper.git')]
  const git = (cwd: string, ...args: string[]) =>
    execFileSync('git', args, { cwd, env: { HOME: world.home, PATH: '/usr/bin:/bin' }, stdio: 'pipe' })
  mkdirSync(source)
  for (const name of ['.claude-plugin', 'plugin']) {
    cpSync(join(repository, name), join(source, name), { recursive: true })
  }
  git(source, 'init', '--quiet')
  git(source, 'add', '.')
  git(source, 'commit', '--quiet', '-m', 'A release')
  git(world.dir, 'clone', '--quiet', '--bare', source, bare)
  git(bare, 'update-server-info')

  const server = createServer((request, response) => {
    const path = join(world.dir, 'served', normalize(new URL(request.url ?? '/', 'http://localhost').pathname))
    const isFile = statSync(path, { throwIfNoEntry: false })?.isFile() === true
    response.writeHead(isFile ? 200 : 404)
    if (isFile) createReadStream(path).pipe(response)
    else response.end()
  })
  await new Promise<void>((started) => server.listen(0, '127.0.0.1', started))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/memory-keeper.git`, end: () => server.close() }
}
