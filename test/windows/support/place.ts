/** A user of Windows with a project, and our built programs run in it as the host runs them. */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import zlib from 'node:zlib'
import { result, says, user, uses } from '../../support/transcript.ts'

const PLUGIN = 'C:\\plugin'
export const BIN = path.join(PLUGIN, 'bin')
/** Users of their own: no case sees what another one has stored. */
const USERS = 'C:\\people'
const SYSTEM = 'C:\\windows'
export const CMD = path.join(SYSTEM, 'system32', 'cmd.exe')
const PROGRAM_MS = 40_000
const SETTLE_MS = 40_000
const LOOK_MS = 100

export interface Ran {
  code: number | null
  out: string
  err: string
}

export interface RunOptions {
  input?: string
  env?: Record<string, string>
  cwd?: string
  /** For cmd.exe, which reads its line itself. */
  isVerbatim?: true
}

export interface Place {
  home: string
  root: string
  memory: string
  keeper: string
  env: Record<string, string>
}

let made = 0

export interface PlaceOptions {
  user?: string
  project?: string
  config?: object
}

export function makePlace({ user: name = 'me', project = 'shop', config = {} }: PlaceOptions = {}): Place {
  const home = path.join(USERS, String(made++), name)
  const root = path.join(home, project)
  const keeper = path.join(home, '.claude', 'memory-keeper')
  const local = path.join(home, 'AppData', 'Local')
  const temp = path.join(local, 'Temp')
  for (const dir of [keeper, temp, path.join(root, '.git')]) fs.mkdirSync(dir, { recursive: true })
  fs.writeFileSync(path.join(root, '.git', 'HEAD'), 'ref: refs/heads/main\n')
  fs.writeFileSync(path.join(keeper, 'config.json'), JSON.stringify({ summarizer: 'extractive', ...config }))
  const env = {
    SystemRoot: SYSTEM,
    windir: SYSTEM,
    ComSpec: CMD,
    PATH: [path.dirname(process.execPath), path.dirname(CMD), SYSTEM].join(';'),
    PATHEXT: '.COM;.EXE;.BAT;.CMD',
    USERPROFILE: home,
    LOCALAPPDATA: local,
    TEMP: temp,
    TMP: temp,
    NO_COLOR: '1',
  }
  return { home, root, memory: path.join(root, '.claude', 'memory'), keeper, env }
}

/** How often a start is tried anew. */
const MOST_TRIES = 3

/** Under load Wine at times makes no process at all (UNKNOWN): nothing of ours has run then, and it is tried again. */
export function start(place: Place, program: string, args: readonly string[], options: RunOptions = {}): ChildProcess {
  for (let tries = 1; ; tries++) {
    try {
      return spawn(program, args, {
        cwd: options.cwd ?? place.root,
        env: { ...place.env, ...options.env },
        stdio: 'pipe',
        windowsVerbatimArguments: options.isVerbatim === true,
      })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'UNKNOWN' || tries === MOST_TRIES) throw error
    }
  }
}

export async function run(
  place: Place,
  program: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<Ran> {
  const child = start(place, program, args, options)
  const said = { out: '', err: '' }
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    said.out += text
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said.err += text
  })
  child.stdin?.on('error', () => undefined).end(options.input ?? '')
  const timer = setTimeout(() => child.kill(), PROGRAM_MS)
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
  clearTimeout(timer)
  return { code, ...said }
}

/** The path of one of our built programs. */
export function program(name: string): string {
  return path.join(PLUGIN, 'dist', `${name}.cjs`)
}

export function cli(place: Place, ...args: string[]): Promise<Ran> {
  return run(place, process.execPath, [program('cli'), ...args])
}

/** As `cli`; fails unless the command is done. */
export async function done(place: Place, ...args: string[]): Promise<string> {
  const { code, out, err } = await cli(place, ...args)
  if (code !== 0) throw new Error(`${args.join(' ')}: ${code} ${err}${out}`)
  return out
}

/** As the host spells this session's places; the defaults are the place's own. */
export interface Spelling {
  cwd?: string
  transcript?: string
}

export function idOf(n: number): string {
  return `${String(n).padStart(8, '0')}-2222-4222-8222-222222222222`
}

export function transcriptOf(place: Place, session: string, cwd = place.root): string {
  const dir = path.join(place.home, '.claude', 'projects', cwd.replace(/[^A-Za-z0-9]/g, '-'))
  fs.mkdirSync(dir, { recursive: true })
  return path.join(dir, `${session}.jsonl`)
}

