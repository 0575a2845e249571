/** What becomes of a session: resumed, branched, cleared, moved between directories. */
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
  patient,
  told,
} from './support/memory.ts'
import { BRIEFING, briefingsIn, notesOf, requestsOf } from './support/notes.ts'
import { story } from './support/story.ts'
import { says, uses } from './support/turn.ts'

story(
  'memory goes on with a resumed session, its branch and a cleared terminal, and injects nothing twice',
  patient,
  async (world) => {
    world.model.script([
      uses('Bash', { command: 'echo a' }),
      ...['one', 'two', 'three', 'four', 'five'].map((text) => says(text)),
    ])
    const { sessionId } = await world.print('first')
    await world.print('second', { resume: sessionId })
    // The only note tells what this conversation says itself.
    expect(notesOf(world).length).toBeGreaterThan(0)
    expect(requestsOf(world, 'main').flatMap(briefingsIn)).toEqual([])
    const terminal = await world.terminal({ resume: sessionId })
    await terminal.say('about the harbour')
    await terminal.say('/branch')
    expect(terminal.screen()).toContain('Branched conversation')
    await terminal.say('fourth')
    await terminal.say('/clear')
    await terminal.say('about the hills')
    expectQuiet(terminal.screen())
    expect(terminal.screen()).not.toContain('<memory-keeper')
    await terminal.exit()

    await expectComplete(world, 3)
    expect(told(world, sessionId)).toEqual([
      'user: first',
      'Bash ok: echo a → a',
      'assistant: one',
      'user: second',
      'assistant: two',
      'user: about the harbour',
      'assistant: three',
    ])
    expect(allTold(memoryDir(world)).filter(([first]) => first !== 'user: first')).toEqual([
      ['user: /branch', 'user: fourth', 'assistant: four'],
      ['user: /clear', 'user: about the hills', 'assistant: five'],
    ])
    // The conversation is gone; what is remembered of it is told once.
    const last = requestsOf(world, 'main').at(-1)
    expect(last?.text.match(BRIEFING)).toHaveLength(1)
    expect(last?.text.replace(BRIEFING, '')).not.toContain('harbour')
    expectUntouched(world)
  },
)

story('a project, its subdirectories and its worktrees have one memory', patient, async (world) => {
  world.model.script([says('root'), says('below'), says('inside')])
  mkdirSync(world.file('src', 'deep'), { recursive: true })
  const runs = [
    await world.print('in the root'),
    await world.print('in a directory', { cwd: 'src/deep' }),
    await world.print('in a worktree', { args: ['--worktree', 'side'] }),
  ]
  expect(runs.map(({ exitCode, stderr }) => [exitCode, stderr])).toEqual(runs.map(() => [0, '']))

  await expectComplete(world, 3)
  expect(allTold(memoryDir(world)).map(([first]) => first)).toEqual([
    'user: in the root',
    'user: in a directory',
    'user: in a worktree',
  ])
  for (const place of [world.file('src', 'deep'), world.file('.claude', 'worktrees', 'side')]) {
    expect(existsSync(place)).toBe(true)
    expect(existsSync(join(place, '.claude', 'memory'))).toBe(false)
  }
  expectUntouched(world)
})

const roaming = { ...patient, allowedTools: ['Bash', 'EnterWorktree', 'ExitWorktree'] }

story('capture goes on with a session that enters a worktree and leaves it', roaming, async (world) => {
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
