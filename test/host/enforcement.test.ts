/** Enforcement: what Claude owes is held against the end of its turn, once, in two turns at most, and never where nobody sits. */

import { existsSync, writeFileSync } from 'node:fs'
import { expect } from 'vitest'
import { allPermanent } from '../../src/core/knowledge/items.ts'
import { listed } from '../support/fact.ts'
import { factsIn, judges, plays } from './support/extractor.ts'
import { IMPORTS, STORAGE, storage } from './support/harbour.ts'
import { expectComplete, expectNothingLeft, keeper, memoryDir, memoryOf, patient } from './support/memory.ts'
import { countIn, NOTE_REQUEST, notesOf, requestsOf } from './support/notes.ts'
import type { ModelRequest } from './support/request.ts'
import { reads } from './support/searcher.ts'
import { live, SMALL_TALK } from './support/sessions.ts'
import { story } from './support/story.ts'
import { readsIt, savesNote, works } from './support/summariser.ts'
import { says, type Turn, uses } from './support/turn.ts'
import type { World } from './support/world.ts'

const held = { ...patient, settings: { summarizer: 'agent', saveInterval: 3, enforcement: 'block' } }
const HABIT = 'We decided to keep the drawn charts out of git, because they can be made again.'
const NOTE = 'The user decided how tide tables are kept and when the pier list is imported; three steps were taken.'
const HELD_BACK = 'Memory Keeper: before this turn ends'
const CHECKLIST = /before this turn ends \(([^)]*)\)/g
const STEP = /STEP \d+: [^\n]*skill "([\w:-]+)" and args "([^"]+)"/g

/** Says what it is to say, and whenever it is held back does one step after the other. */
function dutiful(answers: readonly Turn[]): (request: ModelRequest) => Turn {
  const queue = [...answers]
  const steps: Turn[] = []
  let heard = 0
  return ({ text, lastUser }) => {
    const count = countIn(text, HELD_BACK)
    if (count > heard) steps.push(...stepsIn(lastUser), says('Kept.'))
    heard = count
    return steps.shift() ?? queue.shift() ?? says('I have nothing more to say.')
  }
}

/** A block is told twice, once as an error. */
function stepsIn(text: string): Turn[] {
  const last = text.slice(text.lastIndexOf(HELD_BACK))
  return [...last.matchAll(STEP)].map(([, skill = '', args = '']) => uses('Skill', { skill, args }))
}

/** As a model saved it, with the three places where it was said. */
function keepHabit(world: World): void {
  const [first = '', ...others] = memoryOf(memoryDir(world)).map(({ id8 }) => id8)
  const habit = {
    ...{ id: 'd001', text: HABIT, at: '2026-01-01T00:00:00.000Z', session: first, files: [], concept: null },
    ...{ evidence: { entry: 1, quote: HABIT, by: 'assistant' }, state: 'fresh', author: 'headless' },
    also: others.map((id8) => `${id8}#1`),
  }
  const facts = { _meta: { counter: 1, version: 5 }, decisions: [habit], patterns: [], issues: [] }
  writeFileSync(`${memoryDir(world)}/facts.json`, JSON.stringify(facts))
}

/** What was done and what was not, each time Claude was held back. */
function checklists(world: World): string[] {
  const text = requestsOf(world, 'main').at(-1)?.text ?? ''
  return [...new Set([...text.matchAll(CHECKLIST)].map(([, list = '']) => list))]
}

