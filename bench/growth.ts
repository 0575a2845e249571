/**
 * What does a memory cost as it grows? The first finisher over n, 2n and 4n old sessions, what hooks read of the state
 * afterwards, and how many finishers 40 sessions start that end at once.
 */
import { spawn, spawnSync } from 'node:child_process'
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { makeWorld, transcriptPath, type World, writeOld } from './support/history.ts'
import { cleanEnv } from './support/measure.ts'
import { sessionId, turnLines } from './support/sample.ts'

const HOOK = path.resolve('plugin/dist/hook.cjs')
const KEEPER = path.resolve('plugin/dist/keeper.cjs')
const LEAST = Number(process.argv[2] ?? 400)
const ENDING = 40
const dir = mkdtempSync(path.join(os.tmpdir(), 'mk-bench-'))
const report = path.join(dir, 'report.cjs')

/** In the measured process: CPU, bytes that were passed to write(2), and bytes read of each file of the memory. */
writeFileSync(
  report,
  `const fs = require('fs'); const { openSync, readSync, closeSync } = fs; const names = new Map(); const read = {}
fs.openSync = (file, ...rest) => { const fd = openSync(file, ...rest); names.set(fd, String(file)); return fd }
fs.closeSync = (fd) => { names.delete(fd); return closeSync(fd) }
fs.readSync = (fd, ...rest) => { const n = readSync(fd, ...rest); const name = names.get(fd); if (name) read[name] = (read[name] ?? 0) + n; return n }
process.on('exit', () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage()
  let io = ''
  try { io = fs.readFileSync('/proc/self/io', 'utf8') } catch {}
  const written = Number(/wchar: (\\d+)/.exec(io)?.[1] ?? NaN)
  if (process.env.MK_REPORT) fs.writeFileSync(process.env.MK_REPORT, JSON.stringify({ cpu: (userCPUTime + systemCPUTime) / 1e6, written, maxRSS, read }))
})`,
)

interface Report {
  cpu: number
  written: number
  maxRSS: number
  read: Record<string, number>
}

try {
  console.log(`node ${process.version}\n`)
  console.log(
    '| old sessions | CPU s | MB written | most memory, MB | again: CPU s | MB written |\n|---|--:|--:|--:|--:|--:|',
  )
  for (const sessions of [LEAST, 2 * LEAST, 4 * LEAST]) {
    const at = makeWorld(path.join(dir, `first${sessions}`))
    for (let n = 0; n < sessions; n++) writeOld(at, n, sessions)
    const first = finisher(at)
    const again = finisher(at)
    console.log(
      `| ${sessions} | ${first.cpu.toFixed(1)} | ${mb(first.written)} | ${(first.maxRSS / 1024).toFixed(0)} | ${again.cpu.toFixed(1)} | ${mb(again.written)} |`,
    )
    if (sessions === 4 * LEAST) hooks(at, sessions)
  }
  await storm()
} finally {
  rmSync(dir, { recursive: true, force: true, maxRetries: 5 })
}

/** After the finisher: what each event reads of the state. */
function hooks(at: World, sessions: number): void {
  console.log(`\n| after ${sessions} sessions | kB of state read | kB of the memory read | CPU ms |\n|---|--:|--:|--:|`)
  const session = sessionId(sessions + 1)
  const transcript = transcriptPath(at, session)
  const common = { session_id: session, transcript_path: transcript }
  const say = (name: string, payload: object): void => {
    const { read, cpu } = run(at, [HOOK], { cwd: at.project, ...common, ...payload })
    const below = Object.entries(read).filter(([file]) => file.includes(`${path.sep}memory${path.sep}`))
    const isState = ([file]: [string, number]): boolean => /memory-index\.json$|settled/.test(file)
    const sum = (all: [string, number][]): string => (all.reduce((n, [, bytes]) => n + bytes, 0) / 1000).toFixed(1)
    console.log(`| ${name} | ${sum(below.filter(isState))} | ${sum(below)} | ${(cpu * 1000).toFixed(0)} |`)
  }
  say('SessionStart', { hook_event_name: 'SessionStart', source: 'startup' })
  say('UserPromptSubmit', {
    hook_event_name: 'UserPromptSubmit',
    prompt: 'Please look at the queue',
    permission_mode: 'default',
  })
  appendFileSync(transcript, turnLines(session, at.project, 9_000_000))
  say('Stop, one new turn', { hook_event_name: 'Stop', stop_hook_active: false, last_assistant_message: '' })
  say('Stop, nothing new', { hook_event_name: 'Stop', stop_hook_active: false, last_assistant_message: '' })
  say('SessionEnd', { hook_event_name: 'SessionEnd', reason: 'other' })
}

/** 40 sessions of one project end at once: how many finishers run, and how much memory they take together. */
async function storm(): Promise<void> {
  const at = makeWorld(path.join(dir, 'storm'))
  for (let n = 0; n < 200; n++) writeOld(at, n, 200)
  finisher(at)
  const ends = Array.from({ length: ENDING }, (_, n) => {
    const session = sessionId(500 + n)
    const transcript = transcriptPath(at, session)
    appendFileSync(transcript, turnLines(session, at.project, 8_000_000 + n))
    return {
      hook_event_name: 'SessionEnd',
      reason: 'other',
      session_id: session,
      transcript_path: transcript,
      cwd: at.project,
    }
  })
  const seen = new Set<string>()
  let most = 0
  let mostBytes = 0
  const look = (): number => {
    const running = readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && isKeeper(pid, at))
    for (const pid of running) seen.add(pid)
    most = Math.max(most, running.length)
    mostBytes = Math.max(
      mostBytes,
      running.reduce((sum, pid) => sum + rssOf(pid), 0),
    )
    return running.length
  }
  const timer = setInterval(look, 20)
  await Promise.all(
    ends.map(
      (payload) =>
        new Promise((resolve) => {
          const child = spawn(process.execPath, [HOOK], { env: envOf(at), stdio: ['pipe', 'ignore', 'ignore'] })
          child.stdin.end(JSON.stringify(payload))
          child.once('exit', resolve)
        }),
    ),
  )
  for (let quiet = 0; quiet < 20; quiet = look() > 0 ? 0 : quiet + 1) await new Promise((done) => setTimeout(done, 50))
  clearInterval(timer)
  console.log(
    `\n${ENDING} sessions that end at once: ${seen.size} finishers seen, at most ${most} at a time, ${mb(mostBytes)} MB of memory together`,
  )
}

function isKeeper(pid: string, at: World): boolean {
  const command = procFile(pid, 'cmdline')
  return command.includes('keeper.cjs') && command.includes(at.project)
}

function rssOf(pid: string): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(procFile(pid, 'status'))?.[1] ?? 0) * 1024
}

function procFile(pid: string, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8')
  } catch {
    return ''
  }
}

function finisher(at: World): Report {
  return run(at, [KEEPER, 'catch-up', at.project], {})
}

function run(at: World, args: string[], stdin: object): Report {
  const to = path.join(dir, 'report.json')
  const done = spawnSync(process.execPath, ['--require', report, ...args], {
    input: JSON.stringify(stdin),
    env: { ...envOf(at), MK_REPORT: to },
  })
  if (done.status !== 0) throw new Error(String(done.stderr))
  return JSON.parse(readFileSync(to, 'utf8')) as Report
}

function mb(bytes: number): string {
  return (bytes / 1e6).toFixed(0)
}

function envOf(at: World): Record<string, string> {
  return cleanEnv({ HOME: at.home, CLAUDE_PROJECT_DIR: at.project, CLAUDE_CODE_SESSION_ATTENDED: '0' })
}
