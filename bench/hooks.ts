/** What does a hook cost beside bare node? Cold, with nothing to do, after a turn, on transcripts of 1, 10 and 100 MB, with 1,000 sessions stored. */

import { spawnSync } from 'node:child_process'
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { cleanEnv, renderTimes, timeVariants, type Variant } from './support/measure.ts'
import { sessionId, turnLines, writeTranscript } from './support/sample.ts'

const HOOK = path.resolve('plugin/dist/hook.cjs')
const KEEPER = path.resolve('plugin/dist/keeper.cjs')
const CLI = path.resolve('plugin/dist/cli.cjs')
const ROUNDS = Number(process.argv[2] ?? 25)
const SESSIONS = Number(process.argv[3] ?? 1000)
const STORED = `${SESSIONS.toLocaleString('en')} sessions stored`
const dir = mkdtempSync(path.join(os.tmpdir(), 'mk-bench-'))

try {
  console.log(`node ${process.version}, ${ROUNDS} rounds\n`)
  const bare: Variant = { name: 'node -e 0', command: process.execPath, args: ['-e', '0'], stdin: '{}' }
  const variants: Variant[] = [bare]

  for (const mb of [1, 10, 100]) {
    const at = world(`stop${mb}`)
    const { transcript, session } = transcriptIn(at, 1, mb * 1_000_000)
    run(at, { hook_event_name: 'Stop', session_id: session, transcript_path: transcript })
    const payload = { hook_event_name: 'Stop', session_id: session, transcript_path: transcript }
    // Where there are events of ours, too: alone it would find nothing compiled.
    if (mb === 1) variants.push(hook('not our event', at, { hook_event_name: 'Notification' }))
    let turn = 1_000_000
    variants.push(hook(`Stop, nothing new, ${mb} MB transcript`, at, payload))
    variants.push({
      ...hook(`Stop, one new turn, ${mb} MB transcript`, at, payload),
      before: () => appendFileSync(transcript, turnLines(session, at.project, turn++)),
    })
  }
  // Prompts and stops change what a start reads: each has a world of its own.
  const [starts, anew, many] = [manySessions('starts'), manySessions('anew'), manySessions('many')] as const
  const begins = {
    hook_event_name: 'SessionStart',
    source: 'startup',
    session_id: sessionId(5000),
    transcript_path: '',
  }
  const kept = path.join(anew.home, '.cache', 'memory-keeper', 'briefings')
  variants.push(
    hook(`SessionStart, ${STORED}, memory.md full`, starts, begins),
    // As after any change of the memory that no finisher has seen.
    {
      ...hook('the same, its briefing rendered anew', anew, begins),
      before: () => rmSync(kept, { recursive: true, force: true }),
    },
    { ...hook('finisher, nothing to do', starts, {}), args: [KEEPER, 'catch-up', starts.project] },
    { ...hook('memory-keeper --version', starts, {}), args: [CLI, '--version'] },
  )
  const ends = world('ends')
  const ended = transcriptIn(ends, 1, 1_000_000)
  const end = { hook_event_name: 'SessionEnd', session_id: ended.session, transcript_path: ended.transcript }
  variants.push({ ...hook('SessionEnd, which starts the finisher', ends, end), before: () => pause(700) })
  const last = { session: sessionId(SESSIONS), transcript: transcriptPath(many, SESSIONS) }
  variants.push(
    hook(`UserPromptSubmit, ${STORED}`, many, {
      hook_event_name: 'UserPromptSubmit',
      prompt: 'hi',
      session_id: last.session,
      transcript_path: last.transcript,
    }),
  )
  variants.push(
    hook(`Stop, nothing new, ${STORED}`, many, {
      hook_event_name: 'Stop',
      session_id: last.session,
      transcript_path: last.transcript,
    }),
  )
  console.log(renderTimes(timeVariants(variants, ROUNDS)))
} finally {
  rmSync(dir, { recursive: true, force: true })
}

/** With the finisher's work done, and memory.md as full as it gets before it rotates. */
function manySessions(name: string): World {
  const at = world(name)
  const quiet = new Date(Date.now() - 3_600_000)
  for (let n = 1; n <= SESSIONS; n++) utimesSync(transcriptIn(at, n, 40_000).transcript, quiet, quiet)
  run(at, {}, 'catch-up')
  const memory = path.join(at.project, '.claude', 'memory', 'memory.md')
  appendFileSync(memory, Array.from({ length: 260 }, (_, n) => fullNote(n)).join(''))
  // The first start makes the directory of receipts.
  run(at, { hook_event_name: 'SessionStart', source: 'startup', session_id: sessionId(5001), transcript_path: '' })
  run(at, {}, 'catch-up')
  return at
}

function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

function fullNote(n: number): string {
  const at = new Date(Date.UTC(2026, 0, 1, 0, n)).toISOString()
  return `## ${at.slice(0, 19).replace('T', ' ')} UTC (${at.slice(0, 19).replace('T', ' ')} +00:00)
<!-- note n-20260101_${String(n).padStart(6, '0')} author=user at=${at} -->
The importer of module ${n} reads its input in pieces now; its tests pass, and the limit of ${n} rows stays for the moment.

`
}

interface World {
  home: string
  project: string
}

/** No note is ever due: the finisher that writes it would run beside what is measured. */
function world(name: string): World {
  const project = path.join(dir, name, 'project')
  const home = path.join(dir, name, 'home')
  const settings = path.join(home, '.claude', 'memory-keeper')
  for (const each of [project, settings]) mkdirSync(each, { recursive: true })
  writeFileSync(path.join(settings, 'config.json'), '{"saveInterval":10000}')
  return { home, project }
}

function transcriptIn(at: World, n: number, bytes: number): { transcript: string; session: string } {
  const session = sessionId(n)
  const transcript = path.join(
    at.home,
    '.claude',
    'projects',
    at.project.replace(/[^a-zA-Z0-9]/g, '-'),
    `${session}.jsonl`,
  )
  writeTranscript(transcript, session, at.project, bytes, n * 1000)
  return { transcript, session }
}

function transcriptPath(at: World, n: number): string {
  return path.join(at.home, '.claude', 'projects', at.project.replace(/[^a-zA-Z0-9]/g, '-'), `${sessionId(n)}.jsonl`)
}

function envOf(at: World): Record<string, string> {
  return cleanEnv({ HOME: at.home, CLAUDE_PROJECT_DIR: at.project, CLAUDE_CODE_SESSION_ATTENDED: '0' })
}

function hook(name: string, at: World, payload: object): Variant {
  return {
    name,
    command: process.execPath,
    args: [HOOK],
    stdin: JSON.stringify({ cwd: at.project, ...payload }),
    env: envOf(at),
  }
}

/** Brings a world into the state to be measured. */
function run(at: World, payload: object, job?: string): void {
  const args = job === undefined ? [HOOK] : [KEEPER, job, at.project]
  const done = spawnSync(process.execPath, args, {
    input: JSON.stringify({ cwd: at.project, ...payload }),
    env: envOf(at),
  })
  if (done.status !== 0) throw new Error(String(done.stderr))
}
