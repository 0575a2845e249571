/** Enforcement: what Claude owes is held against the end of its turn, once, in two turns at most, and never where nobody sits. */
import { existsSync } from 'node:fs'
import { expect } from 'vitest'
import { expectComplete, memoryDir, patient } from './support/memory.ts'
import { countIn, NOTE_REQUEST, notesOf, requestsOf } from './support/notes.ts'
import { story } from './support/story.ts'
import { obeys, PROSE, readsIt, savesNote, works } from './support/summariser.ts'
import type { Terminal } from './support/terminal.ts'
import { says, uses } from './support/turn.ts'
import type { World } from './support/world.ts'

const NOTE = 'The user asked for steps, and echo step-1 up to echo step-3 were run. Nothing is open.'

function held(enforcement: string, more: Record<string, unknown> = {}) {
  return { ...patient, settings: { summarizer: 'agent', saveInterval: 3, enforcement, ...more } }
}

/** How often Claude was held back by the time of each request of the main thread. A block is told twice, once as an error. */
function steps(world: World): number[] {
  const mark = 'Memory Keeper: before this turn ends'
  return requestsOf(world, 'main').map(
    ({ text }) => countIn(text, mark) - countIn(text, new RegExp(`blocking error from command: [^\\n]*${mark}`, 'g')),
  )
}

async function workUntilDue(world: World, terminal: Terminal): Promise<void> {
  await terminal.say('take three steps')
  await world.until('the delta', () => existsSync(`${memoryDir(world)}/delta_temp.txt`))
}

story('holds Claude back once per turn, in two turns, and then lets go', held('block'), async (world) => {
  world.model.script([
    ...works(3, 'Taken.'),
    ...['No.', 'One.', 'No, one.', 'Two.', 'Three.'].map((text) => says(text)),
  ])
  const terminal = await world.terminal()
  // The turn in which the work becomes due is the first that is held.
  await workUntilDue(world, terminal)
  for (const prompt of ['first', 'second', 'third']) await terminal.say(prompt)
  await terminal.exit()

  expect(steps(world)).toEqual([0, 0, 0, 0, 1, 1, 2, 2, 2])
  // With the prompt nothing is asked: it is the end of the turn that asks.
  expect(requestsOf(world, 'main').at(-1)?.text).not.toMatch(NOTE_REQUEST)
  expect(world.model.unscripted()).toBe(0)
  await expectComplete(world, 1)
})

story('lets Claude go as soon as it has done what it owes', held('block'), async (world) => {
  world.model.script([...works(3, 'Taken.'), obeys, says('Kept.'), says('Two.')])
  world.model.onSubagent([readsIt, savesNote(NOTE), says('Done')])
  const terminal = await world.terminal()
  await workUntilDue(world, terminal)
  expect(notesOf(world).map(({ author }) => author)).toEqual(['agent'])
  await terminal.say('second')
  await terminal.exit()

  expect(steps(world)).toEqual([0, 0, 0, 0, 1, 1, 1])
  await expectComplete(world, 1)
})

for (const enforcement of ['block', 'stop']) {
  story(`never holds back with "${enforcement}" where nobody sits`, held(enforcement), async (world) => {
    world.model.script([...works(3, 'Taken.'), says('One.'), says('Two.')])
    const talk = world.stream()
    expect((await talk.say('take three steps')).result).toBe('Taken.')
    await world.until('the delta', () => existsSync(`${memoryDir(world)}/delta_temp.txt`))
    expect((await talk.say('first')).result).toBe('One.')
    expect((await talk.end()).stderr).toBe('')
    const run = await world.print('second')

    expect([run.result, run.stderr]).toEqual(['Two.', ''])
    expect(steps(world).filter((count) => count > 0)).toEqual([])
    await expectComplete(world, 2)
  })
}

story('gives neutral feedback once per turn with "stop"', held('stop'), async (world) => {
  world.model.script([...works(3, 'Taken.'), ...['One.', 'No.', 'Two.', 'No.', 'Three.'].map((text) => says(text))])
  const terminal = await world.terminal()
  await workUntilDue(world, terminal)
  await terminal.say('first')
  expect(terminal.screen()).not.toMatch(/hook error/i)
  await terminal.say('second')
  await terminal.say('third')
  expect(terminal.screen()).not.toMatch(/hook error/i)
  await terminal.exit()

  expect(steps(world)).toEqual([0, 0, 0, 0, 0, 1, 1, 2, 2])
  await expectComplete(world, 1)
})

story('never holds back a turn that a machine began', held('block', { saveInterval: 1 }), async (world) => {
  const agent = { description: 'look', prompt: 'look please', subagent_type: 'general-purpose' }
  world.model.script([uses('Agent', { ...agent, run_in_background: true }), says(`Sent. ${PROSE}`), says('Heard.')])
  // Long enough for the delta to lie ready when the notice comes.
  world.model.onSubagent([says('All is well.', { delayMs: 5_000 })])
  const terminal = await world.terminal()
  await terminal.send('send one')
  await terminal.waitFor(/Sent\./)
  await world.until('the delta', () => existsSync(`${memoryDir(world)}/delta_temp.txt`))
  await terminal.waitFor(/Heard\./)
  await terminal.waitUntilIdle()
  expect(steps(world)).toEqual([0, 0, 0])

  world.model.script([says('One.'), says('No.')])
  await terminal.say('and now')
  expect(steps(world)).toEqual([0, 0, 0, 0, 1])
  await terminal.exit()
  await expectComplete(world, 1)
})
