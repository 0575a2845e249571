/** Caches V8's compiled code of our programs in the user's cache directory, since compiling takes longer than most of their work. */
import path from 'node:path'
import type vm from 'node:vm'
import { disk, isOwnDir, list, makeDir, readPrivate, readText, replaceQuickly, statOf, unlessFails } from './files.ts'

/** Below the user's cache directory; `uninstall` deletes it. */
export const COMPILED_DIR = 'compiled'

/** How one program loads the others. */
export interface Programs {
  /** Returns the exports of the file. */
  load(name: string): unknown
  /** Names the kind of work of this process. The cache is written only if a kind is named. */
  doing(what: string): void
  /** At the end, or when nobody waits: what was compiled now and is not kept yet is kept for the next process. */
  keep(): void
}

interface ProgramsOptions {
  /** The directory of the programs. */
  from: string
  /** Our directory in the user's cache; empty: nothing is cached. */
  cacheDir: string
  /** Differs with every build: V8 itself compares only the length of a program. */
  built: string
  /** Node's version and the kind of machine: compiled code is valid for these only. */
  node: string
  now: () => number
}

interface Loaded {
  script: vm.Script
  kept: string
  /** What it was kept for. */
  kinds: Set<string>
  /** A cache file exists but was made with other Node options, so that this process cannot use it. */
  isOthers: boolean
}

/** More than the number of hook events. */
const MOST_KINDS = 16
/** Two builds have fewer, of at most 3 MB each. */
const MOST_FILES = 24
const STALE_MS = 24 * 3_600_000
const FORGOTTEN_MS = 30 * STALE_MS
const HEAD = /^memory-keeper compiled 2 (\d{1,9})((?: [\w-]{1,40}){0,16})$/
const LONGEST_HEAD = 1_000

export function openPrograms(options: ProgramsOptions): Programs {
  const { from, cacheDir, built, node } = options
  const dir = cacheDir === '' ? '' : path.join(cacheDir, COMPILED_DIR)
  const loaded: Loaded[] = []
  let what: string | null = null
  /** Two programs use different parts of a file that both require: each keeps its own. */
  const load = (name: string, by = ''): unknown => {
    const file = path.join(from, name)
    const source = dir === '' ? null : readText(file)
    if (source === null) return requireAt(file)(file)
    const program = `${by}${path.parse(name).name}`
    const one = compile(file, source, path.join(dir, `${program}-${built}-${node}.bin`))
    loaded.push(one)
    return run(one.script, file, (wanted) => load(wanted, `${program}-`))
  }
  return {
    load: (name) => load(name),
    doing: (word) => {
      if (/^[\w-]{1,40}$/.test(word)) what = word
    },
    keep: () => {
      const word = what
      if (word !== null) for (const one of loaded) keepOne(one, word, options.now())
    },
  }
}

function compile(file: string, source: string, kept: string): Loaded {
  const before = readKept(kept)
  const { Script } = process.getBuiltinModule('node:vm')
  const script = new Script(`(function (exports, require, module, __filename, __dirname) {${source}\n})`, {
    filename: file,
    ...(before === null ? {} : { cachedData: before.code }),
  })
  const isOthers = before !== null && script.cachedDataRejected === true
  return { script, kept, kinds: before === null || isOthers ? new Set() : before.kinds, isOthers }
}

function run(script: vm.Script, file: string, load: (name: string) => unknown): unknown {
  const own: { exports: unknown } = { exports: {} }
  const body = script.runInThisContext() as (...args: unknown[]) => void
  const require = (name: string): unknown => (name.startsWith('./') ? load(name) : requireAt(file)(name))
  body(own.exports, require, own, file, path.dirname(file))
  return own.exports
}

/** Loaded with its first use: some starts need no program. */
function requireAt(file: string): NodeJS.Require {
  return process.getBuiltinModule('node:module').createRequire(file)
}

/**
 * Once for each kind of work: what is kept contains what was kept before. Whoever runs us with other options of Node goes without,
 * unless the others have not been here for a day.
 */
