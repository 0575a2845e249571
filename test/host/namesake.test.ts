/** The plugin that had our name before us is still there: the host runs the hooks of one of the two, and what its scripts write loses nothing of ours. */
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect } from 'vitest'
import { allTold, expectComplete, expectNothingLeft, keeper, memoryDir, memoryOf, patient } from './support/memory.ts'
import { story } from './support/story.ts'
import { says, uses } from './support/turn.ts'
import type { World } from './support/world.ts'

const repository = resolve(import.meta.dirname, '..', '..')
const THEIRS = 'memory-keeper@original'
const OURS = 'memory-keeper@memory-keeper'
const REMOVAL = `claude plugin uninstall ${THEIRS}`

/** Writes the index whole, with the fields it knows, as the counter of 13.x does, and a note under a heading of its own. */
const COUNTER = `
const fs = require('fs')
const path = require('path')
const dir = path.join(process.env.CLAUDE_PROJECT_DIR, '.claude', 'memory')
const file = path.join(dir, 'memory-index.json')
fs.mkdirSync(dir, { recursive: true })
let before = {}
try { before = JSON.parse(fs.readFileSync(file, 'utf8')) } catch {}
const { rotatedFiles = [], stats = { totalRotations: 0, lastRotation: null }, counter = 0 } = before
const { lastMemoryUpdateTs = null, deltaCreatedAtMemoryMtime = null } = before
const known = { version: 1, current: 'memory.md', rotatedFiles, stats, counter: counter + 1, lastMemoryUpdateTs, deltaCreatedAtMemoryMtime }
fs.writeFileSync(file, JSON.stringify(known, null, 2))
if (process.argv[2] === 'final') fs.appendFileSync(path.join(dir, 'memory.md'), '\\n## 2026-02-02_0300 (local 02-02_1200)\\nThe counter was here.\\n')
`
const LOGGED = `require('fs').appendFileSync(process.env.HOME + '/theirs.log', process.argv.slice(1).join(' ') + '\\n')\n`

const command = (line: string): object[] => [{ hooks: [{ type: 'command', command: line }] }]

/** `root`: as a hook names it. */
function theirHooks(root: string): object {
  const script = (name: string, ...args: string[]): object[] =>
    command([`node "${root}/scripts/${name}"`, ...args].join(' '))
  return {
    SessionStart: script('load-memory.js'),
    UserPromptSubmit: script('inject-rules.js'),
    PostToolUse: script('counter.js', 'check'),
    Stop: script('counter.js', 'final'),
  }
}

function writeTheirs(world: World): string {
  const market = join(world.dir, 'original')
  const root = join(market, 'plugin')
  const plugin = { name: 'memory-keeper', version: '13.9.23', description: 'The one before', author: { name: 'X' } }
  world.write(
    join(market, '.claude-plugin', 'marketplace.json'),
    JSON.stringify({ name: 'original', owner: { name: 'X' }, plugins: [{ ...plugin, source: './plugin' }] }),
  )
  world.write(join(root, '.claude-plugin', 'plugin.json'), JSON.stringify(plugin))
  const hooks = `${'$'}{CLAUDE_PLUGIN_ROOT}`
  world.write(join(root, 'hooks', 'hooks.json'), JSON.stringify({ hooks: theirHooks(hooks) }))
  world.write(join(root, 'scripts', 'counter.js'), LOGGED + COUNTER)
  for (const name of ['load-memory.js', 'inject-rules.js']) world.write(join(root, 'scripts', name), LOGGED)
  return market
}

async function install(world: World, market: string, id: string): Promise<void> {
  for (const args of [
    ['marketplace', 'add', market],
    ['install', id],
  ]) {
    const { exitCode, stdout, stderr } = await world.claude(['plugin', ...args])
    expect([exitCode, stderr], stdout).toEqual([0, ''])
  }
}

