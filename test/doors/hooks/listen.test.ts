/** A hook and a server beside it: what passes between them, whatever stands at the address, and what is left behind. */
import assert from 'node:assert'
import fs from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { askServers } from '../../../src/doors/hooks/ask.ts'
import { type ListenOptions, listenForHooks, type Served } from '../../../src/doors/hooks/listen.ts'
import {
  type Answer,
  parseRecord,
  proofOf,
  type Question,
  readServers,
  type ServerRecord,
} from '../../../src/doors/hooks/server-messages.ts'
import { makePipe } from '../../../src/kernel/platform/disk/stdio.ts'
import { until } from '../../support/process.ts'
import { tempDir, write } from '../../support/project.ts'

const QUESTION: Question = { stdin: '{}', isAttended: true, hostPid: 7, projectDir: undefined }
const ANSWER: Answer = { out: 'remembered' }
const NOTHING = (): void => undefined
/** Asks for a named pipe of Windows. */
const NO_PIPE = (): boolean => false

const ends: (() => void)[] = []
afterEach(() => {
  for (const end of ends.splice(0)) end()
})

interface Listening {
  dir: string
  record: ServerRecord
  heard: number[]
}

async function listen(more: Partial<ListenOptions> = {}): Promise<Listening> {
  const dir = more.dir ?? path.join(tempDir(), 'servers')
  const heard: number[] = []
  const before = new Set(fs.existsSync(dir) ? fs.readdirSync(dir) : [])
  const { close } = listenForHooks({
    dir,
    tempDir: os.tmpdir(),
    version: 'v1',
    pid: process.pid,
    hostPid: 7,
    isAlive: () => true,
    makePipe: () => false,
    // A socket behaves like the named pipe of Windows. A pipe in a directory is made where a test asks for one.
    namedPipe: more.makePipe === undefined || more.makePipe === NO_PIPE ? () => path.join(tempDir(), 'w.sock') : null,
    ownMs: () => null,
    run: (): Served => ({ answer: ANSWER, sent: NOTHING, heard: (ms) => heard.push(ms) }),
    ...more,
  })
  ends.push(close)
  const fresh = (): string[] => fs.readdirSync(dir).filter((name) => name.endsWith('.json') && !before.has(name))
  await until(() => fresh().length > 0)
  const record = parseRecord(fs.readFileSync(path.join(dir, fresh()[0] ?? ''), 'utf8'))
  if (record === null) throw new Error('no record')
  return { dir, record, heard }
}

/** What the hook prints; null: it goes its own way. */
function ask(servers: readonly ServerRecord[], withinMs = 10_000, question = QUESTION): Promise<string | null> {
  return new Promise((resolve) => {
    askServers(servers, question, {
      withinMs,
      print: ({ out }) => {
        resolve(out)
        return 12
      },
      otherwise: () => resolve(null),
    })
  })
}

/** Somebody else behind an address. */
async function stranger(onLine: (socket: net.Socket, n: number) => void): Promise<string> {
  const address = path.join(tempDir(), 'x.sock')
  const server = net.createServer((socket) => {
    let n = 0
    socket.on('error', () => undefined).on('data', () => onLine(socket, n++))
  })
  await new Promise<void>((resolve) => server.listen(address, resolve))
  ends.push(() => server.close())
  return address
}

