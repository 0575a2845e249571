/** The MCP server program: the host starts it with a session and ends it with it. Hooks of the project's prompts and stops may use it, too. */
import os from 'node:os'
import path from 'node:path'
import { collector, growBy } from '../../kernel/platform/disk/compiled.ts'
import { unlessFails } from '../../kernel/platform/disk/files.ts'
import { findSurroundings, locate, type Surroundings } from '../../kernel/platform/disk/locate.ts'
import { isAlive } from '../../kernel/platform/disk/lock.ts'
import { makePipe, readStdinLines, writeStdout } from '../../kernel/platform/disk/stdio.ts'
import { parseObject } from '../../kernel/platform/json.ts'
import type { Job } from '../../kernel/sessions/disk/finisher-queue.ts'
import type { answerHook } from '../hooks/answer.ts'
import { type Listening, listenForHooks } from '../hooks/listen.ts'
import { type Question, serversDir } from '../hooks/server-messages.ts'
import { type Greeting, type Message, openFront } from '../mcp/front.ts'
import type { serve } from '../mcp/server.ts'
import type { openTools, Tools } from '../mcp/tools.ts'
import { startFinisher } from './finisher.ts'
import type { ownWorkIn } from './keeper-main.ts'
import { BUILT, ourPrograms } from './launch.ts'

declare const __VERSION__: string
declare const __GREETING__: Greeting

/** A killed host closes our input; if another process keeps it open, this check still ends us. */
const LOOK_MS = 3_000
/** This long after the last call its memory is freed: every session has a server, and most of them are idle. */
const TIDY_AFTER_MS = 1_000
/** Only if this much is used, and it has grown since the last time: freeing takes longer than answering a prompt. */
const TIDY_FROM_BYTES = 64 * 1024 * 1024
const GROWN_BYTES = 8 * 1024 * 1024
/** Work that is still running when the input has ended is abandoned: nobody reads the answer. */
const LEAVE_AFTER_MS = 500
/** The first request of a session must not wait for code that hooks need; a session of one prompt never loads it. */
const LISTEN_AFTER_MS = 700
/** Most servers are killed in the end: what was compiled is kept so long after a prompt, when nobody waits for anything. */
const KEEP_AFTER_MS = 3_000

interface Keeper {
  openTools: typeof openTools
  answerHook: typeof answerHook
  ownWorkIn: typeof ownWorkIn
}

const { env } = process
const programs = ourPrograms()
const startDir = env.CLAUDE_PROJECT_DIR ?? process.cwd()
const host = process.ppid
const now = (): string => new Date().toISOString()
let loaded: Keeper | null = null
let tools: Tools | null = null
let tidying: NodeJS.Timeout | undefined
let tidyFrom = TIDY_FROM_BYTES
let keeping: NodeJS.Timeout | undefined
let listening: Listening | undefined
let collect: (() => void) | undefined
let isSmall = false

const around = findSurroundings(env, process.platform)
if (env.MEMORY_KEEPER_CHILD !== '1' && around !== null) begin(around)

/** Signals need no handler: they end the process at any point, and every write may be interrupted. */
function begin(around: Surroundings): void {
  let write: (text: string) => unknown = writeStdout
  const take = openFront(
    __GREETING__,
    (message) => write(`${JSON.stringify(message)}\n`),
    (transport) =>
      (load('mcp-sdk.cjs') as { serve: typeof serve }).serve(__VERSION__, () => toolsIn(around), transport),
  )
  let rest = ''
  const read = (chunk: string): void => {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const message = parseObject(line)
      if (message !== null) take(message as unknown as Message)
    }
  }
  // The host waits for the greeting: Node's streams are loaded after it.
  read(unlessFails(readStdinLines, ''))
  write = (text) => process.stdout.write(text)
  process.stdin.setEncoding('utf8').on('data', read)
  setTimeout(() => listen(around), LISTEN_AFTER_MS).unref()
  setInterval(leaveIfAlone, LOOK_MS).unref()
  process.stdin.once('close', () => setTimeout(() => process.exit(0), LEAVE_AFTER_MS).unref())
}

function keeper(): Keeper {
  tidyLater()
  loaded ??= load('keeper-main.cjs') as Keeper
  return loaded
}

function load(name: string): unknown {
  return asUsual(() => programs.load(name))
}

/** With every use: a long update of the index sets it back. */
function staySmall(): void {
  isSmall = true
  growBy(1)
}

/** Compiled code is loaded and kept under V8's usual setting. */
function asUsual<T>(work: () => T): T {
  if (isSmall) growBy(2)
  const done = work()
  if (isSmall) growBy(1)
  return done
}

function toolsIn(around: Surroundings): Tools {
  const world = { startDir, around, now, build, embedderKey: env.MEMORY_KEEPER_EMBEDDER_KEY ?? '', fetch }
  const { openTools } = keeper()
  staySmall()
  tools ??= openTools(world)
  return tools
}

/** The address is published once the answering code is loaded: a hook must only wait for a server that is ready. */
function listen(around: Surroundings): void {
  keeper()
  // Loads what `staySmall` needs: no prompt waits for it.
  growBy(2)
  listening = listenForHooks({
    dir: serversDir(locate(startDir, around)),
    tempDir: os.tmpdir(),
    version: BUILT,
    pid: process.pid,
    hostPid: host,
    isAlive,
    makePipe,
    namedPipe: process.platform === 'win32' ? (name) => `\\\\.\\pipe\\memory-keeper-${name}` : null,
    ownMs: () => keeper().ownWorkIn(startDir, around),
    run: (question) => {
      staySmall()
      return keeper().answerHook(question, around, {
        now,
        elapsedMs: () => performance.now(),
        startFinisher: start,
        doing,
      })
    },
  })
  process.once('exit', listening.close)
}

/** With what the host tells its hooks only. */
function start(root: string, job: Job, { hostPid, isAttended }: Question): void {
  const hostEnv = { CLAUDE_PID: String(hostPid), CLAUDE_CODE_SESSION_ATTENDED: isAttended ? '1' : '0' }
  if (around !== null) startFinisher(root, job, around, { ...env, ...hostEnv })
}

function doing(what: string): void {
  programs.doing(what)
  clearTimeout(keeping)
  keeping = setTimeout(() => {
    asUsual(programs.keep)
    listening?.tellAgain()
  }, KEEP_AFTER_MS).unref()
}

/** Always resolves: work that the child has not done is done here. */
function build(): Promise<void> {
  const { spawn } = process.getBuiltinModule('node:child_process')
  const file = path.join(path.dirname(__filename), 'keeper.cjs')
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [file, 'index', startDir], { stdio: 'ignore', windowsHide: true })
    const end = (): boolean => child.kill()
    process.once('exit', end)
    const done = (): void => {
      process.off('exit', end)
      resolve()
    }
    child.once('exit', done).once('error', done)
  })
}

/** Node itself waits until much memory is used. */
function tidyLater(): void {
  clearTimeout(tidying)
  tidying = setTimeout(() => {
    if (process.memoryUsage.rss() < tidyFrom) return
    collect ??= collector()
    collect()
    tidyFrom = Math.max(TIDY_FROM_BYTES, process.memoryUsage.rss() + GROWN_BYTES)
  }, TIDY_AFTER_MS).unref()
}

function leaveIfAlone(): void {
  if (process.ppid !== host || (host > 1 && !isAlive(host))) process.exit(0)
}
