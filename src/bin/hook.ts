/** Starts the hook program; a prompt is first handed to the MCP server that already runs, if there is one. */
import { askServers } from '../hooks/ask.ts'
import { type Answer, MOST_CHARS, readServers, serversDir } from '../hooks/wire.ts'
import { readStdin, unlessFails, writeStdout } from '../platform/disk/files.ts'
import { findSurroundings, locate } from '../platform/disk/locate.ts'
import { parseObject } from '../platform/json.ts'
import type { HookMain } from './hook-main.ts'
import { hostPidIn, isAttendedIn } from './host-env.ts'
import { BUILT, ourPrograms } from './launch.ts'

/** A server that is at work for somebody else must not keep a prompt waiting. */
const ANSWER_MS = 120

const { env } = process
const programs = ourPrograms()
const hookMain = (): HookMain => programs.load('hook-main.cjs') as HookMain
let stdin: string | null = null
/** What cannot be read is reported by the program that logs. */
const input = (): string => stdin ?? readStdin()
const runHere = (): void => hookMain().main(programs, input)

unlessFails(() => {
  stdin = readStdin()
}, undefined)
const question = stdin === null ? null : questionOf(stdin)
if (question === null) runHere()
else askServers(question.servers, question, { withinMs: ANSWER_MS, print, otherwise: runHere })

/** Null: no prompt, nobody to ask, or no place where servers leave their addresses. */
function questionOf(text: string) {
  const isPrompt = text.length < MOST_CHARS && /"hook_event_name"\s*:\s*"UserPromptSubmit"/.test(text)
  if (!isPrompt || env.MEMORY_KEEPER_CHILD === '1') return null
  return unlessFails(() => {
    const around = findSurroundings(env, process.platform)
    const projectDir = env.CLAUDE_PROJECT_DIR
    const startDir = projectDir || parseObject(text)?.cwd
    if (around === null || typeof startDir !== 'string' || startDir === '') return null
    const hostPid = hostPidIn(env)
    const servers = readServers(serversDir(locate(startDir, around)), BUILT, hostPid)
    return servers.length === 0 ? null : { servers, stdin: text, isAttended: isAttendedIn(env), hostPid, projectDir }
  }, null)
}

function print({ out, jobs }: Answer): number {
  writeStdout(out)
  for (const { root, job } of jobs) hookMain().startFinisher(root, job)
  return process.uptime() * 1000
}
