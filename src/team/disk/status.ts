/** The team in one line: for `status`, `doctor`, the page and `team status`. No server is asked. */
import { statOf } from '../../platform/disk/files.ts'
import type { Places } from '../../platform/disk/locate.ts'
import { zonedMinute } from '../../platform/time.ts'
import { count } from '../../text/figures.ts'
import { shownAddress } from '../address.ts'
import { readStatus, readTeam, teamFile } from './home.ts'

export interface TeamLine {
  text: string
  isFault: boolean
}

/** Null: this user is in no team. `waiting`: rows to be sent, counted now; without it those of the last time. */
export function teamLine(places: Places, timezone: string, waiting?: number): TeamLine | null {
  const team = readTeam(places)
  if (team === null && statOf(teamFile(places)) === null) return null
  if (team === null) return { text: `${teamFile(places)} cannot be read: join again`, isFault: true }
  const project = team.projects[places.project.key]
  const head = shownAddress(team.url)
  if (project === undefined) return { text: `${head}, this project is not shared`, isFault: false }
  const { connectedAt: last, fault, waiting: before } = readStatus(places)
  const rows = waiting ?? before
  const parts = [
    `${head}, shared as ${project}`,
    ...(rows > 0 ? [`${count(rows, 'row')} to be sent`] : waiting === undefined ? [] : ['nothing waits']),
    last === null ? 'never connected yet' : `last connected ${zonedMinute(last, timezone)}`,
    ...(fault === null ? [] : [fault.text.replace(/\.$/, '')]),
  ]
  return { text: parts.join('; '), isFault: fault !== null }
}
