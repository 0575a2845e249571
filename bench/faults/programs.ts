/** A project without a host: the hook programs of plugin/dist, started with the payloads that a host would send. */
import { spawnSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { SHIM } from './clock.ts'

export interface Project {
  dir: string
  root: string
  memory: string
  /** `~/.claude/memory-keeper`. */
  keeper: string
  cache: string
  /** Where the host has its transcripts. */
  projects: string
}

/** What one process cost: of CPU in milliseconds, and in bytes read from anywhere. */
export interface Cost {
  argv: string[]
  cpuMs: number
  read: number
}

export interface Ran {
  stdout: string
  stderr: string
  status: number | null
  cost: Cost | null
}

export interface Turn {
  prompt: string
  /** Lines that the host appends to the transcript during the turn. */
  lines: string
}

export interface Session {
  id: string
  /** When it begins, in milliseconds. */
  at: number
  turns: readonly Turn[]
}

/** What each event of a session did; `finisher` is the process that SessionEnd started. */
export interface Lived {
  start: Ran
  prompts: Ran[]
  stops: Ran[]
  end: Ran
  finisher: Cost | null
}

const DIST = path.resolve('plugin', 'dist')
const FINISHER_MS = 120_000
const TURN_MS = 60_000

export function makeProject(dir: string, settings: object): Project {
  const [root, home] = [path.join(dir, 'project'), path.join(dir, 'home')]
  const project = {
    ...{ dir, root, memory: path.join(root, '.claude', 'memory') },
    keeper: path.join(home, '.claude', 'memory-keeper'),
    cache: path.join(home, '.cache', 'memory-keeper'),
    projects: path.join(home, '.claude', 'projects'),
  }
  for (const each of [root, project.keeper, transcriptDir(project)]) mkdirSync(each, { recursive: true })
  writeFileSync(path.join(project.keeper, 'config.json'), JSON.stringify(settings))
  writeFileSync(path.join(dir, 'shim.cjs'), SHIM)
  return project
}

function transcriptDir({ projects, root }: Pick<Project, 'projects' | 'root'>): string {
  return path.join(projects, root.replace(/[^a-zA-Z0-9]/g, '-'))
}

export function transcriptOf(project: Project, id: string): string {
  return path.join(transcriptDir(project), `${id}.jsonl`)
}

/** A whole session at its own time, with the finisher of its end. */
export async function liveSession(project: Project, { id, at, turns }: Session): Promise<Lived> {
  // One session's costs are read again and again; those of a year would take longer than the sessions.
  rmSync(costsFile(project), { force: true })
  const transcript = transcriptOf(project, id)
  const hook = (event: string, now: number, more: object): Ran => {
    const payload = { hook_event_name: event, session_id: id, transcript_path: transcript, cwd: project.root, ...more }
    return run(project, 'hook.cjs', [], now, JSON.stringify(payload))
  }
  const lived: Lived = { start: hook('SessionStart', at, { source: 'startup' }), prompts: [], stops: [], ...NOTHING }
  let now = at
  for (const { prompt, lines } of turns) {
    lived.prompts.push(hook('UserPromptSubmit', now, { prompt, permission_mode: 'default' }))
    now += TURN_MS
    appendFileSync(transcript, lines)
    utimesSync(transcript, now / 1000, now / 1000)
    lived.stops.push(hook('Stop', now, { stop_hook_active: false, last_assistant_message: '' }))
  }
  const before = costsOf(project).length
  lived.end = hook('SessionEnd', now, { reason: 'other' })
  lived.finisher = await awaitFinisher(project, id, before)
  return lived
}

const NOTHING: Pick<Lived, 'end' | 'finisher'> = {
  end: { stdout: '', stderr: '', status: null, cost: null },
  finisher: null,
}

/** One of our programs at a given time. Everything of the bench's own environment is left out. */
export function run(project: Project, program: string, args: readonly string[], now: number, stdin = ''): Ran {
  const file = path.join(DIST, program)
  const { status, stdout, stderr } = spawnSync(process.execPath, [file, ...args], {
    input: stdin,
    encoding: 'utf8',
    cwd: project.root,
    env: { ...envOf(project, now), ...(program === 'cli.cjs' ? {} : fromHost(project)) },
    timeout: FINISHER_MS,
  })
  const cost = costsOf(project).findLast(({ argv }) => argv[0] === file) ?? null
  return { stdout, stderr, status, cost }
}

function envOf(project: Project, now: number): Record<string, string> {
  return {
    HOME: path.join(project.dir, 'home'),
    // No claude, no git: neither is what is looked at here.
    PATH: path.join(project.dir, 'no-programs'),
    LANG: 'C.UTF-8',
    TZ: 'UTC',
    NODE_OPTIONS: `--require ${path.join(project.dir, 'shim.cjs')}`,
    MEMORY_KEEPER_SHIFT_MS: String(now - Date.now()),
    MEMORY_KEEPER_COSTS: costsFile(project),
  }
}

/** What the host adds. A person's own terminal does not have it. */
function fromHost({ root }: Project): Record<string, string> {
  return { CLAUDE_PROJECT_DIR: root, CLAUDE_CODE_SESSION_ATTENDED: '1' }
}

/** Null: it did not end in time. */
async function awaitFinisher(project: Project, session: string, after: number): Promise<Cost | null> {
  for (const end = Date.now() + FINISHER_MS; Date.now() < end; await sleep(20)) {
    const ended = costsOf(project)
      .slice(after)
      .find(({ argv }) => path.basename(argv[0] ?? '') === 'keeper.cjs' && argv.includes(session))
    if (ended !== undefined) return ended
  }
  return null
}

function costsFile({ dir }: Project): string {
  return path.join(dir, 'costs.jsonl')
}

function costsOf(project: Project): Cost[] {
  const file = costsFile(project)
  if (!existsSync(file)) return []
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1)
  return lines.map((line) => JSON.parse(line) as Cost)
}