describe.each([
  ['a named pipe of Windows', NO_PIPE],
  ['a pipe', makePipe],
])('asking through %s', (_, makePipe) => {
  it('gives the answer of the server, and tells it when the hook has printed it', async () => {
    const { dir, record, heard } = await listen({ makePipe })

    expect(readServers(dir, 'v1', 7)).toEqual([record])
    expect(await ask([record])).toBe('remembered')
    await until(() => heard.length > 0)
    expect(heard).toEqual([12])
  })

  it('answers eight prompts at once', async () => {
    const { record } = await listen({ makePipe })

    expect(await Promise.all(Array.from({ length: 8 }, () => ask([record])))).toEqual(Array(8).fill('remembered'))
  })

  it('hands over a text that is longer than a piece of the stream, in any script', async () => {
    const heard: string[] = []
    const run = ({ stdin }: Question): Served => {
      heard.push(stdin)
      return { answer: { out: stdin }, sent: NOTHING, heard: NOTHING }
    }
    const { record } = await listen({ makePipe, run })
    const stdin = '가나다라 '.repeat(60_000)

    expect((await ask([record], 10_000, { ...QUESTION, stdin })) === stdin).toBe(true)
    expect(heard.map((text) => text === stdin)).toEqual([true])
  })

  it('does the work itself when the server fails, and the server goes on', async () => {
    let isFailing = true
    const run = (): Served => {
      if (isFailing) throw new Error('no such directory')
      return {
        answer: ANSWER,
        sent: () => assert.fail('the disk is full'),
        heard: () => assert.fail('the disk is full'),
      }
    }
    const { record } = await listen({ makePipe, run })

    expect(await ask([record])).toBeNull()
    isFailing = false
    expect([await ask([record]), await ask([record])]).toEqual(['remembered', 'remembered'])
  })

  it('takes the next server when one is gone or dies in the middle of its answer', async () => {
    const { record } = await listen({ makePipe })
    const gone = { ...record, address: path.join(tempDir(), `gone${path.extname(record.address)}`) }
    const dying = await listen({ makePipe, run: () => null })

    expect(await ask([gone, dying.record, record])).toBe('remembered')
    expect(await ask([gone, dying.record])).toBeNull()
  })

  it('goes its own way when nobody answers in time, and what was answered late is not written down', async () => {
    const { record, heard } = await listen({ makePipe, run: () => slow(400) })

    expect(await ask([record], 100)).toBeNull()
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect(heard).toEqual([])
  })
})

describe('asking', () => {
  it.each<[string, (socket: net.Socket, n: number) => void]>([
    ['says nothing', () => undefined],
    ['talks at once', (socket) => socket.write('{"out":"planted"}\n')],
    [
      'gives a proof of its own',
      (socket, n) => socket.write(n === 0 ? `{"nonce":"a","proof":"${'0'.repeat(64)}"}\n` : '{}\n'),
    ],
    ['sends what no text can be made of', (socket) => socket.write('{"nonce":{"toString":1},"proof":"0"}\n')],
    ['sends no JSON', (socket) => socket.write('\n\n]\n')],
    ['closes', (socket) => socket.destroy()],
    ['never ends its line', (socket) => socket.write('x'.repeat(3_000_000))],
  ])('believes nobody who took the address and %s', async (_, onLine) => {
    const { record } = await listen()

    expect(await ask([{ ...record, address: await stranger(onLine) }], 300)).toBeNull()
  })

  it('hangs up when the time is over: the host waits until the hook has ended', async () => {
    const { record } = await listen()
    let isOpen = true
    const address = await stranger((socket) => socket.on('close', () => (isOpen = false)))

    expect(await ask([{ ...record, address }], 100)).toBeNull()
    await until(() => !isOpen)
  })

  it('gets nothing with a wrong secret, and the server runs nothing', async () => {
    let runs = 0
    const { record } = await listen({
      run: () => {
        runs++
        return { answer: ANSWER, sent: NOTHING, heard: NOTHING }
      },
    })
    const socket = net.connect(record.address)
    let heard = ''
    socket.on('data', (text) => {
      heard += text
    })
    const closed = new Promise((resolve) => socket.on('close', resolve))
    socket.write('{"nonce":"n"}\n')
    await until(() => heard.includes('proof'))
    // What stands behind a wrong proof is not read, not even a right one.
    const nonces = ['n', JSON.parse(heard).nonce]
    const proofs = ['0'.repeat(64), proofOf(record, 'hook', nonces)]
    socket.write(proofs.map((proof) => `${JSON.stringify({ proof, question: QUESTION })}\n`).join(''))
    await closed

    expect(heard).not.toContain('remembered')
    expect(runs).toBe(0)
  })
})

describe('asking through a socket', () => {
  it('goes on when somebody sends what no text can be made of', async () => {
    const { record } = await listen()
    await new Promise((resolve) => net.connect(record.address).on('close', resolve).end('{"nonce":{"toString":1}}\n'))

    expect(await ask([record])).toBe('remembered')
  })
})

