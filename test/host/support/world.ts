/** A world for one story: a real host, a private HOME, a project and a scripted model, gone afterwards. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { type Finished, type Launch, type PrintRun, runPrint, runToEnd, startTalk, type Talk } from './headless.ts'
import { findHost, type HostName } from './hosts.ts'
import { type Model, startModel } from './model.ts'
import { copyPlace, makePlace, type Place, tmuxSocket, type WorldCopy } from './place.ts'
import { findProcesses, killProcess, type WorldProcess, writtenBy } from './processes.ts'
import { describeRequest, type ModelRequest } from './request.ts'
import { openTerminal, type Terminal } from './terminal.ts'
import { endTmux } from './tmux.ts'
import { type UntilOptions, until } from './until.ts'

export interface WorldOptions {
  host?: HostName
  /** True: this repository's plugin folder. 'installed': through its marketplace. False: none. A path: that plugin. */
  plugin?: boolean | string
  permissionMode?: string
  allowedTools?: readonly string[]
  /** Added to the environment of every host process. */
  env?: Record<string, string>
  /** The user's settings for Memory Keeper. Most stories are not about models: theirs calls none. */
  settings?: Record<string, unknown>
  /** The user has read, in an earlier session, what background calls of a model do. */
  isModelNoticed?: boolean
  timeoutMs?: number
  /** Told with `npm run test:host -- --all` only. Why: which story goes the same way in every run. */
  onlyWithAll?: string
  /** On the older host: told in every run, not with `--all` only. */
  isSpotCheck?: boolean
}

export interface RunOptions {
  args?: readonly string[]
  env?: Record<string, string>
  /** Relative to the project. */
  cwd?: string
  /** A session id. */
  resume?: string
  /** With resume: go on in a copy. */
  fork?: boolean
}

export interface World {
  model: Model
  requests: ModelRequest[]
  dir: string
  home: string
  projectDir: string
  print(prompt: string, options?: RunOptions): Promise<PrintRun>
  stream(options?: RunOptions): Talk
  terminal(options?: RunOptions): Promise<Terminal>
  /** Any other command of the host, such as `plugin validate`. */
  claude(args: readonly string[], options?: RunOptions): Promise<Finished>
  until<T>(what: string, look: () => T | false | null | undefined, options?: UntilOptions): Promise<T>
  /** Paths are relative to the project, or absolute. */
  file(...parts: string[]): string
  read(...parts: string[]): string
  write(path: string, text: string): void
  /** Every transcript the host wrote, those of subagents too. */
  transcripts(): string[]
  /** The lines of the transcript of a session, wherever the host keeps it now. */
  transcript(sessionId: string): TranscriptLine[]
  /** What this world started and is still alive. */
  processes(): WorldProcess[]
  /** The files as they are now. Nothing may run any more. */
  copy(): WorldCopy
  /** For the reader of a failing story. */
  describe(): string
  end(): Promise<void>
}

export type TranscriptLine = Record<string, unknown> & { type: string }

const repository = resolve(import.meta.dirname, '..', '..', '..')
const TOOLS = ['Bash', 'Read', 'Write', 'Edit', 'Agent', 'Skill', 'ToolSearch', 'mcp__plugin_memory-keeper_memory']
const TIMEOUT_MS = 60_000

export async function createWorld(options: WorldOptions = {}, copy?: WorldCopy): Promise<World> {
  const binary = findHost(options.host ?? 'current')
  const model = await startModel()
  const place = makePlace(binary, model.url, copy)
  const always = conversationArgs(options)
  if (copy === undefined) settle(place.home, options)
  const screens: Terminal[] = []
  const sockets: string[] = []

  const launch = (args: readonly string[], run: RunOptions = {}): Launch => ({
    command: place.claude,
    args: [...args, ...(run.args ?? [])],
    cwd: resolve(place.projectDir, run.cwd ?? '.'),
    env: { ...place.env, ...options.env, ...run.env },
    timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
  })
  const file = (...parts: string[]) => resolve(place.projectDir, ...parts)
  const claude = (args: readonly string[], run?: RunOptions) => runToEnd(launch(args, run))
  const end = () => endWorld(place, model, sockets)
  // A story may install the plugin itself, as a user does.
  const installed = join(place.home, '.claude', 'plugins', 'installed_plugins.json')
  const hasServer = () =>
    options.plugin !== false || (existsSync(installed) && readFileSync(installed, 'utf8').includes('memory-keeper@'))
  try {
    if (options.plugin === 'installed' && copy === undefined) await installPlugin(claude)
  } catch (error) {
    await end()
    throw error
  }

  return {
    model,
    requests: model.requests,
    dir: place.dir,
    home: place.home,
    projectDir: place.projectDir,
    print: (prompt, run = {}) => runPrint(launch(['-p', prompt, ...STREAM_OUT, ...always, ...resumeArgs(run)], run)),
    stream: (run = {}) => startTalk(launch(['-p', ...STREAM_IN, ...STREAM_OUT, ...always, ...resumeArgs(run)], run)),
    terminal: async (run = {}) => {
      const socket = tmuxSocket(place, sockets.length)
      sockets.push(socket)
      const screen = await openTerminal(launch([...always, ...resumeArgs(run)], run), socket, {
        isModelBusy: () => model.pending() > 0,
        serverOf: (hostPid) => (hasServer() ? serverOf(place.id, hostPid) : 'ready'),
      })
      screens.push(screen)
      return screen
    },
    claude,
    until: (what, look, more) => until(what, look, { show: () => describe(model, screens), ...more }),
    file,
    read: (...parts) => readFileSync(file(...parts), 'utf8'),
    write: (path, text) => {
      mkdirSync(dirname(file(path)), { recursive: true })
      writeFileSync(file(path), text)
    },
    transcripts: () => findTranscripts(place.home),
    transcript: (sessionId) => readTranscript(findTranscripts(place.home), sessionId),
    processes: () => findProcesses(place.id),
    copy: () => copyPlace(place.dir),
    describe: () => describe(model, screens),
    end,
  }
}

