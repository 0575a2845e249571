/** What does a user feel in the real host? 40 tool calls in one turn, prompts, stops and starts: no plugin, a bare `node -e 0` hook, Memory Keeper. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { says, uses } from '../test/host/support/turn.ts'
import { createWorld, type World } from '../test/host/support/world.ts'

const ROUNDS = Number(process.argv[2] ?? 5)
const CALLS = 40
const PROMPTS = 6
const dir = mkdtempSync(path.join(os.tmpdir(), 'mk-bench-'))

interface Felt {
  start: number[]
  tool: number[]
  prompt: number[]
  stop: number[]
  exit: number[]
}

const felt = new Map<string, Felt>()
const variants: [name: string, plugin: boolean | string][] = [
  ['no plugin', false],
  ['node -e 0 on the same events', barePlugin()],
  ['Memory Keeper', true],
]

/** One home for each, as a user has: only the first session finds nothing of ours, and it is not counted. */
const worlds = new Map<string, World>()

try {
  for (const [name, plugin] of variants) worlds.set(name, await createWorld({ host: 'current', plugin }))
  for (let round = -1; round < ROUNDS; round++) {
    for (const [name, world] of worlds) {
      if (round === 0) felt.delete(name)
      await oneSession(name, world)
    }
  }
  console.log(`node ${process.version}, Claude Code 2.1.325, ${ROUNDS} sessions each, in turn; medians in ms\n`)
  console.log(
    '| | start to first request | per tool call | prompt to request | answer to result (Stop) | end of session |',
  )
  console.log('|---|--:|--:|--:|--:|--:|')
  for (const [name, times] of felt) {
    const cells = [times.start, times.tool, times.prompt, times.stop, times.exit].map((all) => median(all).toFixed(1))
    console.log(`| ${name} | ${cells.join(' | ')} |`)
  }
  const bare = felt.get('node -e 0 on the same events')
  const ours = felt.get('Memory Keeper')
  const none = felt.get('no plugin')
  if (bare && ours && none) {
    console.log(
      `\nMemory Keeper against the bare hook: start ${ratio(ours.start, bare.start)}, prompt ${ratio(ours.prompt, bare.prompt)}, Stop ${ratio(ours.stop, bare.stop)}`,
    )
    console.log(
      `a tool call against no plugin: ${ratio(ours.tool, none.tool)} (${spread(none.tool)} without, ${spread(ours.tool)} with: p25–p75 ms)`,
    )
  }
} finally {
  for (const world of worlds.values()) await world.end()
  rmSync(dir, { recursive: true, force: true })
}

async function oneSession(name: string, world: World): Promise<void> {
  const times = felt.get(name) ?? { start: [], tool: [], prompt: [], stop: [], exit: [] }
  felt.set(name, times)
  const asked: number[] = []
  let left = CALLS
  world.model.script(() => {
    asked.push(performance.now())
    // At once: the time of a model is none of ours.
    return left-- > 0 ? uses('Bash', { command: `echo check ${left}` }) : { ...says('Done.'), delayMs: 0 }
  })
  const began = performance.now()
  const talk = world.stream()
  await talk.say('Run the forty checks.')
  times.start.push((asked[0] ?? 0) - began)
  for (let i = 1; i < asked.length; i++) times.tool.push((asked[i] ?? 0) - (asked[i - 1] ?? 0))
  for (let n = 0; n < PROMPTS; n++) {
    const before = asked.length
    const said = performance.now()
    await talk.say(`And number ${n}?`)
    times.prompt.push((asked[before] ?? 0) - said)
    times.stop.push(performance.now() - (asked.at(-1) ?? 0))
  }
  const ending = performance.now()
  await talk.end()
  times.exit.push(performance.now() - ending)
  // What goes on behind it must not run beside the next one.
  await world.until('the finisher', () => world.processes().length === 0)
}

function barePlugin(): string {
  const plugin = path.join(dir, 'bare')
  mkdirSync(path.join(plugin, '.claude-plugin'), { recursive: true })
  mkdirSync(path.join(plugin, 'hooks'), { recursive: true })
  writeFileSync(path.join(plugin, '.claude-plugin', 'plugin.json'), JSON.stringify({ name: 'bare', version: '0.0.1' }))
  const hook = [{ hooks: [{ type: 'command', command: 'node', args: ['-e', '0'] }] }]
  writeFileSync(
    path.join(plugin, 'hooks', 'hooks.json'),
    JSON.stringify({ hooks: { SessionStart: hook, UserPromptSubmit: hook, Stop: hook, SessionEnd: hook } }),
  )
  return plugin
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}

function ratio(ours: readonly number[], theirs: readonly number[]): string {
  return `${(median(ours) / median(theirs)).toFixed(2)} ×`
}

function spread(values: readonly number[]): string {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (share: number): string => (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(0)
  return `${at(0.25)}–${at(0.75)}`
}
