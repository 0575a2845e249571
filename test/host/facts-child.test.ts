/** Facts by the headless child: note and facts in one answer, then only what did not hold or was left out. */
import { expect } from 'vitest'
import { allFacts } from '../../src/knowledge/fact.ts'
import { conceptsIn, factsIn, sessionFactsIn } from './support/extractor.ts'
import { DATES, dates, IMPORTS, imports, invented, STORAGE, STUCK, storage, stuck } from './support/harbour.ts'
import { expectComplete, expectNothingLeft, expectUntouched, patient } from './support/memory.ts'
import { callsOf, expectAllNoted, instructionChars, notesOf, requestsOf } from './support/notes.ts'
import type { ModelRequest } from './support/request.ts'
import { liveAtTerminal, SMALL_TALK } from './support/sessions.ts'
import { story } from './support/story.ts'
import { extracts, fails, says } from './support/turn.ts'
import type { World } from './support/world.ts'

const auto = { ...patient, settings: {}, isModelNoticed: true }
const NOTE = 'The user decided how tide tables, imports and dates are kept. The timeout of the pier list is open.'
/** Of 3.5 characters: what a request for note and facts may hold besides its data. */
const MAX_TOKENS = 1_000

/** A conversation without a terminal; its end makes the note due. */
async function converse(world: World, prompts: readonly string[]): Promise<void> {
  world.model.script(prompts.map((_, i) => says(`Understood, that is number ${i + 1}.`)))
  const talk = world.stream()
  for (const prompt of prompts) await talk.say(prompt)
  const { stderr } = await talk.end()
  expect(stderr).toBe('')
  await expectNothingLeft(world)
}

function asked(world: World): ModelRequest[] {
  return requestsOf(world, 'child')
}

for (const host of ['current', 'older'] as const) {
  story(
    `keeps note and facts of one answer, and asks again for the rest, on the ${host} host`,
    { ...auto, host },
    inRounds,
  )
}

async function inRounds(world: World): Promise<void> {
  world.model.onChild([
    extracts({ note: NOTE, facts: [storage, invented, stuck] }),
    extracts({ facts: [imports, dates], nothingIn: [] }),
  ])
  await converse(world, [STORAGE, IMPORTS, DATES, STUCK])

  const [first, second, ...others] = asked(world) as [ModelRequest, ModelRequest]
  expect(others).toEqual([])
  for (const { tools } of [first, second]) {
    expect(tools.filter((name) => name !== 'DeferredToolPlaceholder')).toEqual(['StructuredOutput'])
  }
  for (const request of [first, second]) expect(instructionChars(request) / 3.5).toBeLessThanOrEqual(MAX_TOKENS)
  for (const prompt of [STORAGE, IMPORTS, DATES, STUCK]) expect(first.text).toContain(prompt)
  // The second one holds what was refused and what was left out, and nothing else of the conversation.
  expect(second.text).toContain(invented.quote)
  expect(second.text).toContain('does not occur in the entries')
  expect(second.text).toContain(`#2: ${IMPORTS}`)
  for (const told of [STORAGE, STUCK, 'that is number', storage.text, stuck.text])
    expect(second.text).not.toContain(told)

  expect(callsOf(world).map(({ kind, ok }) => [kind, ok])).toEqual([
    ['note', true],
    ['facts', true],
  ])
  expect(notesOf(world).map(({ author, text }) => [author, text])).toEqual([['headless', NOTE]])
  expect(allFacts(factsIn(world)).map(({ text, author, evidence }) => [text, author, evidence.by])).toEqual(
    // A program sent these prompts: nobody typed them.
    [storage, imports, dates, stuck].map(({ text }) => [text, 'headless', 'assistant']),
  )
  expect(
    sessionFactsIn(world)
      .flatMap(({ facts }) => facts.map(({ text }) => text))
      .toSorted(),
  ).toEqual([storage, imports, dates, stuck].map(({ text }) => text).toSorted())
  await expectComplete(world, 1)
  expectAllNoted(world)
  expectUntouched(world)

  // The next session's child is told what there is already.
  world.model.onChild([extracts({ note: 'The user decided to colour the map by depth.', facts: [coloured(world)] })])
  await converse(world, [
    'We decided to colour the tide tables by depth, because sailors look for shallows first.',
    'Shallow places are red, deep ones are blue, and whatever lies in between fades from one into the other.',
    'Say in a word whether that can be done with the colours that the map has already.',
  ])
  const third = asked(world).at(-1)?.text ?? ''
  expect(third).toMatch(/c001 concept: tide tables/)
  expect(third).toMatch(/d\d{3} decision of c001: The tide tables are kept in SQLite\./)
  expect(factsIn(world).decisions.at(-1)).toMatchObject({ concept: 'c001', author: 'headless' })
}

function coloured(world: World) {
  const conceptId = conceptsIn(world).concepts.find(({ name }) => name === 'tide tables')?.id
  return {
    type: 'decision',
    text: 'The tide tables are coloured by depth.',
    reason: 'Sailors look for shallows first.',
    quote: 'colour the tide tables by depth, because sailors look for shallows first',
    conceptId,
  }
}

story('asks three times at most, and keeps what holds by then', auto, async (world) => {
  world.model.onChild(({ text }) =>
    extracts(
      text.includes('Write the note')
        ? { note: NOTE, facts: [storage, invented] }
        : { facts: [invented], nothingIn: [] },
    ),
  )
  await liveAtTerminal(world, [STORAGE, IMPORTS, DATES, ...SMALL_TALK])

  expect(callsOf(world).map(({ kind }) => kind)).toEqual(['note', 'facts', 'facts'])
  expect(factsIn(world).decisions.map(({ text, author }) => [text, author])).toEqual([[storage.text, 'headless']])
  expect(notesOf(world)[0]).toMatchObject({ author: 'headless', text: NOTE })
  await expectComplete(world, 1)
})

story('keeps what holds when the second call fails', auto, async (world) => {
  world.model.onChild([extracts({ note: NOTE, facts: [storage, invented] })])
  world.model.onChild(() => fails(401, 'authentication_error', 'invalid x-api-key'))
  await converse(world, [STORAGE, IMPORTS, DATES])

  expect(callsOf(world).map(({ kind, ok }) => [kind, ok])).toEqual([
    ['note', true],
    ['facts', false],
  ])
  expect(factsIn(world).decisions[0]).toMatchObject({ text: storage.text, author: 'headless' })
  expect(notesOf(world)[0]).toMatchObject({ author: 'headless', text: NOTE })
  await expectComplete(world, 1)
})
