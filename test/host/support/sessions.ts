/** Whole sessions without a terminal, one after the other, each lived to its end with its finisher, and what the next one is told. */
import { expect } from 'vitest'
import { expectNothingLeft } from './memory.ts'
import { briefingsIn, requestsOf } from './notes.ts'
import { type Answer, says } from './turn.ts'
import type { World } from './world.ts'

/** Enough words that a model is asked about a session at all; nothing in them is worth keeping. */
export const SMALL_TALK = [
  'Please tell me in a few words what you see in this directory and whether anything in it looks unfinished to you.',
  'Thank you, and what would you look at first if you had the whole afternoon for it and nobody was waiting?',
]

/** Gives the id of the session. Each prompt gets the answer of the same number, or a polite one. */
export async function live(world: World, prompts: readonly string[], answers: readonly Answer[] = []): Promise<string> {
  world.model.script(prompts.map((_, i) => answers[i] ?? says('I see a few files and nothing unusual.')))
  const talk = world.stream()
  let id = ''
  for (const prompt of prompts) id = (await talk.say(prompt)).sessionId
  const { stderr } = await talk.end()
  expect(stderr).toBe('')
  await expectNothingLeft(world)
  return id
}

/** The same in a terminal: there a person types, and what is said counts as the user's own words. */
export async function liveAtTerminal(
  world: World,
  prompts: readonly string[],
  answers: readonly Answer[] = [],
): Promise<void> {
  world.model.script(prompts.map((_, i) => answers[i] ?? says('I see a few files and nothing unusual.')))
  const terminal = await world.terminal()
  for (const prompt of prompts) await terminal.say(prompt)
  await terminal.exit()
  await expectNothingLeft(world)
}

/** What a new session is told first: the briefing in its model's first request. */
export async function nextBriefing(world: World): Promise<string> {
  world.model.script([says('Good morning.')])
  const before = requestsOf(world, 'main').length
  await world.print('good morning')
  const request = requestsOf(world, 'main')[before]
  await expectNothingLeft(world)
  return request === undefined ? '' : (briefingsIn(request)[0] ?? '')
}
