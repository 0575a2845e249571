/** Concepts: what facts are about gets one name, whoever names it, and keeps it over many sessions. */

import { existsSync } from 'node:fs'
import { expect } from 'vitest'
import { listed } from '../support/fact.ts'
import { conceptsIn, factsIn, plays } from './support/extractor.ts'
import { STORAGE, storage } from './support/harbour.ts'
import { expectNothingLeft, keeper, memoryDir, patient } from './support/memory.ts'
import { callsOf, requestsOf } from './support/notes.ts'
import { live, SMALL_TALK } from './support/sessions.ts'
import { story } from './support/story.ts'
import { obeys, readsIt, savesNote, works } from './support/summariser.ts'
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

story('a second name for the same thing joins its concept, without another call', auto, async (world) => {
  world.model.onChild([extracts({ note: 'The user decided where tide tables are kept.', facts: [storage] })])
  await live(world, [STORAGE, ...SMALL_TALK])
  world.model.onChild([
    extracts({ note: 'The user decided about colours.', facts: [{ ...coloured, conceptName: SECOND_NAME }] }),
  ])
  await live(world, [COLOURS, ...SMALL_TALK])

  expect(callsOf(world).map(({ kind }) => kind)).toEqual(['note', 'audit', 'note', 'audit'])
  expect(requestsOf(world, 'child').at(-1)?.text).toMatch(/c001 concept: tide tables/)
  expect(names(world)).toEqual(['tide tables'])
  expect(listed(factsIn(world)).decisions.map(({ concept }) => concept)).toEqual(['c001', 'c001'])
})

const asked = { ...patient, settings: { summarizer: 'agent', saveInterval: 3 } }

story('the save tool tells an agent which concept a second name has joined, in one round', asked, async (world) => {
  const one = [...works(3, 'Taken.'), obeys, says('Gladly.')]
  world.model.script([...one, ...one])
  plays(world, {
    note: [
      ...[readsIt, savesNote('The user decided about tide tables.', [storage]), says('Done')],
      ...[
        readsIt,
        savesNote('The user decided about tide tables.', [{ ...coloured, conceptName: SECOND_NAME }]),
        says('Done'),
      ],
    ],
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
  expect(answers.join('\n')).toMatch(/Saved as d002 in c001\. You are done\./)
  expect(names(world)).toEqual(['tide tables'])
  expect(listed(factsIn(world)).decisions.map(({ text, concept }) => [text, concept])).toEqual([
    [storage.text, 'c001'],
    [coloured.text, 'c001'],
  ])
})

story('the next extraction gets the name that a person gave a concept', auto, async (world) => {
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
  expect(listed(factsIn(world)).decisions.map(({ concept }) => concept)).toEqual(['c001', 'c001'])
  const shown = keeper(world, ['show', 'c001'])
  expect([shown.exitCode, shown.stderr]).toEqual([0, ''])
  for (const { id } of listed(factsIn(world)).decisions) expect(shown.stdout).toContain(id)
})
