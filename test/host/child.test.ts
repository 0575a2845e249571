/** The headless child: one at a time, small, alone, without a trace, and alive when the one who started it has gone. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { notesIn } from '../../src/memory/note.ts'
import { expectComplete, expectNothingLeft, expectQuiet, patient } from './support/memory.ts'
import { callsOf, expectAllNoted, instructionChars, notesOf, requestsOf } from './support/notes.ts'
import type { ModelRequest } from './support/request.ts'
import { story } from './support/story.ts'
import { works } from './support/summariser.ts'
import { says } from './support/turn.ts'
import type { World } from './support/world.ts'

const auto = { ...patient, settings: { saveInterval: 3 }, isModelNoticed: true }
const NOTE = 'The user asked for steps, and echo step-1 up to echo step-3 were run. Nothing is open.'
/** Of 3.5 characters: what a request may hold besides the delta. */
const MAX_TOKENS = 900

story('asks one child at a time, whoever wants one', auto, async (world) => {
  const other = join(world.dir, 'other')
  mkdirSync(other)
  execFileSync('git', ['init', '--quiet'], { cwd: other, env: { HOME: world.home, PATH: '/usr/bin:/bin' } })
  world.model.script(({ toolResults }) => {
    const step = Number(/step-(\d)/.exec(toolResults.join(''))?.[1] ?? 0)
    return works(3, 'Taken.')[step] ?? says('Taken.')
  })
  world.model.onChild(() => says(NOTE, { delayMs: 1_500 }))
  const runs = await Promise.all([
    world.print('take three steps'),
    world.print('take three steps once more'),
    world.print('take three steps elsewhere', { cwd: other }),
  ])

  expect(runs.map(({ result, stderr }) => [result, stderr])).toEqual(runs.map(() => ['Taken.', '']))
  await expectComplete(world, 2)
  const asked = requestsOf(world, 'child')
  expect(asked.length).toBeGreaterThanOrEqual(3)
  for (const [i, { at }] of asked.entries()) expect(at).toBeGreaterThanOrEqual(asked[i - 1]?.endedAt ?? 0)
  expectAllNoted(world)
  const elsewhere = notesIn(readFileSync(join(other, '.claude', 'memory', 'memory.md'), 'utf8'))
  expect([...notesOf(world), ...elsewhere].map(({ text }) => text)).toEqual(asked.map(() => NOTE))
})

/** A hook, a server and instructions of the user's own, which tell when a child of ours gets to see them. */
function plantWitnesses(world: World): () => string {
  const log = join(world.dir, 'witness.log')
  const script = join(world.dir, 'witness.mjs')
  world.write(
    script,
    `import { appendFileSync } from 'node:fs'\nappendFileSync(${JSON.stringify(log)}, process.argv[2] + ' child=' + process.env.MEMORY_KEEPER_CHILD + '\\n')\n`,
  )
  const hook = (event: string) => [{ hooks: [{ type: 'command', command: `node ${script} ${event}` }] }]
  const events = ['SessionStart', 'UserPromptSubmit', 'Stop', 'SessionEnd']
  world.write(
    join(world.home, '.claude', 'settings.json'),
    JSON.stringify({ hooks: Object.fromEntries(events.map((event) => [event, hook(event)])) }),
  )
  const about = join(world.home, '.claude.json')
  const user = JSON.parse(readFileSync(about, 'utf8')) as object
  const mcpServers = { witness: { type: 'stdio', command: 'node', args: [script, 'mcp'] } }
  world.write(about, JSON.stringify({ ...user, mcpServers }))
  world.write(join(world.home, '.claude', 'CLAUDE.md'), 'The word of the day is periwinkle.\n')
  return () => (existsSync(log) ? readFileSync(log, 'utf8') : '')
}

