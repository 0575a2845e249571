/** Claude looks into the memory: its tools ask nobody, answer in every mode, and their server ends with the host. */

import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { TOOL_NAMES, TOOLS } from '../../src/core/tools.ts'
import { expectComplete, expectNothingLeft, keeper, patient, told } from './support/memory.ts'
import { requestsOf } from './support/notes.ts'
import { JWT_ANSWER, liveThroughThePast, RETRY_ANSWER } from './support/past.ts'
import type { ModelRequest } from './support/request.ts'
import { firstId, loads, reads, TOOL } from './support/searcher.ts'
import { storiesAfter } from './support/story.ts'
import type { Terminal } from './support/terminal.ts'
import { says } from './support/turn.ts'
import type { World } from './support/world.ts'

/** None of our tools is allowed: whatever asks is denied in print mode, and on the screen of a terminal. */
const strict = { ...patient, permissionMode: 'default', allowedTools: ['Bash', 'Write'] }
const older = { ...strict, host: 'older' } as const
const READING = TOOL_NAMES.filter((name) => TOOLS[name].does === 'reads')
const DEFERRED = TOOL_NAMES.filter((name) => name !== 'search_memory')
const ASKED = /Do you want|requested permissions|haven't granted|permission to use/i

async function prepare(world: World): Promise<string> {
  const id = await liveThroughThePast(world)
  const { exitCode, stderr } = keeper(world, ['page', 'set', 'harbour', '--text', 'The harbour is deep enough.'])
  expect([exitCode, stderr]).toEqual([0, ''])
  return id.slice(0, 8)
}

const story = storiesAfter(prepare)

/** Uses every tool that reads, the second with what the first has found. */
function readEverything(world: World): void {
  world.model.script([
    reads('search_memory', { query: 'why does the retry cache live in Redis' }),
    ...(isOlder(world) ? [] : [loads('get_memory', 'timeline', 'memory_page', 'memory_status')]),
    ({ text }: ModelRequest) => reads('get_memory', { id: firstId(text) }),
    reads('timeline', { around: 'today' }),
    reads('memory_page', { name: 'harbour' }),
    reads('memory_status'),
    says('Now I know.'),
  ])
}

/** The older host has no search for tools: all of them are in every request. */
function isOlder(world: World): boolean {
  return requestsOf(world, 'main')[0]?.tools.includes(`${TOOL}timeline`) === true
}

/** What the model received for each of the last calls, by the name of the tool. */
function expectAnswers(world: World, id8: string): void {
  const last = requestsOf(world, 'main').at(-1)
  const answers = answersIn(last)
  const search = answers.get('search_memory') ?? ''
  expect(search).toMatch(new RegExp(`^L1:${id8}#2 \\d{4}-\\d\\d-\\d\\d answer \\(Claude\\): `, 'm'))
  expect(search).toContain(RETRY_ANSWER)
  expect(answers.get('get_memory')).toContain(RETRY_ANSWER)
  expect(answers.get('get_memory')).toContain('The retry cache loses its entries. Where should it live?')
  expect(answers.get('timeline')).toContain('Paint the lighthouse on the start page.')
  expect(answers.get('memory_page')).toContain('The harbour is deep enough.')
  expect(answers.get('memory_status')).toMatch(/\d+ sessions?, \d+ entries remembered/)
  expect([...answers.values()].join('\n')).not.toMatch(ASKED)
}

interface Call {
  type: string
  id?: string
  name?: string
  tool_use_id?: string
  content?: string | { text?: string }[]
}

/** The newest answer of each of our tools. */
function answersIn(request: ModelRequest | undefined): Map<string, string> {
  const blocks = (request?.messages ?? []).flatMap(({ content }) => (typeof content === 'string' ? [] : content))
  const calls = blocks as Call[]
  const nameOf = new Map(calls.map(({ id, name }) => [id, name?.replace(TOOL, '') ?? '']))
  const results = calls.filter(({ type }) => type === 'tool_result')
  return new Map(results.map(({ tool_use_id, content }) => [nameOf.get(tool_use_id) ?? '', textOf(content)]))
}

function textOf(content: Call['content']): string {
  return typeof content === 'string' ? content : (content ?? []).map(({ text }) => text ?? '').join('\n')
}

