/** Writes docs/CLI.md and docs/CONFIG.md from the code, through the test that checks them. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
const env = { ...process.env, UPDATE_DOCS: '1' }
process.exit(
  spawnSync(process.execPath, [vitest, 'run', 'test/docs.test.ts', '-t', 'is what the code says'], {
    cwd: root,
    stdio: 'inherit',
    env,
  }).status ?? 1,
)
