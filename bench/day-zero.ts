/**
 * What does the very first start cost with 500 sessions of 20 MB on the machine, beside one without any history, and how much is read?
 * Each start runs in a process of its own that starts no finisher, which would import beside what is measured.
 */

import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { briefSession, compactedOf } from '../src/core/briefing/disk/briefing.ts'
import { takeFirstSteps } from '../src/core/extra.ts'
import { noteEndedSessions } from '../src/doors/hooks/ended-sessions.ts'
import { runHook } from '../src/doors/hooks/run.ts'
import { startSession } from '../src/doors/hooks/start.ts'
import { openStore } from '../src/kernel/memory/disk/store.ts'
import { locate } from '../src/kernel/platform/disk/locate.ts'
import { readTails } from '../src/kernel/sessions/disk/tails.ts'
import { sessionId, turnLines } from './support/sample.ts'

const BYTES = 20_000_000
/** Turns at the end of each file, 40 kB each: more than is read of it. */
const LAST_TURNS = 10
const STARTING = sessionId(5000)

interface World {
  home: string
  project: string
}

/** What one process reports. */
interface Measured {
  /** Of the start itself, without loading the program. */
  ms: number
  /** Of the whole process. */
  wallMs: number
  /** Read from transcripts. */
  bytes: number
  files: number
  tails: number
  notice: string
}

const [what = '', home = '', project = ''] = process.argv.slice(2)
if (what === 'start' || what === 'ends') console.log(JSON.stringify(measure(what, { home, project })))
else compare(Number(what || 15), Number(home || 500))

function compare(rounds: number, sessions: number): void {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'mk-bench-'))
  try {
    console.log(`node ${process.version}, ${rounds} rounds, ${sessions} sessions of ${BYTES / 1e6} MB\n`)
    const [bare, full] = [world(dir, 'without'), world(dir, 'with')]
    for (let n = 1; n <= sessions; n++) writeSparse(full, n, sessions)
    const variants = [
      ['first start, no history', 'start', bare],
      ['first start, with history', 'start', full],
      ['of it: the ends alone', 'ends', full],
    ] as const
    const runs = variants.map((): Measured[] => [])
    for (let round = -1; round < rounds; round++)
      variants.forEach(([, kind, at], i) => {
        const one = runOnce(kind, at)
        if (round >= 0) runs[i]?.push(one)
      })
    const [bareMs, bareWallMs] = [medianOf(runs[0] ?? [], 'ms'), medianOf(runs[0] ?? [], 'wallMs')]
    console.log('| | process, ms | ratio | start alone, ms | ratio | MB read of transcripts | files | tails |')
    console.log('|---|--:|--:|--:|--:|--:|--:|--:|')
    variants.forEach(([name], i) => {
      const all = runs[i] ?? []
      const [ms, wallMs] = [medianOf(all, 'ms'), medianOf(all, 'wallMs')]
      const times = [wallMs.toFixed(1), (wallMs / bareWallMs).toFixed(2), ms.toFixed(1), (ms / bareMs).toFixed(2)]
      console.log(
        `| ${[name, ...times, mb(medianOf(all, 'bytes')), medianOf(all, 'files'), medianOf(all, 'tails')].join(' | ')} |`,
      )
    })
    console.log(`\n${runs[1]?.at(-1)?.notice ?? ''}`)
  } finally {
    fs.rmSync(dir, { recursive: true, force: true })
  }
}

function medianOf(all: readonly Measured[], key: 'ms' | 'wallMs' | 'bytes' | 'files' | 'tails'): number {
  return all.map((one) => one[key]).toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? 0
}

function mb(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(2)
}

function world(dir: string, name: string): World {
  const at = { project: path.join(dir, name, 'project'), home: path.join(dir, name, 'home') }
  for (const each of Object.values(at)) fs.mkdirSync(each, { recursive: true })
  return at
}

