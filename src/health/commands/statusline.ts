/** One line for the host's status line. It never fails, never writes, and says nothing rather than something wrong. */

import { locate, type Surroundings } from '../../platform/disk/locate.ts'
import { count, short } from '../../text/figures.ts'
import { type Glance, glance } from '../disk/glance.ts'

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
  let raw: unknown
  try {
    raw = JSON.parse(text)
  } catch {
    return { session: '', dir: null }
  }
  const host = fieldsOf(raw)
  const workspace = fieldsOf(host.workspace)
  const dirs = [workspace.project_dir, host.cwd, workspace.current_dir]
  return {
    session: typeof host.session_id === 'string' ? host.session_id : '',
    dir: dirs.find((dir): dir is string => typeof dir === 'string' && dir !== '') ?? null,
  }
}

function fieldsOf(raw: unknown): Record<string, unknown> {
  return typeof raw === 'object' && raw !== null ? (raw as Record<string, unknown>) : {}
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