for (const [host, options] of Object.entries({ current: strict, older })) {
  story(`reads the memory in print mode without a question on the ${host} host`, options, async (world, id8) => {
    const before = requestsOf(world, 'main').length
    for (const mode of ['default', 'dontAsk', 'plan']) {
      readEverything(world)
      const run = await world.print('what was that?', { args: ['--permission-mode', mode] })
      expect([mode, run.result, run.stderr]).toEqual([mode, 'Now I know.', ''])
      expectAnswers(world, id8)
      // Memory must not feed on itself: the calls are kept, their results are not.
      const calls = told(world, run.sessionId).filter((entry) => entry.startsWith(TOOL))
      expect(calls.map((call) => call.replace(TOOL, '').split(' ')[0])).toEqual(READING)
      for (const call of calls) expect(call).not.toContain('→')
    }
    if (host === 'current') expectLoaded(requestsOf(world, 'main').slice(before))
    expect(world.model.unscripted()).toBe(0)
    await expectComplete(world, 4)
  })
}

/** The model is shown one tool, and the others once it asks for them. */
function expectLoaded([first, , loaded]: readonly ModelRequest[]): void {
  expect(ours(first)).toEqual(['search_memory'])
  for (const tool of DEFERRED) expect(first?.text.split('\n')).toContain(`${TOOL}${tool}`)
  expect(ours(loaded)).toEqual(READING.toSorted())
}

function ours(request: ModelRequest | undefined): string[] {
  const tools = request?.tools.filter((name) => name.startsWith(TOOL)) ?? []
  return tools.map((name) => name.slice(TOOL.length)).sort()
}

for (const [host, options] of Object.entries({ current: strict, older })) {
  story(`reads the memory in the terminal without a question on the ${host} host`, options, async (world, id8) => {
    const terminal = await world.terminal({ args: ['--permission-mode', 'plan'] })
    for (const mode of host === 'older' ? ['plan'] : ['plan', 'default']) {
      if (mode === 'default') await leavePlanMode(terminal)
      readEverything(world)
      await terminal.say('what was that?')
      expect(terminal.screen()).toContain('Now I know.')
      expect(terminal.screen()).not.toMatch(ASKED)
      expectAnswers(world, id8)
    }
    await terminal.exit()
    expect(world.model.unscripted()).toBe(0)
    await expectNothingLeft(world)
  })
}

/** Shift+Tab goes through the modes. */
async function leavePlanMode(terminal: Terminal): Promise<void> {
  expect(terminal.screen()).toContain('plan mode on')
  while (/(?:plan|auto|bypass permissions) mode on|accept edits on/.test(terminal.screen())) await terminal.key('BTab')
}

story('search answers two sessions at once, from an index that nobody has made yet', strict, async (world) => {
  rmSync(cacheOf(world), { recursive: true })
  const query = { query: 'login tokens' }
  world.model.script(({ toolResults }) => (toolResults.length === 0 ? reads('search_memory', query) : says('Found.')))
  const runs = await Promise.all([world.print('look it up'), world.print('look that up')])

  expect(runs.map(({ result, stderr }) => [result, stderr])).toEqual(runs.map(() => ['Found.', '']))
  const answers = requestsOf(world, 'main').flatMap(({ toolResults }) => toolResults)
  const found = answers.filter((answer) => answer.includes('Best first'))
  expect(found).toHaveLength(2)
  for (const answer of found) expect(answer).toContain(JWT_ANSWER)
  await expectComplete(world, 3)
})

story('search answers after its index was deleted, and its server ends with a killed host', strict, async (world) => {
  world.model.script([
    reads('search_memory', { query: 'login tokens' }),
    says('Found.'),
    reads('search_memory', { query: 'retry cache' }),
    says('Found again.'),
    reads('search_memory', { query: 'lighthouse' }),
    says('And again.'),
  ])
  const talk = world.stream()
  await talk.say('look it up')
  rmSync(cacheOf(world), { recursive: true })
  await talk.say('and the other')
  rmSync(cacheOf(world), { recursive: true, force: true })
  expect((await talk.say('and the third')).result).toBe('And again.')
  expect(world.processes().filter(({ command }) => command.includes('mcp.cjs'))).toHaveLength(1)
  await talk.kill()

  const answers = requestsOf(world, 'main').flatMap(({ toolResults }) => toolResults)
  const found = answers.filter((answer) => answer.includes('Best first'))
  expect(found).toEqual([
    expect.stringContaining(JWT_ANSWER),
    expect.stringContaining(RETRY_ANSWER),
    expect.stringContaining('red and white stripes'),
  ])
  await expectNothingLeft(world)
  // It is there again for the next one.
  expect(existsSync(cacheOf(world))).toBe(true)
})

function cacheOf(world: World): string {
  return join(world.home, '.cache', 'memory-keeper')
}
