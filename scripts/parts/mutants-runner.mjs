/**
 * Runs the tests of a slice with a mutant in memory, one mutant after the other: a process of its own, since a mutant may never end. Asked by
 * messages of mutants.mjs. Every run has a new worker, which takes the sources from here: only the mutant is compiled anew.
 */
import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { createVitest } from 'vitest/node'
import { withEntries } from './functions.mjs'

/** `dir`: for files of ours, which the one who started this removes. */
const [root, source, tests, dir] = process.argv.slice(2)
process.on('disconnect', () => process.exit())
const hits = join(dir, 'hits.jsonl')
const ATTEMPTS = 3

/** What is put in place of a source: with entries in the first run, then a mutant in one file. */
let replacement = (_file, code) => code
const loaded = new Set()
let order = []

const swap = {
  name: 'swap',
  enforce: 'pre',
  // Besides those of vitest.config.ts.
  config: () => ({ test: { setupFiles: [join(import.meta.dirname, 'hits.mjs')] } }),
  transform(code, id) {
    const file = relative(root, id).replaceAll('\\', '/')
    if (!file.startsWith(`${source}/`)) return undefined
    loaded.add(file)
    return { code: replacement(file, code), map: null }
  },
}
class InOurOrder {
  sort(specs) {
    return specs.toSorted((a, b) => order.indexOf(a.moduleId) - order.indexOf(b.moduleId))
  }
  shard(specs) {
    return specs
  }
}
const vitest = await createVitest(
  'test',
  {
    root,
    watch: false,
    bail: 1,
    maxWorkers: 1,
    cache: false,
    reporters: [{}],
    sequence: { sequencer: InOurOrder },
  },
  { plugins: [swap], logLevel: 'silent' },
)
const specs = await vitest.globTestSpecifications(tests.split(',').map((folder) => `${folder}/`))

async function runTests(files) {
  order = files
  const chosen = specs.filter(({ moduleId }) => files.includes(moduleId))
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(chosen, true)
  const failed = testModules.filter((one) => files.includes(one.moduleId) && one.state() === 'failed')
  return { testModules, failed, isRed: failed.length > 0 || unhandledErrors.length > 0 }
}

const answers = {
  /** Without a mutant: how long each test file takes, and which functions it runs. */
  async measure() {
    process.env.MEMORY_KEEPER_HITS = hits
    replacement = (file, code) => {
      const hit = (n) => `globalThis.__hit?.add(${JSON.stringify(`${file}#`)}+${n})`
      return `${withEntries(code, file, hit)}\n${hit(-1)}`
    }
    const all = specs.map(({ moduleId }) => moduleId)
    const { testModules, failed, isRed } = await runTests(all)
    delete process.env.MEMORY_KEEPER_HITS
    for (const file of loaded) vitest.invalidateFile(join(root, file))
    const lines = isRed ? [] : readFileSync(hits, 'utf8').trim().split('\n')
    const ran = new Map(lines.map((line) => JSON.parse(line)).map((one) => [one.test, one.hits]))
    const took = testModules.map((one) => {
      const { duration, collectDuration } = one.diagnostic()
      return { test: one.moduleId, ms: Math.round(duration + collectDuration), hits: ran.get(one.moduleId) ?? [] }
    })
    return { isRed, failed: failed.map(({ relativeModuleId }) => relativeModuleId), took }
  },
  async run({ file, code, tests: files }) {
    replacement = (one, original) => (one === file ? code : original)
    let told = null
    // A run that was ended by the one before may still have asked for the source: then that is what the workers get.
    for (let attempt = 0; attempt < ATTEMPTS && !told?.isLoaded; attempt++) {
      loaded.clear()
      vitest.invalidateFile(join(root, file))
      const { isRed, failed } = await runTests(files)
      told = { isRed, isLoaded: loaded.has(file), by: failed.map(({ relativeModuleId }) => relativeModuleId) }
    }
    replacement = (_file, original) => original
    vitest.invalidateFile(join(root, file))
    return told
  },
}

process.on('message', ({ ask, ...question }) => {
  answers[ask](question).then(
    (answer) => process.send({ answer }),
    (error) => process.send({ error: error.stack }),
  )
})
process.send({ ready: true })
