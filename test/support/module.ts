/** Runs a script that imports our sources in processes of its own, several at once: what only real processes can show. */
import { spawn } from 'node:child_process'
import path from 'node:path'
import { build } from 'esbuild'
import { tempDir } from './project.ts'

const ROOT = path.join(import.meta.dirname, '..', '..')
/** Some packages of the command line are CommonJS. */
const REQUIRE = {
  js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
}

/** As each of our programs does. */
const WITH_CLAUDE = `
  import { useExtras as use } from './src/core/extra.ts'
  import { claude as agent } from './src/extras/agents/claude/extra.ts'
  use([agent])
`

/** Imports of the script are relative to the repository. Rejects when one of the processes fails. */
export async function runModule(script: string, processes: number): Promise<void> {
  const outfile = await buildModule(script)
  await Promise.all(Array.from({ length: processes }, () => runToEnd([process.execPath, outfile])))
}

/** The file to start with node. */
export async function buildModule(script: string): Promise<string> {
  const outfile = path.join(tempDir(), 'script.mjs')
  const stdin = { contents: WITH_CLAUDE + script, resolveDir: ROOT, loader: 'ts' as const }
  await build({ stdin, outfile, banner: REQUIRE, bundle: true, platform: 'node', format: 'esm', logLevel: 'silent' })
  return outfile
}

export function runToEnd([program = '', ...args]: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] })
    let complaint = ''
    child.stderr.on('data', (part) => {
      complaint += part
    })
    child.once('error', reject)
    child.once('close', (code) => (code === 0 ? resolve() : reject(new Error(`exit code ${code}: ${complaint}`))))
  })
}
