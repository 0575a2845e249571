/** A setup file of the tests: which functions of the slice each test file runs, written by mutants-runner.mjs into its sources. */
import { appendFileSync } from 'node:fs'
import { afterAll, expect } from 'vitest'

const { MEMORY_KEEPER_HITS: file } = process.env
if (file) {
  globalThis.__hit = new Set()
  afterAll(() => {
    appendFileSync(file, `${JSON.stringify({ test: expect.getState().testPath, hits: [...globalThis.__hit] })}\n`)
  })
}
