/** The one connection of a command to the team's server. It is never reconnected, and the size of answers is limited. */
import net from 'node:net'
import stream, { type Duplex } from 'node:stream'
import tls from 'node:tls'
import type { Address } from '../address.ts'
import { TeamError } from '../fault.ts'
import { watchLogin } from '../login.ts'

const CONNECT_MS = 8_000
/** PostgreSQL's SSLRequest: asks whether the server supports TLS. */
const TLS_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])
/** The limit of the answer to one statement. Our statements ask for less; a hostile server could send more to exhaust memory. */
const MOST_ANSWER_BYTES = 64 * 1024 * 1024

export interface Line {
  /** Called by the client. A second call, after the server hung up, fails: each new connection would give an impostor another try at the password. */
  open: () => Promise<Duplex>
  /** Begins a new statement. Throws if the connection was lost. */
  begin: () => void
  close: () => void
}

export function lineTo(address: Address, rootCert: string | null): Line {
  let state: 'new' | 'open' | 'lost' = 'new'
  let socket: net.Socket | null = null
  let isClosed = false
  let received = 0
  const open = async (): Promise<Duplex> => {
    if (state !== 'new') throw new TeamError('away')
    state = 'open'
    const reached = await reach(address, rootCert).catch((error: unknown) => {
      state = 'lost'
      throw error
    })
    // The time limit ended while we were connecting.
    if (isClosed) {
      reached.destroy()
      throw new TeamError('away')
    }
    reached.once('close', () => {
      state = 'lost'
    })
    socket = reached
    const isSafe = watchLogin()
    return guarded(reached, (bytes) => {
      received += bytes.length
      if (received > MOST_ANSWER_BYTES) throw new TeamError('failed', 'it sent more than was asked for.')
      if (!isSafe(bytes)) throw new TeamError('unsafe')
    })
  }
  return {
    open,
    begin: () => {
      if (state === 'lost') throw new TeamError('away')
      received = 0
    },
    close: () => {
      isClosed = true
      socket?.end()
      // A server that does not hang up must not keep our process alive.
      socket?.unref()
    },
  }
}

async function reach({ host, port, tls: security }: Address, rootCert: string | null): Promise<net.Socket> {
  const isPath = host.startsWith('/')
  let socket = listened(net.connect(isPath ? { path: `${host}/.s.PGSQL.${port}` } : { host, port }))
  const timer = setTimeout(() => socket.destroy(new TeamError('slow')), CONNECT_MS)
  try {
    await happened(socket, 'connect')
    if (security === null) return socket
    socket.write(TLS_REQUEST)
    const answer = await happened(socket, 'data')
    // Exactly one byte: unencrypted bytes behind it would be taken for bytes that came through TLS.
    if (String(answer) !== 'S') throw new TeamError('failed', 'it does not support TLS.')
    const names = net.isIP(host) === 0 ? { host, servername: host } : { host }
    const trust = { rejectUnauthorized: security.verify, ...(rootCert === null ? {} : { ca: rootCert }) }
    socket = listened(tls.connect({ socket, ...names, ...trust }))
    await happened(socket, 'secureConnect')
    return socket
  } catch (error) {
    socket.destroy()
    throw error
  } finally {
    clearTimeout(timer)
  }
}

/** Without a listener, an error event would end the program. */
function listened(socket: net.Socket): net.Socket {
  return socket.on('error', () => undefined)
}

function happened(socket: net.Socket, event: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    socket
      .once(event, resolve)
      .once('error', reject)
      .once('close', () => reject(new TeamError('away')))
  })
}

/** A stream for the client in place of the socket. `look` checks all bytes first, and throws if the client must not see them. */
function guarded(socket: net.Socket, look: (bytes: Buffer) => void): Duplex {
  const seen = new stream.Duplex({
    allowHalfOpen: false,
    read: () => {
      socket.resume()
    },
    write: (bytes: Buffer, _, done) => {
      socket.write(bytes, done)
    },
    final: (done) => {
      socket.end(done)
    },
    destroy: (error, done) => {
      socket.destroy()
      done(error)
    },
  })
  // The client ends a connection only if it can read this property.
  Object.defineProperty(seen, 'readyState', { get: () => socket.readyState })
  socket.on('data', (bytes: Buffer) => {
    try {
      look(bytes)
    } catch (error) {
      seen.destroy(error as Error)
      return
    }
    if (!seen.push(bytes)) socket.pause()
  })
  socket.on('error', (error) => seen.destroy(error))
  socket.once('end', () => seen.push(null))
  socket.once('close', () => seen.destroy())
  return seen
}
