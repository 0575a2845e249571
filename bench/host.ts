/**
 * What does a user feel in the real host? 40 tool calls in one turn, prompts, stops, starts and ends: no plugin, a bare `node -e 0` hook on
 * the same events, version 0.5.1, this one; in turn, in one run. Then a session of each in which every process of ours tells what it cost.
 * `-- host 5`: five sessions each. `-- host 5 100000`: with so many entries remembered, and prompts that ask for them.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { readHookTimes } from '../src/core/receipts/disk/journal.ts'
import { openStore } from '../src/kernel/memory/disk/store.ts'
import { locate } from '../src/kernel/platform/disk/locate.ts'
import { says, uses } from '../test/host/support/turn.ts'
import { createWorld, type RunOptions, type World } from '../test/host/support/world.ts'
import { generate } from './support/generated.ts'
import { cleanEnv } from './support/measure.ts'

const ROUNDS = Number(process.argv[2] ?? 5)
const ENTRIES = Number(process.argv[3] ?? 0)
const CALLS = 40
const PROMPTS = 6
/** Sessions that are not counted: the first finds nothing of ours, the second keeps what was compiled. */
const WARM_UP = 2
/** The last commit of 0.5.1 that changed its programs. */
const RELEASE = '047d939'
const [NONE, BARE, OLD, OURS] = ['no plugin', 'node -e 0 on the same events', '0.5.1', 'this version'] as const
const dir = mkdtempSync(path.join(os.tmpdir(), 'mk-bench-'))
const now = (): string => new Date().toISOString()

const PARTS = ['start', 'tool', 'prompt', 'stop', 'exit'] as const
type Felt = Record<(typeof PARTS)[number], number[]>

/** What all processes of a plugin took in one session. */
interface Cost {
  cpuMs: number
  largestMb: number
  serverMb: number
  processes: number
}

const plugins: [name: string, plugin: boolean | string][] = [
  [NONE, false],
  [BARE, barePlugin()],
  [OLD, releasedPlugin()],
  [OURS, true],
]
const felt = new Map<string, Felt>(
  plugins.map(([name]) => [name, { start: [], tool: [], prompt: [], stop: [], exit: [] }]),
)
const costs = new Map<string, Cost>()
/** One home for each, as a user has. */
const worlds = new Map<string, World>()
let questions: string[] = []

try {
  for (const [name, plugin] of plugins) {
    const world = await createWorld({ host: 'current', plugin })
    worlds.set(name, world)
    if (ENTRIES > 0 && (name === OLD || name === OURS))
      remember(world, plugin === true ? path.resolve('plugin') : String(plugin))
  }
  for (let round = -WARM_UP; round < ROUNDS; round++)
    for (const [name, world] of worlds) await oneSession(name, world, round >= 0)
  for (const [name, world] of worlds) costs.set(name, await oneCost(name, world))
  report()
} finally {
  for (const world of worlds.values()) await world.end()
  rmSync(dir, { recursive: true, force: true })
}

async function oneSession(name: string, world: World, isCounted: boolean, run: RunOptions = {}): Promise<Cost | null> {
  const times = isCounted ? felt.get(name) : undefined
  const asked: number[] = []
  let left = CALLS
  world.model.script(() => {
    asked.push(performance.now())
    // At once: the time of a model is none of ours.
    return left-- > 0 ? uses('Bash', { command: `echo check ${left}` }) : { ...says('Done.'), delayMs: 0 }
  })
  const began = performance.now()
  const talk = world.stream(run)
  await talk.say('Run the forty checks.')
  times?.start.push((asked[0] ?? 0) - began)
  for (let i = 1; i < asked.length; i++) times?.tool.push((asked[i] ?? 0) - (asked[i - 1] ?? 0))
  for (let n = 0; n < PROMPTS; n++) {
    const before = asked.length
    const said = performance.now()
    await talk.say(questions.length === 0 ? `And number ${n}?` : `where did we put ${nextQuestion()}?`)
    times?.prompt.push((asked[before] ?? 0) - said)
    times?.stop.push(performance.now() - (asked.at(-1) ?? 0))
  }
  const server = costOfServer(world)
  const ending = performance.now()
  await talk.end()
  times?.exit.push(performance.now() - ending)
  // What goes on behind it must not run beside the next one.
  await world.until('the finisher', () => world.processes().length === 0)
  return server
}

/** Every process tells at its end what it took; the server, which is killed, is looked at before. */
async function oneCost(name: string, world: World): Promise<Cost> {
  const told = path.join(dir, `costs-${worlds.size}-${costs.size}.jsonl`)
  const shim = path.join(dir, 'costs.cjs')
  // Not maxRSS: a new process begins with the peak of the one that started it.
  writeFileSync(
    shim,
    `const fs=require('fs')
process.on('exit',()=>{
  const u=process.resourceUsage()
  const kb=/^VmHWM:\\s+(\\d+)/m.exec(fs.readFileSync('/proc/self/status','utf8'))[1]
  fs.appendFileSync(process.env.MK_COSTS,JSON.stringify([(u.userCPUTime+u.systemCPUTime)/1000,kb/1024])+'\\n')
})`,
  )
  const server = await oneSession(name, world, false, { env: { NODE_OPTIONS: `--require ${shim}`, MK_COSTS: told } })
  const lines = existsSync(told) ? readFileSync(told, 'utf8').trimEnd().split('\n') : []
  const each = lines.map((line) => JSON.parse(line) as [cpuMs: number, mb: number])
  return {
    cpuMs: each.reduce((sum, [ms]) => sum + ms, server?.cpuMs ?? 0),
    largestMb: Math.max(server?.serverMb ?? 0, ...each.map(([, mb]) => mb)),
    serverMb: server?.serverMb ?? 0,
    processes: each.length + (server === null ? 0 : 1),
  }
}

