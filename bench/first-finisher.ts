/**
 * What does the first finisher cost over a history of 100,000 entries that nobody has captured: in a few long sessions, and in many short
 * ones? Beside a bare process that parses every line of the same transcripts. `-- first-finisher 0.1` takes a tenth of the sessions.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { makeWorld, transcriptPath, type World, writeOld } from './support/history.ts'
import { cleanEnv } from './support/measure.ts'
import { sessionId } from './support/sample.ts'
import { table } from './support/score.ts'

const KEEPER = path.resolve(process.env.MK_DIST ?? 'plugin/dist', 'keeper.cjs')
const SHARE = Number(process.argv[2] ?? 1)
const SHAPES = [
  { sessions: 400, turns: 60 },
  { sessions: 7_600, turns: 3 },
]

interface Cost {
  cpuSeconds: number
  seconds: number
  mostMb: number
}

const dir = mkdtempSync(path.join(os.tmpdir(), 'mk-bench-'))
const report = path.join(dir, 'report.cjs')
// Not maxRSS: a new process begins with the peak of the one that started it.
writeFileSync(
  report,
  `const fs = require('fs')
process.on('exit', () => {
  const { user, system } = process.cpuUsage()
  const kb = /^VmHWM:\\s+(\\d+)/m.exec(fs.readFileSync('/proc/self/status', 'utf8'))[1]
  fs.writeFileSync(process.env.MK_REPORT, JSON.stringify({ cpuSeconds: (user + system) / 1e6, mostMb: kb / 1024 }))
})`,
)

/** Reads one transcript after the other, and keeps nothing. */
const BARE = `const fs = require('fs'); const path = require('path'); const dir = process.argv[1]
for (const name of fs.readdirSync(dir)) for (const line of fs.readFileSync(path.join(dir, name), 'utf8').split('\\n')) if (line) JSON.parse(line)`

try {
  console.log(`node ${process.version}\n`)
  const rows = SHAPES.map(({ sessions, turns }) => {
    const at = makeWorld(path.join(dir, `turns${turns}`))
    const count = Math.ceil(sessions * SHARE)
    for (let n = 0; n < count; n++) writeOld(at, n, count, turns)
    const bare = run(at, ['-e', BARE, path.dirname(transcriptPath(at, sessionId(0)))])
    const first = run(at, [KEEPER, 'catch-up', at.project])
    const entries = entriesIn(at)
    rmSync(path.join(dir, `turns${turns}`), { recursive: true, force: true, maxRetries: 5 })
    const cells = [
      `${count.toLocaleString('en')} sessions, ${entries.toLocaleString('en')} entries`,
      ...[first, bare].flatMap((one) => [one.mostMb.toFixed(0), one.cpuSeconds.toFixed(1), one.seconds.toFixed(1)]),
      (first.cpuSeconds / bare.cpuSeconds).toFixed(1),
    ]
    return `| ${cells.join(' | ')} |`
  })
  const bare = ['bare: most MB', 'CPU s', 'wall s', 'CPU ratio']
  console.log(table(['history', 'most MB', 'CPU s', 'wall s', ...bare], rows))
} finally {
  rmSync(dir, { recursive: true, force: true, maxRetries: 5 })
}

function run(at: World, args: readonly string[]): Cost {
  const to = path.join(dir, 'report.json')
  const began = performance.now()
  const env = cleanEnv({ HOME: at.home, CLAUDE_CODE_SESSION_ATTENDED: '0', MK_REPORT: to })
  const done = spawnSync(process.execPath, ['--require', report, ...args], { env, encoding: 'utf8' })
  if (done.status !== 0) throw new Error(done.stderr)
  const seconds = (performance.now() - began) / 1000
  return { ...(JSON.parse(readFileSync(to, 'utf8')) as Omit<Cost, 'seconds'>), seconds }
}

/** As the state counts them: of what was captured and is finished with. */
function entriesIn({ project }: World): number {
  const memory = path.join(project, '.claude', 'memory')
  const settled = path.join(memory, 'sessions', 'settled')
  const texts = [
    path.join(memory, 'memory-index.json'),
    ...readdirSync(settled).map((name) => path.join(settled, name)),
  ]
  const counts = texts.flatMap((file) => [...readFileSync(file, 'utf8').matchAll(/"entries":\s*(\d+)/g)])
  return counts.reduce((sum, [, count]) => sum + Number(count), 0)
}
