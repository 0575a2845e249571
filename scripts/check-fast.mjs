/**
 * The check for every change: types, lint and the tests of what changed since the last commit, beside each other, within 20 seconds. Tests that
 * there was no time for are named; `npm run check` runs everything.
 */
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { createVitest } from 'vitest/node'
import { importersOf, relatedTests } from './parts/related.mjs'

const root = join(import.meta.dirname, '..')
const bin = (name) => join(root, 'node_modules', '.bin', name)
/** After that no test is begun; tests that run then are ended a little later. */
const TESTS_MS = 15_000
const END_MS = 2_000
const SHOWN_LINES = 25
/** Of differences that vitest prints. */
const COLOURS = /\u001b\[[0-9;]*m/g

const began = Date.now()
const changed = [...git('diff', '--name-only', 'HEAD'), ...git('ls-files', '--others', '--exclude-standard')].toSorted()
if (changed.length === 0) {
  console.log('Nothing changed since the last commit.')
  process.exit(0)
}
const present = changed.filter((file) => existsSync(join(root, file)))
console.log(
  `Changed: ${changed.length > 5 ? `${changed.slice(0, 5).join(', ')} and ${changed.length - 5} more` : changed.join(', ')}`,
)

const results = await Promise.all([checkTypes(), checkStyle(), runTests()])
const isGreen = results.every(Boolean)
console.log(`${isGreen ? 'green' : 'RED'} after ${since(began)} s`)
process.exit(isGreen ? 0 : 1)

function git(...args) {
  const { status, stdout, stderr } = spawnSync('git', args, { cwd: root, encoding: 'utf8' })
  if (status === 0) return stdout.split('\n').filter((line) => line !== '')
  console.error(stderr)
  process.exit(1)
}

/** What was found out is kept outside of the project, for the next time. */
async function checkTypes() {
  if (!present.some((file) => /\.(?:[cm]?tsx?|json)$/.test(file)) && present.length === changed.length) return true
  const isPage = changed.some((file) => /\/page\//.test(file))
  const oks = []
  for (const config of ['tsconfig.json', ...(isPage ? ['tsconfig.page.json'] : [])]) {
    const key = createHash('sha256').update(`${root} ${config}`).digest('hex').slice(0, 12)
    const kept = join(tmpdir(), `memory-keeper-types-${key}.tsbuildinfo`)
    oks.push(await step('types', 'tsc', ['--noEmit', '-p', config, '--incremental', '--tsBuildInfoFile', kept]))
  }
  return oks.every(Boolean)
}

async function checkStyle() {
  if (present.length === 0) return true
  return step('lint', 'biome', ['check', '--no-errors-on-unmatched', '--colors=off', ...present])
}

function step(name, program, args) {
  const from = Date.now()
  return new Promise((resolve) => {
    let said = ''
    const child = spawn(bin(program), args, { cwd: root, shell: process.platform === 'win32' })
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        said += text
      })
    }
    child.on('close', (code) => {
      tell(name, code === 0, from, code === 0 ? '' : said)
      resolve(code === 0)
    })
  })
}

function tell(name, isOk, from, more, said = '') {
  console.log(`${name.padEnd(6)} ${isOk ? 'ok' : 'FAILED'}  ${since(from)} s${said}`)
  const lines = more.replace(COLOURS, '').trim().split('\n')
  if (more !== '') console.log(lines.slice(0, SHOWN_LINES).join('\n'))
  if (lines.length > SHOWN_LINES) console.log(`… ${lines.length - SHOWN_LINES} more lines`)
  if (name === 'lint' && !isOk) console.log('       npm run format mends the format.')
}

async function runTests() {
  const from = Date.now()
  const tests = relatedTests(changed, importersOf(sources()), earlierTimes()).filter((test) =>
    existsSync(join(root, test)),
  )
  if (tests.length === 0) {
    tell('tests', true, from, '', '  no test is about it')
    return true
  }
  const order = tests.map((test) => join(root, test))
  class Nearest {
    sort(specs) {
      return specs.toSorted((a, b) => order.indexOf(a.moduleId) - order.indexOf(b.moduleId))
    }
    shard(specs) {
      return specs
    }
  }
  const vitest = await createVitest('test', { root, watch: false, reporters: [{}], sequence: { sequencer: Nearest } })
  const specs = (await vitest.globTestSpecifications(tests)).filter(({ moduleId }) => order.includes(moduleId))
  const ended = vitest.runTestSpecifications(specs).then(() => true)
  const left = () => new Promise((resolve) => setTimeout(resolve, Math.max(0, began + TESTS_MS - Date.now())))
  const isWhole = await Promise.race([ended, left().then(() => false)])
  if (!isWhole) {
    void vitest.cancelCurrentRun('keyboard-input')
    await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, END_MS))])
  }
  return tellTests(vitest, order, from)
}

function tellTests(vitest, order, from) {
  const modules = order.map((moduleId) => vitest.state.getTestModules().find((one) => one.moduleId === moduleId))
  const stateOf = (one) => one?.state() ?? 'queued'
  const failures = []
  const open = []
  for (const [n, one] of modules.entries()) {
    const name = relative(root, order[n])
    const failed = one === undefined ? [] : [...one.children.allTests('failed')]
    for (const test of failed) failures.push(`${name} > ${test.fullName}\n${messageOf(test.result().errors)}`)
    if (failed.length === 0 && stateOf(one) === 'failed') failures.push(`${name}\n${messageOf(one.errors())}`)
    const isCut = one === undefined || [...one.children.allTests()].some((test) => test.result().state === 'pending')
    if (failed.length === 0 && (isCut || ['queued', 'pending', 'skipped'].includes(stateOf(one)))) open.push(name)
  }
  const count = `${order.length - open.length} of ${order.length} test files`
  tell('tests', failures.length === 0, from, failures.join('\n\n'), `  ${count}`)
  if (open.length > 0) console.log(`       no time for the others: npx vitest run ${open.join(' ')}`)
  return failures.length === 0
}

function messageOf(errors = []) {
  return errors
    .map(({ message, diff, stacks = [] }) => {
      const at = stacks.find(({ file }) => file.startsWith(root))
      return [message, diff, at === undefined ? '' : `at ${relative(root, at.file)}:${at.line}`]
        .filter(Boolean)
        .join('\n')
    })
    .join('\n')
}

/** Everything that may import something: path → text. */
function sources() {
  return ['src', 'test', 'scripts'].flatMap((top) =>
    readdirSync(join(root, top), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(?:tsx?|mjs)$/.test(name) && !/node_modules|fixtures/.test(name))
      .map((name) => [`${top}/${name.replaceAll('\\', '/')}`, readFileSync(join(root, top, name), 'utf8')]),
  )
}

/** Vitest keeps how long each test file took. */
function earlierTimes() {
  const kept = join(root, 'node_modules', '.vite', 'vitest')
  const files = existsSync(kept) ? readdirSync(kept).map((name) => join(kept, name, 'results.json')) : []
  const results = files.filter(existsSync).flatMap((file) => JSON.parse(readFileSync(file, 'utf8')).results)
  return new Map(results.map(([key, { duration }]) => [key.replace(/^[^:]*:/, ''), duration]))
}

function since(from) {
  return ((Date.now() - from) / 1000).toFixed(1)
}
