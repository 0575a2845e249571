/** What becomes of a session: compacted, resumed, forked, cleared, moved between directories. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import {
  allTold,
  expectComplete,
  expectQuiet,
  expectUntouched,
  memoryDir,
  memoryOf,
  onlySession,
  patient,
  told,
} from './support/memory.ts'
import { BRIEFING } from './support/notes.ts'
import { story } from './support/story.ts'
import { says, uses } from './support/turn.ts'
import type { World } from './support/world.ts'

const SUMMARY = '<analysis>Looked back.</analysis><summary>They opened the harbour.</summary>'

story('keeps everything before and after a compaction asked for in the terminal', patient, async (world) => {
  const terminal = await world.terminal()
  world.model.script([uses('Bash', { command: 'echo before' }), says('Opened.'), says('Closed.')])
  world.model.onCompaction([says(SUMMARY)])
  await terminal.say('open the harbour')
  await terminal.say('/compact keep the harbour')
  expect(terminal.screen()).toContain('Compacted')
  await terminal.say('close it')
  expectQuiet(terminal.screen())
  await terminal.exit()

  const compaction = world.requests.find(({ kind }) => kind === 'compaction')
  expect(compaction?.lastUser).toContain('keep the harbour')
  expectUntouched(world)
  await expectComplete(world, 1)
  expect(told(world, onlySession(world))).toEqual([
    'user: open the harbour',
    'Bash ok: echo before → before',
    'assistant: Opened.',
    expect.stringMatching(/^summary: This session is being continued [\s\S]*They opened the harbour\./),
    'user: /compact keep the harbour',
    'user: close it',
    'assistant: Closed.',
  ])
})

story('keeps everything around a compaction that the host makes by itself', patient, async (world) => {
  world.model.script([
    says('Opened.'),
    uses('Bash', { command: 'echo full' }, { usage: { input_tokens: 195_000 } }),
    says('Still here.'),
    says('Closed.'),
  ])
  world.model.onCompaction([says(SUMMARY)])
  const talk = world.stream({ args: ['--autocompact', '100k'] })
  const { sessionId } = await talk.say('open the harbour')
  expect((await talk.say('fill it')).result).toBe('Still here.')
  expect((await talk.say('close it')).result).toBe('Closed.')
  expect((await talk.end()).stderr).toBe('')

  expect(world.requests.filter(({ kind }) => kind === 'compaction')).toHaveLength(1)
  expectUntouched(world)
  await expectComplete(world, 1)
  expect(told(world, sessionId)).toEqual([
    'user: open the harbour',
    'assistant: Opened.',
    'user: fill it',
    'Bash ok: echo full → full',
    expect.stringMatching(/^summary: [\s\S]*They opened the harbour\./),
    'assistant: Still here.',
    'user: close it',
    'assistant: Closed.',
  ])
})

story('goes on with a resumed session and tells nothing twice', patient, async (world) => {
  world.model.script([uses('Bash', { command: 'echo a' }), says('one'), says('two'), says('three')])
  const { sessionId } = await world.print('first')
  await world.print('second', { resume: sessionId })
  const terminal = await world.terminal({ resume: sessionId })
  await terminal.say('third')
  expectQuiet(terminal.screen())
  await terminal.exit()

  await expectComplete(world, 1)
  expect(told(world, sessionId)).toEqual([
    'user: first',
    'Bash ok: echo a → a',
    'assistant: one',
    'user: second',
    'assistant: two',
    'user: third',
    'assistant: three',
  ])
  expectUntouched(world)
})

story('keeps of a forked session only what is new', patient, async (world) => {
  world.model.script([uses('Bash', { command: 'echo a' }), says('one'), says('two'), says('three'), says('four')])
  const parent = await world.print('first')
  const fork = await world.print('second', { resume: parent.sessionId, fork: true })
  await world.print('third', { resume: fork.sessionId })
  await world.print('fourth', { resume: parent.sessionId })

  expect(world.requests.at(-2)?.text).toMatch(/first[\s\S]*second[\s\S]*third/)
  await expectComplete(world, 2)
  expect(told(world, parent.sessionId)).toEqual([
    'user: first',
    'Bash ok: echo a → a',
    'assistant: one',
    'user: fourth',
    'assistant: four',
  ])
  expect(told(world, fork.sessionId)).toEqual(['user: second', 'assistant: two', 'user: third', 'assistant: three'])
  expectUntouched(world)
})

story('keeps of a branch made in the terminal only what is new', patient, async (world) => {
  const terminal = await world.terminal()
  world.model.script([uses('Bash', { command: 'echo a' }), says('one'), says('two')])
  await terminal.say('first')
  await terminal.say('/branch')
  expect(terminal.screen()).toContain('Branched conversation')
  await terminal.say('second')
  expectQuiet(terminal.screen())
  await terminal.exit()

  await expectComplete(world, 2)
  expect(allTold(memoryDir(world)).toSorted((a, b) => a.indexOf('user: first') - b.indexOf('user: first'))).toEqual([
    ['user: /branch', 'user: second', 'assistant: two'],
    ['user: first', 'Bash ok: echo a → a', 'assistant: one'],
  ])
})

story('keeps two sessions when the terminal is cleared', patient, async (world) => {
  const terminal = await world.terminal()
  world.model.script([says('one'), says('two')])
  await terminal.say('about the harbour')
  await terminal.say('/clear')
  await terminal.say('about the hills')
  expectQuiet(terminal.screen())
  await terminal.exit()

  await expectComplete(world, 2)
  expect(allTold(memoryDir(world))).toEqual([
    ['user: about the harbour', 'assistant: one'],
    ['user: /clear', 'user: about the hills', 'assistant: two'],
  ])
  // The conversation is gone; what is remembered of it may be told.
  expect(world.requests.at(-1)?.text.replace(BRIEFING, '')).not.toContain('harbour')
  expectUntouched(world)
})

function git(world: World, ...args: string[]): void {
  execFileSync('git', args, {
    cwd: world.projectDir,
    env: { HOME: world.home, PATH: '/usr/bin:/bin' },
    stdio: 'ignore',
  })
}

story('has one memory for a project, its subdirectories and its worktrees', patient, async (world) => {
  world.model.script([says('root'), says('below'), says('inside'), says('outside'), says('outside again')])
  mkdirSync(world.file('src', 'deep'), { recursive: true })
  const outside = join(world.dir, 'outside')
  git(world, 'worktree', 'add', '-b', 'outside', outside)
  const runs = [
    await world.print('in the root'),
    await world.print('in a directory', { cwd: 'src/deep' }),
    await world.print('in a worktree', { args: ['--worktree', 'side'] }),
    await world.print('in a worktree outside', { cwd: outside }),
  ]
  expect(runs.map(({ exitCode, stderr }) => [exitCode, stderr])).toEqual(runs.map(() => [0, '']))

  await expectComplete(world, 4)
  expect(allTold(memoryDir(world)).map(([first]) => first)).toEqual([
    'user: in the root',
    'user: in a directory',
    'user: in a worktree',
    'user: in a worktree outside',
  ])
  for (const place of [outside, world.file('src', 'deep'), world.file('.claude', 'worktrees', 'side')]) {
    expect(existsSync(place)).toBe(true)
    expect(existsSync(join(place, '.claude', 'memory'))).toBe(false)
  }
  expectUntouched(world)
})

const roaming = { ...patient, allowedTools: ['Bash', 'EnterWorktree', 'ExitWorktree'] }

story('goes on with a session that enters a worktree and leaves it', roaming, async (world) => {
  world.model.script([
    says('Here.'),
    uses('EnterWorktree', { name: 'side' }),
    uses('Bash', { command: 'pwd' }),
    says('There.'),
    uses('ExitWorktree', { action: 'keep' }),
    says('Back.'),
  ])
  const talk = world.stream()
  const { sessionId } = await talk.say('begin')
  expect((await talk.say('go aside')).result).toBe('There.')
  const aside = world.transcripts().find((path) => path.includes('worktrees-side'))
  expect((await talk.say('come back')).result).toBe('Back.')
  expect((await talk.end()).stderr).toBe('')

  // The host moved the transcript away and back.
  expect(aside).toBeDefined()
  await expectComplete(world, 1)
  expect(memoryOf(memoryDir(world))).toHaveLength(1)
  expect(told(world, sessionId)).toEqual([
    'user: begin',
    'assistant: Here.',
    'user: go aside',
    expect.stringMatching(/^EnterWorktree ok: side/),
    `Bash ok: pwd → ${world.file('.claude', 'worktrees', 'side')}`,
    'assistant: There.',
    'user: come back',
    expect.stringMatching(/^ExitWorktree ok:/),
    'assistant: Back.',
  ])
})
