/** The directory of one run of bench/same.ts: programs are started there one after the other; what each of them printed and wrote is kept. */
import { type ChildProcess, spawn } from 'node:child_process'
import { cpSync, lstatSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

export interface Step {
  name: string
  /** Exit code, stdout, stderr, and every file that was written or deleted. */
  outcome: Map<string, string>
}

export interface Start {
  name: string
  stdin: string
  /** The exit code that the scenario expects. */
  code: number
  env: Record<string, string>
  /** Instead of stdin, while the program runs. `heard` resolves when it has printed the pattern. */
  talk(child: ChildProcess, heard: (pattern: RegExp) => Promise<string>): Promise<void>
}

export interface World {
  base: string
  steps: Step[]
  /** Where the run was not as the scenario expects. */
  surprises: string[]
  now(): Date
  /** Returns what it printed. */
  run(file: string, args: readonly string[], more?: Partial<Start>): Promise<string>
}

const BEGAN = Date.parse('2026-03-02T09:00:07.137Z')
const STEP_MS = 60_000
const LONGEST_MS = 120_000
/** Programs, git's own files, and what may be deleted: search index, session rows, kept briefings, compiled code. */
const NOT_COMPARED = new Set(['plugin', 'tmp', 'bin', 'running', 'app/.git', 'home/.cache'])

/** `dist` is copied to the same place in every run: some outputs contain its path. */
export function createWorld(base: string, dist: string): World {
  for (const name of ['app', 'home', 'running', 'tmp', 'bin']) mkdirSync(path.join(base, name), { recursive: true })
  cpSync('plugin', path.join(base, 'plugin'), { recursive: true, filter: (from) => path.basename(from) !== 'dist' })
  cpSync(dist, path.join(base, 'plugin', 'dist'), { recursive: true })
  const [steps, surprises]: [Step[], string[]] = [[], []]
  const now = (): Date => new Date(BEGAN + steps.length * STEP_MS)
  let files = new Map<string, string>()
  const run: World['run'] = async (file, args, more = {}) => {
    const before = steps.length === 0 ? filesIn(base) : files
    const name = more.name ?? [file, ...args].join(' ')
    const env = { ...envOf(base), SAME_NOW: now().toISOString(), ...more.env }
    const program = path.join(base, 'plugin', 'dist', file)
    const child = spawn(process.execPath, [program, ...args], { cwd: path.join(base, 'app'), env })
    const printed = await listen(child, more)
    await until(() => readdirSync(path.join(base, 'running')).length === 0, `${name}: the finisher does not end`)
    files = filesIn(base)
    const changed = [...new Set([...before.keys(), ...files.keys()])].filter(
      (one) => before.get(one) !== files.get(one),
    )
    const contents = changed.map((one): [string, string] => [one, files.get(one) ?? 'deleted'])
    steps.push({ name, outcome: new Map([...Object.entries(printed), ...contents]) })
    const isExpected = printed.code === String(more.code ?? 0)
    if (!isExpected) surprises.push(`${name}: exit code ${printed.code}\n${printed.stdout}${printed.stderr}`)
    return printed.stdout
  }
  return { base, steps, surprises, now, run }
}

/** Of this machine only the programs, behind our own claude. We are the host that starts the hooks, and live as long as the run. */
function envOf(base: string): Record<string, string> {
  return {
    PATH: [path.join(base, 'bin'), process.env.PATH].join(path.delimiter),
    HOME: path.join(base, 'home'),
    TMPDIR: path.join(base, 'tmp'),
    ...{ LANG: 'C.UTF-8', TZ: 'Asia/Seoul', NO_COLOR: '1', COLUMNS: '100', CLAUDE_PID: String(process.pid) },
    NODE_OPTIONS: `--require ${JSON.stringify(path.join(import.meta.dirname, 'fixed-world.cjs'))}`,
    SAME_RUNNING: path.join(base, 'running'),
  }
}

async function listen(child: ChildProcess, { stdin = '', talk }: Partial<Start>) {
  const printed = { code: '', stdout: '', stderr: '' }
  for (const stream of ['stdout', 'stderr'] as const)
    child[stream]?.setEncoding('utf8').on('data', (text: string) => {
      printed[stream] += text
    })
  child.once('close', (code, signal) => {
    printed.code = String(code ?? signal)
  })
  const isEnded = (): boolean => printed.code !== ''
  const heard = async (pattern: RegExp): Promise<string> => {
    await until(() => pattern.test(printed.stdout) || isEnded(), `${pattern} is not printed`)
    return pattern.exec(printed.stdout)?.[0] ?? ''
  }
  if (talk === undefined) child.stdin?.end(stdin)
  else await talk(child, heard)
  await until(isEnded, `${child.spawnargs.join(' ')} does not end`).finally(() => child.kill('SIGKILL'))
  return printed
}

async function until(isTrue: () => boolean, why: string): Promise<void> {
  for (const deadline = Date.now() + LONGEST_MS; !isTrue(); ) {
    if (Date.now() > deadline) throw new Error(why)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

/** Every file with its mode and content. */
function filesIn(base: string, folder = ''): Map<string, string> {
  const names = readdirSync(path.join(base, folder)).map((name) => path.posix.join(folder, name))
  const files = new Map<string, string>()
  for (const name of names.filter((one) => !NOT_COMPARED.has(one))) {
    const stats = lstatSync(path.join(base, name))
    const below = stats.isDirectory() ? filesIn(base, name) : null
    for (const [file, content] of below ?? []) files.set(file, content)
    if (below !== null) continue
    const bytes = readFileSync(path.join(base, name))
    files.set(
      name,
      `mode ${(stats.mode & 0o777).toString(8)}\n${bytes.toString(bytes.includes(0) ? 'base64' : 'utf8')}`,
    )
  }
  return files
}
