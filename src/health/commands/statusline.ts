/** One line for the host's status line, from a cheap look at the memory. It never fails and never writes. */

import path from 'node:path'
import { parseState } from '../../memory/state.ts'
import { owedSessions } from '../../notes/pending.ts'
import { readConfig } from '../../platform/config.ts'
import { readOwnText, readPart, sizeOf, statOf } from '../../platform/disk/files.ts'
import { locate, type Places, type Surroundings } from '../../platform/disk/locate.ts'
import { isObject, parseObject } from '../../platform/json.ts'
import {
  CONFIG_FILE,
  FACTS_FILE,
  HOOK_TIMES_FILE,
  JOURNAL_DIR,
  MEMORY_FILE,
  OWNER_FILE,
  STATE_FILE,
} from '../../platform/layout.ts'
import { allSessionFiles } from '../../sessions/disk/session-archive.ts'
import { count, short } from '../../text/figures.ts'
import { lastBrought } from '../../trust/disk/git-brought.ts'

interface LineWorld {
  around: Surroundings
  startDir: string
  now: string
}

/** The line with its line break, or nothing; `given`: what the host writes to us. */
export function printStatusline(given: string, world: LineWorld): string {
  const seen = lookFor(given, world)
  return seen === null ? '' : `${renderLine(seen)}\n`
}

export function lookFor(given: string, { around, startDir, now }: LineWorld, named?: string): Glance | null {
  const { session, dir } = parseGiven(given)
  try {
    return glance(locate(named ?? dir ?? startDir, around), { session, now })
  } catch {
    // A directory that vanished, a file of another user: the host would show an error under every prompt.
    return null
  }
}

/** The host's JSON, as much of it as there is; other versions send less or more. */
function parseGiven(text: string): { session: string; dir: string | null } {
  const host = parseObject(text) ?? {}
  const workspace = isObject(host.workspace) ? host.workspace : {}
  const dirs = [workspace.project_dir, host.cwd, workspace.current_dir]
  return {
    session: typeof host.session_id === 'string' ? host.session_id : '',
    dir: dirs.find((dir): dir is string => typeof dir === 'string' && dir !== '') ?? null,
  }
}

export function renderLine({ standing, sessions, notesToday, waiting, proposed, told }: Glance): string {
  const parts = [
    sessions === 0 ? 'nothing remembered yet' : count(sessions, 'session'),
    ...(notesToday === 0 ? [] : [`${count(notesToday, 'note')} today`]),
    ...(waiting === 0 ? [] : [`${waiting} waiting`]),
    ...(proposed === 0 ? [] : [`${proposed} for your yes`]),
    ...(told === 0 ? [] : [`${short(told)} tokens told`]),
    ...(standing === 'foreign' ? ['not trusted: memory-keeper trust'] : []),
  ]
  return `memory ${parts.join(' · ')}`
}

/** Hooks are told of in lines of about 100 bytes: enough for what one session was told lately. */
const JOURNAL_BYTES = 128 * 1024
/** Beyond that reading would take longer than a glance may. */
const MOST_BYTES = 4 * 1024 * 1024
const CHARS_PER_TOKEN = 3.2

export interface Glance {
  standing: 'ours' | 'absent' | 'foreign'
  sessions: number
  notesToday: number
  /** Sessions that owe a note. */
  waiting: number
  /** What waits for the user's yes. */
  proposed: number
  /** Tokens that this session was told, estimated. */
  told: number
}

/** `session`: the whole id of the one that is going on, or empty. */
function glance(places: Places, { session, now }: { session: string; now: string }): Glance {
  const standing = standingAt(places)
  const config = readConfig(readOwnText(path.join(places.keeperDir, CONFIG_FILE)), null).config
  const dir = config.storage === 'home' || standing !== 'ours' ? places.atHome : places.inProject
  const memory = modest(path.join(dir, MEMORY_FILE))
  return {
    standing: standing === 'absent' && statOf(dir) !== null ? 'ours' : standing,
    sessions: allSessionFiles(dir).length,
    notesToday: memory.split(` at=${now.slice(0, 10)}T`).length - 1,
    waiting: waitingIn(modest(path.join(dir, STATE_FILE))),
    proposed: modest(path.join(dir, FACTS_FILE)).split('"status":"proposed"').length - 1,
    told: session === '' ? 0 : toldTo(path.join(dir, JOURNAL_DIR, HOOK_TIMES_FILE), session),
  }
}

/** As trust saw it last: a directory that was moved, or what git brought since, is for the next hook to find. */
function standingAt(places: Places): Glance['standing'] {
  const { inProject, trustRecord } = places
  if (statOf(inProject) === null) return 'absent'
  const token = readOwnText(path.join(inProject, OWNER_FILE))?.trim() ?? ''
  if (token === '' || !(readOwnText(trustRecord) ?? '').includes(JSON.stringify(token))) return 'foreign'
  const { tracked, left } = lastBrought(places)
  return tracked.length + left.length === 0 ? 'ours' : 'foreign'
}

function modest(file: string): string {
  return (sizeOf(file) ?? 0) > MOST_BYTES ? '' : (readOwnText(file) ?? '')
}

function waitingIn(text: string): number {
  const state = text === '' ? null : parseState(text)
  return state === null ? 0 : owedSessions(state).length
}

function toldTo(file: string, session: string): number {
  const size = sizeOf(file) ?? 0
  const tail = readPart(file, Math.max(0, size - JOURNAL_BYTES), JOURNAL_BYTES)?.toString() ?? ''
  const chars = tail.split('\n').flatMap((line) => (line.includes(session) ? charsIn(line) : []))
  return Math.round(chars.reduce((sum, one) => sum + one, 0) / CHARS_PER_TOKEN)
}

/** Half a line at the beginning of the tail says nothing. */
function charsIn(line: string): number[] {
  const told = parseObject(line)?.told
  return isObject(told) ? Object.values(told).filter((chars) => typeof chars === 'number') : []
}
