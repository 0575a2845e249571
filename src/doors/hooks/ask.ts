/** The hook's side of asking the running server: proof, question, answer, all within a fixed time. */
import path from 'node:path'
import { ANSWER, PIPE } from '../../kernel/memory/disk/server-files.ts'
import { disk, readPrivate, unlessFails } from '../../kernel/platform/disk/files.ts'
import { closePipe, openPipe, writePipe } from '../../kernel/platform/disk/stdio.ts'
import { parseObject } from '../../kernel/platform/json.ts'
import {
  type Answer,
  frameOf,
  framesOf,
  isProof,
  newId,
  newSecret,
  proofOf,
  type Question,
  type ServerRecord,
  takeMessages,
} from './server-messages.ts'

const LOOK_MS = 1

interface Asked {
  /** Without an answer by then, the hook does the work itself. */
  withinMs: number
  /** Prints the answer; returns how long the user waited, in milliseconds. */
  print(answer: Answer): number
  /** No server, no proof, or no answer in time. */
  otherwise(): void
}

/** A busy server must not delay a session. */
const LEAST_MS = 120
/** A person notices. */
const MOST_MS = 2_000

/** How long an answer is cheaper than the hook's own work, which would begin now. `elapsedMs`: since this process started. */
export function patienceFor(servers: readonly ServerRecord[], elapsedMs: number): number {
  const ownMs = Math.max(...servers.map((server) => server.ownMs ?? 0))
  return Math.min(MOST_MS, Math.max(LEAST_MS, ownMs - elapsedMs))
}

/** Calls exactly one of the two, once. */
export function askServers(
  servers: readonly ServerRecord[],
  question: Question,
  { withinMs, print, otherwise }: Asked,
): void {
  let isSettled = false
  let hangUp = (): void => undefined
  const settle = (end: () => void): void => {
    if (isSettled) return
    isSettled = true
    clearTimeout(timer)
    end()
  }
  const giveUp = (): void => {
    // The host waits until this process ends, and an open connection would keep it.
    hangUp()
    otherwise()
  }
  const timer = setTimeout(() => settle(giveUp), withinMs)
  const until = Date.now() + withinMs
  const tryNext = (at: number): void => {
    const server = servers[at]
    if (isSettled) return
    if (server === undefined) return settle(otherwise)
    const askOne = server.address.endsWith(PIPE) ? askByPipe : askByNamedPipe
    hangUp = askOne(server, question, {
      until,
      isOver: () => isSettled,
      fail: () => tryNext(at + 1),
      answer: (answer, hear) => settle(() => hear(print(answer))),
    })
  }
  tryNext(0)
}

interface Asking {
  /** By the clock: what reaches the server later is not answered. */
  until: number
  isOver(): boolean
  fail(): void
  answer(answer: Answer, hear: (ms: number) => void): void
}

/** Returns a function that ends it. */
function askByPipe({ address }: ServerRecord, question: Question, { until, fail, answer }: Asking): () => void {
  const id = newId()
  const file = path.join(path.dirname(address), `${id}${ANSWER}`)
  const frames = framesOf(id, JSON.stringify({ question, until }))
  const pipe = openPipe(address, 'write')
  let looking: NodeJS.Timeout | undefined
  const close = (): void => {
    clearTimeout(looking)
    if (pipe !== null) closePipe(pipe)
  }
  const leave = (): void => {
    close()
    fail()
  }
  /** False: it is full. Null: nobody reads any more. */
  const write = (frame: Buffer): boolean | null =>
    pipe === null ? null : unlessFails<boolean | null>(() => writePipe(pipe, frame), null)
  const look = (): void => {
    for (let frame = frames[0]; frame !== undefined; frame = frames[0]) {
      const isWritten = write(frame)
      if (isWritten === null) return leave()
      if (!isWritten) break
      frames.shift()
    }
    const replyBytes = frames.length > 0 ? null : readPrivate(file)
    if (replyBytes === null) {
      looking = setTimeout(look, LOOK_MS)
      return
    }
    disk.remove(file)
    const given = parseObject(replyBytes.toString('utf8'))
    if (!isAnswer(given)) return leave()
    answer(given, (ms) => {
      write(frameOf(id, 'h', Buffer.from(String(ms))))
      close()
    })
  }
  looking = setTimeout(look, 0)
  return close
}

function isAnswer(given: object | null): given is Answer {
  return typeof (given as Partial<Answer> | null)?.out === 'string'
}

/** Returns a function that ends the connection. */
function askByNamedPipe(server: ServerRecord, question: Question, { isOver, fail, answer }: Asking): () => void {
  const nonce = newSecret()
  const socket = process.getBuiltinModule('node:net').connect(server.address)
  let isProven = false
  let isClosed = false
  const close = (): void => {
    if (isClosed) return
    isClosed = true
    socket.destroy()
    if (!isOver()) fail()
  }
  const send = (message: object): boolean => socket.write(`${JSON.stringify(message)}\n`)
  takeMessages(socket, (message) => {
    if (isOver() || message === null) return close()
    if (!isProven) {
      if (typeof message.nonce !== 'string') return close()
      const nonces = [nonce, message.nonce]
      isProven = isProof(message.proof, proofOf(server, 'server', nonces))
      return isProven ? void send({ proof: proofOf(server, 'hook', nonces), question }) : close()
    }
    if (!isAnswer(message)) return close()
    answer(message, (ms) => {
      isClosed = true
      socket.end(`${JSON.stringify({ heard: ms })}\n`, () => socket.destroy())
    })
  })
  socket.on('error', close).on('close', close)
  send({ nonce })
  return close
}
