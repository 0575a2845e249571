/** Concepts: what facts are about gets one name, whoever names it, and keeps it over many sessions. */
import { existsSync } from 'node:fs'
import { expect } from 'vitest'
import { calls, conceptsIn, factsIn, looksAtIt, plays, savesFacts } from './support/extractor.ts'
import { STORAGE, storage } from './support/harbour.ts'
import { expectNothingLeft, keeper, memoryDir, patient } from './support/memory.ts'
import { callsOf, requestsOf } from './support/notes.ts'
import { live, SMALL_TALK } from './support/sessions.ts'
import { story } from './support/story.ts'
import { readsIt, savesNote, works } from './support/summariser.ts'
import { extracts, says } from './support/turn.ts'
import type { World } from './support/world.ts'

const auto = { ...patient, settings: {}, isModelNoticed: true }
const COLOURS = 'We decided to colour the tide tables by depth, because sailors look for shallows first.'
/** Of what is known as tide tables. */
const SECOND_NAME = 'the tables of tides'
const coloured = {
  type: 'decision',
  text: 'The tide tables are coloured by depth.',
  reason: 'Sailors look for shallows first.',
  quote: 'colour the tide tables by depth, because sailors look for shallows first',
}

function names(world: World): string[] {
  return conceptsIn(world).concepts.map(({ name }) => name)
}

story('takes a second name for the same thing as the first one, without another call', auto, async (world) => {
  world.model.onChild([extracts({ note: 'The user decided where tide tables are kept.', facts: [storage] })])
  await live(world, [STORAGE, ...SMALL_TALK])
  world.model.onChild([
    extracts({ note: 'The user decided about colours.', facts: [{ ...coloured, conceptName: SECOND_NAME }] }),
  ])
  await live(world, [COLOURS, ...SMALL_TALK])

  expect(callsOf(world).map(({ kind }) => kind)).toEqual(['note', 'note'])
  expect(requestsOf(world, 'child').at(-1)?.text).toMatch(/c001 concept: tide tables/)
  expect(names(world)).toEqual(['tide tables'])
  expect(factsIn(world).decisions.map(({ concept }) => concept)).toEqual(['c001', 'c001'])
})

const asked = { ...patient, settings: { summarizer: 'agent', saveInterval: 3 } }

story('tells an agent which concept to use when it finds a second name for one', asked, async (world) => {
  const one = [...works(3, 'Taken.'), calls('write-facts'), calls('write-note'), says('Gladly.')]
  world.model.script([...one, ...one])
  plays(world, {
    facts: [
      ...[looksAtIt, savesFacts([storage]), says('Done')],
      ...[looksAtIt, savesFacts([{ ...coloured, conceptName: SECOND_NAME }])],
      savesFacts([{ ...coloured, conceptId: 'c001' }]),
    ],
    note: [readsIt, savesNote('The user decided about tide tables.'), says('Done')],
  })
  const terminal = await world.terminal()
  for (const prompt of [STORAGE, COLOURS]) {
    await terminal.say(prompt)
    await world.until('the delta', () => existsSync(`${memoryDir(world)}/delta_temp.txt`))
    await terminal.say('thank you')
  }
  await terminal.exit()
  await expectNothingLeft(world)

  const answers = requestsOf(world, 'subagent').map(({ toolResults }) => toolResults.join('\n'))
  const refused = answers.findIndex((answer) => /fact 1: .*use conceptId c001/.test(answer))
  expect(refused).toBeGreaterThan(0)
  expect(answers[refused + 1]).toMatch(/Saved as d\d{3}\. You are done\./)
  expect(names(world)).toEqual(['tide tables'])
  expect(factsIn(world).decisions.map(({ text, concept }) => [text, concept])).toEqual([
    [storage.text, 'c001'],
    [coloured.text, 'c001'],
  ])
})

story('tells the next model by which name a person calls a concept', auto, async (world) => {
  world.model.onChild([extracts({ note: 'The user decided where tide tables are kept.', facts: [storage] })])
  await live(world, [STORAGE, ...SMALL_TALK])
  const renamed = keeper(world, ['concepts', 'rename', 'c001', 'water levels'])
  expect([renamed.exitCode, renamed.stderr]).toEqual([0, ''])
  // The old name still finds it.
  world.model.onChild([
    extracts({ note: 'The user decided about colours.', facts: [{ ...coloured, conceptName: 'tide tables' }] }),
  ])
  await live(world, [COLOURS, ...SMALL_TALK])

  expect(requestsOf(world, 'child').at(-1)?.text).toMatch(/c001 concept: water levels/)
  expect(names(world)).toEqual(['water levels'])
  expect(factsIn(world).decisions.map(({ concept }) => concept)).toEqual(['c001', 'c001'])
  const shown = keeper(world, ['concepts', 'show', 'water levels'])
  expect([shown.exitCode, shown.stderr]).toEqual([0, ''])
  for (const { id } of factsIn(world).decisions) expect(shown.stdout).toContain(id)
})

const TOPICS = [
  ['We decided to keep the retry cache in Redis.', 'We decided to empty the retry cache after ninety seconds.'],
  ['We decided to sign the login tokens with a new key.', 'We decided to let login tokens expire after one hour.'],
  ['We decided to write the retry cache to disk every minute.', 'We decided to log every login token that is refused.'],
]

story('sorts facts by itself where no model is asked, the same things together', patient, async (world) => {
  for (const prompts of TOPICS) await live(world, prompts)
  // What the last session decided is taken up when the next one begins.
  await live(world, ['Good evening.'])

  const { decisions } = factsIn(world)
  expect(decisions).toHaveLength(6)
  expect(decisions.every(({ concept }) => concept !== null)).toBe(true)
  const conceptsOf = (word: string) =>
    new Set(decisions.filter(({ text }) => text.includes(word)).map(({ concept }) => concept))
  const [cache, tokens] = [conceptsOf('retry cache'), conceptsOf('login token')]
  expect([cache.size, tokens.size]).toEqual([1, 1])
  expect([...cache]).not.toEqual([...tokens])
  expect(names(world)).toHaveLength(2)
  const listed = keeper(world, ['concepts', 'list'])
  expect([listed.exitCode, listed.stderr]).toEqual([0, ''])
  for (const name of names(world)) expect(listed.stdout).toContain(name)
})
