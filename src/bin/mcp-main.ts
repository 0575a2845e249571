/** The MCP server program: started by the host with a session, ended with it. */
import path from 'node:path'
import { serve } from '../mcp/server.ts'
import type { openTools, Tools } from '../mcp/tools.ts'
import type { Programs } from '../platform/disk/compiled.ts'
import { findSurroundings } from '../platform/disk/locate.ts'
import { isAlive } from '../platform/disk/lock.ts'

declare const __VERSION__: string

/** A host that was killed closes our input; should somebody else hold it open, this still ends us. */
const LOOK_MS = 3_000
/** So long after the last call the memory it took is given back: every session has a server, and most of them wait. */
const TIDY_AFTER_MS = 1_000
/** Whatever still runs when the input has ended: nobody hears the answer. */
const LEAVE_AFTER_MS = 500
/** Most servers are killed in the end: what was compiled for the greeting is kept when nobody waits for anything. */
const KEEP_AFTER_MS = 8_000

const { env } = process
const around = findSurroundings(env, process.platform)
const startDir = env.CLAUDE_PROJECT_DIR ?? process.cwd()
const TOOLS = 'keeper.cjs'
const host = process.ppid
let tools: Tools | null = null
let tidying: NodeJS.Timeout | undefined

/** Signals need no word of ours: they end the process in the middle of anything, and every write may be cut short. */
export function main(programs: Programs): void {
  if (env.MEMORY_KEEPER_CHILD === '1' || around === null) return
  programs.doing('serve')
  const world = {
    startDir,
    around,
    now: () => new Date().toISOString(),
    build,
    embedderKey: env.MEMORY_KEEPER_EMBEDDER_KEY ?? '',
    fetch,
  }
  serve(__VERSION__, () => {
    tidyLater()
    tools ??= (programs.load(TOOLS) as { openTools: typeof openTools }).openTools(world)
    return tools
  })
  setInterval(leaveIfAlone, LOOK_MS).unref()
  setTimeout(programs.keep, KEEP_AFTER_MS).unref()
  process.stdin.once('close', () => setTimeout(() => process.exit(0), LEAVE_AFTER_MS).unref())
}

/** Resolves in any case: what the child has not done is done here. */
function build(): Promise<void> {
  const { spawn } = process.getBuiltinModule('node:child_process')
  const file = path.join(path.dirname(__filename), TOOLS)
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
