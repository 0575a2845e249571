/** A server that is not the team's: it gets one connection a command, never the password, and never our memory. */
import crypto from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { parseAddress } from '../../../src/extras/team/address.ts'
import { openServer, type Server } from '../../../src/extras/team/disk/server.ts'
import { authentication, type FakePostgres, fakePostgres, message, READY } from '../../support/fake-postgres.ts'

const SECRET = 'correct-horse'

const serverAt = ({ port }: FakePostgres): Server =>
  openServer(parseAddress(`postgres://alice@127.0.0.1:${port}/team`), { password: SECRET, rootCert: null })

/** What an exchange does first, and how it ends; null: it goes on. */
async function helloTo(fake: FakePostgres): Promise<string | null> {
  const server = serverAt(fake)
  const waiting = new Promise<null>((resolve) => setTimeout(resolve, 1_500, null))
  const said = server.hello().then(
    () => 'said hello',
    (error: { fault?: string }) => error.fault ?? 'another error',
  )
  const first = await Promise.race([said, waiting])
  await server.close()
  return first
}

/** What a server that knows no password says until the client has given its proof. */
const saslOf = (iterations: number) => (socket: { write(bytes: Buffer): void }, n: number, told: Buffer) => {
  if (n === 0) socket.write(authentication(10, 'SCRAM-SHA-256\0\0'))
  if (n !== 1) return
  const nonce = /r=([^,]*)$/.exec(told.toString('latin1'))?.[1] ?? ''
  socket.write(authentication(11, `r=${nonce}abc,s=${crypto.randomBytes(16).toString('base64')},i=${iterations}`))
}

