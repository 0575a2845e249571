/** Facts by a model: what it extracts is checked against what happened, and only what holds is kept. */

import { existsSync } from 'node:fs'
import { expect } from 'vitest'
import { isTold } from '../../src/core/knowledge/item.ts'
import { allFacts } from '../../src/core/knowledge/items.ts'
import { TOOL_NAMES } from '../../src/core/tools.ts'
import { estimateTokens } from '../../src/kernel/text/tokens.ts'
import { listed } from '../support/fact.ts'
import { conceptsIn, factsIn, plays, savesFacts, sessionFactsIn } from './support/extractor.ts'
import {
  DATES,
  dates,
  IMPORTS,
  imports,
  invented,
  SOLVED,
  STORAGE,
  STUCK,
  solved,
  storage,
  stuck,
} from './support/harbour.ts'
import { expectComplete, keeper, memoryDir, onlySession, patient } from './support/memory.ts'
import { notesOf, requestsOf } from './support/notes.ts'
import type { ModelRequest } from './support/request.ts'
import { story } from './support/story.ts'
import { obeys, readsIt, savesNote, works } from './support/summariser.ts'
import type { Terminal } from './support/terminal.ts'
import { says, type Turn } from './support/turn.ts'
import type { World } from './support/world.ts'

const settings = { summarizer: 'agent', saveInterval: 3 }
/** Nothing is allowed but what the story needs: whatever asks is on the screen. */
const strict = { ...patient, settings, allowedTools: ['Bash(echo *)'], permissionMode: 'default' }

const NOTE = 'The user decided how tide tables, imports and dates are kept. The timeout of the pier list is open.'
const SECOND_NOTE = 'The pier import works again, since the socket is closed after each row.'

/** Three decisions and an issue, then enough steps to make them due. Entry 0 is the first prompt, 2 the second, and so on. */
async function decide(world: World, terminal: Terminal): Promise<void> {
  for (const prompt of [STORAGE, IMPORTS, DATES]) await terminal.say(prompt)
  await terminal.say(STUCK)
  await world.until('the delta', () => existsSync(`${memoryDir(world)}/delta_temp.txt`))
}

const talk = () => [says('Understood.'), says('As you wish.'), says('Very well.'), ...works(3, 'It is still stuck.')]

/** What the agent was answered, call by call. */
function answersTo(world: World): string[] {
  return requestsOf(world, 'subagent')
    .filter(({ tools }) => tools.some((name) => name.endsWith('__save_memory')))
    .slice(1)
    .map(({ toolResults }) => toolResults.join('\n'))
}

function expectNoQuestion(terminal: Terminal): void {
  expect(terminal.screen()).not.toMatch(/Do you want|wants to|permission/i)
  expect(terminal.screen()).not.toContain('MEMORY_KEEPER_FACTS')
}

const older = {
  ...strict,
  host: 'older',
  onlyWithAll: 'agent.test.ts has an agent save through our tools there',
} as const
for (const [host, options] of Object.entries({ current: strict, older })) {
  story(`keeps what an agent extracts once every quote holds, on the ${host} host`, options, keepsFacts)
}

