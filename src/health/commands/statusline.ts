/** One line for the host's status line, from a cheap look at the memory. It never fails and never writes. */

import path from 'node:path'
import { parseState } from '../../memory/state.ts'
import { owedSessions } from '../../notes/pending.ts'
import { readConfig } from '../../platform/config.ts'
import { readOwnText, sizeOf, statOf } from '../../platform/disk/files.ts'
import { locate, type Places, type Surroundings } from '../../platform/disk/locate.ts'
import { isObject, parseObject } from '../../platform/json.ts'
import { CONFIG_FILE, FACTS_FILE, MEMORY_FILE, OWNER_FILE, STATE_FILE } from '../../platform/layout.ts'
import { allSessionFiles } from '../../sessions/disk/session-archive.ts'
import { count } from '../../text/figures.ts'
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
  const dir = dirIn(given)
  try {
    return glance(locate(named ?? dir ?? startDir, around), now)
  } catch {
    // A directory that vanished, a file of another user: the host would show an error under every prompt.
    return null
  }
}

/** In the host's JSON, as much of it as there is; other versions send less or more. */
function dirIn(text: string): string | null {
  const host = parseObject(text) ?? {}
  const workspace = isObject(host.workspace) ? host.workspace : {}
  const dirs = [workspace.project_dir, host.cwd, workspace.current_dir]
  return dirs.find((dir): dir is string => typeof dir === 'string' && dir !== '') ?? null
}

export function renderLine({ standing, sessions, notesToday, waiting, proposed }: Glance): string {
  const parts = [
    sessions === 0 ? 'nothing remembered yet' : count(sessions, 'session'),
    ...(notesToday === 0 ? [] : [`${count(notesToday, 'note')} today`]),
    ...(waiting === 0 ? [] : [`${waiting} waiting`]),
    ...(proposed === 0 ? [] : [`${proposed} for your yes`]),
    ...(standing === 'foreign' ? ['not trusted: memory-keeper trust'] : []),
  ]
  return `memory ${parts.join(' · ')}`
}

/** Beyond that reading would take longer than a glance may. */
const MOST_BYTES = 4 * 1024 * 1024

export interface Glance {
  standing: 'ours' | 'absent' | 'foreign'
  sessions: number
  notesToday: number
  /** Sessions that owe a note. */
  waiting: number
  /** What waits for the user's yes. */
  proposed: number
}

function glance(places: Places, now: string): Glance {
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
