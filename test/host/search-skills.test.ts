/** The skills that search: typed by a user, taken literally, and of the search nothing but its answer reaches the conversation. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { expectNothingLeft, patient } from './support/memory.ts'
import { requestsOf } from './support/notes.ts'
import { JWT_ANSWER, liveThroughThePast, RETRY_ANSWER } from './support/past.ts'
import type { ModelRequest } from './support/request.ts'
import { searchesFor, TOOL } from './support/searcher.ts'
import { story } from './support/story.ts'
import { says, uses } from './support/turn.ts'
import type { World } from './support/world.ts'

/** Nothing of ours is allowed: whatever asks is denied in print mode, and on the screen of a terminal. */
const strict = { ...patient, permissionMode: 'default', allowedTools: ['Bash(echo *)', 'Write'] }
const older = { ...strict, host: 'older' } as const
const ANSWER = 'It lives in Redis for 90 seconds [2026-01-13].'
const ASKED = /Do you want|requested permissions|haven't granted|permission/i

interface Skill {
  typed: string
  /** As it must arrive. */
  words: string
  query: string
  /** What the agent reads in the memory. */
  known: string
}

/** Every sign that means something to a shell, to the host or to a skill. */
function tricky(world: World): Skill {
  const words = `what did we decide about the "retry" cache? $(touch ${trap(world)}) \`touch ${trap(world)}\` ; it's $HOME 캐시`
  return { typed: `/memory-keeper:search-memory ${words}`, words, query: 'retry cache', known: RETRY_ANSWER }
}

function context(): Skill {
  const words = 'src/auth/jwt.ts'
  return { typed: `/memory-keeper:memory-context ${words}`, words, query: words, known: JWT_ANSWER }
}

function trap(world: World): string {
  return join(world.dir, 'executed')
}

/** The forked agent is a small model with our reading tools; it gets the words as they were typed, and finds what is known. */
function expectSearched(world: World, { words, known }: Skill): void {
  const [first, ...others] = requestsOf(world, 'subagent')
  expect(first?.model).toContain('haiku')
  expect(first?.tools.filter((name) => !name.startsWith(TOOL) && name !== 'Read')).toEqual([])
  expect(first?.tools).toContain(`${TOOL}search_memory`)
  expect(first?.text).toContain(words)
  expect(others.map(({ toolResults }) => toolResults.join()).join('\n')).toContain(known)
  expect(others.flatMap(({ toolResults }) => toolResults).join('\n')).not.toMatch(ASKED)
  expect(existsSync(trap(world))).toBe(false)
}

function expectOnlyAnswer(request: ModelRequest | undefined): void {
  expect(request?.text).toContain(ANSWER)
  expect(request?.text).not.toContain('Best first')
  expect(request?.text).not.toContain('get_memory and its id')
}

for (const [host, options] of Object.entries({ current: strict, older })) {
  for (const [name, skill] of Object.entries({ 'search-memory': tricky, 'memory-context': context })) {
    story(`answers /memory-keeper:${name} in print mode on the ${host} host`, options, async (world) => {
      await liveThroughThePast(world)
      const before = requestsOf(world, 'main').length
      const asked = skill(world)
      world.model.onSubagent(searchesFor(asked.query, ANSWER))
      const run = await world.print(asked.typed)

      expect([run.result, run.stderr]).toEqual([ANSWER, ''])
      expectSearched(world, asked)
      // The model of the conversation is not asked at all.
      expect(requestsOf(world, 'main')).toHaveLength(before)
      world.model.script([says('You are welcome.')])
      await world.print('thank you', { resume: run.sessionId })
      expectOnlyAnswer(requestsOf(world, 'main').at(-1))
      await expectNothingLeft(world)
    })

    story(`answers /memory-keeper:${name} in the terminal of the ${host} host`, options, async (world) => {
      await liveThroughThePast(world)
      const asked = skill(world)
      world.model.script([says('Good morning.'), says('You are welcome.')])
      world.model.onSubagent(searchesFor(asked.query, ANSWER))
      const terminal = await world.terminal()
      await terminal.say('good morning')
      const before = requestsOf(world, 'main').length
      await terminal.say(asked.typed)

      expect(terminal.screen()).toContain(ANSWER)
      expect(terminal.screen()).not.toMatch(ASKED)
      expectSearched(world, asked)
      expect(requestsOf(world, 'main')).toHaveLength(before)
      await terminal.say('thank you')
      await terminal.exit()
      expectOnlyAnswer(requestsOf(world, 'main').at(-1))
      await expectNothingLeft(world)
    })
  }

  story(`lets Claude load what is known about a file on the ${host} host`, options, async (world) => {
    await liveThroughThePast(world)
    world.model.script([
      uses('Skill', { skill: 'memory-keeper:memory-context', args: 'src/auth/jwt.ts' }),
      says('I see what was done.'),
    ])
    world.model.onSubagent(searchesFor('src/auth/jwt.ts', ANSWER))
    const run = await world.print('work on the login')

    expect(run.result).toBe('I see what was done.')
    expectSearched(world, context())
    const last = requestsOf(world, 'main').at(-1)
    expectOnlyAnswer(last)
    // Searching with a skill is for people: Claude has the tool.
    expect(last?.text).toContain('- memory-keeper:memory-context:')
    expect(last?.text).not.toContain('- memory-keeper:search-memory:')
    await expectNothingLeft(world)
  })
}