story(
  'enforcement holds Claude to facts, reflection and memory, step by step, and then lets go',
  held,
  async (world) => {
    // Claude itself has said this in three sessions, and a model has kept it: it waits to be judged.
    for (const more of [[], [], SMALL_TALK])
      await live(world, ['Where do the drawn charts go?', ...more], [says(HABIT)])
    keepHabit(world)

    const talk = [says('Understood.'), says('As you wish.'), ...works(3, 'Taken.'), says('On.'), says('Bye.')]
    world.model.script(dutiful(talk))
    plays(world, {
      rules: [reads('propose_rule'), judges(true)],
      note: [readsIt, savesNote(NOTE, [storage])],
    })
    const terminal = await world.terminal()
    await terminal.say(STORAGE)
    await terminal.say(IMPORTS)
    // The turn in which the work became due is held.
    await terminal.say('take three steps')
    expect(checklists(world)[0]).toMatch(/facts ✗, reflection ., memory ✗/)
    await world.until('the finisher', () => !world.processes().some(({ command }) => command.includes('keeper.cjs')))
    await terminal.say('go on')
    expect(listed(factsIn(world)).decisions.map(({ text }) => text)).toContain(storage.text)
    expect(allPermanent(factsIn(world))).toMatchObject([{ state: 'proposed', judged: { by: 'agent' } }])
    expect(notesOf(world).at(-1)).toMatchObject({ author: 'agent', text: NOTE })

    const before = countIn(requestsOf(world, 'main').at(-1)?.text ?? '', HELD_BACK)
    await terminal.say('bye')
    expect(countIn(requestsOf(world, 'main').at(-1)?.text ?? '', HELD_BACK)).toBe(before)
    expect(terminal.screen()).not.toMatch(/Do you want|wants to|permission/i)
    await terminal.exit()
    await expectNothingLeft(world)
    expect(keeper(world, ['verify']).exitCode).toBe(0)
  },
)

/** How often Claude was held back by the time of each request of the main thread. A block is told twice, once as an error. */
function steps(world: World): number[] {
  const asError = new RegExp(`blocking error from command: [^\\n]*${HELD_BACK}`, 'g')
  return requestsOf(world, 'main').map(({ text }) => countIn(text, HELD_BACK) - countIn(text, asError))
}

function isDue(world: World): boolean {
  return existsSync(`${memoryDir(world)}/delta_temp.txt`)
}

async function expectNeverHeldWhereNobodySits(world: World): Promise<void> {
  const count = requestsOf(world, 'main').length
  world.model.script([says('Four.'), says('Five.')])
  const printed = await world.print('fourth')
  const talk = world.stream()
  const streamed = await talk.say('fifth')
  await talk.end()
  expect([printed.result, printed.stderr, streamed.result]).toEqual(['Four.', '', 'Five.'])
  for (const { text } of requestsOf(world, 'main').slice(count)) expect(text).not.toContain(HELD_BACK)
  await expectComplete(world, 3)
}

story(
  'enforcement holds Claude back once per turn, in two turns of a person, and never where nobody sits',
  held,
  async (world) => {
    const agent = {
      description: 'look',
      prompt: 'look please',
      subagent_type: 'general-purpose',
      run_in_background: true,
    }
    world.model.script([
      says('Understood.'),
      uses('Agent', agent),
      ...works(3, 'Taken.'),
      ...['No.', 'Heard.', 'One.', 'No, one.', 'Two.', 'Three.'].map((text) => says(text)),
    ])
    world.model.onSubagent([says('All is well.', { after: () => isDue(world) })])
    const terminal = await world.terminal()
    await terminal.say(STORAGE)
    await terminal.send('send somebody and take three steps')
    // The turn in which the note became due is held. The notice of the agent begins another one: nobody is held in it.
    await terminal.waitFor(/Heard\./)
    await terminal.waitUntilIdle()
    for (const prompt of ['first', 'second', 'third']) await terminal.say(prompt)
    await terminal.exit()

    expect(checklists(world)).toEqual(['facts ✗, reflection ✓, memory ✗'])
    expect(steps(world)).toEqual([0, 0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 2])
    // With the prompt nothing is asked: it is the end of the turn that asks.
    expect(requestsOf(world, 'main').at(-1)?.text).not.toMatch(NOTE_REQUEST)
    expect(world.model.unscripted()).toBe(0)
    await expectNothingLeft(world)
    await expectNeverHeldWhereNobodySits(world)
  },
)

const stopping = { ...held, settings: { ...held.settings, enforcement: 'stop' } }

story('enforcement with "stop" gives neutral feedback once per turn', stopping, async (world) => {
  world.model.script([...works(3, 'Taken.'), ...['One.', 'No.', 'Two.', 'No.', 'Three.'].map((text) => says(text))])
  const terminal = await world.terminal()
  await terminal.say('take three steps')
  await world.until('the delta', () => isDue(world))
  for (const prompt of ['first', 'second', 'third']) {
    await terminal.say(prompt)
    expect(terminal.screen()).not.toMatch(/hook error/i)
  }
  await terminal.exit()

  expect(steps(world)).toEqual([0, 0, 0, 0, 0, 1, 1, 2, 2])
  await expectComplete(world, 1)
})
