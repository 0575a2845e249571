/**
 * Installs the pinned Claude Code hosts beside the host tests if they are missing, then runs those tests without a network.
 * --all tells the stories too that only repeat on the older host what others tell there.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { onLoopbackOnly } from '../test/host/support/loopback.mjs'

const root = join(import.meta.dirname, '..')
const host = join(root, 'test', 'host')

if (!existsSync(join(host, 'node_modules', 'claude-current'))) run('npm', ['ci'], host)
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
const asked = process.argv.slice(2)
if (asked.includes('--all')) process.env.MEMORY_KEEPER_ALL_STORIES = '1'
const others = asked.filter((arg) => arg !== '--all')
const tests = [process.execPath, vitest, 'run', '--config', 'vitest.host.config.ts', ...others]
const [program = process.execPath, ...args] = onLoopbackOnly(tests)
run(program, args, root)

function run(command, args, cwd) {
  const done = spawnSync(command, args, {
    cwd,
    stdio: 'inherit',
    shell: process.platform === 'win32' && command === 'npm',
  })
  if (done.status !== 0) process.exit(done.status ?? 1)
}
