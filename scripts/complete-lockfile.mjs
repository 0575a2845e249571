/**
 * Completes package-lock.json after `npm install` from a registry that lacks the packages of other systems: npm leaves
 * those optional packages out of the lockfile, and `npm ci` then refuses it. They are added by name, never fetched here.
 */
import { readFileSync, writeFileSync } from 'node:fs'

const SYSTEMS = ['darwin', 'linux', 'win32', 'android', 'freebsd', 'openbsd', 'netbsd', 'sunos', 'aix', 'openharmony']
const PROCESSORS = ['x64', 'arm64', 'arm', 'ia32', 'ppc64', 'riscv64', 's390x', 'loong64', 'mips64el', 'wasm32']

const file = process.argv[2] ?? 'package-lock.json'
const lock = JSON.parse(readFileSync(file, 'utf8'))
const added = []

for (const [path, entry] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    if (isThere(path, name)) continue
    lock.packages[`node_modules/${name}`] = {
      version: version.replace(/^[\^~]/, ''),
      ...placeOf(name),
      ...(entry.dev ? { dev: true } : {}),
      optional: true,
      engines: entry.engines,
    }
    added.push(name)
  }
}
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`)
console.log(added.length === 0 ? 'nothing was missing' : `added ${added.length}: ${added.join(', ')}`)

function isThere(path, name) {
  for (let dir = path; ; dir = dir.slice(0, Math.max(0, dir.lastIndexOf('node_modules/') - 1))) {
    if (lock.packages[`${dir === '' ? '' : `${dir}/`}node_modules/${name}`]) return true
    if (dir === '') return false
  }
}

/** `@scope/binding-linux-x64-musl` → the system it is for. */
function placeOf(name) {
  const parts = name.split(/[/-]/)
  const os = SYSTEMS.find((system) => parts.includes(system))
  const cpu = PROCESSORS.find((processor) => parts.includes(processor))
  const libc =
    parts.includes('musl') || parts.includes('musleabihf')
      ? 'musl'
      : parts.includes('gnu') || parts.includes('gnueabihf')
        ? 'glibc'
        : null
  return { ...(cpu ? { cpu: [cpu] } : {}), ...(libc ? { libc: [libc] } : {}), ...(os ? { os: [os] } : {}) }
}
