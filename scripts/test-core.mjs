/** The tests of kernel and core, without doors and extras: `npm run test:core`. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { coreTests } from './parts/layout.mjs'

const root = join(import.meta.dirname, '..')
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
const folders = coreTests(root).map((folder) => `${folder}/`)
const args = [vitest, 'run', ...folders, ...process.argv.slice(2)]
process.exit(spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' }).status ?? 1)
