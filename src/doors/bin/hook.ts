/**
 * Starts the hook program, unless less will do: a start that was prepared is printed, a prompt, the end of a turn, a failed command and the
 * start of an agent are handed to the MCP server that already runs, if there is one, and the end of a session is left to the finisher.
 */
import path from 'node:path'
import { unlessFails } from '../../kernel/platform/disk/files.ts'
import { findSurroundings, locate, type Places, type Surroundings } from '../../kernel/platform/disk/locate.ts'
import { readStdin, writeStdout } from '../../kernel/platform/disk/stdio.ts'
import { pausedSince } from '../../kernel/sessions/disk/pause.ts'
import { askServers, patienceFor } from '../hooks/ask.ts'
import { beginPrepared } from '../hooks/begin.ts'
import { type HookEvent, isForServer, parseHookEvent } from '../hooks/host.ts'
import { type Answer, MOST_CHARS, readServers, serversDir } from '../hooks/server-messages.ts'
import { startFinisher } from './finisher.ts'
import type { HookMain } from './hook-main.ts'
import { hostPidIn, isAttendedIn } from './host-env.ts'
import { BUILT, programsToKeep } from './launch.ts'

const { env } = process
const stdin = unlessFails<string | null>(readStdin, null)

/** Unreadable input is reported by the program that logs. Of a child that we started ourselves nothing is recorded. */
if (stdin === null) runHere()
else if (env.MEMORY_KEEPER_CHILD !== '1') answer(stdin)

/** `waitedMs`: for a server, in vain. */
function runHere(waitedMs = 0): void {
  const programs = programsToKeep()
  ;(programs.load('hook-main.cjs') as HookMain).main(programs, () => stdin ?? readStdin(), waitedMs)
}

function answer(text: string): void {
  const event = parseHookEvent(text)
  if (event === null) return
  const around = findSurroundings(env, process.platform)
  const places = around === null ? null : unlessFails(() => placesOf(event, around), null)
  if (around === null || places === null) return runHere()
  const tryTo = (work: () => boolean): boolean => unlessFails(work, false)
  switch (event.name) {
    case 'SessionStart':
      return tryTo(() => begin(text, places)) ? undefined : runHere()
    case 'SessionEnd':
      return tryTo(() => end(event, places, around)) ? undefined : runHere()
    default:
      return isForServer(event) && tryTo(() => ask(text, places)) ? undefined : runHere()
  }
}

function placesOf({ cwd }: HookEvent, around: Surroundings): Places | null {
  const startDir = env.CLAUDE_PROJECT_DIR || cwd
  return startDir === '' ? null : locate(startDir, around)
}

/** False: no server is there. */
function ask(text: string, places: Places): boolean {
  if (text.length >= MOST_CHARS) return false
  const hostPid = hostPidIn(env)
  const servers = readServers(serversDir(places), BUILT, hostPid)
  if (servers.length === 0) return false
  const question = { stdin: text, isAttended: isAttendedIn(env), hostPid, projectDir: env.CLAUDE_PROJECT_DIR }
  const print = ({ out }: Answer): number => {
    writeStdout(out)
    return process.uptime() * 1000
  }
  const began = process.uptime() * 1000
  const withinMs = patienceFor(servers, began)
  askServers(servers, question, { withinMs, print, otherwise: () => runHere(process.uptime() * 1000 - began) })
  return true
}

/** False: it was not prepared. */
function begin(text: string, places: Places): boolean {
  return beginPrepared(text, {
    places,
    now: () => new Date().toISOString(),
    elapsedMs: () => process.uptime() * 1000,
    isAttended: isAttendedIn(env),
    hostPid: hostPidIn(env),
    programs: path.dirname(__filename),
    print: writeStdout,
  })
}

/** The host waits for this hook: the finisher captures the last lines. False: it could not be started. */
function end({ session, transcript }: HookEvent, places: Places, around: Surroundings): boolean {
  if (session === '') return false
  if (pausedSince(places, session) !== null) return true
  const seen = { transcript, host: hostPidIn(env) }
  return startFinisher(places.project.root, { for: 'end', session, seen }, around)
}
