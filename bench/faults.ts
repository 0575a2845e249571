/** Is anything lost? Histories with kills in the real host, kills inside a rotation, broken files, other encodings, and a simulated year. */
import { parseArgs } from 'node:util'
import { runBroken } from './faults/broken.ts'
import { runEncodings } from './faults/encodings.ts'
import { runHistories } from './faults/histories.ts'
import { runRotation } from './faults/rotation.ts'
import { runYear } from './faults/year.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: '1' },
    sessions: { type: 'string', default: '200' },
    only: { type: 'string' },
    host: { type: 'string', default: 'current' },
    days: { type: 'string', default: '365' },
    'per-day': { type: 'string', default: '5' },
  },
})
const seed = Number(values.seed)
const parts: Record<string, () => Promise<boolean>> = {
  histories: () =>
    runHistories({
      seed,
      sessions: Number(values.sessions),
      only: values.only === undefined ? null : Number(values.only),
      host: values.host === 'older' ? 'older' : 'current',
    }),
  rotation: runRotation,
  broken: runBroken,
  encodings: runEncodings,
  year: () => runYear({ days: Number(values.days), perDay: Number(values['per-day']), seed }),
}
for (const name of positionals.length === 0 ? Object.keys(parts) : positionals) {
  const part = parts[name]
  if (part === undefined) throw new Error(`No part "${name}": ${Object.keys(parts).join(', ')}`)
  console.log(`\n-- ${name}`)
  if (!(await part())) process.exitCode = 1
}
