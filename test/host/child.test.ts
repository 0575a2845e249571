/** The headless child: one at a time, and alive when the one who started it has gone. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { notesIn } from '../../src/kernel/memory/note.ts'
import { expectComplete, expectQuiet, patient } from './support/memory.ts'
import { callsOf, expectAllNoted, notesOf, requestsOf } from './support/notes.ts'
import { story } from './support/story.ts'
import { works } from './support/summariser.ts'
import { says } from './support/turn.ts'
import type { World } from './support/world.ts'

const auto = { ...patient, settings: { saveInterval: 3 }, isModelNoticed: true }
const NOTE = 'The user asked for steps, and echo step-1 up to echo step-3 were run. Nothing is open.'

story('the finishers of two projects run one child at a time', auto, async (world) => {
  const other = join(world.dir, 'other')
  mkdirSync(other)
  execFileSync('git', ['init', '--quiet'], { cwd: other, env: { HOME: world.home, PATH: '/usr/bin:/bin' } })
  world.model.script(({ toolResults }) => {
    const step = Number(/step-(\d)/.exec(toolResults.join(''))?.[1] ?? 0)
    return works(3, 'Taken.')[step] ?? says('Taken.')
  })
  world.model.onChild(() => says(NOTE, { delayMs: 1_500 }))
  const runs = await Promise.all([
    world.print('take three steps'),
    world.print('take three steps elsewhere', { cwd: other }),
  ])

  expect(runs.map(({ result, stderr }) => [result, stderr])).toEqual(runs.map(() => ['Taken.', '']))
  await expectComplete(world, 1)
  const asked = requestsOf(world, 'child')
  expect(asked.length).toBeGreaterThanOrEqual(2)
  for (const [i, { at }] of asked.entries()) expect(at).toBeGreaterThanOrEqual(asked[i - 1]?.endedAt ?? 0)
  expectAllNoted(world)
  const elsewhere = notesIn(readFileSync(join(other, '.claude', 'memory', 'memory.md'), 'utf8'))
  expect([...notesOf(world), ...elsewhere].map(({ text }) => text)).toEqual(asked.map(() => NOTE))
})

/** Slow enough for whoever started it to be gone. */
const slowly = { delayMs: 3_000 }

async function expectNoteLater(world: World): Promise<void> {
  expect(notesOf(world)).toEqual([])
  await expectComplete(world, 1)
  expectAllNoted(world)
  expect(notesOf(world)[0]).toMatchObject({ author: 'headless', text: NOTE })
  expect(callsOf(world)[0]).toMatchObject({ ok: true })
}

story('the child goes on when print mode has ended, with the user’s key helper', auto, async (world) => {
  world.write(join(world.home, '.claude', 'settings.json'), JSON.stringify({ apiKeyHelper: 'echo helper-key' }))
  world.model.script(works(3, 'Taken.'))
  world.model.onChild(() => says(NOTE, slowly))
  const run = await world.print('take three steps', { env: { ANTHROPIC_API_KEY: '' } })

  expect([run.exitCode, run.result, run.stderr]).toEqual([0, 'Taken.', ''])
  await expectNoteLater(world)
  expect(requestsOf(world, 'child').map(({ headers }) => headers['x-api-key'])).toEqual(['helper-key'])
})

story('the child goes on after the window of the terminal is closed', { ...auto, settings: {} }, async (world) => {
  world.model.script(works(3, 'Taken.'))
  world.model.onChild(() => says(NOTE, slowly))
  const terminal = await world.terminal()
  await terminal.say('take three steps')
  await terminal.close()
  expectQuiet(terminal.screen())

  await expectNoteLater(world)
})
