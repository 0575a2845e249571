/** The server's side: listens where only this user can write, on Windows at an unguessable address to hooks that prove the secret, and leaves no files behind. */
import type net from 'node:net'
import path from 'node:path'
import { ANSWER, PIPE, sweepServers } from '../../kernel/memory/disk/server-files.ts'
import { isOwnDir, makeDir, removeUnlessBusy, replaceQuickly, unlessFails } from '../../kernel/platform/disk/files.ts'
import { openPipe, writePipe } from '../../kernel/platform/disk/stdio.ts'
import { parseObject } from '../../kernel/platform/json.ts'
import {
  type Answer,
  frameOf,
  isProof,
  MOST_CHARS,
  newSecret,
  proofOf,
  type Question,
  recordName,
  type ServerRecord,
  takeFrames,
  takeMessages,
} from './server-messages.ts'

/** The answer to a question, the work to do when it is on its way, and the writes once the hook has printed it. */
export interface Served {
  answer: Answer
  sent(): void
  heard(ms: number): void
}

export interface ListenOptions {
  dir: string
  /** Where servers of 0.6 put a socket: what killed ones left is swept. */
  tempDir: string
  version: string
  pid: number
  hostPid: number
  isAlive(pid: number): boolean
  /** Makes a named pipe in a directory. False: this system has none. */
  makePipe(file: string): boolean
  /** On Windows: the address of a named pipe, which anyone could take, so that both sides prove that they know the secret. Elsewhere null. */
  namedPipe: ((name: string) => string) | null
  /** Null: the hook should do the work itself. */
  run(question: Question): Served | null
  /** What a hook takes here that does the work itself; null: unknown. */
  ownMs(): number | null
}

export interface Listening {
  close(): void
  /** Hooks read in the record how long they should wait: writes it anew if that has changed. */
  tellAgain(): void
}

const MOST_CONNECTIONS = 32
/** A hook that is silent for this long has ended. */
const SILENCE_MS = 2_000

/** If it cannot listen, hooks do the work themselves. */
export function listenForHooks(options: ListenOptions): Listening {
  const { dir, version, pid, hostPid } = options
  const name = newSecret().slice(0, 16)
  const isReady = unlessFails(() => {
    makeDir(dir)
    if (!isOwnDir(dir)) return false
    sweepServers(options)
    return true
  }, false)
  if (!isReady) return { close: () => undefined, tellAgain: () => undefined }
  const secret = newSecret()
  let published: ServerRecord | null = null
  const publish = (address: string): void => {
    const ownMs = orNull(options.ownMs)
    const record: ServerRecord = { address, secret, version, pid, ...(ownMs === null ? {} : { ownMs }) }
    if (published?.address === address && published.ownMs === record.ownMs) return
    published = record
    unlessFails(() => replaceQuickly(file, JSON.stringify(record)), undefined)
  }
  const file = path.join(dir, recordName(hostPid, name))
  const { namedPipe } = options
  const close =
    namedPipe === null
      ? listenAtPipe(options, name, publish)
      : listenAtNamedPipe(options, { address: namedPipe(name), secret }, publish)
  return {
    close: () => {
      published = null
      unlessFails(() => removeUnlessBusy(file), false)
      close?.()
    },
    tellAgain: () => {
      if (published !== null) publish(published.address)
    },
  }
}

/** Null: this system has no such pipe, and hooks do the work themselves. */
function listenAtPipe(
  { dir, makePipe, run }: ListenOptions,
  name: string,
  publish: (address: string) => void,
): (() => void) | null {
  const address = path.join(dir, name + PIPE)
  const fd = unlessFails(() => makePipe(address), false) ? openPipe(address, 'read') : null
  const { Socket } = process.getBuiltinModule('node:net')
  const pipe = fd === null ? null : orNull(() => new Socket({ fd, readable: true, writable: false }))
  if (fd === null || pipe === null) return null
  const open = new Map<string, { served: Served | null; timer: NodeJS.Timeout }>()
  const forget = (id: string): void => {
    clearTimeout(open.get(id)?.timer)
    open.delete(id)
    unlessFails(() => removeUnlessBusy(path.join(dir, id + ANSWER)), false)
  }
  const answer = (id: string, question: Question, until: number): void => {
    if (Date.now() > until) return
    const served = orNull(() => run(question))
    // The hook does the work itself by now.
    if (Date.now() > until) return
    open.set(id, { served, timer: setTimeout(forget, SILENCE_MS, id).unref() })
    unlessFails(() => replaceQuickly(path.join(dir, id + ANSWER), JSON.stringify(served?.answer ?? null)), undefined)
    orNull(() => served?.sent())
  }
  takeFrames(pipe, (id, kind, text) => {
    if (id === name) {
      clearTimeout(proving)
      return publish(address)
    }
    if (kind === 'h') {
      const served = open.get(id)?.served
      forget(id)
      return void orNull(() => served?.heard(Number(text) || 0))
    }
    const { question: given, until } = parseObject(text) ?? {}
    const question = questionIn(given)
    if (question !== null && typeof until === 'number') answer(id, question, until)
  })
  const end = (): void => {
    clearTimeout(proving)
    unlessFails(() => removeUnlessBusy(address), false)
    for (const id of [...open.keys()]) forget(id)
    pipe.destroy()
  }
  pipe.on('error', end)
  pipe.unref()
  // No hook should wait for a server that hears nothing: it is published once it has heard itself.
  const proving = setTimeout(end, SILENCE_MS).unref()
  unlessFails(() => writePipe(fd, frameOf(name, 'h', new Uint8Array())), false)
  return end
}

function listenAtNamedPipe(
  { version, pid, run }: ListenOptions,
  { address, secret }: Pick<ServerRecord, 'address' | 'secret'>,
  publish: (address: string) => void,
): () => void {
  const record: ServerRecord = { address, secret, version, pid }
  const server = process.getBuiltinModule('node:net').createServer((socket) => converse(socket, record, run))
  server.maxConnections = MOST_CONNECTIONS
  const end = (): void => void server.close()
  server.on('error', end)
  server.listen(address, () => publish(address))
  server.unref()
  return end
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
    if (served === null) return leave()
    send(served.answer)
    orNull(() => served?.sent())
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
