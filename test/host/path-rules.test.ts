/** What the user refused in a file is told with that file, by a rule of the host's that we write. */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { refuse } from './support/dialog.ts'
import { expectNothingLeft, keeper, patient } from './support/memory.ts'
import { requestsOf } from './support/notes.ts'
import { story } from './support/story.ts'
import { says, uses } from './support/turn.ts'
import type { World } from './support/world.ts'

const RULES = ['.claude', 'rules', 'memory-keeper']
const asking = { ...patient, permissionMode: 'default', allowedTools: ['Read'] }
const HOSTS = [
  { ...asking, host: 'current' },
  { ...asking, host: 'older', isSpotCheck: true },
] as const

function git(world: World, cwd: string, ...args: string[]): string {
  const author = ['-c', 'user.name=A', '-c', 'user.email=a@example.com']
  const env = { HOME: world.home, PATH: '/usr/bin:/bin' }
  return execFileSync('git', [...author, ...args], { cwd, env, encoding: 'utf8' })
}

/** The user refuses an edit of the file in a session that ends. */
async function refusedEdit(world: World, file: string, words: string): Promise<void> {
  const edit = uses('Edit', { file_path: world.file(file), old_string: 'harbour', new_string: 'haven' })
  world.model.script([uses('Read', { file_path: world.file(file) }), edit, says('Then not.')])
  const terminal = await world.terminal()
  await terminal.send('rename it')
  await refuse(terminal, words)
  await terminal.exit()
  await expectNothingLeft(world)
}

/** How often the words are in each request of a session that reads these files, one after the other. */
async function countedIn(world: World, dir: string, files: readonly string[], words: string): Promise<number[]> {
  const before = requestsOf(world, 'main').length
  world.model.script([...files.map((file) => uses('Read', { file_path: join(dir, file) })), says('Read.')])
  const { stderr } = await world.print('read the files', { cwd: dir })
  expect(stderr).toBe('')
  await expectNothingLeft(world)
  // A briefing may tell a refusal, too: only rules have this beginning.
  const told = `of ${words}`
  return requestsOf(world, 'main')
    .slice(before)
    .map(
      ({ text }) =>
        text
          .split(/Contents of \S*\/\.claude\/rules\/memory-keeper\//)
          .slice(1)
          .join('')
          .split(told).length - 1,
    )
}

const rulesIn = (dir: string): string[] =>
  existsSync(join(dir, ...RULES))
    ? readdirSync(join(dir, ...RULES))
        .filter((name) => name.endsWith('.md'))
        .map((name) => readFileSync(join(dir, ...RULES, name), 'utf8'))
    : []

for (const options of HOSTS) {
  story(`tells a refused edit with its file, once, on the ${options.host} host`, options, async (world) => {
    for (const file of ['README.md', 'docs/README.md', 'app/[id]/page.ts', 'app/i/page.ts'])
      world.write(file, 'the harbour\n')
    git(world, world.projectDir, 'add', '-A')
    git(world, world.projectDir, 'commit', '-qm', 'the harbour')
    await refusedEdit(world, 'README.md', 'the printers need the old name')
    await refusedEdit(world, 'app/[id]/page.ts', 'the route is frozen')
    expect(rulesIn(world.projectDir)).toHaveLength(2)
    expect(git(world, world.projectDir, 'status', '--porcelain', '--untracked-files=all')).toBe('')

    const readme = 'README.md: the printers need the old name'
    expect(await countedIn(world, world.projectDir, ['docs/README.md', 'README.md', 'README.md'], readme)).toEqual([
      0, 0, 1, 1,
    ])
    const page = 'app/[id]/page.ts: the route is frozen'
    expect(await countedIn(world, world.projectDir, ['app/i/page.ts', 'app/[id]/page.ts'], page)).toEqual([0, 0, 1])

    const beside = join(world.dir, 'beside')
    git(world, world.projectDir, 'worktree', 'add', '-q', '-b', 'beside', beside)
    expect(await countedIn(world, beside, ['README.md'], readme)).toEqual([0, 0])
    expect(rulesIn(beside)).toHaveLength(2)
    expect(await countedIn(world, beside, ['README.md'], readme)).toEqual([0, 1])
    expect(git(world, beside, 'status', '--porcelain', '--untracked-files=all')).toBe('')

    expect(keeper(world, ['config', 'set', 'fileMemory', 'false']).exitCode).toBe(0)
    expect([world.projectDir, beside].filter((dir) => existsSync(join(dir, ...RULES)))).toEqual([])
    expect(await countedIn(world, world.projectDir, ['README.md'], readme)).toEqual([0, 0])
  })
}

story(
  'tells words that changed in the middle of a session with the next Read, also in a subagent',
  asking,
  async (world) => {
    world.write('README.md', 'the harbour\n')
    const path = world.file('README.md')
    await refusedEdit(world, 'README.md', 'the printers need the old name')
    const read = uses('Read', { file_path: path })
    const talk = world.stream()
    world.model.script([read, says('Read.')])
    await talk.say('read the file')

    const edit = uses('Edit', { file_path: path, old_string: 'harbour', new_string: 'haven' })
    world.model.script([read, edit, says('Then not.')])
    const terminal = await world.terminal()
    await terminal.send('rename it')
    await refuse(terminal, 'the chart is printed already')
    await terminal.exit()
    await world.until('the new rule', () => rulesIn(world.projectDir).some((text) => text.includes('printed already')))
    expect(rulesIn(world.projectDir)).toHaveLength(1)

    world.model.script([read, says('Read again.')])
    await talk.say('read it again')
    const last = requestsOf(world, 'main').at(-1)?.text ?? ''
    const toldIn = (text: string): string[] =>
      text.match(/Edit of README\.md: the (?:printers need the old name|chart is printed already)/g) ?? []
    expect(toldIn(last)).toEqual([
      'Edit of README.md: the printers need the old name',
      'Edit of README.md: the chart is printed already',
    ])
    expect(last).not.toMatch(/changed on disk|was modified/)

    const agent = { description: 'Read it', prompt: 'Read the file.', subagent_type: 'general-purpose' }
    world.model.script([uses('Agent', { ...agent, run_in_background: false }), says('Good.')])
    world.model.onSubagent([read, says('It is a harbour.')])
    await talk.say('let an agent read it')
    const ofAgent = requestsOf(world, 'subagent').at(-1)?.text ?? ''
    expect(toldIn(ofAgent)).toEqual(['Edit of README.md: the chart is printed already'])
    await talk.end()
    await expectNothingLeft(world)
  },
)