/** The first turn, a hole, the last turns: 10 GB that take 200 MB of disk. */
function writeSparse(at: World, n: number, sessions: number): void {
  const session = sessionId(n)
  const folder = path.join(at.home, '.claude', 'projects', at.project.replace(/[^a-zA-Z0-9]/g, '-'))
  fs.mkdirSync(folder, { recursive: true })
  const file = path.join(folder, `${session}.jsonl`)
  const turns = (from: number, count: number): string =>
    Array.from({ length: count }, (_, i) => turnLines(session, at.project, n * 1000 + from + i)).join('')
  const end = `\n${turns(900, LAST_TURNS)}`
  fs.writeFileSync(file, turns(0, 1))
  fs.truncateSync(file, BYTES - Buffer.byteLength(end))
  fs.appendFileSync(file, end)
  const quiet = new Date(Date.now() - (sessions - n + 1) * 3_600_000)
  fs.utimesSync(file, quiet, quiet)
}

/** Everything that an earlier start wrote is deleted: each is the first. */
function runOnce(kind: 'start' | 'ends', at: World): Measured {
  for (const one of [
    path.join(at.project, '.claude'),
    path.join(at.home, '.claude', 'memory-keeper'),
    path.join(at.home, '.cache'),
  ])
    fs.rmSync(one, { recursive: true, force: true })
  const began = performance.now()
  const done = spawnSync(process.execPath, [fileURLToPath(import.meta.url), kind, at.home, at.project], {
    encoding: 'utf8',
  })
  if (done.status !== 0) throw new Error(done.stderr)
  const wallMs = performance.now() - began
  return { ...(JSON.parse(done.stdout) as Omit<Measured, 'wallMs'>), wallMs }
}

function measure(kind: 'start' | 'ends', at: World): Omit<Measured, 'wallMs'> {
  const read = countReads()
  const began = performance.now()
  const told = kind === 'start' ? startHere(at, began) : { tails: readEnds(at), notice: '' }
  return { ms: performance.now() - began, ...read(), ...told }
}

function placesOf({ home, project }: World): ReturnType<typeof locate> {
  return locate(project, { home, configDir: undefined, cacheDir: path.join(home, '.cache', 'memory-keeper') })
}

function now(): string {
  return new Date().toISOString()
}

function readEnds(at: World): number {
  return readTails(openStore(placesOf(at), { now }), { except: STARTING }).length
}

function startHere(at: World, began: number): { tails: number; notice: string } {
  let tails = 0
  const brief: typeof briefSession = (store, start) => {
    tails = start.tails?.length ?? 0
    return briefSession(store, start)
  }
  const payload = { hook_event_name: 'SessionStart', source: 'startup', session_id: STARTING, cwd: at.project }
  const out = runHook(JSON.stringify({ ...payload, transcript_path: '' }), {
    now,
    elapsedMs: () => performance.now() - began,
    isAttended: true,
    isOurChild: false,
    hostPid: 1,
    isStartedByHost: () => true,
    isAlive: () => true,
    locate: () => placesOf(at),
    projectDir: at.project,
    startFinisher: () => undefined,
    runSkill: () => null,
    doing: () => undefined,
    soon: (work) => work(),
    later: (work) => work(),
    loadStarter: () => ({ start: (moment) => startSession(moment, brief) }),
    loadRecaller: () => ({ recall: () => '' }),
    loadKeeper: () => ({
      settle: noteEndedSessions,
      takeFirstSteps,
      compact: () => ({ say: 'nothing' }),
      handOut: () => undefined,
      compacted: compactedOf,
    }),
  })
  const said = JSON.parse(out || '{}') as { systemMessage?: string }
  return { tails, notice: said.systemMessage?.split('\n').find((line) => line.includes('earlier session')) ?? '' }
}

/** Counts at the disk, by whomever it is read. */
function countReads(): () => Pick<Measured, 'bytes' | 'files'> {
  const names = new Map<number, string>()
  const files = new Set<string>()
  let bytes = 0
  const { openSync, readSync } = fs
  fs.openSync = (...args) => {
    const fd = openSync(...args)
    names.set(fd, String(args[0]))
    return fd
  }
  fs.readSync = ((...args: Parameters<typeof readSync>) => {
    const count = readSync(...args)
    const name = names.get(args[0]) ?? ''
    if (!name.includes(`${path.sep}projects${path.sep}`)) return count
    files.add(name)
    bytes += count
    return count
  }) as typeof readSync
  return () => ({ bytes, files: files.size })
}