for (const host of ['current', 'older'] as const) {
  story(
    `runs a small child alone and leaves no trace of it on the ${host} host`,
    { ...auto, host, isSpotCheck: true },
    async (world) => {
      const witnessed = plantWitnesses(world)
      world.model.script(works(3, 'Taken.'))
      world.model.onChild([says(NOTE)])
      const history = join(world.home, '.claude', 'history.jsonl')
      const run = await world.print('take three steps')
      await expectNothingLeft(world)

      const [child, ...others] = requestsOf(world, 'child')
      expect(others).toEqual([])
      for (const { tools } of [...requestsOf(world, 'child'), ...requestsOf(world, 'audit')])
        expect(tools.filter((name) => name !== 'DeferredToolPlaceholder')).toEqual(['StructuredOutput'])
      expect(child?.model).toContain('haiku')
      expect(instructionChars(child as ModelRequest) / 3.5).toBeLessThanOrEqual(MAX_TOKENS)
      expect(child?.text).toContain('[Tool: Bash] echo step-3')
      expect(requestsOf(world, 'audit').map(({ text }) => text.includes(`claim 1: ${NOTE}`))).toEqual([true])
      expect(`${child?.system}${child?.text}`).not.toMatch(/periwinkle|mk-world-\w+\/project/)
      expect(requestsOf(world, 'main')[0]?.text).toContain('periwinkle')
      // The witnesses saw the session, and nobody else.
      expect(witnessed()).toContain('SessionStart child=undefined')
      expect(witnessed()).toContain('mcp child=undefined')
      expect(witnessed()).not.toContain('child=1')
      expect(world.transcripts().map((path) => path.includes(run.sessionId))).toEqual([true])
      expect(existsSync(history) ? readFileSync(history, 'utf8') : '').not.toContain('note about this piece')
      expect(notesOf(world).map(({ author }) => author)).toEqual(['headless'])
      await expectComplete(world, 1)
    },
  )
}

/** Slow enough for whoever started it to be gone. */
const slowly = { delayMs: 3_000 }

async function expectNoteLater(world: World): Promise<void> {
  expect(notesOf(world)).toEqual([])
  await expectComplete(world, 1)
  expectAllNoted(world)
  expect(notesOf(world)[0]).toMatchObject({ author: 'headless', text: NOTE })
  expect(callsOf(world)[0]).toMatchObject({ ok: true })
}

story('goes on when print mode has ended', auto, async (world) => {
  world.model.script(works(3, 'Taken.'))
  world.model.onChild(() => says(NOTE, slowly))
  const run = await world.print('take three steps')

  expect([run.exitCode, run.result, run.stderr]).toEqual([0, 'Taken.', ''])
  await expectNoteLater(world)
})

const late = { ...auto, settings: {} }

for (const way of ['exit', 'close'] as const) {
  story(`goes on after the terminal's ${way}`, late, async (world) => {
    world.model.script(works(3, 'Taken.'))
    world.model.onChild(() => says(NOTE, slowly))
    const terminal = await world.terminal()
    await terminal.say('take three steps')
    await terminal[way]()
    expectQuiet(terminal.screen())

    await expectNoteLater(world)
  })
}

story('logs in with the key helper of a user who has one', auto, async (world) => {
  world.write(join(world.home, '.claude', 'settings.json'), JSON.stringify({ apiKeyHelper: 'echo helper-key' }))
  world.model.script(works(3, 'Taken.'))
  world.model.onChild([says(NOTE)])
  await world.print('take three steps', { env: { ANTHROPIC_API_KEY: '' } })

  await expectComplete(world, 1)
  expect(requestsOf(world, 'child').map(({ headers }) => headers['x-api-key'])).toEqual(['helper-key'])
  expect(notesOf(world).map(({ author }) => author)).toEqual(['headless'])
})

const spent = { ...auto, settings: { saveInterval: 3, modelCallsPerDay: 0 } }

story('asks no model beyond the daily limit, and notes by code', spent, async (world) => {
  world.model.script(works(3, 'Taken.'))
  await world.print('take three steps')

  await expectComplete(world, 1)
  expectAllNoted(world)
  expect(requestsOf(world, 'child')).toEqual([])
  expect(notesOf(world).map(({ author }) => author)).toEqual(['extractive'])
})
