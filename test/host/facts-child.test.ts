/** A piece by the headless child: one call extracts, one audits; a falsehood is refused, and a failed audit tells nothing. */

import { expect } from 'vitest'
import { isTold } from '../../src/core/knowledge/item.ts'
import { allFacts } from '../../src/core/knowledge/items.ts'
import { listed } from '../support/fact.ts'
import { conceptsIn, factsIn, sessionFactsIn } from './support/extractor.ts'
import { DATES, dates, IMPORTS, imports, invented, STORAGE, STUCK, storage, stuck } from './support/harbour.ts'
import { expectComplete, expectNothingLeft, expectUntouched, patient } from './support/memory.ts'
import { callsOf, expectAllNoted, instructionChars, notesOf, onlySessionState, requestsOf } from './support/notes.ts'
import type { ModelRequest } from './support/request.ts'
import { liveAtTerminal, SMALL_TALK } from './support/sessions.ts'
import { story } from './support/story.ts'
import { audits, extracts, fails, says } from './support/turn.ts'
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
  story(`keeps what one answer says and another one confirms, on the ${host} host`, { ...auto, host }, inTwoCalls)
}

/** Its quote was said, and still it is false: nobody decided it. */
const FALSEHOOD = {
  type: 'decision',
  text: 'The pier list is kept in SQLite, too.',
  quote: 'import the pier list',
  conceptName: 'piers',
}

async function inTwoCalls(world: World): Promise<void> {
  const stands = { text: 'The timeout of the pier list is open.', entry: 6 }
  world.model.onChild([extracts({ note: NOTE, stands, facts: [storage, imports, dates, stuck, invented, FALSEHOOD] })])
  world.model.onAudit(audits([FALSEHOOD.text]))
  await converse(world, [STORAGE, IMPORTS, DATES, STUCK])

  const [first, ...others] = asked(world) as [ModelRequest]
  const [audit, ...more] = requestsOf(world, 'audit') as [ModelRequest]
  expect([others, more]).toEqual([[], []])
  for (const { tools } of [first, audit]) {
    expect(tools.filter((name) => name !== 'DeferredToolPlaceholder')).toEqual(['StructuredOutput'])
  }
  for (const request of [first, audit]) expect(instructionChars(request) / 3.5).toBeLessThanOrEqual(MAX_TOKENS)
  for (const prompt of [STORAGE, IMPORTS, DATES, STUCK]) expect(first.text).toContain(prompt)
  expect(first.text).toContain('It is the last piece of its session')
  // Numbered claims, each with its quote and the entries around it; what the program refused is not asked about.
  expect(audit.text).toMatch(/claim \d+: \(decision\) The tide tables are kept in SQLite\./)
  expect(audit.text).toContain(`quote: ${storage.quote}`)
  expect(audit.text).toMatch(/\n#0 \[[^\]]*\]: /)
  expect(audit.text).toContain(`claim 1: At the end of this piece: ${stands.text}`)
  expect(audit.text).not.toContain(invented.quote)

  expect(callsOf(world).map(({ kind, ok }) => [kind, ok])).toEqual([
    ['note', true],
    ['audit', true],
  ])
  expect(notesOf(world).map(({ author, text, unaudited }) => [author, text, unaudited])).toEqual([
    ['headless', NOTE, undefined],
  ])
  expect(onlySessionState(world).stands).toMatchObject({ text: stands.text, by: 'headless' })
  expect(allFacts(factsIn(world)).map((fact) => [fact.text, fact.by, fact.evidence.by, isTold(fact)])).toEqual(
    // A program sent these prompts: nobody typed them.
    [storage, imports, dates, stuck].map(({ text }) => [text, 'headless', 'assistant', true]),
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
  expect(listed(factsIn(world)).decisions.at(-1)).toMatchObject({ concept: 'c001', by: 'headless' })
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

story('the finisher asks once more for what came to nothing, and keeps what holds by then', auto, async (world) => {
  world.model.onChild(() => extracts({ note: NOTE, facts: [invented] }))
  await liveAtTerminal(world, [STORAGE, IMPORTS, DATES, ...SMALL_TALK])

  expect(callsOf(world).map(({ kind }) => kind)).toEqual(['note', 'note', 'audit'])
  expect(asked(world)[1]?.text).toContain('An earlier try was refused')
  expect(allFacts(factsIn(world)).filter(({ by }) => by === 'headless')).toEqual([])
  expect(notesOf(world)[0]).toMatchObject({ author: 'headless', text: NOTE })
  await expectComplete(world, 1)
})

story('facts without an audit are not injected, and are audited with the next call', auto, async (world) => {
  world.model.onChild([extracts({ note: NOTE, facts: [storage] })])
  world.model.onAudit(() => fails(400, 'invalid_request_error', 'scripted'))
  await converse(world, [STORAGE, IMPORTS, DATES])

  expect(callsOf(world).map(({ kind, ok }) => [kind, ok])).toEqual([
    ['note', true],
    ['audit', false],
  ])
  expect(listed(factsIn(world)).decisions[0]).toMatchObject({ text: storage.text, by: 'headless', unaudited: true })
  expect(notesOf(world)[0]).toMatchObject({ author: 'headless', text: NOTE, unaudited: true })
  world.model.onAudit(audits())
  world.model.onChild([says('The user asked for the tide of today, and the assistant understood it.')])
  await converse(world, ['What do you know of the tide tables?', 'Is there anything else to say about them today?'])

  expect(requestsOf(world, 'main').at(-1)?.text).not.toContain(storage.text)
  expect(listed(factsIn(world)).decisions[0]).not.toHaveProperty('unaudited')
  expect(notesOf(world)[0]).not.toHaveProperty('unaudited')
  await expectComplete(world, 2)
})