describe('asking through a pipe', () => {
  const id = '0123456789abcdef'

  it('writes into nothing but a pipe that only this user can open, and leaves what stands in its place', async () => {
    const { dir, record } = await listen({ makePipe })
    const planted = path.join(dir, 'planted.pipe')
    const isAsked = async (): Promise<boolean> => (await ask([{ ...record, address: planted }], 300)) !== null
    write(planted, '')

    expect([await isAsked(), fs.readFileSync(planted, 'utf8')]).toEqual([false, ''])
    fs.rmSync(planted)
    fs.symlinkSync(record.address, planted)
    expect(await isAsked()).toBe(false)
    fs.chmodSync(record.address, 0o622)
    expect(await ask([record], 300)).toBeNull()
    fs.chmodSync(record.address, 0o600)
    expect(await ask([record])).toBe('remembered')
  })

  it('uses a pipe that the system makes, never a program that PATH finds', () => {
    const bin = tempDir()
    const made = path.join(bin, 'made')
    fs.writeFileSync(path.join(bin, 'mkfifo'), `#!/bin/sh\ntouch ${made}\n`, { mode: 0o755 })
    vi.stubEnv('PATH', `${bin}${path.delimiter}${process.env.PATH}`)
    const isMade = makePipe(path.join(bin, 'x.pipe'))
    vi.unstubAllEnvs()

    expect([isMade, fs.lstatSync(path.join(bin, 'x.pipe')).isFIFO(), fs.existsSync(made)]).toEqual([true, true, false])
  })

  it('does not wait where nobody reads', async () => {
    const { record } = await listen({ makePipe })
    const silent = path.join(path.dirname(record.address), 'silent.pipe')
    makePipe(silent)

    expect(await ask([{ ...record, address: silent }])).toBeNull()
  })

  it.each<[string, string]>([
    ['no frame', 'hello\n\n\u0000\n'],
    ['an endless one', 'x'.repeat(60_000)],
    ['a name that leads elsewhere', `../../../../abcde.{"question":${JSON.stringify(QUESTION)},"until":9e15}\n`],
    ['no JSON', `${id}.{\n`],
    ['nothing to do', `${id}.{"until":9e15}\n${id}h12\n`],
    ['beginnings', Array.from({ length: 100 }, (_, n) => `${id.slice(3)}${100 + n}+{\n`).join('')],
  ])('goes on after somebody wrote %s', async (_, text) => {
    let runs = 0
    const run = (): Served => {
      runs++
      return { answer: ANSWER, sent: NOTHING, heard: NOTHING }
    }
    const { dir, record } = await listen({ makePipe, run })
    fs.writeFileSync(record.address, `${text}\n`)

    expect(await ask([record])).toBe('remembered')
    expect(runs).toBe(1)
    await until(() => fs.readdirSync(dir).length === 2)
  })

  it('does not answer what it finds too late: the hook did the work itself', async () => {
    let runs = 0
    const { record } = await listen({
      makePipe,
      run: () => {
        runs++
        return null
      },
    })
    for (const until of [Date.now() - 1, Date.now() + 60_000])
      fs.writeFileSync(record.address, `${id}.${JSON.stringify({ question: QUESTION, until })}\n`)
    await until(() => runs > 0)

    expect(runs).toBe(1)
  })

  it('publishes no pipe out of which nothing comes', async () => {
    // Opening succeeds, but somebody else reads what is written into it.
    const makeDeaf = (file: string): boolean => {
      const isMade = makePipe(file)
      const thief = fs.openSync(file, fs.constants.O_RDWR | fs.constants.O_NONBLOCK)
      ends.push(() => fs.closeSync(thief))
      const { writeSync } = fs
      vi.spyOn(fs, 'writeSync').mockImplementation(((fd: number, ...rest: [string]) => {
        const written = writeSync(fd, ...rest)
        fs.readSync(thief, Buffer.alloc(512))
        return written
      }) as typeof fs.writeSync)
      return isMade
    }
    const dir = path.join(tempDir(), 'servers')
    const options = { dir, tempDir: os.tmpdir(), version: 'v1', pid: process.pid, hostPid: 7, namedPipe: null }
    ends.push(
      listenForHooks({ ...options, isAlive: () => true, makePipe: makeDeaf, run: () => null, ownMs: () => null }).close,
    )
    vi.restoreAllMocks()
    expect(fs.readdirSync(dir).some((name) => name.endsWith('.pipe'))).toBe(true)
    await until(() => !fs.readdirSync(dir).some((name) => name.endsWith('.pipe')))

    expect(readServers(dir, 'v1', 7)).toEqual([])
  })

  it('removes an answer that nobody took, also one of a killed server', async () => {
    const dir = path.join(tempDir(), 'servers')
    fs.mkdirSync(dir, { mode: 0o700 })
    write(path.join(dir, `${id}.answer`), '{}')
    fs.utimesSync(path.join(dir, `${id}.answer`), 1, 1)
    const { record } = await listen({ dir, makePipe })
    expect(fs.readdirSync(dir).filter((name) => name.endsWith('.answer'))).toEqual([])
    fs.writeFileSync(record.address, `${id}.${JSON.stringify({ question: QUESTION, until: Date.now() + 60_000 })}\n`)
    await until(() => fs.existsSync(path.join(dir, `${id}.answer`)))
    await until(() => !fs.existsSync(path.join(dir, `${id}.answer`)))
  })
})