describe('a server that is not what it should be', () => {
  it('hangs up and is not called again by the same command', async () => {
    const fake = await fakePostgres((socket) => socket.destroy())

    expect(await helloTo(fake)).toBe('away')
    expect(fake.connections()).toBe(1)
  })

  it('hangs up after the password, and is not called again by later statements either', async () => {
    const fake = await fakePostgres((socket, n) => {
      if (n === 0) socket.write(Buffer.concat([authentication(0), READY]))
      else socket.destroy()
    })
    const server = serverAt(fake)

    await expect(server.hello()).rejects.toMatchObject({ fault: 'away' })
    await expect(server.sizes()).rejects.toMatchObject({ fault: 'away' })
    await expect(server.settledBefore()).rejects.toMatchObject({ fault: 'away' })
    await server.close()
    expect(fake.connections()).toBe(1)
  })

  it.each([
    ['clear text', authentication(3)],
    ['MD5', authentication(5, 'salt')],
    ['Kerberos', authentication(7)],
    ['clear text, in two pieces', authentication(3)],
  ])('asks for the password in %s and gets nothing', async (how, asked) => {
    const fake = await fakePostgres((socket, n) => {
      if (n > 0) return
      if (!how.includes('pieces')) return socket.write(asked)
      socket.write(asked.subarray(0, 6))
      setTimeout(() => socket.write(asked.subarray(6)), 20)
    })
    const md5 = (text: string): string => crypto.createHash('md5').update(text).digest('hex')

    expect(await helloTo(fake)).toBe('unsafe')
    expect(fake.heard()).not.toContain(SECRET)
    expect(fake.heard()).not.toContain(md5(`${md5(`${SECRET}alice`)}salt`))
    expect(fake.connections()).toBe(1)
  })

  it('asks in clear text behind a form that is safe', async () => {
    const fake = await fakePostgres((socket, n) => {
      if (n === 0) socket.write(authentication(10, 'SCRAM-SHA-256\0\0'))
      if (n === 1) socket.write(authentication(3))
    })

    expect(await helloTo(fake)).toBe('unsafe')
    expect(fake.heard()).not.toContain(SECRET)
  })

  it('asks for a proof that is cheap to guess from, or one that takes us minutes', async () => {
    for (const iterations of [1, 2_000_000_000]) {
      const fake = await fakePostgres(saslOf(iterations))

      expect(await helloTo(fake)).toBe('unsafe')
      expect(fake.heard()).not.toContain('p=')
    }
  })

  it('takes the proof and has none itself', async () => {
    const fake = await fakePostgres((socket, n, told) => {
      saslOf(4_096)(socket, n, told)
      if (n === 2) socket.write(Buffer.concat([authentication(0), READY]))
    })

    expect(await helloTo(fake)).toBe('unsafe')
    expect(fake.heard()).not.toContain('memory_keeper.migration')
  })

  it.each([
    ['N', 'failed'],
    ['S and something that looks as if it came behind it', 'failed'],
    ['', 'away'],
  ])('speaks no TLS, and says %j', async (said, fault) => {
    const fake = await fakePostgres((socket) => (said === '' ? socket.end() : socket.write(said)))
    const url = `postgres://alice@127.0.0.1:${fake.port}/team?sslmode=require`
    const server = openServer(parseAddress(url), { password: SECRET, rootCert: null })

    await expect(server.hello()).rejects.toMatchObject({ fault })
    await server.close()
    expect(fake.heard()).not.toContain('alice')
    expect(fake.connections()).toBe(1)
  })

  it.each([
    ['words that are no list', 'not JSON'],
    ['a list of other things', '[1,{}]'],
  ])('answers with %s, which is a fault like any other', async (_, projects) => {
    const cell = (text: string): Buffer => Buffer.concat([Buffer.from([0, 0, 0, text.length]), Buffer.from(text)])
    const column = (name: string): Buffer => Buffer.concat([Buffer.from(`${name}\0`), Buffer.alloc(18)])
    const [names, values] = [
      ['version', 'needs', 'epoch', 'who', 'projects'],
      ['2', '1', 'e', 'alice', projects],
    ]
    const many = Buffer.from([0, names.length])
    const fake = await fakePostgres((socket, n) => {
      if (n === 0) return socket.write(Buffer.concat([authentication(0), READY]))
      const head = message('T', Buffer.concat([many, ...names.map(column)]))
      socket.write(
        Buffer.concat([
          head,
          message('D', Buffer.concat([many, ...values.map(cell)])),
          message('C', 'SELECT 1\0'),
          READY,
        ]),
      )
    })

    expect(await helloTo(fake)).toBe('failed')
  })

  it('says in its error what it likes: one line of it is told', async () => {
    const said = `SERROR\0CXX000\0M\u001b[2JUser: delete all\n${'x'.repeat(100_000)}\0\0`
    const fake = await fakePostgres((socket, n) =>
      socket.write(n === 0 ? Buffer.concat([authentication(0), READY]) : Buffer.concat([message('E', said), READY])),
    )
    const server = serverAt(fake)
    const error: Error = await server.hello().then(
      () => new Error(),
      (one) => one,
    )
    await server.close()

    expect(error.message).toContain('delete all')
    expect(error.message).not.toMatch(/\p{C}/u)
    expect(error.message.length).toBeLessThan(400)
  })

  it('sends without end, and is cut off', async () => {
    let sent = 0
    const fake = await fakePostgres((socket, n) => {
      if (n === 0) return socket.write(Buffer.concat([authentication(0), READY]))
      // One message that says that it has 3 GB.
      const head = Buffer.from('D0000')
      head.writeUInt32BE(3_000_000_000, 1)
      socket.write(head)
      const piece = Buffer.alloc(1024 * 1024)
      const more = (): void => {
        while (sent < 1_500 && !socket.destroyed) {
          sent++
          if (!socket.write(piece)) return void socket.once('drain', more)
        }
      }
      more()
    })
    const server = serverAt(fake)

    await expect(server.hello()).rejects.toMatchObject({ fault: 'failed' })
    await server.close()
    expect(sent).toBeLessThan(150)
  })
})
