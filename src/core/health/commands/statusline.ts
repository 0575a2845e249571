/** One line for the host's status line, from a cheap check of the memory. It never fails and never writes. */

import path from 'node:path'
import { parseState } from '../../../kernel/memory/state.ts'
import { owedSessions } from '../../../kernel/memory/work.ts'
import { readConfig } from '../../../kernel/platform/config.ts'
import { readOwnText, sizeOf, statOf } from '../../../kernel/platform/disk/files.ts'
import { locate, type Places, type Surroundings } from '../../../kernel/platform/disk/locate.ts'
import { isObject, parseObject } from '../../../kernel/platform/json.ts'
import { CONFIG_FILE, FACTS_FILE, MEMORY_FILE, OWNER_FILE, STATE_FILE } from '../../../kernel/platform/layout.ts'
import { dayIn } from '../../../kernel/platform/time.ts'
import { pausedSince } from '../../../kernel/sessions/disk/pause.ts'
import { allSessionFiles } from '../../../kernel/sessions/disk/session-archive.ts'
import { count } from '../../../kernel/text/figures.ts'
import { lastBrought } from '../../../kernel/trust/disk/git-brought.ts'

interface LineWorld {
  around: Surroundings
  startDir: string
  now: string
}

/** The line with its line break, or an empty text; `given`: the host's input. */
export function printStatusline(given: string, world: LineWorld): string {
  const seen = lookFor(given, world)
  return seen === null ? '' : `${renderLine(seen)}\n`
}

export function lookFor(given: string, { around, startDir, now }: LineWorld, named?: string): Glance | null {
  const host = parseObject(given) ?? {}
  const session = typeof host.session_id === 'string' ? host.session_id : null
  try {
    return glance(locate(named ?? dirIn(host) ?? startDir, around), session, now)
  } catch {
    // A deleted directory, or another user's file: the host would show an error under every prompt.
    return null
  }
}

/** Reads the directory from the host's JSON, if present; versions differ. */
function dirIn(host: Record<string, unknown>): string | null {
  const workspace = isObject(host.workspace) ? host.workspace : {}
  const dirs = [workspace.project_dir, host.cwd, workspace.current_dir]
  return dirs.find((dir): dir is string => typeof dir === 'string' && dir !== '') ?? null
}

export function renderLine({ standing, isPaused, sessions, notesToday, waiting, proposed }: Glance): string {
  const parts = [
    ...(isPaused ? ['capture paused'] : []),
    sessions === 0 ? 'nothing remembered yet' : count(sessions, 'session'),
    ...(notesToday === 0 ? [] : [`${count(notesToday, 'note')} today`]),
    ...(waiting === 0 ? [] : [`${waiting} waiting`]),
    ...(proposed === 0 ? [] : [`${proposed} to approve`]),
    ...(standing === 'foreign' ? ['not trusted: memory-keeper trust'] : []),
  ]
  return `memory ${parts.join(' · ')}`
}

/** Reading a larger file would take too long. */
const MOST_BYTES = 4 * 1024 * 1024

export interface Glance {
  standing: 'ours' | 'absent' | 'foreign'
  /** In this session or in the whole project. */
  isPaused: boolean
  sessions: number
  notesToday: number
  /** Sessions that wait for a note. */
  waiting: number
  /** Items that wait for the user's approval. */
  proposed: number
}

function glance(places: Places, session: string | null, now: string): Glance {
  const standing = standingAt(places)
  const config = readConfig(readOwnText(path.join(places.homeDir, CONFIG_FILE)), null).config
  const dir = config.storage === 'home' || standing !== 'ours' ? places.atHome : places.inProject
  const memory = modest(path.join(dir, MEMORY_FILE))
  const dayOf = dayIn(config.timezone)
  const noted = Array.from(memory.matchAll(/ at=(\S+Z)/g), ([, at = '']) => dayOf(at))
  return {
    standing: standing === 'absent' && statOf(dir) !== null ? 'ours' : standing,
    isPaused: pausedSince(places, session) !== null,
    sessions: allSessionFiles(dir).length,
    notesToday: noted.filter((day) => day === dayOf(now)).length,
    waiting: waitingIn(modest(path.join(dir, STATE_FILE))),
    proposed: modest(path.join(dir, FACTS_FILE)).split('"status":"proposed"').length - 1,
  }
}

/** As trust last recorded it: the next hook detects a moved directory, or new files from git. */
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
