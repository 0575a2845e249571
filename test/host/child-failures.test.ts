/** When the headless child fails: the session does not notice, nothing is lost, and code writes what it did not. */

import { expect } from 'vitest'
import { allSessions } from '../../src/kernel/memory/state.ts'
import { pieceIn } from '../support/work.ts'
import { expectComplete, expectNothingLeft, expectQuiet, keeper, patient } from './support/memory.ts'
import { callsOf, countIn, NOTE_REQUEST, notesOf, requestsOf, stateOf } from './support/notes.ts'
import { killProcess } from './support/processes.ts'
import { story } from './support/story.ts'
import { works } from './support/summariser.ts'
import { fails, says } from './support/turn.ts'
import type { World, WorldOptions } from './support/world.ts'

const auto: WorldOptions = { ...patient, settings: { saveInterval: 3 }, isModelNoticed: true }

async function work(world: World, env: Record<string, string> = {}): Promise<void> {
  world.model.script(works(3, 'Taken.'))
  const terminal = await world.terminal({ env })
  await terminal.say('take three steps')
  expect(terminal.screen()).toContain('● Taken.')
  expect(await terminal.exit()).toBe(0)
}

/** All of an earlier session is told by code, once, and reached the session that came next. */
function expectCaughtUp(world: World, number: number): void {
  const session = Object.entries(stateOf(world).sessions)[number]
  const notes = notesOf(world).filter((note) => session?.[0].startsWith(note.session ?? '-'))
  expect(notes.map(({ author }) => author)).toEqual(notes.map(() => 'extractive'))
  expect(notes[0]?.text).toContain('take three steps')
  expect(notes.map(({ from }) => from)).toEqual([0, ...notes.slice(0, -1).map(({ to }) => to)])
  expect(notes.at(-1)?.to).toBe(session?.[1].entries)
  expect(requestsOf(world, 'main').at(-1)?.text).toContain('take three steps')
}

function findChild(world: World) {
  return world.processes().find(({ command }) => /claude .*--no-session-persistence/.test(command))
}

function untilChild(world: World, asked: number) {
  return world.until('the child', () => requestsOf(world, 'child').length > asked && findChild(world))
}

story('a child that refuses, is killed, or hangs with its finisher costs nothing', auto, async (world) => {
  world.model.onChild(() => says("I'm sorry, but I can't help with summarising this conversation."))
  await work(world)
  await expectNothingLeft(world)
  const refused = requestsOf(world, 'child').length

  // What code noted is handed over again once its session is over: that fails at once, and the terminal does not wait for it.
  world.model.onChild(({ text }) =>
    text.includes('It is the last piece of its session')
      ? fails(400, 'invalid_request_error', 'scripted')
      : says('Too late.', { delayMs: 60_000 }),
  )
  await work(world)
  expectCaughtUp(world, 0)
  killProcess((await untilChild(world, refused)).pid)
  await world.until('its end', () => callsOf(world).some(({ why }) => why === 'killed'))
  await endHanging(world)

  const killed = requestsOf(world, 'child').length
  await work(world)
  expectCaughtUp(world, 1)
  await untilChild(world, killed)
  // The next session does not wait for it.
  world.model.script([says('Not waiting.')])
  const meanwhile = await world.print('and now')
  expect([meanwhile.result, meanwhile.stderr]).toEqual(['Not waiting.', ''])
  expectCaughtUp(world, 2)
  await endHanging(world)

  await expectComplete(world, 4)
  expect(callsOf(world).some(({ ok }) => ok === undefined)).toBe(true)
  for (const { text } of notesOf(world)) expect(text).not.toMatch(/sorry/)
})

/** As when the machine is switched off: whatever is left is killed, again and again, until nothing comes back. */
async function endHanging(world: World): Promise<void> {
  await world.until('all to be killed', () => {
    const left = world.processes()
    for (const { pid } of left) killProcess(pid)
    return left.length === 0
  })
}

story('the hook asks Claude itself after two failures of the child, and doctor says why', auto, async (world) => {
  world.model.onChild(() => fails(401, 'authentication_error', 'invalid x-api-key'))
  await work(world)
  await expectNothingLeft(world)
  world.model.onChild(() => fails(400, 'invalid_request_error', 'scripted'))
  await work(world)
  expectCaughtUp(world, 0)
  await expectNothingLeft(world)
  const calls = callsOf(world)
  expect([calls[0], calls.at(-1)]).toMatchObject([
    { ok: false, why: 'login' },
    { ok: false, why: 'failed' },
  ])
  const doctor = keeper(world, ['doctor'])
  expect(`${doctor.stdout}${doctor.stderr}`).toMatch(/400/)

  world.model.script([...works(3, 'Taken.'), says('Yes.')])
  const terminal = await world.terminal()
  await terminal.say('take three steps')
  // Of this session: after the failures another one may have been handed out to Claude before.
  const open = () => allSessions(stateOf(world)).filter(([, { isLive, isEnded }]) => isLive && !isEnded)
  await world.until('the delta', () => open().some(([id]) => pieceIn(stateOf(world), id)?.by === 'agent'))
  await terminal.waitUntilIdle()
  await terminal.say('and now')
  expectQuiet(terminal.screen())
  await terminal.exit()

  expect(countIn(requestsOf(world, 'main').at(-1)?.text ?? '', NOTE_REQUEST)).toBe(1)
  // For some minutes no child is tried again.
  await expectComplete(world, 3)
  expect(callsOf(world)).toHaveLength(calls.length)
})

story('a PATH without claude costs nothing', { ...auto, host: 'older' }, async (world) => {
  await work(world, { PATH: `${process.execPath.replace(/\/node$/, '')}:/usr/bin:/bin` })
  await expectNothingLeft(world)
  expect(callsOf(world)[0]).toMatchObject({ ok: false, why: 'not-found' })
  expect(requestsOf(world, 'child')).toEqual([])
  await work(world)
  expectCaughtUp(world, 0)
})
