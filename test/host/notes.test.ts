/** From tool uses to a note: the background child, its notice, and the note made by code where no model may be called. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { expectComplete, expectNothingLeft, expectQuiet, expectUntouched, patient } from './support/memory.ts'
import {
  callsOf,
  expectAllNoted,
  instructionChars,
  notesOf,
  onlySessionState,
  readMemoryFile,
  requestsOf,
} from './support/notes.ts'
import type { ModelRequest } from './support/request.ts'
import { story } from './support/story.ts'
import { PROSE, works } from './support/summariser.ts'
import { says } from './support/turn.ts'
import type { World, WorldOptions } from './support/world.ts'

const auto = { ...patient, settings: {}, isModelNoticed: true }
const NOTE = 'The user asked for a count in steps; echo step-1 up to echo step-3 were run. Nothing is open.'
/** The interval of the settings, and one for the other stories. */
const STEPS = 25
const FEW = 3
/** Of 3.5 characters: what a request may hold besides the delta. */
const MAX_TOKENS = 900
const often = { ...auto, settings: { saveInterval: FEW } }

function cost(world: World): void {
  const [call, ...others] = callsOf(world)
  expect(others.map(({ kind, ok }) => [kind, ok])).toEqual([['audit', true]])
  expect(call).toMatchObject({ ok: true, why: null, tokens: { input: 1234, output: expect.any(Number) } })
  expect(call?.costUsd).toBeGreaterThan(0)
}

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

for (const [host, steps, options] of [
  ['current', STEPS, auto],
  ['older', FEW, { ...often, host: 'older', isSpotCheck: true }],
] satisfies [string, number, WorldOptions][]) {
  story(
    `notes ${steps} tool uses by a small child, alone and without a trace, on the ${host} host`,
    options,
    async (world) => {
      const witnessed = plantWitnesses(world)
      world.model.script(works(steps, 'Counted.'))
      world.model.onChild([says(NOTE, { usage: { input_tokens: 1234 } })])
      const history = join(world.home, '.claude', 'history.jsonl')
      const run = await world.print('count in steps')

      expect([run.exitCode, run.result, run.stderr]).toEqual([0, 'Counted.', ''])
      await expectChildsNote(world)
      cost(world)
      expect(requestsOf(world, 'main')).toHaveLength(steps + 1)
      expect(world.model.unscripted()).toBe(0)
      const [child, ...others] = requestsOf(world, 'child')
      expect(others).toEqual([])
      for (const { tools } of [...requestsOf(world, 'child'), ...requestsOf(world, 'audit')])
        expect(tools.filter((name) => name !== 'DeferredToolPlaceholder')).toEqual(['StructuredOutput'])
      expect(child?.model).toContain('haiku')
      expect(instructionChars(child as ModelRequest) / 3.5).toBeLessThanOrEqual(MAX_TOKENS)
      expect(child?.text).toContain(`[Tool: Bash] echo step-${steps}`)
      expect(requestsOf(world, 'audit').map(({ text }) => text.includes(`claim 1: ${NOTE}`))).toEqual([true])
      expect(`${child?.system}${child?.text}`).not.toMatch(/periwinkle|mk-world-\w+\/project/)
      expect(requestsOf(world, 'main')[0]?.text).toContain('periwinkle')
      // The witnesses saw the session, and nobody else.
      expect(witnessed()).toContain('SessionStart child=undefined')
      expect(witnessed()).toContain('mcp child=undefined')
      expect(witnessed()).not.toContain('child=1')
      expect(world.transcripts().map((path) => path.includes(run.sessionId))).toEqual([true])
      expect(existsSync(history) ? readFileSync(history, 'utf8') : '').not.toContain('note about this piece')
    },
  )
}

async function expectChildsNote(world: World): Promise<void> {
  await expectComplete(world, 1)
  expectAllNoted(world)
  const [note] = notesOf(world)
  expect([note?.author, note?.text, note?.from]).toEqual(['headless', NOTE, 0])
  expect(readMemoryFile(world, 'memory.md')).toMatch(
    /## \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC \([^)]+\)\n<!-- note n-\w{8}-0-\d+ session=\w{8} entries=0-\d+ author=headless at=\S+ -->\n/,
  )
  expect(readMemoryFile(world, 'delta_temp.txt')).toBe('')
  expectUntouched(world)
}

story(
  'the finisher notes in the background while the terminal stays open, and shows nothing of it',
  often,
  async (world) => {
    world.model.script([...works(FEW, 'Counted.'), says('Welcome.')])
    world.model.onChild([says(NOTE, { usage: { input_tokens: 1234 } })])
    const terminal = await world.terminal()
    await terminal.say('count in steps')
    await world.until('the note', () => notesOf(world).length > 0)
    await expectOnlyHost(world)
    expect(onlySessionState(world).watermark).toBe(FEW + 2)
    expectQuiet(terminal.screen())
    cost(world)
    await terminal.say('thanks')
    expectQuiet(terminal.screen())
    expect(await terminal.exit()).toBe(0)
    expectQuiet(terminal.screen())

    await expectComplete(world, 1)
    expectAllNoted(world)
    expect(notesOf(world).map(({ author, text }) => [author, text])).toEqual([
      ['headless', NOTE],
      // So little that no model is asked for it.
      ['extractive', expect.stringContaining('thanks')],
    ])
    expectUntouched(world)
    expect(requestsOf(world, 'main')).toHaveLength(FEW + 2)
    expect(world.model.unscripted()).toBe(0)
  },
)

/** The finisher and its child are done; the host and the server it started go on. */
async function expectOnlyHost(world: World): Promise<void> {
  await world.until('the finisher to end', () => !world.processes().some(({ command }) => /keeper\.cjs/.test(command)))
}

const untold = { ...often, isModelNoticed: false }

story('the finisher calls no model before the user saw once, in a terminal, what it costs', untold, async (world) => {
  world.model.script([...works(FEW, 'Counted.'), says(PROSE)])
  world.model.onChild(() => says('The user greeted the assistant, which told about the quay.'))
  const run = await world.print('count in steps')
  expect([run.result, run.stderr]).toEqual(['Counted.', ''])
  await expectComplete(world, 1)
  expectAllNoted(world)
  const byCode = notesOf(world).map(() => 'extractive')
  expect(notesOf(world).map(({ author }) => author)).toEqual(byCode)
  expect(notesOf(world)[0]?.text).toContain('count in steps')
  expect(requestsOf(world, 'child')).toEqual([])
  expect(callsOf(world)).toEqual([])

  const first = await world.terminal()
  await first.waitFor(/Memory Keeper records your sessions as plain files/)
  expect(squeeze(first.screen())).toContain('memory-keeper:runconfigsetsummarizerextractive')
  await first.say('hello')
  await first.exit()
  await expectNothingLeft(world)
  const second = await world.terminal()
  expectQuiet(second.screen())
  await second.exit()

  await expectComplete(world, 2)
  expectAllNoted(world)
  expect(notesOf(world).map(({ author }) => author)).toEqual([...byCode, 'headless'])
  expectUntouched(world)
})

function squeeze(shown: string): string {
  return shown.replace(/\s+/g, '')
}
