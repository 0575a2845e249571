/** Runs the plan of one history in the real host, then lets everything that was killed be caught up. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { HostName } from '../../test/host/support/hosts.ts'
import type { Terminal } from '../../test/host/support/terminal.ts'
import { createWorld, type RunOptions, type World } from '../../test/host/support/world.ts'
import { SHIM } from './clock.ts'
import { compactionArgs, promptOf, scriptModel } from './history-model.ts'
import type { Act, Group, History, Place, Run } from './history-plan.ts'
import { type Killer, type Kills, startKiller } from './killer.ts'
import { findLeftovers, type Leftovers } from './leftovers.ts'

export interface Lived {
  world: World
  kills: Kills
  /** Hosts that were started, and what went wrong with some of them. */
  starts: number
  troubles: string[]
  /** Background calls that reached the model. */
  childCalls: number
  /** Right after the last kill, before any session had a chance to clean up. */
  leftovers: Leftovers
}

const PATIENT = { CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS: '20000' }
/** A finisher waits for a background call for at most two minutes. */
const ENDING_MS = 180_000
const DAY_MS = 24 * 60 * 60_000

/** The caller ends the world. */
export async function liveHistory(history: History, host: HostName, random: () => number): Promise<Lived> {
  const { settings, hasChild, isPatient } = history
  const env = isPatient ? PATIENT : {}
  const world = await createWorld({ host, settings, isModelNoticed: hasChild, env, timeoutMs: 120_000 })
  try {
    return { world, ...(await liveIn(world, history, random)) }
  } catch (error) {
    await world.end()
    throw error
  }
}

async function liveIn(world: World, history: History, random: () => number): Promise<Omit<Lived, 'world'>> {
  const places = makePlaces(world)
  scriptModel(world.model, history, world.projectDir, random)
  const killer = startKiller(path.basename(world.dir), history.killRate, random)
  const troubles: string[] = []
  try {
    for (const group of history.groups) await liveGroup(world, group, places, killer, troubles)
  } finally {
    killer.stop()
  }
  await awaitProcesses(world)
  const leftovers = findLeftovers(world.dir)
  await catchUp(world, troubles)
  const childCalls = world.requests.filter(({ kind }) => kind === 'child').length
  const starts = history.groups.reduce((sum, { runs }) => sum + runs.length, 0)
  return { kills: killer.kills, starts: starts + 2, troubles, childCalls, leftovers }
}

function makePlaces(world: World): Record<Place, string> {
  const [beside, inside] = [path.join(world.dir, 'feature'), world.file('trees', 'inner')]
  const env = { HOME: world.home, PATH: '/usr/bin:/bin' }
  for (const dir of [beside, inside])
    execFileSync('git', ['worktree', 'add', '-b', path.basename(dir), dir], {
      cwd: world.projectDir,
      env,
      stdio: 'ignore',
    })
  const below = world.file('src', 'deep')
  mkdirSync(below, { recursive: true })
  const places = { root: world.projectDir, below, beside, inside }
  trust(world, Object.values(places))
  return places
}

/** The user has accepted the trust dialog of each directory. */
function trust(world: World, dirs: readonly string[]): void {
  const file = path.join(world.home, '.claude.json')
  const user = JSON.parse(readFileSync(file, 'utf8')) as { projects: Record<string, object> }
  const accepted = { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true, projectOnboardingSeenCount: 4 }
  for (const dir of dirs) user.projects[dir] = accepted
  writeFileSync(file, JSON.stringify(user))
}

async function liveGroup(
  world: World,
  { runs, isAwaited }: Group,
  places: Readonly<Record<Place, string>>,
  killer: Killer,
  troubles: string[],
): Promise<void> {
  const live = async (run: Run): Promise<void> => {
    const options = optionsOf(world, run, places[run.place])
    try {
      await WAYS[run.way](world, run, options, killer)
    } catch (error) {
      troubles.push(`${run.id} (${run.way}, ${run.end.how}): ${String(error).split('\n').slice(0, 3).join(' ')}`)
    }
  }
  await Promise.all(runs.map(live))
  if (isAwaited) await awaitProcesses(world)
}

