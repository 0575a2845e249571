/** When the headless child fails: the session does not notice, nothing is lost, and code writes what it did not. */
import { expect } from 'vitest'
import { expectComplete, expectNothingLeft, expectQuiet, keeper, patient } from './support/memory.ts'
import { callsOf, countIn, NOTE_REQUEST, notesOf, requestsOf, stateOf } from './support/notes.ts'
import { killProcess } from './support/processes.ts'
import { story } from './support/story.ts'
import { works } from './support/summariser.ts'
import { fails, says, type Turn } from './support/turn.ts'
import type { World, WorldOptions } from './support/world.ts'

const auto: WorldOptions = { ...patient, settings: { saveInterval: 3 }, isModelNoticed: true }

const FAILURES: { name: string; why: string; answer: () => Turn }[] = [
  { name: 'a wrong key', why: 'login', answer: () => fails(401, 'authentication_error', 'invalid x-api-key') },
  { name: 'an overloaded service', why: 'overloaded', answer: () => fails(529, 'overloaded_error', 'Overloaded') },
  { name: 'an empty answer', why: 'failed', answer: () => says('') },
]

async function work(world: World): Promise<void> {
  world.model.script(works(3, 'Taken.'))
  const run = await world.print('take three steps')
  expect([run.exitCode, run.result, run.stderr]).toEqual([0, 'Taken.', ''])
}

/** The next session starts as ever, and all of the first one is told by code, once. */
async function expectCaughtUp(world: World): Promise<void> {
  await expectNothingLeft(world)
  world.model.script([says('As ever.')])
  const next = await world.print('go on')
  expect([next.exitCode, next.result, next.stderr]).toEqual([0, 'As ever.', ''])
  await expectComplete(world, 2)
  const [first] = Object.entries(stateOf(world).sessions)
  const notes = notesOf(world).filter(({ session }) => first?.[0].startsWith(session ?? '-'))
  expect(notes.map(({ author }) => author)).toEqual(notes.map(() => 'extractive'))
  expect(notes[0]?.text).toContain('take three steps')
  expect(notes.map(({ from }) => from)).toEqual([0, ...notes.slice(0, -1).map(({ to }) => to)])
  expect(notes.at(-1)?.to).toBe(first?.[1].entries)
  // What was told of it reached the session that came next.
  expect(requestsOf(world, 'main').at(-1)?.text).toContain('take three steps')
}

for (const { name, why, answer } of FAILURES) {
  story(`loses nothing to ${name}`, auto, async (world) => {
    world.model.onChild(answer)
    await work(world)

    await expectCaughtUp(world)
    expect(callsOf(world)[0]).toMatchObject({ ok: false, why })
  })
}

story('loses nothing to a model that refuses', auto, async (world) => {
  world.model.onChild(() => says("I'm sorry, but I can't help with summarising this conversation."))
  await work(world)

  await expectCaughtUp(world)
  expect(
    notesOf(world)
      .map(({ text }) => text)
      .join('\n'),
  ).not.toMatch(/sorry/)
})

story('loses nothing where there is no claude on the PATH', { ...auto, host: 'older' }, async (world) => {
  world.model.script(works(3, 'Taken.'))
  const run = await world.print('take three steps', {
    env: { PATH: `${process.execPath.replace(/\/node$/, '')}:/usr/bin:/bin` },
  })

  expect([run.result, run.stderr]).toEqual(['Taken.', ''])
  await expectNothingLeft(world)
  expect(callsOf(world)[0]).toMatchObject({ ok: false, why: 'not-found' })
  expect(requestsOf(world, 'child')).toEqual([])
  world.model.onChild(() => says(''))
  await expectCaughtUp(world)
})

function findChild(world: World) {
  return world.processes().find(({ command }) => /claude .*--no-session-persistence/.test(command))
}

story('loses nothing when the child is killed', auto, async (world) => {
  world.model.onChild([says('Too late.', { delayMs: 60_000 })])
  world.model.onChild(() => says(''))
  await work(world)
  const child = await world.until('the child', () => requestsOf(world, 'child').length > 0 && findChild(world))
  killProcess(child.pid)

  await expectCaughtUp(world)
  expect(callsOf(world)[0]).toMatchObject({ ok: false, why: 'killed' })
})

story('loses nothing when child and finisher hang and are killed', auto, async (world) => {
  world.model.onChild(() => says('Too late.', { delayMs: 30_000 }))
  await work(world)
  await world.until('the child', () => requestsOf(world, 'child').length > 0 && findChild(world))
  // The next session does not wait for it.
  world.model.script([says('Not waiting.')])
  const meanwhile = await world.print('and now')
  expect(meanwhile.result).toBe('Not waiting.')
  expect(notesOf(world)[0]).toMatchObject({ author: 'extractive', from: 0 })
  await endHanging(world)

  await expectComplete(world, 2)
  expect(callsOf(world)[0]?.ok).toBeUndefined()
})

/** As when the machine is switched off: whatever is left is killed, again and again, until nothing comes back. */
async function endHanging(world: World): Promise<void> {
  await world.until('all to be killed', () => {
    const left = world.processes()
    for (const { pid } of left) killProcess(pid)
    return left.length === 0
  })
}

story('turns to Claude itself after two failures, and doctor says why', auto, async (world) => {
  world.model.onChild(() => fails(400, 'invalid_request_error', 'scripted'))
  await work(world)
  await expectNothingLeft(world)
  await work(world)
  await expectNothingLeft(world)
  const calls = callsOf(world).length
  const doctor = keeper(world, ['doctor'])
  expect(`${doctor.stdout}${doctor.stderr}`).toMatch(/400/)

  world.model.script([...works(3, 'Taken.'), says('Yes.')])
  const terminal = await world.terminal()
  await terminal.say('take three steps')
  await world.until('the delta', () => stateOf(world).deltaCreatedAtMemoryMtime !== null)
  await terminal.waitUntilIdle()
  await terminal.say('and now')
  expectQuiet(terminal.screen())
  await terminal.exit()

  expect(countIn(requestsOf(world, 'main').at(-1)?.text ?? '', NOTE_REQUEST)).toBe(1)
  // For some minutes no child is tried again.
  await expectComplete(world, 3)
  expect(callsOf(world)).toHaveLength(calls)
})