/** Runs a hook as the host does; fails if it fails or complains. Empty: it says nothing. */
export async function hook(
  place: Place,
  session: string,
  event: string,
  more: object = {},
  spelling: Spelling = {},
): Promise<string> {
  const { cwd = place.root, transcript = transcriptOf(place, session) } = spelling
  const payload = { session_id: session, transcript_path: transcript, cwd, hook_event_name: event, ...more }
  const { code, out, err } = await run(place, process.execPath, [program('hook')], {
    input: JSON.stringify(payload),
    env: { CLAUDE_PID: String(process.pid), CLAUDE_CODE_SESSION_ATTENDED: '1', CLAUDE_PROJECT_DIR: cwd },
  })
  if (code !== 0 || err !== '') throw new Error(`${event}: ${code} ${err}`)
  return out
}

let clock = Date.now() - 6 * 3_600_000

/** The fields that the host writes into every line. */
function lineOf(session: string, cwd: string): Record<string, string> {
  clock += 1_000
  const timestamp = new Date(clock).toISOString()
  return { cwd, sessionId: session, timestamp, uuid: randomUUID(), version: '2.1.325', entrypoint: 'cli' }
}

export interface Turn {
  ask: string
  run: string
  say: string
}

/** The words that only this turn has. */
export function turn(session: number, n: number): Turn {
  return {
    ask: `ASK-${session}-${n} of the cents`,
    run: `run DO-${session}-${n} now`,
    say: `SAY-${session}-${n} whole`,
  }
}

export function wordsOf(session: number, turns: number): string[] {
  return Array.from({ length: turns }, (_, n) => [
    `ASK-${session}-${n} `,
    `DO-${session}-${n} `,
    `SAY-${session}-${n} `,
  ]).flat()
}

export function asked(session: string, cwd: string, { ask }: Turn): string {
  return user(ask, lineOf(session, cwd))
}

export function answered(session: string, cwd: string, { run: command, say }: Turn): string {
  const id = randomUUID()
  return [
    uses(id, 'Bash', { command }, lineOf(session, cwd)),
    result(id, 'fine', lineOf(session, cwd)),
    says(say, lineOf(session, cwd)),
  ].join('')
}

/** One turn: the prompt's hook, what the host writes, the hook of its end. Returns what came with the prompt. */
export async function playTurn(place: Place, n: number, turnNo: number, spelling: Spelling = {}): Promise<string> {
  const session = idOf(n)
  const { cwd = place.root, transcript = transcriptOf(place, session) } = spelling
  const said = turn(n, turnNo)
  const told = await hook(place, session, 'UserPromptSubmit', { prompt: said.ask }, spelling)
  fs.appendFileSync(transcript, asked(session, cwd, said) + answered(session, cwd, said))
  await hook(place, session, 'Stop', { last_assistant_message: said.say }, spelling)
  return told
}

/** A whole session of `turns` turns. */
export async function playSession(place: Place, n: number, turns: number, spelling: Spelling = {}): Promise<void> {
  await hook(place, idOf(n), 'SessionStart', { source: 'startup' }, spelling)
  for (let i = 0; i < turns; i++) await playTurn(place, n, i, spelling)
  await hook(place, idOf(n), 'SessionEnd', { reason: 'other' }, spelling)
}

/** Until no finisher of this user runs or is asked for. */
export async function settle(place: Place): Promise<void> {
  const dir = path.join(place.keeper, 'finishers')
  await until(
    () => filesBelow(dir).length === 0,
    () => `a finisher did not end: ${filesBelow(dir).map(describe).join(', ')}`,
  )
}

function describe(file: string): string {
  return `${path.basename(file)} ${fs.readFileSync(file, 'utf8')}`
}

export async function until(isTrue: () => boolean, otherwise: () => string): Promise<void> {
  for (const end = Date.now() + SETTLE_MS; !isTrue(); ) {
    if (Date.now() > end) throw new Error(otherwise())
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
}

export function filesBelow(dir: string): string[] {
  if (!fs.existsSync(dir)) return []
  return fs.readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    const below = path.join(dir, entry.name)
    return entry.isDirectory() ? filesBelow(below) : [below]
  })
}

/** Everything that was captured. */
export function captured(place: Place): string {
  return filesBelow(path.join(place.memory, 'sessions'))
    .filter((file) => /\.l1\.jsonl(?:\.gz)?$/.test(file))
    .map((file) => (file.endsWith('.gz') ? zlib.gunzipSync(fs.readFileSync(file)) : fs.readFileSync(file)).toString())
    .join('')
}

/** Each of these words, and how often it was captured, unless once. */
export function notOnce(place: Place, words: readonly string[]): string[] {
  const all = captured(place)
  return words.flatMap((word) => {
    const times = all.split(word).length - 1
    return times === 1 ? [] : [`${word.trim()}: ${times} times`]
  })
}
