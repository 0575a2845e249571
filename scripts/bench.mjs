/** Bundles and runs benchmarks one after the other, in the project's root: `npm run bench [-- name …]`. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { build } from 'esbuild'
import { onLoopbackOnly } from '../test/host/support/loopback.mjs'

const root = join(import.meta.dirname, '..')
const [first, ...rest] = process.argv.slice(2)
const names =
  first === undefined ? ['hooks', 'refine', 'import', 'redaction', 'day', 'grounding', 'structure'] : [first]
// Node 20 parses these certificates at every start; no user without a corporate proxy has them.
const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env

/** They start the real host, which must not reach any network. */
const IN_HOST = new Set(['host', 'faults'])

/** Each program says whose transcripts it reads; a benchmark is a program. */
const WITH_CLAUDE = `
import { useExtras as use } from '../src/core/extra.ts'
import { claude as agent } from '../src/extras/agents/claude/extra.ts'
use([agent])
`

/** A bundle lies elsewhere than its sources, which look for files beside themselves. */
const ownPlace = (entry) => ({
  name: 'own-place',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const source = readFileSync(path, 'utf8').replaceAll('import.meta.dirname', JSON.stringify(dirname(path)))
      return { loader: 'ts', contents: path === entry ? WITH_CLAUDE + source : source }
    }),
})

for (const name of names) {
  const outfile = join(root, 'bench', 'out', `${name}.mjs`)
  const entry = join(root, 'bench', `${name}.ts`)
  // As the product is built, so that what is measured is what is shipped.
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    minify: true,
    plugins: [ownPlace(entry)],
  })
  console.log(`\n== bench/${name}.ts`)
  const command = [process.execPath, outfile, ...rest]
  const [program = process.execPath, ...args] = IN_HOST.has(name) ? onLoopbackOnly(command) : command
  const done = spawnSync(program, args, { cwd: root, stdio: 'inherit', env })
  if (done.status !== 0) process.exit(done.status ?? 1)
}
