/** Is anything lost? Histories with kills in the real host, broken files, and a simulated year. */
import { parseArgs } from 'node:util'
import { runHistories } from './faults/histories.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: '1' },
    sessions: { type: 'string', default: '200' },
    only: { type: 'string' },
  },
})
const parts = positionals.length === 0 ? ['histories'] : positionals
let isSound = true
if (parts.includes('histories')) {
  const only = values.only === undefined ? null : Number(values.only)
  isSound = await runHistories({ seed: Number(values.seed), sessions: Number(values.sessions), only })
}
if (!isSound) process.exitCode = 1