function keepOne({ script, kept, kinds, isOthers }: Loaded, what: string, now: number): void {
  if (kinds.has(what) || kinds.size >= MOST_KINDS) return
  // On a full or read-only disk nothing is saved.
  unlessFails(() => {
    if (isOthers && now - (statOf(kept)?.mtimeMs ?? 0) < STALE_MS) return
    const dir = path.dirname(kept)
    makeDir(dir)
    if (!isOwnDir(dir)) return
    replaceQuickly(kept, formatKept(script.createCachedData(), [...kinds, what]))
    if (kinds.size === 0) sweep(dir, now)
    kinds.add(what)
  }, undefined)
}

/** Deletes the cache files of builds and versions that are no longer used. */
function sweep(dir: string, now: number): void {
  const files = list(dir).flatMap((name) => {
    const file = path.join(dir, name)
    const stat = statOf(file)
    return stat?.kind === 'file' ? [{ file, mtimeMs: stat.mtimeMs }] : []
  })
  const old = files
    .toSorted((a, b) => b.mtimeMs - a.mtimeMs)
    .filter(({ mtimeMs }, n) => n >= MOST_FILES || now - mtimeMs > FORGOTTEN_MS)
  for (const { file } of old) disk.remove(file)
}

/** V8 does not verify the code and crashes on a wrong bit. Therefore the file contains the code twice, and both copies must be equal. */
function formatKept(code: Buffer, kinds: readonly string[]): Buffer {
  const head = ['memory-keeper compiled 2', code.length, ...kinds].join(' ')
  return Buffer.concat([Buffer.from(`${head}\n`), code, code])
}

interface Kept {
  code: Buffer
  kinds: Set<string>
}

function readKept(file: string): Kept | null {
  return unlessFails(() => parseKept(readPrivate(file) ?? Buffer.alloc(0)), null)
}

function parseKept(bytes: Buffer): Kept | null {
  const end = bytes.subarray(0, LONGEST_HEAD).indexOf('\n')
  const head = HEAD.exec(bytes.toString('latin1', 0, Math.max(0, end)))
  const length = Number(head?.[1] ?? 0)
  const [from, middle] = [end + 1, end + 1 + length]
  if (length === 0 || bytes.length !== middle + length) return null
  const code = bytes.subarray(from, middle)
  if (!code.equals(bytes.subarray(middle))) return null
  return { code, kinds: new Set((head?.[2] ?? '').split(' ').slice(1)) }
}

/**
 * How much more room V8 takes for young objects when many survive; its own factor is 2. Searching and building make much that is of no use
 * a moment later: with 1, memory stays small and nothing is slower. V8 refuses compiled code of another setting: it is loaded and kept with 2.
 */
export function growBy(factor: 1 | 2): void {
  process.getBuiltinModule('node:v8').setFlagsFromString(`--semi-space-growth-factor=${factor}`)
}

/**
 * Whether V8 compiles hot functions a second time, into faster code. For a process of a quarter of a second that takes a quarter of its
 * CPU and does not pay. As above: compiled code is loaded and kept with `opt`.
 */
export function optimise(how: 'opt' | 'no-opt'): void {
  process.getBuiltinModule('node:v8').setFlagsFromString(`--${how}`)
}

/**
 * How far the heap may grow beyond what is in use before garbage is collected, in percent. By its own choice (0) V8 lets it grow to
 * several times that. As above: compiled code is loaded and kept with 0.
 */
export function leaveGarbage(percent: number): void {
  process.getBuiltinModule('node:v8').setFlagsFromString(`--heap-growing-percent=${percent}`)
}

/** Collects garbage at once. Not by an option of Node: with another option V8 refuses compiled code, of Node's own modules too. */
export function collector(): () => void {
  const { setFlagsFromString } = process.getBuiltinModule('node:v8')
  setFlagsFromString('--expose-gc')
  const gc = process.getBuiltinModule('node:vm').runInNewContext('gc') as () => void
  setFlagsFromString('--no-expose-gc')
  return gc
}