async function keepsFacts(world: World): Promise<void> {
  world.model.script([...talk(), obeys, says('You are welcome.')])
  plays(world, { note: [readsIt, savesNote(NOTE, [storage, imports, invented]), savesFacts([dates, stuck])] })
  const terminal = await world.terminal()
  await decide(world, terminal)
  await terminal.say('thank you')
  expectNoQuestion(terminal)
  expect(terminal.screen()).toContain('You are welcome.')

  const [shown, first, second] = answersTo(world)
  expect(shown).toContain(STORAGE)
  expect(shown).toMatch(/#2\b.*every Monday/)
  // The note is saved with the first call, an invented quote refused by its number and its words, and corrected with the second.
  expect(first).toMatch(/Saved as n-.*Saved as d001 in c001, d002 in c002\./)
  expect(first).toMatch(/Fact 3 was left out: .*"the user likes luxon best of all libraries" does not occur/)
  expect(first).not.toMatch(/Fact [12] was/)
  expect(second).toMatch(/Saved as .*You are done\./)
  expect(notesOf(world)).toHaveLength(1)
  expect(allFacts(factsIn(world)).map(isTold)).toEqual([false, false, false, false])
  expect(
    requestsOf(world, 'subagent')[0]
      ?.tools.map((name) => name.split('__').at(-1))
      .toSorted(),
  ).toEqual(['Read', ...OUR_TOOLS])
  expect(requestsOf(world, 'subagent')[0]?.model).toContain('haiku')

  // Besides the piece it read what the user was told that it costs (agent-cost.ts).
  const { body, messages } = requestsOf(world, 'subagent').at(-1) ?? {}
  const read = estimateTokens(JSON.stringify([body?.system, body?.tools, messages]))
  expect([read > 5_000, read < 10_000]).toEqual([true, true])
  // One call of the skill with the prompt: one request more of the main conversation.
  expect(
    requestsOf(world, 'main')
      .slice(-2)
      .map(({ answered }) => answered),
  ).toMatchObject([/Skill/, /welcome/].map((said) => expect.stringMatching(said)))

  await laterItIsSolved(world, terminal)
  await terminal.exit()
  await expectComplete(world, 1)
  // The background call after the session has audited what the agent saved.
  expect(requestsOf(world, 'audit').length).toBeGreaterThan(0)
  expect(allFacts(factsIn(world)).map(isTold)).toEqual([true, true, true, true])
  expectTheseFacts(world)
}

/** Names the issue by the id that it was shown. */
function closesIt(request: ModelRequest): Turn {
  const resolves = /(i\d{3}) open issue: The import of the pier list/.exec(request.text)?.[1] ?? 'no-issue'
  return savesNote(SECOND_NOTE, [{ ...solved, resolves, conceptId: 'c002' }])(request)
}

/** The next piece: the agent sees the open issue by its id, and closes it. */
async function laterItIsSolved(world: World, terminal: Terminal): Promise<void> {
  world.model.script([...works(3, SOLVED), obeys, says('Gladly.')])
  plays(world, { note: [readsIt, closesIt] })
  const before = answersTo(world).length
  await terminal.say('Please look after the pier import.')
  await world.until('the delta', () => existsSync(`${memoryDir(world)}/delta_temp.txt`))
  await terminal.say('good')
  expectNoQuestion(terminal)
  const shown = answersTo(world)
    .slice(before)
    .find((answer) => answer.includes('Known already'))
  expect(shown).toMatch(/i\d{3} open issue: The import of the pier list/)
  expect(shown).toMatch(/c002 concept: pier list import/i)
}

/** The agent may call all of them; each still needs an open work item, or asks. */
const OUR_TOOLS = TOOL_NAMES.toSorted()

function expectTheseFacts(world: World): void {
  const id8 = onlySession(world)
  const facts = factsIn(world)
  expect(
    listed(facts).decisions.map(({ text, reason, state, by, evidence }) => [text, reason, state, by, evidence]),
  ).toEqual([
    [storage.text, storage.reason, 'fresh', 'agent', { entry: 0, quote: storage.quote, by: 'user' }],
    [imports.text, null, 'fresh', 'agent', { entry: 2, quote: imports.quote, by: 'user' }],
    [dates.text, null, 'fresh', 'agent', { entry: 4, quote: dates.quote, by: 'user' }],
  ])
  expect(listed(facts).issues).toMatchObject([
    { id: 'i004', text: stuck.text, status: 'resolved', resolution: solved.resolution, evidence: { entry: 6 } },
  ])
  expect(listed(facts).patterns).toEqual([])
  const concepts = conceptsIn(world).concepts.map(({ id, name }) => [id, name])
  expect(concepts).toEqual([
    ['c001', 'tide tables'],
    ['c002', 'pier list import'],
    ['c003', 'date library'],
  ])
  expect(allFacts(facts).map(({ concept }) => concept)).toEqual(['c001', 'c002', 'c003', 'c002'])
  const [extracted, ...others] = sessionFactsIn(world)
  expect([extracted?.session, others]).toEqual([id8, []])
  expect(extracted?.facts.map(({ id }) => id)).toEqual(['d001', 'd002', 'd003', 'i004'])
  // Every proof can be opened.
  for (const { id, evidence } of allFacts(facts)) {
    const opened = keeper(world, ['show', id])
    expect([opened.exitCode, opened.stderr]).toEqual([0, ''])
    expect(opened.stdout.replace(/\s+/g, ' ')).toContain(evidence.quote.slice(0, 30))
    const source = keeper(world, ['show', `L1:${id8}#${evidence.entry}`])
    expect(source.stdout.replace(/\s+/g, ' ')).toContain(evidence.quote.slice(0, 30))
  }
}
