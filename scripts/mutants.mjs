/**
 * Samples mutants of a slice and runs its own tests with each of them: `npm run mutants -- edit --most 60 --seed 1`. A mutant is one small
 * change of the source, in memory only; one that no test notices is a rule without a test, or code that does nothing.
 * `--with cli` runs the tests of another slice, too; tests of the built programs never notice a mutant.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { functionsOf } from './parts/functions.mjs'
import { findSlice } from './parts/layout.mjs'
import { mutantsOf, sample, showMutant, withMutant } from './parts/mutate.mjs'

const root = join(import.meta.dirname, '..')
const USAGE =
  'npm run mutants -- <slice> [--most 60] [--seed 1] [--file <part of a path>] [--with <slice whose tests run as well>]'
const START_MS = 120_000
/** Beyond what the tests take without a mutant. */
const MORE_MS = 10_000
const TIMES = 4

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    most: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
    file: { type: 'string', default: '' },
    with: { type: 'string', multiple: true, default: [] },
  },
})
const source = positionals[0] === undefined ? null : findSlice(root, 'src', positionals[0])
const own = source === null ? '' : source.slice('src/'.length)
const tests = [own, ...options.with].map((slice) => findSlice(root, 'test', slice))
if (source === null || tests.includes(null)) {
  console.error(source === null ? USAGE : `No tests of ${[own, ...options.with][tests.indexOf(null)]}. ${USAGE}`)
  process.exit(2)
}

/** Each in a process group of its own: what a mutant started ends with it. */
const runners = new Set()
const dir = mkdtempSync(join(tmpdir(), 'mk-mutants-'))
process.on('exit', () => {
  for (const runner of runners) runner.end()
  rmSync(dir, { recursive: true, force: true })
})
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))

function startRunner() {
  const args = [join(import.meta.dirname, 'parts', 'mutants-runner.mjs'), root, source, tests.join(','), dir]
  const child = spawn(process.execPath, args, {
    cwd: root,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    detached: true,
  })
  let settle = () => {}
  child.on('message', (message) => settle(message))
  child.on('exit', () => settle({ error: 'the process ended' }))
  const next = (ms) =>
    new Promise((resolve) => {
      const late = setTimeout(() => resolve({ isLate: true }), ms)
      settle = (message) => {
        clearTimeout(late)
        resolve(message)
      }
    })
  const ready = next(START_MS)
  const runner = {
    ready,
    ask: (question, ms) => {
      const answered = next(ms)
      if (child.connected) child.send(question)
      return answered
    },
    end: () => {
      runners.delete(runner)
      try {
        process.kill(-child.pid, 'SIGKILL')
      } catch {
        // It has ended.
      }
    },
  }
  runners.add(runner)
  return runner
}

const began = Date.now()
const files = readdirSync(join(root, source), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => `${source}/${name.replaceAll('\\', '/')}`)
  .filter((file) => file.includes(options.file))
  .toSorted()
const sources = new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]))
const all = files.flatMap((file) => mutantsOf(sources.get(file), file).map((mutant) => ({ file, mutant })))
const chosen = sample(all, Number(options.most), Number(options.seed))
console.log(`${source}: ${chosen.length} of ${all.length} mutants, seed ${options.seed}; tests in ${tests.join(', ')}`)

const first = startRunner()
await first.ready
const measured = await first.ask({ ask: 'measure' }, START_MS * 5)
if (measured.answer === undefined || measured.answer.isRed) {
  console.error(
    `Without a mutant the tests fail: ${measured.error ?? measured.answer?.failed.join(', ') ?? 'too slow'}`,
  )
  process.exit(1)
}
const { took } = measured.answer
console.log(`Without a mutant ${took.length} test files take ${seconds(took.reduce((sum, { ms }) => sum + ms, 0))} s\n`)

const waiting = chosen.map((one) => ({ ...one, tests: testsFor(one) }))
const results = []
const others = Array.from({ length: Math.min(2, availableParallelism()) - 1 }, startRunner)
await Promise.all([first, ...others].map(work))
process.stderr.write('\n')
report()
process.exit(0)

/** The test files that run the mutated function: those of the same name first, then the quick ones. At the top of a file: all that use the file. */
function testsFor({ file, mutant }) {
  const n = functionsOf(sources.get(file), file).findLastIndex(
    ({ start, end }) => start <= mutant.start && mutant.start < end,
  )
  const isRun = ({ hits }) => (n < 0 ? hits.some((hit) => hit.startsWith(`${file}#`)) : hits.includes(`${file}#${n}`))
  const isNamesake = ({ test }) => Number(basename(test, '.test.ts') === basename(file, '.ts'))
  return took.filter(isRun).toSorted((a, b) => isNamesake(b) - isNamesake(a) || a.ms - b.ms)
}

async function work(runner) {
  let mine = runner
  await mine.ready
  for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) {
    const { file, mutant } = one
    const code = withMutant(sources.get(file), mutant)
    const found = one.tests.map(({ test }) => test)
    const limit = MORE_MS + TIMES * one.tests.reduce((sum, { ms }) => sum + ms, 0)
    const told = found.length === 0 ? null : await mine.ask({ ask: 'run', file, code, tests: found }, limit)
    results.push({ ...one, end: endOf(told) })
    process.stderr.write(
      results.at(-1).end === 'killed' ? '.' : results.at(-1).end === 'survived' ? 'S' : results.at(-1).end[0],
    )
    if (told !== null && told.answer === undefined) {
      mine.end()
      mine = startRunner()
      await mine.ready
    }
  }
  mine.end()
}

/** A mutant that never ends, or that ends the process of the tests, is noticed, too. */
function endOf(told) {
  if (told === null) return 'no test runs it'
  if (told.isLate) return 'timeout'
  if (told.answer === undefined) return 'killed'
  if (!told.answer.isLoaded) return 'not loaded'
  return told.answer.isRed ? 'killed' : 'survived'
}

function report() {
  const isKilled = ({ end }) => end === 'killed' || end === 'timeout'
  const left = results.filter((one) => !isKilled(one))
  left.sort((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : a.mutant.line - b.mutant.line))
  for (const { file, mutant, end } of left) {
    const how = end === 'survived' ? '' : ` (${end})`
    console.log(`${file}:${mutant.line}  ${mutant.what}${how}\n    ${showMutant(sources.get(file), mutant)}`)
  }
  const killed = results.length - left.length
  const timeouts = results.filter(({ end }) => end === 'timeout').length
  const share = Math.round((100 * killed) / Math.max(1, results.length))
  const more = timeouts > 0 ? `, ${timeouts} of them by a time limit` : ''
  console.log(
    `\n${killed} of ${results.length} killed (${share} %)${more}; ${left.length} survived; ${seconds(Date.now() - began)} s`,
  )
}

function seconds(ms) {
  return Math.round(ms / 1000)
}
