/** Runs the tests of the page in the system's Chromium, and installs it first where that is possible. --screenshots makes docs/images anew. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const [first, ...others] = process.argv.slice(2)
const isShooting = first === '--screenshots'
const PLACES = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

function findChromium() {
  return PLACES.find((file) => file !== undefined && file !== '' && existsSync(file))
}

function run(command, args, env = {}) {
  return spawnSync(command, args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } }).status ?? 1
}

if (findChromium() === undefined && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
  console.log('No Chromium: installing it with apt-get.')
  const quiet = { DEBIAN_FRONTEND: 'noninteractive' }
  run('apt-get', ['update', '-qq'], quiet)
  run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'chromium', 'fonts-noto-cjk'], quiet)
}
const chromium = findChromium()
if (chromium === undefined) {
  console.error(
    'The tests of the page need Chromium. Install it (apt-get install chromium), or name yours: CHROMIUM=/path npm run test:page',
  )
  process.exit(1)
}
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
const files = isShooting ? ['test/extras/page/browser/screenshots.test.ts', ...others] : process.argv.slice(2)
const env = { CHROMIUM: chromium, ...(isShooting ? { MEMORY_KEEPER_SCREENSHOTS: '1' } : {}) }
process.exit(run(process.execPath, [vitest, 'run', '--config', 'vitest.page.config.ts', ...files], env))
