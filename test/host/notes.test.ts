/** From tool uses to a note: the background child, its notice, and the note made by code where no model may be called. */
import { expect } from 'vitest'
import { expectComplete, expectNothingLeft, expectQuiet, expectUntouched, patient } from './support/memory.ts'
import { callsOf, expectAllNoted, notesOf, onlySessionState, readMemoryFile, requestsOf } from './support/notes.ts'
import { story } from './support/story.ts'
import { PROSE, works } from './support/summariser.ts'
import { says } from './support/turn.ts'
import type { World } from './support/world.ts'

const auto = { ...patient, settings: {}, isModelNoticed: true }
const NOTE = 'The user asked for a count in steps; echo step-1 up to echo step-25 were run. Nothing is open.'
/** The interval of the settings. */
const STEPS = 25

function cost(world: World): void {
  const [call, ...others] = callsOf(world)
  expect(others.map(({ kind, ok }) => [kind, ok])).toEqual([['audit', true]])
  expect(call).toMatchObject({ ok: true, why: null, tokens: { input: 1234, output: expect.any(Number) } })
  expect(call?.costUsd).toBeGreaterThan(0)
}

async function expectChildsNote(world: World): Promise<void> {
  await expectComplete(world, 1)
  expectAllNoted(world)
  const [note] = notesOf(world)
  expect([note?.author, note?.text, note?.from]).toEqual(['headless', NOTE, 0])
  expect(readMemoryFile(world, 'memory.md')).toMatch(
    /## \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC \([^)]+\)\n<!-- note n-\w{8}-0-\d+ session=\w{8} entries=0-\d+ author=headless at=\S+ -->\n/,
  )
  expect(readMemoryFile(world, 'delta_temp.txt')).toBe('')
  expectUntouched(world)
}

story('notes 25 tool uses in the background of a print session', auto, async (world) => {
  world.model.script(works(STEPS, 'Counted.'))
  world.model.onChild([says(NOTE, { usage: { input_tokens: 1234 } })])
  const run = await world.print('count in steps')

  expect([run.exitCode, run.result, run.stderr]).toEqual([0, 'Counted.', ''])
  await expectChildsNote(world)
  cost(world)
  expect(requestsOf(world, 'main')).toHaveLength(STEPS + 1)
  expect(world.model.unscripted()).toBe(0)
})

story('notes 25 tool uses while the terminal stays open, and shows nothing of it', auto, async (world) => {
  world.model.script([...works(STEPS, 'Counted.'), says('Welcome.')])
  world.model.onChild([says(NOTE, { usage: { input_tokens: 1234 } })])
  const terminal = await world.terminal()
  await terminal.say('count in steps')
  await world.until('the note', () => notesOf(world).length > 0)
  await expectOnlyHost(world)
  expect(onlySessionState(world).watermark).toBe(STEPS + 2)
  expectQuiet(terminal.screen())
  cost(world)
  await terminal.say('thanks')
  expectQuiet(terminal.screen())
  expect(await terminal.exit()).toBe(0)
  expectQuiet(terminal.screen())

  await expectComplete(world, 1)
  expectAllNoted(world)
  expect(notesOf(world).map(({ author, text }) => [author, text])).toEqual([
    ['headless', NOTE],
    // So little that no model is asked for it.
    ['extractive', expect.stringContaining('thanks')],
  ])
  expectUntouched(world)
  expect(requestsOf(world, 'main')).toHaveLength(STEPS + 2)
  expect(world.model.unscripted()).toBe(0)
})

/** The finisher and its child are done; the host and the server it started go on. */
async function expectOnlyHost(world: World): Promise<void> {
  await world.until('the finisher to end', () => !world.processes().some(({ command }) => /keeper\.cjs/.test(command)))
}

const untold = { ...patient, settings: {} }

story('calls no model in print mode for a user who was not told of it', untold, async (world) => {
  world.model.script(works(STEPS, 'Counted.'))
  const run = await world.print('count in steps')

  expect([run.result, run.stderr]).toEqual(['Counted.', ''])
  await expectComplete(world, 1)
  expectAllNoted(world)
  expect(notesOf(world).map(({ author }) => author)).toEqual(notesOf(world).map(() => 'extractive'))
  expect(notesOf(world)[0]?.text).toContain('count in steps')
  expect(requestsOf(world, 'child')).toEqual([])
  expect(callsOf(world)).toEqual([])
})

story('tells once, in the first session in a terminal, what background calls cost', untold, async (world) => {
  world.model.script([says(PROSE), says(PROSE)])
  world.model.onChild(() => says('The user greeted the assistant, which told about the quay.'))
  const first = await world.terminal()
  expect(first.screen()).toMatch(/Memory Keeper writes a note about your work/)
  expect(squeeze(first.screen())).toContain('memory-keeper:runconfigsetsummarizerextractive')
  await first.say('hello')
  await first.exit()
  await expectNothingLeft(world)
  const second = await world.terminal()
  expectQuiet(second.screen())
  await second.say('hello again')
  expectQuiet(second.screen())
  await second.exit()

  await expectComplete(world, 2)
  expectAllNoted(world)
  expect(notesOf(world).map(({ author }) => author)).toEqual(['headless', 'headless'])
  expectUntouched(world)
})

function squeeze(shown: string): string {
  return shown.replace(/\s+/g, '')
}

const older = { ...auto, host: 'older' } as const

story('notes in the background on the older host', older, async (world) => {
  world.model.script(works(STEPS, 'Counted.'))
  world.model.onChild([says(NOTE, { usage: { input_tokens: 1234 } })])
  const run = await world.print('count in steps')

  expect([run.result, run.stderr]).toEqual(['Counted.', ''])
  await expectChildsNote(world)
  cost(world)
})
