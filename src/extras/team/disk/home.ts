/** This machine's record of the team, below `~/.claude/memory-keeper/team`: the server, the shared projects, and the result of the last exchange. */
import path from 'node:path'
import { disk, modeOf, readOwnText, readText, statOf } from '../../../kernel/platform/disk/files.ts'
import type { Places } from '../../../kernel/platform/disk/locate.ts'
import { KeeperError } from '../../../kernel/platform/error.ts'
import { isObject, numberOr, parseObject, textOr, texts } from '../../../kernel/platform/json.ts'
import { TEAM_DIR, TEAM_STATUS } from '../../../kernel/platform/layout.ts'
import { zonedMinute } from '../../../kernel/platform/time.ts'
import { count } from '../../../kernel/text/figures.ts'
import { parseAddress, passwordIn, shownAddress } from '../address.ts'

type Keeper = Pick<Places, 'homeDir'>
type Known = Pick<Places, 'homeDir' | 'project'>

export interface Team {
  /** The address, with the password if the user typed one: only the owner can read this file. */
  url: string
  /** A random id: distinguishes the rows of two machines of one person. */
  machine: string
  /** The role on the server. */
  who: string
  muted: readonly string[]
  /** The server's name of each shared project, by the local key of the project. */
  projects: Readonly<Record<string, string>>
}

/** The result of a project's last exchange. */
export interface TeamStatus {
  connectedAt: string | null
  /** The number of rows that were not sent. */
  waiting: number
  /** What failed, as a sentence, and since when; null: nothing failed. */
  fault: { at: string; text: string } | null
}

export function teamDir({ homeDir }: Keeper): string {
  return path.join(homeDir, TEAM_DIR)
}

const teamFile = (places: Keeper): string => path.join(teamDir(places), 'team.json')

export function fileOfProject(places: Known, kind: 'outbox' | 'mirror' | 'status'): string {
  const name = kind === 'status' ? TEAM_STATUS : `.${kind}.json`
  return path.join(teamDir(places), places.project.key + name)
}

/** Null: this user is in no team. */
export function readTeam(places: Keeper): Team | null {
  const raw = parseObject(readOwnText(teamFile(places)) ?? '')
  const [url, machine, who] = [textOr(raw?.url, ''), textOr(raw?.machine, ''), textOr(raw?.who, '')]
  if (raw === null || url === '' || machine === '') return null
  const projects = Object.entries(isObject(raw.projects) ? raw.projects : {}).filter(
    (pair): pair is [string, string] => typeof pair[1] === 'string',
  )
  return { url, machine, who, muted: texts(raw.muted), projects: Object.fromEntries(projects) }
}

/** Stores the record. Null: this user leaves the team. */
export function keepTeam(places: Keeper, team: Team | null): void {
  if (team === null) disk.remove(teamFile(places))
  else disk.replace(teamFile(places), `${JSON.stringify({ version: 1, ...team })}\n`)
}

export const NO_TEAM = 'You are in no team. To join one: memory-keeper team join postgres://you@server/database'

export function joinedTeam(places: Keeper): Team {
  const team = readTeam(places)
  if (team === null) throw new KeeperError('no-team', NO_TEAM)
  return team
}

export function readStatus(places: Known): TeamStatus {
  const raw = parseObject(readOwnText(fileOfProject(places, 'status')) ?? '') ?? {}
  const fault = isObject(raw.fault) ? { at: textOr(raw.fault.at, ''), text: textOr(raw.fault.text, '') } : null
  return { connectedAt: textOr(raw.connectedAt, null), waiting: numberOr(raw.waiting, 0), fault }
}

export function keepStatus(places: Known, change: Partial<TeamStatus>): void {
  const before = readStatus(places)
  const { fault = before.fault } = change
  // A fault that repeats keeps the time of its first occurrence.
  const same = fault !== null && fault.text === before.fault?.text ? before.fault : fault
  disk.replace(fileOfProject(places, 'status'), `${JSON.stringify({ ...before, ...change, fault: same })}\n`)
}

/**
 * The team in one line, for `status`, `doctor`, the page and `team status`. The server is not asked. Null: this user is in no team.
 * `waiting`: the number of rows to be sent now; without it the number of the last exchange.
 */
export function teamLine(
  places: Places,
  timezone: string,
  waiting?: number,
): { text: string; isFault: boolean } | null {
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

/** Where the user's passwords may be: environment variables and home directory. */
export interface PasswordSources {
  env: Readonly<Record<string, string | undefined>>
  home: string
  platform: string
}

/** The address, and the password from the places where PostgreSQL's own programs look; empty: no password is known. */
export function connectionOf(url: string, { env, home, platform }: PasswordSources) {
  const address = parseAddress(url)
  const isOpen = (file: string): boolean => platform !== 'win32' && ((modeOf(file) ?? 0) & 0o077) !== 0
  const file = env.PGPASSFILE || path.join(home, '.pgpass')
  const pgpass = home === '' || isOpen(file) ? '' : (readText(file) ?? '')
  const password = address.password ?? env.PGPASSWORD ?? passwordIn(pgpass, address) ?? ''
  const named = address.tls?.rootCert ?? null
  const rootCert = named === null || named === 'system' ? null : readText(named)
  if (named !== null && named !== 'system' && rootCert === null)
    throw new KeeperError('no-file', `${named} (sslrootcert) does not exist.`)
  return { address, password, rootCert }
}
