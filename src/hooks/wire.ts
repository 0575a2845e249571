/**
 * How a hook of a prompt or a stop reaches the running MCP server: where servers write their addresses, and how both sides prove
 * that they know the secret. Anyone can take the name of a socket or pipe, so that neither side trusts the other without proof.
 */
import type net from 'node:net'
import path from 'node:path'
import { list, readPrivate } from '../platform/disk/files.ts'
import type { Places } from '../platform/disk/locate.ts'
import { parseObject } from '../platform/json.ts'
import { SERVERS_DIR } from '../platform/layout.ts'
import type { Job } from '../sessions/disk/finisher-queue.ts'

export interface ServerRecord {
  /** The address of a Unix socket or a named pipe. */
  address: string
  secret: string
  /** The build: a server of another build could answer differently. */
  version: string
  pid: number
}

/** What the hook program knows and the server does not. */
export interface Question {
  stdin: string
  isAttended: boolean
  hostPid: number
  projectDir: string | undefined
}

export interface Answer {
  /** For standard output. */
  out: string
  /** Started by the hook: a finisher needs the environment that the host gives to hooks. */
  jobs: { root: string; job: Job }[]
}

/** The limit of one message. A longer prompt is processed by the hook itself. */
export const MOST_CHARS = 1_000_000
export const RECORD = '.json'

export function serversDir({ keeperDir, project }: Places): string {
  return path.join(keeperDir, SERVERS_DIR, project.key)
}

/** The file name of a server contains the pid of its host. */
export function recordName(hostPid: number, name: string): string {
  return `${hostPid}-${name}${RECORD}`
}

/** The server of this host first: others of the project may be busy with their own sessions. */
export function readServers(dir: string, version: string, hostPid: number): ServerRecord[] {
  const own = recordName(hostPid, '').slice(0, -RECORD.length)
  const names = list(dir).filter((name) => name.endsWith(RECORD))
  return [...names.filter((name) => name.startsWith(own)), ...names.filter((name) => !name.startsWith(own))].flatMap(
    (name) => {
      const record = parseRecord(readPrivate(path.join(dir, name))?.toString('utf8') ?? '')
      return record?.version === version ? [record] : []
    },
  )
}

export function parseRecord(text: string): ServerRecord | null {
  const { address, secret, version, pid } = parseObject(text) ?? {}
  const isWhole = typeof address === 'string' && typeof secret === 'string' && /^[0-9a-f]{64}$/.test(secret)
  return isWhole && typeof version === 'string' && typeof pid === 'number' ? { address, secret, version, pid } : null
}

/** Loaded on first use: every hook starts this program, and few of them ask a server. */
const crypto = () => process.getBuiltinModule('node:crypto')

export function newSecret(): string {
  return crypto().randomBytes(32).toString('hex')
}

/** Includes the address, so that a server with another name cannot relay the messages. */
export function proofOf({ secret, address }: ServerRecord, side: 'hook' | 'server', nonces: readonly string[]): string {
  return crypto()
    .createHmac('sha256', secret)
    .update(JSON.stringify([side, address, ...nonces]))
    .digest('hex')
}

export function isProof(given: unknown, proof: string): boolean {
  if (typeof given !== 'string' || given.length !== proof.length) return false
  return crypto().timingSafeEqual(Buffer.from(given), Buffer.from(proof))
}

/** Calls `take` with each message of a connection, until it is closed: JSON lines. Null: too long, or not an object. */
export function takeMessages(socket: net.Socket, take: (message: Record<string, unknown> | null) => void): void {
  let rest = ''
  // The stream decodes: a chunk may end inside a character.
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    rest += chunk
    for (let end = rest.indexOf('\n'); end >= 0 && !socket.destroyed; end = rest.indexOf('\n')) {
      const line = rest.slice(0, end)
      rest = rest.slice(end + 1)
      take(parseObject(line))
    }
    if (rest.length > 2 * MOST_CHARS && !socket.destroyed) take(null)
  })
}