function costOfServer(world: World): Cost | null {
  const server = world.processes().find(({ command }) => command.endsWith('mcp.cjs'))
  if (server === undefined) return null
  const read = (file: string): string => readFileSync(`/proc/${server.pid}/${file}`, 'utf8')
  // Behind the name of the program: in clock ticks, of which there are 100 in a second.
  const fields = read('stat')
    .replace(/^.*\) /s, '')
    .split(' ')
  const serverMb = Number(/^VmHWM:\s+(\d+)/m.exec(read('status'))?.[1] ?? 0) / 1024
  return { cpuMs: (Number(fields[11]) + Number(fields[12])) * 10, largestMb: serverMb, serverMb, processes: 1 }
}

function report(): void {
  const size = ENTRIES === 0 ? '' : `, ${ENTRIES.toLocaleString('en')} entries remembered`
  console.log(`node ${process.version}, Claude Code 2.1.325, ${ROUNDS} sessions each, in turn${size}; medians in ms\n`)
  console.log(
    '| | start to first request | per tool call | prompt to request | answer to result (Stop) | end of session |',
  )
  console.log('|---|--:|--:|--:|--:|--:|')
  for (const [name, times] of felt)
    console.log(`| ${name} | ${PARTS.map((part) => median(times[part]).toFixed(1)).join(' | ')} |`)
  console.log('\n| one session of each | CPU, ms | processes | largest, MB | server, MB |\n|---|--:|--:|--:|--:|')
  for (const [name, { cpuMs, processes, largestMb, serverMb }] of costs)
    console.log(`| ${name} | ${cpuMs.toFixed(0)} | ${processes} | ${largestMb.toFixed(0)} | ${serverMb.toFixed(0)} |`)
  console.log('\n| budget (DESIGN §16) | at most | 0.5.1 | this version |\n|---|--:|--:|--:|')
  row('a tool call, to no plugin', 1.1, (name) => of(name, 'tool') / of(NONE, 'tool'))
  row('start: added, to what the bare hooks add', 1.5, (name) => added(name, 'start'))
  row('prompt: added, to what a bare hook adds', 1.6, (name) => added(name, 'prompt'))
  row('Stop: added, to what a bare hook adds', 1.3, (name) => added(name, 'stop'))
  row('end of session: added to the bare hook, ms', 60, (name) => of(name, 'exit') - of(BARE, 'exit'))
  row('CPU of a session, s', 1.2, (name) => (costs.get(name)?.cpuMs ?? 0) / 1000)
  row('largest process, MB', 130, (name) => costs.get(name)?.largestMb ?? 0)
  console.log(`\na tool call, p25–p75 ms: ${toolSpreads()}`)
  const memory = path.join(worlds.get(OURS)?.projectDir ?? '', '.claude', 'memory')
  const answered = (event: string, by: string): string => {
    const all = readHookTimes(memory).filter((time) => time.event === event)
    return `${all.filter((time) => time.by === by).length} of ${all.length}`
  }
  console.log(
    `prompts answered by the server: ${answered('UserPromptSubmit', 'server')}; starts that were prepared: ${answered('SessionStart', 'prepared')}`,
  )
}

function row(what: string, most: number, measured: (name: string) => number): void {
  const cells = [OLD, OURS].map((name) => {
    const value = measured(name)
    return `${value.toFixed(2)}${value > most ? ' (missed)' : ''}`
  })
  console.log(`| ${what} | ${most} | ${cells.join(' | ')} |`)
}

function of(name: string, part: keyof Felt): number {
  return median(felt.get(name)?.[part] ?? [])
}

function added(name: string, part: keyof Felt): number {
  return (of(name, part) - of(NONE, part)) / (of(BARE, part) - of(NONE, part))
}

function toolSpreads(): string {
  return [...felt].map(([name, { tool }]) => `${name} ${spread(tool)}`).join(', ')
}

/** A memory of this size, indexed by the plugin itself. */
function remember(world: World, plugin: string): void {
  const cacheDir = path.join(world.home, '.cache', 'memory-keeper')
  const store = openStore(locate(world.projectDir, { home: world.home, configDir: undefined, cacheDir }), { now })
  store.prepare()
  const made = generate({ store }, ENTRIES, 4 * (ROUNDS + WARM_UP + 1) * PROMPTS)
  questions = made.queries
  const args = [path.join(plugin, 'dist', 'keeper.cjs'), 'catch-up', world.projectDir]
  const done = spawnSync(process.execPath, args, { env: cleanEnv({ HOME: world.home }), encoding: 'utf8' })
  if (done.status !== 0) throw new Error(done.stderr)
}

function nextQuestion(): string {
  const question = questions.shift() ?? ''
  questions.push(question)
  return question
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

/** From this repository's history. */
function releasedPlugin(): string {
  const archive = path.join(dir, 'released.tar')
  const made = spawnSync('git', ['archive', '--output', archive, RELEASE, 'plugin'], { encoding: 'utf8' })
  const unpacked = spawnSync('tar', ['-xf', archive, '-C', dir], { encoding: 'utf8' })
  if (made.status !== 0 || unpacked.status !== 0) throw new Error(`${made.stderr}${unpacked.stderr}`)
  return path.join(dir, 'plugin')
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}

function spread(values: readonly number[]): string {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (share: number): string => (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(0)
  return `${at(0.25)}–${at(0.75)}`
}