/** The list of our tools is longer than this, and nothing that a server says before it is. */
const GREETING = 4_096

/** A start hook that still runs counts as a server that is not ready: what it shows is not on the screen yet. */
function serverOf(worldId: string, hostPid: number): 'absent' | 'starting' | 'ready' {
  const children = findProcesses(worldId).filter(({ parent }) => parent === hostPid)
  const server = children.find(({ command }) => command.endsWith('mcp.cjs'))
  if (server === undefined) return 'absent'
  const isHookRunning = children.some(({ command }) => command.endsWith('hook.cjs'))
  return writtenBy(server.pid) > GREETING && !isHookRunning ? 'ready' : 'starting'
}

function isByAgent(settings: object): boolean {
  return 'summarizer' in settings && settings.summarizer === 'agent'
}

const NOTICED = '2026-01-01T00:00:00.000Z'

/** Where Claude writes the notes, the user knows of background calls, too: they audit them. */
function settle(
  home: string,
  { settings = { summarizer: 'extractive' }, isModelNoticed = isByAgent(settings) }: WorldOptions,
): void {
  const dir = join(home, '.claude', 'memory-keeper')
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  if (Object.keys(settings).length > 0) writeFileSync(join(dir, 'config.json'), JSON.stringify(settings))
  if (isModelNoticed)
    writeFileSync(join(dir, 'notices.json'), `${JSON.stringify({ version: 1, model: NOTICED, agent: NOTICED })}\n`)
}

const STREAM_IN = ['--input-format', 'stream-json']
const STREAM_OUT = ['--output-format', 'stream-json', '--verbose']

function conversationArgs({
  plugin = true,
  permissionMode = 'acceptEdits',
  allowedTools = TOOLS,
}: WorldOptions): string[] {
  const directory = plugin === true ? join(repository, 'plugin') : plugin
  const loaded = directory === false || directory === 'installed' ? [] : ['--plugin-dir', directory]
  return [...loaded, '--permission-mode', permissionMode, '--allowedTools', allowedTools.join(',')]
}

function resumeArgs({ resume, fork }: RunOptions): string[] {
  if (resume === undefined) return []
  return fork === true ? ['--resume', resume, '--fork-session'] : ['--resume', resume]
}

async function installPlugin(claude: (args: readonly string[]) => Promise<Finished>): Promise<void> {
  const manifest = readFileSync(join(repository, '.claude-plugin', 'marketplace.json'), 'utf8')
  const { name } = JSON.parse(manifest) as { name: string }
  for (const args of [
    ['marketplace', 'add', repository],
    ['install', `memory-keeper@${name}`],
  ]) {
    const { exitCode, stdout, stderr } = await claude(['plugin', ...args])
    if (exitCode !== 0) throw new Error(`claude plugin ${args.join(' ')} failed:\n${stdout}${stderr}`)
  }
}

function findTranscripts(home: string): string[] {
  const projects = join(home, '.claude', 'projects')
  if (!existsSync(projects)) return []
  const names = readdirSync(projects, { recursive: true, encoding: 'utf8' })
  return names
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => join(projects, name))
    .sort()
}

function readTranscript(paths: readonly string[], sessionId: string): TranscriptLine[] {
  const path = paths.find((each) => each.endsWith(`/${sessionId}.jsonl`))
  if (path === undefined) throw new Error(`No transcript of ${sessionId} among:\n${paths.join('\n')}`)
  const lines = readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
  return lines.map((line) => JSON.parse(line) as TranscriptLine)
}

function describe(model: Model, screens: readonly Terminal[]): string {
  const requests = model.requests.map(describeRequest).join('\n')
  const shown = screens.map((screen) => `--- screen ---\n${screen.screen()}`)
  return [`--- requests (${model.unscripted()} unscripted) ---\n${requests}`, ...shown].join('\n')
}

async function endWorld(place: Place, model: Model, sockets: readonly string[]): Promise<void> {
  for (const socket of sockets) endTmux(socket)
  const stop = () => {
    const left = findProcesses(place.id)
    for (const { pid } of left) killProcess(pid)
    return left.length === 0
  }
  await until('the processes of the world to end', stop)
  await model.end()
  if (process.env.KEEP_WORLD === '1') console.log(`Kept: ${place.dir}`)
  else rmSync(place.dir, { recursive: true, force: true, maxRetries: 5 })
}
