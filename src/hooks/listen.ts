/** The server's side: listens at an unguessable address, answers hooks that prove the secret, and leaves no files behind. */
import type net from 'node:net'
import path from 'node:path'
import {
  isOwnDir,
  list,
  makeDir,
  readPrivate,
  removeUnlessBusy,
  replaceQuickly,
  unlessFails,
} from '../platform/disk/files.ts'
import {
  type Answer,
  isProof,
  MOST_CHARS,
  newSecret,
  parseRecord,
  proofOf,
  type Question,
  RECORD,
  recordName,
  type ServerRecord,
  takeMessages,
} from './wire.ts'

/** The answer to a question, and the writes to do once the hook has printed it. */
export interface Served {
  answer: Answer
  heard(ms: number): void
}

export interface ListenOptions {
  dir: string
  /** For a socket if the directory's own path is too long. */
  tempDir: string
  version: string
  pid: number
  hostPid: number
  platform: NodeJS.Platform
  isAlive(pid: number): boolean
  /** Null: the hook should do the work itself. */
  run(question: Question): Served | null
}

/** macOS allows 104 bytes, including the terminator. */
const LONGEST_SOCKET = 100
const MOST_CONNECTIONS = 32
/** A hook that is silent for this long has ended. */
const SILENCE_MS = 2_000

/** Returns a function that stops it. If it cannot listen, hooks do the work themselves. */
export function listenForHooks(options: ListenOptions): () => void {
  const { dir, version, pid, hostPid } = options
  const name = newSecret().slice(0, 16)
  const address = addressOf(options, name)
  const isReady = unlessFails(() => {
    makeDir(dir)
    if (!isOwnDir(dir)) return false
    sweep(options)
    return true
  }, false)
  if (!isReady || address === null) return () => undefined
  const record: ServerRecord = { address, secret: newSecret(), version, pid }
  const file = path.join(dir, recordName(hostPid, name))
  const server = process.getBuiltinModule('node:net').createServer((socket) => converse(socket, record, options.run))
  server.maxConnections = MOST_CONNECTIONS
  const end = (): void => {
    unlessFails(() => removeUnlessBusy(file), false)
    if (options.platform !== 'win32') unlessFails(() => removeUnlessBusy(address), false)
    server.close()
  }
  server.on('error', end)
  server.listen(address, () => unlessFails(() => replaceQuickly(file, JSON.stringify(record)), undefined))
  server.unref()
  return end
}

function addressOf({ dir, tempDir, platform }: ListenOptions, name: string): string | null {
  if (platform === 'win32') return `\\\\.\\pipe\\memory-keeper-${name}`
  const places = [path.join(dir, `${name}.sock`), path.join(tempDir, `memory-keeper-${name}.sock`)]
  return places.find((place) => Buffer.byteLength(place) <= LONGEST_SOCKET) ?? null
}

/** Deletes the remains of killed servers. */
function sweep({ dir, tempDir, isAlive }: ListenOptions): void {
  for (const name of list(dir).filter((one) => one.endsWith(RECORD))) {
    const file = path.join(dir, name)
    const record = parseRecord(readPrivate(file)?.toString('utf8') ?? '')
    if (record !== null && isAlive(record.pid)) continue
    const isOurs = record !== null && [dir, tempDir].includes(path.dirname(record.address))
    if (isOurs && record.address.endsWith('.sock')) removeUnlessBusy(record.address)
    removeUnlessBusy(file)
  }
}

function converse(socket: net.Socket, record: ServerRecord, run: ListenOptions['run']): void {
  const nonces: string[] = []
  let served: Served | null = null
  const send = (message: object): boolean => socket.write(`${JSON.stringify(message)}\n`)
  const leave = (): void => void socket.destroy()
  takeMessages(socket, (message) => {
    if (message === null) return leave()
    if (nonces.length === 0) {
      if (typeof message.nonce !== 'string') return leave()
      nonces.push(message.nonce.slice(0, MOST_NONCE), newSecret())
      return void send({ nonce: nonces[1], proof: proofOf(record, 'server', nonces) })
    }
    if (served !== null) {
      const { heard } = message
      if (typeof heard === 'number') orNull(() => served?.heard(heard))
      return leave()
    }
    const question = isProof(message.proof, proofOf(record, 'hook', nonces)) ? questionIn(message.question) : null
    served = question === null ? null : orNull(() => run(question))
    return served === null ? leave() : void send(served.answer)
  })
  socket.setTimeout(SILENCE_MS, leave).on('error', leave)
}

const MOST_NONCE = 100

/** No failure may end the server of a session: the hook does the work itself then, and logs why it fails. */
function orNull<T>(work: () => T): T | null {
  try {
    return work()
  } catch {
    return null
  }
}

function questionIn(given: unknown): Question | null {
  const { stdin, isAttended, hostPid, projectDir } = (given ?? {}) as Partial<Question>
  if (typeof stdin !== 'string' || stdin.length > MOST_CHARS || typeof hostPid !== 'number') return null
  return {
    stdin,
    hostPid,
    isAttended: isAttended === true,
    projectDir: typeof projectDir === 'string' ? projectDir : undefined,
  }
}