/** A session that was killed before the host wrote its transcript cannot be resumed: another one is begun under the same id. */
function optionsOf(world: World, { id, from, ...run }: Run, cwd: string): RunOptions {
  const args = compactionArgs({ id, from, ...run })
  const isThere = from !== null && world.transcripts().some((file) => path.basename(file) === `${from.id}.jsonl`)
  if (!isThere) return { cwd, args: [...args, '--session-id', id] }
  if (from.isFork) return { cwd, args: [...args, '--session-id', id], resume: from.id, fork: true }
  return { cwd, args, resume: from.id }
}

type Way = (world: World, run: Run, options: RunOptions, killer: Killer) => Promise<void>

const WAYS: Record<Run['way'], Way> = { print, stream, terminal }

async function print(world: World, run: Run, options: RunOptions): Promise<void> {
  for (const act of run.acts) await world.print(textOf(act), options)
}

async function stream(world: World, { acts, end }: Run, options: RunOptions, killer: Killer): Promise<void> {
  const talk = world.stream(options)
  const [last, ...earlier] = acts.toReversed()
  for (const act of earlier.toReversed()) await talk.say(textOf(act))
  const reply = last === undefined ? null : talk.say(textOf(last))
  if (end.how === 'leave') {
    await reply
    await talk.end()
    return
  }
  await sleep(end.afterMs)
  await talk.kill()
  killer.kills.host += 1
  await reply
}

async function terminal(world: World, { acts, end }: Run, options: RunOptions, killer: Killer): Promise<void> {
  const screen = await world.terminal(options)
  const [last, ...earlier] = acts.toReversed()
  for (const act of earlier.toReversed()) await screen.say(textOf(act))
  if (last !== undefined && end.how === 'leave') await screen.say(textOf(last))
  else if (last !== undefined) await screen.send(textOf(last))
  await leaveTerminal(screen, end, killer)
}

async function leaveTerminal(screen: Terminal, { how, afterMs }: Run['end'], killer: Killer): Promise<void> {
  if (how === 'leave') await screen.exit()
  else await sleep(afterMs)
  if (how === 'close') await screen.close()
  if (how !== 'kill') return
  await screen.kill()
  killer.kills.host += 1
}

function textOf(act: Act): string {
  return act.do === 'say' ? promptOf(act.order) : act.command
}

async function awaitProcesses(world: World): Promise<void> {
  let left = world.processes()
  const look = (): boolean => {
    left = world.processes()
    return left.length === 0
  }
  await world.until('all processes to end', look, {
    timeoutMs: ENDING_MS,
    show: () => left.map(({ pid, command }) => `${pid} ${command.slice(0, 200)}`).join('\n'),
  })
}

/**
 * Two more sessions without any kill: one right now, and one on the next day. What no hook has seen counts as over after five
 * minutes, and temporary files are swept after one: the second session's clock is a day ahead, and those files are made older.
 */
async function catchUp(world: World, troubles: string[]): Promise<void> {
  const shim = path.join(world.dir, 'clock.cjs')
  writeFileSync(shim, SHIM)
  for (const env of [{}, { NODE_OPTIONS: `--require ${shim}`, MEMORY_KEEPER_SHIFT_MS: String(DAY_MS) }]) {
    if ('NODE_OPTIONS' in env) ageTemporaryFiles(world.dir)
    const { exitCode, stderr } = await world.print('Good morning.', { env })
    if (exitCode !== 0 || stderr !== '') troubles.push(`catching up: exit code ${exitCode}: ${stderr.slice(0, 300)}`)
    await awaitProcesses(world)
  }
}

function ageTemporaryFiles(dir: string): void {
  const yesterday = new Date(Date.now() - DAY_MS)
  for (const name of readdirSync(dir, { recursive: true, encoding: 'utf8' })) {
    const file = path.join(dir, name)
    if (name.endsWith('.tmp') && existsSync(file) && statSync(file).isFile()) utimesSync(file, yesterday, yesterday)
  }
}
