/** A server that speaks PostgreSQL's protocol as far as a test wants, and writes down what it was told. */
import { once } from 'node:events'
import net from 'node:net'
import { afterEach } from 'vitest'

export interface FakePostgres {
  port: number
  /** How many connections came. */
  connections(): number
  /** All bytes that clients sent. */
  heard(): string
}

/** A message of the server's: its letter, its length, its content. */
export function message(letter: string, content: Buffer | string): Buffer {
  const bytes = Buffer.from(content)
  const head = Buffer.from(`${letter}0000`)
  head.writeUInt32BE(bytes.length + 4, 1)
  return Buffer.concat([head, bytes])
}

/** `R`: what the server wants to know, or that it knows enough. */
export function authentication(type: number, content: Buffer | string = ''): Buffer {
  const number = Buffer.alloc(4)
  number.writeUInt32BE(type)
  return message('R', Buffer.concat([number, Buffer.from(content)]))
}

export const READY = message('Z', 'I')
const servers: net.Server[] = []

afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

/** `answer`: to the n-th piece that a client sends, beginning with 0 (its name). */
export async function fakePostgres(
  answer: (socket: net.Socket, n: number, told: Buffer) => void,
): Promise<FakePostgres> {
  let connections = 0
  const told: Buffer[] = []
  const server = net.createServer((socket) => {
    connections++
    let n = 0
    socket.on('error', () => undefined)
    socket.on('data', (piece: Buffer) => {
      told.push(piece)
      answer(socket, n++, piece)
    })
  })
  servers.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as net.AddressInfo
  return { port, connections: () => connections, heard: () => Buffer.concat(told).toString('latin1') }
}
