/** Our programs, compiled once: V8's code of them is kept in the user's cache, since compiling takes longer than most of what they do. */
import module from 'node:module'
import path from 'node:path'
import vm from 'node:vm'
import { disk, isOwnDir, list, makeDir, readPrivate, readText, replaceQuickly, statOf, unlessFails } from './files.ts'

/** Below the user's cache; `uninstall` knows it. */
export const COMPILED_DIR = 'compiled'

/** How one program gets at the others. */
export interface Programs {
  /** What the file exports. */
  load(name: string): unknown
  /** A word for what this process does: what is compiled for that is worth keeping. Without one nothing is. */
  doing(what: string): void
  /** At the end: what was compiled now and is not kept yet is kept for the next process. */
  keep(): void
}

interface ProgramsOptions {
  /** Where the programs are. */
  from: string
  /** The user's cache directory for us; empty: nothing is kept. */
  cacheDir: string
  /** Another one with every build: V8 itself compares nothing but the length of a program. */
  built: string
  /** Version and kind of machine: their code is not ours. */
  node: string
  now: () => number
}

interface Loaded {
  script: vm.Script
  kept: string
  /** How often it was kept, for what. */
  times: Map<string, number>
  /** There is one, which this process may not use: it is of other options of Node. */
  isOthers: boolean
}

/** The first runs do not all go the same way. */
const ENOUGH_TIMES = 3
/** More than there are kinds of hooks. */
const MOST_KINDS = 16
const STALE_MS = 24 * 3_600_000
const FORGOTTEN_MS = 30 * STALE_MS
const HEAD = /^memory-keeper compiled 1 (\d{1,9})((?: [\w-]{1,40}=\d{1,3}){0,16})$/
const LONGEST_HEAD = 1_000

export function openPrograms(options: ProgramsOptions): Programs {
  const { from, cacheDir, built, node } = options
  const dir = cacheDir === '' ? '' : path.join(cacheDir, COMPILED_DIR)
  const loaded: Loaded[] = []
  let what: string | null = null
  const load = (name: string): unknown => {
    const file = path.join(from, name)
    const source = dir === '' ? null : readText(file)
    if (source === null) return module.createRequire(file)(file)
    const kept = path.join(dir, `${path.parse(name).name}-${built}-${node}.bin`)
    const one = compile(file, source, kept)
    loaded.push(one)
    return run(one.script, file)
  }
  return {
    load,
    doing: (word) => {
      if (/^[\w-]{1,40}$/.test(word)) what = word
    },
    keep: () => {
      const word = what
      if (word !== null) for (const one of loaded.splice(0)) keepOne(one, word, options.now())
    },
  }
}

function compile(file: string, source: string, kept: string): Loaded {
  const before = readKept(kept)
  const script = new vm.Script(`(function (exports, require, module, __filename, __dirname) {${source}\n})`, {
    filename: file,
    ...(before === null ? {} : { cachedData: before.code }),
  })
  const isOthers = before !== null && script.cachedDataRejected === true
  return { script, kept, times: before === null || isOthers ? new Map() : before.times, isOthers }
}

function run(script: vm.Script, file: string): unknown {
  const own: { exports: unknown } = { exports: {} }
  const body = script.runInThisContext() as (...args: unknown[]) => void
  body(own.exports, module.createRequire(file), own, file, path.dirname(file))
  return own.exports
}

/** Whoever runs us with other options of Node goes without, unless the others have not been here for a day. */
function keepOne({ script, kept, times, isOthers }: Loaded, what: string, now: number): void {
  const sofar = times.get(what) ?? 0
  if (sofar >= ENOUGH_TIMES || (sofar === 0 && times.size >= MOST_KINDS)) return
  // On a full or read-only disk nothing is kept.
  unlessFails(() => {
    if (isOthers && now - (statOf(kept)?.mtimeMs ?? 0) < STALE_MS) return
    const dir = path.dirname(kept)
    makeDir(dir)
    if (!isOwnDir(dir)) return
    replaceQuickly(kept, formatKept(script.createCachedData(), new Map(times).set(what, sofar + 1)))
    if (times.size === 0) sweep(dir, now)
  }, undefined)
}

/** Of builds and versions that nobody uses any more. */
function sweep(dir: string, now: number): void {
  for (const name of list(dir)) {
    const file = path.join(dir, name)
    const facts = statOf(file)
    if (facts?.kind === 'file' && now - facts.mtimeMs > FORGOTTEN_MS) disk.remove(file)
  }
}

/** V8 believes whatever it is given, and dies of a wrong bit: it stands there twice, and must be the same. */
function formatKept(code: Buffer, times: ReadonlyMap<string, number>): Buffer {
  const counts = [...times].map(([word, count]) => ` ${word}=${count}`).join('')
  return Buffer.concat([Buffer.from(`memory-keeper compiled 1 ${code.length}${counts}\n`), code, code])
}

interface Kept {
  code: Buffer
  times: Map<string, number>
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
  const counts = (head?.[2] ?? '').split(' ').filter((each) => each !== '')
  return { code, times: new Map(counts.map((each) => [each.split('=')[0] ?? '', Number(each.split('=')[1])])) }
}
