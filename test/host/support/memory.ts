/** What Memory Keeper kept of a world: its files, read as a person would read them, and what `verify` says about them. */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect } from 'vitest'
import type { Entry } from '../../../src/kernel/transcript/session.ts'
import { BRIEFING, RULES, RULES_IN_FULL } from './notes.ts'
import type { World } from './world.ts'

/** A busy machine may need more than the second and a half the host gives to the last hooks. */
export const patient = { env: { CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS: '20000' } }

interface KeptSession {
  id8: string
  file: string
  entries: Entry[]
}

interface CommandRun {
  exitCode: number | null
  stdout: string
  stderr: string
}

interface Verdict {
  complete: boolean
  sessions: { session: string; complete: boolean; missing: string[] }[]
  prompts: { present: number; captured: number }
  answers: { present: number; captured: number }
  tools: { present: number; captured: number }
}

const repository = resolve(import.meta.dirname, '..', '..', '..')
/** Our own voice, or the host's about us. */
/** Besides the line that every start shows. */
const NOISE =
  /hook error|hook (?:failed|returned|timed out)|memory.?keeper(?!: [\d,]+ sessions?(?: ·|\s|$)| records this project|:pause project)/i
/** The host lists our skills and agents to the model, one line each, as our own files describe them. */
const OFFERED = /^- memory-keeper:[^\n]*$/gm
/** And the names of our tools. */
const TOOL_NAMES = /mcp__plugin_memory-keeper_memory(?:__\w+)?/g

export function memoryDir(world: World): string {
  return world.file('.claude', 'memory')
}

/** The only session that is kept. */
export function onlySession(world: World): string {
  const [session, ...others] = memoryOf(memoryDir(world))
  expect(others.map(({ file }) => file)).toEqual([])
  return session?.id8 ?? ''
}

/** Below home: `projects`, `vault`, `trust`. */
export function homeDir(world: World): string {
  return join(world.home, '.claude', 'memory-keeper')
}

/** Oldest first. */
export function memoryOf(dir: string): KeptSession[] {
  const sessions = join(dir, 'sessions')
  if (!existsSync(sessions)) return []
  const names = readdirSync(sessions).filter((name) => name.endsWith('.l1.jsonl'))
  return names.sort().map((name) => ({
    id8: name.slice(16, 24),
    file: join(sessions, name),
    entries: readFileSync(join(sessions, name), 'utf8').split('\n').slice(0, -1).map(parseLine),
  }))
}

/** The entries of one session, one line each: `user: hi`, `Bash ok: echo a → a`, `assistant: done`. */
export function told(world: World, sessionId: string, dir = memoryDir(world)): string[] {
  const session = memoryOf(dir).find(({ id8 }) => sessionId.startsWith(id8))
  if (session === undefined) throw new Error(`Nothing is kept of ${sessionId} in ${dir}.`)
  return session.entries.map(describeEntry)
}

export function allTold(dir: string): string[][] {
  // Names have seconds only: two sessions of one second are ordered by the time of their first entry.
  const begun = ({ entries: [first] }: { entries: readonly object[] }): string =>
    first !== undefined && 'ts' in first && typeof first.ts === 'string' ? first.ts : ''
  return memoryOf(dir)
    .toSorted((a, b) => (begun(a) < begun(b) ? -1 : begun(a) > begun(b) ? 1 : 0))
    .map((session) => session.entries.map(describeEntry))
}

/** The command line program, as the world's user runs it. */
export function keeper(world: World, args: readonly string[], projectDir = world.projectDir): CommandRun {
  const program = join(repository, 'plugin', 'dist', 'cli.cjs')
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args, '--project', projectDir], {
    encoding: 'utf8',
    cwd: world.dir,
    env: { HOME: world.home, PATH: '/usr/bin:/bin', NO_COLOR: '1' },
  })
  return { exitCode: status, stdout, stderr }
}

function verify(world: World, projectDir?: string): Verdict {
  const { stdout, stderr } = keeper(world, ['verify', '--json'], projectDir)
  if (stdout === '') throw new Error(`verify said nothing:\n${stderr}`)
  return JSON.parse(stdout) as Verdict
}

/** The hosts have left, the finishers are done, no process stays, and everything is there. */
export async function expectComplete(world: World, sessions: number, projectDir?: string): Promise<void> {
  await expectNothingLeft(world)
  const verdict = verify(world, projectDir)
  expect(verdict.sessions.flatMap(({ missing }) => missing)).toEqual([])
  expect([verdict.complete, verdict.sessions.length]).toEqual([true, sessions])
}

export async function expectNothingLeft(world: World): Promise<void> {
  let left = world.processes()
  const look = () => {
    left = world.processes()
    return left.length === 0
  }
  await world.until('all processes to end', look, { show: () => left.map(({ command }) => command).join('\n') })
}

/** Besides the rules, a briefing and the names of what we offer, nothing is said to the model. */
export function expectUntouched(world: World): void {
  for (const { text, system, kind } of world.requests) {
    if (kind === 'child' || kind === 'audit') continue
    const others = text.replaceAll(RULES, '').replaceAll(RULES_IN_FULL, '').replace(BRIEFING, '')
    expect(`${system}\n${others}`.replace(OFFERED, '').replace(TOOL_NAMES, '')).not.toMatch(/memory.?keeper/i)
  }
}

export function expectQuiet(shown: string): void {
  expect(shown).not.toMatch(NOISE)
}

/** A lock or temporary file may be gone since it was listed. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw error
  }
}

/** Every file below a directory, as one text: to look for what must not be there. */
export function everythingBelow(dir: string): string {
  if (!existsSync(dir)) return ''
  const paths = readdirSync(dir, { recursive: true, encoding: 'utf8' }).map((name) => join(dir, name))
  return paths
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true)
    .map((path) => `${path}\n${textOf(path)}`)
    .join('\n')
}

function describeEntry(entry: Entry): string {
  const open = entry.open ? ' (open)' : ''
  const who = entry.role === 'subagent' ? 'subagent ' : ''
  if ('text' in entry) {
    const via = 'via' in entry && entry.via !== undefined ? ` in ${entry.via}` : ''
    return `${entry.role}${via}: ${entry.text}${open}`
  }
  const outcome = entry.ok === null ? 'without result' : entry.ok ? 'ok' : 'failed'
  return `${who}${entry.name} ${outcome}: ${entry.cmd}${entry.output ? ` → ${entry.output}` : ''}${open}`
}

function parseLine(line: string): Entry {
  return JSON.parse(line) as Entry
}
