/** The MCP server program: started by the host with a session, ended with it. Prompt hooks of the project may ask it, too. */
import os from 'node:os'
import path from 'node:path'
import type { answerPrompt } from '../hooks/answer.ts'
import { listenForHooks } from '../hooks/listen.ts'
import { serversDir } from '../hooks/wire.ts'
import { type Greeting, type Message, openFront } from '../mcp/front.ts'
import type { serve } from '../mcp/server.ts'
import type { openTools, Tools } from '../mcp/tools.ts'
import { findSurroundings, locate, type Surroundings } from '../platform/disk/locate.ts'
import { isAlive } from '../platform/disk/lock.ts'
import { parseObject } from '../platform/json.ts'
import { BUILT, ourPrograms } from './launch.ts'

declare const __VERSION__: string
declare const __GREETING__: Greeting

/** A host that was killed closes our input; should somebody else hold it open, this still ends us. */
const LOOK_MS = 3_000
/** So long after the last call the memory it took is given back: every session has a server, and most of them wait. */
const TIDY_AFTER_MS = 1_000
/** Whatever still runs when the input has ended: nobody hears the answer. */
const LEAVE_AFTER_MS = 500
/** The first request of a session waits for nothing that is loaded for hooks; a session of one prompt never loads it. */
const LISTEN_AFTER_MS = 700
/** Most servers are killed in the end: what was compiled is kept when nobody waits for anything. */
const KEEP_AFTER_MS = 8_000

interface Keeper {
  openTools: typeof openTools
  answerPrompt: typeof answerPrompt
}

const { env } = process
const programs = ourPrograms()
const startDir = env.CLAUDE_PROJECT_DIR ?? process.cwd()
const KEEPER = 'keeper.cjs'
const host = process.ppid
const now = (): string => new Date().toISOString()
let loaded: Keeper | null = null
let tools: Tools | null = null
let tidying: NodeJS.Timeout | undefined

const around = findSurroundings(env, process.platform)
if (env.MEMORY_KEEPER_CHILD !== '1' && around !== null) begin(around)

/** Signals need no word of ours: they end the process in the middle of anything, and every write may be cut short. */
function begin(around: Surroundings): void {
  programs.doing('serve')
  const take = openFront(
    __GREETING__,
    (message) => process.stdout.write(`${JSON.stringify(message)}\n`),
    (wire) => (programs.load('mcp-sdk.cjs') as { serve: typeof serve }).serve(__VERSION__, () => toolsIn(around), wire),
  )
  let rest = ''
  process.stdin.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const message = parseObject(line)
      if (message !== null) take(message as unknown as Message)
    }
  })
  setTimeout(() => listen(around), LISTEN_AFTER_MS).unref()
  setInterval(leaveIfAlone, LOOK_MS).unref()
  setTimeout(programs.keep, KEEP_AFTER_MS).unref()
  process.stdin.once('close', () => setTimeout(() => process.exit(0), LEAVE_AFTER_MS).unref())
}

function keeper(): Keeper {
  tidyLater()
  loaded ??= programs.load(KEEPER) as Keeper
  return loaded
}

function toolsIn(around: Surroundings): Tools {
  const world = { startDir, around, now, build, embedderKey: env.MEMORY_KEEPER_EMBEDDER_KEY ?? '', fetch }
  const { openTools } = keeper()
  tools ??= openTools(world)
  return tools
}

/** Its address is known once what answers is loaded: a hook waits only for a server that is ready. */
function listen(around: Surroundings): void {
  keeper()
  const close = listenForHooks({
    dir: serversDir(locate(startDir, around)),
    tempDir: os.tmpdir(),
    version: BUILT,
    pid: process.pid,
    hostPid: host,
    platform: process.platform,
    isAlive,
    run: (question) => keeper().answerPrompt(question, around, { now, elapsedMs: () => performance.now() }),
  })
  process.once('exit', close)
}

/** Resolves in any case: what the child has not done is done here. */
function build(): Promise<void> {
  const { spawn } = process.getBuiltinModule('node:child_process')
  const file = path.join(path.dirname(__filename), KEEPER)
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

/** Node itself waits until there is much; `gc` is there when it was started with --expose-gc, as .mcp.json does. */
function tidyLater(): void {
  clearTimeout(tidying)
  tidying = setTimeout(() => globalThis.gc?.(), TIDY_AFTER_MS).unref()
}

function leaveIfAlone(): void {
  if (process.ppid !== host || (host > 1 && !isAlive(host))) process.exit(0)
}
