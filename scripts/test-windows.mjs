/**
 * Runs the cases of test/windows with the real node.exe under Wine, with every version that test/windows/package.json names. Words behind
 * the command choose cases by their names. What Wine cannot show is in test/windows/README.md.
 */
import { spawnSync } from 'node:child_process'
import { copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { onLoopbackOnly } from '../test/host/support/loopback.mjs'

const root = join(import.meta.dirname, '..')
const here = join(root, 'test', 'windows')
const asked = process.argv.slice(2)
/** Debian's wine64 has no program in PATH. */
const WINES = ['/usr/bin/wine64', '/usr/lib/wine/wine64', '/usr/bin/wine']
const CASES_MS = 400_000
const BOOT_MS = 120_000

const wine = WINES.find(existsSync)
if (wine === undefined) {
  console.error('The Windows cases need Wine: apt-get install -y --no-install-recommends wine64')
  process.exit(1)
}
const versions = Object.keys(JSON.parse(readFileSync(join(here, 'package.json'), 'utf8')).dependencies)
// Its packages are for Windows: without --force npm installs them nowhere else.
if (!versions.every((name) => existsSync(nodeExe(name)))) mustRun('npm', ['ci', '--force', '--silent'], { cwd: here })

const dir = mkdtempSync(join(tmpdir(), 'mk-windows-'))
const env = {
  ...process.env,
  WINEPREFIX: join(dir, 'prefix'),
  WINEDEBUG: '-all',
  WINEDLLOVERRIDES: 'mscoree,mshtml=',
  DISPLAY: '',
}
const failed = []
try {
  const began = Date.now()
  await prepare()
  console.log(`Wine is ready after ${seconds(began)} s`)
  for (const version of versions) if (!runCases(version)) failed.push(version)
  console.log(`The Windows cases took ${seconds(began)} s on ${versions.join(' and ')}`)
} finally {
  // Ends the processes of this directory only: a detached finisher, if a case failed.
  spawnSync(wine, ['wineboot', '-k'], { env, stdio: 'ignore', timeout: BOOT_MS })
  rmSync(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
}
if (failed.length > 0) {
  console.error(`Windows cases failed: ${failed.join(', ')}`)
  process.exit(1)
}

async function prepare() {
  mkdirSync(env.WINEPREFIX)
  mustRun(wine, ['wineboot', '-i'], { env, stdio: 'ignore', timeout: BOOT_MS })
  // Wine calls itself Windows 7, on which no Node starts.
  mustRun(wine, ['reg', 'add', 'HKCU\\Software\\Wine', '/v', 'Version', '/d', 'win10', '/f'], { env, stdio: 'ignore' })
  cpSync(join(root, 'plugin'), onC('plugin'), { recursive: true })
  mkdirSync(onC('node'))
  await build({
    entryPoints: [join(here, 'main.ts')],
    outfile: onC('cases.cjs'),
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    logLevel: 'error',
  })
}

/** True: all of them hold. */
function runCases(version) {
  const began = Date.now()
  copyFileSync(nodeExe(version), onC('node', 'node.exe'))
  rmSync(onC('people'), { recursive: true, force: true })
  const chosen = asked.flatMap((words) => ['--test-name-pattern', words])
  const options = ['--test-reporter=spec', '--test-force-exit', ...chosen]
  const told = join(dir, `${version}.txt`)
  // A Unix pipe is no output for a program of Windows, a file is one.
  writeFileSync(told, '')
  const line = [wine, 'C:\\node\\node.exe', ...options, 'C:\\cases.cjs']
  const [program = wine, ...args] = onLoopbackOnly(['sh', '-c', 'exec "$@" </dev/null >"$0" 2>&1', told, ...line])
  const { status } = spawnSync(program, args, { env, cwd: onC(), timeout: CASES_MS })
  console.log(`== ${version}: ${status === 0 ? 'all hold' : `failed (${status})`}, ${seconds(began)} s`)
  console.log(readFileSync(told, 'utf8'))
  return status === 0
}

function nodeExe(version) {
  return join(here, 'node_modules', version, 'bin', 'node.exe')
}

function onC(...names) {
  return join(env.WINEPREFIX, 'drive_c', ...names)
}

function seconds(began) {
  return Math.round((Date.now() - began) / 1000)
}

function mustRun(program, args, options) {
  const { status, error } = spawnSync(program, args, { stdio: 'inherit', ...options })
  if (status === 0) return
  rmSync(dir, { recursive: true, force: true })
  console.error(`${program} ${args.join(' ')} failed: ${error?.message ?? status}`)
  process.exit(1)
}
