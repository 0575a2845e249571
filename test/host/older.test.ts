/** The oldest host we promise to work with: 2.1.197. */
import { expect } from 'vitest'
import {
  expectComplete,
  expectQuiet,
  expectUntouched,
  memoryDir,
  memoryOf,
  onlySession,
  patient,
  told,
} from './support/memory.ts'
import { story } from './support/story.ts'
import { says, together, uses } from './support/turn.ts'

const older = { ...patient, host: 'older', isSpotCheck: true } as const

story('captures tools in print mode, a resumed and a forked session on the older host', older, async (world) => {
  world.model.script([
    together(says('Looking.'), uses('Bash', { command: 'echo seen' })),
    uses('Bash', { command: 'exit 3' }),
    says('one'),
    says('two'),
    says('three'),
  ])
  const first = await world.print('first')
  const second = await world.print('second', { resume: first.sessionId })
  const fork = await world.print('third', { resume: first.sessionId, fork: true })

  expect([first, second, fork].map(({ result, stderr }) => [result, stderr])).toEqual([
    ['one', ''],
    ['two', ''],
    ['three', ''],
  ])
  await expectComplete(world, 2)
  expect(told(world, first.sessionId)).toEqual([
    'user: first',
    'assistant: Looking.',
    'Bash ok: echo seen → seen',
    'Bash failed: exit 3 → Exit code 3',
    'assistant: one',
    'user: second',
    'assistant: two',
  ])
  expect(told(world, fork.sessionId)).toEqual(['user: third', 'assistant: three'])
  expectUntouched(world)
})

story('captures a session in the terminal of the older host and shows nothing of itself', older, async (world) => {
  const terminal = await world.terminal()
  expectQuiet(terminal.screen())
  world.model.script([uses('Bash', { command: 'echo seen' }), says('It is seen.'), says('After.')])
  await terminal.say('look there')
  await terminal.say('/compact')
  await terminal.say('go on')
  expectQuiet(terminal.screen())
  await terminal.exit()

  await expectComplete(world, 1)
  expect(told(world, onlySession(world)).filter((entry) => !entry.startsWith('summary: '))).toEqual([
    'user: look there',
    'Bash ok: echo seen → seen',
    'assistant: It is seen.',
    'user: /compact',
    'user: go on',
    'assistant: After.',
    'user: /exit',
  ])
  expect(memoryOf(memoryDir(world))[0]?.entries.filter(({ role }) => role === 'summary')).toHaveLength(1)
  expectUntouched(world)
})

story('keeps the work of a subagent on the older host', older, async (world) => {
  const agent = { description: 'look', prompt: 'look please', subagent_type: 'general-purpose' }
  world.model.script([uses('Agent', { ...agent, run_in_background: false }), says('It was seen.')])
  world.model.onSubagent([uses('Bash', { command: 'echo inside' }), says('I saw it.')])
  const run = await world.print('send one')

  expect([run.result, run.stderr]).toEqual(['It was seen.', ''])
  await expectComplete(world, 1)
  const entries = told(world, run.sessionId)
  expect(entries.filter((entry) => entry.startsWith('subagent'))).toEqual([
    'subagent Bash ok: echo inside → inside',
    'subagent: I saw it.',
  ])
  expect(entries.filter((entry) => !entry.startsWith('subagent'))).toEqual([
    'user: send one',
    'Agent ok: [general-purpose] look look please → I saw it.',
    'assistant: It was seen.',
  ])
  expectUntouched(world)
})