function slow(ms: number): Served {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
  return { answer: ANSWER, sent: NOTHING, heard: NOTHING }
}

describe('listening', () => {
  it.each([
    ['named pipe of Windows', NO_PIPE],
    ['pipe', makePipe],
  ])('leaves a record for this user alone, and removes it with its %s', async (_, makePipe) => {
    const { dir, record } = await listen({ makePipe })

    const modes = ['', ...fs.readdirSync(dir).filter((name) => name.endsWith('.json'))].map(
      (name) => fs.statSync(path.join(dir, name)).mode & 0o777,
    )
    expect(modes).toEqual([0o700, 0o600])
    for (const end of ends.splice(0)) end()
    expect(fs.readdirSync(dir)).toEqual([])
    expect(await ask([record])).toBeNull()
  })

  it('removes what killed servers left, and nothing of those that live', async () => {
    const { dir, record } = await listen({ pid: 1001 })
    write(path.join(dir, '5-dead.json'), JSON.stringify({ ...record, address: path.join(dir, 'dead.sock'), pid: 1002 }))
    write(path.join(dir, '6-broken.json'), '{')
    write(path.join(dir, 'dead.sock'), '')
    write(
      path.join(dir, '8-dead2.json'),
      JSON.stringify({ ...record, address: path.join(dir, 'dead.pipe'), pid: 1002 }),
    )
    write(path.join(dir, 'dead.pipe'), '')
    const two = await listen({ dir, isAlive: (pid) => pid === 1001 })

    expect(readServers(dir, 'v1', 7)).toHaveLength(2)
    expect(fs.readdirSync(dir).filter((name) => /dead|broken/.test(name))).toEqual([])
    expect(await ask([two.record])).toBe('remembered')
  })

  it('does not listen where the system has no pipe, and leaves the work to the hook', () => {
    const dir = path.join(tempDir(), 'servers')
    const options = { dir, tempDir: os.tmpdir(), version: 'v1', pid: process.pid, hostPid: 7, namedPipe: null }
    const { close } = listenForHooks({
      ...options,
      isAlive: () => true,
      makePipe: NO_PIPE,
      run: () => null,
      ownMs: () => null,
    })

    expect(fs.readdirSync(dir)).toEqual([])
    close()
  })

  it.each<[string, (dir: string) => void]>([
    ['a file', (dir) => write(dir, '')],
    ['a link', (dir) => fs.symlinkSync(tempDir(), dir)],
  ])('does not listen where its directory is %s, and does not fail', (_, make) => {
    const dir = path.join(tempDir(), 'servers')
    make(dir)
    const options = { tempDir: os.tmpdir(), version: 'v1', pid: 1, hostPid: 7, namedPipe: null }
    const rest = { isAlive: () => true, makePipe, run: () => null, ownMs: () => null }
    listenForHooks({ dir, ...options, ...rest }).close()

    expect(readServers(dir, 'v1', 7)).toEqual([])
  })

  it('asks only servers of its own build, the own host first', async () => {
    const dir = path.join(tempDir(), 'servers')
    const of = (name: string, version: string): void =>
      write(path.join(dir, name), JSON.stringify({ address: name, secret: 'a'.repeat(64), version, pid: 1 }))
    of('8-a.json', 'v1')
    of('7-b.json', 'v1')
    of('7-c.json', 'v2')
    for (const name of fs.readdirSync(dir)) fs.chmodSync(path.join(dir, name), 0o600)

    expect(readServers(dir, 'v1', 7).map(({ address }) => address)).toEqual(['7-b.json', '8-a.json'])
  })
})