function doctor(world: World, row: string): { verdict: string; finding: string; fix?: string } {
  const { checks } = JSON.parse(keeper(world, ['doctor', '--json']).stdout)
  return checks.find(({ name }: { name: string }) => name === row)
}

const theirLog = (world: World): string => {
  const file = join(world.home, 'theirs.log')
  return existsSync(file) ? readFileSync(file, 'utf8') : ''
}

async function work(world: World, word: string): Promise<void> {
  world.model.script([uses('Bash', { command: `echo ${word}` }), says(`The ${word} is printed.`)])
  await world.print(`Print the ${word}, please.`)
  await expectNothingLeft(world)
}

for (const host of ['current', 'older'] as const)
  story(
    `loaded first keeps our hooks from running, the doctor says so, and its line ends that (${host})`,
    { ...patient, host, isSpotCheck: true, plugin: false },
    async (world) => {
      await install(world, writeTheirs(world), THEIRS)
      await install(world, repository, OURS)
      await work(world, 'first word')
      expect(theirLog(world)).toContain('counter.js final')
      expect(memoryOf(memoryDir(world))).toEqual([])
      expect(doctor(world, 'hooks').finding).toContain('none has run')
      expect(doctor(world, 'plugin').finding).toContain(OURS)
      const found = doctor(world, 'same name')
      expect(found).toMatchObject({ verdict: 'problem', finding: expect.stringContaining('nothing is captured') })
      expect(found.fix).toBe(REMOVAL)

      const { exitCode, stderr } = await world.claude(REMOVAL.split(' ').slice(1))
      expect([exitCode, stderr]).toEqual([0, ''])
      await work(world, 'second word')
      expect(theirLog(world).match(/counter\.js final/g)).toHaveLength(1)
      expect(doctor(world, 'same name').verdict).toBe('ok')
      expect(doctor(world, 'hooks').finding).toContain('today')
    },
  )

story(
  'a namesake behind ours does not run, one start names it, and its project hooks cost us nothing',
  { ...patient, plugin: 'installed' },
  async (world) => {
    const market = writeTheirs(world)
    await install(world, market, THEIRS)
    expect(doctor(world, 'same name')).toMatchObject({
      verdict: 'warning',
      finding: expect.stringContaining('our hooks and not its own'),
      fix: REMOVAL,
    })
    const starts: string[] = []
    for (const word of ['one', 'two']) {
      world.model.script([says(`Word ${word}.`)])
      const terminal = await world.terminal()
      starts.push(terminal.screen().replace(/\s+/g, ' '))
      await terminal.say(`Say word ${word}.`)
      await terminal.exit()
      await expectNothingLeft(world)
    }
    expect(starts[0]).toContain(REMOVAL)
    expect(starts[1]).not.toContain('same name')
    expect(theirLog(world)).toBe('')

    const { exitCode } = await world.claude(REMOVAL.split(' ').slice(1))
    expect(exitCode).toBe(0)
    world.write('.claude/settings.json', JSON.stringify({ hooks: theirHooks(join(market, 'plugin')) }))
    expect(doctor(world, 'same name').finding).toContain(world.file('.claude', 'settings.json'))
    for (const word of ['three', 'four']) await work(world, word)
    expect(theirLog(world).match(/counter\.js final/g)).toHaveLength(2)

    await expectComplete(world, 4)
    const said = allTold(memoryDir(world)).flat()
    for (const word of ['Say word one.', 'Say word two.', 'Print the three, please.', 'Print the four, please.'])
      expect(said.filter((line) => line === `user: ${word}`)).toHaveLength(1)
    // One more session notes what was still due.
    await work(world, 'five')
    const ids = world.read('.claude/memory/memory.md').match(/<!-- note n-\S+/g) ?? []
    expect(ids).toHaveLength(5)
    expect(new Set(ids).size).toBe(5)
    expect(world.read('.claude/memory/memory.md').match(/The counter was here\./g)).toHaveLength(3)
  },
)
