/** Installs the pinned Claude Code hosts beside the host tests if they are missing, then runs those tests. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const host = join(root, 'test', 'host')

if (!existsSync(join(host, 'node_modules', 'claude-current'))) run('npm', ['ci'], host)
run(
  process.execPath,
  [
    join(root, 'node_modules', 'vitest', 'vitest.mjs'),
    'run',
    '--config',
    'vitest.host.config.ts',
    ...process.argv.slice(2),
  ],
  root,
)

function run(command, args, cwd) {
  const done = spawnSync(command, args, {
    cwd,
    stdio: 'inherit',
    shell: process.platform === 'win32' && command === 'npm',
  })
  if (done.status !== 0) process.exit(done.status ?? 1)
}
