/**
 * How a hook of a prompt or a stop reaches the running MCP server: where servers write their addresses, and what passes between them.
 * Where the system has named pipes in directories (Linux, macOS), the hook writes into one that only this user can open, and reads the answer
 * from a file beside it: connecting and proving would take most of the hook's time. On Windows anyone can take the name of a pipe, so that
 * both sides prove first that they know the secret. Without a pipe the hook does the work itself.
 */
import type net from 'node:net'
import path from 'node:path'
import { RECORD } from '../../kernel/memory/disk/server-files.ts'
import { list, readPrivate } from '../../kernel/platform/disk/files.ts'
import type { Places } from '../../kernel/platform/disk/locate.ts'
import { parseObject } from '../../kernel/platform/json.ts'
import { SERVERS_DIR } from '../../kernel/platform/layout.ts'

export interface ServerRecord {
  /** A pipe in our directory, or a named pipe of Windows. */
  address: string
  secret: string
  /** The build: a server of another build could answer differently. */
  version: string
  pid: number
  /** What a hook takes here that does the work itself, in milliseconds. Absent: unknown. */
  ownMs?: number
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
}

/** The limit of one message. A longer prompt is processed by the hook itself. */
export const MOST_CHARS = 1_000_000

export function serversDir({ homeDir, project }: Places): string {
  return path.join(homeDir, SERVERS_DIR, project.key)
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
  const { address, secret, version, pid, ownMs } = parseObject(text) ?? {}
  const isWhole = typeof address === 'string' && typeof secret === 'string' && isHex(secret, 64)
  if (!isWhole || typeof version !== 'string' || typeof pid !== 'number') return null
  return { address, secret, version, pid, ...(typeof ownMs === 'number' ? { ownMs } : {}) }
}

function isHex(text: string, chars: number): boolean {
  return text.length === chars && /^[\da-f]+$/.test(text)
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

/** The longest write that no other one can split, on every system. */
const MOST_FRAME = 512
/** The kinds of frames: a part of a question, its last part, and that its answer was printed, with the milliseconds. */
type Frame = '+' | '.' | 'h'
const ID_CHARS = 16

export function newId(): string {
  const digits = (): string => Math.floor(Math.random() * 2 ** 32).toString(16)
  return (digits() + digits()).padStart(ID_CHARS, '0')
}

/** Lines that hooks may write in any order between each other. */
export function framesOf(id: string, text: string): Buffer[] {
  const bytes = Buffer.from(text)
  const room = MOST_FRAME - ID_CHARS - 2
  return Array.from({ length: Math.ceil(bytes.length / room) }, (_, n) =>
    frameOf(id, (n + 1) * room < bytes.length ? '+' : '.', bytes.subarray(n * room, (n + 1) * room)),
  )
}

export function frameOf(id: string, kind: Frame, payload: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(id + kind), payload, Buffer.from('\n')])
}

/** Calls `take` with each whole question and each "printed" that comes through a pipe. Questions that stay incomplete are dropped. */
export function takeFrames(pipe: net.Socket, take: (id: string, kind: '.' | 'h', text: string) => void): void {
  const begun = new Map<string, string>()
  let rest = ''
  // As bytes: a frame may end inside a character.
  pipe.setEncoding('latin1').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n')
    rest = (lines.pop() ?? '').slice(0, MOST_FRAME)
    for (const line of lines) {
      const [id, kind] = [line.slice(0, ID_CHARS), line[ID_CHARS]]
      if (!isHex(id, ID_CHARS)) continue
      const text = (begun.get(id) ?? '') + line.slice(ID_CHARS + 1)
      begun.delete(id)
      if (kind === '+' && text.length <= 2 * MOST_CHARS) begun.set(id, text)
      for (const old of begun.keys()) if (begun.size > MOST_BEGUN) begun.delete(old)
      if (kind === '.' || kind === 'h') take(id, kind, Buffer.from(text, 'latin1').toString('utf8'))
    }
  })
}

const MOST_BEGUN = 32

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
