/** Do two builds behave the same? Plays recorded scenarios with each of them and compares: `npm run bench -- same <another dist>`. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { play } from './support/same-play.ts'
import { createWorld, type World } from './support/same-world.ts'

const SCENARIOS = path.join(import.meta.dirname, 'same')
const OWN = path.resolve('plugin', 'dist')
/** What differs between two runs of the same programs: numbers of processes and files, measured times, the size of the search index. */
const PASSING: readonly (readonly [RegExp, string])[] = [
  [/(?<="id":"\d{8}_\d{6}-)\d+(?=-\d+")/g, 'PID'],
  [/(?<=\.git\/index \d+ [\d.]+ )\d+/g, 'INODE'],
  [/(?<=answers \()\d+(?= ms with its end\))/g, 'MS'],
  [/(?<="ms":)\d+(?:\.\d+)?/g, 'MS'],
  [/(?<="engine":"\w+","bytes":|"memory":\d+,"index":)\d+/g, 'BYTES'],
]
const MOST = { differences: 40, lines: 3, chars: 80 }

async function main(other: string): Promise<boolean> {
  // In memory, where the system has such a place: our programs wait for the disk after every write.
  const dir = realpathSync(mkdtempSync(path.join(existsSync('/dev/shm') ? '/dev/shm' : os.tmpdir(), 'mk-same-')))
  const scenarios = readdirSync(SCENARIOS).map((name) => readFileSync(path.join(SCENARIOS, name), 'utf8'))
  const port = 20_000 + (process.pid % 10_000)
  const runs: World[][] = []
  process.once('exit', () => rmSync(dir, { recursive: true, force: true }))
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
  for (const dist of [path.resolve(other), OWN]) {
    const worlds = scenarios.map((_, i) => createWorld(path.join(dir, String(i)), dist))
    await Promise.all(worlds.map((world, i) => play(world, scenarios[i] ?? '', port + i)))
    for (const { base } of worlds) rmSync(base, { recursive: true })
    runs.push(worlds)
  }
  const [before = [], after = []] = runs
  const wrong = [...unused(scenarios.join('\n'), after), ...after.flatMap(({ surprises }) => surprises)]
  for (const one of wrong) console.log(`The scenario is not played as it is written: ${one}\n`)
  return report(before, after) && wrong.length === 0
}

/** Commands, events and tools that no scenario uses. */
function unused(scenario: string, worlds: readonly World[]): string[] {
  const { hooks } = JSON.parse(readFileSync('plugin/hooks/hooks.json', 'utf8')) as { hooks: object }
  const printed = worlds.flatMap(({ steps }) => steps.map(({ outcome }) => outcome.get('stdout'))).join('\n')
  const commands = readFileSync('docs/CLI.md', 'utf8').matchAll(/^## ([\w -]*\w)/gm)
  const tools = new Set(Array.from(printed.matchAll(/"name":"(\w+)","title"/g), ([, name]) => name))
  const wanted = [
    ...Array.from(commands, ([, name]) => `^\\$\\+? ${name}\\b`),
    ...Object.keys(hooks).map((name) => `^hook \\d+ ${name} `),
    ...Array.from(tools, (name) => `^mcp tools/call \\{"name":"${name}"`),
  ]
  return wanted.filter((one) => !new RegExp(one, 'm').test(scenario)).map((one) => `no line matches ${one}`)
}

function report(before: readonly World[], after: readonly World[]): boolean {
  const found = after.flatMap(({ steps }, i) => {
    const count = Math.max(steps.length, before[i]?.steps.length ?? 0)
    return Array.from({ length: count }, (_, n) => compare(before[i]?.steps[n], steps[n], n)).flat()
  })
  for (const one of found.slice(0, MOST.differences)) console.log(`${one}\n`)
  const steps = after.flatMap((world) => world.steps)
  const files = steps.flatMap(({ outcome }) => [...outcome.keys()].filter((key) => /^\w[^?]*\//.test(key)))
  console.log(
    `${steps.length} steps, ${new Set(files).size} files in ${files.length} versions: ${found.length} differences`,
  )
  return found.length === 0
}

function compare(old: World['steps'][0] | undefined, own: World['steps'][0] | undefined, n: number): string[] {
  const parts = new Set([...(old?.outcome.keys() ?? []), ...(own?.outcome.keys() ?? [])])
  return [...parts].flatMap((part) => {
    const lines = diff(plain(old?.outcome.get(part)), plain(own?.outcome.get(part)))
    return lines.length === 0 ? [] : [[`step ${n + 1}: ${own?.name ?? old?.name} · ${part}`, ...lines].join('\n')]
  })
}

function plain(text = 'nothing'): string[] {
  return PASSING.reduce((said, [pattern, word]) => said.replace(pattern, word), text).split('\n')
}

/** The first lines that differ, each around the first character that does. */
function diff(old: readonly string[], own: readonly string[]): string[] {
  const pairs = Array.from(
    { length: Math.max(old.length, own.length) },
    (_, i) => [old[i] ?? '', own[i] ?? ''] as const,
  )
  const other = pairs.filter(([a, b]) => a !== b)
  const shown = other.slice(0, MOST.lines).flatMap(([a, b]) => {
    const at = [...a].findIndex((char, i) => char !== b[i])
    const [from, to] = at < 0 ? [0, MOST.chars] : [Math.max(0, at - MOST.chars), at + MOST.chars]
    return [`  - ${a.slice(from, to)}`, `  + ${b.slice(from, to)}`]
  })
  return other.length > MOST.lines ? [...shown, `  … and ${other.length - MOST.lines} more lines`] : shown
}

const [other] = process.argv.slice(2)
if (other === undefined) console.log('Name the directory of another plugin/dist: npm run bench -- same <dir>')
process.exitCode = other !== undefined && (await main(other)) ? 0 : 1
