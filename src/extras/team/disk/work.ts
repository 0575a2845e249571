/** An exchange with the team's server: sends waiting rows, reads new ones, records the result. Only the finisher and `team publish` start one. */

import { withMachineLock } from '../../../core/model/disk/machine-lock.ts'
import type { Store } from '../../../kernel/memory/disk/store.ts'
import { KeeperError } from '../../../kernel/platform/error.ts'
import { readForgotten } from '../../../kernel/sessions/disk/tombstones.ts'
import { sentenceOf } from '../fault.ts'
import { connectionOf, keepStatus, type PasswordSources, readTeam, type Team, teamDir } from './home.ts'
import { PULL_LIMITS, pullRows, purgeMirror } from './mirror.ts'
import { publishRows, waitingIn } from './outbox.ts'
import type { openServer, Server } from './server.ts'

/** The built file of the PostgreSQL client. */
export const CLIENT_FILE = 'team.cjs'

export interface TeamClient {
  openServer: typeof openServer
}

export interface TeamWorld extends PasswordSources {
  now: () => string
  loadTeam: () => TeamClient
}

const LONGEST_MS = 60_000
const NOT_LOST = 'What teammates sent is deleted here; what waits to be sent is kept.'
const WAIT_MS = 5_000

export type TeamDone = Record<'sent' | 'received', number>

/** Null: this project is not shared, another process is exchanging, or the server failed. A failure is recorded, not thrown. */
export async function teamWork(store: Store, world: TeamWorld, limitMs = LONGEST_MS): Promise<TeamDone | null> {
  const { places } = store
  const team = readTeam(places)
  const project = team?.projects[places.project.key]
  if (team === null || project === undefined || store.ownership === 'foreign') return null
  const done = await withMachineLock(teamDir(places), WAIT_MS, async () => {
    try {
      return await withServer(team.url, world, limitMs, (server) => exchange(store, team, project, server, world.now))
    } catch (error) {
      if (!(error instanceof KeeperError)) throw error
      const waiting = waitingIn(store, team, project).length
      keepStatus(places, { waiting, fault: { at: world.now(), text: error.message } })
      return null
    }
  })
  return done?.value ?? null
}

/** Opens a connection for `work`. After `limitMs` the connection is closed, even during a statement. */
export async function withServer<T>(
  url: string,
  world: Pick<TeamWorld, keyof PasswordSources | 'loadTeam'>,
  limitMs: number,
  work: (server: Server) => Promise<T>,
): Promise<T> {
  const { address, password, rootCert } = connectionOf(url, world)
  const server = world.loadTeam().openServer(address, { password, rootCert })
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    void server.close()
  }, limitMs)
  try {
    return await work(server)
  } catch (error) {
    if (isLate) throw new KeeperError('team-slow', sentenceOf('slow'), { cause: error })
    throw asOurs(error)
  } finally {
    clearTimeout(timer)
    await server.close()
  }
}

/** The built client has its own copy of the class KeeperError: such an error becomes one of ours. */
function asOurs(error: unknown): unknown {
  const { name, code, message } = error as KeeperError
  return name === 'KeeperError' ? new KeeperError(code, message, { cause: error }) : error
}

type Exchange = (store: Store, team: Team, project: string, server: Server, now: () => string) => Promise<TeamDone>

const exchange: Exchange = async (store, team, project, server, now) => {
  const { places } = store
  const { projects, epoch } = await server.hello()
  if (!projects.includes(project)) {
    purgeMirror(places)
    throw new KeeperError('team-removed', `You are not a member of ${project} on the server. ${NOT_LOST}`)
  }
  const sent = await publishRows(store, team, project, server)
  const refused = { muted: team.muted, forgotten: readForgotten(store) }
  const { received, full } = await pullRows(places, project, server, epoch, refused, now())
  const fault = full.length === 0 ? null : { at: now(), text: tooMuch(full) }
  keepStatus(places, { connectedAt: now(), waiting: 0, fault })
  if (sent > 0) await server.recount(project)
  return { sent, received }
}

function tooMuch(full: readonly string[]): string {
  const most = PULL_LIMITS.person / 1024 / 1024
  return `${full.join(', ')} has sent more than ${most} MB: later rows are left out. To keep nothing of them: memory-keeper team mute ${full[0]}.`
}
