/** The oldest host we promise to work with: 2.1.197. */
import { expect } from 'vitest'
import { expectComplete, expectUntouched, patient, told } from './support/memory.ts'
import { story } from './support/story.ts'
import { says, together, uses } from './support/turn.ts'

const older = { ...patient, host: 'older', isSpotCheck: true } as const

story('capture takes tools, a subagent, a resumed and a forked session of the older host', older, async (world) => {
  const agent = { description: 'look', prompt: 'look please', subagent_type: 'general-purpose' }
  world.model.onSubagent([uses('Bash', { command: 'echo inside' }), says('I saw it.')])
  world.model.script([
    together(says('Looking.'), uses('Bash', { command: 'echo seen' })),
    uses('Bash', { command: 'exit 3' }),
    uses('Agent', { ...agent, run_in_background: false }),
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
  const entries = told(world, first.sessionId)
  expect(entries.filter((entry) => entry.startsWith('subagent'))).toEqual([
    'subagent Bash ok: echo inside → inside',
    'subagent: I saw it.',
  ])
  expect(entries.filter((entry) => !entry.startsWith('subagent'))).toEqual([
    'user: first',
    'assistant: Looking.',
    'Bash ok: echo seen → seen',
    'Bash failed: exit 3 → Exit code 3',
    'Agent ok: [general-purpose] look look please → I saw it.',
    'assistant: one',
    'user: second',
    'assistant: two',
  ])
  expect(told(world, fork.sessionId)).toEqual(['user: third', 'assistant: three'])
  expectUntouched(world)
})
